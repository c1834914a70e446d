//! Numbers with units in fio (`HOWTO`, "Parameter types").
//!
//! With `kb_base=1024`, the default, `k` is 1024 and `Ki` is 1000, the reverse of the usual meaning; with
//! `kb_base=1000` both have the usual meaning.

/// The meaning of `k`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum KbBase {
    #[default]
    Binary,
    Decimal,
}

/// Prefixes in order of their power.
const PREFIXES: &str = "kmgtp";

/// A size in bytes.
pub(super) fn size(text: &str, base: KbBase) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, suffix) = split(&text)?;
    let suffix = suffix.strip_suffix('b').unwrap_or(suffix);
    let scale = if suffix.is_empty() {
        1
    } else {
        let (prefix, explicit) = match suffix.strip_suffix('i') {
            Some(prefix) => (prefix, true),
            None => (suffix, false),
        };
        let mut letters = prefix.chars();
        let power = PREFIXES.find(letters.next()?)? + 1;
        if letters.next().is_some() {
            return None;
        }
        let binary = explicit == (base == KbBase::Decimal);
        if binary { 1024_u64 } else { 1000 }.checked_pow(power as u32)?
    };
    number.checked_mul(scale)
}

/// A time in seconds. A number without a unit is in units of `default_s`.
pub(super) fn time(text: &str, default_s: f64) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let scale = match text[digits..].trim() {
        "" => default_s,
        "d" => 86_400.0,
        "h" => 3600.0,
        "m" => 60.0,
        "s" => 1.0,
        "ms" | "msec" => 1e-3,
        "us" | "usec" => 1e-6,
        "ns" | "nsec" => 1e-9,
        _ => return None,
    };
    Some(number * scale)
}

/// A plain number, decimal or hexadecimal.
pub(super) fn number(text: &str) -> Option<u64> {
    match split(text.trim())? {
        (number, "") => Some(number),
        _ => None,
    }
}

/// The leading number of a text, and the rest.
fn split(text: &str) -> Option<(u64, &str)> {
    if let Some(hexadecimal) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = hexadecimal
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(hexadecimal.len());
        let number = u64::from_str_radix(&hexadecimal[..end], 16).ok()?;
        return Some((number, &hexadecimal[end..]));
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the documentation of `kb_base`.
    #[test]
    fn prefixes_are_the_wrong_way_round_by_default() {
        assert_eq!(size("4k", KbBase::Binary), Some(4096));
        assert_eq!(size("4Ki", KbBase::Binary), Some(4000));
        assert_eq!(size("4KiB", KbBase::Decimal), Some(4096));
        assert_eq!(size("4kb", KbBase::Decimal), Some(4000));
        assert_eq!(size("1M", KbBase::Binary), Some(1 << 20));
        assert_eq!(size("20G", KbBase::Binary), Some(20 << 30));
        assert_eq!(size("0x1000", KbBase::Binary), Some(4096));
        assert_eq!(size("512", KbBase::Binary), Some(512));
        for wrong in [
            "",
            "k",
            "4q",
            "4km",
            "-4k",
            "4 k 4",
            "50%",
            "99999999999p",
            "(4*2)k",
        ] {
            assert_eq!(size(wrong, KbBase::Binary), None, "{wrong}");
        }
    }

    #[test]
    fn times_have_units_or_a_default() {
        assert_eq!(time("30", 1.0), Some(30.0));
        assert_eq!(time("500", 1e-6), Some(500.0 * 1e-6));
        assert_eq!(time("2m", 1.0), Some(120.0));
        assert_eq!(time("10ms", 1e-6), Some(10.0 * 1e-3));
        assert_eq!(time("1.5s", 1e-6), Some(1.5));
        assert_eq!(time("soon", 1.0), None);
        assert_eq!(time("-1", 1.0), None);
    }
}

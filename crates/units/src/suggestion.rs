//! Suggestions for unknown units.
//!
//! Units are too short for edit distances (`Mb` differs from `MB` in one letter, and by a factor of eight).
//! The suggestions therefore follow common spellings: the wrong case, `ps` for `/s`, spelt-out units, or bare
//! prefixes.

use crate::QuantityKind;
use crate::unit::units_of;

/// Possible meanings of `written` as a unit of `kind`, ready to print: "`Mbit/s` or `MB/s`".
pub(crate) fn for_unit(kind: QuantityKind, written: &str) -> Option<String> {
    // No text longer than this resembles a unit.
    if written.len() > 24 {
        return None;
    }
    let candidates = match kind {
        QuantityKind::Bytes | QuantityKind::Bandwidth => data_units(kind, written),
        _ => Vec::new(),
    };
    let candidates = if candidates.is_empty() {
        same_but_for_case(kind, written)
    } else {
        candidates
    };
    let candidates = if candidates.is_empty() {
        spelt_out(kind, written)
    } else {
        candidates
    };
    // Only valid units.
    let quoted: Vec<String> = candidates
        .into_iter()
        .filter(|candidate| units_of(kind).iter().any(|unit| unit.spelling() == candidate))
        .map(|candidate| format!("`{candidate}`"))
        .collect();
    (!quoted.is_empty()).then(|| quoted.join(" or "))
}

fn same_but_for_case(kind: QuantityKind, written: &str) -> Vec<String> {
    units_of(kind)
        .iter()
        .map(|unit| unit.spelling().to_owned())
        .filter(|spelling| spelling.eq_ignore_ascii_case(written))
        .collect()
}

/// Readings as a size or bandwidth unit, likelier ones first.
fn data_units(kind: QuantityKind, written: &str) -> Vec<String> {
    let per_second = if kind == QuantityKind::Bandwidth { "/s" } else { "" };
    let stem = without_suffix(written, &["/sec", "/second", "/s", "ps"]);
    let Some(first) = stem.chars().next() else {
        return Vec::new();
    };
    let (prefix, rest) = match first.to_ascii_lowercase() {
        'k' | 'm' | 'g' | 't' | 'p' => (first.to_ascii_uppercase().to_string(), &stem[1..]),
        _ => (String::new(), stem),
    };
    let small_prefix = if prefix == "K" { "k" } else { prefix.as_str() };
    let bytes = format!("{small_prefix}B{per_second}");
    let bits = format!("{small_prefix}bit{per_second}");
    let binary = format!("{prefix}iB{per_second}");
    match rest {
        "B" if prefix == "K" => vec![bytes, binary],
        "B" => vec![bytes],
        "" if prefix.is_empty() => Vec::new(),
        // A port of "10G" has bits.
        "b" | "" if kind == QuantityKind::Bandwidth => vec![bits, bytes],
        "b" | "" => vec![bytes, binary],
        _ => match rest.to_ascii_lowercase().as_str() {
            // A port of "10GbE".
            "bit" | "bits" | "be" if kind == QuantityKind::Bandwidth => vec![bits],
            "ib" | "i" | "ibyte" | "ibytes" => vec![binary],
            "byte" | "bytes" => vec![bytes],
            _ => Vec::new(),
        },
    }
}

fn without_suffix<'a>(text: &'a str, suffixes: &[&str]) -> &'a str {
    suffixes
        .iter()
        .find_map(|suffix| text.strip_suffix(suffix))
        .unwrap_or(text)
}

fn spelt_out(kind: QuantityKind, written: &str) -> Vec<String> {
    let units: &[&str] = match (kind, written.to_ascii_lowercase().as_str()) {
        (QuantityKind::Time, "sec" | "secs" | "second" | "seconds") => &["s"],
        (QuantityKind::Time, "msec" | "msecs" | "millisecond" | "milliseconds") => &["ms"],
        (QuantityKind::Time, "usec" | "usecs" | "microsecond" | "microseconds" | "u" | "mcs") => &["us"],
        (QuantityKind::Time, "nsec" | "nsecs" | "nanosecond" | "nanoseconds" | "n") => &["ns"],
        (QuantityKind::Time, "psec" | "picosecond" | "picoseconds") => &["ps"],
        (QuantityKind::Time, "m") => &["ms", "min"],
        (QuantityKind::Time, "mins" | "minute" | "minutes") => &["min"],
        (QuantityKind::Time, "hr" | "hrs" | "hour" | "hours") => &["h"],
        (QuantityKind::Frequency, "hertz" | "cycles/s" | "cycles/sec" | "1/s") => &["Hz"],
        (QuantityKind::Frequency, "k" | "kilohertz") => &["kHz"],
        (QuantityKind::Frequency, "m" | "megahertz") => &["MHz"],
        (QuantityKind::Frequency, "g" | "gigahertz") => &["GHz"],
        (
            QuantityKind::OperationRate,
            "ops" | "op/s" | "iops" | "io/s" | "ios/s" | "ops/sec" | "op/sec" | "ops/second" | "/s" | "1/s",
        ) => &["ops/s"],
        (QuantityKind::OperationRate, "k" | "k/s" | "kiops" | "k iops" | "kops" | "k ops" | "k op/s") => {
            &["k ops/s"]
        }
        (QuantityKind::OperationRate, "m" | "m/s" | "miops" | "m iops" | "mops" | "m ops" | "m op/s") => {
            &["M ops/s"]
        }
        (QuantityKind::Power, "watt" | "watts") => &["W"],
        (QuantityKind::Power, "kilowatt" | "kilowatts") => &["kW"],
        (QuantityKind::Fraction, "pct" | "percents" | "per cent" | "perc") => &["%"],
        _ => &[],
    };
    units.iter().map(|unit| (*unit).to_owned()).collect()
}

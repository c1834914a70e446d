//! Parsing of a text to a value in base units.

use std::ops::Range;

use crate::unit::{self, Unit};
use crate::{QuantityError, QuantityKind, suggestion};

/// The maximum length of a quotation in a message, in characters.
const LONGEST_QUOTE: usize = 40;

/// The value of `text` in the base unit of `kind`; [`QuantityKind::parse`] has the rules.
pub(crate) fn parse(kind: QuantityKind, text: &str) -> Result<f64, QuantityError> {
    let (number, unit) = split(text);
    if number.is_empty() && unit.is_empty() {
        return Err(QuantityError::Empty {
            expected: kind,
            range: 0..text.len(),
        });
    }
    let not_finite = || QuantityError::NotFinite {
        found: quote(&text[number.clone()]),
        expected: kind,
        range: number.clone(),
    };
    let decimal = match Decimal::read(&text[number.clone()]) {
        Ok(decimal) => decimal,
        Err(Malformed::NotFinite) => return Err(not_finite()),
        Err(Malformed::NotANumber) => {
            let range = if number.is_empty() { unit } else { number };
            return Err(QuantityError::NotANumber {
                found: quote(&text[range.clone()]),
                expected: kind,
                range,
            });
        }
    };
    if unit.is_empty() {
        return Err(QuantityError::MissingUnit {
            number: quote(&text[number.clone()]),
            expected: kind,
            range: number,
        });
    }
    let unit = find_unit(kind, text, unit)?;
    decimal.times(unit).ok_or_else(not_finite)
}

/// The ranges of the number and of the unit, either of which may be empty. Words for non-finite numbers count
/// as numbers, so that the error about `inf GB/s` concerns the infinity and not the unit.
fn split(text: &str) -> (Range<usize>, Range<usize>) {
    let start = text.len() - text.trim_start().len();
    let end = start + text.trim().len();
    let body = &text[start..end];
    let sign = usize::from(body.starts_with(['+', '-']));
    let word_end = sign
        + body[sign..]
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(body.len() - sign);
    let word = body[sign..word_end].to_ascii_lowercase();
    let length = if matches!(word.as_str(), "inf" | "infinity" | "nan") {
        word_end
    } else {
        number_length(body)
    };
    let number = start..start + length;
    let unit_start = end - text[number.end..end].trim_start().len();
    (number, unit_start..end)
}

/// The number of bytes at the start of `body` that look like a number, valid or not: `1,5` and `1.2.3` are
/// taken, and rejected, as a whole.
fn number_length(body: &str) -> usize {
    let bytes = body.as_bytes();
    let run = |from: usize, accept: fn(&u8) -> bool| {
        from + bytes[from.min(bytes.len())..]
            .iter()
            .take_while(|byte| accept(byte))
            .count()
    };
    let sign = usize::from(body.starts_with(['+', '-']));
    let end = run(sign, |byte| byte.is_ascii_digit() || b"_.,".contains(byte));
    if end == sign {
        return 0;
    }
    // An `e` is an exponent only if digits follow: in `5 EB` it is part of a unit.
    let exponent = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
    let exponent_end = run(exponent, |byte| byte.is_ascii_digit() || *byte == b'_');
    if matches!(bytes.get(end), Some(b'e' | b'E')) && exponent_end > exponent {
        exponent_end
    } else {
        end
    }
}

/// A decimal number as written: the digits with sign and point, and the exponent.
struct Decimal {
    mantissa: String,
    exponent: i32,
}

enum Malformed {
    NotANumber,
    NotFinite,
}

impl Decimal {
    fn read(number: &str) -> Result<Self, Malformed> {
        if !underscores_group_digits(number) {
            return Err(Malformed::NotANumber);
        }
        let plain = number.replace('_', "");
        let value: f64 = plain.parse().map_err(|_| Malformed::NotANumber)?;
        if !value.is_finite() {
            return Err(Malformed::NotFinite);
        }
        let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
        // The value is finite, so that an exponent that does not fit is too small for any remaining digit, or
        // belongs to a mantissa of zero.
        let exponent = exponent.parse().unwrap_or(-100_000);
        Ok(Self {
            mantissa: mantissa.to_owned(),
            exponent,
        })
    }

    /// This number times `unit`, in base units; `None` if it is too large for an f64. The power of ten is
    /// added to the decimal exponent before rounding, so that `25 us` is exactly the double nearest to
    /// 0.000025.
    fn times(&self, unit: &Unit) -> Option<f64> {
        let exponent = self.exponent.saturating_add(unit.power_of_ten());
        let value = format!("{}e{exponent}", self.mantissa).parse::<f64>().ok()? * unit.factor();
        value.is_finite().then_some(value)
    }
}

/// Whether every underscore is between two digits.
fn underscores_group_digits(number: &str) -> bool {
    let bytes = number.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    (0..bytes.len())
        .filter(|at| bytes[*at] == b'_')
        .all(|at| digit(at.checked_sub(1)) && digit(Some(at + 1)))
}

fn find_unit(kind: QuantityKind, text: &str, range: Range<usize>) -> Result<&'static Unit, QuantityError> {
    let written = &text[range.clone()];
    let spelling = without_spaces_around_slash(written);
    if let Some(unit) = unit::find(kind, &spelling) {
        return Ok(unit);
    }
    let other = QuantityKind::ALL
        .into_iter()
        .find(|other| unit::find(*other, &spelling).is_some());
    Err(match other {
        Some(found) => QuantityError::WrongKind {
            unit: quote(written),
            found,
            expected: kind,
            range,
        },
        None => QuantityError::UnknownUnit {
            unit: quote(written),
            suggestion: suggestion::for_unit(kind, &spelling),
            expected: kind,
            range,
        },
    })
}

/// Changes `GB / s` to `GB/s`.
fn without_spaces_around_slash(unit: &str) -> String {
    unit.split('/').map(str::trim).collect::<Vec<_>>().join("/")
}

/// A piece of the text for a message: on one line and not too long.
fn quote(text: &str) -> String {
    let mut quoted: String = text
        .chars()
        .take(LONGEST_QUOTE)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        quoted.push_str("...");
    }
    quoted
}

//! Numbers for people: a few significant digits, without trailing noise.

/// The number of significant digits of a double.
const MOST_DIGITS: usize = 17;

/// Outside 10^-6 ..= 10^15 a plain number is mostly zeros, and an exponent is more readable.
const PLAIN: std::ops::Range<i32> = -6..15;

/// `value` rounded to `digits` significant digits, without trailing zeros: `significant(3.0801, 3)` is
/// `"3.08"`.
///
/// Digits before the point are never rounded away: `significant(1023.9, 3)` is `"1024"`, not `"1020"`, since
/// the zero would be read as a digit. Very large and very small values get an exponent (`"1.5e20"`).
/// Infinities are `"inf"` and `"-inf"`, not-a-number is `"nan"`, and negative zero is `"0"`. `digits` is held
/// to 1 ..= 17.
///
/// ```
/// use bandgraph_units::significant;
///
/// assert_eq!(significant(0.066_666, 2), "0.067");
/// assert_eq!(significant(1234.56, 3), "1235");
/// assert_eq!(significant(9.999, 3), "10");
/// ```
pub fn significant(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = digits.clamp(1, MOST_DIGITS);
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = split_exponent(&scientific);
    if PLAIN.contains(&exponent) {
        let decimals = decimals(digits, exponent);
        without_trailing_zeros(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", without_trailing_zeros(mantissa))
    }
}

/// The number of digits after the point for `digits` in total, if the first is worth 10^`exponent`.
fn decimals(digits: usize, exponent: i32) -> usize {
    let size = exponent.unsigned_abs() as usize;
    if exponent < 0 {
        digits - 1 + size
    } else {
        (digits - 1).saturating_sub(size)
    }
}

/// The value that [`significant`] prints.
pub(crate) fn significant_value(value: f64, digits: usize) -> f64 {
    significant(value, digits).parse().unwrap_or(value)
}

/// Mantissa and exponent of a number printed with `{:e}`, which always has both.
fn split_exponent(scientific: &str) -> (&str, i32) {
    scientific
        .split_once('e')
        .and_then(|(mantissa, exponent)| Some((mantissa, exponent.parse().ok()?)))
        .expect("`{:e}` prints a finite number with an exponent that fits an i32")
}

fn without_trailing_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

/// Two values with their unit once: `2.1 to 2.4 GB/s`; one, if they look the same.
pub fn span(low: &str, high: &str) -> String {
    if low == high {
        return low.to_owned();
    }
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{significant, span};

    #[test]
    fn a_unit_is_said_once() {
        assert_eq!(span("2.1 GB/s", "2.4 GB/s"), "2.1 to 2.4 GB/s");
        assert_eq!(span("900 MB/s", "1.1 GB/s"), "900 MB/s to 1.1 GB/s");
        assert_eq!(span("1.2", "1.4"), "1.2 to 1.4");
        assert_eq!(span("2.1 GB/s", "2.1 GB/s"), "2.1 GB/s");
    }

    #[test]
    fn rounds_to_significant_digits() {
        let cases: &[(f64, usize, &str)] = &[
            (0.0, 3, "0"),
            (-0.0, 3, "0"),
            (3.0801, 3, "3.08"),
            (3.0, 3, "3"),
            (9.994, 3, "9.99"),
            (9.996, 3, "10"),
            (99.96, 3, "100"),
            (999.6, 3, "1000"),
            (1023.9, 3, "1024"),
            (100.0, 1, "100"),
            (0.001_234, 2, "0.0012"),
            (-0.001_234, 2, "-0.0012"),
            (1e-6, 3, "0.000001"),
            (1.234e-7, 3, "1.23e-7"),
            (1.5e20, 3, "1.5e20"),
            (999_999_999_999_999.0, 3, "1e15"),
            (999_999_999_999_999.0, 15, "999999999999999"),
            (f64::MAX, 3, "1.8e308"),
            (5e-324, 3, "4.94e-324"),
            (1.0 / 3.0, 0, "0.3"),
            (0.1, 400, "0.10000000000000001"),
            (f64::NAN, 3, "nan"),
            (f64::NEG_INFINITY, 3, "-inf"),
        ];
        for (value, digits, expected) in cases {
            assert_eq!(significant(*value, *digits), *expected, "{value} {digits}");
        }
    }
}

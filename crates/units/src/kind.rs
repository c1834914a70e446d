//! The kind of a quantity, for types known only at run time.

use std::fmt;

use crate::number::{significant, significant_value};
use crate::unit::{Role, units_of};
use crate::{QuantityError, Unit, parse};

/// The number of digits that [`QuantityKind::format`] and `Display` print: one part in a thousand, about the
/// precision of the model.
pub(crate) const DEFAULT_DIGITS: usize = 3;

/// A kind of quantity, with its base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuantityKind {
    /// An amount of data, in bytes.
    Bytes,
    /// Data per time, in bytes per second.
    Bandwidth,
    /// A duration, in seconds.
    Time,
    /// Cycles per second, in hertz.
    Frequency,
    /// Operations per second.
    OperationRate,
    /// Electrical power, in watts.
    Power,
    /// A share of a whole: 1.0 is 100 %.
    Fraction,
}

impl QuantityKind {
    /// Every kind, in order of declaration.
    pub const ALL: [Self; 7] = [
        Self::Bytes,
        Self::Bandwidth,
        Self::Time,
        Self::Frequency,
        Self::OperationRate,
        Self::Power,
        Self::Fraction,
    ];

    /// Parses a text such as `"1.45 GiB/s"`. Returns the value in the base unit of this kind.
    ///
    /// The format is a number, an optional space, and a unit. `_` may group digits, and an exponent may
    /// follow (`1e9 B/s`). Decimal numbers with decimal, binary or bit units are correctly rounded. Negative
    /// values are valid: the caller checks whether a quantity may be negative.
    ///
    /// # Errors
    ///
    /// The text is not a quantity of this kind, for example because it is a bare number; see
    /// [`QuantityError`].
    pub fn parse(self, text: &str) -> Result<f64, QuantityError> {
        parse::parse(self, text)
    }

    /// Formats `value`, given in the base unit, in a decimal unit that fits its size: `"3.08 GB/s"`, `"25
    /// us"`, `"500 k ops/s"`, `"87 %"`. Three significant digits; [`significant`] defines how they are
    /// counted.
    pub fn format(self, value: f64) -> String {
        self.format_digits(value, DEFAULT_DIGITS)
    }

    /// [`format`](Self::format) with `digits` significant digits.
    pub fn format_digits(self, value: f64, digits: usize) -> String {
        format_scaled(
            units_of(self).iter().filter(|unit| unit.role() == Role::Decimal),
            value,
            digits,
        )
    }

    /// [`format`](Self::format) as files write it: in bits a second if `in_bits`, and bytes in binary units
    /// if only these are exact.
    pub fn format_written(self, value: f64, in_bits: bool) -> String {
        let is_bits = |unit: &&Unit| unit.spelling().ends_with("bit/s");
        if in_bits {
            return format_scaled(units_of(self).iter().filter(is_bits), value, DEFAULT_DIGITS);
        }
        let is_exact = |text: &String| self.parse(text) == Ok(value);
        let decimal = self.format(value);
        if self != Self::Bytes || is_exact(&decimal) {
            return decimal;
        }
        let binary = [DEFAULT_DIGITS, DEFAULT_DIGITS + 1].map(|digits| self.format_binary_to(value, digits));
        binary.into_iter().find(is_exact).unwrap_or(decimal)
    }

    /// [`format`](Self::format) in binary units (KiB, MiB, ...) for kinds that have them.
    pub fn format_binary(self, value: f64) -> String {
        self.format_binary_to(value, DEFAULT_DIGITS)
    }

    fn format_binary_to(self, value: f64, digits: usize) -> String {
        let units = units_of(self);
        if units.iter().any(|unit| unit.role() == Role::Binary) {
            // The base unit, bytes or bytes/s, is the lowest rung of both ladders.
            let ladder = units
                .iter()
                .take(1)
                .chain(units.iter().filter(|unit| unit.role() == Role::Binary));
            format_scaled(ladder, value, digits)
        } else {
            self.format(value)
        }
    }

    /// An example for help and error messages.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Bytes => "256 GiB",
            Self::Bandwidth => "4 GB/s",
            Self::Time => "25 us",
            Self::Frequency => "2.6 GHz",
            Self::OperationRate => "500000 ops/s",
            Self::Power => "294 W",
            Self::Fraction => "67 %",
        }
    }

    /// The name in a sentence, in lower case: `"bandwidth"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "size",
            Self::Bandwidth => "bandwidth",
            Self::Time => "time",
            Self::Frequency => "frequency",
            Self::OperationRate => "operation rate",
            Self::Power => "power",
            Self::Fraction => "fraction",
        }
    }

    /// All valid units of this kind: decimal ones in ascending order, then binary ones, then other spellings.
    pub const fn units(self) -> &'static [Unit] {
        units_of(self)
    }

    /// The unit of [`parse`](Self::parse)'s result, in the notation of JSON and CSV output: `"bytes/s"`.
    pub const fn base_unit(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Bandwidth => "bytes/s",
            Self::Time => "s",
            Self::Frequency => "cycles/s",
            Self::OperationRate => "ops/s",
            Self::Power => "W",
            Self::Fraction => "1",
        }
    }
}

impl fmt::Display for QuantityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// `value` in the largest unit of an ascending sequence in which its printed value is at least 1.
fn format_scaled<'a>(mut ladder: impl Iterator<Item = &'a Unit>, value: f64, digits: usize) -> String {
    let Some(mut unit) = ladder.next() else {
        return significant(value, digits);
    };
    // Zero has no size for the choice of a unit, and "0 ps" would look like a measurement of picoseconds.
    let at_home = value == 0.0 || !value.is_finite();
    for larger in ladder {
        let suits = if at_home {
            unit.in_base() < 1.0 && larger.in_base() <= 1.0
        } else {
            // Compared as printed, so that 999.9 kB with three digits becomes "1 MB", not "1000 kB".
            significant_value(in_unit(value, larger), digits).abs() >= 1.0
        };
        if !suits {
            break;
        }
        unit = larger;
    }
    format!(
        "{} {}",
        significant(in_unit(value, unit), digits),
        unit.spelling()
    )
}

/// A value in the base unit, converted to `unit`. It divides by exact powers of ten if possible: 25e-6 × 10^6
/// is 25, while 25e-6 ÷ 10^-6 is not.
fn in_unit(value: f64, unit: &Unit) -> f64 {
    let power = unit.power_of_ten();
    let scaled = if power < 0 {
        value * 10f64.powi(-power)
    } else {
        value / 10f64.powi(power)
    };
    scaled / unit.factor()
}

#[cfg(test)]
mod tests {
    use super::QuantityKind::{self, *};

    #[test]
    fn formats_in_the_unit_that_suits() {
        let cases: &[(QuantityKind, f64, &str)] = &[
            (Bandwidth, 3.08e9, "3.08 GB/s"),
            (Bandwidth, 0.0, "0 B/s"),
            (Bandwidth, 999.6e3, "1 MB/s"),
            (Bandwidth, 999.4e3, "999 kB/s"),
            (Bandwidth, -3.08e9, "-3.08 GB/s"),
            (Bandwidth, f64::INFINITY, "inf B/s"),
            (Bandwidth, 0.25, "0.25 B/s"),
            (Bytes, 1024.0, "1.02 kB"),
            (Bytes, 12.0, "12 B"),
            (Bytes, 5e18, "5000 PB"),
            (Time, 25e-6, "25 us"),
            (Time, 1.25e-3, "1.25 ms"),
            (Time, 850e-6, "850 us"),
            (Time, 0.9999e-3, "1 ms"),
            (Time, 0.0, "0 s"),
            (Time, 1e-13, "0.1 ps"),
            (Time, 7200.0, "7200 s"),
            (Frequency, 2.6e9, "2.6 GHz"),
            (OperationRate, 500e3, "500 k ops/s"),
            (OperationRate, 12.0, "12 ops/s"),
            (Power, 294.0, "294 W"),
            (Power, 1100.0, "1.1 kW"),
            (Power, 0.0, "0 W"),
            (Fraction, 0.87, "87 %"),
            (Fraction, 0.8734, "87.3 %"),
            (Fraction, 12.0, "1200 %"),
            (Fraction, 0.0, "0 %"),
        ];
        for (kind, value, expected) in cases {
            assert_eq!(kind.format(*value), *expected, "{kind:?} {value}");
        }
    }

    #[test]
    fn formats_as_files_write_it() {
        for (kind, value, in_bits, expected) in [
            (Bandwidth, 12.5e9, true, "100 Gbit/s"),
            (Bandwidth, 125e6, true, "1 Gbit/s"),
            (Bandwidth, 12.5e9, false, "12.5 GB/s"),
            (Bytes, 2_097_152.0, false, "2 MiB"),
            (Bytes, 2e6, false, "2 MB"),
            (Bytes, 1_207_959_552.0, false, "1.125 GiB"),
            (Bytes, 1_234_567.0, false, "1.23 MB"),
        ] {
            assert_eq!(kind.format_written(value, in_bits), expected);
        }
    }

    #[test]
    fn formats_binary_where_there_is_binary() {
        assert_eq!(Bandwidth.format_binary(3.08e9), "2.87 GiB/s");
        assert_eq!(Bytes.format_binary(1023.0), "1023 B");
        assert_eq!(Bytes.format_binary(1024.0), "1 KiB");
        assert_eq!(Bytes.format_binary(256.0 * 1_073_741_824.0), "256 GiB");
        assert_eq!(Time.format_binary(25e-6), "25 us");
    }

    #[test]
    fn examples_are_of_their_kind() {
        for kind in QuantityKind::ALL {
            assert!(kind.parse(kind.example()).is_ok(), "{kind:?}");
        }
    }
}

//! One type per kind of quantity, for checks by the compiler.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;

use crate::kind::DEFAULT_DIGITS;
use crate::{QuantityError, QuantityKind};

/// The common interface of all quantities: a kind, and a value in the base unit of that kind.
pub trait Quantity:
    Copy + PartialEq + PartialOrd + fmt::Debug + fmt::Display + FromStr<Err = QuantityError>
{
    /// The kind, which defines the units.
    const KIND: QuantityKind;

    /// The quantity of `value` base units.
    fn from_base(value: f64) -> Self;

    /// The value in base units.
    fn base(self) -> f64;
}

/// Declares a quantity: the type, its arithmetic, its text form.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $unit:literal) => {
        $(#[$doc])*
        ///
        /// Any f64 is permitted, including negative and infinite values; users of a quantity check ranges.
        /// `Display` prints three significant digits in a fitting unit, or as many as the precision says
        /// (`{:.5}`). [`QuantityKind::parse`] parses text.
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0.0);

            #[doc = concat!("The quantity of `base` ", $unit, ".")]
            pub const fn new(base: f64) -> Self {
                Self(base)
            }

            #[doc = concat!("The value in ", $unit, ".")]
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The smaller of two; if one is NaN, the other.
            #[must_use]
            pub const fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// The larger of two; if one is NaN, the other.
            #[must_use]
            pub const fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// A total order, for sorting.
            pub fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        impl Quantity for $name {
            const KIND: QuantityKind = QuantityKind::$name;

            fn from_base(value: f64) -> Self {
                Self(value)
            }

            fn base(self) -> f64 {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = QuantityError;

            fn from_str(text: &str) -> Result<Self, QuantityError> {
                QuantityKind::$name.parse(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let digits = f.precision().unwrap_or(DEFAULT_DIGITS);
                pad(f, &QuantityKind::$name.format_digits(self.0, digits))
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }

        impl Neg for $name {
            type Output = Self;

            fn neg(self) -> Self {
                Self(-self.0)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;

            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Mul<$name> for f64 {
            type Output = $name;

            fn mul(self, quantity: $name) -> $name {
                $name(self * quantity.0)
            }
        }

        impl Div<f64> for $name {
            type Output = Self;

            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        /// The ratio of two quantities, a plain number.
        impl Div for $name {
            type Output = f64;

            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(quantities: I) -> Self {
                quantities.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity! {
    /// An amount of data, in bytes.
    Bytes, "bytes"
}
quantity! {
    /// Data per time, in bytes per second.
    Bandwidth, "bytes per second"
}
quantity! {
    /// A duration, in seconds.
    Time, "seconds"
}
quantity! {
    /// Cycles per second, in hertz.
    Frequency, "hertz"
}
quantity! {
    /// Operations per second.
    OperationRate, "operations per second"
}
quantity! {
    /// Electrical power, in watts.
    Power, "watts"
}
quantity! {
    /// A share of a whole; 1.0 is 100 %.
    Fraction, "wholes, so that 1.0 is 100 %"
}

impl Bytes {
    /// In decimal units, three digits: `"34.4 GB"`.
    pub fn decimal(self) -> String {
        QuantityKind::Bytes.format(self.0)
    }

    /// In binary units, three digits: `"32 GiB"`.
    pub fn binary(self) -> String {
        QuantityKind::Bytes.format_binary(self.0)
    }
}

impl Bandwidth {
    /// In decimal units, three digits: `"3.08 GB/s"`.
    pub fn decimal(self) -> String {
        QuantityKind::Bandwidth.format(self.0)
    }

    /// In binary units, three digits: `"2.87 GiB/s"`.
    pub fn binary(self) -> String {
        QuantityKind::Bandwidth.format_binary(self.0)
    }
}

impl Div<Time> for Bytes {
    type Output = Bandwidth;

    fn div(self, time: Time) -> Bandwidth {
        Bandwidth(self.0 / time.0)
    }
}

impl Div<Bandwidth> for Bytes {
    type Output = Time;

    fn div(self, bandwidth: Bandwidth) -> Time {
        Time(self.0 / bandwidth.0)
    }
}

impl Mul<Time> for Bandwidth {
    type Output = Bytes;

    fn mul(self, time: Time) -> Bytes {
        Bytes(self.0 * time.0)
    }
}

impl Mul<Bandwidth> for Time {
    type Output = Bytes;

    fn mul(self, bandwidth: Bandwidth) -> Bytes {
        bandwidth * self
    }
}

/// Writes `text` with the width, fill and alignment of `f`. [`fmt::Formatter::pad`] would truncate it to the
/// precision, which for a quantity is the number of digits.
fn pad(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let missing = f.width().unwrap_or(0).saturating_sub(text.chars().count());
    let before = match f.align() {
        None | Some(fmt::Alignment::Left) => 0,
        Some(fmt::Alignment::Center) => missing / 2,
        Some(fmt::Alignment::Right) => missing,
    };
    let fill = f.fill();
    for _ in 0..before {
        fmt::Write::write_char(f, fill)?;
    }
    f.write_str(text)?;
    for _ in before..missing {
        fmt::Write::write_char(f, fill)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stays_within_the_kind() {
        let mut total = Bytes::new(3.0) + Bytes::new(4.0) - Bytes::new(1.0);
        total += Bytes::new(2.0);
        total -= Bytes::new(4.0);
        assert_eq!(total, Bytes::new(4.0));
        assert_eq!(2.0 * total / 4.0, total * 0.5);
        assert_eq!(total / Bytes::new(8.0), 0.5);
        assert_eq!(
            [Time::new(1.0), Time::new(2.0)].into_iter().sum::<Time>(),
            Time::new(3.0)
        );
        assert_eq!((-Power::new(1.0)).max(Power::ZERO), Power::ZERO);
        assert!(Frequency::new(1.0) < Frequency::new(2.0));
    }

    #[test]
    fn bytes_bandwidth_and_time_divide_into_each_other() {
        let (bytes, bandwidth, time) = (Bytes::new(6e9), Bandwidth::new(3e9), Time::new(2.0));
        assert_eq!(bytes / time, bandwidth);
        assert_eq!(bytes / bandwidth, time);
        assert_eq!(bandwidth * time, bytes);
        assert_eq!(time * bandwidth, bytes);
    }

    #[test]
    fn displays_with_width_and_digits() {
        let bandwidth = Bandwidth::new(3.083_33e9);
        assert_eq!(bandwidth.to_string(), "3.08 GB/s");
        assert_eq!(format!("{bandwidth:.5}"), "3.0833 GB/s");
        assert_eq!(format!("[{bandwidth:>12}]"), "[   3.08 GB/s]");
        assert_eq!(format!("[{bandwidth:12}]"), "[3.08 GB/s   ]");
        assert_eq!(format!("[{bandwidth:*^12.2}]"), "[**3.1 GB/s**]");
        assert_eq!(bandwidth.binary(), "2.87 GiB/s");
        assert_eq!(Bytes::new(34_359_738_368.0).decimal(), "34.4 GB");
        assert_eq!(Bytes::new(34_359_738_368.0).binary(), "32 GiB");
    }
}

//! The units: every valid spelling, and its value in the base unit of its kind.
//!
//! A scale is stored as a power of ten and a factor, so that `25 us` can be parsed as the decimal number
//! `25e-6` and rounded once. Multiplication of 25 by the nearest double to 10^-6 would round twice.

use std::fmt;

use crate::QuantityKind;

/// One unit: a spelling and its scale. `1 unit = 10^power × factor` base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    spelling: &'static str,
    power_of_ten: i32,
    factor: f64,
    role: Role,
}

/// The use of a unit for printing. Every unit can be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A decimal unit that values are scaled to.
    Decimal,
    /// A binary unit, for binary output.
    Binary,
    /// Parsed, never printed.
    Alias,
}

impl Unit {
    /// The spelling, for example `"GiB/s"`.
    pub const fn spelling(&self) -> &'static str {
        self.spelling
    }

    /// The value of one unit in the base unit of its kind, for example 1 073 741 824 for `"GiB/s"`.
    pub fn in_base(&self) -> f64 {
        10f64.powi(self.power_of_ten) * self.factor
    }

    /// The scale in words, in units of `base`: `10^9 bytes/s`.
    pub fn scale_in_words(&self, base: &str) -> String {
        match (self.factor, self.power_of_ten) {
            (1.0, 0) => format!("1 {base}"),
            (1.0, power) => format!("10^{power} {base}"),
            (0.125, power) => format!("10^{power} bit/s; a byte has 8 bits"),
            (factor, 0) if self.role == Role::Binary => format!("2^{} {base}", (factor as u64).ilog2()),
            (factor, _) => format!("{factor} {base}"),
        }
    }

    pub(crate) const fn role(&self) -> Role {
        self.role
    }

    /// The power of ten in the scale; negative for small units such as microseconds.
    pub(crate) const fn power_of_ten(&self) -> i32 {
        self.power_of_ten
    }

    /// The factor of the scale: 1, a power of two, or the seconds in a minute or an hour.
    pub(crate) const fn factor(&self) -> f64 {
        self.factor
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.spelling)
    }
}

const fn decimal(spelling: &'static str, power_of_ten: i32) -> Unit {
    Unit {
        spelling,
        power_of_ten,
        factor: 1.0,
        role: Role::Decimal,
    }
}

const fn binary(spelling: &'static str, power_of_two: u32) -> Unit {
    Unit {
        spelling,
        power_of_ten: 0,
        factor: (1u64 << power_of_two) as f64,
        role: Role::Binary,
    }
}

const fn alias(spelling: &'static str, power_of_ten: i32, factor: f64) -> Unit {
    Unit {
        spelling,
        power_of_ten,
        factor,
        role: Role::Alias,
    }
}

const fn bits(spelling: &'static str, power_of_ten: i32) -> Unit {
    alias(spelling, power_of_ten, 0.125)
}

const BYTES: &[Unit] = &[
    decimal("B", 0),
    decimal("kB", 3),
    decimal("MB", 6),
    decimal("GB", 9),
    decimal("TB", 12),
    decimal("PB", 15),
    binary("KiB", 10),
    binary("MiB", 20),
    binary("GiB", 30),
    binary("TiB", 40),
    binary("PiB", 50),
    alias("byte", 0, 1.0),
    alias("bytes", 0, 1.0),
];

const BANDWIDTH: &[Unit] = &[
    decimal("B/s", 0),
    decimal("kB/s", 3),
    decimal("MB/s", 6),
    decimal("GB/s", 9),
    decimal("TB/s", 12),
    decimal("PB/s", 15),
    binary("KiB/s", 10),
    binary("MiB/s", 20),
    binary("GiB/s", 30),
    binary("TiB/s", 40),
    binary("PiB/s", 50),
    bits("bit/s", 0),
    bits("kbit/s", 3),
    bits("Mbit/s", 6),
    bits("Gbit/s", 9),
    bits("Tbit/s", 12),
];

const TIME: &[Unit] = &[
    decimal("ps", -12),
    decimal("ns", -9),
    decimal("us", -6),
    decimal("ms", -3),
    decimal("s", 0),
    // The micro sign (U+00B5) and the Greek letter mu (U+03BC), since keyboards produce either.
    alias("\u{b5}s", -6, 1.0),
    alias("\u{3bc}s", -6, 1.0),
    alias("min", 0, 60.0),
    alias("h", 0, 3600.0),
];

const FREQUENCY: &[Unit] = &[
    decimal("Hz", 0),
    decimal("kHz", 3),
    decimal("MHz", 6),
    decimal("GHz", 9),
    decimal("THz", 12),
];

const OPERATION_RATE: &[Unit] = &[
    decimal("ops/s", 0),
    decimal("k ops/s", 3),
    decimal("M ops/s", 6),
    decimal("G ops/s", 9),
    alias("kops/s", 3, 1.0),
    alias("Mops/s", 6, 1.0),
    alias("Gops/s", 9, 1.0),
];

const POWER: &[Unit] = &[
    decimal("mW", -3),
    decimal("W", 0),
    decimal("kW", 3),
    decimal("MW", 6),
];

const FRACTION: &[Unit] = &[decimal("%", -2), alias("percent", -2, 1.0)];

/// Every unit of a kind: decimal units in ascending order, then binary ones, then the aliases.
pub(crate) const fn units_of(kind: QuantityKind) -> &'static [Unit] {
    match kind {
        QuantityKind::Bytes => BYTES,
        QuantityKind::Bandwidth => BANDWIDTH,
        QuantityKind::Time => TIME,
        QuantityKind::Frequency => FREQUENCY,
        QuantityKind::OperationRate => OPERATION_RATE,
        QuantityKind::Power => POWER,
        QuantityKind::Fraction => FRACTION,
    }
}

/// The unit of this kind with this exact spelling.
pub(crate) fn find(kind: QuantityKind, spelling: &str) -> Option<&'static Unit> {
    units_of(kind).iter().find(|unit| unit.spelling == spelling)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_belongs_to_one_unit_of_one_kind() {
        let mut spellings: Vec<&str> = QuantityKind::ALL
            .iter()
            .flat_map(|kind| units_of(*kind))
            .map(Unit::spelling)
            .collect();
        let count = spellings.len();
        spellings.sort_unstable();
        spellings.dedup();
        assert_eq!(spellings.len(), count);
    }

    #[test]
    fn ladders_ascend() {
        for kind in QuantityKind::ALL {
            for role in [Role::Decimal, Role::Binary] {
                let ladder: Vec<f64> = units_of(kind)
                    .iter()
                    .filter(|unit| unit.role() == role)
                    .map(Unit::in_base)
                    .collect();
                assert!(ladder.is_sorted_by(|a, b| a < b), "{kind:?} {role:?}: {ladder:?}");
            }
        }
    }
}

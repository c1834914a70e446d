//! Texts of quantities, good and bad, as a user of the crate sees them.

use std::fmt::Write as _;

use bandgraph_units::QuantityKind::{
    self, Bandwidth, Bytes, Fraction, Frequency, OperationRate, Power, Time,
};
use bandgraph_units::{QuantityError, Unit};
use proptest::prelude::*;

#[test]
fn reads_exactly() {
    let cases: &[(QuantityKind, &str, f64)] = &[
        (Bandwidth, "4 GB/s", 4e9),
        (Bandwidth, "1.45 GiB/s", 1.45 * 1_073_741_824.0),
        (Bandwidth, "10 Gbit/s", 1.25e9),
        (Bandwidth, "1 bit/s", 0.125),
        (Bandwidth, "8kbit/s", 1000.0),
        (Bandwidth, "40 Gbit / s", 5e9),
        (Bandwidth, "1e9 B/s", 1e9),
        (Bandwidth, "1E+3 MB/s", 1e9),
        (Bandwidth, "2.5e-1MB/s", 250e3),
        (Bandwidth, "  3.08  GB/s\t", 3.08e9),
        (Bandwidth, "-1 GB/s", -1e9),
        (Bandwidth, "+1 GB/s", 1e9),
        (Bytes, "256 GiB", 274_877_906_944.0),
        (Bytes, "256GB", 256e9),
        (Bytes, "1_000_000 B", 1e6),
        (Bytes, "8 KiB", 8192.0),
        (Bytes, "8 kB", 8000.0),
        (Bytes, "1 PiB", 1_125_899_906_842_624.0),
        (Bytes, "1500 bytes", 1500.0),
        (Bytes, "0 B", 0.0),
        (Bytes, ".5 TB", 0.5e12),
        (Bytes, "0.000e999999999999 B", 0.0),
        (Bytes, "1e-999999999999 B", 0.0),
        (Time, "25 us", 25e-6),
        (Time, "25 \u{b5}s", 25e-6),
        (Time, "25 \u{3bc}s", 25e-6),
        (Time, "1.1 ns", 1.1e-9),
        (Time, "30 min", 1800.0),
        (Time, "2 h", 7200.0),
        (Frequency, "2.6 GHz", 2.6e9),
        (OperationRate, "500000 ops/s", 500e3),
        (OperationRate, "500k ops/s", 500e3),
        (OperationRate, "500 k ops/s", 500e3),
        (OperationRate, "1.2 Mops/s", 1.2e6),
        (Power, "294 W", 294.0),
        (Power, "5 mW", 0.005),
        (Power, "5 MW", 5e6),
        (Fraction, "67 %", 0.67),
        (Fraction, "67%", 0.67),
        (Fraction, "67 percent", 0.67),
    ];
    for (kind, text, expected) in cases {
        assert_eq!(kind.parse(text), Ok(*expected), "{kind:?} {text:?}");
    }
}

#[test]
fn refuses_with_a_place_and_a_reason() {
    let cases: &[(QuantityKind, &str, &str, &str)] = &[
        (
            Bandwidth,
            "4",
            "4",
            "`4` has no unit; write `4 GB/s` (10^9 bytes/s), `4 GiB/s` (2^30 bytes/s) or `4 Gbit/s`",
        ),
        (
            Bytes,
            " 256 ",
            "256",
            "`256` has no unit; write `256 GB` (10^9 bytes) or `256 GiB` (2^30 bytes)",
        ),
        (
            Fraction,
            "0.67",
            "0.67",
            "`0.67` has no unit; write `0.67 %` (100 % is the whole)",
        ),
        (
            Time,
            "1e3",
            "1e3",
            "`1e3` has no unit; write `1e3 s`, `1e3 ms` or `1e3 us`",
        ),
        (
            Bandwidth,
            "25 us",
            "us",
            "`us` is a unit of time, where a bandwidth such as `4 GB/s` belongs",
        ),
        (
            Bandwidth,
            "4 GB",
            "GB",
            "`GB` is a unit of size, where a bandwidth such as `4 GB/s` belongs",
        ),
        (
            OperationRate,
            "5 %",
            "%",
            "`%` is a unit of fraction, where an operation rate such as `500000 ops/s` belongs",
        ),
        (
            Bandwidth,
            "4 Mb/s",
            "Mb/s",
            "unknown unit `Mb/s`; did you mean `Mbit/s` or `MB/s`?",
        ),
        (
            Bandwidth,
            "4 Mbps",
            "Mbps",
            "unknown unit `Mbps`; did you mean `Mbit/s` or `MB/s`?",
        ),
        (
            Bandwidth,
            "4 MBps",
            "MBps",
            "unknown unit `MBps`; did you mean `MB/s`?",
        ),
        (
            Bandwidth,
            "4 Mb",
            "Mb",
            "unknown unit `Mb`; did you mean `Mbit/s` or `MB/s`?",
        ),
        (
            Bandwidth,
            "4 Gbit",
            "Gbit",
            "unknown unit `Gbit`; did you mean `Gbit/s`?",
        ),
        (
            Bandwidth,
            "10GbE",
            "GbE",
            "unknown unit `GbE`; did you mean `Gbit/s`?",
        ),
        (
            Bandwidth,
            "4 gib/s",
            "gib/s",
            "unknown unit `gib/s`; did you mean `GiB/s`?",
        ),
        (
            Bandwidth,
            "4 Gbytes/sec",
            "Gbytes/sec",
            "unknown unit `Gbytes/sec`; did you mean `GB/s`?",
        ),
        (Bandwidth, "4 GT/s", "GT/s", "unknown unit `GT/s`"),
        (Bytes, "4 G", "G", "unknown unit `G`; did you mean `GB` or `GiB`?"),
        (
            Bytes,
            "4 KB",
            "KB",
            "unknown unit `KB`; did you mean `kB` or `KiB`?",
        ),
        (Bytes, "4 furlongs", "furlongs", "unknown unit `furlongs`"),
        (Time, "4 m", "m", "unknown unit `m`; did you mean `ms` or `min`?"),
        (Time, "4 US", "US", "unknown unit `US`; did you mean `us`?"),
        (
            Frequency,
            "2.6 ghz",
            "ghz",
            "unknown unit `ghz`; did you mean `GHz`?",
        ),
        (
            OperationRate,
            "9 IOPS",
            "IOPS",
            "unknown unit `IOPS`; did you mean `ops/s`?",
        ),
        (
            Power,
            "9 watts",
            "watts",
            "unknown unit `watts`; did you mean `W`?",
        ),
        (Bytes, "", "", "empty, where a size such as `256 GiB` belongs"),
        (Bytes, "  ", "  ", "empty, where a size such as `256 GiB` belongs"),
        (
            Bytes,
            "GiB",
            "GiB",
            "`GiB` is not a number; a size is a number and a unit, such as `256 GiB`",
        ),
        (
            Bytes,
            "1,5 GB",
            "1,5",
            "`1,5` is not a number; a size is a number and a unit, such as `256 GiB`",
        ),
        (
            Bytes,
            "1.2.3 GB",
            "1.2.3",
            "`1.2.3` is not a number; a size is a number and a unit, such as `256 GiB`",
        ),
        (
            Bytes,
            "_1 GB",
            "_1",
            "`_1` is not a number; a size is a number and a unit, such as `256 GiB`",
        ),
        (
            Bytes,
            "1_ GB",
            "1_",
            "`1_` is not a number; a size is a number and a unit, such as `256 GiB`",
        ),
        (
            Bytes,
            "- GB",
            "- GB",
            "`- GB` is not a number; a size is a number and a unit, such as `256 GiB`",
        ),
        (
            Power,
            "inf W",
            "inf",
            "`inf` is not a finite number, or too large for a power",
        ),
        (
            Power,
            "-Infinity W",
            "-Infinity",
            "`-Infinity` is not a finite number, or too large for a power",
        ),
        (
            Power,
            "NaN",
            "NaN",
            "`NaN` is not a finite number, or too large for a power",
        ),
        (
            Bytes,
            "1e400 B",
            "1e400",
            "`1e400` is not a finite number, or too large for a size",
        ),
        (
            Bytes,
            "1e308 GB",
            "1e308",
            "`1e308` is not a finite number, or too large for a size",
        ),
    ];
    for (kind, text, place, message) in cases {
        let error = kind.parse(text).expect_err(text);
        assert_eq!(error.to_string(), *message, "{kind:?} {text:?}");
        assert_eq!(&text[error.range()], *place, "{kind:?} {text:?}");
        assert_eq!(error.expected(), *kind);
    }
}

#[test]
fn long_texts_are_not_repeated_whole() {
    let error = Bytes
        .parse(&"9".repeat(100_000))
        .expect_err("a number of 100 000 digits is not finite");
    assert!(error.to_string().len() < 200, "{error}");
    let error = Bytes
        .parse(&format!("1 {}", "\u{e9}".repeat(100_000)))
        .expect_err("no such unit");
    assert!(error.to_string().len() < 200, "{error}");
    let error = Bytes.parse("1 a\nb").expect_err("no such unit");
    assert_eq!(error.to_string(), "unknown unit `a b`");
}

#[test]
fn help_lists_the_units() {
    let error = Power.parse("1 hp").expect_err("horses are not modelled");
    assert_eq!(error.help(), "units of power: mW, W, kW, MW");
}

/// Every suggestion is a valid unit.
#[test]
fn suggestions_are_accepted() {
    let mut suggested = 0;
    for kind in QuantityKind::ALL {
        for written in [
            "k",
            "m",
            "g",
            "gb",
            "Kb/s",
            "mbps",
            "TIB",
            "iops",
            "sec",
            "Watts",
            "pct",
            "b",
            "kilohertz",
            "M",
        ] {
            let Err(QuantityError::UnknownUnit {
                suggestion: Some(suggestion),
                ..
            }) = kind.parse(&format!("1 {written}"))
            else {
                continue;
            };
            for unit in suggestion.split(" or ") {
                assert!(
                    kind.parse(&format!("1 {}", unit.trim_matches('`'))).is_ok(),
                    "{kind:?} {written} {unit}"
                );
                suggested += 1;
            }
        }
    }
    assert!(suggested > 20, "only {suggested}");
}

fn any_kind() -> impl Strategy<Value = QuantityKind> {
    prop::sample::select(QuantityKind::ALL.to_vec())
}

fn any_unit() -> impl Strategy<Value = (QuantityKind, Unit)> {
    any_kind().prop_flat_map(|kind| (Just(kind), prop::sample::select(kind.units().to_vec())))
}

proptest! {
    #[test]
    fn no_text_panics_and_every_range_is_inside(kind in any_kind(), text in "\\PC*") {
        if let Err(error) = kind.parse(&text) {
            prop_assert!(text.get(error.range()).is_some());
            let mut printed = String::new();
            write!(printed, "{error} {}", error.help())?;
            prop_assert!(!printed.is_empty());
        }
    }

    #[test]
    fn nearly_quantities_do_not_panic(kind in any_kind(), text in "[-+]?[0-9_.,eE]{0,6}[-+ ]?[0-9]{0,4}[ \u{b5}kKmMgGiIbB/spP%]{0,5}") {
        if let Err(error) = kind.parse(&text) {
            prop_assert!(text.get(error.range()).is_some());
        }
    }

    #[test]
    fn numbers_are_read_in_every_unit((kind, unit) in any_unit(), number in -1e12..1e12f64, space in " {0,2}") {
        let value = kind.parse(&format!("{number}{space}{unit}")).expect("a number and a unit");
        let expected = number * unit.in_base();
        prop_assert!((value - expected).abs() <= expected.abs() * 4.0 * f64::EPSILON, "{value} {expected}");
    }

    #[test]
    fn integers_of_decimal_units_are_exact(kind in any_kind(), number in 0..1_000_000u32) {
        for unit in kind.units().iter().filter(|unit| unit.in_base() >= 1.0) {
            let value = kind.parse(&format!("{number} {unit}"));
            prop_assert_eq!(value, Ok(f64::from(number) * unit.in_base()));
        }
    }

    #[test]
    fn what_is_printed_is_read_back(kind in any_kind(), mantissa in -10.0..10.0f64, exponent in -20..25i32) {
        let value = mantissa * 10f64.powi(exponent);
        for (text, digits) in [(kind.format(value), 3), (kind.format_binary(value), 3), (kind.format_digits(value, 9), 9)] {
            let read = kind.parse(&text).expect("printed text is readable");
            // Half a unit in the last printed digit, at worst 5 in the digit after a leading 1.
            let tolerance = value.abs() * 0.500_001 * 10f64.powi(1 - digits);
            prop_assert!((read - value).abs() <= tolerance, "{} {} {}", value, text, read);
        }
    }

    #[test]
    fn seventeen_digits_are_read_back_to_the_last_bits(kind in any_kind(), value in 1e-12..1e18f64) {
        let read = kind.parse(&kind.format_digits(value, 17)).expect("printed text is readable");
        prop_assert!((read - value).abs() <= value * 2.0 * f64::EPSILON, "{} {}", value, read);
    }
}

//! Memory controllers.
//!
//! A channel is 64 bits wide and moves 8 bytes a transfer, so its peak rate is transfers per second × 8
//! (JEDEC DDR standards). A controller with several channels spreads lines over them. What it sustains under
//! mixed reads and writes is a share of that peak ([`MemoryPart::sustainable`]).

use bandgraph_units::{Bandwidth, Time};
use thiserror::Error;

use crate::parts::MemoryPart;

/// Bytes of one transfer on a channel.
pub const CHANNEL_BYTES: f64 = 8.0;

/// Peak rate of a channel at so many million transfers a second: 5.336 GB/s for DDR2-667 at 667.
///
/// The true rates of grades such as 667 are thirds (666.67 million); [`channel_rate`] takes the exact figure.
pub const fn channel_rate(million_transfers: f64) -> Bandwidth {
    Bandwidth::new(million_transfers * 1e6 * CHANNEL_BYTES)
}

/// Peak bandwidth of a controller.
pub fn controller_capacity(part: &MemoryPart, channels: u32) -> Bandwidth {
    part.transfer_rate * f64::from(channels)
}

/// Bandwidth that a controller sustains.
pub fn controller_sustained(part: &MemoryPart, channels: u32) -> Bandwidth {
    controller_capacity(part, channels) * part.sustainable.get()
}

/// The latency of a memory read by utilisation, as it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyCurve {
    /// Utilisation of the peak rate and latency, utilisation rising; at least one.
    points: Vec<(f64, Time)>,
}

/// Why a text is no latency curve.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LatencyCurveError {
    /// A point that is not two numbers with a colon between them.
    #[error("`{0}` is no point of a latency curve: write utilisation and nanoseconds, as `0.5:95`")]
    Point(String),
    /// Utilisation outside of 0 to 1, or latency that is not positive.
    #[error("`{0}` is out of range: utilisation is 0 to 1, and latency above 0 ns")]
    Range(String),
    /// Utilisation that does not rise from point to point, or more points than 1000.
    #[error("the points of a latency curve are in rising order of utilisation, at most 1000 of them")]
    Order,
}

impl LatencyCurve {
    /// Reads a curve: points of utilisation and nanoseconds, such as `"0:80 0.5:95 0.75:160"`. `None` for a
    /// text with no point in it.
    ///
    /// # Errors
    ///
    /// The first point that is wrong.
    pub fn parse(text: &str) -> Result<Option<Self>, LatencyCurveError> {
        let mut points: Vec<(f64, Time)> = Vec::new();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let number = |text: &str| text.parse::<f64>().ok();
            let point = word
                .split_once(':')
                .and_then(|(u, ns)| Some((number(u)?, number(ns)?)));
            let (utilisation, nanoseconds) =
                point.ok_or_else(|| LatencyCurveError::Point(word.to_owned()))?;
            if !(0.0..=1.0).contains(&utilisation) || !(f64::MIN_POSITIVE..=1e9).contains(&nanoseconds) {
                return Err(LatencyCurveError::Range(word.to_owned()));
            }
            if points.last().is_some_and(|&(last, _)| last >= utilisation) || points.len() == 1000 {
                return Err(LatencyCurveError::Order);
            }
            points.push((utilisation, Time::new(nanoseconds * 1e-9)));
        }
        Ok((!points.is_empty()).then_some(Self { points }))
    }

    /// The latency at a utilisation: on the line between two points, and that of the nearest point outside of
    /// them.
    pub fn latency(&self, utilisation: f64) -> Time {
        let above = self.points.partition_point(|&(at, _)| at <= utilisation);
        let (Some(&(low, shorter)), Some(&(high, longer))) =
            (self.points.get(above.wrapping_sub(1)), self.points.get(above))
        else {
            return self.points[above.min(self.points.len() - 1)].1;
        };
        shorter + (longer - shorter) * ((utilisation - low) / (high - low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    /// Published peak rates: PC2-5300 is 5.333 GB/s, PC2-6400 6.4, PC3-10600 10.667, PC4-25600 25.6,
    /// PC5-38400 38.4.
    #[test]
    fn module_grades_have_their_published_rates() {
        for (name, gigabytes) in [
            ("ddr2-667", 5.333),
            ("ddr2-800", 6.4),
            ("ddr3-1066", 8.533),
            ("ddr3-1333", 10.667),
            ("ddr4-2666", 21.333),
            ("ddr4-3200", 25.6),
            ("ddr5-4800", 38.4),
        ] {
            let part = catalogue().memory(name).expect("it is in the catalogue");
            let rate = part.transfer_rate.get() / 1e9;
            assert!((rate - gigabytes).abs() < 0.001, "{name}: {rate}");
        }
    }

    #[test]
    fn channels_add_up() {
        let part = catalogue().memory("ddr2-667").expect("it is in the catalogue");
        let peak = controller_capacity(part, 2);
        assert!((peak.get() - 10.667e9).abs() < 1e6);
        assert_eq!(
            controller_sustained(part, 2).get(),
            peak.get() * part.sustainable.get()
        );
    }

    #[test]
    fn curves_are_read_between_their_points() {
        let curve = LatencyCurve::parse("0:80 0.5:100, 0.75:200")
            .expect("sound")
            .expect("not empty");
        for (utilisation, nanoseconds) in [
            (-1.0, 80.0),
            (0.0, 80.0),
            (0.25, 90.0),
            (0.5, 100.0),
            (0.625, 150.0),
            (0.75, 200.0),
            (1.0, 200.0),
        ] {
            let found = curve.latency(utilisation).get() * 1e9;
            assert!((found - nanoseconds).abs() < 1e-6, "{utilisation}: {found}");
        }
        assert_eq!(LatencyCurve::parse(" "), Ok(None));
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        for text in [
            "80",
            "0.5",
            "a:b",
            "0:80 0.5",
            "2:80",
            "0:-1",
            "0:0",
            "0:NaN",
            "0.5:80 0.5:90",
            "0.5:80 0.2:90",
        ] {
            assert!(LatencyCurve::parse(text).is_err(), "{text}");
        }
    }
}

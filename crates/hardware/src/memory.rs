//! Memory controllers.
//!
//! A channel is 64 bits wide and moves 8 bytes per transfer, so that its peak rate is transfers per second ×
//! 8 (JEDEC DDR standards). A controller with several channels distributes lines over them. Its sustained
//! rate of pure reads is a share of the peak ([`MemoryPart::sustainable`]), and writes cost more than reads
//! ([`write_weight`]): on DRAM because the bus turns around, on persistent memory because its media take
//! longer.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;

use bandgraph_config::parsed_text;
use bandgraph_units::Bandwidth;
use thiserror::Error;

use crate::parts::{MemoryPart, SocketPart};

/// The least share that writes reach of the rate of reads: no module is near.
const LEAST_WRITE_SHARE: f64 = 0.01;

/// Peak bandwidth of a controller.
pub fn controller_capacity(part: &MemoryPart, channels: u32) -> Bandwidth {
    part.transfer_rate * f64::from(channels)
}

/// Share of its peak bandwidth that a controller sustains for pure reads.
pub fn sustained_share(part: &MemoryPart, socket: &SocketPart) -> f64 {
    part.sustainable.get() * socket.controller_share.get()
}

/// The cost of a written byte for a memory controller, in read bytes: 1 if writes cost no more.
///
/// Modules that write slower than they read (`write_share`, *s*) take 1 / *s* times as long for a byte. With
/// others, the processor counts: with one write per read its controller reaches `mixed_memory` of its rate of
/// pure reads, so that (1 + w) / 2 = 1 / `mixed_memory`.
pub fn write_weight(part: &MemoryPart, socket: &SocketPart) -> f64 {
    let share = part.write_share.get();
    if share > 0.0 {
        1.0 / share.max(LEAST_WRITE_SHARE)
    } else {
        2.0 / socket.mixed_memory.get() - 1.0
    }
}

/// Share of its peak bandwidth that a controller sustains for these bytes of reads and writes, in a common
/// unit.
pub fn sustained_share_of_mix(part: &MemoryPart, socket: &SocketPart, reads: f64, writes: f64) -> f64 {
    let weighted = reads + writes * write_weight(part, socket);
    let relative = if weighted > 0.0 {
        (reads + writes) / weighted
    } else {
        1.0
    };
    sustained_share(part, socket) * relative
}

/// A figure by utilisation, 0 to 1: the latency of a memory read in nanoseconds, or a factor. Copies share
/// their points.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyCurve {
    /// Pairs of utilisation and figure, in ascending order.
    points: Arc<[(f64, f64)]>,
}

/// Why a text is not a latency curve.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LatencyCurveError {
    /// A point that is not two numbers with a colon between them.
    #[error("`{0}` is no point of a curve")]
    Point(String),
    /// Utilisation outside of 0 to 1, or latency that is not positive.
    #[error("`{0}` is out of range: utilisation is 0 to 1, and the number after it above 0")]
    Range(String),
    /// Utilisations that are not ascending, or more points than 1000.
    #[error("the points of a curve are in rising order of utilisation, at most 1000 of them")]
    Order,
}

impl FromStr for LatencyCurve {
    type Err = LatencyCurveError;

    /// Points of utilisation and figure, such as `"0:80 0.5:95 0.75:160"`; none in an empty text.
    fn from_str(text: &str) -> Result<Self, LatencyCurveError> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let number = |text: &str| text.parse::<f64>().ok();
            let point = word
                .split_once(':')
                .and_then(|(u, figure)| Some((number(u)?, number(figure)?)));
            let (utilisation, figure) = point.ok_or_else(|| LatencyCurveError::Point(word.to_owned()))?;
            if !(0.0..=1.0).contains(&utilisation) || !(f64::MIN_POSITIVE..=1e9).contains(&figure) {
                return Err(LatencyCurveError::Range(word.to_owned()));
            }
            if points.last().is_some_and(|&(last, _)| last >= utilisation) || points.len() == 1000 {
                return Err(LatencyCurveError::Order);
            }
            points.push((utilisation, figure));
        }
        Ok(Self {
            points: points.into(),
        })
    }
}

impl Display for LatencyCurve {
    /// Prints the notation that `from_str` reads.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = self.points.iter();
        let words: Vec<String> = words.map(|(at, figure)| format!("{at}:{figure}")).collect();
        f.pad(&words.join(" "))
    }
}

impl LatencyCurve {
    /// The figure at a utilisation: linear interpolation between two points, constant outside. `None` without
    /// points.
    pub fn at(&self, utilisation: f64) -> Option<f64> {
        let above = self.points.partition_point(|&(at, _)| at <= utilisation);
        let (Some(&(low, less)), Some(&(high, more))) =
            (self.points.get(above.wrapping_sub(1)), self.points.get(above))
        else {
            let (_, figure) = self.points.get(above).or(self.points.last())?;
            return Some(*figure);
        };
        Some(less + (more - less) * ((utilisation - low) / (high - low)))
    }
}

parsed_text! {
    LatencyCurve {
        id: "value::out_of_range",
        help: "write points of utilisation and number, such as \"0:80 0.5:95 0.75:160\"",
        takes: "points of a curve, `\"0:80 0.5:95 0.75:160\"`",
        pattern: None,
        placeholder: Self { points: Arc::new([]) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::part::Part;

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

    /// Published for a module of 256 GB: 6.6 GB/s of reads alone, 2.3 GB/s of writes alone (Izraelevitz and
    /// others, 2019). By hand, in turn: two reads for a write take 2 / 6.6 + 1 / 2.3 s for 3 GB, 4.1 GB/s.
    #[test]
    fn optane_has_separate_rates_of_reads_and_writes() {
        let parts = catalogue();
        let module = parts.memory("optane-dcpmm-100-256gb").expect("in the catalogue");
        let socket = parts.socket("xeon-8280").expect("in the catalogue");
        let rate = |reads, writes| {
            module.transfer_rate.get() * sustained_share_of_mix(module, socket, reads, writes) / 1e9
        };
        for (reads, writes, expected) in [
            (1.0, 0.0, 6.6),
            (0.0, 1.0, 2.3),
            (2.0, 1.0, 4.06),
            (1.0, 1.0, 3.41),
        ] {
            let rate: f64 = rate(reads, writes);
            assert!(
                (rate - expected).abs() < 0.02 * expected,
                "{reads}:{writes}: {rate}"
            );
        }
    }

    #[test]
    fn channels_add_up() {
        let part = catalogue().memory("ddr2-667").expect("it is in the catalogue");
        let peak = controller_capacity(part, 2);
        assert!((peak.get() - 10.667e9).abs() < 1e6);
    }

    /// Published: two sockets with 8 channels of DDR4-3200 read 352.5 of 409.6 GB/s, and move 293.3 GB/s with
    /// one write per read (Intel); 280.9 and 263.8 (AMD). On Opterons with DDR400, pure writes reach 4.5 to
    /// 4.8 of 6.4 GB/s. Stream reaches about 37 of 64 GB/s on two X5570, with one write per two reads: 58 %.
    #[test]
    fn controllers_sustain_what_was_measured_by_mix() {
        for (socket, memory, reads, mixed) in [
            ("epyc-7h12", "ddr4-3200", 0.686, 0.644),
            ("opteron-8356", "ddr2-667", 0.85, 0.72),
            ("xeon-e5-2697-v2", "ddr3-1333", 0.92, 0.727),
            ("xeon-x5570", "ddr3-1333", 0.644, 0.528),
        ] {
            let socket = catalogue().socket(socket).expect("in the catalogue");
            let memory = catalogue().memory(memory).expect("in the catalogue");
            let alone = sustained_share_of_mix(memory, socket, 1.0, 0.0);
            let one_a_read = sustained_share_of_mix(memory, socket, 2.0, 2.0);
            assert!((alone / reads - 1.0).abs() < 0.03, "{}: {alone}", socket.name);
            assert!(
                (one_a_read / mixed - 1.0).abs() < 0.03,
                "{}: {one_a_read}",
                socket.name
            );
        }
    }

    /// The rule of the curves: 1.25 to 1.6 times the idle latency at 70 % of the sustained rate, 1.5 to 2.5
    /// at 90 %, 1.8 to 3.8 at 100 %.
    #[test]
    fn loaded_latencies_of_the_catalogue_follow_the_measured_curves() {
        let mut memories = 0;
        for part in catalogue().iter() {
            let Some(memory) = catalogue().memory(part.name()) else {
                continue;
            };
            let factor = |load: f64| memory.latency_shape.at(load).expect("it has points");
            assert!((factor(0.0) - 1.0).abs() < 1e-9);
            assert!((1.25..=1.6).contains(&factor(0.7)));
            assert!((1.5..=2.5).contains(&factor(0.9)));
            assert!((1.8..=3.8).contains(&factor(1.0)));
            memories += 1;
        }
        assert!(memories >= 8);
    }

    #[test]
    fn curves_are_read_between_their_points() {
        let curve: LatencyCurve = "0:80 0.5:100, 0.75:200".parse().expect("sound");
        assert_eq!(curve.to_string(), "0:80 0.5:100 0.75:200");
        for (utilisation, nanoseconds) in [
            (-1.0, 80.0),
            (0.0, 80.0),
            (0.25, 90.0),
            (0.5, 100.0),
            (0.625, 150.0),
            (0.75, 200.0),
            (1.0, 200.0),
        ] {
            let found = curve.at(utilisation).expect("it has points");
            assert!((found - nanoseconds).abs() < 1e-6, "{utilisation}: {found}");
        }
        let empty: LatencyCurve = " ".parse().expect("sound");
        assert_eq!(empty.at(0.5), None);
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
            assert!(text.parse::<LatencyCurve>().is_err(), "{text}");
        }
    }

    /// Read latencies by Intel Memory Latency Checker on nine two-socket Xeons, in nanoseconds: idle, and at
    /// 25, 50, 70, 80, 90, 95 and 100 % of the highest bandwidth.
    #[test]
    fn latency_under_load_follows_the_published_curves() {
        const LOADS: [f64; 7] = [0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0];
        let machines = [
            (89.0, [97.0, 104.0, 113.0, 118.0, 131.0, 146.0, 200.0]),
            (98.0, [103.0, 111.0, 122.0, 156.0, 190.0, 210.0, 293.0]),
            (89.0, [99.0, 115.0, 128.0, 164.0, 227.0, 258.0, 340.0]),
            (81.0, [93.0, 101.0, 118.0, 147.0, 189.0, 209.0, 283.0]),
            (92.0, [102.0, 115.0, 125.0, 133.0, 152.0, 162.0, 178.0]),
            (88.0, [98.0, 106.0, 117.0, 123.0, 137.0, 144.0, 156.0]),
            (80.0, [87.0, 98.0, 114.0, 125.0, 165.0, 215.0, 264.0]),
            (91.0, [99.0, 111.0, 134.0, 146.0, 171.0, 200.0, 268.0]),
            (95.0, [103.0, 123.0, 149.0, 164.0, 197.0, 220.0, 268.0]),
        ];
        let shape = &catalogue()
            .memory("ddr4-3200")
            .expect("it is there")
            .latency_shape;
        for (place, load) in LOADS.into_iter().enumerate() {
            let error = |&(idle, measured): &(f64, [f64; 7])| {
                (idle * shape.at(load).expect("it has points") / measured[place] - 1.0).abs()
            };
            let mean = machines.iter().map(error).sum::<f64>() / machines.len() as f64;
            let worst = machines.iter().map(error).fold(0.0, f64::max);
            assert!(mean < if load < 0.85 { 0.1 } else { 0.25 }, "{load}: {mean}");
            assert!(worst < if load < 0.85 { 0.2 } else { 0.7 }, "{load}: {worst}");
        }
    }
}

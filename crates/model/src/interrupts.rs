//! Interrupt moderation of network ports, and its savings.

use crate::packets::{PacketCosts, PacketWork, PortUse};
use crate::placement::Placement;

/// Share of a port's interrupts below which savings are ignored.
const NEGLIGIBLE: f64 = 1e-3;

impl PortUse {
    /// The moderation of the port, on a machine with a number of cores; `None` if the savings are negligible
    /// even if operations with `announced` interrupts each saturate both directions.
    pub(crate) fn moderation(&self, announced: f64, cores: f64) -> Option<Moderation> {
        let moderation = Moderation {
            interval: self.interrupt_interval,
            vectors: self.interrupt_vectors.min(self.connections).min(cores).max(1.0),
            waits: self.interrupt_frames > 0.0,
        };
        let most = 2.0 * announced / self.wire_seconds;
        (self.interrupt_interval > 0.0 && moderation.kept(most) < 1.0 - NEGLIGIBLE).then_some(moderation)
    }
}

/// The interrupts of a port with a minimum interval, for random arrivals.
///
/// A port that keeps an interval *T* between interrupts raises one at once for an event after a longer gap:
/// with *r* events/s, the mean time between interrupts is *T* + e^(−rT) / r, where the second term is the
/// time without events. A port whose timer starts with the first frame waits for that, and then *T*: 1 / r +
/// *T*. Each vector of a port is independent, with an equal part of the events. Not modelled: a core that
/// polls because more events arrive during its work disables interrupts, and drivers adapt *T*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moderation {
    interval: f64,
    vectors: f64,
    waits: bool,
}

impl Moderation {
    /// The share of interrupts that are raised, for `events` per second of isolated operations.
    pub fn kept(&self, events: f64) -> f64 {
        let met = events / self.vectors * self.interval;
        1.0 / (met + if self.waits { 1.0 } else { libm::exp(-met) })
    }
}

/// The work of an operation for interrupts, if it is isolated.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptWork {
    /// Index of the port.
    pub port: usize,
    /// Number of interrupts.
    pub announced: f64,
    /// Minimum number of interrupts, due to the limit of frames.
    pub least: f64,
    /// Instructions of all of them on each socket, as assigned.
    pub dealt: Vec<f64>,
    /// Instructions that any core may take.
    pub free: f64,
}

impl InterruptWork {
    /// The interrupt work of an operation from the frames that a port receives; `None` if it costs nothing.
    pub(crate) fn new(
        costs: &PacketCosts,
        work: &PacketWork,
        (index, port): (usize, &PortUse),
        frames: f64,
        placement: &Placement,
    ) -> Option<Self> {
        let instructions = costs.instructions_per_interrupt * work.interrupts;
        (instructions > 0.0).then(|| Self {
            port: index,
            announced: work.interrupts,
            least: port.interrupts_by_count(frames).min(work.interrupts),
            dealt: placement.cores.iter().map(|share| share * instructions).collect(),
            free: placement.free * instructions,
        })
    }

    /// The share of the operation's interrupts that is saved if the port raises the share `kept` of all.
    pub fn saved(&self, kept: f64) -> f64 {
        (1.0 - kept.max(self.least / self.announced)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a count of random events on one vector, for both kinds of timer.
    #[test]
    fn a_port_raises_as_many_interrupts_as_a_count_of_random_events() {
        let (interval, mut state) = (25e-6, 1_u64);
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        for (rate, waits) in [1e3, 2e4, 4e4, 2e5, 2e6]
            .into_iter()
            .flat_map(|rate| [(rate, false), (rate, true)])
        {
            let (mut now, mut due, mut free, mut raised) = (0.0, f64::NEG_INFINITY, 0.0_f64, 0_u32);
            let events = 200_000;
            for _ in 0..events {
                now -= libm::log(uniform()) / rate;
                // Earlier events share the interrupt.
                if now > due {
                    due = if waits { now + interval } else { free.max(now) };
                    free = due + interval;
                    raised += 1;
                }
            }
            let moderation = Moderation {
                interval,
                vectors: 1.0,
                waits,
            };
            let counted = f64::from(raised) / f64::from(events);
            let kept = moderation.kept(rate);
            assert!(
                (kept / counted - 1.0).abs() < 0.02,
                "{rate} {waits}: {kept}, counted {counted}"
            );
        }
    }

    /// At any rate of operations, a port raises at most one interrupt per interval and vector, and at least
    /// the number due to its limit of frames.
    #[test]
    fn a_busy_port_has_a_most_of_interrupts() {
        let port = PortUse {
            interrupt_interval: 20e-6,
            interrupt_frames: 0.0,
            interrupt_vectors: 8.0,
            connections: 100.0,
            wire_seconds: 1e-6,
            ..PortUse::default()
        };
        let moderation = port.moderation(1.0, 64.0).expect("it saves much");
        let raised = |rate| rate * moderation.kept(rate);
        assert!((raised(1e3) / 1e3 - 1.0).abs() < 1e-4);
        assert!((raised(1e9) / 400e3 - 1.0).abs() < 1e-6);
        // Few connections, or few cores, use few of its vectors.
        let few = PortUse {
            connections: 2.0,
            ..port
        };
        let few = few.moderation(1.0, 64.0).expect("it saves more");
        assert!((few.kept(1e9) * 1e9 / 100e3 - 1.0).abs() < 1e-6);
        // With long operations there are no savings.
        let slow = PortUse {
            wire_seconds: 1.0,
            ..port
        };
        assert_eq!(slow.moderation(1.0, 64.0), None);
        let work = InterruptWork {
            port: 0,
            announced: 4.0,
            least: 1.0,
            dealt: vec![4000.0],
            free: 4000.0,
        };
        assert_eq!(
            (work.saved(1.0), work.saved(0.5), work.saved(0.0)),
            (0.0, 0.5, 0.75)
        );
    }
}

//! How network ports moderate their interrupts, and what that saves.

use crate::packets::{PacketCosts, PacketWork, PortUse};
use crate::placement::Placement;

/// The share of a port's interrupts below which what it saves is not looked for.
const NEGLIGIBLE: f64 = 1e-3;

impl PortUse {
    /// How the port moderates its interrupts, on a machine with a number of cores; `None` where it saves none
    /// worth counting even if operations that each announce themselves this often fill both directions.
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

/// How a port with a least time between its interrupts announces what comes at random.
///
/// One that keeps a time *T* from one interrupt to the next announces at once what comes later than that: with
/// *r* events a second, the mean time from one interrupt to the next is *T* + e^(−rT) / r, the second term for
/// the times in which nothing has come. One that starts its clock with the first frame waits for that, and
/// then *T*: 1 / r + *T*. Every vector of a port does so on its own, with an even part of the events. What is
/// left out: a core that polls because more comes while it works has interrupts off, and drivers adapt *T*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moderation {
    interval: f64,
    vectors: f64,
    waits: bool,
}

impl Moderation {
    /// The share of the interrupts that are raised, of those a second that lone operations would have.
    pub fn kept(&self, events: f64) -> f64 {
        let met = events / self.vectors * self.interval;
        1.0 / (met + if self.waits { 1.0 } else { libm::exp(-met) })
    }
}

/// The part of an operation's work that is interrupts of a lone one.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptWork {
    /// The port, as an index.
    pub port: usize,
    /// How many there are.
    pub announced: f64,
    /// How many of them there are in any case, by the number of frames.
    pub least: f64,
    /// Instructions of all of them on each socket, as they are dealt.
    pub dealt: Vec<f64>,
    /// Instructions of those that any core may take.
    pub free: f64,
}

impl InterruptWork {
    /// That of an operation by the frames in which a port receives it; `None` if it costs nothing.
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

    /// The share of them that is saved where the port raises this share of all of its.
    pub fn saved(&self, kept: f64) -> f64 {
        (1.0 - kept.max(self.least / self.announced)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against counting: events at random, one vector, either kind of clock.
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
                // What has come before it is due is announced with it.
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

    /// However many operations come, a port raises no more than one interrupt an interval and vector; and no
    /// fewer than its count of frames asks for.
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
        // Long operations leave nothing to save.
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

//! Cycles that work costs, with the stalls for memory in them.
//!
//! An instruction costs `base_cpi` cycles if it finds its data in a cache. One that misses stalls the core for the
//! latency of the miss, shared among the misses that the core has under way at the same time:
//!
//! ```text
//! CPI = base CPI + misses per instruction × latency × clock ÷ misses in flight
//! ```
//!
//! This is the usual decomposition of CPI (Hennessy and Patterson, *Computer Architecture: A Quantitative Approach*,
//! chapter on memory hierarchy; overlap as in Chou, Fahs and Abraham, "Microarchitecture optimizations for exploiting
//! memory-level parallelism", ISCA 2004). The latency is the *loaded* one, so CPI is a result: it rises with the
//! utilisation of the links that misses cross, and a faster clock buys nothing while stalls dominate.

use bandgraph_units::{Frequency, Time};

use crate::parts::SocketPart;

/// Work for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Instructions.
    pub instructions: f64,
    /// Lines that these instructions must fetch from memory.
    pub misses: f64,
}

/// What work costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cycles {
    /// Cycles in which instructions execute.
    pub executing: f64,
    /// Cycles in which a core waits for memory.
    pub stalled: f64,
}

impl Cycles {
    /// All cycles.
    pub fn total(self) -> f64 {
        self.executing + self.stalled
    }

    /// Share of the cycles that wait for memory; zero if there are none.
    pub fn stalled_share(self) -> f64 {
        if self.total() > 0.0 {
            self.stalled / self.total()
        } else {
            0.0
        }
    }

    /// Cycles per instruction, for so many instructions; zero if there are none.
    pub fn per_instruction(self, instructions: f64) -> f64 {
        if instructions > 0.0 {
            self.total() / instructions
        } else {
            0.0
        }
    }
}

/// Cycles that `work` takes on a core of `socket` when a miss takes `latency` on average.
pub fn cycles(work: Work, latency: Time, socket: &SocketPart) -> Cycles {
    Cycles {
        executing: work.instructions * socket.base_cpi,
        stalled: work.misses * stall_cycles(latency, socket.clock, socket.misses_in_flight),
    }
}

/// Cycles that one miss stalls a core.
pub fn stall_cycles(latency: Time, clock: Frequency, misses_in_flight: f64) -> f64 {
    latency.get() * clock.get() / misses_in_flight
}

/// Cycles per instruction on a core of `socket` with so many misses per instruction of that latency.
pub fn cpi(misses_per_instruction: f64, latency: Time, socket: &SocketPart) -> f64 {
    socket.base_cpi + misses_per_instruction * stall_cycles(latency, socket.clock, socket.misses_in_flight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn socket(name: &str) -> SocketPart {
        catalogue().socket(name).expect("it is in the catalogue").clone()
    }

    /// The worked check of facts.md: 5 % of instructions miss, a miss stalls for about 90 ns (206 cycles), CPI is 11.7.
    #[test]
    fn barcelona_reaches_the_published_cpi_at_a_stall_of_90_ns() {
        let barcelona = socket("opteron-8356");
        let latency = Time::new(90e-9 * barcelona.misses_in_flight);
        let stall = stall_cycles(latency, barcelona.clock, barcelona.misses_in_flight);
        assert!((stall - 206.0).abs() < 2.0, "{stall}");
        let cpi = cpi(0.05, latency, &barcelona);
        assert!((cpi - 11.7).abs() < 0.1, "{cpi}");
    }

    #[test]
    fn cycles_and_cpi_are_the_same_account() {
        let istanbul = socket("opteron-8435");
        let (work, latency) = (
            Work {
                instructions: 20e3,
                misses: 600.0,
            },
            Time::new(150e-9),
        );
        let cycles = cycles(work, latency, &istanbul);
        let cpi = cpi(0.03, latency, &istanbul);
        assert!((cycles.per_instruction(work.instructions) - cpi).abs() < 1e-9);
        assert!((cycles.stalled_share() - (1.0 - istanbul.base_cpi / cpi)).abs() < 1e-9);
        assert_eq!(Cycles::default().stalled_share(), 0.0);
        assert_eq!(Cycles::default().per_instruction(0.0), 0.0);
    }

    /// Faster CPUs on the same links gave nothing (story 1 of facts.md): doubling the clock of a core that stalls nine
    /// cycles in ten saves one twentieth of the time.
    #[test]
    fn a_faster_clock_does_not_shorten_stalls() {
        let slow = socket("opteron-8356");
        let fast = SocketPart {
            clock: slow.clock * 2.0,
            ..slow.clone()
        };
        let seconds = |socket: &SocketPart| cpi(0.05, Time::new(180e-9), socket) / socket.clock.get();
        let gain = 1.0 - seconds(&fast) / seconds(&slow);
        let executing = slow.base_cpi / cpi(0.05, Time::new(180e-9), &slow);
        assert!((gain - executing / 2.0).abs() < 1e-9);
        assert!(gain < 0.07, "{gain}");
    }
}

//! CPU cycles of work, including memory stalls.
//!
//! An instruction takes `base_cpi` cycles if its data is in a cache. A cache miss stalls the core for its
//! latency, divided by the number of concurrent misses: as many as the code allows (its *overlap*: a copy
//! runs ahead, a search of a list does not), limited to the misses in flight that the core supports:
//!
//! ```text
//! CPI = base CPI + misses per instruction ÷ min(overlap, misses in flight) × latency × clock
//! ```
//!
//! This is the usual decomposition of CPI (Hennessy and Patterson, *Computer Architecture: A Quantitative
//! Approach*, chapter on memory hierarchy; overlap as in Chou, Fahs and Abraham, "Microarchitecture
//! optimizations for exploiting memory-level parallelism", ISCA 2004). The latency is the *loaded* one, so
//! that CPI is a result: it rises with the utilisation of the links that misses cross, and a faster clock
//! gains nothing while stalls dominate.
//!
//! If `t` threads share a core, the others work while one waits: the core stalls for a `t`-th of each wait,
//! and executes for the same time as before (Tullsen, Eggers and Levy, "Simultaneous multithreading", ISCA
//! 1995, in the limit without contention for functional units). The threads of a core share its misses in
//! flight; one alone does not reach all of them on Xeons from Sandy Bridge to Cascade Lake.
//!
//! Not modelled: a single thread waits for all of its misses, although its core could do other work.

use bandgraph_units::Time;

use crate::parts::SocketPart;

/// Work for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Instructions.
    pub instructions: f64,
    /// Serialised misses: [`serial_misses`] and [`streamed_misses`] of the misses of the instructions.
    pub serial_misses: f64,
}

/// The cycles of work.
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
}

/// The number of serialised misses on a core of `socket`, given the misses of code that overlaps up to
/// `overlap` (1 or more) of them.
pub fn serial_misses(misses: f64, overlap: f64, socket: &SocketPart) -> f64 {
    misses / in_flight(overlap, socket, socket.misses_in_flight)
}

/// As [`serial_misses`] for lines of sequential streams, with `stores` lines written past the caches for each
/// missed one: they hold buffers of the core too, which those in flight share with them.
pub fn streamed_misses(misses: f64, overlap: f64, stores: f64, socket: &SocketPart) -> f64 {
    let held = match socket.prefetched_in_flight {
        0.0 => socket.misses_in_flight,
        lines => lines,
    };
    let buffers = 1.0 + stores * socket.streaming_store_time;
    misses * buffers / in_flight(overlap * buffers, socket, held)
}

/// The misses that the threads of a core have in flight together, if it can hold this number of them.
fn in_flight(overlap: f64, socket: &SocketPart, held: f64) -> f64 {
    let each = match socket.thread_misses_in_flight {
        0.0 => overlap,
        most => overlap.min(most),
    };
    (each * socket.threads_per_core as f64).min(held)
}

/// What the load makes of work on a socket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Seconds of a miss.
    pub latency: f64,
    /// The clock, relative to that of a socket whose cores are all busy: 1 or more.
    pub speed: f64,
}

/// A core of a socket.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    base_cpi: f64,
    /// Cycles/s while all cores are busy.
    clock: f64,
}

impl Core {
    /// A core of this socket.
    pub fn of(socket: &SocketPart) -> Self {
        Self {
            base_cpi: socket.base_cpi,
            clock: socket.full_clock().get(),
        }
    }

    /// Cycles per second while all cores are busy.
    pub fn clock(self) -> f64 {
        self.clock
    }

    /// The cycles of `work`, of the clock that the core has while all cores are busy: a core with a faster
    /// clock executes an instruction in fewer of them, and waits for a miss as long as before.
    pub fn cycles(self, work: Work, pace: Pace) -> Cycles {
        Cycles {
            executing: self.executing(work.instructions, pace.speed),
            stalled: work.serial_misses * pace.latency * self.clock,
        }
    }

    /// The cycles in which it executes instructions, at a clock of this speed.
    pub fn executing(self, instructions: f64, speed: f64) -> f64 {
        instructions * self.base_cpi / speed
    }
}

/// The time of `work` on a core of a socket with idle memory, all of whose cores are busy.
pub fn seconds(work: Work, socket: &SocketPart) -> f64 {
    let core = Core::of(socket);
    let pace = Pace::at_full_clock(socket.local_latency);
    core.cycles(work, pace).total() / core.clock
}

impl Pace {
    /// The pace of a socket whose cores are all busy.
    pub fn at_full_clock(latency: Time) -> Self {
        Self {
            latency: latency.get(),
            speed: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn socket(name: &str) -> SocketPart {
        catalogue().socket(name).expect("it is in the catalogue").clone()
    }

    fn at(latency: f64) -> Pace {
        Pace::at_full_clock(Time::new(latency))
    }

    fn work(instructions: f64, misses: f64, overlap: f64, socket: &SocketPart) -> Work {
        Work {
            instructions,
            serial_misses: serial_misses(misses, overlap, socket),
        }
    }

    /// Worked example of facts.md: 5 % of instructions miss, two at a time, with a loaded latency of about
    /// 180 ns: a miss stalls for 206 cycles, and CPI is 11.7.
    #[test]
    fn barcelona_reaches_the_published_cpi_at_a_stall_of_90_ns() {
        let barcelona = socket("opteron-8356");
        let one = Core::of(&barcelona).cycles(work(0.0, 1.0, 2.0, &barcelona), at(180e-9));
        assert!((one.stalled - 206.0).abs() < 2.0, "{one:?}");
        let hundred = Core::of(&barcelona).cycles(work(100.0, 5.0, 2.0, &barcelona), at(180e-9));
        assert!((hundred.total() / 100.0 - 11.7).abs() < 0.1, "{hundred:?}");
    }

    #[test]
    fn a_core_overlaps_no_more_than_it_can_hold() {
        let few = SocketPart {
            misses_in_flight: 2.0,
            ..socket("opteron-8356")
        };
        assert_eq!(serial_misses(12.0, 1.5, &few), 8.0);
        assert_eq!(serial_misses(12.0, 4.0, &few), 6.0);
    }

    /// By hand: two threads with 3 misses in flight each have 6 together, unless the core supports only 4.
    #[test]
    fn threads_of_a_core_hide_waits_of_each_other() {
        let two = |misses_in_flight| SocketPart {
            threads_per_core: 2,
            misses_in_flight,
            ..socket("opteron-8356")
        };
        assert_eq!(serial_misses(12.0, 3.0, &two(10.0)), 2.0);
        assert_eq!(serial_misses(12.0, 3.0, &two(4.0)), 3.0);
    }

    /// Little's law for one core that streams: lines in flight × 64 bytes ÷ idle latency. Published: 25.2
    /// GB/s (EPYC 7452), 21.6 (EPYC 7451), 20.9 (Graviton2), 37.0 (Graviton4), 21 (Grace, at over 200 ns). A
    /// core of an EPYC 9654 reaches 38 to 40.
    #[test]
    fn one_core_streams_as_fast_as_published() {
        let cases = [
            ("epyc-7452", 25.2, 0.05),
            ("epyc-7451", 21.6, 0.05),
            ("aws-graviton2", 20.9, 0.05),
            ("aws-graviton4", 37.0, 0.05),
            ("nvidia-grace", 21.0, 0.15),
            ("epyc-9654", 39.0, 0.10),
        ];
        for (name, published, tolerance) in cases {
            let part = socket(name);
            let misses = streamed_misses(1e9 / 64.0, 1000.0, 0.0, &part);
            let rate = 1.0 / (misses * part.local_latency.get());
            assert!((rate / published - 1.0).abs() < tolerance, "{name}: {rate} GB/s");
            let random = serial_misses(1e9 / 64.0, 1000.0, &part);
            assert!(random > 1.4 * misses, "{name}: random misses are not prefetched");
        }
    }

    /// likwid-bench read 8.93 GB/s with one thread on a core and 11.19 with two on an E5-2695 v3, 10.88 and
    /// 13.62 on a Platinum 8174 (kerncraft): 80 %.
    #[test]
    fn one_thread_has_fewer_lines_in_flight_than_two() {
        for name in ["xeon-e5-2697-v3", "xeon-8180"] {
            let two = socket(name);
            let one = SocketPart {
                threads_per_core: 1,
                ..two.clone()
            };
            let share = streamed_misses(1.0, 64.0, 0.0, &two) / streamed_misses(1.0, 64.0, 0.0, &one);
            assert!((share - 0.8).abs() < 0.02, "{name}: {share}");
            // Code with fewer misses than a thread can have is as before.
            assert_eq!(serial_misses(12.0, 4.0, &one), 3.0);
            assert_eq!(serial_misses(12.0, 4.0, &two), 1.5);
        }
    }

    /// A copy with a store for each line read, on a core with 12 buffers whose stores hold one for half as
    /// long: eight reads are in flight beside eight stores. Code that stops for each line leaves buffers to
    /// stores.
    #[test]
    fn streaming_stores_hold_buffers_of_the_core() {
        let core = SocketPart {
            prefetched_in_flight: 12.0,
            streaming_store_time: 0.5,
            ..SocketPart::default()
        };
        assert_eq!(streamed_misses(24.0, 64.0, 0.0, &core), 2.0);
        assert_eq!(streamed_misses(24.0, 64.0, 1.0, &core), 3.0);
        assert_eq!(streamed_misses(24.0, 2.0, 1.0, &core), 12.0);
    }

    /// Parts without a figure of their own, and code that stops for each line, are as before.
    #[test]
    fn streams_without_prefetch_are_bound_by_miss_buffers_or_by_the_window() {
        let xeon = socket("xeon-l5408");
        assert_eq!(
            streamed_misses(12.0, 64.0, 0.0, &xeon),
            serial_misses(12.0, 64.0, &xeon)
        );
        // Triad on one core of an Opteron 280 moves 3.04 GB/s, and a third of that to own what it writes
        // (stream-scaling, not in the figure of the part); eight lines would be 8.5 GB/s.
        let k8 = socket("opteron-280");
        let rate = 1.0 / (streamed_misses(1e9 / 64.0, 64.0, 0.0, &k8) * k8.local_latency.get());
        assert!((rate / 4.05 - 1.0).abs() < 0.2, "{rate} GB/s");
        let grace = socket("nvidia-grace");
        assert_eq!(streamed_misses(12.0, 4.0, 0.0, &grace), 3.0);
    }

    #[test]
    fn stalls_add_up() {
        let istanbul = socket("opteron-8435");
        let found = Core::of(&istanbul).cycles(work(20e3, 600.0, 2.0, &istanbul), at(150e-9));
        // 300 stalls of 150 ns at 2.6 GHz are 117,000 cycles, in addition to 28,000 of execution.
        assert!((found.stalled - 117e3).abs() < 1e-6 && (found.executing - 28e3).abs() < 1e-6);
        assert!((found.total() / 20e3 - 7.25).abs() < 1e-9);
    }

    /// Faster CPUs on the same links gain nothing (story 1 of facts.md): with stalls in nearly nine of ten
    /// cycles, doubling the clock saves little time.
    #[test]
    fn a_faster_clock_does_not_shorten_stalls() {
        let slow = socket("opteron-8356");
        let fast = SocketPart {
            clock: slow.clock * 2.0,
            ..slow.clone()
        };
        let seconds = |socket: &SocketPart| {
            Core::of(socket)
                .cycles(work(100.0, 5.0, 2.0, socket), at(180e-9))
                .total()
                / socket.clock.get()
        };
        let gain = 1.0 - seconds(&fast) / seconds(&slow);
        assert!((0.0..0.07).contains(&gain), "{gain}");
    }
}

//! The wait for a slot in a client that limits its calls in flight.
//!
//! Threads think, and call. A client with fewer slots than threads is the machine-repair problem: n machines,
//! k repairers. Its exact solution for exponential times is a birth–death chain (Palm, 1947; Kleinrock,
//! *Queueing Systems* I, 1975, section 3.8).

/// The largest number of threads of a client for which the chain is solved. With more, waits are short unless
/// the slots are full, and then they follow from the slots alone.
const MOST_THREADS: f64 = 1000.0;
/// A wait over that for exponential calls: calls of one kind take nearly the same time (Pollaczek and
/// Khinchine: half, if all take the same).
const REGULAR: f64 = 0.5;
/// Relative probabilities above this are scaled.
const LARGE: f64 = 1e200;

/// Mean wait for one of `slots` slots by one of `threads` threads that think for `think` seconds on average;
/// a call keeps its slot for `away` seconds.
pub(crate) fn mean_wait(threads: f64, slots: f64, think: f64, away: f64) -> f64 {
    let is_solved = slots < threads && threads <= MOST_THREADS && think > 0.0 && away > 0.0;
    if is_solved {
        REGULAR * exponential_wait(threads.round(), slots.round().max(1.0), think, away)
    } else {
        0.0
    }
}

/// The same where times are exponential, for whole numbers of threads and slots.
fn exponential_wait(threads: f64, slots: f64, think: f64, away: f64) -> f64 {
    // By number of calls: relative probability, and sums over those so far of calls in slots and waiting.
    let (mut probability, mut served, mut waiting) = (1.0, 0.0, 0.0);
    let mut calls = 0.0;
    while calls < threads {
        let leaving = slots.min(calls + 1.0);
        probability *= (threads - calls) * away / (leaving * think);
        calls += 1.0;
        served += probability * slots.min(calls);
        waiting += probability * (calls - slots).max(0.0);
        if probability > LARGE {
            (probability, served, waiting) = (probability / LARGE, served / LARGE, waiting / LARGE);
        }
    }
    // Little's law: calls that wait, over calls a second.
    away * waiting / served
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }

    /// By hand, three threads with one slot that think as long as a call takes: relative probabilities 1, 3,
    /// 6, 6, so that 15 of 16 calls find it busy or begin, and (6 + 12) / 15 calls' time is waited.
    #[test]
    fn one_slot_by_hand() {
        close(exponential_wait(3.0, 1.0, 1.0, 1.0), 18.0 / 15.0);
    }

    /// By hand, eight threads, two slots, calls of a fifth of the think time: relative probabilities 1, 1.6,
    /// 1.12, 0.672, 0.336, 0.1344, 0.04032, 0.008064, 0.0008064.
    #[test]
    fn two_slots_by_hand() {
        let served = 1.6 + 2.0 * (1.12 + 0.672 + 0.336 + 0.134_4 + 0.040_32 + 0.008_064 + 0.000_806_4);
        let waiting =
            0.672 + 2.0 * 0.336 + 3.0 * 0.134_4 + 4.0 * 0.040_32 + 5.0 * 0.008_064 + 6.0 * 0.000_806_4;
        close(exponential_wait(8.0, 2.0, 1.0, 0.2), 0.2 * waiting / served);
    }

    /// Full slots serve one call after the other, and no thread thinks: a thread waits for all others.
    #[test]
    fn full_slots_leave_no_thread_thinking() {
        let wait = exponential_wait(1000.0, 10.0, 1e-6, 1.0);
        assert!((wait / 99.0 - 1.0).abs() < 1e-3, "{wait}");
        assert_eq!(mean_wait(4.0, 4.0, 1.0, 1.0), 0.0);
        assert_eq!(mean_wait(4.0, 2.0, 0.0, 1.0), 0.0);
    }
}

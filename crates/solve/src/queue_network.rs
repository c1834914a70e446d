//! The queues of a client whose operations have different slowest resources, by exact mean value analysis.
//!
//! With one thread more, each finds at a queue what the threads before it leave there on average, and is
//! served at once where fewer than the servers are there; the probabilities of those numbers follow from each
//! other (Reiser and Lavenberg, *Mean-Value Analysis of Closed Multichain Queuing Networks*, 1980, section 5).

/// Maximum number of steps of a mean value analysis.
const STEPS: f64 = 4096.0;

/// A queue of a network, which operations use at the same time up to a number of servers.
pub(crate) struct Queue {
    /// Time there of a thread that is alone.
    pub(crate) lone: f64,
    /// Number of operations that saturate it.
    servers: f64,
    /// Mean number of operations there.
    there: f64,
    /// Probability of each number of operations below that of servers, as far as there may be so many; empty
    /// if no operation ever waits.
    few: Vec<f64>,
}

impl Queue {
    /// Empty; never more than `threads` will be there.
    pub(crate) fn new(lone: f64, servers: f64, threads: f64) -> Self {
        let servers = servers.max(1.0);
        let few = if servers < threads { vec![1.0] } else { Vec::new() };
        Self {
            lone,
            servers,
            there: 0.0,
            few,
        }
    }

    /// Time there of one thread more.
    fn time(&self) -> f64 {
        if self.few.is_empty() {
            return self.lone;
        }
        let free = |(others, probability): (usize, &f64)| {
            probability * (1.0 - (others + 1) as f64 / self.servers).max(0.0)
        };
        let free: f64 = self.few.iter().enumerate().map(free).sum();
        self.lone * ((1.0 + self.there) / self.servers + free)
    }

    /// With one thread more, of which each spends `time` there, and which complete at a rate.
    fn add(&mut self, rate: f64, time: f64) {
        self.there = rate * time;
        if !self.few.is_empty() && (self.few.len() as f64) < self.servers.min(STEPS) {
            self.few.push(0.0);
        }
        let mut idle = self.servers - rate * self.lone;
        for number in (1..self.few.len()).rev() {
            self.few[number] = rate * self.lone / number as f64 * self.few[number - 1];
            idle -= (self.servers - number as f64) * self.few[number];
        }
        if let Some(none) = self.few.first_mut() {
            *none = (idle / self.servers).max(0.0);
        }
    }
}

/// Time of a round of each of `threads` threads at queues, `away` from all of them for the rest of it. Part
/// of a thread comes first; what more threads than [`STEPS`] add is the queue at the slowest one.
pub(crate) fn round(threads: f64, away: f64, queues: &mut [Queue]) -> f64 {
    let steps = threads.min(STEPS).ceil();
    let first = threads.min(STEPS) - (steps - 1.0);
    let mut times: Vec<f64> = queues.iter().map(|queue| queue.lone).collect();
    for step in 0..steps as u32 {
        for (time, queue) in times.iter_mut().zip(&*queues) {
            *time = queue.time();
        }
        let rate = (first + f64::from(step)) / (away + times.iter().sum::<f64>());
        for (queue, &time) in queues.iter_mut().zip(&times) {
            queue.add(rate, time);
        }
    }
    let slowest = queues
        .iter()
        .map(|queue| queue.lone / queue.servers)
        .fold(0.0, f64::max);
    f64::max(times.iter().sum(), threads * slowest - away)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, two queues that are used equally and nothing else: each thread adds one service,
    /// 0.5 (n + 1). The product form with a time away: the sum over all ways in which threads can be in three
    /// places.
    #[test]
    fn two_resources_of_a_client_are_two_queues() {
        let found = |threads: f64, away: f64, uses: [[f64; 2]; 2]| {
            round(
                threads,
                away,
                &mut uses.map(|[lone, servers]| Queue::new(lone, servers, threads)),
            )
        };
        for threads in [1.0, 2.0, 16.0, 4000.0, 1e7] {
            let time = found(threads, 0.0, [[0.5, 1.0]; 2]);
            assert!((time / (0.5 * (threads + 1.0)) - 1.0).abs() < 1e-3);
        }
        for uses in [
            [[0.6_f64, 1.0], [0.4, 1.0]],
            [[0.5, 3.0], [0.5, 3.0]],
            [[0.7, 1.5], [0.3, 8.0]],
        ] {
            for (threads, away) in [(1, 0.5_f64), (4, 2.0), (12, 0.1), (16, 2.0), (32, 0.5)] {
                let places = |[lone, servers]: [f64; 2], number: i32| -> f64 {
                    (1..=number).map(|n| lone / f64::from(n).min(servers)).product()
                };
                let constant = |threads: i32| -> f64 {
                    let ways =
                        (0..=threads).flat_map(|one| (0..=threads - one).map(move |other| (one, other)));
                    ways.map(|(one, other)| {
                        let left = threads - one - other;
                        let gone = places([away, f64::INFINITY], left);
                        places(uses[0], one) * places(uses[1], other) * gone
                    })
                    .sum()
                };
                let rate = constant(threads - 1) / constant(threads);
                let threads = f64::from(threads);
                let time = found(threads, away, uses);
                assert!(
                    (time / (threads / rate - away) - 1.0).abs() < 1e-6,
                    "{uses:?} {threads} {away}: {time}"
                );
            }
        }
        // A second resource that is hardly used changes next to nothing.
        let one = crate::meetings::slowdown(16.0, 3.0, 1.0);
        assert!((found(16.0, 3.0, [[1.0, 1.0], [1e-9, 1.0]]) / one - 1.0).abs() < 1e-6);
        // Parts of threads are between whole ones.
        let parts = [2.0, 2.25, 2.5, 2.75, 3.0].map(|threads| found(threads, 1.0, [[0.6, 1.0], [0.4, 2.5]]));
        assert!(parts.is_sorted(), "{parts:?}");
    }
}

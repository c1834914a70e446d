//! The queues of a client whose operations have different slowest resources, by their product form.
//!
//! With *N* threads that are away for a mean time *Z*, and queues *i* at which a lone operation takes *Lᵢ*
//! and which serve *mᵢ* of them at a time, there are *nᵢ* operations at each with probability
//!
//! ```text
//! p(n) ∝ Z^(N − Σ nᵢ) / (N − Σ nᵢ)! · Π Lᵢ^nᵢ / (min(1, mᵢ) · … · min(nᵢ, mᵢ))
//! ```
//!
//! The weights of all states with the same total are convolved queue by queue (Buzen, *Computational
//! Algorithms for Closed Queueing Networks with Exponential Servers*, 1973). Beyond its servers the weights
//! of a queue are a geometric series, whose convolution follows from that for one operation fewer.

/// Number of operations in service above which they count in groups: weights would exceed the range of
/// numbers, and how many there are by chance hardly matters.
const BUSY: f64 = 512.0;
/// Number of waiting operations, and of standard deviations of the number of others, from which one more
/// makes a round longer by its time at the slowest queue.
const WAITING: f64 = 256.0;
const ALWAYS: f64 = 8.0;
/// Weights below this share of their sum are ignored; the weights of one queue, which are multiplied, below
/// the square of it.
const NEGLIGIBLE: f64 = 1e-16;
/// The shortest time away that is considered, as a share of the time at queues.
const SHORTEST: f64 = 1e-9;
/// Weights of threads that are away are scaled where they exceed this.
const LARGE: f64 = 1e20;

/// A queue of a network, which operations use at the same time up to a number of servers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    /// Time there of an operation that is alone.
    pub(crate) lone: f64,
    /// Number of operations that saturate it, at least one.
    pub(crate) servers: f64,
}

impl Queue {
    /// Time between two operations of a full queue.
    fn step(&self) -> f64 {
        self.lone / self.servers
    }
}

/// Time of a round of each of `threads` threads at queues, `away` from all of them for the rest of it. For
/// part of a thread, it is between the times for whole ones.
pub(crate) fn round(threads: f64, away: f64, queues: &[Queue]) -> f64 {
    let all = |queues: &[Queue]| queues.iter().map(|queue| queue.lone).sum::<f64>();
    let lone = all(queues);
    if queues.iter().all(|queue| threads <= queue.servers) {
        return lone;
    }
    let slowest = queues.iter().map(Queue::step).fold(0.0, f64::max);
    let group = (lone / slowest / BUSY).max(1.0);
    let of_groups = |queue: &Queue| {
        let servers = (queue.servers / group).max(1.0);
        let lone = queue.step() * group * servers;
        Queue { lone, servers }
    };
    let mut queues: Vec<Queue> = queues.iter().map(of_groups).collect();
    let (threads, slowest, longer) = (threads / group, slowest * group, all(&queues) - lone);
    let away = away.max(SHORTEST * lone);
    let (gone, busy) = (away / slowest, all(&queues) / slowest);
    let considered = threads.min(gone + busy + WAITING + ALWAYS * (gone + busy).sqrt());
    // Only the weights of the first queue are not convolved with others.
    queues.sort_unstable_by(|one, other| other.servers.total_cmp(&one.servers));
    // Weights with any rate have the same sums. With one that is about right, they are about equal.
    let rate = f64::min(1.0 / slowest, considered / (away + all(&queues)));
    let [fewer, more] = of_whole_threads(considered.floor(), away, rate, &queues);
    let part = considered - considered.floor();
    fewer + part * (more - fewer) + (threads - considered) * slowest - longer
}

/// Time of a round of a whole number of threads at queues, and with one thread more. Weights are multiplied
/// by a power of a rate.
fn of_whole_threads(threads: f64, away: f64, rate: f64, queues: &[Queue]) -> [f64; 2] {
    let mut weights: Vec<Weights> = queues
        .iter()
        .map(|queue| Weights {
            load: rate * queue.lone,
            servers: queue.servers,
            of_queue: in_service(rate * queue.lone, queue.servers.min(threads + 1.0)),
            of_all: Vec::new(),
            beyond: 0.0,
        })
        .collect();
    let mut sums = [threads, threads + 1.0].map(|threads| Sums {
        threads,
        away: rate * away,
        weight: 1.0,
        all: 0.0,
        gone: 0.0,
    });
    for present in 0.. {
        let mut weight = 0.0;
        for queue in 0..weights.len() {
            let (before, rest) = weights.split_at_mut(queue);
            weight = rest[0].next(present, before.last());
        }
        let are_complete = sums.each_mut().map(|sums| sums.add(present as f64, weight));
        if are_complete == [true, true] {
            break;
        }
    }
    sums.map(|sums| away * (sums.threads * sums.all / sums.gone - 1.0))
}

/// The weights of the numbers of operations at a queue, and at all queues up to it.
struct Weights {
    /// Number of operations in service at the rate of the weights.
    load: f64,
    servers: f64,
    /// Of operations at the queue, from as many as its servers, or as are not negligible, down to none.
    of_queue: Vec<f64>,
    /// By number of operations at all queues up to it.
    of_all: Vec<f64>,
    /// The part of the last one with more operations than servers at this queue.
    beyond: f64,
}

impl Weights {
    /// The weight of one operation more than before, `present` ones.
    fn next(&mut self, present: usize, before: Option<&Self>) -> f64 {
        let weight = if let Some(before) = before {
            let most = self.of_queue.len() - 1;
            if let Some(others) = present.checked_sub(most + 1) {
                let first = self.of_queue[0] * before.of_all[others];
                self.beyond = self.load / self.servers * (self.beyond + first);
            }
            let here = &self.of_queue[most.saturating_sub(present)..];
            self.beyond + sum_of_products(here, &before.of_all[present.saturating_sub(most)..])
        } else {
            let last = self.of_all.last();
            last.map_or(1.0, |last| last * self.load / (present as f64).min(self.servers))
        };
        self.of_all.push(weight);
        weight
    }
}

/// The weights of a queue's operations in service, the most first.
fn in_service(load: f64, most: f64) -> Vec<f64> {
    let (mut weights, mut sum) = (vec![1.0], 1.0);
    let mut weight = 1.0;
    for number in 1..=most as usize {
        weight *= load / number as f64;
        if weight < NEGLIGIBLE * NEGLIGIBLE * sum {
            break;
        }
        weights.push(weight);
        sum += weight;
    }
    weights.reverse();
    weights
}

/// The sum of the products of two equally long rows, in lanes that processors add side by side.
fn sum_of_products(one: &[f64], other: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest = ones.remainder().iter().zip(others.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (ones, others) in ones.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(ones).zip(others) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f64>()
}

/// Sums over all numbers of operations at the queues.
struct Sums {
    threads: f64,
    /// Number of threads away at the rate of the weights.
    away: f64,
    /// The weight of those that are away.
    weight: f64,
    /// The sum of all weights, and the same times the number of threads away.
    all: f64,
    gone: f64,
}

impl Sums {
    /// Adds the states with `present` operations at the queues, one more than before. Returns whether those
    /// with more are negligible.
    fn add(&mut self, present: f64, weight: f64) -> bool {
        let gone = (self.threads - present).max(0.0);
        let of_state = self.weight * weight;
        self.all += of_state;
        self.gone += of_state * gone;
        self.weight *= gone / self.away;
        if self.weight > LARGE {
            for scaled in [&mut self.weight, &mut self.all, &mut self.gone] {
                *scaled /= LARGE;
            }
        }
        of_state <= NEGLIGIBLE * self.all
    }
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
                &uses.map(|[lone, servers]| Queue { lone, servers }),
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
            for (threads, away) in [
                (1, 0.5_f64),
                (4, 2.0),
                (12, 0.1),
                (16, 2.0),
                (32, 0.5),
                (400, 40.0),
            ] {
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
                    (time / (threads / rate - away) - 1.0).abs() < 1e-9,
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

    /// Where the slowest queue is always full, its capacity decides; where others are hardly used and it is
    /// not full, nothing waits. Both hold for operations in groups.
    #[test]
    fn very_many_operations_have_no_wait_or_that_of_a_full_queue() {
        for servers in [300.0, 3_000.0, 300_000.0] {
            let queues =
                [[0.6, servers], [0.4, 2.0 * servers]].map(|[lone, servers]| Queue { lone, servers });
            let slowest = 0.6 / servers;
            for (threads, away) in [(4.0, 0.3), (4.0, 1e-12), (2000.0, 900.0), (5e6, 1e6)] {
                let threads = threads * servers;
                let time = round(threads, away, &queues);
                let full = threads * slowest - away;
                assert!(
                    (time / full - 1.0).abs() < 1e-6,
                    "{threads} {away}: {time} and {full}"
                );
            }
            for (threads, away) in [(1.2, 1.0), (30.0, 50.0)] {
                let time = round(threads * servers, away, &queues);
                assert!((time - 1.0).abs() < 1e-3, "{threads} {away}: {time}");
            }
        }
    }

    /// Two queues that are just full, on either side of the number from which operations count in groups.
    #[test]
    fn groups_begin_without_a_jump() {
        let time = |servers: f64| {
            let queues = [[0.5, servers], [0.5, servers]].map(|[lone, servers]| Queue { lone, servers });
            round(4.0 * servers, 1.0, &queues)
        };
        let at = BUSY / 2.0;
        let (before, after) = (time(at * (1.0 - 1e-9)), time(at * (1.0 + 1e-9)));
        assert!(before > 1.01, "{before}");
        assert!((after / before - 1.0).abs() < 1e-6, "{before} {after}");
    }
}

//! Delays due to random overlaps of operations.
//!
//! The steady state uses averages. At some moments more operations are in flight than a resource takes at
//! full speed, and at others fewer: on average they are slower than with a constant number. A resource that
//! *m* operations saturate, and that shares its capacity among those in flight, is a queue with *m* servers
//! and processor sharing, whose mean is independent of the distribution of work.
//!
//! In an open loop the queue is M/M/m: at a utilisation *U*, the duration of an operation is
//!
//! ```text
//! 1 + C(m, m U) / (m (1 − U))
//! ```
//!
//! times that of an isolated one, with Erlang's delay formula *C*, of which *U* to the power of √(2(m + 1)) −
//! 1 is a good approximation (Sakasegawa, 1977; exact for one server).
//!
//! In a closed loop, threads with a mean time away are a network with a solution in product form, for any
//! distributions of both times (Baskett, Chandy, Muntz and Palacios, 1975). With *N* threads that are away
//! for *z* times the duration of an isolated operation, *n* of them are at the resource with probability
//!
//! ```text
//! p(n) ∝ z^(N − n) / (N − n)! / (min(1, m) · min(2, m) · … · min(n, m))
//! ```
//!
//! Threads overlap at the resources of their client and at those of the server. For each of the two, the
//! other counts as time away.
//!
//! Where operations of one client have different slowest resources of their own, as reads that fill one
//! direction of its network card and writes that fill the other, the client is a network of queues with a
//! solution in product form as well ([`round`]).

use crate::queue_network::{Queue, round};

/// Resources whose delay is below this share of the maximum, by the bound for an open loop, are skipped.
const CONSIDERED: f64 = 0.02;
/// Maximum number of guesses of the delay at clients, in the search for the delay at the server; and the step
/// between guesses at which the search ends, below the precision of any reported figure.
const GUESSES: u32 = 50;
const GUESSED: f64 = 1e-8;
/// Maximum slope accepted between two guesses.
const STEEPEST: f64 = 0.98;
/// Maximum utilisation used: latencies of an overload depend on its duration.
pub(crate) const FULL: f64 = 0.9999;
/// Saturation from which a resource is full except for rounding, and the share of a lone operation's rate at
/// which nothing holds it back.
pub(crate) const QUITE_FULL: f64 = 1.0 - 1e-6;
/// Weights below this share of the maximum are ignored.
const NEGLIGIBLE: f64 = 1e-12;
/// Relative rounding error of sums.
const ROUNDING: f64 = 1e-9;
/// Maximum number of terms on each side of the maximum.
const TERMS: u32 = 4096;
/// Number of places for cached cases: those of groups that only differ in their ports. A power of two, and
/// several times the number of cases of a round, so that few share a place.
const PLACES: usize = 256;
/// Number of standard deviations by which threads must exceed the number that saturates a resource for it to
/// be always saturated.
const ALWAYS: f64 = 7.0;

/// Relative delay of an operation at a resource with utilisation `used` that `servers` of these operations
/// saturate: its duration over that of an isolated one, minus one. Less than one operation never saturates a
/// resource.
pub(crate) fn meeting(used: f64, servers: f64) -> f64 {
    let (used, servers) = (used.clamp(0.0, FULL), servers.max(1.0));
    libm::pow(used, (2.0 * (servers + 1.0)).sqrt() - 1.0) / (servers * (1.0 - used))
}

/// An upper bound of the same that takes fewer instructions: between whole exponents, a power is below the
/// straight line between its values at them.
fn most_at(used: f64, servers: f64) -> f64 {
    let servers = servers.max(1.0);
    // The number of servers may be infinite, where a resource is hardly used. A smaller exponent is a bound
    // as well.
    let exponent = f64::from(u32::MAX).min((2.0 * (servers + 1.0)).sqrt() - 1.0);
    let mut whole = exponent as u32;
    let part = exponent - f64::from(whole);
    let (mut power, mut square) = (1.0 - part * (1.0 - used), used);
    while whole > 0 {
        if whole % 2 == 1 {
            power *= square;
        }
        square *= square;
        whole /= 2;
    }
    power / (servers * (1.0 - used))
}

/// A closed loop of identical clients.
pub(crate) struct Loop {
    /// Total number of threads.
    pub(crate) threads: f64,
    /// Number of clients.
    pub(crate) members: f64,
    /// Duration of an isolated operation, seconds.
    pub(crate) lone: f64,
    /// Time of threads away from the server and the client's resources, as a multiple of `lone`.
    pub(crate) away: f64,
    /// Operations/s of all clients if the number in flight is always the average.
    pub(crate) throughput: f64,
}

/// A resource that each client has for itself, the slowest of those that some of its operations use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    /// The resource, of one of the clients.
    pub(crate) resource: usize,
    /// Seconds there, and of all of these operations when isolated, on average over all operations.
    pub(crate) seconds: f64,
    pub(crate) lone: f64,
    /// Its utilisation by all operations of the client.
    pub(crate) used: f64,
}

/// Computes the delays in closed loops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    /// Of the current loop: positions of shared resources, and the share of each used by one operation/s.
    pub(crate) shares: Vec<(usize, f64)>,
    /// Of the current loop: the slowest resources of each client.
    pub(crate) own: Vec<Own>,
    shared: Vec<Shared>,
    found: Found,
}

/// The last results, by threads, their time away, and servers: each case has one place.
#[derive(Clone, Debug, Default)]
struct Found(Vec<([f64; 3], f64)>);

/// A resource of the server that the threads of a loop share.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Number of threads if all its users were of this loop.
    threads: f64,
    /// Number of operations that saturate it.
    servers: f64,
    /// Upper bound of the delay there.
    most: f64,
}

impl Meetings {
    /// Relative delay of an operation whose overlaps are at the resources of its client and at the shared
    /// resource with the highest delay. A thread that is delayed at one of them is away from the other.
    /// `used` is the utilisation by position.
    pub(crate) fn cost(&mut self, threads: &Loop, used: &[f64]) -> f64 {
        self.shared.clear();
        self.shared.extend(self.shares.iter().map(|&(position, share)| {
            let (used, servers) = (used[position], threads.lone / share);
            Shared {
                threads: threads.threads * all_users(used, threads.throughput * share),
                servers,
                most: most_at(used.min(1.0 - CONSIDERED), servers),
            }
        }));
        let most = self.shared.iter().map(|shared| shared.most).fold(0.0, f64::max);
        self.shared.retain(|shared| shared.most >= CONSIDERED * most);
        for shared in &mut self.shared {
            shared.most = self.found.slowdown(shared.threads, threads.away, shared.servers) - 1.0;
        }
        self.shared
            .sort_unstable_by(|one, other| other.most.total_cmp(&one.most));
        let mut at_server = self.shared.first().map_or(0.0, |shared| shared.most);
        if self.own.is_empty() {
            return at_server;
        }
        // The longer the duration at the server, the shorter the delay at the client, and vice versa: solved
        // by the secant of the last two guesses.
        let mut guess = 0.0;
        let mut before: Option<[f64; 2]> = None;
        for _ in 0..GUESSES {
            let at_client = self.at_client(threads, threads.away + at_server);
            let next = before.map_or(at_client, |[x, image]| {
                let slope = (at_client - image) / (guess - x);
                guess + (at_client - guess) / (1.0 - slope.clamp(0.0, STEEPEST))
            });
            before = Some([guess, at_client]);
            let is_found = (next - guess).abs() <= GUESSED * (1.0 + next);
            guess = next.max(0.0);
            if is_found {
                break;
            }
            at_server = self.at_server(threads.away + guess);
        }
        guess + at_server
    }

    /// Whether operations may be delayed at the resources of their client by more than [`CONSIDERED`].
    pub(crate) fn delays_at_client(&self) -> bool {
        let most = |own: &Own| most_at(own.used.min(1.0 - CONSIDERED), own.lone / own.seconds);
        self.own.iter().any(|own| most(own) > CONSIDERED)
    }

    /// The delay at the client only, for threads that are away for this multiple of an isolated operation.
    fn at_client(&mut self, threads: &Loop, away: f64) -> f64 {
        let all: f64 = self.own.iter().map(|own| own.used).sum();
        let seconds: f64 = self.own.iter().map(|own| own.seconds).sum();
        let of_client = threads.threads / threads.members;
        let here = of_client * all_users(all, threads.throughput * seconds / threads.members);
        if let [own] = self.own[..] {
            let of_all = own.lone / threads.lone;
            let away = (away + 1.0 - of_all).max(0.0) / of_all;
            return (self.found.slowdown(here, away, own.lone / own.seconds) - 1.0) * of_all;
        }
        let queue = |own: &Own| Queue {
            lone: own.lone / threads.lone,
            servers: (own.lone / own.seconds).max(1.0),
        };
        let queues: Vec<Queue> = self.own.iter().map(queue).collect();
        let lone: f64 = queues.iter().map(|queue| queue.lone).sum();
        round(here, away + (1.0 - lone).max(0.0), &queues) - lone
    }

    /// The delay at the server only, for threads that are away for this multiple of an isolated operation.
    fn at_server(&mut self, away: f64) -> f64 {
        let mut most = 0.0;
        for index in 0..self.shared.len() {
            let shared = &self.shared[index];
            if shared.most <= most {
                break;
            }
            most = f64::max(
                most,
                self.found.slowdown(shared.threads, away, shared.servers) - 1.0,
            );
        }
        most
    }
}

/// How many times as many threads there were if all users of a resource were of the loop that uses `own` of
/// it. No rounding error makes a lone thread more than one: lone threads do not meet.
fn all_users(used: f64, own: f64) -> f64 {
    let times = used / own;
    if times > 1.0 + ROUNDING { times } else { 1.0 }
}

impl Found {
    fn slowdown(&mut self, threads: f64, away: f64, servers: f64) -> f64 {
        let servers = servers.max(1.0);
        if let Some(known) = always(threads, away, servers) {
            return known;
        }
        let case = [threads, away, servers];
        if self.0.is_empty() {
            self.0.resize(PLACES, ([f64::NAN; 3], 0.0));
        }
        let bits = case.iter().fold(0, |bits: u64, value| {
            (bits ^ value.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let place = &mut self.0[(bits >> 56) as usize % PLACES];
        if place.0 != case {
            *place = (case, slowdown(threads, away, servers));
        }
        place.1
    }
}

/// As [`slowdown`], if the resource is always saturated or threads never overlap; `None` if the sum is
/// required.
fn always(threads: f64, away: f64, servers: f64) -> Option<f64> {
    // The number away while the resource is saturated; they come and go at random.
    let thinking = servers * away;
    if threads - servers - thinking > ALWAYS * (thinking + 1.0).sqrt() {
        return Some(threads / servers - away);
    }
    (threads <= 1.0 || away <= 0.0).then(|| (threads / servers).max(1.0))
}

/// Duration of an operation relative to an isolated one, at least 1: `threads` threads that are `away` for a
/// multiple of its duration, at a resource that `servers` operations saturate.
pub(crate) fn slowdown(threads: f64, away: f64, servers: f64) -> f64 {
    let servers = servers.max(1.0);
    if let Some(known) = always(threads, away, servers) {
        return known;
    }
    let mode = if threads > servers * (1.0 + away) {
        threads - servers * away
    } else {
        threads / (1.0 + away)
    };
    let first = mode.floor().clamp(0.0, threads.floor());
    // Comparisons instead of `f64::min` and `max`, which also handle NaN, in six instructions each: these
    // loops are a quarter of a sweep.
    let least = |a: f64, b: f64| if a < b { a } else { b };
    // The weight of n + 1 over that of n, as a fraction: a division takes as long as all else in a term.
    let ratio = |n: f64| [threads - n, away * least(n + 1.0, servers)];
    let (mut work, mut at_resource) = (0.0, 0.0);
    let mut add = |n: f64, weight: f64| {
        work += weight * least(n, servers);
        // A fraction of a thread counts as a fraction of one operation.
        at_resource += weight * least(n, threads);
    };
    add(first, 1.0);
    let (mut n, mut weight) = (first, 1.0);
    for _ in 0..TERMS {
        let [more, fewer] = ratio(n);
        weight *= if more > 0.0 { more / fewer } else { 0.0 };
        n += 1.0;
        if weight < NEGLIGIBLE {
            break;
        }
        add(n, weight);
    }
    (n, weight) = (first, 1.0);
    for _ in 0..TERMS {
        if n < 1.0 {
            break;
        }
        n -= 1.0;
        let [more, fewer] = ratio(n);
        weight *= fewer / more;
        if weight < NEGLIGIBLE {
            break;
        }
        add(n, weight);
    }
    (at_resource / work).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Erlang's delay formula, by the recursion of his loss formula.
    fn erlang(servers: u32, used: f64) -> f64 {
        let load = f64::from(servers) * used;
        let loss = (1..=servers).fold(1.0, |loss, n| load * loss / (f64::from(n) + load * loss));
        let delayed = loss / (1.0 - used * (1.0 - loss));
        delayed / (f64::from(servers) * (1.0 - used))
    }

    /// Exact for one server; for several, the duration of an operation is within 3 % up to 90 % of the
    /// capacity.
    #[test]
    fn times_are_those_of_erlang() {
        for tenths in 1..=9 {
            let used = f64::from(tenths) / 10.0;
            assert!((meeting(used, 1.0) - used / (1.0 - used)).abs() < 1e-12);
            for servers in [2, 3, 5, 10, 20, 50, 200] {
                let found = 1.0 + meeting(used, f64::from(servers));
                let exact = 1.0 + erlang(servers, used);
                assert!(
                    (found / exact - 1.0).abs() < 0.03,
                    "{servers} {used}: {found} and {exact}"
                );
            }
        }
    }

    #[test]
    fn the_bound_of_a_delay_is_never_below_it() {
        for hundredths in 0..=98 {
            let used = f64::from(hundredths) / 100.0;
            for servers in [0.5, 1.0, 3.0, 3.5, 7.0, 24.0, 200.0, 1e6] {
                let (bound, found) = (most_at(used, servers), meeting(used, servers));
                assert!(
                    bound >= found * (1.0 - 1e-12),
                    "{used} {servers}: {bound} and {found}"
                );
                // The line is farthest above a power with the smallest base.
                assert!(
                    used < 0.5 || bound <= 1.1 * found,
                    "{used} {servers}: {bound} and {found}"
                );
            }
        }
    }

    /// Found by fuzzing: an operation that takes 1e300 s elsewhere uses next to nothing of a resource.
    #[test]
    fn a_resource_that_any_number_of_operations_saturates_has_a_bound() {
        for used in [0.0, 1e-300, 0.5, 0.98] {
            assert_eq!(most_at(used, f64::INFINITY), 0.0);
            assert_eq!(meeting(used, f64::INFINITY), 0.0);
        }
    }

    #[test]
    fn an_idle_resource_costs_nothing_and_a_full_one_has_an_end() {
        assert_eq!(meeting(0.0, 1.0), 0.0);
        assert!(meeting(1.0, 3.0).is_finite() && meeting(f64::INFINITY, 3.0).is_finite());
    }

    /// Exact mean value analysis of a single server and a delay (Reiser and Lavenberg, 1980).
    fn mva(threads: u32, away: f64) -> f64 {
        let (mut there, mut time) = (0.0, 1.0);
        for n in 1..=threads {
            time = 1.0 + there;
            there = f64::from(n) / (away + time) * time;
        }
        time
    }

    #[test]
    fn one_server_is_exact_mean_value_analysis() {
        for threads in [1, 2, 5, 20, 100] {
            for away in [0.1, 1.0, 10.0, 50.0, 300.0] {
                let found = slowdown(f64::from(threads), away, 1.0);
                let exact = mva(threads, away);
                assert!(
                    (found / exact - 1.0).abs() < 1e-6,
                    "{threads} {away}: {found} and {exact}"
                );
            }
        }
    }

    /// The results at clients and at the server depend on each other; a plain iteration finds the same.
    #[test]
    fn clients_and_the_server_are_each_away_from_the_other() {
        for (threads, away) in [(40.0, 0.1), (200.0, 0.5), (200.0, 5.0), (200.0, 30.0), (8.0, 0.0)] {
            for (own, share) in [(1.0, 0.05), (0.3, 0.2), (0.9, 0.9), (1.0, 0.001), (0.01, 0.5)] {
                let members = 4.0;
                let of = |away: f64, threads: f64, servers: f64| slowdown(threads, away, 1.0 / servers) - 1.0;
                let (mut at_client, mut at_server) = (0.0, 0.0);
                for _ in 0..100_000 {
                    at_server = of(away + at_client, threads, share);
                    at_client += 0.5 * (of(away + at_server, threads / members, own) - at_client);
                }
                let mut meetings = Meetings::default();
                meetings.shares.push((0, share));
                meetings.own.push(Own {
                    resource: 0,
                    seconds: own,
                    lone: 1.0,
                    used: own / members,
                });
                let case = Loop {
                    threads,
                    members,
                    lone: 1.0,
                    away,
                    throughput: 1.0,
                };
                let found = meetings.cost(&case, &[0.9 * share]);
                let expected = at_client + at_server;
                assert!(
                    (found - expected).abs() < 1e-6 * (1.0 + expected),
                    "{threads} {away} {own} {share}: {found} and {expected}"
                );
            }
        }
    }

    /// Erlang's delay formula: with 10 servers and a load of 8, 40.9 % of the arrivals wait, for 1/(10 − 8)
    /// of a service on average.
    #[test]
    fn many_threads_that_are_away_for_long_are_an_open_loop() {
        let (load, servers) = (8.0, 10.0);
        let threads = 1e7;
        let found = slowdown(threads, threads / load - 1.0, servers);
        let expected = 1.0 + 0.409_18 / (servers - load);
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} and {expected}");
        // A single server: 1/(1 − load).
        let found = slowdown(threads, threads / 0.75, 1.0);
        assert!((found / 4.0 - 1.0).abs() < 1e-3, "{found}");
    }

    #[test]
    fn a_full_resource_is_shared_and_an_idle_one_is_not() {
        assert_eq!(slowdown(200.0, 0.0, 20.0), 10.0);
        assert!((slowdown(200.0, 1.0, 20.0) / 9.0 - 1.0).abs() < 1e-9);
        assert_eq!(slowdown(1.0, 5.0, 1.0), 1.0);
        assert!(slowdown(10.0, 1000.0, 4.0) < 1.0001);
        assert_eq!(slowdown(10.0, 0.0, 40.0), 1.0);
    }

    /// A fraction of a thread counts as a fraction of one: at an almost saturated resource the result is
    /// continuous where the sum is skipped, and operations never exceed threads.
    #[test]
    fn parts_of_threads_are_between_whole_numbers() {
        for (away, servers) in [(0.017, 3.528), (0.3, 1.0), (1.0, 2.5), (4.0, 7.3)] {
            let mut before = 1.0;
            for twentieths in 20..600 {
                let threads = f64::from(twentieths) / 20.0;
                let found = slowdown(threads, away, servers);
                let step = 0.05 / servers;
                assert!(
                    (before..=before + step * (1.0 + 1e-9) + 1e-9).contains(&(found + 1e-9)),
                    "{threads} {away} {servers}: {before} to {found}"
                );
                assert!(
                    found <= (threads / servers).max(1.0) * (1.0 + 1e-12),
                    "{threads} {away} {servers}: {found}"
                );
                before = found;
            }
        }
    }

    /// More threads are never faster; more servers and longer pauses are never slower.
    #[test]
    fn it_grows_with_threads_only() {
        for threads in 1..60 {
            for (away, servers) in [(0.3, 1.0), (1.0, 2.5), (4.0, 7.3), (20.0, 3.0)] {
                let threads = f64::from(threads);
                let found = slowdown(threads, away, servers);
                assert!(
                    slowdown(threads + 0.5, away, servers) >= found * (1.0 - 1e-9),
                    "{threads} {away} {servers}"
                );
                assert!(
                    slowdown(threads, away * 1.1, servers) <= found * (1.0 + 1e-9),
                    "{threads} {away} {servers}"
                );
                assert!(
                    slowdown(threads, away, servers * 1.1) <= found * (1.0 + 1e-9),
                    "{threads} {away} {servers}"
                );
            }
        }
    }
}

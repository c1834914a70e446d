//! What chance meetings of operations cost.
//!
//! The steady state knows averages. At some moments more operations are in flight than a resource takes at
//! full speed, and at others fewer: on average they are slower than if as many as the average were always
//! there. A resource that *m* operations fill, and that shares its capacity among those in flight, is a queue
//! with *m* servers and processor sharing, whose mean does not depend on how work is distributed.
//!
//! In an open loop the queue is M/M/m: at a utilisation *U*, an operation takes
//!
//! ```text
//! 1 + C(m, m U) / (m (1 − U))
//! ```
//!
//! times as long as a lone one, with Erlang's delay formula *C*, of which *U* to the power of √(2(m + 1)) − 1
//! is a good approximation (Sakasegawa, 1977; exact for one server).
//!
//! In a closed loop, threads that are away for a mean time are a network with a solution in product form,
//! whatever the distributions of both times (Baskett, Chandy, Muntz and Palacios, 1975). With *N* threads
//! that are away for *z* times as long as a lone operation takes, *n* of them are at the resource with
//! probability
//!
//! ```text
//! p(n) ∝ z^(N − n) / (N − n)! / (min(1, m) · min(2, m) · … · min(n, m))
//! ```

/// The utilisation that stands for every one above it: latencies of an overload are those of its duration.
const FULL: f64 = 0.9999;
/// Weights below this share of the largest are not counted.
const NEGLIGIBLE: f64 = 1e-12;
/// The most terms to each side of the largest.
const TERMS: u32 = 4096;
/// How many standard deviations more threads than keep a resource full there must be for it to be always
/// full.
const ALWAYS: f64 = 7.0;

/// How much longer an operation takes than a lone one, less one, at a resource that is `used` to a share of
/// its capacity and that `servers` of these operations fill. Less than one operation never fills a resource.
pub(crate) fn meeting(used: f64, servers: f64) -> f64 {
    let (used, servers) = (used.clamp(0.0, FULL), servers.max(1.0));
    libm::pow(used, (2.0 * (servers + 1.0)).sqrt() - 1.0) / (servers * (1.0 - used))
}

/// How much longer an operation takes than a lone one, as a factor of at least 1: `threads` threads that are
/// `away` for a multiple of its time, at a resource that `servers` operations fill.
pub(crate) fn slowdown(threads: f64, away: f64, servers: f64) -> f64 {
    let servers = servers.max(1.0);
    // As many are away while the resource is full; they come and go at random.
    let thinking = servers * away;
    if threads - servers - thinking > ALWAYS * (thinking + 1.0).sqrt() {
        return threads / servers - away;
    }
    if threads <= 1.0 || away <= 0.0 {
        return (threads / servers).max(1.0);
    }
    let mode = if threads > servers * (1.0 + away) {
        threads - thinking
    } else {
        threads / (1.0 + away)
    };
    let first = mode.floor().clamp(0.0, threads.floor());
    let ratio = |n: f64| (threads - n) / away / (n + 1.0).min(servers);
    let (mut weights, mut work, mut at_resource) = (0.0, 0.0, 0.0);
    let mut add = |n: f64, weight: f64| {
        weights += weight;
        work += weight * n.min(servers);
        at_resource += weight * n;
    };
    add(first, 1.0);
    let (mut n, mut weight) = (first, 1.0);
    for _ in 0..TERMS {
        weight *= ratio(n).max(0.0);
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
        weight /= ratio(n);
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

    /// One server is exact; with several, the time of an operation is within 3 % up to 90 % of the capacity.
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

    /// More threads are never faster, more servers and longer pauses never slower.
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

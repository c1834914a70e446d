//! The last of several simultaneous commands.

/// Mean seconds until the last of several simultaneous commands completes, each with a mean service and its
/// standard deviation after a mean wait in its queue: services are treated as uniform, waits as exponential.
pub(crate) fn slowest(service: f64, deviation: f64, queue: f64, commands: f64) -> f64 {
    if commands <= 1.0 {
        return service + queue;
    }
    let spread = deviation * 3.0_f64.sqrt() * (commands - 1.0) / (commands + 1.0);
    service + spread + queue * longest(commands)
}

/// The longest of several waits, each with this probability for the rest of a run that began at any time, in
/// runs: the integral over 0 to 1 of 1 − (1 − p + p x)^n.
pub(crate) fn longest_rest(probability: f64, commands: f64) -> f64 {
    /// Where the closed form is left with rounding only, its first term is exact enough.
    const RARE: f64 = 1e-7;
    if probability * commands < RARE {
        return probability * commands / 2.0;
    }
    let n = commands + 1.0;
    let none = libm::pow(1.0 - probability.min(1.0), n);
    1.0 - (1.0 - none) / (probability * n)
}

/// Mean seconds of the last command in addition to its service: each waits for a constant part of the mean
/// plus an exponential time.
pub(crate) fn last_delay(mean: f64, variation: f64, commands: f64) -> f64 {
    mean * (1.0 + variation * (longest(commands.max(1.0)) - 1.0))
}

/// Mean number of commands at the place with the most of them, if each is at one of `places` drawn at random:
/// the number at a place is binomial, and places are treated as independent. At least one, and at least their
/// mean.
pub(crate) fn most_at_one(commands: f64, places: f64) -> f64 {
    /// Number of commands at a place from which it is treated as normally distributed.
    const MANY: f64 = 500.0;
    let mean = commands / places;
    if places <= 1.0 || commands <= 1.0 {
        return mean.max(1.0);
    }
    if mean > MANY {
        return mean + (2.0 * mean * libm::log(places)).sqrt();
    }
    // Of one place: the probability of `number`, and of more. Some place has at least one.
    let none = libm::pow(1.0 - 1.0 / places, commands);
    let mut exactly = none * commands / (places - 1.0);
    let (mut more, mut number, mut most) = (1.0 - none - exactly, 1.0, 1.0);
    while number < commands {
        let somewhere = 1.0 - libm::pow(1.0 - more, places);
        if somewhere < 1e-9 {
            break;
        }
        most += somewhere;
        exactly *= (commands - number) / ((number + 1.0) * (places - 1.0));
        number += 1.0;
        more = (more - exactly).max(0.0);
    }
    most.max(mean)
}

/// The maximum of several exponential times, relative to their mean.
fn longest(of: f64) -> f64 {
    let whole = of.floor();
    harmonic(whole) + (of - whole) / (whole + 1.0)
}

/// The sum of 1/k for k from 1 to a whole number; for large numbers by the Euler-Maclaurin expansion, whose
/// first omitted term is below 1e-14.
fn harmonic(count: f64) -> f64 {
    const EULER_MASCHERONI: f64 = 0.577_215_664_901_532_9;
    const SUMMED: f64 = 1_000.0;
    if count > SUMMED {
        return libm::log(count) + EULER_MASCHERONI + 0.5 / count - 1.0 / (12.0 * count * count);
    }
    (1..=count as u32).map(|k| 1.0 / f64::from(k)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: service only for one; the mean of the maximum of two uniform variates over 0 to 1 is 2/3; the
    /// maximum of three exponential waits of 1 is 1 + 1/2 + 1/3.
    #[test]
    fn the_last_of_several_commands_decides() {
        assert_eq!(slowest(1.0, 0.3, 2.0, 1.0), 3.0);
        let even = (1.0_f64 / 12.0).sqrt();
        assert!((slowest(0.5, even, 0.0, 2.0) - 2.0 / 3.0).abs() < 1e-12);
        assert!((slowest(0.0, 0.0, 1.0, 3.0) - 11.0 / 6.0).abs() < 1e-12);
        // A fifth of each is random.
        assert_eq!(last_delay(5.0, 0.2, 1.0), 5.0);
        assert!((last_delay(5.0, 0.2, 3.0) - (4.0 + 11.0 / 6.0)).abs() < 1e-12);
    }

    /// By hand: half a run for one; the largest of three uniform variates is 3/4 on average; of two that are
    /// there with one half each, 1/2 × 1/2 + 1/4 × 2/3.
    #[test]
    fn the_last_waits_for_the_longest_rest_of_a_run() {
        for (probability, commands, expected) in [
            (1.0, 1.0, 0.5),
            (0.3, 1.0, 0.15),
            (1.0, 3.0, 0.75),
            (0.5, 2.0, 5.0 / 12.0),
            (0.0, 4.0, 0.0),
            (1e-9, 4.0, 2e-9),
        ] {
            let found = longest_rest(probability, commands);
            assert!(
                (found - expected).abs() < 1e-8 * expected.max(1e-3),
                "{found} {expected}"
            );
        }
    }

    /// Published: two of 23 people share a birthday with a probability of 50.7 %, three of 88 with 51.1 %
    /// (published in 1966). Drawn 4,000 times by another program: 192 in as many places have 4.61 at one, 17
    /// in 96 have 1.85; 6,400 in 100 have 85.1.
    #[test]
    fn some_commands_meet_at_one_place() {
        assert_eq!(most_at_one(1.0, 96.0), 1.0);
        assert_eq!(most_at_one(7.0, 1.0), 7.0);
        assert!((most_at_one(2.0, 96.0) - 97.0 / 96.0).abs() < 1e-4);
        for (commands, places, expected) in [
            (23.0, 365.0, 1.52),
            (88.0, 365.0, 2.55),
            (17.0, 96.0, 1.85),
            (192.0, 192.0, 4.61),
            (6_400.0, 100.0, 85.1),
        ] {
            let most = most_at_one(commands, places);
            assert!(
                (most / expected - 1.0).abs() < 0.04,
                "{commands} in {places}: {most}"
            );
        }
        let [exact, normal] = [49_999.0, 50_001.0].map(|commands| most_at_one(commands, 100.0));
        assert!((normal / exact - 1.0).abs() < 0.03, "{exact} {normal}");
    }

    /// An overloaded log has batches of any size: the cost of this function must not depend on it.
    #[test]
    fn a_harmonic_number_of_any_size_is_found_at_once() {
        let [summed, expanded] = [1_000.0, 1_001.0].map(harmonic);
        assert!((expanded - summed - 1.0 / 1_001.0).abs() < 1e-13);
        assert!((harmonic(1e15) - 35.115_992_06).abs() < 1e-6);
        assert!(slowest(1.0, 0.0, 1.0, 1e18).is_finite());
    }
}

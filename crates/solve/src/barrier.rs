//! Threads that meet at a barrier: the last of them ends the step.

/// The threads of a flow group at a barrier.
pub(crate) struct AtBarrier {
    pub(crate) threads: f64,
    /// By class: its share of the operations, and the seconds of a thread until the next step.
    pub(crate) times: Vec<(f64, f64)>,
}

/// Mean seconds of a step: the mean maximum of the times of all threads, each of which draws the class of its
/// operation. With *F(t)* the share of a group's operations that take at most *t*, all *N* of its threads are
/// there by then with probability *F(t)* to the power of *N*.
pub(crate) fn step_seconds(groups: &[AtBarrier]) -> f64 {
    let all = groups.iter().flat_map(|group| &group.times);
    let mut times: Vec<f64> = all.map(|&(_, seconds)| seconds).collect();
    times.sort_unstable_by(f64::total_cmp);
    let mut before = 0.0;
    let of_times = times.into_iter().map(|seconds| {
        let by_then: f64 = groups.iter().map(|group| group.there_by(seconds)).product();
        let ends = by_then - before;
        before = by_then;
        ends * seconds
    });
    of_times.sum()
}

impl AtBarrier {
    /// Probability that all threads of the group are at the barrier by then.
    fn there_by(&self, seconds: f64) -> f64 {
        let (mut present, mut missing) = (0.0, false);
        for &(share, time) in &self.times {
            if time <= seconds {
                present += share;
            } else {
                missing = true;
            }
        }
        // The sum of all shares is 1 except for rounding.
        if missing {
            libm::pow(present, self.threads)
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread takes the mean, two the mean of the larger of two throws, many the longest time.
    #[test]
    fn the_last_of_several_throws() {
        let die: Vec<(f64, f64)> = (1..=6).map(|face| (1.0 / 6.0, f64::from(face))).collect();
        let of = |threads: f64| {
            step_seconds(&[AtBarrier {
                threads,
                times: die.clone(),
            }])
        };
        assert!((of(1.0) - 3.5).abs() < 1e-12);
        assert!((of(2.0) - 161.0 / 36.0).abs() < 1e-12);
        assert!((of(1e4) - 6.0).abs() < 1e-12);
        let coin = AtBarrier {
            threads: 1.0,
            times: vec![(0.5, 0.0), (0.5, 6.0)],
        };
        let die = AtBarrier {
            threads: 1.0,
            times: die,
        };
        assert!((step_seconds(&[coin, die]) - f64::midpoint(3.5, 6.0)).abs() < 1e-12);
    }
}

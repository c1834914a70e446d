//! Confidence intervals of simulated figures by batch means.
//!
//! The measured window is divided into batches of equal time, or of transaction groups if there are any, with
//! a division of the writers of a log each ([`super::divisions`]). Work
//! over time is a ratio of batch values, and so is the total latency over the number of operations. The
//! confidence interval of a ratio follows from the deviations of the batches, by Student's distribution (Law,
//! *Simulation Modeling and Analysis*, chapter 9; the ratio estimator is that of regenerative simulation).

use bandgraph_engine::Time as Instant;
use bandgraph_solve::Precision;

/// Minimum number of batches of equal time; at twice this number, pairs are merged.
const BATCHES: usize = 20;
/// The 95 % quantile of the normal distribution: 90 % are within ± this value.
const NORMAL: f64 = 1.6449;

/// Cumulative values since the start of the window, by workload.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Seconds.
    pub(super) at: f64,
    /// Operations; those in flight count by their completed fraction.
    pub(super) work: Vec<f64>,
    /// Operations completed.
    pub(super) completed: Vec<f64>,
    /// Their total latency, seconds.
    pub(super) latency: Vec<f64>,
}

/// The marks at the ends of batches, beginning with the start of the window.
pub(super) struct Batches {
    /// The start of the window.
    pub(super) begin: Instant,
    marks: Vec<Mark>,
    /// Seconds per batch; `None` if batches are transaction groups.
    interval: Option<f64>,
}

impl Batches {
    /// Batches of equal time for a window of `seconds`.
    pub(super) fn of_time(begin: Instant, first: Mark, seconds: f64) -> Self {
        Self {
            begin,
            interval: Some(seconds / BATCHES as f64),
            marks: vec![first],
        }
    }

    /// Batches that end with transaction groups.
    pub(super) fn of_groups(begin: Instant, first: Mark) -> Self {
        Self {
            begin,
            interval: None,
            marks: vec![first],
        }
    }

    /// Whether a batch ends now, if one of transaction groups does.
    pub(super) fn is_due(&self, now: Instant, of_groups: bool) -> bool {
        match self.interval {
            None => of_groups,
            Some(interval) => {
                let at = (now - self.begin).as_seconds();
                let last = &self.marks[self.marks.len() - 1];
                // A batch ends with the first event after its end: nothing changes between events.
                at >= ((last.at / interval + 1e-9).floor() + 1.0) * interval
            }
        }
    }

    /// Ends a batch.
    pub(super) fn end(&mut self, mark: Mark) {
        if mark.at > self.marks[self.marks.len() - 1].at {
            self.marks.push(mark);
        }
        if let Some(interval) = &mut self.interval
            && self.marks.len() > 2 * BATCHES
        {
            *interval *= 2.0;
            let mut kept = 0;
            self.marks.retain(|_| {
                kept += 1;
                kept % 2 == 1
            });
        }
    }

    /// The precision of the totals; `None` with too few batches.
    pub(super) fn precision(&self) -> Option<Precision> {
        self.of(|by_workload| by_workload.iter().sum())
    }

    /// The precision of one workload.
    pub(super) fn of_workload(&self, workload: usize) -> Option<Precision> {
        self.of(|by_workload| by_workload[workload])
    }

    fn of(&self, sum: impl Fn(&[f64]) -> f64) -> Option<Precision> {
        let steps = self.marks.windows(2);
        let batches: Vec<[f64; 4]> = steps
            .map(|ends| {
                let step = |of: fn(&Mark) -> &[f64]| sum(of(&ends[1])) - sum(of(&ends[0]));
                let work = step(|mark| &mark.work);
                let completed = step(|mark| &mark.completed);
                let latency = step(|mark| &mark.latency);
                [ends[1].at - ends[0].at, work, completed, latency]
            })
            .collect();
        Some(Precision {
            batches: batches.len() as u32,
            throughput: half_width(batches.iter().map(|&[seconds, work, ..]| [seconds, work]))?,
            latency: half_width(
                batches
                    .iter()
                    .map(|&[.., completed, latency]| [completed, latency]),
            ),
        })
    }
}

/// Relative half-width of the 90 % confidence interval of the ratio of second to first values; `None` for
/// fewer than three pairs, and if the ratio is 0 or undefined.
fn half_width(pairs: impl Iterator<Item = [f64; 2]> + Clone) -> Option<f64> {
    let count = pairs.clone().count();
    if count < 3 {
        return None;
    }
    let [below, above] = pairs.clone().fold([0.0, 0.0], |[x, y], [a, b]| [x + a, y + b]);
    if below <= 0.0 || above <= 0.0 {
        return None;
    }
    let ratio = above / below;
    let squares: f64 = pairs.map(|[x, y]| (y - ratio * x).powi(2)).sum();
    let degrees = (count - 1) as f64;
    let deviation = (squares / degrees / count as f64).sqrt();
    Some(student(degrees) * deviation * count as f64 / above)
}

/// The 95 % quantile of Student's distribution by the Cornish-Fisher expansion: 1.2 % low for two degrees of
/// freedom, less for more.
fn student(degrees: f64) -> f64 {
    let z = NORMAL;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    let mut power = 1.0;
    terms.iter().fold(z, |sum, term| {
        power *= degrees;
        sum + term / power
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of Student's distribution: 2.920, 2.132, 1.833, 1.729, 1.684.
    #[test]
    fn student_is_that_of_tables() {
        for (degrees, table) in [
            (2.0, 2.920),
            (4.0, 2.132),
            (9.0, 1.833),
            (19.0, 1.729),
            (40.0, 1.684),
        ] {
            assert!((student(degrees) / table - 1.0).abs() < 0.013, "{degrees}");
        }
    }

    /// By hand: four seconds with 9, 11, 9 and 11 operations give 10 per second; the squares are 1 each,
    /// 4/3/4 = 1/3, its root 0.577, times 2.353 is 1.36: 13.6 %.
    #[test]
    fn a_half_width_is_that_counted_by_hand() {
        let pairs = [[1.0, 9.0], [1.0, 11.0], [1.0, 9.0], [1.0, 11.0]];
        let half = half_width(pairs.into_iter()).expect("four batches");
        assert!((half - 0.1358).abs() < 1e-3, "{half}");
        // Longer batches with proportionally more operations have no deviation.
        let even = half_width([[1.0, 10.0], [2.0, 20.0], [0.5, 5.0]].into_iter());
        assert!(even.is_some_and(|half| half < 1e-12));
        assert_eq!(half_width([[1.0, 10.0], [1.0, 9.0]].into_iter()), None);
    }

    /// Batches double in length when there are 40 of them; the result is the same.
    #[test]
    fn pairs_of_batches_become_one() {
        let mark = |at: f64| Mark {
            at,
            work: vec![at * 7.0],
            completed: vec![at * 7.0],
            latency: vec![at],
        };
        let mut batches = Batches::of_time(Instant::ZERO, mark(0.0), 20.0);
        for second in 1..=40 {
            assert!(batches.is_due(Instant::from_seconds(f64::from(second)), false));
            batches.end(mark(f64::from(second)));
        }
        assert_eq!(batches.marks.len(), 21);
        assert_eq!(batches.marks[20].at, 40.0);
        let is_due = |at| batches.is_due(Instant::from_seconds(at), false);
        assert!(!is_due(41.0) && is_due(42.0));
        assert_eq!(batches.precision().map(|found| found.batches), Some(20));
    }
}

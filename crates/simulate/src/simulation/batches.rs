//! How exact the figures of a simulation are: batch means.
//!
//! The measured window is cut into batches, of equal time, or of transaction groups where there are any. What
//! was done in a batch over how long it took is a ratio, and so is the time that its operations took over
//! their number. The interval of a ratio follows from how far batches are off it, by Student's distribution
//! (Law, *Simulation Modeling and Analysis*, chapter 9; the ratio estimator is that of regenerative
//! simulation).

use bandgraph_engine::Time as Instant;
use bandgraph_solve::Precision;

/// Batches of equal time at the least; twice as many before pairs of them become one.
const BATCHES: usize = 20;
/// The 95 % point of the normal distribution: 90 % are between its two sides.
const NORMAL: f64 = 1.6449;

/// What had been done at some time since the window began, by workload.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Seconds.
    pub(super) at: f64,
    /// Operations, those in flight by the part of them that is done.
    pub(super) work: Vec<f64>,
    /// Operations completed.
    pub(super) completed: Vec<f64>,
    /// Seconds that these took.
    pub(super) latency: Vec<f64>,
}

/// The marks at the ends of batches, the beginning of the window first.
pub(super) struct Batches {
    /// The beginning of the window.
    pub(super) begin: Instant,
    marks: Vec<Mark>,
    /// Seconds of a batch; `None` where batches are transaction groups.
    interval: Option<f64>,
}

impl Batches {
    /// Batches of a window that begins with a mark, and its length in seconds.
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

    /// Whether a batch is over at a time.
    pub(super) fn is_due(&self, now: Instant, group_written: bool) -> bool {
        match self.interval {
            None => group_written,
            Some(interval) => {
                let at = (now - self.begin).as_seconds();
                let last = &self.marks[self.marks.len() - 1];
                // The first event after the end of a batch ends it: between events nothing changes.
                at >= ((last.at / interval + 1e-9).floor() + 1.0) * interval
            }
        }
    }

    /// A batch is over.
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

    /// How exact the figures of all workloads together are; `None` with too few batches.
    pub(super) fn precision(&self) -> Option<Precision> {
        self.of(|by_workload| by_workload.iter().sum())
    }

    /// The same of one workload.
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

/// Half of the 90 % interval of the ratio of second to first values, relative to it; `None` for fewer than
/// three pairs, and where the ratio is 0 or none.
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

/// The 95 % point of Student's distribution, by the expansion of Cornish and Fisher: 1.2 % low with two
/// degrees of freedom, less with more.
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

    /// Tables of Student's distribution: 2.920, 2.132, 1.833, 1.729, 1.684.
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

    /// By hand: four seconds with 9, 11, 9 and 11 operations are 10 a second; squares of 1 each, 4/3/4 = 1/3,
    /// whose root is 0.577, times 2.353 is 1.36: 13.6 %.
    #[test]
    fn a_half_width_is_that_counted_by_hand() {
        let pairs = [[1.0, 9.0], [1.0, 11.0], [1.0, 9.0], [1.0, 11.0]];
        let half = half_width(pairs.into_iter()).expect("four batches");
        assert!((half - 0.1358).abs() < 1e-3, "{half}");
        // Longer batches with proportionally more are as exact as can be.
        let even = half_width([[1.0, 10.0], [2.0, 20.0], [0.5, 5.0]].into_iter());
        assert!(even.is_some_and(|half| half < 1e-12));
        assert_eq!(half_width([[1.0, 10.0], [1.0, 9.0]].into_iter()), None);
    }

    /// Batches become twice as long when there are 40 of them, and count the same.
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

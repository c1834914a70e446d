//! The share of a sweep's points for one process of many.

use std::fmt;
use std::str::FromStr;

use bandgraph_diagnostics::Diagnostic;
use thiserror::Error;

use super::permutation::Permutation;

/// The maximum number of shards of a sweep.
const MAXIMUM_SHARDS: u64 = 1_000_000;

/// An arbitrary number, the same for all processes of a sweep.
const SEED: u64 = 0x5AD5;

/// One of several equal parts of a sweep: `2/8` is the second of eight.
///
/// Points are assigned in shuffled order, so that no shard gets all slow points of an axis. The sizes of
/// shards differ by one point at most, before filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    count: u64,
}

/// A text or a pair of numbers that is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidShard {
    /// Not of the form.
    #[error("a shard is written `I/N`, as `2/8` for the second of eight")]
    Form,
    /// An invalid number of shards.
    #[error("there are 1 to {MAXIMUM_SHARDS} shards, not {0}")]
    Count(u64),
    /// A number that is not among the shards.
    #[error("there is no shard {number} of {count}: they are numbered from 1 to {count}")]
    Number {
        /// The requested number.
        number: u64,
        /// The number of shards.
        count: u64,
    },
}

/// Environment variables in which schedulers give the number of a task, from 0: `HyperQueue`, Slurm,
/// Kubernetes.
const TASKS: [&str; 3] = ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

impl Shard {
    /// The shard of an argument: `2/8`, or `/8` with the number from an environment variable that schedulers
    /// set.
    ///
    /// # Errors
    ///
    /// An invalid argument or variable.
    pub fn of_argument(
        argument: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Box<Diagnostic>> {
        let text = match argument.strip_prefix('/') {
            None => argument.to_owned(),
            Some(count) => {
                let mut tasks = TASKS.iter().filter_map(|name| Some((name, variable(name)?)));
                let (name, task) = tasks.next().ok_or_else(|| {
                    let message = format!(
                        "`{argument}` leaves the number of the shard to a scheduler, and there is none"
                    );
                    Box::new(Diagnostic::argument(message).help(
                        "give the number, as in `--shard 2/8`, or set HQ_TASK_ID, SLURM_ARRAY_TASK_ID or \
                         JOB_COMPLETION_INDEX to one from 0",
                    ))
                })?;
                let number: u64 = task.trim().parse().map_err(|_| {
                    Box::new(Diagnostic::argument(format!(
                        "{name} is `{task}`, which is no number"
                    )))
                })?;
                format!("{}/{count}", number.saturating_add(1))
            }
        };
        text.parse()
            .map_err(|error: InvalidShard| Diagnostic::argument(error.to_string()).into())
    }

    /// The whole sweep as one shard.
    pub const WHOLE: Self = Self { number: 0, count: 1 };

    /// Shard `number` of `count`, from 1.
    ///
    /// # Errors
    ///
    /// [`InvalidShard`] if there is no such shard.
    pub fn new(number: u64, count: u64) -> Result<Self, InvalidShard> {
        if count == 0 || count > MAXIMUM_SHARDS {
            return Err(InvalidShard::Count(count));
        }
        if number == 0 || number > count {
            return Err(InvalidShard::Number { number, count });
        }
        Ok(Self {
            number: number - 1,
            count,
        })
    }

    /// Its number, from 1.
    pub fn number(&self) -> u64 {
        self.number + 1
    }

    /// The number of shards.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of candidates in the shard.
    pub fn size(&self, candidates: u64) -> u64 {
        candidates / self.count + u64::from(self.number < candidates % self.count)
    }

    /// A predicate for the candidates in the shard.
    pub fn members(&self, candidates: u64) -> impl Fn(u64) -> bool + Sync + use<> {
        let (shard, order) = (*self, Permutation::new(candidates, SEED));
        move |number| shard.count == 1 || order.at(number) % shard.count == shard.number
    }
}

impl FromStr for Shard {
    type Err = InvalidShard;

    fn from_str(text: &str) -> Result<Self, InvalidShard> {
        let (number, count) = text.split_once('/').ok_or(InvalidShard::Form)?;
        let parsed = |text: &str| text.trim().parse().map_err(|_| InvalidShard::Form);
        Self::new(parsed(number)?, parsed(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number(), self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_equal_and_share_nothing() {
        for (candidates, count) in [(10, 3), (1000, 7), (5, 8), (1, 1)] {
            let mut owners = vec![0; candidates];
            let mut sizes = Vec::new();
            for number in 1..=count {
                let members = Shard::new(number, count)
                    .expect("a shard")
                    .members(candidates as u64);
                let mine: Vec<usize> = (0..candidates).filter(|number| members(*number as u64)).collect();
                for number in &mine {
                    owners[*number] += 1;
                }
                let size = Shard::new(number, count)
                    .expect("a shard")
                    .size(candidates as u64);
                assert_eq!(mine.len() as u64, size);
                sizes.push(mine.len());
            }
            assert!(
                owners.iter().all(|owners| *owners == 1),
                "{candidates} {count}: {owners:?}"
            );
            let (least, most) = (sizes.iter().min(), sizes.iter().max());
            assert!(
                most.zip(least).is_some_and(|(most, least)| most - least <= 1),
                "{sizes:?}"
            );
        }
    }

    #[test]
    fn shards_are_read_and_written() {
        let shard: Shard = "2/8".parse().expect("a shard");
        assert_eq!(
            (shard.number(), shard.count(), shard.to_string()),
            (2, 8, "2/8".to_owned())
        );
        for (text, error) in [
            ("2", InvalidShard::Form),
            ("a/b", InvalidShard::Form),
            ("-1/3", InvalidShard::Form),
            ("0/3", InvalidShard::Number { number: 0, count: 3 }),
            ("4/3", InvalidShard::Number { number: 4, count: 3 }),
            ("1/0", InvalidShard::Count(0)),
            ("1/9999999", InvalidShard::Count(9_999_999)),
        ] {
            assert_eq!(text.parse::<Shard>(), Err(error), "{text}");
        }
    }
}

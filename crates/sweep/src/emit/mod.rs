//! Job files that run the shards of a sweep on many machines: one file per scheduler.
//!
//! In all of them, every shard runs `bandgraph sweep run --shard` with `--resume` and a journal in a folder
//! that all machines share, so that a restarted shard continues where it was killed. After all shards,
//! `bandgraph sweep merge` makes the results.

mod github_actions;
mod gnu_parallel;
mod hyperqueue;
mod kubernetes;
mod slurm;

use std::path::Path;

use thiserror::Error;

/// The parameters of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The path of the sweep file on the machines that run it.
    pub sweep: String,
    /// Overrides of the command line.
    pub sets: Vec<String>,
    /// Draws of the uncertain figures, if the command line sets their number.
    pub draws: Option<u32>,
    /// The name of the job: letters, digits and `-`.
    pub name: String,
    /// The number of shards.
    pub shards: u64,
    /// The folder of the journals, shared by all machines.
    pub journals: String,
    /// The program.
    pub program: String,
    /// The image with the program and the files, for Kubernetes.
    pub image: String,
}

/// The supported schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A `bash` script for `hq`.
    Hyperqueue,
    /// A script for `sbatch`.
    Slurm,
    /// Manifests of an indexed `Job`.
    Kubernetes,
    /// A `bash` script for GNU `parallel`.
    GnuParallel,
    /// A workflow with a matrix.
    GithubActions,
}

impl Engine {
    /// Each scheduler with its name and the kind of its job file, for arguments.
    #[rustfmt::skip]
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Hyperqueue, "hyperqueue", "A script for `hq`"),
        (Self::Slurm, "slurm", "A script for `sbatch`"),
        (Self::Kubernetes, "kubernetes", "Manifests of an indexed Job"),
        (Self::GnuParallel, "gnu-parallel", "A script for GNU parallel"),
        (Self::GithubActions, "github-actions", "A workflow with a matrix"),
    ];
}

/// Longer names are truncated: Kubernetes permits 63 characters, some of which it needs itself.
const LONGEST_NAME: usize = 40;

/// The job name for a sweep file, valid for every scheduler: lower-case letters, digits and `-`.
pub fn job_name(sweep: &Path) -> String {
    let stem = sweep.file_stem().unwrap_or_default().to_string_lossy();
    let letters = stem.chars().map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    let name: String = letters.take(LONGEST_NAME).collect();
    format!("sweep-{}", name.trim_matches('-'))
}

/// Why a job file cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// More shards than the scheduler supports.
    #[error("{engine} takes at most {most} shards in one job")]
    TooManyShards {
        /// The scheduler.
        engine: &'static str,
        /// The maximum number of shards.
        most: u64,
    },
}

/// The job file of `job` for `engine`.
///
/// # Errors
///
/// [`EmitError`] if the scheduler does not support the job.
pub fn job_file(engine: Engine, job: &Job) -> Result<String, EmitError> {
    match engine {
        Engine::Hyperqueue => Ok(hyperqueue::script(job)),
        Engine::Slurm => Ok(slurm::script(job)),
        Engine::Kubernetes => kubernetes::manifests(job),
        Engine::GnuParallel => Ok(gnu_parallel::script(job)),
        Engine::GithubActions => github_actions::workflow(job),
    }
}

impl Job {
    /// The command that runs a shard, given as `I/N`.
    fn run(&self, shard: &str) -> String {
        format!(
            "{} --quiet --jobs 1 sweep run {} --shard {shard} --resume --journal {}/{}",
            quoted(&self.program),
            quoted(&self.sweep),
            quoted(&self.journals),
            self.sets()
        )
    }

    /// The command that makes results from all journals.
    fn merge(&self) -> String {
        format!(
            "{} sweep merge {} {}/*.jsonl{} --csv results.csv --junit junit.xml --markdown summary.md",
            quoted(&self.program),
            quoted(&self.sweep),
            quoted(&self.journals),
            self.sets()
        )
    }

    fn sets(&self) -> String {
        let words: Vec<String> = self
            .sets
            .iter()
            .flat_map(|set| [" --set ".to_owned(), quoted(set)])
            .collect();
        let draws = self
            .draws
            .map_or_else(String::new, |draws| format!(" --draws {draws}"));
        words.concat() + &draws
    }
}

/// A word, quoted for a shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text, quoted for YAML: JSON strings are valid YAML.
fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("a/b-c.toml"), "a/b-c.toml");
        assert_eq!(quoted("it's $HOME; rm *"), "'it'\\''s $HOME; rm *'");
        assert_eq!(quoted(""), "''");
    }
}

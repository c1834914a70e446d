//! Job files that run the shards of a sweep on many machines, for schedulers that exist: one file each.
//!
//! All of them do the same: every shard runs `bandgraph sweep run --shard` with a journal in a folder that
//! all machines share, with `--resume`, so that a shard that was killed and is started again resumes where it
//! was; when all shards are done, `bandgraph sweep merge` makes the results of them.

mod github_actions;
mod gnu_parallel;
mod hyperqueue;
mod kubernetes;
mod slurm;

use std::path::Path;

use thiserror::Error;

/// What is to be run, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The sweep file, as the machines that run it see it.
    pub sweep: String,
    /// Overrides of the command line.
    pub sets: Vec<String>,
    /// Draws of the uncertain figures, where the command line says how many.
    pub draws: Option<u32>,
    /// What the job is called: letters, digits and `-`.
    pub name: String,
    /// How many shards.
    pub shards: u64,
    /// The folder of the journals, shared by all machines.
    pub journals: String,
    /// The program.
    pub program: String,
    /// The image that has the program and the files, for Kubernetes.
    pub image: String,
}

/// The schedulers that job files can be written for.
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
    /// Each with its name and what is written for it, for arguments.
    #[rustfmt::skip]
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Hyperqueue, "hyperqueue", "A script for `hq`"),
        (Self::Slurm, "slurm", "A script for `sbatch`"),
        (Self::Kubernetes, "kubernetes", "Manifests of an indexed Job"),
        (Self::GnuParallel, "gnu-parallel", "A script for GNU parallel"),
        (Self::GithubActions, "github-actions", "A workflow with a matrix"),
    ];
}

/// Longer names are cut: Kubernetes takes 63 characters, some of which it needs itself.
const LONGEST_NAME: usize = 40;

/// The name of the job of a sweep file, which every scheduler takes: lower-case letters, digits and `-`.
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

/// Why there is no job file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// More shards than the scheduler takes.
    #[error("{engine} takes at most {most} shards in one job")]
    TooManyShards {
        /// The scheduler.
        engine: &'static str,
        /// How many it takes.
        most: u64,
    },
}

/// The job file of `job` for `engine`.
///
/// # Errors
///
/// [`EmitError`] where the scheduler does not take such a job.
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
    /// The command that runs a shard; `shard` is its `I/N`.
    fn run(&self, shard: &str) -> String {
        format!(
            "{} --quiet --jobs 1 sweep run {} --shard {shard} --resume --journal {}/{}",
            quoted(&self.program),
            quoted(&self.sweep),
            quoted(&self.journals),
            self.sets()
        )
    }

    /// The command that makes results of all journals.
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

/// A word as a shell reads it back.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text as YAML reads it back: JSON strings are YAML.
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

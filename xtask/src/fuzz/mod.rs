//! `cargo xtask fuzz [--runs N] [--target NAME] [--seed N] [--from N]`: damaged and random inputs for every
//! reader and for the model.
//!
//! A target is a name, samples, and a check of one input. Inputs are mutations of samples by a named stream
//! of random numbers, so that target, seed and number replay a finding: `--target NAME --seed N --from N
//! --runs 1`. Inputs that once were findings are in `xtask/corpus` and come first. What an input must hold
//! to is more than that nothing panics: see [`readers`], [`server`] and [`storage`].

mod readers;
mod server;
mod storage;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bandgraph_testkit::Mutator;

use crate::Outcome;

/// What is wrong with what became of an input.
type Check = fn(&Corpus, &[u8]) -> Result<(), String>;

/// A reader, or the model.
struct Target {
    name: &'static str,
    /// Paths from the root: files, or folders with all below them, that this target has its samples from.
    samples: &'static [&'static str],
    /// Samples that are no files. A target without any samples gets the seed and the number of each input, to
    /// draw from.
    texts: &'static [&'static str],
    /// How many inputs it gets of ten thousand: fewer where one costs more.
    share: u64,
    check: Check,
}

/// The files of the project that targets read, by path.
struct Corpus {
    files: Vec<(String, Vec<u8>)>,
}

impl Corpus {
    /// The files that any target has as samples, and those that these name.
    fn read() -> Outcome<Self> {
        let mut files = Vec::new();
        for folder in [
            "scenarios",
            "topologies",
            "tests/fixtures",
            "examples/server",
            "crates/import/tests/samples",
        ] {
            below(Path::new(folder), &mut files)?;
        }
        files.sort();
        Ok(Self { files })
    }

    fn samples(&self, target: &Target) -> Outcome<Vec<Vec<u8>>> {
        let is_of = |path: &str| target.samples.iter().any(|sample| path.starts_with(sample));
        let files = self.files.iter().filter(|(path, _)| is_of(path));
        let mut samples: Vec<Vec<u8>> = files.map(|(_, bytes)| bytes.clone()).collect();
        samples.extend(target.texts.iter().map(|text| text.as_bytes().to_vec()));
        samples.extend(kept(target.name)?);
        Ok(samples)
    }

    /// The text of a file.
    fn file(&self, path: &str) -> &[u8] {
        let found = self.files.iter().find(|(name, _)| name == path);
        found.map_or(&[][..], |(_, bytes)| bytes)
    }
}

/// All files below a folder.
fn below(path: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Outcome<()> {
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() {
            below(&path, files)?;
        } else {
            let name = path.to_string_lossy().replace('\\', "/");
            files.push((name, std::fs::read(&path)?));
        }
    }
    Ok(())
}

/// Inputs of a target that once were findings.
fn kept(target: &str) -> Outcome<Vec<Vec<u8>>> {
    let folder = Path::new("xtask/corpus").join(target);
    let mut files = Vec::new();
    if folder.is_dir() {
        below(&folder, &mut files)?;
    }
    files.sort();
    Ok(files.into_iter().map(|(_, bytes)| bytes).collect())
}

fn targets() -> impl Iterator<Item = &'static Target> {
    readers::TARGETS
        .iter()
        .chain(server::TARGETS)
        .chain(storage::TARGETS)
}

/// What a run of a target came to.
struct Done {
    runs: u64,
    slowest: Duration,
    findings: Vec<String>,
}

/// Findings of a target after which it is left.
const ENOUGH: usize = 5;

/// The longest that one input may take. The slowest so far took about a minute, on a busy machine.
const LONGEST: Duration = Duration::from_mins(10);

/// The input that is being checked: since when, its number, and itself.
type Current = Arc<Mutex<Option<(Instant, u64, Vec<u8>)>>>;

/// Keeps an input that never ends, and ends the program: nothing else could.
fn watch(target: &'static str, seed: u64) -> Current {
    let current = Current::default();
    let watched = Arc::clone(&current);
    std::thread::spawn(move || {
        // Ends with the target, when nothing else holds the input.
        while Arc::strong_count(&watched) > 1 {
            std::thread::park_timeout(Duration::from_secs(5));
            let Ok(now) = watched.lock() else { return };
            let Some((since, number, input)) = &*now else {
                continue;
            };
            if since.elapsed() > LONGEST {
                let kept = keep(target, seed, *number, input);
                let place = kept.map_or_else(|error| error.to_string(), |path| path.display().to_string());
                eprintln!("{target} --seed {seed}, input {number}, has no end; kept as {place}");
                std::process::exit(1);
            }
        }
    });
    current
}

/// Gives a target `runs` inputs: those after its samples, or those from a number.
fn run(target: &Target, corpus: &Corpus, runs: u64, seed: u64, from: Option<u64>) -> Outcome<Done> {
    let samples = corpus.samples(target)?;
    let others: Vec<&[u8]> = samples.iter().map(Vec::as_slice).collect();
    let draws = target.samples.is_empty() && target.texts.is_empty();
    if others.is_empty() && !draws {
        return Err(format!("`{}` has no samples", target.name).into());
    }
    let mut done = Done {
        runs: 0,
        slowest: Duration::ZERO,
        findings: Vec::new(),
    };
    let current = watch(target.name, seed);
    let end = from.unwrap_or(others.len() as u64).saturating_add(runs);
    for number in from.unwrap_or(0)..end {
        let input = if let Some(sample) = others.get(number as usize) {
            sample.to_vec()
        } else if draws {
            format!("{seed} {number}").into_bytes()
        } else {
            // One stream for each input, so that its number replays it.
            let mut mutator = Mutator::new(target.name, seed.wrapping_mul(1 << 32).wrapping_add(number));
            let sample = *mutator.pick(&others);
            mutator.mutate(sample, &others)
        };
        let began = Instant::now();
        if let Ok(mut current) = current.lock() {
            *current = Some((began, number, input.clone()));
        }
        let checked = catch_unwind(AssertUnwindSafe(|| (target.check)(corpus, &input)));
        done.slowest = done.slowest.max(began.elapsed());
        done.runs += 1;
        let message = match checked {
            Ok(Ok(())) => continue,
            Ok(Err(message)) => message,
            Err(_) => "it panicked".to_owned(),
        };
        let path = keep(target.name, seed, number, &input)?;
        done.findings.push(format!(
            "{} --seed {seed}, input {number}, kept as {}: {message}",
            target.name,
            path.display()
        ));
        if done.findings.len() == ENOUGH {
            break;
        }
    }
    Ok(done)
}

/// Writes an input where it can be looked at.
fn keep(target: &str, seed: u64, number: u64, input: &[u8]) -> Outcome<PathBuf> {
    let folder = Path::new("target/fuzz");
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{target}-{seed}-{number}"));
    std::fs::write(&path, input)?;
    Ok(path)
}

/// The task.
pub(crate) fn fuzz(arguments: &[&str]) -> Outcome<()> {
    let (mut runs, mut seed, mut only, mut from) = (1_000_000_u64, 1_u64, None, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match *word {
            "--runs" => runs = value.parse()?,
            "--seed" => seed = value.parse()?,
            "--target" => only = Some(*value),
            "--from" => from = Some(value.parse()?),
            _ => return Err(format!("there is no option {word}").into()),
        }
    }
    let known: Vec<&str> = targets().map(|target| target.name).collect();
    if let Some(name) = only.filter(|name| !known.contains(name)) {
        return Err(format!("there is no target {name}; there are {}", known.join(", ")).into());
    }
    let corpus = Corpus::read()?;
    let all: u64 = targets().map(|target| target.share).sum();
    let (mut total, mut findings) = (0, Vec::new());
    let began = Instant::now();
    println!(
        "{:<12} {:>10} {:>9} {:>9}  slowest",
        "target", "inputs", "findings", "seconds"
    );
    for target in targets().filter(|target| only.is_none_or(|only| only == target.name)) {
        let share = if only.is_some() {
            runs
        } else {
            runs * target.share / all
        };
        let start = Instant::now();
        let done = run(target, &corpus, share, seed, from)?;
        println!(
            "{:<12} {:>10} {:>9} {:>9.1}  {:.1} ms",
            target.name,
            done.runs,
            done.findings.len(),
            start.elapsed().as_secs_f64(),
            done.slowest.as_secs_f64() * 1e3
        );
        total += done.runs;
        findings.extend(done.findings);
    }
    println!("{total} inputs in {:.0} s", began.elapsed().as_secs_f64());
    if findings.is_empty() {
        return Ok(());
    }
    Err(findings.join("\n").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short run with a fixed seed; `cargo xtask fuzz` is the long one.
    #[test]
    fn no_target_has_findings() {
        std::env::set_current_dir(crate::root()).expect("the root of the project");
        let corpus = Corpus::read().expect("the files of the project");
        let mut findings = Vec::new();
        for target in targets() {
            let done = run(target, &corpus, target.share, 7, None).expect("samples can be read");
            findings.extend(done.findings);
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}

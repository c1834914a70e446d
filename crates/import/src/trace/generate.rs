//! Synthetic traces from a recipe and a seed: of any length, and reproducible.

use std::str::FromStr;

use bandgraph_engine::{Stream, Streams};
use bandgraph_units::{Bytes, Time};
use thiserror::Error;

use super::fields::mix;
use super::zipf::Zipf;
use bandgraph_workload::{Mix, OperationKind, Record};

/// The maximum size of a file, up to which floats represent offsets exactly: 8 PiB.
const LARGEST_FILE: f64 = 9_007_199_254_740_992.0;

/// The properties of a synthetic trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Seed of all random draws.
    pub seed: u64,
    /// Total number of operations.
    pub operations: u64,
    /// Operations and their shares.
    pub mix: Mix,
    /// Sizes of reads and writes, with their weights.
    pub sizes: Vec<(Bytes, f64)>,
    /// Number of files.
    pub files: u64,
    /// Size of each file.
    pub file_size: Bytes,
    /// Clients, each with independent reads and writes.
    pub clients: u32,
    /// The probability that a read or write starts at the end of the client's previous one.
    pub sequential: f64,
    /// Skew of the popularity of places: 0 is uniform; about 1 is common in practice.
    pub zipf: f64,
    /// Operations per second of all clients together; arrivals are Poisson.
    pub rate: f64,
    /// The mean latency; latencies are exponentially distributed.
    pub latency: Time,
    /// The share of writes that are on stable storage before their reply.
    pub stable: f64,
}

impl Default for Recipe {
    /// Ten thousand operations: seven reads per three writes of 8 KiB, random in 100 files of 1 MiB, 1,000
    /// per second from 10 clients, 1 ms each.
    fn default() -> Self {
        Self {
            seed: 1,
            operations: 10_000,
            mix: Mix::new(&[(OperationKind::Read, 7.0), (OperationKind::Write, 3.0)])
                .expect("two different operations with weights above zero"),
            sizes: vec![(Bytes::new(8192.0), 1.0)],
            files: 100,
            file_size: Bytes::new(1_048_576.0),
            clients: 10,
            sequential: 0.0,
            zipf: 0.0,
            rate: 1000.0,
            latency: Time::new(0.001),
            stable: 0.0,
        }
    }
}

/// An invalid field of a recipe.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field}: {problem}")]
pub struct RecipeError {
    /// The field of the [`Recipe`].
    pub field: &'static str,
    /// The problem.
    pub problem: &'static str,
}

impl Recipe {
    /// All fields that are out of range.
    pub fn validate(&self) -> Vec<RecipeError> {
        let whole = |bytes: Bytes, most: f64| {
            let bytes = bytes.get();
            bytes >= 1.0 && bytes <= most && bytes.fract() == 0.0
        };
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let largest_size = self.sizes.iter().map(|(size, _)| size.get()).fold(0.0, f64::max);
        let weights: f64 = self.sizes.iter().map(|(_, weight)| *weight).sum();
        [
            (
                "sizes",
                "needs whole sizes of 1 B to 1 GiB, each with a weight above zero",
                !self.sizes.is_empty()
                    && weights.is_finite()
                    && self
                        .sizes
                        .iter()
                        .all(|(size, weight)| whole(*size, 1_073_741_824.0) && *weight > 0.0),
            ),
            ("files", "must be 1 to 2^40", (1..=1 << 40).contains(&self.files)),
            (
                "file_size",
                "must be whole bytes, and hold the largest I/O",
                whole(self.file_size, LARGEST_FILE) && self.file_size.get() >= largest_size,
            ),
            (
                "files",
                "all files together must stay below 2^63 bytes",
                self.files as f64 * self.file_size.get() < 9_223_372_036_854_775_808.0,
            ),
            (
                "clients",
                "must be 1 to 65536",
                (1..=65_536).contains(&self.clients),
            ),
            ("sequential", "must be 0 to 1", share(self.sequential)),
            ("stable", "must be 0 to 1", share(self.stable)),
            ("zipf", "must be 0 to 10", (0.0..=10.0).contains(&self.zipf)),
            (
                "rate",
                "must be above 0, and at most 10^9 a second",
                self.rate > 1e-6 && self.rate <= 1e9,
            ),
            (
                "latency",
                "must be 0 to 10 seconds",
                (0.0..=10.0).contains(&self.latency.get()),
            ),
        ]
        .into_iter()
        .filter(|(_, _, fine)| !fine)
        .map(|(field, problem, _)| RecipeError { field, problem })
        .collect()
    }
}

/// Parses a mix: a name, or operations with weights such as `read=7,write=3`.
///
/// # Errors
///
/// The problem of the text.
pub fn parse_mix(text: &str) -> Result<Mix, String> {
    match Mix::named(text) {
        Some(mix) => Ok(mix),
        None => Mix::new(&weighted::<OperationKind>(text)?).map_err(|error| error.to_string()),
    }
}

/// Parses sizes of reads and writes, with weights if there are several: `8 KiB=3,64 KiB=1`.
///
/// # Errors
///
/// The problem of the text.
pub fn parse_sizes(text: &str) -> Result<Vec<(Bytes, f64)>, String> {
    weighted(text)
}

/// Parses items with weights: `a=3,b=1`. A missing weight is 1.
fn weighted<Thing: FromStr<Err: ToString>>(text: &str) -> Result<Vec<(Thing, f64)>, String> {
    let entry = |entry: &str| {
        let (thing, weight) = entry.split_once('=').unwrap_or((entry, "1"));
        let number = weight.trim().parse::<f64>();
        let number = number.map_err(|_| format!("`{weight}` is not a weight"))?;
        let thing = thing.trim().parse::<Thing>();
        Ok((thing.map_err(|error| error.to_string())?, number))
    };
    text.split(',').map(entry).collect()
}

/// A generator of records from a recipe.
pub struct Generator {
    recipe: Recipe,
    arrivals: Stream,
    latencies: Stream,
    choices: Stream,
    places: Stream,
    mix_weights: Vec<f64>,
    size_weights: Vec<f64>,
    /// The working set, in blocks of the smallest size.
    zipf: Zipf,
    blocks: u64,
    blocks_per_file: u64,
    block: u64,
    file_size: u64,
    /// The position of each client: file and offset.
    positions: Vec<(u64, u64)>,
    now_ns: f64,
    done: u64,
}

impl Generator {
    /// # Errors
    ///
    /// All invalid fields of the recipe.
    pub fn new(recipe: Recipe) -> Result<Self, Vec<RecipeError>> {
        let problems = recipe.validate();
        if !problems.is_empty() {
            return Err(problems);
        }
        let streams = Streams::new(recipe.seed);
        let smallest = recipe
            .sizes
            .iter()
            .map(|(size, _)| size.get())
            .fold(f64::INFINITY, f64::min);
        let (block, file_size) = (smallest as u64, recipe.file_size.get() as u64);
        let blocks_per_file = (file_size / block).max(1);
        let blocks = recipe.files.saturating_mul(blocks_per_file);
        Ok(Self {
            arrivals: streams.stream("arrivals"),
            latencies: streams.stream("latencies"),
            choices: streams.stream("choices"),
            places: streams.stream("places"),
            mix_weights: recipe.mix.shares().iter().map(|(_, share)| share.get()).collect(),
            size_weights: recipe.sizes.iter().map(|(_, weight)| *weight).collect(),
            zipf: Zipf::new(blocks, recipe.zipf),
            blocks,
            blocks_per_file,
            block,
            file_size,
            // Clients start at different positions.
            positions: (0..recipe.clients)
                .map(|client| (mix(u64::from(client)) % recipe.files, 0))
                .collect(),
            now_ns: 0.0,
            done: 0,
            recipe,
        })
    }

    /// Total number of operations.
    pub fn operations(&self) -> u64 {
        self.recipe.operations
    }

    /// The block of a rank. Blocks of adjacent ranks are not adjacent on disk.
    fn scatter(&self, rank: u64) -> u64 {
        if self.recipe.zipf == 0.0 {
            return rank;
        }
        // A stride coprime to the number of blocks visits each of them once.
        let step = coprime_near(self.blocks);
        (u128::from(rank) * u128::from(step) % u128::from(self.blocks)) as u64
    }

    /// The file and offset of a client's next read or write of `size`.
    fn place(&mut self, client: usize, size: u64) -> (u64, u64) {
        let (file, offset) = self.positions[client];
        let (file, offset) = if self.places.chance(self.recipe.sequential) {
            // The next file follows the end of this one.
            if offset + size <= self.file_size {
                (file, offset)
            } else {
                ((file + 1) % self.recipe.files, 0)
            }
        } else {
            let rank = self.zipf.draw(&mut self.places);
            let block = self.scatter(rank);
            let offset = block % self.blocks_per_file * self.block;
            (
                block / self.blocks_per_file,
                // Larger sizes start at a multiple of themselves, so that all are aligned.
                (offset / size * size).min(self.file_size - size),
            )
        };
        self.positions[client] = (file, offset + size);
        (file, offset)
    }
}

/// A number near 0.618 of `count` that is coprime to it.
fn coprime_near(count: u64) -> u64 {
    let greatest_common = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut step = (count as f64 * 0.618_033_988_749_895) as u64 | 1;
    while greatest_common(step, count) != 1 {
        step += 2;
    }
    step
}

impl Iterator for Generator {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        if self.done == self.recipe.operations {
            return None;
        }
        if self.done > 0 {
            self.now_ns += self.arrivals.exponential(1e9 / self.recipe.rate);
        }
        self.done += 1;
        let client = self.choices.below(u64::from(self.recipe.clients)) as u32;
        let kind = self.choices.pick(&self.mix_weights).unwrap_or(0);
        let operation = self.recipe.mix.shares()[kind].0;
        let (file, offset, bytes) = if operation.moves_data() {
            let size = self.choices.pick(&self.size_weights).unwrap_or(0);
            let bytes = self.recipe.sizes[size].0.get() as u64;
            let (file, offset) = self.place(client as usize, bytes);
            (file, offset, bytes)
        } else {
            (self.places.below(self.recipe.files), 0, 0)
        };
        let latency_ns = self.latencies.exponential(self.recipe.latency.get() * 1e9) as u64;
        Some(Record {
            start_ns: self.now_ns as u64,
            latency_ns: Some(latency_ns),
            client,
            file,
            operation,
            offset,
            bytes,
            stable: operation == OperationKind::Write && self.choices.chance(self.recipe.stable),
        })
    }
}

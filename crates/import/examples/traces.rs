//! The trace reader alone, for measurements: without statistics and without a terminal.
//!
//! ```sh
//! cargo build --release -p bandgraph-import --example traces
//! traces=target/release/examples/traces
//! $traces generate nfsdump 20000000 | command time -v $traces count
//! ```

use std::env::args;
use std::error::Error;
use std::io::{BufWriter, Write, stdin, stdout};

use bandgraph_import::trace::{Format, Generator, ReadOptions, Reader, Recipe, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate", format, operations] => generate(format.parse()?, operations.parse()?),
        ["count"] => count(),
        _ => Err("generate FORMAT OPERATIONS, or count".into()),
    }
}

fn generate(format: Format, operations: u64) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe {
        operations,
        rate: 100_000.0,
        ..Recipe::default()
    };
    let mut writer = Writer::new(BufWriter::new(stdout().lock()), format);
    for record in Generator::new(recipe).map_err(|problems| problems[0].clone())? {
        writer.record(&record)?;
    }
    writer.finish()?;
    Ok(())
}

fn count() -> Result<(), Box<dyn Error>> {
    let mut reader = Reader::open(stdin(), ReadOptions::default())?;
    let (mut records, mut bytes) = (0_u64, 0_u64);
    for record in reader.by_ref() {
        records += 1;
        bytes = bytes.wrapping_add(record?.bytes);
    }
    let read = reader.bytes_read();
    writeln!(
        stdout(),
        "{records} records, {bytes} bytes moved, {read} bytes read"
    )?;
    Ok(())
}

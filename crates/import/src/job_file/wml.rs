//! Personalities of Filebench in its workload model language.
//!
//! `define fileset` declares files; `define process` and its threads declare the operations on them: a
//! sequence of *flowops*, repeated. A thread becomes a job: its flowops are counted as the NFS operations
//! that they cause (`wml_load.rs` has the table).

use std::collections::BTreeMap;
use std::ops::Range;

use super::wml_load::{Fileset, ThreadLoad};
use super::wml_syntax::{Attribute, Block, Statement, Value, parse};
use super::{JobFile, Sourced};

/// Whether a text is in this language: its first statement starts with one of its keywords.
pub(super) fn is_wml(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with(['#', ';']))
        .and_then(|line| line.split_whitespace().next())
        .is_some_and(|word| {
            [
                "set", "define", "debug", "enable", "usage", "version", "run", "load", "eventgen",
            ]
            .contains(&word)
        })
}

/// Definitions by name.
pub(super) struct Names<'a> {
    variables: BTreeMap<String, (Value, Range<usize>)>,
    filesets: BTreeMap<String, Fileset>,
    /// Events per second that threads with an `eventlimit` wait for.
    pub(super) events: Option<Sourced<f64>>,
    pub(super) file: &'a mut JobFile,
}

impl Names<'_> {
    /// The numeric value of an attribute; `None` if it is missing, or (with a problem) not a number.
    pub(super) fn number(&mut self, block: &Block, names: &[&str]) -> Option<Sourced<f64>> {
        let attribute = block.attribute(names)?;
        let value = self.resolved(&attribute.value, &attribute.range, 0)?;
        let Value::Number(number) = value else {
            self.file.problem(
                "job_file::value",
                format!("`{}` takes a number", attribute.name),
                attribute.range.clone(),
            );
            return None;
        };
        Some(Sourced::new(number, attribute.range.clone()))
    }

    /// The integer value of an attribute, or its default.
    pub(super) fn count(&mut self, block: &Block, names: &[&str], default: u64) -> Sourced<u64> {
        let range = block.range.clone();
        match self.number(block, names) {
            Some(number) if number.value >= 0.0 => Sourced::new(number.value as u64, number.range),
            _ => Sourced::new(default, range),
        }
    }

    /// The text of an attribute.
    pub(super) fn text(&mut self, block: &Block, name: &str) -> Option<String> {
        let attribute = block.attribute(&[name])?;
        match self.resolved(&attribute.value, &attribute.range, 0)? {
            Value::Text(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Variable(_) => None,
        }
    }

    /// The files that a flowop uses.
    pub(super) fn fileset(&mut self, block: &Block) -> Option<Fileset> {
        let attribute = block.attribute(&["filesetname", "filename"])?;
        let range = attribute.range.clone();
        let name = self.text(block, &attribute.name.clone())?;
        if let Some(fileset) = self.filesets.get(&name) {
            return Some(fileset.clone());
        }
        self.file.problem(
            "job_file::unknown_name",
            format!("no fileset `{name}` is defined"),
            range,
        );
        None
    }

    fn resolved(&mut self, value: &Value, range: &Range<usize>, depth: usize) -> Option<Value> {
        let Value::Variable(name) = value else {
            return Some(value.clone());
        };
        match self.variables.get(name).cloned() {
            Some((value, _)) if depth < 16 => self.resolved(&value, range, depth + 1),
            _ => {
                self.file.problem(
                    "job_file::unknown_name",
                    format!("`${name}` is not set"),
                    range.clone(),
                );
                None
            }
        }
    }
}

/// Reads a personality.
pub(super) fn read(text: &str) -> JobFile {
    let mut file = JobFile::default();
    let statements = parse(text, &mut file);
    let mut names = Names {
        variables: BTreeMap::new(),
        filesets: BTreeMap::new(),
        events: None,
        file: &mut file,
    };
    let mut runtime_s = None;
    let mut processes = Vec::new();
    for statement in statements {
        match statement {
            Statement::Set { name, value, range } => {
                names.variables.insert(name, (value, range));
            }
            Statement::Define(block) => match block.word.as_str() {
                "fileset" | "file" => define_files(&mut names, &block),
                "process" => processes.push(block),
                other => names
                    .file
                    .remark(format!("`define {other}` is ignored"), block.range.clone()),
            },
            Statement::Run { value, range } => {
                if let Some(Value::Number(seconds)) =
                    value.and_then(|value| names.resolved(&value, &range, 0))
                {
                    runtime_s = Some(Sourced::new(seconds, range));
                }
            }
            Statement::Events { value, range } => {
                match value.and_then(|value| names.resolved(&value, &range, 0)) {
                    Some(Value::Number(rate)) if rate > 0.0 => names.events = Some(Sourced::new(rate, range)),
                    _ => names.file.remark("`eventgen` without a rate is ignored", range),
                }
            }
            Statement::Other { word, range } => names.file.remark(format!("`{word}` is ignored"), range),
        }
    }
    let mut jobs = Vec::new();
    for process in &processes {
        let instances = names.count(process, &["instances"], 1);
        let name = names
            .text(process, "name")
            .unwrap_or_else(|| "process".to_owned());
        for thread in &process.blocks {
            if thread.word != "thread" {
                names
                    .file
                    .remark(format!("`{}` is ignored", thread.word), thread.range.clone());
                continue;
            }
            let load = ThreadLoad::read(&mut names, thread);
            let thread_name = names.text(thread, "name").unwrap_or_else(|| "thread".to_owned());
            let threads = names.count(thread, &["instances"], 1);
            let threads = Sourced::new(threads.value.saturating_mul(instances.value), threads.range);
            let name = Sourced::new(format!("{name}-{thread_name}"), thread.range.clone());
            jobs.extend(load.and_then(|load| load.job(&mut names, name, threads, runtime_s.clone())));
        }
    }
    file.jobs = jobs;
    file
}

/// Defines a set of files, or a single file.
fn define_files(names: &mut Names<'_>, block: &Block) {
    let Some(name) = names.text(block, "name") else {
        names
            .file
            .syntax(format!("a {} has a `name`", block.word), block.range.clone());
        return;
    };
    let entries = if block.word == "file" {
        1
    } else {
        names.count(block, &["entries"], 1000).value
    };
    let size = names.count(block, &["filesize", "size"], 1024);
    if let Some(fileset) = Fileset::new(entries, size.value) {
        names.filesets.insert(name, fileset);
    } else {
        names.file.problem(
            "job_file::value",
            format!("fileset `{name}` is empty, or too large"),
            block.range.clone(),
        );
    }
    for Attribute { name, range, .. } in &block.attributes {
        const READ: &[&str] = &["name", "entries", "filesize", "size"];
        // The location of files, and whether they are created in advance, has no effect here.
        const OF_NO_WEIGHT: &[&str] = &[
            "path",
            "prealloc",
            "reuse",
            "paralloc",
            "dirwidth",
            "trusttree",
            "readonly",
        ];
        if !READ.contains(&name.as_str()) && !OF_NO_WEIGHT.contains(&name.as_str()) {
            names.file.remark(format!("`{name}` is ignored"), range.clone());
        }
    }
}

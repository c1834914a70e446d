//! Workloads from job files: `job_file = "randread.fio"` of a `[[workload]]` is expanded into the jobs of the
//! file.
//!
//! Each job of the file becomes a workload with the fields of the entry, which take precedence over those of
//! the job. Values keep their places in the job file, so that problems are shown there.

use bandgraph_config::{Entry, Node, Reader, Set, Table, Value};
use std::collections::BTreeSet;

use bandgraph_diagnostics::{Diagnostic, Place, SourceId};
use bandgraph_import::job_file::{self, Job, JobFile, Sourced};
use bandgraph_workload::{ProtocolKind, Spacing};

/// The field of a workload that names its job file.
const FIELD: &str = "job_file";

/// Whether an override names an unknown workload that job files may still define.
pub(crate) fn may_bring(scenario: &Table, set: &Set) -> bool {
    let workloads = scenario
        .get("workload")
        .map_or(&[][..], |entry| entry.node.items());
    let mut tables = workloads.iter().filter_map(Node::table);
    set.names_other_than("workload", workloads) && tables.any(|table| table.contains_key(FIELD))
}

/// Replaces the workloads that name job files by the jobs of these files.
pub(crate) fn expand(loader: &mut Reader<'_>, scenario: &mut Table) {
    let Some(Value::Array(entries)) = scenario.get_mut("workload").map(|entry| &mut entry.node.value) else {
        return;
    };
    let mut expanded = Vec::with_capacity(entries.len());
    let mut times = Times::default();
    for entry in std::mem::take(entries) {
        match jobs_of(loader, &entry) {
            Some((source, file)) => {
                for job in &file.jobs {
                    times.take(job, source);
                }
                expanded.extend(workloads(&entry, &file, source));
            }
            None => expanded.push(entry),
        }
    }
    *entries = expanded;
    times.put(scenario);
}

/// The jobs of the file named by a workload. `None` if it names none, or an unusable one; the problem is then
/// recorded.
fn jobs_of(loader: &mut Reader<'_>, entry: &Node) -> Option<(SourceId, JobFile)> {
    let named = entry.table()?.get(FIELD)?;
    let path = loader.beside(&named.node.place, named.node.text()?);
    let source = loader.source(&path, Some(&named.node.place))?;
    let file = job_file::read(loader.sources.text(source));
    for problem in &file.problems {
        let mut diagnostic = Diagnostic::error(problem.id, problem.message.as_str())
            .at(Place::new(source, problem.range.clone()))
            .help_if(problem.help.clone());
        if problem.range.is_empty() {
            diagnostic = diagnostic.also(named.node.place.clone().label("named here"));
        }
        loader.problems.push(diagnostic);
    }
    for remark in &file.remarks {
        let note = Diagnostic::note("job_file::ignored", remark.message.as_str());
        loader
            .problems
            .push(note.at(Place::new(source, remark.range.clone())));
    }
    file.problems.is_empty().then_some((source, file))
}

/// A value of a job as a field of a table.
fn field(source: SourceId, range: &std::ops::Range<usize>, value: Value) -> Entry {
    let place = Place::new(source, range.clone());
    Entry {
        key_place: place.clone(),
        node: Node { value, place },
    }
}

/// The workloads of an entry, one per job.
fn workloads(entry: &Node, file: &JobFile, source: SourceId) -> Vec<Node> {
    let given = entry.table().cloned().unwrap_or_default();
    let mut ids = BTreeSet::new();
    file.jobs
        .iter()
        .map(|job| {
            let mut table = given.clone();
            table.remove(FIELD);
            if file.jobs.len() > 1
                && let Some(id) = table.get_mut("id")
                && let Value::Text(text) = &mut id.node.value
            {
                *text = unique(&format!("{text}-{}", plain(&job.name.value)), &mut ids);
            }
            // Equivalent fields of the entry take precedence too.
            let said = |field: &str| given.contains_key(field);
            let local = matches!(
                given.get("protocol").and_then(|protocol| protocol.node.text()),
                Some(protocol) if protocol == ProtocolKind::Host.name()
            );
            for (name, entry) in fields(job, source, local) {
                let in_other_words = match name {
                    "read_sizes" | "write_sizes" => said("io_size"),
                    "rate_per_client" => said("rate"),
                    _ => false,
                };
                if !in_other_words {
                    table.entry(name.to_owned()).or_insert(entry);
                }
            }
            Node::new(Value::Table(table), entry.place.clone())
        })
        .collect()
}

/// A name as a valid id: other characters become `-`.
fn plain(name: &str) -> String {
    name.chars()
        .take(32)
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '_' {
                letter
            } else {
                '-'
            }
        })
        .collect()
}

fn unique(id: &str, ids: &mut BTreeSet<String>) -> String {
    let mut unique = id.to_owned();
    let mut number = 2;
    while !ids.insert(unique.clone()) {
        unique = format!("{id}-{number}");
        number += 1;
    }
    unique
}

/// The properties of a job, as fields of a workload.
fn fields(job: &Job, source: SourceId, local: bool) -> Vec<(&'static str, Entry)> {
    let bytes = |size: &Sourced<u64>| field(source, &size.range, Value::Text(format!("{} B", size.value)));
    let seconds = |time: &Sourced<f64>| field(source, &time.range, seconds(time.value));
    let whole = |count: u64| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
    let mix = &job.mix;
    let weights = mix.value.iter().map(|(operation, weight)| {
        let weight = field(source, &mix.range, Value::Float(*weight));
        (operation.name().to_owned(), weight)
    });
    let pattern = job.pattern.value.as_str().to_owned();
    let mut fields = vec![
        ("mix", field(source, &mix.range, Value::Table(weights.collect()))),
        ("pattern", field(source, &job.pattern.range, Value::Text(pattern))),
        (
            "threads_per_client",
            field(source, &job.threads.range, whole(job.threads.value)),
        ),
    ];
    // A client over a network has cores of its own, so that its processes are only streams. An open loop
    // would have infinitely many.
    let streams = job.processes.as_ref().or(job.rate.as_ref().map(|_| &job.threads));
    if let Some(streams) = streams {
        let name = if local && job.processes.is_some() {
            "processes_per_client"
        } else {
            "streams_per_client"
        };
        fields.push((name, field(source, &streams.range, whole(streams.value))));
    }
    // Direct I/O on a client does not bypass the cache of the server.
    if let Some(direct) = job.direct.as_ref().filter(|direct| local && direct.value) {
        fields.push(("direct", field(source, &direct.range, Value::Flag(true))));
    }
    fields.extend(job.io_size.as_ref().map(|size| ("io_size", bytes(size))));
    let sizes = [("read_sizes", &job.read_sizes), ("write_sizes", &job.write_sizes)];
    for (name, sizes) in sizes {
        let sizes = sizes.as_ref();
        fields.extend(sizes.map(|sizes| {
            let text = Value::Text(sizes.value.to_string());
            (name, field(source, &sizes.range, text))
        }));
    }
    for (name, time) in [("start", &job.start_s), ("stop", &job.stop_s)] {
        let time = time.as_ref();
        fields.extend(time.map(|time| (name, field(source, &time.range, self::seconds(time.value)))));
    }
    fields.extend(job.working_set.as_ref().map(|size| ("working_set", bytes(size))));
    fields.extend(
        job.think_time_s
            .as_ref()
            .map(|time| ("think_time", seconds(time))),
    );
    fields.extend(
        job.synchronous
            .as_ref()
            .map(|flag| ("synchronous", field(source, &flag.range, Value::Flag(flag.value)))),
    );
    if let Some(rate) = &job.rate {
        let spacing = if rate.value.poisson {
            Spacing::Poisson
        } else {
            Spacing::Deterministic
        };
        let each = Value::Text(format!("{} ops/s", rate.value.operations_per_s));
        fields.extend([
            ("rate_per_client", field(source, &rate.range, each)),
            (
                "arrivals",
                field(source, &rate.range, Value::Text(spacing.as_str().to_owned())),
            ),
            (
                "outstanding_per_client",
                field(source, &job.threads.range, whole(job.threads.value)),
            ),
        ]);
    }
    fields
}

fn seconds(seconds: f64) -> Value {
    Value::Text(format!("{seconds} s"))
}

/// Run times of a scenario from its jobs, if the scenario has none: the end of the last job, and the longest
/// ramp of the jobs that start immediately, which is the warm-up.
#[derive(Default)]
struct Times {
    end: Option<(f64, Place)>,
    ramp: Option<(f64, Place)>,
}

impl Times {
    fn take(&mut self, job: &Job, source: SourceId) {
        let start = job.start_s.as_ref().map_or(0.0, |start| start.value);
        let ramp = job.ramp_s.as_ref().map_or(0.0, |ramp| ramp.value);
        let end = job
            .runtime_s
            .as_ref()
            .map(|run| (start + ramp + run.value, &run.range));
        let first = job.ramp_s.as_ref().filter(|_| start == 0.0);
        let ramp = first.map(|ramp| (ramp.value, &ramp.range));
        for (longest, time) in [(&mut self.end, end), (&mut self.ramp, ramp)] {
            let Some((seconds, range)) = time else { continue };
            if longest.as_ref().is_none_or(|(longest, _)| seconds > *longest) {
                *longest = Some((seconds, Place::new(source, range.clone())));
            }
        }
    }

    fn put(self, scenario: &mut Table) {
        let ramp = self.ramp.as_ref().map_or(0.0, |(ramp, _)| *ramp);
        let run = self.end.map(|(end, place)| (end - ramp, place));
        for (name, time) in [("duration", run), ("warm_up", self.ramp)] {
            let Some((time, place)) = time else { continue };
            let run = scenario.entry("run".to_owned()).or_insert_with(|| Entry {
                key_place: place.clone(),
                node: Node::new(Value::Table(Table::new()), place.clone()),
            });
            if let Value::Table(run) = &mut run.node.value {
                run.entry(name.to_owned())
                    .or_insert_with(|| field(place.source, &place.range, seconds(time)));
            }
        }
    }
}

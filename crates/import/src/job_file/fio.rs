//! Job files of fio: sections in brackets, with options below them (`HOWTO`, "Job file format").
//!
//! A `[global]` section gives defaults to the jobs after it. `fio_job` makes jobs from sections,
//! `fio_section` reads their options. Jobs after a `stonewall` start when the runtime of the previous ones is
//! over.

use std::collections::BTreeMap;
use std::ops::Range;

use bandgraph_diagnostics::suggest;

use super::fio_section::{Given, Options, Section};
use super::fio_units::KbBase;
use super::{JobFile, Sourced};

/// Options without influence on the load of a server: where and with what, not how much.
const OF_NO_WEIGHT: &[&str] = &[
    "name",
    "description",
    "group_reporting",
    "buffered",
    "directory",
    "filename_format",
    "thread",
    "create_on_open",
    "create_only",
    "fallocate",
    "unlink",
    "invalidate",
    "time_based",
    "randrepeat",
    "allrandrepeat",
    "norandommap",
    "gtod_reduce",
    "eta",
    "per_job_logs",
    "refill_buffers",
    "randseed",
];

/// The names of all options, and comments.
const OPTIONS: &str = include_str!("fio_options.txt");

/// The names of all options.
fn options() -> impl Iterator<Item = &'static str> {
    let lines = OPTIONS.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}

/// Reads a job file.
pub(super) fn read(text: &str) -> JobFile {
    let mut file = JobFile::default();
    let mut global = Options::new();
    let mut section: Option<(&str, Range<usize>, Options<'_>)> = None;
    let mut in_global = false;
    let mut ignored = BTreeMap::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let content = line.trim();
        let from = at + (line.len() - line.trim_start().len());
        let range = from..from + content.len();
        if content.is_empty() || content.starts_with([';', '#']) {
            continue;
        }
        if let Some(inside) = content.strip_prefix('[') {
            if let Some((name, range, options)) = section.take() {
                job(name, range, &options, &mut file, &mut ignored);
            }
            let Some(name) = inside.strip_suffix(']') else {
                file.syntax("a section ends in `]`", range);
                in_global = false;
                continue;
            };
            in_global = name == "global";
            if !in_global {
                section = Some((name, range, global.clone()));
            }
            continue;
        }
        let (key, value) = match content.split_once('=') {
            Some((key, value)) => (key.trim_end(), value.trim_start()),
            None => (content, ""),
        };
        if key.starts_with("include ") {
            file.syntax("files that a job file includes are not read", range);
            file.help("write their options into this file");
            continue;
        }
        let given = Given {
            value,
            key_range: from..from + key.len(),
            range: if value.is_empty() {
                range.clone()
            } else {
                range.end - value.len()..range.end
            },
        };
        if value.contains("${") {
            let message = "environment variables are not looked up";
            file.problem("job_file::value", message, given.range);
            continue;
        }
        match (&mut section, in_global) {
            (Some((_, _, options)), _) => {
                options.insert(key, given);
            }
            (None, true) => {
                global.insert(key, given);
            }
            (None, false) => {
                file.syntax(format!("`{key}` is in no section"), range);
                file.help("sections begin with a line such as `[global]` or `[job]`");
            }
        }
    }
    if let Some((name, range, options)) = section.take() {
        job(name, range, &options, &mut file, &mut ignored);
    }
    // A remark about an option of `[global]` appears once, not per job.
    for (_, (message, range)) in ignored {
        file.remark(message, range);
    }
    phases(&mut file);
    file
}

/// Starts jobs when those before a `stonewall` are done, and stops them when their own runtime is over.
fn phases(file: &mut JobFile) {
    let mut walls: Vec<usize> = Vec::new();
    for (number, job) in file.jobs.iter().enumerate().skip(1) {
        if job.stonewall.is_some() {
            walls.push(number);
        }
    }
    // The last phase may be endless.
    let last = walls.last().copied().unwrap_or(0);
    if let Some(endless) = file.jobs[..last.min(file.jobs.len())]
        .iter()
        .find(|job| job.runtime_s.is_none())
    {
        let name = &endless.name.value;
        let message =
            format!("`stonewall` is ignored: when `{name}` is done is not known without its `runtime`");
        if let Some(range) = file.jobs[last].stonewall.clone() {
            file.remark(message, range);
        }
        walls.clear();
    }
    let (mut begin, mut end) = (0.0, 0.0_f64);
    for number in 0..file.jobs.len() {
        if walls.contains(&number) {
            begin = end;
        }
        let job = &mut file.jobs[number];
        let place = job.stonewall.clone().unwrap_or_else(|| job.name.range.clone());
        let (delay, place) = match &job.start_s {
            Some(start) => (start.value, start.range.clone()),
            None => (0.0, place),
        };
        let start = begin + delay;
        job.start_s = (start > 0.0).then(|| Sourced::new(start, place));
        if let Some(runtime) = &job.runtime_s {
            let seconds = start + job.ramp_s.as_ref().map_or(0.0, |ramp| ramp.value) + runtime.value;
            job.stop_s = Some(Sourced::new(seconds, runtime.range.clone()));
            end = end.max(seconds);
        }
    }
    // A job that lasts to the end needs no stop time.
    let endless = file.jobs.iter().any(|job| job.runtime_s.is_none());
    for job in &mut file.jobs {
        job.stop_s.take_if(|stop| !endless && stop.value >= end);
    }
}

fn job<'a>(
    name: &'a str,
    range: Range<usize>,
    options: &Options<'a>,
    file: &mut JobFile,
    ignored: &mut BTreeMap<usize, (String, Range<usize>)>,
) {
    let before = file.problems.len();
    let mut section = Section {
        options,
        file,
        base: KbBase::default(),
        name: range.clone(),
        read: Vec::new(),
    };
    if let Some(base) = section.value(&["kb_base"], "1000 or 1024", |text, _| match text {
        "1024" => Some(KbBase::Binary),
        "1000" => Some(KbBase::Decimal),
        _ => None,
    }) {
        section.base = base.value;
    }
    let job = section.job(name);
    let mut read = section.read;
    // A job with a problem was not read completely, so that its unused options are unknown.
    let Some(job) = job.filter(|_| file.problems.len() == before) else {
        return;
    };
    read.extend_from_slice(OF_NO_WEIGHT);
    for (&key, given) in options.iter().filter(|(key, _)| !read.contains(key)) {
        let place = given.key_range.clone();
        let is_option = self::options().any(|option| option == key);
        if let Some(meant) = suggest(key, self::options()).filter(|_| !is_option) {
            misspelt(file, key, &meant, place);
        } else {
            let why = if is_option { "" } else { ": fio has no such option" };
            ignored
                .entry(place.start)
                .or_insert_with(|| (format!("`{key}` is ignored{why}"), place));
        }
    }
    file.jobs.push(job);
}

/// Rejects a misspelt option; one of `[global]` once, not per job.
fn misspelt(file: &mut JobFile, key: &str, meant: &str, place: Range<usize>) {
    if file.problems.iter().all(|problem| problem.range != place) {
        let message = format!("fio has no option `{key}`");
        file.problem("job_file::unknown_option", message, place);
        file.help(format!("did you mean `{meant}`?"));
    }
}

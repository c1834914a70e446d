//! Job files compared by hand with the documentation of their formats.

use std::fmt::Write as _;
use std::ops::Range;

use bandgraph_workload::Sizes;

use super::{Sourced, read};

/// The text of a case: its own, or that of a shipped personality.
fn text_of(case: &str) -> &str {
    match case.trim() {
        "@fileserver" => include_str!("../../../../../scenarios/jobs/fileserver.f"),
        "@varmail" => include_str!("../../../../../scenarios/jobs/varmail.f"),
        "@webserver" => include_str!("../../../../../scenarios/jobs/webserver.f"),
        "@oltp" => include_str!("../../../../../scenarios/jobs/oltp.f"),
        "@randomread" => include_str!("../../../../../scenarios/jobs/randomread.f"),
        "@singlestreamread" => include_str!("../../../../../scenarios/jobs/singlestreamread.f"),
        "@singlestreamwrite" => include_str!("../../../../../scenarios/jobs/singlestreamwrite.f"),
        _ => case,
    }
}

/// What is read of a text, as in `cases.txt`.
fn found(text: &str) -> String {
    let file = read(text);
    let words = |range: &Range<usize>| text[range.clone()].to_owned();
    let mut found = String::new();
    for job in &file.jobs {
        let _ = write!(found, "\njob {} ({})", job.name.value, words(&job.name.range));
        let mut say = |name: &str, value: String, range: &Range<usize>| {
            let _ = write!(found, "\n  {name} {value} ({})", words(range));
        };
        let shares = |sizes: &Sizes| -> Vec<(f64, f64)> {
            let shares = sizes.shares().iter();
            shares.map(|(size, share)| (size.get(), *share)).collect()
        };
        say("mix", weights(&job.mix.value), &job.mix.range);
        say("pattern", format!("{:?}", job.pattern.value), &job.pattern.range);
        say("threads", job.threads.value.to_string(), &job.threads.range);
        for (name, count) in [
            ("io_size", &job.io_size),
            ("working_set", &job.working_set),
            ("processes", &job.processes),
        ] {
            if let Some(count) = count {
                say(name, count.value.to_string(), &count.range);
            }
        }
        for (name, sizes) in [("read_sizes", &job.read_sizes), ("write_sizes", &job.write_sizes)] {
            if let Some(sizes) = sizes {
                say(name, weights(&shares(&sizes.value)), &sizes.range);
            }
        }
        for (name, seconds) in [
            ("think_time_s", &job.think_time_s),
            ("runtime_s", &job.runtime_s),
            ("ramp_s", &job.ramp_s),
            ("start_s", &job.start_s),
            ("stop_s", &job.stop_s),
        ] {
            if let Some(seconds) = seconds {
                say(name, number(seconds.value), &seconds.range);
            }
        }
        for (name, flag) in [("synchronous", &job.synchronous), ("direct", &job.direct)] {
            if let Some(flag) = flag {
                say(name, flag.value.to_string(), &flag.range);
            }
        }
        if let Some(Sourced { value, range }) = &job.rate {
            let arrivals = if value.poisson { " random" } else { "" };
            say("rate", number(value.operations_per_s) + arrivals, range);
        }
    }
    for problem in &file.problems {
        let _ = write!(
            found,
            "\n{}: {} ({})",
            problem.id,
            problem.message,
            words(&problem.range)
        );
    }
    for remark in &file.remarks {
        let _ = write!(found, "\nremark: {} ({})", remark.message, words(&remark.range));
    }
    found.trim_start().to_owned()
}

/// Things with their weights: `read 0.7, write 0.3`.
fn weights<T: std::fmt::Display>(weights: &[(T, f64)]) -> String {
    let each = weights
        .iter()
        .map(|(thing, weight)| format!("{thing} {}", number(*weight)));
    each.collect::<Vec<_>>().join(", ")
}

/// A number without what is beyond its ninth decimal.
fn number(number: f64) -> String {
    ((number * 1e9).round() / 1e9).to_string()
}

#[test]
fn job_files_are_read_as_documented() {
    for case in include_str!("cases.txt").split("\n## ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (text, expected) = rest.split_once("=>\n").expect("a text and what is read of it");
        assert_eq!(found(text_of(text)), expected.trim_end(), "{title}");
    }
}

//! Targets that read: whatever the bytes, a reader ends and says what is wrong, and what it takes holds.

use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bandgraph_config::{Files, MemoryFiles, ReadError};
use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_import::{RowOptions, gather, inspect, job_file, measure, merge, resolve, rows, trace};
use bandgraph_report::{PictureWish, machine_json, picture};
use bandgraph_scenario::{
    check_with, imported_topology, load_calibration_with, load_sweep_with, load_topology_with, load_with,
};
use bandgraph_sweep::{JournalHeader, read_journal};
use bandgraph_units::QuantityKind;

use super::{Corpus, Target};

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "quantity",
        samples: &[],
        texts: &[
            "1.45 GiB/s",
            "10 Gbit/s",
            "25 us",
            "2.6 GHz",
            "87 %",
            "300 W",
            "12 ops/s",
            "256 KiB",
            "1e3 MB/s",
        ],
        share: 1710,
        check: quantity,
    },
    Target {
        name: "set",
        samples: &[],
        texts: &[
            "card.nic0.slot=s1",
            "link.cpu0-cpu1.part=ht3-x16",
            "socket.*.clock=\"2.6 GHz\"",
            "run.seed=7",
            "workload.read.io_size=8 KiB",
            "stack.instructions_per_byte=0.9",
            "clients.few.nics={ count = 2, rate = \"1 Gbit/s\" }",
        ],
        share: 600,
        check: set,
    },
    Target {
        name: "scenario",
        samples: &[
            "tests/fixtures/small.toml",
            "tests/fixtures/small-gate.toml",
            "scenarios/7410-barcelona/",
            "scenarios/x2270/",
        ],
        texts: &[],
        share: 30,
        check: scenario,
    },
    Target {
        name: "topology",
        samples: &["topologies/", "tests/fixtures/small-server.toml"],
        texts: &[],
        share: 500,
        check: server,
    },
    Target {
        name: "sweep",
        samples: &["tests/fixtures/sweep-small.toml", "scenarios/sweeps/"],
        texts: &[],
        share: 150,
        check: sweep,
    },
    Target {
        name: "calibration",
        samples: &["scenarios/calibrations/"],
        texts: &[],
        share: 100,
        check: calibration,
    },
    Target {
        name: "trace",
        samples: &[],
        texts: &[
            "1000003.103113 30.0801 31.0320 U C3 2a8f7d3f 1 lookup fh 0a1b name \"x.txt\" con = 82 len = \
             150\n\
             1000003.103500 31.0320 30.0801 U R3 2a8f7d3f 1 lookup OK ftype 1 mode 1a4 size 1000 con = 82 \
             len = 240\n\
             1000004.000000 30.0801 31.0320 U C3 2a8f7d40 6 read fh 0a1b off 0 count 2000 con = 82 len = \
             150\n\
             1000004.000700 31.0320 30.0801 U R3 2a8f7d40 6 read OK ftype 1 count 2000 eof 0 con = 82 len = \
             240\n",
            "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 0 4096\n/dev/sda wait 100\n\
             /dev/sda write 4096 8192\n/dev/sda close\n",
            "fio version 3 iolog\n0 /dev/sda add\n1 /dev/sda open\n2 /dev/sda read 0 4096\n9 /dev/sda write \
             0 512\n",
            "128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372016382155,usr,0,Write,1317441536,8192,1963\n",
            "  8,0    1        1     0.000000000  1234  Q   R 1000 + 8 [fio]\n\
             \x20 8,0    1        2     0.000100000  1234  C   R 1000 + 8 [0]\n",
        ],
        share: 2000,
        check: read_trace,
    },
    Target {
        name: "job-file",
        samples: &["scenarios/jobs/"],
        texts: &[
            "[global]\nrw=randread\nbs=8k\nsize=1g\n[job]\niodepth=4\nnumjobs=2\nrwmixread=70\n",
            "set $a=8k\neventgen rate=5\ndefine fileset name=f,size=$a,entries=9\ndefine process name=p {\n\
             thread name=t {\nflowop readwholefile name=r,filesetname=f,iosize=1k\n}\n}\nrun 60\n",
        ],
        share: 1000,
        check: read_job_file,
    },
    Target {
        name: "journal",
        samples: &[],
        texts: &[
            "{\"point\":0,\"hash\":\"aa\",\"metrics\":[1.0,null]}\n",
            "{\"point\":1,\"hash\":\"bb\",\"error\":[\"id\",\"message\"]}\n",
        ],
        share: 600,
        check: journal,
    },
    Target {
        name: "picture",
        samples: &[],
        texts: &[
            "{\"schema\":1,\"kind\":\"run\",\"name\":\"x\",\"resources\":[{\"id\":\"a\",\"rate\":1.0,\"capacity\":2.0}]}",
            "point,io_size,network_bytes_per_s,bottleneck\n0,4096,1e9,memory\n1,8192,2e9,memory\n",
            "{\"point\":0,\"io_size\":4096,\"network_bytes_per_s\":1e9}\n{\"point\":1,\"io_size\":8192}\n",
        ],
        share: 600,
        check: read_picture,
    },
    Target {
        name: "import",
        samples: &["examples/server/", "crates/import/tests/samples/"],
        texts: &["uncore_upi_0\nuncore_upi_1\n"],
        share: 1100,
        check: import,
    },
    Target {
        name: "measure",
        samples: &[],
        texts: &[
            "{\"fio \
             version\":\"fio-3\",\"jobs\":[{\"read\":{\"bw_bytes\":8e6,\"iops\":1e3,\"total_ios\":3000,\
             \"lat_ns\":{\"mean\":2e5,\"max\":9e5},\"clat_ns\":{\"percentile\":{\"50.000000\":180000}}}}]}",
            "avg-cpu:  %user %iowait %idle\n 1.0 2.0 97.0\n\nDevice r/s rkB/s wkB/s %util\nsda 1.0 10.0 5.0 \
             60.0\n",
            "Linux 6.1\n\nAverage: IFACE rxkB/s txkB/s\nAverage: eth0 100.0 200.0\n\nAverage: CPU %idle \
             %iowait\n\
             Average: all 90.0 1.0\n",
            "Inter-| Receive\n face |bytes\n eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
            "NIC statistics:\n rx_bytes: 5\n tx_bytes: 6\n",
            "Socket HT0 TX MB/s HT1 TX MB/s\n0 3170.82 2.00\n1 3.0 4.0\n",
            "System,,Socket \
             0,,SKT0trafficOut,\nDate,Time,READ,WRITE,UPI0,UPI1\n1,10:00:00,1,2,3,4\n1,10:00:01,1,2,3,4\n",
            "1.0,S0,1,1000,,uncore_imc_0/cas_count_read/,1000,100.0,,\n1.0,S0,1,9,,uncore_upi_0/event=0x2,umask=0xf/,1,1,,\n",
            "{\"interval\":1.0,\"counter-value\":\"5.0\",\"unit\":\"MiB\",\"event\":\"UNC_M_CAS_COUNT.RD\"}\n",
        ],
        share: 1570,
        check: measured,
    },
];

/// Files of the project with one of them in the place of another.
struct Changed<'a> {
    corpus: &'a Corpus,
    changed: MemoryFiles,
}

impl Files for Changed<'_> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        match self.changed.read(path) {
            Err(ReadError::Missing) => {
                let name = bandgraph_config::normal(path).to_string_lossy().into_owned();
                let bytes = self.corpus.file(&name);
                if bytes.is_empty() {
                    return Err(ReadError::Missing);
                }
                Ok(bytes.to_vec())
            }
            other => other,
        }
    }

    fn names(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn identity(&self, path: &Path) -> PathBuf {
        bandgraph_config::normal(path)
    }
}

fn changed<'a>(corpus: &'a Corpus, path: &str, input: &[u8]) -> Changed<'a> {
    Changed {
        corpus,
        changed: MemoryFiles::new().with(path, input.to_vec()),
    }
}

/// The files of the project as they are.
pub(super) fn unchanged(corpus: &Corpus) -> impl Files {
    Changed {
        corpus,
        changed: MemoryFiles::new(),
    }
}

/// Errors can be shown, whatever they are.
fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> Result<(), String> {
    let text = render::full(diagnostics, sources, false);
    if diagnostics.iter().any(Diagnostic::is_error) == text.contains("error[") {
        Ok(())
    } else {
        Err(format!("errors are not shown:\n{text}"))
    }
}

/// What is read is printed so that it reads back.
fn quantity(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(input);
    for kind in [
        QuantityKind::Bandwidth,
        QuantityKind::Time,
        QuantityKind::Bytes,
        QuantityKind::Frequency,
        QuantityKind::Fraction,
        QuantityKind::OperationRate,
        QuantityKind::Power,
    ] {
        let Ok(value) = kind.parse(&text) else { continue };
        if !value.is_finite() {
            return Err(format!("{value} of `{text}`"));
        }
        let printed = kind.format(value);
        let back = kind
            .parse(&printed)
            .map_err(|error| format!("`{printed}`: {error}"))?;
        if (back - value).abs() > 0.006 * value.abs() {
            return Err(format!(
                "`{text}` is {value}, printed as `{printed}`, which is {back}"
            ));
        }
    }
    Ok(())
}

fn set(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(input) else {
        return Ok(());
    };
    let files = changed(corpus, "none", b"");
    let mut sources = Sources::new();
    let sets = [text.to_owned()];
    match load_with(
        &files,
        Path::new("tests/fixtures/small.toml"),
        &sets,
        &mut sources,
    ) {
        Ok(loaded) => super::server::predicts(&loaded),
        Err(diagnostics) => shown(&diagnostics, &sources),
    }
}

/// Where a file is to lie: names of other files are relative to its folder, and those of the fixtures and of
/// the project differ.
fn place(input: &[u8], of_project: &'static str) -> &'static str {
    let names = |name: &[u8]| input.windows(name.len()).any(|part| part == name);
    if names(b"small.toml") || names(b"small-server") {
        "tests/fixtures/fuzzed.toml"
    } else {
        of_project
    }
}

/// Where a scenario is to lie: beside others, and beside a folder of what they have in common.
fn place_of_scenario(input: &[u8]) -> &'static str {
    place(input, "scenarios/7410-barcelona/fuzzed.toml")
}

/// `check` finds an error if, and only if, the file cannot be run; what runs holds to physics.
fn scenario(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    let path = place_of_scenario(input);
    let files = changed(corpus, path, input);
    let mut sources = Sources::new();
    let loaded = load_with(&files, Path::new(path), &[], &mut sources);
    let checked = check_with(&files, Path::new(path), &mut Sources::new());
    let is_sound = !checked.iter().any(Diagnostic::is_error);
    match loaded {
        Ok(_) if !is_sound => Err("`run` takes what `check` refuses".to_owned()),
        Ok(loaded) => super::server::predicts(&loaded),
        // A topology passes `check` and is no scenario.
        Err(diagnostics) if is_sound && !diagnostics.iter().any(|one| one.id.starts_with("file::")) => {
            Err(format!("`run` refuses what `check` takes: {diagnostics:?}"))
        }
        Err(diagnostics) => shown(&diagnostics, &sources),
    }
}

/// Samples are the shipped scenarios, which can be run: what is tested is more than how errors are shown.
#[cfg(test)]
#[test]
fn samples_of_scenarios_can_be_run() {
    std::env::set_current_dir(crate::root()).expect("the root of the project");
    let corpus = Corpus::read().expect("the files of the project");
    let target = TARGETS
        .iter()
        .find(|target| target.name == "scenario")
        .expect("it is there");
    for sample in corpus.samples(target).expect("samples can be read") {
        let path = place_of_scenario(&sample);
        let problems = check_with(
            &changed(&corpus, path, &sample),
            Path::new(path),
            &mut Sources::new(),
        );
        // A file of several cases can be run with the name of one.
        let mut errors = problems
            .iter()
            .filter(|one| one.is_error() && one.id != "file::cases");
        assert_eq!(errors.next(), None);
    }
}

fn server(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    let files = changed(corpus, "topologies/fuzzed.toml", input);
    let mut sources = Sources::new();
    let path = Path::new("topologies/fuzzed.toml");
    match load_topology_with(&files, path, &[], &mut sources) {
        Ok(_) => Ok(()),
        Err(diagnostics) => shown(&diagnostics, &sources),
    }
}

fn sweep(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    let path = place(input, "scenarios/sweeps/fuzzed.toml");
    let mut sources = Sources::new();
    match load_sweep_with(&changed(corpus, path, input), Path::new(path), &[], &mut sources) {
        Ok(_) => Ok(()),
        Err(diagnostics) => shown(&diagnostics, &sources),
    }
}

fn calibration(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    let path = "scenarios/calibrations/fuzzed.toml";
    let mut sources = Sources::new();
    match load_calibration_with(&changed(corpus, path, input), Path::new(path), &mut sources) {
        Ok(_) => Ok(()),
        Err(diagnostics) => shown(&diagnostics, &sources),
    }
}

/// A trace is read to its end, in the format that it looks like and in another one.
fn read_trace(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let other = trace::Format::ALL[input.len() % trace::Format::ALL.len()];
    for (format, strict) in [
        (None, false),
        (None, true),
        (Some(other), false),
        (Some(other), true),
    ] {
        let options = trace::ReadOptions {
            format,
            strict,
            ..trace::ReadOptions::default()
        };
        if let Ok(reader) = trace::Reader::open(Cursor::new(input.to_vec()), options) {
            read_to_end(reader, strict)?;
        }
    }
    Ok(())
}

/// Records are in the order of their start and end below 2^64, there are no more of them than lines, and an
/// error is the last item, of a strict reader only.
fn read_to_end(mut reader: trace::Reader, strict: bool) -> Result<(), String> {
    let (mut last, mut records) = (0, 0);
    while let Some(record) = reader.next() {
        let Ok(record) = record else {
            return match (strict, reader.next()) {
                (true, None) => Ok(()),
                other => Err(format!("after an error: {other:?}")),
            };
        };
        if record.start_ns < last || record.offset.checked_add(record.bytes).is_none() {
            return Err(format!("after {last} ns: {record:?}"));
        }
        last = record.start_ns;
        records += 1;
    }
    let (lines, bad) = (reader.lines_read(), reader.skipped().bad_lines());
    if records > lines || bad > lines + 1 {
        return Err(format!("{records} records and {bad} bad lines of {lines} lines"));
    }
    Ok(())
}

/// The same text is the same job, positions are in the text, no job is empty, and what gives no job gives a
/// problem.
fn read_job_file(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(input);
    let file = job_file::read(&text);
    if job_file::read(&text) != file {
        return Err("one text is two jobs".to_owned());
    }
    let problems = file.problems.iter().map(|problem| &problem.range);
    let mut ranges = problems.chain(file.remarks.iter().map(|remark| &remark.range));
    if let Some(range) = ranges.find(|range| text.get((*range).clone()).is_none()) {
        return Err(format!("{range:?} is not in the text"));
    }
    let is_empty = |job: &job_file::Job| {
        let weights = &job.mix.value;
        weights.is_empty()
            || weights
                .iter()
                .any(|(_, weight)| *weight <= 0.0 || weight.is_nan())
    };
    if file.jobs.iter().any(is_empty) || file.jobs.is_empty() && file.problems.is_empty() {
        return Err(format!("{:?}", file.jobs));
    }
    Ok(())
}

/// No damaged line is taken for a result.
fn journal(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    /// The header of the journals of one sweep.
    static HEADER: OnceLock<JournalHeader> = OnceLock::new();
    let header = HEADER.get_or_init(|| {
        let path = Path::new("tests/fixtures/sweep-small.toml");
        let files = changed(corpus, "none", b"");
        let sweep = load_sweep_with(&files, path, &[], &mut Sources::new());
        JournalHeader::new(&sweep.expect("a sound sweep"))
    });
    let mut bytes = header.line().into_bytes();
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(input);
    let mut taken = 0;
    let mut reader = BufReader::new(Cursor::new(bytes));
    let read = read_journal(&mut reader, header, &mut |_, _| {
        taken += 1;
        true
    });
    match read {
        Ok(_) if taken > 0 => Err(format!("{taken} lines without a checksum were taken")),
        _ => Ok(()),
    }
}

fn read_picture(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let wish = PictureWish {
        name: "x",
        kind: None,
        metric: None,
        before: None,
        operation: None,
    };
    if let Ok(picture) = picture(input, &wish) {
        let svg = picture.svg().map_err(|error| error.to_string());
        if let Ok(svg) = svg
            && has_no_number(&svg, &["\"", " ", ",", "(", "M", "L"])
        {
            return Err("NaN in a picture".to_owned());
        }
    }
    Ok(())
}

/// Whether a text has a number that is none where numbers begin, which is after one of these. Names may
/// contain any letters.
fn has_no_number(text: &str, before: &[&str]) -> bool {
    let kinds = ["NaN", "inf", "-inf"];
    let mut all = before
        .iter()
        .flat_map(|before| kinds.map(|kind| format!("{before}{kind}")));
    all.any(|number| {
        text.match_indices(&number).any(|(at, _)| {
            let next = text[at + number.len()..].bytes().next();
            next.is_none_or(|next| !next.is_ascii_alphanumeric())
        })
    })
}

/// What may be wrong with what damaged files describe together. Each value by itself is in its range.
const CONTRADICTIONS: [&str; 5] = [
    "import::impossible",
    "import::too_many_sockets",
    "topology::too_many",
    "topology::too_many_links",
    "topology::unreachable_socket",
];

/// Costs are numbers, and a topology that is written passes `check`.
fn import(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let files = MemoryFiles::new().with("machine", input.to_vec());
    let mut sources = Sources::new();
    let gathered = gather(&[PathBuf::from("machine")], &files, &mut sources);
    shown(&gathered.diagnostics, &sources)?;
    let machine = resolve(merge(gathered.facts));
    let findings = inspect(&machine);
    for finding in &findings {
        let cost = finding.costs_bytes_per_s;
        if cost.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
            return Err(format!("{finding:?}"));
        }
    }
    machine_json(&machine, &findings, &sources);
    if machine.sockets.is_empty() {
        return Ok(());
    }
    let Err(mut errors) = imported_topology(&machine, &mut sources) else {
        return Ok(());
    };
    errors.retain(|one| !CONTRADICTIONS.contains(&one.id));
    if errors.is_empty() {
        return Ok(());
    }
    Err(render::full(&errors, &sources, false))
}

/// Rows hold numbers, and are TOML.
fn measured(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let files = MemoryFiles::new()
        .with("a", input.to_vec())
        .with("rows.toml", Vec::new());
    let mut sources = Sources::new();
    let measured = measure(
        &[PathBuf::from("a"), PathBuf::from("a")],
        Some(1.0),
        &files,
        &mut sources,
    );
    shown(&measured.diagnostics, &sources)?;
    let text = rows(&measured.readings, &RowOptions::default(), None, &sources);
    if has_no_number(&text, &["\""]) {
        return Err(text);
    }
    let files = MemoryFiles::new().with("rows.toml", text.clone());
    let mut sources = Sources::new();
    let problems = check_with(&files, Path::new("rows.toml"), &mut sources);
    match problems.iter().find(|problem| problem.id == "file::syntax") {
        Some(problem) => Err(format!("{problem:?}\n{text}")),
        None => Ok(()),
    }
}

//! Measurements of a user's own machine in the formats of other programs: the JSON of fio, and tables.

use std::path::{Path, PathBuf};

use bandgraph_config::{Files, shortened};
use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, there_are};
use bandgraph_import::{Subject, measure};
use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::{OperationKind, Workload};

use crate::measured::DEFAULT_TOLERANCE;
use crate::{Loaded, Measured, Metric, Statistic, load_with};

/// The id of a warning of two measurements of one load that contradict each other.
pub const CONTRADICTION: &str = "measured::contradiction";
/// The id of a warning of a measurement that no prediction is near.
pub const FAR_OFF: &str = "measured::far_off";

/// The id of a note of a measurement that says nothing.
pub const LEFT_OUT: &str = "measured::left_out";
/// The id of warnings of figures of an included profile that the new one lacks.
pub const LOST_FIGURE: &str = "measured::lost_figure";
/// The id of warnings of measurements that the included profile was learned from.
pub const REPEATED: &str = "measured::repeated";

/// Deviations of the size of operations, and of the share of reads, above this are those of another load.
const OTHER_LOAD: f64 = 0.05;

/// Loads a scenario, with additional measurements from other files. A file with the JSON of fio is one
/// measurement: the payload of its jobs together. Any other is a table with the columns `metric` and `value`,
/// and optionally `id`: `network_bytes_per_s,2.1 GB/s`. The hash of the input is of these files too.
///
/// # Errors
///
/// As [`load_with`], for an unreadable file, and for jobs that fio says failed.
pub fn load_with_measured(
    files: &dyn Files,
    path: &Path,
    measured: &[PathBuf],
    sources: &mut Sources,
) -> Result<Loaded, Vec<Diagnostic>> {
    let mut loaded = load_with(files, path, &[], sources)?;
    for path in measured {
        let name = path.display().to_string();
        let refused = |reason: String| vec![Diagnostic::argument(reason)];
        let bytes = files.read(path);
        let bytes = bytes.map_err(|error| refused(format!("failed to read {name}: {error}")))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.trim_start().starts_with('{') || text.contains("\"fio version\"") {
            let (point, load) = of_fio(files, path, sources)?;
            loaded.warnings.extend(other_load(&loaded, &point, load));
            loaded.measured.push(point);
        } else {
            let place = Place::new(sources.add(&name, text.clone()), 0..0);
            let points = of_table(&name, &text, &place).map_err(|error| vec![*error])?;
            loaded.measured.extend(points);
        }
        loaded.input_hash = joint_hash([loaded.input_hash.as_bytes(), &*bytes]);
    }
    Ok(loaded)
}

/// One hash of several inputs, in their order.
pub fn joint_hash<'i>(inputs: impl IntoIterator<Item = &'i [u8]>) -> String {
    let mut hasher = blake3::Hasher::new();
    for input in inputs {
        hasher.update(blake3::hash(input).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn point(id: String, metric: Metric, value: f64, text: String, place: &Place) -> Measured {
    Measured {
        id,
        metric,
        resource: None,
        relative_to: None,
        value,
        text,
        statistic: Statistic::Average,
        tolerance: DEFAULT_TOLERANCE,
        reason: None,
        calibrated: false,
        dependence: None,
        null_model: None,
        source: String::new(),
        note: None,
        place: place.clone(),
    }
}

/// The mean size of operations that were measured, and the share of reads where it is known.
type Load = (Bytes, Option<f64>);

/// The payload that jobs of fio moved together, with what they did.
fn of_fio(
    files: &dyn Files,
    path: &Path,
    sources: &mut Sources,
) -> Result<(Measured, Load), Vec<Diagnostic>> {
    let name = path.display().to_string();
    let found = measure(&[path.to_owned()], None, files, sources);
    if found.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(found.diagnostics);
    }
    let metric = Metric::PayloadBytesPerSecond;
    let reading = |metric: Metric| {
        let readings = found.readings.iter();
        readings
            .filter(|reading| reading.format.starts_with("fio"))
            .find(|reading| reading.subject == Subject::Run(metric.as_str()))
    };
    let (Some(payload), Some(rate)) = (reading(metric), reading(Metric::OperationsPerSecond)) else {
        let message = format!("{name} is not what `fio --output-format=json` writes");
        return Err(vec![Diagnostic::argument(message)]);
    };
    let text = metric.format(payload.value);
    let note = "the bandwidth of all its jobs; its IOPS and latencies are not used";
    let point = Measured {
        note: Some(note.to_owned()),
        ..point(name, metric, payload.value, text, &payload.at.place())
    };
    Ok((point, (Bytes::new(payload.value / rate.value), payload.reads)))
}

/// A warning if the operations of a measurement are not of the size or in the direction that all workloads
/// have.
fn other_load(loaded: &Loaded, point: &Measured, (size, reads): Load) -> Option<Diagnostic> {
    let workloads = &loaded.scenario.workloads;
    let first = workloads.first()?;
    let reads_of = |workload: &Workload| {
        let [reads, writes] =
            [OperationKind::Read, OperationKind::Write].map(|kind| workload.mix.share(kind).get());
        reads / (reads + writes)
    };
    let (of_load, shares) = (first.io_size, reads_of(first));
    let message = if workloads.iter().all(|other| other.io_size == of_load)
        && (size.get() / of_load.get() - 1.0).abs() > OTHER_LOAD
    {
        format!(
            "operations of {} have {} on average, and those of the scenario {}",
            point.id,
            size.binary(),
            of_load.binary()
        )
    } else if workloads.iter().all(|other| reads_of(other) == shares)
        && reads.is_some_and(|reads| (reads - shares).abs() > OTHER_LOAD)
    {
        format!(
            "{} of the operations of {} are reads, and {} of those of the scenario",
            Fraction::new(reads?),
            point.id,
            Fraction::new(shares)
        )
    } else {
        return None;
    };
    let warning = Diagnostic::warning("measured::other_load", message).at(point.place.clone());
    Some(warning.help("a measurement is compared with the prediction of this scenario's load"))
}

fn of_table(name: &str, text: &str, place: &Place) -> Result<Vec<Measured>, Box<Diagnostic>> {
    let refused = |reason: String| Box::new(Diagnostic::argument(reason));
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let unread = |error: csv::Error| refused(format!("{name} is not a table: {error}"));
    let header = reader.headers().map_err(unread)?.clone();
    let column = |wanted: &str| header.iter().position(|column| column == wanted);
    let missing = |wanted: &str| {
        let error = refused(format!(
            "{name} has no column `{wanted}`: it needs `metric` and `value`"
        ));
        if Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            Box::new(
                (*error).help("`include` a TOML file in the scenario: its `[[measured]]` entries are used"),
            )
        } else {
            error
        }
    };
    let metrics = column("metric").ok_or_else(|| missing("metric"))?;
    let values = column("value").ok_or_else(|| missing("value"))?;
    let ids = column("id");
    let mut points = Vec::new();
    for row in reader.records() {
        let row = row.map_err(unread)?;
        let start = row.position().map_or(0, |position| position.byte() as usize);
        // At the cell, which is searched for behind those before it.
        let cell = |column: usize| {
            let before: usize = (0..column).map(|before| row[before].len() + 1).sum();
            let from = start + before;
            let found = text.get(from..).and_then(|rest| rest.find(&row[column]));
            let at = from + found.unwrap_or(0);
            Place::new(place.source, at..at + row[column].len())
        };
        let wrong = |column: usize, reason: String| {
            Box::new(Diagnostic::error("usage::argument", reason).at(cell(column)))
        };
        let word = &row[metrics];
        let known = || Metric::ALL.iter().filter(|metric| !metric.is_of_resource());
        let metric = known().copied().find(|metric| metric.as_str() == word);
        let metric = metric.ok_or_else(|| {
            let names = || known().map(|metric| metric.as_str());
            let help = did_you_mean(word, names()).unwrap_or_else(|| there_are(names()));
            let error = wrong(
                metrics,
                format!("there is no metric `{}` of a whole run", shortened(word)),
            );
            Box::new((*error).help(help))
        })?;
        let written = row[values].to_owned();
        let value = match metric.kind() {
            Some(kind) => kind
                .parse(&written)
                .map_err(|error| wrong(values, error.to_string()))?,
            None => written
                .parse()
                .map_err(|_| wrong(values, format!("`{}` is not a number", shortened(&written))))?,
        };
        if !(value.is_finite() && value > 0.0) {
            let message = format!("`{}` is not above zero", shortened(&written));
            return Err(wrong(values, message));
        }
        // The position is that of the line end before, where that has two letters.
        let first = text
            .get(start..)
            .map_or(start, |rest| text.len() - rest.trim_start().len());
        let line = 1 + text.get(..first).unwrap_or_default().matches('\n').count();
        let id = ids.map_or_else(|| format!("{name}:{line}"), |ids| row[ids].to_owned());
        points.push(point(id, metric, value, written, &cell(metrics)));
    }
    if points.is_empty() {
        return Err(refused(format!("{name} has no rows")));
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use bandgraph_config::MemoryFiles;
    use bandgraph_diagnostics::render;

    use super::*;
    use crate::folder::tests::{SERVER, scenario};

    /// The measurements of a text beside a scenario of 1 MiB reads, with its warnings; or the errors.
    fn read(text: &str) -> Result<(Vec<(String, f64)>, String), String> {
        let sized = scenario("a").replace("mix =", "io_size = \"1 MiB\"\nmix =");
        let files = MemoryFiles::new()
            .with("server.toml", SERVER)
            .with("a.toml", sized)
            .with("points", text);
        let mut sources = Sources::new();
        let loaded = load_with_measured(&files, Path::new("a.toml"), &["points".into()], &mut sources);
        let loaded = loaded.map_err(|errors| render::full(&errors, &sources, false))?;
        let points = loaded.measured.iter();
        let points = points.map(|point| (point.metric.as_str().to_owned(), point.value));
        Ok((points.collect(), render::full(&loaded.warnings, &sources, false)))
    }

    /// Other measurements of the same scenario are another input.
    #[test]
    fn the_hash_is_of_the_measurements_too() {
        let hash = |points: &str| {
            let files = MemoryFiles::new()
                .with("server.toml", SERVER)
                .with("a.toml", scenario("a"))
                .with("points", points);
            let mut sources = Sources::new();
            let loaded = load_with_measured(&files, Path::new("a.toml"), &["points".into()], &mut sources);
            loaded.expect("it is read").input_hash
        };
        let of = |rate: &str| hash(&format!("metric,value\nnetwork_bytes_per_s,{rate}\n"));
        assert_eq!(of("2.1 GB/s"), of("2.1 GB/s"));
        assert_ne!(of("2.1 GB/s"), of("2.2 GB/s"));
    }

    /// Jobs of fio with these fields of their reads.
    fn fio(jobs: &[&str]) -> String {
        let jobs = jobs
            .iter()
            .map(|read| format!("{{\"read\": {{\"total_ios\": 9, {read}}}}}"));
        let jobs = jobs.collect::<Vec<_>>().join(",\n");
        format!("note: a warning of fio\n{{\"fio version\": \"fio-3.28\", \"jobs\": [\n{jobs}]}}")
    }

    /// The format of `fio --output-format=json`, version 3: rates in bytes/s are `bw_bytes`.
    #[test]
    fn jobs_of_fio_add_up() {
        let two = [
            "\"bw_bytes\": 1048576000, \"iops\": 1000",
            "\"bw_bytes\": 524288000, \"iops\": 500",
        ];
        let payload = |value: f64| vec![("payload_bytes_per_s".to_owned(), value)];
        assert_eq!(read(&fio(&two)), Ok((payload(1_572_864_000.0), String::new())));
        let small = read(&fio(&["\"bw_bytes\": 4096000, \"iops\": 1000"])).expect("it is read");
        assert_eq!(small.0, payload(4_096_000.0));
        assert!(
            small
                .1
                .contains("have 4 KiB on average, and those of the scenario 1 MiB"),
            "{}",
            small.1
        );
        let written = fio(&["\"bw_bytes\": 1048576000, \"iops\": 1000"]).replace("read", "write");
        let written = read(&written).expect("it is read").1;
        assert!(
            written.contains("0 % of the operations of points are reads, and 100 % of those of the scenario"),
            "{written}"
        );
        for (text, said) in [
            ("{}", "is of no format with measurements"),
            (&fio(&[]), "no figure that can be compared"),
            (&fio(&two)[..90], "--> points:3:"),
            (&fio(&["\"bw_bytes\": 5, \"iops\": -5"]), "`iops` is -5"),
        ] {
            assert!(
                read(text).is_err_and(|error| error.contains(said)),
                "{text}: {:?}",
                read(text)
            );
        }
    }

    #[test]
    fn tables_have_metrics_with_units() {
        let text = "metric, value\nnetwork_bytes_per_s, 2.1 GB/s\ncpi, 7.5\n";
        assert_eq!(
            read(text).map(|(points, _)| points),
            Ok(vec![
                ("network_bytes_per_s".to_owned(), 2.1e9),
                ("cpi".to_owned(), 7.5)
            ])
        );
        for (text, said) in [
            ("metric\ncpi\n", "no column `value`"),
            ("metric,value\n", "no rows"),
            ("metric,value\nspeed,1\n", "there is no metric `speed`"),
            ("metric,value\ncpi,fast\n", "`fast` is not a number"),
            ("metric,value\ncpi,0\n", "not above zero"),
            ("metric,value\nspeed,1\n", "--> points:2:1"),
            ("metric,value\nspeed,1\n", "there are `network_bytes_per_s`"),
            (
                "metric,value\ncpi,8\nopps_per_s, 1\n",
                "did you mean `ops_per_s`?",
            ),
            ("id,metric,value\na,network_bytes_per_s,7\n", "--> points:2:23"),
        ] {
            assert!(read(text).is_err_and(|error| error.contains(said)), "{text}");
        }
    }
}

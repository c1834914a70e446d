//! Measurements of a user's own machine in the formats of other programs: the JSON of fio, and tables.

use std::path::{Path, PathBuf};

use bandgraph_config::{Files, shortened};
use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, there_are};
use serde_json::Value;

use crate::measured::DEFAULT_TOLERANCE;
use crate::{Loaded, Measured, Metric, Statistic, load_with};

/// Loads a scenario, with additional measurements from other files.
///
/// # Errors
///
/// As [`load_with`], and for an unreadable file.
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
        let place = Place::new(sources.add(&name, text.clone()), 0..0);
        let points = own_points(&name, &text, &place).map_err(|error| vec![*error])?;
        loaded.measured.extend(points);
    }
    Ok(loaded)
}

/// Reads measurements under the load of one scenario. A text that begins with `{` is the JSON of fio: its
/// jobs together are one measurement of payload. Any other text is a table with the columns `metric` and
/// `value`, and optionally `id`: `network_bytes_per_s,2.1 GB/s`.
///
/// # Errors
///
/// What is wrong, with its place in a table.
pub(crate) fn own_points(name: &str, text: &str, place: &Place) -> Result<Vec<Measured>, Box<Diagnostic>> {
    if text.trim_start().starts_with('{') {
        of_fio(name, text, place).map_err(|reason| Box::new(Diagnostic::argument(reason)))
    } else {
        of_table(name, text, place)
    }
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

fn of_fio(name: &str, text: &str, place: &Place) -> Result<Vec<Measured>, String> {
    let found: Value = serde_json::from_str(text).map_err(|error| format!("{name} is not JSON: {error}"))?;
    let jobs = found.get("jobs").and_then(Value::as_array);
    let jobs = jobs
        .ok_or_else(|| format!("{name} has no `jobs`: it is not what `fio --output-format=json` writes"))?;
    let rate = |job: &Value, way: &str| job.pointer(&format!("/{way}/bw_bytes")).and_then(Value::as_f64);
    let rates = jobs
        .iter()
        .flat_map(|job| ["read", "write"].map(|way| rate(job, way).unwrap_or(0.0)));
    let sum: f64 = rates.sum();
    if sum <= 0.0 {
        return Err(format!(
            "the jobs of {name} moved nothing: no `bw_bytes` is above zero"
        ));
    }
    let metric = Metric::PayloadBytesPerSecond;
    let note = "the bandwidth of all its jobs; its IOPS and latencies are not used";
    Ok(vec![Measured {
        note: Some(note.to_owned()),
        ..point(name.to_owned(), metric, sum, metric.format(sum), place)
    }])
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
        refused(format!(
            "{name} has no column `{wanted}`: it needs `metric` and `value`"
        ))
    };
    let metrics = column("metric").ok_or_else(|| missing("metric"))?;
    let values = column("value").ok_or_else(|| missing("value"))?;
    let ids = column("id");
    let mut points = Vec::new();
    for row in reader.records() {
        let row = row.map_err(unread)?;
        let start = row.position().map_or(0, |position| position.byte() as usize);
        // At the cell, which is searched for behind those before it.
        let wrong = |column: usize, reason: String| {
            let before: usize = (0..column).map(|before| row[before].len() + 1).sum();
            let from = start + before;
            let found = text.get(from..).and_then(|rest| rest.find(&row[column]));
            let at = from + found.unwrap_or(0);
            let cell = Place::new(place.source, at..at + row[column].len());
            Box::new(Diagnostic::error("usage::argument", reason).at(cell))
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
            Box::new(error.help(help))
        })?;
        let text = row[values].to_owned();
        let value = match metric.kind() {
            Some(kind) => kind
                .parse(&text)
                .map_err(|error| wrong(values, error.to_string()))?,
            None => text
                .parse()
                .map_err(|_| wrong(values, format!("`{}` is not a number", shortened(&text))))?,
        };
        if !(value.is_finite() && value > 0.0) {
            return Err(wrong(values, format!("`{}` is not above zero", shortened(&text))));
        }
        let line = row.position().map_or(0, csv::Position::line);
        let id = ids.map_or_else(|| format!("{name}:{line}"), |ids| row[ids].to_owned());
        points.push(point(id, metric, value, text, place));
    }
    if points.is_empty() {
        return Err(refused(format!("{name} has no rows")));
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use bandgraph_diagnostics::{Sources, render};

    use super::*;

    fn read(text: &str) -> Result<Vec<(String, f64)>, String> {
        let mut sources = Sources::new();
        let place = Place::new(sources.add("points", text.to_owned()), 0..0);
        let points = own_points("points", text, &place);
        let points = points.map_err(|error| render::full(&[*error], &sources, false))?;
        Ok(points
            .into_iter()
            .map(|point| (point.metric.as_str().to_owned(), point.value))
            .collect())
    }

    /// The format of `fio --output-format=json`, version 3: rates in bytes/s are `bw_bytes`.
    #[test]
    fn jobs_of_fio_add_up() {
        let text = r#"{"fio version": "fio-3.28", "jobs": [
            {"jobname": "a", "read": {"bw_bytes": 1000000000, "iops": 1000}, "write": {"bw_bytes": 0}},
            {"jobname": "b", "read": {"bw_bytes": 500000000}, "write": {"bw_bytes": 250000000}}]}"#;
        assert_eq!(read(text), Ok(vec![("payload_bytes_per_s".to_owned(), 1.75e9)]));
        assert!(read("{}").is_err_and(|error| error.contains("no `jobs`")));
        assert!(read(r#"{"jobs": []}"#).is_err_and(|error| error.contains("moved nothing")));
        assert!(read("{").is_err_and(|error| error.contains("not JSON")));
    }

    #[test]
    fn tables_have_metrics_with_units() {
        let text = "metric, value\nnetwork_bytes_per_s, 2.1 GB/s\ncpi, 7.5\n";
        assert_eq!(
            read(text),
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

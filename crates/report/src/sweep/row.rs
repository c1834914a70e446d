//! The columns of results, and the cells of a point: the same in every format of rows.

use std::fmt::Write as _;

use bandgraph_scenario::{
    AxisKind, AxisValue, GAIN_COLUMNS, INTERVAL_COLUMNS, LIKELIHOOD_COLUMNS, Metric, SweepExpect, SweepFile,
    SweepMode,
};
use bandgraph_study::{Point, Record};
use bandgraph_topology::ResourceKind;
use serde_json::{Value, json};

use crate::csv::csv_cell;
use crate::json::SoftwareDocument;

/// The names of the columns of results, each number with its unit at the end of its name.
///
/// `point`, the axes, the metrics that the mode tells, the ends of their intervals and of the intervals of
/// what they have more than the reference if the sweep has these, the likelihood of each expectation with a
/// probability, the bottleneck and how full each kind of resource is if that is asked for, `error_id`,
/// `error`, `input_hash`, and those of the origin.
pub fn sweep_columns(sweep: &SweepFile) -> Vec<String> {
    typed_columns(sweep).into_iter().map(|(name, _)| name).collect()
}

/// What the cells of a column are, where they are not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellType {
    /// Whole numbers from zero up.
    Count,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Yes or no.
    Flag,
}

/// The columns of [`sweep_columns`] with what their cells are.
pub(crate) fn typed_columns(sweep: &SweepFile) -> Vec<(String, CellType)> {
    let named = |name: &str, kind| (name.to_owned(), kind);
    let mut columns = vec![named("point", CellType::Count)];
    columns.extend(sweep.axes.iter().map(|axis| {
        let kind = match axis.kind {
            AxisKind::Text => CellType::Text,
            AxisKind::Number | AxisKind::Quantity(_) => CellType::Number,
        };
        (axis.column(), kind)
    }));
    columns.extend(metrics(sweep).map(|metric| named(metric.as_str(), CellType::Number)));
    let mut ends = |of: [&str; 2]| {
        for metric in Metric::with_interval() {
            columns.extend(of.map(|end| (format!("{metric}{end}"), CellType::Number)));
        }
    };
    if sweep.draws.is_some() {
        ends(INTERVAL_COLUMNS);
    }
    if sweep.has_reference() {
        ends(GAIN_COLUMNS);
    }
    let likelihood = |expect: &SweepExpect| format!("{LIKELIHOOD_COLUMNS}{}", expect.id);
    columns.extend(
        sweep
            .likely()
            .map(|expect| (likelihood(expect), CellType::Number)),
    );
    if sweep.explain {
        columns.extend([
            named("bottleneck", CellType::Text),
            named("bottleneck_kind", CellType::Text),
            named("bottleneck_utilisation", CellType::Number),
            named("next_bottleneck", CellType::Text),
            named("next_bottleneck_throughput_gain", CellType::Number),
        ]);
        columns.extend(
            ResourceKind::ALL
                .iter()
                .map(|kind| (saturation_column(*kind), CellType::Number)),
        );
    }
    columns.extend(["error_id", "error", "input_hash"].map(|name| named(name, CellType::Text)));
    columns.extend(origin(sweep).map(|(name, kind, _)| named(name, kind)));
    columns
}

/// What all points are made from, in columns that CSV of other results has too. A column with the name of an
/// axis is left out: that of the axis says it of each point.
pub(crate) fn origin(sweep: &SweepFile) -> impl Iterator<Item = (&'static str, CellType, Value)> {
    let software = SoftwareDocument::of_all(&sweep.servers);
    let profile = (!software.profile.is_empty()).then_some(software.profile);
    let is_default = profile.is_some().then_some(software.is_default);
    let all = [
        ("software_profile", CellType::Text, json!(profile)),
        ("software_is_default", CellType::Flag, json!(is_default)),
        ("mode", CellType::Text, json!(sweep.mode.as_str())),
        ("seed", CellType::Count, json!(sweep.seed())),
        ("file", CellType::Text, json!(sweep.path.display().to_string())),
        ("overrides", CellType::Text, json!(sweep.overrides.join("; "))),
        ("bandgraph", CellType::Text, json!(crate::VERSION)),
    ];
    let is_axis = |name: &str| sweep.axes.iter().any(|axis| axis.column() == name);
    all.into_iter().filter(move |(name, ..)| !is_axis(name))
}

/// The column that says how full the fullest resource of a kind is: `saturation_socket_link`.
pub(crate) fn saturation_column(kind: ResourceKind) -> String {
    format!(
        "{}{}",
        bandgraph_scenario::SATURATION_COLUMNS,
        kind.as_str().replace('-', "_")
    )
}

/// The metrics that a sweep tells: a prediction has no percentiles.
pub(crate) fn metrics(sweep: &SweepFile) -> impl Iterator<Item = Metric> + use<> {
    let predicted = sweep.mode == SweepMode::Predict;
    let percentile = |metric: Metric| {
        matches!(
            metric,
            Metric::LatencyP50 | Metric::LatencyP95 | Metric::LatencyP99 | Metric::LatencyMax
        )
    };
    Metric::ALL
        .iter()
        .copied()
        .filter(move |metric| !(metric.is_of_resource() || predicted && percentile(*metric)))
}

/// The cells of a result, one for every column.
pub(crate) fn cells(sweep: &SweepFile, point: &Point, record: &Record) -> Vec<Value> {
    let mut cells = vec![json!(point.number)];
    cells.extend(
        sweep
            .axes
            .iter()
            .zip(&point.values)
            .map(|(axis, value)| axis_cell(axis.kind, value)),
    );
    let figures = record.result.as_ref().ok();
    cells.extend(metrics(sweep).map(|metric| json!(figures.and_then(|figures| figures.metric(metric)))));
    let certainty = figures.and_then(|figures| figures.certainty.as_ref());
    let mut ends = |found: Option<&Vec<Option<[f64; 2]>>>| {
        for index in 0..Metric::with_interval().count() {
            let interval = found.and_then(|found| found.get(index).copied().flatten());
            cells.extend([0, 1].map(|end| json!(interval.map(|interval| interval[end]))));
        }
    };
    if sweep.draws.is_some() {
        ends(certainty.map(|found| &found.intervals));
    }
    if sweep.has_reference() {
        ends(certainty.map(|found| &found.gains));
    }
    cells.extend(sweep.likely().enumerate().map(|(index, _)| {
        json!(certainty.and_then(|found| found.probabilities.get(index).copied().flatten()))
    }));
    if sweep.explain {
        let found = figures.and_then(|figures| figures.bottleneck.as_ref());
        let next = found.and_then(|found| found.next.as_ref());
        cells.push(json!(found.map(|found| &found.id)));
        cells.push(json!(found.map(|found| &found.kind)));
        cells.push(json!(found.map(|found| found.utilisation)));
        cells.push(json!(next.map(|(id, _)| id)));
        cells.push(json!(next.map(|(_, gain)| gain)));
        let saturations = found.map_or(&[][..], |found| found.saturations.as_slice());
        cells
            .extend((0..ResourceKind::ALL.len()).map(|kind| json!(saturations.get(kind).copied().flatten())));
    }
    let error = record.result.as_ref().err();
    cells.push(json!(error.map(|error| &error.id)));
    cells.push(json!(error.map(|error| &error.message)));
    cells.push(json!(record.input_hash));
    cells.extend(origin(sweep).map(|(.., cell)| cell));
    cells
}

/// The value of an axis: a number in base units, or a text where it is none.
pub(crate) fn axis_cell(kind: AxisKind, value: &AxisValue) -> Value {
    match (kind, value.number) {
        (AxisKind::Number | AxisKind::Quantity(_), Some(number)) => number_cell(number),
        _ => json!(value.text),
    }
}

/// A whole number without a point behind it.
fn number_cell(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        json!(number as i64)
    } else {
        json!(number)
    }
}

/// A cell as text; empty where there is no value.
pub(crate) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            // Without an exponent: not every reader of CSV knows them.
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// The values of a point as CSV writes them: what tells a point from others in a baseline.
pub(super) fn axis_cells(sweep: &SweepFile, point: &Point) -> Vec<String> {
    let axes = sweep.axes.iter().zip(&point.values);
    axes.map(|(axis, value)| csv_cell(cell_text(&axis_cell(axis.kind, value))))
        .collect()
}

/// A point in words: `io_size = 4 KiB, clients = 10`.
pub fn point_label(sweep: &SweepFile, point: &Point) -> String {
    let texts: Vec<&str> = point.values.iter().map(|value| value.text.as_str()).collect();
    label(sweep, &texts)
}

/// The value of an axis in few words: of a file, its name with that of its folder, in which files of other
/// systems have the same names.
pub(crate) fn file_name(text: &str) -> &str {
    let Some(path) = text.strip_suffix(".toml") else {
        return text;
    };
    match path.rmatch_indices('/').nth(1) {
        Some((at, _)) if !path[at + 1..].starts_with('.') => &path[at + 1..],
        _ => path.trim_start_matches(['.', '/']),
    }
}

/// Values of all axes in words.
pub(crate) fn label<T: AsRef<str>>(sweep: &SweepFile, texts: &[T]) -> String {
    let axes = sweep.axes.iter().zip(texts);
    axes.map(|(axis, text)| format!("{} = {}", axis.id, text.as_ref()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Adds an object with its fields in this order, on one line.
pub(crate) fn push_json_object<N: AsRef<str>>(text: &mut String, fields: impl Iterator<Item = (N, Value)>) {
    text.push('{');
    for (position, (name, value)) in fields.enumerate() {
        if position > 0 {
            text.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{}:{value}", Value::from(name.as_ref()));
    }
    text.push_str("}\n");
}

#[cfg(test)]
mod tests {
    use super::file_name;

    /// Two machines with a scenario of one name each are two curves.
    #[test]
    fn files_of_two_folders_have_two_names() {
        for (text, name) in [
            ("../7410-barcelona/cached-read.toml", "7410-barcelona/cached-read"),
            ("../7410-istanbul/cached-read.toml", "7410-istanbul/cached-read"),
            ("../../cached-read.toml", "cached-read"),
            ("cached-read.toml", "cached-read"),
            ("a/b.toml", "a/b"),
            ("ht3-x16", "ht3-x16"),
            ("1 MiB", "1 MiB"),
        ] {
            assert_eq!(file_name(text), name, "{text}");
        }
    }
}

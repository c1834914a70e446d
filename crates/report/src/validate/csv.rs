//! A validation as CSV: one row for every point, then one for every link.

use super::ValidateDocument;
use super::json::unit;
use crate::csv::csv_lines;

/// The columns of [`validate_csv`].
pub const VALIDATE_COLUMNS: [&str; 17] = [
    "table",
    "id",
    "system",
    "scenario",
    "metric",
    "resource",
    "unit",
    "measured",
    "predicted",
    "low",
    "high",
    "relative_error",
    "statistic",
    "tolerance",
    "within",
    "calibrated",
    "source",
];

/// A validation as CSV with a header row. Numbers are the shortest that read back as the same number; what is not
/// there is empty.
pub fn validate_csv(document: ValidateDocument) -> String {
    let mut lines = vec![VALIDATE_COLUMNS.map(str::to_owned)];
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for point in document.points {
        lines.push([
            "point".to_owned(),
            point.id,
            point.system,
            point.scenario,
            point.metric,
            point.resource.unwrap_or_default(),
            point.unit,
            point.measured.to_string(),
            number(point.predicted),
            number(point.interval.map(|[low, _]| low)),
            number(point.interval.map(|[_, high]| high)),
            number(point.relative_error),
            point.statistic,
            point.tolerance.to_string(),
            point.within.to_string(),
            point.calibrated.to_string(),
            point.source,
        ]);
    }
    for link in document.links {
        lines.push([
            "link".to_owned(),
            link.run,
            link.system,
            link.scenario,
            "bytes_per_s".to_owned(),
            link.link,
            unit::BYTES_PER_SECOND.to_owned(),
            link.measured.to_string(),
            number(link.predicted),
            String::new(),
            String::new(),
            number(link.relative_error),
            String::new(),
            String::new(),
            String::new(),
            link.calibrated.to_string(),
            link.source,
        ]);
    }
    csv_lines(lines.into_iter())
}

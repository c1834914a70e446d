//! A validation as CSV: one row for every point, then one for every link.

use super::ValidateReport;
use super::json::{document, unit};

/// The columns of [`validate_csv`].
pub const VALIDATE_COLUMNS: [&str; 15] = [
    "table",
    "id",
    "system",
    "scenario",
    "metric",
    "resource",
    "unit",
    "measured",
    "predicted",
    "relative_error",
    "statistic",
    "tolerance",
    "within",
    "calibrated",
    "source",
];

/// `report` as CSV with a header row. Numbers are the shortest that read back as the same number; what is not there is
/// empty.
pub fn validate_csv(report: &ValidateReport) -> String {
    let document = document(report);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let in_memory = "writing to memory cannot fail, and all rows have the same columns";
    writer.write_record(VALIDATE_COLUMNS).expect(in_memory);
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for point in &document.points {
        writer
            .write_record([
                "point",
                &point.id,
                &point.system,
                &point.scenario,
                &point.metric,
                point.resource.as_deref().unwrap_or_default(),
                &point.unit,
                &point.measured.to_string(),
                &number(point.predicted),
                &number(point.relative_error),
                &point.statistic,
                &point.tolerance.to_string(),
                &point.within.to_string(),
                &point.calibrated.to_string(),
                &point.source,
            ])
            .expect(in_memory);
    }
    for link in &document.links {
        writer
            .write_record([
                "link",
                &link.run,
                &link.system,
                &link.scenario,
                "bytes_per_s",
                &link.link,
                unit::BYTES_PER_SECOND,
                &link.measured.to_string(),
                &number(link.predicted),
                &number(link.relative_error),
                "",
                "",
                "",
                &link.calibrated.to_string(),
                &link.source,
            ])
            .expect(in_memory);
    }
    let bytes = writer.into_inner().expect(in_memory);
    String::from_utf8(bytes).expect("every field was a string")
}

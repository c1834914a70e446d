//! From a result that was written as JSON or CSV to the data of a picture.
//!
//! One file for each kind of result: of a run, of a sweep, of a study, of a validation, of a calibration.
//! The kind of a result is recognised by its content.

mod calibration;
mod points;
mod run;
mod server;
mod study;
mod sweep;
mod validation;

use std::fmt::Write as _;

use bandgraph_config::words;
use bandgraph_plot::Picture;
use bandgraph_scenario::Metric;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::json::{TOPOLOGY_SCHEMA_VERSION, kind_of_result};
use crate::origin::Origin;
use crate::sweep::SWEEP_SCHEMA_VERSION;

pub(crate) use server::drawings;
pub use server::{draw_ladder, draw_place, draw_whatif, path_picture, topology_picture};
pub use sweep::SweepTable;

/// Half the width of the band around what was measured.
const BAND: f64 = 0.1;

words! {
    /// What a picture is to show.
    pub enum PictureKind {
        Utilisation = "utilisation": "Of a run: how much of each resource is used",
        Server = "server": "Of a run: the server, with the utilisation of each part; of `topology show`: with the capacities",
        Timeline = "timeline": "Of a run with --timeline: how much of each resource is used over time",
        Measured = "measured": "Of a run, a validation or a calibration: what was predicted against what was measured",
        Errors = "errors": "Of a validation or a calibration: how far each prediction is off, by system",
        Coverage = "coverage": "Of a validation with --intervals: measurements in intervals of each width",
        Links = "links": "Of a validation: the traffic on links, counted and predicted",
        Curves = "curves": "Of a sweep: a metric along an axis, with its upper limits and its knee",
        Surface = "surface": "Of a sweep: a metric over two or more axes, as colours",
        Throughput = "throughput": "Of `whatif`, `ladder` or `place`: the throughput of each case, beside today's",
        Parameters = "parameters": "Of a calibration: the fitted parameters, within their allowed ranges",
    }
}

/// What is wished of a picture.
#[derive(Clone, Copy, Debug)]
pub struct PictureWish<'a> {
    /// What a sweep is called, whose rows do not say.
    pub name: &'a str,
    /// What the picture is to show; what suits the result if `None`.
    pub kind: Option<PictureKind>,
    /// The metric that the picture of a sweep or a study shows; if `None`, the first that a sweep has, and of
    /// a study what goes over the network.
    pub metric: Option<Metric>,
    /// An earlier result, of a run: the picture of the server then shows what moved.
    pub before: Option<&'a [u8]>,
    /// A kind of operation of a run: the picture of the server then shows its way.
    pub operation: Option<&'a str>,
}

/// Why there is no picture of a result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PictureError {
    /// The text is no result of any kind.
    #[error(
        "{0}; there are pictures of the JSON of `run`, `whatif`, `ladder`, `place`, `sweep`, `validate`, \
         `calibrate` and `topology show`, and of the CSV, JSON lines and Parquet of `sweep`"
    )]
    NotAResult(String),
    /// The result is of a version that this program does not know.
    #[error("this result has version {found} of its format, and version {known} is known")]
    Version {
        /// The version that it says it has.
        found: u64,
        /// The version that can be read.
        known: u32,
    },
    /// The result has nothing of what the picture would show.
    #[error("a result of {of} has no picture `{}`", .kind.as_str())]
    Unsuitable {
        /// The picture that was asked for.
        kind: PictureKind,
        /// What the result is of.
        of: &'static str,
    },
    /// The earlier result is none of a run.
    #[error("it is no earlier result of `run`: {0}")]
    Before(String),
    /// A result without the figures that the picture needs.
    #[error("{0}")]
    Missing(String),
}

fn not_a_result(error: impl std::fmt::Display) -> PictureError {
    PictureError::NotAResult(error.to_string())
}

/// The document of a result, of the version that this program knows.
fn document<D: DeserializeOwned>(value: Value, known: u32) -> Result<D, PictureError> {
    match value.get("schema").and_then(Value::as_u64) {
        Some(version) if version != u64::from(known) => Err(PictureError::Version {
            found: version,
            known,
        }),
        _ => serde_json::from_value(value).map_err(not_a_result),
    }
}

/// The picture of a result; by default the one that suits it: of a run the use of its resources, over time if
/// it tells that; of a sweep a curve or a surface; of a study what each of its cases delivers; of a
/// validation what was predicted against what was measured; of a calibration what it found.
///
/// # Errors
///
/// [`PictureError`], where the bytes are no result. Whether the numbers can be drawn is for the picture to
/// say.
pub fn picture(result: &[u8], wish: &PictureWish<'_>) -> Result<Picture, PictureError> {
    /// What Parquet files begin with.
    const PARQUET: &[u8] = b"PAR1";
    let PictureWish {
        name,
        kind,
        metric,
        before,
        operation,
    } = *wish;
    if result.starts_with(PARQUET) {
        return SweepTable::read_parquet(result, name, metric)?.picture(kind);
    }
    let text = std::str::from_utf8(result).map_err(|_| not_a_result("it is not text in UTF-8"))?;
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("point,") {
        return SweepTable::read_csv(text, name, metric)?.picture(kind);
    }
    let row: Option<Value> = serde_json::from_str(first).ok();
    if row.is_some_and(|row| row.get("point").is_some()) {
        return SweepTable::read_json_lines(text, name, metric)?.picture(kind);
    }
    if text.trim().is_empty() {
        return Err(not_a_result("it is empty"));
    }
    if !text.trim_start().starts_with('{') {
        return Err(not_a_result("it is neither JSON nor the table of a sweep"));
    }
    let value: Value = serde_json::from_str(text).map_err(not_a_result)?;
    let said = Origin::new(value);
    let mut origin = said.line();
    if let Some(before) = before.and_then(|before| serde_json::from_slice(before).ok()) {
        let _ = write!(origin, "; before: {}", Origin::new(before).line());
    }
    let value = said.into_fields();
    let drawn = match operation {
        None => of_document(value, kind, metric, before)?,
        Some(operation) => match kind {
            None | Some(PictureKind::Server) => run::path(value, operation)?,
            Some(kind) => {
                return Err(PictureError::Missing(format!(
                    "the picture `server` shows the way of an operation, and `{}` does not",
                    kind.as_str()
                )));
            }
        },
    };
    Ok(Picture { origin, ..drawn })
}

/// The picture of a result that is one document.
fn of_document(
    value: Value,
    kind: Option<PictureKind>,
    metric: Option<Metric>,
    before: Option<&[u8]>,
) -> Result<Picture, PictureError> {
    match kind_of_result(&value) {
        Some("sweep") => {
            let document = document(value, SWEEP_SCHEMA_VERSION)?;
            SweepTable::of_document(&document, metric)?.picture(kind)
        }
        Some("validate") => validation::picture(value, kind),
        Some("calibrate") => calibration::picture(value, kind),
        Some("whatif") => study::of_what_if(value, kind, metric),
        Some("ladder") => study::of_ladder(value, kind, metric),
        Some("place") => study::of_placements(value, kind, metric),
        Some("run") => run::picture(value, kind, before),
        Some("topology show") => match kind {
            None | Some(PictureKind::Server) => {
                Ok(topology_picture(&document(value, TOPOLOGY_SCHEMA_VERSION)?))
            }
            Some(kind) => Err(PictureError::Unsuitable {
                kind,
                of: "`topology show`",
            }),
        },
        Some("compare") => Err(PictureError::Missing(
            "it compares two results; `bandgraph plot AFTER.json --picture server --before BEFORE.json` draws \
             what moved between two of `run`"
                .to_owned(),
        )),
        _ => Err(not_a_result("nothing in it says what it is of")),
    }
}

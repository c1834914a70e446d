//! From a result that was written as JSON or CSV to the data of a picture.
//!
//! One file for each kind of result: of a run, of a sweep, of a validation. What a text is a result of is told by what is
//! in it, so that nobody has to say.

mod run;
mod sweep;
mod validation;

use bandgraph_plot::Picture;
use bandgraph_scenario::Metric;
use serde_json::Value;
use thiserror::Error;

use crate::json::RUN_SCHEMA_VERSION;

pub use sweep::SweepTable;

/// Half the width of the band around what was measured.
const BAND: f64 = 0.1;

/// What a picture is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// How much of each resource is used.
    Utilisation,
    /// How much of each resource is used over the time of a simulation.
    Timeline,
    /// What was predicted against what was measured.
    Measured,
    /// How far each prediction is from its measurement, by system.
    Errors,
    /// What each link carried by its counters, and what it was predicted to carry.
    Links,
    /// A metric along an axis of a sweep, with what it cannot get past, and where it bends.
    Curves,
    /// A metric over two or more axes of a sweep, as colours.
    Surface,
}

/// What is wished of a picture.
#[derive(Clone, Copy, Debug)]
pub struct PictureWish<'a> {
    /// What a sweep is called, whose rows do not say.
    pub name: &'a str,
    /// What the picture is to show; what suits the result if `None`.
    pub kind: Option<PictureKind>,
    /// The metric that the picture of a sweep shows; the first that it has if `None`.
    pub metric: Option<Metric>,
}

impl PictureKind {
    /// The name in messages and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utilisation => "utilisation",
            Self::Timeline => "timeline",
            Self::Measured => "measured",
            Self::Errors => "errors",
            Self::Links => "links",
            Self::Curves => "curves",
            Self::Surface => "surface",
        }
    }
}

/// Why there is no picture of a result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PictureError {
    /// The text is no result of any kind.
    #[error(
        "this is no result of `bandgraph run --format json`, of `bandgraph validate --format json` or of `bandgraph sweep \
         --format json|csv`: {0}"
    )]
    NotAResult(String),
    /// The result is of a version that this program does not know.
    #[error("this result has version {found} of its format, and version {RUN_SCHEMA_VERSION} is known")]
    Version {
        /// The version that it says it has.
        found: u64,
    },
    /// The result has nothing of what the picture would show.
    #[error("a result of {of} has no picture `{}`", .kind.as_str())]
    Unsuitable {
        /// The picture that was asked for.
        kind: PictureKind,
        /// What the result is of.
        of: &'static str,
    },
    /// A result without the figures that the picture needs.
    #[error("{0}")]
    Missing(String),
}

fn not_a_result(error: impl std::fmt::Display) -> PictureError {
    PictureError::NotAResult(error.to_string())
}

/// The picture of a result; by default the one that suits it: of a run the use of its resources, over time if it tells that, of a sweep a curve or a
/// surface, of a validation what was predicted against what was measured.
///
/// # Errors
///
/// [`PictureError`], where the text is no result. Whether the numbers can be drawn is for the picture to say.
pub fn picture(text: &str, wish: &PictureWish<'_>) -> Result<Picture, PictureError> {
    let PictureWish { name, kind, metric } = *wish;
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("point,") {
        return SweepTable::read_csv(text, name, metric)?.picture(kind);
    }
    let row: Option<Value> = serde_json::from_str(first).ok();
    if row.is_some_and(|row| row.get("point").is_some()) {
        return SweepTable::read_json_lines(text, name, metric)?.picture(kind);
    }
    let value: Value = serde_json::from_str(text).map_err(not_a_result)?;
    if value.get("points").is_some_and(Value::is_array) {
        return validation::picture(value, kind);
    }
    run::picture(value, kind)
}

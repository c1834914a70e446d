//! Gates of a comparison: how far a figure may change, and in which direction.

use std::str::FromStr;

use bandgraph_units::QuantityKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which figures may change by how much.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareGate {
    /// Which figures: `METRIC` of the whole, `SUBJECT.METRIC` of one thing, or `*.METRIC` of everything.
    pub figures: String,
    /// How large a relative change may be.
    pub tolerance: f64,
    /// In which direction.
    pub side: GateSide,
}

/// Which changes a gate looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateSide {
    /// All.
    #[default]
    Both,
    /// Those to less.
    Fall,
    /// Those to more.
    Rise,
}

impl FromStr for CompareGate {
    type Err = String;

    /// A gate from its text: `FIGURE=SHARE`, with a sign before the share for one direction only.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let (figures, share) = parts.ok_or("write it as in network_bytes_per_s=2%")?;
        let share = share.trim();
        let (side, share) = if let Some(share) = share.strip_prefix('-') {
            (GateSide::Fall, share)
        } else if let Some(share) = share.strip_prefix('+') {
            (GateSide::Rise, share)
        } else {
            (GateSide::Both, share)
        };
        Ok(Self {
            figures: figures.to_owned(),
            tolerance: parse_tolerance(share)?,
            side,
        })
    }
}

/// A tolerance from its text: a share that is not negative, as `2%` or `0.02`.
///
/// # Errors
///
/// What is wrong with it.
pub fn parse_tolerance(share: &str) -> Result<f64, String> {
    match QuantityKind::Fraction.parse(share) {
        Ok(tolerance) if (0.0..=1e6).contains(&tolerance) => Ok(tolerance),
        Ok(_) => Err("a tolerance is not negative".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

//! Everything that reports of placements say, whatever their format.

use bandgraph_study::Placements;

/// A ranking of placements, gathered for reporting.
#[derive(Clone, Debug)]
pub struct PlaceReport {
    /// The ranking.
    pub placements: Placements,
    /// Warnings about files.
    pub warnings: Vec<String>,
}

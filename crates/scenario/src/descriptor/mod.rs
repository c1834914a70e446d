//! The contents of files: a table of fields for every kind of entry.

mod calibration;
mod measured;
mod scenario;
mod storage;
mod sweep;
mod topology;

use bandgraph_config::{Field, FieldType, Identity, Kind, Shape, fields, kinds};

use crate::shapes::MetricQuantity;

pub(crate) use calibration::CALIBRATION;
pub(crate) use scenario::SCENARIO;
pub(crate) use sweep::SWEEP;
pub(crate) use topology::TOPOLOGY;

// Fields common to several kinds of files or entries.
const SCHEMA: Field = Field::new("schema", Shape::Schema, "The version of the file format: 1.");
const INCLUDE: Field = Field::new(
    "include",
    Shape::Paths,
    "Files that are read first; the fields of this file override theirs.",
)
.optional();
const DESCRIPTION: Field = Field::new("description", Shape::Text, "A description, of any length.").optional();
const ID: Field = Field::new(
    "id",
    Shape::Id,
    "Its name, by which other entries, `--set` and reports call it.",
);
const MIN: Field = Field::new("min", Shape::Custom(&MetricQuantity), "The least that it may be.").optional();
const MAX: Field = Field::new("max", Shape::Custom(&MetricQuantity), "The most that it may be.").optional();

//! The contents of files: a table of fields for every kind of entry.

/// The field of an entry that names its part, for some kinds.
macro_rules! part {
    ($kinds:expr, $doc:expr) => {
        required("part", of(Shape::Custom(&PartShape($kinds))), $doc)
    };
}

mod calibration;
mod measured;
mod scenario;
mod storage;
mod sweep;
mod topology;

use bandgraph_config::{Field, Identity, Kind, Range, Shape};
use bandgraph_units::QuantityKind;

use crate::shapes::MetricQuantity;

pub(crate) use calibration::CALIBRATION;
pub(crate) use scenario::SCENARIO;
pub(crate) use sweep::SWEEP;
pub(crate) use topology::TOPOLOGY;

/// The type of a field.
#[derive(Clone, Copy)]
struct Type {
    shape: Shape,
    range: Range,
}

/// A type with the default range.
const fn of(shape: Shape) -> Type {
    Type {
        shape,
        range: Range::NOT_NEGATIVE,
    }
}

/// A quantity above zero.
const fn positive(kind: QuantityKind) -> Type {
    let mut positive = of(Shape::Quantity(kind));
    positive.range.positive = true;
    positive
}

/// A plain number from 0 to 1.
const fn share() -> Type {
    let mut share = of(Shape::Number);
    share.range.maximum = 1.0;
    share
}

/// A count from `minimum` to `maximum`.
const fn count(minimum: u64, maximum: u64) -> Type {
    let mut count = of(Shape::Count);
    count.range.minimum = minimum as f64;
    count.range.maximum = maximum as f64;
    count
}

/// A required field.
const fn required(name: &'static str, of: Type, doc: &'static str) -> Field {
    let mut field = Field::new(name, of.shape, doc);
    field.range = of.range;
    field
}

/// An optional field.
const fn optional(name: &'static str, of: Type, doc: &'static str) -> Field {
    required(name, of, doc).optional()
}

/// A field with a default, given as TOML.
const fn with_default(name: &'static str, of: Type, default: &'static str, doc: &'static str) -> Field {
    required(name, of, doc).default(default)
}

/// A field that names another entry.
const fn reference(name: &'static str, to: &'static str, doc: &'static str) -> Field {
    required(name, of(Shape::Reference(to)), doc)
}

/// An optional field that names another entry.
const fn optional_reference(name: &'static str, to: &'static str, doc: &'static str) -> Field {
    reference(name, to, doc).optional()
}

/// An optional list of entries.
const fn entries(name: &'static str, kind: &'static Kind, doc: &'static str) -> Field {
    optional(name, of(Shape::Entries(kind)), doc)
}

const POSITIVE_SIZE: Type = positive(QuantityKind::Bytes);

// Fields common to several kinds of files or entries.
const SCHEMA: Field = required("schema", of(Shape::Schema), "The version of the file format: 1.");
const INCLUDE: Field = optional(
    "include",
    of(Shape::Paths),
    "Files that are read first; the fields of this file override theirs.",
);
const DESCRIPTION: Field = optional("description", of(Shape::Text), "A description, of any length.");
const ID: Field = required(
    "id",
    of(Shape::Id),
    "Its name, by which other entries, `--set` and reports call it.",
);
const MIN: Field = optional(
    "min",
    of(Shape::Custom(&MetricQuantity)),
    "The least that it may be.",
);
const MAX: Field = optional(
    "max",
    of(Shape::Custom(&MetricQuantity)),
    "The most that it may be.",
);

//! What may stand in a file: one table of fields for every kind of entry.
//!
//! These tables are the only description of the file format. Decoding, `--set`, the JSON Schemas and the reference
//! page are all driven by them, so a field that one of them knows is known to all.

mod calibration;
mod job;
mod measured;
mod scenario;
mod storage;
mod sweep;
mod topology;

use bandgraph_hardware::PartKind;
use bandgraph_units::QuantityKind;

pub(crate) use calibration::CALIBRATION;
pub(crate) use scenario::SCENARIO;
pub(crate) use sweep::SWEEP;
pub(crate) use topology::TOPOLOGY;

/// One kind of table in a file: the root, or an entry such as `[[card]]`.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The word for it in files and messages: `card`.
    pub(crate) name: &'static str,
    /// What it is, in a sentence or two, for the reference page and the schema.
    pub(crate) doc: &'static str,
    /// What tells two entries of this kind apart.
    pub(crate) identity: Identity,
    /// Its own fields, in the order of the reference page.
    pub(crate) fields: &'static [Field],
    /// Fields besides its own, that come from another crate's description.
    pub(crate) described: Described,
}

impl Kind {
    /// Its own field of this name.
    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// What tells two entries of one kind apart: two files that name the same one describe the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// There is only one.
    Single,
    /// A field with a name: `id` mostly.
    Field(&'static str),
    /// The two `ends`, in either order. Several links may have the same ends: the second is `a-b.b`.
    Ends,
    /// `from` and `to`, in this order.
    FromTo,
}

/// Where fields besides a kind's own come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Described {
    /// There are none.
    Nothing,
    /// From the part that the entry names: any field of a part can be overridden in place.
    Part(&'static [PartKind]),
    /// From the part that a `[[part]]` entry is based on.
    OwnPart,
    /// From the stack's profile.
    Stack,
}

/// One field of a table.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its key.
    pub(crate) name: &'static str,
    /// What its value must be.
    pub(crate) shape: Shape,
    /// Whether it must be there, and what holds if it is not.
    pub(crate) presence: Presence,
    /// What it says, in a sentence.
    pub(crate) doc: &'static str,
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It must be there.
    Required,
    /// It must be there, unless this other field is.
    RequiredWithout(&'static str),
    /// Nothing is said if it is not there.
    Optional,
    /// This TOML value holds if it is not there.
    Default(&'static str),
}

impl Presence {
    /// Whether it must be there, where the fields are that `has` says.
    pub(crate) fn must_be(self, has: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Required => true,
            Self::RequiredWithout(other) => !has(other),
            Self::Optional | Self::Default(_) => false,
        }
    }
}

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// The version of the file format.
    Schema,
    /// A text.
    Text,
    /// The name of an entry: letters, digits, `_` and `-`.
    Id,
    /// `true` or `false`.
    Flag,
    /// A whole number without a unit.
    Count(CountRange),
    /// A number without a unit, zero or more.
    Number,
    /// A text with a unit.
    Quantity(QuantityKind, Sign),
    /// A size that is written without a unit as often as with one, and then is bytes: an MTU.
    Mtu,
    /// A quantity whose kind follows from the `metric` beside it.
    MetricQuantity,
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// The id of an entry of this kind.
    Reference(&'static str),
    /// Several such ids.
    References(&'static str),
    /// The ids of two different sockets.
    Ends,
    /// The name of a part of one of these kinds: of the catalogue, or of a `[[part]]`.
    Part(&'static [PartKind]),
    /// The name of any part.
    AnyPart,
    /// A kind of part.
    PartKind,
    /// A PCI Express generation and width: `"gen1 x8"`.
    Pcie,
    /// A text, number or flag that another table gives a meaning: a bound of an axis of a sweep.
    Scalar,
    /// A list of values of any type that another table gives a meaning: the values of an axis of a sweep.
    Values,
    /// A list of texts.
    Texts,
    /// Paths of files, relative to the file that says so.
    Paths,
    /// Ports of cards: `"nic0.0"`.
    Ports,
    /// A named mix, or a table of operations and their weights.
    Mix,
    /// A table.
    Table(&'static Kind),
    /// The path of a topology file, or a table that is one or overrides one.
    Topology,
    /// An array of tables.
    Entries(&'static Kind),
}

/// The whole numbers that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountRange {
    /// The least.
    pub(crate) minimum: u64,
    /// The most.
    pub(crate) maximum: u64,
}

/// Which signs a quantity may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// More than zero.
    Positive,
    /// Zero or more.
    NotNegative,
}

/// A field that must be there.
const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        shape,
        presence: Presence::Required,
        doc,
    }
}

/// A field that must be there where `other` is not.
const fn required_without(other: &'static str, name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        shape,
        presence: Presence::RequiredWithout(other),
        doc,
    }
}

/// A field that may be left out.
const fn optional(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        shape,
        presence: Presence::Optional,
        doc,
    }
}

/// A field that has a value of its own when left out, given as TOML.
const fn with_default(name: &'static str, shape: Shape, default: &'static str, doc: &'static str) -> Field {
    Field {
        name,
        shape,
        presence: Presence::Default(default),
        doc,
    }
}

/// A count from `minimum` to `maximum`.
const fn count(minimum: u64, maximum: u64) -> Shape {
    Shape::Count(CountRange { minimum, maximum })
}

//! Descriptions of tables: which fields a table has, and what each takes.
//!
//! A [`Kind`] drives everything that is done with a table: decoding, merging, `--set`, the JSON Schema and
//! the reference page. [`settings!`](crate::settings) makes one from the declaration of a struct.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use bandgraph_units::QuantityKind;
use serde_json::Value as Json;

use crate::decode::{Decoded, Decoder};
use crate::document::{Entry, Node, Table};
use crate::range::Range;
use crate::value::FieldType;

/// One kind of table in a file: the root, or an entry such as `[[card]]`.
#[derive(Debug)]
pub struct Kind {
    /// Its name in files and messages: `card`.
    pub name: &'static str,
    /// What it describes, in a sentence or two, for the reference page and the schema.
    pub doc: &'static str,
    /// What tells two entries of this kind apart.
    pub identity: Identity,
    /// Its own fields, in the order of the reference page. In groups, because a settings struct may contain
    /// another.
    pub groups: &'static [&'static [Field]],
    /// Fields in addition to its own that depend on other values.
    pub described: Option<&'static dyn Described>,
}

impl Kind {
    /// Its own fields, in the order of the reference page.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + Clone + use<> {
        self.groups.iter().copied().flatten()
    }

    /// Its own field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields().find(|field| field.name == name)
    }

    /// Whether its described fields may say where they come from.
    pub(crate) fn takes_figures(&self) -> bool {
        self.described.is_some_and(Described::takes_figures)
    }

    /// The field that holds a file of another kind, with that kind.
    pub fn mounted(&self) -> Option<(&'static str, &'static Kind)> {
        self.fields().find_map(|field| match field.shape {
            Shape::Mounted(kind) => Some((field.name, kind)),
            _ => None,
        })
    }
}

/// What tells two entries of one kind apart: two files that name the same one describe the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// There is only one.
    Single,
    /// A field with a name: `id` mostly.
    Field(&'static str),
    /// The `id`, and with a `count` the ids of so many equal ones: `bay` is `bay0`, `bay1`, and so on.
    Numbered,
    /// The two `ends`, in either order. Several entries may have the same ends: the second is `a-b.b`.
    Ends,
    /// `from` and `to`, in this order.
    FromTo,
}

impl Identity {
    /// The fields that it is made of.
    pub(crate) fn fields(&self) -> &[&'static str] {
        match self {
            Self::Single => &[],
            Self::Field(field) => std::slice::from_ref(field),
            Self::Numbered => &["id"],
            Self::Ends => &["ends"],
            Self::FromTo => &["from", "to"],
        }
    }
}

/// Fields of a table that are not fixed by its kind, such as those of the part that an entry names.
pub trait Described: Debug + Sync {
    /// Reads the fields of `table` that its kind does not have.
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        given: &[(&String, &Entry)],
        table: &Table,
        decoded: &mut Decoded,
    );

    /// The lists of fields that may apply, for the schema.
    fn fields(&self) -> Vec<&'static [Field]>;

    /// The paragraph of the reference page about them, in Markdown.
    fn reference(&self) -> String;

    /// Whether each may be a [`Figure`](crate::Figure) that says where it comes from, in place of a value.
    fn takes_figures(&self) -> bool {
        false
    }
}

/// A type of value that another crate reads.
pub trait Custom: Debug + Sync {
    /// Reads a value; `None` where it cannot be read, and why is then among the problems.
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        field: &Field,
        node: &Node,
        decoded: &Decoded,
    ) -> Option<Arc<dyn Any + Send + Sync>>;

    /// Its JSON Schema: an object.
    fn schema(&self) -> Json;

    /// What the reference page says it takes: `"name of a part"`.
    fn reference(&self) -> String;

    /// Whether it may be a table of weights, whose entries `--set` can change one by one.
    fn has_weights(&self) -> bool {
        false
    }
}

/// A text with a format of its own, which a type reads: [`parsed_text!`](crate::parsed_text) makes one.
#[derive(Debug)]
pub struct ParsedText {
    /// Says what is wrong with a text that the type cannot read.
    pub check: fn(&str) -> Result<(), String>,
    /// The id of the error of such a text.
    pub id: &'static str,
    /// What would be right, as help beside that error.
    pub help: &'static str,
    /// What the reference page says it takes.
    pub takes: &'static str,
    /// A regular expression that right texts match, for the schema.
    pub pattern: Option<&'static str>,
}

/// One field of a table.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// What its value must be.
    pub shape: Shape,
    /// The numbers that it takes, in base units.
    pub range: Range,
    /// Whether it must be there, and what holds if it is not.
    pub presence: Presence,
    /// Whether a number in it is what it is by design, as a line rate or a size of packets, so that only a
    /// figure that gives a range is uncertain.
    pub exact: bool,
    /// Whether lists of tables of its kind show it.
    pub listed: bool,
    /// Its meaning, in a sentence or two.
    pub doc: &'static str,
}

impl Field {
    /// A field that must be there, and takes any number from zero up. The methods below change that.
    pub const fn new(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self {
            name,
            shape,
            range: Range::NOT_NEGATIVE,
            presence: Presence::Required,
            exact: false,
            listed: false,
            doc,
        }
    }

    /// A field of this type: with its shape, and optional if the type is.
    pub const fn of<T: FieldType>(name: &'static str, doc: &'static str) -> Self {
        let field = Self::new(name, T::SHAPE, doc.trim_ascii()).at_most(T::MAXIMUM);
        if T::OPTIONAL { field.optional() } else { field }
    }

    /// It takes another shape than its type says.
    #[must_use]
    pub const fn shape(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// It must be there, where it would otherwise have a default.
    #[must_use]
    pub const fn required(self) -> Self {
        Self {
            presence: Presence::Required,
            ..self
        }
    }

    /// It may be left out, and the reference page then says what holds.
    #[must_use]
    pub const fn optional(self) -> Self {
        Self {
            presence: Presence::Optional,
            ..self
        }
    }

    /// It must be there unless `other` is.
    #[must_use]
    pub const fn required_without(self, other: &'static str) -> Self {
        Self {
            presence: Presence::RequiredWithout(other),
            ..self
        }
    }

    /// This TOML value holds if it is left out.
    #[must_use]
    pub const fn default(self, toml: &'static str) -> Self {
        Self {
            presence: Presence::Default(toml),
            ..self
        }
    }

    /// As if empty if it is left out: of a table.
    #[must_use]
    pub const fn or_empty(self) -> Self {
        self.default("{}")
    }

    /// A number in it is what it is by design: without a range of its own it is not uncertain.
    #[must_use]
    pub const fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Lists of tables of its kind show it, as they show required fields.
    #[must_use]
    pub const fn listed(self) -> Self {
        Self { listed: true, ..self }
    }

    /// Refuses zero.
    #[must_use]
    pub const fn positive(mut self) -> Self {
        self.range.positive = true;
        self
    }

    /// Refuses less than `minimum`, in base units.
    #[must_use]
    pub const fn at_least(mut self, minimum: f64) -> Self {
        self.range.minimum = minimum;
        self
    }

    /// Refuses more than `maximum`, in base units.
    #[must_use]
    pub const fn at_most(mut self, maximum: f64) -> Self {
        self.range.maximum = maximum;
        self
    }

    /// Refuses what is not a multiple of this, in base units.
    #[must_use]
    pub const fn multiple_of(mut self, multiple: f64) -> Self {
        self.range.multiple = multiple;
        self
    }

    /// Refuses fractions of the base unit.
    #[must_use]
    pub const fn whole(self) -> Self {
        self.multiple_of(1.0)
    }

    /// Whether it must be there.
    pub const fn is_required(&self) -> bool {
        matches!(self.presence, Presence::Required)
    }

    /// The kind of quantity that it takes, if it takes one.
    pub const fn quantity(&self) -> Option<QuantityKind> {
        match self.shape {
            Shape::Quantity(kind) => Some(kind),
            _ => None,
        }
    }
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It must be there.
    Required,
    /// It must be there, unless this other field is.
    RequiredWithout(&'static str),
    /// It may be left out.
    Optional,
    /// This TOML value holds if it is left out.
    Default(&'static str),
}

impl Presence {
    /// Whether it must be there, where the fields are that `has` says.
    pub fn must_be(self, has: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Required => true,
            Self::RequiredWithout(other) => !has(other),
            Self::Optional | Self::Default(_) => false,
        }
    }
}

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// The version of the file format.
    Schema,
    /// A text.
    Text,
    /// The name of an entry: letters, digits, `_` and `-`.
    Id,
    /// `true` or `false`.
    Flag,
    /// A whole number without a unit.
    Count,
    /// A number without a unit.
    Number,
    /// A text with a unit.
    Quantity(QuantityKind),
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// The id of an entry of this kind.
    Reference(&'static str),
    /// Several such ids.
    References(&'static str),
    /// A text, number or flag that another table gives a meaning: a bound of an axis of a sweep.
    Scalar,
    /// A list of values of any type that another table gives a meaning: the values of an axis of a sweep.
    Values,
    /// A list of texts.
    Texts,
    /// Paths of files, relative to the file that says so.
    Paths,
    /// A table.
    Table(&'static Kind),
    /// An array of tables.
    Entries(&'static Kind),
    /// The path of a file of this kind, or a table that is one or overrides one.
    Mounted(&'static Kind),
    /// A text with a format of its own.
    Parsed(&'static ParsedText),
    /// A value that another crate reads.
    Custom(&'static dyn Custom),
}

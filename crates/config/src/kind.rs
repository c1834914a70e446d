//! Descriptions of tables: their fields, and the valid values of each.
//!
//! A [`Kind`] drives decoding, merging, `--set`, the JSON Schema and the reference page of a table.
//! [`settings!`](crate::settings) makes one from the declaration of a struct.

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
    /// Its description in a sentence or two, for the reference page and the schema.
    pub doc: &'static str,
    /// The identity of its entries.
    pub identity: Identity,
    /// Its own fields, in the order of the reference page; in groups, because a settings struct may contain
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

    /// Whether its described fields may have sources.
    pub(crate) fn takes_figures(&self) -> bool {
        self.described.is_some_and(Described::takes_figures)
    }

    /// The field that contains a file of another kind, with that kind.
    pub fn mounted(&self) -> Option<(&'static str, &'static Kind)> {
        self.fields().find_map(|field| match field.shape {
            Shape::Mounted(kind) => Some((field.name, kind)),
            _ => None,
        })
    }
}

/// Declares tables of files that have no struct: the [`Kind`] of each, from `NAME("name", identity,
/// described)`. Without an identity there is a single one; its described fields may be left out too.
///
/// The form of a field is `name: shape, rule...;`, with the rules of [`settings!`](crate::settings) and
/// `default(value)`. A constant with a field is named alone. The doc comment is the text of the reference
/// page.
///
/// ```
/// use bandgraph_config::{Field, Identity, Shape, kinds};
///
/// const ID: Field = Field::new("id", Shape::Id, "Its name.");
///
/// kinds! {
///     /// A lamp.
///     static LAMP("lamp", Identity::Field("id")) {
///         ID;
///         /// How many bulbs it has.
///         bulbs: Shape::Count, default(1), at_most(12);
///     }
/// }
///
/// assert_eq!(LAMP.doc, "A lamp.");
/// assert_eq!(LAMP.fields().map(|field| field.name).collect::<Vec<_>>(), ["id", "bulbs"]);
/// ```
#[macro_export]
macro_rules! kinds {
    (@identity) => { $crate::Identity::Single };
    (@identity $identity:expr) => { $identity };
    (@described) => { None };
    (@described $described:expr) => { Some(&$described) };
    ($(
        $(#[doc = $doc:literal])+
        $visibility:vis static $constant:ident($name:literal $(, $identity:expr $(, $described:expr)?)?) {
            $($fields:tt)*
        }
    )+) => {$(
        $(#[doc = $doc])+
        $visibility static $constant: $crate::Kind = $crate::Kind {
            name: $name,
            doc: concat!($($doc),+).trim_ascii(),
            identity: $crate::kinds!(@identity $($identity)?),
            groups: &[$crate::fields!($($fields)*)],
            described: $crate::kinds!(@described $($($described)?)?),
        };
    )+};
}

/// The fields of a table, declared as in [`kinds!`](crate::kinds).
#[macro_export]
macro_rules! fields {
    (@field [] $constant:ident) => { $constant };
    (@field [$($doc:literal)+] $name:ident: $shape:expr $(, $rule:ident $(($argument:expr))?)*) => {
        $crate::Field::new(stringify!($name), $shape, concat!($($doc),+).trim_ascii())
            $(.$rule($($crate::fields!(@argument $rule $argument))?))*
    };
    (@argument default $value:expr) => { stringify!($value) };
    (@argument $rule:ident $number:expr) => { $number as f64 };
    ($($(#[doc = $doc:literal])* $name:ident $(: $shape:expr $(, $rule:ident $(($argument:expr))?)*)?;)*) => {
        &[$($crate::fields!(@field [$($doc)*] $name $(: $shape $(, $rule $(($argument))?)*)?)),*]
    };
}

/// The identity of entries of one kind: entries of two files with the same identity are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// There is only one entry.
    Single,
    /// A field with a name, usually `id`.
    Field(&'static str),
    /// The `id`; with a `count`, ids with numbers: `bay` is `bay0`, `bay1`, and so on.
    Numbered,
    /// The two `ends`, in either order. Several entries may have the same ends: the second is `a-b.b`.
    Ends,
    /// `from` and `to`, in this order.
    FromTo,
}

impl Identity {
    /// The fields of the identity.
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

/// Fields of a table that its kind does not define, such as those of the part that an entry names.
pub trait Described: Debug + Sync {
    /// Decodes the fields of `table` that its kind does not define.
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        given: &[(&String, &Entry)],
        table: &Table,
        decoded: &mut Decoded,
    );

    /// The lists of possible fields, for the schema.
    fn fields(&self) -> Vec<&'static [Field]>;

    /// The lists of possible fields of an entry, in a table that may define parts of its own: all, if the
    /// entry does not say what it is.
    fn fields_of(&self, _entry: &Table, _definitions: &Table) -> Vec<&'static [Field]> {
        self.fields()
    }

    /// Their paragraph in the reference page, in Markdown.
    fn reference(&self) -> String;

    /// Whether each may be a [`Figure`](crate::Figure) with a source, instead of a value.
    fn takes_figures(&self) -> bool {
        false
    }

    /// The fields of the entry that a path may name though no file has it, as a part of the catalogue.
    fn implied(&self, _name: &str) -> Option<Vec<(&'static str, String)>> {
        None
    }

    /// The names of all such entries.
    fn implied_names(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// A value that another crate decodes.
pub type Made = Arc<dyn Any + Send + Sync>;

/// A type of value that another crate decodes.
pub trait Custom: Debug + Sync {
    /// Decodes a value; `None` and a problem if it is invalid.
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, decoded: &Decoded) -> Option<Made>;

    /// Its JSON Schema: an object.
    fn schema(&self) -> Json;

    /// Its valid values in the reference page: `"name of a part"`.
    fn reference(&self) -> String;

    /// Whether it may be a table of weights, whose entries `--set` can change individually.
    fn has_weights(&self) -> bool {
        false
    }
}

/// A text with a format that a type parses: [`parsed_text!`](crate::parsed_text) makes one.
#[derive(Debug)]
pub struct ParsedText {
    /// Returns the problem of a text that the type cannot parse.
    pub check: fn(&str) -> Result<(), String>,
    /// The id of the error of such a text.
    pub id: &'static str,
    /// The correct form, as help for that error.
    pub help: &'static str,
    /// Its valid values in the reference page.
    pub takes: &'static str,
    /// A regular expression for valid texts, for the schema.
    pub pattern: Option<&'static str>,
}

/// The range of assumed values of a field, as multiples of the value, and why it is that.
#[derive(Clone, Copy, Debug)]
pub struct AssumedRange(pub f64, pub f64, pub &'static str);

impl AssumedRange {
    /// That of figures of which nothing better is known.
    pub const USUAL: Self = Self(
        0.7,
        1.3,
        "±30 %: most assumptions that were measured later were within a third",
    );
}

/// One field of a table.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// The type of its value.
    pub shape: Shape,
    /// Its valid numbers, in base units.
    pub range: Range,
    /// Whether it is required, and its default.
    pub presence: Presence,
    /// Whether a number in it is exact by design, such as a line rate or a packet size: it is uncertain only
    /// if a figure has a range.
    pub exact: bool,
    /// Whether it may be a [`Figure`](crate::Figure) with a range, in a table whose own field it is.
    pub uncertain: bool,
    /// Whether it is shown in lists of tables of its kind.
    pub listed: bool,
    /// Whether people write it in bits a second.
    pub in_bits: bool,
    /// What measures it on a machine: a command or a counter.
    pub measured: Option<&'static str>,
    /// The key of the document that states its default; `None` if the default is assumed.
    pub default_source: Option<&'static str>,
    /// Why its default is what it is.
    pub default_note: Option<&'static str>,
    /// Where the true value of an assumed figure lies that has no range of its own.
    pub assumed: Option<AssumedRange>,
    /// Its meaning, in a sentence or two.
    pub doc: &'static str,
}

impl Field {
    /// A required field for any number from zero up. The methods below change that.
    pub const fn new(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self {
            name,
            shape,
            range: Range::NOT_NEGATIVE,
            presence: Presence::Required,
            exact: false,
            uncertain: false,
            listed: false,
            in_bits: false,
            measured: None,
            default_source: None,
            default_note: None,
            assumed: None,
            doc,
        }
    }

    /// A field of this type: with its shape, and optional if the type is.
    pub const fn of<T: FieldType>(name: &'static str, doc: &'static str) -> Self {
        let field = Self::new(name, T::SHAPE, doc.trim_ascii()).at_most(T::MAXIMUM);
        if T::OPTIONAL { field.optional() } else { field }
    }

    /// Sets another shape than that of its type.
    #[must_use]
    pub const fn shape(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// Makes a field with a default required.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// Makes it optional; the reference page describes the effect.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }

    /// Says what measures it on a machine.
    #[must_use]
    pub const fn measured(mut self, how: &'static str) -> Self {
        self.measured = Some(how);
        self
    }

    /// Names the document that states its default, by its key in the bibliography.
    #[must_use]
    pub const fn stated_by(mut self, source: &'static str) -> Self {
        self.default_source = Some(source);
        self
    }

    /// Says why its default is what it is.
    #[must_use]
    pub const fn because(mut self, why: &'static str) -> Self {
        self.default_note = Some(why);
        self
    }

    /// Says where the true value of an assumed figure lies that has no range of its own.
    #[must_use]
    pub const fn assumed(mut self, range: AssumedRange) -> Self {
        self.assumed = Some(range);
        self
    }

    /// Makes it required unless `other` is present.
    #[must_use]
    pub const fn required_without(mut self, other: &'static str) -> Self {
        self.presence = Presence::RequiredWithout(other);
        self
    }

    /// Sets its default, as a TOML value.
    #[must_use]
    pub const fn default(mut self, toml: &'static str) -> Self {
        self.presence = Presence::Default(toml);
        self
    }

    /// Makes a missing table equivalent to an empty one.
    #[must_use]
    pub const fn or_empty(self) -> Self {
        self.default("{}")
    }

    /// Makes its numbers exact by design: without a range of its own, a number is certain.
    #[must_use]
    pub const fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Permits a [`Figure`](crate::Figure) with a range instead of its value.
    #[must_use]
    pub const fn uncertain(self) -> Self {
        Self {
            uncertain: true,
            ..self
        }
    }

    /// Shows it in lists of tables of its kind, like required fields.
    #[must_use]
    pub const fn listed(self) -> Self {
        Self { listed: true, ..self }
    }

    /// Marks it as a rate that people write in bits a second.
    #[must_use]
    pub const fn in_bits(mut self) -> Self {
        self.in_bits = true;
        self
    }

    /// Rejects zero.
    #[must_use]
    pub const fn positive(mut self) -> Self {
        self.range.positive = true;
        self
    }

    /// Rejects numbers less than `minimum`, in base units.
    #[must_use]
    pub const fn at_least(mut self, minimum: f64) -> Self {
        self.range.minimum = minimum;
        self
    }

    /// Rejects numbers greater than `maximum`, in base units.
    #[must_use]
    pub const fn at_most(mut self, maximum: f64) -> Self {
        self.range.maximum = maximum;
        self
    }

    /// Rejects numbers that are not multiples of this, in base units.
    #[must_use]
    pub const fn multiple_of(mut self, multiple: f64) -> Self {
        self.range.multiple = multiple;
        self
    }

    /// Rejects fractions of the base unit.
    #[must_use]
    pub const fn whole(self) -> Self {
        self.multiple_of(1.0)
    }

    /// Whether it is required.
    pub const fn is_required(&self) -> bool {
        matches!(self.presence, Presence::Required)
    }

    /// Whether it is a plain number that cannot exceed 1, so that it can be written in per cent, too.
    pub const fn is_share(&self) -> bool {
        matches!(self.shape, Shape::Number) && self.range.maximum <= 1.0
    }

    /// The kind of its quantity, if it is one.
    pub const fn quantity(&self) -> Option<QuantityKind> {
        match self.shape {
            Shape::Quantity(kind) => Some(kind),
            _ => None,
        }
    }

    /// The values that it can have, if they are words; of others, some that are common.
    pub fn words(&self) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self.shape {
            Shape::Flag => owned(&["true", "false"]),
            Shape::Choice(words) => owned(&words()),
            Shape::Custom(custom) => {
                let schema = custom.schema();
                let either = schema["oneOf"].as_array().cloned().unwrap_or_default();
                let schemas = either.into_iter().chain([schema]);
                let lists = schemas
                    .flat_map(|schema| ["enum", "examples"].map(|key| schema[key].as_array().cloned()));
                let words = lists.flatten().flatten();
                words
                    .filter_map(|word| word.as_str().map(str::to_owned))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The kind of the numbers in its messages: shares are per cent there.
    pub(crate) const fn said_as(&self) -> Option<QuantityKind> {
        if self.is_share() {
            Some(QuantityKind::Fraction)
        } else {
            self.quantity()
        }
    }
}

/// Whether a field is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is required.
    Required,
    /// It is required unless this other field is present.
    RequiredWithout(&'static str),
    /// It is optional.
    Optional,
    /// It has this TOML value as its default.
    Default(&'static str),
}

impl Presence {
    /// Whether it is required, given the presence of other fields.
    pub fn must_be(self, has: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Required => true,
            Self::RequiredWithout(other) => !has(other),
            Self::Optional | Self::Default(_) => false,
        }
    }
}

/// The type of a value.
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
    /// A text, number or flag whose meaning depends on another table: a bound of an axis of a sweep.
    Scalar,
    /// A list of values of any type whose meaning depends on another table: the values of an axis of a sweep.
    Values,
    /// A list of texts.
    Texts,
    /// Paths of files, relative to the file that contains them.
    Paths,
    /// A table.
    Table(&'static Kind),
    /// An array of tables.
    Entries(&'static Kind),
    /// The path of a file of this kind, or a table with its contents or overrides.
    Mounted(&'static Kind),
    /// A text with a special format.
    Parsed(&'static ParsedText),
    /// A value that another crate decodes.
    Custom(&'static dyn Custom),
}

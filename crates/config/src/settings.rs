//! Fields that are declared once.

use crate::kind::Field;
use crate::value::FieldType;

/// Declares a table of files: the struct, its defaults, and the [`Kind`](crate::Kind) that decodes, documents
/// and checks it.
///
/// The form of a field is `name: Type = default as shape, rule...;`. The type has a unit and a shape of its
/// own ([`FieldType`](crate::FieldType)); `as` gives another, such as `Shape::Id` for a text that is a name.
/// The default is a literal in the notation of files. A field without a default is required unless its type
/// is optional. Rules are the methods of [`Field`](crate::Field): `positive`, `at_least(number)`,
/// `at_most(number)`, `whole`, `multiple_of(number)`, `optional` (the default is a value that files cannot
/// express), `exact` (a number by design, without a default range), `uncertain` (a figure with a range may
/// take the place of its value), `listed` (shown in lists of such tables),
/// `in_bits` (people write it in bits a second), `or_empty` (for a table), `required`,
/// `required_without("field")`, `measured("how")`, `stated_by("source")` (a document states the default),
/// `because("why")` (the note of the default), `assumed(AssumedRange(0.5, 2.0, "why"))` (the range of assumed
/// figures without one of their own, as multiples of the value).
/// Numbers are in base units, and not negative unless a rule permits it. The doc comment is the text of the
/// reference page.
///
/// `flatten` lists structs whose fields are fields of this table; `own` lists fields that are not in files.
///
/// ```
/// use bandgraph_config::{Decoder, Problems, parse_document, settings};
/// use bandgraph_diagnostics::{Place, Sources};
/// use bandgraph_units::Bandwidth;
///
/// settings! {
///     /// The network cards of a client.
///     pub struct Nics as "nics" {
///         /// How many a client has.
///         count: u32 = 1, at_least(1), at_most(64);
///         /// Line rate of each in each direction.
///         rate: Bandwidth = "1 Gbit/s", positive;
///         /// Name of the driver.
///         driver: Option<String>;
///     }
/// }
///
/// let mut sources = Sources::new();
/// let mut problems = Problems::new();
/// let source = sources.add("nics.toml", "count = 2\nrate = \"0 Gbit/s\"".to_owned());
/// let table = parse_document(source, &sources, &mut problems);
/// let decoded = Decoder::new(&sources, &mut problems).table(Nics::KIND, &table, &Place::new(source, 0..0));
/// assert_eq!(problems.into_sorted()[0].message, "`rate` must be more than zero, not 0 B/s");
/// assert_eq!(Nics::from_table(&decoded), Nics { count: 2, ..Nics::default() });
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[doc = $kind_doc:literal])+
        $visibility:vis struct $name:ident as $kind:literal $(by $identity:literal)? {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty $(= $default:literal)? $(as $shape:expr)? $(, $rule:ident $(($limit:expr))?)*;
            )*
            $(flatten {
                $($(#[doc = $flat_doc:literal])+ $flat:ident: $flat_type:ty;)+
            })?
            $(own {
                $($(#[doc = $own_doc:literal])+ $own:ident: $own_type:ty = $own_default:expr;)+
            })?
        }
    ) => {
        $(#[doc = $kind_doc])+
        #[derive(Debug, PartialEq)]
        $visibility struct $name {
            $($($(#[doc = $own_doc])+ pub $own: $own_type,)+)?
            $($(#[doc = $doc])+ pub $field: $type,)*
            $($($(#[doc = $flat_doc])+ pub $flat: $flat_type,)+)?
        }

        #[allow(clippy::expl_impl_clone_on_copy, reason = "some of them are also Copy")]
        impl Clone for $name {
            fn clone(&self) -> Self {
                Self {
                    $($($own: self.$own.clone(),)+)?
                    $($field: self.$field.clone(),)*
                    $($($flat: self.$flat.clone(),)+)?
                }
            }

            // Field by field, so that names and lists reuse their memory.
            fn clone_from(&mut self, other: &Self) {
                $($(self.$own.clone_from(&other.$own);)+)?
                $(self.$field.clone_from(&other.$field);)*
                $($(self.$flat.clone_from(&other.$flat);)+)?
            }
        }

        impl $name {
            /// Its fields in files, in documented order.
            pub const FIELDS: &'static [$crate::Field] = &[
                $($crate::settings!(@field $field, $type, [$($default)?] [$($shape)?] concat!($($doc),+))
                    $(.$rule($($crate::settings!(@number $rule $limit))?))*,)*
            ];

            /// The description of the table in files.
            pub const KIND: &'static $crate::Kind = &$crate::Kind {
                name: $kind,
                doc: concat!($($kind_doc),+).trim_ascii(),
                identity: $crate::settings!(@identity $($identity)?),
                groups: &[Self::FIELDS, $($(<$flat_type>::FIELDS,)+)?],
                described: None,
            };

            /// The value of a decoded table, with placeholders for fields that could not be decoded.
            pub fn from_table(table: &$crate::Decoded) -> Self {
                Self {
                    $($($own: $own_default,)+)?
                    $($field: table
                        .get(stringify!($field))
                        .unwrap_or_else(|| $crate::settings!(@default $type, $field [$($default)?])),)*
                    $($($flat: <$flat_type>::from_table(table),)+)?
                }
            }

            /// The value of a field by its name; `None` if there is no such field, or it is not a single
            /// value.
            pub fn get(&self, field: &str) -> Option<$crate::FieldValue> {
                match field {
                    $(stringify!($field) => $crate::FieldType::to_value(&self.$field),)*
                    _ => None $($(.or_else(|| self.$flat.get(field)))+)?,
                }
            }

            /// Sets a field with a single value by its name. On failure nothing changes.
            ///
            /// # Errors
            ///
            /// The field does not exist, or the value is invalid; see [`FieldError`]($crate::FieldError).
            pub fn set(&mut self, field: &str, value: $crate::FieldValue) -> Result<(), $crate::FieldError> {
                let Some(known) = Self::FIELDS.iter().find(|known| known.name == field) else {
                    $($(if <$flat_type>::FIELDS.iter().any(|known| known.name == field) {
                        return self.$flat.set(field, value);
                    })+)?
                    let field = field.to_owned();
                    return Err($crate::FieldError::Unknown { kind: $kind, field });
                };
                known.check(&value)?;
                match field {
                    $(stringify!($field) => {
                        if let Some(value) = $crate::FieldType::from_value(value) {
                            self.$field = value;
                        }
                    })*
                    _ => {}
                }
                Ok(())
            }

            /// Adds the fields whose numbers are out of range to `found`. `path` is the path of this table,
            /// and is empty or ends in a dot.
            pub fn check(&self, path: &str, found: &mut Vec<$crate::InvalidField>) {
                let mut fields = Self::FIELDS.iter();
                $(if let Some(field) = fields.next()
                    && !$crate::settings!(@left_out self.$field, $type, field [$($default)?])
                {
                    $crate::FieldType::check(&self.$field, path, field, found);
                })*
                $($(self.$flat.check(path, found);)+)?
            }
        }

        impl Default for $name {
            /// The defaults of optional fields, and placeholders for the others.
            fn default() -> Self {
                Self {
                    $($($own: $own_default,)+)?
                    $($field: $crate::settings!(@default $type, $field [$($default)?]),)*
                    $($($flat: Default::default(),)+)?
                }
            }
        }

        impl $crate::FieldType for $name {
            const SHAPE: $crate::Shape = $crate::Shape::Table(Self::KIND);

            fn from_read(read: &$crate::Read) -> Option<Self> {
                match read {
                    $crate::Read::Table(table) => Some(Self::from_table(table)),
                    _ => None,
                }
            }

            fn placeholder() -> Self {
                Self::default()
            }

            fn check(&self, path: &str, field: &$crate::Field, found: &mut Vec<$crate::InvalidField>) {
                Self::check(self, &format!("{path}{}.", field.name), found);
            }
        }
    };

    (@field $field:ident, $type:ty, [$($default:literal)?] [] $doc:expr) => {
        $crate::Field::of::<$type>(stringify!($field), $doc) $(.default(stringify!($default)))?
    };
    (@field $field:ident, $type:ty, [$($default:literal)?] [$shape:expr] $doc:expr) => {
        $crate::Field::of::<$type>(stringify!($field), $doc).shape($shape) $(.default(stringify!($default)))?
    };
    (@number required_without $limit:expr) => { $limit };
    (@number measured $limit:expr) => { $limit };
    (@number stated_by $limit:expr) => { $limit };
    (@number because $limit:expr) => { $limit };
    (@number assumed $limit:expr) => { $limit };
    (@number $rule:ident $limit:expr) => { $limit as f64 };
    (@identity) => { $crate::Identity::Single };
    (@identity $field:literal) => { $crate::Identity::Field($field) };
    (@default $type:ty, $field:ident []) => { <$type as $crate::FieldType>::placeholder() };
    (@default $type:ty, $field:ident [$default:literal]) => { $crate::literal::<$type>(stringify!($default)) };
    (@left_out $value:expr, $type:ty, $field:ident [$($default:literal)?]) => {
        $field.presence == $crate::Presence::Optional
            && $value == $crate::settings!(@default $type, $field [$($default)?])
    };
}

/// The value of a literal in the notation of files, for [`settings!`](crate::settings).
#[doc(hidden)]
pub fn literal<T: FieldType>(toml: &'static str) -> T {
    let value = Field::of::<T>("", "").default(toml).default_value();
    value.and_then(T::from_value).unwrap_or_else(T::placeholder)
}

//! Enums whose variants are words in files.

use thiserror::Error;

/// A text that is not a word of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{found}` is not the name of {expected}")]
pub struct UnknownWord {
    /// The expected item, such as `"an operation"`. The requested type lists all names in its `ALL`.
    pub expected: &'static str,
    /// The text.
    pub found: String,
}

/// Declares an enum whose variants are words, with `ALL`, `as_str` and `Display`.
///
/// With a name of the whole (`: "a pattern"`) it is also read from files: [`FromStr`](std::str::FromStr) and
/// [`FieldType`](crate::FieldType). With a description of each word (`= "random": "By chance"`) it has
/// `CHOICES` for arguments, and `description`.
///
/// ```
/// bandgraph_config::words! {
///     /// The order in which data is visited.
///     #[derive(Default)]
///     pub enum Pattern: "a pattern" {
///         /// One after another.
///         #[default]
///         Sequential = "sequential",
///         /// By chance.
///         Random = "random",
///     }
/// }
///
/// assert_eq!("random".parse(), Ok(Pattern::Random));
/// assert_eq!(Pattern::default().as_str(), "sequential");
/// assert_eq!("spiral".parse::<Pattern>().unwrap_err().to_string(), "`spiral` is not the name of a pattern");
/// ```
#[macro_export]
macro_rules! words {
    (@choices $name:ident $($variant:ident $word:literal),+) => {};
    (@choices $name:ident $($variant:ident $word:literal $description:literal),+) => {
        impl $name {
            /// All of them with their words and descriptions, for arguments.
            pub const CHOICES: &'static [(Self, &'static str, &'static str)] =
                &[$((Self::$variant, $word, $description)),+];

            /// What the word means.
            pub const fn description(self) -> &'static str {
                Self::CHOICES[self as usize].2
            }
        }
    };
    (@parse $name:ident $($variant:ident $word:literal),+;) => {};
    (@parse $name:ident $($variant:ident $word:literal),+; $expected:literal) => {
        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownWord> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownWord {
                        expected: $expected,
                        found: text.to_owned(),
                    }),
                }
            }
        }

        $crate::word_field!($name, as_str);
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident $(: $expected:literal)? {
            $($(#[$word_attribute:meta])* $variant:ident = $word:literal $(: $description:literal)?),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $name {
            $($(#[$word_attribute])* $(#[doc = $description])? $variant,)+
        }

        impl $name {
            /// All of them, in documented order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in files and results.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        $crate::words!(@choices $name $($variant $word $($description)?),+);
        $crate::words!(@parse $name $($variant $word),+; $($expected)?);
    };
}

/// Implements [`FieldType`](crate::FieldType) for an enum with `ALL`, `FromStr` and a method for its word.
#[macro_export]
macro_rules! word_field {
    ($name:ident, $word:ident) => {
        impl $crate::FieldType for $name {
            const SHAPE: $crate::Shape =
                $crate::Shape::Choice(|| Self::ALL.iter().map(|word| word.$word()).collect());

            fn from_read(read: &$crate::Read) -> Option<Self> {
                match read {
                    $crate::Read::Single($crate::FieldValue::Text(word)) => word.parse().ok(),
                    _ => None,
                }
            }

            fn placeholder() -> Self {
                Self::ALL[0]
            }

            fn to_value(&self) -> Option<$crate::FieldValue> {
                Some($crate::FieldValue::Text(self.$word().to_owned()))
            }

            fn from_value(value: $crate::FieldValue) -> Option<Self> {
                match value {
                    $crate::FieldValue::Text(word) => word.parse().ok(),
                    _ => None,
                }
            }
        }
    };
}

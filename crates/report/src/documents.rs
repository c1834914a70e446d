//! The declaration of documents.

/// Declares documents: structs that are written as JSON, with their schema.
///
/// A document with arguments has a constructor, `new`: each field says its value after `=`, or takes the
/// local of its name, which may be an argument or a `let` before the fields.
macro_rules! documents {
    ($(
        $(#[$attribute:meta])*
        pub struct $name:ident $(($($argument:ident: $type:ty),+))? {
            $(let $pattern:pat = $initial:expr;)*
            $($(#[$about:meta])* pub $field:ident: $field_type:ty $(= $value:expr)?,)+
        }
    )+) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$attribute])*
        pub struct $name {
            $($(#[$about])* pub $field: $field_type,)+
        }

        documents!(@new $name [$($($argument: $type),+)?] [$(let $pattern = $initial;)*] $($field $(: $value)?,)+);
    )+};
    (@new $name:ident [] [] $($field:ident,)+) => {};
    (@new $name:ident [$($argument:ident: $type:ty),+] [$($local:tt)*] $($field:ident $(: $value:expr)?,)+) => {
        impl $name {
            /// The document of these values.
            pub fn new($($argument: $type),+) -> Self {
                $($local)*
                Self {
                    $($field $(: $value)?,)+
                }
            }
        }
    };
}

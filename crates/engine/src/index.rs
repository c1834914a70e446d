//! Identifiers of an engine's items: small copyable numbers, in order of creation.

/// Declares one index type.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Position in order of creation, from 0: usable as an index of the caller's own `Vec`.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// A resource of one [`Engine`](crate::Engine).
    ResourceIndex
);
index!(
    /// A flow class of one [`Engine`](crate::Engine).
    ClassIndex
);
index!(
    /// A station of one [`Engine`](crate::Engine).
    StationIndex
);

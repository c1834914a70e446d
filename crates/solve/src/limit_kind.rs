//! Kinds of limits.

use bandgraph_topology::ResourceKind;

/// What kind of thing holds a server back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Resources of one kind that are used up to their ceiling.
    Resource(ResourceKind),
    /// One thread cannot use more than one core: more threads would help.
    Core,
    /// The clients do not have enough operations outstanding to fill anything: latency and think time limit.
    Concurrency,
    /// All operations come at a rate, and the server keeps up with it.
    Offered,
}

impl LimitKind {
    /// Every kind there is.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [Self::Core, Self::Concurrency, Self::Offered];
        ResourceKind::ALL.into_iter().map(Self::Resource).chain(others)
    }

    /// The word that reports use: `socket-link`, `pcie`, …, `core`, `concurrency`, `offered`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resource(kind) => kind.as_str(),
            Self::Core => "core",
            Self::Concurrency => "concurrency",
            Self::Offered => "offered",
        }
    }
}

//! Kinds of limits.

use bandgraph_topology::ResourceKind;

/// The kind of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Resources of one kind at their usable capacity.
    Resource(ResourceKind),
    /// A single thread cannot use more than one core: more threads would help.
    Core,
    /// The clients have too few operations in flight to saturate a resource: latency and think time limit.
    Concurrency,
    /// All operations arrive at a rate, and the server keeps up.
    Offered,
}

impl LimitKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [Self::Core, Self::Concurrency, Self::Offered];
        ResourceKind::ALL
            .iter()
            .copied()
            .map(Self::Resource)
            .chain(others)
    }

    /// The word in reports: `socket-link`, `pcie`, …, `core`, `concurrency`, `offered`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resource(kind) => kind.as_str(),
            Self::Core => "core",
            Self::Concurrency => "concurrency",
            Self::Offered => "offered",
        }
    }
}

//! Errors in the structure of a topology.

use std::sync::Arc;

use bandgraph_config::FieldError;
use bandgraph_units::Bytes;
use thiserror::Error;

use crate::{ElementKind, ElementRef};

/// An error in the structure of a topology. Messages are lower-case and fit one line; [`help`](Self::help)
/// says more.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// There is no socket.
    #[error("a topology needs at least one socket")]
    NoSockets,
    /// More elements or resources than the limits allow.
    #[error("{count} {what} are more than the {limit} that are possible")]
    TooMany {
        /// The kind of elements, in the plural.
        what: &'static str,
        /// Their number.
        count: u64,
        /// The maximum number.
        limit: u64,
    },
    /// An id that is empty, too long, or has characters other than letters, digits, `_` and `-`.
    #[error(
        "`{id}` is not an id: letters, digits, `_` and `-`, at most {} of them",
        crate::MAX_ID
    )]
    InvalidId {
        /// Where.
        at: ElementRef,
        /// The id, shortened if long.
        id: String,
    },
    /// Two elements with the same id.
    #[error("id `{id}` is used twice")]
    DuplicateId {
        /// The second one.
        at: ElementRef,
        /// The first one.
        first: ElementRef,
        /// The id.
        id: String,
    },
    /// Two resources with the same id, such as a link between `a` and `b-c` and one between `a-b` and `c`.
    #[error("ids are ambiguous: two resources would be called `{resource}`")]
    AmbiguousId {
        /// The second element.
        at: ElementRef,
        /// The common id.
        resource: String,
    },
    /// An invalid value of a field of a part, such as a zero, negative or infinite capacity.
    #[error("{error}")]
    InvalidField {
        /// Where.
        at: ElementRef,
        /// The problem.
        error: FieldError,
    },
    /// Memory without channels.
    #[error("memory of `{socket}` has no channels")]
    NoChannels {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
    },
    /// Memory of a size that is zero, negative or not finite.
    #[error("memory of `{socket}` has a size of {size}; it must be finite and more than zero")]
    InvalidMemorySize {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
        /// The size.
        size: Bytes,
    },
    /// A socket that cannot be divided in this number of NUMA nodes.
    #[error("`{socket}` cannot be divided in {nodes} NUMA nodes: {reason}")]
    Indivisible {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
        /// The number of nodes.
        nodes: u32,
        /// The reason.
        reason: String,
    },
    /// An unknown name.
    #[error("there is no {expected} `{name}`")]
    Unknown {
        /// Where.
        at: ElementRef,
        /// The expected kind of element.
        expected: ElementKind,
        /// The name.
        name: String,
        /// The existing ids of that kind.
        known: Arc<[String]>,
    },
    /// A link from a socket to itself.
    #[error("link from `{socket}` to itself")]
    SelfLink {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
    },
    /// More links and uplinks on a socket than it has ports for.
    #[error("`{socket}` has {links} links and uplinks, but its {part} has {ports} link ports")]
    TooManyLinks {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
        /// Its part.
        part: String,
        /// Links and uplinks on it.
        links: u64,
        /// Its number of ports.
        ports: u64,
    },
    /// A socket without a path of links to the first one.
    #[error("no links join `{socket}` to `{first}`")]
    UnreachableSocket {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
        /// The first socket.
        first: String,
    },
    /// A slot or connector with no lanes, or too many.
    #[error("x{lanes} is not a width: 1 to {} lanes", crate::MAX_LANES)]
    InvalidLanes {
        /// Where.
        at: ElementRef,
        /// Its lanes.
        lanes: u32,
    },
    /// A connector with fewer lanes than are wired to it.
    #[error("slot `{slot}` has x{wired} wired to a x{connector} connector")]
    NarrowConnector {
        /// Where.
        at: ElementRef,
        /// The slot.
        slot: String,
        /// Lanes that are wired.
        wired: u32,
        /// Lanes of the connector.
        connector: u32,
    },
    /// A card with more lanes than the connector of its slot.
    #[error("card `{card}` is x{lanes} and does not fit slot `{slot}`, whose connector is x{connector}")]
    CardTooWide {
        /// Where.
        at: ElementRef,
        /// The card.
        card: String,
        /// Its lanes.
        lanes: u32,
        /// The slot.
        slot: String,
        /// Lanes of the slot's connector.
        connector: u32,
        /// The first few slots that are wide enough.
        wide_enough: Vec<String>,
    },
    /// A full-height card in a low-profile slot.
    #[error("card `{card}` is of full height and does not fit slot `{slot}`, which takes low-profile cards")]
    CardTooHigh {
        /// Where.
        at: ElementRef,
        /// The card.
        card: String,
        /// The slot.
        slot: String,
    },
    /// Two cards in one slot.
    #[error("slot `{slot}` has card `{first_card}` in it already")]
    SlotTaken {
        /// The second card.
        at: ElementRef,
        /// The first card.
        first: ElementRef,
        /// The slot.
        slot: String,
        /// The first card's id.
        first_card: String,
        /// Slots without a card.
        free: Arc<[String]>,
    },
    /// Integrated ports that are assigned to a slot.
    #[error("card `{card}` is integrated on its bridge ({part}) and does not go into a slot")]
    IntegratedInSlot {
        /// Where.
        at: ElementRef,
        /// The card.
        card: String,
        /// Its part.
        part: String,
    },
    /// A card for a slot that is assigned to a bridge.
    #[error("card `{card}` ({part}) needs a slot, and cannot sit on bridge `{bridge}` itself")]
    NeedsSlot {
        /// Where.
        at: ElementRef,
        /// The card.
        card: String,
        /// Its part.
        part: String,
        /// The bridge.
        bridge: String,
    },
    /// An enclosure whose adapter is another kind of card.
    #[error("card `{card}` is not a host bus adapter, and has no ports for disks")]
    NotAnHba {
        /// Where.
        at: ElementRef,
        /// The card.
        card: String,
        /// The existing adapters.
        known: Arc<[String]>,
    },
    /// An enclosure with drives that its adapter does not take.
    #[error("`{disk}` speaks {interface}, and the ports of `{card}` ({part}) are {technology}")]
    WrongInterface {
        /// Where.
        at: ElementRef,
        /// The drives.
        disk: String,
        /// What they speak.
        interface: String,
        /// The adapter.
        card: String,
        /// Its part.
        part: String,
        /// The technology of its ports.
        technology: String,
    },
    /// An enclosure on a port that does not exist on its adapter.
    #[error("`{card}` has no port {port}: its ports are 0 to {}", ports.saturating_sub(1))]
    NoSuchPort {
        /// Where.
        at: ElementRef,
        /// The adapter.
        card: String,
        /// The port.
        port: u32,
        /// The adapter's number of ports.
        ports: u64,
    },
    /// More paths to an enclosure than it has active wide ports.
    #[error("`{jbod}` has two paths, but {part} takes {ports}")]
    TooManyPaths {
        /// Where.
        at: ElementRef,
        /// The enclosure.
        jbod: String,
        /// Its part.
        part: String,
        /// The number of paths that it supports.
        ports: u64,
    },
    /// Two paths to an enclosure through the same port.
    #[error("both paths to `{jbod}` are port {port} of `{card}`")]
    SamePath {
        /// Where.
        at: ElementRef,
        /// The enclosure.
        jbod: String,
        /// The adapter.
        card: String,
        /// The port.
        port: u32,
    },
    /// Too many enclosures on one port.
    #[error(
        "more than {} enclosures are chained on port {port} of `{card}`",
        crate::MAX_CHAIN
    )]
    ChainTooLong {
        /// The first enclosure beyond the limit.
        at: ElementRef,
        /// The adapter.
        card: String,
        /// The port.
        port: u32,
    },
    /// A route from a socket to itself.
    #[error("route from `{socket}` to itself")]
    RouteToItself {
        /// Where.
        at: ElementRef,
        /// The socket.
        socket: String,
    },
    /// Two routes for the same pair of sockets.
    #[error("the route from `{from}` to `{to}` is given twice")]
    DuplicateRoute {
        /// The second one.
        at: ElementRef,
        /// The first one.
        first: ElementRef,
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
    },
    /// A route over a missing link.
    #[error(
        "the route from `{from}` to `{to}` needs a link from `{hop_from}` to `{hop_to}`, and there is none"
    )]
    RouteWithoutLink {
        /// Where.
        at: ElementRef,
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
        /// Where the missing link starts.
        hop_from: String,
        /// Where the missing link ends.
        hop_to: String,
    },
    /// A route that visits a socket twice.
    #[error("the route from `{from}` to `{to}` comes to `{socket}` twice")]
    RouteRevisits {
        /// Where.
        at: ElementRef,
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
        /// The socket.
        socket: String,
    },
}

impl TopologyError {
    /// The location of the error.
    pub const fn element(&self) -> ElementRef {
        match self {
            Self::NoSockets => ElementRef::new(ElementKind::Topology, 0, "socket"),
            Self::TooMany { .. } => ElementRef::new(ElementKind::Topology, 0, ""),
            Self::InvalidId { at, .. }
            | Self::DuplicateId { at, .. }
            | Self::AmbiguousId { at, .. }
            | Self::InvalidField { at, .. }
            | Self::NoChannels { at, .. }
            | Self::InvalidMemorySize { at, .. }
            | Self::Indivisible { at, .. }
            | Self::Unknown { at, .. }
            | Self::SelfLink { at, .. }
            | Self::TooManyLinks { at, .. }
            | Self::UnreachableSocket { at, .. }
            | Self::InvalidLanes { at, .. }
            | Self::NarrowConnector { at, .. }
            | Self::CardTooWide { at, .. }
            | Self::CardTooHigh { at, .. }
            | Self::SlotTaken { at, .. }
            | Self::IntegratedInSlot { at, .. }
            | Self::NeedsSlot { at, .. }
            | Self::NotAnHba { at, .. }
            | Self::WrongInterface { at, .. }
            | Self::NoSuchPort { at, .. }
            | Self::TooManyPaths { at, .. }
            | Self::SamePath { at, .. }
            | Self::ChainTooLong { at, .. }
            | Self::RouteToItself { at, .. }
            | Self::DuplicateRoute { at, .. }
            | Self::RouteWithoutLink { at, .. }
            | Self::RouteRevisits { at, .. } => *at,
        }
    }

    /// A second location that explains the first: the other of two conflicting elements.
    pub const fn related(&self) -> Option<ElementRef> {
        match self {
            Self::DuplicateId { first, .. }
            | Self::SlotTaken { first, .. }
            | Self::DuplicateRoute { first, .. } => Some(*first),
            _ => None,
        }
    }

    /// The stable name of the kind of error, a key of [`EXPLANATIONS`](crate::EXPLANATIONS).
    pub const fn id(&self) -> &'static str {
        match self {
            Self::NoSockets => "topology::no_sockets",
            Self::TooMany { .. } => "topology::too_many",
            Self::InvalidId { .. } => "topology::invalid_id",
            Self::DuplicateId { .. } => "topology::duplicate_id",
            Self::AmbiguousId { .. } => "topology::ambiguous_id",
            Self::InvalidField { .. } => "topology::invalid_field",
            Self::NoChannels { .. } => "topology::no_channels",
            Self::InvalidMemorySize { .. } => "topology::invalid_memory_size",
            Self::Indivisible { .. } => "topology::indivisible",
            Self::Unknown { expected, .. } => match expected {
                ElementKind::Bridge => "topology::unknown_bridge",
                ElementKind::Switch => "topology::unknown_switch",
                ElementKind::Slot => "topology::unknown_slot",
                ElementKind::Card => "topology::unknown_card",
                _ => "topology::unknown_socket",
            },
            Self::SelfLink { .. } => "topology::self_link",
            Self::TooManyLinks { .. } => "topology::too_many_links",
            Self::UnreachableSocket { .. } => "topology::unreachable_socket",
            Self::InvalidLanes { .. } => "topology::invalid_lanes",
            Self::NarrowConnector { .. } => "topology::narrow_connector",
            Self::CardTooWide { .. } => "topology::card_too_wide",
            Self::CardTooHigh { .. } => "topology::card_too_high",
            Self::SlotTaken { .. } => "topology::slot_taken",
            Self::IntegratedInSlot { .. } => "topology::integrated_in_slot",
            Self::NeedsSlot { .. } => "topology::needs_slot",
            Self::NotAnHba { .. } => "topology::not_an_hba",
            Self::WrongInterface { .. } => "topology::wrong_interface",
            Self::NoSuchPort { .. } => "topology::no_such_port",
            Self::TooManyPaths { .. } => "topology::too_many_paths",
            Self::SamePath { .. } => "topology::same_path",
            Self::ChainTooLong { .. } => "topology::chain_too_long",
            Self::RouteToItself { .. } => "topology::route_to_itself",
            Self::DuplicateRoute { .. } => "topology::duplicate_route",
            Self::RouteWithoutLink { .. } => "topology::route_without_link",
            Self::RouteRevisits { .. } => "topology::route_revisits",
        }
    }

    /// The unknown name, for suggestions among the [candidates](Self::candidates); `None` for other errors.
    pub fn wrong_name(&self) -> Option<&str> {
        match self {
            Self::Unknown { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The valid ids in place of an unknown name; empty for other errors.
    pub fn candidates(&self) -> &[String] {
        match self {
            Self::Unknown { known, .. } | Self::NotAnHba { known, .. } => known,
            Self::CardTooWide { wide_enough, .. } => wide_enough,
            Self::SlotTaken { free, .. } => free,
            _ => &[],
        }
    }

    /// Additional help, if there is any.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { expected, known, .. } => Some(if known.is_empty() {
                format!("the topology has no {expected} at all")
            } else {
                let verb = if known.len() == 1 { "is" } else { "are" };
                format!("there {verb} {}", listed(known))
            }),
            Self::CardTooWide {
                lanes,
                slot,
                wide_enough,
                ..
            } => {
                let wider = format!(
                    "if the connector of `{slot}` is wider than its wiring, give it `connector_lanes = {lanes}`"
                );
                Some(if wide_enough.is_empty() {
                    wider
                } else {
                    format!("wide enough: {}; {wider}", listed(wide_enough))
                })
            }
            Self::SlotTaken { free, .. } => Some(if free.is_empty() {
                "every slot has a card: add a `[[slot]]`".to_owned()
            } else {
                format!("without a card: {}", listed(free))
            }),
            Self::NotAnHba { known, .. } => Some(if known.is_empty() {
                "the topology has no host bus adapter".to_owned()
            } else {
                format!("host bus adapters: {}", listed(known))
            }),
            Self::WrongInterface { .. } => {
                Some("choose other drives, or a host bus adapter for them: SAS takes SATA drives".to_owned())
            }
            Self::UnreachableSocket { socket, first, .. } => Some(format!(
                "add `[[link]]` with `ends = [\"{first}\", \"{socket}\"]` and a `part`; `bandgraph parts \
                 list --kind socket-link` lists them"
            )),
            Self::NeedsSlot { .. } => Some("name a slot instead: slot = \"...\"".to_owned()),
            Self::IntegratedInSlot { .. } => Some("name its bridge instead: bridge = \"...\"".to_owned()),
            Self::TooManyLinks { .. } => {
                Some("remove a link, or override `link_ports` if the socket has more".to_owned())
            }
            Self::TooManyPaths { .. } => {
                Some("drop the second path, or override `ports` if the enclosure has more".to_owned())
            }
            Self::ChainTooLong { .. } => {
                Some("put some of them on another port, as with `port = 1`, or on another adapter".to_owned())
            }
            Self::SamePath { .. } => Some(
                "a second path goes over another port; a single one leaves out `second_hba` and `second_port`"
                    .to_owned(),
            ),
            Self::RouteWithoutLink { .. } => {
                Some("`via` lists every socket between the two ends, in order".to_owned())
            }
            _ => None,
        }
    }
}

/// Names in a sentence; only the first few if there are many.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(", ...");
    }
    text
}

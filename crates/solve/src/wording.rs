//! Limits in plain words, for people who know servers but not this program.

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::Bound;
use bandgraph_topology::{Direction, ResourceKind, Role, SlotResource, Unit};
use bandgraph_units::{Bandwidth, Fraction};

use crate::limit_kind::LimitKind;
use crate::outcome::{Outcome, ResourceUse};

/// The most ids that a sentence lists.
const LISTED: usize = 4;

/// One sentence: what is full, how full, and why.
pub(crate) fn sentence(kind: LimitKind, resources: &[usize], bound: &Bound, outcome: &Outcome) -> String {
    let first = resources.first().map(|&first| {
        (
            &outcome.resources[first],
            outcome.resources[first].detail.as_str(),
        )
    });
    match (kind, first) {
        (LimitKind::Resource(ResourceKind::SocketLink), Some((link, part))) => {
            hypertransport(resources, link, part, bound, outcome)
        }
        (LimitKind::Resource(ResourceKind::Pcie), Some((slot, width))) => pcie(resources, slot, width, bound, outcome),
        (LimitKind::Resource(ResourceKind::Client), Some((client, _))) if client.unit == Unit::CyclesPerSecond => {
            format!(
                "The clients' processors are busy: {} {} all of {} a second.",
                ids(resources, bound),
                if resources.len() == 1 { "uses" } else { "each use" },
                cycles(client.capacity),
            )
        }
        (LimitKind::Resource(ResourceKind::Cpu), Some((cpu, part))) => cores(resources, cpu, part, bound, outcome),
        (LimitKind::Resource(ResourceKind::Disk), Some((_, part))) => disks(resources, part, bound, outcome),
        (LimitKind::Resource(kind), Some((resource, part))) => other(kind, resources, resource, part, bound),
        (LimitKind::Core, _) => "Every thread uses all of the one core it can run on, while other cores are free: \
                                 more threads would help, a faster core would help."
            .to_owned(),
        (LimitKind::Offered, _) => "Nothing in the server is full: the clients ask for no more than this, and get it."
            .to_owned(),
        _ => "Nothing in the server is full: the clients do not keep enough operations outstanding, so latency and \
              think time set the rate."
            .to_owned(),
    }
}

fn hypertransport(
    resources: &[usize],
    link: &ResourceUse,
    part: &str,
    bound: &Bound,
    outcome: &Outcome,
) -> String {
    let payload = outcome.throughput.payload.get();
    let per_byte = if payload > 0.0 {
        format!(
            "; every byte of payload puts {:.2} bytes on such a link",
            link.rate / payload
        )
    } else {
        String::new()
    };
    let causes = outcome.link_traffic.iter().find(|traffic| traffic.id == link.id);
    let mostly = causes.map_or_else(String::new, |traffic| {
        let mut by_cause = traffic.by_cause.clone();
        by_cause.sort_by(|a, b| b.1.total_cmp(&a.1));
        let listed = by_cause.iter().take(3).filter(|(_, rate)| rate.get() > 0.0);
        let listed: Vec<String> = listed
            .map(|&(cause, rate)| format!("{} {}", percent(rate.get() / link.rate), words(cause)))
            .collect();
        format!(" ({})", listed.join(", "))
    });
    format!(
        "The {} {} between sockets {} full: {} {} {}, all of the {} of {} ({part}) that can be used in \
         practice{per_byte}{mostly}.",
        link.technology.as_deref().unwrap_or("HyperTransport"),
        if resources.len() == 1 { "link" } else { "links" },
        if resources.len() == 1 { "is" } else { "are" },
        ids(resources, bound),
        if resources.len() == 1 {
            "carries"
        } else {
            "each carry"
        },
        bandwidth(link.rate),
        percent(link.ceiling),
        bandwidth(link.capacity),
    )
}

/// What bytes on a link are for, in words.
fn words(cause: Cause) -> &'static str {
    match cause {
        Cause::Request => "requests",
        Cause::Probe => "probes",
        Cause::Response => "responses",
        Cause::Data => "lines that cores read",
        Cause::WriteBack => "lines written back",
        Cause::DmaRequest => "requests of cards",
        Cause::DmaData => "data of cards",
        Cause::DmaProbe => "probes for cards",
        Cause::DmaResponse => "responses for cards",
    }
}

fn pcie(resources: &[usize], slot: &ResourceUse, width: &str, bound: &Bound, outcome: &Outcome) -> String {
    if slot.unit == Unit::OperationsPerSecond {
        return reads_under_way(resources, slot, width, bound);
    }
    let out = matches!(
        slot.role,
        Role::Slot {
            resource: SlotResource::Link(Direction::Out),
            ..
        } | Role::Switch {
            direction: Direction::Out,
            ..
        }
    );
    let (toward, card) = if out {
        ("toward the card", &slot.to)
    } else {
        ("toward the memory", &slot.from)
    };
    // What its network ports pass on, gaps included, is what is left of the packets; adapters for disks have none.
    let ports = outcome.resources.iter().filter(|resource| {
        resource.kind == ResourceKind::Port && card == if out { &resource.from } else { &resource.to }
    });
    let frames: f64 = ports.map(|port| port.rate).sum();
    let useful = if frames > 0.0 {
        format!(
            ": {} ({}) of it is network frames, the rest packet headers and requests",
            bandwidth(frames),
            Bandwidth::new(frames).binary()
        )
    } else {
        String::new()
    };
    let one = resources.len() == 1;
    format!(
        "The PCIe {} ({width}) {} full {toward}: {} {} {} of packets, all that {} lanes can move{useful}.",
        if one { "slot" } else { "slots" },
        if one { "is" } else { "are" },
        ids(resources, bound),
        if one { "carries" } else { "each carry" },
        bandwidth(slot.rate),
        if one { "its" } else { "their" },
    )
}

/// Cards that wait for memory with as many reads under way as they can have.
fn reads_under_way(resources: &[usize], slot: &ResourceUse, reads: &str, bound: &Bound) -> String {
    format!(
        "The card cannot have more reads of memory under way: {} ({reads}) at {:.1} million a second, while its slot \
         has room; more of them, larger ones or a shorter way to memory would help.",
        ids(resources, bound),
        slot.rate / 1e6,
    )
}

fn cores(resources: &[usize], cpu: &ResourceUse, part: &str, bound: &Bound, outcome: &Outcome) -> String {
    let socket = match cpu.role {
        Role::Cpu { socket } => outcome.sockets.get(socket),
        _ => None,
    };
    let stalls = socket.map_or_else(String::new, |socket| {
        format!(
            "; {} of their busy cycles wait for memory (CPI {:.1})",
            percent(socket.stalled / socket.busy),
            socket.cycles_per_instruction
        )
    });
    format!(
        "The cores are busy: {} ({part}) {} all of {} a second{stalls}.",
        ids(resources, bound),
        if resources.len() == 1 { "uses" } else { "each use" },
        cycles(cpu.capacity),
    )
}

/// Disks and SSDs count busy time, not bytes: seeks take most of it.
fn disks(resources: &[usize], part: &str, bound: &Bound, outcome: &Outcome) -> String {
    let one = resources.len() == 1;
    let moved = outcome.throughput.disk;
    let together = if moved > Bandwidth::ZERO {
        format!(
            "; all disks together move {} ({})",
            moved.decimal(),
            moved.binary()
        )
    } else {
        String::new()
    };
    format!(
        "The {} ({part}) {} busy all of the time: {}{together}.",
        if one { "device" } else { "disks" },
        if one { "is" } else { "are" },
        ids(resources, bound),
    )
}

fn other(kind: ResourceKind, resources: &[usize], first: &ResourceUse, part: &str, bound: &Bound) -> String {
    let plural = resources.len() > 1;
    let what = match (kind, plural) {
        (ResourceKind::Memory, false) => "The memory controller",
        (ResourceKind::Memory, true) => "The memory controllers",
        (ResourceKind::Bridge, false) => "The link of the I/O bridge",
        (ResourceKind::Bridge, true) => "The links of the I/O bridges",
        (ResourceKind::Port, false) => "The network port",
        (ResourceKind::Port, true) => "The network ports",
        (ResourceKind::Sas, false) => "The SAS port",
        (ResourceKind::Sas, true) => "The SAS ports",
        (ResourceKind::Disk, false) => "The disk",
        (ResourceKind::Disk, true) => "The disks",
        (ResourceKind::Infiniband, false) => "The InfiniBand port",
        (ResourceKind::Infiniband, true) => "The InfiniBand ports",
        (ResourceKind::Network, _) => "The network switch",
        (ResourceKind::Client, false) => "The client's network card",
        (ResourceKind::Client, true) => "The clients' network cards",
        (ResourceKind::SocketLink | ResourceKind::Pcie | ResourceKind::Cpu, _) => "The resource",
    };
    let usable = if first.ceiling < 1.0 {
        format!(
            "all of the {} of {} that can be used in practice",
            percent(first.ceiling),
            bandwidth(first.capacity)
        )
    } else {
        "all that it can".to_owned()
    };
    format!(
        "{what} ({part}) {} full: {} {} {}, {usable}.",
        if plural { "are" } else { "is" },
        ids(resources, bound),
        if plural { "each carry" } else { "carries" },
        bandwidth(first.rate),
    )
}

/// The first few ids, and how many more.
fn ids(resources: &[usize], bound: &Bound) -> String {
    let listed: Vec<&str> = resources
        .iter()
        .take(LISTED)
        .map(|&index| bound.resources[index].id.as_str())
        .collect();
    match resources.len().saturating_sub(LISTED) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

fn cycles(rate: f64) -> String {
    format!("{:.1}e9 cycles", rate / 1e9)
}

fn bandwidth(rate: f64) -> String {
    Bandwidth::new(rate).decimal()
}

fn percent(share: f64) -> String {
    format!("{:.2}", Fraction::new(share))
}

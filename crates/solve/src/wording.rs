//! Limits in words, for readers who know servers but not this program.

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::{Bound, ONE_CORE, PROCESS_OF_CLIENT};
use bandgraph_topology::{ClientResource, Direction, PortResource, ResourceKind, Role, SlotResource, Unit};
use bandgraph_units::{Bandwidth, Fraction, span};

use crate::less_full::{all_of, all_that, busy_time, less_full_ports, nothing_limits, weighted_load};
use crate::limit_kind::LimitKind;
use crate::limits::{FASTER_LINKS, Limiter, WORTH_NOTHING};
use crate::outcome::{Outcome, ResourceUse};

/// Maximum number of ids in a sentence.
const LISTED: usize = 4;
/// Minimum gain that is mentioned.
const WORTH_SAYING: f64 = 0.005;

/// Whether a sentence is about the present server, or the server after a relief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tense {
    Now,
    Then,
}

/// Whether these are the threads that serve connections of clients.
fn are_connections(resources: &[usize], bound: &Bound) -> bool {
    let first = resources.first().map(|&first| bound.resources[first].role);
    matches!(
        first,
        Some(Role::Client {
            resource: ClientResource::Connections,
            ..
        })
    )
}

/// The verbs and the beginning of a sentence about one or several subjects.
#[derive(Clone, Copy)]
struct Verbs {
    tense: Tense,
    one: bool,
}

impl Verbs {
    /// "The" at the beginning.
    fn the(self) -> &'static str {
        self.of("The", "The", "Then the")
    }

    fn are(self) -> &'static str {
        self.of("is", "are", "would be")
    }

    /// For each of several subjects.
    fn carry(self) -> &'static str {
        match (self.tense, self.one) {
            (Tense::Now, true) => "carries",
            (Tense::Now, false) => "each carry",
            (Tense::Then, true) => "would carry",
            (Tense::Then, false) => "would each carry",
        }
    }

    /// For each of several subjects.
    fn uses(self) -> &'static str {
        match (self.tense, self.one) {
            (Tense::Now, true) => "uses",
            (Tense::Now, false) => "each use",
            (Tense::Then, true) => "would use",
            (Tense::Then, false) => "would each use",
        }
    }

    fn of(self, one: &'static str, many: &'static str, then: &'static str) -> &'static str {
        match (self.tense, self.one) {
            (Tense::Then, _) => then,
            (Tense::Now, true) => one,
            (Tense::Now, false) => many,
        }
    }
}

/// One sentence: the saturated resource, its utilisation, and the reason.
pub(crate) fn sentence(
    kind: LimitKind,
    resources: &[usize],
    bound: &Bound,
    outcome: &Outcome,
    tense: Tense,
) -> String {
    let verbs = Verbs {
        tense,
        one: counted(resources, bound) == 1,
    };
    let first = resources.first().map(|&first| &outcome.resources[first]);
    let detail = first.map(|first| first.detail.to_string());
    let first = first.zip(detail.as_deref());
    match (kind, first) {
        (LimitKind::Resource(ResourceKind::SocketLink), Some((link, _))) => {
            socket_links(resources, link, bound, outcome, verbs)
        }
        (LimitKind::Resource(ResourceKind::Pcie), Some((slot, width))) => {
            pcie(resources, slot, width, bound, outcome, verbs)
        }
        (LimitKind::Resource(ResourceKind::Client), Some((_, detail)))
            if are_connections(resources, bound) =>
        {
            format!(
                "{} connections of the clients {} full: one thread serves each, at the server or in its client. \
                 More clients share the work{}.",
                verbs.the(),
                Verbs { one: false, ..verbs }.are(),
                if detail == PROCESS_OF_CLIENT {
                    ""
                } else {
                    ", and so do more `nics.connections` (`nconnect` of a mount)"
                },
            )
        }
        (LimitKind::Resource(ResourceKind::Client), Some((client, _)))
            if client.unit == Unit::CyclesPerSecond =>
        {
            format!(
                "{} clients' processors {} busy: {} {} {} of {} a second.",
                verbs.the(),
                Verbs { one: false, ..verbs }.are(),
                ids(resources, bound),
                verbs.uses(),
                all_of(client),
                cycles(client.capacity),
            )
        }
        (LimitKind::Resource(ResourceKind::Cpu), Some((cpu, part))) => {
            cores(resources, cpu, part, bound, outcome, verbs)
        }
        (LimitKind::Resource(ResourceKind::Disk), Some((disk, part))) => {
            let noun = noun(disk.technology.as_deref().unwrap_or("disk"), verbs);
            busy_devices(&noun, resources, part, bound, outcome, verbs)
        }
        (LimitKind::Resource(ResourceKind::Adapter), Some((_, part))) => {
            let noun = if verbs.one {
                "processor of the adapter"
            } else {
                "processors of the adapters"
            };
            busy_devices(noun, resources, part, bound, outcome, verbs)
        }
        (LimitKind::Resource(kind), Some((resource, _))) => {
            other(kind, resources, resource, bound, outcome, verbs)
        }
        (LimitKind::Core, _) => match tense {
            Tense::Now => {
                "Operations take most of their time on the one core that a thread can use, while other cores \
                           are free: more threads or faster cores would help."
            }
            Tense::Then => {
                "Then operations would take most of their time on the one core that a thread can use, while \
                            other cores would be free."
            }
        }
        .to_owned(),
        (LimitKind::Offered, _) => match tense {
            Tense::Now => format!(
                "{}: the clients ask for no more than this, and get it.",
                nothing_limits(outcome)
            ),
            Tense::Then => {
                "Then nothing in the server would be full: the clients would ask for no more than \
                            this."
                    .to_owned()
            }
        },
        _ => match tense {
            Tense::Now => format!(
                "{}: the clients do not keep enough operations outstanding, so latency and think time set \
                 the rate.",
                nothing_limits(outcome)
            ),
            Tense::Then => {
                "Then nothing in the server would be full: the clients would not keep enough operations \
                            outstanding, so latency and think time would set the rate."
                    .to_owned()
            }
        },
    }
}

/// A noun that takes an s, for one or several.
fn noun(one: &str, verbs: Verbs) -> String {
    format!("{one}{}", if verbs.one { "" } else { "s" })
}

/// Additional sentences on a bottleneck: other resources that must be relieved with it, and the gain of
/// faster links.
pub(crate) fn besides(limiter: &Limiter, bound: &Bound, faster_links: Option<f64>) -> String {
    let together = match limiter.together.as_slice() {
        [] => None,
        others => Some(format!(
            " {} {} full at about the same rate: relieving one kind alone brings less than {}.",
            ids(others, bound),
            if others.len() == 1 { "is" } else { "are" },
            Fraction::new(WORTH_NOTHING),
        )),
    };
    let links = faster_links.filter(|&gain| gain >= WORTH_SAYING).map(|gain| {
        format!(
            " Cores wait for lines from other sockets: with links of {FASTER_LINKS} times the rate they would do {} more.",
            percent(gain),
        )
    });
    together.into_iter().chain(links).collect()
}

fn socket_links(
    resources: &[usize],
    link: &ResourceUse,
    bound: &Bound,
    outcome: &Outcome,
    verbs: Verbs,
) -> String {
    let capacity = if resources
        .iter()
        .all(|&other| outcome.resources[other].capacity == link.capacity)
    {
        bandwidth(link.capacity)
    } else {
        "its rate".to_owned()
    };
    let payload = outcome.throughput.payload.get();
    let (rates, parts, is_equal) = each(resources, outcome);
    let per_byte = if payload > 0.0 {
        format!(
            "; every byte of payload {} {:.2} bytes on {}",
            verbs.of("puts", "puts", "would put"),
            link.rate / payload,
            if is_equal { "such a link" } else { "the first" }
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
        "{} {} {} between sockets {} full: {} {} {rates}, {} of the {} of {capacity} ({parts}) that can be \
         used in practice{per_byte}{mostly}.",
        verbs.the(),
        link.technology.as_deref().unwrap_or("HyperTransport"),
        if verbs.one { "link" } else { "links" },
        verbs.are(),
        ids(resources, bound),
        verbs.carry(),
        all_of(link),
        percent(link.ceiling),
    )
}

/// The cause of bytes on a link, in words.
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
        Cause::Release => "words that return buffers",
    }
}

fn pcie(
    resources: &[usize],
    slot: &ResourceUse,
    width: &str,
    bound: &Bound,
    outcome: &Outcome,
    verbs: Verbs,
) -> String {
    if slot.unit == Unit::OperationsPerSecond {
        return reads_under_way(resources, slot, width, bound, verbs);
    }
    let (link, cards, direction) = match slot.role {
        Role::Switch { direction, .. } => ("shared link", "cards", direction),
        Role::Slot {
            resource: SlotResource::Link(direction),
            ..
        } => ("PCIe slot", "card", direction),
        _ => ("PCIe slot", "card", Direction::In),
    };
    let out = direction == Direction::Out;
    let (toward, card) = if out {
        (cards, &slot.to)
    } else {
        ("memory", &slot.from)
    };
    // The rate of its network ports, with the gaps between frames, which cross no slot; disk adapters have
    // none. The resource shared by the ports of a card carries the same frames and does not count again.
    let ports = outcome.resources.iter().filter(|resource| {
        let is_wire = matches!(
            resource.role,
            Role::Port {
                resource: PortResource::Wire(_),
                ..
            }
        );
        is_wire && card == if out { &resource.from } else { &resource.to }
    });
    let frames: f64 = ports.map(|port| port.rate).sum();
    let (rates, widths, is_equal) = each(resources, outcome);
    let useful = if frames > 0.0 && is_equal {
        format!(
            ", for {} ({}) on the wires of {} ports",
            bandwidth(frames),
            Bandwidth::new(frames).binary(),
            if verbs.one { "its" } else { "their" },
        )
    } else {
        String::new()
    };
    format!(
        "{} {} ({widths}) {} full toward the {toward}: {} {} {} of packets, {} {} lanes can move{useful}.",
        verbs.the(),
        noun(link, verbs),
        verbs.are(),
        ids(resources, bound),
        verbs.carry(),
        rates,
        all_that(slot),
        if verbs.one { "its" } else { "their" },
    )
}

/// Cards that wait for memory with the maximum number of outstanding reads.
fn reads_under_way(
    resources: &[usize],
    slot: &ResourceUse,
    reads: &str,
    bound: &Bound,
    verbs: Verbs,
) -> String {
    format!(
        "{} card {} have more reads of memory in flight: {} ({reads}) at {:.1} million a second, while its slot \
         has room; more of them, larger ones or a shorter way to memory would help.",
        verbs.the(),
        verbs.of("cannot", "cannot", "could not"),
        ids(resources, bound),
        slot.rate / 1e6,
    )
}

fn cores(
    resources: &[usize],
    cpu: &ResourceUse,
    part: &str,
    bound: &Bound,
    outcome: &Outcome,
    verbs: Verbs,
) -> String {
    let socket = match cpu.role {
        Role::Processes { workload } => {
            let (subject, is) = if part == ONE_CORE {
                ("process", verbs.of("is", "is", "would be"))
            } else {
                ("processes", Verbs { one: false, ..verbs }.are())
            };
            return format!(
                "{} {subject} of the workload `{}` {is} busy ({part}): other cores do none of its work. More \
                 processes (`processes_per_client`, `numjobs` of fio) would share it.",
                verbs.the(),
                bound.workloads[workload],
            );
        }
        Role::ServerProcesses => {
            return format!(
                "{} processes of the server {} busy: {part}, while other cores are idle. More of them for \
                 each drive (`stack.processes_per_drive`) or more drives would use these.",
                verbs.the(),
                Verbs { one: false, ..verbs }.are(),
            );
        }
        Role::Array { .. } => {
            return format!(
                "The software of the array {} do more: {part} for all changes, and a lock for each read. \
                 More arrays of fewer drives would; for changes also more threads (`group_thread_cnt`; \
                 `stack.array_threads` here), or mirrors.",
                verbs.of("cannot", "cannot", "could not"),
            );
        }
        Role::Cpu { socket } => outcome.sockets.get(socket),
        _ => None,
    };
    let stalls = socket.map_or_else(String::new, |socket| {
        format!(
            "; {} of their busy cycles {} for memory (CPI {:.1})",
            percent(socket.stalled / socket.busy),
            verbs.of("wait", "wait", "would wait"),
            socket.cycles_per_instruction
        )
    });
    format!(
        "{} cores {} busy: {} ({part}) {} {} of {} a second{stalls}.",
        verbs.the(),
        Verbs { one: false, ..verbs }.are(),
        ids(resources, bound),
        verbs.uses(),
        all_of(cpu),
        cycles(cpu.capacity),
    )
}

/// Disks, SSDs and their adapters: their resource is busy time, not bytes, because seeks and commands can
/// dominate.
fn busy_devices(
    noun: &str,
    resources: &[usize],
    part: &str,
    bound: &Bound,
    outcome: &Outcome,
    verbs: Verbs,
) -> String {
    // An adapter has no commands of its own to a device.
    let device = resources
        .first()
        .and_then(|&first| outcome.resources[first].device);
    let each = device.map_or_else(String::new, |device| {
        let bytes = Bandwidth::new(device.bytes).decimal();
        let each = if resources.len() == 1 { "" } else { " each" };
        format!(", moving {bytes}{each}")
    });
    // Log and cache devices hold no data of pools.
    let used = outcome.resources.iter();
    let of_pools = used.filter(|used| !matches!(used.role, Role::Ssd { .. }));
    let drives = of_pools.filter_map(|used| Some(used.device?.bytes));
    let drives: Vec<f64> = drives.filter(|&bytes| bytes > 0.0).collect();
    let moved = Bandwidth::new(drives.iter().sum());
    let together = if drives.len() > 1 {
        format!(
            "; all {} drives of pools together {} {} ({})",
            drives.len(),
            verbs.of("move", "move", "would move"),
            moved.decimal(),
            moved.binary(),
        )
    } else {
        String::new()
    };
    format!(
        "{} {noun} ({part}) {} busy {}: {}{each}{together}.",
        verbs.the(),
        verbs.are(),
        busy_time(
            resources
                .iter()
                .map(|&resource| outcome.resources[resource].saturation())
        ),
        ids(resources, bound),
    )
}

fn other(
    kind: ResourceKind,
    resources: &[usize],
    first: &ResourceUse,
    bound: &Bound,
    outcome: &Outcome,
    verbs: Verbs,
) -> String {
    let (rates, parts, _) = each(resources, outcome);
    let plural = !verbs.one;
    let what = match (kind, plural) {
        (ResourceKind::Memory, _) if matches!(first.role, Role::Dies { .. }) => {
            &format!("{} of the dies of cores", if plural { "links" } else { "link" })
        }
        (ResourceKind::Memory, _) if matches!(first.role, Role::FrontSideBus { .. }) => {
            &format!("front-side bus{}", if plural { "es" } else { "" })
        }
        (ResourceKind::Memory, _) if matches!(first.role, Role::Remote { .. }) => &format!(
            "limit{} of lines in flight at another socket",
            if plural { "s" } else { "" }
        ),
        (ResourceKind::Memory, _) => &noun("memory controller", verbs),
        (ResourceKind::Bridge, false) => "link of the I/O bridge",
        (ResourceKind::Bridge, true) => "links of the I/O bridges",
        (ResourceKind::Port, _) => &noun("network port", verbs),
        (ResourceKind::Sas, _) => &noun(
            &format!("{} port", first.technology.as_deref().unwrap_or("SAS")),
            verbs,
        ),
        (ResourceKind::Infiniband, _) => &noun("InfiniBand port", verbs),
        (ResourceKind::Network, _) => "network switch",
        (ResourceKind::Client, false) => "client's network card",
        (ResourceKind::Client, true) => "clients' network cards",
        (
            ResourceKind::SocketLink
            | ResourceKind::Pcie
            | ResourceKind::Cpu
            | ResourceKind::Disk
            | ResourceKind::Adapter,
            _,
        ) => "resource",
    };
    let usable = if first.ceiling < 1.0 {
        format!(
            "{} of the {} of {} that can be used in practice",
            all_of(first),
            percent(first.ceiling),
            bandwidth(first.capacity)
        )
    } else {
        format!("{} {} can", all_that(first), if plural { "they" } else { "it" })
    };
    format!(
        "{} {what} ({parts}) {} full: {} {} {rates}, {usable}{}.",
        verbs.the(),
        verbs.are(),
        ids(resources, bound),
        weighted_load(first, outcome, verbs.tense, verbs.one).unwrap_or(verbs.carry()),
        less_full_ports(resources, first, outcome, verbs.tense),
    )
}

/// The number of resources, with those that some of them represent.
fn counted(resources: &[usize], bound: &Bound) -> usize {
    let counts = resources
        .iter()
        .map(|&index| bound.resources[index].count as usize);
    counts.sum()
}

/// The first few ids, and the number of others.
fn ids(resources: &[usize], bound: &Bound) -> String {
    let listed: Vec<&str> = resources
        .iter()
        .take(LISTED)
        .map(|&index| bound.resources[index].id.as_str())
        .collect();
    match counted(resources, bound) - listed.len() {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

/// The rate of each of some resources, and their parts: one figure and one part if all are equal.
fn each(resources: &[usize], outcome: &Outcome) -> (String, String, bool) {
    /// Rates that differ by less count as equal.
    const EQUAL_WITHIN: f64 = 0.01;
    let uses = || resources.iter().map(|&index| &outcome.resources[index]);
    let least = uses().map(|found| found.rate).fold(f64::INFINITY, f64::min);
    let most = uses().map(|found| found.rate).fold(0.0, f64::max);
    let is_equal = most <= least * (1.0 + EQUAL_WITHIN);
    let rates = if is_equal {
        bandwidth(most)
    } else {
        span(&bandwidth(least), &bandwidth(most))
    };
    let mut parts: Vec<String> = Vec::new();
    for detail in uses().map(|found| found.detail.to_string()) {
        if !parts.contains(&detail) {
            parts.push(detail);
        }
    }
    let parts = match parts.as_slice() {
        [first, _, _, ..] => format!("{first} and {} others", parts.len() - 1),
        parts => parts.join(" and "),
    };
    (rates, parts, is_equal)
}

fn cycles(rate: f64) -> String {
    format!("{:.1} Gcycles", rate / 1e9)
}

fn bandwidth(rate: f64) -> String {
    Bandwidth::new(rate).decimal()
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.2}", Fraction::new(share))
}

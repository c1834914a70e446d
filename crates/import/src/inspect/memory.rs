//! Memory channels that are empty, uneven or slow.

use bandgraph_hardware::catalogue;

use super::Finding;
use super::rates::gigabytes;
use crate::origin::Known;
use crate::resolve::{Machine, Memory, Socket};

/// Bytes of a transfer on a channel.
const TRANSFER: f64 = 8.0;

/// The least share of the memory of a socket that a system sees.
const SEEN: f64 = 0.95;

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    for (index, socket) in machine.sockets.iter().enumerate() {
        findings.extend(channels(index, &socket.memory));
        findings.extend(uneven_channels(index, &socket.memory));
        findings.extend(no_memory(index, &socket.memory, machine.sockets.len()));
    }
    findings.extend(uneven(machine));
    findings.extend(rate(machine));
}

fn channels(index: usize, memory: &Memory) -> Option<Finding> {
    let (used, channels) = (memory.channels_used.known()?, memory.channels.known()?);
    let rate = memory.rate.known().or(memory.rate_capable.known())?;
    let costs = f64::from(channels.checked_sub(used)?) * rate * TRANSFER;
    (used > 0 && used < channels).then(|| {
        Finding::warning(
            "inspect::memory_channels_empty",
            format!("socket {index} has modules on {used} of its {channels} memory channels"),
            costs,
        )
        .at([memory.channels_used.at()])
        .help("distribute the modules so that every channel has one")
    })
}

fn no_memory(index: usize, memory: &Memory, sockets: usize) -> Option<Finding> {
    let size = memory
        .size_bytes
        .as_ref()
        .filter(|size| size.value == 0 && sockets > 1)?;
    Some(
        Finding::note(
            "inspect::socket_without_memory",
            format!("socket {index} has no memory"),
        )
        .at([Some(size.at)])
        .help("move half of the modules to its channels"),
    )
}

/// What one channel has more than the others is read from that channel alone.
fn uneven_channels(index: usize, memory: &Memory) -> Option<Finding> {
    let bytes = memory.channel_bytes.as_ref()?;
    let (least, most) = bytes.value;
    (least < most).then(|| {
        Finding::note(
            "inspect::memory_uneven",
            format!(
                "the channels of socket {index} that have modules have from {} to {} GiB of memory",
                gib(least),
                gib(most)
            ),
        )
        .at([Some(bytes.at)])
        .help("give every channel the same modules: what one has more is read from that channel alone")
    })
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn uneven(machine: &Machine) -> Option<Finding> {
    let sizes: Option<Vec<_>> = machine
        .sockets
        .iter()
        .map(|socket| socket.memory.size_bytes.as_ref())
        .collect();
    let sizes = sizes?;
    let (least, most) = (
        sizes.iter().min_by_key(|size| size.value)?,
        sizes.iter().max_by_key(|size| size.value)?,
    );
    // What systems see is without what they keep for themselves, which is not the same on all sockets.
    let share = if machine.facts.dimms.is_empty() { SEEN } else { 1.0 };
    (least.value > 0 && (least.value as f64) < most.value as f64 * share).then(|| {
        Finding::note(
            "inspect::memory_uneven",
            format!(
                "sockets have from {} to {} GiB of memory",
                gib(least.value),
                gib(most.value)
            ),
        )
        .at([Some(least.at), Some(most.at)])
        .help("give every socket the same modules")
    })
}

/// Share of a rate that names round off: 2666 of 2666.7 MT/s.
const ROUNDED: f64 = 0.99;

/// Transfers per second of the fastest memory that a processor of the catalogue takes.
fn fastest(socket: &Socket) -> Option<f64> {
    let part = catalogue().socket(socket.part?)?;
    let memory = catalogue().memory(&part.memory)?;
    Some(memory.transfer_rate.get() / TRANSFER)
}

/// One finding for the machine: all modules run at the rate of the slowest. It costs nothing where the
/// processor takes no faster modules.
fn rate(machine: &Machine) -> Option<Finding> {
    let socket = machine.sockets.first()?;
    let memory = &socket.memory;
    let (now, rated) = (memory.rate.as_ref()?, memory.rate_capable.as_ref()?);
    let most = fastest(socket).map_or(rated.value, |fastest| fastest.min(rated.value));
    let is_fastest = now.value >= most * ROUNDED;
    let used: Option<u32> = machine
        .sockets
        .iter()
        .map(|socket| socket.memory.channels_used.known())
        .sum();
    let costs = used.map(|used| (most - now.value) * TRANSFER * f64::from(used));
    (now.value < rated.value).then(|| {
        let why = if is_fastest {
            format!("the processor takes {:.0} MT/s at most", most / 1e6)
        } else {
            format!("{} per channel", gigabytes((most - now.value) * TRANSFER))
        };
        let message = format!(
            "memory runs at {:.0} MT/s; its modules are rated for {:.0} MT/s ({why})",
            now.value / 1e6,
            rated.value / 1e6,
        );
        let finding = match costs.filter(|_| !is_fastest) {
            Some(costs) => Finding::warning("inspect::memory_below_rated", message, costs),
            None => Finding::note("inspect::memory_below_rated", message),
        };
        let finding = finding.at([Some(now.at), Some(rated.at)]);
        if is_fastest {
            return finding;
        }
        finding
            .help("one module per channel often runs faster; look at the memory speed in the firmware setup")
    })
}

//! Checks of every answer: what a steady state and an outcome have to be, whatever made them. None of them
//! uses the sums that the figures come from.

use bandgraph_model::{Bound, Class, Supply};
use bandgraph_topology::{
    ClientResource, Direction, NetworkResource, PortResource, ResourceKind, Role, SlotResource,
};

use crate::RunError;
use crate::limits::Limiter;
use crate::outcome::{Mode, Outcome};
use crate::predict::SteadyState;

/// Relative difference that is rounding of sums.
const ROUNDED: f64 = 1e-9;
/// The same of work that was moved from socket to socket.
const MOVED: f64 = 1e-6;
/// By how much a steady state may miss the number of threads, as a share of it.
const SETTLED: f64 = 5e-3;
/// By how much the use of a resource may exceed its capacity in a steady state, as a share of it.
const FITS: f64 = 1e-4;
/// The same of disks, whose queues are approximations.
const DISKS_FIT: f64 = 1e-2;
/// The share of a link's bytes on the wire that crosses the slot of its card at the least: what is not handed
/// on are preambles, gaps and checksums, of the smallest frames about a half.
const HANDED_ON: f64 = 0.5;
/// Use of a link or a memory controller from which misses have to wait for it.
const BUSY: f64 = 0.3;
/// Saturation that a bottleneck has at the least.
const ALMOST_FULL: f64 = 0.9;
/// How many times as much as its steady state a simulation may come to, or the other way round; less is a
/// warning of the report. And from how many operations.
const FAR: f64 = 2.0;
const COUNTED: u64 = 1000;

/// Holds an outcome of a bound scenario and its steady state to what is known of them.
pub(crate) fn hold(bound: &Bound, steady: &SteadyState, outcome: &Outcome) -> Result<(), RunError> {
    if let Some(what) = &bound.contradiction {
        return Err(inconsistent(what.clone()));
    }
    let balanced = steady.balanced(bound);
    balanced.classes.iter().try_for_each(|class| {
        crosses_its_parts(balanced, class)?;
        memory_moves_its_bytes(balanced, class)
    })?;
    populations_are_threads(bound, steady)?;
    resources_hold(balanced, steady)?;
    misses_wait(balanced, steady)?;
    is_near(bound, steady, outcome)?;
    figures_agree(bound, outcome)
}

fn inconsistent(what: String) -> RunError {
    RunError::Inconsistent { what }
}

/// What comes from a port or goes to it crosses the slot of its card in the same direction, and what both
/// directions of a client's NIC share, as a switch's backplane, carries the bytes of both.
fn crosses_its_parts(bound: &Bound, class: &Class) -> Result<(), RunError> {
    let mut ports = [0.0; 2];
    let mut slots = [0.0; 2];
    let mut nic = [0.0; 2];
    let mut shared = Vec::new();
    for &(resource, units) in &class.demand {
        match bound.resources[resource].role {
            Role::Port {
                resource: PortResource::Wire(direction),
                ..
            } => ports[usize::from(direction == Direction::Out)] += units,
            Role::Slot {
                resource: SlotResource::Link(direction),
                ..
            } => slots[usize::from(direction == Direction::Out)] += units,
            Role::Client { resource: part, .. } => match part {
                ClientResource::Wire(direction) => nic[usize::from(direction == Direction::Out)] += units,
                ClientResource::Both => shared.push(("what they share", units)),
                ClientResource::Cores | ClientResource::Interrupts => {}
            },
            Role::Network {
                resource: NetworkResource::Backplane,
                ..
            } => shared.push(("the switch on the way", units)),
            _ => {}
        }
    }
    let workload = &bound.workloads[class.workload];
    // Cards on the board have no slot, and those of disks are in slots as well.
    let is_of_port = slots != [0.0; 2] && class.disk == 0.0 && class.devices.is_empty();
    for (direction, (wire, slot)) in ["in", "out"].into_iter().zip(ports.into_iter().zip(slots)) {
        if is_of_port && slot < HANDED_ON * wire {
            return Err(inconsistent(format!(
                "an operation of `{workload}` has {wire} bytes {direction} at its port, and {slot} at slots"
            )));
        }
    }
    let both = nic[0] + nic[1];
    let mut differs = shared
        .iter()
        .filter(|(_, units)| (units - both).abs() > ROUNDED * both);
    if let Some((what, units)) = differs.next() {
        return Err(inconsistent(format!(
            "an operation of `{workload}` has {both} bytes in both directions of its client's NIC, and \
             {units} in {what}"
        )));
    }
    Ok(())
}

/// What memory controllers do for an operation is moving the bytes that it reads and writes there.
fn memory_moves_its_bytes(bound: &Bound, class: &Class) -> Result<(), RunError> {
    for (resource, units) in bound.memory_units(class) {
        let of = |&(at, _): &(usize, f64)| at.cmp(&resource);
        let demanded = class
            .demand
            .binary_search_by(of)
            .map_or(0.0, |at| class.demand[at].1);
        // Written so that NaN fails.
        let agree = (demanded - units).abs() <= MOVED * units + 1e-6;
        if !agree {
            return Err(inconsistent(format!(
                "an operation of `{}` takes {demanded} of `{}`, and {units} by the bytes that it moves",
                bound.workloads[class.workload], bound.resources[resource].id
            )));
        }
    }
    Ok(())
}

/// Little's law: threads of a closed loop are those that its operations occupy; and a round trip takes no
/// less than the network does.
fn populations_are_threads(bound: &Bound, steady: &SteadyState) -> Result<(), RunError> {
    for group in bound
        .threads
        .iter()
        .filter(|group| group.supply == Supply::Closed)
    {
        let (found, threads) = (
            steady.served(group) * steady.cycle_seconds(group),
            group.population,
        );
        let workload = &bound.workloads[group.workload];
        // Written so that NaN fails.
        let agree = if group.barrier {
            // Those that are done first wait for the others.
            found <= threads * (1.0 + SETTLED)
        } else {
            (found - threads).abs() <= SETTLED * threads
        };
        if !agree {
            return Err(inconsistent(format!(
                "the operations of `{workload}` occupy {found} threads, and there are {threads}"
            )));
        }
        let least = 2.0 * bound.run.network_latency.get();
        if group.port.is_some() && group.delay < least * (1.0 - ROUNDED) {
            return Err(inconsistent(format!(
                "a round trip of `{workload}` takes {} s, and the network {least} s of it",
                group.delay
            )));
        }
    }
    Ok(())
}

/// No resource of a steady state carries more than it can.
fn resources_hold(bound: &Bound, steady: &SteadyState) -> Result<(), RunError> {
    for (resource, &rate) in bound.resources.iter().zip(&steady.resource_rates) {
        let most = resource.usable();
        // Written so that NaN fails.
        let is_disk = resource.kind == ResourceKind::Disk;
        let holds = rate <= most * (1.0 + if is_disk { DISKS_FIT } else { FITS });
        if !holds {
            return Err(inconsistent(format!(
                "`{}` carries {rate} in the steady state, and can carry {most}",
                resource.id
            )));
        }
    }
    Ok(())
}

/// Misses take longer where links or memory are busy that they cross.
fn misses_wait(bound: &Bound, steady: &SteadyState) -> Result<(), RunError> {
    let busy = bound
        .fabric
        .resources()
        .into_iter()
        .find(|&resource| steady.resource_rates[resource] > BUSY * bound.resources[resource].capacity);
    let Some(busy) = busy else { return Ok(()) };
    let idle = bound.fabric.idle_latencies();
    let waits = steady.miss_latencies.iter().zip(&idle);
    if waits
        .into_iter()
        .any(|(loaded, idle)| *loaded > idle * (1.0 + ROUNDED))
    {
        return Ok(());
    }
    Err(inconsistent(format!(
        "`{}` is busy, and no miss waits for it",
        bound.resources[busy].id
    )))
}

/// A simulation of a load that is there all the time, and that the server keeps up with, is near its steady
/// state. What a steady state leaves out are chance meetings of few threads.
fn is_near(bound: &Bound, steady: &SteadyState, outcome: &Outcome) -> Result<(), RunError> {
    let Some(run) = &outcome.simulated else {
        return Ok(());
    };
    let replays = bound
        .threads
        .iter()
        .any(|group| matches!(group.supply, Supply::Trace { .. }));
    let mut workloads = outcome.workloads.iter();
    let overloaded = workloads.any(|workload| workload.offered.is_some_and(|offered| offered.saturated));
    if run.short.is_some() || run.operations < COUNTED || !steady.lasts(bound) || replays || overloaded {
        return Ok(());
    }
    let (found, predicted) = (outcome.throughput.operations.get(), steady.operations());
    // Written so that NaN fails.
    let near = found <= predicted * FAR && found * FAR >= predicted;
    if near {
        return Ok(());
    }
    Err(inconsistent(format!(
        "the simulation comes to {found} ops/s, and the steady state to {predicted}"
    )))
}

/// A bottleneck is full.
pub(crate) fn is_full(bound: &Bound, outcome: &Outcome, limiter: &Limiter) -> Result<(), RunError> {
    let rates = outcome.rates();
    for &resource in &limiter.resources {
        let (rate, most) = (rates[resource], bound.resources[resource].usable());
        if rate < ALMOST_FULL * most {
            let id = &bound.resources[resource].id;
            return Err(inconsistent(format!("`{id}` limits, with {rate} of {most}")));
        }
    }
    Ok(())
}

/// Figures that say the same in two ways.
fn figures_agree(bound: &Bound, outcome: &Outcome) -> Result<(), RunError> {
    for resource in &outcome.resources {
        let rate = resource.saturation() * resource.usable();
        if (rate - resource.rate).abs() > ROUNDED * resource.rate.abs() {
            return Err(inconsistent(format!(
                "`{}` carries {}, and {rate} by its saturation",
                resource.id, resource.rate
            )));
        }
    }
    let uses_disks = bound.classes.iter().any(|class| class.disk > 0.0);
    let shown = outcome.throughput.disk.get();
    if shown > 0.0 && !uses_disks {
        return Err(inconsistent(format!(
            "disks move {shown} bytes/s, and no operation uses them"
        )));
    }
    let latencies = outcome
        .workloads
        .iter()
        .map(|workload| &workload.latency)
        .chain([&outcome.latency]);
    for latency in latencies.filter_map(|latency| latency.percentiles) {
        let points = [latency.p50, latency.p95, latency.p99, latency.max];
        if !points.is_sorted() {
            return Err(inconsistent(format!("percentiles of latency are {points:?}")));
        }
    }
    // Of a prediction: its workloads are all there is.
    let parts: f64 = outcome
        .workloads
        .iter()
        .map(|workload| workload.throughput.operations.get())
        .sum();
    let all = outcome.throughput.operations.get();
    if outcome.mode == Mode::Predict && (parts - all).abs() > ROUNDED * all {
        return Err(inconsistent(format!("workloads have {parts} ops/s of {all}")));
    }
    Ok(())
}

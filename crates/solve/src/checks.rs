//! Consistency checks of every result: invariants of a steady state and an outcome, computed independently of
//! the figures' own sums.

use bandgraph_model::{Bound, Class, Serial, Supply};
use bandgraph_topology::{
    ClientResource, Direction, NetworkResource, PortResource, ResourceKind, Role, SlotResource,
};
use bandgraph_workload::Medium;

use crate::RunError;
use crate::limits::Limiter;
use crate::outcome::{Mode, Outcome};
use crate::predict::SteadyState;
use crate::queues::DISKS_FIT;

/// Relative rounding error of sums.
const ROUNDED: f64 = 1e-9;
/// The same for work moved between sockets.
const MOVED: f64 = 1e-6;
/// Relative tolerance of the number of threads in a steady state.
const SETTLED: f64 = 5e-3;
/// Relative tolerance of the capacity of a resource in a steady state.
const FITS: f64 = 1e-4;
/// Minimum share of a link's wire bytes that crosses the slot of its card: preambles, gaps and checksums do
/// not, about a half for the smallest frames.
const HANDED_ON: f64 = 0.5;
/// Utilisation of a link or a memory controller above which misses must wait.
const BUSY: f64 = 0.3;
/// Minimum saturation of a bottleneck.
const ALMOST_FULL: f64 = 0.9;

/// Checks an outcome of a bound scenario and its steady state.
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
    figures_agree(bound, outcome)
}

fn inconsistent(what: String) -> RunError {
    RunError::Inconsistent { what }
}

/// Checks that the data of a port cross the slot of its card in the same direction, and that the shared rate
/// of a client's NIC and a switch's backplane carry the bytes of both directions.
fn crosses_its_parts(bound: &Bound, class: &Class) -> Result<(), RunError> {
    let (mut ports, mut slots, mut nic) = ([0.0; 2], [0.0; 2], 0.0);
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
                ClientResource::Wire(_) => nic += units,
                ClientResource::Both => shared.push(("what they share", units)),
                ClientResource::Cores | ClientResource::Interrupts | ClientResource::Connections => {}
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
    // The way with the data: acknowledgements are the card's own.
    let data = usize::from(ports[1] > ports[0]);
    let (wire, slot) = (ports[data], slots[data]);
    if is_of_port && slot < HANDED_ON * wire {
        return Err(inconsistent(format!(
            "an operation of `{workload}` has {wire} bytes at its port, and {slot} at slots"
        )));
    }
    let mut differs = shared
        .iter()
        .filter(|(_, units)| (units - nic).abs() > ROUNDED * nic);
    if let Some((what, units)) = differs.next() {
        return Err(inconsistent(format!(
            "an operation of `{workload}` has {nic} bytes in both directions of its client's NIC, and \
             {units} in {what}"
        )));
    }
    Ok(())
}

/// Checks that the demand on memory controllers equals the bytes read and written there.
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
        let settled = SETTLED.max(steady.unsettled);
        // Written so that NaN fails.
        let agree = if group.barrier {
            // Threads that finish first wait for the others.
            found <= threads * (1.0 + settled)
        } else {
            (found - threads).abs() <= settled * threads
        };
        if !agree {
            return Err(inconsistent(format!(
                "the operations of `{workload}` occupy {found} threads, and there are {threads}"
            )));
        }
        let least = 2.0 * bound.run.latency(Medium::Rdma).get();
        // Bytes of a stream wait for a part of a round trip, or for several.
        let mut visited = group.visits.iter().map(|&(class, _)| &bound.classes[class]);
        let is_stream = visited.all(|class| class.serial == Serial::default());
        if group.port.is_some() && !is_stream && group.delay < least * (1.0 - ROUNDED) {
            return Err(inconsistent(format!(
                "a round trip of `{workload}` takes {} s, and the network {least} s of it",
                group.delay
            )));
        }
    }
    Ok(())
}

/// Checks that no resource of a steady state exceeds its capacity.
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

/// Checks that misses take longer if they cross busy links or memory.
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

/// Checks that a bottleneck is saturated.
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

/// Checks figures that are stated in two ways.
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

//! The sockets of the work of each workload, and the homes of its cache lines.

use std::borrow::Cow;
use std::sync::Arc;

use bandgraph_topology::Jbod;
use bandgraph_workload::{Near, NearBuffers, Workload};

use crate::placement::Placement;
use crate::storage::Pool;
use crate::{BindError, Scenario, Stack};

/// The placement of the work of a workload.
pub(super) struct Place<'a> {
    /// The software with the placement requested by the workload.
    pub(super) stack: Cow<'a, Stack>,
    pub(super) placement: Arc<Placement>,
    /// Shares of the sockets in the drives with its data; empty without any or if nothing is placed near
    /// them.
    pub(super) drives: Vec<f64>,
    /// The homes of its lines, as [`Class::homes`](crate::Class).
    pub(super) homes: usize,
}

/// The placement of the work of each workload; equal placements are shared.
pub(super) fn places(scenario: &Scenario, usual: Placement) -> Result<Vec<Place<'_>>, BindError> {
    let usual = Arc::new(usual);
    let mut places: Vec<Place<'_>> = Vec::with_capacity(scenario.workloads.len());
    for workload in &scenario.workloads {
        let stack = scenario.stack.of_workload(workload);
        let placement = if workload.placement.is_empty() {
            Arc::clone(&usual)
        } else {
            let table = format!("workload.{}.placement", workload.id);
            Arc::new(Placement::new(&scenario.topology, &stack, &table)?)
        };
        let drives = if stack.is_near_drives(workload.is_local()) {
            drives_of(scenario, workload)
        } else {
            Vec::new()
        };
        check_wishes(workload, !drives.is_empty())?;
        let number = |known: &Place<'_>| (known.placement.homes == placement.homes).then_some(known.homes);
        let next = places.iter().map(|place| place.homes + 1).max().unwrap_or(0);
        places.push(Place {
            homes: places.iter().find_map(number).unwrap_or(next),
            drives,
            stack,
            placement,
        });
    }
    Ok(places)
}

/// Checks that a workload only names places that it has.
fn check_wishes(workload: &Workload, has_drives: bool) -> Result<(), BindError> {
    let wishes = &workload.placement;
    let has_port = !workload.is_local();
    let missing = |field: &'static str, port: bool, device: bool| {
        let lacks_port = port && !has_port;
        (lacks_port || device && !has_drives).then(|| BindError::OutOfRange {
            field: format!("workload.{}.placement.{field}", workload.id),
            value: if lacks_port { "near port" } else { "near device" }.to_owned(),
            reason: if lacks_port {
                "processes of the server itself use no port"
            } else {
                "no pool with drives has the data of the workload"
            }
            .to_owned(),
        })
    };
    let of = |field, wish: Option<Near>| missing(field, wish == Some(Near::Port), wish == Some(Near::Device));
    let buffers = wishes.buffers;
    let [port, device] = [NearBuffers::Port, NearBuffers::Device].map(|near| buffers == Some(near));
    let found = of("threads", wishes.threads)
        .or_else(|| of("interrupts", wishes.interrupts))
        .or_else(|| missing("buffers", port, device));
    found.map_or(Ok(()), Err)
}

/// The homes of lines, by number.
pub(super) fn homes(places: &[Place<'_>]) -> Vec<Arc<[f64]>> {
    let mut homes: Vec<Arc<[f64]>> = Vec::new();
    for place in places {
        if place.homes == homes.len() {
            homes.push(place.placement.homes.as_slice().into());
        }
    }
    homes
}

/// Shares of the sockets in the drives with the data of a workload; empty without any.
fn drives_of(scenario: &Scenario, workload: &Workload) -> Vec<f64> {
    let topology = &scenario.topology;
    let pools = &scenario.storage.pools;
    let of_workload = |pool: &&Pool| pool.serves(workload);
    let jbods = pools.iter().filter(of_workload).flat_map(|pool| {
        let of_pool = |jbod: &&Jbod| pool.jbods.is_empty() || pool.jbods.contains(&jbod.id);
        topology.jbods().iter().filter(of_pool)
    });
    let mut shares = vec![0.0; topology.sockets().len()];
    for jbod in jbods {
        for path in &jbod.paths {
            let each = jbod.disks.len() as f64 / jbod.paths.len() as f64;
            for (sum, share) in shares
                .iter_mut()
                .zip(topology.host_shares(topology.card_of(*path)))
            {
                *sum += share * each;
            }
        }
    }
    let all: f64 = shares.iter().sum();
    if all <= 0.0 {
        return Vec::new();
    }
    shares.iter().map(|share| share / all).collect()
}

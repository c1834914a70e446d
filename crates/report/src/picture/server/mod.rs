//! Drawings of a server: its capacities, the load of a run, what moved from one run to another, and what one
//! operation uses.
//!
//! [`parts`] makes boxes of elements and lays each resource where it belongs, by the elements that its
//! traffic comes from and goes to; [`view`] says what is written of a resource.

mod item;
mod names;
mod parts;
#[cfg(test)]
mod tests;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_model::Bound;
use bandgraph_plot::{Board, Key, Picture, PlotError};
use bandgraph_scenario::Loaded;
use serde_json::json;

use super::PictureError;
use crate::RunDocument;
use crate::json::{
    BottleneckDocument, ResourceDocument, ServerDocument, SoftwareDocument, TopologyDocument,
    TopologySocketDocument,
};
use crate::origin::Origin;
use crate::text::{DataRate, bandwidth, count_rate, counted, sockets_in_words};
use view::{Thing, View};

/// The server of a topology with the capacities of its parts.
pub fn topology_picture(topology: &TopologyDocument) -> Picture {
    let things: Vec<Thing> = topology.resources.iter().map(Thing::of_capacity).collect();
    let server = &topology.server;
    let cores: u64 = server.sockets.iter().map(|socket| socket.cores).sum();
    let whole = |socket: &TopologySocketDocument| socket.node_of.clone().unwrap_or(socket.id.clone());
    let wholes: BTreeSet<String> = server.sockets.iter().map(whole).collect();
    let board = parts::board(server, &things, &View::Capacities);
    let board = Board {
        title: topology.name.clone(),
        subtitle: format!(
            "{}, {}, {}; capacities per direction",
            sockets_in_words(wholes.len(), server.sockets.len()),
            counted(cores as f64, "core"),
            counted(server.ports.len() as f64, "network port")
        ),
        key: Key::Capacities,
        ..board
    };
    Picture {
        origin: Origin::of(topology).line(),
        ..Picture::from(board)
    }
}

/// The server of a run with its load.
///
/// # Errors
///
/// The result does not say what the server is made of.
pub(super) fn of_run(run: &RunDocument) -> Result<Picture, PictureError> {
    let things: Vec<Thing> = run.resources.iter().map(Thing::of_result).collect();
    let board = parts::board(server(run)?, &things, &View::Load(&run.bottleneck.resources));
    Ok(Picture::from(Board {
        title: run.scenario.clone(),
        subtitle: format!(
            "{}, {}; bottleneck: {}",
            DataRate::of(std::iter::once(&run.throughput)).words(&run.throughput),
            count_rate(run.throughput.ops_per_s),
            run.bottleneck.id
        ),
        footer: run.bottleneck.explanation.clone(),
        key: Key::Full,
        ..board
    }))
}

/// The drawing of a run's server with its load as an SVG, for pages: each box is a group of class `block`
/// with `data-ids`, each gauge, each direction of a wire and its words a group of class `gauge`, `wire` or
/// `words` with `data-resources` (ids with blanks between), `data-saturation` and a
/// title.
///
/// # Errors
///
/// The result does not say what the server is made of, or its numbers cannot be drawn.
pub fn server_svg(run: &RunDocument) -> Result<String, PictureError> {
    let drawn = of_run(run)?.svg();
    drawn.map_err(|error: PlotError| PictureError::Missing(error.to_string()))
}

/// What moved from one run to another, on the server of the second.
///
/// # Errors
///
/// The second result does not say what its server is made of.
pub(super) fn of_difference(before: &RunDocument, after: &RunDocument) -> Result<Picture, PictureError> {
    let was: BTreeMap<&str, f64> = (before.resources.iter())
        .map(|resource| (resource.id.as_str(), resource.saturation))
        .collect();
    let things: Vec<Thing> = after.resources.iter().map(Thing::of_result).collect();
    let view = View::Change {
        was: &was,
        full: &after.bottleneck.resources,
    };
    let mut board = parts::board(server(after)?, &things, &view);
    let gone = |resource: &&ResourceDocument| !after.resources.iter().any(|other| other.id == resource.id);
    let gone: Vec<&ResourceDocument> = before.resources.iter().filter(gone).collect();
    board.outside.extend(names::only_before(&gone));
    let moved = DataRate::of([&before.throughput, &after.throughput].into_iter());
    Ok(Picture::from(Board {
        title: if before.scenario == after.scenario {
            format!("{}: what moved", after.scenario)
        } else {
            format!("{} → {}", before.scenario, after.scenario)
        },
        subtitle: format!(
            "{} → {}; bottleneck: {} → {}",
            bandwidth(moved.value(&before.throughput)),
            moved.words(&after.throughput),
            members(&before.bottleneck),
            members(&after.bottleneck)
        ),
        key: Key::Change,
        ..board
    }))
}

/// What one operation of a scenario uses of each resource.
///
/// # Errors
///
/// No workload of the scenario does such an operation.
pub fn path_picture(loaded: &Loaded, operation: &str) -> Result<Picture, PictureError> {
    let bound = &loaded.bound;
    let known: Vec<&str> = {
        let mut known: Vec<&str> = bound.classes.iter().map(|class| class.operation.name()).collect();
        known.sort_unstable();
        known.dedup();
        known
    };
    if !known.contains(&operation) {
        return Err(PictureError::Missing(format!(
            "no workload of it does `{operation}`; there is {}",
            known.join(", ")
        )));
    }
    let uses = uses(bound, operation);
    let things: Vec<Thing> = bound.resources().iter().map(Thing::new).collect();
    let most = (things.iter().enumerate())
        .map(|(index, thing)| uses[index] / thing.usable)
        .fold(0.0, f64::max);
    let server = ServerDocument::new(&loaded.scenario.topology);
    let view = View::Path { uses: &uses, most };
    let board = Board {
        title: format!("{}: one {operation}", loaded.name),
        subtitle: "what one operation uses of each part, on average; grey: nothing".to_owned(),
        key: Key::Path,
        ..parts::board(&server, &things, &view)
    };
    let origin = Origin::new(json!({
        "file": loaded.path.display().to_string(),
        "software": SoftwareDocument::of(&loaded.scenario),
        "overrides": loaded.overrides,
        "bandgraph": crate::VERSION,
        "input_hash": loaded.input_hash,
    }));
    Ok(Picture {
        origin: origin.line(),
        ..Picture::from(board)
    })
}

/// The resources that limit a run, the first of many.
fn members(bottleneck: &BottleneckDocument) -> String {
    const NAMED: usize = 3;
    let all = &bottleneck.resources;
    match all.len().checked_sub(NAMED) {
        _ if all.is_empty() => bottleneck.id.clone(),
        None | Some(0) => all.join(" and "),
        Some(more) => format!("{} and {more} more", all[..NAMED].join(", ")),
    }
}

fn server(run: &RunDocument) -> Result<&ServerDocument, PictureError> {
    run.server.as_ref().ok_or_else(|| {
        PictureError::Missing(
            "it does not say what the server is made of; run it again with this version".to_owned(),
        )
    })
}

/// Units of each resource for one operation of a kind, on average over those who issue it; instructions of
/// cores.
fn uses(bound: &Bound, operation: &str) -> Vec<f64> {
    let mut uses = vec![0.0; bound.resources().len()];
    let mut weights = 0.0;
    for group in bound.threads.iter() {
        for &(class, share) in &group.visits {
            let weight = group.population * group.members * share;
            let class = &bound.classes[class];
            if class.operation.name() != operation || weight <= 0.0 {
                continue;
            }
            weights += weight;
            for &(resource, units) in &class.demand {
                uses[resource] += weight * units;
            }
            for (socket, work) in bound.sockets.iter().zip(class.work.iter()) {
                uses[socket.cpu] += weight * work.instructions;
            }
        }
    }
    for unit in &mut uses {
        *unit /= f64::max(weights, f64::MIN_POSITIVE);
    }
    bound.with_represented(&uses)
}

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

use bandgraph_plot::{Board, Key, Picture};
use bandgraph_scenario::Loaded;
use bandgraph_solve::{Limit, Outcome};
use bandgraph_study::{Case, RankedPlacement};
use bandgraph_topology::{Seat, Topology};
use serde_json::json;

use super::PictureError;
use crate::json::{
    BottleneckDocument, PathDocument, PathStepDocument, ResourceDocument, ServerDocument, SoftwareDocument,
    ThroughputDocument, TopologyDocument, TopologySocketDocument, paths,
};
use crate::origin::Origin;
use crate::text::{
    DataRate, amount_in_words, bandwidth, count_rate, counted, limit_in_words, sockets_in_words,
};
use crate::view::View as PageView;
use crate::{LadderReport, PlaceReport, RunDocument, WhatIfReport};
use view::{Thing, Use, View};

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
    let server = server(run)?;
    Ok(load(
        &run.scenario,
        server,
        &run.resources,
        &run.throughput,
        &run.bottleneck,
    ))
}

fn load(
    title: &str,
    server: &ServerDocument,
    resources: &[ResourceDocument],
    throughput: &ThroughputDocument,
    bottleneck: &BottleneckDocument,
) -> Picture {
    let things: Vec<Thing> = resources.iter().map(Thing::of_result).collect();
    let board = parts::board(server, &things, &View::Load(&bottleneck.resources));
    Picture::from(Board {
        title: title.to_owned(),
        subtitle: format!(
            "{}, {}; bottleneck: {}",
            DataRate::of(std::iter::once(throughput)).words(throughput),
            count_rate(throughput.ops_per_s),
            limit_in_words(bottleneck)
        ),
        footer: bottleneck.explanation.clone(),
        key: Key::Full,
        ..board
    })
}

/// The drawings of a run for pages, with their names: its load, and the way of each operation. Each box is a
/// group of class `block` with `data-ids`, each gauge, each direction of a wire and its words a group of
/// class `gauge`, `wire` or `words` with `data-resources` (ids with blanks between), `data-saturation` and a
/// title.
pub(crate) fn drawings(run: &RunDocument) -> Vec<(String, Picture)> {
    let load = of_run(run).map(|picture| ("Load".to_owned(), picture));
    let path = |path: &PathDocument| {
        let picture = of_path(run, &path.operation);
        picture.map(|picture| (format!("Path of one {}", path.operation), picture))
    };
    let all = std::iter::once(load).chain(run.paths.iter().map(path));
    all.filter_map(Result::ok).collect()
}

/// Adds the server of each case to the page of a what-if, with its load.
pub fn draw_whatif(page: &mut PageView, report: &WhatIfReport) {
    let picture = |case: &Case| {
        let server = ServerDocument::new(&case.question.scenario.topology);
        of_outcome(
            &case.question.name,
            &server,
            &case.answer.outcome,
            &case.answer.explained.bottleneck,
        )
    };
    let answers = &report.answers;
    let variants = answers.variants.iter().map(picture).collect();
    page.draw(Some(picture(&answers.base)), variants);
}

/// Adds the server with its load before any limit is relieved to the page of a ladder.
pub fn draw_ladder(page: &mut PageView, report: &LadderReport) {
    if let Some(rung) = report.ladder.rungs.first() {
        let picture = of_outcome(
            &report.scenario,
            &report.server,
            &report.ladder.first,
            &rung.limit,
        );
        page.draw(Some(picture), Vec::new());
    }
}

/// Adds the server of each placement to the page of a ranking, with the load of the first scenario.
pub fn draw_place(page: &mut PageView, report: &PlaceReport) {
    let placements = &report.placements;
    let Some(question) = placements.questions.first().map(|first| &first.question) else {
        return;
    };
    let picture = |placement: &RankedPlacement| {
        let mut spec = question.scenario.topology.spec().clone();
        for placed in &placement.cards {
            let card = spec.cards.iter_mut().find(|card| card.id == placed.card);
            card?.seat = Seat::Slot(placed.slot.clone());
        }
        let topology = Topology::build(spec).ok()?;
        let answer = &placement.scenarios.first()?.answer;
        let title = match placement.rank {
            Some(rank) => format!("{}: rank {rank}", question.name),
            None => format!("{}: today", question.name),
        };
        let server = ServerDocument::new(&topology);
        Some(of_outcome(
            &title,
            &server,
            &answer.outcome,
            &answer.explained.bottleneck,
        ))
    };
    let pictures: Option<Vec<Picture>> = placements.placements.iter().map(picture).collect();
    page.draw(None, pictures.unwrap_or_default());
}

fn of_outcome(title: &str, server: &ServerDocument, outcome: &Outcome, limit: &Limit) -> Picture {
    let resources: Vec<ResourceDocument> = outcome.resources.iter().map(ResourceDocument::new).collect();
    let throughput = ThroughputDocument::new(&outcome.throughput);
    load(
        title,
        server,
        &resources,
        &throughput,
        &BottleneckDocument::new(limit),
    )
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
    let [was, is] = [before, after].map(|run| limit_in_words(&run.bottleneck));
    let moved = DataRate::of([&before.throughput, &after.throughput].into_iter());
    Ok(Picture::from(Board {
        title: if before.scenario == after.scenario {
            format!("{}: what moved", after.scenario)
        } else {
            format!("{} → {}", before.scenario, after.scenario)
        },
        subtitle: format!(
            "{} → {}; bottleneck: {}",
            bandwidth(moved.value(&before.throughput)),
            moved.words(&after.throughput),
            if was == is {
                format!("{is} as before")
            } else {
                format!("{was} → {is}")
            }
        ),
        key: Key::Change,
        ..board
    }))
}

/// The way of one operation of a scenario.
///
/// # Errors
///
/// No workload of the scenario does such an operation.
pub fn path_picture(loaded: &Loaded, operation: &str) -> Result<Picture, PictureError> {
    let server = ServerDocument::new(&loaded.scenario.topology);
    let things: Vec<Thing> = loaded.bound.resources().iter().map(Thing::new).collect();
    let path = of_operation(&paths(&loaded.bound, &server), operation).cloned()?;
    let origin = Origin::new(json!({
        "file": loaded.path.display().to_string(),
        "software": SoftwareDocument::of(&loaded.scenario),
        "overrides": loaded.overrides,
        "bandgraph": crate::VERSION,
        "input_hash": loaded.input_hash,
    }));
    Ok(Picture {
        origin: origin.line(),
        ..Picture::from(path_board(&loaded.name, &server, &things, &path))
    })
}

/// The way of one operation of a run.
///
/// # Errors
///
/// The result does not say what the server is made of, or no workload does such an operation.
pub(super) fn of_path(run: &RunDocument, operation: &str) -> Result<Picture, PictureError> {
    let things: Vec<Thing> = run.resources.iter().map(Thing::of_result).collect();
    let path = of_operation(&run.paths, operation)?;
    Ok(Picture::from(path_board(
        &run.scenario,
        server(run)?,
        &things,
        path,
    )))
}

fn of_operation<'p>(paths: &'p [PathDocument], operation: &str) -> Result<&'p PathDocument, PictureError> {
    paths
        .iter()
        .find(|path| path.operation == operation)
        .ok_or_else(|| {
            let known: Vec<&str> = paths.iter().map(|path| path.operation.as_str()).collect();
            PictureError::Missing(match known.as_slice() {
                [] => "it does not say what operations use; run it again with this version".to_owned(),
                known => format!(
                    "no workload of it does `{operation}`; there is {}",
                    known.join(", ")
                ),
            })
        })
}

fn path_board(name: &str, server: &ServerDocument, things: &[Thing], path: &PathDocument) -> Board {
    let all = || {
        path.steps
            .iter()
            .flat_map(|step| step.uses.iter().map(move |one| (step.number, one)))
    };
    let most = all().map(|(_, one)| one.busy_s).fold(f64::MIN_POSITIVE, f64::max);
    let mut uses: BTreeMap<&str, (Use<'_>, Vec<u64>)> = BTreeMap::new();
    let steps = all();
    for (number, one) in steps {
        let found = Use {
            amount: one.amount,
            unit: &one.unit,
            share: one.busy_s / most,
        };
        let entry = uses.entry(&one.id).or_insert((found, Vec::new()));
        entry.1.push(number);
    }
    let step = |step: &PathStepDocument| {
        let way = if step.from == step.to {
            step.from.clone()
        } else {
            format!("{} → {}", step.from, step.to)
        };
        let amount = amount_in_words(step.amount, &step.unit);
        // Bytes are known of a resource, not of each time that an operation comes by.
        let mut others = step.uses.iter().flat_map(|one| &uses[&*one.id].1);
        let with = match others.find(|number| **number != step.number) {
            Some(number) => format!(" with step {number}"),
            None => String::new(),
        };
        format!("{}.  {way}: {amount}{with} ({})", step.number, step.stage)
    };
    let steps: Vec<String> = path.steps.iter().map(step).collect();
    Board {
        title: format!("{name}: one {}", path.operation),
        subtitle:
            "the steps of one operation in their order, with all that it moves in each, on average; grey: \
                   unused"
                .to_owned(),
        key: Key::Path,
        footer: steps.join("\n"),
        ..parts::board(server, things, &View::Path(&uses))
    }
}

fn server(run: &RunDocument) -> Result<&ServerDocument, PictureError> {
    run.server.as_ref().ok_or_else(|| {
        PictureError::Missing(
            "it does not say what the server is made of; run it again with this version".to_owned(),
        )
    })
}

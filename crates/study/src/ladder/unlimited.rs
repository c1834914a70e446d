//! The ladder with limits raised to the speed that the next rung needs.

use std::collections::BTreeSet;

use bandgraph_model::{Bound, Scenario};
use bandgraph_solve::{LimitKind, bind_merged};

use super::{Climb, Climbed, Ladder, LadderEnd, Need, Rung, Step, is_of_clients, solve};
use crate::{Answer, StudyError};

pub(super) fn climb(scenario: &Scenario, seen: &dyn Fn(&[Rung])) -> Result<Ladder, StudyError> {
    let original = bind_merged(scenario)?;
    let mut relieved: BTreeSet<usize> = BTreeSet::new();
    let mut answer = solve(&original)?;
    let mut rungs = Climbed::begin(&answer, seen);
    let end = loop {
        rungs.add(&answer, None);
        let limit = &answer.explained.bottleneck;
        if is_of_clients(limit) {
            break LadderEnd::Clients;
        }
        if limit.kind == LimitKind::Core {
            break LadderEnd::Core;
        }
        if rungs.is_full() {
            break LadderEnd::TooLong;
        }
        let full: Vec<usize> = (0..original.resources().len())
            .filter(|&resource| limit.is_about(|role| role == original.resources()[resource].role))
            .collect();
        relieved.extend(&full);
        let factors: Vec<(usize, f64)> = relieved
            .iter()
            .map(|&resource| (resource, Bound::UNLIMITED))
            .collect();
        answer = solve(&original.scaled(&factors)?)?;
        rungs.relieve(Step::Unlimited(
            full.iter()
                .map(|&resource| need(&original, resource, &answer))
                .collect(),
        ));
    };
    Ok(rungs.finish(Climb::Unlimited, end))
}

/// The speed that a resource needs for the traffic that it carries in `answer`.
fn need(bound: &Bound, resource: usize, answer: &Answer) -> Need {
    let now = &bound.resources()[resource];
    Need {
        id: now.id.clone(),
        capacity: now.capacity,
        needed: answer.outcome.resources[resource].rate / now.ceiling,
        unit: now.unit,
    }
}

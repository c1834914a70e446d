//! The ladder with parts of the catalogue.

use bandgraph_model::{BindError, Scenario};
use bandgraph_scenario::Metric;
use bandgraph_solve::{LimitKind, bind_merged};
use rayon::prelude::*;

use super::options::{self, Upgrade};
use super::{Climb, Climbed, Ladder, LadderEnd, NO_GAIN, Rung, Step, is_of_clients, solve};
use crate::{Answer, CommonDraws, StudyError, weights};

pub(super) fn climb(scenario: &Scenario, draws: u32, seen: &dyn Fn(&[Rung])) -> Result<Ladder, StudyError> {
    let felt = if draws > 0 { weights(scenario) } else { Vec::new() };
    let mut scenario = scenario.clone();
    let mut before = drawn(None, &scenario, draws);
    let mut certainty = None;
    let mut answer = solve(&bind_merged(&scenario)?)?;
    let mut rungs = Climbed::begin(&answer, seen);
    let end = loop {
        rungs.add(&answer, certainty);
        let limit = &answer.explained.bottleneck;
        if is_of_clients(limit) {
            break LadderEnd::Clients;
        }
        if rungs.is_full() {
            break LadderEnd::TooLong;
        }
        let mut options = options::against(limit, &scenario);
        let tried = solve_all(&options.upgrades)?;
        let Some(choice) = best(&answer, &tried) else {
            let useless = options
                .upgrades
                .iter()
                .zip(&tried)
                .map(|(upgrade, tried)| match tried {
                    Ok(_) => format!("This brings nothing: {}.", upgrade.in_general),
                    Err(error) => format!("This cannot be run: {}: {error}.", upgrade.in_general),
                });
            let mut reasons: Vec<String> = Vec::new();
            for reason in options.ruled_out.into_iter().chain(useless) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            if reasons.is_empty() && limit.kind != LimitKind::Core {
                reasons.push(format!(
                    "The catalogue has no part that takes the place of {}.",
                    limit.id()
                ));
            }
            break match limit.kind {
                LimitKind::Core if reasons.is_empty() => LadderEnd::Core,
                _ => LadderEnd::NothingToBuy(reasons),
            };
        };
        let upgrade = options.upgrades.swap_remove(choice);
        rungs.relieve(Step::Upgrade {
            change: upgrade.change,
            sets: upgrade.sets,
            ruled_out: options.ruled_out,
        });
        scenario = upgrade.scenario;
        let after = drawn(before.as_ref(), &scenario, draws);
        certainty = after
            .as_ref()
            .zip(before.as_ref())
            .and_then(|(after, before)| after.gain_over(before, Metric::OperationsPerSecond));
        before = after;
        answer = tried
            .into_iter()
            .nth(choice)
            .and_then(Result::ok)
            .expect("the best is one that was solved");
    };
    Ok(Ladder {
        weights: felt,
        ..rungs.finish(Climb::Catalogue, end)
    })
}

/// The draws of a rung after another; `None` if `draws` is 0.
fn drawn(before: Option<&CommonDraws>, scenario: &Scenario, draws: u32) -> Option<CommonDraws> {
    (draws > 0)
        .then(|| CommonDraws::beside(before, scenario, draws))
        .flatten()
}

/// The answer of an upgraded scenario, or why it cannot be bound: for example, clients name a port that no
/// longer exists.
type Tried = Result<Answer, BindError>;

/// Solves every upgrade, in parallel.
fn solve_all(upgrades: &[Upgrade]) -> Result<Vec<Tried>, StudyError> {
    let solved: Vec<Result<Tried, StudyError>> = upgrades
        .par_iter()
        .map(|upgrade| match bind_merged(&upgrade.scenario) {
            Ok(bound) => solve(&bound).map(Ok),
            Err(error) => Ok(Err(error)),
        })
        .collect();
    solved.into_iter().collect()
}

/// The upgrade with the largest gain, the first of equals; `None` if no upgrade has a gain.
fn best(now: &Answer, tried: &[Tried]) -> Option<usize> {
    let operations = |answer: &Answer| answer.outcome.throughput.operations.get();
    let mut best: Option<usize> = None;
    let mut most = operations(now) * (1.0 + NO_GAIN);
    for (index, tried) in tried.iter().enumerate() {
        let found = tried.as_ref().map_or(0.0, operations);
        if found > most * (1.0 + 1e-9) {
            best = Some(index);
            most = found;
        }
    }
    best
}

//! One scenario answered: what comes out, and why.

use bandgraph_model::{Bound, Scenario};
use bandgraph_simulate::simulate;
use bandgraph_solve::{Explained, Outcome, SteadyState, bind, bind_merged, explain};

use crate::StudyError;

/// How scenarios are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The steady state, without events.
    #[default]
    Predict,
    /// Event by event; slower, and with percentiles of latency.
    Simulate,
}

/// What comes out of a scenario, and what holds it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What comes out.
    pub outcome: Outcome,
    /// Why.
    pub explained: Explained,
}

/// Answers a scenario. `question` is what errors call it.
///
/// # Errors
///
/// [`StudyError::Bind`] where the scenario asks what cannot be answered; [`StudyError::Run`] where the answer
/// is not found, which is not a user's fault.
pub fn answer(question: &str, scenario: &Scenario, method: Method) -> Result<Answer, StudyError> {
    let bound = match method {
        Method::Predict => bind_merged(scenario),
        Method::Simulate => bind(scenario),
    };
    answer_bound(question, &bound?, method)
}

/// [`answer`], of a scenario that has been bound.
pub(crate) fn answer_bound(question: &str, bound: &Bound, method: Method) -> Result<Answer, StudyError> {
    let answer = || {
        let steady = SteadyState::solve(bound)?;
        let outcome = match method {
            Method::Predict => steady.prediction(bound)?,
            Method::Simulate => simulate(bound, &steady)?,
        };
        let explained = explain(bound, &steady, &outcome)?;
        Ok(Answer { outcome, explained })
    };
    answer().map_err(StudyError::run(question))
}

/// How many sets of figures are drawn for a report: fewer where a prediction takes long, for its many kinds
/// of operations.
pub fn usual_draws(bound: &Bound) -> u32 {
    const MOST: u32 = 200;
    const LEAST: u32 = 40;
    let kinds = bound.classes.len().max(1) as u32;
    (MOST * 20 / kinds).clamp(LEAST, MOST)
}

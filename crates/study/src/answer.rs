//! The answer to one scenario: its outcome and the explanation of its limits.

use bandgraph_model::{Bound, Scenario};
use bandgraph_simulate::simulate;
use bandgraph_solve::{Explained, Outcome, SteadyState, bind, bind_merged, explain_beside};

use crate::StudyError;

/// How a scenario is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Solve the steady state, without events.
    #[default]
    Predict,
    /// Simulate event by event: slower, and the outcome has percentiles of latency.
    Simulate,
}

/// The outcome of a scenario and what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The outcome.
    pub outcome: Outcome,
    /// The prediction beside a simulation; `None` if the outcome itself is the prediction.
    pub prediction: Option<Outcome>,
    /// The bottleneck, and the next one.
    pub explained: Explained,
}

/// Answers a scenario. Errors name it by `question`.
///
/// # Errors
///
/// [`StudyError::Bind`] if the scenario cannot be bound; [`StudyError::Run`] if no answer is found, which is
/// a defect of the program.
pub fn answer(question: &str, scenario: &Scenario, method: Method) -> Result<Answer, StudyError> {
    let bound = match method {
        Method::Predict => bind_merged(scenario),
        Method::Simulate => bind(scenario),
    };
    answer_bound(question, &bound?, method)
}

/// [`answer`] for a scenario that is already bound.
pub(crate) fn answer_bound(question: &str, bound: &Bound, method: Method) -> Result<Answer, StudyError> {
    let answer = || {
        let steady = SteadyState::solve(bound)?;
        let predicted = steady.prediction(bound)?;
        let (outcome, prediction) = match method {
            Method::Predict => (predicted, None),
            Method::Simulate => (simulate(bound, &steady)?, Some(predicted)),
        };
        let explained = explain_beside(bound, &steady, &outcome, prediction.as_ref())?;
        Ok(Answer {
            outcome,
            prediction,
            explained,
        })
    };
    answer().map_err(StudyError::run(question))
}

/// The number of draws for a report: fewer if a prediction takes long because the scenario has many kinds of
/// operations.
pub fn usual_draws(bound: &Bound) -> u32 {
    const MOST: u32 = 200;
    const LEAST: u32 = 40;
    const OF_BATCHES: u32 = 20;
    // A draw of a batch plays all of its jobs.
    if bound.batch.is_some() {
        return OF_BATCHES;
    }
    let kinds = bound.classes.len().max(1) as u32;
    (MOST * 20 / kinds).clamp(LEAST, MOST)
}

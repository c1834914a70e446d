//! One scenario answered: what comes out, and why.

use bandgraph_sim::{Bound, Explained, Outcome, Scenario, explain, predict, simulate};

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
/// [`StudyError::Bind`] where the scenario asks what cannot be answered; [`StudyError::Run`] where the answer is not
/// found, which is not a user's fault.
pub fn answer(question: &str, scenario: &Scenario, method: Method) -> Result<Answer, StudyError> {
    let bound = Bound::bind(scenario)?;
    let outcome = match method {
        Method::Predict => predict(&bound),
        Method::Simulate => simulate(&bound),
    };
    let outcome = outcome.map_err(StudyError::run(question))?;
    let explained = explain(&bound, &outcome).map_err(StudyError::run(question))?;
    Ok(Answer { outcome, explained })
}

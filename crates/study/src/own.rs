//! What a user's own measurements say about the parameters of the model, and how reliable that is.

use bandgraph_diagnostics::Diagnostic;
use bandgraph_scenario::{Loaded, Measured};

use crate::{Learned, LeftOutPoint, OwnMachine};

/// Draws of the figures for the prediction of a measurement that is left out.
const DRAWS: u32 = 200;

/// The result of learning from the measurements of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnStudy {
    /// The software profile of the first scenario.
    pub stack: String,
    /// The measurements that were used.
    pub measured: Vec<Measured>,
    /// The parameters learned from the measurements.
    pub learned: Learned,
    /// Leave-one-out cross-validation: each measurement predicted from the others; empty if there is only
    /// one.
    pub left_out: Vec<LeftOutPoint>,
}

impl OwnStudy {
    /// Learns from scenarios with their measurements. Messages call the machine `name`.
    ///
    /// # Errors
    ///
    /// If there is no measurement, or one without a prediction.
    pub fn new(name: &str, loads: &[Loaded]) -> Result<Self, Box<Diagnostic>> {
        let pairs = loads
            .iter()
            .map(|loaded| (&loaded.scenario, loaded.measured.as_slice()));
        let unpredicted = || {
            let refused = Diagnostic::argument("a measurement has no prediction")
                .help("measure rates and mean latencies; `bandgraph run --predict` says what is predicted");
            Box::new(refused)
        };
        let own = OwnMachine::new(pairs).ok_or_else(unpredicted)?;
        if own.points() == 0 {
            let refused = Diagnostic::argument(format!("{name} has no measurements"));
            return Err(refused
                .help("give `[[measured]]` entries, or `--measured FILE`")
                .into());
        }
        let learned = own.learn().ok_or_else(unpredicted)?;
        let left_out = if own.points() > 1 {
            own.leave_one_out(DRAWS).ok_or_else(unpredicted)?
        } else {
            Vec::new()
        };
        let first = loads.first();
        let stack = first.map_or_else(String::new, |loaded| loaded.scenario.stack.name.clone());
        Ok(Self {
            measured: own.measured(),
            stack,
            learned,
            left_out,
        })
    }
}

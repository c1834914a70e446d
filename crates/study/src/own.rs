//! What a user's own measurements say about the parameters of the model, and how reliable that is.

use bandgraph_diagnostics::Diagnostic;
use bandgraph_scenario::{CONTRADICTION, FAR_OFF, Loaded, Measured, joint_hash};
use bandgraph_solve::predict;

use crate::metric_value::figure;
use crate::{Learned, LeftOutPoint, OwnMachine};

/// Draws of the figures for the prediction of a measurement that is left out.
const DRAWS: u32 = 200;

/// The result of learning from the measurements of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnStudy {
    /// Hash of everything that went in.
    pub input_hash: String,
    /// The software profile of the first scenario.
    pub stack: String,
    /// The measurements that were used.
    pub measured: Vec<Measured>,
    /// The parameters learned from the measurements.
    pub learned: Learned,
    /// Leave-one-out cross-validation: each measurement predicted from the others; empty if there is only
    /// one.
    pub left_out: Vec<LeftOutPoint>,
    /// Measurements that contradict each other, or that no prediction is near.
    pub warnings: Vec<Diagnostic>,
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
        let unpredicted = || Box::new(unpredicted(loads));
        let own = OwnMachine::new(pairs).ok_or_else(unpredicted)?;
        if own.points() == 0 {
            let refused = Diagnostic::argument(format!("{name} has no measurements"));
            return Err(refused
                .help("give `[[measured]]` entries, or `--measured FILE`")
                .into());
        }
        let learned = own.learn().ok_or_else(unpredicted)?;
        let mut left_out = own.leave_one_out(DRAWS).ok_or_else(unpredicted)?;
        let mut warnings: Vec<Diagnostic> = loads.iter().flat_map(contradictions).collect();
        warnings.extend(left_out.iter().filter(|point| point.is_far_off()).map(far_off));
        if own.points() == 1 {
            left_out.clear();
        }
        let first = loads.first();
        let stack = first.map_or_else(String::new, |loaded| loaded.scenario.stack.name.clone());
        Ok(Self {
            input_hash: joint_hash(loads.iter().map(|loaded| loaded.input_hash.as_bytes())),
            measured: own.measured(),
            stack,
            learned,
            left_out,
            warnings,
        })
    }
}

/// The first measurement without a prediction.
fn unpredicted(loads: &[Loaded]) -> Diagnostic {
    let help = "measure rates and mean latencies; `bandgraph run --predict` says what is predicted";
    let missing = loads.iter().find_map(|load| {
        let outcome = predict(&load.bound).ok()?;
        let mut rows = load.measured.iter().filter(|row| row.relative_to.is_none());
        rows.find(|row| figure(row, &outcome).is_none())
    });
    let Some(row) = missing else {
        return Diagnostic::argument("a measurement has no prediction").help(help);
    };
    let why = row.metric.why_missing();
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    let message = format!("{}: there is no prediction of {}{why}", row.id, row.metric);
    Diagnostic::argument(message).at(row.place.clone()).help(help)
}

/// Measurements of one load whose tolerances have nothing in common.
fn contradictions(load: &Loaded) -> Vec<Diagnostic> {
    let rows = || load.measured.iter().filter(|row| row.relative_to.is_none());
    let of_same = |a: &Measured, b: &Measured| {
        a.metric == b.metric && a.resource == b.resource && a.statistic == b.statistic
    };
    let contradicts = |a: &Measured, b: &Measured| {
        let (low, high) = if a.value < b.value { (a, b) } else { (b, a) };
        of_same(a, b) && low.value * (1.0 + low.tolerance) * (1.0 + high.tolerance) < high.value
    };
    let contradiction = |(place, row): (usize, &Measured)| {
        let before = rows().take(place).find(|before| contradicts(before, row))?;
        let message = format!(
            "{} says {} {}, and {} of the same load {}",
            row.id, row.metric, row.text, before.id, before.text
        );
        let warning = Diagnostic::warning(CONTRADICTION, message).at(row.place.clone());
        let help = "both count, so that what is learned lies between: remove the wrong one";
        Some(warning.also(before.place.clone()).help(help))
    };
    rows().enumerate().filter_map(contradiction).collect()
}

/// A measurement that no prediction is near.
fn far_off(point: &LeftOutPoint) -> Diagnostic {
    let Measured { id, metric, text, .. } = &point.measured;
    let (value, interval) = &point.before;
    let message = format!("{id}: {metric} {text} is far from what is predicted of this load");
    Diagnostic::warning(FAR_OFF, message)
        .at(point.measured.place.clone())
        .help(format!(
            "predicted are {}, 90 % interval {} to {}; is it of another load, or in another unit?",
            metric.format(*value),
            metric.format(interval.low),
            metric.format(interval.high)
        ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bandgraph_diagnostics::Sources;
    use bandgraph_scenario::load;

    use super::*;

    /// A measurement of a thousandth of the rate contradicts the others and is far from any prediction; its
    /// effect stays an answer: each value lies within its interval.
    #[test]
    fn a_measurement_of_another_load_is_pointed_out() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let reads = folder.join("7410-barcelona/cached-read.toml");
        let mut loaded = load(&reads, &[], &mut Sources::new()).expect("it is sound");
        let is_rate = |row: &&Measured| row.metric == bandgraph_scenario::Metric::NetworkBytesPerSecond;
        let row = loaded.measured.iter().find(is_rate).cloned().expect("a rate");
        let measured = |factor: f64| Measured {
            id: format!("times {factor}"),
            value: row.value * factor,
            ..row.clone()
        };
        let ids = |loaded: &Loaded| {
            let found = OwnStudy::new("it", std::slice::from_ref(loaded)).expect("it has an answer");
            for point in &found.left_out {
                assert!(point.after.1.contains(point.after.0), "{point:?}");
            }
            found.warnings.iter().map(|one| one.id).collect::<Vec<_>>()
        };
        loaded.measured = vec![measured(1.0), measured(1.1)];
        assert_eq!(ids(&loaded), [""; 0]);
        for factor in [1e-3, 1e290] {
            loaded.measured = vec![measured(1.0), measured(factor)];
            assert_eq!(ids(&loaded), ["measured::contradiction", "measured::far_off"]);
            loaded.measured = vec![measured(factor)];
            assert_eq!(ids(&loaded), ["measured::far_off"]);
        }
    }
}

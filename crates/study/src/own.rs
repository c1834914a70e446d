//! What a user's own measurements say about the parameters of the model, and how reliable that is.

use bandgraph_diagnostics::Diagnostic;
use bandgraph_scenario::{
    CONTRADICTION, FAR_OFF, LEFT_OUT, LOST_FIGURE, Loaded, Measured, Metric, REPEATED, joint_hash,
};
use bandgraph_solve::predict;

use crate::metric_value::figure;
use crate::uncertainty::listed;
use crate::{Earlier, Learned, LeftOutPoint, OwnMachine};

/// Draws of the figures for the prediction of a measurement that is left out.
const DRAWS: u32 = 200;
/// How far two metrics of one run differ, as logarithms of what is measured over what is predicted.
const OF_RUN: f64 = 0.05;
/// The metrics of one run of one workload: each of them follows from any other.
const OF_ONE_RUN: [Metric; 4] = [
    Metric::OperationsPerSecond,
    Metric::PayloadBytesPerSecond,
    Metric::NetworkBytesPerSecond,
    Metric::LatencyMean,
];

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
    /// Measurements that were left out, contradict each other, or are near no prediction.
    pub warnings: Vec<Diagnostic>,
}

impl OwnStudy {
    /// Learns from scenarios with their measurements. Messages call the machine `name`.
    ///
    /// # Errors
    ///
    /// If there is no measurement with a prediction, or no steady state.
    pub fn new(name: &str, loads: &[Loaded]) -> Result<Self, Box<Diagnostic>> {
        let (mut used, mut warnings) = (Vec::new(), Vec::new());
        for load in loads {
            let (rows, notes) = usable(load);
            used.push(rows);
            warnings.extend(notes);
        }
        let pairs = loads.iter().zip(&used);
        let pairs = pairs.map(|(load, rows)| (&load.scenario, rows.as_slice()));
        let unsteady = || {
            let message = format!("{name}: no steady state agrees with the measurements");
            let first = used.iter().flatten().next();
            Box::new(Diagnostic {
                primary: first.map(|row| row.place.clone()),
                ..Diagnostic::argument(message)
            })
        };
        let own = OwnMachine::new(pairs).ok_or_else(unsteady)?;
        if own.points() == 0 {
            let refused = Diagnostic::argument(match warnings.first() {
                None => format!("{name} has no measurements"),
                Some(note) => note.message.clone(),
            });
            let refused = refused.help("give `[[measured]]` entries of rates, or `--measured FILE`");
            let primary = warnings.into_iter().find_map(|note| note.primary);
            return Err(Box::new(Diagnostic { primary, ..refused }));
        }
        let learned = own.learn().ok_or_else(unsteady)?;
        let mut left_out = own.leave_one_out(DRAWS).ok_or_else(unsteady)?;
        warnings.extend(repeated(&learned.earlier, &own.measured()));
        warnings.extend(lost(&learned.earlier));
        warnings.extend(loads.iter().flat_map(contradictions));
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

/// The measurements of a load that say something of it, and notes of the others: those without a prediction,
/// and all but the first of one run.
fn usable(load: &Loaded) -> (Vec<Measured>, Vec<Diagnostic>) {
    let Ok(outcome) = predict(&load.bound) else {
        return (load.measured.clone(), Vec::new());
    };
    let is_closed = load.bound.threads.iter().all(|group| group.offered().is_none());
    // The rate of clients with a pace of their own says nothing of the latency.
    let is_of_run = |row: &Measured| {
        load.scenario.workloads.len() == 1
            && OF_ONE_RUN.contains(&row.metric)
            && (is_closed || row.metric != Metric::LatencyMean)
    };
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    let mut runs: Vec<(&Measured, f64)> = Vec::new();
    for row in load.measured.iter().filter(|row| row.relative_to.is_none()) {
        let mut left_out = |why: String| {
            let note = Diagnostic::note(LEFT_OUT, format!("{} is left out: {why}", row.id));
            notes.push(note.at(row.place.clone()));
        };
        let Some(predicted) = figure(row, &outcome).filter(|value| *value > 0.0) else {
            let why = row.metric.why_missing();
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            left_out(format!("there is no prediction of {}{why}", row.metric));
            continue;
        };
        if is_of_run(row) {
            let off = libm::log(row.value / predicted);
            let off = if row.metric == Metric::LatencyMean {
                -off
            } else {
                off
            };
            let same = runs.iter().find(|(run, of_run)| {
                let is_other = run.metric != row.metric && run.place.source == row.place.source;
                is_other && (of_run - off).abs() < OF_RUN
            });
            if let Some((run, _)) = same {
                left_out(format!("{} follows from {} of the same run", row.metric, run.id));
                continue;
            }
            runs.push((row, off));
        }
        rows.push(row.clone());
    }
    (rows, notes)
}

/// Measurements that the included profile was learned from.
fn repeated(earlier: &Earlier, rows: &[Measured]) -> Option<Diagnostic> {
    let is_known = |row: &&Measured| earlier.measurements.contains(&listed(row));
    let known: Vec<&Measured> = rows.iter().filter(is_known).collect();
    let ids: Vec<&str> = known.iter().map(|row| row.id.as_str()).collect();
    let ids = ids.join(", ");
    let message = format!("the included profile was learned from the same measurements: {ids}");
    let help = "they count twice, so that the result is too certain: give new measurements only, or remove \
                the profile and give all at once";
    let warning = Diagnostic::warning(REPEATED, message).at(known.first()?.place.clone());
    Some(warning.help(help))
}

/// Figures of the included profile that the new one lacks.
fn lost(earlier: &Earlier) -> Option<Diagnostic> {
    let figures = earlier.missing.join(", ");
    let message = format!("a profile of this calibration lacks figures that the included one has: {figures}");
    let help = "no scenario has them with one value and a range; add a scenario with these parts";
    (!earlier.missing.is_empty()).then(|| Diagnostic::warning(LOST_FIGURE, message).help(help))
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
    use crate::ValidationSet;

    /// Operations, payload and latency of one run are one measurement, and a metric that no prediction has is
    /// none.
    #[test]
    fn a_run_counts_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let reads = folder.join("7410-barcelona/cached-read.toml");
        let mut loaded = load(&reads, &[], &mut Sources::new()).expect("it is sound");
        let row = loaded.measured.first().cloned().expect("a row");
        let outcome = predict(&loaded.bound).expect("it has an answer");
        let rows = [
            Metric::OperationsPerSecond,
            Metric::PayloadBytesPerSecond,
            Metric::LatencyMean,
            Metric::LatencyMax,
            Metric::NetworkBytesPerSecond,
        ];
        let measured = |metric| {
            let value = crate::metric_value(metric, &outcome).unwrap_or(0.1);
            // Of another run.
            let value = value
                * if metric == Metric::NetworkBytesPerSecond {
                    0.9
                } else {
                    1.0
                };
            Measured {
                id: format!("a {metric}"),
                metric,
                value,
                resource: None,
                ..row.clone()
            }
        };
        loaded.measured = rows.map(measured).to_vec();
        let found = OwnStudy::new("it", std::slice::from_ref(&loaded)).expect("it has an answer");
        let used: Vec<Metric> = found.measured.iter().map(|row| row.metric).collect();
        assert_eq!(used, [rows[0], rows[4]], "two runs");
        let ids: Vec<_> = found.warnings.iter().map(|one| one.id).collect();
        assert_eq!(ids, [LEFT_OUT; 3]);
        loaded.measured = vec![measured(Metric::LatencyMax)];
        let refused = OwnStudy::new("it", &[loaded]).expect_err("nothing is left");
        let said =
            "a latency_max_s is left out: there is no prediction of latency_max_s: only a simulation has it";
        assert_eq!(refused.message, said);
    }

    /// Four measurements of one drive (`examples/calibrate`; `docs/intervals.md` has all nine): each is
    /// predicted from the other three, better and in a narrower interval than before, which has it.
    #[test]
    fn an_unmeasured_load_of_a_measured_drive_is_better_known() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/calibrate/loads.toml");
        let set = ValidationSet::load(&[file], &[], &mut Sources::new()).expect("it is sound");
        let loads: Vec<Loaded> = set.scenarios().iter().step_by(2).take(4).cloned().collect();
        let found = OwnStudy::new("it", &loads).expect("it has an answer");
        assert_eq!(found.left_out.len(), 4);
        let off = |value: f64, point: &LeftOutPoint| libm::log(value / point.measured.value).abs();
        let mean = |of: &dyn Fn(&LeftOutPoint) -> f64| found.left_out.iter().map(of).sum::<f64>() / 4.0;
        for point in &found.left_out {
            assert!(point.after.1.contains(point.measured.value), "{point:?}");
        }
        let [before, after] = [
            mean(&|point| off(point.before.0, point)),
            mean(&|point| off(point.after.0, point)),
        ];
        assert!(after < 0.8 * before, "{before} {after}");
        assert!(mean(&LeftOutPoint::factor) > 1.35, "{:?}", found.left_out);
    }

    /// A measurement of a thousandth of the rate contradicts the others and is far from any prediction; its
    /// effect stays an answer: each value lies within its interval.
    #[test]
    fn a_measurement_of_another_load_is_pointed_out() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let reads = folder.join("7410-barcelona/cached-read.toml");
        let mut loaded = load(&reads, &[], &mut Sources::new()).expect("it is sound");
        let is_rate = |row: &&Measured| row.metric == Metric::NetworkBytesPerSecond;
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

//! Tests of written profiles: a run that includes one knows as much as the calibration that wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bandgraph_diagnostics::Sources;
use bandgraph_model::Scenario;
use bandgraph_scenario::{Loaded, MemoryFiles, load_with};

use super::drawing::tests::shipped_with;
use super::figures::uncertain_figures;
use super::interval::Interval;
use super::learn::OwnMachine;
use super::model_error::ModelErrors;
use super::uncertainty;

/// A file with cases and its topology, of the project.
struct Files {
    scenario: &'static str,
    topology: &'static str,
}

const DRIVE: Files = Files {
    scenario: "examples/calibrate/loads.toml",
    topology: "examples/calibrate/server.toml",
};

const CEPH: Files = Files {
    scenario: "scenarios/modern/ceph-blocks.toml",
    topology: "topologies/modern/r6615-ceph.toml",
};

impl Files {
    /// A case, with a file of this text included.
    #[expect(clippy::disallowed_methods, reason = "these tests change shipped files")]
    fn case(&self, case: &str, profile: &str) -> Loaded {
        let text = |path: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            std::fs::read_to_string(folder.join(path)).expect("it is there")
        };
        let included = "schema = 1\ninclude = [\"mine.toml\"]\n";
        let folder = Path::new(self.scenario).parent().expect("it is in a folder");
        let files = MemoryFiles::new()
            .with(
                self.scenario,
                text(self.scenario).replacen("schema = 1\n", included, 1),
            )
            .with(self.topology, text(self.topology))
            .with(folder.join("mine.toml").display().to_string(), profile);
        let path = format!("{}#{case}", self.scenario);
        load_with(&files, path.as_ref(), &[], &mut Sources::new()).expect("it is sound")
    }

    /// The intervals of operations of an unmeasured case: without measurements, the one that a calibration
    /// with measurements of other cases predicts, the one of a run with the profile that it writes, and the
    /// latter without correlations.
    fn intervals(&self, measured: &[&str], unmeasured: &str, draws: u32) -> [Interval; 4] {
        let cases = measured.iter().chain([&unmeasured]);
        let cases: Vec<Loaded> = cases.map(|case| self.case(case, "")).collect();
        let counts: Vec<bool> = (0..cases.len()).map(|case| case < measured.len()).collect();
        let stated = machine(&cases).interval_of_last(&counts, draws);
        let learned = machine(&cases[..measured.len()]).learn().expect("a machine");
        let scenario = &cases[measured.len()].scenario;
        let profile = learned.profile(&scenario.stack.profile, "it");
        let calibrated = self.case(unmeasured, &profile);
        let mut apart = calibrated.scenario.clone();
        apart.stack.correlations = Arc::default();
        let of = |scenario: &Scenario| {
            uncertainty(scenario, draws)
                .expect("it has an interval")
                .operations
        };
        [of(scenario), stated, of(&calibrated.scenario), of(&apart)]
    }
}

fn machine(cases: &[Loaded]) -> OwnMachine {
    let pairs = cases
        .iter()
        .map(|case| (&case.scenario, case.measured.as_slice()));
    OwnMachine::new(pairs).expect("all have answers")
}

fn width(interval: &Interval) -> f64 {
    libm::log(interval.high / interval.low)
}

/// Reads and writes of a drive, whose own figures are learned, and reads of a cluster, of whose software only
/// sums of figures are. Their correlations matter: without them the interval is wider.
#[test]
fn a_run_with_a_profile_is_as_certain_as_the_calibration() {
    let cases: [(Files, &[&str], &str); 2] = [
        (DRIVE, &["threads-1", "threads-4", "threads-64"], "threads-16"),
        (CEPH, &["ceph-3n", "ceph-3n-r4k", "ceph-32n-r4k"], "ceph-10n-r4k"),
    ];
    for (files, measured, unmeasured) in cases {
        let [before, stated, run, apart] = files.intervals(measured, unmeasured, 2000);
        let all = format!("{unmeasured}: {before:?}, {stated:?}, {run:?}, {apart:?}");
        assert!((width(&run) / width(&stated) - 1.0).abs() < 0.06, "{all}");
        for (end, expected) in [(run.low, stated.low), (run.high, stated.high)] {
            assert!((end / expected - 1.0).abs() < 0.04, "{all}");
        }
        assert!(width(&before) > 1.2 * width(&stated), "{all}");
        assert!(width(&apart) > 1.06 * width(&run), "{all}");
    }
}

/// Measurements that are learned from one after another say the same as all of them at once, except for what
/// is not linear: figures, and the interval of another load. The second profile has all figures of the first.
#[test]
fn calibrations_one_after_another_are_one_of_all() {
    let cases: [(Files, &[&str], &[&str], &str); 2] = [
        (
            DRIVE,
            &["threads-1", "threads-4", "threads-64"],
            &["threads-8", "threads-256"],
            "threads-16",
        ),
        (
            CEPH,
            &["ceph-3n", "ceph-3n-r4k"],
            &["ceph-32n-r4k"],
            "ceph-10n-r4k",
        ),
    ];
    // Ranges that end at a limit, such as the spare share of a drive, are not linear.
    for (files, first, second, other) in cases {
        let after = |cases: &[&str], profile: &str| {
            let cases: Vec<Loaded> = cases.iter().map(|case| files.case(case, profile)).collect();
            let learned = machine(&cases).learn().expect("a machine");
            learned.profile(&cases[0].scenario.stack.profile, "it")
        };
        let before = after(first, "");
        let at_once = files.case(other, &after(&[first, second].concat(), "")).scenario;
        let in_turn = files.case(other, &after(second, &before)).scenario;
        let before = files.case(other, &before).scenario;

        assert_eq!(in_turn.stack.learned_from, at_once.stack.learned_from);
        let [all, found] = [&at_once, &in_turn].map(|scenario| {
            let figures = uncertain_figures(scenario).into_iter();
            figures
                .map(|figure| (figure.path(), figure))
                .collect::<BTreeMap<_, _>>()
        });
        let names = |scenario: &Scenario| -> BTreeSet<String> {
            let rows = scenario.stack.correlations.rows().iter();
            rows.map(|row| row.figure.clone()).collect()
        };
        let kept = names(&in_turn);
        assert!(names(&before).is_subset(&kept), "{kept:?}");
        for path in names(&at_once) {
            let Some((all, found)) = all.get(&path).zip(found.get(&path)) else {
                continue;
            };
            let [width, width_in_turn] = [all, found].map(|figure| {
                // Of a figure that nothing was learned of, the draws are within a part of its range.
                let share = if figure.is_own {
                    1.0
                } else {
                    ModelErrors::KNOWN.ranges
                };
                share * (figure.range[1] - figure.range[0])
            });
            assert!((all.value - found.value).abs() < 0.1 * width, "{all:?} {found:?}");
            assert!((width_in_turn / width - 1.0).abs() < 0.15, "{all:?} {found:?}");
        }
        let of = |scenario: &Scenario| {
            let found = uncertainty(scenario, 1000).expect("it has an interval");
            found.operations
        };
        let [all, found] = [&at_once, &in_turn].map(of);
        for (all, found) in [(all.low, found.low), (all.high, found.high)] {
            assert!((found / all - 1.0).abs() < 0.04, "{all} {found}");
        }
    }
}

/// Correlations of figures that a scenario does not have, or knows, change nothing to the last bit.
#[test]
fn correlations_without_their_figures_change_nothing() {
    let of = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let scenario = shipped_with("7410-barcelona/cached-read.toml", &sets);
        uncertainty(&scenario, 40).expect("it has an interval")
    };
    let known = "stack.misses_per_byte=0.06";
    let correlations = "stack.correlation=[{ figure = \"part.xeon-8160.base_cpi\", with = [] }, \
                        { figure = \"stack.misses_per_byte\", with = [0.9] }]";
    assert_eq!(of(&[known, correlations]), of(&[known]));
    assert_ne!(of(&[correlations]), of(&[]));
}

//! Fits to measurements that a model with known figures has made: the figures come back, what only shows in a
//! sum is said to, and bounds are kept.

use std::fmt::Write as _;

use bandgraph_diagnostics::{Sources, render};
use bandgraph_scenario::{CalibrationFile, MemoryFiles, load_calibration_with, load_with};
use bandgraph_solve::{bind, predict};
use bandgraph_study::{AtBound, Calibration, Fit, metric_value};
use bandgraph_testkit::TWO_SOCKET_SERVER;

/// The figures that the measurements are made with.
const TRUTH: [(&str, f64); 2] = [("misses_per_byte", 0.085), ("misses_per_operation", 900.0)];

/// A scenario of reads of one size by as many threads as can be used, without measurements.
fn scenario(system: &str, io_size: &str, stack: &str) -> String {
    format!(
        "schema = 1\nname = \"{system} {io_size}\"\nsystem = \"{system}\"\ntopology = \"server.toml\"\n[stack]\n{stack}\n\
         [[clients]]\nid = \"c\"\ncount = 20\nnics = {{ rate = \"10 Gbit/s\" }}\n[[workload]]\nid = \"w\"\nclients = \"c\"\n\
         mix = \"read\"\nio_size = \"{io_size}\"\nworking_set = \"10 GiB\"\nthreads_per_client = 20\n"
    )
}

/// The same with what a machine with the true figures would have been measured to do.
fn measured(system: &str, io_size: &str, stack: &str) -> String {
    let mut truth = stack.to_owned();
    for (field, value) in TRUTH.into_iter().filter(|(field, _)| !stack.contains(field)) {
        let _ = writeln!(truth, "{field} = {value}");
    }
    let files = files().with("truth.toml", scenario(system, io_size, &truth));
    let loaded = load_with(&files, "truth.toml".as_ref(), &[], &mut Sources::new()).expect("it loads");
    let outcome = predict(&bind(&loaded.scenario).expect("it binds")).expect("a steady state");
    let mut text = scenario(system, io_size, stack);
    for (metric, unit) in [("ops_per_s", " ops/s"), ("cpi", ""), ("cpu_busy", "")] {
        let of = bandgraph_scenario::Metric::from_name(metric).expect("a metric");
        let value = metric_value(of, &outcome).expect("a prediction tells it");
        let value = match metric {
            "cpi" => format!("{value}"),
            "cpu_busy" => format!("\"{} %\"", value * 100.0),
            _ => format!("\"{value}{unit}\""),
        };
        let _ = write!(
            text,
            "[[measured]]\nid = \"{metric}-{}\"\nmetric = \"{metric}\"\nvalue = {value}\nsource = \"the model\"\n",
            io_size.replace(' ', "-")
        );
    }
    text
}

fn files() -> MemoryFiles {
    MemoryFiles::new().with("server.toml", TWO_SOCKET_SERVER)
}

fn parameter(path: &str, low: f64, high: f64) -> String {
    format!("[[parameter]]\npath = \"{path}\"\nlow = {low:?}\nhigh = {high:?}\nsource = \"a test\"\n")
}

/// Everything that a fit needs: two sizes of reads on one system, a third on another.
fn calibration(parameters: &str, stack: &str) -> (MemoryFiles, CalibrationFile) {
    let text = format!(
        "schema = 1\nname = \"known\"\n{parameters}[[data]]\nscenario = \"large.toml\"\n[[data]]\nscenario = \"small.toml\"\n\
         [[data]]\nscenario = \"other.toml\"\n"
    );
    let files = files()
        .with("large.toml", measured("one", "1 MiB", stack))
        .with("small.toml", measured("one", "4 KiB", stack))
        .with("other.toml", measured("two", "32 KiB", stack))
        .with("fit.toml", text);
    let mut sources = Sources::new();
    match load_calibration_with(&files, "fit.toml".as_ref(), &mut sources) {
        Ok(file) => (files, file),
        Err(problems) => unreachable!("{}", render::full(&problems, &sources, false)),
    }
}

fn fit(files: &MemoryFiles, file: &CalibrationFile, system: &str) -> Fit {
    let calibration = Calibration::with_files(files, file, &mut Sources::new()).expect("it can be done");
    calibration.fit(&|one| one == system).expect("there is an answer")
}

#[test]
fn known_figures_come_back_and_predict_what_was_not_seen() {
    let parameters = parameter("stack.misses_per_byte", 0.02, 0.2)
        + &parameter("stack.misses_per_operation", 100.0, 3000.0);
    let (files, file) = calibration(&parameters, "");
    let fit = fit(&files, &file, "one");
    assert_eq!(fit.fitted_to, ["one"]);
    for (found, (field, truth)) in fit.parameters.iter().zip(TRUTH) {
        assert!(
            (found.value / truth - 1.0).abs() < 0.01,
            "{field}: {} for {truth}",
            found.value
        );
        assert_eq!(found.at_bound, None);
        let (low, high) = found.interval.expect("more points than parameters");
        assert!(
            low - 0.01 * truth <= truth && truth <= high + 0.01 * truth,
            "{field}: {low} to {high}"
        );
    }
    assert!(fit.certainty.undetermined.is_empty(), "{:?}", fit.certainty);
    let (seen, unseen): (Vec<_>, Vec<_>) = fit.points.iter().partition(|point| point.seen);
    assert_eq!((seen.len(), unseen.len()), (6, 3));
    for point in &fit.points {
        assert!(
            point.deviation_after.abs() < 0.005,
            "{}: {}",
            point.point.id,
            point.deviation_after
        );
    }
    assert!(
        unseen.iter().any(|point| point.deviation_before.abs() > 0.02),
        "the start was elsewhere"
    );
}

#[test]
fn what_shows_only_as_a_sum_is_said_to() {
    // Without zero-copy, instructions of a byte and of its copy are the same.
    let parameters = parameter("stack.instructions_per_byte", 0.5, 3.0)
        + &parameter("stack.copy_instructions_per_byte", 0.0, 2.0);
    // All else is known, so that the fit ends within the bounds.
    let stack = "zero_copy = false\ncopy_instructions_per_byte = 1.0\nmisses_per_byte = 0.085\n\
                 misses_per_operation = 900.0\n";
    let (files, file) = calibration(&parameters, stack);
    let fit = fit(&files, &file, "one");
    let numbers: Vec<Vec<usize>> = fit
        .certainty
        .undetermined
        .iter()
        .map(|found| {
            let mut numbers: Vec<usize> = found.parts.iter().map(|(number, _)| *number).collect();
            numbers.sort_unstable();
            numbers
        })
        .collect();
    // At the edge of what the numbers can tell, the two may also be said to be correlated wholly.
    let correlated = fit.certainty.correlated.iter();
    let mut wholly = correlated.filter(|pair| pair.correlation < -0.999_999);
    let as_correlated = numbers.is_empty() && wholly.any(|pair| (pair.first, pair.second) == (0, 1));
    assert!(as_correlated || numbers == [[0, 1]], "{:?}", fit.certainty);
}

#[test]
fn bounds_are_kept_where_the_truth_lies_beyond() {
    let parameters = parameter("stack.misses_per_byte", 0.02, 0.07);
    let (files, file) = calibration(&parameters, "");
    let fit = fit(&files, &file, "one");
    assert_eq!(fit.parameters[0].at_bound, Some(AtBound::High));
    assert!(fit.parameters[0].value <= 0.07);
    assert_eq!(fit.parameters[0].interval, None);
}

#[test]
fn each_system_is_left_out_in_turn_and_threads_do_not_show() {
    let parameters = parameter("stack.misses_per_byte", 0.02, 0.2);
    let (files, file) = calibration(&parameters, "");
    let done = || {
        let calibration =
            Calibration::with_files(&files, &file, &mut Sources::new()).expect("it can be done");
        assert_eq!(calibration.systems(), ["one", "two"]);
        calibration.leave_one_out(&|_, _| {}).expect("there are answers")
    };
    let alone = rayon_pool(1).install(done);
    let together = rayon_pool(3).install(done);
    assert_eq!(alone, together);
    for (left_out, fit) in &alone {
        assert!(
            fit.points
                .iter()
                .all(|point| point.seen != (point.point.system == *left_out))
        );
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads")
}

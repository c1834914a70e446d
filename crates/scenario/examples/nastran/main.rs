//! Fits the jobs of the Nastran suite to two columns of the published table, and predicts the other three.
//!
//! ```text
//! cargo run --release -p bandgraph-scenario --example nastran            # the table of all, in Markdown
//! cargo run --release -p bandgraph-scenario --example nastran -- jobs    # the jobs, as scenarios have them
//! ```
//!
//! Every test has its own figures: computing, and data of a process; where it ran on several numbers of cores, also the
//! re-use distance, the memory of a process, and what of the computing more cores shorten. They are fitted to the slowest
//! and the fastest column (one disk with 24 GB, SSDs with 48 GB) by the downhill simplex of Nelder and Mead (1965), on the
//! squares of the logarithms of predicted over measured. Nothing else is fitted.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use bandgraph_diagnostics::{Sources, render};
use bandgraph_model::Scenario;
use bandgraph_scenario::load;
use bandgraph_solve::{bind, predict};
use bandgraph_units::{Bytes, Time};
use bandgraph_workload::ComputeTimes;

type Failure = Box<dyn std::error::Error>;

/// The published table: test, cores, and a time for each column.
const MEASURED: &str = include_str!("measured.csv");
const COLUMNS: [&str; 5] = ["hdd2_48gb", "hdd2_24gb", "hdd1_24gb", "ssd2_48gb", "ssd2_24gb"];
/// The columns that jobs are fitted to.
const FITTED: [usize; 2] = [2, 3];
const GB: f64 = 1e9;
const GIB: f64 = 1_073_741_824.0;
/// The most memory of a process with which eight of them fit 24 GB.
const MEMORY_MOST: f64 = 2.8;
const STEPS: usize = 300;

fn main() -> ExitCode {
    match run(std::env::args().nth(1).as_deref() == Some("jobs")) {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        },
        Err(failure) => {
            // There is nowhere left to report a failure to write this.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(2)
        }
    }
}

fn run(jobs: bool) -> Result<String, Failure> {
    let columns = COLUMNS.map(scenario).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut text = String::new();
    if !jobs {
        writeln!(text, "| test | cores | {} |", COLUMNS.join(" | "))?;
        writeln!(text, "|---|---|---|---|---|---|---|")?;
    }
    let mut errors = Vec::new();
    for test in tests()? {
        let job = fit(&test, &columns);
        if jobs {
            writeln!(text, "{}: {}", test.name, job.line())?;
            continue;
        }
        for (cores, measured) in &test.rows {
            write!(text, "| {} | {cores} |", test.name)?;
            for (column, &measured) in measured.iter().enumerate() {
                let predicted = job
                    .elapsed(*cores, &columns[column])
                    .ok_or("a job that cannot be")?;
                let error = predicted / measured - 1.0;
                let error_text = format!("{:+.0} %", error * 100.0);
                if FITTED.contains(&column) {
                    write!(text, " {measured} ({predicted:.0}) |")?;
                } else {
                    errors.push(error.abs());
                    write!(text, " {measured}: {predicted:.0}, {error_text} |")?;
                }
            }
            writeln!(text)?;
        }
    }
    if !jobs {
        errors.sort_by(f64::total_cmp);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        writeln!(
            text,
            "\n{} times predicted: off by {:.1} % in the median, {:.1} % on average, {:.0} % at most; {} within 10 %.",
            errors.len(),
            errors[errors.len() / 2] * 100.0,
            mean * 100.0,
            errors[errors.len() - 1] * 100.0,
            errors.iter().filter(|&&error| error <= 0.1).count(),
        )?;
    }
    Ok(text)
}

/// A test with its times, by cores and column.
struct Test {
    name: String,
    rows: Vec<(u32, Vec<f64>)>,
}

fn tests() -> Result<Vec<Test>, Failure> {
    let mut tests: Vec<Test> = Vec::new();
    let lines = MEASURED.lines().filter(|line| !line.starts_with('#')).skip(1);
    for line in lines {
        let mut words = line.split(',');
        let name = words.next().ok_or("a line without a test")?;
        let cores = words.next().ok_or("a line without cores")?.parse()?;
        let times: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>()?;
        match tests.last_mut().filter(|test| test.name == name) {
            Some(test) => test.rows.push((cores, times)),
            None => tests.push(Test {
                name: name.to_owned(),
                rows: vec![(cores, times)],
            }),
        }
    }
    Ok(tests)
}

/// The scenario of a column, whose job is anything.
fn scenario(column: &str) -> Result<Scenario, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let name = column.replace('_', "-");
    let path = root.join(format!("scenarios/x2270-nastran-xxocmd2-{name}.toml"));
    let mut sources = Sources::new();
    load(&path, &[], &mut sources)
        .map(|loaded| loaded.scenario)
        .map_err(|problems| render::full(&problems, &sources, false).into())
}

/// The figures of a job.
#[derive(Clone, Copy)]
struct Figures {
    serial: f64,
    parallel: f64,
    /// Data of a process, in GB.
    data: f64,
    /// Mean re-use distance within it, in GB.
    distance: f64,
    /// Memory of a process, in GiB.
    memory: f64,
}

impl Figures {
    /// From the logarithms that are fitted: two, or five.
    fn of(point: &[f64]) -> Self {
        let at = |index: usize| point[index].exp();
        if point.len() == 2 {
            return Self {
                serial: at(0),
                parallel: 0.0,
                data: at(1),
                // Half is written and read again, on average half of the way behind: assumptions.
                distance: at(1) / 2.0,
                memory: 1.0,
            };
        }
        Self {
            serial: at(0),
            data: at(1),
            parallel: at(2),
            distance: at(3),
            memory: at(4),
        }
    }

    fn elapsed(&self, cores: u32, column: &Scenario) -> Option<f64> {
        let sound = self.memory <= MEMORY_MOST && (0.01..=400.0).contains(&self.data);
        if !sound || !(0.01..=1000.0).contains(&self.distance) {
            return None;
        }
        let mut scenario = column.clone();
        let job = scenario.workloads[0].job.as_mut()?;
        job.cores = cores;
        job.compute = ComputeTimes::Amdahl {
            serial: Time::new(self.serial),
            parallel: Time::new(self.parallel),
        };
        job.data = Bytes::new((self.data * GB).round());
        job.memory = Bytes::new((self.memory * GIB).round());
        job.reuse.reuse_distance = Some(Bytes::new((self.distance * GB).round()));
        scenario.workloads[0].threads_per_client = cores;
        let outcome = predict(&bind(&scenario).ok()?).ok()?;
        Some(outcome.elapsed?.get())
    }

    /// As a scenario has them.
    fn line(&self) -> String {
        format!(
            "compute = \"{:.0} s + {:.0} s / cores\", data = \"{:.3} GB\", reuse_distance = \"{:.3} GB\", memory = \"{:.0} MiB\"",
            self.serial,
            self.parallel,
            self.data,
            self.distance,
            self.memory * 1024.0
        )
    }
}

/// The figures with which the fitted columns come out best.
fn fit(test: &Test, columns: &[Scenario]) -> Figures {
    let fastest = |row: &(u32, Vec<f64>)| FITTED.iter().map(|&at| row.1[at]).fold(f64::INFINITY, f64::min);
    let alone = fastest(&test.rows[0]);
    let misfit = |point: &[f64]| {
        let figures = Figures::of(point);
        let mut sum = 0.0;
        for (cores, measured) in &test.rows {
            for &column in &FITTED {
                let Some(elapsed) = figures.elapsed(*cores, &columns[column]) else {
                    return f64::INFINITY;
                };
                sum += (elapsed / measured[column]).ln().powi(2);
            }
        }
        sum
    };
    let several = test.rows.len() > 1;
    let starts = [2.0_f64, 10.0, 40.0].map(|data| {
        if several {
            vec![
                (0.25 * alone).ln(),
                data.ln(),
                (0.7 * alone).ln(),
                (data / 2.0).ln(),
                0.0,
            ]
        } else {
            vec![alone.ln(), data.ln()]
        }
    });
    let found = starts.map(|start| descend(&misfit, &start));
    let best = found.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(
        || Figures::of(&[alone.ln(), 0.0]),
        |(_, point)| Figures::of(&point),
    )
}

/// Downhill simplex: the least value found from a start, and its point.
fn descend(of: &dyn Fn(&[f64]) -> f64, start: &[f64]) -> (f64, Vec<f64>) {
    let size = start.len();
    let mut corners = vec![start.to_vec()];
    corners.extend((0..size).map(|axis| {
        let mut corner = start.to_vec();
        // Computing is known well by itself, data is not.
        corner[axis] += if axis == 0 || axis == 2 { 0.1 } else { 0.7 };
        corner
    }));
    let mut simplex: Vec<(f64, Vec<f64>)> = corners.into_iter().map(|corner| (of(&corner), corner)).collect();
    for _ in 0..STEPS {
        simplex.sort_by(|a, b| a.0.total_cmp(&b.0));
        let worst = simplex[size].clone();
        let centre: Vec<f64> = (0..size)
            .map(|axis| simplex[..size].iter().map(|corner| corner.1[axis]).sum::<f64>() / size as f64)
            .collect();
        let towards = |step: f64| {
            let point: Vec<f64> = centre
                .iter()
                .zip(&worst.1)
                .map(|(c, w)| c + step * (c - w))
                .collect();
            (of(&point), point)
        };
        let reflected = towards(1.0);
        if reflected.0 < simplex[0].0 {
            let expanded = towards(2.0);
            simplex[size] = if expanded.0 < reflected.0 {
                expanded
            } else {
                reflected
            };
        } else if reflected.0 < simplex[size - 1].0 {
            simplex[size] = reflected;
        } else {
            let inside = towards(-0.5);
            if inside.0 < worst.0 {
                simplex[size] = inside;
            } else {
                let best = simplex[0].1.clone();
                for corner in &mut simplex[1..] {
                    let point: Vec<f64> = best
                        .iter()
                        .zip(&corner.1)
                        .map(|(b, c)| b + 0.5 * (c - b))
                        .collect();
                    *corner = (of(&point), point);
                }
            }
        }
    }
    simplex.sort_by(|a, b| a.0.total_cmp(&b.0));
    simplex.swap_remove(0)
}

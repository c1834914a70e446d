//! `bandgraph validate`.

use std::path::{Path, PathBuf};

use bandgraph_report::{
    ValidateDocument, ValidateReport, ValidateScenarioDocument, validate_csv, validate_view,
};
use bandgraph_study::{Method, ValidationSet, add_intervals};
use clap::Args;

use crate::arguments::{ResultArguments, SetArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::{Bar, COUNT};
use crate::terminal::Terminal;

/// The folder that is compared where none is named.
const SHIPPED: &str = "scenarios";

/// Draws of the figures of each scenario.
const INTERVAL_DRAWS: u32 = 200;

/// Compare predictions with everything that was measured on real machines
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph validate
  bandgraph validate scenarios/sas-grid scenarios/x2270 --format markdown
  bandgraph validate scenarios/7410-istanbul/cached-read.toml --simulate

Points are [[measured]] entries, links [[measured_link]] entries; [bottleneck] is what the source names.
Exits with 1 where a point is outside its tolerance, or a bottleneck is not the one that the source names.")]
pub(crate) struct Arguments {
    /// Folders of scenarios, or scenarios
    #[arg(value_name = "DIR", default_value = SHIPPED)]
    paths: Vec<PathBuf>,
    /// Simulate every scenario, event by event, instead of predicting the steady state
    #[arg(long)]
    simulate: bool,
    /// Also show the 90 % interval of each point, and how many points are within theirs; takes a minute
    #[arg(long)]
    intervals: bool,
    #[command(flatten)]
    sets: SetArguments,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Answers the scenarios and writes the comparison.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let report = self.report(terminal)?;
        let document = ValidateDocument::new(&report);
        let view = validate_view(&document);
        self.result
            .write_with_table(&document, &view, || validate_csv(&document))?;
        Ok(Exit::of_gates(report.validation.holds()))
    }

    fn report(&self, terminal: Terminal) -> Result<ValidateReport, Failure> {
        if self.paths == [Path::new(SHIPPED)] && !self.paths[0].is_dir() {
            return Err(Failure::usage(format!("there is no folder `{SHIPPED}` here")).help(
                "it comes with the source of Bandgraph: run from a checkout, or name a scenario or a folder \
                 of your own with `[[measured]]` entries",
            ));
        }
        let (set, sources) = terminal.read(|files, sources| {
            ValidationSet::load_with(files, &self.paths, self.sets.as_slice(), sources)
        })?;
        terminal.warn(&set.warnings, &sources);
        if set.scenarios().is_empty() {
            let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
            return Err(Failure::usage(format!(
                "no scenario in {} says what was measured",
                paths.join(", ")
            ))
            .help("name a folder of scenarios with `[[measured]]` entries"));
        }
        let method = if self.simulate {
            Method::Simulate
        } else {
            Method::Predict
        };
        let progress = Bar::new(terminal, "validating", COUNT);
        let mut validation = set.validate(method, &|done, total| progress.show(done as u64, total as u64))?;
        drop(progress);
        let working = Bar::of_work(terminal, "varying uncertain figures");
        let model_errors = self
            .intervals
            .then(|| add_intervals(&mut [(&set, &mut validation.points)], INTERVAL_DRAWS));
        drop(working);
        Ok(ValidateReport {
            method,
            files: self.paths.iter().map(|path| path.display().to_string()).collect(),
            overrides: self.sets.as_slice().to_vec(),
            scenarios: set
                .scenarios()
                .iter()
                .map(ValidateScenarioDocument::new)
                .collect(),
            validation,
            model_errors,
        })
    }
}

//! `bandgraph calibrate`.

use std::path::PathBuf;

use bandgraph_diagnostics::Sources;
use bandgraph_report::{CalibrateDocument, CalibrateReport, LearnedDocument, calibrate_view, learned_view};
use bandgraph_scenario::{CalibrationFile, load_calibration_with, load_with_measured};
use bandgraph_study::{CalibrateError, Calibration, OwnStudy, ValidationSet};
use clap::{Args, ValueEnum};

use crate::arguments::ResultArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::{Bar, COUNT};
use crate::terminal::Terminal;
use crate::terminal::write_whole;

/// Fit figures of the model to measurements, within bounds, and report which of them the data identify
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml \\
      --fit-on sun-7410-barcelona
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml \\
      --leave-one-out system
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml \\
      --profile fitted.toml
  bandgraph calibrate my-server.toml --own --measured fio.json \\
      --profile mine.toml

A scenario takes a fitted profile by `include = [\"fitted.toml\"]`.")]
pub(crate) struct Arguments {
    /// The calibration file: parameters with their bounds, and data
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Fit to the measurements of this system only, and predict the others; repeatable
    #[arg(long = "fit-on", value_name = "SYSTEM")]
    fit_on: Vec<String>,
    /// Also cross-validate: leave each system out once, and predict it from the others
    #[arg(long, value_enum)]
    leave_one_out: Option<LeftOut>,
    /// FILE is a scenario of your own machine, or a folder of such scenarios: adjust the figures of the model
    /// to its measurements
    #[arg(long, conflicts_with_all = ["fit_on", "leave_one_out"])]
    own: bool,
    /// Measurements under the load of the scenario, in addition to its `[[measured]]` entries: the JSON of
    /// fio, or a table with the columns `metric` and `value`; repeatable
    #[arg(long, value_name = "FILE", requires = "own")]
    measured: Vec<PathBuf>,
    /// Write the fitted figures to FILE, as a stack profile that scenarios can include
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    #[command(flatten)]
    result: ResultArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LeftOut {
    /// All measurements of one system
    System,
}

impl Arguments {
    /// Fits and writes the report, and the profile if it is asked for.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        if self.own {
            return self.learn(terminal);
        }
        let (file, sources) =
            terminal.read(|files, sources| load_calibration_with(files, &self.path, sources))?;
        terminal.warn(&file.warnings, &sources);
        let document = CalibrateDocument::new(&self.fitted(&file, terminal, sources)?);
        self.result.write(&document, &calibrate_view(&document))?;
        Ok(Exit::Fine)
    }

    /// Finds what the measurements of a machine say of its figures.
    fn learn(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let ((loads, mut warnings), sources) = terminal.read(|files, sources| {
            if self.measured.is_empty() {
                let set = ValidationSet::load_with(files, std::slice::from_ref(&self.path), &[], sources)?;
                return Ok((set.scenarios().to_vec(), set.warnings));
            }
            let loaded = load_with_measured(files, &self.path, &self.measured, sources)?;
            let warnings = loaded.warnings.clone();
            Ok((vec![loaded], warnings))
        })?;
        let name = self.path.display().to_string();
        let working = Bar::of_work(terminal, "fitting");
        let found = match OwnStudy::new(&name, &loads) {
            Ok(found) => found,
            Err(refused) => {
                let diagnostics = vec![*refused];
                return Err(Failure::Input { diagnostics, sources });
            }
        };
        drop(working);
        warnings.extend_from_slice(&found.warnings);
        terminal.warn(&warnings, &sources);
        self.write_profile(|| found.learned.profile(&found.stack, &name))?;
        let document = LearnedDocument::new(&name, &found);
        self.result.write(&document, &learned_view(&document))?;
        Ok(Exit::Fine)
    }

    /// Fits as asked for.
    fn fitted(
        &self,
        file: &CalibrationFile,
        terminal: Terminal,
        mut sources: Sources,
    ) -> Result<CalibrateReport, Failure> {
        let calibration = match Calibration::with_files(terminal.files(), file, &mut sources) {
            Ok(calibration) => calibration,
            Err(diagnostics) => return Err(Failure::Input { diagnostics, sources }),
        };
        let unfitted = |error: CalibrateError| Failure::usage(error.to_string()).help_if(error.help());
        let working = Bar::of_work(terminal, "fitting");
        let fit = calibration.fit_to(&self.fit_on).map_err(unfitted)?;
        drop(working);
        let mut left_out = Vec::new();
        if self.leave_one_out.is_some() {
            let progress = Bar::new(terminal, "fitting without a system", COUNT);
            let show = |done, total| progress.show(done as u64, total as u64);
            left_out = calibration.leave_one_out(&show).map_err(unfitted)?;
        }
        self.write_profile(|| fit.profile(file))?;
        Ok(CalibrateReport::new(file, fit, left_out))
    }

    fn write_profile(&self, text: impl FnOnce() -> String) -> Result<(), Failure> {
        match &self.profile {
            Some(path) => write_whole(path, text().as_bytes()),
            None => Ok(()),
        }
    }
}

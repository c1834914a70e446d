//! `bandgraph calibrate`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Place, Sources};
use bandgraph_report::{CalibrateReport, Page, calibrate_document, calibrate_view, learned_view};
use bandgraph_scenario::{CalibrationFile, Loaded, load_calibration_with, load_with, own_points};
use bandgraph_study::{CalibrateError, Calibration, OwnMachine, ValidationSet};
use clap::{Args, ValueEnum};

use crate::arguments::{ResultArguments, ResultFormat};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;
use crate::terminal::write_whole;

/// Draws of the figures for a measurement that is left out.
const OWN_DRAWS: u32 = 200;

/// Fit figures of the model to measurements, within bounds, and report which of them the data identify
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml --fit-on sun-7410-barcelona
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml --leave-one-out system
  bandgraph calibrate scenarios/calibrations/fishworks-2009.toml --profile fitted.toml
  bandgraph calibrate my-server.toml --own --measured fio.json --profile mine.toml

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
    /// FILE is a scenario of a machine of your own, or a folder of them: find what its measurements say of
    /// the figures of the model
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
        let report = calibrated(
            &file,
            &self.fit_on,
            self.leave_one_out.is_some(),
            terminal,
            sources,
        )?;
        if let Some(path) = &self.profile {
            let text = report.fit.profile(&file);
            write_whole(path, text.as_bytes())?;
        }
        let document = calibrate_document(&report);
        self.result.write(&document, &calibrate_view(&document))?;
        Ok(Exit::Fine)
    }
}

impl Arguments {
    /// Finds what the measurements of a machine say of its figures.
    fn learn(&self, terminal: Terminal) -> Result<Exit, Failure> {
        if matches!(self.result.format, ResultFormat::Json | ResultFormat::Csv) {
            let help = "take `text`, `markdown` or `html`; `--profile FILE` writes the figures";
            return Err(Failure::usage("what `--own` finds has no such format").help(help));
        }
        let loads = self.own_loads(terminal)?;
        let pairs = loads
            .iter()
            .map(|loaded| (&loaded.scenario, loaded.measured.as_slice()));
        let unpredicted = || {
            Failure::usage("a measurement has no prediction")
                .help("measure rates and mean latencies; `bandgraph run --predict` says what is predicted")
        };
        let own = OwnMachine::new(pairs).ok_or_else(unpredicted)?;
        if own.points() == 0 {
            return Err(
                Failure::usage(format!("{} has no measurements", self.path.display()))
                    .help("give `[[measured]]` entries, or `--measured FILE`"),
            );
        }
        let working = Bar::of_work(terminal, "fitting");
        let learned = own.learn().ok_or_else(unpredicted)?;
        let left_out = if own.points() > 1 {
            own.leave_one_out(OWN_DRAWS).ok_or_else(unpredicted)?
        } else {
            Vec::new()
        };
        drop(working);
        let stack = loads
            .first()
            .map_or("", |loaded| loaded.scenario.stack.name.as_str());
        if let Some(path) = &self.profile {
            let text = learned.profile(stack, &self.path.display().to_string());
            write_whole(path, text.as_bytes())?;
        }
        let name = self.path.display().to_string();
        let view = learned_view(&name, &learned, &left_out);
        let output = &self.result.output;
        output.write(&match self.result.format {
            ResultFormat::Markdown => view.markdown(2),
            ResultFormat::Html => view.html(&Page::default()),
            _ => view.text(&output.text_options()),
        })?;
        Ok(Exit::Fine)
    }

    /// The scenarios with their measurements, and those of other files.
    fn own_loads(&self, terminal: Terminal) -> Result<Vec<Loaded>, Failure> {
        if self.measured.is_empty() {
            let (set, _) =
                terminal.read(|files, sources| ValidationSet::load_with(files, &self.path, &[], sources))?;
            return Ok(set.scenarios().to_vec());
        }
        let (mut loaded, mut sources) =
            terminal.read(|files, sources| load_with(files, &self.path, &[], sources))?;
        for path in &self.measured {
            let name = path.display().to_string();
            let bytes = terminal.files().read(path);
            let bytes = bytes.map_err(|error| Failure::usage(format!("{name} cannot be read: {error:?}")))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let place = Place::new(sources.add(&name, text.clone()), 0..0);
            loaded
                .measured
                .extend(own_points(&name, &text, &place).map_err(Failure::usage)?);
        }
        Ok(vec![loaded])
    }
}

/// Fits as asked for.
fn calibrated(
    file: &CalibrationFile,
    fit_on: &[String],
    leave_one_out: bool,
    terminal: Terminal,
    mut sources: Sources,
) -> Result<CalibrateReport, Failure> {
    let calibration = match Calibration::with_files(terminal.files(), file, &mut sources) {
        Ok(calibration) => calibration,
        Err(diagnostics) => return Err(Failure::Input { diagnostics, sources }),
    };
    let systems = calibration.systems();
    if let Some(unknown) = fit_on.iter().find(|system| !systems.contains(&system.as_str())) {
        return Err(
            Failure::usage(format!("no measurement of the calibration is of `{unknown}`")).help(format!(
                "there is {}",
                bandgraph_diagnostics::one_of(systems.iter().copied())
            )),
        );
    }
    let unfitted = |error: CalibrateError| Failure::usage(error.to_string());
    let train = |system: &str| fit_on.is_empty() || fit_on.iter().any(|one| one == system);
    let working = Bar::of_work(terminal, "fitting");
    let fit = calibration.fit(&train).map_err(unfitted)?;
    drop(working);
    let progress = Bar::of_count(terminal, "fitting without a system");
    let left_out = if leave_one_out {
        calibration
            .leave_one_out(&|done, total| progress.show(done as u64, total as u64))
            .map_err(unfitted)?
    } else {
        Vec::new()
    };
    drop(progress);
    let report = CalibrateReport {
        name: file.name.clone(),
        description: file.description.clone(),
        fit,
        left_out,
    };
    Ok(report)
}

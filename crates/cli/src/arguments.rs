//! Arguments that several commands share.

use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_report::{NARROWEST, Page, TextOptions, View, check, warnings_of_files};
use bandgraph_scenario::{Loaded, Metric, load_imported, workload_names};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::complete;
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::terminal::write_whole;

/// Draws of figures that variants have in common, to say how sure a gain is.
pub(crate) const GAIN_DRAWS: u32 = 200;

/// The widest page that can be asked for.
const WIDEST: u64 = 1000;

/// Where the result goes, and what its text looks like.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Write the result to FILE instead of stdout, completely or not at all
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Columns of the page that text is laid out for [default: `COLUMNS`, or those of the terminal, or 80]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u64).range(NARROWEST as u64..=WIDEST))]
    width: Option<u64>,
    /// Keep bars in text to ASCII characters
    #[arg(long)]
    ascii: bool,
}

impl OutputArguments {
    /// How text is to be laid out. A file gets no colours.
    pub(crate) fn text_options(&self) -> TextOptions {
        TextOptions {
            width: match self.width {
                Some(columns) => columns as usize,
                None if self.output.is_some() => TextOptions::default().width,
                None => Terminal::width(),
            },
            colour: self.output.is_none() && Terminal::colour(),
            ascii: self.ascii,
        }
    }

    /// The file that the result goes to; stdout without one.
    pub(crate) fn path(&self) -> Option<&std::path::Path> {
        self.output.as_deref()
    }

    /// Writes a result, of which `view` is what people read.
    ///
    /// # Errors
    ///
    /// [`Failure::Internal`] if one of its numbers is not finite, and as [`OutputArguments::write`].
    pub(crate) fn write_result(
        &self,
        format: ResultFormat,
        document: &impl Serialize,
        view: &View,
    ) -> Result<(), Failure> {
        let document = check(document)?;
        self.write(&match format {
            ResultFormat::Text => view.text(&self.text_options()),
            ResultFormat::Json => document.json(),
            ResultFormat::Csv => document.csv(),
            ResultFormat::Markdown => view.markdown(2),
            ResultFormat::Html => view.html(&Page::of(&document)),
        })
    }

    /// Writes the result to where it is to go.
    ///
    /// # Errors
    ///
    /// [`Failure::Output`].
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        match &self.output {
            None => Terminal::result(text),
            Some(path) => write_whole(path, text.as_bytes()),
        }
    }
}

/// Overrides of what files say.
#[derive(Clone, Debug, Args)]
pub(crate) struct SetArguments {
    /// Override a field of the scenario or of its topology; repeatable, the last one wins
    ///
    /// PATH is a table, the id of one of its entries where it has several, and a field:
    /// card.nic0.slot=s5, link.cpu0-cpu1.part=ht3-x16, socket.cpu0.clock="2.6 GHz", run.seed=7
    #[arg(long = "set", value_name = "PATH=VALUE", add = complete::sets())]
    sets: Vec<String>,
}

impl SetArguments {
    /// The overrides, in the order given.
    pub(crate) fn as_slice(&self) -> &[String] {
        &self.sets
    }
}

/// A scenario file, or a server that is imported, with overrides.
#[derive(Debug, Args)]
pub(crate) struct ScenarioArguments {
    /// The scenario file [default: the one of the current folder, if it has one]
    #[arg(value_name = "SCENARIO", conflicts_with = "from", add = complete::settings_files())]
    path: Option<PathBuf>,
    #[command(flatten)]
    from: FromArguments,
    #[command(flatten)]
    sets: SetArguments,
}

impl ScenarioArguments {
    /// Reads the scenario, with overrides after those of the command line, and notes what is doubtful about
    /// it, except what the report of a run says.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`], and as [`Terminal::scenario_path`].
    pub(crate) fn load(&self, more: &[String], terminal: Terminal) -> Result<Loaded, Failure> {
        let sets = [self.sets.as_slice(), more].concat();
        if self.from.is_given() {
            return self.from.load(&sets, terminal);
        }
        terminal.scenario(&terminal.scenario_path(self.path.as_deref())?, &sets)
    }
}

/// How and where to write a result.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ResultArguments {
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ResultFormat,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

impl ResultArguments {
    /// The warnings about files that the result carries: text is beside the messages of the command, which
    /// say them with their places.
    pub(crate) fn warnings_of_files(&self, warnings: &[Diagnostic]) -> Vec<String> {
        match self.format {
            ResultFormat::Text => Vec::new(),
            _ => warnings_of_files(warnings),
        }
    }

    /// Writes a result, of which `view` is what people read.
    ///
    /// # Errors
    ///
    /// As [`OutputArguments::write_result`].
    pub(crate) fn write(&self, document: &impl Serialize, view: &View) -> Result<(), Failure> {
        self.output.write_result(self.format, document, view)
    }

    /// The same, with a table of its own as CSV.
    pub(crate) fn write_with_table(
        &self,
        document: &impl Serialize,
        view: &View,
        table: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.format != ResultFormat::Csv {
            return self.write(document, view);
        }
        check(document)?;
        self.output.write(&table())
    }
}

/// A server that is imported instead of described.
#[derive(Clone, Debug, Args)]
pub(crate) struct FromArguments {
    /// Import the server from outputs of programs, as `bandgraph import` takes them, instead of reading a
    /// scenario
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// The load on the imported server
    #[arg(long, value_name = "NAME", requires = "from", default_value = "read-1m",
        value_parser = PossibleValuesParser::new(workload_names()))]
    workload: String,
}

impl FromArguments {
    /// Whether a server is to be imported.
    pub(crate) fn is_given(&self) -> bool {
        !self.from.is_empty()
    }

    /// The scenario of the imported server, with notes on what is doubtful about it.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`].
    pub(crate) fn load(&self, sets: &[String], terminal: Terminal) -> Result<Loaded, Failure> {
        let (loaded, sources) =
            terminal.read(|_, sources| load_imported(&self.from, &self.workload, sets, sources))?;
        terminal.warn(&loaded.warnings, &sources);
        Ok(loaded)
    }
}

/// The formats of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// For people
    #[default]
    Text,
    /// For programs; `bandgraph schema` has the schemas
    Json,
    /// For spreadsheets: one number a row
    Csv,
    /// For tickets and the pages of CI steps
    Markdown,
    #[value(help = "One HTML file with everything in it, for browsers")]
    Html,
}

/// The values that an argument can have: each with its name on the command line and its help.
pub(crate) type Choices<T> = &'static [(T, &'static str, &'static str)];

/// A parser for one of several values.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: Choices<T>,
) -> impl TypedValueParser<Value = T> {
    let names = choices
        .iter()
        .map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(move |text| {
        let mut found = choices.iter().filter(|(_, name, _)| *name == text);
        found
            .next()
            .map(|(value, ..)| value.clone())
            .ok_or("no such value")
    })
}

/// A metric by its name, for arguments.
pub(crate) fn metric(text: &str) -> Result<Metric, String> {
    Metric::from_name(text).ok_or_else(|| {
        let names = || Metric::ALL.iter().map(|metric| metric.as_str());
        bandgraph_diagnostics::did_you_mean(text, names())
            .unwrap_or_else(|| bandgraph_diagnostics::there_are(names()))
    })
}

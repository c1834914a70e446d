//! `bandgraph parts list` and `bandgraph parts show`.

use bandgraph_diagnostics::did_you_mean;
use bandgraph_hardware::{AnyPart, Part, PartKind, catalogue};
use bandgraph_report::{part_json, part_text, parts_json, parts_text};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::arguments::{OutputArguments, ShowFormat};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Show the parts that topology files can name
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph parts show opteron-8356")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the parts of the catalogue
    #[command(after_help = "Example: bandgraph parts list --kind socket")]
    List {
        /// Only parts of this kind
        #[arg(long, value_parser = PossibleValuesParser::new(PartKind::ALL.iter().map(|kind| kind.as_str())))]
        kind: Option<String>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Show one part: every field with its value and its meaning, and where the figures come from
    #[command(after_help = "Example: bandgraph parts show neptune-dual-10gbe --format json")]
    Show {
        /// The part's name
        name: String,
        #[command(flatten)]
        shown: Shown,
    },
}

/// How and where to show it.
#[derive(Debug, Args)]
struct Shown {
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: ShowFormat,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Prints what was asked for.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        match &self.action {
            Action::List { kind, shown } => {
                let parts: Vec<&dyn Part> = catalogue()
                    .iter()
                    .filter(|part| kind.as_ref().is_none_or(|kind| part.kind().as_str() == kind))
                    .map(|part| part as &dyn Part)
                    .collect();
                shown.output.write(&match shown.format {
                    ShowFormat::Text => parts_text(&parts, &shown.output.text_options()),
                    ShowFormat::Json => parts_json(&parts),
                })?;
            }
            Action::Show { name, shown } => {
                let part = part(name)?;
                shown.output.write(&match shown.format {
                    ShowFormat::Text => part_text(part, &shown.output.text_options()),
                    ShowFormat::Json => part_json(part),
                })?;
            }
        }
        Ok(Exit::Fine)
    }
}

fn part(name: &str) -> Result<&'static AnyPart, Failure> {
    catalogue().get(name).ok_or_else(|| Failure::Usage {
        message: format!("the catalogue has no part `{name}`"),
        help: did_you_mean(name, catalogue().iter().map(Part::name))
            .or_else(|| Some("`bandgraph parts list` names them all".to_owned())),
    })
}

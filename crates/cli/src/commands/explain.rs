//! `bandgraph explain`.

use bandgraph_diagnostics::did_you_mean;
use bandgraph_report::{Explanations, explanation_view};
use clap::Args;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::{EXPLANATIONS, Failure};
use crate::terminal::Terminal;

/// Explain an error by the id that is printed with it, a metric by its name, or a word of reports
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph explain topology::unknown_socket
  bandgraph explain network_bytes_per_s
  bandgraph explain miss latency")]
pub(crate) struct Arguments {
    /// The id, as in `error[topology::unknown_socket]`, the name of a metric, or a word; without one all are
    /// listed
    #[arg(value_name = "WORD", add = ArgValueCandidates::new(candidates))]
    words: Vec<String>,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Prints the paragraph, or the list of what is explained.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let all = Explanations::new(EXPLANATIONS);
        let asked = self.words.join(" ");
        let view = if asked.is_empty() {
            all.view()
        } else {
            explanation_view(all.find(&asked).ok_or_else(|| {
                Failure::usage(format!("nothing explains `{asked}`")).help(
                    did_you_mean(&asked, all.all().map(|explanation| explanation.id))
                        .unwrap_or_else(|| "`bandgraph explain` lists all ids, metrics and words".to_owned()),
                )
            })?)
        };
        self.output.write(&view.text(&self.output.text_options()))?;
        Ok(Exit::Fine)
    }
}

fn candidates() -> Vec<CompletionCandidate> {
    let all = Explanations::new(EXPLANATIONS);
    all.all()
        .map(|explanation| CompletionCandidate::new(explanation.id))
        .collect()
}

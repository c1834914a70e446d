//! `bandgraph explain`.

use std::collections::BTreeSet;

use bandgraph_diagnostics::did_you_mean;
use bandgraph_hardware::{PartKind, catalogue};
use bandgraph_model::profile_names;
use bandgraph_report::{Explanations, explanation_view};
use clap::Args;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::{EXPLANATIONS, Failure};
use crate::terminal::Terminal;

/// Explain an error by its id, a metric of a result by its name, a word of reports, or a source by its key
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph explain topology::unknown_socket
  bandgraph explain network_bytes_per_s
  bandgraph explain throughput_gain
  bandgraph explain miss latency")]
pub(crate) struct Arguments {
    /// The id, as in `error[topology::unknown_socket]`, the name of a metric, a word, or the key of a source;
    /// without one all are listed
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
            let mut found = all.find(&asked);
            if found.is_empty() {
                found = all.find(&asked.replace(' ', "_"));
            }
            if found.is_empty() {
                let known = all.all().flat_map(|explanation| names(explanation.id));
                let help = elsewhere(&asked).or_else(|| did_you_mean(&asked, known));
                let lists = "`bandgraph explain` lists all ids, metrics, words, sources and fields";
                return Err(Failure::usage(format!("nothing explains `{asked}`"))
                    .help(help.unwrap_or_else(|| lists.to_owned())));
            }
            explanation_view(&found)
        };
        self.output.write(&view.text(&self.output.text_options()))?;
        Ok(Exit::Fine)
    }
}

/// The command that shows a part or a software profile of this name.
fn elsewhere(name: &str) -> Option<String> {
    let is_part = PartKind::ALL
        .iter()
        .any(|kind| catalogue().names(*kind).any(|part| part == name));
    let command = match (is_part, profile_names().contains(&name)) {
        (true, _) => "parts",
        (_, true) => "stacks",
        _ => return None,
    };
    Some(format!("`bandgraph {command} show {name}` shows it"))
}

/// What people ask for by an id: the whole, and its last part.
fn names(id: &'static str) -> impl Iterator<Item = &'static str> {
    [Some(id), id.rsplit_once("::").map(|(_, last)| last)]
        .into_iter()
        .flatten()
}

fn candidates() -> Vec<CompletionCandidate> {
    let all = Explanations::new(EXPLANATIONS);
    let ids: BTreeSet<&str> = all.all().map(|explanation| explanation.id).collect();
    ids.into_iter().map(CompletionCandidate::new).collect()
}

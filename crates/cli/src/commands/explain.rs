//! `bandgraph explain`.

use bandgraph_diagnostics::did_you_mean;
use bandgraph_report::{explanation_text, explanations_text};
use clap::Args;

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::terminal::Terminal;

/// Explain an error by the id that is printed with it
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph explain topology::unknown_socket")]
pub(crate) struct Arguments {
    /// The id, as in `error[topology::unknown_socket]`; all ids are listed without one
    id: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Prints the paragraph, or the list of ids.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let options = self.output.text_options();
        let all = explanations();
        let text = match &self.id {
            None => explanations_text(&all, &options),
            Some(id) => {
                let (id, paragraph) = all.iter().find(|(known, _)| known == id).ok_or_else(|| Failure::Usage {
                    message: format!("there is no error `{id}`"),
                    help: did_you_mean(id, all.iter().map(|(known, _)| *known))
                        .or_else(|| Some("`bandgraph explain` lists them all".to_owned())),
                })?;
                explanation_text(id, paragraph, &options)
            }
        };
        self.output.write(&text)?;
        Ok(Exit::Fine)
    }
}

/// Every id with its paragraph, in the order of the ids.
pub(crate) fn explanations() -> Vec<(&'static str, &'static str)> {
    let tables = [
        bandgraph_topology::EXPLANATIONS,
        bandgraph_workload::EXPLANATIONS,
        bandgraph_sim::EXPLANATIONS,
        failure::EXPLANATIONS,
    ];
    let of_files = bandgraph_scenario::EXPLANATIONS.iter().map(|explanation| (explanation.id, explanation.text));
    let mut all: Vec<(&str, &str)> = tables.into_iter().flatten().copied().chain(of_files).collect();
    all.sort_unstable();
    all.dedup_by_key(|(id, _)| *id);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_one_paragraph() {
        let all = explanations();
        assert!(all.is_sorted_by(|(a, _), (b, _)| a < b));
        for (id, paragraph) in all {
            assert!(id.contains("::"), "{id}");
            assert!(paragraph.len() > 30 && paragraph.ends_with('.'), "{id}: {paragraph}");
        }
    }
}

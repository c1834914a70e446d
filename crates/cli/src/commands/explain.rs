//! `bandgraph explain`.

use bandgraph_diagnostics::{Explanation, did_you_mean};
use bandgraph_report::{explanation_view, explanations_view};
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
            None => explanations_view(&all).text(&options),
            Some(id) => explanation_view(find(&all, id)?).text(&options),
        };
        self.output.write(&text)?;
        Ok(Exit::Fine)
    }
}

fn find<'a>(all: &'a [Explanation], id: &str) -> Result<&'a Explanation, Failure> {
    all.iter()
        .find(|explanation| explanation.id == id)
        .ok_or_else(|| Failure::Usage {
            message: format!("there is no error `{id}`"),
            help: did_you_mean(id, all.iter().map(|explanation| explanation.id))
                .or_else(|| Some("`bandgraph explain` lists them all".to_owned())),
        })
}

/// The explanation of every id, in the order of the ids.
fn explanations() -> Vec<Explanation> {
    let mut all = bandgraph_scenario::explanations();
    all.extend_from_slice(failure::EXPLANATIONS);
    all.extend(
        bandgraph_import::EXPLANATIONS
            .iter()
            .map(|&(id, text)| Explanation { id, title: "", text }),
    );
    all.sort_by_key(|explanation| explanation.id);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_one_explanation() {
        let all = explanations();
        assert!(all.is_sorted_by(|a, b| a.id < b.id), "each id once");
        for explanation in all {
            assert!(explanation.id.contains("::"), "{explanation:?}");
            assert!(
                explanation.text.len() > 20 && explanation.text.ends_with('.'),
                "{explanation:?}"
            );
        }
    }

    #[test]
    fn ids_of_every_crate_are_there() {
        let all = explanations();
        for id in [
            "topology::unknown_socket",
            "sim::no_workload",
            "file::missing",
            "internal::check_failed",
        ] {
            assert!(find(&all, id).is_ok(), "{id}");
        }
    }
}

//! `bandgraph explain`.

use bandgraph_diagnostics::{Explanation, did_you_mean};
use bandgraph_report::{explanation_view, explanations_view, metrics, words};
use clap::Args;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::{self, Failure};
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
        let groups = groups();
        let view = if self.words.is_empty() {
            explanations_view(&groups)
        } else {
            explanation_view(find(&groups, &self.words.join(" "))?)
        };
        self.output.write(&view.text(&self.output.text_options()))?;
        Ok(Exit::Fine)
    }
}

/// All that is explained.
fn groups() -> [(&'static str, Vec<Explanation>); 3] {
    [
        ("Errors", explanations()),
        ("Metrics", metrics().collect()),
        ("Words", words().collect()),
    ]
}

fn candidates() -> Vec<CompletionCandidate> {
    let all = groups().into_iter().flat_map(|(_, group)| group);
    all.map(|explanation| CompletionCandidate::new(explanation.id))
        .collect()
}

fn find<'a>(groups: &'a [(&str, Vec<Explanation>)], asked: &str) -> Result<&'a Explanation, Failure> {
    let all = || groups.iter().flat_map(|(_, group)| group);
    let named = |name: &str| all().find(|explanation| explanation.id.eq_ignore_ascii_case(name));
    // Of the id of a resource, such as `slot.s1.out`, what kind of thing it is.
    let kind = asked.split_once('.').map(|(kind, _)| kind);
    // Of an id, its last part, which no other may have.
    let last = || {
        let mut found = all().filter(|explanation| {
            explanation
                .id
                .rsplit_once("::")
                .is_some_and(|(_, last)| last == asked)
        });
        found.next().filter(|_| found.next().is_none())
    };
    named(asked)
        .or_else(|| named(kind?))
        .or_else(last)
        .ok_or_else(|| {
            Failure::usage(format!("nothing explains `{asked}`")).help_if(
                did_you_mean(asked, all().map(|explanation| explanation.id))
                    .or_else(|| Some("`bandgraph explain` lists all ids, metrics and words".to_owned())),
            )
        })
}

/// The explanation of every id, in the order of the ids.
fn explanations() -> Vec<Explanation> {
    let mut all = bandgraph_scenario::explanations();
    all.extend_from_slice(failure::EXPLANATIONS);
    all.extend_from_slice(bandgraph_sweep::EXPLANATIONS);
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
    fn ids_of_every_crate_metrics_and_words_are_there() {
        let all = groups();
        for id in [
            "topology::unknown_socket",
            "sim::no_workload",
            "file::missing",
            "internal::check_failed",
            "network_bytes_per_s",
            "CPI",
            "cpi",
            "miss latency",
            "slot.s1.out",
            "unknown_socket",
        ] {
            assert!(find(&all, id).is_ok(), "{id}");
        }
        assert!(find(&all, "nothing of the kind").is_err());
    }
}

//! The fields of results with what they say: the documentation of their declarations, from the schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use bandgraph_diagnostics::Explanation;
use bandgraph_scenario::Metric;
use bandgraph_workload::OperationKind;
use serde_json::Value;

use crate::schemas::{FILES, SCHEMAS};

/// The fields of results.
#[derive(Debug)]
pub(crate) struct Fields {
    /// What each says.
    pub(crate) explanations: Vec<Explanation>,
    /// The names of those that hold numbers.
    numbers: BTreeSet<String>,
}

/// Every field of every result, and the operations, whose names begin those of their figures, in the order of
/// the alphabet. A name that says different things in several results has a paragraph for each.
pub(crate) fn fields() -> &'static Fields {
    static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
        // The texts of each name, with the results that have it.
        let mut said: BTreeMap<String, Vec<(String, Vec<&str>)>> = BTreeMap::new();
        let mut numbers = BTreeSet::new();
        for (schema, result, _) in &SCHEMAS[FILES..] {
            let schema = schema();
            let parts = schema["$defs"]
                .as_object()
                .into_iter()
                .flat_map(|parts| parts.values());
            for part in parts.chain([&schema]) {
                for (name, field) in part["properties"].as_object().into_iter().flatten() {
                    let text = field["description"]
                        .as_str()
                        .unwrap_or_default()
                        .replace('\n', " ");
                    if !is_text(&field["type"]) && !is_text(&field["items"]["type"]) {
                        numbers.insert(name.clone());
                    }
                    let texts = said.entry(name.clone()).or_default();
                    match texts.iter_mut().find(|(known, _)| *known == text) {
                        Some((_, results)) if results.contains(result) => {}
                        Some((_, results)) => results.push(result),
                        None => texts.push((text, vec![result])),
                    }
                }
            }
        }
        for operation in OperationKind::ALL {
            let text = "An operation of clients; a figure whose name begins with it is of these operations.";
            said.entry(operation.name().to_owned())
                .or_insert_with(|| vec![(text.to_owned(), Vec::new())]);
        }
        let leaked = said.into_iter().map(|(name, texts)| Explanation {
            id: name.leak(),
            title: "",
            text: paragraphs(&texts).leak(),
        });
        Fields {
            explanations: leaked.collect(),
            numbers,
        }
    });
    &FIELDS
}

/// Whether values of a type of a schema are texts or answers.
fn is_text(schema: &Value) -> bool {
    let is_one = |name: &Value| matches!(name.as_str(), Some("string" | "boolean"));
    is_one(schema) || schema.as_array().is_some_and(|names| names.iter().any(is_one))
}

/// What a name says, each with the results in which it says so where these differ.
fn paragraphs(texts: &[(String, Vec<&str>)]) -> String {
    if let [(text, _)] = texts {
        return text.clone();
    }
    let paragraphs = texts
        .iter()
        .map(|(text, results)| format!("`{}`: {text}", results.join("`, `")));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

impl Fields {
    /// The names that make up the name of a metric in a CSV: `latency` and `mean_s` of `latency_mean_s`. The
    /// last is a field with a number; `is_known` says what may be before it. Empty for what is no such name.
    pub(crate) fn parts_of<'n>(&self, metric: &'n str, is_known: &dyn Fn(&str) -> bool) -> Vec<&'n str> {
        let numbered = metric.trim_end_matches(|c: char| c.is_ascii_digit());
        let metric = numbered.strip_suffix('_').unwrap_or(metric);
        if self.numbers.contains(metric) || Metric::from_name(metric).is_some() {
            return vec![metric];
        }
        // The longest name first: `dma_data` is more than `dma`.
        for (at, _) in metric.rmatch_indices('_') {
            let (first, rest) = (&metric[..at], &metric[at + 1..]);
            let rest = if is_known(first) {
                self.parts_of(rest, is_known)
            } else {
                Vec::new()
            };
            if !rest.is_empty() {
                return [vec![first], rest].concat();
            }
        }
        Vec::new()
    }
}

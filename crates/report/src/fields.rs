//! The fields of files and results with what they say: the documentation of their declarations, from the
//! schemas.

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
        let mut said = Said::new();
        let mut numbers = BTreeSet::new();
        for (schema, result, _) in &SCHEMAS[FILES..] {
            each_field(&schema(), |_, name, field| {
                if !is_text(&field["type"]) && !is_text(&field["items"]["type"]) {
                    numbers.insert(name.to_owned());
                }
                add(&mut said, name, field, result);
            });
        }
        for operation in OperationKind::ALL {
            let text = "An operation of clients; a figure whose name begins with it is of these operations.";
            said.entry(operation.name().to_owned())
                .or_insert_with(|| vec![(text.to_owned(), Vec::new())]);
        }
        Fields {
            explanations: explanations(said),
            numbers,
        }
    });
    &FIELDS
}

/// Every field of files, in the order of the alphabet, with a paragraph for each of the tables in which it
/// says something else.
pub(crate) fn fields_of_files() -> &'static [Explanation] {
    static FIELDS: LazyLock<Vec<Explanation>> = LazyLock::new(|| {
        let mut said = Said::new();
        for (schema, file, _) in &SCHEMAS[..FILES] {
            each_field(&schema(), |table, name, field| {
                add(&mut said, name, field, table.unwrap_or(file));
            });
        }
        explanations(said)
    });
    &FIELDS
}

/// The texts of each name, with the results or tables that have it.
type Said = BTreeMap<String, Vec<(String, Vec<String>)>>;

/// Every field of a schema, with the name of the table that it is in.
fn each_field(schema: &Value, mut take: impl FnMut(Option<&str>, &str, &Value)) {
    let tables = schema["$defs"].as_object().into_iter().flatten();
    let tables = tables.map(|(name, table)| (Some(name.as_str()), table));
    for (table, of_table) in tables.chain([(None, schema)]) {
        for (name, field) in of_table["properties"].as_object().into_iter().flatten() {
            take(table, name, field);
        }
    }
}

/// Adds what a field says to that of other fields of its name.
fn add(said: &mut Said, name: &str, field: &Value, place: &str) {
    let text = field["description"]
        .as_str()
        .unwrap_or_default()
        .replace('\n', " ");
    let texts = said.entry(name.to_owned()).or_default();
    match texts.iter_mut().find(|(known, _)| *known == text) {
        Some((_, places)) if places.iter().any(|known| known == place) => {}
        Some((_, places)) => places.push(place.to_owned()),
        None => texts.push((text, vec![place.to_owned()])),
    }
}

fn explanations(said: Said) -> Vec<Explanation> {
    let leaked = said.into_iter().map(|(name, texts)| Explanation {
        id: name.leak(),
        title: "",
        text: paragraphs(&texts).leak(),
    });
    leaked.collect()
}

/// Whether values of a type of a schema are texts or answers.
fn is_text(schema: &Value) -> bool {
    let is_one = |name: &Value| matches!(name.as_str(), Some("string" | "boolean"));
    is_one(schema) || schema.as_array().is_some_and(|names| names.iter().any(is_one))
}

/// What a name says, each with the results in which it says so where these differ.
fn paragraphs(texts: &[(String, Vec<String>)]) -> String {
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

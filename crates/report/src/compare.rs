//! Two results of a kind, side by side: what changed in what went in, and in what came out.
//!
//! Nothing here knows what is in a result: figures and texts are those of [`crate::document`], matched by
//! their names.

mod gate;
mod rows;

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_diagnostics::did_you_mean;
use bandgraph_scenario::Metric;
use bandgraph_units::Fraction;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

pub use self::gate::{CompareGate, GateSide, parse_tolerance};
use self::rows::Rows;
use crate::calibrate::CalibrateDocument;
use crate::document::{Document, Figure, Word, identifier};
use crate::json::{FiguresDocument, LadderDocument, PlaceDocument, RunDocument, WhatIfDocument};
use crate::learned::LearnedDocument;
use crate::sweep::SweepDocument;
use crate::text::{grouped, none, provenance, signed_percent};
use crate::validate::ValidateDocument;
use crate::view::{Table, Tone, View};

/// The version of the JSON of a comparison. It grows when a field is renamed or removed, or changes its
/// meaning.
const COMPARE_SCHEMA_VERSION: u32 = 1;
/// Figures in the table of people; JSON has all.
const LISTED: usize = 40;
/// A relative change below this is none: the last digits of a figure.
const SAME: f64 = 1e-12;

documents! {
    /// Two results of a kind, side by side.
    ///
    /// All quantities are in SI base units. Shares are 0 to 1, never percent.
    #[schemars(title = "Bandgraph comparison of results")]
    pub struct CompareDocument {
        /// Version of this format.
        pub schema: u32,
        /// Version of the program that wrote this.
        pub bandgraph: String,
        /// What both are: `run`, `whatif`, `ladder`, `place`, `sweep`, `validate`, `figures`, `calibrate` or
        /// `calibrate --own`.
        pub of: String,
        /// The names of both results: before, after.
        pub results: [String; 2],
        /// Which of both have a load beyond the capacity, so that there is no steady state, and latencies
        /// grow.
        #[serde(default)]
        pub overloaded: [bool; 2],
        /// The texts that say what went in and differ: scenario, overrides, software, hashes.
        pub inputs: Vec<TextChangeDocument>,
        /// The texts that say what came out and differ, such as bottlenecks.
        pub answers: Vec<TextChangeDocument>,
        /// How many figures both have.
        pub compared: u64,
        /// The figures that differ, in the order of the result.
        pub figures: Vec<FigureChangeDocument>,
        /// Figures that only one of them has.
        pub unmatched: Vec<String>,
        /// What was to hold.
        pub gates: Vec<CompareGateDocument>,
    }

    /// A text that differs.
    #[derive(Eq)]
    pub struct TextChangeDocument {
        /// What says it: a field, with what it is of where that is not the whole.
        pub field: String,
        /// In the first result; null where it has none.
        pub before: Option<String>,
        /// In the second result; null where it has none.
        pub after: Option<String>,
    }

    /// A figure that differs.
    pub struct FigureChangeDocument {
        /// What it is of: the id of a resource, socket or workload; `run` for the whole.
        pub subject: String,
        /// What kind of thing that is.
        pub kind: String,
        /// What the number says.
        pub metric: String,
        /// The unit of both numbers.
        pub unit: String,
        /// In the first result.
        pub before: f64,
        /// In the second result.
        pub after: f64,
        /// After over before, less one; null where there was nothing before.
        pub relative: Option<f64>,
    }

    /// A gate, and whether it holds.
    pub struct CompareGateDocument(gate: &CompareGate, pairs: &[FigureChangeDocument]) {
        let seen = || {
            pairs.iter().filter(|pair| {
                let full = || gate.figures == format!("{}.{}", pair.subject, pair.metric);
                let is_of_any = gate.figures.strip_prefix("*.") == Some(pair.metric.as_str());
                (pair.subject == "run" && gate.figures == pair.metric) || is_of_any || full()
            })
        };
        let is_outside = |pair: &&FigureChangeDocument| {
            let change = pair.after - pair.before;
            let is_looked_at = match gate.side {
                GateSide::Both => true,
                GateSide::Fall => change < 0.0,
                GateSide::Rise => change > 0.0,
            };
            is_looked_at
                && differs(pair)
                && pair
                    .relative
                    .is_none_or(|relative| relative.abs() > gate.tolerance)
        };
        let failed = seen()
            .filter(is_outside)
            .map(|pair| {
                let change = pair.relative.map_or_else(none, signed_percent);
                format!("{}.{} ({change})", pair.subject, pair.metric)
            })
            .collect::<Vec<String>>();
        let points = seen().count() as u64;
        let ok = points > 0 && failed.is_empty();

        /// Which figures: `METRIC` of the whole, `SUBJECT.METRIC` of one thing, or `*.METRIC` of everything.
        pub figures: String = gate.figures.clone(),
        /// How large a relative change may be.
        pub tolerance: f64 = gate.tolerance,
        /// In which direction; a change in the other may be as large as it is.
        #[serde(default)]
        pub side: GateSide = gate.side,
        /// How many figures it looked at. A gate that saw none has failed.
        pub points: u64,
        /// The figures outside the tolerance.
        pub failed: Vec<String>,
        /// Whether it holds.
        pub ok: bool,
    }
}

/// Why two results cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompareError {
    /// Not a result, or not one of this version.
    #[error("{name} is no result that can be compared: {reason}")]
    NotAResult {
        /// Which of both.
        name: String,
        /// Why.
        reason: String,
    },
    /// Results of different commands.
    #[error("{0} is a result of `{1}`, and {2} one of `{3}`")]
    Different(String, &'static str, String, &'static str),
}

/// The figures and texts of a result.
struct Read {
    of: &'static str,
    figures: Vec<Figure>,
    words: Vec<Word>,
}

/// Compares two results that were written as JSON, each with its name.
///
/// # Errors
///
/// [`CompareError`].
pub fn compare(
    before: (&str, &[u8]),
    after: (&str, &[u8]),
    gates: &[CompareGate],
) -> Result<CompareDocument, CompareError> {
    let (one, other) = (read(before)?, read(after)?);
    if one.of != other.of {
        let (before, after) = (before.0.to_owned(), after.0.to_owned());
        return Err(CompareError::Different(before, one.of, after, other.of));
    }
    let (inputs, answers) = changed_words(&one.words, &other.words);
    let (mut pairs, unmatched) = pairs(&one.figures, &other.figures);
    let overloaded = [&one, &other].map(|read| {
        let mut words = read.words.iter();
        words.any(|word| {
            word.text == "true"
                && (word.name.ends_with("overloaded") || word.name.ends_with("offered_saturated"))
        })
    });
    // Latencies that grow are not compared.
    if overloaded != [false; 2] {
        for pair in pairs.iter_mut().filter(|pair| pair.metric.contains("latency")) {
            pair.relative = None;
        }
    }
    Ok(CompareDocument {
        schema: COMPARE_SCHEMA_VERSION,
        bandgraph: crate::VERSION.to_owned(),
        of: one.of.to_owned(),
        results: [before.0.to_owned(), after.0.to_owned()],
        overloaded,
        inputs,
        answers,
        compared: pairs.len() as u64,
        gates: gates
            .iter()
            .map(|gate| CompareGateDocument::new(gate, &pairs))
            .collect(),
        figures: pairs.into_iter().filter(differs).collect(),
        unmatched,
    })
}

impl CompareDocument {
    /// Whether every gate holds.
    pub fn holds(&self) -> bool {
        self.gates.iter().all(|gate| gate.ok)
    }
}

/// The figures and texts of a document.
fn parts<D: Serialize + serde::de::DeserializeOwned>(
    value: Value,
) -> Result<(Vec<Figure>, Vec<Word>), serde_json::Error> {
    let document: D = serde_json::from_value(value)?;
    Ok(Document::new(&document).parts())
}

fn read((name, bytes): (&str, &[u8])) -> Result<Read, CompareError> {
    let not_a_result = |reason: String| CompareError::NotAResult {
        name: name.to_owned(),
        reason,
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(not_a_result("it is empty".to_owned()));
    }
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| not_a_result(format!("it is not JSON ({error})")))?;
    let of = crate::json::kind_of_result(&value)
        .ok_or_else(|| not_a_result("nothing in it says what it is of".to_owned()))?;
    let parts = match of {
        "run" => parts::<RunDocument>(value),
        "whatif" => parts::<WhatIfDocument>(value),
        "ladder" => parts::<LadderDocument>(value),
        "place" => parts::<PlaceDocument>(value),
        "sweep" => parts::<SweepDocument>(value),
        "validate" => parts::<ValidateDocument>(value),
        "figures" => parts::<FiguresDocument>(value),
        "calibrate" => parts::<CalibrateDocument>(value),
        "calibrate --own" => parts::<LearnedDocument>(value),
        other => return Err(not_a_result(format!("results of `{other}` are not compared"))),
    };
    let (figures, words) = parts.map_err(|error| not_a_result(error.to_string()))?;
    Ok(Read { of, figures, words })
}

/// Fields that say what went in.
const INPUTS: [&str; 14] = [
    "scenario",
    "sweep",
    "description",
    "metric",
    "topology",
    "file",
    "files",
    "overrides",
    "software_profile",
    "software_fits",
    "input_hash",
    "mode",
    "relief",
    "sets",
];
/// Fields in which sentences say what figures say.
const SENTENCES: [&str; 6] = ["explanation", "text", "words", "message", "source", "note"];

/// The texts that differ: of the inputs, and of the answers.
fn changed_words(before: &[Word], after: &[Word]) -> (Vec<TextChangeDocument>, Vec<TextChangeDocument>) {
    let stem = |name: &str| {
        name.trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('_')
            .to_owned()
    };
    let is_of_a_part = |word: &Word| word.subject != "run" && !word.kind.ends_with("bottleneck");
    let subjects =
        |words: &[Word]| -> BTreeSet<String> { words.iter().map(|word| word.subject.clone()).collect() };
    // A list of texts is one text, and so are the parts that the other result does not have.
    let joined = |words: &[Word], others: &BTreeSet<String>| {
        let mut order: Vec<String> = Vec::new();
        let mut texts: BTreeMap<String, (String, String)> = BTreeMap::new();
        let mut only: BTreeSet<&str> = BTreeSet::new();
        for word in words {
            let name = stem(&word.name);
            // Which uncertain figures matter is no answer, and the name of an operation is in its figures.
            let is_named = word.name == format!("{}_operation", identifier(&word.text));
            if is_named || (word.kind == "interval" && word.subject != "run") {
                continue;
            }
            if SENTENCES.iter().any(|sentence| name.ends_with(sentence)) {
                continue;
            }
            let field = match (is_of_a_part(word), word.kind.as_str()) {
                // Questions that a result answers are not its parts, even where both have other names.
                (true, "scenario") if INPUTS.contains(&name.as_str()) => name.clone(),
                (true, _) if !others.contains(&word.subject) => {
                    only.insert(&word.subject);
                    continue;
                }
                (true, _) => format!("{} {name}", word.subject),
                (false, "run") => name.clone(),
                (false, kind) => format!("{kind} {name}"),
            };
            if let Some((_, text)) = texts.get_mut(&field) {
                *text = format!("{text}; {}", word.text);
            } else {
                order.push(field.clone());
                texts.insert(field, (name, word.text.clone()));
            }
        }
        if !only.is_empty() {
            let field = "parts of one only";
            let text = only.into_iter().collect::<Vec<_>>().join("; ");
            order.push(field.to_owned());
            texts.insert(field.to_owned(), (String::new(), text));
        }
        (order, texts)
    };
    let (of_before, of_after) = (subjects(before), subjects(after));
    let (order, before) = joined(before, &of_after);
    let (other_order, after) = joined(after, &of_before);
    let added = other_order
        .into_iter()
        .filter(|field| !before.contains_key(field));
    let (mut inputs, mut answers) = (Vec::new(), Vec::new());
    for field in order.iter().cloned().chain(added) {
        let (one, other) = (before.get(&field), after.get(&field));
        let name = one.or(other).map(|(name, _)| name.clone()).unwrap_or_default();
        let (one, other) = (
            one.map(|(_, text)| text.clone()),
            other.map(|(_, text)| text.clone()),
        );
        if one != other {
            let is_input = INPUTS.contains(&name.as_str());
            let list = if is_input { &mut inputs } else { &mut answers };
            list.push(TextChangeDocument {
                field,
                before: one,
                after: other,
            });
        }
    }
    (inputs, answers)
}

/// The figures that both have, and the names of those that one has.
fn pairs(before: &[Figure], after: &[Figure]) -> (Vec<FigureChangeDocument>, Vec<String>) {
    let key = |figure: &Figure| (figure.subject.clone(), figure.kind.clone(), figure.metric.clone());
    let others: BTreeMap<_, f64> = after.iter().map(|figure| (key(figure), figure.value)).collect();
    let known: BTreeSet<_> = before.iter().map(key).collect();
    let name = |figure: &Figure| format!("{}.{}", figure.subject, figure.metric);
    let (mut pairs, mut unmatched) = (Vec::new(), Vec::new());
    for figure in before {
        match others.get(&key(figure)) {
            Some(&other) => pairs.push(FigureChangeDocument {
                subject: figure.subject.clone(),
                kind: figure.kind.clone(),
                metric: figure.metric.clone(),
                unit: figure.unit.clone(),
                before: figure.value,
                after: other,
                relative: crate::run_report::relative(other, figure.value),
            }),
            None => unmatched.push(name(figure)),
        }
    }
    unmatched.extend(
        after
            .iter()
            .filter(|figure| !known.contains(&key(figure)))
            .map(name),
    );
    (pairs, unmatched)
}

fn differs(pair: &FigureChangeDocument) -> bool {
    (pair.after - pair.before).abs() > SAME * pair.before.abs().max(pair.after.abs())
}

/// A comparison for people.
pub fn compare_view(compared: &CompareDocument) -> View {
    let mut page = View::new();
    let [before, after] = &compared.results;
    page.title(format!("{before} and {after}"));
    if !compared.gates.is_empty() {
        let (tone, verdict) = if compared.holds() {
            (Tone::Good, "PASSED: all gates hold.")
        } else {
            (Tone::Alarm, "FAILED: a gate does not hold.")
        };
        page.toned(tone, verdict);
    }
    page.paragraph(&format!(
        "{} of {} figures that are in both results of `{}` differ{}.",
        grouped(compared.figures.len() as f64),
        grouped(compared.compared as f64),
        compared.of,
        match compared.unmatched.len() {
            0 => String::new(),
            1 => "; 1 more is in one of them only".to_owned(),
            count => format!("; {count} more are in one of them only"),
        }
    ));
    let overloaded = match compared.overloaded {
        [false, false] => None,
        [true, true] => Some("both results".to_owned()),
        [true, false] => Some(before.clone()),
        [false, true] => Some(after.clone()),
    };
    if let Some(name) = overloaded {
        page.toned(
            Tone::Alarm,
            &format!(
                "Warning: the load exceeds the capacity in {name}: there is no steady state, and latencies \
                 grow for as long as that lasts, so that they are not compared."
            ),
        );
    }
    let rows = Rows::of(&compared.figures);
    let [whole, parts] = rows.tables(LISTED);
    if compared.of == "run" && whole.rows().is_empty() {
        let is_of_limit = |answer: &TextChangeDocument| answer.field.starts_with("bottleneck");
        let limit = if compared.answers.iter().any(is_of_limit) {
            ""
        } else {
            ", nor did the bottleneck"
        };
        page.paragraph(&format!(
            "No figure of the whole, such as throughput or latency, changed{limit}."
        ));
    }
    texts(&mut page, "Inputs that changed", &compared.inputs);
    let changed = |page: &mut View, heading: &str, table: Table| {
        if !table.rows().is_empty() {
            page.heading(heading);
            page.table(table);
        }
    };
    changed(&mut page, "Figures of the whole that changed", whole);
    texts(&mut page, "Answers that changed", &compared.answers);
    gates(&mut page, compared);
    changed(&mut page, "Figures of parts that changed", parts);
    if let Some(words) = rows.others(LISTED) {
        page.paragraph(&words);
        let [whole, parts] = rows.tables(usize::MAX);
        page.folded("All figures of the whole that changed", whole);
        page.folded("All figures of parts that changed", parts);
    }
    page.blank();
    provenance(&mut page, &compared.bandgraph, "", &[]);
    page
}

fn texts(page: &mut View, heading: &str, changes: &[TextChangeDocument]) {
    if changes.is_empty() {
        return;
    }
    page.heading(heading);
    let mut table = Table::of("(field) | before | after");
    for change in changes {
        let short = |text: Option<&String>| {
            let text = text.map_or_else(none, Clone::clone);
            if change.field.ends_with("hash") {
                crate::text::short_hash(&text)
            } else {
                few(&text)
            }
        };
        table.plain([
            field_in_words(&change.field),
            short(change.before.as_ref()),
            short(change.after.as_ref()),
        ]);
    }
    page.table(table);
}

/// What a changed field is called. Whether an expectation holds is one; its metric keeps its name.
fn field_in_words(field: &str) -> String {
    let metric = field
        .strip_prefix("expect ")
        .and_then(|field| field.strip_suffix(".ok"));
    match metric {
        Some(metric) => format!("expectation of {metric} holds"),
        None => field.replace('_', " "),
    }
}

/// A list of many texts by its first ones: JSON has all.
fn few(text: &str) -> String {
    const SHOWN: usize = 4;
    let items: Vec<&str> = text.split("; ").collect();
    match items.len() {
        count if count <= SHOWN => text.to_owned(),
        count => format!(
            "{} and {} more",
            items[..SHOWN - 1].join("; "),
            count - (SHOWN - 1)
        ),
    }
}

fn gates(page: &mut View, compared: &CompareDocument) {
    let gates = &compared.gates;
    if gates.is_empty() {
        return;
    }
    page.heading("Gates");
    let mut table = Table::of("(result) | figures | >tolerance | >compared | outside");
    for gate in gates {
        let outside = match (gate.points, gate.failed.as_slice()) {
            (0, _) => {
                let changed = compared.figures.iter().map(|figure| figure.metric.as_str());
                let known = Metric::ALL.iter().map(|metric| metric.as_str()).chain(changed);
                let meant = did_you_mean(&gate.figures, known.collect::<BTreeSet<_>>());
                let meant = meant.map_or_else(String::new, |meant| format!("; {meant}").replace('`', ""));
                format!("no figure has that name{meant}")
            }
            (_, [first, second, third, rest @ ..]) if !rest.is_empty() => {
                format!("{first}, {second}, {third} and {} more", rest.len())
            }
            (_, failed) => failed.join(", "),
        };
        let (tone, word) = if gate.ok {
            (Tone::Good, "ok")
        } else {
            (Tone::Alarm, "FAILED")
        };
        table.row(
            tone,
            [
                word.to_owned(),
                gate.figures.clone(),
                match gate.side {
                    GateSide::Both => Fraction::new(gate.tolerance).to_string(),
                    GateSide::Fall => format!("-{}", Fraction::new(gate.tolerance)),
                    GateSide::Rise => format!("+{}", Fraction::new(gate.tolerance)),
                },
                gate.points.to_string(),
                outside,
            ],
        );
    }
    page.table(table);
}

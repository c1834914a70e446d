//! How sure an answer is, for people.

use bandgraph_study::{Interval, ModelErrors, UncertainFigure, Uncertainty, Verdict, Weight};
use bandgraph_units::{Fraction, significant, span};

use super::provenance::{how, inputs, origin, provenance};
use super::words::{percent, resource_in_words, signed_percent};
use crate::csv::{object_cells, table_csv};
use crate::json::{
    FigureWeightDocument, FiguresDocument, GainDocument, IntervalDocument, ModelErrorDocument,
    StatusesDocument,
};
use crate::origin::{ORIGIN_COLUMNS, Origin};
use crate::view::{Table, Tone, View};

/// Figures with less weight than this are not named.
const LEAST_WEIGHT: f64 = 0.02;

/// Figures with less weight than this do not matter: they are counted, not listed.
pub(crate) const SLIGHT_WEIGHT: f64 = 0.001;

/// Rates that differ by no more are equal.
const ROUNDING: f64 = 1e-6;

/// The ends of a 90 % interval, in standard deviations.
pub(crate) const RANGE_END: f64 = 1.645;

/// To three digits: an interval is no better known.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let unit = libm::pow(10.0, libm::log10(value.abs()).floor() - 2.0);
    (value / unit).round() * unit
}

/// Both ends of an interval in the words of its values, rounded.
pub(crate) fn between([low, high]: [f64; 2], words: impl Fn(f64) -> String) -> String {
    span(&words(rounded(low)), &words(rounded(high)))
}

/// How sure a difference is whose interval is known: `+28.0 to +40.0 %, certainly more`.
pub(crate) fn difference_words(interval: Interval) -> String {
    let between = span(&signed_percent(interval.low), &signed_percent(interval.high));
    match interval.verdict() {
        Verdict::Equal => "no difference".to_owned(),
        Verdict::More => format!("{between}, certainly more"),
        Verdict::Less => format!("{between}, certainly less"),
        Verdict::Open => between,
    }
}

/// How sure a gain is: `+28.0 to +40.0 %, certainly more`.
pub(crate) fn gain_words(gain: &GainDocument) -> String {
    let gain = gain.gain();
    let words = difference_words(gain.interval);
    match gain.verdict() {
        Verdict::Open => format!("{words}, more in {} of the draws", percent(gain.more)),
        _ => words,
    }
}

/// The resources that limit in the draws, in a sentence. A bottleneck of another kind is said to be another
/// thing: what helps most need not be the fullest.
fn fullest(found: &IntervalDocument, bottleneck: &str) -> String {
    let is_all = |share: f64| percent(share) == percent(1.0);
    let shares = found.limits.iter().map(|limit| {
        let kind = match limit.kind.as_str() {
            "none" => "no resource",
            kind => resource_in_words(kind, None),
        };
        format!("{kind} in {}", percent(limit.share))
    });
    let words = match found.limits.as_slice() {
        [only] if only.kind == "none" && is_all(only.share) => "No resource limits in any draw".to_owned(),
        [only] if is_all(only.share) => {
            format!(
                "What limits: {} in every draw",
                resource_in_words(&only.kind, None)
            )
        }
        _ => format!(
            "What limits: {} of the draws",
            shares.collect::<Vec<_>>().join(", ")
        ),
    };
    let is_among = found.limits.iter().any(|limit| limit.kind == bottleneck);
    let is_full = found.limits.iter().any(|limit| limit.kind != "none");
    if is_among || !is_full {
        return format!("{words}.");
    }
    format!(
        "{words}; the bottleneck ({}) is what relief helps most, which is not counted here.",
        resource_in_words(bottleneck, None)
    )
}

/// What the intervals of a run come from; `bottleneck` is the kind of its own.
pub(super) fn certainty(page: &mut View, found: &IntervalDocument, bottleneck: &str) {
    page.heading("How sure this is");
    let draws = match found.unsteady {
        0 => format!("From {} draws of all uncertain figures", found.draws),
        unsteady => format!(
            "{unsteady} of {} draws of all uncertain figures have no answer (such a server has no steady \
             state, or less memory or room than the load needs); these are left out, so that the \
             intervals may be too narrow. From the other {}",
            found.draws + unsteady,
            found.draws
        ),
    };
    page.paragraph(&format!(
        "{draws}: with a probability of 90 %, the true values are within the intervals. {}",
        fullest(found, bottleneck)
    ));
    learned(page, &found.learned);
    for figure in found
        .figures
        .iter()
        .filter(|figure| figure.weight >= LEAST_WEIGHT)
    {
        page.paragraph(&sentence(figure));
    }
    let Some(counts) = counts_in_words(&found.statuses) else {
        page.paragraph(&format!(
            "No uncertain figure alone causes more than {} of the spread.",
            Fraction::new(SLIGHT_WEIGHT)
        ));
        return;
    };
    page.paragraph(&format!(
        "Uncertain figures that matter: {counts}. `bandgraph figures` lists them."
    ));
}

/// Why the answer is not in its own interval, where it is not: it has every figure at its value, and draws
/// have most of those elsewhere whose value is an end of their range.
pub(super) fn outside(page: &mut View, found: &IntervalDocument, ops_per_s: f64) {
    let [low, high] = found.ops_per_s;
    let (place, case) = if ops_per_s > high * (1.0 + ROUNDING) {
        ("above", "best")
    } else if ops_per_s < low * (1.0 - ROUNDING) {
        ("below", "worst")
    } else {
        return;
    };
    let at_end = found.figures.iter().filter(|figure| {
        let ends = figure.range.as_ref();
        ends.zip(figure.value.as_ref())
            .is_some_and(|(ends, value)| ends.contains(value))
    });
    let named =
        at_end.filter_map(|figure| Some(format!("{} {}", figure.name.as_ref()?, figure.field.as_ref()?)));
    let named = named.collect::<Vec<_>>().join(", ");
    let why = match named.as_str() {
        "" => String::new(),
        named => format!(": it has figures at the end of their range ({named})"),
    };
    page.paragraph(&format!(
        "The rate itself is {place} its interval and is the {case} case, which few draws reach{why}. Rely on the \
         interval."
    ));
}

/// How many figures were found in which way; `None` if there are none.
fn counts_in_words(count: &StatusesDocument) -> Option<String> {
    let StatusesDocument {
        sourced,
        derived,
        fitted,
        assumed,
    } = count;
    (sourced + derived + fitted + assumed > 0)
        .then(|| format!("{sourced} sourced, {derived} derived, {fitted} fitted, {assumed} assumed"))
}

/// The line above the provenance of a study: how the figures were found that it depends on. `of` says which
/// of its scenarios they are of.
pub(crate) fn statuses(page: &mut View, found: Option<&StatusesDocument>, of: &str) {
    if let Some(counts) = found.and_then(counts_in_words) {
        page.toned(
            Tone::Faint,
            &format!("Uncertain figures that matter for {of}: {counts}"),
        );
    }
}

/// The errors of the model on this machine, which the intervals have.
fn learned(page: &mut View, errors: &[ModelErrorDocument]) {
    if errors.is_empty() {
        return;
    }
    let each = errors.iter().map(|error| {
        let (factor, width) = (significant(error.factor, 3), percent(RANGE_END * error.deviation));
        format!("{} {factor} (±{width})", error.kind)
    });
    page.paragraph(&format!(
        "The software profile was calibrated on this machine. The intervals are of the rates of the model \
         times its factor for the kind of limit; the rates themselves are without it: {}.",
        each.collect::<Vec<_>>().join(", ")
    ));
}

fn sentence(figure: &FigureWeightDocument) -> String {
    let share = percent(figure.weight);
    let how = match (&figure.measure, &figure.name) {
        (Some(how), Some(_)) => format!(" ({how})"),
        (Some(how), None) => format!(" {how}"),
        (None, _) => String::new(),
    };
    match (
        &figure.name,
        &figure.field,
        &figure.value,
        &figure.range,
        &figure.status,
    ) {
        (Some(name), Some(field), Some(value), Some([low, high]), Some(status)) => format!(
            "{share} of the spread: {} {name} {field}, {value} ({}, {status}). Measure it{how} to narrow the \
             interval.",
            figure.of,
            span(low, high),
        ),
        _ => format!("{share} of the spread: the error of the model where this is the limit. Measure{how}."),
    }
}

/// The uncertain figures of a scenario as CSV: a row for each, with the fields of the JSON as columns, and
/// their origin.
pub fn figures_csv(document: &FiguresDocument) -> String {
    let said = Origin::of(document);
    let names = ["scenario", "mode", "seed"].into_iter().chain(ORIGIN_COLUMNS);
    let origin: Vec<(String, String)> = names.map(|name| (name.to_owned(), said.text(name))).collect();
    let row = |figure| {
        let cells = object_cells("figure", figure).into_iter();
        // The model has no range.
        let cells = cells.flat_map(|(name, text)| match name.as_str() {
            "range" => ["range_low", "range_high"]
                .map(|end| (end.to_owned(), String::new()))
                .to_vec(),
            _ => vec![(name, text)],
        });
        cells.chain(origin.clone()).collect()
    };
    table_csv(&document.figures.iter().map(row).collect::<Vec<_>>())
}

/// The uncertain figures of a scenario, those with most weight first.
pub fn figures_view(document: &FiguresDocument, found: &Uncertainty) -> View {
    let mut page = View::new();
    page.title(&document.scenario);
    inputs(&mut page, [&document.software], &document.overrides);
    page.paragraph(&format!(
        "The weight of a figure is the share of the variance of the throughput that it causes. Figures that \
         the answer does not depend on are left out. A range that the scenario gives holds the true value with a \
         probability of 90 %. The ranges of the program are careful guesses, and wider: 90 % of the draws of \
         a figure are within {} of its range, which agrees best with published measurements.",
        Fraction::new(ModelErrors::KNOWN.ranges)
    ));
    page.blank();
    let mut table = Table::of(">weight | of | figure | >value | range | status, source");
    let (listed, slight): (Vec<&Weight>, Vec<&Weight>) = found
        .weights
        .iter()
        .partition(|weight| weight.share >= SLIGHT_WEIGHT);
    for weight in &listed {
        table.plain(cells(weight));
    }
    page.table(table);
    if !slight.is_empty() {
        let least = Fraction::new(SLIGHT_WEIGHT);
        let have = if slight.len() == 1 { "has" } else { "have" };
        page.paragraph(&format!(
            "{} more {have} less than {least} each; `--format json` has all.",
            slight.len()
        ));
    }
    page.blank();
    let origin = origin(document.file.as_deref(), document.seed, &document.input_hash);
    provenance(&mut page, &document.bandgraph, how(document.mode), &[origin]);
    page
}

fn cells(weight: &Weight) -> [String; 6] {
    let share = percent(weight.share);
    let Some(figure) = &weight.figure else {
        let model = ["the model", "its own error", "", "", ""].map(str::to_owned);
        let [of, field, value, range, status] = model;
        return [share, of, field, value, range, status];
    };
    let UncertainFigure {
        name, field, texts, ..
    } = figure;
    [
        share,
        name.clone(),
        field.replace('_', " "),
        texts[0].clone(),
        span(&texts[1], &texts[2]),
        match &figure.source {
            Some(source) => format!("{}, {source}", figure.status.as_str()),
            None => figure.status.as_str().to_owned(),
        },
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::view::TextOptions;

    /// A document with fields of its own.
    fn document(own: &Value) -> IntervalDocument {
        let mut document = json!({
            "belief": 0.9, "draws": 200,
            "ops_per_s": [1.0, 2.0], "payload_bytes_per_s": [1.0, 2.0],
            "network_bytes_per_s": [1.0, 2.0], "latency_mean_s": [1.0, 2.0],
            "limits": [], "figures": [],
            "statuses": { "sourced": 1, "derived": 0, "fitted": 0, "assumed": 0 },
        });
        for (field, value) in own.as_object().expect("fields") {
            document[field] = value.clone();
        }
        serde_json::from_value(document).expect("a document")
    }

    #[test]
    fn three_digits_are_kept() {
        for (value, expected) in [
            (283_841.0, 284_000.0),
            (1.05e6, 1.05e6),
            (0.012_345, 0.0123),
            (0.0, 0.0),
        ] {
            assert!(
                (rounded(value) - expected).abs() < 1e-9 * expected.max(1.0),
                "{value}"
            );
        }
    }

    #[test]
    fn a_gain_says_how_sure_it_is() {
        let words = |low: f64, high: f64| {
            gain_words(&GainDocument {
                belief: 0.9,
                low,
                high,
                more: 0.7,
                less: 0.2,
            })
        };
        assert_eq!(words(0.28, 0.4), "+28.0 to +40.0 %, certainly more");
        assert_eq!(words(-0.2, -0.1), "-20.0 to -10.0 %, certainly less");
        assert_eq!(words(0.0, 0.0), "no difference");
        assert_eq!(words(-0.05, 0.11), "-5.0 to +11.0 %, more in 70.0 % of the draws");
    }

    #[test]
    fn a_bottleneck_that_is_not_the_fullest_is_told_apart() {
        let words = |limits: &[(&str, f64)], bottleneck: &str| {
            let limits = limits.iter();
            let limits: Vec<_> = limits
                .map(|(kind, share)| json!({ "kind": kind, "share": share }))
                .collect();
            fullest(&document(&json!({ "limits": limits })), bottleneck)
        };
        assert_eq!(
            words(&[("ethernet", 1.0)], "ethernet"),
            "What limits: Ethernet in every draw."
        );
        assert_eq!(
            words(&[("none", 1.0)], "offered"),
            "No resource limits in any draw."
        );
        assert_eq!(
            words(&[("pcie", 0.9), ("none", 0.1)], "pcie"),
            "What limits: PCIe in 90.0 %, no resource in 10.0 % of the draws."
        );
        assert_eq!(
            words(&[("ethernet", 1.0)], "core"),
            "What limits: Ethernet in every draw; the bottleneck (core) is what relief helps most, which \
             is not counted here."
        );
    }

    /// A figure with a value at the end of its range is nowhere else but below.
    #[test]
    fn an_answer_outside_its_interval_says_why() {
        let text = |ops_per_s: f64| {
            let figures = json!([
                { "of": "nic", "name": "unknown", "field": "port_rate", "value": "400 Gbit/s",
                  "range": ["1 Gbit/s", "400 Gbit/s"], "status": "assumed", "weight": 0.9 },
                { "of": "model", "weight": 0.1 },
            ]);
            let mut page = View::new();
            outside(&mut page, &document(&json!({ "figures": figures })), ops_per_s);
            page.text(&TextOptions::default()).replace("\n  ", " ")
        };
        assert_eq!(text(1.5).trim(), "");
        let above = text(2.5);
        assert!(
            above.contains("above its interval and is the best case"),
            "{above}"
        );
        assert!(above.contains("(unknown port_rate)"), "{above}");
        assert!(
            text(0.5).contains("below its interval and is the worst case"),
            "{}",
            text(0.5)
        );
    }

    #[test]
    fn draws_without_an_answer_are_said() {
        let text = |unsteady: u32| {
            let limits = [json!({ "kind": "memory", "share": 1.0 })];
            let own = json!({ "draws": 153, "unsteady": unsteady, "limits": limits });
            let mut page = View::new();
            certainty(&mut page, &document(&own), "memory");
            page.text(&TextOptions::default()).replace("\n  ", " ")
        };
        assert!(
            text(0).contains("From 153 draws of all uncertain figures: with"),
            "{}",
            text(0)
        );
        let some = text(47);
        assert!(
            some.contains("47 of 200 draws of all uncertain figures have no answer"),
            "{some}"
        );
        assert!(
            some.contains("From the other 153: with a probability of 90 %"),
            "{some}"
        );
    }
}

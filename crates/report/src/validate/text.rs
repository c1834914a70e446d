//! A validation for people.

use bandgraph_solve::LimitKind;
use bandgraph_study::{Coverage, ErrorSummary, LinkRun, ValidatedBottleneck, ValidatedPoint};
use bandgraph_units::QuantityKind;

use super::{
    CoverageGroup, ErrorGroup, ValidateReport, interval_words, measured_words, predicted_words, remarks,
};
use crate::text::{none, percent, resource_in_words, signed_percent};
use crate::view::{Side, Table, Tone, View};

/// `report` for people.
pub fn validate_view(report: &ValidateReport) -> View {
    let mut page = View::new();
    page.title("Predicted against measured");
    page.toned(
        if report.validation.holds() {
            Tone::Good
        } else {
            Tone::Alarm
        },
        &sentence(&report.verdict_sentence()),
    );
    let mut systems: Vec<&str> = Vec::new();
    for point in &report.validation.points {
        if !systems.contains(&point.system.as_str()) {
            systems.push(&point.system);
        }
    }
    for system in systems {
        page.heading(system);
        page.table(points(
            report
                .validation
                .points
                .iter()
                .filter(|point| point.system == system),
        ));
    }
    reasons(&mut page, report);
    links(&mut page, report);
    bottlenecks(&mut page, report);
    summary(&mut page, report);
    page
}

/// `text` with a capital and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .map(|letter| letter.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn points<'p>(points: impl Iterator<Item = &'p ValidatedPoint>) -> Table {
    let mut table = Table::default()
        .column("id", Side::Left)
        .column("measured", Side::Right)
        .column("predicted", Side::Right)
        .column("error", Side::Right)
        .optional("90 % interval", Side::Left)
        .optional("", Side::Left)
        .optional("metric", Side::Left)
        .optional("scenario", Side::Left);
    for point in points {
        let metric = match &point.measured.resource {
            Some(resource) => format!("{} of {resource}", point.measured.metric),
            None => point.measured.metric.to_string(),
        };
        table.row(
            if point.is_within() {
                Tone::Plain
            } else {
                Tone::Alarm
            },
            [
                point.measured.id.clone(),
                measured_words(point),
                predicted_words(point).unwrap_or_else(none),
                point.relative_error().map_or_else(none, signed_percent),
                interval_words(point).unwrap_or_default(),
                remarks(point).join(", "),
                metric,
                point.scenario.clone(),
            ],
        );
    }
    table
}

/// Why points may be off by more than usual.
fn reasons(page: &mut View, report: &ValidateReport) {
    let with_reason: Vec<(&str, &str)> = report
        .validation
        .points
        .iter()
        .filter_map(|point| Some((point.measured.id.as_str(), point.measured.reason.as_deref()?)))
        .collect();
    if with_reason.is_empty() {
        return;
    }
    page.heading("What the model misses");
    for (id, reason) in with_reason {
        page.item(&format!("{id}: {reason}"));
    }
}

fn links(page: &mut View, report: &ValidateReport) {
    for run in LinkRun::all(&report.validation.links) {
        page.heading(format!("Links, {}", run.run));
        let mut table = Table::default()
            .column("link", Side::Left)
            .column("measured", Side::Right)
            .column("predicted", Side::Right)
            .column("error", Side::Right)
            .optional("", Side::Left);
        for link in report
            .validation
            .links
            .iter()
            .filter(|link| link.measured.run == run.run)
        {
            let words = |rate| QuantityKind::Bandwidth.format(rate);
            table.row(
                Tone::Plain,
                [
                    link.measured.link.clone(),
                    words(link.measured.value),
                    link.predicted.map_or_else(none, words),
                    link.relative_error().map_or_else(none, signed_percent),
                    if link.measured.calibrated { "fitted" } else { "" }.to_owned(),
                ],
            );
        }
        page.table(table);
        page.paragraph(&link_sentence(&run));
    }
}

/// A run of counters in a sentence.
fn link_sentence(run: &LinkRun) -> String {
    let hottest = if run.names_the_hottest() {
        format!("the hottest is {}, as measured", run.hottest_predicted)
    } else {
        format!(
            "the hottest is {}, and was {}",
            run.hottest_predicted, run.hottest_measured
        )
    };
    let fitted = match run.calibrated {
        0 => String::new(),
        all if all == run.links => ", all of them fitted".to_owned(),
        some => format!(", {some} of them fitted"),
    };
    format!(
        "Between sockets: mean error {}, largest {}, over {} links{fitted}; {hottest}.",
        percent(run.mean),
        percent(run.max),
        run.links
    )
}

fn bottlenecks(page: &mut View, report: &ValidateReport) {
    if report.validation.bottlenecks.is_empty() {
        return;
    }
    page.heading("Bottlenecks");
    let mut table = Table::default()
        .column("scenario", Side::Left)
        .column("named by the source", Side::Left)
        .column("predicted", Side::Left)
        .column("", Side::Left)
        .optional("source", Side::Left);
    for found in &report.validation.bottlenecks {
        table.row(
            if found.holds() { Tone::Plain } else { Tone::Alarm },
            [
                found.scenario.clone(),
                named(found),
                predicted(found),
                if found.holds() { "same" } else { "OTHER" }.to_owned(),
                found.named.source.clone(),
            ],
        );
    }
    page.table(table);
}

/// The limit that the source names, in a few words.
fn named(found: &ValidatedBottleneck) -> String {
    let named = &found.named;
    limit(named.kind, found.named_technology.as_deref(), &named.resources)
}

/// The limit that is predicted, in a few words.
fn predicted(found: &ValidatedBottleneck) -> String {
    let predicted = &found.predicted;
    limit(predicted.kind, predicted.technology(), &predicted.ids())
}

/// A kind of limit and the first of its resources.
fn limit(kind: LimitKind, technology: Option<&str>, resources: &[String]) -> String {
    let kind = resource_in_words(kind.as_str(), technology);
    match resources.first() {
        Some(resource) => format!("{kind}: {resource}"),
        None => kind.to_owned(),
    }
}

fn summary(page: &mut View, report: &ValidateReport) {
    page.heading("Absolute errors");
    let mut table = Table::default()
        .column("", Side::Left)
        .column("points", Side::Right)
        .column("median", Side::Right)
        .column("mean", Side::Right)
        .column("largest", Side::Right)
        .optional("unseen", Side::Right)
        .optional("mean of unseen", Side::Right);
    let all = ErrorGroup {
        name: "all".to_owned(),
        errors: report.errors(),
        unseen: report.unseen(),
    };
    let rows = [all]
        .into_iter()
        .chain(report.by_system())
        .chain(report.by_metric());
    for group in rows {
        let told = |of: &ErrorSummary, value: f64| if of.points > 0 { percent(value) } else { none() };
        let errors = &group.errors;
        table.row(
            Tone::Plain,
            [
                group.name.clone(),
                errors.points.to_string(),
                told(errors, errors.median),
                told(errors, errors.mean),
                told(errors, errors.max),
                group.unseen.points.to_string(),
                told(&group.unseen, group.unseen.mean),
            ],
        );
    }
    page.table(table);
    page.blank();
    for words in [report.unseen_sentence(), report.null_model_sentence()]
        .into_iter()
        .flatten()
    {
        page.paragraph(&format!("{words}."));
    }
    coverage(page, report);
    if report.kept_bounds() > 0 {
        page.paragraph(&format!("{}.", report.kept_bounds_sentence()));
    }
}

/// How many points are within their intervals.
fn coverage(page: &mut View, report: &ValidateReport) {
    let Some(words) = report.coverage_sentence() else {
        return;
    };
    page.heading("Points within their 90 % intervals");
    page.paragraph(&format!("{words}."));
    let mut table = Table::default()
        .column("limit or system", Side::Left)
        .column("unseen", Side::Right)
        .column("inside", Side::Right)
        .column("share", Side::Right)
        .column("mean width", Side::Right)
        .optional("constant", Side::Right)
        .optional("points", Side::Right)
        .optional("inside", Side::Right)
        .optional("share", Side::Right)
        .optional("the model misses", Side::Right);
    for group in report.coverage() {
        let CoverageGroup { all, unseen, .. } = &group;
        let told = |of: &Coverage, value: f64| if of.points > 0 { percent(value) } else { none() };
        table.row(
            Tone::Plain,
            [
                group.name.clone(),
                unseen.points.to_string(),
                unseen.inside.to_string(),
                told(unseen, unseen.share()),
                format!("±{}", told(unseen, unseen.half_width)),
                format!("±{}", told(unseen, unseen.constant)),
                all.points.to_string(),
                all.inside.to_string(),
                told(all, all.share()),
                group.model_error.map_or_else(none, percent),
            ],
        );
    }
    page.table(table);
    page.paragraph(
        "An interval comes from the ranges of the figures and from what the model misses by kind of limit, which is \
         estimated from the unseen points of all other systems. The constant is the narrowest that has as many points \
         inside, chosen in hindsight. The last column is the estimate from all systems: one standard deviation.",
    );
}

//! A validation as Markdown: for the page of a CI step, and for documentation.

use std::fmt::Write as _;

use bandgraph_study::{Coverage, ErrorSummary, LinkRun};
use bandgraph_units::QuantityKind;

use super::text::{link_sentence, named, predicted};
use super::{
    CoverageGroup, ErrorGroup, ValidateReport, interval_words, measured_words, predicted_words, remarks,
};
use crate::markdown::{cell, plain};
use crate::text::{none, percent, signed_percent};

/// `report` as Markdown: the verdict, the summary, every point, every link.
pub fn validate_markdown(report: &ValidateReport) -> String {
    let mut page = format!(
        "## Predicted against measured\n\n{}\n\n",
        sentence(&report.verdict_sentence())
    );
    errors(&mut page, report);
    coverage(&mut page, report);
    points(&mut page, report);
    bottlenecks(&mut page, report);
    links(&mut page, report);
    page.truncate(page.trim_end().len());
    page.push('\n');
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

fn errors(page: &mut String, report: &ValidateReport) {
    page.push_str("### Errors without sign\n\n");
    let all = ErrorGroup {
        name: "all".to_owned(),
        errors: report.errors(),
        unseen: report.unseen(),
    };
    let by_system = [all].into_iter().chain(report.by_system()).collect();
    for (of, groups) in [("system", by_system), ("metric", report.by_metric())] {
        error_table(page, of, groups);
    }
    let _ = write!(
        page,
        "*Unseen* are points that nothing in the model was fitted to or derived from, that repeat no other, and that are not \
         the same whatever the model says. {}{}{}\n\n",
        report
            .unseen_sentence()
            .map(|words| sentence(&words) + " ")
            .unwrap_or_default(),
        report
            .null_model_sentence()
            .map(|words| sentence(&words) + " ")
            .unwrap_or_default(),
        match report.kept_bounds() {
            0 => String::new(),
            _ => format!("{}.", report.kept_bounds_sentence()),
        }
    );
}

/// Errors of groups of points: of all in a group, and of those that nothing was fitted to.
fn error_table(page: &mut String, of: &str, groups: Vec<ErrorGroup>) {
    let _ = write!(
        page,
        "| {of} | points | median | mean | largest | unseen points | median | mean | largest |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for group in groups {
        let _ = write!(page, "| {} ", cell(&group.name));
        for errors in [&group.errors, &group.unseen] {
            let told = |value: f64| if errors.points > 0 { percent(value) } else { none() };
            let ErrorSummary {
                points,
                median,
                mean,
                max,
            } = *errors;
            let _ = write!(
                page,
                "| {points} | {} | {} | {} ",
                told(median),
                told(mean),
                told(max)
            );
        }
        page.push_str("|\n");
    }
    page.push('\n');
}

/// How many points are within their intervals.
fn coverage(page: &mut String, report: &ValidateReport) {
    let Some(words) = report.coverage_sentence() else {
        return;
    };
    let _ = write!(
        page,
        "### Points within their 90 % intervals\n\n{}\n\n\
         | limit or system | unseen points | inside | share | mean width | constant with as many inside | \
         points | inside | \
         share | the model misses |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        sentence(&words)
    );
    for group in report.coverage() {
        let CoverageGroup { all, unseen, .. } = &group;
        let told = |of: &Coverage, value: f64| if of.points > 0 { percent(value) } else { none() };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | ±{} | ±{} | {} | {} | {} | {} |",
            cell(&group.name),
            unseen.points,
            unseen.inside,
            told(unseen, unseen.share()),
            told(unseen, unseen.half_width),
            told(unseen, unseen.constant),
            all.points,
            all.inside,
            told(all, all.share()),
            group.model_error.map_or_else(none, percent),
        );
    }
    page.push_str(
        "\nAn interval comes from the ranges of the figures and from what the model misses by kind of \
         limit, which is \
         estimated from the unseen points of all *other* systems. The constant is the narrowest that has \
         as many points \
         inside, chosen in hindsight. The last column is the estimate from all systems: one standard \
         deviation.\n\n",
    );
}

fn points(page: &mut String, report: &ValidateReport) {
    page.push_str(
        "### Points\n\n| id | metric | measured | predicted | 90 % interval | error | | scenario |\n\
         |---|---|--:|--:|--:|--:|---|---|\n",
    );
    for point in &report.validation.points {
        let metric = match &point.measured.resource {
            Some(resource) => format!("{} of {resource}", point.measured.metric),
            None => point.measured.metric.to_string(),
        };
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
            point.measured.id,
            cell(&metric),
            cell(&measured_words(point)),
            predicted_words(point).unwrap_or_else(none),
            interval_words(point).unwrap_or_else(none),
            point.relative_error().map_or_else(none, signed_percent),
            remarks(point).join(", "),
            cell(&point.scenario),
        );
    }
    page.push('\n');
    let with_reason = report.validation.points.iter().filter_map(|point| {
        let reason = point.measured.reason.as_deref()?;
        Some((point.measured.id.as_str(), reason))
    });
    let reasons: Vec<(&str, &str)> = with_reason.collect();
    if !reasons.is_empty() {
        page.push_str("What the model misses, and why:\n\n");
        for (id, reason) in reasons {
            let _ = writeln!(page, "- `{id}`: {}", plain(reason));
        }
        page.push('\n');
    }
}

fn bottlenecks(page: &mut String, report: &ValidateReport) {
    if report.validation.bottlenecks.is_empty() {
        return;
    }
    page.push_str(
        "### Bottlenecks\n\n| scenario | named by the source | predicted | | source |\n|---|---|---|---|---|\n",
    );
    for found in &report.validation.bottlenecks {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            cell(&found.scenario),
            cell(&named(found)),
            cell(&predicted(found)),
            if found.holds() { "same" } else { "**other**" },
            cell(&found.named.source),
        );
    }
    page.push('\n');
}

fn links(page: &mut String, report: &ValidateReport) {
    for run in LinkRun::all(&report.validation.links) {
        let _ = write!(
            page,
            "### Links, {}\n\n| link | measured | predicted | error | |\n|---|--:|--:|--:|---|\n",
            cell(&run.run)
        );
        for link in report
            .validation
            .links
            .iter()
            .filter(|link| link.measured.run == run.run)
        {
            let words = |rate| QuantityKind::Bandwidth.format(rate);
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} | {} |",
                link.measured.link,
                words(link.measured.value),
                link.predicted.map_or_else(none, words),
                link.relative_error().map_or_else(none, signed_percent),
                if link.measured.calibrated { "fitted" } else { "" },
            );
        }
        let _ = write!(page, "\n{}\n\n", link_sentence(&run));
    }
}

//! A calibration as Markdown, for documentation.

use std::fmt::Write as _;

use bandgraph_study::{Fit, FittedPoint};

use super::{CalibrateReport, words};
use crate::comparison::in_words;
use crate::markdown::{cell, plain};
use crate::text::signed_percent;

/// `report` as Markdown: parameters, what the data tell, points, and what machines that were left out get
/// predicted.
pub fn calibrate_markdown(report: &CalibrateReport) -> String {
    let mut page = format!("### {}\n\n", plain(&report.name));
    if !report.description.is_empty() {
        let _ = write!(page, "{}\n\n", plain(&report.description));
    }
    let _ = write!(page, "Fitted to {}.\n\n", plain(&report.fit.fitted_to.join(", ")));
    parameters(&mut page, &report.fit);
    let _ = writeln!(page, "{}", words::condition(&report.fit));
    for found in &report.fit.certainty.undetermined {
        let _ = writeln!(page, "{}", plain(&words::undetermined(&report.fit, found)));
    }
    for found in &report.fit.certainty.correlated {
        let _ = writeln!(page, "{}", plain(&words::correlated(&report.fit, found)));
    }
    page.push('\n');
    points(&mut page, report.fit.points.iter());
    errors(&mut page, report);
    for (left_out, fit) in &report.left_out {
        let _ = write!(
            page,
            "Fitted without {}, and its points predicted:\n\n",
            plain(left_out)
        );
        points(&mut page, fit.points.iter().filter(|point| !point.seen));
        let _ = write!(page, "{}\n\n", plain(&words::lost(&report.fit, fit)));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn parameters(page: &mut String, fit: &Fit) {
    page.push_str("| parameter | start | fitted | 95 % interval | range | source of the range |\n|---|--:|--:|---|---|---|\n");
    for fitted in &fit.parameters {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} |",
            fitted.parameter.path,
            words::value(fitted, fitted.parameter.start),
            words::value(fitted, fitted.value),
            words::interval(fitted),
            words::range(fitted),
            cell(&fitted.parameter.source),
        );
    }
    page.push('\n');
}

fn points<'p>(page: &mut String, points: impl Iterator<Item = &'p FittedPoint>) {
    page.push_str("| point | system | measured | error at the start | fitted | error | |\n|---|---|--:|--:|--:|--:|---|\n");
    for point in points {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            point.point.id,
            cell(&point.point.system),
            cell(&point.point.text),
            signed_percent(point.deviation_before),
            in_words(point.point.kind, point.after, &point.point.text),
            signed_percent(point.deviation_after),
            if point.seen { "" } else { "not seen" },
        );
    }
    page.push('\n');
}

fn errors(page: &mut String, report: &CalibrateReport) {
    page.push_str("| errors without sign | points | median | mean | largest |\n|---|--:|--:|--:|--:|\n");
    for (name, [points, median, mean, max]) in words::error_rows(report) {
        let _ = writeln!(
            page,
            "| {} | {points} | {median} | {mean} | {max} |",
            plain(&name)
        );
    }
    page.push('\n');
}

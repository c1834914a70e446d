//! A calibration for people.

use bandgraph_study::{Fit, FittedPoint};

use super::{CalibrateReport, words};
use crate::comparison::in_words;
use crate::text::signed_percent;
use crate::view::{Side, Table, Tone, View};

/// `report` for people.
pub fn calibrate_view(report: &CalibrateReport) -> View {
    let mut page = View::new();
    page.title(&report.name);
    if !report.description.is_empty() {
        page.paragraph(&report.description);
    }
    page.paragraph(&format!("Fitted to {}.", report.fit.fitted_to.join(", ")));
    parameters(&mut page, &report.fit);
    certainty(&mut page, &report.fit);
    page.heading("Training points");
    page.table(points(report.fit.points.iter().filter(|point| point.seen)));
    if report.fit.points.iter().any(|point| !point.seen) {
        page.heading("Other points");
        page.table(points(report.fit.points.iter().filter(|point| !point.seen)));
    }
    errors(&mut page, report);
    for (left_out, fit) in &report.left_out {
        page.heading(format!("Fitted without {left_out}"));
        page.table(points(fit.points.iter().filter(|point| !point.seen)));
        page.paragraph(&words::lost(&report.fit, fit));
    }
    page
}

fn parameters(page: &mut View, fit: &Fit) {
    page.heading("Parameters");
    let mut table = Table::default()
        .column("parameter", Side::Left)
        .column("start", Side::Right)
        .column("fitted", Side::Right)
        .column("95 % interval", Side::Left)
        .optional("range", Side::Left)
        .optional("source of the range", Side::Left);
    for fitted in &fit.parameters {
        table.row(
            Tone::Plain,
            [
                fitted.parameter.path.clone(),
                words::value(fitted, fitted.parameter.start),
                words::value(fitted, fitted.value),
                words::interval(fitted),
                words::range(fitted),
                fitted.parameter.source.clone(),
            ],
        );
    }
    page.table(table);
}

fn certainty(page: &mut View, fit: &Fit) {
    page.heading("What the data identify");
    page.paragraph(&words::condition(fit));
    for found in &fit.certainty.undetermined {
        page.paragraph(&words::undetermined(fit, found));
    }
    for found in &fit.certainty.correlated {
        page.paragraph(&words::correlated(fit, found));
    }
}

fn points<'p>(points: impl Iterator<Item = &'p FittedPoint>) -> Table {
    let mut table = Table::default()
        .column("id", Side::Left)
        .column("measured", Side::Right)
        .column("at the start", Side::Right)
        .column("fitted", Side::Right)
        .column("error", Side::Right)
        .optional("system", Side::Left);
    for point in points {
        table.row(
            Tone::Plain,
            [
                point.point.id.clone(),
                point.point.text.clone(),
                signed_percent(point.deviation_before),
                in_words(point.point.kind, point.after, &point.point.text),
                signed_percent(point.deviation_after),
                point.point.system.clone(),
            ],
        );
    }
    table
}

fn errors(page: &mut View, report: &CalibrateReport) {
    page.heading("Absolute errors");
    let mut table = Table::default()
        .column("", Side::Left)
        .column("points", Side::Right)
        .column("median", Side::Right)
        .column("mean", Side::Right)
        .column("largest", Side::Right);
    for (name, errors) in words::error_rows(report) {
        table.row(Tone::Plain, [name].into_iter().chain(errors));
    }
    page.table(table);
}

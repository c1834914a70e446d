//! A validation for people.

use bandgraph_scenario::{DEFAULT_TOLERANCE, Metric};
use bandgraph_units::{Fraction, QuantityKind};

use super::{
    CoverageDocument, ValidateBottleneckDocument, ValidateDocument, ValidateErrorsDocument,
    ValidateGroupDocument, ValidateLinkDocument, ValidateLinkRunDocument, ValidatePointDocument,
    ValidateSummaryDocument,
};
use crate::comparison::in_words;
use crate::sweep::file_name;
use crate::text::{
    between, counted, how, inputs, none, origin, percent, provenance, resource_in_words, short_hash,
    signed_percent,
};
use crate::view::{Side, Table, Tone, View};

/// Points that are listed one by one; of more, only those with the largest errors.
const POINTS: usize = 40;
/// How many of these there are.
const LARGEST: usize = 10;
/// Digits of a measured figure that is shown as its source prints it.
const PRINTED: usize = 8;

/// A validation for people. Of many points, text shows the largest errors.
pub fn validate_view(document: &ValidateDocument) -> View {
    let mut page = view(document, document.points.len() > POINTS);
    page.blank();
    let mut seeds: Vec<u64> = document.scenarios.iter().map(|scenario| scenario.seed).collect();
    seeds.dedup();
    let origin = match seeds.as_slice() {
        &[seed] => origin(Some(&document.files.join(", ")), seed, &document.input_hash),
        _ => format!(
            "{}, input {}",
            document.files.join(", "),
            short_hash(&document.input_hash)
        ),
    };
    provenance(&mut page, &document.bandgraph, how(document.mode), &[origin]);
    page
}

/// A validation with every point, or, if it is long, with tables of all points only where they fold.
pub(super) fn view(document: &ValidateDocument, is_long: bool) -> View {
    let mut page = View::new();
    page.title("Predicted against measured");
    let software = document.scenarios.iter().map(|scenario| &scenario.software);
    inputs(&mut page, software, &document.overrides);
    let tone = if document.summary.ok {
        Tone::Good
    } else {
        Tone::Alarm
    };
    page.toned(tone, &sentence(&verdict(document)));
    if is_long {
        page.heading("Largest errors");
        page.table(points_table(largest_errors(&document.points)));
        page.paragraph("`--format html`, `csv` and `json` have all points, links and bottlenecks.");
    }
    for system in &document.summary.by_system {
        let points = document.points.iter();
        let table = points_table(points.filter(|point| point.system == system.name));
        if is_long {
            page.folded(&system.name, table);
        } else {
            page.heading(&system.name);
            page.table(table);
        }
    }
    reasons(&mut page, &document.points);
    links(&mut page, document, is_long);
    bottlenecks(&mut page, &document.bottlenecks, is_long);
    summary(&mut page, &document.summary);
    page
}

/// Points outside their tolerance, then those with the largest errors.
fn largest_errors(points: &[ValidatePointDocument]) -> impl Iterator<Item = &ValidatePointDocument> {
    let size = |point: &ValidatePointDocument| point.relative_error.map_or(f64::INFINITY, f64::abs);
    let mut points: Vec<&ValidatePointDocument> = points.iter().filter(|point| !point.is_bound()).collect();
    points.sort_by(|a, b| a.within.cmp(&b.within).then(size(b).total_cmp(&size(a))));
    let outside = points.iter().filter(|point| !point.within).count();
    points.into_iter().take(outside.max(LARGEST))
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

/// The verdict in a sentence without a stop.
pub(super) fn verdict(document: &ValidateDocument) -> String {
    let (points, named) = (document.points.len(), document.bottlenecks.len());
    let wrong = document.bottlenecks.iter().filter(|named| !named.ok).count();
    let points = match document.summary.outside.len() {
        0 if points == 1 => "the only point is within its tolerance".to_owned(),
        0 => format!(
            "all {points} points are within their tolerance ({})",
            tolerances(&document.points)
        ),
        1 => format!(
            "1 of {} is outside its tolerance",
            counted(points as f64, "point")
        ),
        outside => format!("{outside} of {points} points are outside their tolerance"),
    };
    match (named, wrong) {
        (0, _) => points,
        (1, 0) => format!("{points}; the bottleneck is the one that the source names"),
        (_, 0) => format!("{points}; all {named} bottlenecks are those that the sources name"),
        (_, 1) => format!("{points}; 1 of {named} bottlenecks is another than the source names"),
        _ => format!("{points}; {wrong} of {named} bottlenecks are others than the sources name"),
    }
}

/// A share, or what is written where there is none.
pub(super) fn share(value: Option<f64>) -> String {
    value.map_or_else(none, percent)
}

fn points_table<'p>(points: impl Iterator<Item = &'p ValidatePointDocument>) -> Table {
    let mut table =
        Table::of("id | >measured | >predicted | >error | ?90 % interval | ?(remarks) | ?metric | ?scenario");
    for point in points {
        // As its source prints it, unless that is a counter.
        let digits = point.measured_text.bytes().filter(u8::is_ascii_digit).count();
        let like = if digits > PRINTED {
            ""
        } else {
            &point.measured_text
        };
        let words = |value: f64| in_words(point.kind(), value, like);
        let measured = if like.is_empty() {
            words(point.measured)
        } else {
            like.to_owned()
        };
        let metric = match (&point.resource, &point.relative_to) {
            (Some(resource), _) => format!("{} of {resource}", point.metric),
            (None, Some(other)) => format!("{} over that of {}", point.metric, file_name(other)),
            (None, None) => point.metric.clone(),
        };
        let interval = point.interval.map(|ends| between(ends, words));
        table.row(
            if point.within { Tone::Plain } else { Tone::Alarm },
            [
                point.id.clone(),
                measured,
                point.predicted.map_or_else(none, words),
                point.relative_error.map_or_else(none, signed_percent),
                interval.unwrap_or_default(),
                remarks(point).join(", "),
                metric,
                point.scenario.clone(),
            ],
        );
    }
    table
}

/// Remarks on a point: whether something was fitted to it, what kind of bound it is, that it may be off by
/// more than others, and that it is outside.
fn remarks(point: &ValidatePointDocument) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(point.calibrated.then(|| "fitted".to_owned()));
    remarks.extend(point.dependence.clone());
    remarks.extend(point.is_bound().then(|| point.statistic.clone()));
    let is_telling = is_tolerated(point) || !point.within && point.predicted.is_some();
    remarks.extend(is_telling.then(|| format!("tolerance {}", Fraction::new(point.tolerance))));
    remarks.extend((!point.within).then(|| "OUTSIDE".to_owned()));
    let metric = Metric::from_name(&point.metric).filter(|_| point.predicted.is_none());
    remarks.extend(metric.and_then(Metric::why_missing).map(str::to_owned));
    remarks
}

/// Whether the deviation of a point may be larger than that of others.
fn is_tolerated(point: &ValidatePointDocument) -> bool {
    point.tolerance > DEFAULT_TOLERANCE
}

/// How large the deviations of points may be: `25 %`, `25 %, of 3 up to 60 %`.
fn tolerances(points: &[ValidatePointDocument]) -> String {
    let larger = || points.iter().filter(|point| is_tolerated(point));
    let widest = |points: &mut dyn Iterator<Item = &ValidatePointDocument>| {
        Fraction::new(points.map(|point| point.tolerance).fold(0.0, f64::max))
    };
    match larger().count() {
        0 => widest(&mut points.iter()).to_string(),
        count => format!(
            "{}, of {count} up to {}",
            widest(&mut points.iter().filter(|point| !is_tolerated(point))),
            widest(&mut larger())
        ),
    }
}

/// Why points may be off by more than usual.
fn reasons(page: &mut View, points: &[ValidatePointDocument]) {
    let mut reasons = points
        .iter()
        .filter_map(|point| Some(format!("{}: {}", point.id, point.reason.as_deref()?)))
        .peekable();
    if reasons.peek().is_some() {
        page.heading("Error of the model");
    }
    reasons.for_each(|reason| page.item(&reason));
}

fn links(page: &mut View, document: &ValidateDocument, is_long: bool) {
    for run in &document.summary.links {
        page.heading(format!("Links, {}", run.run));
        let mut table = Table::of("link | >measured | >predicted | >error | ?(remarks)");
        let of_run = |link: &&ValidateLinkDocument| link.run == run.run;
        for link in document.links.iter().filter(of_run) {
            let words = |rate| QuantityKind::Bandwidth.format(rate);
            table.plain([
                link.link.clone(),
                words(link.measured),
                link.predicted.map_or_else(none, words),
                link.relative_error.map_or_else(none, signed_percent),
                if link.calibrated { "fitted" } else { "" }.to_owned(),
            ]);
        }
        if is_long {
            page.folded("All links", table);
        } else {
            page.table(table);
        }
        page.paragraph(&link_sentence(run));
    }
}

/// A run of counters in a sentence.
fn link_sentence(run: &ValidateLinkRunDocument) -> String {
    let hottest = if run.hottest_measured == run.hottest_predicted {
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

fn bottlenecks(page: &mut View, bottlenecks: &[ValidateBottleneckDocument], is_long: bool) {
    if bottlenecks.is_empty() {
        return;
    }
    page.heading("Bottlenecks");
    let all = bottlenecks_table(bottlenecks.iter());
    if !is_long {
        page.table(all);
        return;
    }
    if bottlenecks.iter().all(|found| found.ok) {
        page.paragraph(&format!(
            "The predicted bottlenecks are those that the sources name: {} of {}.",
            bottlenecks.len(),
            bottlenecks.len()
        ));
    } else {
        page.table(bottlenecks_table(bottlenecks.iter().filter(|found| !found.ok)));
    }
    page.folded("All bottlenecks", all);
}

fn bottlenecks_table<'b>(bottlenecks: impl Iterator<Item = &'b ValidateBottleneckDocument>) -> Table {
    let mut table = Table::of("scenario | named by the source | predicted | (agreement) | ?source");
    for found in bottlenecks {
        let predicted_technology = found.predicted_technology.as_deref();
        table.row(
            if found.ok { Tone::Plain } else { Tone::Alarm },
            [
                found.scenario.clone(),
                limit(&found.kind, found.technology.as_deref(), &found.resources),
                limit(
                    &found.predicted_kind,
                    predicted_technology,
                    &found.predicted_resources,
                ),
                if found.ok { "same" } else { "OTHER" }.to_owned(),
                found.source.clone(),
            ],
        );
    }
    table
}

/// A kind of limit and the first of its resources.
fn limit(kind: &str, technology: Option<&str>, resources: &[String]) -> String {
    let kind = resource_in_words(kind, technology);
    match resources.first() {
        Some(resource) => format!("{kind}: {resource}"),
        None => kind.to_owned(),
    }
}

/// The columns of errors in a table.
pub(crate) fn errors_table() -> Table {
    Table::of("(of) | >points | >median | >mean | >largest")
}

/// The cells of errors in their columns.
pub(crate) fn errors_cells(name: &str, errors: &ValidateErrorsDocument) -> [String; 5] {
    [
        name.to_owned(),
        errors.points.to_string(),
        share(errors.median),
        share(errors.mean),
        share(errors.max),
    ]
}

fn summary(page: &mut View, summary: &ValidateSummaryDocument) {
    page.heading("Absolute errors");
    let mut table = errors_table()
        .optional("unseen", Side::Right)
        .optional("mean of unseen", Side::Right);
    let all = ValidateGroupDocument {
        name: "all".to_owned(),
        all: summary.all,
        unseen: summary.unseen,
    };
    for group in std::iter::once(&all)
        .chain(&summary.by_system)
        .chain(&summary.by_metric)
    {
        let unseen = [group.unseen.points.to_string(), share(group.unseen.mean)];
        let cells = errors_cells(&group.name, &group.all).into_iter();
        table.plain(cells.chain(unseen));
    }
    page.table(table);
    page.blank();
    for words in [unseen_sentence(summary), null_model_sentence(summary)]
        .into_iter()
        .flatten()
    {
        page.paragraph(&format!("{words}."));
    }
    coverage(page, summary);
    match summary.kept_bounds {
        0 => {}
        1 => page.paragraph("One bound holds; it is not counted above, because a bound has no error."),
        count => page.paragraph(&format!(
            "{count} bounds hold; they are not counted above, because a bound has no error."
        )),
    }
}

/// How far unseen points are off, in a sentence without a stop; `None` without any.
pub(super) fn unseen_sentence(summary: &ValidateSummaryDocument) -> Option<String> {
    let (points, systems) = (&summary.unseen, &summary.unseen_by_system);
    (points.points > 0).then(|| {
        format!(
            "{} of {}, systems weighted equally: off by {} on average, median {}; single points: median \
             {}, mean {}, largest {}",
            counted(points.points as f64, "unseen point"),
            counted(systems.points as f64, "system"),
            share(systems.mean),
            share(systems.median),
            share(points.median),
            share(points.mean),
            share(points.max),
        )
    })
}

/// The same of a rule without a model beside the model, in a sentence without a stop; `None` without one.
pub(super) fn null_model_sentence(summary: &ValidateSummaryDocument) -> Option<String> {
    let (model, null) = (&summary.beside_null_model, &summary.null_model);
    (null.points > 0).then(|| {
        format!(
            "For {} of them a simple rule predicts without the model: its errors have a median of {} and a mean \
             of {}, those of the model {} and {}",
            null.points,
            share(null.median),
            share(null.mean),
            share(model.median),
            share(model.mean),
        )
    })
}

/// How many points are within their 90 % intervals.
fn coverage(page: &mut View, summary: &ValidateSummaryDocument) {
    let Some(whole) = summary.coverage.first() else {
        return;
    };
    page.heading("Points within their 90 % intervals");
    let of = |found: &CoverageDocument| {
        format!(
            "{} of {} ({}), with a mean width of ±{}; a constant ±{} has as many inside",
            found.inside,
            found.points,
            share(found.share()),
            share(found.half_width),
            share(found.constant)
        )
    };
    page.paragraph(&format!(
        "Within their 90 % interval are, of unseen points, {}; of all points, {}.",
        of(&whole.unseen),
        of(&whole.all)
    ));
    let mut table = Table::of(
        "limit or system | >unseen | >inside | >share | >mean width | ?>constant | ?>points | ?>inside | ?>share | ?>model error",
    );
    for group in &summary.coverage {
        let (all, unseen) = (&group.all, &group.unseen);
        table.plain([
            group.name.clone(),
            unseen.points.to_string(),
            unseen.inside.to_string(),
            share(unseen.share()),
            format!("±{}", share(unseen.half_width)),
            format!("±{}", share(unseen.constant)),
            all.points.to_string(),
            all.inside.to_string(),
            share(all.share()),
            share(group.model_error),
        ]);
    }
    page.table(table);
    page.paragraph(
        "An interval comes from the ranges of the figures and from the error of the model by kind of limit, which is \
         estimated from the unseen points of all other systems, with those that come with the program. \
         `run` uses those of all systems, so that its interval of the same scenario differs. \
         Wide pages also have all points, and two columns more: `constant` is the narrowest that has as many \
         points inside, chosen in hindsight; `model error` is that on a system that is not measured, \
         estimated from all systems: one standard deviation.",
    );
    if whole.ranges.is_some() {
        page.paragraph(&format!(
            "Figures are off by {} of what the ranges that come with the program allow: of the shares from \
             25 to 100 %, the most likely one, estimated as the error of the model is.",
            share(whole.ranges)
        ));
    }
}

//! The page of the documentation that says how well the model does.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bandgraph_model::LimitGroup;
use bandgraph_study::ErrorSummary;

use super::ValidateDocument;
use super::text::{null_model_sentence, sentence, share, unseen_sentence, verdict, view};
use crate::calibrate::{CalibrateDocument, calibrate_view};
use crate::text::percent;

const INTRO: &str = "\
<!-- Made by `cargo xtask validation`. Do not edit: the text is in crates/report/src/validate/page.rs, the \
figures come \
from the scenarios. -->

# Validation: predicted against measured

Between 2008 and 2010, Sun and others published measurements of their servers: NFS reads and writes \
of the Sun Storage 7410 in three \
generations, plain TCP, a batch on a grid, a mail store, memcached, Nastran, power. This page compares the model with all of it. \
Every published figure of a machine that this project describes is a `[[measured]]` entry of a scenario, with its unit, the kind \
of figure, and its source; a test holds the entries to the table of published measurements \
(`crates/scenario/tests/shipped.rs`). `bandgraph validate` predicts them all. Nothing is left out, and CI fails when the page is \
stale. [Systems](systems.md) describes the systems and the assumptions of each scenario.

";

const WORDS: &str = "\
Terms:

- *fitted*: some figure of the model was fitted to the point, or an assumption was chosen so that it comes out (a load that \
  is not published, for example). Such a point says that the model *can* show what was measured, and nothing about how well \
  it predicts. *derived*: a figure of the model was derived from it. *same run*: it follows from another row by arithmetic, or \
  the same prediction is held against another. *insensitive*: hardly any figure of the model moves its prediction. All other \
  points are *unseen*, and only they say how well the model predicts.
- *90 % interval*: the range that contains the true value with a probability of 90 %, according to the model
  ([intervals](intervals.md)). The error of the model by kind of limit is estimated from the unseen points of all other systems.
- *error*: predicted over measured, less one: +5 % is five percent too much. *Absolute*: 5 % either way.
- *lower bound*, *upper bound*: the source says \"over\" or \"at most\". A bound that is kept has no error and does not count.
- *OUTSIDE*: the error exceeds the tolerance of the scenario. A tolerance above 25 % has a reason; the reasons are listed.
- Names of metrics are those of the program: `network_bytes_per_s` is everything at the server's network ports with its \
  headers, `payload_bytes_per_s` is file data, `cpi` cycles per instruction, `elapsed_s` the time of a job.

";

const PICTURES: &str = "\
![Predicted against measured, on logarithmic axes](pictures/validation-measured.svg)

A point on the broken line is predicted exactly, one in the band to within 10 %. Hollow points were used in a fit. The line
through a point is its 90 % interval.

![Errors of all points, by system](pictures/validation-errors.svg)

Bars to the left are predicted too low, to the right too high. Hollow bars were used in a fit. The thin line is the 90 %
interval of the prediction: where it crosses zero, the measurement is within it.

![Measurements within intervals of each probability](pictures/validation-coverage.svg)

How many of the unseen measurements of 2008 to 2010 are within intervals of each probability, 50 or 90 %. On \
the diagonal, intervals contain as many as they say; above it they are too wide, below it too narrow. In the \
band around the diagonal the difference is no more than chance. The servers of today:

![Measurements of today within intervals of each probability](pictures/validation-coverage-today.svg)

![Links of the 7410: counters and predictions](pictures/validation-links.svg)

Bytes a second on each link between sockets and to the I/O bridges, by the hardware's counters (grey) and predicted. How to \
read the pictures: [plots](plots.md).

";

/// The error within which nine of ten points of servers of today are asked to be.
const CLOSE: f64 = 0.25;

const TODAY: &str = "\
## Servers of today

What was published of servers of 2012 to 2025, in `scenarios/modern`. No figure is fitted to a row. What \
is assumed of these machines, and which rows are not described well enough to compare: [servers of today](modern.md).

";

const FITTED: &str = "\
## What was fitted, and what fits predict

`bandgraph calibrate` fits figures of the stack to measurements, within the ranges that physics or the literature sets them, \
and says how well the data know them. The profile in use (*start* below) was fitted before there was this command, to points \
that are marked *fitted* above. One stack serves all machines with the same software: no figure is for a single scenario. How \
to read the tables: [calibration](calibration.md).

";

const LIMITS: &str = "\
## Limits of the model

- **Loads that are not published.** Several tests were run with a load below what the machine can take, and the posts do not \
  say which. Such scenarios choose a pause between operations, and count as fitted.
- **Where threads and memory were.** The counters of the 7410 show that memory was not spread evenly over its sockets, and \
  how it was is not published. The scenarios `7410-*/counters.toml` have one rule of placement for all three runs and three figures \
  that were fitted to their links; single links are off by up to a fifth. Streams from disk use the same rule. All other \
  scenarios spread threads and memory evenly.
- **One figure for many kinds of work.** An operation costs the same whatever directory it is in; a byte costs the same \
  whatever file. Differences between files, locks, and other work of the operating system are not modelled.
- **Averages.** A prediction has averages, and the mean effect of random queueing. \
Percentiles come from simulations, and their width is too small: \
  lost packets, retries and the scheduler are not modelled.
- **Software of other times.** Posts of 2008 and 2009 are about different releases. If the source names the features that an older release lacked, \
  the scenario names them; otherwise they are marked as an assumption.
- **Rounded figures.** \"Half a million\" and \"1 Gbyte/sec\" are accurate to 5 or 10 % only; they cannot show that a model is \
  better than that.

What is modelled, and what is not: [the model](model.md).
";

/// The whole page: points, links and bottlenecks; the same of servers of today; what was fitted, and what
/// fits predict of machines that they have not seen; and what the model cannot do.
pub fn validation_page(
    report: &ValidateDocument,
    today: &ValidateDocument,
    calibrations: &[CalibrateDocument],
) -> String {
    let mut page = format!("{INTRO}{}{}{WORDS}{PICTURES}", in_short(report), by_limit(report));
    let _ = writeln!(page, "{}", view(report, false).markdown(2));
    page.push_str(TODAY);
    page.push_str(&of_today(today));
    let _ = writeln!(page, "{}", view(today, false).markdown(3));
    if !calibrations.is_empty() {
        page.push_str(FITTED);
        for calibration in calibrations {
            let _ = writeln!(page, "{}", calibrate_view(calibration).markdown(3));
        }
    }
    page.push_str(LIMITS);
    page
}

/// How well servers of today are predicted: over all, and by what limits them. Every point counts alike: few
/// systems have more than one kind of load.
fn of_today(document: &ValidateDocument) -> String {
    let all = unseen_of(document, LimitGroup::ALL);
    let found = ErrorSummary::of_errors(all.iter().map(|(_, deviation)| *deviation));
    format!(
        "**In short:** {} unseen points: median error {}, mean {}, {} within {}. The aim is a median of 10 % \
         and 90 % within 25 %. Of {} limits that sources name, {} are those predicted.\n\n{}",
        found.points,
        percent(found.median),
        percent(found.mean),
        percent(close(&all) as f64 / found.points.max(1) as f64),
        percent(CLOSE),
        document.bottlenecks.len(),
        document.bottlenecks.iter().filter(|named| named.ok).count(),
        by_limit(document),
    )
}

/// The system and the deviation of each unseen point with a limit of these groups.
fn unseen_of<'d>(document: &'d ValidateDocument, limits: &[LimitGroup]) -> Vec<(&'d str, f64)> {
    let points = document.points.iter();
    let unseen = points.filter(|point| point.is_unseen() && !point.is_kept_bound());
    let of_limits = unseen.filter(|point| {
        let limit = point.limit.as_deref();
        limits.len() == LimitGroup::ALL.len() || limits.iter().any(|one| limit == Some(one.as_str()))
    });
    of_limits
        .filter_map(|point| Some((point.system.as_str(), point.deviation?)))
        .collect()
}

/// How many points are within [`CLOSE`].
fn close(deviations: &[(&str, f64)]) -> usize {
    let close = deviations
        .iter()
        .filter(|(_, deviation)| deviation.abs() <= CLOSE);
    close.count()
}

/// A table of unseen points by the limit that is predicted.
fn by_limit(document: &ValidateDocument) -> String {
    let mut text = format!(
        "| limit predicted | unseen points | systems | mean of systems | median of points | within {} |\n\
         |---|--:|--:|--:|--:|--:|\n",
        percent(CLOSE)
    );
    let inner = [LimitGroup::Cards, LimitGroup::Links, LimitGroup::Cores];
    let whole = [
        ("all", LimitGroup::ALL),
        ("PCIe, ports, links, memory or cores", &inner),
    ];
    let single = LimitGroup::ALL
        .iter()
        .map(|limit| (limit.as_str(), std::slice::from_ref(limit)));
    for (name, limits) in whole.into_iter().chain(single) {
        let found = unseen_of(document, limits);
        let mut systems = BTreeMap::<&str, Vec<f64>>::new();
        for &(system, deviation) in &found {
            systems.entry(system).or_default().push(deviation);
        }
        let of_points = ErrorSummary::of_errors(found.iter().map(|(_, deviation)| *deviation));
        let means = systems.into_values().map(|one| ErrorSummary::of_errors(one).mean);
        let of_systems = ErrorSummary::of_errors(means);
        if of_points.points > 0 {
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {} | {} | {} |",
                of_points.points,
                of_systems.points,
                percent(of_systems.mean),
                percent(of_points.median),
                close(&found)
            );
        }
    }
    text.push('\n');
    text
}

/// The answer in a paragraph, for a reader who stops there.
fn in_short(document: &ValidateDocument) -> String {
    let ValidateDocument {
        points,
        links,
        summary,
        ..
    } = document;
    let worst = points
        .iter()
        .filter(|point| point.is_unseen())
        .filter_map(|point| Some((point.deviation?.abs(), &point.id)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let worst = worst.map_or_else(String::new, |(error, id)| {
        format!(" The worst is off by {} (`{id}`).", percent(error))
    });
    format!(
        "**In short:** {}{worst} Of all {} figures of {} systems, {} were fitted to, and {} are derived, repeat \
         others or are insensitive; over all, half are within {}. {}{} Also compared are {} link \
         counters, {} of which figures of the model were fitted to.\n\n",
        unseen_sentence(summary).map_or_else(String::new, |words| sentence(&words)),
        points.len(),
        summary.by_system.len(),
        points.iter().filter(|point| point.calibrated).count(),
        points.iter().filter(|point| point.dependence.is_some()).count(),
        share(summary.all.median),
        null_model_sentence(summary).map_or_else(String::new, |words| sentence(&words) + " "),
        sentence(&verdict(document)),
        links.len(),
        links.iter().filter(|link| link.calibrated).count(),
    )
}

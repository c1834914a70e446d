//! Conversion of decoded entries into the reference values of a scenario.

use bandgraph_config::{Decoded, Files, Problems, ReadError, normal};
use bandgraph_model::Bound;
use bandgraph_solve::LimitKind;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, there_are};

use crate::measured::DEFAULT_TOLERANCE;
use crate::{Expect, Measured, MeasuredLink, Metric, NamedBottleneck};

/// Names of resources that are listed or looked at for "did you mean".
const MAXIMUM_NAMES: usize = 500;

/// The measurements of a scenario.
pub(crate) fn measured(decoded: &Decoded, sources: &Sources) -> Vec<Measured> {
    let entries = decoded.entries("measured").iter();
    entries
        .filter_map(|entry| {
            let metric: Metric = *entry.custom("metric")?;
            let value = entry.amount("value")?;
            Some(Measured {
                id: entry.text_or_empty("id"),
                metric,
                resource: entry.text("resource").map(str::to_owned),
                relative_to: base(entry, sources),
                value,
                text: entry.written("value").unwrap_or_else(|| value.to_string()),
                statistic: entry.get("statistic")?,
                tolerance: entry.amount("tolerance").unwrap_or(DEFAULT_TOLERANCE),
                reason: entry.text("reason").map(str::to_owned),
                calibrated: entry.flag("calibrated").unwrap_or(false),
                dependence: entry.get("dependence"),
                null_model: entry.amount("null_model"),
                source: entry.text_or_empty("source"),
                note: entry.text("note").map(str::to_owned),
                place: entry.place.clone(),
            })
        })
        .collect()
}

/// The file of the scenario that a measurement is relative to; its path is relative to the file that names
/// it.
fn base(entry: &Decoded, sources: &Sources) -> Option<PathBuf> {
    let file = Path::new(sources.name(entry.place_of("relative_to").source));
    let folder = file.parent().unwrap_or(Path::new(""));
    Some(normal(&folder.join(entry.text("relative_to")?)))
}

/// The counter values of links.
pub(crate) fn measured_links(decoded: &Decoded) -> Vec<MeasuredLink> {
    let entries = decoded.entries("measured_link").iter();
    entries
        .filter_map(|entry| {
            Some(MeasuredLink {
                link: entry.text_or_empty("link"),
                value: entry.amount("value")?,
                run: entry.text_or_empty("run"),
                calibrated: entry.flag("calibrated").unwrap_or(false),
                source: entry.text_or_empty("source"),
                note: entry.text("note").map(str::to_owned),
            })
        })
        .collect()
}

/// The bottleneck of the real machine.
pub(crate) fn named_bottleneck(decoded: &Decoded) -> Option<NamedBottleneck> {
    let entry = decoded.table("bottleneck")?;
    let word = entry.text("kind")?;
    Some(NamedBottleneck {
        kind: LimitKind::all().find(|kind| kind.as_str() == word)?,
        resources: entry
            .names("resources")
            .iter()
            .map(|name| name.text.clone())
            .collect(),
        source: entry.text_or_empty("source"),
        note: entry.text("note").map(str::to_owned),
    })
}

/// What is wrong with measurements by themselves.
pub(crate) fn check(decoded: &Decoded, files: &dyn Files, sources: &Sources, problems: &mut Problems) {
    for entry in decoded.entries("measured") {
        let Some(metric) = entry.custom::<Metric>("metric").copied() else {
            continue;
        };
        if metric.is_of_resource() != entry.fields.contains_key("resource") {
            let (message, help) = if metric.is_of_resource() {
                (
                    "is of one resource, and none is named",
                    "say which: `resource = \"port.nic0.0.out\"`",
                )
            } else {
                (
                    "is of the whole run, and not of a resource",
                    "leave `resource` out",
                )
            };
            problems.push(
                Diagnostic::error("scenario::metric_of_resource", format!("`{metric}` {message}"))
                    .at(entry.place_of(if metric.is_of_resource() {
                        "metric"
                    } else {
                        "resource"
                    }))
                    .help(help),
            );
        }
        let tolerance = entry.amount("tolerance").unwrap_or(0.0);
        let reason = entry
            .text("reason")
            .is_some_and(|reason| !reason.trim().is_empty());
        if tolerance > DEFAULT_TOLERANCE && !reason {
            problems.push(
                Diagnostic::error(
                    "scenario::no_reason",
                    format!(
                        "`{}` may be off by more than 25 %, and nobody says why",
                        entry.text_or_empty("id")
                    ),
                )
                .at(entry.place_of("tolerance"))
                .help("say what the model lacks: `reason = \"…\"`"),
            );
        }
        if let Some(path) = base(entry, sources)
            && files.read(&path) == Err(ReadError::Missing)
        {
            problems.push(
                Diagnostic::error("file::missing", format!("there is no file {}", path.display()))
                    .at(entry.place_of("relative_to")),
            );
        }
    }
}

/// Reports names of resources that the scenario does not have.
pub(crate) fn check_resources(decoded: &Decoded, bound: &Bound, problems: &mut Problems) {
    let known: BTreeSet<&str> = bound
        .resources()
        .iter()
        .map(|resource| resource.id.as_str())
        .collect();
    let of = |entry: &Decoded, field: &str| Some((entry.text(field)?.to_owned(), entry.place_of(field)));
    let measured = decoded
        .entries("measured")
        .iter()
        .filter_map(|entry| of(entry, "resource"));
    let links = decoded
        .entries("measured_link")
        .iter()
        .filter_map(|entry| of(entry, "link"));
    let named = decoded
        .table("bottleneck")
        .map_or(&[][..], |entry| entry.names("resources"));
    let named = named.iter().map(|name| (name.text.clone(), name.place.clone()));
    let all: Vec<(String, Place)> = measured.chain(links).chain(named).collect();
    for (name, place) in all {
        if known.contains(name.as_str()) || problems.is_full() {
            continue;
        }
        let candidates = || known.iter().copied().take(MAXIMUM_NAMES);
        let help = did_you_mean(&name, candidates()).unwrap_or_else(|| there_are(candidates()));
        problems.push(
            Diagnostic::error(
                "reference::unknown_resource",
                format!("there is no resource `{name}`"),
            )
            .at(place.label("not known"))
            .help(help),
        );
    }
}

/// The bounds on results.
pub(crate) fn expect(decoded: &Decoded, problems: &mut Problems) -> Vec<Expect> {
    let sound = decoded.entries("expect").iter().filter(|entry| entry.sound);
    sound.filter_map(|entry| bounds(entry, problems)).collect()
}

/// The bounds of one entry; none where its metric is not known.
pub(crate) fn bounds(entry: &Decoded, problems: &mut Problems) -> Option<Expect> {
    let metric: Metric = *entry.custom("metric")?;
    let (min, max) = (entry.amount("min"), entry.amount("max"));
    if min.is_none() && max.is_none() {
        problems.push(
            Diagnostic::error("scenario::no_bound", format!("nothing is expected of `{metric}`"))
                .at(entry.place.clone().label("no `min` and no `max`"))
                .help("give a `min`, a `max`, or both"),
        );
    }
    if let (Some(least), Some(most)) = (min, max)
        && least > most
    {
        problems.push(
            Diagnostic::error(
                "scenario::empty_range",
                format!(
                    "`{metric}` cannot be at least {} and at most {}",
                    metric.format(least),
                    metric.format(most)
                ),
            )
            .at(entry.place_of("min"))
            .also(entry.place_of("max").label("less than `min`")),
        );
    }
    let probability = entry.amount("probability");
    if probability.is_some() && !metric.has_interval() {
        problems.push(
            Diagnostic::error(
                "scenario::no_interval",
                format!("`{metric}` has no interval, so that no probability can be asked of it"),
            )
            .at(entry.place_of("probability"))
            .help("ask of `ops_per_s`, `payload_bytes_per_s`, `network_bytes_per_s` or `latency_mean_s`"),
        );
    }
    Some(Expect {
        metric,
        min,
        max,
        probability,
        place: entry.place.clone(),
    })
}

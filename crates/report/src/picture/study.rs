//! Pictures of studies that compare cases of one scenario: what each variant of a what-if, each rung of a
//! ladder, and each placement of cards delivers, beside what there is now.

use bandgraph_plot::{BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars, Picture};
use bandgraph_scenario::Metric;
use serde_json::Value;

use super::run::{colour_of, legend_of_kinds, quantity_words};
use super::{PictureError, PictureKind, document};
use crate::json::{
    BottleneckDocument, EndReasonDocument, GainDocument, LADDER_SCHEMA_VERSION, LadderDocument,
    ObjectiveDocument, PLACE_SCHEMA_VERSION, PlaceDocument, PlacementDocument, ThroughputDocument,
    WHATIF_SCHEMA_VERSION, WhatIfDocument,
};
use crate::text::{clients_end, resource_in_words, signed_percent};

/// One thing that a study tried.
struct Case<'d> {
    label: String,
    throughput: &'d ThroughputDocument,
    bottleneck: &'d BottleneckDocument,
    /// Operations per second with 90 % belief, if figures were drawn: of itself, or of the gain over another
    /// case, whose rate is taken for certain.
    ops_per_s_interval: Option<[f64; 2]>,
    /// Whether the others are compared to it.
    is_now: bool,
}

/// The picture of a what-if.
pub(super) fn of_what_if(
    value: Value,
    kind: Option<PictureKind>,
    metric: Option<Metric>,
) -> Result<Picture, PictureError> {
    let study: WhatIfDocument = document(value, WHATIF_SCHEMA_VERSION)?;
    let variants = study.variants.iter().map(|variant| (&variant.case, false));
    let cases = std::iter::once((&study.base, true))
        .chain(variants)
        .map(|(case, is_now)| Case {
            label: case.name.clone(),
            throughput: &case.throughput,
            bottleneck: &case.bottleneck,
            ops_per_s_interval: case.ops_per_s_interval,
            is_now,
        });
    let wish = Wish {
        kind,
        metric,
        of: "a what-if",
        interval: "90 % interval",
    };
    wish.picture(
        &study.scenario,
        "variants beside what there is now",
        &cases.collect::<Vec<_>>(),
        String::new(),
    )
}

/// The picture of a ladder of limits.
pub(super) fn of_ladder(
    value: Value,
    kind: Option<PictureKind>,
    metric: Option<Metric>,
) -> Result<Picture, PictureError> {
    let ladder: LadderDocument = document(value, LADDER_SCHEMA_VERSION)?;
    let steps = ladder.rungs.iter().map(|rung| rung.step.as_ref());
    let taken = std::iter::once(None).chain(steps);
    let cases = ladder
        .rungs
        .iter()
        .zip(taken)
        .enumerate()
        .map(|(index, (rung, step))| Case {
            // With the numbers of the text.
            label: format!(
                "{}. {}",
                index + 1,
                step.map_or("now", |step| step.change.as_str())
            ),
            throughput: &rung.throughput,
            bottleneck: &rung.bottleneck,
            ops_per_s_interval: index
                .checked_sub(1)
                .and_then(|before| gained(&ladder.rungs[before].throughput, rung.gain.as_ref())),
            is_now: index == 0,
        });
    let end = match ladder.end.reason {
        EndReasonDocument::Clients => clients_end(ladder.rungs.last()),
        EndReasonDocument::Core => "Then each thread fills the core that it runs on.",
        EndReasonDocument::NothingToBuy => "Then nothing in the catalogue makes the limit faster.",
        EndReasonDocument::TooLong => "There are more steps than a ladder may have.",
    };
    let wish = Wish {
        kind,
        metric,
        of: "a ladder",
        interval: "90 % interval of the gain over the bar above",
    };
    wish.picture(
        &ladder.scenario,
        "each limit relieved, one after the other",
        &cases.collect::<Vec<_>>(),
        end.to_owned(),
    )
}

/// The operations per second of what brings an uncertain gain over something else.
fn gained(other: &ThroughputDocument, gain: Option<&GainDocument>) -> Option<[f64; 2]> {
    gain.map(|gain| [gain.low, gain.high].map(|end| other.ops_per_s * (1.0 + end)))
}

/// The picture of placements.
pub(super) fn of_placements(
    value: Value,
    kind: Option<PictureKind>,
    metric: Option<Metric>,
) -> Result<Picture, PictureError> {
    let study: PlaceDocument = document(value, PLACE_SCHEMA_VERSION)?;
    let metric = metric.or(match study.objective {
        ObjectiveDocument::Operations => Some(Metric::OperationsPerSecond),
        ObjectiveDocument::Payload => Some(Metric::PayloadBytesPerSecond),
        ObjectiveDocument::Network => Some(Metric::NetworkBytesPerSecond),
        // A closed load is served the sooner the more of it there is.
        ObjectiveDocument::Latency => None,
    });
    // The score of several scenarios is no rate of the first, and a latency none at all.
    let is_rate = study.scenarios.len() == 1 && study.objective != ObjectiveDocument::Latency;
    let today = study
        .placements
        .iter()
        .find(|placement| placement.today && is_rate);
    let cases = study.placements.iter().map(|placement| Case {
        label: placement_words(placement),
        throughput: &placement.throughput,
        bottleneck: &placement.bottleneck,
        ops_per_s_interval: today
            .filter(|_| !placement.today)
            .and_then(|today| gained(&today.throughput, placement.over_today.as_ref())),
        is_now: placement.today,
    });
    let names: Vec<&str> = study
        .scenarios
        .iter()
        .map(|scenario| scenario.name.as_str())
        .collect();
    let wish = Wish {
        kind,
        metric,
        of: "placements",
        interval: "90 % interval of the gain over today",
    };
    let subtitle = "placements of cards, the best first, beside today's";
    wish.picture(
        &names.join("; "),
        subtitle,
        &cases.collect::<Vec<_>>(),
        String::new(),
    )
}

/// What a placement moves, in words: `1. nic1 in s5, hba1 in s2`.
fn placement_words(placement: &PlacementDocument) -> String {
    let moves = placement.moved.iter().map(|card| {
        let slot = placement.cards.get(card).map_or("no slot", String::as_str);
        format!("{card} in {slot}")
    });
    let moves = if placement.today {
        "as today".to_owned()
    } else {
        moves.collect::<Vec<_>>().join(", ")
    };
    // The only placement is no worse than others.
    let is_only = placement.worst && placement.rank == Some(1);
    let worst = if placement.worst && !is_only {
        "the worst: "
    } else {
        ""
    };
    match placement.rank {
        Some(rank) => format!("{rank}. {worst}{moves}"),
        None => format!("{worst}{moves}"),
    }
}

/// What is wished of the picture of a study.
struct Wish {
    kind: Option<PictureKind>,
    metric: Option<Metric>,
    /// What the result is of.
    of: &'static str,
    /// What its error bars are.
    interval: &'static str,
}

impl Wish {
    fn picture(
        &self,
        title: &str,
        subtitle: &str,
        cases: &[Case<'_>],
        footer: String,
    ) -> Result<Picture, PictureError> {
        if let Some(kind) = self.kind.filter(|kind| *kind != PictureKind::Throughput) {
            return Err(PictureError::Unsuitable { kind, of: self.of });
        }
        // Work that crosses no network is told by its operations.
        let networked = cases.iter().any(|case| case.throughput.network_bytes_per_s > 0.0);
        let metric = self.metric.unwrap_or(if networked {
            Metric::NetworkBytesPerSecond
        } else {
            Metric::OperationsPerSecond
        });
        let now = cases
            .iter()
            .find(|case| case.is_now)
            .map(|case| figure(case.throughput, metric))
            .transpose()?;
        let rows = cases.iter().map(|case| {
            let value = figure(case.throughput, metric)?;
            let words = metric
                .kind()
                .map_or_else(|| value.to_string(), |kind| kind.format(value));
            let change = match now {
                Some(now) if !case.is_now && now > 0.0 => format!(" ({})", signed_percent(value / now - 1.0)),
                _ => String::new(),
            };
            let bar = BarMark::up_to(BarShape::Solid(colour_of(&case.bottleneck.kind)), value);
            let reference = now.map(|now| BarMark::at(BarShape::Stroke, now));
            // An operation has the same bytes in every draw.
            let of_operation = value / case.throughput.ops_per_s;
            let interval = case.ops_per_s_interval.filter(|_| of_operation.is_finite());
            let interval =
                interval.map(|ends| BarMark::between(BarShape::Interval, ends.map(|end| end * of_operation)));
            Ok(BarRow {
                label: case.label.clone(),
                note: format!("{words}{change}, {}", limit(case.bottleneck)),
                is_emphasised: case.is_now,
                marks: std::iter::once(bar).chain(reference).chain(interval).collect(),
            })
        });
        let limits = cases.iter().map(|case| case.bottleneck);
        let mut legend = legend_of_kinds(limits.map(|limit| (&*limit.kind, limit.technology.as_deref())));
        if now.is_some() {
            legend.push((BarShape::Stroke, "today".to_owned()));
        }
        if cases.iter().any(|case| case.ops_per_s_interval.is_some()) {
            legend.push((BarShape::Interval, self.interval.to_owned()));
        }
        Ok(Bars {
            title: title.to_owned(),
            subtitle: format!("{subtitle}; colour: what limits"),
            is_labelled_above: true,
            axis: Some(BarAxis {
                name: quantity_words(metric).to_owned(),
                kind: metric.kind(),
                range: None,
            }),
            groups: vec![BarGroup {
                rows: rows.collect::<Result<_, PictureError>>()?,
                ..BarGroup::default()
            }],
            legend,
            footer,
            if_empty: "nothing that has a value",
            ..Bars::default()
        }
        .into())
    }
}

/// What limits, in a few words: the kind, and the fullest resource if there is one.
fn limit(bottleneck: &BottleneckDocument) -> String {
    let kind = resource_in_words(&bottleneck.kind, bottleneck.technology.as_deref());
    if bottleneck.resources.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}: {}", bottleneck.id)
    }
}

fn figure(throughput: &ThroughputDocument, metric: Metric) -> Result<f64, PictureError> {
    match metric {
        Metric::OperationsPerSecond => Ok(throughput.ops_per_s),
        Metric::PayloadBytesPerSecond => Ok(throughput.payload_bytes_per_s),
        Metric::NetworkBytesPerSecond => Ok(throughput.network_bytes_per_s),
        Metric::DiskBytesPerSecond => Ok(throughput.disk_bytes_per_s),
        other => Err(PictureError::Missing(format!(
            "the picture of a study shows ops_per_s, payload_bytes_per_s, network_bytes_per_s or disk_bytes_per_s, not \
             {other}"
        ))),
    }
}

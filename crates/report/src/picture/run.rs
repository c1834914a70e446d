//! Pictures of a run: how much of each resource is used, and what was predicted against what was measured.

use bandgraph_plot::{
    Along, BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars, HeatMap, MeasuredPoint, Picture,
    PredictedMeasured,
};
use bandgraph_scenario::Metric;
use bandgraph_units::{Bandwidth, QuantityKind};
use serde_json::Value;

use super::points::{panels, with_left_out};
use super::{BAND, PictureError, PictureKind, document, server};
use crate::RunDocument;
use crate::json::kind_of_result;
use crate::json::{RUN_SCHEMA_VERSION, StretchDocument};
use crate::text::{DataRate, busiest, limit_in_words, others, rate_words, resource_in_words};

/// Bars of a picture; the other resources are summed up under it.
const BARS: usize = 16;

/// Kinds of resources in the order in which they get their colours, those that are often seen together first.
const KINDS: [&str; 12] = [
    "socket-link",
    "cpu",
    "pcie",
    "client",
    "ethernet",
    "memory",
    "bridge",
    "sas",
    "infiniband",
    "disk",
    "network",
    "adapter",
];

/// The colour of a kind of resource, by its position in the palette: the same in all pictures.
pub(super) fn colour_of(kind: &str) -> usize {
    KINDS
        .iter()
        .position(|known| *known == kind)
        .unwrap_or(KINDS.len())
}

/// The picture of a run; by default of the use of its resources.
pub(super) fn picture(
    value: Value,
    kind: Option<PictureKind>,
    before: Option<&[u8]>,
) -> Result<Picture, PictureError> {
    let run: RunDocument = document(value, RUN_SCHEMA_VERSION)?;
    let suits = if run.timeline.is_some() {
        PictureKind::Timeline
    } else {
        PictureKind::Utilisation
    };
    match kind.unwrap_or(suits) {
        PictureKind::Server => match before {
            None => server::of_run(&run),
            Some(before) => server::of_difference(&earlier(before)?, &run),
        },
        PictureKind::Utilisation => Ok(utilisation(&run).into()),
        PictureKind::Timeline => timeline(&run).map(Picture::from).ok_or_else(|| {
            PictureError::Missing(
                "the use of resources over time comes with `bandgraph run --timeline`".to_owned(),
            )
        }),
        PictureKind::Measured => Ok(measured(&run).into()),
        kind => Err(PictureError::Unsuitable { kind, of: "a run" }),
    }
}

/// The way of one operation of a run.
pub(super) fn path(value: Value, operation: &str) -> Result<Picture, PictureError> {
    match kind_of_result(&value) {
        Some("run") => server::of_path(&document(value, RUN_SCHEMA_VERSION)?, operation),
        of => Err(PictureError::Missing(format!(
            "a result of {} has no way of an operation, which those of `run` have",
            of.map_or_else(|| "none of the commands".to_owned(), |of| format!("`{of}`"))
        ))),
    }
}

/// What the colours of bars mean: each kind of resource with its colour, in the order in which they first
/// come.
pub(super) fn legend_of_kinds<'d>(
    kinds: impl Iterator<Item = (&'d str, Option<&'d str>)>,
) -> Vec<(BarShape, String)> {
    let mut legend: Vec<(BarShape, String)> = Vec::new();
    for (kind, technology) in kinds {
        let words = resource_in_words(kind, technology);
        if !legend.iter().any(|(_, known)| known == words) {
            legend.push((BarShape::Solid(colour_of(kind)), words.to_owned()));
        }
    }
    legend
}

/// The fullest resources as bars of their usable capacity, identical clients as one.
fn utilisation(run: &RunDocument) -> Bars {
    let (shown, left_out) = busiest(&run.resources, BARS);
    let rows = shown.iter().map(|row| {
        let resource = row.resource;
        let used = BarMark::up_to(BarShape::Solid(colour_of(&resource.kind)), resource.saturation);
        BarRow {
            label: row.name(),
            note: format!(
                "{:.1} %   {} of {}",
                resource.saturation * 100.0,
                rate_words(&resource.unit, resource.rate),
                rate_words(&resource.unit, resource.capacity * resource.ceiling)
            ),
            is_emphasised: run.bottleneck.resources.contains(&resource.id),
            marks: vec![BarMark::up_to(BarShape::Ground, 1.0), used],
        }
    });
    let kinds = shown.iter().map(|row| row.resource);
    let legend = legend_of_kinds(kinds.map(|resource| (&*resource.kind, resource.technology.as_deref())));
    let moved = DataRate::of(std::iter::once(&run.throughput));
    let rate = Bandwidth::new(moved.value(&run.throughput));
    Bars {
        title: run.scenario.clone(),
        subtitle: format!(
            "{} ({}) {}; bottleneck: {}",
            rate.decimal(),
            rate.binary(),
            moved.place(),
            limit_in_words(&run.bottleneck)
        ),
        axis: Some(BarAxis {
            kind: Some(QuantityKind::Fraction),
            range: Some([0.0, 1.0]),
            ..BarAxis::default()
        }),
        groups: vec![BarGroup {
            rows: rows.collect(),
            ..BarGroup::default()
        }],
        legend,
        footer: others(&left_out).unwrap_or_default(),
        if_empty: "no resource",
        ..Bars::default()
    }
}

/// The use of the fullest resources over time, of many alike the fullest.
fn timeline(run: &RunDocument) -> Option<HeatMap> {
    let timeline = run.timeline.as_ref()?;
    let (shown, left_out) = busiest(&run.resources, BARS);
    let used = shown.iter().filter(|row| row.resource.rate > 0.0);
    let rows: Vec<(String, usize)> = used.map(|row| (row.name(), row.index)).collect();
    let start = timeline.stretches.first()?.start_s;
    let edges = std::iter::once(start).chain(timeline.stretches.iter().map(|stretch| stretch.end_s));
    let cells = rows.iter().flat_map(|(_, index)| {
        let ceiling = run.resources[*index].ceiling;
        let of_stretch =
            |stretch: &StretchDocument| stretch.utilisation.get(*index).map(|used| used / ceiling);
        timeline.stretches.iter().map(of_stretch).collect::<Vec<_>>()
    });
    let more = match left_out.len() {
        0 => String::new(),
        count => format!("; {count} more are less full"),
    };
    Some(HeatMap {
        title: run.scenario.clone(),
        subtitle: format!(
            "use of resources over simulated time; measured from {} on, at the line{more}",
            QuantityKind::Time.format(timeline.warm_up_s)
        ),
        x_name: "simulated time".to_owned(),
        y_name: "resource".to_owned(),
        value_name: "used of usable capacity".to_owned(),
        kind: Some(QuantityKind::Fraction),
        range: Some((0.0, 1.0)),
        cells: cells.collect(),
        columns: vec![String::new(); timeline.stretches.len()],
        along: Some(Along {
            kind: Some(QuantityKind::Time),
            edges: edges.collect(),
            mark: Some(timeline.warm_up_s),
        }),
        rows: rows.into_iter().map(|(label, _)| label).collect(),
    })
}

/// What was measured and predicted, a panel for each metric, in the order of the result.
fn measured(run: &RunDocument) -> PredictedMeasured {
    let figures = run.measured.iter().filter_map(|row| {
        let metric = Metric::from_name(&row.metric);
        let quantity = metric.map_or_else(|| row.metric.clone(), |metric| quantity_words(metric).to_owned());
        let point = MeasuredPoint {
            title: String::new(),
            label: row.id.clone().unwrap_or_else(|| quantity.clone()),
            series: run.topology.clone(),
            measured: row.measured,
            predicted: row.predicted?,
            interval: metric.and_then(|metric| interval(run, metric)),
            is_fitted: row.calibrated,
        };
        Some((quantity, metric.and_then(Metric::kind), point))
    });
    let (panels, left_out) = panels(figures);
    PredictedMeasured {
        title: run.scenario.clone(),
        subtitle: with_left_out("Predicted against measured", left_out),
        panels,
        band: BAND,
    }
}

/// The 90 % interval of a figure of the whole, if figures were drawn and it can have an error bar.
fn interval(run: &RunDocument, metric: Metric) -> Option<[f64; 2]> {
    let drawn = run.interval.as_ref();
    let ends = match metric {
        Metric::OperationsPerSecond => drawn?.ops_per_s,
        Metric::PayloadBytesPerSecond => drawn?.payload_bytes_per_s,
        Metric::NetworkBytesPerSecond => drawn?.network_bytes_per_s,
        Metric::LatencyMean => drawn?.latency_mean_s,
        Metric::Elapsed => run.elapsed_interval_s?,
        _ => return None,
    };
    Some(ends).filter(|[low, _]| *low > 0.0)
}

/// What a metric is, in words for people.
pub(super) fn quantity_words(metric: Metric) -> &'static str {
    match metric {
        Metric::NetworkBytesPerSecond => "network throughput",
        Metric::PayloadBytesPerSecond => "payload throughput",
        Metric::DiskBytesPerSecond => "disk throughput",
        Metric::OperationsPerSecond => "operations",
        Metric::LatencyMean => "mean latency",
        Metric::LatencyP50 => "median latency",
        Metric::LatencyP95 => "latency, 95th percentile",
        Metric::LatencyP99 => "latency, 99th percentile",
        Metric::LatencyMax => "longest latency",
        Metric::CpuBusy => "cores busy",
        Metric::CpuStalled => "cores stalled",
        Metric::Elapsed => "elapsed time",
        Metric::CyclesPerInstruction => "cycles per instruction",
        Metric::Utilisation => "utilisation",
        Metric::BytesPerSecond => "bytes",
        Metric::MissLatency => "miss latency",
        Metric::Watts => "watts",
        Metric::IdleWatts => "idle watts",
        Metric::OperationsPerWatt => "ops per watt",
    }
}

/// An earlier result of a run.
fn earlier(bytes: &[u8]) -> Result<RunDocument, PictureError> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| PictureError::Before(error.to_string()))?;
    match kind_of_result(&value) {
        Some("run") => document(value, RUN_SCHEMA_VERSION),
        Some(other) => Err(PictureError::Before(format!("it is one of `{other}`"))),
        None => Err(PictureError::Before(
            "nothing in it says what it is of".to_owned(),
        )),
    }
}

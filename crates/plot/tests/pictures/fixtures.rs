//! Small pictures of every kind.

use bandgraph_plot::{
    AxisTitle, ColouredPoints, Curve, Curves, ErrorBar, ErrorBars, ErrorGroup, HeatMap, LinkBar, LinkBars,
    LinkGroup, MeasuredPoint, Panel, ParameterBar, ParameterBars, Picture, PredictedMeasured, Scale,
    UtilisationBar, UtilisationBars, ValueBar, ValueBars,
};
use bandgraph_units::QuantityKind;

pub(super) fn bar(label: &str, kind: &str, utilisation: f64, ceiling: f64) -> UtilisationBar {
    UtilisationBar {
        label: label.to_owned(),
        kind: kind.to_owned(),
        colour: ["HyperTransport", "PCIe", "CPU"]
            .iter()
            .position(|known| *known == kind)
            .unwrap_or(3),
        utilisation,
        ceiling,
        note: format!("{:.1} %", utilisation * 100.0),
        is_bottleneck: ceiling == utilisation,
    }
}

pub(super) fn bars(bars: Vec<UtilisationBar>) -> Picture {
    Picture::from(UtilisationBars {
        title: "Barcelona <&>".to_owned(),
        subtitle: "cached reads".to_owned(),
        bars,
        footer: "the footer".to_owned(),
    })
}

pub(super) fn three_bars() -> Picture {
    bars(vec![
        bar("link.cpu0-cpu1", "HyperTransport", 0.87, 0.87),
        bar("slot.s1.out", "PCIe", 0.744, 0.997),
        bar("cpu.cpu0", "CPU", 0.75, 1.0),
    ])
}

pub(super) fn point(label: &str, series: &str, measured: f64, predicted: f64) -> MeasuredPoint {
    MeasuredPoint {
        label: label.to_owned(),
        series: series.to_owned(),
        measured,
        predicted,
        interval: None,
        is_fitted: false,
    }
}

pub(super) fn points(points: Vec<MeasuredPoint>) -> Picture {
    Picture::from(PredictedMeasured {
        title: "Predicted against measured".to_owned(),
        subtitle: String::new(),
        panels: vec![Panel {
            quantity: "network throughput".to_owned(),
            kind: Some(QuantityKind::Bandwidth),
            points,
        }],
        band: 0.1,
    })
}

pub(super) fn two_points() -> Picture {
    points(vec![
        point("ht1-stream", "Barcelona", 2.21e9, 2.26e9),
        point("ht3-stream", "Istanbul", 3.08e9, 3.03e9),
    ])
}

pub(super) fn axis(name: &str, kind: QuantityKind, scale: Scale) -> AxisTitle {
    AxisTitle {
        name: name.to_owned(),
        kind: Some(kind),
        scale,
    }
}

pub(super) fn curve(label: &str, points: &[(f64, f64)]) -> Curve {
    Curve {
        label: label.to_owned(),
        points: points.to_vec(),
        band: Vec::new(),
    }
}

/// Throughput over sizes, with a ceiling that is near and one that is far.
pub(super) fn curves(curves: Vec<Curve>, ceilings: Vec<Curve>) -> Curves {
    Curves {
        title: "Throughput".to_owned(),
        subtitle: "of reads".to_owned(),
        x: axis("I/O size", QuantityKind::Bytes, Scale::Logarithmic),
        y: axis("network throughput", QuantityKind::Bandwidth, Scale::Linear),
        curves,
        ceilings,
        knee: None,
    }
}

pub(super) fn two_curves() -> Curves {
    curves(
        vec![
            curve("one thread", &[(4096.0, 1e9), (65536.0, 2e9)]),
            curve("two threads", &[(4096.0, 1.5e9), (65536.0, 2.5e9)]),
        ],
        vec![
            curve("PCIe", &[(4096.0, 3e9), (65536.0, 3e9)]),
            curve("ports", &[(4096.0, 9e9), (65536.0, 9e9)]),
        ],
    )
}

pub(super) fn map(cells: Vec<Option<f64>>) -> Picture {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Picture::from(HeatMap {
        title: "Use over time".to_owned(),
        subtitle: String::new(),
        x_name: "time".to_owned(),
        columns: texts(&["0 s", "1 s", "2 s"]),
        along: None,
        y_name: "resource".to_owned(),
        rows: texts(&["link.cpu0-cpu1", "slot.s1.out"]),
        value_name: "utilisation".to_owned(),
        kind: Some(QuantityKind::Fraction),
        range: Some((0.0, 1.0)),
        cells,
    })
}

pub(super) fn six_cells() -> Picture {
    map(vec![Some(0.0), Some(0.5), Some(1.0), None, Some(1.0), Some(0.0)])
}

pub(super) fn coloured(points: Vec<(f64, f64, f64)>) -> Picture {
    Picture::from(ColouredPoints {
        title: "A sample".to_owned(),
        subtitle: String::new(),
        x: axis("I/O size", QuantityKind::Bytes, Scale::Logarithmic),
        y: axis("clock", QuantityKind::Frequency, Scale::Linear),
        value: axis("throughput", QuantityKind::Bandwidth, Scale::Linear),
        points,
    })
}

pub(super) fn errors(errors: &[(f64, bool)]) -> Picture {
    let bars = errors
        .iter()
        .enumerate()
        .map(|(index, &(error, is_fitted))| ErrorBar {
            label: format!("figure-{index}"),
            error,
            interval: None,
            is_fitted,
            note: format!("{:+.0} %", error * 100.0),
        });
    Picture::from(ErrorBars {
        title: "Errors".to_owned(),
        subtitle: String::new(),
        groups: vec![ErrorGroup {
            name: "Barcelona".to_owned(),
            note: "median 5 %".to_owned(),
            bars: bars.collect(),
        }],
        band: 0.1,
    })
}

pub(super) fn links(pairs: &[(f64, f64)]) -> Picture {
    let links = pairs
        .iter()
        .enumerate()
        .map(|(index, &(measured, predicted))| LinkBar {
            label: format!("link-{index}"),
            measured,
            predicted,
            is_fitted: index % 2 == 1,
            note: format!("note-{index}"),
        });
    Picture::from(LinkBars {
        title: "Links".to_owned(),
        subtitle: String::new(),
        groups: vec![LinkGroup {
            name: "HT1".to_owned(),
            links: links.collect(),
        }],
    })
}

pub(super) fn values(values: &[(&str, f64)]) -> Picture {
    let bars = values
        .iter()
        .enumerate()
        .map(|(index, &(label, value))| ValueBar {
            label: label.to_owned(),
            note: format!("value-{index}"),
            value,
            colour: index,
            kind: format!("kind-{index}"),
            is_reference: index == 0,
        });
    Picture::from(ValueBars {
        title: "Variants".to_owned(),
        subtitle: String::new(),
        value: axis("network throughput", QuantityKind::Bandwidth, Scale::Linear),
        bars: bars.collect(),
        reference: "today".to_owned(),
        footer: "the end".to_owned(),
    })
}

pub(super) fn parameter(
    label: &str,
    range: (f64, f64),
    value: f64,
    interval: Option<(f64, f64)>,
) -> ParameterBar {
    ParameterBar {
        label: label.to_owned(),
        note: format!("{value} found"),
        range,
        start: range.0,
        value,
        interval,
    }
}

pub(super) fn parameters(bars: Vec<ParameterBar>) -> Picture {
    Picture::from(ParameterBars {
        title: "A fit".to_owned(),
        subtitle: String::new(),
        bars,
    })
}

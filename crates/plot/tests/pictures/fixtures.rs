//! Small pictures of every kind.

use bandgraph_plot::{
    AxisTitle, BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars, ColouredPoints, Curve, Curves, HeatMap,
    MeasuredPoint, Panel, Picture, PredictedMeasured, Scale,
};
use bandgraph_units::QuantityKind;

/// A share of a total, with a stroke at the maximum share.
pub(super) fn bar(label: &str, series: usize, share: f64, ceiling: f64) -> BarRow {
    BarRow {
        label: label.to_owned(),
        note: format!("{:.1} %", share * 100.0),
        is_emphasised: ceiling == share,
        marks: vec![
            BarMark::up_to(BarShape::Ground, 1.0),
            BarMark::up_to(BarShape::Solid(series), share),
            BarMark::at(BarShape::Stroke, ceiling),
        ],
    }
}

/// The legend of some shapes.
fn legend(entries: &[(BarShape, &str)]) -> Vec<(BarShape, String)> {
    let owned = |&(shape, words): &(BarShape, &str)| (shape, words.to_owned());
    entries.iter().map(owned).collect()
}

pub(super) fn bars(rows: Vec<BarRow>) -> Bars {
    Bars {
        title: "Barcelona <&>".to_owned(),
        subtitle: "cached reads".to_owned(),
        axis: Some(BarAxis {
            name: String::new(),
            kind: Some(QuantityKind::Fraction),
            range: Some([0.0, 1.0]),
        }),
        groups: vec![BarGroup {
            rows,
            ..BarGroup::default()
        }],
        legend: legend(&[
            (BarShape::Solid(0), "HyperTransport"),
            (BarShape::Solid(1), "PCIe"),
            (BarShape::Solid(2), "CPU"),
            (BarShape::Stroke, "usable in practice"),
        ]),
        footer: "the footer".to_owned(),
        if_empty: "no resource",
        ..Bars::default()
    }
}

pub(super) fn three_bars() -> Bars {
    bars(vec![
        bar("link.cpu0-cpu1", 0, 0.87, 0.87),
        bar("slot.s1.out", 1, 0.744, 0.997),
        bar("cpu.cpu0", 2, 0.75, 1.0),
    ])
}

/// Bars on both sides of zero, in a group with a heading, with a band and an interval.
pub(super) fn errors(errors: &[(f64, bool)]) -> Bars {
    let rows = errors
        .iter()
        .enumerate()
        .map(|(index, &(error, is_hollow))| BarRow {
            label: format!("figure-{index}"),
            note: format!("{:+.0} %", error * 100.0),
            is_emphasised: false,
            marks: vec![
                BarMark::up_to(
                    if is_hollow {
                        BarShape::Hollow(0)
                    } else {
                        BarShape::Solid(0)
                    },
                    error,
                ),
                BarMark::between(BarShape::Interval, [error - 0.02, error + 0.05]),
            ],
        });
    Bars {
        axis: Some(BarAxis {
            name: String::new(),
            kind: Some(QuantityKind::Fraction),
            range: Some([-0.22, 0.22]),
        }),
        band: Some([-0.1, 0.1]),
        groups: vec![BarGroup {
            name: "Barcelona".to_owned(),
            note: "median 5 %".to_owned(),
            rows: rows.collect(),
        }],
        legend: legend(&[(BarShape::Solid(0), "predicted"), (BarShape::Band, "±10 %")]),
        footer: String::new(),
        ..bars(Vec::new())
    }
}

/// Two bars per row, on an axis that includes all values.
pub(super) fn pairs(pairs: &[(f64, f64)]) -> Bars {
    let rows = pairs.iter().enumerate().map(|(index, &(grey, hollow))| BarRow {
        label: format!("link-{index}"),
        note: format!("note-{index}"),
        is_emphasised: false,
        marks: vec![
            BarMark::up_to(BarShape::Grey, grey),
            BarMark {
                lane: 1,
                ..BarMark::up_to(BarShape::Hollow(0), hollow)
            },
        ],
    });
    Bars {
        axis: Some(BarAxis {
            kind: Some(QuantityKind::Bandwidth),
            ..BarAxis::default()
        }),
        legend: legend(&[(BarShape::Grey, "counted")]),
        ..bars(rows.collect())
    }
}

/// Bars below their labels, with a stroke at the first value through all of them.
pub(super) fn values(values: &[(&str, f64)]) -> Bars {
    let rows = values.iter().enumerate().map(|(index, &(label, value))| BarRow {
        label: label.to_owned(),
        note: format!("value-{index}"),
        is_emphasised: index == 0,
        marks: vec![
            BarMark::up_to(BarShape::Solid(index), value),
            BarMark::at(BarShape::Stroke, values[0].1),
        ],
    });
    Bars {
        is_labelled_above: true,
        axis: Some(BarAxis {
            name: "network throughput".to_owned(),
            kind: Some(QuantityKind::Bandwidth),
            range: None,
        }),
        legend: legend(&[(BarShape::Stroke, "today")]),
        ..bars(rows.collect())
    }
}

/// An interval and a point in a separate range, below the label.
pub(super) fn parameter(label: &str, value: f64, interval: Option<[f64; 2]>) -> BarRow {
    let marks = [
        BarMark::up_to(BarShape::Ground, 1.0),
        BarMark::at(BarShape::Diamond, 0.0),
        BarMark::at(BarShape::Circle, value),
    ];
    let interval = interval.map(|ends| BarMark::between(BarShape::Solid(4), ends));
    BarRow {
        label: label.to_owned(),
        note: format!("{value} found"),
        is_emphasised: false,
        marks: marks.into_iter().chain(interval).collect(),
    }
}

pub(super) fn parameters(rows: Vec<BarRow>) -> Bars {
    Bars {
        is_labelled_above: true,
        axis: None,
        legend: legend(&[(BarShape::Circle, "fitted"), (BarShape::Diamond, "start")]),
        ..bars(rows)
    }
}

pub(super) fn point(label: &str, series: &str, measured: f64, predicted: f64) -> MeasuredPoint {
    MeasuredPoint {
        title: format!("{label}: {predicted} for {measured}"),
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

/// Throughput over sizes, with a near and a distant ceiling.
pub(super) fn curves(curves: Vec<Curve>, ceilings: Vec<Curve>) -> Curves {
    Curves {
        title: "Throughput".to_owned(),
        subtitle: "of reads".to_owned(),
        x: axis("I/O size", QuantityKind::Bytes, Scale::PowersOfTwo),
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
        x: axis("I/O size", QuantityKind::Bytes, Scale::PowersOfTwo),
        y: axis("clock", QuantityKind::Frequency, Scale::Linear),
        value: axis("throughput", QuantityKind::Bandwidth, Scale::Linear),
        points,
    })
}

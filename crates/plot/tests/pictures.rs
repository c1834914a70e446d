//! Pictures say what they were given, in the same bytes every time, and refuse what cannot be drawn.

use bandgraph_plot::{
    AxisTitle, BARS_MAX, ColouredPoints, Curve, Curves, ErrorBar, ErrorBars, ErrorGroup, HeatMap, Knee,
    LinkBar, LinkBars, LinkGroup, MeasuredPoint, Panel, Picture, PlotError, PredictedMeasured, Scale,
    UtilisationBar, UtilisationBars,
};
use bandgraph_units::QuantityKind;

fn bar(label: &str, kind: &str, utilisation: f64, ceiling: f64) -> UtilisationBar {
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

fn bars(bars: Vec<UtilisationBar>) -> Picture {
    Picture::from(UtilisationBars {
        title: "Barcelona <&>".to_owned(),
        subtitle: "cached reads".to_owned(),
        bars,
        footer: "the footer".to_owned(),
    })
}

fn three_bars() -> Picture {
    bars(vec![
        bar("link.cpu0-cpu1", "HyperTransport", 0.87, 0.87),
        bar("slot.s1.out", "PCIe", 0.744, 0.997),
        bar("cpu.cpu0", "CPU", 0.75, 1.0),
    ])
}

fn point(label: &str, series: &str, measured: f64, predicted: f64) -> MeasuredPoint {
    MeasuredPoint {
        label: label.to_owned(),
        series: series.to_owned(),
        measured,
        predicted,
    }
}

fn points(points: Vec<MeasuredPoint>) -> Picture {
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

fn two_points() -> Picture {
    points(vec![
        point("ht1-stream", "Barcelona", 2.21e9, 2.26e9),
        point("ht3-stream", "Istanbul", 3.08e9, 3.03e9),
    ])
}

fn axis(name: &str, kind: QuantityKind, scale: Scale) -> AxisTitle {
    AxisTitle {
        name: name.to_owned(),
        kind: Some(kind),
        scale,
    }
}

fn curve(label: &str, points: &[(f64, f64)]) -> Curve {
    Curve {
        label: label.to_owned(),
        points: points.to_vec(),
    }
}

/// Throughput over sizes, with a ceiling that is near and one that is far.
fn curves(curves: Vec<Curve>, ceilings: Vec<Curve>) -> Curves {
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

fn two_curves() -> Curves {
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

fn map(cells: Vec<Option<f64>>) -> Picture {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Picture::from(HeatMap {
        title: "Use over time".to_owned(),
        subtitle: String::new(),
        x_name: "time".to_owned(),
        columns: texts(&["0 s", "1 s", "2 s"]),
        y_name: "resource".to_owned(),
        rows: texts(&["link.cpu0-cpu1", "slot.s1.out"]),
        value_name: "utilisation".to_owned(),
        kind: Some(QuantityKind::Fraction),
        range: Some((0.0, 1.0)),
        cells,
    })
}

fn six_cells() -> Picture {
    map(vec![Some(0.0), Some(0.5), Some(1.0), None, Some(1.0), Some(0.0)])
}

fn coloured(points: Vec<(f64, f64, f64)>) -> Picture {
    Picture::from(ColouredPoints {
        title: "A sample".to_owned(),
        subtitle: String::new(),
        x: axis("I/O size", QuantityKind::Bytes, Scale::Logarithmic),
        y: axis("clock", QuantityKind::Frequency, Scale::Linear),
        value: axis("throughput", QuantityKind::Bandwidth, Scale::Linear),
        points,
    })
}

fn errors(errors: &[(f64, bool)]) -> Picture {
    let bars = errors
        .iter()
        .enumerate()
        .map(|(index, &(error, is_fitted))| ErrorBar {
            label: format!("figure-{index}"),
            error,
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

fn links(pairs: &[(f64, f64)]) -> Picture {
    let links = pairs
        .iter()
        .enumerate()
        .map(|(index, &(measured, predicted))| LinkBar {
            label: format!("link-{index}"),
            measured,
            predicted,
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

/// Rectangles of a colour in an SVG. Plotters writes one element for each.
fn rectangles(svg: &str, colour: &str) -> usize {
    svg.lines()
        .filter(|line| line.starts_with("<rect") && line.contains(&format!("fill=\"{colour}\"")))
        .count()
}

/// Circles and polygons of a colour in an SVG.
fn markers(svg: &str, colour: &str) -> usize {
    svg.lines()
        .filter(|line| line.starts_with("<circle") || line.starts_with("<polygon"))
        .filter(|line| line.contains(&format!("fill=\"{colour}\"")))
        .count()
}

#[test]
fn every_bar_is_there_with_its_label_and_its_note() {
    let svg = three_bars().svg().expect("a picture");
    for text in [
        "link.cpu0-cpu1",
        "slot.s1.out",
        "cpu.cpu0",
        "87.0 %",
        "HyperTransport",
        "the footer",
        "20 %",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // The ground of each bar, then one bar and one swatch of the legend in the colour of its kind.
    assert_eq!(rectangles(&svg, "#F2F2F2"), 3);
    for colour in ["#0072B2", "#E69F00", "#009E73"] {
        assert_eq!(rectangles(&svg, colour), 2, "{colour}");
    }
}

#[test]
fn markup_in_names_is_text() {
    let svg = three_bars().svg().expect("a picture");
    assert!(svg.contains("Barcelona &lt;&amp;&gt;"));
    let odd = bars(vec![bar("a\u{1b}[31m\nb", "k", 0.5, 1.0)])
        .svg()
        .expect("a picture");
    assert!(!odd.contains('\u{1b}') && odd.contains("a [31m b"));
}

#[test]
fn every_point_is_there_with_its_label() {
    let svg = two_points().svg().expect("a picture");
    for text in [
        "ht1-stream",
        "ht3-stream",
        "Barcelona",
        "Istanbul",
        "±10 %",
        "measured",
        "predicted",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // The point and its entry in the legend.
    assert_eq!(markers(&svg, "#0072B2"), 2);
    assert_eq!(markers(&svg, "#E69F00"), 2);
}

#[test]
fn the_same_picture_is_the_same_bytes() {
    for picture in [
        three_bars(),
        two_points(),
        two_curves().into(),
        six_cells(),
        coloured(vec![(4096.0, 1e9, 1e9), (65536.0, 2e9, 2e9)]),
        errors(&[(0.05, false), (-0.2, true)]),
        links(&[(1e9, 1.1e9)]),
    ] {
        assert_eq!(picture.svg(), picture.svg());
        assert_eq!(picture.png(), picture.png());
    }
}

#[test]
fn a_png_is_twice_the_size_of_its_svg() {
    let picture = two_points();
    let file = picture.png().expect("a picture");
    let decoder = png::Decoder::new(std::io::Cursor::new(&file));
    let reader = decoder.read_info().expect("a PNG file");
    let (width, height) = reader.info().size();
    let svg = picture.svg().expect("a picture");
    assert!(
        svg.contains(&format!("width=\"{}\" height=\"{}\"", width / 2, height / 2)),
        "{width} x {height}"
    );
}

/// Curves are labelled at their ends; a ceiling that is out of reach is told in words, and one that is not is drawn.
#[test]
fn curves_and_their_ceilings_are_named() {
    let svg = Picture::from(two_curves()).svg().expect("a picture");
    for text in [
        "one thread",
        "two threads",
        "I/O size",
        "network throughput",
        "4 KiB",
        "64 KiB",
        "Far above: ports from 9 GB/s.",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    let named = |text: &str| svg.lines().any(|line| line.trim() == text);
    assert!(named("PCIe") && !named("ports"));
    // A line and two marks in the colour of each curve.
    assert_eq!(markers(&svg, "#0072B2"), 2);
    assert_eq!(markers(&svg, "#E69F00"), 2);
}

/// Where a line leaves the frame it ends: nothing is drawn above the frame or below it.
#[test]
fn lines_end_at_the_frame() {
    let steep = curve("steep", &[(4096.0, 1e9), (65536.0, 1e12)]);
    let flat = curve("flat", &[(4096.0, 1e9), (65536.0, 1e9)]);
    let svg = Picture::from(curves(vec![flat], vec![steep]))
        .svg()
        .expect("a picture");
    let places = svg
        .lines()
        .filter(|line| line.starts_with("<polyline") || line.starts_with("<line"))
        .flat_map(|line| line.split('"').filter(|part| part.contains(',')))
        .flat_map(|points| points.split_whitespace())
        .filter_map(|point| point.split_once(',')?.1.parse::<f64>().ok());
    let (least, most) = places.fold((f64::MAX, f64::MIN), |(least, most), y| {
        (least.min(y), most.max(y))
    });
    assert!(least >= 0.0 && most < 600.0, "{least} to {most}");
}

#[test]
fn the_knee_is_marked_and_named() {
    let with_knee = Curves {
        x: AxisTitle {
            name: "clients".to_owned(),
            kind: None,
            scale: Scale::Linear,
        },
        knee: Some(Knee {
            label: "knee at 20 clients".to_owned(),
            x: 20.0,
            y: 2e9,
        }),
        ..curves(
            vec![curve("", &[(10.0, 1e9), (20.0, 1.8e9), (40.0, 2e9)])],
            Vec::new(),
        )
    };
    let svg = Picture::from(with_knee).svg().expect("a picture");
    assert!(svg.contains("knee at 20 clients"));
    assert_eq!(
        svg.lines()
            .filter(|line| line.starts_with("<polygon") && line.contains("#222222"))
            .count(),
        1
    );
}

/// Each cell has the colour of its value, from the darkest for none to the lightest for all, and a cell without a value
/// has no colour of any.
#[test]
fn cells_have_the_colour_of_their_value() {
    let svg = six_cells().svg().expect("a picture");
    assert_eq!(rectangles(&svg, "#440154"), 2, "the two cells of 0");
    assert_eq!(rectangles(&svg, "#FDE725"), 2, "the two cells of 1");
    assert_eq!(rectangles(&svg, "#F2F2F2"), 1, "the cell without a value");
    for text in ["link.cpu0-cpu1", "slot.s1.out", "1 s", "utilisation", "50 %"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn errors_are_bars_from_zero() {
    let svg = errors(&[(0.05, false), (-0.2, true)]).svg().expect("a picture");
    for text in [
        "Barcelona",
        "median 5 %",
        "figure-0",
        "figure-1",
        "used in a fit",
        "±10 %",
        "-20 %",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // One filled bar and its entry in the legend.
    assert_eq!(rectangles(&svg, "#0072B2"), 2);
    let unseen = errors(&[(0.05, false)]).svg().expect("a picture");
    assert!(!unseen.contains("used in a fit"));
}

#[test]
fn links_have_two_bars_each() {
    let svg = links(&[(1e9, 1.1e9), (2e9, 0.0)]).svg().expect("a picture");
    for text in [
        "HT1",
        "link-0",
        "1.1 GB/s for 1 GB/s, +10 %",
        "0 B/s for 2 GB/s, -100 %",
        "counted",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert_eq!(rectangles(&svg, "#969696"), 3, "two bars and the legend");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    for value in [f64::NAN, f64::INFINITY, 1e300] {
        let refused = |picture: Picture| matches!(picture.svg(), Err(PlotError::Value { .. }));
        assert!(
            refused(curves(vec![curve("c", &[(1.0, value)])], Vec::new()).into()),
            "{value}"
        );
        assert!(
            refused(curves(vec![curve("c", &[(value, 1.0)])], Vec::new()).into()),
            "{value}"
        );
        assert!(refused(map(vec![Some(value); 6])), "{value}");
        assert!(refused(coloured(vec![(1.0, 1.0, value)])), "{value}");
        assert!(refused(links(&[(1.0, value)])), "{value}");
    }
    assert!(matches!(
        errors(&[(f64::NAN, false)]).svg(),
        Err(PlotError::Value { .. })
    ));
    let logarithmic_zero = curves(vec![curve("c", &[(0.0, 1.0)])], Vec::new());
    assert!(matches!(
        Picture::from(logarithmic_zero).svg(),
        Err(PlotError::Value { .. })
    ));
    for empty in [
        curves(Vec::new(), Vec::new()).into(),
        map(vec![None; 6]),
        map(Vec::new()),
        coloured(Vec::new()),
        errors(&[]),
        links(&[]),
    ] {
        assert!(matches!(empty.png(), Err(PlotError::Empty(_))), "{empty:?}");
    }
    assert!(matches!(bars(Vec::new()).svg(), Err(PlotError::Empty(_))));
    assert!(matches!(points(Vec::new()).png(), Err(PlotError::Empty(_))));
    let many = vec![bar("a", "k", 0.5, 1.0); BARS_MAX + 1];
    assert!(matches!(
        bars(many).svg(),
        Err(PlotError::TooMuch { limit: BARS_MAX, .. })
    ));
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(
            bars(vec![bar("a", "k", value, 1.0)]).svg(),
            Err(PlotError::Value { .. })
        ));
    }
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            points(vec![point("a", "s", 1.0, value)]).svg(),
            Err(PlotError::Value { .. })
        ));
    }
}

#[test]
fn anything_that_can_be_drawn_is() {
    let long = "x".repeat(300);
    for picture in [
        bars(vec![
            bar("", "", -3.0, 7.0),
            bar(&long, &long, 1.0, 0.0),
            bar("日本", "k", 0.0, 0.5),
        ]),
        points(vec![point("", "", 1e-30, 1e30), point(&long, &long, 1.0, 1.0)]),
        curves(
            vec![
                curve(&long, &[(1.0, 1.0)]),
                curve("b", &[(1e30, 1e30), (1e-30, 0.0)]),
                curve("empty", &[]),
            ],
            vec![curve(&long, &[(1.0, 1e29)])],
        )
        .into(),
        coloured(vec![(1.0, 0.0, 5.0), (1.0, 0.0, 5.0)]),
        map(vec![Some(7.0), Some(-7.0), None, None, None, None]),
        errors(&[(1e9, true), (-1.0, false), (0.0, true)]),
        links(&[(0.0, 0.0)]),
        points(
            (0..200)
                .map(|index| point(&format!("p{index}"), "s", 1.0, 1.0))
                .collect(),
        ),
    ] {
        picture.svg().expect("an SVG");
        picture.png().expect("a PNG");
    }
}

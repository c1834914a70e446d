//! Pictures say what they were given, in the same bytes every time, and refuse what cannot be drawn.

use bandgraph_plot::{
    BARS_MAX, MeasuredPoint, Panel, Picture, PlotError, PredictedMeasured, UtilisationBar, UtilisationBars,
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
    for picture in [three_bars(), two_points()] {
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

#[test]
fn what_cannot_be_drawn_is_refused() {
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

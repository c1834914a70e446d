//! Pictures contain the given data, in the same bytes every time, and reject data that cannot be drawn.

mod fixtures;
mod hostile;

use bandgraph_plot::{Along, AxisTitle, Curves, Drawing, HeatMap, Knee, MeasuredPoint, Picture, Scale};
use bandgraph_units::QuantityKind;

use fixtures::*;

/// Rectangles of a colour in an SVG.
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
    let svg = Picture::from(three_bars()).svg().expect("a picture");
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
    // The background of each bar, then one bar and one swatch of the legend in the colour of its kind.
    assert_eq!(rectangles(&svg, "#F2F2F2"), 3);
    for colour in ["#0072B2", "#E69F00", "#009E73"] {
        assert_eq!(rectangles(&svg, colour), 2, "{colour}");
    }
}

/// A label above its bar takes several lines, and loses no word; one without end is truncated.
#[test]
fn a_long_label_is_wrapped() {
    let label = "1. the slower links between sockets become ht3-x16, and the slower sockets opteron-8435 \
                 (with a board that supports it)";
    let svg = Picture::from(values(&[("now", 2e9), (label, 3e9)])).svg();
    let svg = svg.expect("a picture");
    for word in label.split(' ') {
        assert!(svg.contains(word), "{word}");
    }
    assert!(!svg.contains('…'));
    let svg = Picture::from(values(&[("now", 2e9), (&label.repeat(9), 3e9)])).svg();
    assert_eq!(svg.expect("a picture").matches('…').count(), 1);
}

#[test]
fn markup_in_names_is_text() {
    let svg = Picture::from(three_bars()).svg().expect("a picture");
    assert!(svg.contains("Barcelona &lt;&amp;&gt;"));
    let odd = Picture::from(bars(vec![bar("a\u{1b}[31m\nb", 0, 0.5, 1.0)]))
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
        three_bars().into(),
        two_points(),
        two_curves().into(),
        six_cells(),
        coloured(vec![(4096.0, 1e9, 1e9), (65536.0, 2e9, 2e9)]),
        errors(&[(0.05, false), (-0.2, true)]).into(),
        pairs(&[(1e9, 1.1e9)]).into(),
        values(&[("now", 1e9), ("then", 2e9)]).into(),
        parameters(vec![parameter("stack.overlap", 0.5, Some([0.25, 0.75]))]).into(),
    ] {
        assert_eq!(picture.svg(), picture.svg());
        assert_eq!(picture.png(), picture.png());
    }
}

/// Twice the size of the SVG by default, for high-density screens.
#[test]
fn a_png_is_as_large_as_it_is_asked_to_be() {
    let picture = two_points();
    let svg = picture.svg().expect("a picture");
    for (file, scale) in [
        (picture.png(), 2),
        (picture.png_scaled(1), 1),
        (picture.png_scaled(3), 3),
    ] {
        let file = file.expect("a picture");
        let decoder = png::Decoder::new(std::io::Cursor::new(&file));
        let reader = decoder.read_info().expect("a PNG file");
        let (width, height) = reader.info().size();
        let size = format!("width=\"{}\" height=\"{}\"", width / scale, height / scale);
        assert!(svg.contains(&size), "{width} x {height}");
    }
    assert!(matches!(
        picture.png_scaled(u32::MAX),
        Err(bandgraph_plot::PlotError::TooMuch { .. })
    ));
}

/// Programs that search files find a PNG by its words, which are in it as they are.
#[test]
fn a_png_has_its_words() {
    let file = Picture::from(two_curves()).png().expect("a picture");
    for words in ["one thread", "I/O size", "Far above: ports from 9 GB/s."] {
        let letters = words.as_bytes();
        assert!(file.windows(letters.len()).any(|part| part == letters), "{words}");
    }
}

/// Curves are labelled at their ends; a ceiling far above is listed in text, and a near one is drawn.
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
    let named = |text: &str| svg.contains(&format!(">{text}</text>"));
    assert!(named("PCIe") && !named("ports"));
    // A line and two marks in the colour of each curve.
    assert_eq!(markers(&svg, "#0072B2"), 2);
    assert_eq!(markers(&svg, "#E69F00"), 2);
}

/// A line ends where it leaves the frame: nothing is drawn above the frame or below it.
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

/// Each cell has the colour of its value, from the darkest for the least to the lightest for the greatest; an
/// empty cell has no colour.
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
fn an_axis_around_zero_has_signs() {
    let svg = Picture::from(errors(&[(0.05, false), (-0.2, true)]))
        .svg()
        .expect("a picture");
    for text in [
        "Barcelona",
        "median 5 %",
        "figure-1",
        "±10 %",
        "-20 %",
        "+10 %",
        "0 %",
    ] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    // One filled bar and its entry in the legend; the other bar is an outline.
    assert_eq!(rectangles(&svg, "#0072B2"), 2);
}

#[test]
fn rows_may_have_two_bars() {
    let svg = Picture::from(pairs(&[(1e9, 1.1e9), (2e9, 0.0)]))
        .svg()
        .expect("a picture");
    for text in ["link-0", "note-0", "note-1", "counted"] {
        assert!(svg.contains(text), "{text}");
    }
    assert_eq!(rectangles(&svg, "#969696"), 3, "two bars and the legend");
}

/// Each item has its name, its note and its bar, and the first is marked on all of them.
#[test]
fn values_are_bars_beside_the_reference() {
    let svg = Picture::from(values(&[("now", 1e9), ("then", 2e9)]))
        .svg()
        .expect("a picture");
    for text in [
        "now",
        "then",
        "value-0",
        "value-1",
        "network throughput",
        "the footer",
        "today",
    ] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    let marks = svg
        .lines()
        .filter(|line| line.starts_with("<polyline") && line.contains("stroke-width=\"2\""));
    // One on each bar, and one in the legend.
    assert_eq!(marks.filter(|line| line.contains("#222222")).count(), 3);
}

/// The interval has the colour of intervals, and a parameter that the data do not determine has none.
#[test]
fn parameters_are_intervals_in_their_ranges() {
    let known = parameter("stack.overlap", 0.5, Some([0.25, 0.75]));
    let unknown = parameter("stack.exponent", 0.3, None);
    let svg = Picture::from(parameters(vec![known, unknown]))
        .svg()
        .expect("a picture");
    assert_eq!(rectangles(&svg, "#56B4E9"), 1);
    assert_eq!(rectangles(&svg, "#F2F2F2"), 2, "the ground of both");
    assert!(svg.contains(">0.5 found</text>"));
}

/// A point that a fit used is hollow, and the legend says so.
#[test]
fn fitted_points_are_hollow() {
    let MeasuredPoint {
        label,
        series,
        measured,
        predicted,
        ..
    } = point("a", "s", 1e9, 1.1e9);
    let fitted = MeasuredPoint {
        label,
        title: String::new(),
        series,
        measured,
        predicted,
        interval: Some([predicted * 0.9, predicted * 1.2]),
        is_fitted: true,
    };
    let svg = points(vec![fitted]).svg().expect("a picture");
    assert!(svg.contains("hollow: used in a fit"));
    // The rim, the point and its hollow, and the same in the legend.
    assert_eq!(markers(&svg, "#FFFFFF"), 4);
}

/// What a picture was made from is at its bottom, in as many lines as it takes, and moves nothing.
#[test]
fn the_origin_is_below_the_drawing() {
    let plain = Picture::from(three_bars());
    let origin = ["small.toml, bandgraph 1.0"; 12].join("; ");
    let signed = Picture {
        origin,
        ..plain.clone()
    };
    let (plain, signed) = [plain, signed].map(|one| one.svg().expect("a picture")).into();
    let texts = |svg: &str| svg.lines().filter(|line| line.starts_with("<text")).count();
    assert_eq!(texts(&signed), texts(&plain) + 2, "{signed}");
    assert!(signed.contains(">small.toml, bandgraph 1.0; small.toml"));
    for line in plain.lines().filter(|line| line.starts_with("<text")) {
        assert!(signed.contains(line), "{line}");
    }
}

/// The quantity along the columns has ticks at round values, and its mark crosses all rows.
#[test]
fn time_is_told_at_round_values() {
    let Picture {
        drawing: Drawing::HeatMap(map),
        ..
    } = six_cells()
    else {
        panic!("a heat map")
    };
    let along = Along {
        kind: Some(QuantityKind::Time),
        edges: vec![0.0, 1.0, 2.4, 2.503],
        mark: Some(0.5),
    };
    let svg = Picture::from(HeatMap {
        along: Some(along),
        ..map
    })
    .svg()
    .expect("a picture");
    assert!(svg.contains(">1.5 s</text>") && svg.contains(">500 ms</text>"));
}

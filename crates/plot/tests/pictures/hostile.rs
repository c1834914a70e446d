//! Unusual data: it is rejected with a reason, or drawn so that no text overlaps another or is cut off by the
//! edge.

use bandgraph_plot::{BARS_MAX, BarShape, Bars, Picture, PlotError};

use super::fixtures::*;

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
        assert!(refused(pairs(&[(1.0, value)]).into()), "{value}");
        assert!(refused(bars(vec![bar("a", 0, value, 1.0)]).into()), "{value}");
    }
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
        errors(&[]).into(),
        bars(Vec::new()).into(),
    ] {
        assert!(matches!(empty.png(), Err(PlotError::Empty(_))), "{empty:?}");
    }
    assert!(matches!(points(Vec::new()).png(), Err(PlotError::Empty(_))));
    let many = vec![bar("a", 0, 0.5, 1.0); BARS_MAX + 1];
    assert!(matches!(
        Picture::from(bars(many)).svg(),
        Err(PlotError::TooMuch { limit: BARS_MAX, .. })
    ));
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            points(vec![point("a", "s", 1.0, value)]).svg(),
            Err(PlotError::Value { .. })
        ));
    }
}

/// Pictures of data that is difficult to draw.
fn hard() -> Vec<Picture> {
    let long = "x".repeat(300);
    let names = |count: usize| (0..count).map(|index| format!("a name that is rather long, number {index}"));
    let many: Vec<String> = names(200).collect();
    vec![
        bars(vec![
            bar("", 0, -3.0, 7.0),
            bar(&long, 40, 1.0, 0.0),
            bar("日本 αβγ żółć", 2, 0.0, 0.5),
        ])
        .into(),
        Bars {
            legend: many.iter().map(|name| (BarShape::Stroke, name.clone())).collect(),
            ..bars(many.iter().map(|name| bar(name, 0, 0.5, 0.9)).collect())
        }
        .into(),
        points(vec![point("", "", 1e-30, 1e30), point(&long, &long, 1.0, 1.0)]),
        points(vec![point("one", "one", 1.0, 1.0)]),
        points(
            many.iter()
                .take(200)
                .map(|name| point(name, "s", 1.0, 1.0))
                .collect(),
        ),
        points(
            many.iter()
                .take(200)
                .enumerate()
                .map(|(index, name)| point(name, name, 1.0 + index as f64, 2.0 + (index * 7 % 200) as f64))
                .collect(),
        ),
        curves(
            vec![
                curve(&long, &[(1.0, 1.0)]),
                curve("b", &[(1e30, 1e30), (1e-30, 0.0)]),
                curve("empty", &[]),
            ],
            vec![curve(&long, &[(1.0, 1e29)])],
        )
        .into(),
        curves(
            many.iter()
                .take(12)
                .map(|name| curve(name, &[(1.0, 5.0), (2.0, 5.0)]))
                .collect(),
            many.iter()
                .take(12)
                .map(|name| curve(name, &[(1.0, 6.0), (2.0, 60.0)]))
                .collect(),
        )
        .into(),
        curves(vec![curve("one point", &[(7.0, 7.0)])], Vec::new()).into(),
        coloured(vec![(1.0, 0.0, 5.0), (1.0, 0.0, 5.0)]),
        map(vec![Some(7.0), Some(-7.0), None, None, None, None]),
        errors(&[(1e9, true), (-1.0, false), (0.0, true)]).into(),
        pairs(&[(0.0, 0.0)]).into(),
        values(&[(&long, 0.0), ("", 1e30), ("日本", 1.0)]).into(),
        Bars {
            legend: vec![(BarShape::Circle, long.clone())],
            ..parameters(vec![
                parameter(&long, 5.0, Some([-1.0, 7.0])),
                parameter("", 0.0, None),
            ])
        }
        .into(),
    ]
}

#[test]
fn anything_that_can_be_drawn_is() {
    for picture in hard() {
        picture.svg().expect("an SVG");
        picture.png().expect("a PNG");
    }
}

/// A horizontal text of an SVG: its contents, and its area from its base line to half the height of a
/// capital.
#[derive(Debug)]
struct Text {
    says: String,
    x: (f64, f64),
    y: (f64, f64),
}

fn texts(svg: &str) -> Vec<Text> {
    let document = roxmltree::Document::parse(svg).expect("an SVG is XML");
    let of_node = |node: roxmltree::Node<'_, '_>| {
        let number = |name: &str| node.attribute(name)?.parse::<f64>().ok();
        let (x, y) = (number("x")?, number("y")?);
        Some(Text {
            says: node.text().unwrap_or_default().to_owned(),
            x: (x, x + number("textLength")?),
            y: (y - 0.34 * number("font-size")?, y),
        })
    };
    let nodes = document.descendants().filter(|node| node.has_tag_name("text"));
    nodes.filter_map(of_node).collect()
}

#[test]
fn no_text_lies_on_another_or_beyond_the_edge() {
    for (number, picture) in hard().into_iter().enumerate() {
        let svg = picture.svg().expect("an SVG");
        let size = |name: &str| -> f64 {
            let start = svg.find(name).expect("an attribute") + name.len();
            svg[start..]
                .split('"')
                .next()
                .and_then(|number| number.parse().ok())
                .expect("a number")
        };
        let (width, height) = (size(" width=\""), size(" height=\""));
        let texts = texts(&svg);
        assert!(!texts.is_empty());
        for (index, text) in texts.iter().enumerate() {
            let inside = text.x.0 >= 0.0 && text.x.1 <= width && text.y.1 <= height;
            assert!(
                inside,
                "{number}: {} at {:?}, {:?} of {width} x {height}",
                text.says, text.x, text.y
            );
            for other in &texts[..index] {
                let apart = text.x.1 < other.x.0
                    || other.x.1 < text.x.0
                    || text.y.1 < other.y.0
                    || other.y.1 < text.y.0;
                assert!(
                    apart,
                    "{number}: {} at {:?} lies on {} at {:?}",
                    text.says, text.x, other.says, other.x
                );
            }
        }
    }
}

/// Text has the measured width, so that its extent stays the same with another font.
#[test]
fn text_is_text_of_a_known_length() {
    for picture in hard() {
        let svg = picture.svg().expect("an SVG");
        let document = roxmltree::Document::parse(&svg).expect("an SVG is XML");
        let root = document.root_element();
        assert!(
            root.attribute("font-family")
                .is_some_and(|fonts| fonts.starts_with("DejaVu Sans"))
        );
        for node in document.descendants().filter(|node| node.has_tag_name("text")) {
            assert!(node.attribute("textLength").is_some(), "{:?}", node.text());
            assert!(node.text().is_some_and(|text| !text.trim().is_empty()));
        }
    }
}

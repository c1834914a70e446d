//! Pictures on dark pages: each colour of a picture has a twin there. Greys are inverted, so that what is
//! faint on paper is faint on a dark page; colours keep their hue, and dark ones become lighter.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The lightness of paper and of ink on dark pages.
const DARKEST: f64 = 0.26;
const LIGHTEST: f64 = 0.95;
/// The lightness of ink on paper, below which nothing is lighter on dark pages.
const INK: f64 = 0.28;
/// The least lightness of colours on dark pages.
const COLOUR: f64 = 0.62;
/// The chroma from which a colour is no grey.
const CHROMA: f64 = 0.1;

/// The rules for the colours of pictures on dark pages: of every `fill` and `stroke` in `html`, except within
/// groups of class `fixed`.
pub(super) fn dark_rules(html: &[&str]) -> String {
    let mut used = BTreeSet::new();
    for attribute in ["fill", "stroke"] {
        let start = format!("{attribute}=\"#");
        for html in html {
            for (at, _) in html.match_indices(&start) {
                let colour = html.get(at + start.len()..at + start.len() + 6);
                used.extend(colour.map(|colour| (attribute, colour)));
            }
        }
    }
    let mut rules = "@media screen and (prefers-color-scheme:dark){\n".to_owned();
    for (attribute, colour) in used {
        if let Some(dark) = dark(colour) {
            let _ = writeln!(
                rules,
                "figure svg [{attribute}=\"#{colour}\"]:not(.fixed *){{{attribute}:#{dark}}}"
            );
        }
    }
    rules.push_str("}\n");
    rules
}

/// The twin of a colour on dark pages, both as six hexadecimal digits.
fn dark(colour: &str) -> Option<String> {
    let byte = |at: usize| {
        colour
            .get(at..at + 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
    };
    let [lightness, a, b] = oklab([byte(0)?, byte(2)?, byte(4)?]);
    let inverted = DARKEST + (LIGHTEST - DARKEST) * ((1.0 - lightness) / (1.0 - INK)).clamp(0.0, 1.0);
    let share = (libm::hypot(a, b) / CHROMA).min(1.0);
    let lightness = inverted + share * (lightness.max(COLOUR) - inverted);
    let [red, green, blue] = rgb([lightness, a, b]);
    Some(format!("{red:02X}{green:02X}{blue:02X}"))
}

/// A colour as lightness, and two axes of hue: Björn Ottosson, "A perceptual color space for image
/// processing" (2020).
fn oklab(colour: [u8; 3]) -> [f64; 3] {
    let [r, g, b] = colour.map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.040_45 {
            share / 12.92
        } else {
            libm::pow((share + 0.055) / 1.055, 2.4)
        }
    });
    let l = libm::cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b);
    let m = libm::cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b);
    let s = libm::cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b);
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

/// The inverse of [`oklab`]; what screens cannot show is clipped.
fn rgb([lightness, a, b]: [f64; 3]) -> [u8; 3] {
    let cube = |value: f64| value * value * value;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ];
    linear.map(|share| {
        let share = share.clamp(0.0, 1.0);
        let encoded = if share <= 0.003_130_8 {
            share * 12.92
        } else {
            1.055 * libm::pow(share, 1.0 / 2.4) - 0.055
        };
        (encoded * 255.0).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(colour: &str) -> f64 {
        let byte = |at: usize| u8::from_str_radix(&colour[at..at + 2], 16).expect("two hexadecimal digits");
        oklab([byte(0), byte(2), byte(4)])[0]
    }

    #[test]
    fn the_colour_space_has_an_inverse() {
        for colour in [[0, 0, 0], [255, 255, 255], [213, 94, 0], [0, 114, 178], [1, 2, 3]] {
            assert_eq!(rgb(oklab(colour)), colour);
        }
        assert!((oklab([255; 3])[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn paper_is_dark_ink_is_light_and_colours_can_be_seen() {
        let twin = |colour: &str| lightness(&dark(colour).expect("a colour"));
        assert!(twin("FFFFFF") < 0.3 && twin("222222") > 0.9);
        // What is faint on paper is faint here.
        assert!(twin("DDDDDD") < twin("666666") && twin("666666") < twin("222222"));
        for colour in [
            "0072B2", "D55E00", "009E73", "E69F00", "A50026", "332288", "882255",
        ] {
            assert!(twin(colour) > 0.58, "{colour}: {}", twin(colour));
        }
    }

    #[test]
    fn every_colour_has_one_rule() {
        let rules = dark_rules(&[
            r##"<rect fill="#FFFFFF"/><path fill="none" stroke="#222222"/>"##,
            r##"<a fill="#FFFFFF">"##,
        ]);
        assert_eq!(rules.matches("fill:#").count(), 1, "{rules}");
        assert!(
            rules.contains("[stroke=\"#222222\"]:not(.fixed *){stroke:#"),
            "{rules}"
        );
    }
}

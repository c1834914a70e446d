//! Colours that are distinguishable with the common kinds of colour blindness: the palette of Masataka Okabe
//! and Kei Ito, "Color Universal Design" (2008), and four of the muted scheme of Paul Tol, "Colour Schemes"
//! (2021). Greys are for everything that is not data.

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// A colour with an opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    pub(crate) colour: Colour,
    /// From 0, transparent, to 1, opaque.
    pub(crate) opacity: f64,
}

impl Colour {
    /// The colour with an opacity.
    pub(crate) const fn mix(self, opacity: f64) -> Paint {
        Paint {
            colour: self,
            opacity,
        }
    }
}

impl From<Colour> for Paint {
    fn from(colour: Colour) -> Self {
        colour.mix(1.0)
    }
}

/// The palette's blue.
pub(crate) const BLUE: Colour = Colour(0, 114, 178);
/// The palette's vermilion.
pub(crate) const VERMILION: Colour = Colour(213, 94, 0);
/// The palette's bluish green.
pub(crate) const GREEN: Colour = Colour(0, 158, 115);
/// The palette's orange.
pub(crate) const ORANGE: Colour = Colour(230, 159, 0);
/// The palette's sky blue.
pub(crate) const SKY: Colour = Colour(86, 180, 233);
/// The palette's reddish purple.
pub(crate) const PURPLE: Colour = Colour(204, 121, 167);
/// The palette's black. Its yellow is omitted: on paper its contrast is too low for points and lines.
pub(crate) const BLACK: Colour = Colour(0, 0, 0);

/// Tol's indigo.
const INDIGO: Colour = Colour(51, 34, 136);
/// Tol's wine.
const WINE: Colour = Colour(136, 34, 85);
/// Tol's olive.
const OLIVE: Colour = Colour(153, 153, 51);
/// Tol's teal.
const TEAL: Colour = Colour(68, 170, 153);

/// The colours of series, in order.
const SERIES: [Colour; 11] = [
    BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, BLACK, INDIGO, OLIVE, WINE, TEAL,
];

/// The colour of a series by its index. It repeats after eleven, so that series need other distinctions too.
pub(crate) fn series(position: usize) -> Colour {
    SERIES[position % SERIES.len()]
}

/// Text and axes.
pub(crate) const INK: Colour = Colour(34, 34, 34);
/// Less important text.
pub(crate) const FAINT: Colour = Colour(102, 102, 102);
/// Bars for references: they differ from the colours in lightness too.
pub(crate) const GREY: Colour = Colour(150, 150, 150);
/// Grid lines.
pub(crate) const GRID: Colour = Colour(221, 221, 221);
/// Areas behind data.
pub(crate) const SHADE: Colour = Colour(242, 242, 242);
/// The background.
pub(crate) const PAPER: Colour = Colour(255, 255, 255);

/// Colours of values from low to high, after viridis by Stéfan van der Walt and Nathaniel Smith (2015):
/// lightness rises evenly, so that it is readable without colour.
const GRADIENT: [(f64, f64, f64); 10] = [
    (68.0, 1.0, 84.0),
    (72.0, 40.0, 120.0),
    (62.0, 74.0, 137.0),
    (49.0, 104.0, 142.0),
    (38.0, 130.0, 142.0),
    (31.0, 158.0, 137.0),
    (53.0, 183.0, 121.0),
    (109.0, 205.0, 89.0),
    (180.0, 222.0, 44.0),
    (253.0, 231.0, 37.0),
];

/// The colour of a value from 0 to 1, dark to light; clamped to this range.
pub(crate) fn gradient(share: f64) -> Colour {
    let last = GRADIENT.len() - 1;
    let along = share.clamp(0.0, 1.0) * last as f64;
    let below = (along.floor() as usize).min(last - 1);
    let part = along - below as f64;
    let (from, to) = (GRADIENT[below], GRADIENT[below + 1]);
    let between = |from: f64, to: f64| (from + part * (to - from)).round() as u8;
    Colour(
        between(from.0, to.0),
        between(from.1, to.1),
        between(from.2, to.2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_grows_lighter() {
        let luma = |Colour(red, green, blue): Colour| {
            0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)
        };
        let lumas: Vec<f64> = (0..=100)
            .map(|step| luma(gradient(f64::from(step) / 100.0)))
            .collect();
        assert!(lumas.is_sorted());
        assert_eq!(gradient(-1.0), gradient(0.0));
        assert_eq!(gradient(2.0), gradient(1.0));
    }
}

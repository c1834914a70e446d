//! Positions of the labels of points, such that no label overlaps another label or a point.
//!
//! Each label in turn takes the first free position of a list: close to its point on each side, then farther
//! away with a leader line. If none is free, a short label, such as the number of a key, is tried; if that
//! has no position either, it is omitted. Leader lines do not cross.

use crate::canvas::{Area, At, Side, at};

/// The distances of labels from their points, in rings.
const DISTANCES: [f64; 10] = [9.0, 18.0, 30.0, 46.0, 66.0, 92.0, 124.0, 160.0, 200.0, 245.0];
/// The distance from which on a label has a leader line.
const LED: f64 = 15.0;
/// Free space around labels.
const CLEARANCE: f64 = 2.0;

/// The sides of a point in the order in which they are tried: the direction, and the end of the text toward
/// the point.
const SIDES: [(f64, f64, Side); 16] = [
    (1.0, 0.0, Side::Left),
    (-1.0, 0.0, Side::Right),
    (0.7, -0.7, Side::Left),
    (-0.7, -0.7, Side::Right),
    (0.7, 0.7, Side::Left),
    (-0.7, 0.7, Side::Right),
    (0.0, -1.2, Side::Centre),
    (0.0, 1.2, Side::Centre),
    (0.92, -0.38, Side::Left),
    (-0.92, -0.38, Side::Right),
    (0.92, 0.38, Side::Left),
    (-0.92, 0.38, Side::Right),
    (0.38, -0.92, Side::Left),
    (-0.38, -0.92, Side::Right),
    (0.38, 0.92, Side::Left),
    (-0.38, 0.92, Side::Right),
];

/// A point with a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled {
    /// The position of the point.
    pub(crate) point: At,
    /// The width of its label.
    pub(crate) width: f64,
    /// The width of its short label.
    pub(crate) short_width: f64,
}

/// The position of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    /// The position of the text.
    pub(crate) at: At,
    /// The side of the text at that position.
    pub(crate) side: Side,
    /// The end of its leader line.
    pub(crate) lead_end: At,
    /// Whether it has a leader line.
    pub(crate) led: bool,
    /// The area of the text.
    pub(crate) area: Area,
    /// Whether it is for the short label.
    pub(crate) is_short: bool,
}

/// Finds a position for every label within `bounds`; `None` if there is none. `height` is that of a line of
/// text, `radius` that of a point. A position for which `avoid` is true is used only if there is no other.
pub(crate) fn place(
    labels: &[Labelled],
    bounds: &Area,
    height: f64,
    radius: f64,
    avoid: impl Fn(&Area) -> bool,
) -> Vec<Option<Placed>> {
    let mut sheet = Sheet {
        bounds,
        height,
        radius,
        points: labels
            .iter()
            .map(|label| Area::around(label.point, radius, radius))
            .collect(),
        taken: Vec::new(),
        leads: Vec::new(),
    };
    let mut placed: Vec<Option<Placed>> = labels
        .iter()
        .map(|label| sheet.take(label, false, &avoid))
        .collect();
    // Only after all long labels, so that no short label displaces one.
    for (label, placed) in labels.iter().zip(&mut placed) {
        if placed.is_none() {
            *placed = sheet.take(label, true, &avoid);
        }
    }
    placed
}

/// The occupied parts of the area for labels.
struct Sheet<'b> {
    bounds: &'b Area,
    height: f64,
    radius: f64,
    points: Vec<Area>,
    taken: Vec<Area>,
    leads: Vec<[At; 2]>,
}

impl Sheet<'_> {
    /// Takes the best free position for a label, or for its short label.
    fn take(&mut self, label: &Labelled, is_short: bool, avoid: impl Fn(&Area) -> bool) -> Option<Placed> {
        let own = Area::around(label.point, self.radius, self.radius);
        let free = |candidate: &Placed| self.is_free(candidate, label.point, &own);
        let found = candidates(label, is_short, self.height)
            .find(|candidate| free(candidate) && !avoid(&candidate.area))
            .or_else(|| candidates(label, is_short, self.height).find(free))?;
        self.taken.push(found.area);
        if found.led {
            self.leads.push([label.point, found.at]);
        }
        Some(found)
    }

    fn is_free(&self, candidate: &Placed, point: At, own: &Area) -> bool {
        let lead = [point, candidate.at];
        // No line could avoid points that overlap this one.
        let apart = self.points.iter().filter(|point| !point.overlaps(own));
        let mut others = apart.chain(&self.taken);
        self.bounds.contains(&candidate.area)
            && !self
                .points
                .iter()
                .chain(&self.taken)
                .any(|other| other.overlaps(&candidate.area))
            && !self.leads.iter().any(|lead| crosses(lead, &candidate.area))
            && (!candidate.led
                || !others.any(|other| crosses(&lead, other))
                    && !self.leads.iter().any(|other| meet(&lead, other)))
    }
}

/// Whether two lines cross.
fn meet([a, b]: &[At; 2], [c, d]: &[At; 2]) -> bool {
    // The sign shows on which side of a line a third position is.
    let side = |from: &At, to: &At, place: &At| {
        (to.x - from.x) * (place.y - from.y) - (to.y - from.y) * (place.x - from.x)
    };
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// Whether a line touches an area. Lines are short, so that a few positions along them suffice.
fn crosses([from, to]: &[At; 2], area: &Area) -> bool {
    const PLACES: u32 = 32;
    (0..=PLACES).any(|place| {
        let share = f64::from(place) / f64::from(PLACES);
        let (x, y) = (from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
        (area.left..=area.right).contains(&x) && (area.top..=area.bottom).contains(&y)
    })
}

/// All candidate positions of a label, the best first.
fn candidates(label: &Labelled, is_short: bool, height: f64) -> impl Iterator<Item = Placed> + use<> {
    let point = label.point;
    let width = if is_short { label.short_width } else { label.width };
    DISTANCES.into_iter().flat_map(move |distance| {
        SIDES.into_iter().map(move |(x, y, side)| {
            let place = at(point.x + x * distance, point.y + y * distance);
            let left = match side {
                Side::Left => place.x,
                Side::Centre => place.x - width / 2.0,
                Side::Right => place.x - width,
            };
            Placed {
                at: place,
                side,
                lead_end: at(place.x - x * CLEARANCE, place.y - y * CLEARANCE),
                led: distance > LED,
                area: Area::between(
                    at(left - CLEARANCE, place.y - height / 2.0),
                    at(left + width + CLEARANCE, place.y + height / 2.0),
                ),
                is_short,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Area = Area::between(at(0.0, 0.0), at(600.0, 600.0));

    #[test]
    fn a_lone_label_stands_right_of_its_point() {
        let placed = place(
            &[Labelled {
                point: at(300.0, 300.0),
                width: 80.0,
                short_width: 10.0,
            }],
            &BOUNDS,
            14.0,
            5.0,
            |_| false,
        );
        let label = placed[0].expect("there is room");
        assert_eq!((label.side, label.led), (Side::Left, false));
        assert!(label.at.x > 300.0);
    }

    #[test]
    fn a_label_at_the_right_edge_stands_left_of_its_point() {
        let placed = place(
            &[Labelled {
                point: at(590.0, 300.0),
                width: 80.0,
                short_width: 10.0,
            }],
            &BOUNDS,
            14.0,
            5.0,
            |_| false,
        );
        assert_eq!(placed[0].map(|label| label.side), Some(Side::Right));
    }

    #[test]
    fn a_label_goes_where_it_is_wanted_less_only_if_it_must() {
        let label = [Labelled {
            point: at(300.0, 300.0),
            width: 80.0,
            short_width: 10.0,
        }];
        let right_half = |area: &Area| area.right > 300.0;
        let placed = place(&label, &BOUNDS, 14.0, 5.0, right_half);
        assert_eq!(placed[0].map(|label| label.side), Some(Side::Right));
        let everywhere = place(&label, &BOUNDS, 14.0, 5.0, |_| true);
        assert_eq!(everywhere[0].map(|label| label.side), Some(Side::Left));
    }

    /// Overlapping points leave no side of the middle one free; its label has a leader line.
    #[test]
    fn points_on_each_other_all_have_labels() {
        let labels: Vec<Labelled> = (0..5)
            .map(|index| Labelled {
                point: at(300.0 + f64::from(index) * 4.0, 300.0 - f64::from(index) * 4.0),
                width: 80.0,
                short_width: 15.0,
            })
            .collect();
        let placed = place(&labels, &BOUNDS, 14.0, 6.0, |_| false);
        assert!(placed.iter().all(Option::is_some), "{placed:?}");
    }

    #[test]
    fn lines_meet_only_where_both_pass() {
        let cross = ([at(0.0, 0.0), at(2.0, 2.0)], [at(0.0, 2.0), at(2.0, 0.0)]);
        assert!(meet(&cross.0, &cross.1));
        assert!(!meet(&cross.0, &[at(0.0, 2.0), at(0.9, 1.1)]));
        assert!(!meet(&cross.0, &[at(0.0, 1.0), at(2.0, 3.0)]));
    }

    /// A label as wide as the area does not fit, but its short label does.
    #[test]
    fn a_label_without_room_has_a_short_one() {
        let wide = [Labelled {
            point: at(300.0, 300.0),
            width: 700.0,
            short_width: 10.0,
        }];
        let placed = place(&wide, &BOUNDS, 14.0, 5.0, |_| false)[0].expect("there is room for the short one");
        assert!(placed.is_short && placed.area.width() < 20.0);
    }

    proptest! {
        #[test]
        fn no_label_lies_on_another_or_on_a_point(
            points in prop::collection::vec((0.0..600.0_f64, 0.0..600.0_f64, 10.0..150.0_f64), 1..80)
        ) {
            let labels: Vec<Labelled> =
                points.into_iter().map(|(x, y, width)| Labelled { point: at(x, y), width, short_width: 8.0 }).collect();
            let placed: Vec<Placed> = place(&labels, &BOUNDS, 14.0, 5.0, |_| false).into_iter().flatten().collect();
            for (index, label) in placed.iter().enumerate() {
                prop_assert!(BOUNDS.contains(&label.area));
                prop_assert!(placed[..index].iter().all(|other| !other.area.overlaps(&label.area)));
                prop_assert!(labels.iter().all(|point| !Area::around(point.point, 5.0, 5.0).overlaps(&label.area)));
            }
        }
    }
}

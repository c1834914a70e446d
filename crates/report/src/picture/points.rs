//! Figures that are both predicted and measured, which several kinds of results have.

use bandgraph_plot::{ErrorBar, ErrorGroup, MeasuredPoint, Panel};
use bandgraph_units::{Fraction, QuantityKind};

use crate::text::signed_percent;

/// Figures of one system up to which a picture names all of them; of more, those that are furthest off.
const NAMED_MAX: usize = 12;
/// How many of those.
const NAMED: usize = 5;

/// The quantity of a figure by its unit in a result; `None` for plain numbers. A number without a unit may be
/// a share or, like cycles per instruction, not: it is a plain number.
pub(super) fn kind_of_unit(unit: &str) -> Option<QuantityKind> {
    QuantityKind::ALL
        .into_iter()
        .find(|kind| *kind != QuantityKind::Fraction && kind.base_unit() == unit)
}

/// A panel for each quantity, in the order in which they first come, and how many figures were left out
/// because they are not above zero, which no logarithmic axis has a place for.
pub(super) fn panels(
    figures: impl Iterator<Item = (String, Option<QuantityKind>, MeasuredPoint)>,
) -> (Vec<Panel>, usize) {
    let mut panels: Vec<Panel> = Vec::new();
    let mut left_out = 0;
    for (quantity, kind, point) in figures {
        if point.measured <= 0.0 || point.predicted <= 0.0 {
            left_out += 1;
            continue;
        }
        match panels.iter_mut().find(|panel| panel.quantity == quantity) {
            Some(panel) => panel.points.push(point),
            None => panels.push(Panel {
                quantity,
                kind,
                points: vec![point],
            }),
        }
    }
    for panel in &mut panels {
        name_the_worst(&mut panel.points);
    }
    (panels, left_out)
}

/// Leaves names to those that are furthest off, of series with many points.
fn name_the_worst(points: &mut [MeasuredPoint]) {
    let off = |point: &MeasuredPoint| libm::log(point.predicted / point.measured).abs();
    let of_series = |series: &str| {
        let mut of_series: Vec<usize> = (0..points.len())
            .filter(|&index| points[index].series == series)
            .collect();
        of_series.sort_by(|&a, &b| off(&points[b]).total_cmp(&off(&points[a])));
        of_series
    };
    let mut nameless = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for point in points.iter() {
        if known.contains(&point.series.as_str()) {
            continue;
        }
        known.push(&point.series);
        let all = of_series(&point.series);
        if all.len() > NAMED_MAX {
            nameless.extend(all[NAMED..].to_vec());
        }
    }
    for index in nameless {
        points[index].label.clear();
    }
}

/// What a picture says under its title of figures that it left out.
pub(super) fn with_left_out(subtitle: &str, left_out: usize) -> String {
    match left_out {
        0 => subtitle.to_owned(),
        1 => format!("{subtitle}; one more is zero and not shown"),
        count => format!("{subtitle}; {count} more are zero and not shown"),
    }
}

/// How far a figure is off.
#[derive(Clone, Debug)]
pub(super) struct Off {
    pub(super) label: String,
    pub(super) system: String,
    /// Less one; `None` of a bound that is kept, which no error can be told of.
    pub(super) error: Option<f64>,
    /// The errors at both ends of the interval of the prediction.
    pub(super) interval: Option<[f64; 2]>,
    pub(super) is_fitted: bool,
    /// Both figures in words.
    pub(super) figures: String,
}

/// A group of errors for each system, in the order in which systems first come.
pub(super) fn groups(all: &[Off]) -> Vec<ErrorGroup> {
    let mut groups: Vec<ErrorGroup> = Vec::new();
    for off in all {
        let told = off.error.map_or_else(|| "bound kept".to_owned(), signed_percent);
        let bar = ErrorBar {
            label: off.label.clone(),
            error: off.error.unwrap_or(0.0),
            interval: off.interval,
            is_fitted: off.is_fitted,
            note: format!("{told}   {}", off.figures),
        };
        match groups.iter_mut().find(|group| group.name == off.system) {
            Some(group) => group.bars.push(bar),
            None => groups.push(ErrorGroup {
                name: off.system.clone(),
                note: summary(all.iter().filter(|other| other.system == off.system)),
                bars: vec![bar],
            }),
        }
    }
    for group in &mut groups {
        fold(&mut group.bars);
    }
    groups
}

/// Of many bars, those that are furthest off, and one for the rest of them.
fn fold(bars: &mut Vec<ErrorBar>) {
    if bars.len() <= NAMED_MAX {
        return;
    }
    bars.sort_by(|a, b| b.error.abs().total_cmp(&a.error.abs()));
    let rest = bars.split_off(NAMED);
    let Some(worst) = rest.first() else { return };
    let middle = median(rest.iter().map(|bar| bar.error)).map(Fraction::new);
    bars.push(ErrorBar {
        label: format!("{} more", rest.len()),
        error: worst.error,
        interval: None,
        is_fitted: rest.iter().all(|bar| bar.is_fitted),
        note: format!(
            "at most {}{}",
            signed_percent(worst.error),
            middle.map_or_else(String::new, |middle| format!(", median {middle}"))
        ),
    });
}

/// How far figures are off, in words.
pub(super) fn summary<'o>(all: impl Iterator<Item = &'o Off> + Clone) -> String {
    let count = all.clone().count();
    let errors = all.clone().filter_map(|off| off.error);
    let unseen = all
        .clone()
        .filter(|off| !off.is_fitted)
        .filter_map(|off| off.error);
    let noun = if count == 1 { "figure" } else { "figures" };
    let Some(all_of_them) = median(errors) else {
        return format!("{count} {noun}");
    };
    let (fitted, all_of_them) = (
        all.filter(|off| off.is_fitted).count(),
        Fraction::new(all_of_them),
    );
    match median(unseen) {
        _ if fitted == 0 => format!("{count} {noun}; median error {all_of_them}"),
        Some(unseen) => {
            let unseen = Fraction::new(unseen);
            format!(
                "{count} {noun}, {fitted} used in a fit; median error {all_of_them}, {unseen} without those"
            )
        }
        None => format!("{count} {noun}, used in a fit; median error {all_of_them}"),
    }
}

/// The median of what errors are, whatever their sign.
pub(super) fn median(errors: impl Iterator<Item = f64>) -> Option<f64> {
    let mut errors: Vec<f64> = errors.map(f64::abs).collect();
    errors.sort_by(f64::total_cmp);
    let (low, high) = (errors.len().checked_sub(1)? / 2, errors.len() / 2);
    Some(f64::midpoint(errors[low], errors[high]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles per instruction are no percentage: 11.7 is not 1170 %.
    #[test]
    fn a_number_without_a_unit_is_a_plain_number() {
        assert_eq!(kind_of_unit("1"), None);
        assert_eq!(kind_of_unit("bytes/s"), Some(QuantityKind::Bandwidth));
    }

    /// Eighty figures of one system are five rows and one for the rest.
    #[test]
    fn many_bars_are_folded() {
        let bar = |index: u32| ErrorBar {
            label: format!("cell-{index}"),
            error: f64::from(index) / 1000.0,
            interval: None,
            is_fitted: false,
            note: String::new(),
        };
        let mut bars: Vec<ErrorBar> = (0..80).map(bar).collect();
        fold(&mut bars);
        let labels: Vec<&str> = bars.iter().map(|bar| bar.label.as_str()).collect();
        assert_eq!(
            labels,
            ["cell-79", "cell-78", "cell-77", "cell-76", "cell-75", "75 more"]
        );
        assert_eq!(bars[5].error, 0.074);
    }

    #[test]
    fn a_median_is_the_one_in_the_middle() {
        assert_eq!(median([0.1, -0.3, 0.2].into_iter()), Some(0.2));
        assert_eq!(median([0.1, -0.3].into_iter()), Some(0.2));
        assert_eq!(median(std::iter::empty()), None);
    }
}

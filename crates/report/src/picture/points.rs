//! Figures that are both predicted and measured, which several kinds of results have.

use bandgraph_plot::{ErrorBar, ErrorGroup, MeasuredPoint, Panel};
use bandgraph_units::{Fraction, QuantityKind};

use crate::text::signed_percent;

/// The quantity of a figure by the unit that a result tells it in.
pub(super) fn kind_of_unit(unit: &str) -> Option<QuantityKind> {
    QuantityKind::ALL
        .into_iter()
        .find(|kind| kind.base_unit() == unit)
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
    (panels, left_out)
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
    groups
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

    #[test]
    fn a_median_is_the_one_in_the_middle() {
        assert_eq!(median([0.1, -0.3, 0.2].into_iter()), Some(0.2));
        assert_eq!(median([0.1, -0.3].into_iter()), Some(0.2));
        assert_eq!(median(std::iter::empty()), None);
    }
}

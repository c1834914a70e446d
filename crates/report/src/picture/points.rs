//! Figures that are both predicted and measured, which several kinds of results have.

use bandgraph_plot::{BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars, MeasuredPoint, Panel};
use bandgraph_scenario::Metric;
use bandgraph_units::{QuantityKind, significant};

use super::BAND;
use super::run::quantity_words;
use crate::text::{percent, signed_percent};

/// Figures of one system up to which a picture names all of them; of more, those that are furthest off.
const NAMED_MAX: usize = 12;
/// How many of those.
const NAMED: usize = 5;

/// A panel for each quantity, in the order in which they first come, and how many figures were left out
/// because they are not above zero, which no logarithmic axis has a place for.
pub(super) fn panels(
    figures: impl Iterator<Item = (String, Option<QuantityKind>, MeasuredPoint)>,
) -> (Vec<Panel>, usize) {
    let mut panels: Vec<Panel> = Vec::new();
    let mut left_out = 0;
    for (quantity, kind, mut point) in figures {
        if point.measured <= 0.0 || point.predicted <= 0.0 {
            left_out += 1;
            continue;
        }
        let words = |value| kind.map_or_else(|| significant(value, 3), |kind| kind.format(value));
        // Of many points not all have room for a name.
        point.title = format!(
            "{}, {}: {} predicted for {}",
            point.label,
            point.series,
            words(point.predicted),
            words(point.measured)
        );
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

/// What figures of a kind are, in words for people.
pub(super) fn quantity(metric: &str, kind: Option<QuantityKind>, is_ratio: bool) -> String {
    match kind {
        _ if is_ratio => "ratios".to_owned(),
        Some(QuantityKind::Bandwidth) => "throughput".to_owned(),
        Some(QuantityKind::OperationRate) => "operations".to_owned(),
        Some(QuantityKind::Fraction) => "shares".to_owned(),
        Some(kind) => kind.name().to_owned(),
        None if metric.is_empty() => "plain numbers".to_owned(),
        None => {
            let known = Metric::from_name(metric);
            known.map_or_else(|| metric.to_owned(), |metric| quantity_words(metric).to_owned())
        }
    }
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

/// The height of two screens of 1080 lines, in units of the picture.
const TWO_SCREENS: u32 = 2160;

/// The picture of errors: a bar from zero for each figure, to the right where too much was predicted; a group
/// for each system, in the order in which systems first come. Of systems with many figures it has those that
/// are furthest off, and a bar for the rest: as many as leave it no higher than two screens, at least one. If
/// that is too high, systems of which all figures are predicted well have a bar each, and then all systems.
pub(super) fn errors(title: &str, all: &[Off]) -> Bars {
    let fewer = (1..NAMED).rev().map(|named| (named + 1, named));
    let steps = std::iter::once((NAMED_MAX, NAMED)).chain(fewer);
    let mut pictures = [Fold::None, Fold::Well, Fold::All].into_iter().flat_map(|fold| {
        let steps = steps.clone();
        steps.map(move |(most, named)| folded_errors(title, all, most, named, fold))
    });
    // What cannot be drawn at all says so when it is drawn.
    let fits = |picture: &Bars| picture.size().1 <= TWO_SCREENS;
    let mut picture = Bars::default();
    for next in &mut pictures {
        picture = next;
        if fits(&picture) {
            break;
        }
    }
    picture
}

/// Which systems have a bar for all their figures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    None,
    /// Those of which all figures are predicted well.
    Well,
    All,
}

/// [`errors`], with systems of more than `most` figures folded to the `named` that are furthest off, and with
/// those that `fold` says in one row each.
fn folded_errors(title: &str, all: &[Off], most: usize, named: usize, fold: Fold) -> Bars {
    /// The least and the most that half of the axis shows; beyond, the note says it.
    const REACH: (f64, f64) = (0.15, 1.0);
    let mut groups: Vec<BarGroup> = Vec::new();
    let (mut well, mut others) = (BarGroup::default(), BarGroup::default());
    for off in all {
        let mut folded = well.rows.iter().chain(&others.rows);
        let is_known = folded.any(|row| row.label == off.system);
        if !is_known && !groups.iter().any(|group| group.name == off.system) {
            let of_system = all.iter().filter(|other| other.system == off.system);
            let is_well = |off: &Off| off.error.is_none_or(|error| error.abs() <= BAND);
            let is_well = of_system.clone().all(is_well);
            if fold == Fold::All || fold == Fold::Well && is_well {
                let mut row = rest_row(&off.system, &of_system.clone().collect::<Vec<_>>());
                if is_well {
                    well.rows.push(row);
                } else {
                    let size = |off: &&Off| off.error.unwrap_or(0.0).abs();
                    let worst = of_system.max_by(|a, b| size(a).total_cmp(&size(b)));
                    row.note += &worst.map_or_else(String::new, |worst| format!(": {}", worst.label));
                    others.rows.push(row);
                }
                continue;
            }
            groups.push(BarGroup {
                name: off.system.clone(),
                note: summary(of_system.clone()),
                rows: error_rows(of_system.collect(), most, named),
            });
        }
    }
    for (mut folded, figures) in [
        (others, "a figure further off than"),
        (well, "all figures within"),
    ] {
        if !folded.rows.is_empty() {
            let (count, band) = (folded.rows.len(), BAND * 100.0);
            let systems = if count == 1 { "system" } else { "systems" };
            folded.name = format!("{count} {systems} with {figures} ±{band:.0} %");
            groups.push(folded);
        }
    }
    let marks = || {
        groups
            .iter()
            .flat_map(|group| &group.rows)
            .flat_map(|row| &row.marks)
    };
    let has = |shape| marks().any(|mark| mark.shape == shape);
    let bars = marks().filter(|mark| mark.shape != BarShape::Interval);
    let largest = bars.map(|mark| mark.values[1].abs()).fold(BAND, f64::max);
    let reach = (largest * 1.1).clamp(REACH.0, REACH.1);
    let band = format!("±{:.0} %", BAND * 100.0);
    let entries = [
        (BarShape::Solid(0), "predicted", true),
        (BarShape::Hollow(0), "used in a fit", has(BarShape::Hollow(0))),
        (BarShape::Interval, "90 % interval", has(BarShape::Interval)),
        (BarShape::Band, band.as_str(), true),
    ];
    Bars {
        title: title.to_owned(),
        subtitle: summary(all.iter()),
        axis: Some(BarAxis {
            kind: Some(QuantityKind::Fraction),
            range: Some([-reach, reach]),
            ..BarAxis::default()
        }),
        band: Some([-BAND, BAND]),
        legend: legend(&entries),
        groups,
        if_empty: "no figure that is both measured and predicted",
        ..Bars::default()
    }
}

/// The legend of those shapes that a picture has.
pub(super) fn legend(entries: &[(BarShape, &str, bool)]) -> Vec<(BarShape, String)> {
    let there = entries.iter().filter(|(_, _, is_there)| *is_there);
    there
        .map(|(shape, words, _)| (*shape, (*words).to_owned()))
        .collect()
}

fn error_row(label: &str, error: f64, interval: Option<[f64; 2]>, is_fitted: bool, note: String) -> BarRow {
    let shape = if is_fitted {
        BarShape::Hollow(0)
    } else {
        BarShape::Solid(0)
    };
    let interval = interval.map(|ends| BarMark::between(BarShape::Interval, ends));
    BarRow {
        label: label.to_owned(),
        note,
        is_emphasised: false,
        marks: std::iter::once(BarMark::up_to(shape, error))
            .chain(interval)
            .collect(),
    }
}

/// A row for several figures: the worst of them.
fn rest_row(label: &str, rest: &[&Off]) -> BarRow {
    let errors = || rest.iter().map(|off| off.error.unwrap_or(0.0));
    let worst = errors().fold(
        0.0,
        |worst: f64, error| if error.abs() > worst.abs() { error } else { worst },
    );
    let middle = median(errors()).map_or_else(String::new, |middle| format!(", median {}", percent(middle)));
    let note = format!("at most {}{middle}", signed_percent(worst));
    error_row(label, worst, None, rest.iter().all(|off| off.is_fitted), note)
}

/// A row for each figure; of more than `most`, for the `named` that are furthest off, and one for the rest.
fn error_rows(mut all: Vec<&Off>, most: usize, named: usize) -> Vec<BarRow> {
    let error = |off: &Off| off.error.unwrap_or(0.0);
    let mut rest = Vec::new();
    if all.len() > most {
        all.sort_by(|a, b| error(b).abs().total_cmp(&error(a).abs()));
        rest = all.split_off(named);
    }
    let mut rows: Vec<BarRow> = Vec::new();
    for off in all {
        let told = off.error.map_or_else(|| "bound kept".to_owned(), signed_percent);
        let note = format!("{told}   {}", off.figures);
        rows.push(error_row(
            &off.label,
            error(off),
            off.interval,
            off.is_fitted,
            note,
        ));
    }
    if !rest.is_empty() {
        rows.push(rest_row(&format!("{} more", rest.len()), &rest));
    }
    rows
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
    let (fitted, all_of_them) = (all.filter(|off| off.is_fitted).count(), percent(all_of_them));
    match median(unseen) {
        _ if fitted == 0 => format!("{count} {noun}; median error {all_of_them}"),
        Some(unseen) => {
            let unseen = percent(unseen);
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

    fn off(label: u32, system: u32, error: f64) -> Off {
        Off {
            label: format!("cell-{label}"),
            system: format!("system-{system}"),
            error: Some(error),
            interval: None,
            is_fitted: false,
            figures: String::new(),
        }
    }

    /// Eighty figures of one system are five rows and one for the rest.
    #[test]
    fn many_bars_are_folded() {
        let off = |index: u32| off(index, 0, f64::from(index) / 1000.0);
        let picture = errors("", &(0..80).map(off).collect::<Vec<_>>());
        let rows = &picture.groups[0].rows;
        let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(
            labels,
            ["cell-79", "cell-78", "cell-77", "cell-76", "cell-75", "75 more"]
        );
        assert_eq!(rows[5].marks, [BarMark::up_to(BarShape::Solid(0), 0.074)]);
    }

    /// Of very many systems, those that are predicted well have a row each.
    #[test]
    fn systems_that_are_predicted_well_are_folded() {
        let off = |index: u32| off(index, index / 3, if index == 7 { 0.4 } else { 0.02 });
        let picture = errors("", &(0..240).map(off).collect::<Vec<_>>());
        let (_, height) = picture.size();
        assert!(height <= TWO_SCREENS, "{height}");
        let [off, well] = picture.groups.as_slice() else {
            panic!("{} groups", picture.groups.len())
        };
        assert_eq!(off.name, "system-2");
        assert!(off.rows.iter().any(|row| row.label == "cell-7"));
        assert_eq!(well.name, "79 systems with all figures within ±10 %");
        assert_eq!(well.rows.len(), 79);
    }

    /// Of very many systems with figures that are far off, each has one row, which names the worst.
    #[test]
    fn many_systems_that_are_predicted_badly_are_folded() {
        let off = |index: u32| off(index, index / 3, if index % 3 == 1 { -0.4 } else { 0.2 });
        let picture = errors("", &(0..180).map(off).collect::<Vec<_>>());
        let (_, height) = picture.size();
        assert!(height <= TWO_SCREENS, "{height}");
        let [folded] = picture.groups.as_slice() else {
            panic!("{} groups", picture.groups.len())
        };
        assert_eq!(folded.name, "60 systems with a figure further off than ±10 %");
        assert_eq!(folded.rows[1].label, "system-1");
        assert_eq!(folded.rows[1].note, "at most -40.0 %, median 20.0 %: cell-4");
    }

    /// Thirty systems with ten figures each are at most two screens, with the worst figure of each system.
    #[test]
    fn many_systems_are_at_most_two_screens() {
        let off = |index: u32| off(index, index / 10, f64::from(index % 10) / 100.0);
        let picture = errors("", &(0..300).map(off).collect::<Vec<_>>());
        let (_, height) = picture.size();
        assert!(height <= TWO_SCREENS, "{height}");
        assert_eq!(picture.groups.len(), 30);
        for (number, group) in picture.groups.iter().enumerate() {
            assert_eq!(group.rows[0].label, format!("cell-{}", 10 * number + 9));
            let rest = group.rows.last().expect("a row");
            assert_eq!(rest.label, format!("{} more", 11 - group.rows.len()));
        }
    }

    #[test]
    fn a_median_is_the_one_in_the_middle() {
        assert_eq!(median([0.1, -0.3, 0.2].into_iter()), Some(0.2));
        assert_eq!(median([0.1, -0.3].into_iter()), Some(0.2));
        assert_eq!(median(std::iter::empty()), None);
    }
}

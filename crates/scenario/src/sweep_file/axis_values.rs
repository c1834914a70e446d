//! Conversion of the entry of an axis into its values.

use bandgraph_config::{Decoded, Node, Problems, Set, Value, shortened};
use bandgraph_diagnostics::{Diagnostic, Place, Sources};
use bandgraph_units::QuantityKind;

use super::MAXIMUM_POINTS;
use super::axis::{Axis, AxisKind, AxisValue, Notation, Scale, Steps, Target, rounded};

/// Steps closer than this (in steps) to the end of a range count as the end.
const SLACK: f64 = 1e-9;

/// The axis of an entry, in its own group; `None` if it is invalid, with the problems recorded. `sampled`
/// permits continuous ranges.
pub(crate) fn axis(
    entry: &Decoded,
    group: usize,
    sampled: bool,
    sources: &Sources,
    problems: &mut Problems,
) -> Option<Axis> {
    let path = entry.text("path")?;
    let path_place = entry.place_of("path");
    let given = ["values", "range", "log_range"].map(|field| entry.fields.contains_key(field));
    if given.iter().filter(|given| **given).count() != 1 {
        problems.push(
            Diagnostic::error(
                "sweep::no_values",
                "an axis has one of `values`, `range` and `log_range`",
            )
            .at(entry.place.clone())
            .help("write `values = [1, 2, 4]`, or `range = { start = 1, stop = 8, step = 1 }`"),
        );
        return None;
    }
    let (kind, steps) = if let Some(nodes) = entry.values("values") {
        listed(nodes, &entry.place_of("values"), sources, problems)?
    } else if let Some(range) = entry.table("range") {
        linear(range, sampled, problems)?
    } else {
        logarithmic(entry.table("log_range")?, sampled, problems)?
    };
    let target = match path.trim() {
        "scenario" => Target::Scenario,
        "topology" | "topology.file" => Target::Topology,
        _ => {
            let nothing = Node::new(Value::Integer(0), path_place.clone());
            Target::Field(Set::of(path, &path_place, nothing, problems)?)
        }
    };
    if !matches!((&target, &steps), (Target::Field(_), _) | (_, Steps::Listed(_))) {
        problems.push(
            Diagnostic::error(
                "sweep::no_values",
                format!("`{}` is a file, and files are listed", path.trim()),
            )
            .at(entry.place.clone())
            .help("write `values = [\"one.toml\", \"other.toml\"]`"),
        );
        return None;
    }
    let id = entry.text_or_empty("id");
    Some(Axis {
        id,
        path: path.trim().to_owned(),
        kind,
        group,
        target,
        steps,
    })
}

/// The quantity kind of a text, and its value.
fn quantity(text: &str) -> Option<(QuantityKind, f64)> {
    QuantityKind::ALL
        .iter()
        .find_map(|kind| Some((*kind, kind.parse(text).ok()?)))
}

fn kind_of(value: &Value) -> AxisKind {
    match value {
        Value::Integer(_) | Value::Float(_) => AxisKind::Number,
        Value::Text(text) => quantity(text).map_or(AxisKind::Text, |(kind, _)| AxisKind::Quantity(kind)),
        _ => AxisKind::Text,
    }
}

/// A list of values. The first determines their kind.
fn listed(
    nodes: &[Node],
    place: &Place,
    sources: &Sources,
    problems: &mut Problems,
) -> Option<(AxisKind, Steps)> {
    let Some(first) = nodes.first() else {
        problems.push(
            Diagnostic::error("sweep::no_values", "an axis needs at least one value").at(place.clone()),
        );
        return None;
    };
    let kind = kind_of(&first.value);
    let values = nodes.iter().enumerate().map(|(ordinal, node)| {
        let number = match (&node.value, kind) {
            (Value::Integer(number), AxisKind::Number) => Some(*number as f64),
            (Value::Float(number), AxisKind::Number) => Some(*number),
            (Value::Text(text), AxisKind::Quantity(kind)) => kind.parse(text).ok(),
            // Numbers up to 1 may be written as shares too.
            (Value::Text(text), AxisKind::Number) => QuantityKind::Fraction.parse(text).ok(),
            _ => None,
        };
        AxisValue {
            text: written(node, sources),
            number: number.filter(|number| number.is_finite()),
            ordinal,
            node: node.clone(),
        }
    });
    Some((kind, Steps::Listed(values.collect())))
}

/// A value as written in its file, on one line.
fn written(node: &Node, sources: &Sources) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        _ => {
            let text = sources
                .text(node.place.source)
                .get(node.place.range.clone())
                .unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

/// Start, end and optional step of a range, in one unit.
struct Ends {
    start: f64,
    stop: f64,
    step: Option<f64>,
    scale: Scale,
    kind: AxisKind,
}

fn linear(range: &Decoded, sampled: bool, problems: &mut Problems) -> Option<(AxisKind, Steps)> {
    let Ends {
        start,
        stop,
        step,
        scale,
        kind,
    } = ends(range, Some("step"), problems)?;
    let Some(step) = step else {
        if sampled {
            return Some((
                kind,
                Steps::Between {
                    start,
                    stop,
                    logarithmic: false,
                    scale,
                },
            ));
        }
        problems.push(
            Diagnostic::error("sweep::no_step", "this range does not say where its values are")
                .at(range.place.clone())
                .help("give a `step`, or take a `[sample]`"),
        );
        return None;
    };
    let steps = ((stop - start) / step + SLACK).floor();
    if steps >= MAXIMUM_POINTS as f64 {
        problems.push(too_many(range.place_of("step")));
        return None;
    }
    Some((
        kind,
        Steps::Linear {
            start,
            step,
            size: steps as u64 + 1,
            scale,
        },
    ))
}

fn logarithmic(range: &Decoded, sampled: bool, problems: &mut Problems) -> Option<(AxisKind, Steps)> {
    let Ends {
        start,
        stop,
        scale,
        kind,
        ..
    } = ends(range, None, problems)?;
    if start <= 0.0 {
        problems.push(
            Diagnostic::error("sweep::bad_range", "a range of equal ratios begins above zero")
                .at(range.place_of("start")),
        );
        return None;
    }
    let (ratio, intervals, size) = match (range.count("count"), range.count("per_decade")) {
        (Some(count), None) => (stop / start, (count - 1) as f64, count),
        (None, Some(per_decade)) => {
            let steps = (libm::log10(stop / start) * per_decade as f64 + SLACK).floor();
            (10.0, per_decade as f64, steps as u64 + 1)
        }
        (None, None) if sampled => {
            return Some((
                kind,
                Steps::Between {
                    start,
                    stop,
                    logarithmic: true,
                    scale,
                },
            ));
        }
        // A refused number is reported already.
        _ if !range.sound => return None,
        _ => {
            problems.push(
                Diagnostic::error("sweep::no_step", "this range does not say where its values are")
                    .at(range.place.clone())
                    .help("give either `count` or `per_decade`"),
            );
            return None;
        }
    };
    let steps = Steps::Logarithmic {
        start,
        ratio,
        intervals,
        size,
        scale,
    };
    Some((kind, distinct(steps)))
}

/// The distinct whole numbers of a logarithmic range.
fn distinct(steps: Steps) -> Steps {
    let Steps::Logarithmic {
        start,
        ratio,
        intervals,
        size,
        scale,
    } = steps
    else {
        return steps;
    };
    if scale.notation != Notation::Whole {
        return Steps::Logarithmic {
            start,
            ratio,
            intervals,
            size,
            scale,
        };
    }
    let mut values: Vec<AxisValue> = (0..size)
        .map(|step| scale.value(start * libm::pow(ratio, step as f64 / intervals)))
        .collect();
    values.dedup_by(|one, other| one.text == other.text);
    for (ordinal, value) in values.iter_mut().enumerate() {
        value.ordinal = ordinal;
    }
    Steps::Listed(values)
}

fn ends(range: &Decoded, step_field: Option<&str>, problems: &mut Problems) -> Option<Ends> {
    let (start, stop) = (range.value("start")?, range.value("stop")?);
    let step = step_field.and_then(|field| range.value(field));
    let nodes: Vec<&Node> = [start, stop].into_iter().chain(step).collect();
    let kind = kind_of(&start.value);
    let mut numbers = Vec::new();
    for node in &nodes {
        let number = match (&node.value, kind) {
            (Value::Integer(number), AxisKind::Number) => Some(*number as f64),
            (Value::Float(number), AxisKind::Number) => Some(*number).filter(|number| number.is_finite()),
            (Value::Text(text), AxisKind::Quantity(kind)) => kind.parse(text).ok(),
            _ => None,
        };
        let Some(number) = number else {
            let help =
                "give numbers, or quantities of one kind: `{ start = \"4 KiB\", stop = \"1 MiB\", ... }`";
            problems.push(
                Diagnostic::error(
                    "sweep::bad_range",
                    "this is not a number like the others of its range",
                )
                .at(node.place.clone())
                .help(help),
            );
            return None;
        };
        numbers.push(number);
    }
    let whole = nodes.iter().all(|node| matches!(node.value, Value::Integer(_)));
    let notation = match kind {
        AxisKind::Quantity(kind) => {
            let text = start.text().unwrap_or_default();
            let unit = kind
                .units()
                .iter()
                .filter(|unit| text.trim_end().ends_with(unit.spelling()));
            Notation::WithUnit(kind, *unit.max_by_key(|unit| unit.spelling().len())?)
        }
        _ if whole => Notation::Whole,
        _ => Notation::Plain,
    };
    if let Notation::WithUnit(_, unit) = notation {
        for number in &mut numbers {
            *number = rounded(*number / unit.in_base());
        }
    }
    let (start, stop) = (numbers[0], numbers[1]);
    if start > stop {
        problems.push(
            Diagnostic::error("sweep::bad_range", "a range ends where it begins, or above")
                .at(range.place_of("stop"))
                .also(range.place_of("start").label("above the end")),
        );
        return None;
    }
    let step = numbers.get(2).copied();
    if step.is_some_and(|step| step <= 0.0) {
        problems.push(
            Diagnostic::error("sweep::bad_range", "the step of a range is above zero")
                .at(range.place_of("step")),
        );
        return None;
    }
    Some(Ends {
        start,
        stop,
        step,
        scale: Scale {
            notation,
            place: range.place.clone(),
        },
        kind,
    })
}

/// The error for more points than permitted.
pub(crate) fn too_many(place: Place) -> Diagnostic {
    Diagnostic::error(
        "sweep::too_many_points",
        format!("a sweep has at most {MAXIMUM_POINTS} points"),
    )
    .at(place)
    .help("take fewer values, or a `[sample]` of all combinations")
}

/// Combines axes that vary together into groups, and checks that they can. Returns whether all are valid.
pub(crate) fn join_groups(axes: &mut [Axis], entries: &[Decoded], problems: &mut Problems) -> bool {
    let mut sound = true;
    for (index, entry) in entries.iter().enumerate() {
        let Some(with) = entry.text("with") else { continue };
        let place = entry.place_of("with");
        let message = match axes.iter().position(|axis| axis.id == with) {
            None => format!("there is no axis `{}`", shortened(with)),
            Some(other) if other == index => "an axis does not go in step with itself".to_owned(),
            Some(other) if axes[other].size() != axes[index].size() => {
                let size = |axis: &Axis| {
                    axis.size()
                        .map_or("any number of".to_owned(), |size| size.to_string())
                };
                format!(
                    "`{with}` has {} values, and this axis has {}",
                    size(&axes[other]),
                    size(&axes[index])
                )
            }
            Some(other) => {
                let (one, two) = (axes[index].group, axes[other].group);
                for axis in axes.iter_mut().filter(|axis| axis.group == one) {
                    axis.group = two;
                }
                continue;
            }
        };
        sound = false;
        problems.push(Diagnostic::error("sweep::with", message).at(place));
    }
    // Groups are numbered in the order of their first axes.
    let mut numbers: Vec<usize> = Vec::new();
    for axis in axes.iter_mut() {
        let number = numbers
            .iter()
            .position(|known| *known == axis.group)
            .unwrap_or_else(|| {
                numbers.push(axis.group);
                numbers.len() - 1
            });
        axis.group = number;
    }
    sound
}

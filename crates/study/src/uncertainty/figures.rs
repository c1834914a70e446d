//! The figures of a scenario that are not certain.

use std::collections::BTreeMap;

use bandgraph_config::{FieldValue, KnownFigure, Range, Shape, Status};
use bandgraph_hardware::{Part, catalogue};
use bandgraph_model::{Scenario, Stack};
use bandgraph_units::QuantityKind;

/// A figure of a scenario whose value is not certain.
#[derive(Clone, Debug, PartialEq)]
pub struct UncertainFigure {
    /// What it is a figure of: a kind of part, or `stack`.
    pub kind: &'static str,
    /// The name of the part or of the stack.
    pub name: String,
    /// The name of its field.
    pub field: &'static str,
    /// Its value, in base units.
    pub value: f64,
    /// Between which values the true one is with 90 % belief, in base units; not empty.
    pub range: [f64; 2],
    /// The value and the ends of the range as files write them.
    pub texts: [String; 3],
    /// How it was found.
    pub status: Status,
    /// The key of its source in the bibliography.
    pub source: Option<String>,
    /// How it follows from its source, and what else is to be known.
    pub note: Option<String>,
    /// Its kind of quantity; `None` for a plain number.
    pub(super) unit: Option<QuantityKind>,
    /// Whether it has a unit.
    pub(super) quantity: bool,
    /// What its field takes.
    pub(super) takes: Range,
    /// Whether the user gives its range: one of the catalogue, or of its status, is wider than it need be
    /// ([`ModelErrors::ranges`](super::ModelErrors)).
    pub(super) is_own: bool,
    /// The parts that have it, by their place in
    /// [`TopologySpec::parts`](bandgraph_topology::TopologySpec::parts).
    pub(super) users: Vec<usize>,
}

impl UncertainFigure {
    /// A value of it, in base units, as files write it.
    pub fn text_of(&self, value: f64) -> String {
        match self.unit {
            Some(kind) => kind.format(value),
            None => bandgraph_units::significant(value, 3),
        }
    }

    /// What tells it apart: `socket opteron-8356 base_cpi`.
    pub fn id(&self) -> String {
        format!("{} {} {}", self.kind, self.name, self.field)
    }
}

/// The uncertain figures of a scenario: of the parts of its server, then of its stack. Equal parts of a
/// server are one product: a figure of theirs is one figure.
///
/// A figure is certain if its range is empty, and if the scenario or an override gives a value other than
/// that of the catalogue without a range. Power is left out: it changes no rate.
pub fn uncertain_figures(scenario: &Scenario) -> Vec<UncertainFigure> {
    let mut found: Vec<UncertainFigure> = Vec::new();
    let mut places: BTreeMap<(String, u64), usize> = BTreeMap::new();
    for (user, part) in scenario.topology.spec().parts().into_iter().enumerate() {
        let listed = catalogue().get(part.name()).map_or_else(Vec::new, Part::figures);
        for known in part.figures() {
            let Some(figure) = uncertain(part.kind().as_str(), part.name(), known, &listed) else {
                continue;
            };
            // Parts of one name can differ by what entries override.
            let place = *places
                .entry((figure.id(), figure.value.to_bits()))
                .or_insert(found.len());
            if place == found.len() {
                found.push(figure);
            }
            found[place].users.push(user);
        }
    }
    let stack = &scenario.stack;
    let listed = Stack::named(&stack.name).map_or_else(Vec::new, |listed| listed.figures());
    for known in stack.figures() {
        found.extend(uncertain("stack", &stack.name, known, &listed));
    }
    found
}

/// A figure, if it is not certain, given those that the program has for the same part or stack.
fn uncertain(
    kind: &'static str,
    name: &str,
    known: KnownFigure,
    listed: &[KnownFigure],
) -> Option<UncertainFigure> {
    let listed = listed.iter().find(|listed| listed.field.name == known.field.name);
    let (FieldValue::Quantity(value) | FieldValue::Number(value)) = known.value else {
        return None;
    };
    let range = known.range.filter(|[low, high]| low < high)?;
    let quantity = matches!(known.value, FieldValue::Quantity(_));
    let text = |number: f64| {
        let value = if quantity {
            FieldValue::Quantity(number)
        } else {
            FieldValue::Number(number)
        };
        value.display(known.field)
    };
    let overridden = !known.is_range_given && listed.is_some_and(|listed| listed.value != known.value);
    let is_own = known.is_range_given && listed.is_none_or(|listed| listed.range != known.range);
    let is_power = matches!(known.field.shape, Shape::Quantity(QuantityKind::Power));
    (!overridden && !is_power).then(|| UncertainFigure {
        kind,
        name: name.to_owned(),
        field: known.field.name,
        texts: [value, range[0], range[1]].map(text),
        status: known.status,
        source: known.source,
        note: known.note,
        unit: match known.field.shape {
            Shape::Quantity(kind) => Some(kind),
            _ => None,
        },
        quantity,
        takes: known.field.range,
        is_own,
        value,
        range,
        users: Vec::new(),
    })
}

//! The uncertain figures of a scenario.

use std::collections::BTreeMap;

use bandgraph_config::{FieldValue, KnownFigure, Range, Shape, Status};
use bandgraph_hardware::{Part, catalogue};
use bandgraph_model::{Scenario, Stack};
use bandgraph_units::QuantityKind;

/// An uncertain figure of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct UncertainFigure {
    /// The kind of part, or `stack`.
    pub kind: &'static str,
    /// The name of the part or of the stack.
    pub name: String,
    /// The name of its field.
    pub field: &'static str,
    /// Its value, in base units.
    pub value: f64,
    /// Its 90 % range, in base units; not empty.
    pub range: [f64; 2],
    /// The value and the ends of the range as files write them.
    pub texts: [String; 3],
    /// How it was found.
    pub status: Status,
    /// The key of its source in the bibliography.
    pub source: Option<String>,
    /// Its derivation from the source, and other remarks.
    pub note: Option<String>,
    /// What measures it on a machine: a command or a counter.
    pub measured: Option<&'static str>,
    /// Its kind of quantity; `None` for a plain number.
    pub(super) unit: Option<QuantityKind>,
    /// Whether it has a unit.
    pub(super) quantity: bool,
    /// The values that its field permits.
    pub(super) takes: Range,
    /// Whether the range is the user's own. The ranges of the catalogue, and those that follow from a status,
    /// are wider than necessary ([`ModelErrors::ranges`](super::ModelErrors)).
    pub(super) is_own: bool,
    /// The parts with this figure, by their index in
    /// [`TopologySpec::parts`](bandgraph_topology::TopologySpec::parts).
    pub(super) users: Vec<usize>,
}

/// The kind of the figures of a stack.
const STACK_KIND: &str = "stack";

impl UncertainFigure {
    /// Its kind of quantity; `None` for a plain number.
    pub const fn unit(&self) -> Option<QuantityKind> {
        self.unit
    }

    /// Its identity: `socket opteron-8356 base_cpi`.
    pub fn id(&self) -> String {
        format!("{} {} {}", self.kind, self.name, self.field)
    }

    /// What is assumed of it, where the program has no source: other parts can have the same assumption.
    pub(super) fn assumption(&self) -> Option<String> {
        let is_assumed = self.status == Status::Assumed && !self.is_own;
        let [value, low, high] = &self.texts;
        is_assumed.then(|| format!("{} {} {value} {low} {high}", self.kind, self.field))
    }
}

/// The uncertain figures of a scenario: those of the parts of its server, then those of its stack. Equal
/// parts of a server are one product and share their figures.
///
/// A figure is certain if its range is empty, or if the scenario or an override sets it without a range. Power
/// is left out, since it changes no rate.
pub fn uncertain_figures(scenario: &Scenario) -> Vec<UncertainFigure> {
    let mut found: Vec<UncertainFigure> = Vec::new();
    let mut places: BTreeMap<(String, u64), usize> = BTreeMap::new();
    for (user, part) in scenario.topology.spec().parts().into_iter().enumerate() {
        let listed = catalogue().get(part.name()).map_or_else(Vec::new, Part::figures);
        for known in part.figures() {
            let Some(figure) = uncertain(part.kind().as_str(), part.name(), known, &listed) else {
                continue;
            };
            // Entries can override fields, so that parts with one name can differ.
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
    let listed = Stack::named(&stack.profile).map_or_else(Vec::new, |listed| listed.figures());
    for known in stack.figures() {
        found.extend(uncertain(STACK_KIND, &stack.name, known, &listed));
    }
    found
}

/// The names of the draws of figures. A stack may have any name: its figures are drawn by that of its profile.
pub(super) fn names_of_draws(figures: &[UncertainFigure], stack: &Stack) -> Vec<String> {
    let name = |figure: &UncertainFigure| match figure.kind {
        STACK_KIND => format!("{STACK_KIND} {} {}", stack.profile, figure.field),
        _ => figure.id(),
    };
    figures.iter().map(name).collect()
}

/// The figure, unless it is certain, given the program's own figures of the same part or stack.
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
    let is_own = known.is_range_given && listed.is_none_or(|listed| listed.range != known.range);
    let is_power = matches!(known.field.shape, Shape::Quantity(QuantityKind::Power));
    (!known.is_certain && !is_power).then(|| UncertainFigure {
        kind,
        name: name.to_owned(),
        field: known.field.name,
        texts: [value, range[0], range[1]].map(text),
        status: known.status,
        source: known.source,
        note: known.note,
        measured: known.field.measured,
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

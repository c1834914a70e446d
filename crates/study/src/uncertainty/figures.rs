//! The uncertain figures of a scenario.

use std::collections::BTreeMap;

use bandgraph_config::{FieldValue, KnownFigure, Range, Shape, Status};
use bandgraph_hardware::{Part, catalogue};
use bandgraph_model::{Scenario, Stack};
use bandgraph_scenario::ProfilePart;
use bandgraph_units::QuantityKind;

/// An uncertain figure of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct UncertainFigure {
    /// The kind of part, or `stack`, `clients` or `workload`.
    pub kind: &'static str,
    /// The name of the part or of the stack, or the id of the clients or of the workload.
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
    unit: Option<QuantityKind>,
    /// Whether only whole numbers are values of its field.
    is_count: bool,
    /// The values that its field permits.
    pub(super) takes: Range,
    /// Whether the range is the user's own. The ranges of the catalogue, and those that follow from a status,
    /// are wider than necessary ([`ModelErrors::ranges`](super::ModelErrors)).
    pub(super) is_own: bool,
    /// What has it.
    pub(super) owner: Owner,
}

/// What has an uncertain figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Owner {
    /// These parts, by their index in
    /// [`TopologySpec::parts`](bandgraph_topology::TopologySpec::parts).
    Parts(Vec<usize>),
    /// The software profile.
    Stack,
    /// A group of clients, by its index, in the field at a path.
    Clients(usize, String),
    /// A workload, by its index, in the field at a path.
    Workload(usize, String),
}

impl UncertainFigure {
    /// Its kind of quantity; `None` for a plain number.
    pub const fn unit(&self) -> Option<QuantityKind> {
        self.unit
    }

    /// A number in base units as a value of its field.
    pub(super) fn file_value(&self, number: f64) -> FieldValue {
        match self.unit {
            Some(_) => FieldValue::Quantity(number),
            None if self.is_count => FieldValue::Count(number.round() as u64),
            None => FieldValue::Number(number),
        }
    }

    /// Its identity: `socket opteron-8356 base_cpi`.
    pub fn id(&self) -> String {
        format!("{} {} {}", self.kind, self.name, self.field)
    }

    /// Its path, as `--set` takes it: `part.opteron-8356.base_cpi`.
    pub fn path(&self) -> String {
        let (name, field) = (&self.name, self.field);
        match &self.owner {
            Owner::Parts(_) => format!("part.{name}.{field}"),
            Owner::Stack => format!("stack.{field}"),
            Owner::Clients(_, path) => format!("clients.{name}.{path}"),
            Owner::Workload(_, path) => format!("workload.{name}.{path}"),
        }
    }

    /// The part that has it; `None` for the stack and the load.
    pub(super) fn part(&self) -> Option<ProfilePart> {
        matches!(self.owner, Owner::Parts(_)).then(|| ProfilePart {
            kind: self.kind,
            name: self.name.clone(),
        })
    }

    /// Whether it is a figure of clients or of a workload.
    pub(super) fn is_of_load(&self) -> bool {
        matches!(self.owner, Owner::Clients(..) | Owner::Workload(..))
    }

    /// What is assumed of it, where the program has no source: other parts can have the same assumption.
    pub(super) fn assumption(&self) -> Option<String> {
        let is_assumed = self.status == Status::Assumed && !self.is_own;
        let [value, low, high] = &self.texts;
        is_assumed.then(|| format!("{} {} {value} {low} {high}", self.kind, self.field))
    }
}

/// The uncertain figures of a scenario: those of the parts of its server, of its stack, of its clients and of
/// its workloads. Equal parts of a server are one product and share their figures.
///
/// A figure is certain if its range is empty, or if the scenario or an override sets it without a range.
/// Power is left out, since it changes no rate.
pub fn uncertain_figures(scenario: &Scenario) -> Vec<UncertainFigure> {
    let mut found: Vec<UncertainFigure> = Vec::new();
    let mut places: BTreeMap<(String, u64), usize> = BTreeMap::new();
    for (user, part) in scenario.topology.spec().parts().into_iter().enumerate() {
        let listed = catalogue().get(part.name()).map_or_else(Vec::new, Part::figures);
        for known in part.figures() {
            let owner = Owner::Parts(Vec::new());
            let Some(figure) = uncertain(part.kind().as_str(), part.name(), known, &listed, owner) else {
                continue;
            };
            // Entries can override fields, so that parts with one name can differ.
            let place = *places
                .entry((figure.id(), figure.value.to_bits()))
                .or_insert(found.len());
            if place == found.len() {
                found.push(figure);
            }
            if let Owner::Parts(parts) = &mut found[place].owner {
                parts.push(user);
            }
        }
    }
    let stack = &scenario.stack;
    let listed = Stack::named(&stack.profile).map_or_else(Vec::new, |listed| listed.figures());
    for known in stack.figures() {
        found.extend(uncertain("stack", &stack.name, known, &listed, Owner::Stack));
    }
    for (index, group) in scenario.clients.iter().enumerate() {
        for (path, known) in group.known_figures() {
            let owner = Owner::Clients(index, path.to_owned());
            found.extend(uncertain("clients", &group.id, known, &[], owner));
        }
    }
    for (index, workload) in scenario.workloads.iter().enumerate() {
        for (path, known) in workload.known_figures() {
            let owner = Owner::Workload(index, path.to_owned());
            found.extend(uncertain("workload", &workload.id, known, &[], owner));
        }
    }
    found
}

/// The names of the draws of figures. A stack may have any name: its figures are drawn by that of its
/// profile.
pub(super) fn names_of_draws(figures: &[UncertainFigure], stack: &Stack) -> Vec<String> {
    let name = |figure: &UncertainFigure| match figure.owner {
        Owner::Stack => format!("{} {} {}", figure.kind, stack.profile, figure.field),
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
    owner: Owner,
) -> Option<UncertainFigure> {
    let listed = listed.iter().find(|listed| listed.field.name == known.field.name);
    let value = known.value.number()?;
    let range = known.range.filter(|[low, high]| low < high)?;
    let is_own = known.is_range_given && listed.is_none_or(|listed| listed.range != known.range);
    let is_power = matches!(known.field.shape, Shape::Quantity(QuantityKind::Power));
    let is_count = matches!(known.field.shape, Shape::Count);
    // The counts of parts and stacks decide which resources there are.
    let is_fixed = is_count && matches!(owner, Owner::Parts(_) | Owner::Stack);
    if known.is_certain || is_power || is_fixed {
        return None;
    }
    let mut figure = UncertainFigure {
        kind,
        name: name.to_owned(),
        field: known.field.name,
        texts: Default::default(),
        status: known.status,
        source: known.source,
        note: known.note,
        measured: known.field.measured,
        unit: known.field.quantity(),
        is_count,
        takes: known.field.range,
        is_own,
        value,
        range,
        owner,
    };
    figure.texts = [value, range[0], range[1]].map(|number| figure.file_value(number).display(known.field));
    Some(figure)
}

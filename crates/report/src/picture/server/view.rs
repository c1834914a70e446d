//! What a drawing says of resources.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_plot::{Load, Tone};
use bandgraph_topology::{Resource, Unit};
use bandgraph_units::{QuantityKind, significant};

use crate::json::{CapacityDocument, ResourceDocument};
use crate::text::{amount_in_words, percent, thousands};

/// A resource, as drawings know it.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) unit: String,
    pub(super) capacity: f64,
    pub(super) usable: f64,
    /// Resources that it represents, itself included: equal clients of a prediction are one.
    pub(super) count: u32,
    /// Units used per second; none of a topology.
    rate: f64,
}

impl Thing {
    pub(super) fn new(resource: &Resource) -> Self {
        Self {
            count: resource.count,
            ..Self::of_capacity(&CapacityDocument::new(resource))
        }
    }

    pub(super) fn of_capacity(resource: &CapacityDocument) -> Self {
        Self {
            id: resource.id.clone(),
            kind: resource.kind.clone(),
            from: resource.from.clone(),
            to: resource.to.clone(),
            unit: resource.unit.clone(),
            capacity: resource.capacity,
            usable: resource.capacity * resource.ceiling,
            count: 1,
            rate: 0.0,
        }
    }

    pub(super) fn of_result(resource: &ResourceDocument) -> Self {
        Self {
            id: resource.id.clone(),
            kind: resource.kind.clone(),
            from: resource.from.clone(),
            to: resource.to.clone(),
            unit: resource.unit.clone(),
            capacity: resource.capacity,
            usable: resource.capacity * resource.ceiling,
            count: resource.count.unwrap_or(1),
            rate: resource.rate,
        }
    }

    /// Rate over what can be used.
    fn saturation(&self) -> f64 {
        let share = self.rate / self.usable;
        if share.is_finite() { share } else { 0.0 }
    }

    fn words(&self, rate: f64) -> String {
        match self.unit.as_str() {
            unit if unit == Unit::BytesPerSecond.as_str() => QuantityKind::Bandwidth.format(rate),
            unit if unit == Unit::OperationsPerSecond.as_str() => QuantityKind::OperationRate.format(rate),
            _ => String::new(),
        }
    }
}

/// What an operation uses of a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Use<'p> {
    pub(super) amount: f64,
    pub(super) unit: &'p str,
    /// The time that this takes, over the longest of any resource.
    pub(super) share: f64,
}

/// How many resources these are, with those that they represent.
pub(super) fn number(things: &[Thing], resources: &[usize]) -> usize {
    resources.iter().map(|&index| things[index].count as usize).sum()
}

/// What a drawing is of.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'v> {
    /// What everything can do.
    Capacities,
    /// How full everything is; with the ids of what is the bottleneck.
    Load(&'v [String]),
    /// How much fuller everything is, over how full it was; with the ids of what is the bottleneck now.
    Change {
        was: &'v BTreeMap<&'v str, f64>,
        full: &'v [String],
    },
    /// What an operation uses of each resource, by its id, and the numbers of its steps.
    Path(&'v BTreeMap<&'v str, (Use<'v>, Vec<u64>)>),
}

impl View<'_> {
    /// How a resource is highlighted, as a number: equal parts of which the numbers are close are drawn once.
    pub(super) fn weight(&self, things: &[Thing], index: usize) -> f64 {
        match self {
            Self::Capacities => 0.0,
            Self::Load(_) => things[index].saturation(),
            Self::Change { was, .. } => change(was, &things[index]),
            Self::Path(uses) => uses
                .get(things[index].id.as_str())
                .map_or(0.0, |(one, _)| one.share),
        }
    }

    /// What is said of resources that are drawn as one: at least one of them.
    pub(super) fn load(&self, things: &[Thing], resources: &[usize]) -> Load {
        let weight = |index: &usize| self.weight(things, *index).abs();
        let fullest = (resources.iter().copied())
            .reduce(|most, next| if weight(&next) > weight(&most) { next } else { most })
            .unwrap_or_default();
        let thing = &things[fullest];
        let (words, tone) = self.say(thing, things, resources);
        let is_bottleneck = match self {
            Self::Load(full) | Self::Change { full, .. } => {
                resources.iter().any(|&index| full.contains(&things[index].id))
            }
            _ => false,
        };
        let rates = format!(
            "{} of {} that can be used, {}",
            rate(thing, thing.rate),
            rate(thing, thing.usable),
            percent(thing.saturation())
        );
        let more = match (self, number(things, resources)) {
            (_, 1) => thing.id.clone(),
            (Self::Path(_), count) => format!("{} and others, {count} together", thing.id),
            (_, count) => format!("{}, the fullest of {count}", thing.id),
        };
        let mut data = vec![("kind", thing.kind.clone()), ("unit", thing.unit.clone())];
        let mut of = |name: &'static str, value: f64| data.push((name, significant(value, 6)));
        of("capacity", thing.capacity);
        of("usable", thing.usable);
        if matches!(self, Self::Load(_) | Self::Change { .. }) {
            of("rate", thing.rate);
            of("saturation", thing.saturation());
        }
        Load {
            resources: resources.iter().map(|&index| things[index].id.clone()).collect(),
            title: match self {
                Self::Capacities => format!(
                    "{more}\n{} raw, {} usable",
                    rate(thing, thing.capacity),
                    rate(thing, thing.usable)
                ),
                Self::Load(_) | Self::Change { .. } => format!("{more}\n{rates}"),
                Self::Path(_) => more,
            },
            step: self.steps(things, resources),
            words,
            tone,
            is_bottleneck,
            data,
        }
    }

    /// The numbers of the steps of a path that use any of these resources.
    fn steps(&self, things: &[Thing], resources: &[usize]) -> String {
        let Self::Path(uses) = self else {
            return String::new();
        };
        let found = resources
            .iter()
            .filter_map(|&index| uses.get(things[index].id.as_str()));
        let numbers: BTreeSet<u64> = found.flat_map(|(_, steps)| steps.iter().copied()).collect();
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        numbers.join(", ")
    }

    fn say(&self, thing: &Thing, things: &[Thing], resources: &[usize]) -> (Vec<String>, Tone) {
        let filled = |words: Vec<String>| words.into_iter().filter(|word| !word.is_empty()).collect();
        match self {
            Self::Capacities => (filled(vec![thing.words(thing.capacity)]), Tone::Plain),
            Self::Load(_) if thing.rate <= 0.0 => (vec!["idle".to_owned()], Tone::Faint),
            Self::Load(_) => {
                let share = thing.saturation();
                let words = vec![thing.words(thing.rate), percent(share)];
                (filled(words), Tone::Full(share.clamp(0.0, 1.0)))
            }
            Self::Change { was, .. } => match was.get(thing.id.as_str()) {
                None => (
                    vec!["new".to_owned(), percent(thing.saturation())],
                    Tone::Change(thing.saturation().clamp(0.0, 1.0)),
                ),
                Some(before) => {
                    let now = thing.saturation();
                    let words = vec![format!("{:.0} → {:.0} %", before * 100.0, now * 100.0)];
                    let change = now - before;
                    let tone = if change.abs() < 0.005 {
                        Tone::Faint
                    } else {
                        Tone::Change(change.clamp(-1.0, 1.0))
                    };
                    (words, tone)
                }
            },
            Self::Path(uses) => {
                let found = resources
                    .iter()
                    .filter_map(|&index| uses.get(things[index].id.as_str()));
                let sum: f64 = found.map(|(one, _)| one.amount).sum();
                match uses.get(thing.id.as_str()) {
                    Some((one, _)) if sum > 0.0 => (
                        vec![amount_in_words(sum, one.unit)],
                        Tone::Path(one.share.clamp(0.0, 1.0)),
                    ),
                    _ => (Vec::new(), Tone::Faint),
                }
            }
        }
    }
}

/// How much fuller it is; what is new was empty.
fn change(was: &BTreeMap<&str, f64>, thing: &Thing) -> f64 {
    thing.saturation() - was.get(thing.id.as_str()).copied().unwrap_or(0.0)
}

/// A rate with its unit, whatever that is.
fn rate(thing: &Thing, rate: f64) -> String {
    let words = thing.words(rate);
    if words.is_empty() {
        format!("{} {}", thousands(rate), thing.unit)
    } else {
        words
    }
}

//! Marginal gains: how throughput responds to a little more capacity of each resource.
//!
//! The figure is an elasticity: relative change of throughput over relative change of capacity. With 1, one
//! per cent more capacity gives one per cent more operations per second; with 0, none.
//!
//! If two identical resources are full at the same time, more capacity of one gives nothing, and more of both
//! much. So each resource has its own elasticity, and each group of resources of one kind and capacity (the
//! same part, bought several times) has one for all of them together.

use bandgraph_model::Bound;
use bandgraph_solve::{Outcome, predict};
use bandgraph_topology::{ResourceKind, Unit};
use rayon::prelude::*;

use crate::StudyError;

/// The relative step of capacity: small enough that no other limit intervenes, large enough to exceed the
/// tolerance of the steady state.
const STEP: f64 = 1e-3;

/// A relative difference of saturations below this is the tolerance of the steady state.
const SAME: f64 = 1e-6;

/// The marginal gain of one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginalGain {
    /// The resource's id.
    pub id: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// Rate over usable capacity, 0 to 1.
    pub saturation: f64,
    /// Relative gain in operations over relative gain in capacity; 0 for an unused resource.
    pub elasticity: f64,
}

/// The marginal gain of all resources of one kind and capacity together.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupGain {
    /// The ids of the resources, in the order of the topology.
    pub ids: Vec<String>,
    /// The id of the fullest of them.
    pub fullest: String,
    /// Their number, with those that they represent.
    pub count: u32,
    /// Their kind.
    pub kind: ResourceKind,
    /// The technology of socket links, of ports to disks or of SSDs; `None` for other kinds.
    pub technology: Option<String>,
    /// Raw capacity of each, in `unit`.
    pub capacity: f64,
    /// The unit of the capacity.
    pub unit: Unit,
    /// The largest of their saturations, 0 to 1.
    pub saturation: f64,
    /// Relative gain in operations over relative gain in the capacity of all of them.
    pub elasticity: f64,
}

/// The marginal gains of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginalGains {
    /// One entry per resource: those of the topology in its order, then those of the clients.
    pub resources: Vec<MarginalGain>,
    /// One entry per kind and capacity, the largest gain first.
    pub groups: Vec<GroupGain>,
}

/// Computes the marginal gain of each resource from steady states.
///
/// # Errors
///
/// [`StudyError`] if a steady state is not found, which is a defect of the program.
pub fn marginal_gains(bound: &Bound) -> Result<MarginalGains, StudyError> {
    let before = predict(bound).map_err(StudyError::run("marginal gains"))?;
    // The steady state treats equivalent resources as one; the gain of a representative is divided among
    // them.
    let representatives = bound.representatives();
    let mut members = vec![0_u32; representatives.len()];
    for (resource, &first) in bound.resources.iter().zip(&representatives) {
        members[first] += resource.count;
    }
    let alone: Vec<Vec<usize>> = (0..members.len())
        .filter(|&resource| members[resource] > 0)
        .map(|resource| vec![resource])
        .collect();
    let groups = groups(&before);
    let elasticities: Vec<Result<f64, StudyError>> = alone
        .par_iter()
        .chain(&groups)
        .map(|resources| elasticity(bound, &before, resources))
        .collect();
    let elasticities: Vec<f64> = elasticities.into_iter().collect::<Result<_, _>>()?;
    let (of_resources, of_groups) = elasticities.split_at(alone.len());
    let mut of_members = vec![0.0; members.len()];
    for (resource, elasticity) in alone.iter().zip(of_resources) {
        of_members[resource[0]] = elasticity / f64::from(members[resource[0]]);
    }
    let of_each = representatives.iter().map(|&first| of_members[first]);
    let resources = before.resources.iter().zip(of_each);
    let mut group_gains: Vec<GroupGain> = groups
        .iter()
        .zip(of_groups)
        .map(|(group, &elasticity)| {
            let members = group.iter().map(|&member| &before.resources[member]);
            let first = &before.resources[group[0]];
            let fullest = members.clone().fold(first, |fullest, member| {
                if member.saturation() > fullest.saturation() * (1.0 + SAME) {
                    member
                } else {
                    fullest
                }
            });
            GroupGain {
                ids: members.clone().map(|member| member.id.clone()).collect(),
                fullest: fullest.id.clone(),
                count: members.map(|member| member.count).sum(),
                kind: first.kind,
                technology: first.technology.clone(),
                capacity: first.capacity,
                unit: first.unit,
                saturation: fullest.saturation(),
                elasticity,
            }
        })
        .collect();
    group_gains.sort_by(|a, b| {
        b.elasticity
            .total_cmp(&a.elasticity)
            .then(b.saturation.total_cmp(&a.saturation))
    });
    Ok(MarginalGains {
        resources: resources
            .map(|(resource, elasticity)| MarginalGain {
                id: resource.id.clone(),
                kind: resource.kind,
                saturation: resource.saturation(),
                elasticity,
            })
            .collect(),
        groups: group_gains,
    })
}

/// The used resources by kind and capacity, in the order of the first resource of each group.
fn groups(outcome: &Outcome) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, resource) in outcome
        .resources
        .iter()
        .enumerate()
        .filter(|(_, resource)| resource.rate > 0.0)
    {
        let alike = |group: &&mut Vec<usize>| {
            let first = &outcome.resources[group[0]];
            (first.kind, first.capacity, first.ceiling)
                == (resource.kind, resource.capacity, resource.ceiling)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

fn elasticity(bound: &Bound, before: &Outcome, resources: &[usize]) -> Result<f64, StudyError> {
    if resources
        .iter()
        .all(|&resource| before.resources[resource].rate == 0.0)
    {
        return Ok(0.0);
    }
    let factors: Vec<(usize, f64)> = resources.iter().map(|&resource| (resource, 1.0 + STEP)).collect();
    let after = predict(&bound.scaled(&factors)?).map_err(StudyError::run("marginal gains"))?;
    let gain = after.throughput.operations / before.throughput.operations - 1.0;
    Ok(tidy(gain / STEP))
}

/// Rounds away the noise of the steady state, whose tolerance is about 1e-9.
fn tidy(elasticity: f64) -> f64 {
    const NOISE: f64 = 1e-5;
    if elasticity.abs() < NOISE { 0.0 } else { elasticity }
}

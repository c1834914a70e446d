//! Bottleneck max fairness by following a path of solutions: the slower method, for systems in which policy
//! iteration does not converge.
//!
//! A class runs at `min(ceiling, min over its resources of weight × level ÷ cost)`, so that uses are
//! piecewise linear in the levels. The path starts with capacities so large that all classes run at their
//! ceilings, and ends with the true ones. A class without a ceiling, or with one that no allocation reaches,
//! gets one 25 to 50 % above what its scarcest resource could give to it alone. Between the two ends the
//! capacities are on a straight line, and the path is the set of allocations that are fair for capacities on
//! that line. While every class keeps its limit and every unsaturated resource remains so, the allocation
//! moves on a straight line, whose direction follows from linear equations. At the end of such a piece one
//! class changes its limit, or one resource becomes saturated or unsaturated; the next piece starts there.
//! Capacities may temporarily grow again: the forward direction is the one that leaves the boundary on the
//! other side (Katzenelson, *An algorithm for solving nonlinear resistor networks*, 1965; Eaves, *A short
//! course in solving equations with PL homotopies*, 1976).
//!
//! **Termination.** In exact arithmetic, and unless the path meets two different boundaries at the same
//! point, it has neither forks nor dead ends, and no piece occurs twice, because each contains one straight
//! line of it. It cannot run to infinity: uses are bounded by the capacities, and so are the levels of
//! limiting resources. It cannot return to the large capacities, for which there is only one fair allocation,
//! the start. There are finitely many pieces, so that it reaches the true capacities. The large capacities
//! and the invented ceilings are spread irregularly, so that the path meets two boundaries at once only by
//! accident; identical classes share their boundaries, and change sides together.
//!
//! **Not proven.** The number of pieces can be exponential in theory (it is about the number of classes in
//! all systems tried), and rounding can lead astray. Therefore the number of pieces has a limit, the result
//! is checked against the definition, and further attempts use other spreads and change costs by some 10⁻¹²,
//! which separates boundaries that nearly coincide.

use std::ops::Range;

use super::balance::{CEILING, Member, Tank};
use super::linear::Sparse;

/// Minimum relative distance of an invented ceiling from the rate of a class alone, and of the capacities at
/// the start from the uses there; the maximum is twice as much.
const HEADROOM: f64 = 0.25;
/// Maximum relative difference between coinciding boundaries.
const SAME: f64 = 1e-13;
/// Maximum relative difference between equal changes.
const STILL: f64 = 1e-13;
/// The remaining share of the way at which the path has ended.
const ARRIVED: f64 = 1e-13;
/// Relative changes of costs and ceilings from the second attempt on.
const PERTURBATION: f64 = 2e-12;

/// A resource. Costs are divided by its capacity, so that this is 1 at the end of the path.
#[derive(Clone, Debug, Default)]
struct Resource {
    /// Capacity at the start of the path.
    start: f64,
    /// Infinite if the resource is not saturated.
    level: f64,
    usage: f64,
    /// Changes along the path.
    level_change: f64,
    usage_change: f64,
    /// The number of classes that it limits; without any it is not saturated.
    holds: u32,
    /// Its index among the equations and unknowns.
    row: u32,
    users: Range<usize>,
}

/// A class.
#[derive(Clone, Copy, Debug)]
struct Class {
    flows: f64,
    weight: f64,
    ceiling: f64,
    rate: f64,
    /// Change of the rate along the path.
    change: f64,
    /// The resource that limits it, and its cost there.
    limit: u32,
    limit_cost: f64,
    first_leg: u32,
    end_leg: u32,
}

/// The end of a piece of the path.
#[derive(Clone, Copy, Debug)]
enum Boundary {
    /// The true capacities.
    End,
    /// The limit of a class changes to another resource, or to its ceiling.
    Switch { class: usize, to: u32 },
    /// A resource becomes saturated.
    Full(usize),
}

/// The start of a piece of the path.
#[derive(Clone, Copy, Debug)]
enum Leaves {
    Start,
    /// The boundary at which a class had both limits.
    Switch {
        class: usize,
        from: u32,
        to: u32,
    },
    /// The state in which a resource was saturated.
    Full(usize),
}

/// Memory that is reused between solves.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    resources: Vec<Resource>,
    classes: Vec<Class>,
    /// (resource, cost), by class.
    legs: Vec<(u32, f64)>,
    /// (class, cost), by resource.
    users: Vec<(u32, f64)>,
    /// Resources, those with few users first: their equations are short.
    order: Vec<u32>,
    equations: Sparse,
    /// Share of the way from the large capacities to the true ones, and its change along the path.
    position: f64,
    position_change: f64,
}

impl Path {
    /// Follows a path to its end. `false` if rounding led astray.
    pub(super) fn follow(
        &mut self,
        tanks: &[Tank],
        members: &[Member],
        legs: &[(u32, f64)],
        attempt: u32,
    ) -> bool {
        self.load(tanks, members, legs, attempt);
        let mut leaves = Leaves::Start;
        for _ in 0..1_000 + 10 * (tanks.len() + members.len()) {
            if !self.head(leaves) {
                return false;
            }
            let Some((boundary, step)) = self.next_boundary() else {
                return false;
            };
            self.advance(step);
            leaves = match boundary {
                Boundary::End => return true,
                Boundary::Switch { class, to } => self.switch(class, to),
                Boundary::Full(resource) => match self.fill(resource) {
                    Some(leaves) => leaves,
                    None => return false,
                },
            };
        }
        false
    }

    /// Level of a resource for a capacity of 1.
    pub(super) fn level(&self, tank: usize) -> f64 {
        self.resources[tank].level
    }

    /// The limit of a class.
    pub(super) fn limit(&self, member: usize) -> u32 {
        self.classes[member].limit
    }

    fn load(&mut self, tanks: &[Tank], members: &[Member], legs: &[(u32, f64)], attempt: u32) {
        let mut spread = Spread(u64::from(attempt));
        let perturbation = if attempt == 0 { 0.0 } else { PERTURBATION };
        self.legs.clear();
        self.legs.extend(legs.iter().map(|&(tank, cost)| {
            let share = cost / tanks[tank as usize].capacity;
            (tank, share * (1.0 + perturbation * spread.next()))
        }));
        self.resources.clear();
        self.resources.resize(
            tanks.len(),
            Resource {
                level: f64::INFINITY,
                ..Resource::default()
            },
        );
        self.classes.clear();
        for member in members {
            let of_member = &self.legs[member.first_leg as usize..member.end_leg as usize];
            let largest = of_member.iter().fold(0.0_f64, |most, leg| most.max(leg.1));
            let alone = (1.0 + HEADROOM * (1.0 + spread.next())) / (member.flows * largest);
            let ceiling = (member.ceiling * (1.0 + perturbation * spread.next())).min(alone);
            for &(tank, _) in of_member {
                self.resources[tank as usize].users.end += 1;
            }
            self.classes.push(Class {
                flows: member.flows,
                weight: member.weight,
                ceiling,
                rate: ceiling,
                change: 0.0,
                limit: CEILING,
                limit_cost: 1.0,
                first_leg: member.first_leg,
                end_leg: member.end_leg,
            });
        }
        self.sum_uses();
        for resource in &mut self.resources {
            resource.start = resource.usage.max(1.0) * (1.0 + HEADROOM * (1.0 + spread.next()));
        }
        self.position = 0.0;
        self.link();
    }

    /// Sorts the legs by resource, and the resources by the number of their users.
    fn link(&mut self) {
        let mut first = 0;
        for resource in &mut self.resources {
            let count = resource.users.end;
            resource.users = first..first;
            first += count;
        }
        self.users.clear();
        self.users.resize(self.legs.len(), (0, 0.0));
        for (index, class) in self.classes.iter().enumerate() {
            for &(resource, cost) in &self.legs[class.first_leg as usize..class.end_leg as usize] {
                let resource = &mut self.resources[resource as usize];
                self.users[resource.users.end] = (index as u32, cost);
                resource.users.end += 1;
            }
        }
        self.order.clear();
        self.order.extend(0..self.resources.len() as u32);
        self.order
            .sort_by_key(|&resource| self.resources[resource as usize].users.len());
    }

    /// Computes the direction of the path in its present piece. `false` if rounding hides it.
    fn head(&mut self, leaves: Leaves) -> bool {
        let mut size = 0;
        for &resource in &self.order {
            let resource = &mut self.resources[resource as usize];
            if resource.holds > 0 {
                resource.row = size;
                size += 1;
            }
        }
        self.equations.clear(size as usize);
        for &index in &self.order {
            let resource = &self.resources[index as usize];
            if resource.holds == 0 {
                continue;
            }
            for &(class, cost) in &self.users[resource.users.clone()] {
                let class = &self.classes[class as usize];
                if class.limit != CEILING {
                    let column = self.resources[class.limit as usize].row;
                    // Unknowns are relative changes of levels: all coefficients are shares of a capacity.
                    self.equations.add(column, class.flows * class.rate * cost);
                }
            }
            self.equations.end_row(1.0 - resource.start);
        }
        let solution = self.equations.solve();
        let fastest = solution
            .iter()
            .fold(1.0_f64, |most, change| most.max(change.abs()));
        if !fastest.is_finite() {
            return false;
        }
        self.set_changes(1.0 / fastest);
        let Some(is_forward) = self.is_forward(leaves) else {
            return false;
        };
        if !is_forward {
            self.set_changes(-1.0 / fastest);
        }
        true
    }

    /// Sets all changes to the solution of the equations times `scale`.
    fn set_changes(&mut self, scale: f64) {
        self.position_change = scale;
        for resource in &mut self.resources {
            resource.usage_change = 0.0;
            resource.level_change = if resource.holds > 0 {
                resource.level * self.equations.solution()[resource.row as usize] * scale
            } else {
                0.0
            };
        }
        for class in &mut self.classes {
            class.change = 0.0;
            if class.limit == CEILING {
                continue;
            }
            class.change =
                class.weight * self.resources[class.limit as usize].level_change / class.limit_cost;
            let change = class.flows * class.change;
            for &(resource, cost) in &self.legs[class.first_leg as usize..class.end_leg as usize] {
                self.resources[resource as usize].usage_change += change * cost;
            }
        }
    }

    /// Whether the changes lead away from the boundary just crossed, to its other side.
    fn is_forward(&self, leaves: Leaves) -> Option<bool> {
        let (above, below) = match leaves {
            Leaves::Start => (1.0, 0.0),
            Leaves::Full(index) => {
                let resource = &self.resources[index];
                (self.capacity_change(resource), resource.usage_change)
            }
            Leaves::Switch { class, from, to } => {
                (self.allowed_change(class, from), self.allowed_change(class, to))
            }
        };
        differ(above, below).then_some(above > below)
    }

    fn capacity(&self, resource: &Resource) -> f64 {
        resource.start + self.position * (1.0 - resource.start)
    }

    fn capacity_change(&self, resource: &Resource) -> f64 {
        self.position_change * (1.0 - resource.start)
    }

    /// Change of the rate that a limit permits for a class.
    fn allowed_change(&self, class: usize, limit: u32) -> f64 {
        if limit == CEILING {
            return 0.0;
        }
        let change = self.resources[limit as usize].level_change;
        self.classes[class].weight * change / self.cost(class, limit).unwrap_or(f64::NAN)
    }

    fn cost(&self, class: usize, resource: u32) -> Option<f64> {
        let class = &self.classes[class];
        let legs = &self.legs[class.first_leg as usize..class.end_leg as usize];
        legs.iter().find(|leg| leg.0 == resource).map(|leg| leg.1)
    }

    /// The boundary at which the present piece ends, and the distance to it.
    fn next_boundary(&self) -> Option<(Boundary, f64)> {
        let mut next = (Boundary::End, f64::INFINITY);
        let mut meet = |boundary, (above, change_above): (f64, f64), (below, change_below): (f64, f64)| {
            if change_above < change_below && differ(change_above, change_below) {
                let step = (above - below).max(0.0) / (change_below - change_above);
                if step < next.1 {
                    next = (boundary, step);
                }
            }
        };
        for (index, class) in self.classes.iter().enumerate() {
            let own = (class.rate, class.change);
            if class.limit != CEILING {
                let to = CEILING;
                meet(Boundary::Switch { class: index, to }, (class.ceiling, 0.0), own);
            }
            for &(to, cost) in &self.legs[class.first_leg as usize..class.end_leg as usize] {
                let resource = &self.resources[to as usize];
                if to != class.limit && resource.holds > 0 {
                    let per_level = class.weight / cost;
                    let allowed = (per_level * resource.level, per_level * resource.level_change);
                    meet(Boundary::Switch { class: index, to }, allowed, own);
                }
            }
        }
        for (index, resource) in self.resources.iter().enumerate() {
            if resource.holds == 0 {
                let capacity = (self.capacity(resource), self.capacity_change(resource));
                meet(
                    Boundary::Full(index),
                    capacity,
                    (resource.usage, resource.usage_change),
                );
            }
        }
        let left = 1.0 - self.position;
        if self.position_change > 0.0 && next.1 * self.position_change >= left - ARRIVED {
            return Some((Boundary::End, left / self.position_change));
        }
        let stays = next.1 < f64::INFINITY && self.position + next.1 * self.position_change >= 0.0;
        stays.then_some(next)
    }

    fn advance(&mut self, step: f64) {
        self.position += step * self.position_change;
        for resource in &mut self.resources {
            resource.level += step * resource.level_change;
        }
        self.sum_uses();
    }

    /// Sets the rates of the classes from their limits, and sums the uses.
    fn sum_uses(&mut self) {
        for resource in &mut self.resources {
            resource.usage = 0.0;
        }
        for class in &mut self.classes {
            class.rate = if class.limit == CEILING {
                class.ceiling
            } else {
                class.weight * self.resources[class.limit as usize].level / class.limit_cost
            };
            let rate = class.flows * class.rate;
            for &(resource, cost) in &self.legs[class.first_leg as usize..class.end_leg as usize] {
                self.resources[resource as usize].usage += rate * cost;
            }
        }
    }

    /// Changes the limit of a class, and of all others that meet the same boundary with it.
    fn switch(&mut self, index: usize, to: u32) -> Leaves {
        let from = self.classes[index].limit;
        let boundary = self.ratio(index, from, to).unwrap_or(f64::NAN);
        for other in 0..self.classes.len() {
            let meets = |at: f64| (at - boundary).abs() <= SAME * boundary;
            let same_limit = self.classes[other].limit == from;
            if other != index && !(same_limit && self.ratio(other, from, to).is_some_and(meets)) {
                continue;
            }
            let cost = if to == CEILING { None } else { self.cost(other, to) };
            let class = &mut self.classes[other];
            (class.limit, class.limit_cost) = (to, cost.unwrap_or(1.0));
            if to != CEILING {
                self.resources[to as usize].holds += 1;
            }
            if from != CEILING {
                self.resources[from as usize].holds -= 1;
            }
        }
        self.put_on_boundary(from, to, boundary);
        if from != CEILING && self.resources[from as usize].holds == 0 {
            self.resources[from as usize].level = f64::INFINITY;
            self.sum_uses();
            return Leaves::Full(from as usize);
        }
        self.sum_uses();
        Leaves::Switch {
            class: index,
            from,
            to,
        }
    }

    /// The ratio of the levels (or the single level) at which a class changes between two limits.
    fn ratio(&self, class: usize, from: u32, to: u32) -> Option<f64> {
        let at_ceiling = self.classes[class].ceiling / self.classes[class].weight;
        match (from, to) {
            (CEILING, resource) | (resource, CEILING) => Some(at_ceiling * self.cost(class, resource)?),
            (from, to) => Some(self.cost(class, from)? / self.cost(class, to)?),
        }
    }

    /// Sets the level that moved more exactly to the boundary: a level that falls by orders of magnitude
    /// loses precision on the way.
    fn put_on_boundary(&mut self, from: u32, to: u32, ratio: f64) {
        let moved = |index: u32| {
            let resource = &self.resources[index as usize];
            (resource.level_change / resource.level).abs()
        };
        let (resource, level) = match (from, to) {
            (CEILING, resource) | (resource, CEILING) => (resource, ratio),
            (from, to) if moved(from) > moved(to) => (from, ratio * self.resources[to as usize].level),
            (from, to) => (to, self.resources[from as usize].level / ratio),
        };
        self.resources[resource as usize].level = level;
    }

    /// Sets the level of a saturated resource to the largest share on it, and makes the resource the limit of
    /// the class with that share.
    fn fill(&mut self, index: usize) -> Option<Leaves> {
        let mut largest = (None, 0.0);
        for &(user, cost) in &self.users[self.resources[index].users.clone()] {
            let class = &self.classes[user as usize];
            let share = class.rate * cost / class.weight;
            if share > largest.1 {
                largest = (Some(user as usize), share);
            }
        }
        self.resources[index].level = largest.1;
        Some(self.switch(largest.0?, index as u32))
    }
}

/// Whether two changes differ by more than rounding.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > STILL * (a.abs() + b.abs())
}

/// Irregular but reproducible numbers between 0 and 1.
struct Spread(u64);

impl Spread {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

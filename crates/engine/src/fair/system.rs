//! The system of resources and flow classes, with its current fair allocation.
//!
//! Every resource has a *water level*: the largest share (cost × rate ÷ weight) of one flow on it; infinite
//! while the resource is not saturated. Every flow runs at `min(cap, min over its resources of weight × level
//! ÷ cost)`. The allocation is bottleneck max fair by definition if the use of every resource with a level
//! equals its capacity, and that of every other is within it. It is therefore stored as its levels and
//! checked by two sums per resource.

mod settle;

use super::balance::Balance;
use super::filling::Filling;
use super::present::Present;
use super::pull::Pulls;
use super::single::Single;
use crate::error::BuildError;

/// Maximum relative difference between use and capacity at which a change fits the standing levels.
const FITS: f64 = 1e-13;

/// The use of one resource by one class, in the list of the class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) resource: u32,
    pub(crate) cost: f64,
}

/// The use of one resource by one class, in the list of the resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    pub(crate) class: u32,
    pub(crate) cost: f64,
}

/// A resource and its part of the standing allocation.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) capacity: f64,
    /// Largest share of any flow, in units/s per unit of weight; infinite while not saturated.
    pub(crate) level: f64,
    /// Level in the solve in progress.
    pub(crate) new_level: f64,
    /// Use by the standing allocation, units/s.
    pub(crate) usage: f64,
    /// Tentative change of use.
    change: f64,
    first_user: u32,
    end_user: u32,
    /// Whether all classes that may use it have equal costs here.
    equal_costs: bool,
    touched: bool,
    pub(crate) in_set: bool,
}

/// A flow class and its part of the standing allocation.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) weight: f64,
    /// Maximum rate of one flow; infinite without a cap.
    pub(crate) cap: f64,
    /// Number of flows in the standing allocation.
    pub(crate) flows: f64,
    /// The limit of the class in the standing allocation.
    pub(crate) limit: Limit,
    /// Rate of one flow per unit of level of the limiting resource; 1 if the cap limits.
    pub(crate) factor: f64,
    /// Number of flows now.
    wanted_flows: f64,
    first_leg: u32,
    end_leg: u32,
    dirty: bool,
    /// Whether its costs, weight or cap changed since its limit was set.
    respecified: bool,
    pub(crate) member: bool,
}

/// The limit of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Limit {
    Resource(u32),
    Cap,
    /// None yet: the class has no cap and none of its resources is saturated.
    #[default]
    None,
}

/// A class while a part of the system is solved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trial {
    /// Rate that the class's cap and the levels of resources outside the set permit.
    pub(crate) ceiling: f64,
    /// The limit at that ceiling.
    pub(crate) ceiling_limit: Limit,
    /// The computed rate.
    pub(crate) rate: f64,
    /// The limit at that rate.
    pub(crate) limit: Limit,
}

impl Trial {
    /// Sets the rate of the class to its ceiling.
    pub(crate) fn stop_at_ceiling(&mut self) {
        self.rate = self.ceiling;
        self.limit = self.ceiling_limit;
    }
}

/// Number of users of a resource per class with flows above which single users are looked up.
const SPARSE: usize = 16;

/// Resources, classes and their fair allocation. See the module documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) resources: Vec<Resource>,
    pub(crate) classes: Vec<Class>,
    legs: Vec<Leg>,
    users: Vec<User>,
    /// Classes with flows.
    present: Present,
    /// Whether `users` matches `legs`.
    linked: bool,
    dirty: Vec<u32>,
    touched: Vec<u32>,
    /// Resources to solve, and the classes that use them.
    pub(crate) set: Vec<u32>,
    pub(crate) members: Vec<u32>,
    pub(crate) trials: Vec<Trial>,
    /// Classes whose limit changed in the last settling, and resources whose level changed.
    relimited: Vec<u32>,
    relevelled: Vec<u32>,
    pulls: Pulls,
    single: Single,
    filling: Filling,
    pub(super) balance: Balance,
    updates: u32,
    /// Changes since the last check of a standing allocation.
    unchecked: usize,
}

impl System {
    /// Empties the system but keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.resources.clear();
        self.classes.clear();
        self.legs.clear();
        self.dirty.clear();
        self.set.clear();
        self.present.clear();
        self.linked = false;
    }

    /// Reserves memory for a number of resources, classes and their costs.
    pub(crate) fn reserve(&mut self, resources: usize, classes: usize, costs: usize) {
        self.resources.reserve(resources);
        self.classes.reserve(classes);
        self.legs.reserve(costs);
    }

    pub(crate) fn add_resource(&mut self, capacity: f64) -> Result<u32, BuildError> {
        let index = index_of(self.resources.len())?;
        self.resources.push(Resource {
            capacity: positive(capacity).ok_or(BuildError::Capacity(capacity))?,
            level: f64::INFINITY,
            new_level: f64::INFINITY,
            usage: 0.0,
            change: 0.0,
            first_user: 0,
            end_user: 0,
            equal_costs: true,
            touched: false,
            in_set: false,
        });
        self.linked = false;
        Ok(index)
    }

    /// Adds a class without flows. Zero costs are dropped, costs on the same resource are summed.
    pub(crate) fn add_class(
        &mut self,
        costs: impl Iterator<Item = (usize, f64)>,
        weight: f64,
        cap: Option<f64>,
    ) -> Result<u32, BuildError> {
        let index = index_of(self.classes.len())?;
        let first_leg = self.legs.len();
        let class = self
            .append_legs(costs)
            .and_then(|()| self.checked_class(first_leg, weight, cap));
        match class {
            Ok(class) => {
                self.classes.push(class);
                self.linked = false;
                Ok(index)
            }
            Err(error) => {
                self.legs.truncate(first_leg);
                Err(error)
            }
        }
    }

    fn append_legs(&mut self, costs: impl Iterator<Item = (usize, f64)>) -> Result<(), BuildError> {
        let first = self.legs.len();
        for (resource, cost) in costs {
            if resource >= self.resources.len() {
                return Err(BuildError::UnknownResource(resource));
            }
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(BuildError::Cost(cost));
            }
            if cost == 0.0 {
                continue;
            }
            let resource = index_of(resource)?;
            match self.legs[first..].iter_mut().find(|leg| leg.resource == resource) {
                Some(leg) => leg.cost += cost,
                None => self.legs.push(Leg { resource, cost }),
            }
        }
        index_of(self.legs.len()).map(|_| ())
    }

    fn checked_class(&self, first_leg: usize, weight: f64, cap: Option<f64>) -> Result<Class, BuildError> {
        let cap = match cap {
            Some(cap) => positive(cap).ok_or(BuildError::RateCap(cap))?,
            None => f64::INFINITY,
        };
        if self.legs.len() == first_leg && cap == f64::INFINITY {
            return Err(BuildError::Unbounded);
        }
        Ok(Class {
            weight: positive(weight).ok_or(BuildError::Weight(weight))?,
            cap,
            flows: 0.0,
            limit: Limit::None,
            factor: 0.0,
            wanted_flows: 0.0,
            first_leg: first_leg as u32,
            end_leg: self.legs.len() as u32,
            dirty: false,
            respecified: false,
            member: false,
        })
    }

    /// Sets costs, weight and cap of a class. Its flows are treated as leaving and returning: rates follow at
    /// the next [`System::settle`].
    pub(crate) fn set_class(
        &mut self,
        class: u32,
        costs: impl Iterator<Item = (usize, f64)>,
        weight: f64,
        cap: Option<f64>,
    ) -> Result<(), BuildError> {
        let first_leg = self.legs.len();
        let replacement = self
            .append_legs(costs)
            .and_then(|()| self.checked_class(first_leg, weight, cap));
        let replacement = match replacement {
            Ok(replacement) => replacement,
            Err(error) => {
                self.legs.truncate(first_leg);
                return Err(error);
            }
        };
        self.withdraw(class);
        let old = self.classes[class as usize].clone();
        let old_legs = old.first_leg as usize..old.end_leg as usize;
        let same_resources = old_legs.len() == self.legs.len() - first_leg
            && old_legs
                .clone()
                .zip(first_leg..)
                .all(|(a, b)| self.legs[a].resource == self.legs[b].resource);
        let this = &mut self.classes[class as usize];
        (this.weight, this.cap, this.respecified) = (replacement.weight, replacement.cap, true);
        if same_resources {
            for (position, new) in old_legs.zip(first_leg..) {
                self.legs[position].cost = self.legs[new].cost;
            }
            self.legs.truncate(first_leg);
            self.recost_users(class);
        } else {
            (this.first_leg, this.end_leg) = (replacement.first_leg, replacement.end_leg);
            self.compact_legs();
            self.linked = false;
        }
        let this = &mut self.classes[class as usize];
        if !this.dirty {
            this.dirty = true;
            self.dirty.push(class);
        }
        Ok(())
    }

    /// Sets the cap of a class, and costs on resources that it already uses, without an update of the
    /// standing allocation: everything has to be solved next.
    pub(crate) fn recost(
        &mut self,
        class: usize,
        cap: Option<f64>,
        costs: &[(usize, f64)],
    ) -> Result<(), BuildError> {
        if class >= self.classes.len() {
            return Err(BuildError::UnknownClass(class));
        }
        let cap = match cap {
            Some(cap) => positive(cap).ok_or(BuildError::RateCap(cap))?,
            None => f64::INFINITY,
        };
        // Costs usually come in the order in which the class was added with them, without the first ones.
        let legs = self.leg_range(class as u32);
        let mut next = legs.end - costs.len().min(legs.len());
        for &(resource, cost) in costs {
            let is_of = |&at: &usize| self.legs[at].resource as usize == resource;
            let found = (next..legs.end).find(is_of).or_else(|| legs.clone().find(is_of));
            match found {
                Some(at) => {
                    next = at + 1;
                    self.legs[at].cost = positive(cost).ok_or(BuildError::Cost(cost))?;
                    self.recost_user(class as u32, self.legs[at]);
                }
                // A zero cost was dropped when the class was added.
                None if cost == 0.0 => {}
                None => return Err(BuildError::UnknownResource(resource)),
            }
        }
        self.classes[class].cap = cap;
        Ok(())
    }

    /// Subtracts the standing flows of a class from the uses.
    fn withdraw(&mut self, class: u32) {
        let rate = self.rate(class);
        let flows = std::mem::take(&mut self.classes[class as usize].flows);
        self.present.set(class, false);
        self.pulls.forget_all();
        for position in self.leg_range(class) {
            let Leg { resource, cost } = self.legs[position];
            self.touch(resource, -(flows * rate * cost));
        }
    }

    /// Updates the resources' copies of one class's costs.
    fn recost_users(&mut self, class: u32) {
        for position in self.leg_range(class) {
            self.recost_user(class, self.legs[position]);
        }
    }

    /// Updates one resource's copy of the cost of a class.
    fn recost_user(&mut self, class: u32, Leg { resource, cost }: Leg) {
        if !self.linked {
            return;
        }
        let users = self.user_range(resource);
        let users = &mut self.users[users];
        // They are sorted by class.
        if let Ok(position) = users.binary_search_by_key(&class, |user| user.class) {
            users[position].cost = cost;
        }
        let first = users[0].cost;
        self.resources[resource as usize].equal_costs = users.iter().all(|user| user.cost == first);
    }

    /// Removes unused legs.
    fn compact_legs(&mut self) {
        let mut legs = Vec::with_capacity(self.legs.len());
        for class in &mut self.classes {
            let first = legs.len() as u32;
            legs.extend_from_slice(&self.legs[class.first_leg as usize..class.end_leg as usize]);
            (class.first_leg, class.end_leg) = (first, legs.len() as u32);
        }
        self.legs = legs;
    }

    pub(crate) fn set_capacity(&mut self, resource: u32, capacity: f64) -> Result<(), BuildError> {
        let capacity = positive(capacity).ok_or(BuildError::Capacity(capacity))?;
        self.resources[resource as usize].capacity = capacity;
        self.pulls.forget_all();
        self.touch(resource, 0.0);
        Ok(())
    }

    /// Sets the present number of flows of a class. Rates follow at the next [`System::settle`].
    pub(crate) fn set_flows(&mut self, class: u32, flows: f64) {
        let this = &mut self.classes[class as usize];
        this.wanted_flows = flows;
        if !this.dirty {
            this.dirty = true;
            self.dirty.push(class);
        }
    }

    /// The number of solves that followed a path because policy iteration did not converge.
    pub(crate) fn fallbacks(&self) -> u64 {
        self.balance.fallbacks
    }

    pub(crate) fn legs_of(&self, class: u32) -> &[Leg] {
        &self.legs[self.leg_range(class)]
    }

    pub(crate) fn users_of(&self, resource: u32) -> &[User] {
        &self.users[self.user_range(resource)]
    }

    /// Calls `visit` with every class with flows that uses a resource, and its cost there, in order of the
    /// classes.
    pub(crate) fn for_each_present_user(&self, resource: u32, mut visit: impl FnMut(u32, f64)) {
        let users = self.users_of(resource);
        if self.present.count() * SPARSE > users.len() {
            for user in users {
                if self.classes[user.class as usize].flows > 0.0 {
                    visit(user.class, user.cost);
                }
            }
            return;
        }
        for class in self.present.iter() {
            if let Ok(position) = users.binary_search_by_key(&class, |user| user.class) {
                visit(class, users[position].cost);
            }
        }
    }

    /// Calls `visit` with every class that may use a resource, and its cost there.
    pub(crate) fn for_each_user(&self, resource: u32, mut visit: impl FnMut(u32, f64)) {
        if self.linked {
            self.users_of(resource)
                .iter()
                .for_each(|user| visit(user.class, user.cost));
            return;
        }
        // Classes were added or changed their resources since the last settling.
        for class in 0..self.classes.len() as u32 {
            self.legs_of(class)
                .iter()
                .filter(|leg| leg.resource == resource)
                .for_each(|leg| visit(class, leg.cost));
        }
    }

    fn leg_range(&self, class: u32) -> std::ops::Range<usize> {
        let class = &self.classes[class as usize];
        class.first_leg as usize..class.end_leg as usize
    }

    fn user_range(&self, resource: u32) -> std::ops::Range<usize> {
        let resource = &self.resources[resource as usize];
        resource.first_user as usize..resource.end_user as usize
    }

    /// Rate of one flow of a class in the standing allocation.
    pub(crate) fn rate(&self, class: u32) -> f64 {
        let this = &self.classes[class as usize];
        match this.limit {
            Limit::Resource(resource) => this.factor * self.resources[resource as usize].level,
            Limit::Cap => this.cap,
            Limit::None => 0.0,
        }
    }

    /// Work per second of all flows that a class had at the last solve.
    pub(crate) fn work_rate(&self, class: u32) -> f64 {
        self.classes[class as usize].flows * self.rate(class)
    }

    /// The rate of one flow of a class that the standing levels and the cap permit, and its limit; if there
    /// are several, the first in the order of its costs.
    pub(crate) fn allowed_by_levels(&self, class: u32) -> (f64, Limit) {
        let this = &self.classes[class as usize];
        let (mut least, mut limit) = (
            this.cap,
            if this.cap < f64::INFINITY {
                Limit::Cap
            } else {
                Limit::None
            },
        );
        for leg in self.legs_of(class) {
            let level = self.resources[leg.resource as usize].level;
            if level == f64::INFINITY {
                continue;
            }
            let allowed = this.weight * level / leg.cost;
            if allowed < least {
                (least, limit) = (allowed, Limit::Resource(leg.resource));
            }
        }
        (least, limit)
    }

    /// Sorts the legs of all classes by resource.
    fn link(&mut self) {
        self.pulls.forget_all();
        for resource in &mut self.resources {
            resource.end_user = 0;
            resource.equal_costs = true;
        }
        for leg in &self.legs {
            self.resources[leg.resource as usize].end_user += 1;
        }
        let mut start = 0;
        for resource in &mut self.resources {
            resource.first_user = start;
            start += resource.end_user;
            resource.end_user = resource.first_user;
        }
        self.users.clear();
        self.users.resize(self.legs.len(), User { class: 0, cost: 0.0 });
        for (class, of_class) in self.classes.iter().enumerate() {
            for leg in &self.legs[of_class.first_leg as usize..of_class.end_leg as usize] {
                let resource = &mut self.resources[leg.resource as usize];
                self.users[resource.end_user as usize] = User {
                    class: class as u32,
                    cost: leg.cost,
                };
                resource.equal_costs &= self.users[resource.first_user as usize].cost == leg.cost;
                resource.end_user += 1;
            }
        }
        self.trials.resize(self.classes.len(), Trial::default());
        self.linked = true;
    }

    /// Adds to the tentative change of use of a resource.
    fn touch(&mut self, resource: u32, change: f64) {
        let this = &mut self.resources[resource as usize];
        this.change += change;
        if !this.touched {
            this.touched = true;
            self.touched.push(resource);
        }
    }
}

impl Resource {
    /// Whether a use agrees with the standing level.
    pub(super) fn fits(&self, usage: f64) -> bool {
        let excess = usage - self.capacity;
        let allowed = self.capacity * FITS;
        excess <= allowed && (self.level == f64::INFINITY || excess >= -allowed)
    }
}

fn positive(value: f64) -> Option<f64> {
    (value.is_finite() && value > 0.0).then_some(value)
}

/// A position as a 32-bit index; the two largest values are reserved as marks.
fn index_of(position: usize) -> Result<u32, BuildError> {
    u32::try_from(position)
        .ok()
        .filter(|&index| index < u32::MAX - 1)
        .ok_or(BuildError::TooMany)
}

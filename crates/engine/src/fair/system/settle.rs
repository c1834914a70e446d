//! Updates of the fair allocation.
//!
//! A change of flow counts is first tried with the standing levels: if all uses still fit, nothing is solved.
//! Otherwise a resource that no longer fits may only need another level (see `pull.rs`). Otherwise the
//! resources that no longer fit are solved together, with all other levels fixed, and the set grows by the
//! resources that the new rates upset, until there are none.

use super::{Leg, Limit, Pulls, Resource, System, User};
use crate::error::SolveError;

/// Maximum relative difference between use and capacity in a finished solution.
const CHECKED: f64 = 1e-9;
/// The same in a standing allocation, whose levels have moved some thousand times.
const CHECKED_LATER: f64 = 1e-6;
/// Minimum number of changes between two checks of a standing allocation, plus one per class with flows: the
/// sums of the check then cost a few instructions per change.
const BETWEEN_CHECKS: usize = 64;
/// Relative distance to capacity at which a resource counts as full although it limits no class.
const FULL: f64 = 1e-11;
/// Rounds in which the solved set grows only by upset resources; afterwards it grows to the whole component.
const GROWING_ROUNDS: usize = 12;
/// Number of incremental updates of uses after which all are summed afresh, so that rounding cannot
/// accumulate.
const UPDATES_BETWEEN_SUMS: u32 = 1 << 16;

/// The starting point of a full solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Nothing,
    StandingLevels,
}

impl System {
    /// Whether anything changed since the last [`System::settle`].
    pub(crate) fn is_settled(&self) -> bool {
        self.dirty.is_empty() && self.touched.is_empty()
    }

    /// Classes whose limit changed in the last [`System::settle`] (their number of flows may have changed
    /// too).
    pub(crate) fn relimited(&self) -> &[u32] {
        &self.relimited
    }

    /// Resources whose level changed in the last [`System::settle`].
    pub(crate) fn relevelled(&self) -> &[u32] {
        &self.relevelled
    }

    /// Computes the fair rates for the present flows.
    pub(crate) fn settle(&mut self) -> Result<(), SolveError> {
        self.relimited.clear();
        self.relevelled.clear();
        if !self.linked {
            self.link();
        }
        let all_limited = self.try_standing_levels();
        self.seed_set();
        if !(self.set.is_empty() || all_limited && self.move_levels()) {
            let solved = self.solve_growing_set();
            for position in 0..self.set.len() {
                self.resources[self.set[position] as usize].in_set = false;
            }
            self.set.clear();
            solved?;
        }
        self.unchecked += 1;
        // Levels move without a solve: the last one is checked against the definition with fresh sums.
        if self.unchecked > BETWEEN_CHECKS + self.present.count()
            && let Some(&moved) = self.relevelled.last()
        {
            self.unchecked = 0;
            self.check_use(moved, self.summed_usage(moved), CHECKED_LATER)?;
        }
        self.updates += 1;
        if self.updates == UPDATES_BETWEEN_SUMS {
            self.updates = 0;
            for resource in 0..self.resources.len() {
                self.resources[resource].usage = self.summed_usage(resource as u32);
            }
        }
        Ok(())
    }

    /// Solves everything from scratch.
    pub(crate) fn solve_all(&mut self) -> Result<(), SolveError> {
        self.solve_all_from(Start::Nothing)
    }

    /// Solves everything, starting from the standing levels if they are useful.
    pub(crate) fn solve_all_again(&mut self) -> Result<(), SolveError> {
        if self.solve_all_from(Start::StandingLevels).is_ok() {
            return Ok(());
        }
        self.solve_all_from(Start::Nothing)
    }

    fn solve_all_from(&mut self, start: Start) -> Result<(), SolveError> {
        if !self.linked {
            self.link();
        }
        for position in 0..self.dirty.len() {
            let index = self.dirty[position];
            let class = &mut self.classes[index as usize];
            class.flows = class.wanted_flows;
            self.present.set(index, class.flows > 0.0);
            class.limit = if class.first_leg == class.end_leg {
                Limit::Cap
            } else {
                Limit::None
            };
            class.dirty = false;
        }
        self.dirty.clear();
        self.touched.clear();
        self.relimited.clear();
        self.relevelled.clear();
        self.set.clear();
        for (index, resource) in self.resources.iter_mut().enumerate() {
            if start == Start::Nothing {
                resource.level = f64::INFINITY;
            }
            resource.in_set = true;
            self.set.push(index as u32);
        }
        self.gather_members();
        let solved = self.solve_set();
        if solved.is_ok() {
            self.adopt_solution();
        }
        self.release_members();
        solved?;
        self.check_all()?;
        self.level_full_resources();
        Ok(())
    }

    /// Sets the rates of new flows from the standing levels, and sums the effect of all changes of counts on
    /// the uses. `false` if a class without a limit was added: its resources are then in the set, even if
    /// they fit.
    fn try_standing_levels(&mut self) -> bool {
        let mut all_limited = true;
        for position in 0..self.dirty.len() {
            let index = self.dirty[position];
            let class = &mut self.classes[index as usize];
            class.dirty = false;
            let added = class.wanted_flows - class.flows;
            if added == 0.0 {
                continue;
            }
            let arrived = class.flows == 0.0;
            class.flows = class.wanted_flows;
            if arrived || class.flows == 0.0 {
                self.present.set(index, class.flows > 0.0);
            }
            if arrived {
                // A class without a level and a cap starts from zero, and its resources are solved.
                let (_, limit) = self.allowed_by_levels(index);
                self.set_limit(index, limit);
            }
            let change = added * self.rate(index);
            let class = &self.classes[index as usize];
            let unlimited = class.limit == Limit::None;
            all_limited &= !unlimited;
            for leg in class.first_leg as usize..class.end_leg as usize {
                let Leg { resource, cost } = self.legs[leg];
                self.touch(resource, change * cost);
                if unlimited {
                    self.put_in_set(resource);
                }
            }
            if self.pulls.any() {
                let mut pulls = std::mem::take(&mut self.pulls);
                pulls.count(self, index, added, arrived);
                self.pulls = pulls;
            }
        }
        self.dirty.clear();
        all_limited
    }

    /// Sets the limit of a class.
    fn set_limit(&mut self, index: u32, limit: Limit) {
        let factor = match limit {
            Limit::Resource(resource) => {
                let leg = self.legs_of(index).iter().find(|leg| leg.resource == resource);
                self.classes[index as usize].weight / leg.map_or(f64::NAN, |leg| leg.cost)
            }
            Limit::Cap | Limit::None => 1.0,
        };
        let class = &mut self.classes[index as usize];
        if class.respecified || (class.limit, class.factor) != (limit, factor) {
            (class.limit, class.factor, class.respecified) = (limit, factor, false);
            self.relimited.push(index);
        }
    }

    /// Tries to respond to a change by moving levels only, without changes of limits. `false` leaves the
    /// remainder of the set to the solvers.
    fn move_levels(&mut self) -> bool {
        let mut pulls = std::mem::take(&mut self.pulls);
        // Every round except the last removes a resource from the set.
        while self.move_levels_once(&mut pulls) && !self.set.is_empty() {
            // A resource near its capacity overflows when a flow is added, until the level of the flow's
            // limit has followed.
            let resources = &mut self.resources;
            self.set.retain(|&index| {
                let resource = &mut resources[index as usize];
                resource.in_set = !resource.fits(resource.usage);
                resource.in_set
            });
        }
        self.pulls = pulls;
        self.set.is_empty()
    }

    /// Moves the levels of those resources of the set for which that is sufficient, and removes them from it.
    /// Returns whether there were any.
    fn move_levels_once(&mut self, pulls: &mut Pulls) -> bool {
        let before = self.set.len();
        for position in (0..before).rev() {
            let resource = self.set[position];
            if pulls.move_level(self, resource) {
                self.resources[resource as usize].in_set = false;
                self.set.swap_remove(position);
                self.relevelled.push(resource);
            }
        }
        self.set.len() < before
    }

    /// Adds the tentative changes to the uses, and puts upset resources in the set.
    fn seed_set(&mut self) {
        for position in 0..self.touched.len() {
            let index = self.touched[position];
            let resource = &mut self.resources[index as usize];
            resource.touched = false;
            resource.usage += std::mem::take(&mut resource.change);
            if !resource.fits(resource.usage) {
                self.put_in_set(index);
            }
        }
        self.touched.clear();
    }

    fn put_in_set(&mut self, resource: u32) {
        let this = &mut self.resources[resource as usize];
        if !this.in_set {
            this.in_set = true;
            self.set.push(resource);
        }
    }

    /// Solves the set, extends it by the resources that its new rates upset, and repeats until there are
    /// none.
    fn solve_growing_set(&mut self) -> Result<(), SolveError> {
        // Every round except the last adds a resource, and from `GROWING_ROUNDS` on a whole component.
        for round in 0.. {
            if round >= GROWING_ROUNDS {
                self.grow_set_to_component();
            }
            self.gather_members();
            let upset = match self.solve_set() {
                Ok(()) => self.grow_set_by_upset_resources(),
                Err(error) if round < GROWING_ROUNDS => {
                    // Fixed levels can make a small set harder than the whole system.
                    let before = self.set.len();
                    self.grow_set_to_component();
                    if self.set.len() == before {
                        self.release_members();
                        return Err(error);
                    }
                    true
                }
                Err(error) => {
                    self.release_members();
                    return Err(error);
                }
            };
            if !upset {
                break;
            }
            self.release_members();
        }
        let relimited = self.relimited.len();
        self.adopt_solution();
        self.release_members();
        if self.set.len() > 1 || self.relimited.len() > relimited {
            self.pulls.forget_all();
        }
        self.check_set()
    }

    /// Makes the new levels and limits the standing ones.
    fn adopt_solution(&mut self) {
        for position in 0..self.set.len() {
            let index = self.set[position];
            let resource = &mut self.resources[index as usize];
            if resource.level.is_infinite() != resource.new_level.is_infinite() {
                self.pulls.forget_all();
            }
            if resource.level != resource.new_level {
                resource.level = resource.new_level;
                self.relevelled.push(index);
            }
        }
        for position in 0..self.members.len() {
            let index = self.members[position];
            self.set_limit(index, self.trials[index as usize].limit);
        }
    }

    /// Lists the classes with flows that use a resource of the set, with the ceilings that everything outside
    /// the set imposes on them.
    fn gather_members(&mut self) {
        self.members.clear();
        if self.set.len() == self.resources.len() {
            for (index, class) in self.classes.iter_mut().enumerate() {
                if class.flows > 0.0 && class.first_leg < class.end_leg {
                    class.member = true;
                    self.members.push(index as u32);
                    self.trials[index].ceiling = class.cap;
                    self.trials[index].ceiling_limit = Limit::Cap;
                }
            }
            return;
        }
        let mut members = std::mem::take(&mut self.members);
        for &resource in &self.set {
            let known = members.len();
            self.for_each_present_user(resource, |class, _| {
                if !self.classes[class as usize].member {
                    members.push(class);
                }
            });
            for &member in &members[known..] {
                self.classes[member as usize].member = true;
            }
        }
        self.members = members;
        for &member in &self.members {
            let class = &self.classes[member as usize];
            let (mut ceiling, mut ceiling_limit) = (class.cap, Limit::Cap);
            for leg in &self.legs[class.first_leg as usize..class.end_leg as usize] {
                let resource = &self.resources[leg.resource as usize];
                // Most resources have no level; the division is worth a branch.
                if !resource.in_set && resource.level < f64::INFINITY {
                    let allowed = class.weight * resource.level / leg.cost;
                    if allowed < ceiling {
                        (ceiling, ceiling_limit) = (allowed, Limit::Resource(leg.resource));
                    }
                }
            }
            let trial = &mut self.trials[member as usize];
            (trial.ceiling, trial.ceiling_limit) = (ceiling, ceiling_limit);
        }
    }

    fn release_members(&mut self) {
        for &member in &self.members {
            self.classes[member as usize].member = false;
        }
    }

    /// Computes levels for the resources of the set and rates for its members.
    fn solve_set(&mut self) -> Result<(), SolveError> {
        if let [resource] = self.set[..] {
            let mut single = std::mem::take(&mut self.single);
            single.solve(self, resource);
            self.single = single;
            Ok(())
        } else if self
            .set
            .iter()
            .all(|&resource| self.resources[resource as usize].equal_costs)
        {
            let mut filling = std::mem::take(&mut self.filling);
            filling.solve(self);
            self.filling = filling;
            Ok(())
        } else {
            let mut balance = std::mem::take(&mut self.balance);
            let solved = balance.solve(self);
            self.balance = balance;
            solved
        }
    }

    /// Tries the members' new rates on the resources outside the set. Upset resources join the set (and
    /// `true` is returned); if there are none, the uses are updated.
    fn grow_set_by_upset_resources(&mut self) -> bool {
        for position in 0..self.members.len() {
            let index = self.members[position];
            let class = &self.classes[index as usize];
            let change = class.flows * (self.trials[index as usize].rate - self.rate(index));
            if change == 0.0 {
                continue;
            }
            for leg in class.first_leg as usize..class.end_leg as usize {
                let Leg { resource, cost } = self.legs[leg];
                if !self.resources[resource as usize].in_set {
                    self.touch(resource, change * cost);
                }
            }
        }
        let before = self.set.len();
        for position in 0..self.touched.len() {
            let index = self.touched[position];
            let resource = &self.resources[index as usize];
            if !resource.fits(resource.usage + resource.change) {
                self.put_in_set(index);
            }
        }
        let upset = self.set.len() > before;
        for position in 0..self.touched.len() {
            let resource = &mut self.resources[self.touched[position] as usize];
            let change = std::mem::take(&mut resource.change);
            resource.touched = false;
            if !upset {
                resource.usage += change;
            }
        }
        self.touched.clear();
        upset
    }

    /// Adds every resource that classes with flows connect to the set.
    fn grow_set_to_component(&mut self) {
        let mut position = 0;
        while position < self.set.len() {
            for user in self.user_range(self.set[position]) {
                let class = self.users[user].class;
                if self.classes[class as usize].flows > 0.0 {
                    for leg in self.leg_range(class) {
                        self.put_in_set(self.legs[leg].resource);
                    }
                }
            }
            position += 1;
        }
    }

    /// Sets the level of resources that are full without limiting a class: their largest share. (If two
    /// resources become full at the same moment, the method may choose either as the limit of their common
    /// flows.)
    fn level_full_resources(&mut self) {
        for index in 0..self.resources.len() {
            let resource = &self.resources[index];
            if resource.level == f64::INFINITY && resource.usage >= resource.capacity * (1.0 - FULL) {
                let users = self.users_of(index as u32).iter();
                let present = users.filter(|user| self.classes[user.class as usize].flows > 0.0);
                let share = |user: &User| {
                    user.cost * self.rate(user.class) / self.classes[user.class as usize].weight
                };
                let level = present.map(share).fold(0.0, f64::max);
                self.resources[index].level = level;
            }
        }
    }

    /// Sums the uses of the set afresh and checks them against the definition of fairness.
    fn check_set(&mut self) -> Result<(), SolveError> {
        for position in 0..self.set.len() {
            let index = self.set[position];
            self.resources[index as usize].usage = self.summed_usage(index);
        }
        self.check_uses()
    }

    /// [`System::check_set`] for all resources, in one pass over the classes.
    fn check_all(&mut self) -> Result<(), SolveError> {
        for resource in &mut self.resources {
            resource.usage = 0.0;
        }
        for position in 0..self.members.len() {
            let member = self.members[position];
            let rate = self.classes[member as usize].flows * self.rate(member);
            for leg in self.leg_range(member) {
                let Leg { resource, cost } = self.legs[leg];
                self.resources[resource as usize].usage += rate * cost;
            }
        }
        self.check_uses()
    }

    /// Checks the uses of the set against the definition of fairness.
    fn check_uses(&self) -> Result<(), SolveError> {
        let mut set = self.set.iter();
        set.try_for_each(|&index| self.check_use(index, self.resources[index as usize].usage, CHECKED))
    }

    fn check_use(&self, index: u32, usage: f64, distance: f64) -> Result<(), SolveError> {
        let &Resource { capacity, level, .. } = &self.resources[index as usize];
        let excess = usage - capacity;
        let allowed = capacity * distance;
        // Written so that NaN fails.
        let fair = excess <= allowed && (level == f64::INFINITY || excess >= -allowed);
        if fair {
            return Ok(());
        }
        Err(SolveError::NotFair {
            resource: index as usize,
            capacity,
            usage,
        })
    }

    fn summed_usage(&self, resource: u32) -> f64 {
        // As the empty sum of floats is in Rust.
        let mut sum = -0.0;
        self.for_each_present_user(resource, |class, cost| {
            sum += self.classes[class as usize].flows * self.rate(class) * cost;
        });
        sum
    }
}

//! Bottleneck max fairness with unequal costs: policy iteration on the bottlenecks, with sweeps of single
//! resources to start and to rescue it.
//!
//! If the limiting resource of each class is known, the levels follow from linear equations (use = capacity
//! on every limiting resource); if the levels are known, so are the limits. The two steps alternate until the
//! allocation satisfies the definition (Bonald and Roberts, *Multi-resource fairness: objectives, algorithms
//! and performance*, 2014). It usually takes a few rounds, but can cycle. A *sweep* sets the level of each
//! resource, one after another, such that the resource is just full while the others keep their levels;
//! damped sweeps lead out of a cycle to another starting point. If no starting point leads to a solution, the
//! method follows a path of solutions (`path.rs`), which takes longer.
//!
//! **It always ends**, after at most [`STARTS`] × [`ROUNDS`] rounds and [`PATHS`] paths of as many pieces as
//! `path.rs` allows. That a path ends at a solution is proven for exact arithmetic (`path.rs`). With rounding
//! it is tested: of 60,500 random systems of the shape of storage servers, with up to 500 classes, 34 needed
//! a path, and a path alone solved each of them; of 15,000 systems with figures up to 20 orders of magnitude
//! further apart, 128 needed one, and none was left without a solution. At 30 orders 6 of 5,000 were, which
//! is [`SolveError::NoConvergence`]. [`Balance::fallbacks`] counts paths.

use super::linear::eliminate;
use super::path::Path;
use super::system::{Limit, System};
use crate::error::SolveError;

/// Maximum relative difference between use and capacity of an accepted allocation.
const EXACT: f64 = 1e-12;
/// The same after many rounds, when rounding prevents a better result.
const ROUNDED: f64 = 1e-10;
/// Maximum rounds of policy iteration from one starting point.
const ROUNDS: usize = 24;
/// Maximum number of starting points. More would settle few further systems, and take longer than a path.
const STARTS: usize = 4;
/// Maximum number of unknown levels for the linear equations; larger systems use only sweeps.
const LARGEST_MATRIX: usize = 1_500;
/// Maximum number of paths.
const PATHS: u32 = 8;
/// The limit of a class at its ceiling.
pub(super) const CEILING: u32 = u32::MAX;

/// A resource of the set, with the method's own index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tank {
    pub(super) capacity: f64,
    level: f64,
    usage: f64,
    /// The number of classes that it limits.
    holds: u32,
    /// Its row in the linear equations.
    row: u32,
}

/// A class that uses resources of the set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    pub(super) flows: f64,
    pub(super) weight: f64,
    pub(super) ceiling: f64,
    rate: f64,
    /// The tank that limits it, and its cost there.
    limit: u32,
    limit_cost: f64,
    pub(super) first_leg: u32,
    pub(super) end_leg: u32,
}

/// Memory that is reused between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    tanks: Vec<Tank>,
    members: Vec<Member>,
    /// (tank, cost), by member.
    legs: Vec<(u32, f64)>,
    /// (member, cost), by tank.
    users: Vec<(u32, f64)>,
    first_user: Vec<u32>,
    /// Tank of each resource.
    tank_of: Vec<u32>,
    /// (share at which a class is limited elsewhere, use per unit of level), for one sweep step.
    shares: Vec<(f64, f64)>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    path: Path,
    /// The number of solves that followed a path.
    pub(crate) fallbacks: u64,
}

impl Balance {
    /// Computes the levels of the system's set and the rates of its members.
    pub(crate) fn solve(&mut self, system: &mut System) -> Result<(), SolveError> {
        self.load(system);
        if !self.search() {
            self.fallbacks += 1;
            if !self.follow_path() {
                return Err(SolveError::NoConvergence {
                    resources: self.tanks.len(),
                    classes: self.members.len(),
                });
            }
        }
        for (tank, &index) in self.tanks.iter().zip(&system.set) {
            system.resources[index as usize].new_level = tank.level;
        }
        for (member, &index) in self.members.iter().zip(&system.members) {
            let trial = &mut system.trials[index as usize];
            if member.limit == CEILING {
                trial.stop_at_ceiling();
            } else {
                trial.rate = member.rate;
                trial.limit = Limit::Resource(system.set[member.limit as usize]);
            }
        }
        Ok(())
    }

    /// Copies the set and its members into compact arrays.
    fn load(&mut self, system: &System) {
        self.tanks.clear();
        self.members.clear();
        self.legs.clear();
        self.tank_of.resize(system.resources.len(), 0);
        for (tank, &index) in system.set.iter().enumerate() {
            let resource = &system.resources[index as usize];
            self.tank_of[index as usize] = tank as u32;
            self.tanks.push(Tank {
                capacity: resource.capacity,
                level: resource.level,
                ..Tank::default()
            });
        }
        self.first_user.clear();
        self.first_user.resize(self.tanks.len() + 1, 0);
        for &index in &system.members {
            let class = &system.classes[index as usize];
            let first_leg = self.legs.len() as u32;
            for leg in system.legs_of(index) {
                if system.resources[leg.resource as usize].in_set {
                    let tank = self.tank_of[leg.resource as usize];
                    self.legs.push((tank, leg.cost));
                    self.first_user[tank as usize + 1] += 1;
                }
            }
            self.members.push(Member {
                flows: class.flows,
                weight: class.weight,
                ceiling: system.trials[index as usize].ceiling,
                first_leg,
                end_leg: self.legs.len() as u32,
                ..Member::default()
            });
        }
        self.link();
    }

    /// Sorts the legs by tank.
    fn link(&mut self) {
        for tank in 0..self.tanks.len() {
            self.first_user[tank + 1] += self.first_user[tank];
        }
        self.users.clear();
        self.users.resize(self.legs.len(), (0, 0.0));
        for (index, member) in self.members.iter().enumerate() {
            for &(tank, cost) in &self.legs[member.first_leg as usize..member.end_leg as usize] {
                let position = &mut self.first_user[tank as usize];
                self.users[*position as usize] = (index as u32, cost);
                *position += 1;
            }
        }
        // Every start index has moved to its end, which is the start of the next one.
        self.first_user.rotate_right(1);
        self.first_user[0] = 0;
    }

    /// Alternates sweeps and policy iteration. `false` if no starting point leads to a solution.
    fn search(&mut self) -> bool {
        for start in 0..STARTS {
            // The first start uses the standing levels, with sweeps only if a class has no limit.
            match start {
                0 => {
                    self.apply_levels();
                    if !self.members.iter().all(|member| member.rate < f64::INFINITY) {
                        self.sweep(0.0);
                    }
                }
                1 => {
                    self.tanks.iter_mut().for_each(|tank| tank.level = f64::INFINITY);
                    self.sweep(0.0);
                }
                _ => {
                    for _ in 0..4 + start {
                        self.sweep(0.5);
                    }
                }
            }
            if self.iterate() {
                return true;
            }
        }
        false
    }

    /// Follows paths of solutions (see `path.rs`) until one leads to an allocation that satisfies the
    /// definition. `false` if none does.
    fn follow_path(&mut self) -> bool {
        (0..PATHS).any(|attempt| {
            self.path.follow(&self.tanks, &self.members, &self.legs, attempt) && self.end_path()
        })
    }

    /// Adopts the end of a path. Returns whether it satisfies the definition.
    fn end_path(&mut self) -> bool {
        for (position, tank) in self.tanks.iter_mut().enumerate() {
            tank.level = self.path.level(position) * tank.capacity;
        }
        self.apply_levels();
        if self.is_fair(EXACT) {
            return true;
        }
        // Rounding erodes levels along the path; the limit of each class at the end is more reliable.
        for tank in &mut self.tanks {
            tank.holds = 0;
        }
        for (position, member) in self.members.iter_mut().enumerate() {
            let legs = &self.legs[member.first_leg as usize..member.end_leg as usize];
            let limit = self.path.limit(position);
            if let Some(&(tank, cost)) = legs.iter().find(|&&(tank, _)| tank == limit) {
                (member.limit, member.limit_cost) = (tank, cost);
                self.tanks[tank as usize].holds += 1;
            } else {
                (member.rate, member.limit) = (member.ceiling, CEILING);
            }
        }
        self.solve_levels();
        self.iterate()
    }

    /// Policy iteration from the applied levels. Returns whether it found an allocation that satisfies the
    /// definition.
    fn iterate(&mut self) -> bool {
        for round in 0..ROUNDS {
            if self.is_fair(if round + 4 < ROUNDS { EXACT } else { ROUNDED }) {
                return true;
            }
            if self.open_or_close_tanks() {
                self.apply_levels();
            }
            self.solve_levels();
        }
        false
    }

    /// Sets the rate and the limit of every class from the levels, and sums the uses.
    fn apply_levels(&mut self) {
        for tank in &mut self.tanks {
            tank.usage = 0.0;
            tank.holds = 0;
        }
        for member in &mut self.members {
            let legs = &self.legs[member.first_leg as usize..member.end_leg as usize];
            (member.rate, member.limit, member.limit_cost) = (member.ceiling, CEILING, 1.0);
            for &(tank, cost) in legs {
                let allowed = member.weight * self.tanks[tank as usize].level / cost;
                if allowed < member.rate {
                    (member.rate, member.limit, member.limit_cost) = (allowed, tank, cost);
                }
            }
            if member.limit != CEILING {
                self.tanks[member.limit as usize].holds += 1;
            }
            let rate = member.flows * member.rate;
            for &(tank, cost) in legs {
                self.tanks[tank as usize].usage += rate * cost;
            }
        }
    }

    /// Whether the present uses satisfy the definition of fairness.
    fn is_fair(&self, tolerance: f64) -> bool {
        self.tanks.iter().all(|tank| {
            let excess = tank.usage - tank.capacity;
            let allowed = tank.capacity * tolerance;
            excess <= allowed && (tank.level == f64::INFINITY || excess >= -allowed)
        })
    }

    /// Removes the level of tanks that limit no class, and adds one to overflowing tanks without. Returns
    /// whether any level changed.
    fn open_or_close_tanks(&mut self) -> bool {
        let mut any = false;
        for tank in 0..self.tanks.len() {
            let this = &self.tanks[tank];
            if this.level < f64::INFINITY && this.holds == 0 {
                self.tanks[tank].level = f64::INFINITY;
                any = true;
            } else if this.level == f64::INFINITY && this.usage > this.capacity * (1.0 + EXACT) {
                self.tanks[tank].level = self.filling_level(tank);
                any = true;
            }
        }
        any
    }

    /// Sets each tank's level such that it is just full while the others keep theirs, and applies them.
    /// `damping` is the weight of the old level (on a logarithmic scale).
    fn sweep(&mut self, damping: f64) {
        for tank in 0..self.tanks.len() {
            let old = self.tanks[tank].level;
            let new = self.filling_level(tank);
            let both_finite = old < f64::INFINITY && new < f64::INFINITY;
            self.tanks[tank].level = if both_finite && damping > 0.0 {
                libm::pow(old, damping) * libm::pow(new, 1.0 - damping)
            } else {
                new
            };
        }
        self.apply_levels();
    }

    /// The level at which a tank is just full while the others keep theirs; infinite if it cannot be full.
    fn filling_level(&mut self, tank: usize) -> f64 {
        self.shares.clear();
        let users = self.first_user[tank] as usize..self.first_user[tank + 1] as usize;
        for &(member, cost) in &self.users[users] {
            let member = &self.members[member as usize];
            let mut elsewhere = member.ceiling;
            for &(other, other_cost) in &self.legs[member.first_leg as usize..member.end_leg as usize] {
                if other as usize != tank {
                    elsewhere = elsewhere.min(member.weight * self.tanks[other as usize].level / other_cost);
                }
            }
            self.shares
                .push((elsewhere * cost / member.weight, member.flows * member.weight));
        }
        self.shares.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = self.tanks[tank].capacity;
        let mut rise: f64 = self.shares.iter().map(|share| share.1).sum();
        for (position, &(share, per_level)) in self.shares.iter().enumerate() {
            if free <= share * rise {
                // Subtraction erodes the sum, so that the remainder is summed afresh.
                let rest: f64 = self.shares[position..].iter().map(|share| share.1).sum();
                return free.max(0.0) / rest;
            }
            free -= share * per_level;
            rise -= per_level;
        }
        f64::INFINITY
    }

    /// Solves and applies the levels of limiting tanks from use = capacity, with the present limits.
    fn solve_levels(&mut self) {
        let mut rows = 0;
        for tank in &mut self.tanks {
            if tank.holds > 0 {
                tank.row = rows;
                rows += 1;
            }
        }
        let size = rows as usize;
        if size == 0 || size > LARGEST_MATRIX {
            self.sweep(0.5);
            return;
        }
        self.fill_matrix(size);
        let solved = eliminate(&mut self.matrix, &mut self.right, size);
        for tank in 0..self.tanks.len() {
            if self.tanks[tank].holds == 0 {
                continue;
            }
            let level = self.right[self.tanks[tank].row as usize];
            self.tanks[tank].level = if solved && level.is_finite() && level > 0.0 {
                level
            } else {
                self.filling_level(tank)
            };
        }
        self.apply_levels();
    }

    fn fill_matrix(&mut self, size: usize) {
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        self.right.clear();
        self.right.extend(
            self.tanks
                .iter()
                .filter(|tank| tank.holds > 0)
                .map(|tank| tank.capacity),
        );
        for member in &self.members {
            for &(tank, cost) in &self.legs[member.first_leg as usize..member.end_leg as usize] {
                let this = &self.tanks[tank as usize];
                if this.holds == 0 {
                    continue;
                }
                let row = this.row as usize;
                if member.limit == CEILING {
                    self.right[row] -= member.flows * member.rate * cost;
                } else {
                    let column = self.tanks[member.limit as usize].row as usize;
                    self.matrix[row * size + column] +=
                        member.flows * member.weight * cost / member.limit_cost;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

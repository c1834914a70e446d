//! The effect of a resource's level on the uses of all others: the fast response to the most frequent change.
//!
//! While one resource limits a group of classes, a change of their numbers moves only its level: all rates of
//! the group scale together, and so do their uses of other resources. A *pull* is the sum of those uses per
//! unit of level. It is updated as flows come and go, so that a new level costs a division and a check of the
//! resources that the group uses, for any number of classes.
//!
//! A pull is valid only while the group is simple: its classes use no other resource with a level, and every
//! other class on the resource runs at its own cap. Bounds define the range of levels in which no limit
//! changes. All other cases go to the solvers, and a change of any limit invalidates all pulls.

use super::system::{Limit, System};

/// Maximum number of pulls; the solvers handle further resources.
const MOST_PULLS: usize = 64;
/// Number of moves after which a pull is summed afresh, so that rounding cannot accumulate.
const MOVES_BETWEEN_SUMS: u32 = 4_096;
/// A missing position.
const NOWHERE: u32 = u32::MAX;

/// The pull of one resource.
#[derive(Clone, Debug, Default)]
struct Pull {
    /// Its own use per unit of level, by the classes that it limits.
    rise: f64,
    /// Its use by classes that run at their caps.
    capped: f64,
    /// The range of levels in which no limit changes.
    least: f64,
    most: f64,
    /// (other resource, use per unit of level).
    entries: Vec<(u32, f64)>,
    /// The position in `entries` of every resource.
    places: Vec<u32>,
    moves: u32,
}

impl Pull {
    fn add(&mut self, resource: u32, amount: f64) {
        let place = &mut self.places[resource as usize];
        if *place == NOWHERE {
            *place = self.entries.len() as u32;
            self.entries.push((resource, amount));
        } else {
            self.entries[*place as usize].1 += amount;
        }
    }

    fn clear(&mut self) {
        for &(resource, _) in &self.entries {
            self.places[resource as usize] = NOWHERE;
        }
        self.entries.clear();
    }
}

/// The state of a resource.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Its pull, or [`NOWHERE`].
    pull: u32,
    /// The era of the last request to move it, and the era in which it was last found not to be simple.
    asked: u64,
    refused: u64,
}

/// All pulls of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pulls {
    known: Vec<Known>,
    /// Active pulls come first; the others keep their memory for reuse.
    slots: Vec<Pull>,
    owners: Vec<u32>,
    /// The number of times that all pulls were invalidated.
    era: u64,
}

impl Pulls {
    pub(crate) fn any(&self) -> bool {
        !self.owners.is_empty()
    }

    /// Invalidates all pulls: a limit, cost or capacity changed.
    pub(crate) fn forget_all(&mut self) {
        self.era += 1;
        for &owner in &self.owners {
            self.known[owner as usize].pull = NOWHERE;
        }
        self.owners.clear();
    }

    /// Invalidates the pull of one resource, which is no longer simple.
    fn forget(&mut self, resource: u32) {
        let known = &mut self.known[resource as usize];
        known.refused = self.era;
        let pull = std::mem::replace(&mut known.pull, NOWHERE);
        if pull == NOWHERE {
            return;
        }
        let pull = pull as usize;
        self.owners.swap_remove(pull);
        self.slots.swap(pull, self.owners.len());
        if let Some(&moved) = self.owners.get(pull) {
            self.known[moved as usize].pull = pull as u32;
        }
    }

    /// Adds `added` flows of a class (whose limit is already set) to its pulls. `arrived` if it had no flows
    /// before.
    pub(crate) fn count(&mut self, system: &System, index: u32, added: f64, arrived: bool) {
        let class = &system.classes[index as usize];
        match class.limit {
            Limit::None => self.forget_all(),
            Limit::Cap => {
                for leg in system.legs_of(index) {
                    let pull = self.known[leg.resource as usize].pull;
                    if pull != NOWHERE {
                        let pull = &mut self.slots[pull as usize];
                        pull.capped += added * class.cap * leg.cost;
                        pull.least = pull.least.max(class.cap * leg.cost / class.weight);
                    }
                }
            }
            Limit::Resource(limit) => {
                let is_other = |resource: u32| resource != limit;
                if arrived {
                    let mut simple = true;
                    for leg in system.legs_of(index).iter().filter(|leg| is_other(leg.resource)) {
                        if system.resources[leg.resource as usize].level < f64::INFINITY {
                            simple = false;
                            self.forget(leg.resource);
                        }
                    }
                    if !simple {
                        self.forget(limit);
                    }
                }
                let pull = self.known[limit as usize].pull;
                if pull != NOWHERE {
                    let pull = &mut self.slots[pull as usize];
                    pull.rise += added * class.weight;
                    pull.most = pull.most.min(class.cap / class.factor);
                    for leg in system.legs_of(index).iter().filter(|leg| is_other(leg.resource)) {
                        pull.add(leg.resource, added * class.factor * leg.cost);
                    }
                }
            }
        }
    }

    /// Sets the level at which a resource is just full, if that changes no limit and no other resource
    /// overflows. `false` if the solvers have to handle it.
    pub(crate) fn move_level(&mut self, system: &mut System, index: u32) -> bool {
        let Some(pull) = self.standing_pull(system, index) else {
            return false;
        };
        pull.moves += 1;
        let resource = &system.resources[index as usize];
        let level = (resource.capacity - pull.capped) / pull.rise;
        // Written so that NaN fails.
        let keeps_limits = level > 0.0 && level < f64::INFINITY && level >= pull.least && level <= pull.most;
        if !keeps_limits {
            return false;
        }
        let rise = level - resource.level;
        let fits = |&(other, amount): &(u32, f64)| {
            let other = &system.resources[other as usize];
            other.fits(other.usage + amount * rise)
        };
        if !pull.entries.iter().all(fits) {
            return false;
        }
        for &(other, amount) in &pull.entries {
            system.resources[other as usize].usage += amount * rise;
        }
        let resource = &mut system.resources[index as usize];
        resource.level = level;
        resource.usage = resource.capacity;
        true
    }

    /// The pull of a resource, created on the second request in the same era.
    fn standing_pull(&mut self, system: &System, index: u32) -> Option<&mut Pull> {
        let unknown = Known {
            pull: NOWHERE,
            asked: u64::MAX,
            refused: u64::MAX,
        };
        self.known.resize(system.resources.len(), unknown);
        let era = self.era;
        let known = &mut self.known[index as usize];
        let asked_before = std::mem::replace(&mut known.asked, era) == era;
        let pull = known.pull;
        if pull != NOWHERE && self.slots[pull as usize].moves < MOVES_BETWEEN_SUMS {
            return Some(&mut self.slots[pull as usize]);
        }
        let possible =
            asked_before && known.refused != era && system.resources[index as usize].level < f64::INFINITY;
        if !possible || (pull == NOWHERE && self.owners.len() == MOST_PULLS) {
            return None;
        }
        let pull = if pull == NOWHERE {
            self.owners.len()
        } else {
            pull as usize
        };
        if pull == self.slots.len() {
            self.slots.push(Pull::default());
        }
        if !sum_pull(&mut self.slots[pull], system, index) {
            self.forget(index);
            return None;
        }
        if pull == self.owners.len() {
            self.owners.push(index);
            self.known[index as usize].pull = pull as u32;
        }
        Some(&mut self.slots[pull])
    }
}

/// Sums a pull afresh. `false` if the group is not simple.
fn sum_pull(pull: &mut Pull, system: &System, index: u32) -> bool {
    pull.clear();
    pull.places.resize(system.resources.len(), NOWHERE);
    (pull.rise, pull.capped, pull.least, pull.most, pull.moves) = (0.0, 0.0, 0.0, f64::INFINITY, 0);
    for user in system.users_of(index) {
        let class = &system.classes[user.class as usize];
        if class.flows == 0.0 {
            continue;
        }
        match class.limit {
            Limit::Cap => {
                pull.capped += class.flows * class.cap * user.cost;
                pull.least = pull.least.max(class.cap * user.cost / class.weight);
            }
            Limit::Resource(limit) if limit == index => {
                pull.rise += class.flows * class.weight;
                pull.most = pull.most.min(class.cap / class.factor);
                for leg in system
                    .legs_of(user.class)
                    .iter()
                    .filter(|leg| leg.resource != index)
                {
                    if system.resources[leg.resource as usize].level < f64::INFINITY {
                        return false;
                    }
                    pull.add(leg.resource, class.flows * class.factor * leg.cost);
                }
            }
            Limit::Resource(_) | Limit::None => return false,
        }
    }
    true
}

//! Writers that wait for the disks of a pool.
//!
//! Data of writes goes to disk with a transaction group, behind the operations. Where the disks do not keep
//! up, writers are delayed one after the other, in one line for each pool: all wait equally long, whatever
//! they write. The wait is the one with which they write as much as the disks take: operations of more
//! seconds come at a lower rate, so that it is the zero of a falling function of one unknown.

use std::collections::BTreeMap;

use bandgraph_model::{BackgroundDemand, Bound, Class};
use bandgraph_topology::ResourceKind;

use crate::banks::BankState;
use crate::fixed_point::Bracket;

/// Seconds of a wait that count as one: the unknown is the logarithm of one and the wait over these.
const UNIT: f64 = 1e-4;
/// Relative precision of the wait, steps of the search for it, and the longest wait: of open loops that come
/// too fast, most operations wait for ever.
const PRECISION: f64 = 1e-15;
const STEPS: u32 = 200;
const LONGEST: f64 = 1e15;

/// The line of a pool.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The resources that the writers wait for, each with its number among the banks if it is the time of
    /// devices.
    places: Vec<(usize, Option<usize>)>,
    /// Seconds that each writer waits.
    wait: f64,
}

/// By place of a line, seconds there of one operation.
type Uses = Vec<(usize, f64)>;

/// The lines of all pools.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    lines: Vec<Line>,
    /// By kind of deferred work: its line, if there is one, and by place of that its share of the time there
    /// for one operation a second.
    of: Vec<Option<(usize, Uses)>>,
}

/// The operations of a flow group, as far as they wait in a line.
#[derive(Clone, Debug)]
pub(crate) struct Writers {
    pub(crate) threads: f64,
    pub(crate) slots: f64,
    /// Seconds from one operation of a thread to its next, and those in which it has a slot.
    pub(crate) cycle: f64,
    pub(crate) away: f64,
    /// Share of its operations that wait in the line, and by place of that the share of the time there for
    /// one operation of the group a second.
    pub(crate) share: f64,
    pub(crate) seconds: Vec<f64>,
}

impl Writers {
    /// Operations per second of the flow group if those of the line wait longer.
    fn rate(&self, longer: f64) -> f64 {
        let longer = self.share * longer;
        (self.threads / (self.cycle + longer)).min(self.slots / (self.away + longer))
    }
}

impl Lines {
    /// Empty lines at the places that are [apart].
    pub(crate) fn new(bound: &Bound, capacities: &[f64], is_apart: &[bool]) -> Self {
        // Equal devices of a bank are one place.
        let mut bank_of = vec![Some(None); capacities.len()];
        for (number, bank) in bound.banks.iter().enumerate() {
            for (device, &resource) in bank.resources.iter().enumerate() {
                bank_of[resource] = (device == 0).then_some(Some(number));
            }
        }
        let (mut lines, mut pools) = (Vec::<Line>::new(), Vec::new());
        let of = bound.background.iter().map(|later| {
            let pool = disks(bound, later);
            let line = pools.iter().position(|known| *known == pool).unwrap_or_else(|| {
                pools.push(pool);
                lines.push(Line::default());
                lines.len() - 1
            });
            let places = &mut lines[line].places;
            let mut uses = Uses::new();
            for &(resource, units) in later.demand.iter().filter(|&&(resource, _)| is_apart[resource]) {
                let Some(bank) = bank_of[resource] else { continue };
                let known = places.iter().position(|&(known, _)| known == resource);
                let place = known.unwrap_or_else(|| {
                    places.push((resource, bank));
                    places.len() - 1
                });
                uses.push((place, units / capacities[resource]));
            }
            (!uses.is_empty()).then_some((line, uses))
        });
        let of = of.collect();
        Self { lines, of }
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line of a class, if there is one, and by place of that its share of the time there for one
    /// operation a second.
    pub(crate) fn of(&self, class: &Class) -> Option<(usize, &[(usize, f64)])> {
        let (line, uses) = self.of[class.background?].as_ref()?;
        Some((*line, uses))
    }

    /// Adds the operations per second of a class to the time of its banks for transaction groups.
    pub(crate) fn load(&self, class: &Class, throughput: f64, banks: &mut [BankState]) {
        let Some((line, uses)) = self.of(class) else {
            return;
        };
        for &(place, seconds) in uses {
            if let (_, Some(bank)) = self.lines[line].places[place] {
                banks[bank].deferred += throughput * seconds;
            }
        }
    }

    /// Seconds that an operation of a class waits in its line.
    pub(crate) fn wait(&self, class: &Class) -> f64 {
        self.of(class).map_or(0.0, |(line, _)| self.lines[line].wait)
    }

    /// What is iterated: logarithms of the waits.
    pub(crate) fn point(&self, point: &mut Vec<f64>) {
        point.extend(self.lines.iter().map(|line| coordinate(line.wait)));
    }

    /// Sets the waits from the next coordinates of a point.
    pub(crate) fn move_to<'p>(&mut self, coordinates: &mut impl Iterator<Item = &'p f64>) {
        for (line, coordinate) in self.lines.iter_mut().zip(coordinates) {
            line.wait = UNIT * (libm::exp(*coordinate) - 1.0).max(0.0);
        }
    }

    /// The image of the wait in a line for these writers, with banks in this state.
    pub(crate) fn image(&self, line: usize, writers: &[Writers], banks: &[BankState]) -> f64 {
        let line = &self.lines[line];
        let rooms = line.places.iter();
        let rooms = rooms.map(|&(_, bank)| bank.map_or(1.0, |bank| banks[bank].room_of_groups()));
        coordinate(line.wait + longer(writers, &rooms.collect::<Vec<_>>(), line.wait))
    }
}

/// By resource, whether no operation in flight uses it: the time of devices where only commands wait, in
/// queues, and what only the transaction groups of one pool use on the way to its disks.
pub(crate) fn apart<'c>(bound: &Bound, classes: impl Iterator<Item = &'c Class>) -> Vec<bool> {
    let mut apart = vec![false; bound.resources.len()];
    for &resource in bound.banks.iter().flat_map(|bank| &bank.resources) {
        apart[resource] = true;
    }
    let mut pool_of = BTreeMap::new();
    for later in &bound.background {
        let pool = disks(bound, later);
        for &(resource, _) in &later.demand {
            let is_first = !pool_of.contains_key(&resource);
            let of_pool = pool_of.entry(resource).or_insert_with(|| pool.clone());
            apart[resource] = match bound.resources[resource].kind {
                ResourceKind::Disk => apart[resource],
                ResourceKind::Sas | ResourceKind::Adapter | ResourceKind::Pcie => {
                    *of_pool == pool && (is_first || apart[resource])
                }
                _ => false,
            };
        }
    }
    for (resource, _) in classes.flat_map(Class::moving_demand) {
        apart[resource] = false;
    }
    apart
}

/// The disks that deferred work uses: those of a pool.
fn disks(bound: &Bound, later: &BackgroundDemand) -> Vec<usize> {
    let resources = later.demand.iter().map(|&(resource, _)| resource);
    resources
        .filter(|&resource| bound.resources[resource].kind == ResourceKind::Disk)
        .collect()
}

fn coordinate(wait: f64) -> f64 {
    libm::log(1.0 + wait / UNIT)
}

/// Seconds that writers must wait longer than `wait`, so that they need these shares of the time of their
/// places. Less than zero if they may wait less, or not at all.
fn longer(writers: &[Writers], rooms: &[f64], wait: f64) -> f64 {
    let overuse = |longer: f64| {
        let mut most = 0.0_f64;
        for (place, room) in rooms.iter().enumerate() {
            let used = writers
                .iter()
                .map(|of| of.rate(longer) * of.seconds.get(place).unwrap_or(&0.0));
            let used: f64 = used.sum();
            most = most.max(used / room);
        }
        most - 1.0
    };
    let (mut low, mut over) = (-wait, overuse(-wait));
    if over <= 0.0 {
        return low;
    }
    let mut high = wait.max(UNIT);
    let mut under = overuse(high);
    while under > 0.0 && high < LONGEST {
        (low, over) = (high, under);
        high *= 4.0;
        under = overuse(high);
    }
    let mut bracket = Bracket::between([low, over], [high, under]);
    for _ in 0..STEPS {
        if let (Some([low, _]), Some([high, under])) = (bracket.low, bracket.high)
            && (high - low <= PRECISION * (wait + high) || under == 0.0)
        {
            break;
        }
        bracket.add(overuse(bracket.next()));
    }
    bracket.high.map_or(high, |[high, _]| high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writers(threads: f64, away: f64, seconds: f64) -> Writers {
        Writers {
            threads,
            slots: f64::INFINITY,
            cycle: away,
            away,
            share: 1.0,
            seconds: vec![seconds],
        }
    }

    /// By hand: two threads of 1 s of the disk and one of 0.1 s, each 1 s elsewhere, do 2 / (1 + w) and
    /// 1 / (1 + w) operations a second; the disk is full at 2.1 / (1 + w) = 1.
    #[test]
    fn all_writers_wait_equally_long() {
        let two = [writers(2.0, 1.0, 1.0), writers(1.0, 1.0, 0.1)];
        assert!((longer(&two, &[1.0], 0.0) - 1.1).abs() < 1e-12);
        // Of a known wait, the difference; and less than all of the disk, 2.1 / (1 + w) = 0.7.
        let known = two.clone().map(|of| Writers {
            cycle: 1.5,
            away: 1.5,
            ..of
        });
        assert!((longer(&known, &[1.0], 0.5) - 0.6).abs() < 1e-12);
        assert!((longer(&two, &[0.7], 0.0) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn disks_that_keep_up_make_no_wait() {
        let two = [writers(2.0, 1.5, 0.1), writers(1.0, 1.5, 0.1)];
        assert_eq!(longer(&two, &[1.0], 0.5), -0.5);
    }

    /// By hand: an open loop of twice what the disk takes is a closed one of 2 H threads that think for H
    /// seconds.
    #[test]
    fn an_open_loop_waits_until_its_rate_is_that_of_the_disk() {
        let thinking = 3.6e6;
        let open = Writers {
            threads: 2.0 * thinking,
            cycle: thinking,
            ..writers(1.0, 1e-3, 1.0)
        };
        assert!((longer(&[open], &[1.0], 0.0) / thinking - 1.0).abs() < 1e-9);
    }
}

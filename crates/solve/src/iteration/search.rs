//! The search for the fixed point: guesses, small steps, and Newton's method, if need be with given waits in
//! lines ([`by_wait`](super::by_wait)).

use std::cell::RefCell;

use super::flow_groups::at_devices;
use super::{Iteration, ROUNDING};
use crate::RunError;
use crate::fixed_point::{CarefulSteps, newton};
use crate::queues::Queues;

/// Rounds after which the fixed point is given up. Typical scenarios take 4 to 30.
const ROUNDS_MAX: u32 = 4000;
/// Rounds that go the whole way that they guess.
const EAGER: u32 = 40;
/// Rounds of which the last ones say where to go. The others take careful steps.
const GUESSED: u32 = 400;
/// Rounds from which careful steps go no more than a part of the way.
const CAREFUL: [(u32, f64); 4] = [(1000, 0.1), (1800, 0.02), (3000, 0.1), (3500, 1.0)];
/// Rounds after which other ways are tried, and again after each time twice as many, and the unknowns up
/// to which: each of its steps takes as many rounds and more.
const CIRCLING: u32 = 600;
const NEWTON_UNKNOWNS: usize = 200;
/// Rounds at one point, until what is remembered of other points is gone, and the change that is none.
const REPEATED: u32 = 12;
const REPEATS: f64 = 1e-12;
/// The change at which the rounds show whether all cores together are full.
const ROUGH: f64 = 1e-3;
/// Rounds with a given wait in a line.
const WITH_GIVEN: u32 = 150;
/// The largest relative change in a round that counts as none.
const TOLERANCE: f64 = 1e-10;
/// The change that is accepted on either side of a jump. Where a figure of the model jumps with the load, as
/// the operations that fill a block of the log do, the steady state alternates between both sides and is at
/// the jump on average. Far less than any interval.
const AT_A_JUMP: f64 = 3e-3;
/// The change that is accepted where Newton's method finds no less, as [`left`](Iteration::left) counts it.
const CLOSE: f64 = 5e-3;
/// The change up to which the nearest point is a steady state, [approximately](Iteration::unsettled), if no
/// way leads closer.
const NEAR: f64 = 0.1;
/// Images after which no other ways are tried: seconds.
const IMAGES_MAX: u32 = 300_000;

impl Iteration<'_> {
    /// Iterates to the fixed point, with work that moves if it must.
    pub(crate) fn run_to_end(&mut self, capacities: &[f64]) -> Result<(), RunError> {
        if self.run()? {
            return Ok(());
        }
        let from = self.point();
        let threads = at_devices(self.bound, &self.flow_groups);
        self.queues = Queues::new(self.bound, capacities, threads);
        self.moving = true;
        self.set_costs(capacities);
        self.move_to(&from);
        self.run().map(|_| ())
    }

    /// Whether the search may still take other ways.
    pub(super) fn may_try(&self) -> bool {
        self.images <= IMAGES_MAX
    }

    /// Iterates to the fixed point. Returns whether it is one: if not, work must move.
    pub(super) fn run(&mut self) -> Result<bool, RunError> {
        self.memory.anderson.forget();
        let mut careful = CarefulSteps::default();
        let mut change = f64::INFINITY;
        let (mut point, mut image) = (self.point(), Vec::new());
        let mut nearest = (Vec::new(), f64::INFINITY);
        let mut weight = None;
        (self.unsettled, self.is_at_jump) = (0.0, false);
        for round in 0..ROUNDS_MAX {
            self.charge_cores();
            self.share(round == 0)?;
            self.image(&mut image);
            self.keep_given(&mut image);
            change = self.change(point.iter().zip(&image).map(|(before, after)| after - before));
            change = change.max(self.taken_anew);
            if change < TOLERANCE {
                return Ok(self.has_room());
            }
            if !self.moving && change < ROUGH && self.must_move() {
                return Ok(false);
            }
            let is_given = !self.given.is_empty();
            let is_circling = if is_given {
                round == WITH_GIVEN
            } else {
                let is_time = round.is_multiple_of(CIRCLING) && (round / CIRCLING).is_power_of_two();
                is_time && nearest.1 >= CLOSE && self.may_try()
            };
            if is_circling {
                if let Some(has_room) = self.by_wait_in_line()? {
                    return Ok(has_room);
                }
                if is_given {
                    return Err(RunError::NotConverged {
                        iterations: round,
                        change,
                    });
                }
                if self.by_newton_or_nearer(&point, &mut nearest)? {
                    return Ok(self.has_room());
                }
            }
            // Where guessing ahead does not settle, small steps do.
            let step = if round < EAGER { 1.0 } else { 0.3 };
            if round < GUESSED {
                let weight = *weight.get_or_insert(self.spread.max(ROUNDING));
                let last = point.len() - 1;
                if self.moving {
                    point[last] *= weight;
                    image[last] *= weight;
                }
                self.memory.anderson.advance(&mut point, &image, step);
                if self.moving {
                    point[last] = (point[last] / weight).clamp(0.0, 1.0);
                }
            } else {
                let left = self.left(&point, &image);
                if left < nearest.1 {
                    nearest = (point.clone(), left);
                }
                let longest = CAREFUL.iter().rev().find(|(from, _)| round >= *from);
                careful.advance(&mut point, &image, longest.map_or(1.0, |(_, part)| *part));
                if careful.is_at_a_jump(AT_A_JUMP) {
                    self.is_at_jump = true;
                    self.unsettled = if left < NEAR { 0.0 } else { left };
                    return Ok(self.has_room());
                }
            }
            self.move_to(&point);
        }
        // From there Newton's method finds fixed points that it did not find from where rounds happened to
        // be.
        if (CLOSE..f64::INFINITY).contains(&nearest.1) && self.may_try() {
            let from = nearest.0.clone();
            if self.by_newton_or_nearer(&from, &mut nearest)? {
                return Ok(self.has_room());
            }
        }
        if nearest.1 < NEAR {
            self.image_of(&nearest.0)?;
            self.unsettled = if nearest.1 < CLOSE { 0.0 } else { nearest.1 };
            return Ok(self.has_room());
        }
        Err(RunError::NotConverged {
            iterations: ROUNDS_MAX,
            change,
        })
    }

    /// The largest of the changes of all coordinates. Where work goes matters by what it does to the use of a
    /// socket.
    pub(super) fn change(&self, changes: impl ExactSizeIterator<Item = f64>) -> f64 {
        let last = changes.len() - 1;
        let weighed = changes.enumerate().map(|(coordinate, change)| {
            let weight = if self.moving && coordinate == last {
                self.spread
            } else {
                1.0
            };
            change.abs() * weight
        });
        weighed.fold(0.0, f64::max)
    }

    /// The change that is left at a point, for what it matters. Where two queues are full at the same rate,
    /// a small one is what the large one leaves of all threads: hardly determined, and of no effect on the
    /// rate. Populations count on the scale of one operation, therefore.
    pub(super) fn left(&self, point: &[f64], image: &[f64]) -> f64 {
        let populations = self.fair.len();
        let changes = point.iter().zip(image).enumerate();
        self.change(changes.map(|(coordinate, (before, after))| {
            let population = libm::exp(*before);
            let weight = if coordinate < populations {
                population / (1.0 + population)
            } else {
                1.0
            };
            weight * (after - before)
        }))
    }

    /// Whether Newton's method finds the fixed point. If not, its end is the nearest point, should it be
    /// that.
    pub(super) fn by_newton_or_nearer(
        &mut self,
        from: &[f64],
        nearest: &mut (Vec<f64>, f64),
    ) -> Result<bool, RunError> {
        let (end, is_found, left) = self.by_newton(from)?;
        if !is_found && left < nearest.1 {
            *nearest = (end, left);
        }
        Ok(is_found)
    }

    /// Where Newton's method ends, whether that is the fixed point, and the change that is [left](Self::left)
    /// there. If it is not, all is as before.
    pub(super) fn by_newton(&mut self, from: &[f64]) -> Result<(Vec<f64>, bool, f64), RunError> {
        let mut point = from.to_vec();
        if point.len() > NEWTON_UNKNOWNS {
            self.image_of(from)?;
            return Ok((point, false, f64::INFINITY));
        }
        let this = RefCell::new(self);
        let size_of = |residual: &[f64]| this.borrow().change(residual.iter().copied());
        let change = newton(&mut point, TOLERANCE, size_of, |point| {
            this.borrow_mut().image_of(point)
        })?;
        let this = this.into_inner();
        let image = this.image_of(&point)?;
        let is_found = change < TOLERANCE;
        let left = this.left(&point, &image);
        if !is_found {
            this.image_of(from)?;
        }
        Ok((point, is_found, left))
    }

    /// The image of a point and nothing else: queues remember the load of the last round, which is repeated
    /// until they do not matter.
    pub(super) fn image_of(&mut self, point: &[f64]) -> Result<Vec<f64>, RunError> {
        let (mut image, mut before) = (Vec::new(), Vec::new());
        self.move_to(point);
        for _ in 0..REPEATED {
            self.charge_cores();
            self.share(false)?;
            std::mem::swap(&mut image, &mut before);
            self.image(&mut image);
            self.keep_given(&mut image);
            let repeats = |(now, before): (&f64, &f64)| (now - before).abs() < REPEATS;
            if image.len() == before.len() && image.iter().zip(&before).all(repeats) {
                break;
            }
        }
        Ok(image)
    }
}

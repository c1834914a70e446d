//! The search for the fixed point by way of the waits in lines.
//!
//! Where disks do not keep up with writers, and a log device or links are full at about the same rate, the
//! wait in the line and the other unknowns drive each other round in a circle. With a given wait, the others
//! have a fixed point that is found easily as a rule; from each the wait follows that is missing there, and
//! the zero of that function of one unknown is the fixed point of all.

use super::Iteration;
use crate::RunError;
use crate::fixed_point::Bracket;

/// Waits that are tried, and those in a row for which the other unknowns are not found.
const WAITS: u32 = 60;
const UNSETTLED: u32 = 10;
/// How many times the change that is left of other unknowns that of the wait must be to say whether it is too
/// long.
const CLEAR: f64 = 4.0;
/// The change of a wait from which Newton's method is tried for all unknowns, and one that counts as none:
/// more than what rounding of the others makes of it.
const ALMOST: f64 = 1e-2;
const NONE: f64 = 1e-8;

/// Where a search with a given wait ended.
struct WithGiven {
    point: Vec<f64>,
    /// Whether it found the fixed point, and that is one without work that must move.
    found: Option<bool>,
    /// The change that is left of the other unknowns.
    left: f64,
}

impl Iteration<'_> {
    /// Finds the fixed point by way of the wait in the first line that has no given one. Returns the same as
    /// [`run`](Self::run), or `None` where that does not succeed, with all as before.
    pub(super) fn by_wait_in_line(&mut self) -> Result<Option<bool>, RunError> {
        if self.given.len() == self.queues.lines.len() {
            return Ok(None);
        }
        let first = self.point();
        let at = self.first_wait(first.len()) + self.given.len();
        let mut bracket = Bracket::new(first[at]);
        let (mut points, mut unsettled) = (Vec::new(), 0);
        for _ in 0..WAITS {
            if !self.may_try() {
                break;
            }
            let wait = bracket.next();
            let from = expected(&mut points, at, wait).unwrap_or_else(|| first.clone());
            let WithGiven { point, found, left } = self.with_wait(from, at, wait)?;
            if found == Some(false) {
                return Ok(found);
            }
            let longer = self.image_of(&point)?[at] - wait;
            if longer.abs() <= CLEAR * left {
                unsettled += 1;
                if unsettled == UNSETTLED {
                    break;
                }
                bracket.retreat();
                continue;
            }
            let is_almost = found.is_some() && longer.abs() < ALMOST;
            if is_almost && (longer.abs() < NONE || self.by_newton(&point)?.1) {
                return Ok(Some(self.has_room()));
            }
            points.push(point);
            unsettled = 0;
            if bracket.add(longer) {
                break;
            }
        }
        self.image_of(&first)?;
        Ok(None)
    }

    /// Searches the fixed point with one wait more that is given.
    fn with_wait(&mut self, mut from: Vec<f64>, at: usize, wait: f64) -> Result<WithGiven, RunError> {
        from[at] = wait;
        self.given.push(wait);
        self.move_to(&from);
        let found = match self.run() {
            Err(RunError::NotConverged { .. }) => None,
            other => Some(other?),
        };
        let is_last = self.given.len() == self.queues.lines.len();
        let end = if found.is_none() && is_last {
            let (point, is_found, left) = self.by_newton(&from)?;
            WithGiven {
                point,
                found: is_found.then(|| self.has_room()),
                left: if is_found { 0.0 } else { left },
            }
        } else {
            WithGiven {
                point: self.point(),
                found,
                left: if found.is_some() { 0.0 } else { f64::INFINITY },
            }
        };
        self.given.pop();
        Ok(end)
    }

    /// Puts given waits into an image.
    pub(super) fn keep_given(&self, image: &mut [f64]) {
        let first = self.first_wait(image.len());
        image[first..first + self.given.len()].copy_from_slice(&self.given);
    }

    /// The position of the wait in the first line, among some unknowns.
    fn first_wait(&self, unknowns: usize) -> usize {
        unknowns - usize::from(self.moving) - self.queues.lines.len()
    }
}

/// The point that is expected for a wait, on the line through the nearest two of some; `None` without any.
fn expected(points: &mut [Vec<f64>], at: usize, wait: f64) -> Option<Vec<f64>> {
    points.sort_by(|one, other| {
        let [one, other] = [one, other].map(|point| (point[at] - wait).abs());
        one.total_cmp(&other)
    });
    let one = points.first()?;
    let Some(other) = points.get(1) else {
        return Some(one.clone());
    };
    let part = ((wait - one[at]) / (other[at] - one[at])).max(-1.0);
    let both = one.iter().zip(other);
    Some(both.map(|(one, other)| one + part * (other - one)).collect())
}

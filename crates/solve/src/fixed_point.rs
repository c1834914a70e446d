//! Anderson acceleration of fixed-point iterations: an extrapolation from the last few iterations.
//!
//! The plain iteration `x ← g(x)` of a steady state settles in a handful of rounds as a rule, but takes tens
//! of thousands where two populations trade places slowly. The combination of the last rounds whose residuals
//! `g(x) − x` cancel best is a far better next point (Anderson, "Iterative procedures for nonlinear integral
//! equations", 1965; Walker and Ni, 2011).

/// Maximum number of combined iterations.
const DEPTH: usize = 5;
/// The longest way that one round may go in any coordinate. Coordinates are logarithms here: a factor of e.
const LONGEST: f64 = 1.0;
/// How much of the squares on its diagonal keeps the small system solvable when rounds are nearly equal.
const REGULAR: f64 = 1e-12;
/// How careful steps change their length, and the least that they come to.
const SHORTER: f64 = 0.5;
const LONGER: f64 = 1.1;
const SHORTEST: f64 = 1e-9;
/// Rounds of careful steps that must all be shorter than `STILL` until the point counts as at rest.
const RESTING: u32 = 64;
const STILL: f64 = 1e-7;

/// The first step towards the other side of a zero.
const FIRST_STEP: f64 = 0.25;
/// Steps of Newton's method, and the difference that stands for a derivative.
const NEWTON_STEPS: u32 = 20;
const DIFFERENCE: f64 = 1e-6;

/// One iteration.
#[derive(Clone, Debug, Default)]
struct Round {
    image: Vec<f64>,
    /// The image minus its point.
    residual: Vec<f64>,
}

/// The rounds so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    /// The last rounds, the oldest first; those from `count` on wait with their memory.
    rounds: Vec<Round>,
    count: usize,
    last_norm: f64,
    /// The step from the point to the next.
    way: Vec<f64>,
    /// Differences between the newest residual and those of the former rounds, one row for each.
    differences: Vec<f64>,
    /// The normal equations: rows with the right side last.
    rows: Vec<f64>,
}

impl Anderson {
    /// Begins anew, in the memory of the rounds so far.
    pub(crate) fn forget(&mut self) {
        (self.count, self.last_norm) = (0, 0.0);
    }

    /// Puts the next point after `x`, whose image is `image`, in the place of `x`; or one that is a part of
    /// the way there.
    pub(crate) fn advance(&mut self, x: &mut [f64], image: &[f64], part: f64) {
        if self.rounds.len() == self.count {
            self.rounds.push(Round::default());
        }
        let mut newest = std::mem::take(&mut self.rounds[self.count]);
        newest.image.clear();
        newest.image.extend_from_slice(image);
        newest.residual.clear();
        newest
            .residual
            .extend(image.iter().zip(&*x).map(|(image, x)| image - x));
        let norm = dot(&newest.residual, &newest.residual).sqrt();
        // What was learnt far away, or across a kink, misleads here.
        if norm > 2.0 * self.last_norm {
            // The newest will stand first, and its memory is the one to spare.
            self.rounds.swap(0, self.count);
            self.count = 0;
        }
        self.last_norm = norm;
        self.way.clear();
        self.way.extend_from_slice(&newest.residual);
        if self.weigh(&newest.residual) {
            for (index, way) in self.way.iter_mut().enumerate() {
                for (round, row) in self.rounds.iter().zip(self.rows.chunks_exact(self.count + 1)) {
                    *way -= row[self.count] * (image[index] - round.image[index]);
                }
            }
            // Where former rounds are all but parallel, their combination means nothing, and may lead away.
            if dot(&self.way, &newest.residual) <= 0.0 {
                self.way.copy_from_slice(&newest.residual);
            }
        }
        for (x, way) in x.iter_mut().zip(&self.way) {
            *x += part * way.clamp(-LONGEST, LONGEST);
        }
        self.rounds[self.count] = newest;
        if self.count == DEPTH {
            self.rounds.rotate_left(1);
        } else {
            self.count += 1;
        }
    }

    /// Finds the weights of the former rounds that make the combined residual smallest: least squares by
    /// normal equations. The weights are at the ends of the rows then; `false` if there are none.
    fn weigh(&mut self, residual: &[f64]) -> bool {
        let (count, size) = (self.count, residual.len());
        self.differences.clear();
        for round in &self.rounds[..count] {
            let of_round = residual.iter().zip(&round.residual).map(|(new, old)| new - old);
            self.differences.extend(of_round);
        }
        let difference = |row: usize| &self.differences[row * size..(row + 1) * size];
        self.rows.clear();
        let width = count + 1;
        for row in 0..count {
            // What is left of the diagonal is there already, above it.
            for column in 0..row {
                self.rows.push(self.rows[column * width + row]);
            }
            self.rows
                .push(dot(difference(row), difference(row)) * (1.0 + REGULAR));
            for column in row + 1..count {
                self.rows.push(dot(difference(row), difference(column)));
            }
            self.rows.push(dot(difference(row), residual));
        }
        solve(&mut self.rows, count)
    }
}

/// Steps of the plain iteration of which each coordinate finds its own length: half as long once its residual
/// has changed its sign, and longer again while it keeps it (as in Rprop: Riedmiller and Braun, 1993). Slow,
/// but it settles where an image falls steeply or jumps, at a resource that is almost full. Where steps of
/// the whole residual lead round in a circle, those of a small part follow the flow `x' = g(x) - x` to its
/// end.
#[derive(Clone, Debug, Default)]
pub(crate) struct CarefulSteps {
    coordinates: Vec<CarefulStep>,
    /// Rounds since the last step that was not short.
    resting: u32,
}

/// The steps of one coordinate.
#[derive(Clone, Copy, Debug)]
struct CarefulStep {
    /// The part of the residual that the next step goes.
    part: f64,
    residual: f64,
    /// Rounds since the residual changed its sign.
    same_sign: u32,
}

impl CarefulSteps {
    /// Puts the next point after `x`, whose image is `image`, in the place of `x`: at most the part `longest`
    /// of the way there.
    pub(crate) fn advance(&mut self, x: &mut [f64], image: &[f64], longest: f64) {
        let first = CarefulStep {
            part: 1.0,
            residual: 0.0,
            same_sign: 0,
        };
        self.coordinates.resize(x.len(), first);
        self.resting += 1;
        for ((x, image), step) in x.iter_mut().zip(image).zip(&mut self.coordinates) {
            let residual = image - *x;
            let turned = residual * step.residual < 0.0;
            step.same_sign = if turned { 0 } else { step.same_sign + 1 };
            step.part = (step.part * if turned { SHORTER } else { LONGER }).clamp(SHORTEST, longest);
            step.residual = residual;
            let way = step.part * residual.clamp(-LONGEST, LONGEST);
            if way.abs() > STILL {
                self.resting = 0;
            }
            *x += way;
        }
    }

    /// Whether the point rests where images jump from one side of it to the other: it moved by next to
    /// nothing for many rounds, in which every residual above `settled` changed its sign.
    pub(crate) fn is_at_a_jump(&self, settled: f64) -> bool {
        let turns = |step: &CarefulStep| step.residual.abs() < settled || step.same_sign < RESTING;
        self.resting >= RESTING && self.coordinates.iter().all(turns)
    }
}

/// The search for the zero of a falling function of one unknown, by false position, where an end that stays
/// counts half (Illinois).
#[derive(Clone, Debug)]
pub(crate) struct Bracket {
    /// The unknown and the value on either side of the zero, once known.
    pub(crate) low: Option<[f64; 2]>,
    pub(crate) high: Option<[f64; 2]>,
    next: f64,
    step: f64,
    last_rose: Option<bool>,
}

impl Bracket {
    /// Begins at a guess of an unknown that is not negative.
    pub(crate) fn new(guess: f64) -> Self {
        Self {
            low: None,
            high: None,
            next: guess.max(0.0),
            step: FIRST_STEP,
            last_rose: None,
        }
    }

    /// Begins with both sides.
    pub(crate) fn between(low: [f64; 2], high: [f64; 2]) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
            next: false_position(low, high),
            ..Self::new(0.0)
        }
    }

    /// Where the function is to be evaluated next.
    pub(crate) fn next(&self) -> f64 {
        self.next
    }

    /// Goes back half the way to where the function has a value, or to zero, if it has none here.
    pub(crate) fn retreat(&mut self) {
        let near = |side: &[f64; 2]| (side[0] - self.next).abs();
        let sides = self.low.iter().chain(&self.high);
        let back = sides.min_by(|one, other| near(one).total_cmp(&near(other)));
        self.next = f64::midpoint(self.next, back.map_or(0.0, |side| side[0]));
        self.step *= SHORTER * SHORTER;
    }

    /// Takes the value there. Returns whether there is no number left between the two sides.
    pub(crate) fn add(&mut self, value: f64) -> bool {
        let rises = value > 0.0;
        let (same, other) = if rises {
            (&mut self.low, &mut self.high)
        } else {
            (&mut self.high, &mut self.low)
        };
        *same = Some([self.next, value]);
        if let Some([_, value]) = other
            && self.last_rose == Some(rises)
        {
            *value *= SHORTER;
        }
        self.last_rose = Some(rises);
        match (self.low, self.high) {
            (Some(low), Some(high)) => {
                self.next = false_position(low, high);
                self.next <= low[0] || self.next >= high[0]
            }
            (Some([low, _]), None) => {
                self.next = low + self.step;
                self.step *= 2.0;
                false
            }
            _ => {
                let is_least = self.next <= 0.0;
                self.next = (self.next - self.step).max(0.0);
                self.step *= 2.0;
                is_least
            }
        }
    }
}

/// The zero of the line through two points on either side of it.
fn false_position([low, above]: [f64; 2], [high, below]: [f64; 2]) -> f64 {
    (low + above / (above - below) * (high - low)).max(low).min(high)
}

/// Newton's method for `g(x) = x` with differences in the place of derivatives, for a piecewise smooth image:
/// a step over a kink is followed by one with the derivatives beyond it (Qi and Sun, "A nonsmooth version of
/// Newton's method", 1993). It finds fixed points near its beginning from which every iteration leads away,
/// as where a load drives two queues round in a circle. It begins at `x` and ends there. Returns the largest
/// residual, which is what `size_of` makes of all of them.
pub(crate) fn newton<E>(
    x: &mut [f64],
    settled: f64,
    size_of: impl Fn(&[f64]) -> f64,
    mut image: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
) -> Result<f64, E> {
    let mut residual = |x: &[f64]| -> Result<Vec<f64>, E> {
        Ok(image(x)?.iter().zip(x).map(|(image, x)| image - x).collect())
    };
    let (count, width) = (x.len(), x.len() + 1);
    let mut at_x = residual(x)?;
    for _ in 0..NEWTON_STEPS {
        if size_of(&at_x) < settled {
            break;
        }
        let mut rows = vec![0.0; count * width];
        for column in 0..count {
            let mut beside = x.to_vec();
            beside[column] += DIFFERENCE;
            for (row, (after, before)) in residual(&beside)?.iter().zip(&at_x).enumerate() {
                rows[row * width + column] = (after - before) / DIFFERENCE;
            }
        }
        for (row, residual) in at_x.iter().enumerate() {
            rows[row * width + count] = -residual;
        }
        if !solve(&mut rows, count) {
            break;
        }
        let way = || (0..count).map(|row| rows[row * width + count]);
        let longest = way().fold(LONGEST, |longest, step| longest.max(step.abs()));
        for (x, way) in x.iter_mut().zip(way()) {
            *x += LONGEST / longest * way;
        }
        at_x = residual(x)?;
    }
    Ok(size_of(&at_x))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a small linear system of `count` unknowns, given as rows with the right side last, where the
/// solution comes to stand. Returns whether there is one.
fn solve(rows: &mut [f64], count: usize) -> bool {
    let width = count + 1;
    for column in 0..count {
        let largest = |&a: &usize, &b: &usize| {
            let entry = |row: usize| rows[row * width + column].abs();
            entry(a).total_cmp(&entry(b))
        };
        let pivot = (column..count).max_by(largest).unwrap_or(column);
        if rows[pivot * width + column].abs() < f64::MIN_POSITIVE {
            return false;
        }
        if pivot != column {
            for entry in 0..width {
                rows.swap(column * width + entry, pivot * width + entry);
            }
        }
        for row in (0..count).filter(|&row| row != column) {
            let factor = rows[row * width + column] / rows[column * width + column];
            for entry in column..width {
                rows[row * width + entry] -= factor * rows[column * width + entry];
            }
        }
    }
    for row in 0..count {
        rows[row * width + count] /= rows[row * width + row];
    }
    (0..count).all(|row| rows[row * width + count].is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds_until_settled(start: &[f64], g: impl Fn(&[f64]) -> Vec<f64>) -> (usize, Vec<f64>) {
        let mut anderson = Anderson::default();
        let mut x = start.to_vec();
        for round in 0..10_000 {
            let image = g(&x);
            if image.iter().zip(&x).all(|(image, x)| (image - x).abs() < 1e-12) {
                return (round, x);
            }
            anderson.advance(&mut x, &image, 1.0);
        }
        panic!("not settled: {x:?}");
    }

    fn found_by_newton(start: &[f64], g: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut x = start.to_vec();
        let largest = |residual: &[f64]| residual.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
        let left = newton(&mut x, 1e-12, largest, |x| Ok::<_, ()>(g(x))).expect("it has no errors");
        assert!(left < 1e-12, "{left} left at {x:?}");
        x
    }

    /// Plain iterations, their averages and careful steps all spiral outwards from the fixed point.
    #[test]
    fn newton_finds_a_fixed_point_from_which_all_iterations_lead_away() {
        let g = |x: &[f64]| vec![1.3 * x[0] - x[1], x[0] + 1.3 * x[1] + x[0].powi(3)];
        let x = found_by_newton(&[0.4, -0.3], g);
        assert!(x.iter().all(|x| x.abs() < 1e-11), "{x:?}");
    }

    /// From 0, the derivative leads over the kink at 1, beyond which the residual falls ten times as fast.
    #[test]
    fn newton_steps_over_a_kink() {
        let residual = |x: f64| (2.2 - x).min(2.2 - 10.0 * (x - 1.0));
        let x = found_by_newton(&[0.0, 0.0], |x| vec![x[0] + residual(x[0]), x[0] - x[1]]);
        assert!((x[0] - 1.22).abs() < 1e-9, "{x:?}");
    }

    /// The residual 1 / (1 + x²) has no zero.
    #[test]
    fn newton_ends_where_there_is_no_fixed_point() {
        let mut x = vec![0.5];
        let size = |residual: &[f64]| residual.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
        let left = newton(&mut x, 1e-12, size, |x| {
            Ok::<_, ()>(vec![x[0] + 1.0 / (1.0 + x[0] * x[0])])
        });
        assert!(left.is_ok_and(|left| left > 1e-3), "{x:?}");
    }

    /// The zeros of a line, of a curve that is steep there, and of a jump; and a function that is nowhere above zero.
    #[test]
    fn a_bracket_closes_around_the_zero() {
        let zero = |guess: f64, f: &dyn Fn(f64) -> f64| {
            let mut bracket = Bracket::new(guess);
            for _ in 0..100 {
                let at = bracket.next();
                if f(at).abs() < 1e-12 || bracket.add(f(at)) {
                    break;
                }
            }
            bracket.next()
        };
        for guess in [0.0, 0.1, 3.0, 20.0] {
            assert!((zero(guess, &|x| 5.0 - x) - 5.0).abs() < 1e-9);
            assert!((zero(guess, &|x| 1.0 - libm::exp(4.0 * (x - 7.0))) - 7.0).abs() < 1e-9);
            assert!((zero(guess, &|x| if x < 2.5 { 1.0 } else { -3.0 }) - 2.5).abs() < 1e-9);
            assert_eq!(zero(guess, &|x| -1.0 - x), 0.0);
        }
    }

    /// Where the function has no value between 2 and 8, it goes back to where it has one.
    #[test]
    fn a_bracket_retreats_to_the_nearest_value() {
        let mut bracket = Bracket::new(1.5);
        assert!(!bracket.add(1.0));
        for _ in 0..20 {
            if bracket.next() < 2.0 {
                break;
            }
            bracket.retreat();
        }
        assert!((1.5..2.0).contains(&bracket.next()), "{bracket:?}");
    }

    #[test]
    fn a_linear_map_settles_in_about_as_many_rounds_as_it_has_dimensions() {
        // Plainly, the first coordinate would take 30,000 rounds, and the second would swing for ever.
        let g = |x: &[f64]| vec![0.999 * x[0] + 0.001, 4.0 - x[1]];
        let (rounds, x) = rounds_until_settled(&[0.5, 1.5], g);
        assert!(rounds < 20, "{rounds}");
        assert!((x[0] - 1.0).abs() < 1e-8 && (x[1] - 2.0).abs() < 1e-8, "{x:?}");
    }

    /// Where guesses swing for ever: a slope of -200 between two flat parts, as a resource has that is almost
    /// full, beside a coordinate that follows it.
    #[test]
    fn careful_steps_settle_where_an_image_falls_steeply() {
        let g = |x: &[f64]| vec![(60.0 - 200.0 * x[0]).clamp(-0.5, 0.5), 0.9 * x[1] + 0.1 * x[0]];
        let mut careful = CarefulSteps::default();
        let mut x = vec![2.0, -1.0];
        for _ in 0..1000 {
            let image = g(&x);
            careful.advance(&mut x, &image, 1.0);
        }
        let expected = 60.0 / 201.0;
        assert!(x.iter().all(|x| (x - expected).abs() < 1e-10), "{x:?}");
    }

    /// Where it jumps, they end at the jump.
    #[test]
    fn careful_steps_end_at_a_jump() {
        let mut careful = CarefulSteps::default();
        let mut x = vec![2.0];
        for _ in 0..1000 {
            let image = [if x[0] < 0.3 { 1.0 } else { 0.0 }];
            careful.advance(&mut x, &image, 1.0);
        }
        assert!((x[0] - 0.3).abs() < 1e-6, "{x:?}");
        assert!(careful.is_at_a_jump(1e-10));
    }

    /// Not where they still go round in a circle, nor where they settle too slowly.
    #[test]
    fn careful_steps_know_that_they_are_at_no_jump() {
        let circle = |x: &[f64]| vec![1.3 * x[0] - x[1], x[0] + 1.3 * x[1] + x[0].powi(3)];
        let slow = |x: &[f64]| vec![x[0] - 1e-9, 2.0 * x[0] - x[1]];
        for g in [&circle as &dyn Fn(&[f64]) -> Vec<f64>, &slow] {
            let mut careful = CarefulSteps::default();
            let mut x = vec![0.4, -0.3];
            for round in 0..3000 {
                let image = g(&x);
                careful.advance(&mut x, &image, 1.0);
                assert!(!careful.is_at_a_jump(1e-10), "round {round}: {x:?}");
            }
        }
    }

    #[test]
    fn cosine_has_its_known_fixed_point() {
        let (rounds, x) = rounds_until_settled(&[0.0], |x| vec![libm::cos(x[0])]);
        assert!(rounds < 20, "{rounds}");
        assert!((x[0] - 0.739_085_133_215_160_6).abs() < 1e-11);
    }
}

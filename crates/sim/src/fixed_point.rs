//! Anderson's acceleration of fixed-point iterations: from the last few rounds it guesses where they lead.
//!
//! The plain iteration `x ← g(x)` of a steady state settles in a handful of rounds as a rule, but takes tens of thousands
//! where two populations trade places slowly. The combination of the last rounds whose residuals `g(x) − x` cancel best
//! is a far better next point (Anderson, "Iterative procedures for nonlinear integral equations", 1965; Walker and Ni,
//! 2011).

/// Rounds that are combined at most.
const DEPTH: usize = 5;
/// The longest way that one round may go in any coordinate. Coordinates are logarithms here: a factor of e.
const LONGEST: f64 = 1.0;
/// How much of the squares on its diagonal keeps the small system solvable when rounds are nearly alike.
const REGULAR: f64 = 1e-12;

/// The rounds so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    /// Images `g(x)` and residuals `g(x) − x` of the last rounds, the oldest first.
    rounds: Vec<(Vec<f64>, Vec<f64>)>,
    last_norm: f64,
}

impl Anderson {
    /// The next point after `x`, whose image is `image`.
    pub(crate) fn next(&mut self, x: &[f64], image: Vec<f64>) -> Vec<f64> {
        let residual: Vec<f64> = image.iter().zip(x).map(|(image, x)| image - x).collect();
        let norm = residual.iter().map(|value| value * value).sum::<f64>().sqrt();
        // What was learnt far away, or across a kink, misleads here.
        if norm > 2.0 * self.last_norm {
            self.rounds.clear();
        }
        self.last_norm = norm;
        let weights = self.weights(&residual);
        let mut next = image.clone();
        for (weight, (old_image, _)) in weights.iter().zip(&self.rounds) {
            for ((next, image), old) in next.iter_mut().zip(&image).zip(old_image) {
                *next -= weight * (image - old);
            }
        }
        for (next, x) in next.iter_mut().zip(x) {
            *next = x + (*next - x).clamp(-LONGEST, LONGEST);
        }
        if self.rounds.len() == DEPTH {
            self.rounds.remove(0);
        }
        self.rounds.push((image, residual));
        next
    }

    /// Weights of the former rounds that make the combined residual smallest: least squares by normal equations.
    fn weights(&self, residual: &[f64]) -> Vec<f64> {
        let count = self.rounds.len();
        let differences: Vec<Vec<f64>> = self
            .rounds
            .iter()
            .map(|(_, old)| residual.iter().zip(old).map(|(new, old)| new - old).collect())
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut rows: Vec<Vec<f64>> = (0..count)
            .map(|row| {
                let mut line: Vec<f64> = (0..count)
                    .map(|column| dot(&differences[row], &differences[column]))
                    .collect();
                line[row] *= 1.0 + REGULAR;
                line.push(dot(&differences[row], residual));
                line
            })
            .collect();
        solve(&mut rows).unwrap_or_default()
    }
}

/// Solves a small linear system, given as rows with the right side last; `None` if it is singular.
fn solve(rows: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let count = rows.len();
    for column in 0..count {
        let pivot =
            (column..count).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() < f64::MIN_POSITIVE {
            return None;
        }
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|&(row, _)| row != column) {
            let factor = row[column] / pivot[column];
            for (value, pivot) in row.iter_mut().zip(&pivot).skip(column) {
                *value -= factor * pivot;
            }
        }
    }
    let solution: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| row[count] / row[at])
        .collect();
    solution.iter().all(|value| value.is_finite()).then_some(solution)
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
            x = anderson.next(&x, image);
        }
        panic!("not settled: {x:?}");
    }

    #[test]
    fn a_linear_map_settles_in_about_as_many_rounds_as_it_has_dimensions() {
        // Plainly, the first coordinate would take 30,000 rounds, and the second would swing for ever.
        let g = |x: &[f64]| vec![0.999 * x[0] + 0.001, 4.0 - x[1]];
        let (rounds, x) = rounds_until_settled(&[0.5, 1.5], g);
        assert!(rounds < 20, "{rounds}");
        assert!((x[0] - 1.0).abs() < 1e-8 && (x[1] - 2.0).abs() < 1e-8, "{x:?}");
    }

    #[test]
    fn cosine_has_its_known_fixed_point() {
        let (rounds, x) = rounds_until_settled(&[0.0], |x| vec![x[0].cos()]);
        assert!(rounds < 20, "{rounds}");
        assert!((x[0] - 0.739_085_133_215_160_6).abs() < 1e-11);
    }
}

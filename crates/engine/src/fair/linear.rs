//! Systems of linear equations.

/// Solves `size` equations by Gaussian elimination with partial pivoting, after scaling of rows to a maximum
/// of 1. `right` becomes the solution; `false` if the matrix is singular.
pub(super) fn eliminate(matrix: &mut [f64], right: &mut [f64], size: usize) -> bool {
    for row in 0..size {
        let entries = &mut matrix[row * size..(row + 1) * size];
        let largest = entries
            .iter()
            .fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        for entry in entries {
            *entry /= largest;
        }
        right[row] /= largest;
    }
    for column in 0..size {
        let mut pivot = column;
        for row in column + 1..size {
            if matrix[row * size + column].abs() > matrix[pivot * size + column].abs() {
                pivot = row;
            }
        }
        if matrix[pivot * size + column] == 0.0 {
            return false;
        }
        if pivot != column {
            for entry in column..size {
                matrix.swap(pivot * size + entry, column * size + entry);
            }
            right.swap(pivot, column);
        }
        let (upper, lower) = matrix.split_at_mut((column + 1) * size);
        let pivot_row = &upper[column * size..];
        for (below, entries) in lower.chunks_exact_mut(size).enumerate() {
            let factor = entries[column] / pivot_row[column];
            if factor != 0.0 {
                for (entry, &of_pivot) in entries[column..].iter_mut().zip(&pivot_row[column..]) {
                    *entry -= factor * of_pivot;
                }
                right[column + 1 + below] -= factor * right[column];
            }
        }
    }
    for row in (0..size).rev() {
        let entries = &matrix[row * size..(row + 1) * size];
        let known: f64 = (row + 1..size)
            .map(|column| entries[column] * right[column])
            .sum();
        right[row] = (right[row] - known) / entries[row];
    }
    true
}

/// The replacement of a zero pivot, in rows whose maximum is near 1.
const TINY: f64 = 1e-30;

/// An eliminated equation.
#[derive(Clone, Copy, Debug)]
struct Pivot {
    column: u32,
    entry: f64,
    right: f64,
    /// The end of its other entries.
    end: u32,
}

/// Sparse equations, eliminated row by row as they are added. The largest remaining entry of every row is the
/// pivot, so that columns are exchanged instead of rows, which is equally stable.
///
/// In singular equations a tiny pivot replaces the missing one. The solution is then huge, in the direction
/// of the null vector of the matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    /// The row being eliminated, all columns.
    row: Vec<f64>,
    /// Whether a column has been used as a pivot.
    done: Vec<bool>,
    pivots: Vec<Pivot>,
    /// (column, entry) of the eliminated rows.
    entries: Vec<(u32, f64)>,
    solution: Vec<f64>,
}

impl Sparse {
    /// Starts with `size` unknowns and no equations.
    pub(super) fn clear(&mut self, size: usize) {
        self.row.clear();
        self.row.resize(size, 0.0);
        self.done.clear();
        self.done.resize(size, false);
        self.pivots.clear();
        self.entries.clear();
    }

    /// Adds to an entry of the current equation.
    pub(super) fn add(&mut self, column: u32, amount: f64) {
        self.row[column as usize] += amount;
    }

    /// Completes the current equation.
    pub(super) fn end_row(&mut self, mut right: f64) {
        let mut first = 0;
        for pivot in &self.pivots {
            let entries = first..pivot.end as usize;
            first = pivot.end as usize;
            let factor = std::mem::take(&mut self.row[pivot.column as usize]) / pivot.entry;
            if factor != 0.0 {
                for &(column, entry) in &self.entries[entries] {
                    self.row[column as usize] -= factor * entry;
                }
                right -= factor * pivot.right;
            }
        }
        let mut pivot = None;
        let mut largest = 0.0;
        for (column, entry) in self.row.iter().enumerate() {
            if !self.done[column] && (pivot.is_none() || entry.abs() > largest) {
                (pivot, largest) = (Some(column), entry.abs());
            }
        }
        let Some(pivot) = pivot else {
            return;
        };
        self.done[pivot] = true;
        let entry = std::mem::take(&mut self.row[pivot]);
        for (column, entry) in self.row.iter_mut().enumerate() {
            let entry = std::mem::take(entry);
            if entry != 0.0 {
                self.entries.push((column as u32, entry));
            }
        }
        self.pivots.push(Pivot {
            column: pivot as u32,
            entry: if entry == 0.0 { TINY } else { entry },
            right,
            end: self.entries.len() as u32,
        });
    }

    /// Solves the equations; their number must be that of the unknowns.
    pub(super) fn solve(&mut self) -> &[f64] {
        self.solution.clear();
        self.solution.resize(self.row.len(), 0.0);
        for row in (0..self.pivots.len()).rev() {
            let pivot = self.pivots[row];
            let first = if row == 0 { 0 } else { self.pivots[row - 1].end };
            let known: f64 = self.entries[first as usize..pivot.end as usize]
                .iter()
                .map(|&(column, entry)| entry * self.solution[column as usize])
                .sum();
            self.solution[pivot.column as usize] = (pivot.right - known) / pivot.entry;
        }
        &self.solution
    }

    /// The result of [`solve`](Sparse::solve).
    pub(super) fn solution(&self) -> &[f64] {
        &self.solution
    }
}

#[cfg(test)]
mod tests {
    use super::{Sparse, eliminate};

    fn solved(rows: &[(&[f64], f64)]) -> Vec<f64> {
        let mut sparse = Sparse::default();
        sparse.clear(rows.len());
        for (row, right) in rows {
            for (column, &entry) in row.iter().enumerate() {
                sparse.add(column as u32, entry);
            }
            sparse.end_row(*right);
        }
        sparse.solve().to_vec()
    }

    #[test]
    fn sparse_equations_are_solved_whatever_their_order() {
        // x = 1, y = 2, z = 3; the second entry of the first row is its pivot.
        let rows: [(&[f64], f64); 3] = [
            (&[1.0, 4.0, 0.0], 9.0),
            (&[0.0, 1.0, 1.0], 5.0),
            (&[2.0, 0.0, -1.0], -1.0),
        ];
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let found = solved(&order.map(|row| rows[row]));
            let error = found.iter().zip([1.0, 2.0, 3.0]).map(|(a, b)| (a - b).abs());
            assert!(error.fold(0.0, f64::max) < 1e-14, "{found:?}");
        }
    }

    #[test]
    fn singular_equations_give_the_direction_of_what_they_take_to_nothing() {
        let found = solved(&[(&[1.0, 2.0], 1.0), (&[2.0, 4.0], 3.0)]);
        assert!((found[0] / found[1] + 2.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn elimination_solves_and_detects_singular_matrices() {
        // 2x + y = 5, x + 3y = 10: x = 1, y = 3; the first pivot is exchanged in the second case.
        let mut right = [5.0, 10.0];
        assert!(eliminate(&mut [2.0, 1.0, 1.0, 3.0], &mut right, 2));
        assert!(
            (right[0] - 1.0).abs() < 1e-15 && (right[1] - 3.0).abs() < 1e-15,
            "{right:?}"
        );
        let mut right = [4.0, 6.0];
        assert!(eliminate(&mut [0.0, 2.0, 3.0, 0.0], &mut right, 2));
        assert!(
            (right[0] - 2.0).abs() < 1e-15 && (right[1] - 2.0).abs() < 1e-15,
            "{right:?}"
        );
        assert!(!eliminate(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 2.0], 2));
    }
}

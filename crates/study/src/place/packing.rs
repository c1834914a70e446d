//! The maximum worth that limited resources permit: a small linear program.
//!
//! Maximise the total worth of activities, each of which uses a share of every resource, such that no
//! resource exceeds its capacity. The simplex method on the condensed tableau solves it, from the state
//! without any activity. The result is not the value of the last tableau but the bound that its dual prices
//! prove (weak duality). Non-negative prices prove a valid bound even after rounding.

/// The maximum number of pivots per activity. The prices after that also prove a bound, which is less tight.
const PIVOTS_PER_ACTIVITY: usize = 8;
/// Values below this count as zero; loads and worths are about one.
const ZERO: f64 = 1e-11;

/// Solves packing problems in sequence, in memory that it reuses.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    activities: usize,
    /// By resource, then by activity: the share of the resource's capacity per unit of the activity.
    loads: Vec<f64>,
    worth: Vec<f64>,
    tableau: Vec<f64>,
    room: Vec<f64>,
    gain: Vec<f64>,
    /// The variable of each column: an activity, or (numbered after the activities) a row.
    column: Vec<usize>,
    row: Vec<usize>,
}

impl Packing {
    /// Starts a problem. The level of each activity is from 0 to 1; `worth` is its worth at level 1, at least
    /// 0.
    pub(super) fn begin(&mut self, worth: impl IntoIterator<Item = f64>) {
        self.worth.clear();
        self.worth.extend(worth);
        self.activities = self.worth.len();
        self.loads.clear();
    }

    /// Adds a resource: the share of its capacity that each activity uses at level 1, at least 0. A resource
    /// that all activities together cannot fill is omitted.
    pub(super) fn resource(&mut self, loads: impl IntoIterator<Item = f64>) {
        let start = self.loads.len();
        self.loads.extend(loads);
        debug_assert_eq!(
            self.loads.len(),
            start + self.activities,
            "a load for each activity"
        );
        if self.loads[start..].iter().sum::<f64>() <= 1.0 {
            self.loads.truncate(start);
        }
    }

    /// An upper bound of the total worth; apart from rounding, a feasible choice attains it.
    pub(super) fn upper_bound(&mut self) -> f64 {
        self.prepare();
        for _ in 0..PIVOTS_PER_ACTIVITY * (self.activities + 1) {
            let Some(column) = self.entering() else { break };
            let Some(row) = self.leaving(column) else { break };
            self.pivot(row, column);
        }
        self.proven()
    }

    fn resources(&self) -> usize {
        self.loads.len().checked_div(self.activities).unwrap_or(0)
    }

    /// The tableau without any activity: one row per resource, then one per activity that limits its level to
    /// one.
    fn prepare(&mut self) {
        let (activities, rows) = (self.activities, self.resources() + self.activities);
        self.tableau.clear();
        self.tableau.extend_from_slice(&self.loads);
        for one in 0..activities {
            self.tableau
                .extend((0..activities).map(|other| f64::from(u8::from(other == one))));
        }
        self.room.clear();
        self.room.resize(rows, 1.0);
        self.gain.clone_from(&self.worth);
        self.column.clear();
        self.column.extend(0..activities);
        self.row.clear();
        self.row.extend(activities..activities + rows);
    }

    /// The column with the largest gain.
    fn entering(&self) -> Option<usize> {
        let best =
            (0..self.activities).max_by(|&a, &b| self.gain[a].total_cmp(&self.gain[b]).then(b.cmp(&a)))?;
        let scale = self.worth.iter().copied().fold(0.0, f64::max);
        (self.gain[best] > ZERO * scale).then_some(best)
    }

    /// The row that becomes full first.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for row in 0..self.room.len() {
            let load = self.tableau[row * self.activities + column];
            if load > ZERO {
                let ratio = self.room[row] / load;
                if best.is_none_or(|(least, _)| ratio < least) {
                    best = Some((ratio, row));
                }
            }
        }
        best.map(|(_, row)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.activities;
        let (before, rest) = self.tableau.split_at_mut(row * width);
        let (pivot_row, after) = rest.split_at_mut(width);
        let pivot = pivot_row[column];
        for value in pivot_row.iter_mut() {
            *value /= pivot;
        }
        pivot_row[column] = 1.0 / pivot;
        self.room[row] /= pivot;
        let room = self.room[row];
        let others = before
            .chunks_exact_mut(width)
            .chain(after.chunks_exact_mut(width));
        let rooms = (0..self.room.len()).filter(|&other| other != row);
        for (other, index) in others.zip(rooms) {
            let factor = other[column];
            if factor == 0.0 {
                continue;
            }
            subtract(other, pivot_row, column, factor, pivot);
            self.room[index] = (self.room[index] - factor * room).max(0.0);
        }
        let factor = self.gain[column];
        subtract(&mut self.gain, pivot_row, column, factor, pivot);
        std::mem::swap(&mut self.row[row], &mut self.column[column]);
    }

    /// The bound that the prices of the last tableau prove: all capacities at their prices, plus the worth of
    /// each activity beyond the price of the resources that it uses.
    fn proven(&mut self) -> f64 {
        let (activities, resources) = (self.activities, self.resources());
        let left = &mut self.gain;
        // Of the gains only the prices are still needed.
        let mut priced = 0.0;
        let prices: Vec<(usize, f64)> = (0..activities)
            .filter_map(|column| {
                let row = self.column[column].checked_sub(activities)?;
                (row < resources && left[column] < 0.0).then(|| (row, -left[column]))
            })
            .collect();
        left.clone_from(&self.worth);
        for (row, price) in prices {
            priced += price;
            for (left, load) in left.iter_mut().zip(&self.loads[row * activities..]) {
                *left -= price * load;
            }
        }
        priced + left.iter().map(|left| left.max(0.0)).sum::<f64>()
    }
}

/// Subtracts a multiple of the pivot row from another row.
fn subtract(other: &mut [f64], pivot_row: &[f64], column: usize, factor: f64, pivot: f64) {
    for (value, of_pivot) in other.iter_mut().zip(pivot_row) {
        *value -= factor * of_pivot;
    }
    other[column] = -factor / pivot;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bound(worth: &[f64], resources: &[Vec<f64>]) -> f64 {
        let mut packing = Packing::default();
        packing.begin(worth.iter().copied());
        for resource in resources {
            packing.resource(resource.iter().copied());
        }
        packing.upper_bound()
    }

    /// By hand: 2 a + b subject to a + b ≤ 1 within the unit square has its maximum at (1, 0).
    #[test]
    fn the_worthiest_goes_first() {
        assert!((bound(&[2.0, 1.0], &[vec![1.0, 1.0]]) - 2.0).abs() < 1e-12);
        // a/2 + b <= 1: all of a, and half of b.
        assert!((bound(&[2.0, 1.0], &[vec![0.5, 1.0]]) - 2.5).abs() < 1e-12);
    }

    /// By hand: a + b subject to 2a + b ≤ 1 and a + 2b ≤ 1 has its maximum at (1/3, 1/3).
    #[test]
    fn two_resources_meet_in_a_corner() {
        let found = bound(&[1.0, 1.0], &[vec![2.0, 1.0], vec![1.0, 2.0]]);
        assert!((found - 2.0 / 3.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn nothing_in_the_way_does_all() {
        assert_eq!(bound(&[1.0, 2.0], &[vec![0.1, 0.2]]), 3.0);
        assert_eq!(bound(&[], &[]), 0.0);
    }

    proptest! {
        /// No feasible choice is worth more than the bound; with one resource the fractional knapsack attains
        /// it.
        #[test]
        fn nothing_feasible_is_above_the_bound(
            worth in prop::collection::vec(0.0..3.0_f64, 1..6),
            rows in prop::collection::vec(prop::collection::vec(0.0..3.0_f64, 6), 0..6),
            choice in prop::collection::vec(0.0..1.0_f64, 6),
        ) {
            let rows: Vec<Vec<f64>> = rows.into_iter().map(|row| row[..worth.len()].to_vec()).collect();
            let bound = bound(&worth, &rows);
            let fullest = rows
                .iter()
                .map(|row| row.iter().zip(&choice).map(|(load, done)| load * done).sum::<f64>())
                .fold(1.0, f64::max);
            let reached: f64 = worth.iter().zip(&choice).map(|(worth, done)| worth * done / fullest).sum();
            prop_assert!(reached <= bound + 1e-9, "{reached} > {bound}");
        }

        #[test]
        fn one_resource_is_a_knapsack(pairs in prop::collection::vec((0.1..3.0_f64, 0.1..3.0_f64), 1..7)) {
            let worth: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
            let loads: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
            let mut order = pairs.clone();
            order.sort_by(|a, b| (b.0 / b.1).total_cmp(&(a.0 / a.1)));
            let (mut room, mut best) = (1.0_f64, 0.0);
            for (worth, load) in order {
                let done = (room / load).clamp(0.0, 1.0);
                best += done * worth;
                room -= done * load;
            }
            let found = bound(&worth, &[loads]);
            prop_assert!((found - best).abs() < 1e-9, "{found} for {best}");
        }
    }
}

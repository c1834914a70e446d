//! The effect of each uncertain figure alone.

use bandgraph_solve::Totals;
use rayon::prelude::*;

use super::drawing::Drawing;
use super::figures::UncertainFigure;
use super::interval::RANGE_END;
use super::room::NOTHING;
use super::server::Server;

/// The number of figures that are first moved together, to see whether any of them matters. If so, halves
/// follow, down to pairs.
const TOGETHER: usize = 16;
const PAIR: usize = 2;

impl Drawing {
    /// By figure, the standard deviation of the logarithm of throughput that it causes alone: the difference
    /// between the ends of its range, which are 2 × 1.645 standard deviations apart. It is negative if a
    /// larger figure makes it smaller. If only latency changes, that of the latency.
    pub(super) fn spreads_alone(&self) -> Vec<f64> {
        let server = || self.server.clone();
        // The search from the nominal steady state ends at other bits than the nominal steady state itself.
        let nominal = totals_with(&mut server(), &[], &[]);
        let matters = self.figures.par_chunks(TOGETHER);
        let matters = matters.map_init(server, |server, figures| matters_of(server, figures, nominal));
        let matters: Vec<bool> = matters.flatten_iter().collect();
        let spreads = self.figures.par_iter().zip(matters);
        let spreads = spreads.map_init(server, |server, (figure, matters)| {
            if !matters {
                return 0.0;
            }
            let figure = std::slice::from_ref(figure);
            let [low, high] = [-RANGE_END, RANGE_END]
                .map(|normal| totals_with(server, figure, &[normal]).unwrap_or(self.base.totals));
            // Reset: the next figure is moved alone.
            // It was accepted before.
            let _ = server.set(figure, &[0.0]);
            let between = |value: fn(&Totals) -> f64| {
                let spread = libm::log(value(&high) / value(&low)) / (2.0 * RANGE_END);
                if spread.is_finite() { spread } else { 0.0 }
            };
            let rates = between(|totals| totals.throughput.operations.get());
            if rates.abs() > NOTHING {
                rates
            } else {
                between(|totals| totals.mean_latency.get())
            }
        });
        spreads.collect()
    }
}

/// By figure, whether it or the other of its pair changes the answer, which is `nominal` with all figures as
/// they are. Most figures of a software profile are of operations that a scenario does not have.
fn matters_of(server: &mut Server, figures: &[UncertainFigure], nominal: Option<Totals>) -> Vec<bool> {
    let any = any_matters(server, figures, nominal);
    if !any || figures.len() <= PAIR {
        return vec![any; figures.len()];
    }
    let (first, second) = figures.split_at(figures.len() / 2);
    let mut matters = matters_of(server, first, nominal);
    matters.extend(matters_of(server, second, nominal));
    matters
}

/// Whether one of these figures changes the answer at an end of its range: with all of them at ends, every
/// other one at the opposite end, the answer is not the same to the last bit.
fn any_matters(server: &mut Server, figures: &[UncertainFigure], nominal: Option<Totals>) -> bool {
    let ends = [-RANGE_END, RANGE_END];
    let changes = (0..ends.len()).any(|first| {
        let normals: Vec<f64> = (first..).map(|at| ends[at % 2]).take(figures.len()).collect();
        totals_with(server, figures, &normals) != nominal
    });
    let _ = server.set(figures, &vec![0.0; figures.len()]);
    changes || nominal.is_none()
}

/// The prediction with these figures at the given deviations, and all others as they are; `None` without an
/// answer.
fn totals_with(server: &mut Server, figures: &[UncertainFigure], normals: &[f64]) -> Option<Totals> {
    let (bound, steady) = server.solved_with(figures, normals).ok()?;
    Some(steady.totals(&bound))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::drawing::tests::{barcelona_reads, shipped};
    use crate::uncertainty::draws::{range_end, value_at};

    /// Links limit the streams, and their capacity is proportional to `ceiling`: the range of this figure
    /// alone is the range of the answer.
    #[test]
    fn a_figure_alone_moves_the_answer_by_its_range() {
        let scenario = barcelona_reads();
        let drawing = Drawing::new(&scenario).expect("it has an answer");
        let spreads = drawing.spreads_alone();
        let of = |is: &dyn Fn(&UncertainFigure) -> bool| {
            let place = drawing.figures.iter().position(is).expect("it is there");
            (&drawing.figures[place], spreads[place])
        };
        let (ceiling, spread) = of(&|figure| figure.id().contains("ht1-x16 ceiling"));
        let end = value_at(ceiling, range_end(ceiling));
        assert!((end / ceiling.range[1] - 1.0).abs() < 1e-12, "{end}");
        let [low, high] = [-RANGE_END, RANGE_END].map(|normal| value_at(ceiling, normal));
        let expected = libm::log(high / low) / (2.0 * RANGE_END);
        assert!((spread / expected - 1.0).abs() < 0.02, "{spread} {expected}");
        // The cost of a SYMLINK has no influence on reads.
        assert_eq!(of(&|figure| figure.field == "symlink_work").1, 0.0);
    }

    /// Moving figures together hides none that changes the answer alone.
    #[test]
    fn figures_without_a_spread_change_nothing_alone() {
        for name in [
            "7410-barcelona/cached-read.toml",
            "7410-istanbul/disk-write.toml",
            "x4270/tcp-tx.toml",
            "server-2023/nvme-read.toml",
        ] {
            let drawing = Drawing::new(&shipped(name)).expect("it has an answer");
            let spreads = drawing.spreads_alone();
            let alone = drawing.figures.iter().zip(&spreads);
            let without: Vec<&UncertainFigure> = alone
                .filter(|(_, spread)| **spread == 0.0)
                .map(|(figure, _)| figure)
                .collect();
            assert!(!without.is_empty() && without.len() < spreads.len(), "{name}");
            for figure in without {
                let mut server = drawing.server.clone();
                let [low, high] = [-RANGE_END, RANGE_END].map(|normal| {
                    let found = totals_with(&mut server, std::slice::from_ref(figure), &[normal]);
                    let found = found.unwrap_or(drawing.base.totals);
                    [found.throughput.operations.get(), found.mean_latency.get()]
                });
                let close = low
                    .iter()
                    .zip(high)
                    .all(|(low, high)| (low / high - 1.0).abs() < NOTHING);
                assert!(close, "{name}: {}: {low:?} and {high:?}", figure.id());
            }
        }
    }
}

//! Joint draws of uncertain figures: a Latin hypercube.
//!
//! McKay, Beckman, Conover, *A Comparison of Three Methods for Selecting Values of Input Variables*,
//! Technometrics 21(2), 1979: with n draws, each of n equally likely strata of a figure's distribution is
//! drawn once. A mean needs far fewer such draws than independent ones.

use bandgraph_model::Correlations;
use statrs::distribution::{ContinuousCDF, Normal};

use super::figures::UncertainFigure;
use super::interval::RANGE_END;
use super::model_error::ModelErrors;
use crate::sweep::{Permutation, mix};

/// The draws of one quantity: the stratum of each of n draws, in an order of its own.
#[derive(Clone, Debug)]
struct Column(Vec<u32>);

impl Column {
    /// The draws for a name. Equal names have equal draws in all scenarios, so that differences between
    /// variants come only from the variants.
    fn new(name: &str, draws: u32) -> Self {
        let seed = name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte)));
        Self(Permutation::new(u64::from(draws), seed).images())
    }

    /// The stratum of draw number `draw`, below the number of draws.
    fn stratum(&self, draw: u32) -> usize {
        self.0[draw as usize] as usize
    }
}

/// The draws of several quantities, some of them with correlations.
///
/// Correlated values are made of independent ones, each of which is a column: the Latin hypercube of these
/// keeps its low variance for any sum of figures.
#[derive(Clone, Debug)]
pub(super) struct JointDraws {
    /// The standard normal value of each stratum.
    middles: Vec<f64>,
    correlations: Correlations,
    /// The independent draws that correlated ones are made of.
    independent: Vec<Column>,
    quantities: Vec<Drawn>,
}

/// How a quantity is drawn.
#[derive(Clone, Debug)]
enum Drawn {
    Alone(Column),
    /// With others, by its place among them.
    Correlated(usize),
}

impl JointDraws {
    /// The draws of quantities, each with its path among the correlations and the name of its draws if it has
    /// none. Correlated draws depend on the correlations alone, so that all variants with a profile have the
    /// same, also without some of its figures.
    pub(super) fn new<'n>(
        quantities: impl Iterator<Item = (String, &'n str)>,
        correlations: &Correlations,
        draws: u32,
    ) -> Self {
        let quantities = quantities.map(|(path, name)| {
            let mut rows = correlations.rows().iter();
            let place = rows.position(|row| row.figure == path);
            place.map_or_else(|| Drawn::Alone(Column::new(name, draws)), Drawn::Correlated)
        });
        Self {
            quantities: quantities.collect(),
            ..Self::of_all(correlations, draws)
        }
    }

    /// The draws of all quantities that have correlations, in their order.
    pub(super) fn of_all(correlations: &Correlations, draws: u32) -> Self {
        let rows = correlations.rows().iter();
        Self {
            middles: (0..draws as usize)
                .map(|stratum| middle(stratum, draws))
                .collect(),
            quantities: (0..rows.len()).map(Drawn::Correlated).collect(),
            independent: rows.map(|row| Column::new(&row.figure, draws)).collect(),
            correlations: correlations.clone(),
        }
    }

    /// The values of all quantities in draw number `draw`, in standard deviations.
    pub(super) fn normals(&self, draw: u32) -> Vec<f64> {
        let middle = |column: &Column| self.middles[column.stratum(draw)];
        let independent: Vec<f64> = self.independent.iter().map(middle).collect();
        let correlated = self.correlations.of_independent(&independent);
        let value = |quantity: &Drawn| match quantity {
            Drawn::Alone(column) => middle(column),
            Drawn::Correlated(place) => correlated[*place],
        };
        self.quantities.iter().map(value).collect()
    }
}

fn middle(stratum: usize, draws: u32) -> f64 {
    Normal::standard().inverse_cdf((stratum as f64 + 0.5) / f64::from(draws))
}

/// The number of standard deviations from a figure's value to each end of its range.
pub(super) fn range_end(figure: &UncertainFigure) -> f64 {
    if figure.is_own {
        RANGE_END
    } else {
        RANGE_END / ModelErrors::KNOWN.ranges
    }
}

/// The value of a figure at `normal` standard deviations. Each side of the range has its own width, and one
/// on which the value would reach zero is logarithmic. The value is limited to twice the range, and is the
/// nearest that the field permits.
pub(super) fn value_at(figure: &UncertainFigure, normal: f64) -> f64 {
    let [low, high] = figure.range;
    let value = figure.value;
    let along = (normal / range_end(figure)).clamp(-2.0, 2.0);
    let drawn = if along >= 0.0 {
        value + (high - value) * along
    } else if figure.is_own && low > 0.0 && 2.0 * low < value {
        value * libm::pow(low / value, -along)
    } else {
        value + (value - low) * along
    };
    figure.takes.nearest(drawn)
}

#[cfg(test)]
pub(super) mod tests {
    use bandgraph_model::{Coefficients, Correlation};
    use proptest::prelude::*;

    use super::super::drawing::tests::shipped_with;
    use super::super::figures::uncertain_figures;
    use super::*;

    /// The draws of one quantity.
    pub(in super::super) fn draws_of(name: &str, draws: u32) -> Vec<f64> {
        let alone = [(name.to_owned(), name)].into_iter();
        let joint = JointDraws::new(alone, &Correlations::default(), draws);
        (0..draws).flat_map(|draw| joint.normals(draw)).collect()
    }

    #[test]
    fn each_part_of_the_distribution_is_drawn_once() {
        let mut draws = draws_of("socket opteron-8356 base_cpi", 200);
        assert!(
            draws.windows(2).any(|pair| pair[0] > pair[1]),
            "in an order of its own"
        );
        draws.sort_by(f64::total_cmp);
        assert!(draws.windows(2).all(|pair| pair[0] < pair[1]));
        let mean = draws.iter().sum::<f64>() / 200.0;
        let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / 200.0;
        assert!(mean.abs() < 1e-12, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
        // A tenth of the draws are outside the range.
        assert_eq!(draws.iter().filter(|draw| draw.abs() > RANGE_END).count(), 20);
    }

    /// A port of 1 to 100 Gbit/s: no draw is at rest, where operations would take for ever.
    #[test]
    fn a_wide_range_is_logarithmic() {
        let set = "card.nic0.port_rate={ value = \"10 Gbit/s\", range = [\"1 Gbit/s\", \"20 Gbit/s\"] }";
        let scenario = shipped_with("7410-barcelona/cached-read.toml", &[set.to_owned()]);
        let figures = uncertain_figures(&scenario);
        let rate = figures
            .iter()
            .find(|figure| figure.field == "port_rate" && figure.is_own);
        let rate = rate.expect("it is uncertain");
        for (ranges, gbits) in [(-2.0, 0.1), (-1.0, 1.0), (0.0, 10.0), (1.0, 20.0), (2.0, 30.0)] {
            let value = value_at(rate, ranges * RANGE_END) * 8.0 / 1e9;
            assert!((value / gbits - 1.0_f64).abs() < 1e-9, "{value} {gbits}");
        }
    }

    /// Correlations of these vectors, by name.
    fn correlations_of(vectors: &[[f64; 3]], names: &[String]) -> Correlations {
        let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut found = Correlations::default();
        for (place, (vector, name)) in vectors.iter().zip(names).enumerate() {
            let above = vectors[..place].iter();
            let with =
                above.map(|other| dot(vector, other) / (dot(vector, vector) * dot(other, other)).sqrt());
            let row = Correlation {
                figure: name.clone(),
                with: Coefficients(with.collect()),
            };
            found.push(row).expect("cosines are correlations");
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Figures of a server with any correlations: their draws have these, within four standard errors,
        /// and no value is beyond twice its range or what its field permits.
        #[test]
        fn drawn_figures_have_their_correlations_and_keep_their_ranges(
            vectors in prop::collection::vec(prop::array::uniform3(0.2..1.0_f64), 12)
        ) {
            const DRAWS: u32 = 1000;
            let scenario = shipped_with("7410-barcelona/cached-read.toml", &[]);
            let figures: Vec<UncertainFigure> = uncertain_figures(&scenario).into_iter().take(12).collect();
            let paths: Vec<String> = figures.iter().map(UncertainFigure::path).collect();
            // Every other one has the opposite sign.
            let signed = vectors.iter().zip([1.0, -1.0].into_iter().cycle());
            let signed: Vec<[f64; 3]> = signed.map(|(vector, sign)| vector.map(|part| sign * part)).collect();
            let correlations = correlations_of(&signed, &paths);
            let quantities = paths.iter().map(|path| (path.clone(), path.as_str()));
            let joint = JointDraws::new(quantities, &correlations, DRAWS);
            let draws: Vec<Vec<f64>> = (0..DRAWS).map(|draw| joint.normals(draw)).collect();
            let mean = |of: &dyn Fn(&[f64]) -> f64| {
                draws.iter().map(|draw| of(draw)).sum::<f64>() / f64::from(DRAWS)
            };
            for first in 0..figures.len() {
                for second in 0..=first {
                    let found = mean(&|draw| draw[first] * draw[second]);
                    let expected = correlations.between(first, second);
                    let error = ((1.0 + expected * expected) / f64::from(DRAWS)).sqrt();
                    prop_assert!((found - expected).abs() < 4.0 * error, "{} {}", found, expected);
                }
            }
            for (place, figure) in figures.iter().enumerate() {
                let ([low, high], value) = (figure.range, figure.value);
                for draw in &draws {
                    let drawn = value_at(figure, draw[place]);
                    let inside = 2.0 * low - value - 1e-9 * value..=2.0 * high - value + 1e-9 * value;
                    prop_assert!(inside.contains(&drawn), "{} {} {:?}", figure.id(), drawn, inside);
                    prop_assert_eq!(figure.takes.nearest(drawn), drawn);
                }
            }
        }
    }

    /// A scenario without one of the figures draws the others as another one does.
    #[test]
    fn correlated_draws_do_not_depend_on_the_figures_of_a_scenario() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let correlations = correlations_of(&[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]], &names);
        let of = |names: &[String], place: usize| {
            let quantities = names.iter().map(|name| (name.clone(), name.as_str()));
            let joint = JointDraws::new(quantities, &correlations, 20);
            (0..20).map(|draw| joint.normals(draw)[place]).collect::<Vec<_>>()
        };
        assert_eq!(of(&names, 2), of(&names[2..], 0));
        assert_ne!(of(&names, 2), of(&names, 1));
    }

    #[test]
    fn figures_have_draws_of_their_own() {
        let draws = |name: &str| draws_of(name, 50);
        assert_eq!(draws("a"), draws("a"));
        let (a, b) = (draws("a"), draws("b"));
        let together: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / 50.0;
        assert!(together.abs() < 0.4, "{together}");
    }
}

//! Figures that are uncertain together: the correlations of their draws.
//!
//! A measurement often tells a combination of figures and none of them alone: if one is larger than assumed,
//! another is smaller. The correlations are a lower triangle, row by row; its Cholesky factor, computed with
//! the rows, makes correlated normal values of independent ones (Gentle, *Random Number Generation and Monte
//! Carlo Methods*, 2003, section 5.3).

use std::sync::Arc;

use bandgraph_config::{
    Custom, Decoded, Decoder, Field, FieldType, Made, Node, Read, Shape, Value, settings,
};
use bandgraph_diagnostics::Diagnostic;
use bandgraph_hardware::PartKind;
use serde_json::{Value as Json, json};
use thiserror::Error;

use crate::LimitGroup;

/// The share of each draw that is of its figure alone. Correlations in files are rounded, which can make a
/// matrix with an eigenvalue of nearly zero one that no figures have; this much more on its diagonal repairs
/// that.
const ALONE: f64 = 1e-3;

settings! {
    /// The correlations of a figure with others: `bandgraph calibrate` writes them, since measurements often
    /// tell a sum of figures and none of them alone. Draws for intervals have them. The rows are the lower
    /// triangle of a matrix, which no given figures contradict.
    pub struct Correlation as "correlation" by "figure" {
        /// The figure, as `--set` takes it: `stack.misses_per_byte`, `part.opteron-8356.base_cpi`, and
        /// `stack.model_error.cores` for the error of the model. One that a scenario does not have, or has
        /// without a range, is not drawn.
        figure: String;
        /// Its correlation with each figure above it, in that order, from -1 to 1: `[-0.4, 0.1]`. Empty for
        /// the first.
        with: Coefficients;
    }
}

/// Correlations of a figure with those above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficients(pub Vec<f64>);

impl FieldType for Coefficients {
    const SHAPE: Shape = Shape::Custom(&CoefficientsShape);

    fn from_read(read: &Read) -> Option<Self> {
        read.custom().cloned()
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

/// A list of numbers from −1 to 1. Reads as [`Coefficients`].
#[derive(Debug)]
struct CoefficientsShape;

impl Custom for CoefficientsShape {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let mut refuse = |at: &Node| {
            let message = format!("`{}` is a list of numbers from -1 to 1", field.name);
            decoder
                .problems
                .push(Diagnostic::error("value::correlations", message).at(at.place.clone()));
        };
        let Value::Array(items) = &node.value else {
            refuse(node);
            return None;
        };
        let coefficient = |item: &Node| {
            let number = match item.value {
                Value::Integer(number) => number as f64,
                Value::Float(number) => number,
                _ => f64::NAN,
            };
            (-1.0..=1.0).contains(&number).then_some(number)
        };
        let found: Vec<Option<f64>> = items.iter().map(coefficient).collect();
        for (item, _) in items.iter().zip(&found).filter(|(_, found)| found.is_none()) {
            refuse(item);
        }
        let found: Option<Vec<f64>> = found.into_iter().collect();
        Some(Arc::new(Coefficients(found?)))
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": { "type": "number", "minimum": -1, "maximum": 1 } })
    }

    fn reference(&self) -> String {
        "list of numbers from -1 to 1".to_owned()
    }
}

/// Why a row is no correlation with the figures above it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CorrelationError {
    /// Another number of correlations than of figures above.
    #[error("`{figure}` has {found} correlations instead of {above}, one for each figure above it")]
    Count {
        /// The figure.
        figure: String,
        /// How many correlations it has.
        found: usize,
        /// How many figures are above it.
        above: usize,
    },
    /// The matrix is not positive semi-definite.
    #[error("`{figure}` cannot have these correlations: those of the figures above it contradict them")]
    Contradiction {
        /// The figure.
        figure: String,
    },
    /// The figure has two rows.
    #[error("`{figure}` has two entries of correlations")]
    Twice {
        /// The figure.
        figure: String,
    },
    /// No figure has this name.
    #[error("there is no figure `{figure}`")]
    Unknown {
        /// The name.
        figure: String,
    },
}

/// The correlations of figures: a positive semi-definite matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Correlations {
    rows: Vec<Correlation>,
    /// The rows of its Cholesky factor, each with a square of 1.
    roots: Vec<Vec<f64>>,
}

impl Correlations {
    /// The figures with their correlations, each with those above it.
    pub fn rows(&self) -> &[Correlation] {
        &self.rows
    }

    /// Whether no figure has a correlation.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a figure.
    ///
    /// # Errors
    ///
    /// It has too few or too many correlations, or no figures can have them.
    pub fn push(&mut self, row: Correlation) -> Result<(), CorrelationError> {
        let (figure, above) = (row.figure.clone(), self.rows.len());
        let Coefficients(given) = &row.with;
        if given.len() != above {
            let found = given.len();
            return Err(CorrelationError::Count { figure, found, above });
        }
        let mut root: Vec<f64> = Vec::with_capacity(above + 1);
        for (other, correlation) in self.roots.iter().zip(given) {
            let known: f64 = root.iter().zip(other).map(|(here, there)| here * there).sum();
            root.push((correlation / (1.0 + ALONE) - known) / other[root.len()]);
        }
        let explained: f64 = root.iter().map(|part| part * part).sum();
        if explained >= 1.0 {
            return Err(CorrelationError::Contradiction { figure });
        }
        root.push(libm::sqrt(1.0 - explained));
        self.rows.push(row);
        self.roots.push(root);
        Ok(())
    }

    /// Standard normal values with these correlations, of independent ones.
    pub fn of_independent(&self, normals: &[f64]) -> Vec<f64> {
        let value = |root: &Vec<f64>| root.iter().zip(normals).map(|(part, normal)| part * normal).sum();
        self.roots.iter().map(value).collect()
    }

    /// The correlation of two figures by their places; 0 if there is none.
    pub fn between(&self, first: usize, second: usize) -> f64 {
        let (above, row) = (first.min(second), first.max(second));
        if above == row {
            return 1.0;
        }
        let row = self.rows.get(row);
        row.and_then(|row| row.with.0.get(above)).copied().unwrap_or(0.0)
    }

    /// Decodes `[[stack.correlation]]` entries; reports those that contradict others.
    pub(crate) fn decoded(
        decoder: &mut Decoder<'_>,
        entries: &[Decoded],
        is_of_stack: fn(&str) -> bool,
    ) -> Option<Self> {
        let mut found = Self::default();
        let file_of = |entry: &Decoded| entry.place_of("with").source;
        for entry in entries.iter().filter(|entry| entry.sound) {
            let row = Correlation::from_table(entry);
            let figure = row.figure.clone();
            let (at, pushed) = if !is_figure(&figure, is_of_stack) {
                ("figure", Err(CorrelationError::Unknown { figure }))
            } else if found.rows.iter().any(|known| known.figure == figure) {
                ("figure", Err(CorrelationError::Twice { figure }))
            } else {
                ("with", found.push(row))
            };
            if let Err(refused) = pushed {
                let other = entries.iter().find(|other| file_of(other) != file_of(entry));
                let is_of_rest = matches!(
                    refused,
                    CorrelationError::Count { .. } | CorrelationError::Contradiction { .. }
                );
                let diagnostic = if let Some(other) = other.filter(|_| is_of_rest) {
                    let message = "correlations of two calibrations cannot be combined";
                    let diagnostic = Diagnostic::error("value::correlations", message);
                    diagnostic.also(other.place_of("with")).help(TWO_CALIBRATIONS)
                } else {
                    let diagnostic = Diagnostic::error("value::correlations", refused.to_string());
                    diagnostic.help(refused.help())
                };
                decoder.problems.push(diagnostic.at(entry.place_of(at)));
                return None;
            }
        }
        Some(found)
    }
}

impl CorrelationError {
    fn help(&self) -> &'static str {
        match self {
            Self::Twice { .. } => "give each figure one entry, with one number for each entry above it",
            Self::Count { .. } => "give one number for each entry above this one, in their order",
            Self::Contradiction { .. } => {
                "with 0.9 to two figures, these two are themselves correlated: take all rows from one fit"
            }
            Self::Unknown { .. } => {
                "write it as `--set` takes it: `stack.FIELD`, `part.NAME.FIELD` or `stack.model_error.LIMIT`"
            }
        }
    }
}

/// Whether a name is one of a figure of a stack, of a part, or of the error of the model.
fn is_figure(name: &str, is_of_stack: fn(&str) -> bool) -> bool {
    let of_part = |rest: &str| {
        let mut fields = PartKind::ALL.iter().flat_map(|kind| kind.fields());
        fields.any(|field| {
            rest.strip_suffix(field.name)
                .is_some_and(|part| part.len() > 1 && part.ends_with('.'))
        })
    };
    if let Some(limit) = name.strip_prefix(OF_MODEL) {
        return LimitGroup::ALL.iter().any(|known| known.as_str() == limit);
    }
    match name.strip_prefix("stack.") {
        Some(field) => is_of_stack(field),
        None => name.strip_prefix("part.").is_some_and(of_part),
    }
}

/// What to do with two calibrated profiles.
const TWO_CALIBRATIONS: &str = "include one of the two profiles; `bandgraph calibrate --own` with scenarios \
                                that include one learns more, and writes a profile with both";

const OF_MODEL: &str = "stack.model_error.";

impl LimitGroup {
    /// The error of the model for this kind of limit, as a figure: `stack.model_error.cores`.
    pub fn figure(self) -> String {
        format!("{OF_MODEL}{self}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Stack;

    fn of_stack(field: &str) -> bool {
        Stack::KIND.field(field).is_some()
    }

    fn row(figure: &str, with: &[f64]) -> Correlation {
        Correlation {
            figure: figure.to_owned(),
            with: Coefficients(with.to_vec()),
        }
    }

    fn of(rows: &[&[f64]]) -> Result<Correlations, CorrelationError> {
        let mut found = Correlations::default();
        for (place, with) in rows.iter().enumerate() {
            found.push(row(&place.to_string(), with))?;
        }
        Ok(found)
    }

    /// By hand: with 0.6, the second value is 0.6 a + 0.8 b; a third with 1 and 0.6 is the first again. All
    /// of that but for the share of each alone.
    #[test]
    fn values_are_those_worked_by_hand() {
        let found = of(&[&[], &[0.6], &[1.0, 0.6]]).expect("it is a correlation");
        let values = found.of_independent(&[2.0, -1.0, 0.0]);
        for (value, expected) in values.iter().zip([2.0, 0.6 * 2.0 - 0.8, 2.0]) {
            assert!((value - expected).abs() < 0.003, "{values:?}");
        }
        assert_eq!((found.between(1, 0), found.between(2, 2)), (0.6, 1.0));
    }

    /// Two figures that are each nearly the first one are nearly each other.
    #[test]
    fn a_matrix_that_no_figures_have_is_refused() {
        let figure = || "2".to_owned();
        let contradiction = CorrelationError::Contradiction { figure: figure() };
        for wrong in [[0.9, -0.9], [0.9, 0.5]] {
            assert_eq!(
                of(&[&[], &[0.9], &wrong]),
                Err(contradiction.clone()),
                "{wrong:?}"
            );
        }
        assert_eq!(
            of(&[&[], &[1.0], &[0.5, 0.6]]),
            Err(contradiction),
            "a copy has the same"
        );
        let count = CorrelationError::Count {
            figure: figure(),
            found: 1,
            above: 2,
        };
        assert_eq!(of(&[&[], &[0.9], &[0.9]]), Err(count));
        assert!(
            of(&[&[], &[0.9], &[0.9, 0.63]]).is_ok(),
            "the least is 0.81 - 0.19"
        );
    }

    #[test]
    fn figures_have_the_names_of_set() {
        for name in [
            "stack.misses_per_byte",
            "part.opteron-8356.base_cpi",
            "stack.model_error.cores",
        ] {
            assert!(is_figure(name, of_stack), "{name}");
        }
        for name in [
            "misses_per_byte",
            "stack.misses",
            "part.base_cpi",
            "part..base_cpi",
            "stack.model_error.wires",
        ] {
            assert!(!is_figure(name, of_stack), "{name}");
        }
        assert!(
            LimitGroup::ALL
                .iter()
                .all(|limit| is_figure(&limit.figure(), of_stack))
        );
    }

    proptest! {
        /// The cosines of any vectors are correlations, also those of vectors that depend on each other and
        /// rounded as in files; the factor gives them back.
        #[test]
        fn the_factor_gives_the_correlations(
            vectors in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, 4), 1..20)
        ) {
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            prop_assume!(vectors.iter().all(|vector| dot(vector, vector) > 0.01));
            let cosine = |a: &[f64], b: &[f64]| dot(a, b) / libm::sqrt(dot(a, a) * dot(b, b));
            let rounded = |value: f64| (value * 1e4).round() / 1e4;
            let mut found = Correlations::default();
            for (place, vector) in vectors.iter().enumerate() {
                let above = vectors[..place].iter();
                let with: Vec<f64> = above.map(|other| rounded(cosine(vector, other))).collect();
                prop_assert_eq!(found.push(row("", &with)), Ok(()));
            }
            for (row, root) in found.roots.iter().enumerate() {
                prop_assert!((dot(root, root) - 1.0).abs() < 1e-9);
                for above in 0..row {
                    let expected = found.between(row, above);
                    prop_assert!((dot(root, &found.roots[above]) - expected).abs() <= ALONE);
                }
            }
        }
    }
}

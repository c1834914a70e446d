//! Comparisons of the values of a point, as filters have them: `io_size >= 8 KiB`.

use bandgraph_config::{Named, Problems, shortened};
use bandgraph_diagnostics::{Diagnostic, did_you_mean, there_are};

use super::axis::{Axis, AxisKind, AxisValue};

/// Longer operators first, so that `<=` is not read as `<`.
const OPERATORS: [(&str, Operator); 6] = [
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    (">", Operator::More),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    More,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Axis(usize),
    Number(f64),
    Text(String),
}

/// A comparison of the value of an axis with another value.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// As the file writes it.
    pub text: String,
    left: usize,
    operator: Operator,
    right: Operand,
}

impl Comparison {
    /// Whether it holds for a point, given by the values of all axes. What cannot be compared, because a
    /// value is not of its axis's kind, holds: such a point is an error, and errors are to be seen.
    pub fn holds(&self, values: &[AxisValue]) -> bool {
        let right = match self.right {
            Operand::Axis(right) => right,
            _ => self.left,
        };
        self.holds_between(&values[self.left], &values[right])
    }

    /// The first step of the axis on its left that it holds for, where its right is no axis.
    pub(crate) fn first_step(&self, axis: &Axis) -> Option<u64> {
        let holds = |step: &u64| {
            let value = axis.value(*step);
            self.holds_between(&value, &value)
        };
        (0..axis.size()?).find(holds)
    }

    /// Whether it holds for a value on its left and, if its right is an axis, one on its right.
    fn holds_between(&self, left: &AxisValue, right: &AxisValue) -> bool {
        let order = match &self.right {
            Operand::Text(text) => left.text.as_str().partial_cmp(text.as_str()),
            Operand::Number(number) => left.number.and_then(|left| left.partial_cmp(number)),
            Operand::Axis(_) => match (left.number, right.number) {
                (Some(left), Some(right)) => left.partial_cmp(&right),
                _ => left.text.partial_cmp(&right.text),
            },
        };
        let Some(order) = order else { return true };
        match self.operator {
            Operator::Less => order.is_lt(),
            Operator::AtMost => order.is_le(),
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::AtLeast => order.is_ge(),
            Operator::More => order.is_gt(),
        }
    }

    /// The place of the axis on its left.
    pub(crate) fn axis(&self) -> usize {
        self.left
    }

    /// Whether it compares two axes.
    pub(crate) fn is_of_two_axes(&self) -> bool {
        matches!(self.right, Operand::Axis(_))
    }

    /// Whether it says that an axis has one value.
    pub(crate) fn is_assignment(&self) -> bool {
        self.operator == Operator::Equal && !self.is_of_two_axes()
    }

    /// Reads a comparison; `None` if it is none, which is then among the problems. `declared` are the names
    /// of all axes, also of those that are not sound, of which nothing is said here.
    pub(crate) fn read(
        written: &Named,
        axes: &[Axis],
        declared: &[&str],
        problems: &mut Problems,
    ) -> Option<Self> {
        let text = written.text.as_str();
        let found = OPERATORS
            .iter()
            .filter_map(|(spelling, operator)| Some((text.find(spelling)?, spelling, *operator)))
            .min_by_key(|(at, spelling, _)| (*at, std::cmp::Reverse(spelling.len())));
        let Some((at, spelling, operator)) = found else {
            problems.push(
                Diagnostic::error("sweep::comparison", "this compares nothing")
                    .at(written.place.clone())
                    .help("write an axis, one of `==`, `!=`, `<`, `<=`, `>`, `>=`, and a value: `io_size >= 8 KiB`"),
            );
            return None;
        };
        let (left, right) = (text[..at].trim(), text[at + spelling.len()..].trim());
        let Some(index) = axes.iter().position(|axis| axis.id == left) else {
            if declared.contains(&left) {
                return None;
            }
            let known = || declared.iter().copied();
            problems.push(
                Diagnostic::error(
                    "sweep::unknown_axis",
                    format!("there is no axis `{}`", shortened(left)),
                )
                .at(written.place.clone())
                .help(did_you_mean(left, known()).unwrap_or_else(|| there_are(known()))),
            );
            return None;
        };
        let right = operand(right, index, axes, operator).map_err(|(message, help)| {
            problems.push(
                Diagnostic::error("sweep::comparison", message)
                    .at(written.place.clone())
                    .help(help),
            );
        });
        Some(Self {
            text: text.to_owned(),
            left: index,
            operator,
            right: right.ok()?,
        })
    }
}

/// The right side of a comparison, or a message and help.
fn operand(text: &str, left: usize, axes: &[Axis], operator: Operator) -> Result<Operand, (String, String)> {
    let axis = &axes[left];
    if let Some(right) = axes.iter().position(|axis| axis.id == text) {
        let ordered = axis.kind != AxisKind::Text || matches!(operator, Operator::Equal | Operator::NotEqual);
        return if axes[right].kind == axis.kind && ordered {
            Ok(Operand::Axis(right))
        } else {
            let message = format!("`{}` and `{text}` cannot be compared in this way", axis.id);
            Err((
                message,
                "compare sizes with sizes, times with times, and texts by `==` or `!=`".to_owned(),
            ))
        };
    }
    match axis.kind {
        AxisKind::Quantity(kind) => kind
            .parse(text)
            .map(Operand::Number)
            .map_err(|error| (format!("`{}` is a {kind}: {error}", axis.id), error.help())),
        AxisKind::Number => text
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .map(Operand::Number)
            .ok_or_else(|| {
                let message = format!("`{}` is a number, and `{}` is none", axis.id, shortened(text));
                (message, "write a plain number".to_owned())
            }),
        AxisKind::Text if matches!(operator, Operator::Equal | Operator::NotEqual) => {
            Ok(Operand::Text(text.trim_matches(['"', '\'']).to_owned()))
        }
        AxisKind::Text => {
            let message = format!("the values of `{}` are texts, which have no order", axis.id);
            Err((message, "compare texts by `==` or `!=`".to_owned()))
        }
    }
}

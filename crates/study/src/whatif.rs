//! What-if: a scenario beside variants of it.

use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_model::Scenario;
use bandgraph_scenario::{DiskFiles, Files, Loaded, Metric, load_with};
use rayon::prelude::*;

use crate::{
    Answer, CommonDraws, Difference, Gain, Interval, Method, StudyError, Weight, answer, difference, weights,
};

/// The maximum number of variants of one comparison.
const VARIANTS_MAX: usize = 1000;

/// A variant of the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Its name in reports.
    pub name: String,
    /// Overrides of fields, as `PATH=VALUE`, in order.
    pub sets: Vec<String>,
}

impl Variant {
    /// The variants of a comparison: first that of `sets`, then one for each of `texts`, in order.
    ///
    /// # Errors
    ///
    /// There is no variant, there are too many, or two have the same name.
    pub fn all(sets: &[String], texts: &[String]) -> Result<Vec<Self>, Box<Diagnostic>> {
        let mut variants = Vec::new();
        if !sets.is_empty() {
            variants.push(Self {
                name: sets.join("; "),
                sets: sets.to_vec(),
            });
        }
        variants.extend(texts.iter().map(|text| Self::parse(text)));
        if variants.is_empty() {
            let help =
                "say what to change: `--set PATH=VALUE`, or `--variant \"NAME: PATH=VALUE; PATH=VALUE\"`";
            return Err(
                Diagnostic::argument("there is nothing to compare the scenario with")
                    .help(help)
                    .into(),
            );
        }
        if variants.len() > VARIANTS_MAX {
            let message = format!(
                "{} variants are too many to compare; {VARIANTS_MAX} are allowed",
                variants.len()
            );
            return Err(Diagnostic::argument(message)
                .help("a sweep is for many points")
                .into());
        }
        for (index, variant) in variants.iter().enumerate() {
            let taken = variants[..index].iter().any(|other| other.name == variant.name);
            if taken || variant.name == "base" {
                let message = format!("two of the things to compare are called `{}`", variant.name);
                let help = "give each variant a name of its own: `--variant \"NAME: …\"`";
                return Err(Diagnostic::argument(message).help(help).into());
            }
        }
        Ok(variants)
    }

    /// Parses a variant: `name: set; set`. Without a name it is called by its overrides.
    pub fn parse(text: &str) -> Self {
        // A colon after the first `=` belongs to a value.
        let colon = outside_quotes(text, ':').next().filter(|&colon| {
            outside_quotes(text, '=')
                .next()
                .is_none_or(|equals| colon < equals)
        });
        let (name, rest) = match colon {
            Some(colon) => (text[..colon].trim(), &text[colon + 1..]),
            None => ("", text),
        };
        let mut sets = Vec::new();
        let mut start = 0;
        for end in outside_quotes(rest, ';').chain([rest.len()]) {
            let set = rest[start..end].trim();
            if !set.is_empty() {
                sets.push(set.to_owned());
            }
            start = (end + 1).min(rest.len());
        }
        Self {
            name: match name {
                "" if sets.is_empty() => "unchanged".to_owned(),
                "" => sets.join("; "),
                name => name.to_owned(),
            },
            sets,
        }
    }
}

/// The positions of a character outside double quotes.
fn outside_quotes(text: &str, letter: char) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    text.char_indices().filter_map(move |(at, found)| {
        if found == '"' {
            quoted = !quoted;
        }
        (found == letter && !quoted).then_some(at)
    })
}

/// A scenario to answer, with its name in the comparison.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name in reports.
    pub name: String,
    /// Its overrides, as `PATH=VALUE`: of the file for a base, of the base for a variant; empty for scenarios
    /// made in code.
    pub sets: Vec<String>,
    /// The scenario file, as it was named; `None` for scenarios made in code.
    pub file: Option<String>,
    /// Hash of the complete input; empty for scenarios made in code.
    pub input_hash: String,
    /// The scenario to run.
    pub scenario: Scenario,
}

/// A base and its variants, loaded and checked.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The scenario that the others are compared with.
    pub base: Question,
    /// The variants, in the order of the request.
    pub variants: Vec<Question>,
    /// Warnings about any of them: probable mistakes that do not prevent a run.
    pub warnings: Vec<Diagnostic>,
}

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// The question.
    pub question: Question,
    /// The answer.
    pub answer: Answer,
    /// The differences from the base; none for the base itself.
    pub difference: Difference,
    /// The 90 % interval of its operations per second; `None` if it has none, and until
    /// [`WhatIfAnswers::add_gains`] computes it.
    pub interval: Option<Interval>,
    /// The gain in operations per second; `None` for the base, and until [`WhatIfAnswers::add_gains`]
    /// computes it.
    pub gain: Option<Gain>,
}

/// The answers to a [`WhatIf`].
#[derive(Clone, Debug)]
pub struct WhatIfAnswers {
    /// The method of all answers.
    pub method: Method,
    /// The base.
    pub base: Case,
    /// The variants, in the order of the request.
    pub variants: Vec<Case>,
    /// The sources of the spread of the base, the largest first; empty without draws.
    pub weights: Vec<Weight>,
}

impl WhatIf {
    /// Loads a scenario as the base, with the `shared` overrides, and once per variant, with the shared
    /// overrides followed by its own.
    ///
    /// # Errors
    ///
    /// Every problem of the base; if the base is valid, every problem of the variants.
    pub fn load(
        path: &Path,
        shared: &[String],
        variants: &[Variant],
        sources: &mut Sources,
    ) -> Result<Self, Vec<Diagnostic>> {
        Self::load_with(&DiskFiles, path, shared, variants, sources)
    }

    /// [`load`](Self::load), with a given reader of files.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_with(
        files: &dyn Files,
        path: &Path,
        shared: &[String],
        variants: &[Variant],
        sources: &mut Sources,
    ) -> Result<Self, Vec<Diagnostic>> {
        let base = load_with(files, path, shared, sources)?;
        let mut warnings = base.warnings.clone();
        let base = Question::new("base", shared.to_vec(), base);
        let mut errors = Vec::new();
        let mut questions = Vec::new();
        for variant in variants {
            let sets: Vec<String> = shared.iter().chain(&variant.sets).cloned().collect();
            match load_with(files, path, &sets, sources) {
                Ok(loaded) => {
                    // The same warning about another copy of the same file is not repeated.
                    let known = |new: &Diagnostic| {
                        warnings
                            .iter()
                            .any(|old| old.id == new.id && old.message == new.message)
                    };
                    let new: Vec<Diagnostic> = loaded
                        .warnings
                        .iter()
                        .filter(|new| !known(new))
                        .cloned()
                        .collect();
                    warnings.extend(new);
                    questions.push(Question::new(variant.name.clone(), variant.sets.clone(), loaded));
                }
                Err(diagnostics) => errors.extend(diagnostics),
            }
        }
        if errors.is_empty() {
            Ok(Self {
                base,
                variants: questions,
                warnings,
            })
        } else {
            Err(errors)
        }
    }

    /// Answers all questions, in parallel. The result does not depend on the number of threads.
    ///
    /// # Errors
    ///
    /// [`StudyError`] of the first question, in their order, that cannot be answered.
    pub fn answer(&self, method: Method) -> Result<WhatIfAnswers, StudyError> {
        let questions: Vec<&Question> = std::iter::once(&self.base).chain(&self.variants).collect();
        let answers: Vec<Result<Answer, StudyError>> = questions
            .par_iter()
            .map(|question| answer(&question.name, &question.scenario, method))
            .collect();
        let answers: Vec<Answer> = answers.into_iter().collect::<Result<_, _>>()?;
        let base_outcome = &answers[0].outcome;
        let mut cases: Vec<Case> = questions
            .into_iter()
            .zip(&answers)
            .map(|(question, answer)| Case {
                question: question.clone(),
                difference: difference(base_outcome, &answer.outcome),
                answer: answer.clone(),
                interval: None,
                gain: None,
            })
            .collect();
        let variants = cases.split_off(1);
        let base = cases.pop().expect("the base is the first question");
        Ok(WhatIfAnswers {
            method,
            base,
            variants,
            weights: Vec::new(),
        })
    }
}

impl WhatIfAnswers {
    /// Computes the interval of each case and the certainty of the gain of each variant, from `draws` common
    /// draws.
    pub fn add_gains(&mut self, draws: u32) {
        let drawn = |case: &mut Case, base: Option<&CommonDraws>| {
            let draws = CommonDraws::beside(base, &case.question.scenario, draws)?;
            case.interval = draws.interval(Metric::OperationsPerSecond);
            Some(draws)
        };
        let base = drawn(&mut self.base, None);
        self.weights = weights(&self.base.question.scenario);
        for case in &mut self.variants {
            let both = drawn(case, base.as_ref()).zip(base.as_ref());
            case.gain = both.and_then(|(variant, base)| variant.gain_over(base, Metric::OperationsPerSecond));
        }
    }
}

impl Question {
    /// The question of a file, as reports call it, with the overrides that make it.
    pub fn new(name: impl Into<String>, sets: Vec<String>, loaded: Loaded) -> Self {
        Self {
            name: name.into(),
            sets,
            file: Some(loaded.path.display().to_string()),
            input_hash: loaded.input_hash,
            scenario: loaded.scenario,
        }
    }
}

impl Case {
    /// Whether the bottleneck differs from that in `base`.
    pub fn bottleneck_moved(&self, base: &Self) -> bool {
        let limit = |case: &Self| {
            let bottleneck = &case.answer.explained.bottleneck;
            (bottleneck.kind, bottleneck.ids())
        };
        limit(self) != limit(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_a_name_and_overrides() {
        for (text, name, sets) in [
            ("ht3: link.*.part=ht3-x16", "ht3", vec!["link.*.part=ht3-x16"]),
            ("two things: a=1; b=2", "two things", vec!["a=1", "b=2"]),
            ("a=1;b=2;", "a=1; b=2", vec!["a=1", "b=2"]),
            ("a=12:30", "a=12:30", vec!["a=12:30"]),
            (": a=1", "a=1", vec!["a=1"]),
            ("q: a=\"x; y: z\"; b=2", "q", vec!["a=\"x; y: z\"", "b=2"]),
            ("same:", "same", vec![]),
            ("", "unchanged", vec![]),
            ("é: a=é; b=ö", "é", vec!["a=é", "b=ö"]),
        ] {
            let found = Variant::parse(text);
            assert_eq!(found.name, name, "{text}");
            assert_eq!(found.sets, sets, "{text}");
        }
    }
}

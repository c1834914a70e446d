//! What was learned of a machine from its measurements, as a document and for people.

use bandgraph_scenario::Measured;
use bandgraph_study::{Interval, LearnedError, LearnedFigure, LeftOutPoint, OwnStudy};
use bandgraph_units::{QuantityKind, significant, span};

use crate::VERSION;
use crate::comparison::in_words_of_unit;
use crate::text::{PREDICTED, RANGE_END, counted, percent, provenance, short_hash};
use crate::view::{Table, View};

documents! {
    /// What measurements of a machine say of the figures of the model.
    #[schemars(title = "Bandgraph calibration of a machine of one's own")]
    pub struct LearnedDocument(file: &str, found: &OwnStudy) {
        let learned = &found.learned;

        /// Version of this format.
        pub schema: u32 = 1,
        /// Version of the program that wrote this.
        pub bandgraph: String = VERSION.to_owned(),
        /// The scenario, or the folder of scenarios, as it was named.
        pub file: String = file.to_owned(),
        /// The software profile that a written profile is based on.
        pub stack: String = found.stack.clone(),
        /// Hash of the scenarios and of the files with measurements.
        #[serde(default)]
        pub input_hash: String = found.input_hash.clone(),
        /// How many measurements there are.
        pub measurements: usize = learned.measurements.len(),
        /// How many measurements the included profile was learned from before.
        #[serde(default)]
        pub earlier_measurements: usize = learned.earlier.measurements.len(),
        /// These measurements.
        pub used: Vec<UsedDocument> = found.measured.iter().map(UsedDocument::new).collect(),
        /// Root mean square of the errors of predictions before, as logarithms.
        pub error_before: f64 = learned.errors[0],
        /// The same with what was learned.
        pub error_after: f64 = learned.errors[1],
        /// The figures with a narrower range than before, the largest change first.
        pub figures: Vec<LearnedFigureDocument> =
            learned.figures.iter().map(LearnedFigureDocument::new).collect(),
        /// The error of the model on this machine, for the kinds of limits that the measurements have.
        pub model_errors: Vec<LearnedErrorDocument> =
            learned.model.iter().map(LearnedErrorDocument::new).collect(),
        /// Each measurement, predicted from the others; empty if there is only one.
        pub left_out: Vec<LeftOutDocument> = found.left_out.iter().map(LeftOutDocument::new).collect(),
    }

    /// A measurement that was used.
    #[derive(Eq)]
    pub struct UsedDocument(measured: &Measured) {
        /// Its id.
        pub id: String = measured.id.clone(),
        /// What was measured, with the name that files have for it.
        pub metric: String = measured.metric.to_string(),
        /// The value, as its file has it.
        pub measured_text: String = measured.text.clone(),
        /// What to know of it; null where there is nothing.
        pub note: Option<String> = measured.note.clone(),
    }

    /// A value and its 90 % interval.
    #[derive(Copy)]
    pub struct BeliefDocument(found: f64, low: f64, high: f64) {
        /// The most likely value.
        pub value: f64 = found,
        /// Lower end.
        pub low: f64,
        /// Upper end.
        pub high: f64,
    }

    /// A figure that is better known now.
    pub struct LearnedFigureDocument(one: &LearnedFigure) {
        let figure = &one.figure;

        /// What it is a figure of: a kind of part, or `stack`.
        pub of: String = figure.kind.to_owned(),
        /// The name of the part or of the stack.
        pub name: String = figure.name.clone(),
        /// The field.
        pub field: String = figure.field.to_owned(),
        /// Whether a written profile has it: a figure of the software or of a part, one in every scenario.
        #[serde(default)]
        pub in_profile: bool = one.in_profile,
        /// Unit of the values; `1` for plain numbers.
        pub unit: String = figure.unit().map_or("1", QuantityKind::base_unit).to_owned(),
        /// The value before, as files write it.
        pub before_text: String = figure.texts[0].clone(),
        /// Before, with the range that draws start from.
        pub before: BeliefDocument = BeliefDocument::new(figure.value, one.drawn[0], one.drawn[1]),
        /// With the measurements.
        pub after: BeliefDocument = BeliefDocument::new(one.value, one.range[0], one.range[1]),
    }

    /// The error of the model on this machine where some kind of thing is the limit.
    pub struct LearnedErrorDocument(one: &LearnedError) {
        /// The kind of limit.
        pub kind: String = one.limit.as_str().to_owned(),
        /// The standard deviation before, of the logarithm of a rate.
        pub deviation_before: f64 = one.before,
        /// The same now.
        pub deviation_after: f64 = one.now[1],
        /// By what predicted rates of this machine are to be multiplied.
        pub factor: f64 = one.factor(),
    }

    /// A measurement that was left out and predicted from the others.
    pub struct LeftOutDocument(point: &LeftOutPoint) {
        let belief = |(value, ends): (f64, Interval)| BeliefDocument::new(value, ends.low, ends.high);

        /// Id of the measurement.
        pub id: String = point.measured.id.clone(),
        /// Name of the scenario.
        pub scenario: String = point.scenario.clone(),
        /// What was measured, with the name that files have for it.
        pub metric: String = point.measured.metric.to_string(),
        /// Unit of the values; `1` for plain numbers.
        pub unit: String = point.measured.metric.unit().to_owned(),
        /// The value measured.
        pub measured: f64 = point.measured.value,
        /// The same as its file has it.
        pub measured_text: String = point.measured.text.clone(),
        /// The prediction without any measurement.
        pub before: BeliefDocument = belief(point.before),
        /// The prediction with the other measurements.
        pub after: BeliefDocument = belief(point.after),
        /// How many times as wide the interval before is, in logarithms.
        pub narrower_by: f64 = point.factor(),
    }
}

impl BeliefDocument {
    /// The value and its interval in words, in the unit of `like`.
    fn words(&self, unit: &str, like: &str) -> [String; 2] {
        let words = |value| in_words_of_unit(unit, value, like);
        [words(self.value), span(&words(self.low), &words(self.high))]
    }

    fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// What was learned, and how well points that were left out are predicted by the others.
pub fn learned_view(found: &LearnedDocument) -> View {
    let mut page = View::new();
    let measurements = counted(found.measurements as f64, "measurement");
    let verb = if found.measurements == 1 { "says" } else { "say" };
    page.title(format!("What {measurements} {verb} of {}", found.file));
    let [before, after] =
        [found.error_before, found.error_after].map(|error| significant(libm::exp(error), 3));
    page.paragraph(&format!(
        "Predictions were off by a factor of {before} before and are by {after} now (root mean square of \
         logarithms)."
    ));
    if found.earlier_measurements > 0 {
        let earlier = counted(found.earlier_measurements as f64, "measurement");
        page.paragraph(&format!(
            "They start from the included profile, which was learned from {earlier}: `before` is with these, \
             and `now` with both. A written profile has both and replaces the included one."
        ));
    }
    // Several are in the table of those that were left out.
    for used in found
        .used
        .iter()
        .filter(|used| found.used.len() == 1 || used.note.is_some())
    {
        let note = used
            .note
            .as_ref()
            .map_or_else(String::new, |note| format!(" ({note})"));
        let UsedDocument {
            id,
            metric,
            measured_text,
            ..
        } = used;
        page.paragraph(&format!("Used of {id}: {metric} {measured_text}{note}."));
    }
    figures(&mut page, found);
    model_errors(&mut page, &found.model_errors);
    left_out(&mut page, &found.left_out);
    let origin = format!("{}, input {}", found.file, short_hash(&found.input_hash));
    provenance(&mut page, &found.bandgraph, PREDICTED, &[origin]);
    page
}

fn figures(page: &mut View, found: &LearnedDocument) {
    page.heading("Figures that are better known now");
    if found.figures.is_empty() {
        page.paragraph(
            "None: where these measurements have their limit, no uncertain figure of the parts or the \
             software sets the rate, and what is left is the error of the model.",
        );
    } else {
        let mut table = Table::of("of | figure | >before | 90 % range | >now | 90 % range");
        for one in &found.figures {
            let [before, around] = one.before.words(&one.unit, &one.before_text);
            let [now, narrow] = one.after.words(&one.unit, &one.before_text);
            table.plain([one.name.clone(), one.field.clone(), before, around, now, narrow]);
        }
        page.table(table);
    }
    if found.figures.iter().any(|figure| figure.in_profile) {
        page.paragraph(
            "A profile (`--profile`) has these figures and their correlations: the intervals of scenarios that \
             include it are those of this machine.",
        );
    }
    let others = found.figures.iter().filter(|figure| !figure.in_profile);
    let others: Vec<String> = others
        .map(|figure| format!("{} of {}", figure.field, figure.name))
        .collect();
    if !others.is_empty() {
        let others = others.join(", ");
        page.paragraph(&format!(
            "It has no figure of clients and workloads, and none whose value differs between the scenarios; enter \
             them in your file: {others}."
        ));
    }
}

/// How far the model is off on this machine, by kind of limit.
fn model_errors(page: &mut View, errors: &[LearnedErrorDocument]) {
    if errors.is_empty() {
        return;
    }
    page.heading("Error of the model on this machine");
    let mut table = Table::of("limit | >before | >now | factor of rates");
    let width = |deviation: f64| format!("±{}", percent(RANGE_END * deviation));
    for one in errors {
        table.plain([
            one.kind.clone(),
            width(one.deviation_before),
            width(one.deviation_after),
            significant(one.factor, 3),
        ]);
    }
    page.table(table);
    page.paragraph(
        "A part of the error of the model belongs to the machine and not to the load, so that a measurement \
         says something about other loads with the same kind of limit. A profile (`--profile`) has the \
         factor and its deviation as `[[stack.model_error]]`: the intervals of scenarios that include it are \
         those of this machine. The rates that `run` predicts are without the factor; those under `now` below \
         have it.",
    );
}

fn left_out(page: &mut View, points: &[LeftOutDocument]) {
    if points.is_empty() {
        return;
    }
    page.heading("Each measurement, predicted from the others");
    let mut table =
        Table::of("id | >measured | >before | 90 % interval | >now | 90 % interval | >narrower by");
    for point in points {
        let [before, around] = point.before.words(&point.unit, &point.measured_text);
        let [now, narrow] = point.after.words(&point.unit, &point.measured_text);
        table.plain([
            point.id.clone(),
            point.measured_text.clone(),
            before,
            around,
            now,
            narrow,
            match width_words(point.narrower_by) {
                (factor, true) => format!("{factor}x"),
                (factor, false) => format!("{factor}x wider"),
            },
        ]);
    }
    page.table(table);
    let inside = points.iter().filter(|point| point.after.contains(point.measured));
    let mean = points.iter().map(|point| point.narrower_by).sum::<f64>() / points.len() as f64;
    let width = match width_words(mean) {
        (factor, _) if factor == "1" => "as wide as before".to_owned(),
        (factor, true) => format!("narrower by a factor of {factor}"),
        (factor, false) => format!("wider by a factor of {factor}"),
    };
    page.paragraph(&format!(
        "{} of {} are within their interval; on average, intervals are {width}.",
        inside.count(),
        points.len(),
    ));
}

/// The factor by which the width of an interval changed, and whether it is narrower.
fn width_words(narrower_by: f64) -> (String, bool) {
    let is_narrower = significant(narrower_by, 2) == "1" || narrower_by > 1.0;
    let factor = if is_narrower {
        narrower_by
    } else {
        1.0 / narrower_by
    };
    (significant(factor, 2), is_narrower)
}

#[cfg(test)]
mod tests {
    use bandgraph_model::{Correlations, LimitGroup};
    use bandgraph_study::{Earlier, Learned};

    use super::*;

    #[test]
    fn an_interval_that_grew_is_wider() {
        let words = [1.6, 1.0, 0.5].map(width_words);
        let expected = [("1.6", true), ("1", true), ("2", false)];
        assert_eq!(
            words,
            expected.map(|(factor, narrower)| (factor.to_owned(), narrower))
        );
    }
    use crate::document::figures;
    use crate::view::TextOptions;

    /// One measurement under a load that a port limits: it says something of the model only.
    fn of_a_port() -> LearnedDocument {
        let error = LearnedError {
            limit: LimitGroup::Cards,
            before: 0.05,
            now: [-0.04, 0.04],
            common: 0.2,
            measurements: 1,
        };
        let found = OwnStudy {
            input_hash: "0123456789abcdef".to_owned(),
            measured: Vec::new(),
            stack: "linux-nfsd-tcp-2020".to_owned(),
            learned: Learned {
                figures: Vec::new(),
                model: vec![error],
                correlations: Correlations::default(),
                earlier: Earlier::default(),
                measurements: vec!["row payload_bytes_per_s 1 GB".to_owned()],
                errors: [0.09, 0.06],
            },
            left_out: Vec::new(),
            warnings: Vec::new(),
        };
        LearnedDocument::new("mine.toml", &found)
    }

    #[test]
    fn a_profile_has_the_error_of_the_model() {
        let text = learned_view(&of_a_port()).text(&TextOptions::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.starts_with("What 1 measurement says of mine.toml"), "{text}");
        assert!(
            text.contains("the intervals of scenarios that include it"),
            "{text}"
        );
        assert!(!text.contains("90 % range"), "no empty table: {text}");
        assert!(
            text.contains("off by a factor of 1.09 before and are by 1.06 now"),
            "{text}"
        );
        assert!(text.ends_with("mine.toml, input 0123456789ab"), "{text}");
    }

    /// A table without rows is none, and the measurements of an included profile are named.
    #[test]
    fn a_second_calibration_names_the_first() {
        let mut found = of_a_port();
        found.model_errors.clear();
        found.earlier_measurements = 9;
        let text = learned_view(&found).text(&TextOptions::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("which was learned from 9 measurements"), "{text}");
        assert!(!text.contains("Error of the model on this machine"), "{text}");
    }

    #[test]
    fn every_format_has_the_factor() {
        let figures = figures(&of_a_port());
        let factor = figures.iter().find(|figure| figure.metric == "factor");
        let factor = factor.expect("there is a factor");
        assert_eq!(factor.subject, "PCIe and ports");
        assert!((factor.value - 0.960_789).abs() < 1e-6, "e^-0.04: {factor:?}");
    }
}

//! The fields of a sweep file.

use super::measured::PROBABILITY;
use super::{DESCRIPTION, Field, FieldType, INCLUDE, Identity, MAX, MIN, SCHEMA, Shape, kinds};
use crate::shapes::{MetricName, MetricQuantity};
use crate::sweep_file::{MAXIMUM_POINTS, Over, Sampling, SweepMode};

kinds! {
    /// A scenario, and what is varied in it.
    pub(crate) static SWEEP("sweep") {
        SCHEMA;
        INCLUDE;
        /// The name of the sweep in reports.
        name: Shape::Text;
        DESCRIPTION;
        /// The path of the scenario to vary.
        scenario: Shape::Text;
        /// Overrides that hold for every point, as `PATH=VALUE`: what `--set` takes.
        set: Shape::Texts, optional;
        /// How every point is answered: by its steady state, or event by event with percentiles of latency.
        mode: SweepMode::SHAPE, default("predict");
        /// Whether the bottleneck of every point and the next one are found; without, predictions take about
        /// two thirds of the time.
        explain: Shape::Flag, default(true);
        /// How many draws of all uncertain figures are predicted for each point, 100 being enough for most:
        /// results then have the interval of each rate and of the latency. A point costs that many
        /// predictions more. Left out: none, or 100 where `reference` or a `probability` needs them.
        draws: Shape::Count, optional, at_least(20), at_most(10_000);
        /// Values of axes, as in `link == ht1`: results then have the interval of what each point has more
        /// than the point with these values and its own values of all other axes. Both have the same draws.
        reference: Shape::Texts, optional;
        /// The axes. The last one varies fastest.
        axis: Shape::Entries(&AXIS);
        /// A sample of all combinations, in place of each of them.
        sample: Shape::Table(Sampling::KIND), optional;
        /// Comparisons such as `io_size >= 8 KiB` or `cards != 1`, on the left an axis, on the right a value
        /// or another axis. Points for which one of them does not hold are left out.
        filter: Shape::Texts, optional;
        /// Bounds that results must keep: a gate for CI.
        expect: Shape::Entries(&SWEEP_EXPECT), optional;
        /// What was measured at points of the sweep: pictures of curves show it beside what is predicted.
        measured: Shape::Entries(&SWEEP_MEASURED), optional;
        /// Points that may end in an error before the gate fails; any number if left out.
        max_errors: Shape::Count, optional, at_most(MAXIMUM_POINTS);
    }

    /// One thing that is varied, by `values`, a `range` or a `log_range`.
    static AXIS("axis", Identity::Field("id")) {
        /// Its name: the column of results, with its unit behind, and what filters call it.
        id: Shape::Id;
        /// The field that is varied, as `--set` takes it: `workload.read.io_size`, `link.*.part`. The paths
        /// `scenario` and `topology` vary the file itself.
        path: Shape::Text;
        /// The values, one by one.
        values: Shape::Values, optional;
        /// Values at equal distances.
        range: Shape::Table(&RANGE), optional;
        /// Values at equal ratios.
        log_range: Shape::Table(&LOG_RANGE), optional;
        /// Another axis with as many values, with which this one goes in step.
        with: Shape::Reference("axis"), optional;
    }

    /// Values at equal distances: from `start` to `stop` by `step`, the ends included.
    static RANGE("range") {
        /// The first value.
        start: Shape::Scalar;
        /// No value is above it.
        stop: Shape::Scalar;
        /// The distance. Only a sample can do without: it then takes any value between the ends.
        step: Shape::Scalar, optional;
    }

    /// Values at equal ratios from `start` to `stop`. Whole numbers stay whole: values are rounded, and each
    /// is taken once.
    static LOG_RANGE("log_range") {
        /// The first value, above zero.
        start: Shape::Scalar;
        /// No value is above it.
        stop: Shape::Scalar;
        /// How many values; the last is `stop`.
        count: Shape::Count, optional, at_least(2), at_most(100_000);
        /// How many values for every factor of ten, in place of `count`.
        per_decade: Shape::Count, optional, at_least(1), at_most(1000);
    }
}

const METRIC: Field = Field::new(
    "metric",
    Shape::Custom(&MetricName { of_resources: false }),
    "The figure.",
);

kinds! {
    /// A bound that results must keep; `bandgraph sweep` ends with exit code 1 if it does not.
    static SWEEP_EXPECT("expectation", Identity::Field("id")) {
        /// Its name in reports.
        id: Shape::Id;
        METRIC;
        MIN;
        MAX;
        PROBABILITY;
        /// What is compared with the bounds: the figure of each point, or the minimum, maximum or mean of
        /// all.
        over: Over::SHAPE, default("each");
        /// Comparisons as in `filter`: the expectation is of the points for which all of them hold.
        when: Shape::Texts, optional;
    }

    /// A measurement of the real machine at a point of the sweep.
    static SWEEP_MEASURED("sweep_measurement", Identity::Field("id")) {
        /// Its name.
        id: Shape::Id;
        METRIC;
        /// What was measured.
        value: Shape::Custom(&MetricQuantity);
        /// Comparisons as in `filter`: it was measured at the points for which all of them hold.
        when: Shape::Texts;
        /// Where it was published.
        source: Shape::Text;
    }
}

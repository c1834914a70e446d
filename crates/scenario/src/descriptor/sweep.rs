//! The fields of a sweep file.

use super::measured::PROBABILITY;
use super::{
    DESCRIPTION, Field, INCLUDE, Identity, Kind, MAX, MIN, SCHEMA, Shape, count, entries, of, optional,
    optional_reference, required, with_default,
};
use crate::shapes::{MetricName, MetricQuantity};
use crate::sweep_file::{MAXIMUM_POINTS, Over, SamplingMethod, SweepMode};

fn modes() -> Vec<&'static str> {
    SweepMode::ALL.iter().map(|mode| mode.as_str()).collect()
}

fn methods() -> Vec<&'static str> {
    SamplingMethod::ALL.iter().map(|method| method.as_str()).collect()
}

fn overs() -> Vec<&'static str> {
    Over::ALL.iter().map(|over| over.as_str()).collect()
}

/// The root of a sweep file.
pub(crate) static SWEEP: Kind = Kind {
    name: "sweep",
    doc: "A scenario, and what is varied in it.",
    identity: Identity::Single,
    groups: &[&[
        SCHEMA,
        INCLUDE,
        required("name", of(Shape::Text), "The name of the sweep in reports."),
        DESCRIPTION,
        required("scenario", of(Shape::Text), "The path of the scenario to vary."),
        optional(
            "set",
            of(Shape::Texts),
            "Overrides that hold for every point, as `PATH=VALUE`: what `--set` takes.",
        ),
        with_default(
            "mode",
            of(Shape::Choice(modes)),
            "\"predict\"",
            "How every point is answered: by its steady state, or event by event with percentiles of latency.",
        ),
        with_default(
            "explain",
            of(Shape::Flag),
            "true",
            "Whether the bottleneck of every point and the next one are found; without, predictions take about two thirds of \
             the time.",
        ),
        optional(
            "draws",
            count(20, 10_000),
            "How many draws of all uncertain figures are predicted for each point, 100 being enough for \
             most: results then have the interval of each rate and of the latency. A point costs that many \
             predictions more. Left out: none, or 100 where `reference` or a `probability` needs them.",
        ),
        optional(
            "reference",
            of(Shape::Texts),
            "Values of axes, as in `link == ht1`: results then have the interval of what each point has \
             more than the point with these values and its own values of all other axes. Both have the \
             same draws.",
        ),
        required(
            "axis",
            of(Shape::Entries(&AXIS)),
            "The axes. The last one varies fastest.",
        ),
        optional(
            "sample",
            of(Shape::Table(&SAMPLE)),
            "A sample of all combinations, in place of each of them.",
        ),
        optional(
            "filter",
            of(Shape::Texts),
            "Comparisons such as `io_size >= 8 KiB` or `cards != 1`, on the left an axis, on the right a value or another \
             axis. Points for which one of them does not hold are left out.",
        ),
        entries(
            "expect",
            &SWEEP_EXPECT,
            "Bounds that results must keep: a gate for CI.",
        ),
        entries(
            "measured",
            &SWEEP_MEASURED,
            "What was measured at points of the sweep: pictures of curves show it beside what is predicted.",
        ),
        optional(
            "max_errors",
            count(0, MAXIMUM_POINTS),
            "Points that may end in an error before the gate fails; any number if left out.",
        ),
    ]],
    described: None,
};

static AXIS: Kind = Kind {
    name: "axis",
    doc: "One thing that is varied, by `values`, a `range` or a `log_range`.",
    identity: Identity::Field("id"),
    groups: &[&[
        required(
            "id",
            of(Shape::Id),
            "Its name: the column of results, with its unit behind, and what filters call it.",
        ),
        required(
            "path",
            of(Shape::Text),
            "The field that is varied, as `--set` takes it: `workload.read.io_size`, `link.*.part`. The paths `scenario` \
             and `topology` vary the file itself.",
        ),
        optional("values", of(Shape::Values), "The values, one by one."),
        optional("range", of(Shape::Table(&RANGE)), "Values at equal distances."),
        optional(
            "log_range",
            of(Shape::Table(&LOG_RANGE)),
            "Values at equal ratios.",
        ),
        optional_reference(
            "with",
            "axis",
            "Another axis with as many values, with which this one goes in step.",
        ),
    ]],
    described: None,
};

static RANGE: Kind = Kind {
    name: "range",
    doc: "Values at equal distances: from `start` to `stop` by `step`, the ends included.",
    identity: Identity::Single,
    groups: &[&[
        required("start", of(Shape::Scalar), "The first value."),
        required("stop", of(Shape::Scalar), "No value is above it."),
        optional(
            "step",
            of(Shape::Scalar),
            "The distance. Only a sample can do without: it then takes any value between the ends.",
        ),
    ]],
    described: None,
};

static LOG_RANGE: Kind = Kind {
    name: "log_range",
    doc: "Values at equal ratios from `start` to `stop`. Whole numbers stay whole: values are rounded, and each is taken \
          once.",
    identity: Identity::Single,
    groups: &[&[
        required("start", of(Shape::Scalar), "The first value, above zero."),
        required("stop", of(Shape::Scalar), "No value is above it."),
        optional("count", count(2, 100_000), "How many values; the last is `stop`."),
        optional(
            "per_decade",
            count(1, 1000),
            "How many values for every factor of ten, in place of `count`.",
        ),
    ]],
    described: None,
};

static SAMPLE: Kind = Kind {
    name: "sample",
    doc: "Which of all combinations are taken. The same seed gives the same sample.",
    identity: Identity::Single,
    groups: &[&[
        required(
            "method",
            of(Shape::Choice(methods)),
            "Each axis at random (`random`), or at random with each axis covered evenly \
             (`latin-hypercube`).",
        ),
        required("count", count(1, MAXIMUM_POINTS), "How many points."),
        with_default("seed", count(0, i64::MAX as u64), "1", "Seeds the choice."),
    ]],
    described: None,
};

const METRIC: Field = required(
    "metric",
    of(Shape::Custom(&MetricName { of_resources: false })),
    "The figure.",
);

static SWEEP_EXPECT: Kind = Kind {
    name: "expectation",
    doc: "A bound that results must keep; `bandgraph sweep` ends with exit code 1 if it does not.",
    identity: Identity::Field("id"),
    groups: &[&[
        required("id", of(Shape::Id), "Its name in reports."),
        METRIC,
        MIN,
        MAX,
        PROBABILITY,
        with_default(
            "over",
            of(Shape::Choice(overs)),
            "\"each\"",
            "What is compared with the bounds: the figure of each point, or the minimum, maximum or mean of all.",
        ),
        optional(
            "when",
            of(Shape::Texts),
            "Comparisons as in `filter`: the expectation is of the points for which all of them hold.",
        ),
    ]],
    described: None,
};

static SWEEP_MEASURED: Kind = Kind {
    name: "sweep_measurement",
    doc: "A measurement of the real machine at a point of the sweep.",
    identity: Identity::Field("id"),
    groups: &[&[
        required("id", of(Shape::Id), "Its name."),
        METRIC,
        required("value", of(Shape::Custom(&MetricQuantity)), "What was measured."),
        required(
            "when",
            of(Shape::Texts),
            "Comparisons as in `filter`: it was measured at the points for which all of them hold.",
        ),
        required("source", of(Shape::Text), "Where it was published."),
    ]],
    described: None,
};

//! The fields of a calibration file.

use bandgraph_sim::Stack;
use bandgraph_units::QuantityKind;

use super::{Described, Identity, Kind, Shape, Sign, optional, required, with_default};

fn stacks() -> Vec<&'static str> {
    Stack::NAMES.to_vec()
}

/// The root of a calibration file.
pub(crate) static CALIBRATION: Kind = Kind {
    name: "calibration",
    doc: "Which figures of the model may be fitted, within which bounds, and to which measurements.",
    identity: Identity::Single,
    fields: &[
        required("schema", Shape::Schema, "The version of the file format: 1."),
        optional(
            "include",
            Shape::Paths,
            "Files that are read first; what this file says is laid over them, field by field.",
        ),
        required(
            "name",
            Shape::Text,
            "What reports and the fitted profile are called.",
        ),
        optional(
            "description",
            Shape::Text,
            "What it is about, in as many words as you like.",
        ),
        with_default(
            "profile",
            Shape::Choice(stacks),
            "\"fishworks-2009\"",
            "The stack profile whose figures are fitted: those of `stack` begin with its values.",
        ),
        required("parameter", Shape::Entries(&PARAMETER), "What may be fitted."),
        required("data", Shape::Entries(&DATA), "What it is fitted to."),
    ],
    described: Described::Nothing,
};

/// A figure that may be fitted.
static PARAMETER: Kind = Kind {
    name: "parameter",
    doc: "A figure that may be fitted, within the bounds that physics or the literature set it.",
    identity: Identity::Field("path"),
    fields: &[
        required(
            "path",
            Shape::Text,
            "The field, as `--set` takes it: `stack.misses_per_byte`, `socket.*.base_cpi`. One of several shares by its \
             number: `stack.home_shares.0`.",
        ),
        required(
            "low",
            Shape::Scalar,
            "The least that it may be: a number, or a text with a unit.",
        ),
        required(
            "high",
            Shape::Scalar,
            "The most that it may be, in the same unit.",
        ),
        optional(
            "start",
            Shape::Scalar,
            "Where to begin; the value of the profile, or else the middle, if left out.",
        ),
        optional(
            "profiles",
            Shape::Texts,
            "Scenarios with these stack profiles only; all of them if left out.",
        ),
        required("source", Shape::Text, "Where the bounds come from."),
    ],
    described: Described::Nothing,
};

/// Measurements of one scenario.
static DATA: Kind = Kind {
    name: "data",
    doc: "A scenario whose measurements the parameters are fitted to, all of them together.",
    identity: Identity::Field("scenario"),
    fields: &[
        required(
            "scenario",
            Shape::Text,
            "The path of the scenario, relative to this file.",
        ),
        optional(
            "measured",
            Shape::Texts,
            "The ids of the measurements that count; all of the scenario if left out.",
        ),
        with_default(
            "links",
            Shape::Flag,
            "false",
            "Whether the counters of links count too.",
        ),
        with_default(
            "uncertainty",
            Shape::Quantity(QuantityKind::Fraction, Sign::Positive),
            "\"5 %\"",
            "How well each is known: a point that is known twice as well counts twice as much.",
        ),
    ],
    described: Described::Nothing,
};

//! The fields of a calibration file.

use bandgraph_model::profile_names;
use bandgraph_units::QuantityKind;

use super::{
    DESCRIPTION, INCLUDE, Identity, Kind, SCHEMA, Shape, of, optional, positive, required, with_default,
};

/// The root of a calibration file.
pub(crate) static CALIBRATION: Kind = Kind {
    name: "calibration",
    doc: "Which figures of the model may be fitted, within which bounds, and to which measurements.",
    identity: Identity::Single,
    groups: &[&[
        SCHEMA,
        INCLUDE,
        required(
            "name",
            of(Shape::Text),
            "The name of the fit in reports, and of the fitted profile.",
        ),
        DESCRIPTION,
        with_default(
            "profile",
            of(Shape::Choice(profile_names)),
            "\"fishworks-2009\"",
            "The stack profile whose figures are fitted: those of `stack` begin with its values.",
        ),
        required(
            "parameter",
            of(Shape::Entries(&PARAMETER)),
            "The parameters to fit.",
        ),
        required(
            "data",
            of(Shape::Entries(&DATA)),
            "The measurements that it is fitted to.",
        ),
    ]],
    described: None,
};

/// A figure that may be fitted.
static PARAMETER: Kind = Kind {
    name: "parameter",
    doc: "A figure that may be fitted, within the bounds that physics or the literature set it.",
    identity: Identity::Field("path"),
    groups: &[&[
        required(
            "path",
            of(Shape::Text),
            "The field, as `--set` takes it: `stack.misses_per_byte`, `socket.*.base_cpi`. One of several shares by its \
             number: `stack.home_shares.0`.",
        ),
        required(
            "low",
            of(Shape::Scalar),
            "The least that it may be: a number, or a text with a unit.",
        ),
        required(
            "high",
            of(Shape::Scalar),
            "The most that it may be, in the same unit.",
        ),
        optional(
            "start",
            of(Shape::Scalar),
            "Where to begin; the value of the profile, or else the middle, if left out.",
        ),
        optional(
            "profiles",
            of(Shape::Texts),
            "Scenarios with these stack profiles only; all of them if left out.",
        ),
        required("source", of(Shape::Text), "Where the bounds come from."),
    ]],
    described: None,
};

/// Measurements of one scenario.
static DATA: Kind = Kind {
    name: "data",
    doc: "A scenario whose measurements the parameters are fitted to, all of them together.",
    identity: Identity::Field("scenario"),
    groups: &[&[
        required(
            "scenario",
            of(Shape::Text),
            "The path of the scenario, relative to this file.",
        ),
        optional(
            "measured",
            of(Shape::Texts),
            "The ids of the measurements that count; all of the scenario if left out.",
        ),
        with_default(
            "links",
            of(Shape::Flag),
            "false",
            "Whether the counters of links count too.",
        ),
        with_default(
            "uncertainty",
            positive(QuantityKind::Fraction),
            "\"5 %\"",
            "How well each is known: a point that is known twice as well counts twice as much.",
        ),
    ]],
    described: None,
};

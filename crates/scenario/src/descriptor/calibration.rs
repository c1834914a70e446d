//! The fields of a calibration file.

use bandgraph_model::profile_names;
use bandgraph_units::QuantityKind;

use super::{DESCRIPTION, INCLUDE, Identity, SCHEMA, Shape, kinds};

kinds! {
    /// Which figures of the model may be fitted, within which bounds, and to which measurements.
    pub(crate) static CALIBRATION("calibration") {
        SCHEMA;
        INCLUDE;
        /// The name of the fit in reports, and of the fitted profile.
        name: Shape::Text;
        DESCRIPTION;
        /// The stack profile whose figures are fitted: those of `stack` begin with its values.
        profile: Shape::Choice(profile_names), default("fishworks-2009");
        /// The parameters to fit.
        parameter: Shape::Entries(&PARAMETER);
        /// The measurements that it is fitted to.
        data: Shape::Entries(&DATA);
    }

    /// A figure that may be fitted, within the bounds that physics or the literature set it.
    static PARAMETER("parameter", Identity::Field("path")) {
        /// The field, as `--set` takes it: `stack.misses_per_byte`, `socket.*.base_cpi`. One of several
        /// shares by its number: `stack.home_shares.0`.
        path: Shape::Text;
        /// The least that it may be: a number, or a text with a unit.
        low: Shape::Scalar;
        /// The most that it may be, in the same unit.
        high: Shape::Scalar;
        /// Where to begin; the value of the profile, or else the middle, if left out.
        start: Shape::Scalar, optional;
        /// Scenarios with these stack profiles only; all of them if left out.
        profiles: Shape::Texts, optional;
        /// Where the bounds come from.
        source: Shape::Text;
    }

    /// A scenario whose measurements the parameters are fitted to, all of them together.
    static DATA("data", Identity::Field("scenario")) {
        /// The path of the scenario, relative to this file.
        scenario: Shape::Text;
        /// The ids of the measurements that count; all of the scenario if left out.
        measured: Shape::Texts, optional;
        /// Whether the counters of links count too.
        links: Shape::Flag, default(false);
        /// How well each is known: a point that is known twice as well counts twice as much.
        uncertainty: Shape::Quantity(QuantityKind::Fraction), default("5 %"), positive;
    }
}

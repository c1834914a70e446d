//! Intervals against everything that was measured.

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_study::{Coverage, LimitGroup, Method, ModelErrors, ValidationSet};

/// What the model is known to miss is what its unseen points say, and the intervals that come from it hold as
/// many points as they promise.
#[test]
fn model_errors_and_coverage_are_those_of_the_shipped_scenarios() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let set = ValidationSet::load(&folder, &[], &mut Sources::new()).expect("they are sound");
    let mut validation = set
        .validate(Method::Predict, &|_, _| ())
        .expect("all have an answer");
    let errors = set.add_intervals(&mut validation.points, 60);
    for limit in LimitGroup::ALL {
        let (known, found) = (ModelErrors::KNOWN.of(limit), errors.of(limit));
        assert!(
            (found / known - 1.0).abs() < 0.15,
            "{}: {found} and not {known}",
            limit.as_str()
        );
    }
    let unseen = Coverage::of(validation.points.iter().filter(|point| point.is_unseen()));
    assert!((0.85..=0.95).contains(&unseen.share()), "{unseen:?}");
    // A constant that is chosen in hindsight is a little narrower.
    assert!(unseen.half_width < 1.15 * unseen.constant, "{unseen:?}");
}

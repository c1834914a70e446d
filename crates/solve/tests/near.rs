//! Steady states do not depend on where the search for them begins.

mod fixture;

use bandgraph_solve::{SearchMemory, SteadyState};
use proptest::prelude::*;

use fixture::bound;

proptest! {
    /// Servers with other capacities, with work on the cores that it is assigned to and on others.
    #[test]
    fn a_search_from_a_similar_state_ends_where_one_from_none_does(
        threads in 1_u32..200,
        factors in proptest::collection::vec(0.7..1.4_f64, 8),
        more in 0.8..1.3_f64,
    ) {
        let bound = bound(threads);
        let mut capacities = bound.usable_capacities();
        for (capacity, factor) in capacities.iter_mut().zip(factors.iter().cycle()) {
            *capacity *= factor;
        }
        for socket in bound.sockets.iter().take(2) {
            capacities[socket.cpu] /= 4.0;
        }
        let cold = |threads: f64| {
            let memory = &mut SearchMemory::default();
            let found = SteadyState::solve_over(&bound, &bound.fabric, &capacities, threads, memory);
            found.expect("a steady state")
        };
        let expected = cold(1.0).operations();
        // What a search leaves in its memory does not matter to the next.
        let memory = &mut SearchMemory::default();
        for begin in [cold(more), SteadyState::solve(&bound).expect("a steady state"), cold(1.0)] {
            let found = begin.solve_near(&bound, &bound.fabric, &capacities, 1.0, memory);
            let found = found.expect("a steady state").operations();
            prop_assert!((found / expected - 1.0).abs() < 1e-7, "{found} and {expected}");
        }
    }
}

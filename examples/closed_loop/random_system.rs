//! The random systems on which one-shot solvers are compared. Included by the example, the engine's tests and
//! the benches.

use bandgraph_engine::fair::FairClass;

/// `per_class` distinct resources of cost 1 for each class, drawn by a linear congruential generator.
pub(crate) fn random_system(
    resources: usize,
    classes: usize,
    per_class: usize,
) -> (Vec<f64>, Vec<FairClass>) {
    let mut x: u64 = 12_345;
    let mut draw = || {
        x = x
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        x >> 33
    };
    let capacities = (0..resources)
        .map(|_| 1.0 + 9.0 * draw() as f64 / 2_147_483_648.0)
        .collect();
    let mut class = || {
        let mut costs: Vec<(usize, f64)> = Vec::with_capacity(per_class);
        while costs.len() < per_class {
            let resource = (draw() % resources as u64) as usize;
            if costs.iter().all(|(other, _)| *other != resource) {
                costs.push((resource, 1.0));
            }
        }
        FairClass {
            costs,
            weight: 1.0,
            cap: None,
            flows: 1.0,
        }
    };
    let classes = (0..classes).map(|_| class()).collect();
    (capacities, classes)
}

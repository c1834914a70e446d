//! Common functions of several tests: the definition of fairness, written out flow by flow.

use bandgraph_engine::fair::FairClass;

/// Cost of a class on a resource.
pub(crate) fn cost(class: &FairClass, resource: usize) -> f64 {
    class
        .costs
        .iter()
        .filter(|(index, _)| *index == resource)
        .map(|(_, cost)| cost)
        .sum()
}

/// Checks rates against the definition of bottleneck max fairness, to a relative `tolerance`: feasible, and
/// every flow at its cap or with a saturated resource on which no other flow has a larger share.
pub(crate) fn check_fair(
    capacities: &[f64],
    classes: &[FairClass],
    rates: &[f64],
    tolerance: f64,
) -> Result<(), String> {
    let present: Vec<usize> = (0..classes.len())
        .filter(|&class| classes[class].flows > 0.0)
        .collect();
    let usage = |resource: usize| -> f64 {
        present
            .iter()
            .map(|&class| classes[class].flows * rates[class] * cost(&classes[class], resource))
            .sum()
    };
    let share = |class: usize, resource: usize| {
        rates[class] * cost(&classes[class], resource) / classes[class].weight
    };
    for (resource, &capacity) in capacities.iter().enumerate() {
        if usage(resource) > capacity * (1.0 + tolerance) {
            return Err(format!(
                "resource {resource} is used for {} of {capacity}",
                usage(resource)
            ));
        }
    }
    for &class in &present {
        let cap = classes[class].cap.unwrap_or(f64::INFINITY);
        if rates[class] > cap * (1.0 + tolerance) {
            return Err(format!(
                "class {class} runs at {} above its cap {cap}",
                rates[class]
            ));
        }
        let is_bottleneck = |resource: usize| {
            let own = share(class, resource);
            own > 0.0
                && usage(resource) >= capacities[resource] * (1.0 - tolerance)
                && present
                    .iter()
                    .all(|&other| share(other, resource) <= own * (1.0 + tolerance))
        };
        if rates[class] < cap * (1.0 - tolerance) && !(0..capacities.len()).any(is_bottleneck) {
            return Err(format!("class {class} at {} has no bottleneck", rates[class]));
        }
    }
    Ok(())
}

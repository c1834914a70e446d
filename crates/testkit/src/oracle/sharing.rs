//! Max-min fair sharing in exact fractions, by progressive filling (Bertsekas and Gallager, "Data Networks",
//! section 6.5.2).

use super::Rational;

/// The max-min fair rate of each flow. `flows[i]` lists the resources of flow `i`, each once and at cost 1;
/// `capacities` are above zero.
///
/// All rates rise together; when a resource is full, the rates of its flows are fixed. `None` if a flow uses
/// no resource, so that its rate is unbounded.
pub fn max_min(capacities: &[Rational], flows: &[Vec<usize>]) -> Option<Vec<Rational>> {
    let mut rates: Vec<Option<Rational>> = vec![None; flows.len()];
    while rates.iter().any(Option::is_none) {
        let level = (0..capacities.len())
            .filter_map(|resource| fill_level(resource, capacities[resource], flows, &rates))
            .min()?;
        let full: Vec<bool> = (0..capacities.len())
            .map(|resource| fill_level(resource, capacities[resource], flows, &rates) == Some(level))
            .collect();
        let mut stopped = false;
        for (flow, resources) in flows.iter().enumerate() {
            if rates[flow].is_none() && resources.iter().any(|&resource| full[resource]) {
                rates[flow] = Some(level);
                stopped = true;
            }
        }
        if !stopped {
            return None;
        }
    }
    rates.into_iter().collect()
}

/// The common rate at which a resource is full, if it has rising flows.
fn fill_level(
    resource: usize,
    capacity: Rational,
    flows: &[Vec<usize>],
    rates: &[Option<Rational>],
) -> Option<Rational> {
    let on_it = || (0..flows.len()).filter(|&flow| flows[flow].contains(&resource));
    let rising = on_it().filter(|&flow| rates[flow].is_none()).count();
    let fixed = on_it()
        .filter_map(|flow| rates[flow])
        .fold(Rational::ZERO, |sum, rate| sum + rate);
    (rising > 0).then(|| (capacity - fixed) / Rational::new(rising as i128, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One long flow over three resources of 1, and one, two and three short flows: the third resource has
    /// four flows, the second 3/4 left for two, the first 3/4 for one.
    #[test]
    fn long_flow_against_short_ones() {
        let one = Rational::from(1);
        let flows = [
            vec![0, 1, 2],
            vec![0],
            vec![1],
            vec![1],
            vec![2],
            vec![2],
            vec![2],
        ];
        let rates = max_min(&[one; 3], &flows).expect("every flow uses something");
        let quarter = Rational::new(1, 4);
        assert_eq!(rates[0], quarter);
        assert_eq!(rates[1], Rational::new(3, 4));
        assert_eq!(rates[2..4], [Rational::new(3, 8); 2]);
        assert_eq!(rates[4..], [quarter; 3]);
    }

    #[test]
    fn a_flow_over_nothing_has_no_rate() {
        assert_eq!(max_min(&[Rational::from(1)], &[vec![0], vec![]]), None);
        assert_eq!(max_min(&[], &[]), Some(vec![]));
    }
}

//! The lanes and the generation of a link of which a program says only what it carries.

/// The numbers of lanes with the generations that carry `bytes_per_s` and that the card can do, fewest lanes
/// first. Without limits of the card, up to 16 lanes of up to generation 5 count.
pub(super) fn lanes_and_generations(
    bytes_per_s: f64,
    lanes_capable: Option<u8>,
    generation_capable: Option<u8>,
) -> Vec<(u8, u8)> {
    // Bytes/s of a lane: 8b/10b encoding up to generation 2, 128b/130b up to generation 5.
    let per_lane = [
        (1, 0.25e9),
        (2, 0.5e9),
        (3, 8e9 / 8.0 * 128.0 / 130.0),
        (4, 16e9 / 8.0 * 128.0 / 130.0),
        (5, 32e9 / 8.0 * 128.0 / 130.0),
    ];
    let lanes = [1, 2, 4, 8, 16].into_iter();
    let pairs = lanes.flat_map(|lanes| per_lane.map(|(generation, rate)| (lanes, generation, rate)));
    let carries = pairs.filter(|&(lanes, generation, rate)| {
        let carried = rate * f64::from(lanes);
        let is = |rate: f64| (rate - bytes_per_s).abs() < 0.001 * rate;
        // Some programs take the encoding of generation 3 off the rates of generation 2 as well.
        let is_off = generation_capable.is_some_and(|most| most <= 2) && is(carried * 128.0 / 130.0);
        lanes_capable.is_none_or(|most| lanes <= most)
            && generation_capable.is_none_or(|most| generation <= most)
            && (is(carried) || is_off)
    });
    carries
        .map(|(lanes, generation, _)| (lanes, generation))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::lanes_and_generations;

    #[test]
    fn a_rate_names_the_pairs_that_carry_it() {
        // 2 GB/s: eight lanes of generation 1 or four of generation 2.
        assert_eq!(lanes_and_generations(2e9, None, None), [(4, 2), (8, 1)]);
        assert_eq!(lanes_and_generations(2e9, Some(8), Some(1)), [(8, 1)]);
        assert_eq!(lanes_and_generations(2e9, Some(4), Some(3)), [(4, 2)]);
        // 7.88 GB/s: eight lanes of generation 3, four of generation 4 or two of generation 5.
        assert_eq!(
            lanes_and_generations(7.876_923e9, Some(8), Some(4)),
            [(4, 4), (8, 3)]
        );
        assert_eq!(lanes_and_generations(7.876_923e9, Some(8), Some(3)), [(8, 3)]);
        assert_eq!(lanes_and_generations(63.015_385e9, None, None), [(16, 5)]);
        assert_eq!(lanes_and_generations(0.25e9, None, None), [(1, 1)]);
        assert_eq!(lanes_and_generations(31e9, None, None), []);
        // 4 GB/s with an encoding that generation 2 does not have.
        assert_eq!(lanes_and_generations(3.938_462e9, Some(8), Some(2)), [(8, 2)]);
    }
}

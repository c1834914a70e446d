//! The lanes and the generation of a link of which a program says only what it carries.

/// The lanes and the generation that carry `bytes_per_s`, if only one pair that the card can do carries that
/// much. Without limits of the card, up to 16 lanes of up to generation 5 count.
pub(super) fn lanes_and_generation(
    bytes_per_s: f64,
    lanes_capable: Option<u8>,
    generation_capable: Option<u8>,
) -> Option<(u8, u8)> {
    // Bytes/s of a lane: 8b/10b encoding up to generation 2, 128b/130b up to generation 5.
    let per_lane = [
        (1, 0.25e9),
        (2, 0.5e9),
        (3, 8e9 / 8.0 * 128.0 / 130.0),
        (4, 16e9 / 8.0 * 128.0 / 130.0),
        (5, 32e9 / 8.0 * 128.0 / 130.0),
    ];
    let mut found = None;
    for lanes in [1, 2, 4, 8, 16]
        .into_iter()
        .filter(|&lanes| lanes_capable.is_none_or(|most| lanes <= most))
    {
        for (generation, rate) in per_lane {
            let carries = rate * f64::from(lanes);
            let is = |rate: f64| (rate - bytes_per_s).abs() < 0.001 * rate;
            // Some programs take the encoding of generation 3 off the rates of generation 2 as well.
            let is_off = generation_capable.is_some_and(|most| most <= 2) && is(carries * 128.0 / 130.0);
            if generation_capable.is_none_or(|most| generation <= most) && (is(carries) || is_off) {
                if found.is_some() {
                    return None;
                }
                found = Some((lanes, generation));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::lanes_and_generation;

    #[test]
    fn a_pair_is_named_only_if_it_is_the_only_one() {
        // 2 GB/s: eight lanes of generation 1 or four of generation 2.
        assert_eq!(lanes_and_generation(2e9, None, None), None);
        assert_eq!(lanes_and_generation(2e9, Some(8), Some(1)), Some((8, 1)));
        assert_eq!(lanes_and_generation(2e9, Some(4), Some(3)), Some((4, 2)));
        // 7.88 GB/s: eight lanes of generation 3 or four of generation 4.
        assert_eq!(lanes_and_generation(7.876_923e9, Some(8), Some(4)), None);
        assert_eq!(lanes_and_generation(7.876_923e9, Some(8), Some(3)), Some((8, 3)));
        assert_eq!(lanes_and_generation(63.015_385e9, None, None), Some((16, 5)));
        assert_eq!(lanes_and_generation(0.25e9, None, None), Some((1, 1)));
        assert_eq!(lanes_and_generation(31e9, None, None), None);
        // 4 GB/s with an encoding that generation 2 does not have.
        assert_eq!(lanes_and_generation(3.938_462e9, Some(8), Some(2)), Some((8, 2)));
    }
}

//! A bar of utilisation: how much of the raw capacity is used, with a mark where practice ends.

/// Cells of a bar, from empty to full by eighths.
const EIGHTHS: [char; 9] = ['·', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// `used` of the raw capacity as a bar of exactly `width` characters, with a mark at `ceiling`, the share
/// that can be used in practice. Both are shares, 0 to 1; what lies outside is drawn as the nearer end.
///
/// The mark stands in the cell that the ceiling falls into and hides it; a ceiling of 1 has no mark, the end
/// of the bar shows it.
pub(crate) fn bar(used: f64, ceiling: f64, width: usize, ascii: bool) -> String {
    let eighths = if used > 0.0 {
        // What is used at all shows, and what is not full does not look full.
        let exact = used.min(1.0) * width as f64 * 8.0;
        let most = if used < 1.0 {
            (width * 8).saturating_sub(1)
        } else {
            width * 8
        };
        (exact.round() as usize).clamp(1, most.max(1))
    } else {
        0
    };
    let mark = (ceiling > 0.0 && ceiling < 1.0)
        .then(|| ((ceiling * width as f64) as usize).min(width.saturating_sub(1)));
    (0..width)
        .map(|cell| {
            let filled = eighths.saturating_sub(cell * 8).min(8);
            match (mark == Some(cell), ascii) {
                (true, _) => '|',
                (false, true) => ['.', '#'][usize::from(filled >= 4)],
                (false, false) => EIGHTHS[filled],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_by_eighths() {
        assert_eq!(bar(0.0, 1.0, 4, false), "····");
        assert_eq!(bar(0.5, 1.0, 4, false), "██··");
        assert_eq!(bar(0.5 + 1.0 / 32.0, 1.0, 4, false), "██▏·");
        assert_eq!(bar(1.0, 1.0, 4, false), "████");
    }

    #[test]
    fn a_little_shows_and_nearly_full_is_not_full() {
        assert_eq!(bar(1e-6, 1.0, 4, false), "▏···");
        assert_eq!(bar(0.9999, 1.0, 4, false), "███▉");
    }

    #[test]
    fn the_mark_stands_at_the_ceiling() {
        assert_eq!(bar(0.87, 0.87, 10, false), "████████|·");
        assert_eq!(bar(0.2, 0.87, 10, false), "██······|·");
        assert_eq!(bar(0.5, 0.75, 8, true), "####..|.");
    }

    #[test]
    fn anything_at_all_gives_the_width_asked_for() {
        for used in [
            -1.0,
            0.0,
            0.3,
            1.0,
            7.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            for ceiling in [-1.0, 0.0, 0.5, 1.0, 2.0, f64::NAN] {
                for width in [0, 1, 7] {
                    for ascii in [false, true] {
                        assert_eq!(bar(used, ceiling, width, ascii).chars().count(), width);
                    }
                }
            }
        }
    }
}

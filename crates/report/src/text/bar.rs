//! A bar: how much of a whole is used.

/// Cells of a bar, from empty to full by eighths.
const EIGHTHS: [char; 9] = ['·', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// From here on a share prints as `100.0 %`.
const FULL: f64 = 0.9995;

/// The share `used`, 0 to 1, as a bar of exactly `width` characters; what lies outside is drawn as the nearer
/// end.
pub(crate) fn bar(used: f64, width: usize, ascii: bool) -> String {
    let eighths = if used > 0.0 {
        // What is used at all shows, and what is not full does not look full.
        let exact = used.min(1.0) * width as f64 * 8.0;
        let most = if used < FULL {
            (width * 8).saturating_sub(1)
        } else {
            width * 8
        };
        (exact.round() as usize).clamp(1, most.max(1))
    } else {
        0
    };
    (0..width)
        .map(|cell| {
            let filled = eighths.saturating_sub(cell * 8).min(8);
            if ascii {
                ['.', '#'][usize::from(filled >= 4)]
            } else {
                EIGHTHS[filled]
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_by_eighths() {
        assert_eq!(bar(0.0, 4, false), "····");
        assert_eq!(bar(0.5, 4, false), "██··");
        assert_eq!(bar(0.5 + 1.0 / 32.0, 4, false), "██▏·");
        assert_eq!(bar(1.0, 4, false), "████");
        assert_eq!(bar(0.5, 8, true), "####....");
    }

    #[test]
    fn a_little_shows_and_nearly_full_is_not_full() {
        assert_eq!(bar(1e-6, 4, false), "▏···");
        assert_eq!(bar(0.9994, 4, false), "███▉");
        assert_eq!(bar(0.9996, 4, false), "████", "it prints as 100.0 %");
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
            for width in [0, 1, 7] {
                for ascii in [false, true] {
                    assert_eq!(bar(used, width, ascii).chars().count(), width);
                }
            }
        }
    }
}

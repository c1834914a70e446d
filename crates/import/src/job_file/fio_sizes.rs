//! Distributions of sizes in fio (`HOWTO`, "bssplit" and "bsrange").

use bandgraph_units::Bytes;

use super::fio_units::{KbBase, number, size};
use bandgraph_workload::Sizes;

/// The maximum number of sizes that represent a range.
const OF_RANGE: u64 = 16;

/// `4k/10:64k/50:32k/40`. Entries without a percentage share the remaining percentage evenly.
pub(super) fn split(text: &str, base: KbBase) -> Option<Sizes> {
    let mut entries = Vec::new();
    for entry in text.split(':') {
        let (bytes, percent) = entry.split_once('/').unwrap_or((entry, ""));
        let percent = match percent.trim() {
            "" => None,
            percent => Some(number(percent)?),
        };
        entries.push((size(bytes, base)?, percent));
    }
    let given: u64 = entries
        .iter()
        .filter_map(|(_, percent)| *percent)
        .try_fold(0, u64::checked_add)?;
    let open = entries.iter().filter(|(_, percent)| percent.is_none()).count();
    let left = 100_u64.checked_sub(given)? as f64 / open.max(1) as f64;
    let weights = entries.into_iter().map(|(bytes, percent)| {
        let weight = percent.map_or(left, |percent| percent as f64);
        (Bytes::new(bytes as f64), weight)
    });
    // A size with weight zero never occurs.
    let weights: Vec<(Bytes, f64)> = weights.filter(|(_, weight)| *weight > 0.0).collect();
    Sizes::new(&weights).ok()
}

/// `1k-4k`: all multiples of the lower end up to the upper end, equally likely. If there are very many, the
/// mean of neighbours represents them.
pub(super) fn range(text: &str, base: KbBase) -> Option<Sizes> {
    let (least, most) = text.split_once('-').or_else(|| text.split_once(':'))?;
    let (least, most) = (size(least, base)?, size(most, base)?);
    if least == 0 || least > most {
        return None;
    }
    let count = most / least;
    let bins = count.min(OF_RANGE);
    let weights = (0..bins).map(|bin| {
        // Multiples of the lower end from `first` to `last`.
        let (first, last) = (bin * count / bins + 1, (bin + 1) * count / bins);
        let mean = (first + last) as f64 / 2.0 * least as f64;
        (Bytes::new(mean.round()), (last - first + 1) as f64)
    });
    Sizes::new(&weights.collect::<Vec<_>>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(sizes: Option<Sizes>) -> Vec<(f64, f64)> {
        let sizes = sizes.expect("sizes");
        sizes
            .shares()
            .iter()
            .map(|(size, share)| (size.get(), *share))
            .collect()
    }

    /// The examples of fio's documentation.
    #[test]
    fn splits_have_percentages() {
        let split = |text| split(text, KbBase::Binary);
        assert_eq!(
            shares(split("4k/10:64k/50:32k/40")),
            [(4096.0, 0.1), (65_536.0, 0.5), (32_768.0, 0.4)]
        );
        assert_eq!(
            shares(split("4k/50:1k/:32k/")),
            [(4096.0, 0.5), (1024.0, 0.25), (32_768.0, 0.25)]
        );
        assert_eq!(shares(split("4k/0:8k/100")), [(8192.0, 1.0)]);
        for wrong in [
            "",
            "4k/60:8k/60",
            "4k/x",
            "0/50:4k/50",
            "4k/50:",
            "4k/18446744073709551615:4k/2",
        ] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges_are_of_multiples_of_the_least() {
        let range = |text| range(text, KbBase::Binary);
        assert_eq!(
            shares(range("1k-4k")),
            [(1024.0, 0.25), (2048.0, 0.25), (3072.0, 0.25), (4096.0, 0.25)]
        );
        // 2048 sizes: the overall mean is that of the two ends.
        let many = range("512-1m").expect("sizes");
        assert_eq!(many.shares().len(), 16);
        assert!((many.mean().get() / (f64::from(512 + (1 << 20)) / 2.0) - 1.0).abs() < 1e-12);
        for wrong in ["4k", "4k-1k", "0-4k", "x-4k", "1k-2g"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }
}

//! PCI Express slots of every generation, in the widths that servers have.

use crate::parts::PcieSlotPart;
use crate::pcie::PcieGeneration;

const WIDTHS: [u64; 3] = [4, 8, 16];

pub(super) fn entries() -> Vec<PcieSlotPart> {
    let kinds = PcieGeneration::ALL
        .iter()
        .flat_map(|&generation| WIDTHS.map(|lanes| (generation, lanes)));
    kinds
        .map(|(generation, lanes)| {
            let part = PcieSlotPart {
                name: format!("pcie-{}-x{lanes}", generation.as_str()),
                generation,
                lanes,
                ..PcieSlotPart::default()
            };
            let gigatransfers = generation.transfers_per_second() / 1e9;
            let encoding = match generation {
                PcieGeneration::Gen1 | PcieGeneration::Gen2 => "8b/10b",
                PcieGeneration::Gen6 => "flits of 256 bytes",
                _ => "128b/130b",
            };
            let source = format!(
                "PCI Express Base Specification ({gigatransfers} GT/s a lane, {encoding}): {} each way before packet \
                 headers",
                part.spec().raw_bandwidth().decimal()
            );
            PcieSlotPart { source, ..part }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::catalogue;

    #[test]
    fn slots_have_the_raw_rates_of_their_generations() {
        for (name, gigabytes) in [
            ("pcie-gen1-x8", 2.0),
            ("pcie-gen2-x8", 4.0),
            ("pcie-gen3-x8", 7.877),
            ("pcie-gen4-x8", 15.754),
            ("pcie-gen5-x8", 31.508),
            ("pcie-gen6-x8", 59.0),
        ] {
            let slot = catalogue().pcie_slot(name).expect("it is in the catalogue");
            let rate = slot.spec().raw_bandwidth().get() / 1e9;
            assert!((rate / gigabytes - 1.0).abs() < 1e-3, "{name}: {rate}");
            assert!(slot.source.contains("PCI Express Base Specification"));
        }
    }
}

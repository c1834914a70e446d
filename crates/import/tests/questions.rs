//! Questions of forums that the table in `docs/import.md` calls answered, each with the figure of its row.

mod common;

use bandgraph_import::{Finding, inspect};

use crate::common::{DMIDECODE, found, machine};

/// A card at 81:00.0 below a port, with what both can and the link in force, as `lspci -vvnn` prints them.
fn below(port: &str, card: &str, functions: u32, can: &str, now: &str) -> String {
    let express = |kind: &str, can: &str| {
        format!("\tCapabilities: [70] Express (v2) {kind}, MSI 00\n\t\tLnkCap:\tPort #0, {can}, ASPM L1\n")
    };
    let bridge = format!(
        "80:03.0 PCI bridge [0604]: Sample [1234:0001]\n\
         \tBus: primary=80, secondary=81, subordinate=81, sec-latency=0\n{}\t\tLnkSta:\t{now}\n\n",
        express("Root Port (Slot+)", port)
    );
    let function = |index| {
        format!(
            "81:00.{index} {card}\n\tNUMA node: 1\n{}\t\tLnkSta:\t{now}\n\n",
            express("Endpoint", can)
        )
    };
    bridge + &(0..functions).map(function).collect::<String>()
}

fn findings(lspci: &str) -> Vec<Finding> {
    inspect(&machine(&[DMIDECODE, ("lspci.txt", lspci)]).0)
}

/// Payload of links in GB/s and direction, with both directions busy at packets of 256 bytes: gen2 x1 0.372,
/// x2 0.745, x4 1.49; gen3 x4 3.35, x16 13.4; gen4 x16 26.8; gen5 x16 53.6 (`bandgraph parts pcie`).
#[test]
fn links_below_what_cards_can_are_found_with_their_cost() {
    const X520: &str = "Ethernet controller [0200]: Intel Corporation X520 [8086:154d] (rev 01)";
    const XL710: &str = "Ethernet controller [0200]: Intel Corporation XL710 [8086:1583] (rev 02)";
    const BCM57810: &str = "Ethernet controller [0200]: Broadcom BCM57810 [14e4:168e] (rev 10)";
    const SATA: &str = "SATA controller [0106]: Marvell 88SE9230 [1b4b:9230] (rev 11)";
    const NVME: &str = "Non-Volatile memory controller [0108]: Samsung NVMe SSD [144d:a808]";
    const GEN5: &str = "Infiniband controller [0207]: Mellanox ConnectX-7 [15b3:1021]";
    let (two, three, four, five) = ("Speed 5GT/s", "Speed 8GT/s", "Speed 16GT/s", "Speed 32GT/s");
    let wide = |speed: &str, lanes: u8| format!("{speed}, Width x{lanes}");
    for (what, card, functions, port, can, now, id, cost) in [
        // Two ports of 10GbE need 2.5 GB/s.
        (
            "X520 in gen2 x4",
            X520,
            2,
            wide(two, 4),
            wide(two, 8),
            wide(two, 4),
            "slot_limits_card",
            1.01,
        ),
        // The port of 40GbE needs 5 GB/s.
        (
            "XL710 in gen2 x4",
            XL710,
            1,
            wide(two, 4),
            wide(three, 8),
            wide(two, 4),
            "slot_limits_card",
            3.51,
        ),
        (
            "x2 as x1",
            SATA,
            1,
            wide(two, 8),
            wide(two, 2),
            wide(two, 1),
            "link_below_both",
            0.372,
        ),
        (
            "one lane of gen2",
            NVME,
            1,
            wide(two, 4),
            wide(three, 4),
            wide(two, 1),
            "link_below_both",
            2.98,
        ),
        (
            "dual 10GbE at x4",
            BCM57810,
            2,
            wide(two, 4),
            wide(two, 8),
            wide(two, 4),
            "slot_limits_card",
            1.01,
        ),
        (
            "gen5 in gen4",
            GEN5,
            1,
            wide(four, 16),
            wide(five, 16),
            wide(four, 16),
            "slot_limits_card",
            26.8,
        ),
        (
            "gen5 at gen3",
            GEN5,
            1,
            wide(four, 16),
            wide(five, 16),
            wide(three, 16),
            "link_below_both",
            40.2,
        ),
    ] {
        let findings = findings(&below(&port, card, functions, &can, &now));
        let found = found(&findings, &format!("inspect::{id}"));
        let [found] = found[..] else {
            panic!("{what}: {findings:?}")
        };
        let costs = found.costs_bytes_per_s.unwrap_or_default() / 1e9;
        assert!((costs / cost - 1.0).abs() < 0.02, "{what}: {costs}");
    }
}

/// Two drives of gen3 x4 behind a chipset whose link to the processor is as wide as that of one (DMI 3).
#[test]
fn drives_on_a_chipset_share_its_link() {
    let drive = |bus: u8| {
        let text = below(
            "Speed 8GT/s, Width x4",
            "Non-Volatile memory controller [0108]: Samsung NVMe SSD [144d:a808]",
            1,
            "Speed 8GT/s, Width x4",
            "Speed 8GT/s, Width x4",
        );
        text.replace("80:03.0", &format!("00:1b.{bus}"))
            .replace("81:00", &format!("{bus:02x}:00"))
            .replace(
                "secondary=81, subordinate=81",
                &format!("secondary={bus:02x}, subordinate={bus:02x}"),
            )
            .replace(
                "Sample [",
                "Intel Corporation 200 Series PCH PCI Express Root Port [",
            )
    };
    let findings = findings(&(drive(1) + &drive(2)));
    let [shared] = found(&findings, "inspect::uplink_oversubscribed")[..] else {
        panic!("{findings:?}")
    };
    for words in ["chipset", "(gen3 x4) carries 3.4 GB/s", "2 cards"] {
        assert!(shared.message.contains(words), "{}", shared.message);
    }
}

//! Cards of samples.

pub(crate) const LSPCI: (&str, &str) = ("lspci.txt", include_str!("../samples/lspci.txt"));

/// A function of a network card in a slot of eight lanes, with the serial number of its board.
pub(crate) fn network_function(address: &str, node: u32, serial: &str) -> String {
    format!(
        "{address} Ethernet controller [0200]: Mellanox ConnectX-4 Lx [15b3:1015]\n\
         \tPhysical Slot: {address}\n\tNUMA node: {node}\n\
         \tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
         \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x8, ASPM L1\n\t\tLnkSta:\tSpeed 8GT/s, Width x{}\n\
         \tCapabilities: [48] Vital Product Data\n\t\t\t[SN] Serial number: {serial}\n\n",
        8 >> node
    )
}

//! A server of samples, and what is found in it.

use std::path::PathBuf;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_import::{Finding, Machine, gather, merge, resolve};

/// The server of the README.
pub(crate) const DMIDECODE: (&str, &str) = (
    "dmidecode.txt",
    include_str!("../../../../examples/server/dmidecode.txt"),
);
pub(crate) const LSPCI: (&str, &str) = ("lspci.txt", include_str!("../samples/lspci.txt"));

pub(crate) fn machine(files: &[(&str, &str)]) -> (Machine, Sources) {
    let memory = files.iter().fold(MemoryFiles::new(), |memory, (name, text)| {
        memory.with(name, *text)
    });
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| PathBuf::from(name)).collect();
    let mut sources = Sources::new();
    let gathered = gather(&paths, &memory, &mut sources);
    assert_eq!(gathered.diagnostics, [], "all samples are readable");
    (resolve(merge(gathered.facts)), sources)
}

pub(crate) fn found<'a>(findings: &'a [Finding], id: &str) -> Vec<&'a Finding> {
    findings.iter().filter(|finding| finding.id == id).collect()
}

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

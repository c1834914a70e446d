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

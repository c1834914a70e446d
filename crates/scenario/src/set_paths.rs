//! The paths for `--set` in a file.

use std::path::Path;

use bandgraph_config::{Files, Reader, Settable, Table, paths_of};
use bandgraph_diagnostics::Sources;

use crate::descriptor::{SCENARIO, TOPOLOGY};
use crate::load::{FileKind, document};

/// The paths of all fields that can be overridden, in a scenario, a topology, or, without a file, in any
/// scenario. Problems of the file are ignored: its readable parts are used.
pub fn set_paths(files: &dyn Files, file: Option<&Path>) -> Vec<Settable> {
    let mut sources = Sources::new();
    let mut reader = Reader::new(files, &mut sources);
    let found = file.and_then(|path| document(&mut reader, path, None, None));
    let (kind, table) = match found {
        Some(found) => (found.kind, found.table),
        None => (FileKind::Scenario, Table::new()),
    };
    if kind == FileKind::Sweep {
        // What a sweep varies and overrides are fields of its scenario.
        let entry = table.get("scenario").map(|entry| &entry.node);
        let path = entry.and_then(|node| Some(reader.beside(&node.place, node.text()?)));
        return path.map_or_else(Vec::new, |path| set_paths(files, Some(&path)));
    }
    if kind != FileKind::Scenario {
        return paths_of(kind.kind(), &table);
    }
    let topology = table
        .get("topology")
        .and_then(|entry| entry.node.table()?.get("file"))
        .and_then(|entry| {
            let path = reader.beside(&entry.node.place, entry.node.text()?);
            document(&mut reader, &path, None, Some(FileKind::Topology))
        });
    let topology = topology.map_or_else(Table::new, |found| found.table);
    let mut paths = paths_of(&SCENARIO, &table);
    paths.extend(paths_of(&TOPOLOGY, &topology));
    paths
}

#[cfg(test)]
mod tests {
    use bandgraph_config::MemoryFiles;

    use super::*;

    #[test]
    fn paths_have_the_ids_of_the_file_and_of_its_topology() {
        let files = MemoryFiles::new()
            .with(
                "server.toml",
                "schema = 1\n[[socket]]\nid = \"cpu0\"\npart = \"opteron-8356\"\n[[card]]\nid = \"nic0\"\n\
                 [[slot]]\nid = \"bay\"\ncount = 2\n",
            )
            .with(
                "scenario.toml",
                "schema = 1\ntopology = \"server.toml\"\n[[workload]]\nid = \"read\"\n",
            );
        let paths = set_paths(&files, Some(Path::new("scenario.toml")));
        for path in [
            "card.nic0.slot",
            "card.*.part",
            "slot.bay.pcie",
            "slot.bay1.pcie",
            "socket.cpu0.clock",
            "workload.read.io_size",
            "run.seed",
        ] {
            assert!(paths.iter().any(|(found, _)| found == path), "{path} is missing");
        }
        assert!(
            !paths
                .iter()
                .any(|(path, _)| path.rsplit('.').next() == Some("id")),
            "ids cannot be set"
        );
        assert!(
            set_paths(&files, None)
                .iter()
                .any(|(path, _)| path == "card.*.slot")
        );
        let words = |path: &str| {
            let field = paths.iter().find(|(found, _)| found == path);
            field.map_or_else(Vec::new, |(_, field)| field.words())
        };
        let has = |path: &str, word: &str| words(path).iter().any(|found| found == word);
        assert!(has("socket.cpu0.part", "opteron-8356") && !has("socket.cpu0.part", "ddr2-667"));
        assert!(has("stack.profile", "solaris-tcp-2008"));
        assert!(
            has("workload.read.arrivals", "poisson"),
            "{:?}",
            words("workload.read.arrivals")
        );
        assert_eq!(words("run.seed"), [""; 0]);
        assert!(
            has("workload.read.mix", "read"),
            "{:?}",
            words("workload.read.mix")
        );
    }

    /// Of a card with a part of a kind, the fields of that kind; of all cards, those of any. What a sweep
    /// overrides is its scenario.
    #[test]
    fn paths_have_the_fields_of_the_part_of_an_entry() {
        let files = MemoryFiles::new()
            .with(
                "server.toml",
                "schema = 1\n[[part]]\nname = \"mine\"\nkind = \"nic\"\n[[card]]\nid = \"nic0\"\npart = \
                 \"neptune-dual-10gbe\"\n[[card]]\nid = \"own\"\npart = \"mine\"\n[[card]]\nid = \"hba0\"\npart \
                 = \"sas-hba-x8-gen1\"\n",
            )
            .with("scenario.toml", "schema = 1\ntopology = \"server.toml\"\n")
            .with("sweep.toml", "schema = 1\nscenario = \"scenario.toml\"\n");
        for file in ["scenario.toml", "sweep.toml"] {
            let paths = set_paths(&files, Some(Path::new(file)));
            let has = |path: &str| paths.iter().any(|(found, _)| found == path);
            assert!(has("card.nic0.port_rate") && has("card.own.port_rate") && has("card.*.port_rate"));
            assert!(!has("card.hba0.port_rate") && has("card.hba0.slot"), "{file}");
        }
    }
}

//! Problems of overrides, shown under their own text.

use super::*;

/// Problems of overrides, shown under their own text.
#[test]
fn problems_of_overrides() {
    let cases: &[(&str, &str, &str)] = &[
        ("card.nic0.slot=s9", "topology::unknown_slot", "s9"),
        ("card.*.id=x", "set::identity", "id"),
        ("workload.w.id=v", "set::identity", "id"),
        ("clients.c.count=1000000", "sim::too_many", "1000000"),
        ("card.nic0.slot=s2", "topology::card_too_wide", "s2"),
        ("card.hba0.slot=s1", "topology::slot_taken", "s1"),
        ("card.nicO.slot=s1", "set::no_match", "nicO"),
        ("crad.nic0.slot=s1", "set::unknown_path", "crad"),
        ("card.nic0.slots=s1", "entry::unknown_field", "slots"),
        ("link.*.part=ht9", "reference::unknown_part", "ht9"),
        ("link.*.colour=red", "entry::unknown_field", "colour"),
        ("socket.*.memory.size=64", "value::bare_number", "64"),
        ("socket.*.memory.size=64 GBB", "value::unknown_unit", "GBB"),
        ("run.mtu=0", "workload::too_small", "0"),
        ("run.mtu=-1", "workload::too_small", "-1"),
        ("run.mtu=1500.5", "workload::not_whole", "1500.5"),
        ("card.nic0.slot=", "entry::bad_id", ""),
        ("run.network_latency=20", "value::bare_number", "20"),
        ("run.mut=1500 B", "set::unknown_path", "mut"),
        ("stack.instructions_per_byte=fast", "value::wrong_type", "fast"),
        ("workload.w.io_size=8", "value::bare_number", "8"),
        ("clients.c.count=0", "value::zero", "0"),
        ("topology=none.toml", "file::missing", "none.toml"),
        ("slot.*.pcie=gen2 x9", "value::not_a_pcie_link", "gen2 x9"),
        ("workload", "set::syntax", "workload"),
        ("workload.w=1", "set::incomplete_path", "w"),
        ("part.opteron-8357.clock=3 GHz", "set::no_match", "opteron-8357"),
        ("part.opteron-8356.clok=3 GHz", "entry::unknown_field", "clok"),
        ("part.opteron-8356.clock=3", "value::bare_number", "3"),
    ];
    let files = scenario_files(SCENARIO);
    for (set, id, under) in cases {
        let mut sources = Sources::new();
        let found = load_with(
            &files,
            Path::new("reads.toml"),
            &[(*set).to_owned()],
            &mut sources,
        );
        let mut found = under_carets(found.err().unwrap_or_default(), &sources);
        if *id == "topology::card_too_wide" {
            // The slot has a second card as well.
            found.retain(|(diagnostic, _)| diagnostic.id == *id);
        }
        assert_problems(&found, &[(id, under)], set);
        let place = found[0].0.primary.as_ref().expect("it has a place");
        assert_eq!(sources.name(place.source), "override", "{set}");
    }
}

/// The help for one override.
fn help_for(set: &str) -> String {
    let (files, mut sources) = (scenario_files(SCENARIO), Sources::new());
    let found = load_with(&files, Path::new("reads.toml"), &[set.to_owned()], &mut sources);
    let found = found.err().unwrap_or_default();
    assert_eq!(found.len(), 1, "{set}: {found:?}");
    found[0].help.join("; ")
}

#[test]
fn each_field_of_a_list_is_named_once() {
    let help = help_for("nothing=1");
    let known = help.trim_start_matches("there are ").split(", ");
    let mut known: Vec<&str> = known.collect();
    let count = known.len();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), count, "{help}");
}

/// The path of a figure of the catalogue, as `figures` prints it, sets it for all that have the part.
#[test]
fn a_figure_of_a_part_of_the_catalogue_can_be_set() {
    let help = help_for("part.opteron-8357.clock=3 GHz");
    assert!(help.starts_with("did you mean `opteron-8"), "{help}");
    let (files, mut sources) = (scenario_files(SCENARIO), Sources::new());
    let set = ["part.opteron-8356.clock=3 GHz".to_owned()];
    let loaded = load_with(&files, Path::new("reads.toml"), &set, &mut sources);
    let scenario = loaded.expect("a figure of the catalogue").scenario;
    for socket in scenario.topology.sockets() {
        assert_eq!(socket.part.name, "opteron-8356");
        assert_eq!(socket.part.clock.get(), 3e9);
    }
}

#[test]
fn a_bare_number_is_of_memory_or_of_bytes() {
    for (set, expected) in [
        (
            "socket.*.memory.size=64",
            "write \"64 GiB\" (2^30 bytes), \"64 GB\" (10^9 bytes) or \"64 KiB\" (2^10 bytes)",
        ),
        (
            "socket.cpu0.memory.size=512",
            "write \"512 GiB\" (2^30 bytes); if these are bytes, write \"512 B\"",
        ),
        (
            "workload.w.io_size=32",
            "write \"32 KiB\" (2^10 bytes), \"32 kB\" (10^3 bytes) or \"32 MiB\" (2^20 bytes)",
        ),
        (
            "workload.w.io_size=131072",
            "if these are bytes, write \"131072 B\"",
        ),
    ] {
        assert!(help_for(set).starts_with(expected), "{}", help_for(set));
    }
}

#[test]
fn an_override_of_a_part_that_nothing_has_is_a_warning() {
    let files = scenario_files(SCENARIO);
    let warnings = |set: &str| {
        let loaded = load_with(
            &files,
            Path::new("reads.toml"),
            &[set.to_owned()],
            &mut Sources::new(),
        );
        let warnings = loaded.expect("it can be run").warnings.into_iter();
        warnings
            .filter(|warning| warning.id == "topology::unused_part")
            .map(|warning| warning.help.concat())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("part.opteron-8435.cores=5"),
        ["of kind socket there is `opteron-8356`"]
    );
    assert!(warnings("part.opteron-8356.cores=3").is_empty());
    assert!(help_for("part.*.cores=3").starts_with("name one: `part.NAME.cores=VALUE`"));
}

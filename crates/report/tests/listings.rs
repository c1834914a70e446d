//! Parts, topologies and checks of files, as text and as JSON.

use bandgraph_diagnostics::{Diagnostic, Explanation, Place, Sources};
use bandgraph_hardware::{AnyPart, Part, catalogue};
use bandgraph_report::{
    CheckedFile, CompareDocument, FigureChangeDocument, PartDocument, PartsDocument, TextOptions,
    TopologyDocument, check, check_text, compare_view, explanation_view, part_view, parts_view,
    topology_view,
};
use bandgraph_topology::{
    BridgeSpec, CardPart, CardSpec, LinkSpec, MemorySpec, Seat, SlotSpec, SocketSpec, Topology, TopologySpec,
};
use bandgraph_units::Bytes;
use serde_json::Value;

const GIB: f64 = 1_073_741_824.0;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("valid JSON")
}

#[test]
fn the_list_of_parts_names_every_part() {
    let parts: Vec<&dyn Part> = catalogue().iter().map(|part| part as &dyn Part).collect();
    let text = parts_view(&parts).text(&TextOptions::default());
    let document = json(&bandgraph_report::json(&PartsDocument::new(&parts)));
    let listed = document["parts"].as_array().expect("a list");
    assert_eq!(listed.len(), parts.len());
    for part in parts {
        assert!(text.contains(part.name()), "{} is missing", part.name());
        assert!(listed.iter().any(|listed| listed["name"] == part.name()));
    }
}

/// The ends of a range are in the unit of their figure, as the value is.
#[test]
fn ranges_of_a_part_have_units() {
    let part: &AnyPart = catalogue()
        .get("sas-hba-x8-gen1")
        .expect("a part of the catalogue");
    let rows = check(&PartDocument::new(part)).expect("finite numbers").csv();
    for metric in ["value", "range_low", "range_high"] {
        let row = rows
            .lines()
            .find(|row| row.contains(&format!(",data_rate,field,{metric},")));
        assert!(
            row.is_some_and(|row| row.contains(",bytes/s,")),
            "{metric}: {row:?}"
        );
    }
}

#[test]
fn a_part_is_shown_with_values_meanings_and_source() {
    let part: &AnyPart = catalogue().get("opteron-8356").expect("a part of the catalogue");
    let text = part_view(part).text(&TextOptions::default());
    // Four cores at 2.3 GHz, as published.
    for words in [
        "opteron-8356 (socket)",
        "cores = 4",
        "clock = 2.3 GHz",
        "sourced: hw-update-2009",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    let document = json(&bandgraph_report::json(&PartDocument::new(part)));
    // The part has the key of its source, the document the full reference.
    assert_eq!(part.origin().source.as_deref(), Some("hw-update-2009"));
    let reference = document["source"].as_str().expect("a reference");
    assert!(reference.starts_with("Brendan Gregg"), "{reference}");
    let fields = document["fields"].as_array().expect("a list");
    assert_eq!(fields.len(), part.kind().fields().count());
    let clock = fields
        .iter()
        .find(|field| field["name"] == "clock")
        .expect("a clock");
    assert_eq!(
        (&clock["value"], &clock["unit"]),
        (&Value::from(2.3e9), &Value::from("cycles/s"))
    );
}

/// Three sockets in a line, so that one route has a hop in between; one card.
fn topology() -> Topology {
    let parts = catalogue();
    let link = parts.socket_link("ht1-x16").expect("a part of the catalogue");
    let socket = |id: &str| SocketSpec {
        id: id.to_owned(),
        nodes: None,
        part: parts
            .socket("opteron-8356")
            .expect("a part of the catalogue")
            .clone(),
        memory: MemorySpec {
            part: parts.memory("ddr2-667").expect("a part of the catalogue").clone(),
            channels: 2,
            size: Bytes::new(32.0 * GIB),
        },
    };
    let spec = TopologySpec {
        name: "Three in a line".to_owned(),
        sockets: ["a", "b", "c"].map(socket).to_vec(),
        links: [["a", "b"], ["b", "c"]]
            .map(|ends| LinkSpec {
                ends: ends.map(str::to_owned),
                part: link.clone(),
                weight: 1.0,
            })
            .to_vec(),
        bridges: vec![BridgeSpec {
            id: "io".to_owned(),
            part: parts.bridge("mcp55").expect("a part of the catalogue").clone(),
            uplink_to: "a".to_owned(),
            uplink: Some(link.clone()),
        }],
        slots: ["s0", "s1"]
            .map(|id| SlotSpec {
                id: id.to_owned(),
                bridge: "io".to_owned(),
                pcie: "gen1 x8".parse().expect("a slot"),
                ..SlotSpec::default()
            })
            .to_vec(),
        cards: vec![CardSpec {
            id: "nic0".to_owned(),
            part: CardPart::Nic(
                parts
                    .nic("neptune-dual-10gbe")
                    .expect("a part of the catalogue")
                    .clone(),
            ),
            seat: Seat::Slot("s1".to_owned()),
        }],
        ..TopologySpec::default()
    };
    Topology::build(spec).expect("a sound topology")
}

#[test]
fn a_topology_is_shown_with_what_it_carries() {
    let text = topology_view(&topology()).text(&TextOptions::default());
    for words in [
        "Three in a line",
        // 3 sockets of 4 cores and 32 GiB each, a dual-port card.
        "3 sockets, 12 cores, 96 GiB of memory, 2 network ports",
        "a-b",
        "b-c",
        // 16 bit × 1 GHz × 2 = 4 GB/s, of which 87 % are usable.
        "4 GB/s",
        "3.48 GB/s",
        "Routes of more than one hop",
        "to c  by b",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    let slot = text
        .lines()
        .find(|line| line.trim_start().starts_with("s0"))
        .expect("the empty slot");
    assert!(slot.contains('-'), "{slot}");
}

#[test]
fn a_topology_as_json_has_every_resource_and_route() {
    let topology = topology();
    let document = json(&bandgraph_report::json(&TopologyDocument::new(&topology)));
    let resources = document["resources"].as_array().expect("a list");
    assert_eq!(resources.len(), topology.resources().len());
    let link = resources
        .iter()
        .find(|resource| resource["id"] == "link.a-b")
        .expect("the link");
    assert_eq!(link["capacity"], 4e9);
    assert_eq!(document["routes"].as_array().map(Vec::len), Some(6));
    let route = document["routes"]
        .as_array()
        .and_then(|routes| {
            routes
                .iter()
                .find(|route| route["from"] == "a" && route["to"] == "c")
        })
        .expect("a route");
    let links: Vec<&str> = route["links"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|link| link["id"].as_str())
        .collect();
    assert_eq!(links, ["link.a-b", "link.b-c"]);
    assert_eq!(document["server"]["slots"][1]["card"], "nic0");
    assert_eq!(document["server"]["slots"][0]["card"], Value::Null);
}

#[test]
fn a_check_tells_errors_then_the_files_that_are_fine() {
    let mut sources = Sources::new();
    let bad = sources.add("bad.toml", "part = \"ht9\"\n".to_owned());
    let files = [
        CheckedFile {
            path: "bad.toml".to_owned(),
            diagnostics: vec![
                Diagnostic::error("x::part", "there is no part `ht9`").at(Place::new(bad, 7..12)),
            ],
        },
        CheckedFile {
            path: "good.toml".to_owned(),
            diagnostics: vec![Diagnostic::warning("x::odd", "odd")],
        },
    ];
    let text = check_text(&files, &sources, &TextOptions::default());
    for words in [
        "bad.toml:1:8",
        "^^^^^",
        "ok  good.toml (1 warning)",
        "1 error and 1 warning; 1 of 2 files cannot be used",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    assert!(!text.contains("ok  bad.toml"));
    assert_eq!(check_text(&files[..0], &sources, &TextOptions::default()), "");
}

#[test]
fn explanations_fit_the_page() {
    let explanation = Explanation {
        id: "x::y",
        title: "something",
        text: "There are words here that are more than fit on one line of a page of eighty columns, so they wrap.\n\n\
               Another paragraph.",
    };
    let text = explanation_view(&[explanation]).text(&TextOptions::default());
    assert!(text.starts_with("x::y: something\n\n"));
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    assert!(text.ends_with("\n\n  Another paragraph.\n"));
}

/// The names of figures are what `--gate` takes, so each is on one line, to be copied.
#[test]
fn names_of_figures_stay_whole_on_a_page_of_80_columns() {
    let change = |kind: &str, metric: &str| FigureChangeDocument {
        subject: "run".to_owned(),
        kind: kind.to_owned(),
        metric: metric.to_owned(),
        unit: "bytes/s".to_owned(),
        before: 2.21e9,
        after: 3.02e9,
        relative: Some(0.366),
    };
    let compared = CompareDocument {
        schema: 1,
        bandgraph: "0.1.0".to_owned(),
        of: "run".to_owned(),
        results: ["a.json", "b.json"].map(str::to_owned),
        inputs: Vec::new(),
        answers: Vec::new(),
        overloaded: [false; 2],
        compared: 3,
        figures: vec![
            change("run", "network_bytes_per_s"),
            change("interval", "network_bytes_per_s_high"),
            change("expect", "network_bytes_per_s.value"),
        ],
        unmatched: Vec::new(),
        gates: Vec::new(),
    };
    let text = compare_view(&compared).text(&TextOptions {
        width: 80,
        ..TextOptions::default()
    });
    let rows = text.lines().filter(|line| line.contains("network_bytes_per_s"));
    for (row, [of, name]) in rows.zip([
        ["run", "network_bytes_per_s"],
        ["run interval", "network_bytes_per_s_high"],
        ["run expect", "network_bytes_per_s"],
    ]) {
        let words: Vec<&str> = row
            .split("  ")
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(words[..2], [of, name], "{text}");
        assert!(row.ends_with("+36.6 %"), "{text}");
    }
    assert_eq!(text.matches("network_bytes_per_s").count(), 3, "{text}");
}

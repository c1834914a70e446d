//! `lscpu`, as text and as JSON (`lscpu -J`): sockets, cores and NUMA nodes in numbers.

use bandgraph_topology::MAX_SOCKETS;

use super::json::Json;
use super::text::{known, positive};
use super::{Line, Reader, Text};
use crate::facts::{Facts, Node, Processor};
use crate::origin::{Fact, Known};

pub(crate) const READER: Reader = Reader {
    name: "lscpu",
    recognises: |text| text.contains("Socket(s):") && text.contains("Architecture:"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut fields: Vec<(String, Fact<String>)> = Vec::new();
    if let Some(root) = Json::root(text) {
        json_fields(root, &mut fields, 0);
    } else {
        let lines = text.lines().filter_map(Line::key_value);
        fields.extend(lines.map(|(key, value)| (key.to_owned(), value.whole())));
    }
    let field = |name: &str| {
        let (_, value) = fields.iter().find(|(key, _)| key == name)?;
        value.infer(|value| known(value).map(str::to_owned))
    };
    let number = |name: &str| -> Fact<u32> { field(name).infer(|value| positive(value)) };
    let cores = number("Core(s) per socket");
    let threads = number("Thread(s) per core");
    let sockets = number("Socket(s)").filter(|sockets| sockets.value as usize <= MAX_SOCKETS);
    for index in 0..sockets.as_ref().map_or(0, |sockets| sockets.value) {
        facts.processors.push(Processor {
            designation: sockets.infer(|_| Some(format!("socket {index}"))),
            name: field("Model name"),
            family: number("CPU family"),
            model: number("Model"),
            cores: cores.clone(),
            threads: threads.infer(|&threads| cores.known()?.checked_mul(threads)),
            ..Processor::default()
        });
    }
    facts.system.sockets = sockets;
    facts.system.numa_nodes = number("NUMA node(s)");
    facts.system.is_virtual = field("Hypervisor vendor").infer(|_| Some(true));
    for (key, value) in &fields {
        // `NUMA node0 CPU(s): 0-15`
        let number = key
            .strip_prefix("NUMA node")
            .and_then(|rest| rest.strip_suffix(" CPU(s)"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            facts.nodes.push(Node {
                number: value.infer(|_| Some(number)),
                ..Node::default()
            });
        }
    }
}

/// `{"field": "Socket(s):", "data": "2", "children": [...]}`
fn json_fields(json: Json<'_>, fields: &mut Vec<(String, Fact<String>)>, depth: usize) {
    if depth > 16 {
        return;
    }
    json.each_item(&mut |item| json_fields(item, fields, depth + 1));
    json.each_field(&mut |name, inner| {
        if name != "field" && name != "data" {
            json_fields(inner, fields, depth + 1);
        }
    });
    let key = json.get("field").and_then(Json::words);
    if let (Some(key), value @ Some(_)) = (key, json.text("data")) {
        fields.push((key.trim_end_matches(':').to_owned(), value));
    }
}

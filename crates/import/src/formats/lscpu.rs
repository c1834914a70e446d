//! `lscpu`, as text and as JSON (`lscpu -J`): sockets, cores and NUMA nodes in numbers.

use bandgraph_topology::MAX_SOCKETS;

use super::json::Json;
use super::text::known;
use super::{Line, Reader, Text};
use crate::facts::{Facts, Node, Processor};
use crate::origin::Fact;

pub(crate) const READER: Reader = Reader {
    name: "lscpu",
    recognises: |text| text.contains("Socket(s):") && text.contains("Architecture:"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut fields: Vec<(String, String, Line<'_>)> = Vec::new();
    if let Some(root) = Json::root(text) {
        json_fields(root, &mut fields, 0);
    } else {
        fields.extend(text.lines().filter_map(|line| {
            let (key, value) = line.key_value()?;
            Some((key.to_owned(), value.to_owned(), line))
        }));
    }
    let field = |name: &str| {
        let (_, value, line) = fields.iter().find(|(key, ..)| key == name)?;
        line.may_say(known(value).map(str::to_owned))
    };
    let number = |name: &str| -> Fact<u32> {
        let said = field(name)?;
        Some(
            said.at
                .says(said.value.parse().ok().filter(|&number| number > 0)?),
        )
    };
    let cores = number("Core(s) per socket");
    let threads = number("Thread(s) per core");
    let sockets = number("Socket(s)").filter(|sockets| sockets.value as usize <= MAX_SOCKETS);
    for index in 0..sockets.as_ref().map_or(0, |sockets| sockets.value) {
        facts.processors.push(Processor {
            designation: sockets
                .as_ref()
                .map(|said| said.at.says(format!("socket {index}"))),
            name: field("Model name"),
            family: number("CPU family"),
            model: number("Model"),
            cores: cores.clone(),
            threads: threads
                .as_ref()
                .and_then(|threads| Some(threads.at.says(cores.as_ref()?.value.checked_mul(threads.value)?))),
            ..Processor::default()
        });
    }
    facts.system.sockets = sockets;
    facts.system.numa_nodes = number("NUMA node(s)");
    facts.system.is_virtual = field("Hypervisor vendor").map(|said| said.at.says(true));
    for (key, _, line) in &fields {
        // `NUMA node0 CPU(s): 0-15`
        let number = key
            .strip_prefix("NUMA node")
            .and_then(|rest| rest.strip_suffix(" CPU(s)"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            facts.nodes.push(Node {
                number: line.says(number),
                ..Node::default()
            });
        }
    }
}

/// `{"field": "Socket(s):", "data": "2", "children": [...]}`
fn json_fields<'a>(json: Json<'a>, fields: &mut Vec<(String, String, Line<'a>)>, depth: usize) {
    if depth > 16 {
        return;
    }
    json.each_item(&mut |item| json_fields(item, fields, depth + 1));
    let (mut key, mut value) = (None, None);
    json.each_field(&mut |name, inner| match name {
        "field" => key = inner.words(),
        "data" => value = inner.words().map(|words| (words, inner.line())),
        _ => json_fields(inner, fields, depth + 1),
    });
    if let Some((key, (value, line))) = key.zip(value) {
        fields.push((key.trim_end_matches(':').to_owned(), value, line));
    }
}

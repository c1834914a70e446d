//! `ibstat`: the rate of each port of InfiniBand adapters.

use super::text::{infiniband_data, leading_number};
use super::{Line, Reader, Text};
use crate::facts::{Facts, Interface};
use crate::origin::Known;

pub(crate) const READER: Reader = Reader {
    name: "ibstat",
    recognises: |text| text.contains("CA '") && text.contains("CA type:"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut adapter: Option<Line<'_>> = None;
    let mut is_down = false;
    for line in text.lines() {
        let trimmed = line.text.trim();
        let within = |before, after| trimmed.strip_prefix(before)?.strip_suffix(after);
        if let Some(name) = within("CA '", "'") {
            adapter = Some(line.part(name));
        }
        let Some(adapter) = adapter else { continue };
        if let Some(port) = within("Port ", ":") {
            is_down = false;
            facts.interfaces.push(Interface {
                // A second port gets a name of its own.
                name: adapter.says(match port {
                    "1" => adapter.text.to_owned(),
                    _ => format!("{}/{port}", adapter.text),
                }),
                ..Interface::default()
            });
        } else if let Some(interface) = facts.interfaces.last_mut() {
            match trimmed.split_once(": ") {
                Some(("Rate", rate)) => {
                    let rate = leading_number(rate).filter(|&rate| rate > 0.0);
                    interface.rate = line.may_say(rate.map(|rate| rate * 1e9));
                }
                // The kind of link comes after the rate.
                Some(("Link layer", "InfiniBand")) => {
                    interface.rate = interface
                        .rate
                        .infer(|rate| Some(infiniband_data(rate / 1e9) * 1e9));
                }
                Some(("State", state)) => is_down = state != "Active",
                _ => {}
            }
            // A port without a link prints the rate that it would begin with.
            interface.rate.take_if(|_| is_down);
        }
    }
}

//! `ibstat`: the rate of each port of InfiniBand adapters.

use super::text::{infiniband_data, leading_number};
use super::{Line, Reader, Text};
use crate::facts::{Facts, Interface};

pub(crate) const READER: Reader = Reader {
    name: "ibstat",
    recognises: |text| text.contains("CA '") && text.contains("CA type:"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut adapter: Option<Line<'_>> = None;
    for line in text.lines() {
        let trimmed = line.text.trim();
        if let Some(name) = trimmed
            .strip_prefix("CA '")
            .and_then(|rest| rest.strip_suffix('\''))
        {
            adapter = Some(Line { text: name, ..line });
        }
        let Some(adapter) = adapter else { continue };
        if let Some(port) = trimmed
            .strip_prefix("Port ")
            .and_then(|rest| rest.strip_suffix(':'))
        {
            facts.interfaces.push(Interface {
                // A second port gets a name of its own.
                name: adapter.says(match port {
                    "1" => adapter.text.to_owned(),
                    _ => format!("{}/{port}", adapter.text),
                }),
                ..Interface::default()
            });
        } else if let Some(rate) = trimmed.strip_prefix("Rate: ")
            && let Some(interface) = facts.interfaces.last_mut()
        {
            let rate = leading_number(rate).filter(|&rate| rate > 0.0);
            interface.rate = line.may_say(rate.map(|rate| rate * 1e9));
        }
    }
    // The kind of link comes after the rate.
    let mut ports = facts.interfaces.iter_mut();
    let mut port = None;
    for line in text.lines().map(|line| line.text.trim()) {
        if line.starts_with("Port ") && line.ends_with(':') {
            port = ports.next();
        }
        let rate = port.as_mut().and_then(|port| port.rate.as_mut());
        if let (Some(rate), "Link layer: InfiniBand") = (rate, line) {
            rate.value = infiniband_data(rate.value / 1e9) * 1e9;
        }
    }
    // A port without a link prints the rate that it would begin with.
    let mut is_down = false;
    let mut ports = facts.interfaces.iter_mut();
    let mut port = None;
    for line in text.lines().map(|line| line.text.trim()) {
        if line.starts_with("Port ") && line.ends_with(':') {
            port = ports.next();
            is_down = false;
        }
        is_down |= line
            .strip_prefix("State: ")
            .is_some_and(|state| state != "Active");
        if let (true, Some(port)) = (is_down, &mut port) {
            port.rate = None;
        }
    }
}

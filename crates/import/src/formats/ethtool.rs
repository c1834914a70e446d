//! `ethtool INTERFACE`: the negotiated rate and the highest supported one.

use super::text::leading_number;
use super::{Reader, Text};
use crate::facts::{Facts, Interface};
use crate::origin::Known;

pub(crate) const READER: Reader = Reader {
    name: "ethtool",
    recognises: |text| text.contains("Settings for ") && text.contains("Speed: "),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut in_supported = false;
    for line in text.lines() {
        let trimmed = line.text.trim();
        if let Some(name) = trimmed
            .strip_prefix("Settings for ")
            .and_then(|name| name.strip_suffix(':'))
        {
            facts.interfaces.push(Interface {
                name: line.says(name.to_owned()),
                ..Interface::default()
            });
        }
        let Some(interface) = facts.interfaces.last_mut() else {
            continue;
        };
        // The list of modes has several lines without a colon.
        if trimmed.contains(':') {
            in_supported = trimmed.starts_with("Supported link modes:");
        }
        if in_supported {
            // `40000baseCR4/Full`
            let fastest = trimmed
                .split_whitespace()
                .filter(|word| word.contains("base"))
                .filter_map(leading_number)
                .fold(0.0, f64::max)
                * 1e6;
            if fastest > interface.rate_capable.known().unwrap_or(0.0) {
                interface.rate_capable = line.says(fastest);
            }
        }
        if let Some(speed) = trimmed.strip_prefix("Speed: ") {
            // `Unknown!` without a link.
            let megabits = leading_number(speed).filter(|&rate| rate > 0.0 && speed.ends_with("Mb/s"));
            interface.rate = line.may_say(megabits.map(|megabits| megabits * 1e6));
        }
    }
}

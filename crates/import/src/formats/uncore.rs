//! The names of counter units of links between sockets, as our collector lists them from `/sys/devices`: one
//! a link.

use super::{Reader, Text};
use crate::facts::Facts;

pub(crate) const READER: Reader = Reader {
    name: "units of socket links",
    recognises: |text| {
        let mut lines = text.lines().filter(|line| !line.is_empty()).peekable();
        lines.peek().is_some() && lines.all(is_unit)
    },
    read,
};

/// Whether a line is `uncore_upi_0` or its like.
fn is_unit(line: &str) -> bool {
    let number = line
        .strip_prefix("uncore_upi_")
        .or_else(|| line.strip_prefix("uncore_qpi_"));
    number.is_some_and(|number| number.parse::<u8>().is_ok())
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut units = text.lines().filter(|line| is_unit(line.text));
    let Some(first) = units.next() else { return };
    facts.system.socket_links = first.says(units.count() as u32 + 1);
}

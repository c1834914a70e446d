//! The table of counters: what one count of an event is worth. Data in `data/counters.csv`.

use bandgraph_config::words;

use crate::table;

words! {
    /// What an event counts.
    pub(super) enum Counted {
        /// What memory controllers read.
        MemoryRead = "memory read",
        /// What memory controllers write.
        MemoryWrite = "memory write",
        /// What memory controllers read and write.
        Memory = "memory",
        /// All that a link sends.
        Link = "link",
        /// Data that a link sends, without headers and short packets.
        LinkPayload = "link payload",
        /// Cycles of cores.
        Cycles = "cycles",
        /// Instructions of cores.
        Instructions = "instructions",
    }
}

/// An event with the bytes of a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) counted: Counted,
    pub(super) bytes: f64,
    /// Number of the link, where the event tells.
    pub(super) link: Option<u32>,
}

/// The event of this name, in lower case.
pub(super) fn event(name: &str) -> Option<Event> {
    table::rows(include_str!("../../data/counters.csv")).find_map(|row| {
        let [pattern, counted, bytes, link, ..] = row[..] else {
            return None;
        };
        // Commas are the separators of the table.
        if !table::matches(pattern.replace(';', ",").as_bytes(), name.as_bytes()) {
            return None;
        }
        let (above, below) = bytes.split_once('/').unwrap_or((bytes, "1"));
        Some(Event {
            counted: (Counted::ALL.iter().copied()).find(|known| known.as_str() == counted)?,
            bytes: above.parse::<f64>().ok()? / below.parse::<f64>().ok()?,
            link: link.parse().ok().or_else(|| number_in(name)),
        })
    })
}

/// The number of a unit: 1 in `uncore_upi_1/...` and in `remote_outbound_data_controller_1`.
fn number_in(name: &str) -> Option<u32> {
    let unit = name.split('/').next()?;
    let (_, number) = unit.rsplit_once('_')?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        let rows = table::rows(include_str!("../../data/counters.csv"));
        for row in rows {
            let name = row[0].replace('*', "").replace(';', ",").replace('?', "0");
            assert!(event(&name).is_some(), "{}", row[0]);
        }
    }

    #[test]
    fn events_have_the_bytes_of_their_makers() {
        let bytes = |name| event(name).map(|event| (event.counted, event.bytes, event.link));
        assert_eq!(
            bytes("uncore_imc_0/cas_count_read/"),
            Some((Counted::MemoryRead, 64.0, Some(0)))
        );
        assert_eq!(
            bytes("uncore_upi_1/event=0x2,umask=0xf/"),
            Some((Counted::LinkPayload, 64.0 / 9.0, Some(1)))
        );
        assert_eq!(
            bytes("remote_outbound_data_controller_2"),
            Some((Counted::LinkPayload, 32.0, Some(2)))
        );
        assert_eq!(
            bytes("amd_nb/event=0xf7,umask=0x37/"),
            Some((Counted::Link, 4.0, Some(1)))
        );
        assert_eq!(bytes("page-faults"), None);
    }
}

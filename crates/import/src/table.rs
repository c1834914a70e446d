//! Tables of known devices and processors: data in `data/*.csv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bandgraph_hardware::{PartKind, catalogue};

/// A PCI device by its ids.
pub(crate) struct KnownDevice {
    /// Vendor and device.
    pub ids: (u16, u16),
    /// `nic`, `hba`, `nvme`, `gpu`; `internal` for a port or adapter inside a chipset. No cards: `virtual`
    /// for a virtual function, `bridge` for what only leads to other devices.
    pub kind: &'static str,
    /// Name.
    pub name: &'static str,
    /// Ports of a function.
    pub ports: Option<u32>,
    /// Rate of a port in bit/s.
    pub port_rate: Option<f64>,
    /// Lanes of the connector.
    pub lanes: Option<u8>,
    /// Generation of the connector.
    pub generation: Option<u8>,
    /// Entries of the catalogue with this chip, joined by blanks: one for each number of ports.
    parts: Option<&'static str>,
}

impl KnownDevice {
    /// Whether all but the ids is the same.
    fn is_like(&self, other: &Self) -> bool {
        let of = |one: &Self| {
            let link = (one.lanes, one.generation);
            (one.kind, one.name, one.ports, one.port_rate, link, one.parts)
        };
        of(self) == of(other)
    }

    /// The entry of the catalogue for a card of this number of ports; for a network card none if no entry has
    /// as many.
    pub(crate) fn part(&self, ports: Option<u32>) -> Option<&'static str> {
        let mut parts = self.parts?.split(' ');
        if self.kind != "nic" {
            return parts.next();
        }
        let count = |name: &&str| catalogue().nic(name).map(|nic| nic.ports as u32);
        parts.find(|name| ports.is_some() && count(name) == ports)
    }
}

/// A family of processors.
pub(crate) struct KnownProcessor {
    pattern: &'static str,
    /// Memory channels of a socket.
    pub channels: Option<u32>,
    /// Entry of the catalogue that comes nearest to those that it does not have.
    pub like: Option<&'static str>,
    /// Entry of the links between sockets.
    pub link: Option<&'static str>,
    /// Links that join a pair of sockets.
    pub links: Option<u32>,
    /// Entry of what its PCI Express ports hang on.
    pub bridge: Option<&'static str>,
    /// Generation of these ports.
    pub generation: Option<u8>,
}

/// The rows of a table without its comments and its header.
pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .skip(1)
        .map(|line| line.split(',').map(str::trim).collect())
}

fn text(row: &[&'static str], column: usize) -> Option<&'static str> {
    row.get(column).copied().filter(|text| !text.is_empty())
}

/// All known devices, sorted by ids.
fn devices() -> &'static [KnownDevice] {
    static DEVICES: LazyLock<Vec<KnownDevice>> = LazyLock::new(|| {
        let mut devices: Vec<KnownDevice> = rows(include_str!("../data/pci-devices.csv"))
            .filter_map(|row| {
                let hex = |text| u16::from_str_radix(text, 16).ok();
                let (vendor, device) = row[0].split_once(':')?;
                Some(KnownDevice {
                    ids: (hex(vendor)?, hex(device)?),
                    kind: text(&row, 1)?,
                    name: text(&row, 2)?,
                    ports: text(&row, 3).and_then(|ports| ports.parse().ok()),
                    port_rate: text(&row, 4)
                        .and_then(|rate| rate.parse().ok())
                        .map(|rate: f64| rate * 1e9),
                    lanes: text(&row, 5).and_then(|lanes| lanes.parse().ok()),
                    generation: text(&row, 6).and_then(|generation| generation.parse().ok()),
                    parts: text(&row, 7),
                })
            })
            .collect();
        devices.sort_by_key(|device| device.ids);
        devices
    });
    &DEVICES
}

/// The device with these ids.
pub(crate) fn device(vendor: u16, device: u16) -> Option<&'static KnownDevice> {
    let all = devices();
    let at = all
        .binary_search_by_key(&(vendor, device), |known| known.ids)
        .ok()?;
    Some(&all[at])
}

/// The device of this name, for programs that print no ids. Of different ones with one name none counts.
pub(crate) fn device_named(name: &str) -> Option<&'static KnownDevice> {
    static NAMES: LazyLock<BTreeMap<&'static str, Option<&'static KnownDevice>>> = LazyLock::new(|| {
        let mut names = BTreeMap::new();
        for device in devices() {
            let entry = names.entry(device.name).or_insert(Some(device));
            *entry = entry.filter(|known| known.is_like(device));
        }
        names
    });
    NAMES.get(name).copied().flatten()
}

/// The generation of the PCI Express ports of a processor by what CPUID calls its maker, family and model.
pub(crate) fn ports_of_model(maker: &str, family: &str, model: &str) -> Option<u8> {
    rows(include_str!("../data/processor-models.csv"))
        .find(|row| row[..3] == [maker, family, model])
        .and_then(|row| row[3].parse().ok())
}

/// The family of a processor of this name.
pub(crate) fn processor(name: &str) -> Option<&'static KnownProcessor> {
    static PROCESSORS: LazyLock<Vec<KnownProcessor>> = LazyLock::new(|| {
        let number =
            |row: &[&'static str], column| text(row, column).and_then(|number| number.parse::<u32>().ok());
        rows(include_str!("../data/processors.csv"))
            .map(|row| KnownProcessor {
                pattern: row[0],
                channels: number(&row, 1),
                like: text(&row, 2),
                link: text(&row, 3),
                links: number(&row, 4),
                bridge: text(&row, 5),
                generation: number(&row, 6).map(|generation| generation as u8),
            })
            .collect()
    });
    // Names end in padding; a blank at the end lets `*X55?? *` match a name that ends with the number.
    let name = format!("{} ", name.trim());
    PROCESSORS
        .iter()
        .find(|known| matches(known.pattern.as_bytes(), name.as_bytes()))
}

/// The processor of the catalogue that is called by this name: `xeon-e5-2680-v4` for
/// `Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz`.
///
/// The catalogue's names are what is left of such names without marks, clock, number of cores and class.
pub(crate) fn part_of_processor(name: &str) -> Option<&'static str> {
    const LEFT_OUT: [&str; 9] = [
        "intel",
        "amd",
        "cpu",
        "processor",
        "bronze",
        "silver",
        "gold",
        "platinum",
        // Behind the first Xeons E5.
        "0",
    ];
    let name = name.to_ascii_lowercase().replace("(r)", "").replace("(tm)", "");
    let name = name.split('@').next().unwrap_or_default().replace('+', "-plus");
    let words = name
        .split_whitespace()
        .filter(|word| !LEFT_OUT.contains(word) && !word.ends_with("-core"));
    let name = words.collect::<Vec<_>>().join("-");
    catalogue().names(PartKind::Socket).find(|part| *part == name)
}

/// Whether a pattern with `*`, `?` and `[...]` covers the whole of a text, in either case of letters.
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|at| matches(rest, &text[at..])),
        [b'[', rest @ ..] => {
            let Some(end) = rest.iter().position(|&byte| byte == b']') else {
                return false;
            };
            text.split_first().is_some_and(|(first, after)| {
                let is_in = rest[..end].iter().any(|one| one.eq_ignore_ascii_case(first));
                is_in && matches(&rest[end + 1..], after)
            })
        }
        [wanted, rest @ ..] => text.split_first().is_some_and(|(first, after)| {
            (*wanted == b'?' || wanted.eq_ignore_ascii_case(first)) && matches(rest, after)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_every_part_is_in_the_catalogue() {
        let count = rows(include_str!("../data/pci-devices.csv")).count();
        assert_eq!(devices().len(), count);
        assert!(
            devices().windows(2).all(|pair| pair[0].ids < pair[1].ids),
            "an id is there twice"
        );
        let parts = devices()
            .iter()
            .filter_map(|device| device.parts)
            .flat_map(|parts| parts.split(' '));
        let sockets = rows(include_str!("../data/processors.csv"))
            .flat_map(|row| [2, 3, 5].into_iter().filter_map(move |column| text(&row, column)));
        for part in parts.chain(sockets) {
            assert!(catalogue().get(part).is_some(), "{part}");
        }
    }

    #[test]
    fn processors_are_found_by_the_names_that_machines_print() {
        for row in rows(include_str!("../tests/processors.csv")) {
            // Names end in padding.
            let name = format!("{}   ", row[0]);
            let known = processor(&name);
            let channels = known
                .and_then(|known| known.channels)
                .map_or(String::new(), |one| one.to_string());
            let [part, like] = [part_of_processor(&name), known.and_then(|known| known.like)];
            let found = [&channels, part.unwrap_or_default(), like.unwrap_or_default()];
            assert_eq!(found, row[1..], "{name}");
        }
        assert_eq!(part_of_processor(""), None);
    }
}

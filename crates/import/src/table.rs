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
    fn processors_are_found_by_name() {
        let channels = |name| processor(name).and_then(|known| known.channels);
        assert_eq!(
            channels("AMD EPYC 7601 32-Core Processor                "),
            Some(8)
        );
        assert_eq!(
            channels("AMD Opteron(tm) Processor 6380                 "),
            Some(4)
        );
        assert_eq!(channels("Dual-Core AMD Opteron(tm) Processor 2218"), Some(2));
        assert_eq!(
            channels("Intel(R) Xeon(R) CPU           X5680  @ 3.33GHz"),
            Some(3)
        );
        assert_eq!(channels("Intel(R) Xeon(R) CPU           X5460  @ 3.16GHz"), None);
        assert_eq!(channels("Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz"), Some(6));
        assert_eq!(channels("AMD EPYC 9454P 48-Core Processor"), Some(12));
        assert_eq!(channels("Intel(R) Xeon(R) CPU E3-1230 v3 @ 3.30GHz"), Some(2));
        assert_eq!(channels("AMD EPYC 4564P 16-Core Processor"), Some(2));
        assert_eq!(channels("Intel(R) Xeon(R) w5-3435X"), Some(8));
        // With buffers between: not the families of two sockets whose digits are in their names.
        assert_eq!(channels("Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz"), None);
        assert_eq!(channels("Intel(R) Xeon(R) CPU           E7540  @ 2.00GHz"), None);
        assert_eq!(
            channels("Intel(R) Xeon(R) CPU           E5504  @ 2.00GHz"),
            Some(3)
        );
        assert_eq!(channels("Intel(R) Xeon(R) CPU Max 9480"), Some(8));
        assert_eq!(channels("Ampere(R) Altra(R) Max Processor"), Some(8));
        assert_eq!(channels("Kunpeng-920"), Some(8));
        assert_eq!(channels("AMD Ryzen 9 7950X 16-Core Processor"), Some(2));
        assert_eq!(channels("AMD Ryzen Threadripper PRO 5975WX 32-Cores"), Some(8));
        assert_eq!(channels("a processor of tomorrow"), None);
    }

    #[test]
    fn processors_of_the_catalogue_are_found_by_the_names_that_machines_print() {
        for (name, part) in [
            ("Intel(R) Xeon(R) CPU E5-2690 0 @ 2.90GHz", "xeon-e5-2690"),
            ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "xeon-e5-2680-v4"),
            ("Intel(R) Xeon(R) CPU           X5680  @ 3.33GHz", "xeon-x5680"),
            ("Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz", "xeon-6126"),
            ("INTEL(R) XEON(R) PLATINUM 8580", "xeon-8580"),
            ("Intel(R) Xeon(R) Platinum 8480+", "xeon-8480-plus"),
            ("Intel(R) Xeon(R) 6972P", "xeon-6972p"),
            ("AMD EPYC 7601 32-Core Processor                ", "epyc-7601"),
            ("AMD EPYC 9454P 48-Core Processor", "epyc-9454p"),
            ("Quad-Core AMD Opteron(tm) Processor 8356", "opteron-8356"),
            ("AMD Opteron(TM) Processor 6272                 ", "opteron-6272"),
            (
                "Ampere(R) Altra(R) Max Processor M128-30",
                "ampere-altra-max-m128-30",
            ),
        ] {
            assert_eq!(part_of_processor(name), Some(part), "{name}");
        }
        assert_eq!(
            part_of_processor("Intel(R) Xeon(R) CPU E5-2637 v3 @ 3.50GHz"),
            None
        );
        assert_eq!(part_of_processor(""), None);
    }

    #[test]
    fn a_family_is_like_one_of_its_own() {
        for (name, part) in [
            ("Intel(R) Xeon(R) CPU E5-2637 v3 @ 3.50GHz", "xeon-e5-2650-v3"),
            ("Intel(R) Xeon(R) CPU E5-4650 0 @ 2.70GHz", "xeon-e5-2650"),
            ("INTEL(R) XEON(R) GOLD 5520+", "xeon-6530"),
            ("AMD EPYC 7F52 16-Core Processor", "epyc-7402"),
            ("AMD EPYC 9275F 24-Core Processor", "epyc-9355"),
            ("Intel(R) Xeon(R) CPU E3-1230 v3 @ 3.30GHz", "xeon-e5-2650-v3"),
            ("Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", "xeon-e5-2650-v4"),
            ("Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz", "xeon-4114"),
            ("Intel(R) Xeon(R) E-2288G CPU @ 3.70GHz", "xeon-4214"),
            ("Intel(R) Xeon(R) w5-3435X", "xeon-6430"),
            ("AMD EPYC 3251 8-Core Processor", "epyc-7401"),
            ("Intel(R) Xeon(R) CPU           E7540  @ 2.00GHz", "xeon-x5570"),
            ("Intel(R) Xeon(R) CPU           E7450  @ 2.40GHz", "xeon-l5408"),
            ("AMD EPYC 4564P 16-Core Processor", "epyc-9254"),
        ] {
            assert_eq!(processor(name).and_then(|known| known.like), Some(part), "{name}");
        }
    }
}

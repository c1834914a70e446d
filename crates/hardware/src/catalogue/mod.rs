//! The part catalogue: parts by name, each with the source of its figures.
//!
//! One file per family, each a list of entries. A new part is a new entry.

mod bridges;
mod chassis;
mod memories;
mod nics;
mod nvme;
mod slots;
mod socket_links;
mod sockets;
mod storage;
mod switches;

use std::sync::LazyLock;

use crate::part::{AnyPart, Part, PartKind};
use crate::parts::{
    BridgePart, ChassisPart, DiskPart, HbaPart, JbodPart, MemoryPart, NetworkSwitchPart, NicPart,
    PcieSlotPart, PcieSwitchPart, SocketLinkPart, SocketPart, SsdPart,
};

/// Parts by name, in documented order.
#[derive(Clone, Debug)]
pub struct Catalogue {
    parts: Vec<AnyPart>,
}

/// The catalogue.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue {
        parts: [
            any(sockets::entries()),
            any(memories::entries()),
            any(socket_links::entries()),
            any(bridges::entries()),
            any(slots::entries()),
            any(switches::pcie()),
            any(nics::entries()),
            any(storage::hbas()),
            any(nvme::hbas()),
            any(storage::jbods()),
            any(nvme::jbods()),
            any(storage::disks()),
            any(storage::ssds()),
            any(nvme::ssds()),
            any(switches::network()),
            any(chassis::entries()),
        ]
        .concat(),
    });
    &CATALOGUE
}

fn any<P: Into<AnyPart>>(parts: Vec<P>) -> Vec<AnyPart> {
    parts.into_iter().map(Into::into).collect()
}

/// Declares a look-up for one kind of part.
macro_rules! lookup {
    ($($(#[$doc:meta])* $method:ident: $kind:ident($part:ident);)+) => {
        impl Catalogue {
            $(
                $(#[$doc])*
                pub fn $method(&self, name: &str) -> Option<&$part> {
                    match self.get(name)? {
                        AnyPart::$kind(part) => Some(part),
                        _ => None,
                    }
                }
            )+
        }
    };
}

lookup! {
    /// The socket of that name; `None` if there is no part of that name or it is no socket.
    socket: Socket(SocketPart);
    /// The memory of that name; `None` if there is no part of that name or it is no memory.
    memory: Memory(MemoryPart);
    /// The link of that name; `None` if there is no part of that name or it is no link between sockets.
    socket_link: SocketLink(SocketLinkPart);
    /// The bridge of that name; `None` if there is no part of that name or it is no bridge.
    bridge: Bridge(BridgePart);
    /// The PCIe slot of that name; `None` if there is no part of that name or it is no PCIe slot.
    pcie_slot: PcieSlot(PcieSlotPart);
    /// The PCIe switch of that name; `None` if there is no part of that name or it is no PCIe switch.
    pcie_switch: PcieSwitch(PcieSwitchPart);
    /// The network card of that name; `None` if there is no part of that name or it is no network card.
    nic: Nic(NicPart);
    /// The SAS adapter of that name; `None` if there is no part of that name or it is no SAS adapter.
    hba: Hba(HbaPart);
    /// The shelf of that name; `None` if there is no part of that name or it is no shelf of disks.
    jbod: Jbod(JbodPart);
    /// The disk of that name; `None` if there is no part of that name or it is no disk.
    disk: Disk(DiskPart);
    /// The SSD of that name; `None` if there is no part of that name or it is no SSD.
    ssd: Ssd(SsdPart);
    /// The network switch of that name; `None` if there is no part of that name or it is no network switch.
    network_switch: NetworkSwitch(NetworkSwitchPart);
    /// The chassis of that name; `None` if there is no part of that name or it is no chassis.
    chassis: Chassis(ChassisPart);
}

impl Catalogue {
    /// The part of that name, of whatever kind.
    pub fn get(&self, name: &str) -> Option<&AnyPart> {
        self.parts.iter().find(|part| part.name() == name)
    }

    /// Every part, in documented order: by kind, then as listed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &AnyPart> {
        self.parts.iter()
    }

    /// The names of the parts of one kind, in documented order.
    pub fn names(&self, kind: PartKind) -> Vec<&str> {
        self.parts
            .iter()
            .filter(|part| part.kind() == kind)
            .map(Part::name)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_config::FieldValue;
    use std::collections::BTreeSet;

    #[test]
    fn every_entry_is_named_sourced_and_within_the_ranges_of_its_fields() {
        let mut names = BTreeSet::new();
        for part in catalogue().iter() {
            assert!(names.insert(part.name()), "{} is there twice", part.name());
            assert!(
                part.name()
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                part.name()
            );
            assert!(part.source().len() > 10, "{} has no source", part.name());
            for info in part.fields() {
                let value = part.get(info.name).expect("every listed field can be read");
                assert_eq!(info.check(&value), Ok(()), "{} {}", part.name(), info.name);
            }
        }
    }

    #[test]
    fn every_field_of_every_entry_can_be_set_to_what_it_is() {
        for part in catalogue().iter() {
            let mut copy = part.kind().default_part();
            copy.rename(part.name(), part.source());
            for info in part.fields() {
                let value = part.get(info.name).expect("every listed field can be read");
                copy.set(info.name, value).expect("the value is in use already");
            }
            assert_eq!(&copy, part);
        }
    }

    #[test]
    fn the_parts_of_the_7410_are_there() {
        let catalogue = catalogue();
        let barcelona = catalogue.socket("opteron-8356").expect("in the catalogue");
        assert_eq!(
            (barcelona.cores, barcelona.cycles_per_second().get() / 1e9),
            (4, 9.2)
        );
        let istanbul = catalogue.socket("opteron-8435").expect("in the catalogue");
        assert!((4.0 * istanbul.cycles_per_second().get() - 62.4e9).abs() < 1.0);
        assert!(!istanbul.probe_filter);
        for (link, gigabytes) in [("ht1-x16", 4.0), ("ht3-x16-2200", 8.8), ("ht3-x16", 9.6)] {
            let link = catalogue.socket_link(link).expect("in the catalogue");
            assert!((link.raw_bandwidth().get() - gigabytes * 1e9).abs() < 1.0);
            assert_eq!(link.usable_share().get(), 0.87);
        }
        let hba = catalogue.hba("sas-hba-x8-gen1").expect("in the catalogue");
        assert_eq!((hba.ports, hba.port_rate().get()), (2, 1.2e9));
        let jbod = catalogue.jbod("j4400").expect("in the catalogue");
        let disk = catalogue
            .disk(&jbod.disk)
            .expect("a shelf holds disks of the catalogue");
        assert_eq!((jbod.disks, disk.capacity.get()), (24, 1e12));
        assert!((disk.rotational_latency().get() - 4.16e-3).abs() < 1e-5);
        let nic = catalogue.nic("onboard-1gbe").expect("in the catalogue");
        assert_eq!(nic.endpoint(), None);
        for name in ["mcp55", "io55"] {
            let bridge = catalogue.bridge(name).expect("in the catalogue");
            assert_eq!(bridge.read_completion.get(), 64.0);
        }
    }

    #[test]
    fn a_look_up_of_the_wrong_kind_finds_nothing() {
        assert!(catalogue().socket("ht1-x16").is_none());
        assert!(catalogue().get("ht1-x16").is_some());
        assert!(catalogue().get("HT1-x16").is_none());
    }

    #[test]
    fn names_come_by_kind() {
        let sockets = catalogue().names(PartKind::Socket);
        assert_eq!(sockets.first(), Some(&"opteron-8356"));
        let total: usize = PartKind::ALL
            .iter()
            .map(|kind| catalogue().names(*kind).len())
            .sum();
        assert_eq!(total, catalogue().iter().len());
    }

    #[test]
    fn an_entry_shows_its_values_in_units() {
        let part = catalogue().get("opteron-8356").expect("in the catalogue");
        let shown = |name: &str| {
            let info = part
                .fields()
                .iter()
                .find(|info| info.name == name)
                .expect("a field");
            part.get(name).expect("a field").display(info)
        };
        assert_eq!(shown("clock"), "2.3 GHz");
        assert_eq!(shown("cores"), "4");
        assert_eq!(shown("probe_filter"), "false");
        assert_eq!(part.get("line_size"), Some(FieldValue::Quantity(64.0)));
    }
}

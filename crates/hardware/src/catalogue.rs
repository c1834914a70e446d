//! The part catalogue: parts by name, read from `parts/*.toml` in this crate. An entry there adds a part.
//!
//! The files have the format of a topology's own `[[part]]` entries, and the same code reads them.

use std::sync::LazyLock;

use bandgraph_config::read_embedded;
use bandgraph_units::Bandwidth;

use crate::embedded::Embedded;
use crate::kinds::{AnyPart, CardPart};
use crate::part::{PartKind, every_kind};
use crate::part_fields::OWN_PART;
use crate::parts::{
    BridgePart, ChassisPart, DiskPart, GpuPart, HbaPart, JbodPart, MemoryPart, NetworkSwitchPart, NicPart,
    NvmePart, PcieSlotPart, PcieSwitchPart, SocketLinkPart, SocketPart, SsdPart,
};

/// The type of the parts of one kind.
pub trait OfKind: Sized {
    /// The kind.
    const KIND: PartKind;

    /// A part of this kind; `None` for others.
    fn of(part: &AnyPart) -> Option<&Self>;
}

macro_rules! look_ups {
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident($part:ident) = $text:literal, $method:ident in $($file:literal)+;
    )+) => {
        /// The files of the catalogue with their texts and the kind of their parts, in documented order.
        const FILES: &[(&str, &str, PartKind)] = &[
            $($((
                concat!("parts/", $file, ".toml"),
                include_str!(concat!("../parts/", $file, ".toml")),
                PartKind::$kind,
            ),)+)+
        ];

        $(
            impl OfKind for $part {
                const KIND: PartKind = PartKind::$kind;

                fn of(part: &AnyPart) -> Option<&Self> {
                    match part {
                        AnyPart::$kind(part) => Some(part),
                        _ => None,
                    }
                }
            }
        )+

        impl Catalogue {
            $(
                #[doc = concat!("The part of that name; `None` if there is none of kind `", $text, "`.")]
                pub fn $method(&self, name: &str) -> Option<&$part> {
                    $part::of(self.get(name)?)
                }
            )+
        }
    };
}

every_kind!(look_ups);

/// Parts by name, in documented order. A part is decoded on first use.
#[derive(Debug)]
pub struct Catalogue(Embedded<PartKind, AnyPart>);

/// The catalogue.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        Catalogue(Embedded::new(
            FILES.iter().copied(),
            ["[[part]]\n", "name = \""],
            |file, text| {
                let part = read_embedded(&OWN_PART, file, text, |entry| entry.made_as().cloned());
                part.expect("an entry is a part; tests read every one of them")
            },
        ))
    });
    &CATALOGUE
}

impl Catalogue {
    /// The part with this name, of any kind.
    pub fn get(&self, name: &str) -> Option<&AnyPart> {
        self.0.get(name)
    }

    /// Every part, in documented order: by kind, then in the order of the files. Decodes all of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &AnyPart> {
        self.0.iter()
    }

    /// The parts of one kind, in documented order.
    pub fn of_kind(&self, kind: PartKind) -> impl Iterator<Item = &AnyPart> {
        self.0.of_files(move |of_file| of_file == kind)
    }

    /// The parts of one kind with its type, in documented order.
    pub fn each<P: OfKind + 'static>(&self) -> impl Iterator<Item = &P> {
        self.of_kind(P::KIND).filter_map(P::of)
    }

    /// The names of the parts of one kind, in documented order.
    pub fn names(&self, kind: PartKind) -> impl Iterator<Item = &'static str> {
        self.0.names(move |of_file| of_file == kind)
    }
}

impl CardPart {
    /// Rate of all its ports together in each direction; that of the drive.
    pub fn total_rate(&self) -> Bandwidth {
        let Some(ports) = self.network() else {
            return self.rate();
        };
        let all = ports.rate * ports.count as f64;
        if ports.card_rate > Bandwidth::ZERO {
            all.min(ports.card_rate)
        } else {
            all
        }
    }

    /// Faster cards of the same kind and network for a slot, with no fewer and no slower ports: the same card
    /// with all its ports first, then others of no earlier PCIe generation, those of its family first. Of
    /// cards with the same rates and connectors only the first is there.
    pub fn faster(&self) -> Vec<Self> {
        let layer = |card: &Self| card.network().map(|ports| ports.link_layer);
        let side = |card: &Self| {
            let connector = card.endpoint().map(|endpoint| endpoint.connector);
            (card.rate(), card.total_rate(), card.ports(), connector)
        };
        let all = catalogue().of_kind(self.kind()).filter_map(Self::of);
        let all = all.filter(|other| {
            (other.kind(), layer(other)) == (self.kind(), layer(self))
                && other.ports() >= self.ports()
                && other.endpoint().is_some()
                && other.rate() >= self.rate()
                && other.total_rate() > self.total_rate()
        });
        let mut others: Vec<Self> = all.collect();
        let generation = |card: &Self| card.endpoint().map(|endpoint| endpoint.connector.generation);
        let family = |card: &Self| card.name().split('-').next().map(str::to_owned);
        others.sort_by_key(|other| {
            (
                other.name() != self.name(),
                generation(other) < generation(self),
                family(other) != family(self),
            )
        });
        let mut faster: Vec<Self> = Vec::new();
        for other in others {
            if faster.iter().all(|known| side(known) != side(&other)) {
                faster.push(other);
            }
        }
        faster
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_config::{FieldValue, Status};
    use bandgraph_units::Bytes;

    use super::*;
    use crate::bibliography::{source, sources};
    use crate::card::Card;
    use crate::{Part, Probing};
    use std::collections::BTreeSet;

    #[test]
    fn every_entry_is_named_sourced_and_within_the_ranges_of_its_fields() {
        let mut names = BTreeSet::new();
        for part in catalogue().iter() {
            assert!(names.insert(part.name()), "{} is there twice", part.name());
            assert_eq!(catalogue().get(part.name()), Some(part));
            assert!(catalogue().names(part.kind()).any(|name| name == part.name()));
            assert!(
                part.name()
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                part.name()
            );
            for figure in part.figures() {
                let of = format!("{} of {}", figure.field.name, part.name());
                if let Some(key) = &figure.source {
                    assert!(source(key).is_some(), "{of}: `{key}` is not in docs/sources.toml");
                }
                // A figure marked as published needs a source.
                let is_known = figure.status == Status::Assumed || figure.source.is_some();
                assert!(is_known, "{of} has no source");
                assert_eq!(figure.unexplained(), None, "{of} does not say that");
                if let (Some([low, high]), Some(value)) = (figure.range, figure.value.number()) {
                    assert!(low <= value && value <= high, "{of}: {low} <= {value} <= {high}");
                }
            }
            for info in part.kind().fields() {
                let value = part.get(info.name).expect("every listed field can be read");
                assert_eq!(info.check(&value), Ok(()), "{} {}", part.name(), info.name);
            }
        }
    }

    #[test]
    fn shelves_hold_disks_of_the_catalogue() {
        for part in catalogue().iter() {
            if let AnyPart::Jbod(shelf) = part {
                let disk = catalogue().get(&shelf.disk).map(Part::kind);
                assert!(
                    matches!(disk, Some(PartKind::Disk | PartKind::Ssd)),
                    "{}",
                    shelf.name
                );
            }
        }
    }

    /// Every document of the bibliography has a unique and complete entry.
    #[test]
    fn the_bibliography_is_whole() {
        let mut keys = BTreeSet::new();
        for document in sources() {
            assert!(keys.insert(&document.key), "{} is there twice", document.key);
            for text in [&document.title, &document.author, &document.says, &document.found] {
                assert!(!text.is_empty(), "{}", document.key);
            }
        }
    }

    /// Every figure has a status and a source; a figure without them inherits those of its part, and a
    /// missing figure is assumed unless a document states the default.
    #[test]
    fn figures_have_a_status_and_a_source() {
        let figure = |part: &str, field: &str| {
            let part = catalogue().get(part).expect("in the catalogue");
            let found = part
                .figures()
                .into_iter()
                .find(|figure| figure.field.name == field);
            let figure = found.expect("a field");
            (figure.status, figure.source)
        };
        let published = Some("hw-update-2009".to_owned());
        assert_eq!(
            figure("opteron-8356", "cores"),
            (Status::Sourced, published.clone())
        );
        assert_eq!(figure("opteron-8356", "base_cpi"), (Status::Derived, published));
        assert_eq!(figure("opteron-8356", "idle_power"), (Status::Assumed, None));
        assert_eq!(figure("sun-netra-x4250", "idle_power").0, Status::Fitted);
        assert_eq!(figure("mcp55", "idle_power"), (Status::Assumed, None));
        let stated = Some("pcie-base".to_owned());
        assert_eq!(
            figure("intel-i210-1gbe", "address_bits"),
            (Status::Sourced, stated)
        );
    }

    #[test]
    fn every_field_of_every_entry_can_be_set_to_what_it_is() {
        for part in catalogue().iter() {
            let mut copy = part.kind().default_part();
            copy.rename(part.name(), part.origin().clone());
            for info in part.kind().fields() {
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
        assert_eq!(istanbul.probes, Probing::Broadcast);
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
        let mut sockets = catalogue().names(PartKind::Socket);
        assert_eq!(sockets.next(), Some("opteron-8356"));
        let total: usize = PartKind::ALL
            .iter()
            .map(|kind| catalogue().names(*kind).count())
            .sum();
        assert_eq!(total, catalogue().iter().len());
    }

    #[test]
    fn an_entry_shows_its_values_in_units() {
        let part = catalogue().get("opteron-8356").expect("in the catalogue");
        let shown = |name: &str| {
            let info = part
                .kind()
                .fields()
                .find(|info| info.name == name)
                .expect("a field");
            part.get(name).expect("a field").display(info)
        };
        assert_eq!(shown("clock"), "2.3 GHz");
        assert_eq!(shown("cores"), "4");
        assert_eq!(shown("probes"), "broadcast");
        assert_eq!(part.get("line_size"), Some(FieldValue::Quantity(64.0)));
    }

    #[test]
    fn slots_have_the_raw_rates_of_their_generations() {
        for (name, gigabytes) in [
            ("pcie-gen1-x8", 2.0),
            ("pcie-gen2-x8", 4.0),
            ("pcie-gen3-x8", 7.877),
            ("pcie-gen4-x8", 15.754),
            ("pcie-gen5-x8", 31.508),
            ("pcie-gen6-x8", 59.0),
        ] {
            let slot = catalogue().pcie_slot(name).expect("it is in the catalogue");
            let rate = slot.spec().raw_bandwidth().get() / 1e9;
            assert!((rate / gigabytes - 1.0).abs() < 1e-3, "{name}: {rate}");
        }
    }

    /// Published: reads of the other socket's memory reach 79 to 83 % of the raw rate of the links; 77 to
    /// 80 % with QPI, 82 to 83 % with UPI.
    #[test]
    fn reads_over_intel_links_reach_the_published_share() {
        for (name, low, high) in [
            ("qpi-8000", 0.77, 0.80),
            ("qpi-9600", 0.77, 0.80),
            ("upi-10400", 0.815, 0.83),
            ("upi-11200", 0.815, 0.83),
        ] {
            let link = catalogue().socket_link(name).expect("in the catalogue");
            let line = Bytes::new(64.0);
            let wire = link.packet_bytes(link.sizes(line).data());
            let share = link.usable_share().get() * line.get() / wire;
            assert!((low..=high).contains(&share), "{name}: {share}");
        }
    }

    /// QPI has 12.8 GB/s per direction, and a line of 64 bytes takes nine flits, one of them for its header.
    #[test]
    fn packets_fill_whole_units_of_their_link() {
        let qpi = catalogue().socket_link("qpi-6400").expect("in the catalogue");
        assert_eq!(qpi.raw_bandwidth().get(), 12.8e9);
        for (packet, bytes) in [(8.0, 8.0), (4.0, 8.0), (68.0, 72.0), (72.0, 72.0)] {
            assert_eq!(qpi.packet_bytes(packet), bytes);
        }
        let xgmi = catalogue().socket_link("xgmi3-x16").expect("in the catalogue");
        assert_eq!(xgmi.raw_bandwidth().get(), 64e9);
        let retried = catalogue().socket_link("ht3-x16").expect("in the catalogue");
        assert_eq!(
            (retried.packet_bytes(4.0), retried.packet_bytes(68.0)),
            (8.0, 72.0)
        );
    }
}

//! Parts: what a topology is assembled from.

use bandgraph_config::{Field, FieldError, FieldValue, KnownFigure, Origin};

use crate::card::cards;
use crate::catalogue::Catalogue;
use crate::parts::{
    BridgePart, ChassisPart, DiskPart, HbaPart, JbodPart, MemoryPart, NetworkSwitchPart, NicPart, NvmePart,
    PcieSlotPart, PcieSwitchPart, SocketLinkPart, SocketPart, SsdPart,
};

/// A part seen by its field names.
pub trait Part {
    /// The kind of part.
    fn kind(&self) -> PartKind;

    /// The name in the catalogue or in the file that defines it.
    fn name(&self) -> &str;

    /// Where its figures come from.
    fn origin(&self) -> &Origin;

    /// Every field, in documented order. The name and the origin are not among them.
    fn fields(&self) -> &'static [Field];

    /// The value of a field; `None` if there is no field of that name.
    fn get(&self, field: &str) -> Option<FieldValue>;

    /// Sets a field. The part is unchanged if that fails.
    ///
    /// # Errors
    ///
    /// Every way in which the field or the value does not fit; see [`FieldError`].
    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), FieldError>;

    /// Names the part, and says where its figures come from.
    fn rename(&mut self, name: &str, origin: Origin);

    /// Every field with its value and where that comes from, in documented order.
    fn figures(&self) -> Vec<KnownFigure> {
        let known = |field| Some(self.origin().figure(field, self.get(field.name)?));
        self.fields().iter().filter_map(known).collect()
    }
}

/// Declares a kind of part: [`settings!`](bandgraph_config::settings) with a name and an origin, seen as a
/// [`Part`].
macro_rules! part {
    (
        $(#[doc = $doc:literal])+
        $part:ident, $kind:ident = $name:literal {
            $($fields:tt)+
        }
    ) => {
        bandgraph_config::settings! {
            $(#[doc = $doc])+
            pub struct $part as $name {
                $($fields)+
                own {
                    /// The name in the catalogue or in the file that defines it.
                    name: String = String::new();
                    /// Where the figures come from.
                    origin: std::sync::Arc<bandgraph_config::Origin> = std::sync::Arc::default();
                }
            }
        }

        impl $crate::part::Part for $part {
            fn kind(&self) -> $crate::part::PartKind {
                $crate::part::PartKind::$kind
            }

            fn name(&self) -> &str {
                &self.name
            }

            fn origin(&self) -> &bandgraph_config::Origin {
                &self.origin
            }

            fn fields(&self) -> &'static [bandgraph_config::Field] {
                Self::FIELDS
            }

            fn get(&self, field: &str) -> Option<bandgraph_config::FieldValue> {
                Self::get(self, field)
            }

            fn set(
                &mut self,
                field: &str,
                value: bandgraph_config::FieldValue,
            ) -> Result<(), bandgraph_config::FieldError> {
                Self::set(self, field, value)
            }

            fn rename(&mut self, name: &str, origin: bandgraph_config::Origin) {
                name.clone_into(&mut self.name);
                self.origin = std::sync::Arc::new(origin);
            }
        }
    };
}

pub(crate) use part;

/// Declares the kinds of parts with their look-ups in the catalogue and their files in `parts/`, and the enum
/// that holds a part of any kind.
macro_rules! part_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident($part:ident) = $text:literal, $method:ident in $($file:literal)+;)+) => {
        /// The files of the catalogue, in documented order.
        pub(crate) const FILES: &[(&str, &str)] = &[
            $($((concat!("parts/", $file, ".toml"), include_str!(concat!("../parts/", $file, ".toml"))),)+)+
        ];

        impl Catalogue {
            $(
                #[doc = concat!("The part of that name; `None` if there is none of kind `", $text, "`.")]
                pub fn $method(&self, name: &str) -> Option<&$part> {
                    match self.get(name)? {
                        AnyPart::$kind(part) => Some(part),
                        _ => None,
                    }
                }
            )+
        }

        bandgraph_config::words! {
            /// A kind of part.
            pub enum PartKind: "a kind of part" {
                $($(#[doc = $doc])* $kind = $text,)+
            }
        }

        impl PartKind {
            /// The fields of parts of this kind.
            pub const fn fields(self) -> &'static [Field] {
                match self {
                    $(Self::$kind => $part::FIELDS,)+
                }
            }

            /// A part of this kind with the defaults of every field: where a definition from nothing starts.
            pub fn default_part(self) -> AnyPart {
                match self {
                    $(Self::$kind => AnyPart::$kind($part::default()),)+
                }
            }
        }

        /// A part of any kind.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyPart {
            $($(#[doc = $doc])* $kind($part),)+
        }

        $(
            impl From<$part> for AnyPart {
                fn from(part: $part) -> Self {
                    Self::$kind(part)
                }
            }
        )+

        impl AnyPart {
            fn inner(&self) -> &dyn Part {
                match self {
                    $(Self::$kind(part) => part,)+
                }
            }

            fn inner_mut(&mut self) -> &mut dyn Part {
                match self {
                    $(Self::$kind(part) => part,)+
                }
            }
        }
    };
}

part_kinds! {
    /// A processor with its cores and its coherence.
    Socket(SocketPart) = "socket", socket in "sockets" "sockets/opteron" "sockets/epyc" "sockets/xeon-5600-e5"
        "sockets/xeon-scalable" "sockets/xeon-4-to-6" "sockets/arm";
    /// Memory modules, as one channel of a memory controller sees them.
    Memory(MemoryPart) = "memory", memory in "memories" "memories/ddr" "memories/lpddr-cxl-optane";
    /// A link between sockets, or between a socket and a bridge.
    SocketLink(SocketLinkPart) = "socket-link", socket_link in "socket-links";
    /// An I/O bridge: a link to a socket on one side, PCIe slots on the other.
    Bridge(BridgePart) = "bridge", bridge in "bridges" "bridges/root-complexes";
    /// A PCI Express switch between a bridge and slots.
    PcieSwitch(PcieSwitchPart) = "pcie-switch", pcie_switch in "pcie-switches" "pcie-switches/products";
    /// A PCI Express slot.
    PcieSlot(PcieSlotPart) = "pcie-slot", pcie_slot in "pcie-slots";
    /// A network card.
    Nic(NicPart) = "nic", nic in "nics" "nics/intel" "nics/broadcom" "nics/nvidia" "nics/others";
    /// A SAS host bus adapter.
    Hba(HbaPart) = "hba", hba in "hbas" "hbas/sas" "hbas/sata";
    /// A shelf of disks.
    Jbod(JbodPart) = "jbod", jbod in "jbods" "jbods/shelves";
    /// A disk.
    Disk(DiskPart) = "disk", disk in "disks" "disks/fast" "disks/seagate" "disks/others";
    /// A solid-state device for a log or a read cache.
    Ssd(SsdPart) = "ssd", ssd in "ssds" "ssds/sata" "ssds/sas";
    /// An NVMe drive.
    Nvme(NvmePart) = "nvme", nvme in "nvmes" "nvmes/gen3" "nvmes/gen4" "nvmes/gen5";
    /// A network switch between clients and the server.
    NetworkSwitch(NetworkSwitchPart) = "network-switch", network_switch in "network-switches"
        "network-switches/data-center";
    /// The case of a server with its board, fans and power supplies.
    Chassis(ChassisPart) = "chassis", chassis in "chassis";
}

cards! {
    /// A network card.
    Nic(NicPart);
    /// A SAS host bus adapter.
    Hba(HbaPart);
    /// An NVMe drive.
    Nvme(NvmePart);
}

impl Part for AnyPart {
    fn kind(&self) -> PartKind {
        self.inner().kind()
    }

    fn name(&self) -> &str {
        self.inner().name()
    }

    fn origin(&self) -> &Origin {
        self.inner().origin()
    }

    fn fields(&self) -> &'static [Field] {
        self.inner().fields()
    }

    fn get(&self, field: &str) -> Option<FieldValue> {
        self.inner().get(field)
    }

    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), FieldError> {
        self.inner_mut().set(field, value)
    }

    fn rename(&mut self, name: &str, origin: Origin) {
        self.inner_mut().rename(name, origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_units::Frequency;

    #[test]
    fn fields_are_read_and_set_by_name() {
        let mut part = PartKind::Socket.default_part();
        part.rename("mine", Origin::default());
        part.set("clock", FieldValue::Quantity(3e9))
            .expect("3 GHz is a clock");
        assert_eq!(part.get("clock"), Some(FieldValue::Quantity(3e9)));
        assert_eq!(part.get("colour"), None);
        let AnyPart::Socket(socket) = &part else {
            unreachable!("the default socket is a socket")
        };
        assert_eq!(socket.clock, Frequency::new(3e9));
        assert_eq!(part.name(), "mine");
    }

    #[test]
    fn a_refused_value_leaves_the_part_as_it_was() {
        let mut part = PartKind::Nic.default_part();
        let before = part.clone();
        for (field, value) in [
            ("colour", FieldValue::Flag(true)),
            ("ports", FieldValue::Count(0)),
            ("port_rate", FieldValue::Quantity(f64::INFINITY)),
            ("pcie_generation", FieldValue::Text("gen0".to_owned())),
            ("ports", FieldValue::Quantity(2.0)),
        ] {
            assert!(part.set(field, value).is_err(), "{field}");
        }
        assert_eq!(part, before);
        assert_eq!(
            part.set("colour", FieldValue::Flag(true))
                .expect_err("there is no such field")
                .to_string(),
            "a nic has no field `colour`"
        );
    }

    #[test]
    fn defaults_are_values_that_could_be_set() {
        for kind in PartKind::ALL {
            let part = kind.default_part();
            assert_eq!(part.kind(), *kind);
            assert_eq!(kind.as_str().parse(), Ok(*kind));
            for info in part.fields() {
                let value = part.get(info.name).expect("every listed field can be read");
                assert_eq!(info.check(&value), Ok(()), "{kind} {}", info.name);
                assert!(
                    !info.doc.is_empty() && info.doc.ends_with('.'),
                    "{kind} {}",
                    info.name
                );
            }
        }
    }
}

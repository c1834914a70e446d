//! Parts: the components of a topology.

use bandgraph_config::{FieldError, FieldValue, KnownFigure, Origin};

/// Access to a part by field names.
pub trait Part {
    /// The kind of part.
    fn kind(&self) -> PartKind;

    /// The name in the catalogue or in the file that defines it.
    fn name(&self) -> &str;

    /// The source of its figures.
    fn origin(&self) -> &Origin;

    /// The value of a field; `None` if there is no field of that name.
    fn get(&self, field: &str) -> Option<FieldValue>;

    /// Sets a field. On failure the part is unchanged.
    ///
    /// # Errors
    ///
    /// The field does not exist, or the value is invalid; see [`FieldError`].
    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), FieldError>;

    /// Sets the name and the source of its figures.
    fn rename(&mut self, name: &str, origin: Origin);

    /// Every field with its value and source, in documented order.
    fn figures(&self) -> Vec<KnownFigure> {
        let known = |field| Some(self.origin().figure(field, self.get(field.name)?));
        self.kind().fields().filter_map(known).collect()
    }
}

/// Declares a kind of part: [`settings!`](bandgraph_config::settings) with a name and an origin, and an
/// implementation of [`Part`].
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

/// Calls a macro with the kinds of parts, their functions of the catalogue and their files in `parts/`.
macro_rules! every_kind {
    ($make:ident) => {
        $make! {
            /// A processor with its cores and its coherence.
            Socket(SocketPart) = "socket", socket in "sockets" "sockets/opteron" "sockets/epyc"
                "sockets/xeon-5600-e5" "sockets/xeon-scalable" "sockets/xeon-4-to-6" "sockets/arm"
                "sockets/entry";
            /// Memory modules, as one channel of a memory controller sees them.
            Memory(MemoryPart) = "memory", memory in "memories" "memories/ddr" "memories/lpddr-cxl-optane";
            /// A link between sockets, or between a socket and a bridge.
            SocketLink(SocketLinkPart) = "socket-link", socket_link in "socket-links";
            /// An I/O bridge: a link to a socket on one side, PCIe slots on the other.
            Bridge(BridgePart) = "bridge", bridge in "bridges" "bridges/root-complexes";
            /// A PCI Express switch between a bridge and slots.
            PcieSwitch(PcieSwitchPart) = "pcie-switch", pcie_switch in "pcie-switches"
                "pcie-switches/products";
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
            /// A GPU, or another accelerator with memory of its own.
            Gpu(GpuPart) = "gpu", gpu in "gpus";
            /// A network switch between clients and the server.
            NetworkSwitch(NetworkSwitchPart) = "network-switch", network_switch in "network-switches"
                "network-switches/data-center";
            /// The case of a server with its board, fans and power supplies.
            Chassis(ChassisPart) = "chassis", chassis in "chassis";
        }
    };
}

pub(crate) use every_kind;

macro_rules! names {
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident($part:ident) = $text:literal, $method:ident in $($file:literal)+;
    )+) => {
        bandgraph_config::words! {
            /// A kind of part.
            pub enum PartKind: "a kind of part" {
                $($(#[doc = $doc])* $kind = $text,)+
            }
        }
    };
}

every_kind!(names);

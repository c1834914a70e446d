//! One kind of part per file: its fields, and what follows from them alone.

mod bridge;
mod chassis;
mod disk;
mod endpoint;
mod hba;
mod height;
mod jbod;
mod link_layer;
mod memory;
mod network_switch;
mod nic;
mod nvme;
mod pcie_slot;
mod pcie_switch;
mod probing;
mod socket;
mod socket_link;
mod ssd;

pub use bridge::BridgePart;
pub use chassis::ChassisPart;
pub use disk::DiskPart;
pub use endpoint::PcieEndpoint;
pub use hba::HbaPart;
pub use height::CardHeight;
pub use jbod::JbodPart;
pub use link_layer::LinkLayer;
pub use memory::MemoryPart;
pub use network_switch::NetworkSwitchPart;
pub use nic::NicPart;
pub use nvme::NvmePart;
pub use pcie_slot::PcieSlotPart;
pub use pcie_switch::PcieSwitchPart;
pub use probing::Probing;
pub use socket::SocketPart;
pub use socket_link::SocketLinkPart;
pub use ssd::SsdPart;

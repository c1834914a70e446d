//! The PCIe side of a card.

use bandgraph_units::Bytes;

use crate::pcie::PcieSlotSpec;

/// The PCIe side of any card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcieEndpoint {
    /// The generation and lanes of the card.
    pub connector: PcieSlotSpec,
    /// Maximum payload of a packet that it receives or sends.
    pub maximum_payload: Bytes,
    /// Maximum size of a read request.
    pub maximum_read_request: Bytes,
    /// Number of address bits: above 32, the headers of requests are 4 bytes longer.
    pub address_bits: u64,
    /// Maximum number of outstanding reads.
    pub outstanding_reads: u64,
}

//! What a PCIe slot needs to know of a card.

use bandgraph_units::Bytes;

use crate::pcie::PcieSlotSpec;

/// The PCIe side of a card, whatever the card does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcieEndpoint {
    /// The generation and lanes of the card.
    pub connector: PcieSlotSpec,
    /// Largest payload of a packet it takes or sends.
    pub maximum_payload: Bytes,
    /// Largest read it requests at once.
    pub maximum_read_request: Bytes,
    /// Bits of the addresses it uses: above 32, the headers of requests are 4 bytes longer.
    pub address_bits: u64,
    /// Reads that it keeps under way.
    pub outstanding_reads: u64,
}

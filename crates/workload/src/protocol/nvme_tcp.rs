//! `NVMe` over Fabrics on TCP (NVM Express TCP Transport Specification, revision 1.0, section 3.6): block
//! reads and writes.
//!
//! A command is a capsule: 8 bytes of common header and an entry of 64. Each transfer of data is a PDU with
//! 24 bytes of header; a completion is a capsule of 8 + 16. A write of up to 16 KiB has its data in the
//! capsule, as the Linux target offers; for a larger one the target sends an R2T of 24 bytes, whose delay is
//! not modelled. Digests are off. A commit is a Flush. Hosts have a queue, and therefore a connection, per
//! processor that uses it: one per thread.

use bandgraph_units::Bytes;

use super::Protocol;
use crate::OperationKind::{Commit, Read, Write};
use crate::tcp::{self, Call};
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind};

/// A command: common header and submission queue entry.
const COMMAND: f64 = 8.0 + 64.0;
/// A completion: common header and completion queue entry.
const RESPONSE: f64 = 8.0 + 16.0;
/// The header of a data PDU, and of a request for data.
const DATA_HEADER: f64 = 24.0;
/// The maximum data in a command's capsule.
const IN_CAPSULE: f64 = 16_384.0;

pub(super) const NVME_TCP: Protocol = Protocol {
    has_connection_per_thread: true,
    operations: &[Read, Write, Commit],
    ..Protocol::new("nvme-tcp", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let moved = kind.data();
    let [read, written] = moved.bytes(io_size.get());
    let (call, reply) = match moved {
        DataDirection::Read => (COMMAND, DATA_HEADER + read + RESPONSE),
        DataDirection::Write if written > IN_CAPSULE => {
            (COMMAND + DATA_HEADER + written, DATA_HEADER + RESPONSE)
        }
        DataDirection::Write | DataDirection::None => (COMMAND + written, RESPONSE),
    };
    tcp::exchange(&[Call::once(call, reply)], [read, written], settings)
}

#[cfg(test)]
mod tests {
    use crate::protocol::usual_sizes;
    use crate::{OperationKind, ProtocolKind};

    #[test]
    fn pdus_by_hand() {
        let sizes = |kind, bytes| usual_sizes(ProtocolKind::NvmeTcp, kind, bytes);
        assert_eq!(sizes(OperationKind::Read, 4096.0), (72.0, 24.0 + 4096.0 + 24.0));
        assert_eq!(sizes(OperationKind::Write, 4096.0), (72.0 + 4096.0, 24.0));
        assert_eq!(
            sizes(OperationKind::Write, 131_072.0),
            (72.0 + 24.0 + 131_072.0, 24.0 + 24.0)
        );
        assert_eq!(sizes(OperationKind::Commit, 0.0), (72.0, 24.0));
    }
}

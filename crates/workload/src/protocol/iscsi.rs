//! iSCSI (RFC 7143) over TCP: block reads and writes.
//!
//! Every PDU has a header of 48 bytes; data is padded to a multiple of 4; digests are off. The keys are those
//! that Linux negotiates with Linux: data segments and bursts of 256 KiB (`MaxRecvDataSegmentLength`,
//! `MaxBurstLength`), and the first 64 KiB of a write without a request (`FirstBurstLength`,
//! `ImmediateData`).
//!
//! * A read is a SCSI Command and Data-In PDUs, the last of which carries the status.
//! * A write is a SCSI Command with the first data, an R2T and a Data-Out per burst, and a SCSI Response. The
//!   bytes of an R2T are modelled, its delay is not.
//! * A commit is SYNCHRONIZE CACHE, `null` a NOP.

use bandgraph_units::Bytes;

use super::Protocol;
use crate::OperationKind::{Commit, Null, Read, Write};
use crate::tcp::{self, Call};
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind};

const HEADER: f64 = 48.0;
/// The maximum data of a PDU and of a burst.
const SEGMENT: f64 = 262_144.0;
/// Data of a write without a request of the target.
const UNSOLICITED: f64 = 65_536.0;

pub(super) const ISCSI: Protocol = Protocol {
    operations: &[Read, Write, Commit, Null],
    ..Protocol::new("iscsi", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let moved = kind.data();
    let [read, written] = moved.bytes(io_size.get());
    let padded = |data: f64| (data / 4.0).ceil() * 4.0;
    let (call, reply) = match moved {
        DataDirection::Read => {
            let segments = (read / SEGMENT).ceil().max(1.0);
            (HEADER, segments * HEADER + padded(read))
        }
        DataDirection::Write => {
            let bursts = ((written - UNSOLICITED) / SEGMENT).ceil().max(0.0);
            ((1.0 + bursts) * HEADER + padded(written), (1.0 + bursts) * HEADER)
        }
        DataDirection::None => (HEADER, HEADER),
    };
    tcp::exchange(&[Call::once(call, reply)], [read, written], settings)
}

#[cfg(test)]
mod tests {
    use crate::protocol::usual_sizes;
    use crate::{OperationKind, ProtocolKind};

    /// By hand: a read of 1 MiB has 4 Data-In PDUs; a write of 1 MiB has 64 KiB of immediate data, and 960
    /// KiB in 4 requested bursts.
    #[test]
    fn pdus_by_hand() {
        let mib = 1_048_576.0;
        let sizes = |kind, bytes| usual_sizes(ProtocolKind::Iscsi, kind, bytes);
        assert_eq!(sizes(OperationKind::Read, mib), (48.0, 4.0 * 48.0 + mib));
        assert_eq!(sizes(OperationKind::Write, mib), (5.0 * 48.0 + mib, 5.0 * 48.0));
        assert_eq!(sizes(OperationKind::Write, 4096.0), (48.0 + 4096.0, 48.0));
        assert_eq!(sizes(OperationKind::Read, 1.0), (48.0, 52.0));
        assert_eq!(sizes(OperationKind::Commit, 0.0), (48.0, 48.0));
    }
}

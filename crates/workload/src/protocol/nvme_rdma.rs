//! `NVMe` over Fabrics on RDMA (NVM Express RDMA Transport Specification, revision 1.0), on `InfiniBand` or
//! as RoCE.
//!
//! A command is a message of 64 bytes, a completion one of 16. The target writes the data of a read into the
//! host's memory before it completes the command, and fetches the data of a write with an RDMA read; up to 4
//! KiB of a write are in the command's message, as the Linux target offers. A commit is a Flush.

use bandgraph_units::Bytes;

use super::{Medium, Protocol};
use crate::OperationKind::{Commit, Read, Write};
use crate::exchange::OneWay;
use crate::infiniband::{acknowledgements, rdma_read_request, rdma_read_response, rdma_write, send};
use crate::{Exchange, NetworkSettings, OperationKind};

const COMMAND: f64 = 64.0;
const RESPONSE: f64 = 16.0;
/// The maximum data in a command's message.
const IN_CAPSULE: f64 = 4096.0;

pub(super) const NVME_RDMA: Protocol = Protocol {
    medium: Medium::Rdma,
    has_connection_per_thread: true,
    operations: &[Read, Write, Commit],
    ..Protocol::new("nvme-rdma", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let [read, written] = kind.data().bytes(io_size.get());
    let fetched = if written > IN_CAPSULE { written } else { 0.0 };
    let command = COMMAND + written - fetched;
    let mut to_server = send(Bytes::new(command), settings).to_vec();
    let mut to_client = send(Bytes::new(RESPONSE), settings).to_vec();
    if read > 0.0 {
        to_client.extend(rdma_write(Bytes::new(read), settings));
    }
    if fetched > 0.0 {
        to_client.push(rdma_read_request(settings));
        to_server.extend(rdma_read_response(Bytes::new(fetched), settings));
    }
    Exchange {
        // Acknowledgements: of the command, and of the response together with the RDMA write before it.
        to_server: OneWay::of(&to_server, acknowledgements(1.0, settings)),
        to_client: OneWay::of(&to_client, acknowledgements(1.0, settings)),
        payload_read: read,
        payload_written: written,
        calls: 1.0,
        call_bytes: COMMAND + written,
        reply_bytes: RESPONSE + read,
    }
}

#[cfg(test)]
mod tests {
    use crate::{NetworkSettings, OperationKind, ProtocolKind, exchange};
    use bandgraph_units::Bytes;

    /// By hand, with packets of 4096: 16 bytes of headers per packet, 4 more for an acknowledgement, 16 more
    /// for a request.
    #[test]
    fn reads_and_writes_by_hand() {
        let settings = NetworkSettings {
            infiniband_mtu: Bytes::new(4096.0),
            ..NetworkSettings::default()
        };
        let ip_bytes = |kind, bytes| {
            let exchange = exchange(ProtocolKind::NvmeRdma, kind, Bytes::new(bytes), &settings);
            (exchange.to_server.ip_bytes, exchange.to_client.ip_bytes)
        };
        let (command, response, acknowledgement) = (64.0 + 16.0, 16.0 + 16.0, 20.0);
        assert_eq!(
            ip_bytes(OperationKind::Read, 4096.0),
            (
                command + acknowledgement,
                response + acknowledgement + 4096.0 + 16.0 + 16.0
            )
        );
        // 8 KiB are fetched in two packets, which acknowledge the request.
        assert_eq!(
            ip_bytes(OperationKind::Write, 8192.0),
            (
                command + acknowledgement + 8192.0 + 2.0 * 20.0,
                response + acknowledgement + 32.0
            )
        );
        // A write of 2 KiB is in its command message.
        let (to_server, _) = ip_bytes(OperationKind::Write, 2048.0);
        assert_eq!(to_server, command + 2048.0 + acknowledgement);
    }
}

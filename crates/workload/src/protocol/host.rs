//! No protocol: processes on the server itself. Their operations cost the work of its software and send
//! nothing.
//!
//! It serves work that loads processors, memory and disks without a network: transactions of a server
//! benchmark, or a job with files on local disks. Its threads are described like those of clients, with a
//! number and a think time.

use bandgraph_units::Bytes;

use super::{Medium, Protocol};
use crate::{Exchange, NetworkSettings, OperationKind};

pub(super) const HOST: Protocol = Protocol {
    medium: Medium::None,
    ..Protocol::new("host", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, _: &NetworkSettings) -> Exchange {
    let [payload_read, payload_written] = kind.data().bytes(io_size.get());
    Exchange {
        payload_read,
        payload_written,
        ..Exchange::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::usual;
    use crate::{OperationKind, ProtocolKind};

    #[test]
    fn nothing_is_sent_and_all_data_counts() {
        for (kind, bytes) in [
            (OperationKind::Read, 8192.0),
            (OperationKind::Write, 8192.0),
            (OperationKind::Lookup, 0.0),
        ] {
            let host = usual(ProtocolKind::Host, kind, 8192.0);
            assert_eq!(host.payload(), bytes);
            assert_eq!((host.to_client.frames, host.to_server.frames), (0.0, 0.0));
        }
    }
}

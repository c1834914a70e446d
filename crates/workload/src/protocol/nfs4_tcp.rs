//! NFS version 4 over TCP: COMPOUNDs of [`nfs4`], each with the record mark of RFC 5531, section 11.

use super::Protocol;
use super::nfs3_tcp::over_tcp;
use super::nfs4::{self, Minor};

/// Minor version 0, RFC 7530.
pub(super) const NFS4_TCP: Protocol = Protocol {
    steps: |kind| nfs4::steps(kind, Minor::Zero),
    ..Protocol::new("nfs4-tcp", |kind, io_size, settings| {
        over_tcp(&nfs4::messages(kind, Minor::Zero, io_size, settings), settings)
    })
};
/// Minor version 1, RFC 8881.
pub(super) const NFS41_TCP: Protocol = Protocol {
    steps: |kind| nfs4::steps(kind, Minor::One),
    ..Protocol::new("nfs41-tcp", |kind, io_size, settings| {
        over_tcp(&nfs4::messages(kind, Minor::One, io_size, settings), settings)
    })
};
/// Minor version 2, RFC 7862: its additions to version 4.1 are optional, and reads and writes are those of
/// 4.1.
pub(super) const NFS42_TCP: Protocol = Protocol {
    name: "nfs42-tcp",
    ..NFS41_TCP
};

#[cfg(test)]
mod tests {
    use crate::{NetworkSettings, OperationKind, ProtocolKind, exchange};
    use bandgraph_units::Bytes;

    /// By hand: record mark 4, RPC header 24 + 56 + 8, COMPOUND 84; record mark 4, RPC header 24, COMPOUND
    /// 36, data.
    #[test]
    fn read_of_8_kib_by_hand() {
        let settings = NetworkSettings {
            mtu: Bytes::new(9000.0),
            ..NetworkSettings::default()
        };
        let read = |protocol| {
            let read = exchange(protocol, OperationKind::Read, Bytes::new(8192.0), &settings);
            (read.call_bytes, read.reply_bytes)
        };
        assert_eq!(
            read(ProtocolKind::Nfs4Tcp),
            (4.0 + 88.0 + 84.0, 4.0 + 24.0 + 36.0 + 8192.0)
        );
        assert_eq!(
            read(ProtocolKind::Nfs41Tcp),
            (4.0 + 88.0 + 120.0, 4.0 + 24.0 + 80.0 + 8192.0)
        );
    }

    #[test]
    fn compounds_have_steps_and_version_3_has_one() {
        assert_eq!(ProtocolKind::Nfs3Tcp.steps(OperationKind::Lookup), 1.0);
        assert_eq!(ProtocolKind::Nfs4Tcp.steps(OperationKind::Lookup), 4.0);
        assert_eq!(ProtocolKind::Nfs41Tcp.steps(OperationKind::Lookup), 5.0);
        assert_eq!(ProtocolKind::Nfs4Tcp.steps(OperationKind::Null), 1.0);
    }
}

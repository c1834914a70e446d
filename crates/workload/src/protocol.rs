//! The protocols between clients and a server. Each is one file below this one.

mod host;
mod http;
mod ipoib;
mod iscsi;
mod memcached;
mod nfs3;
mod nfs3_rdma;
mod nfs3_tcp;
mod nfs4;
mod nfs4_tcp;
mod nvme_rdma;
mod nvme_tcp;
mod rdma_stream;
mod smb1;
mod smb2;
mod tcp_stream;
mod tls;

use std::fmt;
use std::str::FromStr;

use bandgraph_config::{UnknownWord, words};
use bandgraph_units::Bytes;

use crate::{Exchange, NetworkSettings, OperationKind};

/// The largest I/O size of one operation: 1 GiB, far above what servers accept.
pub const MAX_IO_SIZE: Bytes = Bytes::new(1_073_741_824.0);

/// A wire protocol. Every protocol is a constant in its own file.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties of protocols"
)]
struct Protocol {
    /// The name in files and reports.
    name: &'static str,
    /// The network that it needs.
    medium: Medium,
    /// Whether it is a file protocol, not only a transport of bytes.
    serves_files: bool,
    /// The operations that it has.
    operations: &'static [OperationKind],
    /// The default number of connections of a client: one per thread if true, otherwise one for all of them.
    has_connection_per_thread: bool,
    /// Whether each operation is a call that waits for its answer; otherwise it is a part of a stream.
    has_calls: bool,
    /// Whether a write changes a part of a file or of a device; otherwise it is a whole object.
    overwrites: bool,
    /// Whether every message is encrypted.
    is_encrypted: bool,
    /// Sequential operations of the server per operation: those of a COMPOUND; 1 for other protocols.
    steps: fn(OperationKind) -> f64,
    /// The traffic of one operation, from its I/O size: a whole number within 0..=[`MAX_IO_SIZE`].
    exchange: fn(OperationKind, Bytes, &NetworkSettings) -> Exchange,
}

impl Protocol {
    /// A file protocol on Ethernet that has all operations, on one connection of each client.
    const fn new(
        name: &'static str,
        exchange: fn(OperationKind, Bytes, &NetworkSettings) -> Exchange,
    ) -> Self {
        Self {
            name,
            medium: Medium::Ethernet,
            serves_files: true,
            operations: OperationKind::ALL,
            has_connection_per_thread: false,
            has_calls: true,
            overwrites: true,
            is_encrypted: false,
            steps: |_| 1.0,
            exchange,
        }
    }
}

words! {
    /// The network of a protocol, which ports must support.
    pub enum Medium {
        /// Ethernet.
        Ethernet = "ethernet",
        /// `InfiniBand`.
        Infiniband = "infiniband",
        /// RDMA: `InfiniBand`, or Ethernet as RoCE.
        Rdma = "rdma",
        /// None: the operations stay on the server.
        None = "none",
    }
}

/// Declares the protocols, each with its constant.
macro_rules! protocols {
    ($($(#[$attribute:meta])+ $kind:ident = $protocol:expr;)+) => {
        /// A protocol between clients and the server.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ProtocolKind {
            $($(#[$attribute])+ $kind,)+
        }

        impl ProtocolKind {
            /// Every protocol, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            fn protocol(self) -> &'static Protocol {
                match self {
                    $(Self::$kind => &$protocol,)+
                }
            }
        }
    };
}

protocols! {
    /// NFS version 3 (RFC 1813) over ONC RPC (RFC 5531) over TCP.
    #[default]
    Nfs3Tcp = nfs3_tcp::NFS3_TCP;
    /// NFS version 3 over RPC over RDMA (RFC 5666, RFC 5667), on `InfiniBand` or Ethernet.
    Nfs3Rdma = nfs3_rdma::NFS3_RDMA;
    /// NFS version 3 over TCP over IP over `InfiniBand` (RFC 4391, RFC 4755).
    Nfs3Ipoib = ipoib::NFS3_IPOIB;
    /// NFS version 4.0 (RFC 7530) over ONC RPC over TCP.
    Nfs4Tcp = nfs4_tcp::NFS4_TCP;
    /// NFS version 4.1 (RFC 8881), with sessions, over ONC RPC over TCP.
    Nfs41Tcp = nfs4_tcp::NFS41_TCP;
    /// NFS version 4.2 (RFC 7862) over ONC RPC over TCP.
    Nfs42Tcp = nfs4_tcp::NFS42_TCP;
    /// NFS version 4.1 over RPC over RDMA (RFC 8166, RFC 8267).
    Nfs41Rdma = nfs3_rdma::NFS41_RDMA;
    /// SMB 1 over TCP (MS-CIFS), in requests of at most 60 KiB.
    Smb1 = smb1::SMB1;
    /// SMB 2 or 3 over TCP (MS-SMB2).
    Smb2 = smb2::PLAIN;
    /// SMB 3 over TCP with every message encrypted.
    Smb3Encrypted = smb2::ENCRYPTED;
    /// HTTP/1.1 (RFC 9112) over TCP: a `read` is a GET, a `write` a PUT.
    Http = http::HTTP;
    /// HTTP/1.1 over TLS (RFC 8446).
    Https = http::HTTPS;
    /// The object protocol S3 over TCP: a `read` is a GET, a `write` a PUT.
    S3 = http::S3;
    /// S3 over TLS.
    S3Tls = http::S3_TLS;
    /// iSCSI (RFC 7143) over TCP.
    Iscsi = iscsi::ISCSI;
    /// `NVMe` over Fabrics on TCP.
    NvmeTcp = nvme_tcp::NVME_TCP;
    /// `NVMe` over Fabrics on RDMA.
    NvmeRdma = nvme_rdma::NVME_RDMA;
    /// TCP without a file protocol.
    TcpStream = tcp_stream::TCP_STREAM;
    /// The same over IP over `InfiniBand`.
    TcpStreamIpoib = ipoib::TCP_STREAM_IPOIB;
    /// RDMA writes without a file protocol, on `InfiniBand` or Ethernet.
    RdmaStream = rdma_stream::RDMA_STREAM;
    /// No protocol: threads on the server itself.
    Host = host::HOST;
    /// The text protocol of memcached over TCP: a `read` is a `get`, a `write` a `set`.
    Memcached = memcached::MEMCACHED;
}

impl ProtocolKind {
    /// The name in files and reports: `"nfs3-tcp"`.
    pub fn name(self) -> &'static str {
        self.protocol().name
    }

    /// The network that it needs.
    #[inline]
    pub fn medium(self) -> Medium {
        self.protocol().medium
    }

    /// Whether it is a file protocol, not only a transport of bytes.
    pub fn serves_files(self) -> bool {
        self.protocol().serves_files
    }

    /// The default number of connections of a client: one per thread if true, otherwise one for all of them.
    #[inline]
    pub fn has_connection_per_thread(self) -> bool {
        self.protocol().has_connection_per_thread
    }

    /// Whether each operation is a call that waits for its answer; otherwise it is a part of a stream.
    pub fn has_calls(self) -> bool {
        self.protocol().has_calls
    }

    /// Whether a write changes a part of a file or of a device; otherwise it is a whole object.
    pub fn overwrites(self) -> bool {
        self.protocol().overwrites
    }

    /// Whether every message is encrypted.
    pub fn is_encrypted(self) -> bool {
        self.protocol().is_encrypted
    }

    /// Sequential operations of the server per operation of `kind`: those of a COMPOUND of NFS version 4; 1
    /// for other protocols.
    pub fn steps(self, kind: OperationKind) -> f64 {
        (self.protocol().steps)(kind)
    }

    /// Whether the protocol has this kind of operation.
    pub fn has(self, kind: OperationKind) -> bool {
        self.protocol().operations.contains(&kind)
    }
}

impl fmt::Display for ProtocolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses a [`name`](ProtocolKind::name); [`ProtocolKind::ALL`] has the valid ones.
impl FromStr for ProtocolKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        Self::ALL
            .iter()
            .copied()
            .find(|protocol| protocol.name() == text)
            .ok_or_else(|| UnknownWord {
                expected: "a protocol",
                found: text.to_owned(),
            })
    }
}

bandgraph_config::word_field!(ProtocolKind, name);

/// The traffic of one operation of `kind` in both directions.
///
/// `io_size` is the data of a read or write; other kinds ignore it. Sizes outside 0..=[`MAX_IO_SIZE`] are
/// clamped, and fractions of a byte are dropped. The settings should be [valid](NetworkSettings::validate);
/// the result is meaningless for others.
pub fn exchange(
    protocol: ProtocolKind,
    kind: OperationKind,
    io_size: Bytes,
    settings: &NetworkSettings,
) -> Exchange {
    let io_size = io_size.max(Bytes::ZERO).min(MAX_IO_SIZE);
    (protocol.protocol().exchange)(kind, Bytes::new(io_size.get().floor()), settings)
}

/// The exchange of an operation with the usual settings.
#[cfg(test)]
fn usual(protocol: ProtocolKind, kind: OperationKind, bytes: f64) -> Exchange {
    exchange(protocol, kind, Bytes::new(bytes), &NetworkSettings::default())
}

/// The bytes of calls and of replies of an operation with the usual settings.
#[cfg(test)]
fn usual_sizes(protocol: ProtocolKind, kind: OperationKind, bytes: f64) -> (f64, f64) {
    let exchange = usual(protocol, kind, bytes);
    (exchange.call_bytes, exchange.reply_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for protocol in ProtocolKind::ALL {
            assert_eq!(protocol.name().parse(), Ok(*protocol));
        }
        assert!("nfs3".parse::<ProtocolKind>().is_err());
    }

    #[test]
    fn odd_sizes_are_taken_for_the_nearest() {
        let read = |size: f64| usual(ProtocolKind::Nfs3Tcp, OperationKind::Read, size);
        assert_eq!(read(-5.0), read(0.0));
        assert_eq!(read(f64::NAN), read(0.0));
        assert_eq!(read(f64::NEG_INFINITY), read(0.0));
        assert_eq!(read(4096.7), read(4096.0));
        assert_eq!(read(f64::INFINITY), read(MAX_IO_SIZE.get()));
        assert_eq!(read(1e300).payload_read, MAX_IO_SIZE.get());
    }
}

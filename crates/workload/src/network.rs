//! Network settings of clients and server that determine the bytes of headers.

use bandgraph_config::{Shape, settings};
use bandgraph_units::Bytes;

use crate::invalid::{InvalidField, within_ranges};
use crate::shapes::Mtu;

/// The smallest MTU: every IPv4 host must take packets of 576 bytes (RFC 791, section 3.1).
pub const MIN_MTU: Bytes = Bytes::new(576.0);
/// The largest MTU: an IPv4 packet has a 16-bit length (RFC 791, section 3.1).
pub const MAX_MTU: Bytes = Bytes::new(65_535.0);
/// The shortest `AUTH_SYS` credentials: no host name, no groups (RFC 5531, appendix A).
pub const MIN_CREDENTIALS: Bytes = Bytes::new(28.0);
/// The longest credentials: 8 bytes of flavour and length, and a body of at most 400 (RFC 5531, section 8.2).
pub const MAX_CREDENTIALS: Bytes = Bytes::new(408.0);

/// The packet sizes of InfiniBand (InfiniBand Architecture Specification, section 9.2.3).
pub const INFINIBAND_MTUS: [Bytes; 5] = [
    Bytes::new(256.0),
    Bytes::new(512.0),
    Bytes::new(1024.0),
    Bytes::new(2048.0),
    Bytes::new(4096.0),
];
/// The largest IP packet in connected mode over InfiniBand, as operating systems set it.
pub const CONNECTED_MTU: Bytes = Bytes::new(65_520.0);

/// The maximum number of directory entries in a reply; clients request fewer.
pub const MAX_DIRECTORY_ENTRIES: u32 = 65_536;

/// The longest key of memcached (protocol.txt of memcached 1.4).
pub const MAX_KEY: Bytes = Bytes::new(250.0);

settings! {
    /// The settings of a network that decide how many header bytes an operation costs.
    pub struct NetworkSettings as "network" {
        /// The largest IP packet, from 576 to 65535 bytes; `1500` and `"1500 B"` are the same. Jumbo frames
        /// are 9000.
        mtu: Bytes = 1500 as Shape::Custom(&Mtu), at_least(MIN_MTU.get()), at_most(MAX_MTU.get()), whole;
        /// Whether every TCP segment carries a timestamp of 12 bytes.
        tcp_timestamps: bool = true;
        /// Full segments for which a receiver sends one acknowledgement.
        ack_every: u32 = 2, at_least(1), at_most(1024);
        /// Bytes of the RPC credentials in each call: a multiple of 4 from 28 B to 408 B.
        credentials: Bytes = "56 B", positive, at_least(MIN_CREDENTIALS.get()), at_most(MAX_CREDENTIALS.get()), multiple_of(4);
        /// The most data of an InfiniBand packet: 256 B to 4096 B, a multiple of 256 B.
        infiniband_mtu: Bytes = "2048 B", positive, at_least(256), at_most(4096), multiple_of(256);
        /// Bytes of a key of memcached, 1 B to 250 B.
        memcached_key: Bytes = "32 B", positive, at_least(1), at_most(MAX_KEY.get()), whole;
        /// Whether IP over InfiniBand uses connections, with packets of up to 65520 bytes, instead of
        /// datagrams.
        ipoib_connected: bool = false;
        own {
            /// Whether `mtu` is what a file gives. If not, frames can be larger than assumed.
            mtu_is_given: bool = false;
            /// The same of `tcp_timestamps`, or whether no workload has segments of TCP.
            timestamps_are_given: bool = false;
            /// Entries that one READDIR or READDIRPLUS returns, 1 to [`MAX_DIRECTORY_ENTRIES`]: those of the
            /// workload ([`Metadata`](crate::Metadata)). The default of 30 is a directory of 30 files, read
            /// whole, an assumption.
            directory_entries: u32 = 30;
            /// Whether RDMA goes over Ethernet, as RoCE version 2: that follows from the port. The size of
            /// its packets then follows from `mtu`.
            roce: bool = false;
        }
    }
}

impl Copy for NetworkSettings {}

impl NetworkSettings {
    /// Every field that is out of its range; empty if there is none.
    pub fn validate(&self) -> Vec<InvalidField> {
        within_ranges(|found| self.check("", found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalid::{ids, named};

    #[test]
    fn defaults_are_valid() {
        assert_eq!(NetworkSettings::default().validate(), []);
    }

    #[test]
    fn every_field_has_its_range() {
        let problems = |settings: NetworkSettings| ids(settings.validate());
        let good = NetworkSettings::default();
        for mtu in [576.0, 9000.0, 65_535.0] {
            assert_eq!(
                problems(NetworkSettings {
                    mtu: Bytes::new(mtu),
                    ..good
                }),
                []
            );
        }
        for (mtu, id) in [
            (575.0, "workload::too_small"),
            (-1.0, "workload::too_small"),
            (65_536.0, "workload::too_large"),
            (1500.5, "workload::not_whole"),
            (f64::NAN, "workload::not_finite"),
            (f64::INFINITY, "workload::not_finite"),
        ] {
            assert_eq!(
                problems(NetworkSettings {
                    mtu: Bytes::new(mtu),
                    ..good
                }),
                named(&[("mtu", id)])
            );
        }
        let all_wrong = NetworkSettings {
            mtu: Bytes::ZERO,
            tcp_timestamps: false,
            ack_every: 0,
            credentials: Bytes::new(30.0),
            infiniband_mtu: Bytes::new(1500.0),
            ..good
        };
        assert_eq!(
            problems(all_wrong),
            named(&[
                ("mtu", "workload::too_small"),
                ("ack_every", "workload::too_small"),
                ("credentials", "workload::not_multiple"),
                ("infiniband_mtu", "workload::not_multiple"),
            ])
        );
        let message = all_wrong.validate()[2].to_string();
        assert_eq!(message, "credentials: must be a multiple of 4 B, not 30 B");
    }
}

//! How clients and server are set up to talk: the settings that decide header bytes.

use bandgraph_units::Bytes;

use crate::invalid::{InvalidField, Range};

/// The smallest MTU: every IPv4 host must take packets of 576 bytes (RFC 791, section 3.1).
pub const MIN_MTU: Bytes = Bytes::new(576.0);
/// The largest MTU: an IPv4 packet has a 16-bit length (RFC 791, section 3.1).
pub const MAX_MTU: Bytes = Bytes::new(65_535.0);
/// The shortest `AUTH_SYS` credentials: no host name, no groups (RFC 5531, appendix A).
pub const MIN_CREDENTIALS: Bytes = Bytes::new(28.0);
/// The longest credentials: 8 bytes of flavour and length, and a body of at most 400 (RFC 5531, section 8.2).
pub const MAX_CREDENTIALS: Bytes = Bytes::new(408.0);

/// The sizes of packets that InfiniBand has (InfiniBand Architecture Specification, section 9.2.3).
pub const INFINIBAND_MTUS: [Bytes; 5] = [
    Bytes::new(256.0),
    Bytes::new(512.0),
    Bytes::new(1024.0),
    Bytes::new(2048.0),
    Bytes::new(4096.0),
];
/// The largest IP packet over a connection of InfiniBand, as systems set it.
pub const CONNECTED_MTU: Bytes = Bytes::new(65_520.0);

/// The most entries of a directory that one reply lists; clients ask for fewer.
pub const MAX_DIRECTORY_ENTRIES: u32 = 65_536;

/// The longest key of memcached (protocol.txt of memcached 1.4).
pub const MAX_KEY: Bytes = Bytes::new(250.0);

/// The settings of a network that decide how many header bytes an operation costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkSettings {
    /// The largest IP packet, in whole bytes, [`MIN_MTU`] to [`MAX_MTU`]. 1500 for plain Ethernet (the
    /// default), 9000 for jumbo frames.
    pub mtu: Bytes,
    /// Whether every TCP segment carries a timestamp, 12 bytes more (RFC 7323). On by default, as on the
    /// clients of the 7410 tests.
    pub tcp_timestamps: bool,
    /// Full segments that a receiver lets come in before it must send an acknowledgement by itself, 1 to 1024. The
    /// default of 2 is what RFC 5681, section 4.2 asks for; receivers that coalesce segments acknowledge more rarely.
    pub ack_every: u32,
    /// Bytes of the RPC credentials in each call, flavour and length included: whole, a multiple of 4,
    /// [`MIN_CREDENTIALS`] to [`MAX_CREDENTIALS`]. The default of 56 is `AUTH_SYS` with an 8-character host
    /// name and five groups, an assumption: calls of 28 to 80 are usual.
    pub credentials: Bytes,
    /// The most data of an InfiniBand packet: 256, 512, 1024, 2048 (the default, and what switches of 2009
    /// passed) or 4096 bytes.
    pub infiniband_mtu: Bytes,
    /// Whether IP over InfiniBand uses connections (RFC 4755), which take packets of up to [`CONNECTED_MTU`].
    /// Without, it sends datagrams (RFC 4391), as the default is: a packet fits one of InfiniBand.
    pub ipoib_connected: bool,
    /// Bytes of a key of memcached: whole, 1 to [`MAX_KEY`]. The default of 32 is an assumption.
    pub memcached_key: Bytes,
    /// Entries that one READDIR or READDIRPLUS returns, 1 to [`MAX_DIRECTORY_ENTRIES`]. The default of 30 is
    /// a directory of 30 files, read whole, an assumption; a workload may have its own
    /// ([`Metadata`](crate::Metadata)).
    pub directory_entries: u32,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            mtu: Bytes::new(1500.0),
            tcp_timestamps: true,
            ack_every: 2,
            credentials: Bytes::new(56.0),
            infiniband_mtu: Bytes::new(2048.0),
            ipoib_connected: false,
            memcached_key: Bytes::new(32.0),
            directory_entries: 30,
        }
    }
}

impl NetworkSettings {
    /// Every field that is out of its range; empty if all is well.
    pub fn validate(&self) -> Vec<InvalidField> {
        let mut invalid = Vec::new();
        Range::bytes(MIN_MTU, MAX_MTU).check("mtu", self.mtu.get(), &mut invalid);
        Range::count(1, 1024).check("ack_every", f64::from(self.ack_every), &mut invalid);
        Range::bytes(MIN_CREDENTIALS, MAX_CREDENTIALS)
            .multiple_of(4)
            .check("credentials", self.credentials.get(), &mut invalid);
        Range::bytes(Bytes::new(1.0), MAX_KEY).check("memcached_key", self.memcached_key.get(), &mut invalid);
        Range::count(1, MAX_DIRECTORY_ENTRIES).check(
            "directory_entries",
            f64::from(self.directory_entries),
            &mut invalid,
        );
        let sizes = INFINIBAND_MTUS;
        Range::bytes(sizes[0], sizes[sizes.len() - 1])
            .multiple_of(256)
            .check("infiniband_mtu", self.infiniband_mtu.get(), &mut invalid);
        invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    #[test]
    fn defaults_are_valid() {
        assert_eq!(NetworkSettings::default().validate(), []);
    }

    #[test]
    fn every_field_has_its_range() {
        let problems = |settings: NetworkSettings| -> Vec<(&'static str, &'static str)> {
            settings
                .validate()
                .iter()
                .map(|invalid| (invalid.field, invalid.problem.id()))
                .collect()
        };
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
                [("mtu", id)]
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
            [
                ("mtu", "workload::too_small"),
                ("ack_every", "workload::too_small"),
                ("credentials", "workload::not_multiple"),
                ("infiniband_mtu", "workload::not_multiple"),
            ]
        );
        let message = all_wrong.validate()[2].to_string();
        assert_eq!(message, "credentials: 30 B is not a multiple of 4 B");
        assert!(matches!(
            all_wrong.validate()[2].problem,
            Problem::NotMultiple { of: 4, .. }
        ));
    }
}

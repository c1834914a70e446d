//! A cluster of identical servers that keep the data together: copies or parts of an erasure code, and the
//! messages that servers exchange for an operation of a client.
//!
//! All servers have the same load, so that one represents all: while it asks others for the parts of its own
//! clients' operations, others ask it for as many. Therefore it sends as much to others as it receives from
//! them, and per operation of its clients its drives read and write the bytes that the operation reads and
//! writes on all servers together.

use bandgraph_config::{Shape, settings, words};
use bandgraph_units::Bytes;

use crate::invalid::{InvalidField, Problem, within_ranges};
use crate::shapes::Ports;
use crate::{Exchange, NetworkSettings, OperationKind, ProtocolKind, exchange};

words! {
    /// The servers that clients send their requests to.
    #[derive(Default)]
    pub enum Asked: "who is asked" {
        /// The server with the first copy or part of the data, which asks those with the others.
        #[default]
        Holder = "holder",
        /// Any server, which asks all that have copies or parts.
        Any = "any server",
        /// Any server, as a gateway: it asks the one with the first copy or part.
        Gateway = "gateway",
    }
}

settings! {
    /// The servers that keep the data together, all like the one of the topology and with the same load.
    /// Results are of one of them.
    pub struct Cluster as "cluster" {
        /// How many there are.
        servers: u32 = 1, at_least(1), at_most(100_000);
        /// Copies of the data, on as many servers. An operation reads one of them and writes all.
        copies: u32 = 1, at_least(1), at_most(64);
        /// Parts that the data of an operation is divided into by an erasure code. An operation reads all of
        /// them, and writes those of `code_parts` too. A write of less than `part_size` for each of them
        /// reads all of them first, to code them again; objects are written as a whole. Copies are kept if
        /// left out.
        data_parts: u32 = 0, optional, at_least(1), at_most(256);
        /// Further parts of an erasure code, as many as may be lost.
        code_parts: u32 = 0, at_most(256);
        /// Minimum size of a part.
        part_size: Bytes = "4 KiB", positive, at_most(1e9);
        /// The server that a client asks.
        asked: Asked = "holder";
        /// The protocol between servers; that of the workload if left out.
        protocol: Option<ProtocolKind>;
        /// The ports between servers, as `nic0.0`, evenly; the port of the operation if left out, or all
        /// ports for a workload of the server itself.
        ports: Vec<String> as Shape::Custom(&Ports);
    }
}

/// The parts of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// Their number.
    pub count: f64,
    /// Bytes of each.
    pub bytes: Bytes,
    /// The number of them on other servers than the one that collects or distributes them.
    pub elsewhere: f64,
    /// Probability that the operation is forwarded as a whole to another server first.
    pub forwarded: f64,
    /// The number of parts that are read first, because it writes less than all of their data.
    pub read_first: f64,
    /// The number of those on other servers.
    pub read_elsewhere: f64,
}

impl Parts {
    /// Exchanges with other servers that the operation waits for, one after the other.
    pub fn hops(&self) -> f64 {
        self.forwarded + self.elsewhere.min(1.0) + self.read_elsewhere.min(1.0)
    }
}

impl Cluster {
    /// The parts of an operation.
    pub fn parts(&self, (protocol, operation): (ProtocolKind, OperationKind), io_size: Bytes) -> Parts {
        let servers = f64::from(self.servers);
        let (data, bytes) = if self.data_parts > 0 {
            let data = f64::from(self.data_parts);
            // Names and attributes are not divided.
            let part = Bytes::new((io_size.get() / data).max(self.part_size.get()));
            (data, if operation.moves_data() { part } else { io_size })
        } else {
            (1.0, io_size)
        };
        let count = if operation.changes_files() {
            if self.data_parts > 0 {
                data + f64::from(self.code_parts)
            } else {
                f64::from(self.copies)
            }
        } else if operation.moves_data() {
            data
        } else {
            1.0
        };
        let alone = 1.0 / servers;
        let elsewhere = |count: f64| match self.asked {
            Asked::Any => count - count * alone,
            Asked::Holder | Asked::Gateway => count - (count * alone).max(1.0),
        };
        let is_partial = operation == OperationKind::Write
            && protocol.overwrites()
            && self.data_parts > 0
            && io_size.get() < data * self.part_size.get();
        let read_first = if is_partial { data } else { 0.0 };
        Parts {
            count,
            bytes,
            elsewhere: elsewhere(count),
            read_first,
            read_elsewhere: elsewhere(read_first).max(0.0),
            forwarded: if self.asked == Asked::Gateway {
                1.0 - alone
            } else {
                0.0
            },
        }
    }

    /// The messages between two servers for an operation with these parts: how often, what the one that is
    /// asked does, and what it receives and sends.
    pub fn exchanges(
        &self,
        (protocol, operation): (ProtocolKind, OperationKind),
        io_size: Bytes,
        parts: &Parts,
        settings: &NetworkSettings,
    ) -> Vec<(f64, OperationKind, Exchange)> {
        let protocol = self.protocol.unwrap_or(protocol);
        [
            (parts.elsewhere, operation, parts.bytes),
            (parts.forwarded, operation, io_size),
            (parts.read_elsewhere, OperationKind::Read, parts.bytes),
        ]
        .into_iter()
        .filter(|&(count, ..)| count > 0.0)
        .map(|(count, kind, bytes)| (count, kind, exchange(protocol, kind, bytes, settings)))
        .collect()
    }

    /// Every invalid field; empty if there is none.
    pub fn validate(&self) -> Vec<InvalidField> {
        let mut invalid = within_ranges(|found| self.check("", found));
        if self.data_parts > 0 && self.copies > 1 {
            invalid.push(Problem::CopiesAndParts.of("copies"));
        }
        if self.servers > 0 && self.copies > self.servers {
            let (copies, servers) = (self.copies, self.servers);
            invalid.push(Problem::MoreCopiesThanServers { copies, servers }.of("copies"));
        }
        if self.data_parts == 0 && self.code_parts > 0 {
            invalid.push(Problem::CodeWithoutData.of("code_parts"));
        }
        invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: Bytes = Bytes::new(1_048_576.0);
    const PAGE: Bytes = Bytes::new(4096.0);

    fn code(data: u32, code: u32, servers: u32, asked: Asked) -> Cluster {
        Cluster {
            servers,
            data_parts: data,
            code_parts: code,
            asked,
            ..Cluster::default()
        }
    }

    /// Bytes that go from server to server, by the rules of two systems. Ceph (ceph-2024: a code 6+2 carries
    /// 5/6 of the data of reads between servers; of writes 7/6): the server with the first part asks for the
    /// others. Behind a gateway, the whole object goes there too, unless it is on the same server. `MinIO`:
    /// the server that is asked has 1 of 32 of the parts itself.
    #[test]
    fn bytes_between_servers_by_hand() {
        use OperationKind::{Read, Write};
        let copies = |copies, servers, asked| Cluster {
            servers,
            copies,
            asked,
            ..Cluster::default()
        };
        for (cluster, operation, expected) in [
            (copies(3, 10, Asked::Holder), Read, 0.0),
            (copies(3, 10, Asked::Holder), Write, 2.0),
            (copies(3, 4, Asked::Gateway), Read, 0.75),
            (code(6, 2, 63, Asked::Holder), Read, 5.0 / 6.0),
            (code(6, 2, 63, Asked::Holder), Write, 7.0 / 6.0),
            (code(2, 2, 12, Asked::Gateway), Read, 11.0 / 12.0 + 0.5),
            (code(8, 3, 12, Asked::Gateway), Write, 11.0 / 12.0 + 10.0 / 8.0),
            (code(12, 4, 32, Asked::Any), Read, 31.0 / 32.0),
            (code(12, 4, 32, Asked::Any), Write, 16.0 / 12.0 * 31.0 / 32.0),
            (Cluster::default(), Write, 0.0),
        ] {
            let parts = cluster.parts((ProtocolKind::NvmeTcp, operation), MIB);
            let between = parts.elsewhere * parts.bytes.get() / MIB.get() + parts.forwarded;
            assert!(
                (between - expected).abs() < 1e-12,
                "{cluster:?} {operation}: {between}"
            );
        }
    }

    /// A read of 4 KiB reads a chunk of 4 KiB from each of the servers with data.
    #[test]
    fn a_part_has_a_minimum_size() {
        let parts = code(6, 2, 63, Asked::Holder).parts((ProtocolKind::NvmeTcp, OperationKind::Read), PAGE);
        assert_eq!(
            (parts.count, parts.bytes.get(), parts.elsewhere),
            (6.0, 4096.0, 5.0)
        );
        assert_eq!(parts.hops(), 1.0);
    }

    /// Ceph until version 19 (ceph-fastec-2025): a write of less than a stripe reads all of it and writes all
    /// of it. A gateway of objects never does, and of a stripe of 24 KiB nothing is left to read.
    #[test]
    fn a_write_of_less_than_a_stripe_reads_it_first() {
        let cluster = code(6, 2, 63, Asked::Holder);
        let reads = |protocol, bytes| {
            let parts = cluster.parts((protocol, OperationKind::Write), Bytes::new(bytes));
            (parts.count, parts.read_first, parts.read_elsewhere, parts.hops())
        };
        assert_eq!(reads(ProtocolKind::NvmeTcp, 4096.0), (8.0, 6.0, 5.0, 2.0));
        assert_eq!(reads(ProtocolKind::NvmeTcp, 24_576.0), (8.0, 0.0, 0.0, 1.0));
        assert_eq!(reads(ProtocolKind::S3, 4096.0), (8.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn names_are_read_from_one_server_and_changed_on_all_that_keep_them() {
        let cluster = code(4, 2, 8, Asked::Holder);
        let elsewhere = |operation| cluster.parts((ProtocolKind::Nfs3Tcp, operation), MIB).elsewhere;
        assert_eq!(elsewhere(OperationKind::Lookup), 0.0);
        assert_eq!(elsewhere(OperationKind::Create), 5.0);
    }

    #[test]
    fn copies_and_a_code_exclude_each_other() {
        let both = Cluster {
            copies: 2,
            ..code(4, 0, 8, Asked::Any)
        };
        let alone = Cluster {
            code_parts: 2,
            ..Cluster::default()
        };
        let none = Cluster {
            servers: 0,
            ..Cluster::default()
        };
        let few = Cluster {
            servers: 2,
            copies: 3,
            ..Cluster::default()
        };
        assert_eq!(
            crate::invalid::ids(
                [both.validate(), alone.validate(), none.validate(), few.validate()].concat()
            ),
            crate::invalid::named(&[
                ("copies", "workload::copies_and_parts"),
                ("code_parts", "workload::code_without_data"),
                ("servers", "workload::too_small"),
                ("copies", "workload::more_copies_than_servers"),
            ])
        );
    }
}

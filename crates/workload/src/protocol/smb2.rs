//! SMB 2 and 3 on port 445: reads, writes and other operations on open files.
//!
//! A message is the length prefix of direct TCP (4 bytes, MS-SMB2 2.1), the header (64 bytes, 2.2.1.2), and a
//! structure followed by data. The specification includes one byte of the data in the size of a structure, so
//! that 49 means 48 bytes and data:
//!
//! | operation | request | response |
//! |---|---|---|
//! | read | READ 48 + 1 (2.2.19) | 16 + data (2.2.20) |
//! | write | WRITE 48 + data (2.2.21) | 16 (2.2.22) |
//! | commit | FLUSH 24 (2.2.17) | 4 (2.2.18) |
//! | getattr | `QUERY_INFO` 40 (2.2.37) | 8 + `FileAllInformation` 100 and the name (2.2.38, MS-FSCC 2.4.2) |
//! | null | ECHO 4 (2.2.28) | 4 (2.2.29) |
//!
//! A request moves at most 8 MiB, the `MaxReadSize` and `MaxWriteSize` that servers grant (2.2.4; an
//! assumption for an unknown server). Operations on names first open the file, and are not modelled. With
//! encryption every message of SMB 3 has a `TRANSFORM_HEADER` of 52 bytes (2.2.41); signing adds no bytes.
//! The stack has the CPU costs of both. Names have 20 characters, as in NFS.

use bandgraph_units::Bytes;

use super::Protocol;
use crate::OperationKind::{Commit, Getattr, Null, Read, Write};
use crate::tcp::{self, Call};
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind};

/// The length prefix of a message on TCP.
const PREFIX: f64 = 4.0;
const HEADER: f64 = 64.0;
/// The header of an encrypted message.
const TRANSFORM_HEADER: f64 = 52.0;
/// The maximum data of one request.
const LARGEST: f64 = 8_388_608.0;
/// `FileAllInformation` with a name of 20 two-byte characters.
const ALL_INFORMATION: f64 = 100.0 + 40.0;

/// SMB 2 or 3 without encryption.
pub(super) const PLAIN: Protocol = Protocol {
    operations: &[Read, Write, Commit, Getattr, Null],
    ..Protocol::new("smb2", |kind, io_size, settings| {
        exchange(PREFIX + HEADER, kind, io_size, settings)
    })
};
/// SMB 3 with every message encrypted.
pub(super) const ENCRYPTED: Protocol = Protocol {
    name: "smb3-encrypted",
    is_encrypted: true,
    exchange: |kind, io_size, settings| exchange(PREFIX + TRANSFORM_HEADER + HEADER, kind, io_size, settings),
    ..PLAIN
};

/// Messages with `around` bytes around the structure and the data of each.
fn exchange(around: f64, kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let (data, moved) = (io_size.get(), kind.data());
    let [read, written] = moved.bytes(data);
    let largest = if moved == DataDirection::None {
        1.0
    } else {
        LARGEST
    };
    let calls = Call::split(read + written, largest, |data| {
        let (request, response) = match kind {
            Read => (48.0 + 1.0, 16.0 + data),
            Write => (48.0 + data, 16.0),
            Commit => (24.0, 4.0),
            Getattr => (40.0, 8.0 + ALL_INFORMATION),
            _ => (4.0, 4.0),
        };
        (around + request, around + response)
    });
    tcp::exchange(&calls, [read, written], settings)
}

#[cfg(test)]
mod tests {
    use crate::protocol::{usual as smb, usual_sizes as sizes};
    use crate::{OperationKind, ProtocolKind};

    /// Lengths in protocol captures: a READ request of 117 bytes with its prefix; data at byte 80 after the
    /// prefix in its response, and at byte 112 in a WRITE request; a WRITE response of 84 bytes.
    #[test]
    fn reads_and_writes_by_hand() {
        let read = smb(ProtocolKind::Smb2, OperationKind::Read, 65_536.0);
        assert_eq!(
            (read.call_bytes, read.reply_bytes),
            (117.0, 4.0 + 80.0 + 65_536.0)
        );
        let write = smb(ProtocolKind::Smb2, OperationKind::Write, 65_536.0);
        assert_eq!(
            (write.call_bytes, write.reply_bytes),
            (4.0 + 112.0 + 65_536.0, 84.0)
        );
        assert_eq!((read.payload_read, write.payload_written), (65_536.0, 65_536.0));
        assert_eq!(read.calls, 1.0);
    }

    #[test]
    fn encryption_takes_a_header_for_each_message() {
        for kind in [OperationKind::Read, OperationKind::Write, OperationKind::Null] {
            let (plain, encrypted) = (
                sizes(ProtocolKind::Smb2, kind, 4096.0),
                sizes(ProtocolKind::Smb3Encrypted, kind, 4096.0),
            );
            assert_eq!((encrypted.0 - plain.0, encrypted.1 - plain.1), (52.0, 52.0));
        }
    }

    /// By hand: 20 MiB are two requests of 8 MiB and one of 4.
    #[test]
    fn large_reads_are_several_requests() {
        let mib = 1_048_576.0;
        let read = smb(ProtocolKind::Smb2, OperationKind::Read, 20.0 * mib);
        assert_eq!(read.calls, 3.0);
        assert_eq!(read.reply_bytes, 20.0 * mib + 3.0 * 84.0);
        assert_eq!(smb(ProtocolKind::Smb2, OperationKind::Null, 0.0).calls, 1.0);
        assert!(!ProtocolKind::Smb2.has(OperationKind::Lookup));
    }
}

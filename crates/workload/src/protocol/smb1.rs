//! SMB 1 (CIFS) on port 445: reads and writes in requests of at most 60 KiB.
//!
//! A message is the length prefix of direct TCP (4 bytes), the header (32 bytes, MS-CIFS 2.2.3.1), a count of
//! words and the words, a count of bytes and the bytes. `READ_ANDX` has 12 words, and its reply 12 and a byte
//! of padding before the data (2.2.4.42); `WRITE_ANDX` has 14 words and a byte of padding before the data,
//! and its reply 6 (2.2.4.43). `FLUSH` has one word, and its reply none (2.2.4.6); `ECHO` one word, and its
//! reply one (2.2.4.39).
//!
//! Windows and similar clients limit a request to 61,440 bytes, whatever the server offers. A large operation
//! is therefore several requests, each of which costs the server as much as a separate operation. They are
//! sent together (assumption). Operations on names are not modelled.

use bandgraph_units::Bytes;

use super::Protocol;
use crate::OperationKind::{Commit, Null, Read, Write};
use crate::tcp::{self, Call};
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind};

/// The length prefix of a message on TCP, and the header.
const AROUND: f64 = 4.0 + 32.0;
/// The maximum data of one request.
const LARGEST: f64 = 61_440.0;
const PADDING: f64 = 1.0;

/// A structure of this number of words, without bytes.
fn words(count: f64) -> f64 {
    AROUND + 1.0 + 2.0 * count + 2.0
}

pub(super) const SMB1: Protocol = Protocol {
    operations: &[Read, Write, Commit, Null],
    ..Protocol::new("smb1", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let moved = kind.data();
    let [read, written] = moved.bytes(io_size.get());
    let calls = Call::split(read + written, LARGEST, |data| match moved {
        DataDirection::Read => (words(12.0), words(12.0) + PADDING + data),
        DataDirection::Write => (words(14.0) + PADDING + data, words(6.0)),
        DataDirection::None if kind == Commit => (words(1.0), words(0.0)),
        DataDirection::None => (words(1.0), words(1.0)),
    });
    tcp::exchange(&calls, [read, written], settings)
}

#[cfg(test)]
mod tests {
    use crate::protocol::usual;
    use crate::{OperationKind, ProtocolKind};

    /// By hand: data starts at byte 60 of a reply and at byte 64 of a WRITE, after 4 of prefix; 128 KiB are
    /// two requests of 60 KiB and one of 8 KiB.
    #[test]
    fn requests_carry_at_most_60_kib() {
        let smb = |kind, bytes| usual(ProtocolKind::Smb1, kind, bytes);
        let read = smb(OperationKind::Read, 131_072.0);
        assert_eq!(read.calls, 3.0);
        assert_eq!(read.call_bytes, 3.0 * 63.0);
        assert_eq!(read.reply_bytes, 131_072.0 + 3.0 * 64.0);
        let write = smb(OperationKind::Write, 4096.0);
        assert_eq!((write.call_bytes, write.reply_bytes), (68.0 + 4096.0, 51.0));
        assert_eq!(write.calls, 1.0);
    }
}

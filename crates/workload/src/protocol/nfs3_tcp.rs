//! NFS version 3 over TCP: the sizes of calls and replies, field by field.
//!
//! Bodies follow RFC 1813 (NFS version 3) in the XDR encoding of RFC 4506, where every item is a multiple of four
//! bytes; around them stand the call and reply headers of ONC RPC and its record mark (RFC 5531, sections 9 and 11). All
//! replies are taken to be successful and to carry every optional attribute, as servers send them.
//!
//! What the RFC leaves open is fixed here: file handles of 32 bytes, names of 20 bytes, link texts of 32 bytes,
//! directories of 30 entries (assumptions; they reproduce the published sizes of GETATTR 36/88, ACCESS 40/96,
//! LOOKUP 60/216, READ 48/104 and a WRITE reply of 136).

use bandgraph_units::Bytes;

use super::Protocol;
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind, tcp};

pub(super) struct Nfs3Tcp;

impl Protocol for Nfs3Tcp {
    fn name(&self) -> &'static str {
        "nfs3-tcp"
    }

    fn has(&self, _kind: OperationKind) -> bool {
        true
    }

    fn exchange(&self, kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
        let (payload_read, payload_written) = match kind.data() {
            DataDirection::Read => (io_size.get(), 0.0),
            DataDirection::Write => (0.0, io_size.get()),
            DataDirection::None => (0.0, 0.0),
        };
        let body = body(kind);
        let call = RECORD_MARK
            + CALL_HEADER
            + settings.credentials.get()
            + VERIFIER
            + body.call
            + padded(payload_written);
        let reply = RECORD_MARK + REPLY_HEADER + body.reply + padded(payload_read);
        let (to_server, to_client) = tcp::call_and_reply(Bytes::new(call), Bytes::new(reply), settings);
        Exchange {
            to_server,
            to_client,
            payload_read,
            payload_written,
            call_bytes: call,
            reply_bytes: reply,
        }
    }
}

/// Length and last-fragment flag before each message on a stream (RFC 5531, section 11).
const RECORD_MARK: f64 = 4.0;
/// Transaction, message type, RPC version, program, version, procedure.
const CALL_HEADER: f64 = 24.0;
/// The empty verifier of a call: flavour and length.
const VERIFIER: f64 = 8.0;
/// Transaction, message type, reply status, an empty verifier, accept status.
const REPLY_HEADER: f64 = 24.0;

/// An integer, enumeration, boolean, or the length of what follows.
const WORD: f64 = 4.0;
/// `uint64`, `cookie3`, `cookieverf3`, `writeverf3`, `nfstime3`, `specdata3`.
const DOUBLE: f64 = 8.0;
/// `nfs_fh3`: length and 32 bytes.
const HANDLE: f64 = WORD + 32.0;
/// `filename3`: length and 20 bytes.
const NAME: f64 = WORD + 20.0;
/// `nfspath3` of a symbolic link: length and 32 bytes.
const LINK_TEXT: f64 = WORD + 32.0;
/// `diropargs3`: a directory and a name in it.
const ENTRY_IN_DIRECTORY: f64 = HANDLE + NAME;
/// `fattr3`: type, mode, nlink, uid, gid; size, used, rdev, fsid, fileid, atime, mtime, ctime.
const ATTRIBUTES: f64 = 5.0 * WORD + 8.0 * DOUBLE;
/// `post_op_attr`, present.
const OPTIONAL_ATTRIBUTES: f64 = WORD + ATTRIBUTES;
/// `post_op_fh3`, present.
const OPTIONAL_HANDLE: f64 = WORD + HANDLE;
/// `wcc_data`: size, mtime, ctime from before, and all attributes from after.
const BEFORE_AND_AFTER: f64 = WORD + 3.0 * DOUBLE + OPTIONAL_ATTRIBUTES;
/// `sattr3` that sets only the mode: six flags and the mode.
const SET_MODE: f64 = 6.0 * WORD + WORD;
/// `sattr3` that sets mode and size, as when a file is created empty.
const SET_MODE_AND_SIZE: f64 = SET_MODE + DOUBLE;
/// Entries that one READDIR or READDIRPLUS returns: a directory of 30 files, read whole.
const DIRECTORY_ENTRIES: f64 = 30.0;
/// `entry3`: one follows, file id, name, cookie.
const DIRECTORY_ENTRY: f64 = WORD + DOUBLE + NAME + DOUBLE;
/// The end of a list of entries: none follows, end of directory.
const DIRECTORY_END: f64 = WORD + WORD;
/// `nfsstat3`.
const STATUS: f64 = WORD;

/// Bytes of the procedure's arguments and results, without file data.
struct Body {
    call: f64,
    reply: f64,
}

/// The sizes of RFC 1813, section 3.3, in the order of the RFC.
fn body(kind: OperationKind) -> Body {
    let (call, reply) = match kind {
        OperationKind::Null => (0.0, 0.0),
        OperationKind::Getattr => (HANDLE, STATUS + ATTRIBUTES),
        // New attributes, and no guard.
        OperationKind::Setattr => (HANDLE + SET_MODE + WORD, STATUS + BEFORE_AND_AFTER),
        OperationKind::Lookup => (ENTRY_IN_DIRECTORY, STATUS + HANDLE + 2.0 * OPTIONAL_ATTRIBUTES),
        OperationKind::Access => (HANDLE + WORD, STATUS + OPTIONAL_ATTRIBUTES + WORD),
        OperationKind::Readlink => (HANDLE, STATUS + OPTIONAL_ATTRIBUTES + LINK_TEXT),
        // Offset, count; count, end of file, length of the data.
        OperationKind::Read => (HANDLE + DOUBLE + WORD, STATUS + OPTIONAL_ATTRIBUTES + 3.0 * WORD),
        // Offset, count, stability, length of the data; count, stability, verifier.
        OperationKind::Write => (
            HANDLE + DOUBLE + 3.0 * WORD,
            STATUS + BEFORE_AND_AFTER + 2.0 * WORD + DOUBLE,
        ),
        // How to create, and with which attributes.
        OperationKind::Create => (ENTRY_IN_DIRECTORY + WORD + SET_MODE_AND_SIZE, CREATED),
        OperationKind::Mkdir => (ENTRY_IN_DIRECTORY + SET_MODE, CREATED),
        OperationKind::Symlink => (ENTRY_IN_DIRECTORY + SET_MODE + LINK_TEXT, CREATED),
        // Type, attributes and device numbers.
        OperationKind::Mknod => (ENTRY_IN_DIRECTORY + WORD + SET_MODE + DOUBLE, CREATED),
        OperationKind::Remove | OperationKind::Rmdir => (ENTRY_IN_DIRECTORY, STATUS + BEFORE_AND_AFTER),
        OperationKind::Rename => (2.0 * ENTRY_IN_DIRECTORY, STATUS + 2.0 * BEFORE_AND_AFTER),
        OperationKind::Link => (
            HANDLE + ENTRY_IN_DIRECTORY,
            STATUS + OPTIONAL_ATTRIBUTES + BEFORE_AND_AFTER,
        ),
        // Cookie, verifier, count.
        OperationKind::Readdir => (HANDLE + 2.0 * DOUBLE + WORD, directory(DIRECTORY_ENTRY)),
        // Cookie, verifier, two counts.
        OperationKind::Readdirplus => (
            HANDLE + 2.0 * DOUBLE + 2.0 * WORD,
            directory(DIRECTORY_ENTRY + OPTIONAL_ATTRIBUTES + OPTIONAL_HANDLE),
        ),
        // Total, free and available bytes and files, and for how long they hold.
        OperationKind::Fsstat => (HANDLE, STATUS + OPTIONAL_ATTRIBUTES + 6.0 * DOUBLE + WORD),
        // Sizes for reads, writes and directories, the largest file, the precision of time, properties.
        OperationKind::Fsinfo => (
            HANDLE,
            STATUS + OPTIONAL_ATTRIBUTES + 7.0 * WORD + DOUBLE + DOUBLE + WORD,
        ),
        // Longest link and name, four properties.
        OperationKind::Pathconf => (HANDLE, STATUS + OPTIONAL_ATTRIBUTES + 6.0 * WORD),
        // Offset, count; verifier.
        OperationKind::Commit => (HANDLE + DOUBLE + WORD, STATUS + BEFORE_AND_AFTER + DOUBLE),
    };
    Body { call, reply }
}

/// The reply to all that creates: status, handle and attributes of the new thing, the directory before and after.
const CREATED: f64 = STATUS + OPTIONAL_HANDLE + OPTIONAL_ATTRIBUTES + BEFORE_AND_AFTER;

/// A reply with directory entries: status, attributes, cookie verifier, entries, end.
fn directory(entry: f64) -> f64 {
    STATUS + OPTIONAL_ATTRIBUTES + DOUBLE + DIRECTORY_ENTRIES * entry + DIRECTORY_END
}

/// XDR fills opaque data up to a multiple of four bytes.
fn padded(bytes: f64) -> f64 {
    (bytes / 4.0).ceil() * 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtocolKind;

    const GIB: f64 = 1_073_741_824.0;

    fn nfs(kind: OperationKind, io_size: f64, settings: &NetworkSettings) -> Exchange {
        crate::exchange(ProtocolKind::Nfs3Tcp, kind, Bytes::new(io_size), settings)
    }

    /// The sizes of RPC bodies in the reference, and those of the RFC's types counted by hand.
    #[test]
    fn bodies_have_the_published_sizes() {
        for (kind, call, reply) in [
            (OperationKind::Read, 48.0, 104.0),
            (OperationKind::Getattr, 36.0, 88.0),
            (OperationKind::Access, 40.0, 96.0),
            (OperationKind::Lookup, 60.0, 216.0),
            (OperationKind::Write, 56.0, 136.0),
            (OperationKind::Null, 0.0, 0.0),
            (OperationKind::Setattr, 68.0, 120.0),
            (OperationKind::Readlink, 36.0, 128.0),
            (OperationKind::Create, 100.0, 248.0),
            (OperationKind::Mkdir, 88.0, 248.0),
            (OperationKind::Symlink, 124.0, 248.0),
            (OperationKind::Mknod, 100.0, 248.0),
            (OperationKind::Remove, 60.0, 120.0),
            (OperationKind::Rmdir, 60.0, 120.0),
            (OperationKind::Rename, 120.0, 236.0),
            (OperationKind::Link, 96.0, 208.0),
            (OperationKind::Readdir, 56.0, 108.0 + 30.0 * 44.0),
            (OperationKind::Readdirplus, 60.0, 108.0 + 30.0 * 172.0),
            (OperationKind::Fsstat, 36.0, 144.0),
            (OperationKind::Fsinfo, 36.0, 140.0),
            (OperationKind::Pathconf, 36.0, 116.0),
            (OperationKind::Commit, 48.0, 128.0),
        ] {
            let body = body(kind);
            assert_eq!((body.call, body.reply), (call, reply), "{kind}");
        }
    }

    /// Published: 223,969 reads of 8 KiB a second over jumbo frames are 1.71 GiB/s of payload and 1.79 GiB/s at the
    /// ports, received and sent, headers included.
    #[test]
    fn measured_reads_of_8_kib_cost_the_measured_network_bytes() {
        let jumbo = NetworkSettings {
            mtu: Bytes::new(9000.0),
            ..NetworkSettings::default()
        };
        for tcp_timestamps in [false, true] {
            let settings = NetworkSettings {
                tcp_timestamps,
                ..jumbo
            };
            let read = nfs(OperationKind::Read, 8192.0, &settings);
            let payload = 223_969.0 * read.payload() / GIB;
            let network = 223_969.0 * read.bytes_with(18.0) / GIB;
            assert!((payload / 1.71 - 1.0).abs() < 0.01, "{payload}");
            assert!((network / 1.79 - 1.0).abs() < 0.01, "{network}");
            assert!((payload / network - 0.955).abs() < 0.005, "{}", payload / network);
        }
    }

    /// By hand, for the same read: call 4 + 24 + 56 + 8 + 48 = 140, reply 4 + 24 + 104 + 8192 = 8324.
    #[test]
    fn read_of_8_kib_by_hand() {
        let jumbo = NetworkSettings {
            mtu: Bytes::new(9000.0),
            ..NetworkSettings::default()
        };
        let read = nfs(OperationKind::Read, 8192.0, &jumbo);
        assert_eq!((read.call_bytes, read.reply_bytes), (140.0, 8324.0));
        assert_eq!((read.to_server.frames, read.to_server.ip_bytes), (1.0, 192.0));
        assert_eq!((read.to_client.frames, read.to_client.ip_bytes), (1.0, 8376.0));
        // Over plain Ethernet: 8324 = 5 x 1448 + 1084, two acknowledgements.
        let plain = nfs(OperationKind::Read, 8192.0, &NetworkSettings::default());
        assert_eq!(
            (plain.to_server.frames, plain.to_server.ip_bytes),
            (3.0, 192.0 + 2.0 * 52.0)
        );
        assert_eq!(
            (plain.to_client.frames, plain.to_client.ip_bytes),
            (6.0, 8324.0 + 6.0 * 52.0)
        );
    }

    #[test]
    fn writes_are_large_calls_with_small_replies() {
        let jumbo = NetworkSettings {
            mtu: Bytes::new(9000.0),
            ..NetworkSettings::default()
        };
        let write = nfs(OperationKind::Write, 8192.0, &jumbo);
        assert_eq!((write.call_bytes, write.reply_bytes), (148.0 + 8192.0, 164.0));
        assert_eq!((write.payload_read, write.payload_written), (0.0, 8192.0));
        let large = nfs(OperationKind::Write, 1_048_576.0, &jumbo);
        // 1,048,724 = 117 x 8948 + 1808.
        assert_eq!(large.to_server.frames, 118.0);
        assert_eq!(large.to_client.acknowledgements(), 58.0);
    }

    #[test]
    fn data_is_filled_up_to_words() {
        let settings = NetworkSettings::default();
        for (io_size, padded) in [(0.0, 0.0), (1.0, 4.0), (4.0, 4.0), (5.0, 8.0)] {
            let read = nfs(OperationKind::Read, io_size, &settings);
            assert_eq!(read.reply_bytes, 132.0 + padded);
            assert_eq!(read.payload(), io_size);
            assert_eq!(
                nfs(OperationKind::Write, io_size, &settings).call_bytes,
                148.0 + padded
            );
        }
    }
}

//! NFS version 3: the sizes of calls and replies, field by field, over any transport.
//!
//! Bodies follow RFC 1813 (NFS version 3) in the XDR encoding of RFC 4506, where every item is a multiple of
//! four bytes, after the call and reply headers of ONC RPC (RFC 5531, section 9). All replies are successful
//! and carry every optional attribute, as servers send them.
//!
//! Fixed choices for what the RFC leaves open: file handles of 32 bytes, names of 20 bytes, link texts of 32
//! bytes, and, by default, directories of 30 entries (assumptions; they reproduce the published sizes of
//! GETATTR 36/88, ACCESS 40/96, LOOKUP 60/216, READ 48/104 and a WRITE reply of 136).

use bandgraph_units::Bytes;

use crate::{NetworkSettings, OperationKind};

/// A call and its reply.
pub(super) struct Messages {
    /// Bytes of the call without file data: RPC header and arguments.
    pub(super) call: f64,
    /// Bytes of the reply without file data: RPC header and results.
    pub(super) reply: f64,
    /// File data of the call.
    pub(super) written: f64,
    /// File data of the reply.
    pub(super) read: f64,
}

/// The messages of one operation.
pub(super) fn messages(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Messages {
    let [read, written] = kind.data().bytes(io_size.get());
    let body = body(kind, f64::from(settings.directory_entries));
    Messages {
        call: call_header(settings) + body.call,
        reply: reply_header() + body.reply,
        written,
        read,
    }
}

/// Bytes of RPC before the arguments of a call.
pub(super) fn call_header(settings: &NetworkSettings) -> f64 {
    CALL_HEADER + settings.credentials.get() + VERIFIER
}

/// Bytes of RPC before the results of a reply.
pub(super) const fn reply_header() -> f64 {
    REPLY_HEADER
}

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
/// `diropargs3`: a directory and a name.
const ENTRY_IN_DIRECTORY: f64 = HANDLE + NAME;
/// `fattr3`: type, mode, nlink, uid, gid; size, used, rdev, fsid, fileid, atime, mtime, ctime.
const ATTRIBUTES: f64 = 5.0 * WORD + 8.0 * DOUBLE;
/// `post_op_attr`, present.
const OPTIONAL_ATTRIBUTES: f64 = WORD + ATTRIBUTES;
/// `post_op_fh3`, present.
const OPTIONAL_HANDLE: f64 = WORD + HANDLE;
/// `wcc_data`: size, mtime, ctime before the operation, and all attributes after it.
const BEFORE_AND_AFTER: f64 = WORD + 3.0 * DOUBLE + OPTIONAL_ATTRIBUTES;
/// `sattr3` that sets only the mode: six flags and the mode.
const SET_MODE: f64 = 6.0 * WORD + WORD;
/// `sattr3` that sets mode and size, for a new empty file.
const SET_MODE_AND_SIZE: f64 = SET_MODE + DOUBLE;
/// `entry3`: flag that an entry follows, file id, name, cookie.
const DIRECTORY_ENTRY: f64 = WORD + DOUBLE + NAME + DOUBLE;
/// The end of a list of entries: flag that none follows, end of directory.
const DIRECTORY_END: f64 = WORD + WORD;
/// `nfsstat3`.
const STATUS: f64 = WORD;

/// Bytes of the procedure's arguments and results, without file data.
struct Body {
    call: f64,
    reply: f64,
}

/// The sizes of RFC 1813, section 3.3, in the order of the RFC; `entries` is the number of directory entries
/// in a reply.
fn body(kind: OperationKind, entries: f64) -> Body {
    let (call, reply) = match kind {
        OperationKind::Null => (0.0, 0.0),
        OperationKind::Getattr => (HANDLE, STATUS + ATTRIBUTES),
        // Attributes, without a guard.
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
        // Creation mode and attributes.
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
        OperationKind::Readdir => (HANDLE + 2.0 * DOUBLE + WORD, directory(entries, DIRECTORY_ENTRY)),
        // Cookie, verifier, two counts.
        OperationKind::Readdirplus => (
            HANDLE + 2.0 * DOUBLE + 2.0 * WORD,
            directory(entries, DIRECTORY_ENTRY + OPTIONAL_ATTRIBUTES + OPTIONAL_HANDLE),
        ),
        // Total, free and available bytes and files, and how long they are valid.
        OperationKind::Fsstat => (HANDLE, STATUS + OPTIONAL_ATTRIBUTES + 6.0 * DOUBLE + WORD),
        // Sizes of reads, writes and directories, the largest file, the time resolution, properties.
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

/// The reply of a creation: status, handle and attributes of the new object, and `wcc_data` of the directory.
const CREATED: f64 = STATUS + OPTIONAL_HANDLE + OPTIONAL_ATTRIBUTES + BEFORE_AND_AFTER;

/// A reply with directory entries: status, attributes, cookie verifier, entries, end.
fn directory(entries: f64, entry: f64) -> f64 {
    STATUS + OPTIONAL_ATTRIBUTES + DOUBLE + entries * entry + DIRECTORY_END
}

/// The size of opaque data with XDR padding to a multiple of four bytes.
pub(super) fn padded(bytes: f64) -> f64 {
    (bytes / 4.0).ceil() * 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published sizes of RPC bodies, and sizes of the RFC's types counted by hand.
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
            let body = body(kind, 30.0);
            assert_eq!((body.call, body.reply), (call, reply), "{kind}");
        }
    }
}

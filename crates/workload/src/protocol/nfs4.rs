//! NFS version 4: the COMPOUND of each operation, and its sizes.
//!
//! A COMPOUND carries several small operations (RFC 7530, section 15.2; XDR in RFC 7531, for minor version 1
//! in RFC 5662). The call has a tag, the minor version and a list of operations; the reply has a status, the
//! tag and a list of results. Every operation starts with its number, every result with that number and a
//! status. The equivalents of version 3 procedures are:
//!
//! | operation | COMPOUND, after SEQUENCE in minor version 1 |
//! |---|---|
//! | read, readlink | PUTFH, READ or READLINK |
//! | write | PUTFH, WRITE, GETATTR |
//! | commit, access, setattr, readdir, remove, rename, link | PUTFH, the operation, GETATTR where it changes things |
//! | lookup | PUTFH, LOOKUP, GETFH, GETATTR |
//! | create | PUTFH, OPEN, GETFH, GETATTR, and a CLOSE with its own PUTFH later, counted here |
//! | mkdir, mknod, symlink | PUTFH, CREATE, GETFH, GETATTR |
//! | getattr, fsstat, fsinfo, pathconf | PUTFH, GETATTR of other attributes |
//!
//! Clients differ in the details; these are the COMPOUNDs of the Linux client without state operations (OPEN
//! of existing files, locks, delegations, renewals). As in version 3, handles are 32 bytes and names 20;
//! owners are names of 16 bytes, states 16 bytes, the tag is empty, and all operations succeed (assumptions).

use bandgraph_units::Bytes;

use super::nfs3::{Messages, call_header, reply_header};
use crate::{NetworkSettings, OperationKind};

/// An integer, enumeration, boolean, or the length of what follows.
const WORD: f64 = 4.0;
const DOUBLE: f64 = 8.0;
/// `nfs_fh4`: length and 32 bytes.
const HANDLE: f64 = WORD + 32.0;
/// `component4`: length and 20 bytes.
const NAME: f64 = WORD + 20.0;
/// `linktext4`: length and 32 bytes.
const LINK_TEXT: f64 = WORD + 32.0;
/// `stateid4`: a sequence number and 12 bytes.
const STATE: f64 = WORD + 12.0;
/// `verifier4`.
const VERIFIER: f64 = DOUBLE;
/// `bitmap4` of two words.
const BITMAP: f64 = WORD + 2.0 * WORD;
/// `change_info4`: atomic, before, after.
const CHANGE: f64 = WORD + 2.0 * DOUBLE;
/// `nfstime4`: seconds and nanoseconds.
const TIME: f64 = DOUBLE + WORD;
/// An owner or group: length and 16 bytes of name.
const OWNER: f64 = WORD + 16.0;
/// The attributes of `fattr3` in version 3, and the change number: type, mode, links; owner, group; device,
/// size, use, file system, file id, change; access, change and modification times.
const ATTRIBUTE_VALUES: f64 =
    3.0 * WORD + 2.0 * OWNER + 2.0 * WORD + 2.0 * DOUBLE + 2.0 * DOUBLE + 2.0 * DOUBLE + 3.0 * TIME;
/// `fattr4`: bitmap, length, and the values.
const ATTRIBUTES: f64 = BITMAP + WORD + ATTRIBUTE_VALUES;
/// `fattr4` with only the mode.
const MODE: f64 = BITMAP + WORD + WORD;
/// Space and files of a file system: six numbers of 8 bytes.
const SPACE: f64 = BITMAP + WORD + 6.0 * DOUBLE;
/// The number of an operation; the number and the status of a result.
const OPERATION: f64 = WORD;
const RESULT: f64 = 2.0 * WORD;

/// Minor versions with different sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Minor {
    /// RFC 7530.
    Zero,
    /// RFC 8881: every COMPOUND starts with SEQUENCE.
    One,
}

/// A COMPOUND and its reply, without RPC headers and file data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compound {
    /// Bytes of the arguments.
    pub(super) call: f64,
    /// Bytes of the results.
    pub(super) reply: f64,
    /// The number of its operations.
    pub(super) operations: f64,
}

impl Compound {
    /// An empty COMPOUND: tag, minor version, count; status, tag, count.
    const EMPTY: Self = Self {
        call: 3.0 * WORD,
        reply: 3.0 * WORD,
        operations: 0.0,
    };

    fn with(self, arguments: f64, results: f64) -> Self {
        Self {
            call: self.call + OPERATION + arguments,
            reply: self.reply + RESULT + results,
            operations: self.operations + 1.0,
        }
    }

    /// The usual start: SEQUENCE if there are sessions, and the file handle.
    fn on_file(minor: Minor) -> Self {
        Self::begin(minor).with(HANDLE, 0.0)
    }

    fn begin(minor: Minor) -> Self {
        match minor {
            Minor::Zero => Self::EMPTY,
            // Call: session, sequence, slot, highest slot, cache flag. Reply: session, sequence, slot, two
            // highest slots, flags.
            Minor::One => Self::EMPTY.with(16.0 + 4.0 * WORD, 16.0 + 5.0 * WORD),
        }
    }

    fn with_attributes(self) -> Self {
        self.with(BITMAP, ATTRIBUTES)
    }

    fn with_handle(self) -> Self {
        self.with(0.0, HANDLE)
    }

    /// Both COMPOUNDs in sequence.
    fn and(self, other: Self) -> Self {
        Self {
            call: self.call + other.call,
            reply: self.reply + other.reply,
            operations: self.operations + other.operations,
        }
    }
}

/// The messages of one operation, including RPC headers.
pub(super) fn messages(
    kind: OperationKind,
    minor: Minor,
    io_size: Bytes,
    settings: &NetworkSettings,
) -> Messages {
    let compound = compound(kind, minor, f64::from(settings.directory_entries));
    let [read, written] = kind.data().bytes(io_size.get());
    Messages {
        call: call_header(settings) + compound.call,
        reply: reply_header() + compound.reply,
        written,
        read,
    }
}

/// The COMPOUND of an operation; `entries` is the number of directory entries in a READDIR reply.
/// Sequential operations of the server: those of the COMPOUND.
pub(super) fn steps(kind: OperationKind, minor: Minor) -> f64 {
    compound(kind, minor, 0.0).operations.max(1.0)
}

fn compound(kind: OperationKind, minor: Minor, entries: f64) -> Compound {
    use OperationKind as Kind;
    let file = Compound::on_file(minor);
    match kind {
        Kind::Null => Compound::EMPTY,
        Kind::Getattr => file.with_attributes(),
        // State, attributes; bitmap of set attributes.
        Kind::Setattr => file.with(STATE + MODE, BITMAP).with_attributes(),
        Kind::Lookup => file.with(NAME, 0.0).with_handle().with_attributes(),
        // Requested rights; supported rights, granted rights.
        Kind::Access => file.with(WORD, 2.0 * WORD).with_attributes(),
        Kind::Readlink => file.with(0.0, LINK_TEXT),
        // State, offset, count; end of file, length.
        Kind::Read => file.with(STATE + DOUBLE + WORD, 2.0 * WORD),
        // State, offset, stability, length; count, stability, verifier.
        Kind::Write => file
            .with(STATE + DOUBLE + 2.0 * WORD, 2.0 * WORD + VERIFIER)
            .with_attributes(),
        Kind::Commit => file.with(DOUBLE + WORD, VERIFIER).with_attributes(),
        Kind::Create => open(file).and(close(minor)),
        // Type, name, attributes; change, bitmap of set attributes.
        Kind::Mkdir => create(file, WORD),
        Kind::Symlink => create(file, WORD + LINK_TEXT),
        Kind::Mknod => create(file, WORD + 2.0 * WORD),
        Kind::Remove | Kind::Rmdir => file.with(NAME, CHANGE).with_attributes(),
        // PUTFH, SAVEFH, PUTFH, RENAME.
        Kind::Rename => file
            .with(0.0, 0.0)
            .with(HANDLE, 0.0)
            .with(2.0 * NAME, 2.0 * CHANGE)
            .with_attributes(),
        Kind::Link => file
            .with(0.0, 0.0)
            .with(HANDLE, 0.0)
            .with(NAME, CHANGE)
            .with_attributes(),
        Kind::Readdir => readdir(file, entries, BITMAP + WORD + DOUBLE),
        Kind::Readdirplus => readdir(file, entries, ATTRIBUTES + HANDLE),
        Kind::Fsstat | Kind::Fsinfo | Kind::Pathconf => file.with(BITMAP, SPACE),
    }
}

/// Sequence number, access, denial, owner; creation mode, attributes; name. State, change, flags, bitmap of
/// set attributes, no delegation.
fn open(file: Compound) -> Compound {
    let owner = DOUBLE + WORD + 24.0;
    let arguments = 3.0 * WORD + owner + 2.0 * WORD + MODE + WORD + NAME;
    let results = STATE + CHANGE + WORD + BITMAP + WORD;
    file.with(arguments, results).with_handle().with_attributes()
}

/// A separate COMPOUND: sequence number and state; state.
fn close(minor: Minor) -> Compound {
    Compound::on_file(minor)
        .with(WORD + STATE, STATE)
        .with_attributes()
}

fn create(file: Compound, kind: f64) -> Compound {
    file.with(kind + NAME + MODE, CHANGE + BITMAP)
        .with_handle()
        .with_attributes()
}

/// Cookie, verifier, two counts, bitmap; verifier, entries (flag that one follows, cookie, name, attributes),
/// end.
fn readdir(file: Compound, entries: f64, attributes: f64) -> Compound {
    let entry = WORD + DOUBLE + NAME + attributes;
    file.with(
        DOUBLE + VERIFIER + 2.0 * WORD + BITMAP,
        VERIFIER + entries * entry + 2.0 * WORD,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by hand from the XDR of RFC 7531: a READ call is 12 + (4 + 36) + (4 + 28), its reply 12 + 8 +
    /// (8 + 8).
    #[test]
    fn compounds_by_hand() {
        let sizes = |kind, minor| {
            let Compound {
                call,
                reply,
                operations,
            } = compound(kind, minor, 30.0);
            (call, reply, operations)
        };
        assert_eq!(sizes(OperationKind::Read, Minor::Zero), (84.0, 36.0, 2.0));
        // SEQUENCE adds 4 + 32 and 8 + 36.
        assert_eq!(sizes(OperationKind::Read, Minor::One), (120.0, 80.0, 3.0));
        // Attributes: 12 + 4 + 144 = 160, and 4 + 12 for the request.
        assert_eq!(ATTRIBUTES, 12.0 + 4.0 + 144.0);
        assert_eq!(
            sizes(OperationKind::Getattr, Minor::Zero),
            (12.0 + 40.0 + 16.0, 12.0 + 8.0 + 168.0, 2.0)
        );
        assert_eq!(
            sizes(OperationKind::Write, Minor::Zero),
            (
                12.0 + 40.0 + (4.0 + 16.0 + 8.0 + 8.0) + 16.0,
                12.0 + 8.0 + (8.0 + 8.0 + 8.0) + 168.0,
                3.0
            )
        );
        assert_eq!(
            sizes(OperationKind::Lookup, Minor::Zero),
            (
                12.0 + 40.0 + 28.0 + 4.0 + 16.0,
                12.0 + 8.0 + 8.0 + 44.0 + 168.0,
                4.0
            )
        );
    }

    #[test]
    fn sessions_never_make_a_message_shorter() {
        for &kind in OperationKind::ALL {
            let (zero, one) = (
                compound(kind, Minor::Zero, 30.0),
                compound(kind, Minor::One, 30.0),
            );
            assert!(one.call >= zero.call && one.reply >= zero.reply, "{kind}");
            assert!(one.call % 4.0 == 0.0 && one.reply % 4.0 == 0.0, "{kind}");
        }
    }
}

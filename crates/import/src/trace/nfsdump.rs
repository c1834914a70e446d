//! The text of nfsdump (Ellard and Seltzer, LISA 2003; `format.txt` of nfsdump).
//!
//! `time source destination U|T C3|R3|C2|R2 xid number name [status] field value …`. Numbers are hexadecimal,
//! the time is decimal. A reply belongs to the call with the same xid and the same two endpoints. Read and
//! write calls contain file, offset and count; the reply of a read contains the returned count, which is
//! smaller at the end of a file.

use super::Reason;
use super::fields::{Cursor, check_extent, hash, mix};
use super::parse::{Context, Fault, Parse};
use super::window::Window;
use bandgraph_workload::{OperationKind, Record};

/// The number of bytes at the end of a reply in which to search for the count of a read. The count is before
/// `eof` and the ten debugging tokens that end every reply.
const REPLY_TAIL: usize = 160;

/// Parser of the format.
#[derive(Default)]
pub(super) struct Nfsdump {
    window: Window,
}

impl Parse for Nfsdump {
    #[inline]
    fn line(&mut self, line: &[u8], context: &mut Context) -> Result<(), Fault> {
        let mut cursor = Cursor::new(line);
        let (seconds, decimals) = cursor.seconds()?;
        cursor.end_of_token()?;
        let source = cursor.token();
        let destination = cursor.token();
        let _transport = cursor.token();
        let direction_at = cursor.at();
        let direction = cursor.token();
        let (call, version2) = match direction {
            b"C3" => (true, false),
            b"R3" => (false, false),
            b"C2" => (true, true),
            b"R2" => (false, true),
            b"" => return Err(Fault::at(Reason::MissingField, direction_at)),
            _ => return Err(Fault::at(Reason::NotALine, direction_at)),
        };
        // Version 2 lines have microseconds without leading zeros.
        let written = if version2 && decimals < 6 {
            seconds.nanoseconds_of_microseconds()
        } else {
            seconds.nanoseconds(decimals)
        };
        let written = written.ok_or(Fault::at(Reason::BadTime, 0))?;
        let xid = cursor.hexadecimal()?;
        cursor.end_of_token()?;
        let _number = cursor.token();
        let name_at = cursor.at();
        let name = cursor.token();
        if name.is_empty() {
            return Err(Fault::at(Reason::MissingField, name_at));
        }
        if call {
            let Some(operation) = procedure(name) else {
                if is_obsolete(name) {
                    context.skipped.add(Reason::NotModelled);
                    return Ok(());
                }
                return Err(Fault::at(Reason::UnknownOperation, name_at));
            };
            let arguments = Arguments::read(&mut cursor, operation)?;
            if arguments.short {
                context.skipped.add(Reason::ShortPacket);
                return Ok(());
            }
            let key = key(source, destination, xid);
            let record = Record {
                start_ns: context.clock.at(written, &mut context.skipped),
                latency_ns: None,
                client: context.clients.number(hash(host(source))),
                file: arguments.file,
                operation,
                offset: arguments.offset,
                bytes: arguments.bytes,
                stable: arguments.stable,
            };
            if !self.window.call_once(key, record) {
                context.skipped.add(Reason::RepeatedCall);
            }
            return Ok(());
        }
        let now = context.clock.at(written, &mut context.skipped);
        let Some(record) = self.window.answer(key(destination, source, xid)) else {
            context.skipped.add(Reason::ReplyWithoutCall);
            return Ok(());
        };
        record.latency_ns = Some(now - record.start_ns);
        match (record.operation, cursor.token()) {
            (OperationKind::Read, b"OK") => {
                if let Some(bytes) = bytes_read(cursor.rest()) {
                    record.bytes = record.bytes.min(bytes);
                }
            }
            (OperationKind::Read | OperationKind::Write, status) if is_error(status) => record.bytes = 0,
            _ => {}
        }
        Ok(())
    }

    #[inline]
    fn pop(&mut self, context: &mut Context) -> Option<Record> {
        self.window.pop(&mut context.skipped)
    }

    fn finish(&mut self) {
        self.window.finish();
    }
}

/// Whether a status is an error number. Truncated lines have none; `SHORT PACKET` in its place is not a
/// status.
fn is_error(status: &[u8]) -> bool {
    !status.is_empty() && status.iter().all(u8::is_ascii_hexdigit)
}

/// The key that a call and its reply share.
#[inline]
fn key(caller: &[u8], server: &[u8], xid: u64) -> u64 {
    mix(hash(caller) ^ mix(hash(server).wrapping_add(xid)))
}

/// The host of an endpoint, without its port.
#[inline]
fn host(endpoint: &[u8]) -> &[u8] {
    let port = endpoint.iter().rev().position(|byte| *byte == b'.');
    &endpoint[..port.map_or(endpoint.len(), |port| endpoint.len() - port - 1)]
}

/// The procedures of NFS version 3 (RFC 1813) as nfsdump names them, by their numbers.
pub(super) const PROCEDURES: [(&str, OperationKind); 22] = [
    ("null", OperationKind::Null),
    ("getattr", OperationKind::Getattr),
    ("setattr", OperationKind::Setattr),
    ("lookup", OperationKind::Lookup),
    ("access", OperationKind::Access),
    ("readlink", OperationKind::Readlink),
    ("read", OperationKind::Read),
    ("write", OperationKind::Write),
    ("create", OperationKind::Create),
    ("mkdir", OperationKind::Mkdir),
    ("symlink", OperationKind::Symlink),
    ("mknod", OperationKind::Mknod),
    ("remove", OperationKind::Remove),
    ("rmdir", OperationKind::Rmdir),
    ("rename", OperationKind::Rename),
    ("link", OperationKind::Link),
    ("readdir", OperationKind::Readdir),
    ("readdirp", OperationKind::Readdirplus),
    ("fsstat", OperationKind::Fsstat),
    ("fsinfo", OperationKind::Fsinfo),
    ("pathconf", OperationKind::Pathconf),
    ("commit", OperationKind::Commit),
];

/// The procedures of NFS versions 2 (RFC 1094) and 3 as nfsdump names them.
#[inline]
fn procedure(name: &[u8]) -> Option<OperationKind> {
    let name = if name == b"statfs" { b"fsstat" } else { name };
    let found = PROCEDURES.iter().find(|(known, _)| known.as_bytes() == name)?;
    Some(found.1)
}

/// Obsolete procedures of version 2, and calls of the mount protocol.
fn is_obsolete(name: &[u8]) -> bool {
    matches!(name, b"root" | b"writecach" | b"writecac" | b"mnt")
}

/// The arguments of a call.
#[derive(Default)]
struct Arguments {
    file: u64,
    offset: u64,
    bytes: u64,
    stable: bool,
    /// The capture truncated the packet.
    short: bool,
}

impl Arguments {
    /// Parses the fields of a call that matter for `operation`.
    #[inline]
    fn read(cursor: &mut Cursor<'_>, operation: OperationKind) -> Result<Self, Fault> {
        let mut arguments = Self::default();
        let (mut offset_at, mut counted) = (None, false);
        loop {
            let at = cursor.at();
            match cursor.token() {
                b"fh" | b"file" => {
                    let handle = cursor.long_token();
                    if handle.is_empty() {
                        return Err(Fault::at(Reason::MissingField, cursor.at()));
                    }
                    arguments.file = hash(handle);
                    if !operation.moves_data() {
                        // Only the truncation mark matters in the rest.
                        arguments.short = is_short(cursor.rest());
                        return Ok(arguments);
                    }
                }
                b"off" | b"offset" => {
                    offset_at = Some(cursor.at());
                    arguments.offset = cursor.hexadecimal()?;
                    cursor.end_of_token()?;
                }
                // `tcount` is the count of a write in version 2, and a duplicate in a read.
                b"count" | b"tcount" if !counted => {
                    arguments.bytes = cursor.hexadecimal()?;
                    cursor.end_of_token()?;
                    counted = true;
                }
                b"stable" => arguments.stable = matches!(cursor.token(), b"F" | b"D"),
                b"con" => break,
                b"SHORT" | b"+|+" => {
                    arguments.short = true;
                    return Ok(arguments);
                }
                b"" => {
                    if !operation.moves_data() {
                        return Ok(arguments);
                    }
                    break;
                }
                field if field.first() == Some(&b'-') => return Err(Fault::at(Reason::Negative, at)),
                _ => {
                    cursor.token();
                }
            }
        }
        if operation.moves_data() {
            let Some(offset_at) = offset_at.filter(|_| counted) else {
                return Err(Fault::at(Reason::MissingField, cursor.at()));
            };
            check_extent(arguments.offset, arguments.bytes, offset_at)?;
        }
        Ok(arguments)
    }
}

/// Whether the rest of the line marks a truncated packet.
#[inline]
fn is_short(rest: &[u8]) -> bool {
    memchr::memchr2_iter(b'S', b'+', rest).any(|at| {
        let rest = &rest[at..];
        rest.starts_with(b"SHORT") || rest.starts_with(b"+|+")
    })
}

/// The returned bytes of a read: the last `count` of its reply.
#[inline]
fn bytes_read(rest: &[u8]) -> Option<u64> {
    let tail = &rest[rest.len().saturating_sub(REPLY_TAIL)..];
    // After the count, only `status` contains this rare letter.
    let found = memchr::memrchr_iter(b'u', tail)
        .find(|at| tail[..*at].ends_with(b" co") && tail[at + 1..].starts_with(b"nt "))?;
    let mut cursor = Cursor::new(&tail[found + 4..]);
    let bytes = cursor.hexadecimal().ok()?;
    cursor.end_of_token().ok()?;
    Some(bytes)
}

//! Archives, read as a stream: tar, plain or compressed with gzip, bzip2, xz or zstd. Nothing is written to a
//! disk.
//!
//! A file in an archive can claim any size and any path, and a few bytes can unpack to gigabytes. So the
//! number of entries, the unpacked size, its ratio to the packed size, and the length and the parts of paths
//! have limits.

use std::io::{self, Read};

use bandgraph_config::MAXIMUM_FILE_SIZE;

use crate::compression::Compression;

/// Entries that are read at most.
const MAXIMUM_ENTRIES: usize = 200_000;
/// Bytes that an archive unpacks to at most.
const MAXIMUM_UNPACKED: u64 = 1 << 30;
/// Unpacked bytes for each packed byte. Archives of small files reach 200, as tar pads them.
const MAXIMUM_RATIO: u64 = 1000;
/// Unpacked bytes from which the ratio counts.
const RATIO_COUNTS_FROM: u64 = 16 << 20;
/// Bytes of a path.
const MAXIMUM_PATH: usize = 1024;

/// What was in compressed bytes.
pub(crate) enum Unpacked {
    /// An archive; its files were visited.
    Archive,
    /// One file.
    File(Vec<u8>),
}

/// Whether bytes are a tar archive, or compressed with a program that is known here.
pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    is_tar(bytes) || Compression::of(bytes) != Compression::None
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Unpacks bytes that [`is_packed`] knows. `wants` says by its path whether a file is to be read at all.
pub(crate) fn unpack(
    bytes: &[u8],
    wants: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, Vec<u8>),
) -> io::Result<Unpacked> {
    let limit = MAXIMUM_UNPACKED.min((bytes.len() as u64 * MAXIMUM_RATIO).max(RATIO_COUNTS_FROM));
    let source = Compression::of(bytes).unpack(bytes);
    stream(source, limit, wants, visit)
}

fn stream(
    source: impl Read,
    limit: u64,
    wants: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, Vec<u8>),
) -> io::Result<Unpacked> {
    let mut source = Limited { source, left: limit };
    let mut head = Vec::with_capacity(512);
    (&mut source).take(512).read_to_end(&mut head)?;
    if !is_tar(&head) {
        let mut file = head;
        let most = MAXIMUM_FILE_SIZE as u64;
        source.take(most).read_to_end(&mut file)?;
        if file.len() > MAXIMUM_FILE_SIZE {
            return Err(too_large("the file in it is larger than is read"));
        }
        return Ok(Unpacked::File(file));
    }
    let mut archive = tar::Archive::new(io::Cursor::new(head).chain(source));
    for (count, entry) in archive.entries()?.enumerate() {
        let mut entry = entry?;
        if count == MAXIMUM_ENTRIES {
            return Err(too_large("it has more entries than are read"));
        }
        let is_small = entry.size() <= MAXIMUM_FILE_SIZE as u64;
        if !entry.header().entry_type().is_file() || !is_small {
            continue;
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = path.trim_start_matches("./");
        if path.len() > MAXIMUM_PATH || path.split('/').any(|part| part == "..") || !wants(path) {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        visit(path, bytes);
    }
    Ok(Unpacked::Archive)
}

fn too_large(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// A source that ends with an error where its limit is reached.
struct Limited<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(into)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| too_large("it unpacks to more than is read"))?;
        Ok(read)
    }
}

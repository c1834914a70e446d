//! The source of a trace, decompressed, with the state of its reading.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::TraceError;
use crate::compression::{Compression, HEAD};

/// The size of a read from the source, in bytes.
const CHUNK: usize = 1 << 16;

/// The state of a source while it is read.
#[derive(Clone, Default)]
pub(super) struct Gauge {
    bytes: Arc<AtomicU64>,
    failed: Arc<AtomicBool>,
}

impl Gauge {
    /// Bytes read from the source, before decompression.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether a read from the source failed.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// A source that counts its bytes.
struct Gauged<R> {
    source: R,
    gauge: Gauge,
}

impl<R: Read> Read for Gauged<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.source.read(buffer);
        match &result {
            Ok(bytes) => {
                self.gauge.bytes.fetch_add(*bytes as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.gauge.failed.store(true, Ordering::Relaxed),
        }
        result
    }
}

/// A decompressed source.
pub(super) struct Plain {
    pub(super) source: Box<dyn Read + Send>,
    pub(super) compression: Compression,
    pub(super) gauge: Gauge,
}

/// Detects the compression of `source` from its first bytes, and decompresses it.
pub(super) fn decompress(source: impl Read + Send + 'static) -> Result<Plain, TraceError> {
    let gauge = Gauge::default();
    let mut source = Gauged {
        source,
        gauge: gauge.clone(),
    };
    let mut head = Vec::with_capacity(HEAD);
    source.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    match head.as_slice() {
        [] => return Err(TraceError::Empty),
        [0x04, 0x22, 0x4d, 0x18, ..] => return Err(TraceError::Compression { with: "lz4" }),
        [b'P', b'K', 3, 4, ..] => return Err(TraceError::Compression { with: "zip" }),
        _ => {}
    }
    let compression = Compression::of(&head);
    let whole = BufReader::with_capacity(CHUNK, Cursor::new(head).chain(source));
    let source = compression.unpack(whole);
    Ok(Plain {
        source,
        compression,
        gauge,
    })
}

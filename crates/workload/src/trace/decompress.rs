//! Compressed traces, detected by their first bytes.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bandgraph_config::words;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::TraceError;

words! {
    /// The compression of a trace.
    pub enum Compression {
        /// Not compressed.
        None = "none",
        /// gzip (RFC 1952), one member or several.
        Gzip = "gzip",
        /// Zstandard (RFC 8878), one frame or several.
        Zstd = "zstd",
    }
}

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
    let mut head = Vec::with_capacity(6);
    source.by_ref().take(6).read_to_end(&mut head)?;
    let compression = match head.as_slice() {
        [] => return Err(TraceError::Empty),
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        b"\xfd7zXZ\0" => return Err(TraceError::Compression { with: "xz" }),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41] => return Err(TraceError::Compression { with: "bzip2" }),
        [0x04, 0x22, 0x4d, 0x18, ..] => return Err(TraceError::Compression { with: "lz4" }),
        [b'P', b'K', 3, 4, ..] => return Err(TraceError::Compression { with: "zip" }),
        _ => Compression::None,
    };
    let whole = BufReader::with_capacity(CHUNK, Cursor::new(head).chain(source));
    let source: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Compression::Zstd => Box::new(Zstd::new(whole)),
    };
    Ok(Plain {
        source,
        compression,
        gauge,
    })
}

/// Zstandard frames in sequence.
struct Zstd<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(source: R) -> Self {
        Self {
            source,
            decoder: FrameDecoder::new(),
            in_frame: false,
        }
    }

    /// Starts the next frame after any skippable ones; `false` at the end of the source.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let mut skipped = self.source.by_ref().take(length);
                    if io::copy(&mut skipped, &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if !self.in_frame && !self.begin()? {
                return Ok(0);
            }
            self.in_frame = true;
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.decoder.is_finished() {
                self.in_frame = false;
                continue;
            }
            self.decoder
                .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(io::Error::other)?;
        }
        Ok(0)
    }
}

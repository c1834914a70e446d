//! Compressed traces, told apart by their first bytes.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::TraceError;

/// How a trace is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// It is not.
    None,
    /// gzip (RFC 1952), one member or several.
    Gzip,
    /// Zstandard (RFC 8878), one frame or several.
    Zstd,
}

impl Compression {
    /// The name in reports: `"gzip"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// How much of a source is read at once.
const CHUNK: usize = 1 << 16;

/// What is known of a source while it is being read.
#[derive(Clone, Default)]
pub(super) struct Gauge {
    bytes: Arc<AtomicU64>,
    failed: Arc<AtomicBool>,
}

impl Gauge {
    /// Bytes read of the source, compressed as they are.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether the source itself failed.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// A source whose bytes are counted.
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

/// A source with its compression taken off.
pub(super) struct Plain {
    pub(super) source: Box<dyn Read + Send>,
    pub(super) compression: Compression,
    pub(super) gauge: Gauge,
}

/// Looks at the first bytes of `source`, and takes its compression off.
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

/// Frames of Zstandard, one after the other.
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

    /// Begins the next frame, passing over those that are to be skipped; `false` at the end of the source.
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

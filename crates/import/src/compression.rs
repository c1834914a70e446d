//! Compressed input, detected by its first bytes and decompressed as a stream.

use std::io::{self, BufRead, Read};

use bandgraph_config::words;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

words! {
    /// The compression of a file.
    pub enum Compression {
        /// Not compressed.
        None = "none",
        /// gzip (RFC 1952), one member or several.
        Gzip = "gzip",
        /// bzip2, one stream or several.
        Bzip2 = "bzip2",
        /// xz, one stream or several.
        Xz = "xz",
        /// Zstandard (RFC 8878), one frame or several.
        Zstd = "zstd",
    }
}

/// The number of first bytes by which a compression is detected.
pub(crate) const HEAD: usize = 7;

/// The maximum window of xz, in KiB: what `xz -9` asks for, and the maximum of Zstandard here.
const MAXIMUM_WINDOW_KIB: u32 = 128 << 10;

impl Compression {
    /// The compression of a file with these first bytes ([`HEAD`] or all of them).
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The decompressed content of a source with this compression.
    pub(crate) fn unpack<'s>(self, source: impl BufRead + Send + 's) -> Box<dyn Read + Send + 's> {
        match self {
            Self::None => Box::new(source),
            Self::Gzip => Box::new(MultiGzDecoder::new(source)),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(source)),
            Self::Xz => Box::new(XzReader::new_mem_limit(source, true, MAXIMUM_WINDOW_KIB)),
            Self::Zstd => Box::new(Zstd::new(source)),
        }
    }
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

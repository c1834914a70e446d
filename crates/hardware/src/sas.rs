//! SAS links with SATA disks: the overhead of frames.
//!
//! SATA disks behind an expander use SATA frames, tunnelled (Serial ATA 2.6, section 9: framing; SAS-1.1,
//! STP). A data frame has at most 8192 bytes, with a header of 4, a checksum of 4, and two primitives of 4
//! for its start and end. A command sends a register frame of 20 bytes, and receives one or two short frames.

use bandgraph_units::{Bandwidth, Bytes};

/// Data bytes of the largest frame.
const FRAME: f64 = 8192.0;
/// Header, checksum and the two primitives around a frame.
const FRAME_OVERHEAD: f64 = 16.0;
/// Frames of a command in addition to its data: the command, and its status.
const COMMAND: f64 = 2.0 * (20.0 + 12.0);

/// Data rate of a lane of this rate that carries full frames.
pub fn payload_rate(lane: Bandwidth) -> Bandwidth {
    lane * (FRAME / (FRAME + FRAME_OVERHEAD))
}

/// Bytes on the lanes for `commands` with a total of `bytes` of data.
pub fn wire_bytes(bytes: Bytes, commands: f64) -> Bytes {
    if commands <= 0.0 {
        return Bytes::ZERO;
    }
    let frames = commands * (bytes.get() / commands / FRAME).ceil();
    Bytes::new(bytes.get() + frames * FRAME_OVERHEAD + commands * COMMAND)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 128 KiB are 16 frames: 131072 + 16 · 16 + 64 = 131392.
    #[test]
    fn a_record_is_sixteen_frames_and_a_command() {
        assert_eq!(wire_bytes(Bytes::new(131_072.0), 1.0), Bytes::new(131_392.0));
        assert_eq!(
            wire_bytes(Bytes::new(262_144.0), 2.0),
            Bytes::new(2.0 * 131_392.0)
        );
        assert_eq!(
            wire_bytes(Bytes::new(512.0), 1.0),
            Bytes::new(512.0 + 16.0 + 64.0)
        );
        assert_eq!(wire_bytes(Bytes::ZERO, 0.0), Bytes::ZERO);
    }
}

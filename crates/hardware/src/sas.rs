//! SAS links that carry SATA disks: what frames add to the data.
//!
//! A SATA disk behind an expander is spoken to in SATA frames, tunnelled (Serial ATA 2.6, section 9: framing;
//! SAS-1.1, STP). A data frame holds at most 8192 bytes and adds a header of 4, a checksum of 4, and two
//! primitives of 4 that mark its start and end. A command takes a register frame of 20 bytes out and one or
//! two short frames back.

use bandgraph_units::Bytes;

/// Data bytes of the largest frame.
const FRAME: f64 = 8192.0;
/// Header, checksum and the two primitives around a frame.
const FRAME_OVERHEAD: f64 = 16.0;
/// Frames of a command besides its data: the command, and its status.
const COMMAND: f64 = 2.0 * (20.0 + 12.0);

/// Bytes on the lanes for `commands` that move `bytes` of data together.
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

//! Solid-state devices: a command takes a fixed time, and time for its bytes.
//!
//! The two figures that are published of such devices, the rate of long transfers and the rate of small
//! commands, fix both terms.

use bandgraph_units::{Bytes, Time};

use crate::parts::SsdPart;

impl SsdPart {
    /// Time of a read of so many bytes.
    pub fn read(&self, bytes: Bytes) -> Time {
        self.read_time + Time::new(bytes.get() / self.read_rate.get())
    }

    /// Time of a write of so many bytes, until they are on stable storage.
    pub fn write(&self, bytes: Bytes) -> Time {
        self.write_time + Time::new(bytes.get() / self.write_rate.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    /// facts.md, Storage: 3,300 synchronous writes of 8 KiB a second, and about 110 MB/s.
    #[test]
    fn the_log_device_writes_as_fast_as_said() {
        let device = catalogue().ssd("zeusiops-18gb").expect("in the catalogue");
        let small = 1.0 / device.write(Bytes::new(8192.0)).get();
        assert!((small / 3300.0 - 1.0).abs() < 0.001, "{small}");
        let long = 1e9 / device.write(Bytes::new(1e9)).get();
        assert!((long / 110e6 - 1.0).abs() < 0.001, "{long}");
    }
}

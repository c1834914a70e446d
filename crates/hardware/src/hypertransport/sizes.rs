//! Packet sizes of a technology of socket links.

use bandgraph_units::Bytes;

/// Bytes of each kind of packet. The defaults are those of HyperTransport, all multiples of 4; the module
/// documentation has their sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// A read request: 8 with an address.
    pub request: f64,
    /// A probe: 8 with an address.
    pub probe: f64,
    /// The response of a probed socket: 4.
    pub response: f64,
    /// The separate response of the home's own caches: 4. Zero if it is part of the data.
    pub home_response: f64,
    /// The header of a data response: 4.
    pub data_header: f64,
    /// The end of a transaction: 4. Zero if there is no such message.
    pub done: f64,
    /// The header of a write, with an address: 8.
    pub write_header: f64,
    /// A line of data: 64.
    pub line: f64,
    /// Share of lines that a home with a filter or directory has to probe, since another cache may hold them.
    /// Unsourced; 0 is a workload without sharing.
    pub filtered_probe_share: f64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            request: 8.0,
            probe: 8.0,
            response: 4.0,
            home_response: 4.0,
            data_header: 4.0,
            done: 4.0,
            write_header: 8.0,
            line: 64.0,
            filtered_probe_share: 0.0,
        }
    }
}

impl Sizes {
    /// The default packets, with lines of another size.
    pub fn with_line(line: Bytes) -> Self {
        Self {
            line: line.get(),
            ..Self::default()
        }
    }

    /// A data response: header and line.
    pub fn data(&self) -> f64 {
        self.data_header + self.line
    }

    /// A write: header and line.
    pub fn write(&self) -> f64 {
        self.write_header + self.line
    }
}

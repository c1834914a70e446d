//! A link between two sockets, or between a socket and a bridge.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Fraction, Frequency, Time};

use crate::hypertransport::Sizes;
use crate::part::part;

part! {
    /// A HyperTransport link, or one like it: parallel, double data rate, one such set of wires in each
    /// direction.
    SocketLinkPart, SocketLink = "socket-link" {
        /// The kind of link, as named in reports. Only links of the same kind can take each other's
        /// place.
        technology: String = "HyperTransport", because("the oldest of these links");
        /// Width of one direction in bits.
        width_bits: u64 = 16, required, positive, at_most(4096.0);
        /// Clock of the link. Each wire carries two bits a cycle.
        clock: Frequency = "1 GHz", exact, required, positive, at_least(1e6), at_most(1e12);
        /// Share of the raw rate that traffic reaches in practice, words that return buffers included. It is
        /// limited by the buffers at the far end.
        ceiling: Fraction = "87 %", positive, at_least(0.01), at_most(1.0),
            measured("`mlc --bandwidth_matrix` between the two sockets");
        /// Share of the raw rate that checksums take which follow the clock and not the packets. It is part
        /// of what the ceiling leaves out, and matters only where it exceeds that.
        crc_overhead: Fraction = "0 %", exact, at_most(0.5),
            because("checksums are in the packets, or in lanes of their own");
        /// Bytes of checksum that follow every packet, with its data if it has any. Links that retry packets
        /// have one on each; short packets, of which coherence sends most, feel it most.
        packet_checksum: Bytes = "0 B", exact, at_most(64.0),
            because("in lanes of its own, or per window of the clock");
        /// The unit in which packets travel: each fills a whole number of these, which count what they carry,
        /// not the checksum in them. HyperTransport has 4; QPI and its successors send flits of 8.
        packet_multiple: Bytes = "4 B", exact, positive, at_least(1.0), at_most(256.0),
            stated_by("hypertransport-1"), because("packets are multiples of 4 bytes");
        /// A read request.
        request: Bytes = "8 B", exact, at_most(256.0),
            because("as HyperTransport: 8 bytes with a full address");
        /// A probe.
        probe: Bytes = "8 B", exact, at_most(256.0),
            because("as HyperTransport: 8 bytes with a full address");
        /// The answer of a probed socket.
        response: Bytes = "4 B", exact, at_most(256.0), because("as HyperTransport: one word");
        /// The answer of the home's own caches. Zero where it is part of the data.
        home_response: Bytes = "4 B", exact, at_most(256.0), because("as HyperTransport: one word");
        /// The header of data that was read.
        data_header: Bytes = "4 B", exact, at_most(256.0), because("as HyperTransport: one word");
        /// The message that tells the home, or the writer of a line, that a transaction has ended. Zero
        /// if there is none.
        done: Bytes = "4 B", exact, at_most(256.0), because("as HyperTransport: one word");
        /// The header of data that is written.
        write_header: Bytes = "8 B", exact, at_most(256.0),
            because("as HyperTransport: 8 bytes with a full address");
        /// Words of 4 bytes that return a buffer in the opposite direction, on an idle link. A packet holds
        /// one buffer, and a packet with data two. Zero where headers carry what returns buffers.
        release_words: f64 = 1.0, at_most(16.0), because("as HyperTransport");
        /// Share of these words that a full link still sends: it returns several buffers with one word.
        release_words_full: Fraction = "20 %", positive, at_least(0.01), at_most(1.0),
            measured("the counters of the link, by kind of packet, under full load"),
            because("as HyperTransport 1"), assumed(AssumedRange(0.5, 5.0,
                "10 to 100 %: two threads that write to each other return nearly a word for each"));
        /// Whether probes are spread over parallel links as other packets are; they take the first if not.
        spread_probes: bool = false, because("as on HyperTransport, where they take the first link");
        /// Time a packet takes for one hop on an idle link, one way: out of one crossbar, over the link,
        /// through the next.
        hop_latency: Time = "20 ns", at_most(1e-3), assumed(AssumedRange(0.7, 1.4,
                "70 to 140 %: links of one technology differ by clock and by the fabric behind them"));
    }
}

impl SocketLinkPart {
    /// Raw bandwidth of one direction: width × clock × 2.
    pub fn raw_bandwidth(&self) -> Bandwidth {
        Bandwidth::new(self.width_bits as f64 / 8.0 * self.clock.get() * 2.0)
    }

    /// The packets of its technology, without padding and checksums, with lines of `line` bytes.
    pub fn sizes(&self, line: Bytes) -> Sizes {
        Sizes {
            request: self.request.get(),
            probe: self.probe.get(),
            response: self.response.get(),
            home_response: self.home_response.get(),
            data_header: self.data_header.get(),
            done: self.done.get(),
            write_header: self.write_header.get(),
            ..Sizes::with_line(line)
        }
    }

    /// Bytes of a packet on the link: padded to whole units, with its checksum.
    pub fn packet_bytes(&self, packet: f64) -> f64 {
        let unit = self.packet_multiple.get();
        (packet / unit).ceil() * unit + self.packet_checksum.get()
    }

    /// Share of the raw bandwidth that packets can use.
    pub fn usable_share(&self) -> Fraction {
        self.ceiling.min(Fraction::new(1.0) - self.crc_overhead)
    }
}

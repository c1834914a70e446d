//! The throughput of a link in steady state: reads, writes, and both together.

use bandgraph_units::Bandwidth;

use super::{Link, Traffic};

/// Rates of payload in the two directions at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duplex {
    /// DMA reads: from memory to the card.
    pub read: Bandwidth,
    /// DMA writes: from the card to memory.
    pub write: Bandwidth,
}

impl Duplex {
    /// Both together.
    pub fn total(self) -> Bandwidth {
        self.read + self.write
    }
}

impl Link {
    /// Payload per second of DMA reads on an otherwise idle link.
    pub fn read_bandwidth(&self) -> Bandwidth {
        (self.usable() / self.read_cost(1.0).peak()).min(self.tag_limit())
    }

    /// Payload per second of DMA writes on an otherwise idle link.
    pub fn write_bandwidth(&self) -> Bandwidth {
        self.usable() / self.write_cost(1.0).peak()
    }

    /// The limit of outstanding reads on payload per second: outstanding reads × read request ÷ round trip.
    /// Infinite if the round trip is zero.
    pub fn tag_limit(&self) -> Bandwidth {
        self.tag_rate(self.outstanding_reads as f64 * self.read_request.get())
    }

    /// The limit of outstanding reads on read requests per second, for any size: a short read occupies its
    /// tag as long as a full one. Infinite if the round trip is zero.
    pub fn read_rate_limit(&self) -> f64 {
        self.outstanding_reads as f64 / self.round_trip.get().max(0.0)
    }

    /// The rate of `bytes` in flight, per round trip.
    pub(super) fn tag_rate(&self, bytes: f64) -> Bandwidth {
        if self.round_trip.get() > 0.0 {
            Bandwidth::new(bytes / self.round_trip.get())
        } else {
            Bandwidth::new(f64::INFINITY)
        }
    }

    /// The highest equal rate of reads and writes.
    pub fn equal_duplex(&self) -> Duplex {
        let both = self.read_cost(1.0) + self.write_cost(1.0);
        let rate = (self.usable() / both.peak()).min(self.tag_limit());
        Duplex {
            read: rate,
            write: rate,
        }
    }

    /// Rates of reads and writes that fill both directions.
    ///
    /// With `c` and `h` as the bytes per payload byte toward card and host, for reads `r` and writes `w`, and
    /// `U` as the usable bandwidth, this solves
    ///
    /// ```text
    /// r·c_read + w·c_write = U        r·h_read + w·h_write = U
    /// ```
    ///
    /// If the tag limit restricts reads further, writes take the remaining bandwidth. If the equations have
    /// no solution with two positive rates (the requests are so small that they alone fill the direction
    /// toward the host), the rates are equal.
    pub fn full_duplex(&self) -> Duplex {
        let usable = self.usable().get();
        let (read, write) = (self.read_cost(1.0), self.write_cost(1.0));
        let determinant = read.toward_card * write.toward_host - write.toward_card * read.toward_host;
        let rate = |numerator: f64| usable * numerator / determinant;
        let solution = (
            rate(write.toward_host - write.toward_card),
            rate(read.toward_card - read.toward_host),
        );
        if !(determinant > 0.0 && solution.0 > 0.0 && solution.1 > 0.0) {
            return self.equal_duplex();
        }
        let tag_limit = self.tag_limit().get();
        if solution.0 <= tag_limit {
            // Mathematically neither exceeds its rate alone; cancellation may violate that in the last bits.
            return Duplex {
                read: Bandwidth::new(solution.0).min(self.read_bandwidth()),
                write: Bandwidth::new(solution.1).min(self.write_bandwidth()),
            };
        }
        Duplex {
            read: Bandwidth::new(tag_limit),
            write: Bandwidth::new(left_for_writes(usable, read * tag_limit, write)),
        }
    }
}

/// The rate of writes in the bandwidth that reads leave, in both directions.
fn left_for_writes(usable: f64, reads: Traffic, write: Traffic) -> f64 {
    let share = |used: f64, cost: f64| {
        if cost > 0.0 {
            (usable - used).max(0.0) / cost
        } else {
            f64::INFINITY
        }
    };
    share(reads.toward_card, write.toward_card).min(share(reads.toward_host, write.toward_host))
}

//! What the work of an operation on cores is for.

/// Seconds of a core for one operation on idle sockets, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkParts {
    /// The call itself, whatever its size.
    pub call: f64,
    /// The bytes of its payload: copies, checksums, encryption.
    pub bytes: f64,
    /// Its packets and their interrupts.
    pub packets: f64,
    /// Commands and bytes of drives, and the work of the file system for them.
    pub drives: f64,
    /// Work of the same kind after the reply.
    pub deferred: f64,
    /// Computation of a process on the server itself.
    pub compute: f64,
}

impl WorkParts {
    /// Each part with its words in reports.
    pub fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("calls", self.call),
            ("bytes of payload (copies, checksums)", self.bytes),
            ("packets and interrupts", self.packets),
            ("the file system and drives", self.drives),
            ("work after the reply", self.deferred),
            ("computation", self.compute),
        ]
    }

    /// Seconds of all of it.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, seconds)| seconds).sum()
    }

    /// Adds that of other operations, `times` as many.
    pub fn add(&mut self, other: &Self, times: f64) {
        self.call += times * other.call;
        self.bytes += times * other.bytes;
        self.packets += times * other.packets;
        self.drives += times * other.drives;
        self.deferred += times * other.deferred;
        self.compute += times * other.compute;
    }
}

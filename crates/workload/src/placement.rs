//! Placement of a server's work: threads, interrupts, buffers and memory, as policies of the software or of
//! one workload. The topology resolves them to nodes.

use bandgraph_config::{settings, words};

use crate::Shares;

words! {
    /// Where the memory lives that a socket's cores touch.
    #[derive(Default)]
    pub enum MemoryHomes: "a home of memory" {
        /// Lines come from every socket's memory, in proportion to its size: one large cache shared by all.
        #[default]
        Interleaved = "interleaved",
        /// Lines come from the memory of the socket that touches them.
        Local = "local",
    }
}

words! {
    /// Where threads run, or interrupts are handled.
    pub enum Near: "a placement" {
        /// On all nodes, or in the shares that are given.
        AllNodes = "all nodes",
        /// On the node that the card of the port hangs on.
        Port = "near port",
        /// On the nodes that the drives of the workload hang on, in proportion to the drives.
        Device = "near device",
    }
}

words! {
    /// Where the buffers are that cards read and write.
    pub enum NearBuffers: "a placement of buffers" {
        /// Where other lines are, or in the shares that are given.
        AllNodes = "all nodes",
        /// In the memory of the node that the card of the port hangs on.
        Port = "near port",
        /// In the memory of the node that the drive hangs on whose data they hold.
        Device = "near device",
        /// In the memory of the node whose threads use them.
        Thread = "near thread",
    }
}

settings! {
    /// Where the work of one workload is done, in the place of what the software does by default.
    pub struct WorkPlacement as "placement" {
        /// Where its threads run.
        threads: Option<Near>;
        /// Where its interrupts are handled.
        interrupts: Option<Near>;
        /// Where the buffers are that cards read and write for it.
        buffers: Option<NearBuffers>;
        /// Whether every node serves its own ports, or its own drives, from its own memory.
        siloed: Option<bool>;
        /// Shares of its threads that are bound to each socket, as numbers in the order of the topology: "2 1
        /// 1 1".
        thread_shares: Option<Shares>;
        /// Shares of its interrupts that are bound to each socket.
        interrupt_shares: Option<Shares>;
        /// Where the memory lives that its threads touch.
        homes: Option<MemoryHomes>;
        /// Shares of the lines that it touches in the memory of each socket.
        home_shares: Option<Shares>;
        /// Shares of its buffers in the memory of each socket.
        buffer_shares: Option<Shares>;
    }
}

impl WorkPlacement {
    /// Whether the software decides everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

//! What can happen to an operation at the cache and the pools, and what each of that moves to or from
//! devices.

use super::bank::Wait;

/// Bytes that an operation moves to or from devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transfer {
    /// To the devices, not from them.
    pub(super) write: bool,
    pub(super) bytes: f64,
    pub(super) commands: f64,
    /// In commands that wait in the queues of single devices: the operation has a [`Wait`] for them.
    pub(super) queued: bool,
    pub(super) work: Work,
}

/// Busy time that a transfer costs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    /// Of the disks of a pool together: in seconds, if all were of the first kin, of the second, and so on.
    Disks { pool: usize, seconds: Vec<f64> },
    /// Of one SSD.
    Ssd { ssd: usize, seconds: f64 },
}

/// One of the things that can happen to an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Case {
    /// How often it happens, 0 to 1; the shares of all cases sum to 1.
    pub(crate) share: f64,
    pub(super) transfers: Vec<Transfer>,
    /// Instructions and missed lines on top of what the operation costs in any case.
    pub(crate) instructions: f64,
    pub(crate) misses: f64,
    /// What others do later, when its transaction group is written: nobody waits for that.
    pub(crate) behind: Behind,
    /// Seconds that the operation waits for devices that have nothing else to do.
    pub(crate) wait: f64,
    /// What it waits for there, one after the other.
    pub(crate) waits: Vec<Wait>,
}

/// What is done for an operation after its reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Behind {
    pub(super) transfers: Vec<Transfer>,
    pub(crate) instructions: f64,
    pub(crate) misses: f64,
}

impl Behind {
    /// Whether nothing is left to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.transfers.is_empty()
    }
}

impl Case {
    /// Bytes at the disks, log and cache devices excepted.
    pub(crate) fn disk_bytes(&self) -> f64 {
        let transfers = self.transfers.iter().chain(&self.behind.transfers);
        let at_disks = transfers.filter(|transfer| matches!(transfer.work, Work::Disks { .. }));
        at_disks.map(|transfer| transfer.bytes).sum()
    }
}

impl Case {
    /// The same with what would be done later done before the reply.
    pub(super) fn at_once(mut self) -> Self {
        let behind = std::mem::take(&mut self.behind);
        self.transfers.extend(behind.transfers);
        self.instructions += behind.instructions;
        self.misses += behind.misses;
        self
    }
}

/// A transfer that nobody waits for.
pub(super) fn behind(transfer: Transfer) -> Case {
    Case {
        behind: Behind {
            transfers: vec![transfer],
            ..Behind::default()
        },
        ..Case::default()
    }
}

/// Two things that happen to one operation, one after the other.
pub(super) fn together(mut first: Case, second: Case) -> Case {
    first.transfers.extend(second.transfers);
    first.behind.transfers.extend(second.behind.transfers);
    first.behind.instructions += second.behind.instructions;
    first.behind.misses += second.behind.misses;
    first.instructions += second.instructions;
    first.misses += second.misses;
    first.wait += second.wait;
    first.waits.extend(second.waits);
    first
}

//! The cases of an operation at the cache and the pools, with their device transfers.

use super::bank::Wait;

/// A transfer of an operation to or from devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transfer {
    /// To the devices; otherwise from them.
    pub(super) write: bool,
    pub(super) bytes: f64,
    pub(super) commands: f64,
    /// Whether its commands wait in the queues of single devices: the operation has a [`Wait`] for them.
    pub(super) queued: bool,
    pub(super) work: Work,
}

/// Busy time of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    /// Of the disks of a pool together: seconds if all were of the first model, of the second, and so on.
    Disks { pool: usize, seconds: Vec<f64> },
    /// Of one SSD.
    Ssd { ssd: usize, seconds: f64 },
}

/// One of the possible cases of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Case {
    /// Probability of the case, 0 to 1; the sum over all cases is 1.
    pub(crate) share: f64,
    pub(super) transfers: Vec<Transfer>,
    /// Instructions and missed lines in addition to those of every operation.
    pub(crate) instructions: f64,
    pub(crate) misses: f64,
    /// The part of both that other threads do before the operation comes.
    pub(crate) ahead: [f64; 2],
    /// Deferred work, done with its transaction group; no operation waits for it.
    pub(crate) background: Background,
    /// Seconds that the operation waits for idle devices.
    pub(crate) wait: f64,
    /// Its waits, in sequence.
    pub(crate) waits: Vec<Wait>,
    /// Seconds of idle drives for its bytes if these are read ahead in windows.
    pub(crate) read_ahead: f64,
}

/// Work for an operation after its reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Background {
    pub(super) transfers: Vec<Transfer>,
    pub(crate) instructions: f64,
    pub(crate) misses: f64,
}

impl Background {
    /// Whether there is no deferred work.
    pub(crate) fn is_empty(&self) -> bool {
        self.transfers.is_empty()
    }
}

impl Case {
    /// Whether no device has a part in the operation, now or later: its data are in main memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.transfers.is_empty() && self.background.is_empty()
    }

    /// Bytes at the disks, without log and cache devices.
    pub(crate) fn disk_bytes(&self) -> f64 {
        let transfers = self.transfers.iter().chain(&self.background.transfers);
        let at_disks = transfers.filter(|transfer| matches!(transfer.work, Work::Disks { .. }));
        at_disks.map(|transfer| transfer.bytes).sum()
    }
}

impl Transfer {
    fn multiply(&mut self, count: f64) {
        self.bytes *= count;
        self.commands *= count;
        match &mut self.work {
            Work::Disks { seconds, .. } => seconds.iter_mut().for_each(|seconds| *seconds *= count),
            Work::Ssd { seconds, .. } => *seconds *= count,
        }
    }
}

impl Case {
    /// This case several times, side by side.
    pub(crate) fn times(mut self, count: f64) -> Self {
        if count == 1.0 {
            return self;
        }
        let later = &mut self.background;
        for transfer in self.transfers.iter_mut().chain(&mut later.transfers) {
            transfer.multiply(count);
        }
        let [ahead, missed_ahead] = &mut self.ahead;
        for work in [
            &mut self.instructions,
            &mut self.misses,
            ahead,
            missed_ahead,
            &mut later.instructions,
            &mut later.misses,
        ] {
            *work *= count;
        }
        for wait in &mut self.waits {
            match wait {
                Wait::Access(access) => {
                    access.groups *= count;
                    // Parts of other servers begin at other places.
                    access.neighbours = false;
                }
                Wait::Log { count: times, .. } => *times *= count,
            }
        }
        self
    }

    /// This case, and another after it.
    pub(crate) fn then(self, other: &Self) -> Self {
        let share = self.share * other.share;
        Self {
            share,
            ..together(self, other.clone())
        }
    }

    /// The same if COMMITs write this share of its deferred transfers.
    pub(super) fn committed(mut self, share: f64) -> Self {
        if share < 1.0 {
            for transfer in &mut self.background.transfers {
                transfer.multiply(1.0 - share);
            }
        } else {
            self.background.transfers.clear();
            self = self.at_once();
        }
        self
    }

    /// The same with its transfers done after the reply, which waits for none of them.
    pub(super) fn deferred(mut self) -> Self {
        for transfer in &mut self.transfers {
            transfer.queued = false;
        }
        self.background.transfers.append(&mut self.transfers);
        (self.wait, self.waits, self.read_ahead) = (0.0, Vec::new(), 0.0);
        self
    }

    /// The same with deferred work done before the reply.
    pub(super) fn at_once(mut self) -> Self {
        let background = std::mem::take(&mut self.background);
        self.transfers.extend(background.transfers);
        self.instructions += background.instructions;
        self.misses += background.misses;
        self
    }
}

/// A deferred transfer.
pub(super) fn background(transfer: Transfer) -> Case {
    Case {
        background: Background {
            transfers: vec![transfer],
            ..Background::default()
        },
        ..Case::default()
    }
}

/// Two parts of one operation, in sequence.
pub(super) fn together(mut first: Case, second: Case) -> Case {
    first.transfers.extend(second.transfers);
    first.background.transfers.extend(second.background.transfers);
    first.background.instructions += second.background.instructions;
    first.background.misses += second.background.misses;
    first.instructions += second.instructions;
    first.misses += second.misses;
    for (sum, more) in first.ahead.iter_mut().zip(second.ahead) {
        *sum += more;
    }
    first.wait += second.wait;
    first.read_ahead += second.read_ahead;
    first.waits.extend(second.waits);
    first
}

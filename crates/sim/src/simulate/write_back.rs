//! Transaction groups: what writes leave to be done later goes to the disks together, now and then.
//!
//! Writes that are done join the open group. It is closed and written when its time is over and the one before it is on
//! disk, or as soon as it is full; meanwhile writes join the next one. A group is full when the disks would take longer for
//! it than the time between two of them, going by the last one, or when it fills its share of the memory. Writers who find
//! it full while the one before is still on its way wait for that: this is how slow disks slow them down. (The write
//! throttle of ZFS: R. Bourbonnais, "The New ZFS Write Throttle", 2008.)

use bandgraph_engine::Time as Instant;

use super::server::Server;
use super::tag::Tag;
use crate::bind::Bound;
use crate::predict::SteadyState;

/// The bit of a flow's tag that tells a group from a call.
pub(super) const GROUP: u64 = 1 << 47;
/// Streams in which a group is written, each of which counts as much as an operation under way where they share a resource.
/// So many threads of a pool issue its writes in ZFS of 2009 (`zio_taskq_threads` in its `spa.c`), whoever left
/// them to be done.
const STREAMS: f64 = 8.0;
/// How much more than in the steady state the first group may hold.
const FIRST: f64 = 1.5;

/// The groups of writes that leave the same to be done.
struct Group {
    /// Operations in the open group.
    open: f64,
    /// Operations in the group that is being written, and the flows of it that are not done.
    writing: f64,
    flows: u64,
    since: Instant,
    /// Operations with which a group is full.
    limit: f64,
    /// What fills its share of the memory.
    limit_most: f64,
    /// Calls that wait for room.
    held: Vec<u32>,
}

/// All transaction groups of a run.
pub(super) struct WriteBack {
    groups: Vec<Group>,
    seconds: f64,
    most: f64,
    completed: u64,
}

impl WriteBack {
    /// Empty groups; the first is closed after a while.
    pub(super) fn start(server: &mut Server<'_>, steady: &SteadyState) -> Self {
        let bound = server.bound;
        let seconds = bound.groups.seconds;
        let groups = (0..bound.behind.len()).map(|behind| group(bound, steady, behind));
        let groups: Vec<Group> = groups.collect();
        if !groups.is_empty() {
            server.wait(Instant::from_seconds(seconds), Tag::Groups.number());
        }
        Self {
            groups,
            seconds,
            most: 0.0,
            completed: 0,
        }
    }

    /// Groups that are on disk.
    pub(super) fn completed(&self) -> u64 {
        self.completed
    }

    /// Seconds from one group to the next; `None` where nothing is written.
    pub(super) fn seconds(&self) -> Option<f64> {
        (!self.groups.is_empty()).then_some(self.seconds)
    }

    /// The most operations that were in groups at the same time.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    /// An operation of a class is done but for what it leaves behind, if anything. Whether it has to wait for room.
    pub(super) fn join(&mut self, server: &mut Server<'_>, class: usize, call: u32) -> bool {
        let Some(behind) = server.bound.classes[class].behind else {
            return false;
        };
        let group = &mut self.groups[behind];
        group.open += 1.0;
        let full = group.open >= group.limit;
        let held = full && group.writing > 0.0;
        if held {
            group.held.push(call);
        } else if full {
            group.write(server, behind);
        }
        let all = self.groups.iter().map(|group| group.open + group.writing).sum();
        self.most = self.most.max(all);
        held
    }

    /// The time of the open groups is over.
    pub(super) fn close(&mut self, server: &mut Server<'_>) {
        for (behind, group) in self.groups.iter_mut().enumerate() {
            if group.writing == 0.0 {
                group.write(server, behind);
            }
        }
        server.wait(Instant::from_seconds(self.seconds), Tag::Groups.number());
    }

    /// A flow of a group is done: the calls that need not wait any longer.
    pub(super) fn written(&mut self, server: &mut Server<'_>, behind: usize) -> Vec<u32> {
        let group = &mut self.groups[behind];
        group.flows -= 1;
        if group.flows > 0 {
            return Vec::new();
        }
        self.completed += 1;
        let took = (server.now() - group.since).as_seconds();
        let in_time = group.writing * self.seconds / took.max(1e-9);
        group.limit = in_time.clamp(STREAMS.min(group.limit_most), group.limit_most);
        group.writing = 0.0;
        if group.open >= group.limit {
            group.write(server, behind);
        }
        std::mem::take(&mut group.held)
    }
}

impl Group {
    /// Closes the open group, and has it written.
    fn write(&mut self, server: &mut Server<'_>, behind: usize) {
        if self.open == 0.0 {
            return;
        }
        self.writing = std::mem::take(&mut self.open);
        self.since = server.now();
        let streams = STREAMS.min(self.writing).max(1.0).floor();
        self.flows = streams as u64;
        for _ in 0..self.flows {
            server.start_behind(behind, self.writing / streams, GROUP | behind as u64);
        }
    }
}

/// An empty group, sized by the steady state.
fn group(bound: &Bound, steady: &SteadyState, behind: usize) -> Group {
    let (mut rate, mut payload) = (0.0, 1.0_f64);
    for (class, &of_class) in bound.classes.iter().zip(&steady.class_rates) {
        if class.behind == Some(behind) {
            rate += of_class;
            payload = payload.max(class.payload);
        }
    }
    let limit_most = (bound.groups.bytes_most / payload).max(1.0);
    Group {
        open: 0.0,
        writing: 0.0,
        flows: 0,
        since: Instant::ZERO,
        limit: (FIRST * rate * bound.groups.seconds).clamp(1.0, limit_most),
        limit_most,
        held: Vec::new(),
    }
}

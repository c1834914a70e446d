//! Transaction groups: deferred work of writes goes to the disks in groups.
//!
//! Each pool has its own groups, with all deferred work for it: data, names, attributes. Completed writes
//! join the open group. It is closed and written when its interval is over and the previous group is on disk,
//! or as soon as that is on disk and the open group has reached half of the limit; meanwhile writes join the
//! next one. The limit, over the open group and the one being written, is the amount that the disks take in
//! the interval between two groups, estimated from the last groups, or a share of the memory. Kinds of writes
//! are weighted by their time on the busiest resource. (R. Bourbonnais, "The New ZFS Write Throttle", 2008.)
//!
//! A write has the same weight as one operation on a shared resource: disks serve reads before the writes of
//! groups (`zio_priority_table` of ZFS, the deadlines of other schedulers), and the rest suffices, because
//! writers finally wait for it.
//!
//! Writers are throttled gradually: from 60 % on, they are admitted one by one, at intervals of
//! `(full − 60 %) / (100 % − full)` times the time of the disks for a write, at most 100 ms. So the load
//! settles where the arrival rate equals the write rate, at 80 %. (A. Leventhal, "The `OpenZFS` write
//! throttle", 2014, is the source of this curve; the ZFS of 2008 delays every writer by a tick of 10 ms from
//! 7/8 on, a step instead of a curve.)

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::SteadyState;
use bandgraph_topology::ResourceKind;

use super::server::Server;
use super::tag::Tag;

/// The bit of a flow's tag that distinguishes a group from a call.
pub(super) const GROUP: u64 = 1 << 47;
/// Weight of the last group in the estimated rate of the disks (an assumption).
const NEWEST: f64 = 0.25;
/// Fill level of the open group at which it is written early (an assumption), and at which throttling starts
/// (`zfs_delay_min_dirty_percent`).
const WRITTEN_FROM: f64 = 0.5;
const SLOWED_FROM: f64 = 0.6;
/// Maximum fill level in the throttle: writers are admitted at no less than a third of the rate of the disks.
const FULLEST: f64 = 0.9;
/// Maximum interval between two writers, seconds (`zfs_delay_max_ns`).
const INTERVAL_MOST: f64 = 0.1;

/// Operations with the same deferred work.
struct Kind {
    /// The group that they join.
    group: usize,
    /// Size of one of them, in operations of the first kind of its group.
    size: f64,
    payload: f64,
    /// Operations in the open group, and in the one being written.
    open: f64,
    writing: f64,
}

/// The groups of a pool.
struct Group {
    /// The kinds that join it.
    kinds: Vec<usize>,
    /// Contents of the open group, in operations of the first kind, and in bytes.
    open: f64,
    open_bytes: f64,
    /// Contents of the group being written, and its flows in flight.
    writing: f64,
    flows: u64,
    since: Instant,
    /// Admission time of the last throttled writer.
    last: Instant,
    /// The size of a full group.
    limit: f64,
}

impl Group {
    /// Whether the open group is large enough to be written before its interval is over.
    fn is_due(&self, bytes_most: f64) -> bool {
        self.open >= WRITTEN_FROM * self.limit || self.open_bytes >= WRITTEN_FROM * bytes_most
    }
}

/// All transaction groups of a run.
pub(super) struct WriteBack {
    kinds: Vec<Kind>,
    groups: Vec<Group>,
    seconds: f64,
    bytes_most: f64,
    /// Throttled operations.
    slowed: f64,
    /// Maximum number of operations in groups or throttled at the same time.
    most: f64,
    completed: u64,
}

impl WriteBack {
    /// Empty groups; the first is closed after an interval.
    pub(super) fn start(server: &mut Server<'_>, steady: &SteadyState) -> Self {
        let bound = server.bound;
        let seconds = bound.groups.seconds;
        let (kinds, groups) = kinds_and_groups(bound, steady);
        if !groups.is_empty() {
            server.wait(Instant::from_seconds(seconds), Tag::Groups.number());
        }
        Self {
            kinds,
            groups,
            seconds,
            bytes_most: bound.groups.bytes_most,
            slowed: 0.0,
            most: 0.0,
            completed: 0,
        }
    }

    /// Number of groups on disk.
    pub(super) fn completed(&self) -> u64 {
        self.completed
    }

    /// Seconds between two groups; `None` without writes.
    pub(super) fn seconds(&self) -> Option<f64> {
        (!self.groups.is_empty()).then_some(self.seconds)
    }

    /// Maximum number of operations in groups at the same time.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    /// The time at which an operation of a class, done except for its deferred work, may join its group;
    /// `None` if immediately.
    pub(super) fn slow(&mut self, server: &Server<'_>, class: usize) -> Option<Instant> {
        let background = server.bound.classes[class].background?;
        let (number, size) = (self.kinds[background].group, self.kinds[background].size);
        if self.groups[number].flows == 0 {
            return None;
        }
        let full = self.full(server, number).min(FULLEST);
        if full <= SLOWED_FROM {
            return None;
        }
        let now = server.now();
        let group = &mut self.groups[number];
        let each = size * self.seconds / group.limit;
        let interval = (each * (full - SLOWED_FROM) / (1.0 - full)).min(INTERVAL_MOST);
        let until = group.last.max(now) + Instant::from_seconds(interval);
        group.last = until;
        self.slowed += 1.0;
        self.note_most();
        Some(until)
    }

    /// A throttled operation of a class joins its group.
    pub(super) fn join_slowed(&mut self, server: &mut Server<'_>, class: usize) {
        self.slowed -= 1.0;
        self.join(server, class);
    }

    /// Adds the deferred work of an operation of a class, if any, to its group.
    pub(super) fn join(&mut self, server: &mut Server<'_>, class: usize) {
        let Some(background) = server.bound.classes[class].background else {
            return;
        };
        let kind = &mut self.kinds[background];
        kind.open += 1.0;
        let number = kind.group;
        let group = &mut self.groups[number];
        group.open += kind.size;
        group.open_bytes += kind.payload;
        let due = group.flows == 0 && group.is_due(self.bytes_most);
        self.note_most();
        if due {
            self.write(server, number);
        }
    }

    fn note_most(&mut self) {
        let all: f64 = self.kinds.iter().map(|kind| kind.open + kind.writing).sum();
        self.most = self.most.max(all + self.slowed);
    }

    /// Fill level: the amount in memory over the limit.
    fn full(&self, server: &Server<'_>, number: usize) -> f64 {
        let group = &self.groups[number];
        let [mut all, mut bytes] = [group.open, group.open_bytes];
        for &kind in &group.kinds {
            let left = server.background_left(kind);
            all += left * self.kinds[kind].size;
            bytes += left * self.kinds[kind].payload;
        }
        (all / group.limit).max(bytes / self.bytes_most)
    }

    /// The interval of the open groups is over.
    pub(super) fn close(&mut self, server: &mut Server<'_>) {
        for group in 0..self.groups.len() {
            if self.groups[group].flows == 0 {
                self.write(server, group);
            }
        }
        server.wait(Instant::from_seconds(self.seconds), Tag::Groups.number());
    }

    /// A flow of a group completes.
    pub(super) fn written(&mut self, server: &mut Server<'_>, background: usize) {
        let number = self.kinds[background].group;
        let group = &mut self.groups[number];
        group.flows -= 1;
        if group.flows > 0 {
            return;
        }
        self.completed += 1;
        let took = (server.now() - group.since).as_seconds();
        let now = group.writing * self.seconds / took.max(1e-9);
        group.limit = (group.limit + NEWEST * (now - group.limit)).max(1.0);
        group.writing = 0.0;
        for &kind in &group.kinds {
            self.kinds[kind].writing = 0.0;
        }
        if group.is_due(self.bytes_most) {
            self.write(server, number);
        }
    }

    /// Closes the open group and writes it.
    fn write(&mut self, server: &mut Server<'_>, number: usize) {
        let group = &mut self.groups[number];
        if group.open == 0.0 {
            return;
        }
        group.writing = std::mem::take(&mut group.open);
        group.open_bytes = 0.0;
        group.since = server.now();
        for &background in &group.kinds {
            let kind = &mut self.kinds[background];
            if kind.open == 0.0 {
                continue;
            }
            kind.writing = std::mem::take(&mut kind.open);
            group.flows += 1;
            server.start_background(background, kind.writing, GROUP | background as u64);
        }
    }
}

/// Empty groups, sized by the steady state: one for the disks of every pool, which all kinds that use them
/// join.
fn kinds_and_groups(bound: &Bound, steady: &SteadyState) -> (Vec<Kind>, Vec<Group>) {
    let capacities = bound.usable_capacities();
    let rates = steady.workload_rates(bound);
    // A block that is written again takes no more memory.
    let distinct = |workload: usize| {
        let rewrites = bound.rewrites.get(workload).copied().flatten();
        rewrites.map_or(1.0, |rewrites| rewrites.written(rates[workload])[0])
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut disks: Vec<Vec<usize>> = Vec::new();
    let mut first_seconds: Vec<f64> = Vec::new();
    for (number, background) in bound.background.iter().enumerate() {
        let used = background.demand.iter();
        let own: Vec<usize> = used
            .clone()
            .map(|&(resource, _)| resource)
            .filter(|&resource| bound.resources[resource].kind == ResourceKind::Disk)
            .collect();
        let busiest = used.map(|&(resource, units)| units / capacities[resource]);
        let seconds = busiest.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let group = disks.iter().position(|other| *other == own).unwrap_or_else(|| {
            disks.push(own);
            first_seconds.push(seconds);
            groups.push(Group {
                kinds: Vec::new(),
                open: 0.0,
                open_bytes: 0.0,
                writing: 0.0,
                flows: 0,
                since: Instant::ZERO,
                last: Instant::ZERO,
                limit: 0.0,
            });
            groups.len() - 1
        });
        let (mut rate, mut payload) = (0.0, 1.0_f64);
        for (class, &of_class) in bound.classes.iter().zip(&steady.class_rates) {
            if class.background == Some(number) {
                rate += of_class;
                payload = payload.max(class.payload * distinct(class.workload));
            }
        }
        let size = seconds / first_seconds[group];
        groups[group].kinds.push(number);
        groups[group].limit += rate * size * bound.groups.seconds;
        kinds.push(Kind {
            group,
            size,
            payload,
            open: 0.0,
            writing: 0.0,
        });
    }
    for group in &mut groups {
        group.limit = group.limit.max(1.0);
    }
    (kinds, groups)
}

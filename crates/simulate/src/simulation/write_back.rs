//! Transaction groups: what writes leave to be done later goes to the disks together, now and then.
//!
//! Each pool has groups of its own, with all that is left to be done there: data, names, attributes. Writes
//! that are done join the open group. It is closed and written when its time is over and the one before it is
//! on disk, or as soon as that is on disk and half of what may be there has come; meanwhile writes join the
//! next one. What may be there, in the open group and of the one that is written, is what the disks take in
//! the time between two groups, going by the last ones, or a share of the memory. Kinds of writes count by
//! how long the busiest resource takes for them. (R. Bourbonnais, "The New ZFS Write Throttle", 2008.)
//!
//! What is written counts as much as one operation where they share a resource: disks serve reads before the
//! writes of groups (`zio_priority_table` of ZFS, the deadlines of other schedulers), and what they leave is
//! enough, because writers wait for it in the end.
//!
//! Writers are slowed down gradually: from 60 % on, they are let on one after the other, at intervals of
//! `(full − 60 %) / (100 % − full)` of what the disks take for a write, and 100 ms at the most. So the load
//! settles where as much comes as is written, halfway between. (A. Leventhal, "The `OpenZFS` write throttle",
//! 2014, whose curve this is; the ZFS of 2008 delays every writer by a tick of 10 ms from 7/8 on, a step in
//! its place.)

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::SteadyState;
use bandgraph_topology::ResourceKind;

use super::server::Server;
use super::tag::Tag;

/// The bit of a flow's tag that tells a group from a call.
pub(super) const GROUP: u64 = 1 << 47;
/// Share of the last group in what is taken for the rate of the disks (an assumption).
const NEWEST: f64 = 0.25;
/// How full the open group is written at once (an assumption), and from where on writers are slowed down
/// (`zfs_delay_min_dirty_percent`).
const WRITTEN_FROM: f64 = 0.5;
const SLOWED_FROM: f64 = 0.6;
/// What counts as the fullest: writers are let on at a third of the rate of the disks at the least.
const FULLEST: f64 = 0.9;
/// The longest interval between two writers, in seconds (`zfs_delay_max_ns`).
const INTERVAL_MOST: f64 = 0.1;

/// Operations that leave the same to be done.
struct Kind {
    /// The group that they join.
    group: usize,
    /// How much one of them is, in those of the first kind of its group.
    size: f64,
    payload: f64,
    /// Operations in the open group, and in the one that is being written.
    open: f64,
    writing: f64,
}

/// The groups of a pool.
struct Group {
    /// The kinds that join it.
    kinds: Vec<usize>,
    /// What is in the open group, in operations of the first kind, and in bytes.
    open: f64,
    open_bytes: f64,
    /// What is in the group that is being written, and its flows that are not done.
    writing: f64,
    flows: u64,
    since: Instant,
    /// When the last writer that was slowed down goes on.
    last: Instant,
    /// With how much a group is full.
    limit: f64,
}

impl Group {
    /// Whether the open group is large enough to be written before its time is over.
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
    /// Operations that are slowed down.
    slowed: f64,
    /// The most operations that were in groups or on their way there at the same time.
    most: f64,
    completed: u64,
}

impl WriteBack {
    /// Empty groups; the first is closed after a while.
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

    /// Until when an operation of a class that is done but for what it leaves behind has to wait before it
    /// joins its group; `None` where it need not.
    pub(super) fn slow(&mut self, server: &Server<'_>, class: usize) -> Option<Instant> {
        let behind = server.bound.classes[class].behind?;
        let (number, size) = (self.kinds[behind].group, self.kinds[behind].size);
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

    /// An operation of a class that was slowed down joins its group.
    pub(super) fn join_slowed(&mut self, server: &mut Server<'_>, class: usize) {
        self.slowed -= 1.0;
        self.join(server, class);
    }

    /// What an operation of a class leaves behind, if anything, joins its group.
    pub(super) fn join(&mut self, server: &mut Server<'_>, class: usize) {
        let Some(behind) = server.bound.classes[class].behind else {
            return;
        };
        let kind = &mut self.kinds[behind];
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

    /// How much there is in memory of what may be there.
    fn full(&self, server: &Server<'_>, number: usize) -> f64 {
        let group = &self.groups[number];
        let kinds = group.kinds.iter();
        let left: f64 = kinds
            .map(|&kind| server.behind_left(kind) * self.kinds[kind].size)
            .sum();
        let bytes = group.open_bytes / self.bytes_most;
        ((group.open + left) / group.limit).max(bytes)
    }

    /// The time of the open groups is over.
    pub(super) fn close(&mut self, server: &mut Server<'_>) {
        for group in 0..self.groups.len() {
            if self.groups[group].flows == 0 {
                self.write(server, group);
            }
        }
        server.wait(Instant::from_seconds(self.seconds), Tag::Groups.number());
    }

    /// A flow of a group is done.
    pub(super) fn written(&mut self, server: &mut Server<'_>, behind: usize) {
        let number = self.kinds[behind].group;
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

    /// Closes the open group, and has it written.
    fn write(&mut self, server: &mut Server<'_>, number: usize) {
        let group = &mut self.groups[number];
        if group.open == 0.0 {
            return;
        }
        group.writing = std::mem::take(&mut group.open);
        group.open_bytes = 0.0;
        group.since = server.now();
        for &behind in &group.kinds {
            let kind = &mut self.kinds[behind];
            if kind.open == 0.0 {
                continue;
            }
            kind.writing = std::mem::take(&mut kind.open);
            group.flows += 1;
            server.start_behind(behind, kind.writing, GROUP | behind as u64);
        }
    }
}

/// Empty groups, sized by the steady state: one for the disks of every pool, which all kinds join that use
/// them.
fn kinds_and_groups(bound: &Bound, steady: &SteadyState) -> (Vec<Kind>, Vec<Group>) {
    let capacities = bound.usable_capacities();
    let mut groups: Vec<Group> = Vec::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut disks: Vec<Vec<usize>> = Vec::new();
    let mut first_seconds: Vec<f64> = Vec::new();
    for (number, behind) in bound.behind.iter().enumerate() {
        let used = behind.demand.iter();
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
            if class.behind == Some(number) {
                rate += of_class;
                payload = payload.max(class.payload);
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

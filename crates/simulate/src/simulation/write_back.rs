//! Transaction groups: what writes leave to be done later goes to the disks together, now and then.
//!
//! Each pool has groups of its own, with all that is left to be done there: data, names, attributes. Writes
//! that are done join the open group. It is closed and written when its time is over and the one before it is
//! on disk, or as soon as it is full; meanwhile writes join the next one. A group is full when the disks
//! would take longer for it than the time between two of them, going by the last one, or when it fills its
//! share of the memory. Kinds of writes count by how long the busiest resource takes for them. Writers who
//! find it full while the one before is still on its way wait for that: this is how slow disks slow them
//! down. (The write throttle of ZFS: R. Bourbonnais, "The New ZFS Write Throttle", 2008.)

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::SteadyState;
use bandgraph_topology::ResourceKind;

use super::server::Server;
use super::tag::Tag;

/// The bit of a flow's tag that tells a group from a call.
pub(super) const GROUP: u64 = 1 << 47;
/// Streams in which a group is written, each of which counts as much as an operation under way where they
/// share a resource. So many threads of a pool issue its writes in ZFS of 2009 (`zio_taskq_threads` in its
/// `spa.c`), whoever left them to be done.
const STREAMS: f64 = 8.0;
/// How much more than in the steady state the first group may hold.
const FIRST: f64 = 1.5;

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
    /// With how much a group is full.
    limit: f64,
    /// Calls that wait for room.
    held: Vec<u32>,
}

/// All transaction groups of a run.
pub(super) struct WriteBack {
    kinds: Vec<Kind>,
    groups: Vec<Group>,
    seconds: f64,
    bytes_most: f64,
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

    /// The calls that wait for room, by number.
    pub(super) fn held(&self) -> impl Iterator<Item = u32> {
        self.groups.iter().flat_map(|group| group.held.iter().copied())
    }

    /// An operation of a class is done but for what it leaves behind, if anything. Whether it has to wait for
    /// room.
    pub(super) fn join(&mut self, server: &mut Server<'_>, class: usize, call: u32) -> bool {
        let Some(behind) = server.bound.classes[class].behind else {
            return false;
        };
        let kind = &mut self.kinds[behind];
        kind.open += 1.0;
        let number = kind.group;
        let group = &mut self.groups[number];
        group.open += kind.size;
        group.open_bytes += kind.payload;
        let full = group.open >= group.limit || group.open_bytes >= self.bytes_most;
        let held = full && group.flows > 0;
        if held {
            group.held.push(call);
        } else if full {
            self.write(server, number);
        }
        let all = self.kinds.iter().map(|kind| kind.open + kind.writing).sum();
        self.most = self.most.max(all);
        held
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

    /// A flow of a group is done: the calls that need not wait any longer.
    pub(super) fn written(&mut self, server: &mut Server<'_>, behind: usize) -> Vec<u32> {
        let number = self.kinds[behind].group;
        let group = &mut self.groups[number];
        group.flows -= 1;
        if group.flows > 0 {
            return Vec::new();
        }
        self.completed += 1;
        let took = (server.now() - group.since).as_seconds();
        group.limit = (group.writing * self.seconds / took.max(1e-9)).max(STREAMS);
        group.writing = 0.0;
        for &kind in &group.kinds {
            self.kinds[kind].writing = 0.0;
        }
        let held = std::mem::take(&mut group.held);
        if group.open >= group.limit || group.open_bytes >= self.bytes_most {
            self.write(server, number);
        }
        held
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
            let share = kind.writing * kind.size / group.writing;
            let streams = (STREAMS * share).min(kind.writing).max(1.0).floor();
            group.flows += streams as u64;
            for _ in 0..streams as u64 {
                server.start_behind(behind, kind.writing / streams, GROUP | behind as u64);
            }
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
                limit: 0.0,
                held: Vec::new(),
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
        groups[group].limit += FIRST * rate * size * bound.groups.seconds;
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

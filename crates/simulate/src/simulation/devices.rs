//! Disks, SSDs and logs: each device is a separate queue.
//!
//! A command goes to a random device of its group (for a mirror, to the copy with the shorter queue) and
//! waits for the commands before it. Its service is a seek from the position of the last command to its
//! own, the rest of a revolution until its sector comes, and the transfer; positions and angles are random.
//! Of the commands queued in a drive, the one that it reaches first is next; others come to the drive in the
//! order of their arrival, or of their places if software sorts them. In service, a command is a flow of the
//! engine capped at the speed of its device, whose weight is the number of commands there: streams and
//! transaction groups, which share all disks of a pool, take turns with them and get the remainder. A command
//! that arrives at an idle device finds it busy with a stream or a group with the probability of their use of
//! it, and waits for the rest of their service.
//!
//! A solid-state drive takes commands in their order. Beyond its time in service, a command takes a drawn
//! latency, a read at a die that it may find busy (`flash`).

use std::collections::VecDeque;

use bandgraph_engine::streams::{Stream, Streams};
use bandgraph_engine::{Engine, ResourceIndex, Time as Instant};
use bandgraph_hardware::DrivePart;
use bandgraph_model::Bound;
use bandgraph_model::storage::{Access, Bank, Command, DevicesOfGroup, LOG_PLACE, Wait};
use bandgraph_solve::{RunError, SteadyState};
use bandgraph_units::Bytes;

use super::commands::Commands;
use super::flash::{FlashDraws, FlashUnits};
use super::logs::{LogQueue, LogWriter, logs_and_writers};
use super::tag::Tag;

/// An operation that waits for devices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    class: usize,
    tag: u64,
    /// The present wait, and its remaining repetitions.
    wait: usize,
    rounds_left: u64,
    /// Commands, or parts in a log, not yet completed.
    pub(super) pending: u64,
}

/// The devices of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) bank: usize,
    /// The number of the group in the bank.
    pub(super) group: usize,
    /// The first device in the group.
    pub(super) first: usize,
}

/// The owner of a command.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Operation(usize),
    /// A writer of a log.
    Log(usize),
}

impl Owner {
    pub(super) const fn of(to_log: bool, number: usize) -> Self {
        if to_log {
            Self::Log(number)
        } else {
            Self::Operation(number)
        }
    }

    const fn tag(self) -> Tag {
        let (to_log, number) = match self {
            Self::Operation(number) => (false, number),
            Self::Log(number) => (true, number),
        };
        Tag::Served {
            to_log,
            number: number as u32,
        }
    }
}

/// A command in the queue of a device.
#[derive(Clone, Copy, Debug)]
struct Queued {
    /// Its place, and the part of a revolution at which its sector begins.
    place: f64,
    angle: f64,
    command: Command,
    owner: Owner,
}

/// A device.
#[derive(Clone, Debug, Default)]
struct Device {
    /// The position of its arm.
    place: f64,
    /// Commands in the drive.
    taken: Vec<Queued>,
    /// Commands for which the drive has no room yet, in the order of their arrival.
    queue: VecDeque<Queued>,
    /// The place of the last of them that the drive took, and whether the next one is farther inwards.
    swept: f64,
    inwards: bool,
    serving: Option<(Owner, Command)>,
    /// Whether it completes a part of a stream before its next command.
    streaming: bool,
}

impl Device {
    /// Commands queued and in service.
    fn length(&self) -> usize {
        self.taken.len() + self.queue.len() + usize::from(self.serving.is_some())
    }

    fn is_idle(&self) -> bool {
        self.serving.is_none() && !self.streaming
    }

    /// The next command, and its seconds in service from a moment.
    fn next(&mut self, bank: &Bank, moment: f64) -> Option<(Queued, f64)> {
        let DrivePart::Disk(disk) = &bank.part else {
            let first = self.queue.pop_front()?;
            return Some((first, bank.seconds(&first.command, 1.0)));
        };
        let depth = bank.part.queue_depth();
        while self.taken.len() < depth && !self.queue.is_empty() {
            let next = if bank.sorted > depth as f64 {
                self.next_by_place(bank.sorted as usize - self.taken.len())
            } else {
                0
            };
            self.taken.extend(self.queue.remove(next));
        }
        let times = self.taken.iter().map(|queued| {
            disk.approach(moment, self.place, queued.place, queued.angle)
                .get()
        });
        let (first, time) = times.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let missed = disk.missed_turns(self.taken.len() as f64);
        let next = self.taken.swap_remove(first);
        self.place = next.place;
        let transfer = disk.transfer(Bytes::new(next.command.bytes), next.place);
        Some((next, time + (missed + transfer).get()))
    }

    /// Of the first commands of the queue, the index of the next one of a sweep.
    fn next_by_place(&mut self, of_first: usize) -> usize {
        loop {
            let ways = self.queue.iter().take(of_first).map(|queued| {
                let way = queued.place - self.swept;
                if self.inwards { way } else { -way }
            });
            let ahead = ways.enumerate().filter(|(_, way)| *way >= 0.0);
            if let Some((nearest, _)) = ahead.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
                self.swept = self.queue[nearest].place;
                return nearest;
            }
            self.inwards = !self.inwards;
        }
    }
}

/// The devices of a bank.
struct BankQueues {
    devices: Vec<Device>,
    /// The commands at each resource of the bank.
    classes: Vec<Commands>,
    flash: FlashUnits,
    /// The resource of each, if it is in the engine.
    resources: Vec<Option<ResourceIndex>>,
}

/// All devices of a run.
pub(super) struct Devices {
    banks: Vec<BankQueues>,
    pub(super) logs: Vec<LogQueue>,
    pub(super) writers: Vec<LogWriter>,
    pub(super) operations: Vec<Operation>,
    unused: Vec<usize>,
    pub(super) stream: Stream,
    flash: FlashDraws,
    /// Operations whose waits are over, for the server to take: class and tag.
    ready: Vec<(usize, u64)>,
}

impl Devices {
    /// Idle devices; `resources` are the engine's, by resource of the scenario.
    pub(super) fn new(
        engine: &mut Engine,
        bound: &Bound,
        steady: &SteadyState,
        resources: &[Option<ResourceIndex>],
    ) -> Result<Self, RunError> {
        let mut banks = Vec::with_capacity(bound.banks.len());
        for (number, bank) in bound.banks.iter().enumerate() {
            let own: Vec<_> = bank
                .resources
                .iter()
                .map(|&resource| resources[resource])
                .collect();
            let mut classes = Vec::with_capacity(own.len());
            for (resource, &number) in own.iter().zip(&bank.resources) {
                // Work is in seconds of the reference part; a faster device completes it sooner.
                let speed = bound.resources[number].usable() / bank.per_second;
                let cost = resource.map(|resource| (resource, bank.units()));
                classes.push(Commands::new(engine, cost, speed)?);
            }
            banks.push(BankQueues {
                devices: vec![Device::default(); bank.devices],
                classes,
                flash: FlashUnits::new(bank, steady.writing_share(bound, number)),
                resources: own,
            });
        }
        let (logs, writers) = logs_and_writers(bound);
        let streams = Streams::new(bound.run.seed);
        Ok(Self {
            banks,
            logs,
            writers,
            operations: Vec::new(),
            unused: Vec::new(),
            stream: streams.stream("devices"),
            flash: FlashDraws::new(streams),
            ready: Vec::new(),
        })
    }

    /// Starts the waits of an operation of a class.
    pub(super) fn enter(&mut self, engine: &mut Engine, bound: &Bound, class: usize, tag: u64) {
        let operation = Operation {
            class,
            tag,
            wait: 0,
            rounds_left: 0,
            pending: 0,
        };
        let number = if let Some(number) = self.unused.pop() {
            self.operations[number] = operation;
            number
        } else {
            self.operations.push(operation);
            self.operations.len() - 1
        };
        self.begin(engine, bound, number);
    }

    /// Takes an operation that is ready to move its data, if there is one.
    pub(super) fn take_ready(&mut self) -> Option<(usize, u64)> {
        self.ready.pop()
    }

    /// The tags of the waiting operations.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u64> {
        let mut there = vec![true; self.operations.len()];
        for &unused in &self.unused {
            there[unused] = false;
        }
        let all = self.operations.iter().zip(there);
        all.filter(|(_, there)| *there)
            .map(|(operation, _)| operation.tag)
    }

    /// Number of waiting operations.
    pub(super) fn count(&self) -> usize {
        self.operations.len() - self.unused.len()
    }

    /// Adds the busy time of all devices to the use of resources.
    pub(super) fn add_usage(&self, engine: &Engine, bound: &Bound, usage: &mut [f64]) {
        for (bank, queues) in bound.banks.iter().zip(&self.banks) {
            for (&resource, commands) in bank.resources.iter().zip(&queues.classes) {
                usage[resource] += engine.class_work(commands.class()).1 * bank.units();
            }
        }
    }

    /// Ends the present wait of an operation, and starts the next one.
    pub(super) fn next_wait(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        self.operations[number].wait += 1;
        self.begin(engine, bound, number);
    }

    /// Starts the present wait of an operation, or the next one that has commands.
    fn begin(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        loop {
            let operation = self.operations[number];
            let waits = &bound.classes[operation.class].device_waits;
            match waits.get(operation.wait) {
                None => {
                    self.ready.push((operation.class, operation.tag));
                    self.unused.push(number);
                    return;
                }
                Some(&Wait::Log { log, bytes, count }) => {
                    self.enter_logs(engine, bound, number, (log, bytes, count));
                    return;
                }
                Some(Wait::Access(access)) => {
                    let rounds = self.whole(access.rounds);
                    if rounds > 0 {
                        self.operations[number].rounds_left = rounds;
                        self.round(engine, bound, number, access);
                        return;
                    }
                    self.operations[number].wait += 1;
                }
            }
        }
    }

    /// Issues the commands of an access once.
    fn round(&mut self, engine: &mut Engine, bound: &Bound, number: usize, access: &Access) {
        self.operations[number].rounds_left -= 1;
        let groups = self.whole(access.groups).max(1);
        self.operations[number].pending = groups * access.devices.count() as u64;
        let mut place = None;
        for _ in 0..groups {
            let next = self.place(bound, access, place);
            let owner = Owner::Operation(number);
            self.issue(engine, bound, access, next, access.command, owner);
            place = Some(next);
        }
    }

    /// A random whole number with the given mean.
    pub(super) fn whole(&mut self, mean: f64) -> u64 {
        let whole = mean.floor();
        let more = mean > whole && self.stream.chance(mean - whole);
        whole as u64 + u64::from(more)
    }

    /// The bank and the group of the next command of an access, after another.
    pub(super) fn place(&mut self, bound: &Bound, access: &Access, before: Option<Place>) -> Place {
        let groups = |bank: usize| {
            let spec = &bound.banks[bank];
            (spec.devices / spec.group).max(1)
        };
        if let ([(bank, _)], Some(before)) = (access.banks.as_slice(), before)
            && access.neighbours
        {
            // The next record of the same group begins at the device after the last of the one before.
            let (group, spec) = ((before.group + 1) % groups(*bank), &bound.banks[*bank]);
            let after = before.first + access.devices.count() * usize::from(group <= before.group);
            return Place {
                group,
                first: after % spec.group,
                ..before
            };
        }
        let bank = match access.banks.as_slice() {
            [(bank, _)] => *bank,
            banks => {
                let shares: Vec<f64> = banks.iter().map(|&(_, share)| share).collect();
                banks[self.stream.pick(&shares).unwrap_or(0)].0
            }
        };
        let group = self.stream.below(groups(bank) as u64) as usize;
        let first = self.stream.below(bound.banks[bank].group as u64) as usize;
        Place { bank, group, first }
    }

    /// Issues a command of an access to the devices of one group.
    pub(super) fn issue(
        &mut self,
        engine: &mut Engine,
        bound: &Bound,
        access: &Access,
        Place { bank, group, first }: Place,
        command: Command,
        owner: Owner,
    ) {
        let spec = &bound.banks[bank];
        let member = |offset: usize| (group * spec.group + (first + offset) % spec.group) % spec.devices;
        match access.devices {
            DevicesOfGroup::Shortest => {
                let copies = if spec.reads_any() { spec.group } else { 1 };
                let devices = &self.banks[bank].devices;
                let shortest = (0..copies).map(member).min_by_key(|&at| devices[at].length());
                self.queue(engine, bound, bank, shortest.unwrap_or(0), command, owner);
            }
            DevicesOfGroup::Several(several) => {
                for offset in 0..several {
                    self.queue(engine, bound, bank, member(offset), command, owner);
                }
            }
        }
    }

    /// Puts a command into the queue of a device.
    pub(super) fn queue(
        &mut self,
        engine: &mut Engine,
        bound: &Bound,
        bank: usize,
        device: usize,
        command: Command,
        owner: Owner,
    ) {
        let (mut place, mut angle) = (0.0, 0.0);
        if let DrivePart::Disk(_) = bound.banks[bank].part {
            let share = if command.log {
                LOG_PLACE
            } else {
                self.stream.uniform()
            };
            place = share * bound.banks[bank].span;
            angle = self.stream.uniform();
        }
        let queues = &mut self.banks[bank];
        queues.devices[device].queue.push_back(Queued {
            place,
            angle,
            command,
            owner,
        });
        queues.commands(device).come();
        if !queues.devices[device].is_idle() {
            return;
        }
        let (streamed, run) = (
            queues.streamed(engine, &bound.banks[bank], device),
            bound.banks[bank].run_seconds,
        );
        if streamed > 0.0 && self.stream.chance(streamed) {
            self.banks[bank].devices[device].streaming = true;
            let rest = Instant::from_seconds(self.stream.uniform() * run);
            engine.start_timer(rest, Tag::Device { bank, device }.number());
        } else {
            self.serve(engine, bound, bank, device);
        }
    }

    /// A device has completed its part of a stream.
    pub(super) fn streamed(&mut self, engine: &mut Engine, bound: &Bound, bank: usize, device: usize) {
        self.banks[bank].devices[device].streaming = false;
        self.serve(engine, bound, bank, device);
    }

    /// Starts the next command of a device, if there is one.
    fn serve(&mut self, engine: &mut Engine, bound: &Bound, bank: usize, device: usize) {
        let spec = &bound.banks[bank];
        let queues = &mut self.banks[bank];
        let own = &mut queues.devices[device];
        let Some((next, service)) = own.next(spec, engine.now().as_seconds()) else {
            return;
        };
        own.serving = Some((next.owner, next.command));
        let tag = super::server::tagged(bound.classes.len() + bound.background.len() + bank, device as u64);
        queues.commands(device).serve(engine, service, tag);
    }

    /// A device has served a command: it starts the next one, and the reply follows after the command's
    /// delay.
    pub(super) fn done(&mut self, engine: &mut Engine, bound: &Bound, bank: usize, device: usize) {
        let queues = &mut self.banks[bank];
        let served = queues.devices[device].serving.take();
        queues.commands(device).leave();
        self.serve(engine, bound, bank, device);
        let Some((owner, command)) = served else {
            return;
        };
        let spec = &bound.banks[bank];
        let mut delay = self.flash.delay(spec, &command);
        if !command.write {
            let now = engine.now().as_seconds();
            let flash = &mut self.banks[bank].flash;
            delay = flash.serve(&mut self.flash, device, now, delay, spec.pages(&command));
        }
        if delay > 0.0 {
            engine.start_timer(Instant::from_seconds(delay), owner.tag().number());
        } else {
            self.answered(engine, bound, owner);
        }
    }

    /// Delivers the reply to a command to its owner.
    pub(super) fn answered(&mut self, engine: &mut Engine, bound: &Bound, owner: Owner) {
        match owner {
            Owner::Operation(number) => {
                let operation = &mut self.operations[number];
                operation.pending -= 1;
                if operation.pending > 0 {
                    return;
                }
                let wait = bound.classes[operation.class].device_waits.get(operation.wait);
                if operation.rounds_left > 0
                    && let Some(Wait::Access(access)) = wait
                {
                    self.round(engine, bound, number, access);
                } else {
                    self.next_wait(engine, bound, number);
                }
            }
            Owner::Log(number) => self.written(engine, bound, number),
        }
    }
}

impl BankQueues {
    /// The commands at the resource of a device.
    fn commands(&mut self, device: usize) -> &mut Commands {
        let at = device % self.classes.len();
        &mut self.classes[at]
    }

    /// The present share of a device's time for streams and transaction groups.
    fn streamed(&self, engine: &Engine, bank: &Bank, device: usize) -> f64 {
        let at = device % self.resources.len();
        let Some(resource) = self.resources[at] else {
            return 0.0;
        };
        let rate = engine.resource_rate(resource);
        let of_commands = engine.work_rate(self.classes[at].class()) * bank.units();
        ((rate - of_commands) / engine.resource_capacity(resource)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_hardware::catalogue;

    fn queued(place: f64, angle: f64) -> Queued {
        Queued {
            place,
            angle,
            command: Command::for_data(false, true, 4096.0),
            owner: Owner::Log(0),
        }
    }

    fn bank(depth: u64, sorted: f64) -> Bank {
        let mut disk = catalogue()
            .disk("sata-1tb-7200")
            .expect("in the catalogue")
            .clone();
        disk.queue_depth = depth;
        Bank {
            part: disk.into(),
            devices: 1,
            group: 1,
            mirrored: false,
            span: 1.0,
            sorted,
            resources: vec![0],
            per_second: 1.0,
            run_seconds: 0.0,
        }
    }

    fn order(device: &mut Device, bank: &Bank) -> Vec<f64> {
        let next = || device.next(bank, 0.0).map(|(next, _)| next.place);
        std::iter::from_fn(next).collect()
    }

    /// By hand, with 8.33 ms a revolution and an arm in the middle: the seek to a place two tenths away takes
    /// 7.26 ms, and its sector comes after 7.5 ms; that to one at a hundredth takes 2.24 ms, and its sector
    /// has passed after 1.67 ms, and comes again after 10 ms. The transfer takes 0.06 ms, and one in a
    /// hundred sectors that are missed 0.08 ms.
    #[test]
    fn a_drive_serves_what_arm_and_platter_reach_first() {
        let mut device = Device {
            place: 0.5,
            ..Device::default()
        };
        device.queue.extend([queued(0.51, 0.2), queued(0.7, 0.9)]);
        let (first, seconds) = device.next(&bank(32, 0.0), 0.0).expect("there are two");
        assert_eq!(first.place, 0.7);
        assert!((seconds - 7.639e-3).abs() < 0.01e-3, "{seconds}");
    }

    #[test]
    fn a_drive_that_takes_one_command_serves_the_first_that_came() {
        let mut device = Device::default();
        device
            .queue
            .extend([0.4, 0.9, 0.6].map(|place| queued(place, 0.0)));
        assert_eq!(order(&mut device, &bank(1, 0.0)), [0.4, 0.9, 0.6]);
    }

    /// Software sorts five commands for a drive that takes one of them at a time: they come in a sweep, which
    /// turns at the last.
    #[test]
    fn commands_come_to_a_drive_by_place_if_software_sorts_them() {
        let mut device = Device {
            swept: 0.5,
            inwards: true,
            ..Device::default()
        };
        device
            .queue
            .extend([0.4, 0.9, 0.6, 0.1].map(|place| queued(place, 0.0)));
        assert_eq!(order(&mut device, &bank(1, 5.0)), [0.6, 0.9, 0.4, 0.1]);
    }
}

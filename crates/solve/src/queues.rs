//! Waits of operations for disks and logs: the queues of single devices in the steady state.
//!
//! Commands go to a device drawn at random, and wait there for those before them. What an arriving command
//! finds is what there is on average without its own thread (the arrival theorem, in the approximation of
//! Bard and Schweitzer, 1979), and the command in service is half over, by the residual of drawn service
//! (Reiser, 1979). With *L* waiting at a device and *U* its utilisation, both without the thread's own
//! part, service *S* with a squared coefficient of variation *c²*, and *w* copies of which the one with the
//! shorter queue is read:
//!
//! ```text
//! wait = S · (L + U^(√(2(w + 1)) − 1) · (1 + c²) / 2w)
//! ```
//!
//! The power is that of Sakasegawa (1977) for *w* servers; for one it is 1. In an open loop this is the
//! formula of Pollaczek and Khinchine. Service depends on the queue as well: with more to choose from, a
//! disk reaches the next one sooner. A command that finds no other before it may find a stream or a
//! transaction group, and waits for the rest of its run ([`BankState::behind_streams`]).
//!
//! Operations that wait for a log are written together: a batch takes longer if more arrived during the
//! previous one. The devices of a log take what waits, up to a block each, when their last batch is written.
//! So operations stay together, and those that come back at once wait for as long as their batch takes. What
//! waits beyond the limit of the devices goes to the disks, whose batches do not depend on the blocks on the
//! devices. What waits for each is an unknown of its own: the disks have what the devices leave, a small
//! difference, and a wait that followed from the rates of the round before would go round in a circle.

use bandgraph_model::storage::{Access, Command, DevicesOfGroup, Log, Wait};
use bandgraph_model::{Bound, Class};

use crate::banks::BankState;
use crate::lines::{Lines, Writers, apart};
use crate::logs::{DeviceTimes, LogState};
use crate::slowest::{last_delay, most_at_one, slowest};
use crate::waits::before;

/// The logarithm of the longest queue that overuse makes: a billion commands.
const LONGEST: f64 = 20.7;

/// The load of a class on the queues: its flow group, and its operations/s.
pub(crate) struct Load<'c> {
    pub(crate) class: &'c Class,
    pub(crate) flow_group: usize,
    pub(crate) throughput: f64,
}

/// All queues of a bound scenario.
pub(crate) struct Queues<'a> {
    bound: &'a Bound,
    banks: Vec<BankState>,
    logs: Vec<LogState>,
    pub(crate) lines: Lines,
    /// Threads of every flow group.
    threads: Vec<f64>,
}

impl<'a> Queues<'a> {
    /// Empty queues, for usable capacities of all resources and the threads of every flow group.
    pub(crate) fn new(bound: &'a Bound, capacities: &[f64], threads: Vec<f64>) -> Self {
        let banks = bound.banks.iter().map(|bank| {
            let speed = capacities[bank.resources[0]] / bank.per_second;
            BankState::idle(bank, speed, threads.len())
        });
        let mut queues = Self {
            bound,
            banks: banks.collect(),
            logs: bound
                .logs
                .iter()
                .map(|log| LogState::idle(log, threads.len()))
                .collect(),
            lines: Lines::default(),
            threads,
        };
        if !bound.banks.is_empty() && !bound.background.is_empty() {
            queues.lines = Lines::new(bound, capacities, &apart(bound, bound.classes.iter()));
        }
        for wait in bound.classes.iter().flat_map(|class| class.device_waits.iter()) {
            let banks = match wait {
                Wait::Access(access) => &access.banks,
                Wait::Log { log, .. } => &bound.logs[*log].on_disks.banks,
            };
            for &(bank, _) in banks {
                queues.banks[bank].position(&bound.banks[bank]);
            }
            match wait {
                Wait::Access(access) => {
                    for &(bank, _) in &access.banks {
                        queues.banks[bank].used = true;
                        let service = bound.banks[bank].seconds(&access.command, 1.0);
                        queues.banks[bank].service = service / queues.banks[bank].speed;
                    }
                }
                &Wait::Log { log, bytes } => {
                    queues.logs[log].used = true;
                    queues.logs[log].bytes = bytes;
                    queues.logs[log].batch = queues.batch_seconds(log);
                }
            }
        }
        queues.set_device_times();
        queues
    }

    /// What is iterated: logarithms of lengths of queues, of times of batches, and of waits in lines.
    pub(crate) fn point(&self, point: &mut Vec<f64>) {
        for bank in self.banks.iter().filter(|bank| bank.used) {
            point.push(libm::log(1.0 + bank.waiting));
            if bank.units > 0.0 {
                point.push(libm::log(1.0 + bank.at_dies));
            }
        }
        let logs = self.bound.logs.iter().zip(&self.logs);
        for (log, state) in logs.filter(|(_, state)| state.used) {
            point.push(libm::log(state.batch));
            if !log.devices.is_empty() {
                point.extend([state.overflow, state.at_devices].map(|waiting| libm::log(1.0 + waiting)));
            }
        }
        self.lines.point(point);
    }

    /// Sets lengths, times and waits from the next coordinates of a point.
    pub(crate) fn move_to<'p>(&mut self, coordinates: &mut impl Iterator<Item = &'p f64>) {
        let mut next = || coordinates.next().map_or(0.0, |value| libm::exp(*value));
        for bank in self.banks.iter_mut().filter(|bank| bank.used) {
            bank.waiting = (next() - 1.0).max(0.0);
            if bank.units > 0.0 {
                bank.at_dies = (next() - 1.0).max(0.0);
            }
        }
        for (log, state) in self.bound.logs.iter().zip(&mut self.logs) {
            if !state.used {
                continue;
            }
            state.batch = next();
            if !log.devices.is_empty() {
                state.overflow = (next() - 1.0).max(0.0);
                state.at_devices = (next() - 1.0).max(0.0);
            }
        }
        self.lines.move_to(coordinates);
        self.set_device_times();
    }

    /// The image of the point, without lines: the queues under a load.
    pub(crate) fn image<'c>(&mut self, loads: impl Iterator<Item = Load<'c>> + Clone, image: &mut Vec<f64>) {
        self.load(loads);
        for (index, bank) in self.banks.iter().enumerate().filter(|(_, bank)| bank.used) {
            let commands = if bank.service > 0.0 {
                (bank.busy - bank.busy_with_log) / bank.service
            } else {
                0.0
            };
            let flow_groups = || bank.own.iter().zip(&self.threads).enumerate();
            let waited = flow_groups().map(|(flow_group, (own, threads))| {
                let queue = self.queueing(index, self.own(index, flow_group), None);
                own * threads * (queue + bank.behind_streams(&self.bound.banks[index], 1.0))
            });
            let approximate = libm::log(1.0 + commands * waited.sum::<f64>());
            // Of few devices with even service the approximation makes more use than there is, and so do
            // commands beside streams, whose share of the time is not theirs. Their queues are as long as
            // it takes, then, for the devices to be just busy.
            let overuse = (bank.busy - bank.busy_with_log).max(0.0) / bank.room_of_commands();
            let longer = libm::log(1.0 + bank.waiting) + libm::log(overuse);
            image.push(approximate.max(longer.min(LONGEST)));
            if bank.units > 0.0 {
                let part = &self.bound.banks[index].part;
                let waited = flow_groups().map(|(flow_group, (own, threads))| {
                    own * threads * bank.behind_reads(part, self.others(index, flow_group))
                });
                image.push(bank.image_at_dies(part, waited.sum()).min(LONGEST));
            }
        }
        for (index, (log, state)) in self.bound.logs.iter().zip(&self.logs).enumerate() {
            if !state.used {
                continue;
            }
            image.push(libm::log(self.batch_seconds(index)));
            if !log.devices.is_empty() {
                let overflow = state.written_by().1 * state.batch;
                let at_devices = (state.rate * state.devices.written).min(state.devices.most);
                image.extend([overflow, at_devices].map(|waiting| libm::log(1.0 + waiting)));
            }
        }
    }

    /// The image of the wait in a line, under the same load as the last image of the queues.
    pub(crate) fn image_of_line(&self, line: usize, writers: &[Writers]) -> f64 {
        self.lines.image(line, writers, &self.banks)
    }

    /// Accumulates the load of operations on banks and logs.
    fn load<'c>(&mut self, loads: impl Iterator<Item = Load<'c>> + Clone) {
        for bank in &mut self.banks {
            (bank.busy, bank.busy_with_log) = (0.0, 0.0);
            (bank.streaming, bank.deferred) = (0.0, 0.0);
            (bank.writing, bank.reads) = (0.0, 0.0);
            bank.own.fill(0.0);
        }
        for log in &mut self.logs {
            log.rate = 0.0;
        }
        for load in loads.clone() {
            self.lines.load(load.class, load.throughput, &mut self.banks);
            for (bank, state) in self.bound.banks.iter().zip(&mut self.banks) {
                let resource = bank.resources[0];
                let at = |&(of, _): &(usize, f64)| of.cmp(&resource);
                let Ok(at) = load.class.demand.binary_search_by(at) else {
                    continue;
                };
                let streamed = load.class.demand[at].1 - load.class.served(resource);
                let share = load.throughput / (bank.per_second * state.speed);
                state.streaming += streamed.max(0.0) * share;
                state.writing += load.class.written(resource) * share;
            }
        }
        let mut commands = vec![0.0; self.banks.len()];
        let mut squares = vec![0.0; self.banks.len()];
        let mut log_bytes = vec![(0.0, 0.0); self.logs.len()];
        for Load {
            class,
            flow_group,
            throughput,
        } in loads
        {
            for wait in class.device_waits.iter() {
                match wait {
                    Wait::Access(access) => {
                        for &(bank, share) in &access.banks {
                            let each = throughput * share * commands_of(access)
                                / self.bound.banks[bank].devices as f64;
                            let (service, variation) = self.service(bank, access);
                            let state = &mut self.banks[bank];
                            state.busy += each * service;
                            state.reads += if access.command.write { 0.0 } else { each };
                            state.own[flow_group] += each;
                            commands[bank] += each;
                            squares[bank] += each * service * service * (1.0 + variation);
                        }
                    }
                    &Wait::Log { log, bytes } => {
                        self.logs[log].rate += throughput;
                        self.logs[log].flow_groups[flow_group] = true;
                        let (sum, of_squares) = &mut log_bytes[log];
                        *sum += throughput * bytes;
                        *of_squares += throughput * bytes * bytes;
                    }
                }
            }
        }
        for (index, bank) in self.banks.iter_mut().enumerate() {
            (bank.commands, bank.log_commands) = (commands[index], 0.0);
            if commands[index] > 0.0 {
                bank.service = bank.busy / commands[index];
                let second = squares[index] / commands[index] / (bank.service * bank.service);
                bank.variation = (second - 1.0).max(0.0);
                for (own, threads) in bank.own.iter_mut().zip(&self.threads) {
                    *own /= commands[index] * threads;
                }
            }
        }
        for (log, (bytes, squares)) in self.logs.iter_mut().zip(log_bytes) {
            let flow_groups = self.threads.iter().zip(&log.flow_groups);
            log.threads = flow_groups
                .filter(|(_, waits)| **waits)
                .map(|(threads, _)| threads)
                .sum();
            log.set_sizes(bytes, squares);
        }
        for log in 0..self.logs.len() {
            self.commands_of_log(log);
        }
        for log in 0..self.logs.len() {
            self.load_of_log(log);
        }
    }

    /// Sets the times of the devices of all logs from what waits for them.
    fn set_device_times(&mut self) {
        for (index, log) in self.bound.logs.iter().enumerate() {
            if self.logs[index].used && !log.devices.is_empty() {
                self.logs[index].devices = self.device_times(log, &self.logs[index]);
            }
        }
    }

    fn device_times(&self, log: &Log, state: &LogState) -> DeviceTimes {
        let devices = log.devices.len() as f64;
        let (parts, in_block) = (state.parts(), state.most_in_block());
        let full = devices * in_block / parts;
        let each = state.at_devices.max(1.0) * parts / devices;
        let together = each.clamp(1.0, in_block);
        let block = self.block_seconds(log, state.block_bytes(together));
        DeviceTimes {
            per_second: full / self.block_seconds(log, state.block_bytes(in_block)),
            most: full.max(log.devices_most / state.bytes),
            together,
            block,
            written: block * (each / together).max(1.0),
        }
    }

    /// Mean seconds of a block on the devices of a log: a faster one writes more of them.
    fn block_seconds(&self, log: &Log, bytes: f64) -> f64 {
        let per_second = log.devices.iter().map(|&device| {
            let delay = self.delay(device, usize::MAX, &log.on_disks.command, 1.0);
            let service = self.log_service(log, device, bytes) / self.banks[device].room();
            1.0 / (service + delay)
        });
        log.devices.len() as f64 / per_second.sum::<f64>()
    }

    /// The commands of a log to disks that have others as well.
    fn commands_of_log(&mut self, index: usize) {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        let (_, on_disks) = state.written_by();
        if on_disks <= 0.0 {
            return;
        }
        let batches = on_disks / state.disk_batch();
        let (blocks, _) = state.disk_blocks(state.disk_batch());
        for &(bank, share) in &log.on_disks.banks {
            let commands = batches * blocks * share * commands_of(&log.on_disks);
            self.banks[bank].log_commands += commands / self.bound.banks[bank].devices as f64;
        }
    }

    /// The busy time of the devices that a log takes.
    fn load_of_log(&mut self, index: usize) {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        if state.rate <= 0.0 {
            return;
        }
        let (on_devices, on_disks) = state.written_by();
        if on_devices > 0.0 {
            let blocks = on_devices * state.parts() / state.devices.together;
            let each = state.block_bytes(state.devices.together);
            for &device in &log.devices {
                let service = self.log_service(log, device, each);
                let busy = blocks / log.devices.len() as f64 * service;
                self.banks[device].busy += busy;
                self.banks[device].busy_with_log += busy;
            }
        }
        if on_disks > 0.0 {
            let state = &self.logs[index];
            let batches = on_disks / state.disk_batch();
            let (blocks, each) = state.disk_blocks(state.disk_batch());
            for &(bank, share) in &log.on_disks.banks {
                let service = self.log_service(log, bank, each * log.share_on_disk);
                let commands = batches * blocks * share * commands_of(&log.on_disks);
                let busy = commands / self.bound.banks[bank].devices as f64 * service;
                self.banks[bank].busy += busy;
                self.banks[bank].busy_with_log += busy;
            }
        }
    }

    /// Seconds of a command to the log: the arm comes back to it after commands to other places.
    fn log_service(&self, log: &Log, bank: usize, bytes: f64) -> f64 {
        let command = log.on_disks.command.of(bytes);
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let detour = state.elsewhere() * spec.detour(self.choices(bank), &state.positionings);
        (spec.seconds(&command, 1.0) + detour) / state.speed
    }

    /// Seconds per batch of the disks of a log.
    fn batch_seconds(&self, index: usize) -> f64 {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        let (blocks, each) = state.disk_blocks(state.disk_batch());
        let commands = blocks * commands_of(&log.on_disks);
        let command = log.on_disks.command.of(each * log.share_on_disk);
        let seconds = log.on_disks.banks.iter().map(|&(bank, share)| {
            // Batch follows on batch: streams get their share of the time of each.
            let service = self.log_service(log, bank, command.bytes) / self.banks[bank].room();
            let devices = self.bound.banks[bank].devices as f64;
            // Each block goes to a group of disks drawn at random, some of them to the same one.
            let groups = devices / log.on_disks.devices.count() as f64;
            let drawn = if each > 0.0 { blocks * share } else { 1.0 };
            let rounds = most_at_one(drawn, groups);
            // Roots of distances from the middle vary by 1/36 of the span, others by 11/225.
            let span = 0.57 * self.bound.banks[bank].span * self.banks[bank].elsewhere();
            let turn = self.bound.banks[bank].part.access_variance(span).sqrt() / self.banks[bank].speed;
            let queue = self.queueing(bank, self.own_of_batch(bank, state), None);
            // Blocks on the same disk wait behind each other, in rounds, and not each in its own queue.
            let at_once = commands.min(devices);
            let last = slowest(service, turn, queue, at_once)
                + self.banks[bank].behind_streams(&self.bound.banks[bank], at_once);
            let delay = self.delay(bank, usize::MAX, &command, commands);
            share * (rounds * service + (last - service) + delay)
        });
        seconds.sum()
    }

    /// Commands that a device of a bank has to choose from when it completes one: the new command of the
    /// thread that waited for that comes later.
    fn choices(&self, bank: usize) -> f64 {
        let others = (self.threads.iter().sum::<f64>() - 1.0).max(1.0);
        1.0 + self.banks[bank].waiting * (1.0 - 1.0 / others)
    }

    /// Mean seconds of a command in service, and its squared coefficient of variation.
    fn service(&self, bank: usize, access: &Access) -> (f64, f64) {
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let seconds = spec.seconds_at(&access.command, self.choices(bank), &state.positionings);
        (seconds / state.speed, spec.variation(&access.command))
    }

    /// Mean seconds that the last of several commands of a flow group waits beyond its time in service.
    fn delay(&self, bank: usize, flow_group: usize, command: &Command, commands: f64) -> f64 {
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let (alone, variation) = (spec.delay(command), spec.delay_variation(command));
        let delay = last_delay(alone, variation, commands);
        if command.write || state.units <= 0.0 {
            return delay;
        }
        let behind_reads = state.behind_reads(&spec.part, self.others(bank, flow_group));
        delay + behind_reads + state.behind_programs(&spec.part, commands * spec.pages(command))
    }

    /// Share of the commands at a bank that are not of an arriving thread of a flow group.
    fn others(&self, bank: usize, flow_group: usize) -> f64 {
        let own = self.banks[bank].own.get(flow_group);
        1.0 - own.copied().unwrap_or(0.0).min(1.0)
    }

    /// Share of the commands at a bank that come from one thread of a flow group.
    fn own(&self, bank: usize, flow_group: usize) -> f64 {
        self.banks[bank].own[flow_group]
    }

    /// The same for the operations of a batch of a log: none of them has other commands meanwhile.
    fn own_of_batch(&self, bank: usize, log: &LogState) -> f64 {
        let waiting = log.flow_groups.iter().zip(&self.threads).enumerate();
        let waiting = waiting.filter(|(_, (waits, _))| **waits);
        let own: f64 = waiting
            .map(|(group, (_, threads))| self.own(bank, group) * threads)
            .sum();
        own * log.disk_batch() / log.threads.max(1.0)
    }

    /// Seconds that a command waits at a bank before its service begins; `own` is the share of the commands
    /// there that come from those who wait for it.
    fn queueing(&self, bank: usize, own: f64, access: Option<&Access>) -> f64 {
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let reads_shortest = access.is_none_or(|access| access.devices == DevicesOfGroup::Shortest);
        let copies = if reads_shortest && spec.reads_any() {
            spec.group as f64
        } else {
            1.0
        };
        // The present commands without the arriving thread.
        let others = 1.0 - own.min(1.0);
        let busy = (state.busy * others).min(1.0);
        state.service * before(state.waiting * others, busy, copies, state.variation)
    }

    /// Mean number of commands of an operation at the device that has the most of them: each goes to some
    /// devices of a group drawn at random, or to the next ones.
    fn meeting_commands(&self, bank: usize, access: &Access) -> f64 {
        let bank = &self.bound.banks[bank];
        let groups = match access.devices {
            DevicesOfGroup::Shortest => (bank.devices / bank.group) as f64,
            DevicesOfGroup::Several(several) => bank.devices as f64 / several as f64,
        };
        let most = if access.neighbours && access.banks.len() == 1 {
            (access.groups / groups).max(1.0)
        } else {
            most_at_one(access.groups, groups)
        };
        if access.devices != DevicesOfGroup::Shortest || !bank.reads_any() {
            return most;
        }
        // The copies of a mirror share them, whole commands each.
        let rounds = |commands: f64| (commands / bank.group as f64).ceil();
        rounds(most.floor()) + (most - most.floor()) * (rounds(most.ceil()) - rounds(most.floor()))
    }

    /// Seconds that an operation of a class waits for devices, in a flow group whose operations spend `rest`
    /// seconds of their cycle elsewhere.
    pub(crate) fn wait(&self, class: &Class, flow_group: usize, rest: f64) -> f64 {
        let waits = class.device_waits.iter().map(|wait| match wait {
            Wait::Access(access) => {
                let of_bank = access.banks.iter().map(|&(bank, share)| {
                    let (service, variation) = self.service(bank, access);
                    let queue = self.queueing(bank, self.own(bank, flow_group), Some(access));
                    let commands = access.groups * access.devices.count() as f64;
                    let delay = self.delay(bank, flow_group, &access.command, commands);
                    let devices = self.bound.banks[bank].devices as f64;
                    let at_once = commands.min(devices);
                    let last = slowest(service, service * variation.sqrt(), queue, at_once)
                        + self.banks[bank].behind_streams(&self.bound.banks[bank], at_once);
                    share * ((self.meeting_commands(bank, access) - 1.0) * service + last + delay)
                });
                access.rounds * of_bank.sum::<f64>()
            }
            &Wait::Log { log, .. } => self.log_wait(log, rest),
        });
        waits.sum()
    }

    /// Seconds that an operation waits for a log, if it spends `rest` seconds of its cycle elsewhere.
    fn log_wait(&self, index: usize, rest: f64) -> f64 {
        let state = &self.logs[index];
        let threads = state.threads.max(1.0);
        // The writer is busy: those who come back at once have just missed the beginning of a batch, which
        // others made that waited for the one before.
        let missed = |seconds: f64, arrived: f64| {
            let at_once = (threads - 1.0).clamp(0.0, 1.0) * (1.0 - rest / seconds).max(0.0);
            let by_chance = (arrived * (1.0 - 1.0 / threads)).min(1.0);
            by_chance.max(at_once) * (seconds - rest).max(seconds / 2.0)
        };
        let on_disks = state.batch + missed(state.batch, state.at_disks());
        if self.bound.logs[index].devices.is_empty() {
            return on_disks;
        }
        let times = &state.devices;
        let arrived = state.at_devices.min(times.most) * times.block / times.written;
        let on_devices = times.written + missed(times.block, arrived);
        let by_disks = state.overflow / state.batch;
        on_devices + by_disks / (times.per_second + by_disks) * (on_disks - on_devices)
    }

    /// The log that an operation of a class waits for, how many are released together with it, and the
    /// seconds in which as many arrive.
    pub(crate) fn released(&self, class: &Class) -> Option<(usize, f64, f64)> {
        let mut logs = class.device_waits.iter().filter_map(|wait| match wait {
            &Wait::Log { log, .. } => Some(log),
            Wait::Access(_) => None,
        });
        let log = logs.next()?;
        let state = &self.logs[log];
        if state.rate <= 0.0 {
            return None;
        }
        let (on_devices, on_disks) = state.written_by();
        let devices = self.bound.logs[log].devices.len() as f64;
        let of_devices = state.devices.together / state.parts() * devices;
        let together = (on_devices * of_devices + on_disks * state.disk_batch()) / state.rate;
        Some((log, together, together / state.rate))
    }

    /// Seconds that operations that arrive at random wait longer for the devices of their log: full batches
    /// are a queue with constant service, whose interarrival times have a squared coefficient of variation of
    /// one over the operations in a batch (Kingman, 1961). At most until the disks take what waits.
    pub(crate) fn wait_by_chance(&self, class: &Class) -> f64 {
        let Some((log, ..)) = self.released(class) else {
            return 0.0;
        };
        let (state, times) = (&self.logs[log], &self.logs[log].devices);
        if state.rate >= times.per_second {
            return 0.0;
        }
        let used = state.rate / times.per_second;
        let longest = times.most / times.per_second - times.written;
        (used / (1.0 - used) / 2.0 / times.per_second).min(longest.max(0.0))
    }

    /// Seconds of a command at the busiest device that an operation of a class waits for, their squared
    /// coefficient of variation, and the number of devices of its bank.
    pub(crate) fn busiest(&self, class: &Class) -> Option<(f64, f64, f64)> {
        let waits = class.device_waits.iter();
        let banks = waits.flat_map(|wait| match wait {
            Wait::Access(access) => &access.banks[..],
            Wait::Log { .. } => &[],
        });
        let banks = banks.map(|&(bank, _)| (&self.banks[bank], self.bound.banks[bank].devices as f64));
        let busiest = banks.max_by(|(one, _), (other, _)| one.busy.total_cmp(&other.busy));
        busiest.map(|(bank, devices)| (bank.service, bank.variation, devices))
    }

    /// Sets the rates of the resources of banks, in their units: what is carried besides is in them
    /// already, and so is what commands would take with full queues.
    pub(crate) fn correct<'c>(
        &mut self,
        loads: impl Iterator<Item = Load<'c>> + Clone,
        resource_rates: &mut [f64],
    ) {
        self.load(loads.clone());
        for Load {
            class, throughput, ..
        } in loads
        {
            for device in class.devices.iter().filter(|device| device.queued) {
                resource_rates[device.resource] -= throughput * device.units;
            }
        }
        for (bank, state) in self.bound.banks.iter().zip(&self.banks) {
            for &resource in &bank.resources {
                let rate = &mut resource_rates[resource];
                *rate = rate.max(0.0) + state.busy * bank.per_second * state.speed;
            }
        }
    }
}

/// Commands of one operation.
fn commands_of(access: &Access) -> f64 {
    access.rounds * access.groups * access.devices.count() as f64
}

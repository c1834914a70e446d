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

use bandgraph_model::storage::{Access, Command, DevicesOfGroup, Wait};
use bandgraph_model::{Bound, Class};

use crate::banks::BankState;
use crate::lines::{Lines, Writers, apart};
use crate::logs::LogState;
use crate::mixed_queue::Own;
use crate::slowest::{last_delay, most_at_one, slowest};
use crate::waits::before;

/// Relative tolerance of the capacity of a disk in a steady state: its queues are approximations.
pub(crate) const DISKS_FIT: f64 = 1e-2;

/// The logarithm of the longest queue that overuse makes: a billion commands.
const LONGEST: f64 = 20.7;

/// The load of a class on the queues: its operations/s.
pub(crate) struct Load<'c> {
    pub(crate) class: &'c Class,
    pub(crate) throughput: f64,
}

/// All queues of a bound scenario.
pub(crate) struct Queues<'a> {
    pub(crate) bound: &'a Bound,
    pub(crate) banks: Vec<BankState>,
    pub(crate) logs: Vec<LogState>,
    pub(crate) lines: Lines,
    /// Threads of every workload, those of them that begin their operations at once, and the operations per
    /// second of one.
    pub(crate) threads: Vec<f64>,
    together: Vec<f64>,
    operations: Vec<f64>,
}

impl<'a> Queues<'a> {
    /// Empty queues, for usable capacities of all resources and the threads of every workload with those
    /// that begin their operations at once.
    pub(crate) fn new(
        bound: &'a Bound,
        capacities: &[f64],
        (threads, together): (Vec<f64>, Vec<f64>),
    ) -> Self {
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
                .map(|log| {
                    let banks = log.on_disks.banks.iter();
                    let devices = banks.map(|&(bank, _)| bound.banks[bank].devices).sum();
                    LogState::idle(log, devices, threads.len())
                })
                .collect(),
            lines: Lines::default(),
            operations: vec![0.0; threads.len()],
            threads,
            together,
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
                &Wait::Log { log, bytes, count } => {
                    queues.logs[log].used = true;
                    queues.logs[log].bytes = bound.logs[log].entries(bytes, count).1;
                    queues.logs[log].batch = queues.batch_seconds(log, 1.0);
                    for &(bank, _) in &bound.logs[log].on_disks.banks {
                        queues.banks[bank].used |= queues.logs[log].crowded;
                    }
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
        for index in 0..self.banks.len() {
            if !self.banks[index].used {
                continue;
            }
            let behind_streams = self.banks[index].behind_streams(&self.bound.banks[index], 1.0);
            let mut waiting = 0.0;
            for workload in 0..self.threads.len() {
                let waited = self.queueing_of(index, workload, 1.0, None) + behind_streams;
                let own = &mut self.banks[index].own[workload];
                own.waited = waited;
                waiting += own.commands * self.threads[workload] * waited;
            }
            let bank = &self.banks[index];
            let approximate = libm::log(1.0 + waiting);
            // Of few devices with even service the approximation makes more use than there is, and so do
            // commands beside streams, whose share of the time is not theirs. Their queues are as long as
            // it takes, then, for the devices to be just busy.
            let overuse = (bank.busy - bank.busy_with_log).max(0.0) / bank.room_of_commands();
            let longer = libm::log(1.0 + bank.waiting) + libm::log(overuse);
            image.push(approximate.max(longer.min(LONGEST)));
            if bank.units > 0.0 {
                let part = &self.bound.banks[index].part;
                let waited = self.threads.iter().enumerate().map(|(workload, threads)| {
                    let behind_reads = bank.behind_reads(part, self.others(index, workload));
                    self.own(index, workload) * threads * behind_reads
                });
                image.push(bank.image_at_dies(part, waited.sum()).min(LONGEST));
            }
        }
        for (index, (log, state)) in self.bound.logs.iter().zip(&self.logs).enumerate() {
            if !state.used {
                continue;
            }
            image.push(libm::log(self.batch_seconds(index, 1.0)));
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
            for own in &mut bank.own {
                *own = Own {
                    waited: own.waited,
                    ..Own::default()
                };
            }
        }
        for log in &mut self.logs {
            log.rate = 0.0;
            log.shares.fill(0.0);
        }
        self.operations.fill(0.0);
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
        for Load { class, throughput } in loads {
            let workload = class.workload;
            self.operations[workload] += throughput / self.threads[workload];
            for wait in class.device_waits.iter() {
                match wait {
                    Wait::Access(access) => {
                        for &(bank, share) in &access.banks {
                            let each = throughput * share * commands_of(access)
                                / self.bound.banks[bank].devices as f64;
                            let (service, variation) = self.service(bank, access);
                            let parallel = access.groups * access.devices.count() as f64;
                            let state = &mut self.banks[bank];
                            state.busy += each * service;
                            state.reads += if access.command.write { 0.0 } else { each };
                            let of_thread = each / self.threads[workload];
                            let at_once = parallel.min(state.devices);
                            state.own[workload].add(of_thread, service, variation, at_once);
                            commands[bank] += each;
                            squares[bank] += each * service * service * (1.0 + variation);
                        }
                    }
                    &Wait::Log { log, bytes, count } => {
                        let spec = &self.bound.logs[log];
                        let (count, bytes) = spec.entries(bytes, count);
                        let rate = throughput * count / spec.logs as f64;
                        self.logs[log].rate += rate;
                        self.logs[log].shares[workload] += rate / self.threads[workload];
                        let (sum, of_squares) = &mut log_bytes[log];
                        *sum += rate * bytes;
                        *of_squares += rate * bytes * bytes;
                    }
                }
            }
        }
        for (index, bank) in self.banks.iter_mut().enumerate() {
            (bank.commands, bank.log_commands) = (commands[index], 0.0);
            bank.counted = commands[index];
            if commands[index] > 0.0 {
                bank.service = bank.busy / commands[index];
                let second = squares[index] / commands[index] / (bank.service * bank.service);
                bank.variation = (second - 1.0).max(0.0);
            }
        }
        for (log, (bytes, squares)) in self.logs.iter_mut().zip(log_bytes) {
            log.threads = 0.0;
            for (share, threads) in log.shares.iter_mut().zip(&self.threads) {
                if *share > 0.0 {
                    *share /= log.rate;
                    log.threads += threads;
                }
            }
            log.set_sizes(bytes, squares);
        }
        for log in 0..self.logs.len() {
            self.commands_of_log(log);
        }
        for log in 0..self.logs.len() {
            self.load_of_log(log);
        }
        for bank in &mut self.banks {
            let groups = bank.own.iter().filter(|own| own.commands + own.with_log > 0.0);
            bank.is_mixed = groups.count() > 1;
        }
    }

    /// Commands that a device of a bank has to choose from when it completes one: the new command of the
    /// thread that waited for that comes later.
    pub(crate) fn choices(&self, bank: usize) -> f64 {
        let others = (self.threads.iter().sum::<f64>() - 1.0).max(1.0);
        1.0 + self.banks[bank].waiting * (1.0 - 1.0 / others)
    }

    /// Mean seconds of a command in service, and its squared coefficient of variation.
    fn service(&self, bank: usize, access: &Access) -> (f64, f64) {
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let seconds = spec.seconds_at(&access.command, self.choices(bank), &state.positionings);
        (seconds / state.speed, spec.variation(&access.command))
    }

    /// Mean seconds that the last of several commands of a workload waits beyond its time in service.
    pub(crate) fn delay(&self, bank: usize, workload: usize, command: &Command, commands: f64) -> f64 {
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let (alone, variation) = (spec.delay(command), spec.delay_variation(command));
        let delay = last_delay(alone, variation, commands);
        if command.write || state.units <= 0.0 {
            return delay;
        }
        let behind_reads = state.behind_reads(&spec.part, self.others(bank, workload));
        delay + behind_reads + state.behind_programs(&spec.part, commands * spec.pages(command))
    }

    /// Share of the commands at a bank that are not of an arriving thread of a workload.
    fn others(&self, bank: usize, workload: usize) -> f64 {
        if workload == usize::MAX {
            return 1.0;
        }
        1.0 - self.own(bank, workload).min(1.0)
    }

    /// Share of the commands at a bank that come from one thread of a workload.
    pub(crate) fn own(&self, bank: usize, workload: usize) -> f64 {
        let state = &self.banks[bank];
        let own = state.own[workload].commands;
        if own > 0.0 { own / state.counted } else { 0.0 }
    }

    /// Seconds that commands of some threads of a workload wait at a bank for those of others before their
    /// service begins. Those of all others that begin at once come before them half of the time.
    fn queueing_of(&self, bank: usize, workload: usize, threads: f64, access: Option<&Access>) -> f64 {
        let state = &self.banks[bank];
        let together = self.together[workload];
        if together > threads {
            let (own, operations) = (&state.own[workload], self.operations[workload]);
            let of_each = if operations > 0.0 {
                own.busy / operations
            } else {
                0.0
            };
            let of_others = self.queueing_of(bank, workload, together, access);
            return of_others + (together - threads) * of_each / 2.0;
        }
        if state.is_mixed {
            state.wait_among_groups(workload, threads, &self.threads, self.copies(bank, access))
        } else {
            self.queueing(bank, self.own(bank, workload) * threads, access)
        }
    }

    /// Seconds that a command waits at a bank before its service begins; `own` is the share of the commands
    /// there that come from those who wait for it.
    pub(crate) fn queueing(&self, bank: usize, own: f64, access: Option<&Access>) -> f64 {
        let (state, copies) = (&self.banks[bank], self.copies(bank, access));
        // The present commands without the arriving thread.
        let others = 1.0 - own.min(1.0);
        let busy = (state.busy * others).min(1.0);
        state.service * before(state.waiting * others, busy, copies, state.variation)
    }

    /// The devices at one of which a command waits: that with the shortest queue.
    fn copies(&self, bank: usize, access: Option<&Access>) -> f64 {
        let bank = &self.bound.banks[bank];
        let reads_shortest = access.is_none_or(|access| access.devices == DevicesOfGroup::Shortest);
        if reads_shortest && bank.reads_any() {
            bank.group as f64
        } else {
            1.0
        }
    }

    /// Mean number of commands of some simultaneous operations at the device that has the most of them: each
    /// goes to some devices of a group drawn at random, or to the next ones.
    fn meeting_commands(&self, bank: usize, access: &Access, operations: f64) -> f64 {
        let bank = &self.bound.banks[bank];
        let groups = match access.devices {
            DevicesOfGroup::Shortest => (bank.devices / bank.group) as f64,
            DevicesOfGroup::Several(several) => bank.devices as f64 / several as f64,
        };
        let most = if access.neighbours && access.banks.len() == 1 {
            let of_operation = (access.groups / groups).max(1.0);
            of_operation * most_at_one(operations, (groups / access.groups).max(1.0))
        } else {
            most_at_one(access.groups * operations, groups)
        };
        if access.devices != DevicesOfGroup::Shortest || !bank.reads_any() {
            return most;
        }
        // The copies of a mirror share them, whole commands each.
        let rounds = |commands: f64| (commands / bank.group as f64).ceil();
        rounds(most.floor()) + (most - most.floor()) * (rounds(most.ceil()) - rounds(most.floor()))
    }

    /// Seconds that an operation of a class waits for devices, in a workload whose operations spend `rest`
    /// seconds of their cycle elsewhere.
    pub(crate) fn wait(&self, class: &Class, rest: f64) -> f64 {
        let accesses = class.device_waits.iter().map(|wait| match wait {
            Wait::Access(access) => access.rounds * self.round(access, class.workload, 1.0),
            Wait::Log { .. } => 0.0,
        });
        let accesses: f64 = accesses.sum();
        let logs = class.device_waits.iter().map(|wait| match wait {
            Wait::Access(_) => 0.0,
            &Wait::Log { log, bytes, count } => {
                let (count, _) = self.bound.logs[log].entries(bytes, count);
                self.log_wait(log, class.workload, count, [rest, accesses])
            }
        });
        accesses + logs.sum::<f64>()
    }

    /// Seconds until all commands of some operations that begin at once are complete, of one round.
    fn round(&self, access: &Access, workload: usize, operations: f64) -> f64 {
        let of_bank = access.banks.iter().map(|&(bank, share)| {
            let (service, variation) = self.service(bank, access);
            let queue = self.queueing_of(bank, workload, operations, Some(access));
            let commands = access.groups * access.devices.count() as f64 * operations;
            let delay = self.delay(bank, workload, &access.command, commands);
            let devices = self.bound.banks[bank].devices as f64;
            let at_once = commands.min(devices);
            let last = slowest(service, service * variation.sqrt(), queue, at_once)
                + self.banks[bank].behind_streams(&self.bound.banks[bank], at_once);
            let most = self.meeting_commands(bank, access, operations);
            share * ((most - 1.0) * service + last + delay)
        });
        of_bank.sum()
    }

    /// Threads of the workload of a class that begin their operations at once.
    pub(crate) fn together(&self, class: &Class) -> f64 {
        self.together[class.workload]
    }

    /// By wait of a class for devices, how many seconds longer the last of some operations that begin at once
    /// waits. Of rounds in sequence, the differences add by their squares.
    pub(crate) fn longer<'c>(&'c self, class: &'c Class, operations: f64) -> impl Iterator<Item = f64> + 'c {
        class.device_waits.iter().map(move |wait| match wait {
            Wait::Access(access) => {
                let [one, last] = [1.0, operations].map(|number| self.round(access, class.workload, number));
                access.rounds.sqrt() * (last - one).max(0.0)
            }
            Wait::Log { .. } => 0.0,
        })
    }

    /// The log that an operation of a class waits for, how many are released together with it, and the
    /// seconds in which as many arrive.
    pub(crate) fn released(&self, class: &Class) -> Option<(usize, f64, f64)> {
        let mut logs = class.device_waits.iter().filter_map(|wait| match wait {
            &Wait::Log { log, .. } if !self.logs[log].at_random => Some(log),
            _ => None,
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
        for Load { class, throughput } in loads {
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
pub(crate) fn commands_of(access: &Access) -> f64 {
    access.rounds * access.groups * access.devices.count() as f64
}

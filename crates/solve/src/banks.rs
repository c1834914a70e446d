//! Banks in the steady state: devices that have commands, and streams or transaction groups beside them.

use bandgraph_model::storage::Bank;

use crate::queues::Load;

/// The least share of its time that a device has for commands: more than streams need is not theirs.
pub(crate) const LEAST_ROOM: f64 = 0.005;

/// A bank in the steady state. Lengths and utilisations are those of one device, on average.
#[derive(Clone, Debug)]
pub(crate) struct BankState {
    /// Whether operations wait for it; whether it has commands, of operations or of a log; and whether it has
    /// streams or transaction groups as well.
    pub(crate) used: bool,
    pub(crate) has_commands: bool,
    pub(crate) shared: bool,
    /// Share of the time that commands leave to those.
    pub(crate) left: f64,
    /// Usable capacity over that of the part.
    pub(crate) speed: f64,
    /// Mean number of waiting commands.
    pub(crate) waiting: f64,
    /// Share of the time in service of commands that operations wait for.
    pub(crate) busy: f64,
    /// The same for a log only.
    pub(crate) busy_with_log: f64,
    /// Share of the time used by streams and transaction groups, and how many of them are there.
    pub(crate) streaming: f64,
    pub(crate) streams: f64,
    /// Deferred work by kind, units/s.
    pub(crate) deferred: Vec<f64>,
    /// Devices of the bank.
    pub(crate) devices: f64,
    /// Commands per second, and those of logs among them.
    pub(crate) commands: f64,
    pub(crate) log_commands: f64,
    /// Mean seconds of service, and its squared coefficient of variation.
    pub(crate) service: f64,
    pub(crate) variation: f64,
    /// By flow group: its share of the commands, over its threads.
    pub(crate) own: Vec<f64>,
}

impl BankState {
    /// Without load, for the usable capacity of its resource and the numbers of flow groups and of kinds of
    /// deferred work.
    pub(crate) fn new(bank: &Bank, usable: f64, flow_groups: usize, kinds: usize) -> Self {
        Self {
            used: false,
            has_commands: false,
            shared: false,
            left: 1.0,
            speed: usable / bank.per_second,
            waiting: 0.0,
            busy: 0.0,
            busy_with_log: 0.0,
            streaming: 0.0,
            streams: 0.0,
            deferred: vec![0.0; kinds],
            devices: bank.devices as f64,
            commands: 0.0,
            log_commands: 0.0,
            service: 0.0,
            variation: 0.0,
            own: vec![0.0; flow_groups],
        }
    }

    /// Ends the load of a round.
    pub(crate) fn clear(&mut self) {
        (self.busy, self.busy_with_log) = (0.0, 0.0);
        (self.streaming, self.streams) = (0.0, 0.0);
        self.deferred.fill(0.0);
        self.own.fill(0.0);
    }

    /// Adds what a class streams, or writes in transaction groups.
    pub(crate) fn add_streams(&mut self, bank: &Bank, load: &Load<'_>) {
        let (class, resource) = (load.class, bank.resources[0]);
        let Ok(at) = class.demand.binary_search_by_key(&resource, |&(of, _)| of) else {
            return;
        };
        for (_, units) in class.flowing(&class.demand[at..=at]) {
            let streaming = load.throughput * units / (bank.per_second * self.speed);
            self.streaming += streaming;
            match class.background {
                Some(background) => self.deferred[background] += streaming,
                None => self.streams += load.flows,
            }
        }
    }

    /// Adds the transaction groups to the flows: one by kind of deferred work, and of several kinds the
    /// smaller ones are written sooner.
    pub(crate) fn count_groups(&mut self) {
        let sum: f64 = self.deferred.iter().sum();
        let squares: f64 = self.deferred.iter().map(|of_kind| of_kind * of_kind).sum();
        self.streams += if squares > 0.0 { sum * sum / squares } else { 0.0 };
    }

    /// Share of its device that a command has beside streams and transaction groups. These are flows over all
    /// devices, and each command is one that needs no more than its own device: it waits for others only if
    /// there are more flows than devices.
    pub(crate) fn speed_beside_streams(&self) -> f64 {
        let commands = (self.busy * self.devices).clamp(1.0, self.devices);
        (self.devices / (commands + self.streams)).min(1.0)
    }

    /// Share of the time of the devices that streams and transaction groups leave to commands.
    pub(crate) fn room_of_commands(&self) -> f64 {
        1.0 - self.streaming.min(self.streams / (self.devices + self.streams))
    }

    /// Share of the time of the devices that commands leave to streams and transaction groups.
    pub(crate) fn room_of_streams(&self) -> f64 {
        let least = self.streams / (self.devices + self.streams);
        (1.0 - self.busy).max(least).max(LEAST_ROOM)
    }

    /// Probability that a device without commands has a stream or a transaction group, and the mean seconds
    /// that are left of its service.
    pub(crate) fn rest_of_streams(&self, bank: &Bank) -> (f64, f64) {
        let idle = (1.0 - self.busy).max(LEAST_ROOM);
        (
            (self.streaming / idle).min(1.0),
            bank.run_seconds / 2.0 / self.speed,
        )
    }

    /// Share of the commands that are not to a log.
    pub(crate) fn elsewhere(&self) -> f64 {
        let all = self.commands + self.log_commands;
        if all > 0.0 { self.commands / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_engine::fair::{FairClass, solve};
    use bandgraph_hardware::catalogue;

    use super::*;

    fn state(devices: usize, streams: f64, streaming: f64) -> BankState {
        let part = catalogue().nvme("nvme-gen4").and_then(|part| part.drive());
        let bank = Bank {
            part: part.expect("in the catalogue"),
            devices,
            group: 1,
            mirrored: false,
            span: 1.0,
            resources: vec![0],
            per_second: 1.0,
            run_seconds: 0.01,
        };
        BankState {
            streams,
            streaming,
            ..BankState::new(&bank, 1.0, 1, 0)
        }
    }

    /// Streams that always want more, and commands that take no more than their device each: the engine
    /// shares the devices among them.
    #[test]
    fn commands_beside_full_streams_have_the_share_of_the_engine() {
        for devices in [1_usize, 2, 8] {
            for commands in 1..=devices {
                for streams in [1.0, 3.0, 20.0] {
                    let class = |cap: Option<f64>, flows: f64| FairClass {
                        costs: vec![(0, 1.0)],
                        weight: 1.0,
                        cap,
                        flows,
                    };
                    let (all, commands) = (devices as f64, commands as f64);
                    let classes = [class(Some(1.0 / all), commands), class(None, streams)];
                    let shares = solve(&[1.0], &classes).expect("fair shares").rates;
                    let state = BankState {
                        busy: commands / all,
                        ..state(devices, streams, 1.0)
                    };
                    assert!((state.speed_beside_streams() - shares[0] * all).abs() < 1e-12);
                    if commands == all {
                        assert!((state.room_of_commands() - shares[0] * all).abs() < 1e-12);
                        assert!((state.room_of_streams() - shares[1] * streams).abs() < 1e-12);
                    }
                }
            }
        }
    }
}

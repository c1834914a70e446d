//! The costs of classes in the engine at the present load.

use bandgraph_engine::{ClassSpec, ResourceIndex};
use bandgraph_model::{Bound, SocketModel, SocketWork};

use super::super::feedback::Feedback;
use super::Server;

/// Rate of an operation that only waits for devices, operations/s.
const AT_ONCE: f64 = 1e12;

impl Server<'_> {
    /// A class with its present costs, with or without the resources of its client, and the coefficient of
    /// variation of its duration, which is lower if the link of its client takes longer.
    pub(super) fn spec(&self, class: usize, with_client: bool) -> (ClassSpec, f64) {
        let alone_rate = self.sharing.alone_rates[class];
        let of_class = &self.bound.classes[class];
        let latencies = self.feedback.miss_latencies();
        let work = (of_class.waited_work(), of_class.homes);
        let (mut costs, core_seconds) = self.costs(of_class.moving_demand(), work);
        if with_client {
            let own = of_class.moving_demand();
            costs.extend(own.filter_map(|(resource, units)| Some((self.own_resources[resource]?, units))));
        }
        let of_port = of_class.port_core.and_then(|core| self.resources[core]);
        costs.extend(of_port.map(|core| (core, self.bound.bound_cycles(of_class, latencies))));
        // A thread runs on one core at a time, and data move before or after that.
        let transfer = self.sharing.transfer_seconds[class];
        let mut cap = alone_rate.min(1.0 / of_class.serial.seconds(core_seconds, transfer));
        if costs.is_empty() {
            cap = cap.min(AT_ONCE);
        }
        let spec = ClassSpec {
            costs,
            weight: 1.0,
            rate_cap: (cap < f64::INFINITY).then_some(cap),
        };
        (spec, self.amounts.variation(core_seconds, alone_rate))
    }

    /// Deferred work with its present costs. It is not limited to one core per stream: it includes
    /// completions of devices, which run on any interrupted core.
    pub(super) fn spec_background(&self, index: usize) -> ClassSpec {
        let one = &self.bound.background[index];
        let (costs, _) = self.costs(one.demand.iter().copied(), (&one.work, one.homes));
        ClassSpec {
            costs,
            weight: 1.0,
            rate_cap: None,
        }
    }

    /// The costs of a demand in the engine, including cores and excluding clients, and the seconds of its
    /// work on a core.
    fn costs(
        &self,
        demand: impl Iterator<Item = (usize, f64)>,
        work: (&[SocketWork], usize),
    ) -> (Vec<(ResourceIndex, f64)>, f64) {
        let mut costs: Vec<(ResourceIndex, f64)> = demand
            .filter_map(|(resource, units)| Some((self.resources[resource]?, units)))
            .collect();
        let mut core_seconds = 0.0;
        for (socket, cycles) in core_cycles(self.bound, &self.feedback, work) {
            core_seconds += cycles / socket.clock;
            costs.extend(self.resources[socket.cpu].map(|core| (core, cycles)));
        }
        (costs, core_seconds)
    }
}

/// By socket: the cycles that work takes at the present load, for lines with these homes.
pub(super) fn core_cycles<'b>(
    bound: &'b Bound,
    feedback: &'b Feedback,
    (work, homes): (&'b [SocketWork], usize),
) -> impl Iterator<Item = (&'b SocketModel, f64)> {
    let paces = bound.fabric.of(homes, feedback.miss_latencies());
    let sockets = bound.sockets.iter().zip(work).zip(paces);
    sockets.map(|((socket, work), pace)| (socket, socket.cycles(work, pace)))
}

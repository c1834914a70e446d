//! Conversion of rates of classes and resources into an outcome, for prediction and simulation.

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::{Bound, LinkTraffic};
use bandgraph_topology::ResourceKind;
use bandgraph_units::{Bandwidth, Time};

use crate::core_use::{Work, by_operation, sockets, works};
use crate::outcome::{DeviceRates, Latency, Mode, Outcome, ResourceUse, Throughput, Totals, WorkloadOutcome};

/// The results of one class.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassTotals {
    /// Completed operations per second.
    pub operations_per_second: f64,
    /// Mean seconds from issue to reply.
    pub mean_latency: f64,
}

/// The inputs of an outcome.
pub struct Tally<'a> {
    /// The method.
    pub mode: Mode,
    /// One per class of the bound scenario.
    pub totals: &'a [ClassTotals],
    /// Use of every resource, in units per second.
    pub resource_rates: &'a [f64],
}

impl Tally<'_> {
    /// The outcome, without percentiles: those come from a simulation's histograms.
    pub fn outcome(&self, bound: &Bound) -> Outcome {
        let class_rates = self.totals.iter().map(|totals| totals.operations_per_second);
        let further = bound.further_release_bytes(class_rates, self.resource_rates);
        let works = works(bound, self.totals, self.resource_rates);
        Outcome {
            mode: self.mode,
            throughput: self.throughput(bound, |_| true),
            latency: Latency {
                mean: Time::new(self.mean_latency(bound, |_| true)),
                ..Latency::default()
            },
            resources: self.resources(bound, &further),
            sockets: sockets(bound, self.totals, &works),
            link_traffic: self.link_traffic(bound),
            workloads: self.workloads(bound, &works),
            power: bound.power.under(&self.utilisations(bound)),
            elapsed: self.elapsed(bound),
            simulated: None,
            unsettled: 0.0,
        }
    }

    /// The totals of the server.
    pub fn totals(&self, bound: &Bound) -> Totals {
        Totals {
            throughput: self.throughput(bound, |_| true),
            mean_latency: Time::new(self.mean_latency(bound, |_| true)),
        }
    }

    fn throughput(&self, bound: &Bound, counts: impl Fn(usize) -> bool) -> Throughput {
        let mut throughput = Throughput::default();
        for (class, totals) in bound.classes.iter().zip(self.totals) {
            if counts(class.workload) {
                throughput.add(class, totals.operations_per_second);
            }
        }
        throughput
    }

    fn mean_latency(&self, bound: &Bound, counts: impl Fn(usize) -> bool) -> f64 {
        let (mut operations, mut seconds) = (0.0, 0.0);
        for (class, totals) in bound.classes.iter().zip(self.totals) {
            if counts(class.workload) {
                operations += totals.operations_per_second;
                seconds += totals.operations_per_second * totals.mean_latency;
            }
        }
        if operations > 0.0 {
            seconds / operations
        } else {
            0.0
        }
    }

    fn utilisations(&self, bound: &Bound) -> Vec<f64> {
        let rates = bound.with_represented(self.resource_rates);
        let uses = bound.resources.iter().zip(rates);
        uses.map(|(resource, rate)| rate / resource.capacity).collect()
    }

    fn resources(&self, bound: &Bound, further: &[f64]) -> Vec<ResourceUse> {
        let rates = bound.with_represented(self.resource_rates);
        let uses = bound.resources.iter().zip(rates).zip(further);
        let uses = uses.zip(self.devices(bound));
        uses.map(|(((resource, rate), further), device)| ResourceUse {
            resource: resource.clone(),
            rate,
            spare_words: *further,
            device: (resource.kind == ResourceKind::Disk).then_some(device),
        })
        .collect()
    }

    /// The work of devices, by resource.
    fn devices(&self, bound: &Bound) -> Vec<DeviceRates> {
        let mut devices = vec![DeviceRates::default(); bound.resources.len()];
        for (class, totals) in bound.classes.iter().zip(self.totals) {
            for used in class.devices.iter() {
                let device = &mut devices[used.resource];
                device.commands += totals.operations_per_second * used.commands;
                device.bytes += totals.operations_per_second * used.bytes;
            }
        }
        for representatives in bound.representatives.iter() {
            for &resource in &representatives.all {
                devices[resource] = devices[representatives.index];
            }
        }
        devices
    }

    fn link_traffic(&self, bound: &Bound) -> Vec<LinkTraffic> {
        let resources = bound.resources.iter().enumerate();
        let links: Vec<usize> = resources
            .filter(|(_, resource)| resource.kind == ResourceKind::SocketLink)
            .map(|(index, _)| index)
            .collect();
        let mut link_of = vec![None; bound.resources.len()];
        for (link, &resource) in links.iter().enumerate() {
            link_of[resource] = Some(link);
        }
        let mut bytes = vec![[0.0; Cause::ALL.len()]; links.len()];
        for (class, totals) in bound.classes.iter().zip(self.totals) {
            for traffic in class.traffic.iter() {
                let Some(link) = link_of[traffic.resource] else {
                    continue;
                };
                for (sum, per_operation) in bytes[link].iter_mut().zip(traffic.by_cause) {
                    *sum += totals.operations_per_second * per_operation;
                }
            }
        }
        let links = links.into_iter().zip(bytes);
        links
            .map(|(index, bytes)| LinkTraffic {
                id: bound.resources[index].id.clone(),
                by_cause: Cause::ALL
                    .iter()
                    .copied()
                    .zip(bytes.map(Bandwidth::new))
                    .collect(),
            })
            .collect()
    }

    fn workloads(&self, bound: &Bound, works: &[Work<'_>]) -> Vec<WorkloadOutcome> {
        let ids = bound.workloads.iter().enumerate();
        ids.map(|(index, id)| {
            let throughput = self.throughput(bound, |workload| workload == index);
            let mean = self.mean_latency(bound, |workload| workload == index);
            WorkloadOutcome {
                id: id.clone(),
                latency: Latency {
                    mean: Time::new(mean),
                    ..Latency::default()
                },
                precision: None,
                // Little's law; a simulation counts.
                outstanding: throughput.operations.get() * mean,
                throughput,
                offered: None,
                cache: bound.caches[index].data,
                metadata: bound.caches[index].metadata,
                elapsed: self.elapsed_of(bound, index),
                operations: by_operation(bound, self.totals, works, index),
            }
        })
        .collect()
    }

    /// All workloads start together, and the last job of the slowest is the end.
    fn elapsed(&self, bound: &Bound) -> Option<Time> {
        let workloads = 0..bound.workloads.len();
        workloads
            .filter_map(|workload| self.elapsed_of(bound, workload))
            .max_by(|a, b| a.get().total_cmp(&b.get()))
    }

    /// Operations of all jobs, at the rate of the run.
    fn elapsed_of(&self, bound: &Bound, workload: usize) -> Option<Time> {
        let operations = bound.batches[workload]?;
        let rate = self.throughput(bound, |other| other == workload).operations.get();
        (rate > 0.0).then(|| Time::new(operations / rate))
    }
}

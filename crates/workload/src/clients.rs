//! Client machines: count, network cards, processors, ports of the server.

use std::collections::BTreeMap;

use bandgraph_config::{FieldError, FieldValue, Figure, KnownFigure, Shape, settings};
use bandgraph_units::{Bandwidth, Frequency, Time};

use crate::invalid::{InvalidField, Problem, check_names, within_ranges};
use crate::shapes::Ports;

/// The maximum number of clients in a group.
pub const MAX_CLIENTS: u32 = 1_000_000;
/// The maximum number of network cards of a client.
pub const MAX_CLIENT_NICS: u32 = 64;
/// The maximum number of concurrent jobs on a client.
pub const MAX_JOB_SLOTS: u32 = 4096;
/// The maximum number of connections of a client's card.
pub const MAX_CONNECTIONS: u32 = 65_536;
/// The maximum number of cores of a client.
const MAX_CORES: u32 = 1024;

settings! {
    /// The network cards of each client of a group.
    pub struct ClientNics as "nics" {
        /// How many a client has.
        count: u32 = 1, at_least(1), at_most(MAX_CLIENT_NICS);
        /// Line rate of each in each direction.
        rate: Bandwidth = "1 Gbit/s", positive, at_most(1e12);
        /// Rate of both directions together, where it is less than twice the rate of one.
        duplex_rate: Bandwidth = "0 B/s", optional, positive, at_most(2e12);
        /// How long a reply waits on average for the interrupt that announces it to the client.
        interrupt_delay: Time = "0 s", at_most(1), uncertain;
        /// Connections through each to the server. One thread at either end serves what a connection carries.
        /// As many as the protocol makes, and no limit to the cores of the client, if left out.
        connections: u32 = 0, optional, at_least(1), at_most(MAX_CONNECTIONS);
        /// Cores of the client that take the interrupts of each; matters where interrupts cost cycles
        /// (`processors`).
        interrupt_cores: u32 = 1, at_least(1), at_most(MAX_CORES);
    }
}

impl Copy for ClientNics {}

settings! {
    /// The processors of each client of a group, and what an operation costs there. The cores are shared
    /// evenly by the client's network cards, and a thread uses one core at a time.
    pub struct ClientProcessors as "processors" {
        /// Cores of a client.
        cores: u32 = 0, required, at_least(1), at_most(MAX_CORES);
        /// Clock of a core.
        clock: Frequency = "1 GHz", required, positive, at_least(1), at_most(1e11), uncertain;
        /// Cycles that an operation costs, whatever its size.
        cycles_per_operation: f64 = 0, at_most(1e12), uncertain;
        /// Cycles that a byte of payload costs.
        cycles_per_byte: f64 = 0, at_most(1e6), uncertain;
        /// Cycles that a frame costs, received or sent, on the cores that take its card's interrupts.
        interrupt_cycles_per_packet: f64 = 0, at_most(1e9), uncertain;
    }
}

impl Copy for ClientProcessors {}

impl ClientProcessors {
    /// Client cycles of an operation with this payload; zero if client processors are not modelled as a
    /// limit.
    pub fn cycles(&self, payload_bytes: f64) -> f64 {
        if self.cores == 0 {
            0.0
        } else {
            self.cycles_per_operation + self.cycles_per_byte * payload_bytes
        }
    }

    /// Cycles on the cores that take the interrupts of their card, for this number of frames in both
    /// directions; zero if client processors are not modelled as a limit.
    pub fn interrupt_cycles(&self, frames: f64) -> f64 {
        if self.cores == 0 {
            0.0
        } else {
            self.interrupt_cycles_per_packet * frames
        }
    }
}

settings! {
    /// A group of like machines that use the server.
    pub struct ClientGroup as "clients" by "id" {
        /// Its name, by which other entries, `--set` and reports call it.
        id: String as Shape::Id;
        /// How many machines.
        count: u32 = 1, at_least(1), at_most(MAX_CLIENTS), uncertain;
        /// The network cards of each.
        nics: ClientNics, or_empty;
        /// The processors of each; never the limit if left out.
        processors: ClientProcessors, optional;
        /// The switch that joins them to the server; without one the network is never the limit.
        network: Option<String> as Shape::Reference("network");
        /// Jobs that a client runs at a time, of all workloads with a `job` together: the batch is then
        /// played job by job, each started in random order where most slots are free.
        job_slots: Option<u32>, at_least(1), at_most(MAX_JOB_SLOTS);
        /// Shortest time between the starts of two jobs on one client, as a scheduler keeps it; matters only
        /// with `job_slots`.
        job_interval: Time = "0 s", at_most(1e6);
        /// The server's ports that they use, as `nic0.0`; spread evenly over all ports if left out.
        ports: Vec<String> as Shape::Custom(&Ports);
        own {
            /// The fields that a file gives with a range or a source, by their paths.
            figures: BTreeMap<String, Figure> = BTreeMap::new();
        }
    }
}

impl ClientGroup {
    /// One client with default values: one port of gigabit Ethernet, connected to all ports of the server.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Its figures with their values, each with the path of its field.
    pub fn known_figures(&self) -> impl Iterator<Item = (&str, KnownFigure)> {
        self.figures.iter().filter_map(|(path, figure)| {
            let (field, value) = match path.split_once('.') {
                Some(("nics", field)) => (ClientNics::KIND.field(field)?, self.nics.get(field)?),
                Some((_, field)) => (ClientProcessors::KIND.field(field)?, self.processors.get(field)?),
                None => (Self::KIND.field(path)?, self.get(path)?),
            };
            Some((path.as_str(), KnownFigure::new(field, value, figure.clone())))
        })
    }

    /// Sets the field at a path of [`figures`](Self::figures).
    ///
    /// # Errors
    ///
    /// The field does not exist, or does not permit the value; nothing changes then.
    pub fn set_at(&mut self, path: &str, value: FieldValue) -> Result<(), FieldError> {
        match path.split_once('.') {
            Some(("nics", field)) => self.nics.set(field, value),
            Some((_, field)) => self.processors.set(field, value),
            None => self.set(path, value),
        }
    }

    /// Every field that is out of its range; empty if there is none.
    pub fn validate(&self) -> Vec<InvalidField> {
        let mut invalid = within_ranges(|found| self.check("", found));
        if self.id.is_empty() {
            invalid.push(Problem::Empty.of("id"));
        }
        check_names("ports", &self.ports, &mut invalid);
        invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalid::named;

    /// The clients of the 7410 tests: 20 with two gigabit ports each.
    fn clients() -> ClientGroup {
        ClientGroup {
            count: 20,
            nics: ClientNics {
                count: 2,
                ..ClientNics::default()
            },
            ..ClientGroup::new("clients")
        }
    }

    fn problems(group: &ClientGroup) -> Vec<(String, &'static str)> {
        crate::invalid::ids(group.validate())
    }

    #[test]
    fn defaults_are_valid() {
        assert_eq!(ClientGroup::new("c").validate(), []);
        assert_eq!(clients().validate(), []);
    }

    #[test]
    fn every_field_has_its_range() {
        let bad = ClientGroup {
            id: String::new(),
            count: 0,
            nics: ClientNics {
                count: 0,
                rate: Bandwidth::ZERO,
                duplex_rate: Bandwidth::new(-1.0),
                interrupt_delay: Time::new(2.0),
                connections: MAX_CONNECTIONS + 1,
                interrupt_cores: 0,
            },
            processors: ClientProcessors {
                cores: 2000,
                clock: Frequency::ZERO,
                cycles_per_operation: -1.0,
                cycles_per_byte: f64::NAN,
                interrupt_cycles_per_packet: 2e9,
            },
            network: None,
            job_slots: Some(5000),
            job_interval: Time::new(-1.0),
            ports: vec!["nic0.0".to_owned(), String::new(), "nic0.0".to_owned()],
            figures: BTreeMap::new(),
        };
        assert_eq!(
            problems(&bad),
            named(&[
                ("count", "workload::too_small"),
                ("nics.count", "workload::too_small"),
                ("nics.rate", "workload::not_positive"),
                ("nics.duplex_rate", "workload::not_positive"),
                ("nics.interrupt_delay", "workload::too_large"),
                ("nics.connections", "workload::too_large"),
                ("nics.interrupt_cores", "workload::too_small"),
                ("processors.cores", "workload::too_large"),
                ("processors.clock", "workload::not_positive"),
                ("processors.cycles_per_operation", "workload::too_small"),
                ("processors.cycles_per_byte", "workload::not_finite"),
                ("processors.interrupt_cycles_per_packet", "workload::too_large"),
                ("job_slots", "workload::too_large"),
                ("job_interval", "workload::too_small"),
                ("id", "workload::empty"),
                ("ports", "workload::empty"),
                ("ports", "workload::repeated"),
            ])
        );
    }

    #[test]
    fn limits_themselves_are_allowed() {
        let largest = ClientGroup {
            count: MAX_CLIENTS,
            nics: ClientNics {
                count: MAX_CLIENT_NICS,
                rate: Bandwidth::new(1e12),
                duplex_rate: Bandwidth::new(2e12),
                interrupt_delay: Time::new(1.0),
                connections: MAX_CONNECTIONS,
                interrupt_cores: MAX_CORES,
            },
            ..clients()
        };
        assert_eq!(problems(&largest), []);
        assert_eq!(
            problems(&ClientGroup {
                count: MAX_CLIENTS + 1,
                ..clients()
            }),
            named(&[("count", "workload::too_large")])
        );
        let endless = ClientNics {
            count: 1,
            rate: Bandwidth::new(f64::INFINITY),
            ..ClientNics::default()
        };
        assert_eq!(
            problems(&ClientGroup {
                nics: endless,
                ..clients()
            }),
            named(&[("nics.rate", "workload::not_finite")])
        );
    }
}

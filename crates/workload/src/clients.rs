//! The machines that ask: how many, over which network cards, through which ports of the server.

use bandgraph_units::{Bandwidth, Frequency, Time};

use crate::invalid::{InvalidField, Problem, Range};

/// The most clients of one group.
pub const MAX_CLIENTS: u32 = 1_000_000;
/// The most network cards of one client.
pub const MAX_CLIENT_NICS: u32 = 64;
/// The most jobs that a client runs at a time.
pub const MAX_JOB_SLOTS: u32 = 4096;
/// The most connections of one client's card.
pub const MAX_CONNECTIONS: u32 = 65_536;
/// The most cores of one client.
const MAX_CORES: u32 = 1024;
/// The fastest card of a client: 1 TB/s, above any Ethernet.
const MAX_NIC_RATE: Bandwidth = Bandwidth::new(1e12);

/// The network cards of one client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClientNics {
    /// How many, 1 to [`MAX_CLIENT_NICS`]. A client spreads its threads over them evenly.
    pub count: u32,
    /// Line rate of each in each direction, above 0 and at most 1 TB/s.
    pub rate: Bandwidth,
    /// What both directions of a card carry together, 0 to 2 TB/s: less than twice the rate where they share
    /// something. Zero: they share nothing.
    pub duplex_rate: Bandwidth,
    /// How long a reply waits on average for the interrupt that announces it to the client, 0 to 1 s.
    pub interrupt_delay: Time,
    /// Connections through each card to the server, each of which one core of the client serves at a time, 0
    /// to 65536. Zero: as many as the protocol makes, and no limit to the cores.
    pub connections: u32,
    /// Cores of the client that take the interrupts of each card, 1 to 1024; matters where interrupts cost
    /// cycles.
    pub interrupt_cores: u32,
}

/// The processors of one client, and what an operation costs there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClientProcessors {
    /// Cores of a client, 0 to 1024. Zero: a client's processors are never the limit.
    pub cores: u32,
    /// Clock of a core, above 0 and at most 100 GHz.
    pub clock: Frequency,
    /// Cycles that an operation costs, whatever its size, 0 to 10^12.
    pub cycles_per_operation: f64,
    /// Cycles that a byte of payload costs, 0 to 10^6.
    pub cycles_per_byte: f64,
    /// Cycles that a frame costs, received or sent, on the cores that take its card's interrupts, 0 to 10^9.
    pub interrupt_cycles_per_packet: f64,
}

impl Default for ClientProcessors {
    /// Processors that are never the limit.
    fn default() -> Self {
        Self {
            cores: 0,
            clock: Frequency::new(1e9),
            cycles_per_operation: 0.0,
            cycles_per_byte: 0.0,
            interrupt_cycles_per_packet: 0.0,
        }
    }
}

impl ClientProcessors {
    /// Cycles that an operation with this much payload costs; none where processors are never the limit.
    pub fn cycles(&self, payload_bytes: f64) -> f64 {
        if self.cores == 0 {
            0.0
        } else {
            self.cycles_per_operation + self.cycles_per_byte * payload_bytes
        }
    }

    /// Cycles that so many frames in both directions cost on the cores that take the interrupts of their
    /// card; none where processors are never the limit.
    pub fn interrupt_cycles(&self, frames: f64) -> f64 {
        if self.cores == 0 {
            0.0
        } else {
            self.interrupt_cycles_per_packet * frames
        }
    }
}

impl Default for ClientNics {
    /// One gigabit Ethernet port.
    fn default() -> Self {
        Self {
            count: 1,
            rate: Bandwidth::new(125e6),
            duplex_rate: Bandwidth::ZERO,
            interrupt_delay: Time::ZERO,
            connections: 0,
            interrupt_cores: 1,
        }
    }
}

/// A group of like clients.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientGroup {
    /// The group's id, not empty: what workloads name it by.
    pub id: String,
    /// How many clients, 1 to [`MAX_CLIENTS`].
    pub count: u32,
    /// The network cards of each client.
    pub nics: ClientNics,
    /// The processors of each client.
    pub processors: ClientProcessors,
    /// The id of the switch that joins them to the server; `None` where what is in between is never the
    /// limit.
    pub network: Option<String>,
    /// Jobs that a client runs at a time, of all its workloads together, 1 to 4096; the batch is then played
    /// job by job. `None`: every workload has its own `threads_per_client`, and the batch is a steady state.
    pub job_slots: Option<u32>,
    /// Shortest time between the starts of two jobs on one client, 0 to 10^6 s; matters only with
    /// `job_slots`.
    pub job_interval: Time,
    /// The server's ports that the group mounts through, as `nic0.0`, each once; empty for all ports. Whether
    /// they exist is for the user of the group to check.
    pub ports: Vec<String>,
}

impl ClientGroup {
    /// One client with defaults for everything: one port of gigabit Ethernet, all ports of the server.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            count: 1,
            nics: ClientNics::default(),
            processors: ClientProcessors::default(),
            network: None,
            job_slots: None,
            job_interval: Time::ZERO,
            ports: Vec::new(),
        }
    }

    /// Line rate of all cards of all clients in each direction.
    pub fn line_rate(&self) -> Bandwidth {
        self.nics.rate * f64::from(self.nics.count) * f64::from(self.count)
    }

    /// Every field that is out of its range; empty if all is well.
    pub fn validate(&self) -> Vec<InvalidField> {
        let mut invalid = Vec::new();
        if self.id.is_empty() {
            invalid.push(InvalidField {
                field: "id",
                problem: Problem::Empty,
            });
        }
        Range::count(1, MAX_CLIENTS).check("count", f64::from(self.count), &mut invalid);
        Range::count(1, MAX_CLIENT_NICS).check("nics.count", f64::from(self.nics.count), &mut invalid);
        Range::rate(MAX_NIC_RATE).check("nics.rate", self.nics.rate.get(), &mut invalid);
        if self.nics.duplex_rate != Bandwidth::ZERO {
            Range::rate(MAX_NIC_RATE * 2.0).check(
                "nics.duplex_rate",
                self.nics.duplex_rate.get(),
                &mut invalid,
            );
        }
        Range::number(0.0, 1.0).check(
            "nics.interrupt_delay",
            self.nics.interrupt_delay.get(),
            &mut invalid,
        );
        Range::count(0, MAX_CONNECTIONS).check(
            "nics.connections",
            f64::from(self.nics.connections),
            &mut invalid,
        );
        Range::count(1, MAX_CORES).check(
            "nics.interrupt_cores",
            f64::from(self.nics.interrupt_cores),
            &mut invalid,
        );
        let processors = &self.processors;
        Range::count(0, MAX_CORES).check("processors.cores", f64::from(processors.cores), &mut invalid);
        Range::number(0.0, 1e11)
            .positive()
            .check("processors.clock", processors.clock.get(), &mut invalid);
        for (field, value, maximum) in [
            (
                "processors.cycles_per_operation",
                processors.cycles_per_operation,
                1e12,
            ),
            ("processors.cycles_per_byte", processors.cycles_per_byte, 1e6),
            (
                "processors.interrupt_cycles_per_packet",
                processors.interrupt_cycles_per_packet,
                1e9,
            ),
        ] {
            Range::number(0.0, maximum).check(field, value, &mut invalid);
        }
        if let Some(slots) = self.job_slots {
            Range::count(1, MAX_JOB_SLOTS).check("job_slots", f64::from(slots), &mut invalid);
        }
        Range::number(0.0, 1e6).check("job_interval", self.job_interval.get(), &mut invalid);
        for (index, port) in self.ports.iter().enumerate() {
            if port.is_empty() {
                invalid.push(InvalidField {
                    field: "ports",
                    problem: Problem::Empty,
                });
            } else if self.ports[..index].contains(port) {
                invalid.push(InvalidField {
                    field: "ports",
                    problem: Problem::Repeated { entry: port.clone() },
                });
            }
        }
        invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn problems(group: &ClientGroup) -> Vec<(&'static str, &'static str)> {
        group
            .validate()
            .iter()
            .map(|invalid| (invalid.field, invalid.problem.id()))
            .collect()
    }

    #[test]
    fn defaults_are_valid() {
        assert_eq!(ClientGroup::new("c").validate(), []);
        assert_eq!(clients().validate(), []);
        assert_eq!(clients().line_rate(), Bandwidth::new(5e9));
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
        };
        assert_eq!(
            problems(&bad),
            [
                ("id", "workload::empty"),
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
                ("ports", "workload::empty"),
                ("ports", "workload::repeated"),
            ]
        );
    }

    #[test]
    fn limits_themselves_are_allowed() {
        let largest = ClientGroup {
            count: MAX_CLIENTS,
            nics: ClientNics {
                count: MAX_CLIENT_NICS,
                rate: MAX_NIC_RATE,
                duplex_rate: MAX_NIC_RATE * 2.0,
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
            [("count", "workload::too_large")]
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
            [("nics.rate", "workload::not_finite")]
        );
    }
}

//! Power of the server: the idle power of every component, and the rest of its active power in proportion to
//! its utilisation.
//!
//! ```text
//! power = idle + (active − idle) × utilisation
//! ```
//!
//! Linear power over utilisation is the usual model of servers (Fan, Weber and Barroso, "Power provisioning
//! for a warehouse-sized computer", ISCA 2007, who find it within a few percent on whole servers). Losses of
//! power supplies are added at their location: in the chassis, and in enclosures with their own supplies.
//! Parts without power figures count as zero, and the result contains their number.

use bandgraph_hardware::PartKind;
use bandgraph_topology::{Resource, ResourceId, Role, Topology};
use bandgraph_units::Power;

use crate::Scenario;
use crate::storage::SsdSeat;

/// Power of all components of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerUse {
    /// The kind of component.
    pub kind: PartKind,
    /// Number of components: modules, for memory.
    pub count: u64,
    /// Number of components without power figures.
    pub unknown: u64,
    /// Idle power of all of them, behind the power supplies.
    pub idle: Power,
    /// Power of all of them in this run, behind the power supplies.
    pub drawn: Power,
}

/// Power of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerPower {
    /// Idle power at the wall, before the power supplies.
    pub idle: Power,
    /// Power in this run, at the wall.
    pub drawn: Power,
    /// Part of it lost in the power supplies.
    pub supply_loss: Power,
    /// Components by kind, in the order of the kinds of parts; only kinds that are present.
    pub by_kind: Vec<PowerUse>,
}

impl ServerPower {
    /// Operations per joule, equal to operations/s per watt. `None` without power.
    pub fn operations_per_watt(&self, operations_per_second: f64) -> Option<f64> {
        let drawn = self.drawn.get();
        (drawn > 0.0).then(|| operations_per_second / drawn)
    }
}

/// Identical components.
#[derive(Clone, Debug)]
struct Component {
    kind: PartKind,
    count: u64,
    /// Watts of each, idle and fully used.
    idle: f64,
    active: f64,
    /// Resources whose mean utilisation determines its power; idle if there are none.
    resources: Vec<usize>,
    /// Efficiency of its power supply.
    efficiency: f64,
}

/// The components of a server and the resources that determine their utilisation.
#[derive(Clone, Debug, Default)]
pub struct PowerModel {
    components: Vec<Component>,
}

impl PowerModel {
    /// The components of a scenario's server. `resources` are all resources of its run, including SSDs.
    pub(crate) fn new(scenario: &Scenario, resources: &[Resource]) -> Self {
        let topology = &scenario.topology;
        let supply = topology
            .chassis()
            .map_or(1.0, |chassis| chassis.supply_efficiency.get());
        let mut model = Self::default();
        model.sockets(topology, supply);
        model.bridges_and_cards(topology, supply);
        model.enclosures(topology, supply);
        model.ssds(scenario, resources, supply);
        model
    }

    fn add(&mut self, kind: PartKind, count: u64, watts: [Power; 2], resources: Vec<usize>, efficiency: f64) {
        let [idle, active] = watts.map(Power::get);
        self.components.push(Component {
            kind,
            count,
            idle,
            // A part with only an idle power always draws that.
            active: active.max(idle),
            resources,
            efficiency,
        });
    }

    fn sockets(&mut self, topology: &Topology, supply: f64) {
        for socket in topology.sockets() {
            let part = &socket.part;
            let watts = [part.idle_power, part.active_power];
            self.add(
                PartKind::Socket,
                1,
                watts,
                vec![socket.cpu_resource.index()],
                supply,
            );
            let memory = &socket.memory.part;
            let modules = u64::from(socket.memory.channels) * memory.modules_per_channel;
            let watts = [memory.idle_power, memory.active_power];
            self.add(
                PartKind::Memory,
                modules,
                watts,
                vec![socket.memory_resource.index()],
                supply,
            );
        }
        if let Some(chassis) = topology.chassis() {
            let cores = topology
                .sockets()
                .iter()
                .map(|socket| socket.cpu_resource.index());
            let watts = [chassis.idle_power, chassis.active_power];
            self.add(PartKind::Chassis, 1, watts, cores.collect(), supply);
        }
    }

    fn bridges_and_cards(&mut self, topology: &Topology, supply: f64) {
        for bridge in topology.bridges() {
            let watts = [bridge.part.idle_power, bridge.part.active_power];
            let uplink = bridge.uplink.iter();
            let links = uplink.flat_map(|uplink| [uplink.inbound.index(), uplink.outbound.index()]);
            self.add(PartKind::Bridge, 1, watts, links.collect(), supply);
        }
        for (index, card) in topology.cards().iter().enumerate() {
            let ports = topology.ports()[card.ports.clone()].iter();
            let ports = ports.flat_map(|port| [port.inbound, port.outbound]);
            let sas_ports = topology.sas_ports().iter().filter(|port| port.card == index);
            let sas_ports = sas_ports.flat_map(|port| [port.inbound, port.outbound]);
            let drives = topology.jbods().iter().filter(|jbod| jbod.card() == Some(index));
            let drives = drives.flat_map(|drive| drive.disks.iter().copied());
            let resources = ports.chain(sas_ports).chain(drives).map(ResourceId::index);
            self.add(
                card.part.kind(),
                1,
                card.part.power(),
                resources.collect(),
                supply,
            );
        }
    }

    fn enclosures(&mut self, topology: &Topology, supply: f64) {
        for (index, jbod) in topology.jbods().iter().enumerate() {
            let Some(part) = &jbod.part else { continue };
            let efficiency = efficiency_in(topology, index, supply);
            let watts = [part.idle_power; 2];
            self.add(PartKind::Jbod, 1, watts, Vec::new(), efficiency);
            let watts = jbod.disk.power();
            let disks = jbod.disks.iter().map(|disk| disk.index()).collect();
            self.add(PartKind::Disk, jbod.disks.len() as u64, watts, disks, efficiency);
        }
    }

    fn ssds(&mut self, scenario: &Scenario, resources: &[Resource], supply: f64) {
        let topology = &scenario.topology;
        for (index, ssd) in scenario.storage.ssds.iter().enumerate() {
            let role = Role::Ssd { ssd: index };
            let resource = resources.iter().position(|resource| resource.role == role);
            let jbod = match &ssd.seat {
                SsdSeat::Jbod(seat) => topology.jbods().iter().position(|jbod| jbod.id == *seat),
                SsdSeat::Bridge(_) => None,
            };
            let efficiency = jbod.map_or(supply, |jbod| efficiency_in(topology, jbod, supply));
            let watts = [ssd.part.idle_power, ssd.part.active_power];
            self.add(
                PartKind::Ssd,
                1,
                watts,
                resource.into_iter().collect(),
                efficiency,
            );
        }
    }

    /// Power at the given utilisations of resources, as shares of the raw capacity. `None` without a chassis:
    /// cards and processors alone are not a server.
    pub fn under(&self, utilisations: &[f64]) -> Option<ServerPower> {
        let mut power = ServerPower {
            idle: Power::ZERO,
            drawn: Power::ZERO,
            supply_loss: Power::ZERO,
            by_kind: Vec::new(),
        };
        for &kind in PartKind::ALL {
            let mut sum = PowerUse {
                kind,
                count: 0,
                unknown: 0,
                idle: Power::ZERO,
                drawn: Power::ZERO,
            };
            for component in self.components.iter().filter(|component| component.kind == kind) {
                let (idle, drawn) = component.watts(utilisations);
                sum.count += component.count;
                // An enclosure without figures is fed by its server.
                if component.active == 0.0 && kind != PartKind::Jbod {
                    sum.unknown += component.count;
                }
                sum.idle += Power::new(idle);
                sum.drawn += Power::new(drawn);
                power.idle += Power::new(idle / component.efficiency);
                power.drawn += Power::new(drawn / component.efficiency);
                power.supply_loss += Power::new(drawn / component.efficiency - drawn);
            }
            if sum.count > 0 {
                power.by_kind.push(sum);
            }
        }
        let cased = self
            .components
            .iter()
            .any(|component| component.kind == PartKind::Chassis);
        cased.then_some(power)
    }
}

impl Component {
    /// Watts of all of them, idle and at the given utilisations.
    fn watts(&self, utilisations: &[f64]) -> (f64, f64) {
        let count = self.count as f64;
        let used: f64 = self
            .resources
            .iter()
            .map(|&resource| utilisations[resource])
            .sum();
        let used = if self.resources.is_empty() {
            0.0
        } else {
            used / self.resources.len() as f64
        };
        (
            count * self.idle,
            count * (self.idle + (self.active - self.idle) * used),
        )
    }
}

/// Efficiency of the power supplies of an enclosure: its own, or those of the server.
fn efficiency_in(topology: &Topology, jbod: usize, supply: f64) -> f64 {
    match &topology.jbods()[jbod].part {
        Some(part) if part.supply_efficiency.get() > 0.0 => part.supply_efficiency.get(),
        _ => supply,
    }
}

//! Capacities of resources, computed from their elements.

use bandgraph_hardware::memory::{controller_capacity, sustained_share};
use bandgraph_hardware::{PcieSlotSpec, SocketLinkPart};
use bandgraph_units::Bandwidth;

use crate::model::{SasPort, Socket};
use crate::role::{Direction, Role};
use crate::table::Table;

impl Table {
    /// Computes the capacities of all resources from the elements.
    pub(crate) fn set_capacities(&mut self) {
        self.limit_drives();
        for index in 0..self.resources.len() {
            if let Some([capacity, ceiling]) = self.capacity(self.resources[index].role) {
                self.resources.set_capacity(index, capacity, ceiling);
            }
            let resource = &self.resources[index];
            let usable = resource.usable();
            assert!(
                usable.is_finite() && usable > 0.0,
                "fields within their ranges give finite capacities above zero, but `{}` has {usable}",
                resource.id
            );
        }
    }

    /// Gives the drives of enclosures no more than their paths carry for one of them.
    fn limit_drives(&mut self) {
        for jbod in &mut self.jbods {
            let ports = jbod.sas_ports().map(|port| &self.sas_ports[port]);
            let ports = ports.filter_map(|port| self.cards[port.card].part.wide_ports());
            let rate: f64 = ports.map(|ports| ports.rate_of_a_drive().get()).sum();
            if rate > 0.0 {
                jbod.disk.limit_rate(Bandwidth::new(rate));
            }
        }
    }

    /// The raw capacity of a resource and its usable share; `None` for roles outside of a topology.
    fn capacity(&self, role: Role) -> Option<[f64; 2]> {
        let of_link = |part: &SocketLinkPart| [part.raw_bandwidth().get(), part.usable_share().get()];
        let of_pcie = |trained: PcieSlotSpec| {
            let ceiling = 1.0 - trained.generation.ordered_sets().get();
            [trained.raw_bandwidth().get(), ceiling]
        };
        let whole = |capacity: f64| [capacity, 1.0];
        Some(match role {
            Role::SocketLink { link, .. } => of_link(&self.links[link].part),
            Role::Memory { socket } => {
                let Socket { part, memory, .. } = &self.sockets[socket];
                let capacity = controller_capacity(&memory.part, memory.channels);
                [capacity.get(), sustained_share(&memory.part, part)]
            }
            Role::Dies { socket, direction } => {
                let [read, write] = self.sockets[socket].part.die_rates()?;
                whole(if direction == Direction::In { read } else { write })
            }
            Role::FrontSideBus { socket } => whole(self.sockets[socket].part.front_side_bus.get()),
            Role::Cpu { socket } => whole(self.sockets[socket].part.cycles_per_second().get()),
            Role::Bridge { bridge, .. } => of_link(&self.bridges[bridge].uplink.as_ref()?.part),
            Role::Switch { switch, .. } => of_pcie(self.switches[switch].trained),
            Role::Slot { slot, .. } => {
                let card = self.slots[slot].card?;
                of_pcie(self.cards[card].seat_in(slot)?.trained)
            }
            Role::Port { port, .. } => whole(self.ports[port].kind.rate.get()),
            Role::Sas { port, .. } => {
                let SasPort { card, jbods, .. } = &self.sas_ports[port];
                let adapter = self.cards[*card].part.wide_ports()?.rate.get();
                // The expander of the first enclosure of a chain is at the other end.
                let first = jbods.first().and_then(|&jbod| self.jbods[jbod].part.as_ref());
                let expander = first.map_or(0.0, |part| part.port_rate.get());
                whole(if expander > 0.0 {
                    adapter.min(expander)
                } else {
                    adapter
                })
            }
            Role::Adapter { card } => whole(self.cards[card].part.processor()?.rate.get()),
            Role::Disk { jbod, .. } => whole(self.jbods[jbod].disk.fastest_rate().get()),
            // Depends on routes as well.
            Role::Remote { .. }
            | Role::Ssd { .. }
            | Role::Processes { .. }
            | Role::ServerProcesses
            | Role::Array { .. }
            | Role::Client { .. }
            | Role::Network { .. } => return None,
        })
    }
}

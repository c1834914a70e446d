//! Transactions in flight between sockets: how many lines the cores of a socket, or its root complexes, have
//! in flight at the memory of another at most.
//!
//! A home divides the entries of its tracker among those that ask it. Each waits for a line as long as an
//! idle read of that memory takes, so that entries × line ÷ latency limits the rate between both, whatever
//! the links carry. The latency is that of `hardware::hypertransport` over the routes, for cores and cards.

use bandgraph_hardware::Probing;
use bandgraph_hardware::hypertransport::{LinePath, ProbePath};
use bandgraph_units::Time;

use crate::resource::{Resource, ResourceId, Unit};
use crate::role::Role;
use crate::table::{NOT_YET, Table};
use crate::topology::Topology;

impl Table {
    /// Per pair of sockets (from × sockets + home): the resources of the transactions in flight of cores and
    /// of cards, where their number limits.
    pub(crate) fn remote_pairs(&self) -> Vec<Option<[Resource; 2]>> {
        let sockets = self.sockets.iter().enumerate();
        let pairs = sockets.flat_map(|from| self.sockets.iter().enumerate().map(move |home| (from, home)));
        let resources = pairs.map(|((from, asking), (home, asked))| {
            let is_limit = asking.of != asked.of && asked.part.transactions_each(1).is_some();
            let resource = |who: &str, cards| {
                Resource::new(
                    format!("remote.{}-{}.{who}", asking.id, asked.id),
                    Role::Remote { from, home, cards },
                    [&asked.id; 2],
                    NOT_YET,
                    Unit::BytesPerSecond,
                    &asked.part.name,
                )
            };
            is_limit.then(|| [resource("cores", false), resource("cards", true)])
        });
        resources.collect()
    }
}

impl Topology {
    /// The resources of the transactions in flight of a socket at the memory of another: those of its cores,
    /// then those of its root complexes. `None` where nothing limits their number. Sockets are indices.
    pub fn remote(&self, from: usize, home: usize) -> Option<[ResourceId; 2]> {
        *self.table().remote.get(self.pair(from, home))?
    }

    /// The time of an idle read of the memory of `home` by `from`: the longer of the paths by memory and by
    /// the slowest probe.
    pub fn idle_latency(&self, from: usize, home: usize) -> Time {
        let sockets = self.sockets();
        let mut hops = vec![Time::ZERO; self.resources().len()];
        for link in self.links() {
            for resource in link.resources {
                hops[resource.index()] = link.part.hop_latency;
            }
        }
        let time = |route: &[(ResourceId, f64)]| -> Time {
            let crossed = route.iter();
            crossed.map(|&(link, share)| hops[link.index()] * share).sum()
        };
        let part = &sockets[home].part;
        let path = LinePath {
            request: time(self.route(from, home)),
            memory: part.local_latency,
            data: time(self.response_route(home, from)),
            probe_latency: part.probe_latency,
        };
        let others = (0..sockets.len()).filter(|&other| other != home && other != from);
        let probes = others
            .filter(|_| part.probes != Probing::Filter)
            .map(|other| ProbePath {
                probe: time(self.route(home, other)),
                response: time(self.response_route(other, from)),
            });
        path.latency(probes)
    }

    /// Sets the capacities of transactions in flight, which depend on routes.
    pub(crate) fn set_remote_capacities(&mut self) {
        for index in 0..self.resources().len() {
            let Role::Remote { from, home, cards } = self.resources()[index].role else {
                continue;
            };
            let part = &self.sockets()[home].part;
            // Nodes of a socket share what it has.
            let nodes = |of: usize| self.sockets().iter().filter(|node| node.of == of).count();
            if let Some(each) = part.transactions_each(self.spec().sockets.len()) {
                let in_flight = each[usize::from(cards)] / nodes(self.sockets()[from].of) as f64;
                let latency = self.idle_latency(from, home);
                let rate = in_flight * part.line_size.get() / latency.get();
                self.table_mut().resources.set_capacity(index, rate, 1.0);
            }
        }
    }
}

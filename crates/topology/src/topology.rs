//! A checked topology.

use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::{Arc, OnceLock};

use bandgraph_config::{FieldError, FieldValue};
use bandgraph_hardware::ChassisPart;

use crate::error::TopologyError;
use crate::graph::{self, Graph};
use crate::model::{Bridge, Card, DrivePath, Jbod, Link, Port, SasPort, Slot, Socket, Switch};
use crate::resource::{Resource, ResourceId, ResourceTable};
use crate::routing::Paths;
use crate::spec::TopologySpec;
use crate::table::{self, Table};
use crate::{check, dot, nodes, resolve};

/// A server as a graph of resources. The [crate's documentation](crate) lists its guarantees.
#[derive(Clone, Debug)]
pub struct Topology {
    spec: TopologySpec,
    table: Table,
    /// Built on first use.
    graph: OnceLock<Graph>,
    routes: Arc<Routes>,
    build: Arc<()>,
}

/// The identity of a topology, while it is held. Clones of a topology have the same identity.
#[derive(Clone, Debug)]
pub struct TopologyIdentity {
    build: Arc<()>,
    ids: Arc<BTreeMap<String, ResourceId>>,
    routes: Arc<Routes>,
}

impl TopologyIdentity {
    /// Whether it is the identity of `topology`.
    pub fn is_of(&self, topology: &Topology) -> bool {
        Arc::ptr_eq(&self.build, &topology.build)
    }

    /// Whether both are the same server with other figures: the same elements with the same resources, and
    /// the same routes with the same shares.
    pub fn has_structure_of(&self, topology: &Topology) -> bool {
        Arc::ptr_eq(&self.ids, &topology.table.by_id) && Arc::ptr_eq(&self.routes, &topology.routes)
    }
}

/// A new value for a figure of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct PartFigure {
    /// The part, by its index in [`TopologySpec::parts`].
    pub part: usize,
    /// The name of its field.
    pub field: &'static str,
    /// Its value.
    pub value: FieldValue,
}

/// A list of directed links and the share of the traffic that each carries.
type Shares = Vec<(ResourceId, f64)>;

/// Routes between sockets as flat lists, at `from * sockets + to`.
#[derive(Clone, Debug)]
struct Routes {
    /// All sockets of each route.
    paths: Vec<Vec<usize>>,
    /// The links of each route.
    links: Vec<Shares>,
    /// The links of each route of responses.
    responses: Vec<Shares>,
    /// The sockets of each route of responses.
    response_paths: Vec<Vec<usize>>,
    /// The links of each hop; empty for sockets without a common link.
    hops: Vec<Shares>,
    /// The links of each socket's broadcast.
    trees: Vec<Shares>,
    /// The hops of each socket's broadcast, as sockets.
    tree_hops: Vec<Vec<[usize; 2]>>,
}

impl Topology {
    /// Checks a specification and builds its graph.
    ///
    /// # Errors
    ///
    /// Every error of the specification: see [`TopologyError`].
    pub fn build(spec: TopologySpec) -> Result<Self, Vec<TopologyError>> {
        let mut errors = Vec::new();
        check::counts(&spec, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        resolve::ids(&spec, &mut errors);
        check::values(&spec, &mut errors);
        nodes::check(&spec, &mut errors);
        let references = resolve::references(&spec, &mut errors);
        check::links(&spec, &references, &mut errors);
        check::seats(&spec, &references, &mut errors);
        check::jbods(&spec, &references, &mut errors);
        check::routes(&spec, &references, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let graph = spec.in_nodes();
        let references = if spec.is_divided() {
            resolve::references(&graph, &mut errors)
        } else {
            references
        };
        let resolved = references
            .complete()
            .expect("a name that names nothing is an error");
        let table = table::build(&graph, &spec.socket_of_nodes(), &resolved)?;
        let paths = Paths::find(graph.sockets.len(), &resolved.links, &resolved.routes);
        let routes = Routes::new(&table, &paths, &resolved.response_routes);
        drop(graph);
        let mut topology = Self {
            spec,
            table,
            graph: OnceLock::new(),
            routes: Arc::new(routes),
            build: Arc::default(),
        };
        topology.set_remote_capacities();
        Ok(topology)
    }

    /// Sets figures of its parts. This is much faster than [`build`](Self::build): elements, resources and
    /// routes stay the same, and only capacities are computed again. The result counts as another server,
    /// with its own identity.
    ///
    /// # Errors
    ///
    /// The first value that its field does not permit. Figures before it are already set, but capacities are
    /// not yet computed from them: set all figures again.
    ///
    /// # Panics
    ///
    /// If the specification has no such part.
    pub fn set_figures(&mut self, figures: impl IntoIterator<Item = PartFigure>) -> Result<(), FieldError> {
        let mut parts = self.spec.parts_mut();
        for figure in figures {
            parts[figure.part].set(figure.field, figure.value)?;
        }
        self.table.take_parts_of(&self.spec);
        let hops = hop_shares(&self.table);
        if hops != self.routes.hops {
            self.routes = Arc::new(self.routes.with_shares(hops));
        }
        self.set_remote_capacities();
        self.build = Arc::default();
        Ok(())
    }

    /// Its identity among topologies.
    pub fn identity(&self) -> TopologyIdentity {
        TopologyIdentity {
            build: Arc::clone(&self.build),
            ids: Arc::clone(&self.table.by_id),
            routes: Arc::clone(&self.routes),
        }
    }

    /// The name of the server.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The specification it was built from.
    pub fn spec(&self) -> &TopologySpec {
        &self.spec
    }

    /// Its chassis; `None` if unspecified.
    pub fn chassis(&self) -> Option<&ChassisPart> {
        self.spec.chassis.as_ref()
    }

    /// All resources, in the order in the crate's documentation. Copies for runs share their ids and
    /// capacities.
    pub fn resources(&self) -> &ResourceTable {
        &self.table.resources
    }

    /// The resource with an id such as `link.cpu0-cpu1`.
    pub fn resource(&self, id: &str) -> Option<&Resource> {
        self.resource_id(id).map(|id| &self[id])
    }

    /// The index of the resource with an id such as `link.cpu0-cpu1`.
    pub fn resource_id(&self, id: &str) -> Option<ResourceId> {
        self.table.by_id.get(id).copied()
    }

    /// Sockets, in file order; those that are divided as their NUMA nodes.
    pub fn sockets(&self) -> &[Socket] {
        &self.table.sockets
    }

    /// Links between sockets, in file order.
    pub fn links(&self) -> &[Link] {
        &self.table.links
    }

    /// Bridges, in file order.
    pub fn bridges(&self) -> &[Bridge] {
        &self.table.bridges
    }

    /// The index of the bridge with this id.
    pub fn bridge_index(&self, id: &str) -> Option<usize> {
        self.bridges().iter().position(|bridge| bridge.id == id)
    }

    /// PCI Express switches, in file order.
    pub fn switches(&self) -> &[Switch] {
        &self.table.switches
    }

    /// Slots, in file order.
    pub fn slots(&self) -> &[Slot] {
        &self.table.slots
    }

    /// The index of the slot with this id.
    pub fn slot_index(&self, id: &str) -> Option<usize> {
        self.slots().iter().position(|slot| slot.id == id)
    }

    /// Cards, in file order.
    pub fn cards(&self) -> &[Card] {
        &self.table.cards
    }

    /// The index of the card with this id.
    pub fn card_index(&self, id: &str) -> Option<usize> {
        self.cards().iter().position(|card| card.id == id)
    }

    /// The sockets of a card's hosts: one, or two (which may be equal) for a card with links to two hosts.
    pub fn hosts(&self, card: &Card) -> Vec<usize> {
        let second = card
            .second
            .map(|seated| self.bridges()[self.slots()[seated.slot].bridge].socket);
        [card.socket].into_iter().chain(second).collect()
    }

    /// The card of a path to drives, as an index.
    pub fn card_of(&self, path: DrivePath) -> usize {
        match path {
            DrivePath::Sas(port) => self.sas_ports()[port].card,
            DrivePath::Card(card) => card,
        }
    }

    /// The same as shares of all sockets: the links of a card share traffic equally.
    pub fn host_shares(&self, card: usize) -> Vec<f64> {
        let hosts = self.hosts(&self.cards()[card]);
        let mut shares = vec![0.0; self.sockets().len()];
        for &socket in &hosts {
            shares[socket] += 1.0 / hosts.len() as f64;
        }
        shares
    }

    /// Network ports, in the order of their cards.
    pub fn ports(&self) -> &[Port] {
        &self.table.ports
    }

    /// The index of the network port with an id such as `nic0.0`.
    pub fn port_index(&self, id: &str) -> Option<usize> {
        self.ports().iter().position(|port| port.id == id)
    }

    /// SAS ports with enclosures, in the order of their cards.
    pub fn sas_ports(&self) -> &[SasPort] {
        &self.table.sas_ports
    }

    /// Disk enclosures, in file order, then the drives that are cards, in the order of the cards.
    pub fn jbods(&self) -> &[Jbod] {
        &self.table.jbods
    }

    /// The directed links of the route between two sockets, and the share of traffic on each: 1 on every hop
    /// with a single link. Empty for a single socket. Sockets are indices.
    pub fn route(&self, from: usize, to: usize) -> &[(ResourceId, f64)] {
        &self.routes.links[self.pair(from, to)]
    }

    /// [`Topology::route`] for responses (read data, responses of caches, ends of transactions), whose route
    /// may differ.
    pub fn response_route(&self, from: usize, to: usize) -> &[(ResourceId, f64)] {
        &self.routes.responses[self.pair(from, to)]
    }

    /// The sockets of the route between two sockets, including its ends; one for a single socket.
    pub fn path(&self, from: usize, to: usize) -> &[usize] {
        &self.routes.paths[self.pair(from, to)]
    }

    /// The number of hops between two sockets; 0 for a single socket.
    pub fn hops(&self, from: usize, to: usize) -> usize {
        self.path(from, to).len() - 1
    }

    /// The directed links that join two sockets, and the share of a hop's traffic on each; empty if there are
    /// none.
    pub fn hop_links(&self, from: usize, to: usize) -> &[(ResourceId, f64)] {
        &self.routes.hops[self.pair(from, to)]
    }

    /// The directed links of a broadcast from a socket, and the share of traffic on each: every other socket
    /// is reached once, by the last hop of its route.
    pub fn broadcast_tree(&self, from: usize) -> &[(ResourceId, f64)] {
        &self.routes.trees[from]
    }

    /// The hops of a broadcast from a socket, closer ones first, each from a socket that has the message to
    /// one that has not.
    pub fn broadcast_hops(&self, from: usize) -> &[[usize; 2]] {
        &self.routes.tree_hops[from]
    }

    /// The topology as a graph: nodes for sockets, memory, bridges, slots, cards, ports and enclosures.
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| graph::build(&self.table))
    }

    /// The graph in the DOT language of Graphviz, with capacities on the edges.
    pub fn to_dot(&self) -> String {
        dot::print(self)
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    pub(crate) fn pair(&self, from: usize, to: usize) -> usize {
        from * self.table.sockets.len() + to
    }
}

impl Index<ResourceId> for Topology {
    type Output = Resource;

    fn index(&self, id: ResourceId) -> &Resource {
        &self.table.resources[id.index()]
    }
}

impl Routes {
    /// `response_routes` are the routes of responses if they differ from those of requests.
    fn new(table: &Table, paths: &Paths, response_routes: &[Option<Vec<usize>>]) -> Self {
        let sockets = table.sockets.len();
        let pairs = (0..sockets).flat_map(|from| (0..sockets).map(move |to| (from, to)));
        let all_paths: Vec<Vec<usize>> = pairs.map(|(from, to)| paths.path(from, to).to_vec()).collect();
        let mut response_paths = all_paths.clone();
        for path in response_routes.iter().flatten() {
            response_paths[path[0] * sockets + path[path.len() - 1]].clone_from(path);
        }
        let tree_hops: Vec<_> = (0..sockets).map(|from| paths.tree(from)).collect();
        Self::over(hop_shares(table), all_paths, response_paths, tree_hops)
    }

    /// The same routes and broadcasts over links with these shares.
    fn with_shares(&self, hops: Vec<Shares>) -> Self {
        let (paths, response_paths) = (self.paths.clone(), self.response_paths.clone());
        Self::over(hops, paths, response_paths, self.tree_hops.clone())
    }

    /// The routes and broadcasts over these hops, on links with these shares.
    fn over(
        hops: Vec<Shares>,
        paths: Vec<Vec<usize>>,
        response_paths: Vec<Vec<usize>>,
        tree_hops: Vec<Vec<[usize; 2]>>,
    ) -> Self {
        let sockets = tree_hops.len();
        let along = |hops_of: &mut dyn Iterator<Item = [usize; 2]>| -> Shares {
            hops_of
                .flat_map(|[from, to]| hops[from * sockets + to].iter().copied())
                .collect()
        };
        let along_all = |paths: &[Vec<usize>]| -> Vec<Shares> {
            let paths = paths.iter();
            paths
                .map(|path| along(&mut path.windows(2).map(|hop| [hop[0], hop[1]])))
                .collect()
        };
        Self {
            links: along_all(&paths),
            responses: along_all(&response_paths),
            trees: tree_hops
                .iter()
                .map(|tree| along(&mut tree.iter().copied()))
                .collect(),
            paths,
            response_paths,
            hops,
            tree_hops,
        }
    }
}

/// The directed links from every socket to every other, and their shares: proportional to usable capacity and
/// weight. With equal weights, parallel links saturate together.
fn hop_shares(table: &Table) -> Vec<Shares> {
    let sockets = table.sockets.len();
    let mut hops: Vec<Shares> = vec![Vec::new(); sockets * sockets];
    for link in &table.links {
        let [a, b] = link.ends;
        for (hop, resource) in [
            (a * sockets + b, link.resources[0]),
            (b * sockets + a, link.resources[1]),
        ] {
            hops[hop].push((resource, table.resources[resource.index()].usable() * link.weight));
        }
    }
    for hop in &mut hops {
        let total: f64 = hop.iter().map(|(_, usable)| usable).sum();
        for (_, share) in hop {
            *share /= total;
        }
    }
    hops
}

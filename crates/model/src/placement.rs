//! Placement of threads and their memory, as shares of sockets.

use std::borrow::Cow;
use std::sync::Arc;

use bandgraph_topology::Topology;
use bandgraph_workload::{MemoryHomes, Near, NearBuffers};

use crate::{BindError, Stack};

/// Shares of the sockets in the work on cores and in the memory that it accesses. The sum of every list, and
/// of every row, is 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placement {
    /// Share of all work assigned to each socket.
    pub(crate) cores: Vec<f64>,
    /// Share of all work that is not bound to its assigned sockets: an idle core may take it.
    pub(crate) free: f64,
    /// Share of the free work assigned to each socket.
    pub(crate) dealt: Vec<f64>,
    /// Requester × home: the homes of the lines accessed by a socket's cores.
    pub(crate) homes: Vec<f64>,
    /// Share of the interrupts on each socket.
    interrupts: Vec<f64>,
    /// Homes of the buffers that cards read and write.
    pub(crate) buffers: Vec<f64>,
    /// Whether each drive uses buffers on its own node.
    pub(crate) at_drives: bool,
}

impl Placement {
    /// Mean clock of the cores that do the work, while all of them are busy, cycles/s.
    pub(crate) fn mean_clock(&self, topology: &Topology) -> f64 {
        let sockets = topology.sockets().iter().zip(&self.cores);
        sockets
            .map(|(socket, share)| share * socket.part.full_clock().get())
            .sum()
    }

    /// Mean cycles of an instruction of these cores.
    pub(crate) fn mean_cpi(&self, topology: &Topology) -> f64 {
        let sockets = topology.sockets().iter().zip(&self.cores);
        sockets.map(|(socket, share)| share * socket.part.base_cpi).sum()
    }

    /// The placement by a stack on a topology. `table` is the name of the table of its fields in errors.
    ///
    /// # Errors
    ///
    /// [`BindError::OutOfRange`] if the stack has shares for another number of sockets.
    pub(crate) fn new(topology: &Topology, stack: &Stack, table: &str) -> Result<Self, BindError> {
        let given = |field: &str, shares: &[f64], default: &[f64]| {
            given([table, field], &of_nodes(topology, shares), default)
        };
        let sockets = topology.sockets();
        let sizes: Vec<f64> = sockets.iter().map(|socket| socket.memory.size.get()).collect();
        let threads = given("thread_shares", &stack.thread_shares, &vec![1.0; sockets.len()])?;
        let interrupts = given("interrupt_shares", &stack.interrupt_shares, &threads)?;
        let memory = given("home_shares", &stack.home_shares, &sizes)?;
        let cores = mixed(&threads, &interrupts, stack);
        let local = stack.siloed || stack.homes == MemoryHomes::Local && stack.home_shares.is_empty();
        // If everything is local, buffers are on the socket of the thread that fills them.
        let buffers = given(
            "buffer_shares",
            &stack.buffer_shares,
            if local { &cores } else { &memory },
        )?;
        Ok(Self {
            homes: if local {
                identity(sockets.len())
            } else {
                memory.repeat(sockets.len())
            },
            buffers,
            at_drives: false,
            cores,
            // Explicit shares bind work to sockets.
            free: free(
                stack,
                !stack.thread_shares.is_empty(),
                !stack.interrupt_shares.is_empty(),
            ),
            // Free interrupts are distributed like threads.
            dealt: threads,
            interrupts,
        })
    }

    /// The placement of work served through a port whose card is on these sockets, in equal shares, or
    /// without a port, from drives on sockets in the shares `drives`; unchanged if the stack places nothing
    /// near either.
    pub(crate) fn near(self: &Arc<Self>, stack: &Stack, port: Option<&[usize]>, drives: &[f64]) -> Arc<Self> {
        let nowhere = [stack.threads, stack.interrupts] == [Near::AllNodes; 2]
            && stack.buffers == NearBuffers::AllNodes
            && !stack.siloed;
        if nowhere {
            return Arc::clone(self);
        }
        let port = port.map(|sockets| {
            let mut shares = vec![0.0; self.buffers.len()];
            for &socket in sockets {
                shares[socket] += 1.0 / sockets.len() as f64;
            }
            shares
        });
        let drives = (!drives.is_empty()).then_some(drives);
        let silo = port.as_deref().or(drives).filter(|_| stack.siloed);
        let place = |near| {
            let wanted = match near {
                Near::AllNodes => None,
                Near::Port => port.as_deref(),
                Near::Device => drives,
            };
            silo.or(wanted)
        };
        let (threads, interrupts) = (place(stack.threads), place(stack.interrupts));
        let mut near = Self::clone(self);
        if let Some(shares) = threads {
            near.dealt = shares.to_vec();
        }
        if threads.is_some() || interrupts.is_some() {
            // Interrupts follow threads unless they have their own placement.
            let follow = threads.filter(|_| stack.interrupt_shares.is_empty());
            if let Some(shares) = interrupts.or(follow) {
                near.interrupts = shares.to_vec();
            }
            near.cores = mixed(&near.dealt, &near.interrupts, stack);
            near.free = free(
                stack,
                threads.is_some() || !stack.thread_shares.is_empty(),
                interrupts.is_some() || !stack.interrupt_shares.is_empty(),
            );
        }
        near.at_drives =
            drives.is_some() && (stack.buffers == NearBuffers::Device || stack.siloed && port.is_none());
        let buffers = match stack.buffers {
            NearBuffers::AllNodes => None,
            NearBuffers::Port => port.as_deref(),
            NearBuffers::Device => drives,
            NearBuffers::Thread => Some(near.cores.as_slice()),
        };
        if let Some(shares) = silo.or(buffers) {
            near.buffers = shares.to_vec();
        }
        if near == **self {
            return Arc::clone(self);
        }
        Arc::new(near)
    }
}

/// Shares in all work, of threads and of interrupts.
fn mixed(threads: &[f64], interrupts: &[f64], stack: &Stack) -> Vec<f64> {
    let in_interrupts = stack.interrupt_work;
    let both = threads.iter().zip(interrupts);
    both.map(|(thread, interrupt)| thread * (1.0 - in_interrupts) + interrupt * in_interrupts)
        .collect()
}

/// The share of all work that is free if threads or interrupts may be bound. Interrupts that are not bound
/// follow threads.
fn free(stack: &Stack, threads_bound: bool, interrupts_bound: bool) -> f64 {
    let free = |bound: bool| f64::from(u8::from(!bound));
    (1.0 - stack.interrupt_work) * free(threads_bound)
        + stack.interrupt_work * free(threads_bound || interrupts_bound)
}

/// Shares of whole sockets as shares of their NUMA nodes, in equal parts; shares of nodes as they are.
fn of_nodes<'s>(topology: &Topology, shares: &'s [f64]) -> Cow<'s, [f64]> {
    let whole = &topology.spec().sockets;
    if !topology.spec().is_divided() || shares.len() != whole.len() {
        return Cow::Borrowed(shares);
    }
    let nodes = topology.sockets().iter();
    nodes
        .map(|node| shares[node.of] / f64::from(whole[node.of].node_count()))
        .collect()
}

/// Explicit shares of the stack, one for each socket, or default shares from a property of the sockets.
fn given(field: [&str; 2], given: &[f64], default: &[f64]) -> Result<Vec<f64>, BindError> {
    if given.is_empty() {
        return Ok(shares(default));
    }
    let sound =
        given.iter().all(|share| share.is_finite() && *share >= 0.0) && given.iter().sum::<f64>() > 0.0;
    if given.len() != default.len() || !sound {
        return Err(BindError::OutOfRange {
            field: field.join("."),
            value: format!("{} shares", given.len()),
            reason: format!(
                "it has {} shares of zero or more, one for each socket",
                default.len()
            ),
        });
    }
    Ok(shares(given))
}

/// Each value over the sum of all.
fn shares(values: &[f64]) -> Vec<f64> {
    let sum: f64 = values.iter().sum();
    values.iter().map(|value| value / sum).collect()
}

fn identity(size: usize) -> Vec<f64> {
    (0..size * size)
        .map(|at| if at / size == at % size { 1.0 } else { 0.0 })
        .collect()
}

#[cfg(test)]
mod tests {
    use bandgraph_testkit::{Generation, seven_four_ten_topology};

    use super::*;

    #[test]
    fn equal_sockets_share_equally_unless_the_stack_says_otherwise() {
        let topology = seven_four_ten_topology(Generation::Barcelona);
        let mut stack = Stack::fishworks_2009();
        let even = Placement::new(&topology, &stack, "stack").expect("sound");
        assert_eq!(even.cores, [0.25; 4]);
        assert_eq!(even.homes, [0.25; 16]);
        stack.thread_shares = [2.0, 1.0, 1.0, 0.0].into();
        stack.home_shares = [0.0, 3.0, 1.0, 0.0].into();
        stack.buffer_shares = [1.0, 1.0, 0.0, 0.0].into();
        let apart = Placement::new(&topology, &stack, "stack").expect("sound");
        assert_eq!(apart.homes[4..8], [0.0, 0.75, 0.25, 0.0]);
        assert_eq!(apart.buffers, [0.5, 0.5, 0.0, 0.0]);
        stack.buffer_shares.clear();
        let uneven = Placement::new(&topology, &stack, "stack").expect("sound");
        assert_eq!(uneven.cores, [0.5, 0.25, 0.25, 0.0]);
        assert_eq!(uneven.homes[4..8], [0.0, 0.75, 0.25, 0.0]);
        assert_eq!(uneven.buffers, [0.0, 0.75, 0.25, 0.0]);
    }

    #[test]
    fn local_homes_are_the_requesters_own() {
        let topology = seven_four_ten_topology(Generation::Istanbul);
        let stack = Stack {
            homes: MemoryHomes::Local,
            ..Stack::fishworks_2009()
        };
        let local = Placement::new(&topology, &stack, "stack").expect("sound");
        assert_eq!(local.homes[0..4], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(local.homes[12..16], [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn interrupts_bound_to_a_socket_take_their_part_of_the_work_there() {
        let topology = seven_four_ten_topology(Generation::Barcelona);
        let stack = Stack {
            interrupt_work: 0.4,
            interrupt_shares: [1.0, 1.0, 0.0, 0.0].into(),
            ..Stack::fishworks_2009()
        };
        let placement = Placement::new(&topology, &stack, "stack").expect("sound");
        for (found, expected) in placement.cores.iter().zip([0.35, 0.35, 0.15, 0.15]) {
            assert!((found - expected).abs() < 1e-12, "{:?}", placement.cores);
        }
    }

    #[test]
    fn shares_for_another_number_of_sockets_are_refused() {
        let topology = seven_four_ten_topology(Generation::Barcelona);
        let stack = Stack {
            thread_shares: [1.0, 1.0].into(),
            ..Stack::fishworks_2009()
        };
        let error = Placement::new(&topology, &stack, "stack").expect_err("two shares for four sockets");
        assert_eq!(error.id(), "sim::out_of_range");
    }

    #[test]
    fn a_silo_has_everything_of_a_port_on_its_node() {
        let topology = seven_four_ten_topology(Generation::Barcelona);
        let mut stack = Stack::fishworks_2009();
        let placed = |stack: &Stack| Arc::new(Placement::new(&topology, stack, "stack").expect("sound"));
        let spread = placed(&stack);
        assert_eq!(spread.near(&stack, Some(&[1]), &[]), spread);
        stack.siloed = true;
        let near = placed(&stack).near(&stack, Some(&[1]), &[]);
        assert_eq!(
            (&near.cores, &near.buffers),
            (&vec![0.0, 1.0, 0.0, 0.0], &near.cores)
        );
        assert_eq!((near.free, near.homes[5], near.homes[4]), (0.0, 1.0, 0.0));
        // Only interrupts are placed there with their part of the work, and the rest is free.
        stack.siloed = false;
        stack.interrupts = Near::Port;
        let near = placed(&stack).near(&stack, Some(&[0]), &[]);
        for (found, expected) in near.cores.iter().zip([0.475, 0.175, 0.175, 0.175]) {
            assert!((found - expected).abs() < 1e-12, "{:?}", near.cores);
        }
        assert!((near.free - 0.7).abs() < 1e-12);
        assert_eq!(near.buffers, spread.buffers);
    }
}

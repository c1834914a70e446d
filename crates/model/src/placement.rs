//! Where threads run and where their memory lives, as shares of sockets.

use std::sync::Arc;

use bandgraph_topology::Topology;

use crate::{BindError, MemoryHomes, Near, Stack};

/// Shares of the sockets in the work of cores and in the memory that it touches. Every list, and every row,
/// sums to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placement {
    /// Share of all work that is dealt to each socket.
    pub(crate) cores: Vec<f64>,
    /// Share of all work that is not bound to the sockets it is dealt to: an idle core may take it.
    pub(crate) free: f64,
    /// Share of the free work that is dealt to each socket.
    pub(crate) dealt: Vec<f64>,
    /// Requester × home: where the lines live that a socket's cores touch.
    pub(crate) homes: Vec<f64>,
    /// Share of the interrupts that each socket takes.
    interrupts: Vec<f64>,
    /// Homes of the buffers that cards read and write.
    pub(crate) buffers: Vec<f64>,
}

impl Placement {
    /// The placement that a stack asks for on a topology.
    ///
    /// # Errors
    ///
    /// [`BindError::OutOfRange`] where the stack gives shares for another number of sockets.
    pub(crate) fn new(topology: &Topology, stack: &Stack) -> Result<Self, BindError> {
        let sockets = topology.sockets();
        let sizes: Vec<f64> = sockets.iter().map(|socket| socket.memory.size.get()).collect();
        let threads = given(
            "stack.thread_shares",
            &stack.thread_shares,
            &vec![1.0; sockets.len()],
        )?;
        let interrupts = given("stack.interrupt_shares", &stack.interrupt_shares, &threads)?;
        let memory = given("stack.home_shares", &stack.home_shares, &sizes)?;
        let cores = mixed(&threads, &interrupts, stack);
        let local = stack.siloed || stack.homes == MemoryHomes::Local && stack.home_shares.is_empty();
        // Where all is local, buffers are where the thread runs that fills them.
        let buffers = given(
            "stack.buffer_shares",
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
            cores,
            // Shares that are given say where work is bound to run.
            free: free(
                stack,
                !stack.thread_shares.is_empty(),
                !stack.interrupt_shares.is_empty(),
            ),
            // Free interrupts are dealt as threads are.
            dealt: threads,
            interrupts,
        })
    }

    /// The placement of what belongs to a port whose card hangs on these sockets, in equal shares; the same
    /// where the stack has nothing near its port.
    pub(crate) fn near(self: &Arc<Self>, stack: &Stack, sockets: &[usize]) -> Arc<Self> {
        let here = |near| stack.siloed || near == Near::Port;
        let (threads, interrupts) = (here(stack.threads), here(stack.interrupts));
        if !(threads || interrupts || here(stack.buffers)) {
            return Arc::clone(self);
        }
        let mut near = Self::clone(self);
        let only = |shares: &mut Vec<f64>| {
            shares.fill(0.0);
            for &socket in sockets {
                shares[socket] += 1.0 / sockets.len() as f64;
            }
        };
        if threads {
            only(&mut near.dealt);
        }
        if threads || interrupts {
            // Interrupts follow threads unless they have a place of their own.
            if interrupts || stack.interrupt_shares.is_empty() {
                only(&mut near.interrupts);
            }
            near.cores = mixed(&near.dealt, &near.interrupts, stack);
            near.free = free(
                stack,
                threads || !stack.thread_shares.is_empty(),
                interrupts || !stack.interrupt_shares.is_empty(),
            );
        }
        if here(stack.buffers) {
            only(&mut near.buffers);
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

/// The share of all work that is free, where threads or interrupts may be bound. Interrupts that are not
/// bound go where threads are.
fn free(stack: &Stack, threads_bound: bool, interrupts_bound: bool) -> f64 {
    let free = |bound: bool| f64::from(u8::from(!bound));
    (1.0 - stack.interrupt_work) * free(threads_bound)
        + stack.interrupt_work * free(threads_bound || interrupts_bound)
}

/// Shares that the stack gives, one for each socket, or those that follow from a property of the sockets.
fn given(field: &str, given: &[f64], default: &[f64]) -> Result<Vec<f64>, BindError> {
    if given.is_empty() {
        return Ok(shares(default));
    }
    let sound =
        given.iter().all(|share| share.is_finite() && *share >= 0.0) && given.iter().sum::<f64>() > 0.0;
    if given.len() != default.len() || !sound {
        return Err(BindError::OutOfRange {
            field: field.to_owned(),
            value: format!("{} shares", given.len()),
            range: format!("{} shares of zero or more, one for each socket", default.len()),
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
        let even = Placement::new(&topology, &stack).expect("sound");
        assert_eq!(even.cores, [0.25; 4]);
        assert_eq!(even.homes, [0.25; 16]);
        stack.thread_shares = [2.0, 1.0, 1.0, 0.0].into();
        stack.home_shares = [0.0, 3.0, 1.0, 0.0].into();
        stack.buffer_shares = [1.0, 1.0, 0.0, 0.0].into();
        let apart = Placement::new(&topology, &stack).expect("sound");
        assert_eq!(apart.homes[4..8], [0.0, 0.75, 0.25, 0.0]);
        assert_eq!(apart.buffers, [0.5, 0.5, 0.0, 0.0]);
        stack.buffer_shares.clear();
        let uneven = Placement::new(&topology, &stack).expect("sound");
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
        let local = Placement::new(&topology, &stack).expect("sound");
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
        let placement = Placement::new(&topology, &stack).expect("sound");
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
        let error = Placement::new(&topology, &stack).expect_err("two shares for four sockets");
        assert_eq!(error.id(), "sim::out_of_range");
    }

    #[test]
    fn a_silo_has_everything_of_a_port_on_its_node() {
        let topology = seven_four_ten_topology(Generation::Barcelona);
        let mut stack = Stack::fishworks_2009();
        let placed = |stack: &Stack| Arc::new(Placement::new(&topology, stack).expect("sound"));
        let spread = placed(&stack);
        assert_eq!(spread.near(&stack, &[1]), spread);
        stack.siloed = true;
        let near = placed(&stack).near(&stack, &[1]);
        assert_eq!(
            (&near.cores, &near.buffers),
            (&vec![0.0, 1.0, 0.0, 0.0], &near.cores)
        );
        assert_eq!((near.free, near.homes[5], near.homes[4]), (0.0, 1.0, 0.0));
        // Interrupts alone take their part of the work there, and the rest is free.
        stack.siloed = false;
        stack.interrupts = Near::Port;
        let near = placed(&stack).near(&stack, &[0]);
        for (found, expected) in near.cores.iter().zip([0.475, 0.175, 0.175, 0.175]) {
            assert!((found - expected).abs() < 1e-12, "{:?}", near.cores);
        }
        assert!((near.free - 0.7).abs() < 1e-12);
        assert_eq!(near.buffers, spread.buffers);
    }
}

//! Binding of workloads of processes on the server itself.

use bandgraph_units::OperationRate;
use bandgraph_workload::{ClientGroup, Workload};

use super::Binding;
use super::binder::Processes;
use super::threads::supply;
use crate::BindError;
use crate::demand::{OPEN_HORIZON, ThreadGroup};

impl Binding<'_> {
    /// The processes that keep the operations of a workload in flight, if they are fewer than its threads.
    /// Their sockets are unknown: each has the mean clock of the cores that do the work. Those of other
    /// machines count as equal to those of the server.
    ///
    /// # Errors
    ///
    /// [`BindError::OutOfRange`] if they neither do all work of their operations, as on a single server, nor
    /// use a library with a known cost.
    pub(super) fn processes(
        &self,
        index: usize,
        group: &ClientGroup,
    ) -> Result<Option<Processes>, BindError> {
        let workload = &self.scenario.workloads[index];
        let Some(count) = workload.processes_per_client else {
            return Ok(None);
        };
        let library = self.scenario.stack.client_instructions_per_operation;
        let is_alone = workload.is_local() && self.scenario.cluster.servers == 1;
        if !is_alone && library == 0.0 {
            return Err(BindError::OutOfRange {
                field: format!("workload.{}.processes_per_client", workload.id),
                value: count.to_string(),
                reason: "the work of a process for an operation has to be known: all of it on one server \
                         with `protocol = \"host\"`, or `stack.client_instructions_per_operation`"
                    .to_owned(),
            });
        }
        let is_fewer = workload.arrivals.rate().is_some() || count < workload.threads_per_client;
        let placement = self.placement(index, None);
        Ok(is_fewer.then(|| Processes {
            count: f64::from(count) * f64::from(group.count),
            clock: placement.mean_clock(self.topology),
            library: (!is_alone).then(|| library * placement.mean_cpi(self.topology)),
        }))
    }

    /// Binds processes on the server itself, which compute on its cores and use no network.
    pub(super) fn bind_local(
        &mut self,
        index: usize,
        workload: &Workload,
        group: &ClientGroup,
    ) -> Result<(), BindError> {
        let threads = workload.threads(group);
        let rate = workload.arrivals.rate().map(OperationRate::get);
        let compute = self.compute_seconds(workload)?;
        let placement = self.placement(index, None);
        let processes = self.clients.processes[index].filter(|processes| processes.library.is_none());
        let port_core = processes.map(|processes| processes.resource);
        let (mut visits, mut delay) = (Vec::new(), 0.0);
        for mut template in self.templates(index, workload, None, threads as f64, None)? {
            let sockets = self.topology.sockets().iter().map(|socket| &socket.part);
            let instructions: Vec<f64> = sockets
                .map(|part| compute * part.clock_of(threads as f64).get() / part.base_cpi)
                .collect();
            if compute > 0.0 {
                template.class.add_instructions(&placement, &instructions);
                template.class.parts.compute = compute;
            }
            if template.class.is_free() {
                return Err(BindError::FreeOperation {
                    workload: workload.id.clone(),
                    operation: template.class.operation,
                });
            }
            if let Some(core) = port_core {
                template.class.bind_to_processes(core);
            }
            delay += template.share * template.delay;
            visits.push((self.classes.len(), template.share));
            self.classes.push(template.class);
        }
        self.threads.push(ThreadGroup {
            workload: index,
            client_nic: self.topology.sockets()[0].cpu_resource.index(),
            client: 0,
            port: None,
            port_core,
            kind: 0,
            // The number is within the limit of a scenario.
            threads: if rate.is_some() {
                0
            } else {
                u32::try_from(threads).unwrap_or(u32::MAX)
            },
            supply: supply(workload, rate),
            population: rate.map_or(threads as f64, |rate| rate * OPEN_HORIZON),
            slots: workload.outstanding_per_client.map_or(f64::INFINITY, f64::from),
            members: 1.0,
            delay,
            think: rate.map_or(workload.think_time.get(), |_| OPEN_HORIZON),
            barrier: workload.barrier,
            visits,
        });
        Ok(())
    }
}

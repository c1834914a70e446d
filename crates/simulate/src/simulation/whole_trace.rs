//! A trace from its first operation to its last reply, and the work done while its operations arrived.

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::{Effort, RunError, SteadyState};
use bandgraph_units::Time;

use super::checks::within_capacity;
use super::completion_stats::CompletionStats;
use super::server::Server;
use super::tag::Tag;
use super::trace_loop::{TraceLoop, Traced};
use super::window::Window;
use super::{Reading, Simulated, Simulation, differences, rate_beside_trace};

/// Assumed run time of a trace, seconds. It sets the feedback interval to 10 ms, because a trace has very
/// many classes of operations.
const TRACE_RUN: f64 = 2000.0;

/// Simulates a bound scenario until the trace, one of its workloads, ends.
pub(crate) fn simulate_trace<'a>(
    bound: &'a Bound,
    steady: &SteadyState,
    mut trace: TraceLoop<'a>,
) -> Result<ReplayedTrace, RunError> {
    let begin = trace.begin();
    let window = Window {
        warm_up: begin.as_seconds(),
        duration: TRACE_RUN,
        short: None,
    };
    let server = Server::of_used_classes(bound, steady, window.total())?;
    let mut simulation = Simulation::on(server, steady, window);
    simulation.calls.set_delays(trace.take_delays());
    trace.end_after(Effort::MOST_OPERATIONS / rate_beside_trace(bound, steady));
    // Other workloads may be active before the trace.
    simulation.run_until(begin, begin, false, &mut |_| {})?;
    simulation.completions = CompletionStats::new(bound, begin);
    simulation.measuring = true;
    simulation.trace = Some(trace);
    let before = simulation.read();
    simulation.ring(Tag::Trace);
    let mut offered = None;
    while let Some(trace) = simulation.trace.as_ref().filter(|trace| !trace.is_done()) {
        if offered.is_none() && trace.is_all_there() {
            offered = Some(simulation.while_offered(&before)?);
        }
        let Some(event) = simulation
            .server
            .next_before(Instant::MAX, &mut simulation.events)?
        else {
            break;
        };
        simulation.take(event)?;
    }
    let seconds = (simulation.server.now() - begin).as_seconds();
    simulation.window.duration = seconds.max(1e-12);
    let traced = simulation.trace.take().map(TraceLoop::finish).unwrap_or_default();
    let after = simulation.read();
    Ok(ReplayedTrace {
        whole: simulation.measure(&before, &after)?,
        offered,
        traced,
    })
}

/// Results of a trace.
pub(crate) struct ReplayedTrace {
    /// Results from the first start to the last reply.
    pub(crate) whole: Simulated,
    /// Results until the last operation was issued; `None` if that interval has no length.
    pub(crate) offered: Option<WhileOffered>,
    pub(crate) traced: Traced,
}

/// Work of a trace done until its last operation was issued.
pub(crate) struct WhileOffered {
    seconds: f64,
    usage: Vec<f64>,
    work: Vec<f64>,
    presence: Vec<f64>,
    /// Operations completed, by class.
    completed: Vec<u64>,
}

impl WhileOffered {
    /// Completed operations of a workload per second.
    pub(crate) fn completed(&self, bound: &Bound, workload: usize) -> f64 {
        let classes = bound.classes.iter().zip(&self.completed);
        let own = classes.filter(|(class, _)| class.workload == workload);
        own.map(|(_, &completed)| completed as f64).sum::<f64>() / self.seconds
    }
}

impl Simulation<'_> {
    /// The work done since the beginning of the trace, whose reading is `before`.
    fn while_offered(&self, before: &Reading) -> Result<WhileOffered, RunError> {
        let now = self.server.now();
        let seconds = now.as_seconds() - self.window.warm_up;
        let reading = self.read();
        let mut completions = self.completions.clone();
        for (workload, issued) in self.calls.out_at(self.server.bound, now) {
            completions.still_out(workload, issued, now);
        }
        within_capacity(self.server.bound, &before.usage, &reading.usage, seconds)?;
        Ok(WhileOffered {
            seconds: seconds.max(1e-12),
            usage: differences(&reading.usage, &before.usage),
            work: differences(&reading.work, &before.work),
            completed: completions.operations(),
            presence: completions.presence().to_vec(),
        })
    }
}

impl Simulated {
    /// Replaces the rates by those of `part`; the latencies stay those of the whole trace.
    pub(crate) fn only(&mut self, part: WhileOffered) {
        self.usage = part.usage;
        self.work = part.work;
        self.completions.set_presence(part.presence);
        self.run.measured = Time::new(part.seconds);
        self.run.operations = part.completed.iter().sum();
    }
}

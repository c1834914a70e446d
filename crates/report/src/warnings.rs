//! What to know before relying on a result: windows that are too short, simulations that disagree with the
//! prediction, loads that the server does not keep up with, and loads that are not there all the time.

use bandgraph_diagnostics::Diagnostic;
use bandgraph_model::Scenario;
use bandgraph_scenario::{NO_ROOM, other_decade, other_protocol, whole_records, without_room, without_zfs};
use bandgraph_solve::{Mode, Offered, Outcome, ShortWindow, SimulatedRun};
use bandgraph_topology::Role;
use bandgraph_workload::Workload;

use crate::apart::{Apart, differences};
use crate::json::SoftwareDocument;
use crate::text::{count_rate, grouped, percent};

/// Half of a 90 % interval, relative to the throughput, from which on a simulation is too short.
const BADLY_KNOWN: f64 = 0.05;
/// Use of a link between sockets, relative to what it can carry, from which on further links would matter.
const FULL_LINK: f64 = 0.97;

/// The warnings about the files of a scenario, without places, for formats that go to readers who do not see
/// the messages of the command. What has no room on disks is among the warnings of its outcome.
pub fn warnings_of_files(warnings: &[Diagnostic]) -> Vec<String> {
    let others = warnings.iter().filter(|warning| warning.id != NO_ROOM);
    let words = others.map(|warning| {
        let helps = warning.help.iter().map(String::as_str);
        let words: Vec<&str> = std::iter::once(warning.message.as_str()).chain(helps).collect();
        words.join("; ")
    });
    words.collect()
}

/// The warnings of an outcome, which may have a prediction beside it: of the run, then in the order of the
/// workloads.
pub(crate) fn warnings(
    scenario: &Scenario,
    outcome: &Outcome,
    prediction: Option<&Outcome>,
) -> (Vec<String>, Apart) {
    let mut warnings: Vec<String> = Vec::new();
    let mut apart = Apart::default();
    if let Some(run) = &outcome.simulated {
        let of_prediction = prediction.filter(|_| is_constant(scenario));
        warnings.extend(run.short.map(|short| too_short(run, &short)));
        if let Some(prediction) = of_prediction {
            let (texts, found) = differences(outcome, prediction, run);
            warnings.extend(texts);
            apart = found;
        }
        warnings.extend(badly_known(run));
    }
    warnings.extend(approximate(prediction.unwrap_or(outcome).unsettled));
    let no_room = without_room(scenario);
    warnings.extend(
        no_room
            .iter()
            .map(|found| format!("workload `{}`: {found}", found.workload.id)),
    );
    warnings.extend(without_zfs(scenario));
    warnings.extend(links_left_out(scenario, outcome));
    for (workload, found) in scenario.workloads.iter().zip(&outcome.workloads) {
        if let Some(offered) = found.offered.filter(|offered| offered.saturated) {
            warnings.push(saturated(
                &found.id,
                &offered,
                found.throughput.operations.get(),
                outcome,
            ));
        }
        warnings.extend(partly_there(workload, outcome));
        warnings.extend(whole_records(
            scenario,
            workload,
            1.0 - found.cache.hit_rate.get(),
        ));
        warnings.extend(other_protocol(scenario, workload));
    }
    (warnings, apart)
}

/// A prediction whose steady state was found approximately only.
fn approximate(unsettled: f64) -> Option<String> {
    let how = match unsettled {
        0.0 => return None,
        known if known < 1.0 => format!("to within {} only", percent(known)),
        _ => "roughly only".to_owned(),
    };
    Some(format!(
        "the prediction is approximate: its queues were found {how}; simulate to know better"
    ))
}

/// Warns of a full link between sockets whose processors have unused links.
fn links_left_out(scenario: &Scenario, outcome: &Outcome) -> Option<String> {
    let spec = scenario.topology.spec();
    outcome.resources.iter().find_map(|used| {
        let Role::SocketLink { link, .. } = used.role else {
            return None;
        };
        let full = spec.links.get(link)?;
        let ends = &full.ends;
        let mut at_ends = spec.sockets.iter().filter(|socket| ends.contains(&socket.id));
        let part = &at_ends.clone().next()?.part;
        let has_more = at_ends.all(|socket| {
            let own = spec.links.iter().filter(|link| link.ends.contains(&socket.id));
            // Bridges of HyperTransport are on the same links.
            let bridges = spec.bridges.iter().filter(|bridge| {
                let uplink = bridge.uplink.as_ref().map(|part| &part.technology);
                bridge.uplink_to == socket.id && uplink == Some(&full.part.technology)
            });
            ((own.count() + bridges.count()) as u64) < socket.part.socket_links
        });
        (used.saturation() > FULL_LINK && has_more).then(|| {
            format!(
                "`{}` is full, and `{}` has {} links to other sockets, more than the topology: check whether \
                 the board connects them (`count` of the link)",
                used.id, part.name, part.socket_links,
            )
        })
    })
}

impl SoftwareDocument {
    /// The software of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        Self::new(&scenario.stack, other_decade(scenario))
    }

    /// The software of several scenarios, with all warnings; without a name if they differ in it.
    pub(crate) fn of_all(scenarios: &[Scenario]) -> Self {
        let mut others = scenarios.iter().map(Self::of);
        let Some(mut whole) = others.next() else {
            return Self::default();
        };
        let mut warnings: Vec<String> = whole.warning.take().into_iter().collect();
        for other in others {
            warnings.extend(other.warning.filter(|warning| !warnings.contains(warning)));
            if other.profile != whole.profile {
                whole = Self::default();
            }
        }
        let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
        Self { warning, ..whole }
    }
}

/// A window that the scenario keeps, of which the figures are not those of a steady state.
fn too_short(run: &SimulatedRun, short: &ShortWindow) -> String {
    let slow = match short.group {
        Some(group) if group > short.operation => {
            format!("transaction groups of disk writes come {group} apart")
        }
        _ => format!("the slowest threads take {} for an operation", short.operation),
    };
    // Only a length that the scenario fixes can be too short.
    let (mut fixed, mut needed, mut fields) = (Vec::new(), Vec::new(), Vec::new());
    for (length, least, words, field) in [
        (
            run.warm_up,
            short.warm_up,
            "a warm-up of",
            "`run.warm_up` (`ramp_time` of a job file)",
        ),
        (
            run.measured,
            short.measured,
            "a window of",
            "`run.duration` (`runtime` of a job file)",
        ),
    ] {
        if length < least {
            fixed.push(format!("{words} {length}"));
            needed.push(format!("{words} {least}"));
            fields.push(field);
        }
    }
    format!(
        "the scenario fixes {}: {} operations completed in the window, and {slow}; the figures are not those \
         of a steady state, which takes at least {}; without {} a run takes what it needs",
        fixed.join(" and "),
        grouped(run.operations as f64),
        needed.join(" and "),
        fields.join(" and "),
    )
}

/// Whether all loads are there all the time, as in the prediction.
fn is_constant(scenario: &Scenario) -> bool {
    let mut workloads = scenario.workloads.iter();
    workloads.all(|workload| workload.schedule.is_constant())
}

/// A throughput of which the simulation was not long enough for a narrow interval.
fn badly_known(run: &SimulatedRun) -> Option<String> {
    let found = run.precision.filter(|found| found.throughput > BADLY_KNOWN)?;
    Some(format!(
        "the throughput of this simulation is known to within {} only (90 % interval, by {} parts of {}); a \
         longer `run.duration` narrows it",
        percent(found.throughput),
        found.batches,
        run.measured,
    ))
}

fn saturated(id: &str, offered: &Offered, served: f64, outcome: &Outcome) -> String {
    let figures = format!(
        "workload `{id}` offers {}, which exceeds the capacity: {} are served",
        count_rate(offered.rate.get()),
        count_rate(served),
    );
    let growth = count_rate(offered.growth).replace("ops/s", "a second");
    match outcome.mode {
        Mode::Predict => format!(
            "{figures}, and the backlog grows by at least {growth} for as long as that load lasts; there is no \
             steady state"
        ),
        Mode::Simulate => format!(
            "{figures}, and the backlog grows by {growth} to {} operations at the end of the run; its latencies are those \
             of a run of this length, not of a steady state",
            grouped(offered.backlog)
        ),
    }
}

/// A workload that is there for a part of the window only.
fn partly_there(workload: &Workload, outcome: &Outcome) -> Option<String> {
    let schedule = &workload.schedule;
    let id = &workload.id;
    let Some(run) = &outcome.simulated else {
        return (!schedule.is_constant()).then(|| {
            format!(
                "workload `{id}` starts, stops or ramps up during the run; the prediction takes it to be there all the time"
            )
        });
    };
    let (begin, end) = (run.warm_up, run.warm_up + run.measured);
    let full = schedule.start + schedule.ramp;
    let stop = schedule.stop.unwrap_or(end);
    (full > begin || stop < end).then(|| {
        format!(
            "workload `{id}` is there from {} to {} (in full from {full}), and the window that is measured goes from {begin} to \
             {end}; its rates are averages over all of the window",
            schedule.start, stop
        )
    })
}

#[cfg(test)]
mod tests {
    use bandgraph_solve::Precision;
    use bandgraph_units::Time;

    use super::*;

    /// The full links of the 7410, as if its processors had further ones.
    #[test]
    fn links_that_the_topology_leaves_out_are_named() {
        let found = |set: &[String]| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../scenarios/7410-barcelona/cached-read.toml");
            let loaded = bandgraph_scenario::load(&path, set, &mut bandgraph_diagnostics::Sources::new());
            let scenario = loaded.expect("it is sound").scenario;
            let bound = bandgraph_solve::bind(&scenario).expect("it can be bound");
            let steady = bandgraph_solve::SteadyState::solve(&bound).expect("it has a steady state");
            links_left_out(&scenario, &steady.outcome(&bound))
        };
        assert_eq!(found(&[]), None);
        let text = found(&["socket.*.socket_links=5".to_owned()]).expect("they are full");
        assert!(text.contains("has 5 links to other sockets"), "{text}");
    }

    #[test]
    fn an_approximate_prediction_says_so() {
        assert_eq!(approximate(0.0), None);
        let text = approximate(0.018).expect("it is approximate");
        assert!(text.contains("to within 1.8 % only"), "{text}");
        let text = approximate(2.2).expect("it is approximate");
        assert!(text.contains("found roughly only"), "{text}");
    }

    #[test]
    fn a_wide_interval_is_told() {
        let run = |throughput: f64| SimulatedRun {
            warm_up: Time::ZERO,
            measured: Time::new(10.0),
            operations: 0,
            events: 0,
            short: None,
            precision: Some(Precision {
                batches: 20,
                throughput,
                latency: None,
            }),
        };
        assert_eq!(badly_known(&run(0.05)), None);
        assert!(badly_known(&run(0.08)).is_some_and(|text| text.contains("within 8.0 %")));
    }
}

//! What to know before relying on a result: windows that are too short, simulations that disagree with the
//! prediction, loads that the server does not keep up with, and loads that are not there all the time.

use bandgraph_diagnostics::{Diagnostic, one_of};
use bandgraph_model::storage::{Pool, WriteMethod};
use bandgraph_model::{Scenario, Stack, general_profiles};
use bandgraph_scenario::{NO_ROOM, without_room};
use bandgraph_solve::{Mode, Offered, Outcome, ShortWindow, SimulatedRun, WorkloadOutcome};
use bandgraph_workload::{AccessPattern, Cluster, ProtocolKind, Workload};

use crate::apart::{Apart, disagreement, in_latency, of_a_part};
use crate::json::SoftwareDocument;
use crate::text::{count_rate, grouped, percent};

/// Half of a 90 % interval, relative to the throughput, from which on a simulation is too short.
const BADLY_KNOWN: f64 = 0.05;
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
        let of_prediction = prediction.filter(|prediction| is_comparable(scenario, outcome, prediction));
        warnings.extend(run.short.map(|short| too_short(run, &short)));
        if let Some(prediction) = of_prediction {
            let operations = |of: &Outcome| of.throughput.operations.get();
            let rates = disagreement(operations(outcome), operations(prediction), run);
            let times = in_latency(outcome, prediction, run).filter(|_| rates.is_none());
            apart = Apart {
                throughput: rates.is_some(),
                latency: times.is_some(),
            };
            warnings.extend(rates.or(times));
            warnings.extend(of_a_part(outcome, prediction));
        }
        warnings.extend(badly_known(run));
    }
    let no_room = without_room(scenario);
    warnings.extend(
        no_room
            .iter()
            .map(|found| format!("workload `{}`: {found}", found.workload.id)),
    );
    warnings.extend(without_zfs(scenario));
    let from_disks = |of: &WorkloadOutcome| of.throughput.operations.get() * (1.0 - of.cache.hit_rate.get());
    let operations = outcome.workloads.iter().map(from_disks).sum();
    warnings.extend(beyond_locks(&scenario.storage.pools, operations));
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
        warnings.extend(whole_records(scenario, workload, found));
        let stack = &scenario.stack;
        warnings.extend(
            free_encryption(workload, stack).or_else(|| other_protocol(workload, &scenario.cluster, stack)),
        );
    }
    (warnings, apart)
}

/// A protocol that encrypts, with software that has no figure for that.
fn free_encryption(workload: &Workload, stack: &Stack) -> Option<String> {
    (workload.protocol.is_encrypted() && !stack.encrypts).then(|| {
        let others = profiles(|stack| stack.encrypts);
        format!(
            "workload `{}` is encrypted, and the software profile {} has no cost of encryption: cores have \
             more to do than this answer says; profiles that encrypt are {}",
            workload.id,
            stack.name,
            bandgraph_diagnostics::listed(others).0,
        )
    })
}

/// A pool of ZFS under software without its costs.
fn without_zfs(scenario: &Scenario) -> Option<String> {
    let stack = &scenario.stack;
    let is_of_zfs = |pool: &&Pool| pool.kind.parity() > 0 && !pool.kind.is_chunked();
    let pool = scenario
        .storage
        .pools
        .iter()
        .find(is_of_zfs)
        .filter(|_| !stack.zfs)?;
    let protocols = protocols(scenario);
    let overlaps = |other: &Stack| match (stack.years, other.years) {
        (Some([first, last]), Some([other_first, other_last])) => first <= other_last && other_first <= last,
        _ => true,
    };
    let others = profiles(|other| other.zfs && overlaps(other) && serves(other, &protocols));
    let advice = if others.is_empty() {
        "no profile of its years and protocols has them".to_owned()
    } else {
        format!("choose {}", one_of(others))
    };
    Some(format!(
        "pool `{}` is {}, which ZFS writes, and the software profile {} has none of its costs on cores and \
         memory (checksums, copies from its cache, its pipeline): {advice}, or set `stack.zfs` if it has",
        pool.id, pool.kind, stack.name,
    ))
}

/// Reads a second of an array of Linux (md) with parity, as measured on 24 SSDs of 24 million (linux-raid,
/// July 2021: 1.07 to 1.26 million for each of two arrays).
const READS_OF_MD: f64 = 1.1e6;

/// More operations a second on pools with chunks and parity than their locks allow.
fn beyond_locks(pools: &[Pool], operations: f64) -> Option<String> {
    let pool = pools.iter().find(|pool| pool.kind.is_chunked())?;
    (operations > READS_OF_MD).then(|| {
        format!(
            "pool `{}` is {}, and the locks of its software are not in the model: arrays of Linux (md) on fast \
             SSDs have reached 1.1 million reads a second, and half as many writes, where this answer has {}",
            pool.id,
            pool.kind,
            count_rate(operations),
        )
    })
}

/// The protocol that the server's software serves for a workload. What processes on the servers of a cluster
/// ask for goes to other servers in the protocol between them.
fn served(workload: &Workload, cluster: &Cluster) -> ProtocolKind {
    let between = cluster
        .protocol
        .filter(|_| workload.is_local() && cluster.servers > 1);
    between.unwrap_or(workload.protocol)
}

/// A protocol whose operations the software profile has no costs of.
fn other_protocol(workload: &Workload, cluster: &Cluster, stack: &Stack) -> Option<String> {
    let (protocol, fits) = (served(workload, cluster), &stack.protocols);
    let is_served = fits.is_empty() || [protocol, workload.protocol].iter().any(|one| fits.contains(one));
    (!is_served).then(|| {
        let names: Vec<&str> = fits.iter().map(|protocol| protocol.name()).collect();
        let others = profiles(|stack| stack.protocols.contains(&protocol));
        let advice = if others.is_empty() {
            "no profile has costs of it".to_owned()
        } else {
            format!("for {protocol} choose {}", one_of(others))
        };
        let advice = format!("set `protocol = \"{}\"` of the workload, or {advice}", names[0]);
        format!(
            "workload `{}` speaks {protocol}, and the software profile {} has the costs of {}: what operations \
             cost may be off by more than the interval says; {advice}",
            workload.id,
            stack.name,
            names.join(", "),
        )
    })
}

/// How many times as large as its operations records are from which on reading them whole is worth a warning.
const LARGE_RECORD: f64 = 4.0;
/// The share of reads that come from disks or cache devices from which on it is.
const FROM_DISKS: f64 = 0.01;

/// Random operations on records that are much larger: each moves a whole record at the disks. ZFS does that;
/// software without records reads what is asked for.
fn whole_records(scenario: &Scenario, workload: &Workload, found: &WorkloadOutcome) -> Option<String> {
    let pools = scenario.storage.pools.iter();
    let pools = pools.filter(|pool| workload.pool.as_ref().is_none_or(|id| *id == pool.id));
    let pools = pools.filter(|pool| pool.method(&scenario.stack.storage) == WriteMethod::Groups);
    let pool = pools.max_by(|a, b| a.record_size.get().total_cmp(&b.record_size.get()))?;
    let (record, size) = (pool.record_size, workload.io_size);
    let is_large = workload.pattern == AccessPattern::Random && record.get() >= LARGE_RECORD * size.get();
    let from_disks = 1.0 - found.cache.hit_rate.get() >= FROM_DISKS && workload.mix.moves_data();
    (is_large && from_disks).then(|| {
        format!(
            "workload `{}` asks for {} at random places, and pool `{}` has records of {}, each read \
             whole: {} times as much at the disks; set `record_size` of the pool, or \
             `writes = \"in place\"` for software that has no records",
            workload.id,
            size.binary(),
            pool.id,
            record.binary(),
            (record.get() / size.get()).round(),
        )
    })
}

/// Most years between software that a scenario names and its processors.
const APART: u32 = 5;

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

/// A profile of other years than the processors, or of years that nothing chose.
pub(crate) fn other_decade(scenario: &Scenario) -> Option<String> {
    let [first, last] = scenario.stack.years?;
    let sockets = scenario.topology.sockets().iter();
    let years = sockets
        .map(|socket| socket.part.year as u32)
        .filter(|&year| year > 0);
    let Some(year) = years.max_by_key(|&year| first.saturating_sub(year).max(year.saturating_sub(last)))
    else {
        return scenario.stack.is_default.then(|| {
            format!(
                "no processor of the server has a `year` to choose the software profile by, so that it is \
                 {}, which fits systems of {first} to {last}: what operations cost may be off by more than \
                 the interval says; set the `year` of the processor's part, or choose a profile with \
                 `stack.profile`",
                scenario.stack.name,
            )
        });
    };
    let apart = first.saturating_sub(year).max(year.saturating_sub(last));
    // What the program chose itself has to fit.
    let permitted = if scenario.stack.is_default { 0 } else { APART };
    (apart > permitted).then(|| {
        let covers = |stack: &Stack| {
            let years = stack.years;
            years.is_some_and(|[first, last]| (first..=last).contains(&year))
        };
        let protocols = protocols(scenario);
        let others = profiles(|stack| covers(stack) && serves(stack, &protocols));
        let advice = if others.is_empty() {
            format!("there is no profile of {year} for its protocols")
        } else {
            format!("for {year} choose {}", one_of(others))
        };
        format!(
            "the software profile {} fits systems of {first} to {last}, and the server has processors of \
             {year}: what operations cost may be off by more than the interval says; {advice}",
            scenario.stack.name,
        )
    })
}

/// The names of the profiles to advise.
fn profiles(is_advised: impl Fn(&Stack) -> bool) -> Vec<&'static str> {
    let advised = general_profiles().filter(|stack| is_advised(stack));
    advised.map(|stack| stack.name.as_str()).collect()
}

/// The protocols that the software of a scenario serves.
fn protocols(scenario: &Scenario) -> Vec<ProtocolKind> {
    let workloads = scenario.workloads.iter();
    workloads
        .map(|workload| served(workload, &scenario.cluster))
        .collect()
}

/// Whether a profile has costs of all these protocols.
fn serves(stack: &Stack, protocols: &[ProtocolKind]) -> bool {
    let mut protocols = protocols.iter();
    protocols.all(|protocol| stack.protocols.contains(protocol))
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

/// Whether a simulation is of a steady state. There is none where a load exceeds the capacity, nor where it
/// is not there all the time.
fn is_comparable(scenario: &Scenario, outcome: &Outcome, prediction: &Outcome) -> bool {
    let mut workloads = scenario.workloads.iter();
    workloads.all(|workload| workload.schedule.is_constant())
        && ![outcome, prediction].into_iter().any(Outcome::is_overloaded)
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
    use bandgraph_model::storage::PoolKind;
    use bandgraph_solve::Precision;
    use bandgraph_units::Time;
    use bandgraph_workload::{Mix, OperationKind};

    use super::*;

    #[test]
    fn a_protocol_that_the_profile_is_not_of_is_told() {
        let mut workload = Workload::new("share", "clients", Mix::single(OperationKind::Read));
        let mut stack = Stack::fishworks_2009();
        let mut cluster = Cluster::default();
        assert_eq!(other_protocol(&workload, &cluster, &stack), None);
        workload.protocol = ProtocolKind::Smb2;
        let text = other_protocol(&workload, &cluster, &stack).expect("it is of NFS");
        assert!(text.contains("smb2") && text.contains("`samba-2020`"), "{text}");
        stack.protocols.clear();
        assert_eq!(
            other_protocol(&workload, &cluster, &stack),
            None,
            "the user's own stack"
        );
        // Processes on the nodes of a cluster, whose software serves the protocol between the nodes.
        workload.protocol = ProtocolKind::Host;
        stack.protocols = vec![ProtocolKind::NvmeTcp];
        assert!(other_protocol(&workload, &cluster, &stack).is_some());
        cluster = Cluster {
            servers: 63,
            protocol: Some(ProtocolKind::NvmeTcp),
            ..Cluster::default()
        };
        assert_eq!(other_protocol(&workload, &cluster, &stack), None);
    }

    #[test]
    fn profiles_of_other_protocols_are_not_advised() {
        let smb = profiles(|stack| serves(stack, &[ProtocolKind::Smb2]));
        assert!(
            smb.contains(&"samba-2020") && !smb.contains(&"linux-nfsd-tcp-2020"),
            "{smb:?}"
        );
        let both = [ProtocolKind::Smb2, ProtocolKind::Nfs3Tcp];
        assert_eq!(profiles(|stack| serves(stack, &both)), [""; 0], "none has both");
        let local = profiles(|stack| serves(stack, &[ProtocolKind::Host]));
        assert!(local.contains(&"linux-local-2009"), "{local:?}");
        assert!(
            !local.contains(&"hotspot-ssj-2009"),
            "a benchmark of Java is no advice"
        );
    }

    #[test]
    fn locks_of_arrays_are_named_where_they_would_limit() {
        let pool = |kind| Pool {
            kind,
            ..Pool::default()
        };
        let fast = beyond_locks(&[pool(PoolKind::Raid5)], 3e6).expect("three times as fast as md");
        assert!(
            fast.contains("raid5") && fast.contains("3,000,000 ops/s"),
            "{fast}"
        );
        assert_eq!(beyond_locks(&[pool(PoolKind::Raid5)], 1e6), None);
        assert_eq!(beyond_locks(&[pool(PoolKind::Stripe)], 3e6), None);
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

    #[test]
    fn encryption_without_a_cost_is_told() {
        let mut workload = Workload::new("share", "clients", Mix::single(OperationKind::Read));
        let [plain, encrypts] = ["samba-2020", "samba-encrypted-2020"]
            .map(|name| bandgraph_model::profile(name).expect("a profile"));
        workload.protocol = ProtocolKind::Smb2;
        assert_eq!(free_encryption(&workload, plain), None);
        workload.protocol = ProtocolKind::Smb3Encrypted;
        assert_eq!(free_encryption(&workload, encrypts), None);
        let text = free_encryption(&workload, plain).expect("it has no cost");
        assert!(
            text.contains("`share`") && text.contains("samba-encrypted-2020"),
            "{text}"
        );
    }
}

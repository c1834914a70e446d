//! A target of the model: random loads on the disks of shipped servers. Whatever they ask for, there is a
//! steady state, with and without more threads, and no resource is used more than fully.

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_scenario::load_with;
use bandgraph_solve::{SteadyState, limits_of};
use bandgraph_testkit::Mutator;

use super::readers::unchanged;
use super::server::{DISK_ROUNDING, predicts};
use super::{Corpus, Target};

pub(super) const TARGETS: &[Target] = &[Target {
    name: "storage",
    samples: &[],
    texts: &[],
    share: 60,
    check: storage,
}];

/// Servers with disks, logs and pools of all kinds.
const SCENARIOS: [&str; 7] = [
    "scenarios/7110/mail-store.toml",
    "scenarios/7410-barcelona/disk-write.toml",
    "scenarios/7410-istanbul/disk-random-8k.toml",
    "scenarios/7410-istanbul/disk-sync-8k.toml",
    "scenarios/7410-istanbul/disk-sync-8k-log.toml",
    "scenarios/7410-istanbul/disk-write.toml",
    "scenarios/apple-xserve/sfs2008.toml",
];
const OPERATIONS: [&str; 6] = ["read", "write", "create", "remove", "commit", "getattr"];

/// The scenario and the overrides that a seed gives.
fn load_of(input: &[u8]) -> (&'static str, Vec<String>) {
    let mut random = Mutator::new(&String::from_utf8_lossy(input), 0);
    let scenario = *random.pick(&SCENARIOS);
    let mut mix = Vec::new();
    for operation in OPERATIONS {
        if random.below(2) == 0 {
            mix.push(format!("{operation} = {}", 1 + random.below(50)));
        }
    }
    if mix.is_empty() {
        mix.push("write = 1".to_owned());
    }
    let mut sets = vec![
        format!("workload.*.mix={{ {} }}", mix.join(", ")),
        format!(
            "workload.*.io_size={} KiB",
            random.pick(&[4, 8, 16, 32, 128, 1024])
        ),
        format!(
            "workload.*.threads_per_client={}",
            random.pick(&[1, 4, 16, 63, 64, 256, 1000])
        ),
        format!("workload.*.think_time={} ms", random.pick(&[0, 1, 10, 100, 1000])),
        format!("workload.*.pattern={}", random.pick(&["random", "sequential"])),
        format!("workload.*.synchronous={}", random.pick(&["true", "false"])),
        format!("workload.*.working_set={} GiB", random.pick(&[100, 400, 1000])),
    ];
    if scenario == SCENARIOS[0] {
        sets.push(format!("pool.mail.disks_per_jbod={}", random.pick(&[2, 4, 14])));
    }
    (scenario, sets)
}

fn storage(corpus: &Corpus, input: &[u8]) -> Result<(), String> {
    let (scenario, sets) = load_of(input);
    let said = |message: String| format!("{scenario} {sets:?}: {message}");
    let loaded = load_with(
        &unchanged(corpus),
        Path::new(scenario),
        &sets,
        &mut Sources::new(),
    );
    let loaded = loaded.map_err(|diagnostics| said(format!("{diagnostics:?}")))?;
    predicts(&loaded).map_err(said)?;
    let limits = SteadyState::solve(&loaded.bound).and_then(|steady| {
        let outcome = steady.prediction(&loaded.bound)?;
        limits_of(&loaded.bound, &steady, &outcome)
    });
    let limits = limits.map_err(|error| said(error.to_string()))?;
    let next = limits.next.iter().map(|(limit, _)| limit);
    for limit in next.chain([&limits.bottleneck]) {
        // Written so that NaN fails.
        let fits = limit.utilisation <= 1.0 + DISK_ROUNDING;
        if !fits {
            return Err(said(format!("`{}` is used to {}", limit.id(), limit.utilisation)));
        }
    }
    Ok(())
}

//! Software profiles that do not fit the scenario: of other years than the processors, without costs of a
//! workload's protocol or encryption, without those of a pool of ZFS, or with records that a workload hardly
//! uses.

use bandgraph_config::Decoded;
use bandgraph_diagnostics::{Diagnostic, Place, one_of};
use bandgraph_model::storage::{Pool, WriteMethod};
use bandgraph_model::{Bound, Scenario, Stack, general_profiles};
use bandgraph_workload::{AccessPattern, Cluster, ProtocolKind, Workload};

/// Most years between software that a scenario names and its processors.
const APART: u32 = 5;
/// The same for software that the program chose: a server may have processors of the year before.
const CHOSEN_APART: u32 = 1;

/// What reports say of the software of a scenario, for those who check its file.
pub(crate) fn unfit_profile(decoded: &Decoded, scenario: &Scenario, bound: &Bound) -> Vec<Diagnostic> {
    let warning = |place: Place, text: String| Diagnostic::warning("scenario::unfit_profile", text).at(place);
    let all = [other_decade(scenario), without_zfs(scenario)]
        .into_iter()
        .flatten();
    let of_server = all.map(|text| warning(decoded.place_of("stack.profile"), text));
    let entries = decoded.entries("workload").iter().zip(&scenario.workloads);
    let of_workloads = entries.clone().filter_map(|(entry, workload)| {
        let text = other_protocol(scenario, workload)?;
        Some(warning(entry.place_of("protocol"), text))
    });
    let with_records = entries
        .zip(bound.caches.iter())
        .filter_map(|((entry, workload), cache)| {
            let text = whole_records(scenario, workload, 1.0 - cache.data.hit_rate.get())?;
            Some(warning(entry.place_of("io_size"), text))
        });
    of_server.chain(of_workloads).chain(with_records).collect()
}

/// A profile of other years than the processors, or of years that nothing chose.
pub fn other_decade(scenario: &Scenario) -> Option<String> {
    let [first, last] = scenario.stack.years?;
    let years = years(scenario).into_iter();
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
    let permitted = if scenario.stack.is_default {
        CHOSEN_APART
    } else {
        APART
    };
    (apart > permitted).then(|| {
        let protocols = protocols(scenario);
        let needs_zfs = scenario.stack.zfs || scenario.storage.pools.iter().any(is_of_zfs);
        let suits = |stack: &Stack| serves(stack, &protocols) && (stack.zfs || !needs_zfs);
        let others = profiles(|stack| covers(stack, year) && suits(stack));
        let advice = if others.is_empty() {
            let with_zfs = if needs_zfs { " with ZFS" } else { "" };
            format!("there is no profile of {year} for its protocols{with_zfs}")
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

/// The years of the server's processors that are known.
fn years(scenario: &Scenario) -> Vec<u32> {
    let sockets = scenario.topology.sockets().iter();
    let years = sockets.map(|socket| socket.part.year as u32);
    years.filter(|&year| year > 0).collect()
}

/// Whether a profile fits systems of a year.
fn covers(stack: &Stack, year: u32) -> bool {
    stack
        .years
        .is_some_and(|[first, last]| (first..=last).contains(&year))
}

/// Whether only ZFS writes pools of this kind.
fn is_of_zfs(pool: &Pool) -> bool {
    pool.kind.parity() > 0 && !pool.kind.is_chunked()
}

/// A pool of ZFS under software without its costs. Object stores have a parity of their own.
pub fn without_zfs(scenario: &Scenario) -> Option<String> {
    let stack = &scenario.stack;
    if stack.storage.writes == WriteMethod::WholeObjects {
        return None;
    }
    let mut pools = scenario.storage.pools.iter();
    let pool = pools.find(|pool| is_of_zfs(pool)).filter(|_| !stack.zfs)?;
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

/// How many times as large as its operations records are from which on reading them whole is worth a warning.
const LARGE_RECORD: f64 = 4.0;
/// The share of reads that come from disks or cache devices from which on it is.
const FROM_DISKS: f64 = 0.01;

/// Random operations on records that are much larger, of which the share `missed` is not in the cache: each
/// moves a whole record at the disks. ZFS does that; software without records reads what is asked for.
pub fn whole_records(scenario: &Scenario, workload: &Workload, missed: f64) -> Option<String> {
    let pools = scenario.storage.pools.iter();
    let pools = pools.filter(|pool| workload.pool.as_ref().is_none_or(|id| *id == pool.id));
    let pools = pools.filter(|pool| pool.method(&scenario.stack.storage) == WriteMethod::Groups);
    let pool = pools.max_by(|a, b| a.record_size.get().total_cmp(&b.record_size.get()))?;
    let (record, size) = (pool.record_size, workload.io_size);
    let is_large = workload.pattern == AccessPattern::Random && record.get() >= LARGE_RECORD * size.get();
    let from_disks = missed >= FROM_DISKS && workload.mix.moves_data();
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

/// A protocol of a workload that the profile has no costs of, or none of its encryption.
pub fn other_protocol(scenario: &Scenario, workload: &Workload) -> Option<String> {
    let stack = &scenario.stack;
    free_encryption(workload, stack)
        .or_else(|| unserved_protocol(workload, &scenario.cluster, stack, &years(scenario)))
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

/// A protocol whose operations the profile has no costs of.
fn unserved_protocol(workload: &Workload, cluster: &Cluster, stack: &Stack, years: &[u32]) -> Option<String> {
    let (protocol, fits) = (served(workload, cluster), &stack.protocols);
    let is_served = fits.is_empty() || [protocol, workload.protocol].iter().any(|one| fits.contains(one));
    (!is_served).then(|| {
        let names: Vec<&str> = fits.iter().map(|protocol| protocol.name()).collect();
        let serves = |stack: &Stack| stack.protocols.contains(&protocol);
        let mut others = profiles(|stack| serves(stack) && years.iter().all(|&year| covers(stack, year)));
        if others.is_empty() {
            others = profiles(serves);
        }
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

/// The protocol that the server's software serves for a workload. What processes on the servers of a cluster
/// ask for goes to other servers in the protocol between them.
fn served(workload: &Workload, cluster: &Cluster) -> ProtocolKind {
    let between = cluster
        .protocol
        .filter(|_| workload.is_local() && cluster.servers > 1);
    between.unwrap_or(workload.protocol)
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

#[cfg(test)]
mod tests {
    use bandgraph_workload::{Mix, OperationKind};

    use super::*;

    #[test]
    fn a_protocol_that_the_profile_is_not_of_is_told() {
        let mut workload = Workload::new("share", "clients", Mix::single(OperationKind::Read));
        let mut stack = Stack::fishworks_2009();
        let mut cluster = Cluster::default();
        assert_eq!(unserved_protocol(&workload, &cluster, &stack, &[]), None);
        workload.protocol = ProtocolKind::Smb2;
        let text = unserved_protocol(&workload, &cluster, &stack, &[]).expect("it is of NFS");
        assert!(text.contains("smb2") && text.contains("`samba-2020`"), "{text}");
        stack.protocols.clear();
        assert_eq!(
            unserved_protocol(&workload, &cluster, &stack, &[]),
            None,
            "the user's own stack"
        );
        // Processes on the nodes of a cluster, whose software serves the protocol between the nodes.
        workload.protocol = ProtocolKind::Host;
        stack.protocols = vec![ProtocolKind::NvmeTcp];
        assert!(unserved_protocol(&workload, &cluster, &stack, &[]).is_some());
        cluster = Cluster {
            servers: 63,
            protocol: Some(ProtocolKind::NvmeTcp),
            ..Cluster::default()
        };
        assert_eq!(unserved_protocol(&workload, &cluster, &stack, &[]), None);
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

//! Checks of the pools, devices and enclosures of a scenario: references and ranges.

use bandgraph_topology::Topology;
use bandgraph_units::Bytes;
use bandgraph_workload::{OperationKind, Workload};

use super::{Pool, PoolKind, Storage, StorageCosts, StorageError, WriteMethod};
use crate::Scenario;

impl Scenario {
    /// All errors of the ids and references of its pools, their devices, and the pools of its workloads.
    /// Binding ends with the first of them.
    pub fn storage_errors(&self) -> Vec<StorageError> {
        let mut errors = check(&self.storage, &self.stack.storage, &self.topology);
        errors.extend(check_pools_of(&self.workloads, &self.storage));
        errors.extend(check_code(self).err());
        errors
    }
}

/// The first of these errors, if there is one.
pub(super) fn first_of(errors: Vec<StorageError>) -> Result<(), StorageError> {
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// All errors of ids and references.
fn check(storage: &Storage, costs: &StorageCosts, topology: &Topology) -> Vec<StorageError> {
    let mut errors = Vec::new();
    for (what, ids) in [
        (
            "pool",
            storage.pools.iter().map(|pool| &pool.id).collect::<Vec<_>>(),
        ),
        ("ssd", storage.ssds.iter().map(|ssd| &ssd.id).collect()),
    ] {
        let twice = ids.iter().enumerate().find(|&(at, id)| ids[..at].contains(id));
        if let Some((_, id)) = twice {
            errors.push(StorageError::Duplicate {
                what,
                id: (*id).clone(),
            });
        }
    }
    let mut taken: Vec<(&str, &Pool)> = Vec::new();
    let mut devices: Vec<(&str, &Pool, &'static str)> = Vec::new();
    for pool in &storage.pools {
        errors.extend(check_sizes(pool).err());
        let method = pool.method(costs);
        if method == WriteMethod::Memory {
            errors.push(StorageError::InMemory {
                pool: pool.id.clone(),
            });
        }
        if pool.compress_ratio > 1.0 && method != WriteMethod::Groups {
            errors.push(StorageError::Compression {
                pool: pool.id.clone(),
                method: method.as_str(),
            });
        }
        let all: Vec<&str> = topology.jbods().iter().map(|jbod| jbod.id.as_str()).collect();
        // Those for data: named ones, which may be unknown, or all others. Then the drives that are devices.
        let others = topology.jbods().iter().map(|jbod| &jbod.id);
        let others = others.filter(|id| pool.jbods.is_empty() && pool.has_data_on(id));
        let drives = pool.log.iter().chain(&pool.cache);
        let drives = drives.filter(|id| all.contains(&id.as_str()));
        for jbod in pool.jbods.iter().chain(others).chain(drives).map(String::as_str) {
            if !all.contains(&jbod) {
                errors.push(StorageError::UnknownJbod {
                    pool: pool.id.clone(),
                    jbod: jbod.to_owned(),
                    known: all.iter().map(|&id| id.to_owned()).collect(),
                });
                continue;
            }
            let shares = |other: &Pool| {
                other.id != pool.id && other.disks_per_jbod.is_some() && pool.disks_per_jbod.is_some()
            };
            if let Some((_, first)) = taken.iter().find(|(other, of)| *other == jbod && !shares(of)) {
                errors.push(StorageError::JbodTwice {
                    jbod: jbod.to_owned(),
                    first: first.id.clone(),
                    second: pool.id.clone(),
                });
                continue;
            }
            taken.push((jbod, pool));
        }
        for (role, names) in [("log", &pool.log), ("cache", &pool.cache)] {
            for name in names {
                if !storage.ssds.iter().any(|ssd| ssd.id == *name) {
                    errors.push(StorageError::UnknownSsd {
                        pool: pool.id.clone(),
                        ssd: name.clone(),
                        role,
                        known: known_devices(storage, topology),
                    });
                    continue;
                }
                if let Some((_, first, first_role)) = devices.iter().find(|(other, ..)| other == name) {
                    errors.push(StorageError::SsdTwice {
                        ssd: name.clone(),
                        first: first.id.clone(),
                        first_role,
                        pool: pool.id.clone(),
                        role,
                    });
                }
                devices.push((name, pool, role));
            }
        }
    }
    errors
}

/// What a pool may name as log or cache devices: SSDs of the scenario and NVMe drives.
fn known_devices(storage: &Storage, topology: &Topology) -> Vec<String> {
    let ssds = storage.ssds.iter().map(|ssd| &ssd.id);
    let cards = topology.jbods().iter().filter(|drive| drive.card().is_some());
    let cards = cards.map(|drive| &drive.id);
    ssds.chain(cards).cloned().collect()
}

/// Checks that an erasure code which the software computes is written somewhere: to other parts in a cluster,
/// or to the parity of a pool.
fn check_code(scenario: &Scenario) -> Result<(), StorageError> {
    if scenario.stack.write_code_passes == 0.0 || scenario.cluster.data_parts > 0 {
        return Ok(());
    }
    let writers = || {
        let workloads = scenario.workloads.iter();
        workloads.filter(|workload| workload.mix.share(OperationKind::Write).get() > 0.0)
    };
    let pools = scenario.storage.pools.iter();
    let mut stripes = pools.filter(|pool| pool.kind == PoolKind::Stripe);
    match stripes.find(|pool| writers().any(|workload| pool.serves(workload))) {
        Some(pool) => Err(StorageError::NoCode {
            pool: pool.id.clone(),
            stack: scenario.stack.name.clone(),
        }),
        None => Ok(()),
    }
}

/// Workloads that name unknown pools.
pub(super) fn check_pools_of(workloads: &[Workload], storage: &Storage) -> Vec<StorageError> {
    let named = workloads
        .iter()
        .filter_map(|workload| Some((workload, workload.pool.as_ref()?)));
    let unknown = named.filter(|(_, name)| !storage.pools.iter().any(|pool| pool.id == **name));
    let errors = unknown.map(|(workload, name)| StorageError::UnknownPool {
        workload: workload.id.clone(),
        pool: name.clone(),
        known: storage.pools.iter().map(|pool| pool.id.clone()).collect(),
    });
    errors.collect()
}

fn check_sizes(pool: &Pool) -> Result<(), StorageError> {
    let is_power = |bytes: Bytes, most: f64| {
        (512.0..=most).contains(&bytes.get()) && libm::log2(bytes.get()).fract() == 0.0
    };
    if let Some(sector) = pool.sector
        && !is_power(sector, 65_536.0)
    {
        return Err(StorageError::Sector {
            pool: pool.id.clone(),
            sector: sector.to_string(),
        });
    }
    if !is_power(pool.record_size, 1_048_576.0) {
        return Err(StorageError::RecordSize {
            pool: pool.id.clone(),
            record_size: pool.record_size.to_string(),
        });
    }
    let run = pool.run().get();
    if !(pool.record_size.get()..=1_073_741_824.0).contains(&run) {
        return Err(StorageError::Run {
            pool: pool.id.clone(),
            run: pool.run().to_string(),
        });
    }
    if let Some(spread) = pool.spread
        && !(spread.get() > 0.0 && spread.get() <= 1.0)
    {
        return Err(StorageError::Spread {
            pool: pool.id.clone(),
            spread: spread.to_string(),
        });
    }
    Ok(())
}

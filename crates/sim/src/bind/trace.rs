//! The classes that records of a trace belong to.
//!
//! Every kind of operation (what it does, its size, whether it must be stable, whether it goes on where another ended) is
//! bound at every port, once as what the cache answers and once as what it does not. The cards of the clients that a trace
//! was recorded from are not known, and are no resource here.

use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::{AccessPattern, ClientGroup, Mix, OperationKind, Workload};

use super::limits::check_run;
use super::{Binder, Binding, Bound};
use crate::demand::{Supply, ThreadGroup};
use crate::network::{self, ClientCycles, ClientNic};
use crate::storage::{CacheShares, CacheUse, HitRateMethod};
use crate::{BindError, Scenario};

/// What of a record decides which class it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TraceKind {
    /// What was asked for.
    pub(crate) operation: OperationKind,
    /// File data moved, or brought to the log by a COMMIT.
    pub(crate) bytes: u64,
    /// Whether a write had to be on stable storage.
    pub(crate) stable: bool,
    /// Whether it began where the one before it in its file ended.
    pub(crate) sequential: bool,
}

/// Where the classes of a trace are.
#[derive(Clone, Debug)]
pub(crate) struct TraceClasses {
    /// The group of threads of every port, in the order in which clients use them.
    pub(crate) groups: Vec<usize>,
    /// By kind, then by what the cache does not have, then by port: classes with their shares.
    of: Vec<[Vec<Shares>; Missing::COUNT]>,
}

/// What of an operation the cache does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Its data.
    pub(crate) data: bool,
    /// Its metadata.
    pub(crate) metadata: bool,
}

impl Missing {
    const COUNT: usize = 4;

    fn all() -> impl Iterator<Item = Self> {
        [false, true]
            .into_iter()
            .flat_map(|metadata| [false, true].into_iter().map(move |data| Self { data, metadata }))
    }

    fn number(self) -> usize {
        usize::from(self.data) + 2 * usize::from(self.metadata)
    }

    /// What the cache does then.
    fn caches(self) -> CacheShares {
        let of = |missing: bool| CacheUse {
            working_set: Bytes::ZERO,
            capacity: Bytes::ZERO,
            hit_rate: Fraction::new(if missing { 0.0 } else { 1.0 }),
            second_level_hit_rate: Fraction::ZERO,
            second_level: None,
            method: HitRateMethod::Blocks,
        };
        CacheShares {
            data: of(self.data),
            metadata: of(self.metadata),
        }
    }
}

/// Classes with their shares.
type Shares = Vec<(usize, f64)>;

impl TraceClasses {
    /// The classes of a kind at the port of a group, by its position, with their shares; none for what needs disks where
    /// there are none.
    pub(crate) fn of(&self, kind: usize, missing: Missing, port: usize) -> &[(usize, f64)] {
        &self.of[kind][missing.number()][port]
    }
}

impl Bound {
    /// Binds a scenario with one of its workloads replaced by records of these kinds.
    pub(crate) fn bind_trace(
        scenario: &Scenario,
        workload: usize,
        kinds: &[TraceKind],
    ) -> Result<(Self, TraceClasses), BindError> {
        check_run(&scenario.run)?;
        let (bound, classes) =
            Binding::new(scenario, &mut Binder::new())?.finish_with(Some((workload, kinds)))?;
        Ok((
            bound,
            classes.expect("the workload of this index has been bound for a trace"),
        ))
    }
}

impl Binding<'_> {
    pub(super) fn bind_trace(
        &mut self,
        index: usize,
        workload: &Workload,
        group: &ClientGroup,
        nics: &[ClientNic],
        kinds: &[TraceKind],
    ) -> Result<TraceClasses, BindError> {
        let mut ports: Vec<usize> = Vec::new();
        for nic in nics {
            if !ports.contains(&nic.port) {
                ports.push(nic.port);
            }
        }
        let mut of = vec![[const { Vec::new() }; Missing::COUNT]; kinds.len()];
        // Where nothing is said of metadata, all of it is cached.
        let cases: Vec<Missing> = Missing::all()
            .filter(|missing| !missing.metadata || workload.metadata.is_known())
            .collect();
        let mut groups = Vec::new();
        for &port in &ports {
            let (mut visits, mut delay) = (Vec::new(), 0.0);
            for (of, kind) in of.iter_mut().zip(kinds) {
                let alone = alone(workload, *kind);
                for &missing in &cases {
                    let cache = missing.caches();
                    let mut classes: Vec<(usize, f64)> = Vec::new();
                    let templates = match self.templates(index, &alone, Some(port), 1.0, Some(&cache)) {
                        // That matters only if the trace has such an operation.
                        Err(BindError::NeedsDisks { .. }) => Vec::new(),
                        templates => templates?,
                    };
                    for template in templates {
                        let frames = template.frames_to_server;
                        delay += template.share
                            * network::delay(
                                self.scenario,
                                group,
                                port,
                                &ClientCycles::default(),
                                frames,
                                1.0,
                            );
                        classes.push((self.classes.len(), template.share));
                        self.classes.push(template.class);
                    }
                    visits.extend(classes.iter().copied());
                    of[missing.number()].push(classes);
                }
            }
            let cases = (cases.len() * kinds.len()) as f64;
            for (_, share) in &mut visits {
                *share /= cases;
            }
            groups.push(self.threads.len());
            self.threads.push(ThreadGroup {
                workload: index,
                client_nic: self.topology.ports()[port].inbound.index(),
                client: 0,
                port: Some(port),
                port_core: None,
                kind: 0,
                threads: 0,
                supply: Supply::Trace { rate: None },
                population: 1.0,
                slots: f64::INFINITY,
                members: 1.0,
                delay: delay / cases,
                think: 0.0,
                visits,
            });
        }
        Ok(TraceClasses { groups, of })
    }
}

/// A workload of one kind of operation.
fn alone(workload: &Workload, kind: TraceKind) -> Workload {
    Workload {
        mix: Mix::single(kind.operation),
        io_size: Bytes::new((kind.bytes as f64).max(1.0)),
        pattern: if kind.sequential {
            AccessPattern::Sequential
        } else {
            AccessPattern::Random
        },
        synchronous: workload.synchronous || kind.stable,
        commit_bytes: Some(Bytes::new(kind.bytes as f64)),
        ..workload.clone()
    }
}

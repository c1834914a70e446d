//! State of a replay: the class of each record, and the counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bandgraph_engine::streams::Stream;
use bandgraph_model::storage::{CacheShares, CacheUse, HitRateMethod, Pool, SecondLevel, cached_ratio};
use bandgraph_model::{Answer, Bound, Found, OPEN_HORIZON, Scenario, Supply, TraceClasses};
use bandgraph_solve::Latency;
use bandgraph_units::{Bytes, Fraction, Time};
use bandgraph_workload::OperationKind;
use bandgraph_workload::Record;
use hdrhistogram::Histogram;
use rustc_hash::FxHashMap;

use super::blocks::{Blocks, Sizes};
use super::ends::Ends;
use super::kinds::{Kinds, kind_of};
use super::names::Names;
use super::unstable::Unstable;
use super::{ReplaySettings, SeenKind, Timing};
use crate::simulation::{Traced, distribution};

/// Record size in bytes without known pools.
const RECORD: f64 = 131_072.0;

/// State of a replay.
pub(super) struct ReplayState<'a> {
    bound: &'a Bound,
    classes: &'a TraceClasses,
    kinds: &'a Kinds,
    settings: ReplaySettings,
    ends: Ends,
    blocks: Blocks,
    names: Names,
    unstable: Unstable,
    has_pools: bool,
    sizes: Sizes,
    /// Operations by client of the scenario, for the round robin over its paths.
    turns: Vec<usize>,
    /// Highest client number of the trace.
    last_client: u32,
    /// Operations that bypass the client NICs.
    pub(super) past_nics: u64,
    /// Operations by path and class.
    issued: FxHashMap<(u32, u32), u64>,
    /// Operations by kind and by the source of their data.
    seen: Vec<[u64; 3]>,
    pub(super) payload: f64,
    pub(super) of_other_sizes: u64,
    latencies: Histogram<u64>,
    slowest: u64,
    /// An operation that is impossible without disks.
    pub(super) needs_disks: Option<OperationKind>,
}

impl<'a> ReplayState<'a> {
    pub(super) fn new(
        scenario: &Scenario,
        settings: &ReplaySettings,
        bound: &'a Bound,
        classes: &'a TraceClasses,
        kinds: &'a Kinds,
    ) -> Self {
        let storage = &scenario.storage;
        let workload = &scenario.workloads[settings.workload];
        let own = |pool: &&Pool| workload.pool.as_ref().is_none_or(|id| *id == pool.id);
        let mut pools = storage.pools.iter().filter(own);
        let names = pools.clone().flat_map(|pool| &pool.cache);
        let devices = names.filter_map(|name| storage.ssds.iter().find(|ssd| ssd.id == *name));
        let ratio = cached_ratio(storage, &scenario.stack.storage, workload);
        let sizes = Sizes {
            dram: bound.caches[settings.workload].data.capacity.get(),
            devices: devices.map(|ssd| ssd.part.capacity.get()).sum::<f64>() * ratio,
            block: pools.next().map_or(RECORD, |pool| pool.record_size.get()),
            feed: storage.cache.feed.rate.get() * ratio,
            boost: storage.cache.feed.boost.get() * ratio,
        };
        Self {
            bound,
            classes,
            kinds,
            settings: *settings,
            ends: Ends::default(),
            blocks: Blocks::new(storage.cache.policy, sizes),
            names: Names::new(
                &workload.metadata,
                storage.cache.policy,
                &bound.caches[settings.workload].metadata,
                scenario.stack.storage.metadata_bytes_per_file,
            ),
            unstable: super::unstable_of(scenario, settings),
            has_pools: !storage.pools.is_empty(),
            sizes,
            turns: vec![0; classes.clients()],
            issued: FxHashMap::default(),
            seen: vec![[0; 3]; kinds.all.len()],
            last_client: 0,
            past_nics: 0,
            payload: 0.0,
            of_other_sizes: 0,
            latencies: Histogram::new(3).expect("three significant digits are allowed"),
            slowest: 0,
            needs_disks: None,
        }
    }

    /// The group and the class of a record.
    pub(super) fn assign(&mut self, record: &Record, draws: &mut Stream) -> Option<(usize, usize)> {
        let unstable = self.unstable.take(record);
        let kind = kind_of(record, self.ends.goes_on(record), unstable);
        let choice = self.kinds.choose(kind, || draws.uniform());
        self.of_other_sizes += u64::from(!choice.exact);
        let number = choice.kind as usize;
        // Without pools, all data are in the cache.
        let mut found = Found::IN_DRAM;
        if self.has_pools {
            let seconds = record.start_ns as f64 * 1e-9 / self.settings.speed;
            found.data = self.blocks.answer(record, kind.sequential, seconds);
            if self.names.miss(record.file) {
                found.metadata = Answer::Disks;
            }
        }
        self.last_client = self.last_client.max(record.client);
        let client = record.client as usize % self.turns.len();
        let ways = self.classes.ways_of(client);
        let way = ways.start + self.turns[client] % ways.len();
        self.turns[client] += 1;
        let class = match self.classes.of(number, found, way) {
            [] => {
                self.needs_disks = Some(record.operation);
                return None;
            }
            [(class, _)] => *class,
            several => crate::simulation::choose(several, draws),
        };
        self.past_nics += u64::from(!self.classes.passes_nics(number));
        *self.issued.entry((way as u32, class as u32)).or_default() += 1;
        self.seen[number][found.data as usize] += 1;
        self.payload += record.bytes as f64;
        if let Some(latency) = record.latency_ns {
            self.slowest = self.slowest.max(latency);
            self.latencies
                .record(latency)
                .expect("a histogram that may grow takes any value");
        }
        Some((self.classes.ways[way].group, class))
    }

    pub(super) fn kinds_seen(&self) -> Vec<SeenKind> {
        let seen = self.kinds.all.iter().zip(&self.seen);
        let seen = seen.map(|(kind, &[in_dram, missed, on_devices])| SeenKind {
            operation: kind.operation,
            bytes: kind.bytes,
            stable: kind.stable,
            sequential: kind.sequential,
            count: in_dram + missed + on_devices,
            missed,
        });
        seen.filter(|kind| kind.count > 0).collect()
    }

    pub(super) fn cache_uses(&self) -> CacheShares {
        let method = match (self.has_pools, self.blocks.is_sampled()) {
            (false, _) => HitRateMethod::Fits,
            (true, false) => HitRateMethod::Blocks,
            (true, true) => HitRateMethod::SampledBlocks,
        };
        let devices = self.sizes.devices;
        let data = CacheUse {
            working_set: Bytes::new(self.blocks.touched()),
            capacity: Bytes::new(self.sizes.dram),
            hit_rate: Fraction::new(self.blocks.hit_rate()),
            second_level_hit_rate: Fraction::new(self.blocks.device_hit_rate()),
            second_level: (devices > 0.0).then(|| SecondLevel {
                capacity: Bytes::new(devices),
                held: Bytes::new(self.blocks.held_by_devices()),
                fill_time: Time::new(devices / self.sizes.feed),
            }),
            method,
        };
        let warm = self.bound.caches[self.settings.workload].metadata;
        CacheShares {
            data,
            metadata: self.names.cache_use(warm),
        }
    }

    /// Number of clients in the trace, by the highest number.
    pub(super) fn clients(&self) -> u64 {
        u64::from(self.last_client) + 1
    }

    /// Recorded latencies.
    pub(super) fn recorded_latency(&self) -> Option<(Latency, u64)> {
        let count = self.latencies.len();
        let mean = Time::new(self.latencies.mean() * 1e-9);
        let latency = distribution(mean, &self.latencies, self.slowest);
        (count > 0).then_some((latency, count))
    }

    /// The scenario with the observed operations as a load: the observed number of each class, at their
    /// arrival rate or with the mean number in flight of the replay.
    pub(super) fn with_all_that_was_seen(&self, traced: &Traced, out: f64, cache: CacheShares) -> Bound {
        let mut seen = self.bound.clone();
        Arc::make_mut(&mut seen.caches)[self.settings.workload] = cache;
        let mut threads = seen.threads.to_vec();
        let span = traced.span_ns as f64 * 1e-9 / self.settings.speed;
        let delays = self.classes.delays(self.bound);
        let mut visits: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
        let issued = self.issued.iter().map(|(&key, &count)| (key, count));
        for ((way, class), count) in issued.collect::<BTreeMap<(u32, u32), u64>>() {
            let of_way = visits.entry(way as usize).or_default();
            of_way.push((class as usize, count as f64));
        }
        let first_kind = threads.len();
        let mut unused = BTreeSet::new();
        for (number, way) in self.classes.ways.iter().enumerate() {
            let Some(mut visits) = visits.remove(&number) else {
                unused.insert(way.group);
                continue;
            };
            let operations: f64 = visits.iter().map(|&(_, count)| count).sum();
            for (_, count) in &mut visits {
                *count /= operations;
            }
            let group = &mut threads[way.group];
            // Each group has its own part of the trace.
            group.kind = first_kind + number;
            group.delay = visits.iter().map(|&(class, share)| share * delays[class]).sum();
            group.visits = visits;
            match self.settings.timing {
                Timing::AsRecorded => {
                    let rate = operations / span.max(1e-9);
                    group.population = rate * OPEN_HORIZON;
                    group.think = OPEN_HORIZON;
                    group.supply = Supply::Trace { rate: Some(rate) };
                }
                Timing::AsFastAsPossible => {
                    group.population = out * operations / traced.operations as f64;
                    group.think = 0.0;
                    group.supply = Supply::Trace { rate: None };
                }
            }
        }
        let mut number = 0;
        threads.retain(|_| {
            number += 1;
            !unused.contains(&(number - 1))
        });
        seen.threads = threads.into();
        seen
    }
}

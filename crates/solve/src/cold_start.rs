//! Binding of scenarios whose caches are empty at the start of the run: their hit rates over the window
//! depend on the rate of reads, which depends on the hit rates.

use bandgraph_model::storage::{
    CacheLoad, CacheShares, CacheUse, Filling, OperatingPoint, StreamShares, Written, over_window,
};
use bandgraph_model::{BindError, Binder, Bound, Scenario};
use bandgraph_workload::AccessPattern;

use crate::predict::SteadyState;

/// Why the rates at a time were not found.
enum Stop {
    Bind(BindError),
    /// No steady state: the prediction of the bound scenario reports it.
    Unsolved(Box<Bound>),
}

/// The caches of the workloads of a scenario that are empty at the start of a run.
pub(crate) struct ColdStart<'a> {
    scenario: &'a Scenario,
    /// The results of the warm caches, by workload.
    warm: Vec<CacheShares>,
    /// Their fill: the data of all workloads, then the metadata of all.
    fillings: Vec<Filling>,
    /// By workload: bytes of data and of metadata in the caches touched per operation, on average over its
    /// mix.
    touched: Vec<[f64; 2]>,
}

impl<'a> ColdStart<'a> {
    /// The empty caches of a scenario with the given use by its workloads.
    pub(crate) fn new(scenario: &'a Scenario, loads: &[CacheLoad]) -> Self {
        let settings = &scenario.storage.cache;
        let filling = |cache: CacheUse, pattern: AccessPattern| {
            let fed = cache
                .second_level
                .map_or(0.0, |second| second.capacity.get() / second.fill_time.get());
            let part = fed / settings.feed.rate.get();
            Filling::new(cache, pattern, settings.policy, settings.feed, part)
        };
        let workloads = scenario.workloads.iter().zip(loads);
        let of_data = workloads
            .clone()
            .map(|(workload, load)| filling(load.warm.data, workload.pattern));
        let of_metadata = loads
            .iter()
            .map(|load| filling(load.warm.metadata, AccessPattern::Random));
        let touched = workloads.map(|(workload, load)| {
            let shares = workload.mix.shares().iter();
            let moving = shares.filter(|(kind, _)| kind.moves_data());
            [
                load.data * moving.map(|(_, share)| share.get()).sum::<f64>(),
                load.metadata,
            ]
        });
        Self {
            scenario,
            warm: loads.iter().map(|load| load.warm).collect(),
            fillings: of_data.chain(of_metadata).collect(),
            touched: touched.collect(),
        }
    }

    /// Binds the scenario with the mean cache results over its window, and with what becomes of written
    /// data, and these shares of streams at its disks.
    pub(crate) fn bind(
        &self,
        written: &[Written],
        streams: Option<&[StreamShares]>,
        binder: &mut Binder,
    ) -> Result<Bound, BindError> {
        let scenario = self.scenario;
        let mut with_caches = |caches: &[CacheShares]| {
            let point = OperatingPoint {
                written,
                caches: Some(caches),
                streams,
            };
            binder.bind_at(scenario, point)
        };
        if !self.fillings.iter().any(Filling::matters) {
            return with_caches(&self.warm);
        }
        let (warm_up, duration) = (scenario.run.warm_up.get(), scenario.run.duration.get());
        let found = over_window(self.fillings.clone(), warm_up, duration, |caches| {
            let bound = with_caches(&paired(caches)).map_err(Stop::Bind)?;
            match SteadyState::solve(&bound).map(|steady| steady.workload_rates(&bound)) {
                Ok(rates) => {
                    let touched = |part: usize| {
                        let rates = rates.iter().zip(&self.touched);
                        rates.map(move |(rate, bytes)| rate * bytes[part])
                    };
                    Ok(touched(0).chain(touched(1)).collect())
                }
                Err(_) => Err(Stop::Unsolved(Box::new(bound))),
            }
        });
        match found {
            Ok(caches) => with_caches(&paired(&caches)),
            Err(Stop::Bind(error)) => Err(error),
            Err(Stop::Unsolved(bound)) => Ok(*bound),
        }
    }
}

/// Combines the cache results of the data of all workloads, followed by those of the metadata of all, by
/// workload.
fn paired(caches: &[CacheUse]) -> Vec<CacheShares> {
    let (data, metadata) = caches.split_at(caches.len() / 2);
    let pairs = data.iter().zip(metadata);
    pairs
        .map(|(&data, &metadata)| CacheShares { data, metadata })
        .collect()
}

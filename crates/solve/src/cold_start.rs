//! Binds a scenario whose caches are empty when the run starts: what they answer over its window follows from
//! how fast data is read, which follows from what they answer.

use bandgraph_model::storage::{CacheLoad, CacheShares, CacheUse, Filling, OperatingPoint, over_window};
use bandgraph_model::{BindError, Binder, Bound, Scenario};
use bandgraph_workload::AccessPattern;

use crate::RunError;
use crate::predict::SteadyState;

/// Why the rates of a moment could not be found.
enum Stop {
    Bind(BindError),
    /// No steady state: predicting what was bound reports it.
    Unsolved(Box<Bound>),
}

/// Caches that are empty when a run starts, of the workloads of a scenario.
pub(crate) struct ColdStart<'a> {
    scenario: &'a Scenario,
    /// What the caches do once they are warm, by workload.
    warm: Vec<CacheShares>,
    /// How they fill: the data of all workloads, then the metadata of all.
    fillings: Vec<Filling>,
    /// Bytes of data and of metadata in them that an operation of each workload touches, on average over its
    /// mix.
    touched: Vec<[f64; 2]>,
}

impl<'a> ColdStart<'a> {
    /// The empty caches of a scenario whose workloads use them so.
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

    /// Binds the scenario with the mean use of the cache over its window, and with these shares of unstable
    /// data for its COMMITs.
    pub(crate) fn bind(&self, uncommitted: &[f64], binder: &mut Binder) -> Result<Bound, BindError> {
        let scenario = self.scenario;
        let mut with_caches = |caches: &[CacheShares]| {
            let point = OperatingPoint {
                uncommitted,
                caches: Some(caches),
            };
            binder.bind_at(scenario, point)
        };
        if !self.fillings.iter().any(Filling::matters) {
            return with_caches(&self.warm);
        }
        let (warm_up, duration) = (scenario.run.warm_up.get(), scenario.run.duration.get());
        let found = over_window(self.fillings.clone(), warm_up, duration, |caches| {
            let bound = with_caches(&paired(caches)).map_err(Stop::Bind)?;
            match operations(&bound) {
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

/// Uses of the cache by the data of all workloads, and then by the metadata of all, put together by workload.
fn paired(caches: &[CacheUse]) -> Vec<CacheShares> {
    let (data, metadata) = caches.split_at(caches.len() / 2);
    let pairs = data.iter().zip(metadata);
    pairs
        .map(|(&data, &metadata)| CacheShares { data, metadata })
        .collect()
}

/// Operations per second of every workload in the steady state.
fn operations(bound: &Bound) -> Result<Vec<f64>, RunError> {
    let steady = SteadyState::solve(bound)?;
    let workloads = steady.outcome(bound).workloads;
    let rates = workloads
        .iter()
        .map(|workload| workload.throughput.operations.get());
    Ok(rates.collect())
}

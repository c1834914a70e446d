//! Explanation of an outcome: the bottleneck, and the next limit once that is relieved.

use bandgraph_model::Bound;
use bandgraph_topology::{Resource, Role};

use crate::RunError;
use crate::checks;
use crate::core_words::work_of_cores;
use crate::limit_kind::LimitKind;
use crate::limits::{self, Limiter};
use crate::outcome::{Outcome, Throughput};
use crate::predict::SteadyState;
use crate::wording::{self, Tense};

/// A limit of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The kind of limit.
    pub kind: LimitKind,
    /// The resources that are saturated together, the fullest first; empty for limits that are no resource.
    pub resources: Vec<Resource>,
    /// Resources of other kinds that are full at about the same rate, and are relieved with them.
    pub together: Vec<Resource>,
    /// Rate over usable capacity of the first of them, 0 to 1; 0 for limits that are no resource.
    pub utilisation: f64,
    /// One sentence: the saturated resource, its utilisation, and the reason.
    pub explanation: String,
}

impl Limit {
    /// The id of this limit: its first resource, or the kind if there is none.
    pub fn id(&self) -> &str {
        let first = self.resources.first();
        first.map_or(self.kind.as_str(), |resource| resource.id.as_str())
    }

    /// The ids of its resources, the fullest first.
    pub fn ids(&self) -> Vec<String> {
        self.resources
            .iter()
            .map(|resource| resource.id.clone())
            .collect()
    }

    /// The number of its resources, with those that they represent.
    pub fn count(&self) -> u32 {
        self.resources.iter().map(|resource| resource.count).sum()
    }

    /// The technology of socket links, of ports to disks or of SSDs; `None` for all other limits.
    pub fn technology(&self) -> Option<&str> {
        self.resources.first()?.technology.as_deref()
    }

    /// Whether one of its resources has a role that satisfies the condition.
    pub fn is_about(&self, is_meant: impl Fn(Role) -> bool) -> bool {
        self.resources.iter().any(|resource| is_meant(resource.role))
    }
}

/// The effect of relieving a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Relief {
    /// The next limit.
    pub next: Limit,
    /// Relative gain in throughput (operations/s): 0.18 is 18 % more.
    pub throughput_gain: f64,
    /// The throughput at the next limit.
    pub throughput: Throughput,
}

/// The bottleneck of an outcome, and the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Whether these are the limits of the steady state, since a simulation delivers something else.
    pub of_steady: bool,
    /// The bottleneck.
    pub bottleneck: Limit,
    /// The next limit if the bottleneck is removed; `None` if it cannot be removed.
    pub relief: Option<Relief>,
}

/// Finds the bottleneck of an outcome of a bound scenario with this steady state, and solves for the next
/// limit.
///
/// # Errors
///
/// [`RunError`], if a steady state with other capacities is not found, or if figures are contradictory; not a
/// usage error.
pub fn explain(bound: &Bound, steady: &SteadyState, outcome: &Outcome) -> Result<Explained, RunError> {
    checks::hold(bound, steady, outcome)?;
    // A simulation of the steady state has its limit, unless it does not fill the same resources.
    let find_steady = || limits::find(bound, &bound.with_represented(&steady.resource_rates), steady);
    let found = steady.lasts(bound).then(find_steady).transpose()?;
    let (limiter, relieved) = match found {
        Some(found) if checks::is_full(bound, outcome, &found.0).is_ok() => found,
        _ => {
            let found = limits::find(bound, &outcome.rates(), steady)?;
            checks::is_full(bound, outcome, &found.0)?;
            found
        }
    };
    let now = outcome.throughput;
    let relief = relieved.map(|relieved| {
        let after = relieved.steady.outcome(bound);
        let throughput_gain = relieved.gain(steady);
        Relief {
            next: limit(&relieved.next, bound, &after, Tense::Then),
            throughput_gain,
            // The same operations as now, so much faster.
            throughput: match now.operations.get() * (1.0 + throughput_gain)
                / after.throughput.operations.get()
            {
                factor if factor > 0.0 && factor.is_finite() => after.throughput.scaled(factor),
                _ => after.throughput,
            },
        }
    });
    let faster_links = limits::faster_links(bound, &limiter, steady)?;
    let mut bottleneck = limit(&limiter, bound, outcome, Tense::Now);
    bottleneck.explanation += &work_of_cores(&limiter, bound, steady, outcome);
    bottleneck.explanation += &wording::besides(&limiter, bound, faster_links);
    Ok(Explained {
        of_steady: false,
        bottleneck,
        relief,
    })
}

/// [`explain`] for an outcome with the prediction beside it. Where a simulation delivers something else than
/// the steady state, the limits are those of the steady state, with its figures: figures of both are not
/// mixed.
///
/// # Errors
///
/// As [`explain`].
pub fn explain_beside(
    bound: &Bound,
    steady: &SteadyState,
    outcome: &Outcome,
    prediction: Option<&Outcome>,
) -> Result<Explained, RunError> {
    let is_apart = |prediction: &&Outcome| {
        steady.lasts(bound) && outcome.elapsed.is_none() && outcome.disagrees_with(prediction)
    };
    match prediction.filter(is_apart) {
        None => explain(bound, steady, outcome),
        Some(prediction) => {
            checks::hold(bound, steady, outcome)?;
            Ok(Explained {
                of_steady: true,
                ..explain(bound, steady, prediction)?
            })
        }
    }
}

/// A limit in words.
fn limit(limiter: &Limiter, bound: &Bound, outcome: &Outcome, tense: Tense) -> Limit {
    let resources = |indices: &[usize]| {
        let found = indices.iter().map(|&index| bound.resources[index].clone());
        found.collect()
    };
    Limit {
        kind: limiter.kind,
        resources: resources(&limiter.resources),
        together: resources(&limiter.together),
        utilisation: limiter.utilisation(bound, &outcome.rates()),
        explanation: wording::sentence(limiter.kind, &limiter.resources, bound, outcome, tense),
    }
}

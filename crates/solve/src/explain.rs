//! Why an outcome is what it is: the bottleneck, and what would limit the server once that is relieved.

use bandgraph_model::Bound;
use bandgraph_topology::{Resource, Role};

use crate::RunError;
use crate::checks;
use crate::limit_kind::LimitKind;
use crate::limits::{self, Limiter};
use crate::outcome::{Outcome, Throughput};
use crate::predict::SteadyState;
use crate::wording::{self, Tense};

/// What holds the server back.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What kind of limit it is.
    pub kind: LimitKind,
    /// The resources that are full together, the fullest first; empty for limits that are no resource.
    pub resources: Vec<Resource>,
    /// Rate over raw capacity of the first of them, 0 to 1; 0 for limits that are no resource.
    pub utilisation: f64,
    /// One plain sentence: what is full, how full, and why.
    pub explanation: String,
}

impl Limit {
    /// The id that stands for this limit: its first resource, or the kind where there is none.
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

    /// The technology of the links between sockets, in words; `None` for all other limits.
    pub fn technology(&self) -> Option<&str> {
        self.resources.first()?.technology.as_deref()
    }

    /// Whether one of its resources has such a role.
    pub fn is_about(&self, is_meant: impl Fn(Role) -> bool) -> bool {
        self.resources.iter().any(|resource| is_meant(resource.role))
    }
}

/// What relieving a limit would bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Relief {
    /// The limit that comes next.
    pub next: Limit,
    /// Throughput in operations per second after the relief over that before it, less one: 0.18 is 18 % more.
    pub throughput_gain: f64,
    /// The throughput that the next limit allows.
    pub throughput: Throughput,
}

/// The bottleneck of an outcome, and the one behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// What holds the server back.
    pub bottleneck: Limit,
    /// What would hold it back next, if the bottleneck had no limit; `None` where the limit cannot be taken
    /// away.
    pub relief: Option<Relief>,
    /// What links between sockets of twice the rate would bring, as a relative gain in throughput, where
    /// cores hold the server back and wait for links; `None` elsewhere.
    pub faster_links: Option<f64>,
}

/// Finds the bottleneck of an outcome of a bound scenario with this steady state, and solves what would limit
/// the server next.
///
/// # Errors
///
/// [`RunError`], where a steady state with other capacities cannot be found, or where figures contradict each
/// other; not a user's fault.
pub fn explain(bound: &Bound, steady: &SteadyState, outcome: &Outcome) -> Result<Explained, RunError> {
    checks::hold(bound, steady, outcome)?;
    let (limiter, relieved) = limits::find(bound, &outcome.rates(), steady)?;
    checks::is_full(bound, outcome, &limiter)?;
    let relief = relieved.map(|relieved| {
        let after = relieved.steady.outcome(bound);
        Relief {
            next: limit(&relieved.next, bound, &after, Tense::Then),
            throughput_gain: relieved.gain(bound, steady),
            throughput: after.throughput,
        }
    });
    let faster_links = limits::faster_links(bound, &limiter, steady)?;
    let mut bottleneck = limit(&limiter, bound, outcome, Tense::Now);
    bottleneck.explanation += &wording::besides(&limiter, bound, faster_links);
    Ok(Explained {
        bottleneck,
        relief,
        faster_links,
    })
}

/// A limit in words.
fn limit(limiter: &Limiter, bound: &Bound, outcome: &Outcome, tense: Tense) -> Limit {
    let full = limiter.resources.iter();
    Limit {
        kind: limiter.kind,
        resources: full.map(|&resource| bound.resources[resource].clone()).collect(),
        utilisation: limiter.utilisation(bound, &outcome.rates()),
        explanation: wording::sentence(limiter.kind, &limiter.resources, bound, outcome, tense),
    }
}

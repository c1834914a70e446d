//! Predictions of drawn servers.
//!
//! A draw gives every uncertain figure of a scenario a value. The server is built and bound once; draws change
//! its figures, and share the names of resources, the routes and what lines put on links.

use bandgraph_config::FieldValue;
use bandgraph_model::{Binder, Scenario};
use bandgraph_solve::{SteadyState, Totals, bind_with};
use bandgraph_topology::{PartFigure, ResourceKind};
use rayon::prelude::*;

use super::NOTHING;
use super::draws::{Column, RANGE_END, value_at};
use super::figures::{UncertainFigure, uncertain_figures};
use super::model_error::model_error;

/// Saturation from which the fullest resource counts as the limit.
const FULL: f64 = 0.97;

/// The answer to one draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub(super) totals: Totals,
    /// The kind of the fullest resource, if it is full.
    pub(super) limit: Option<ResourceKind>,
    /// What to multiply rates with for what the model misses.
    pub(super) factor: f64,
}

/// A scenario whose figures are drawn.
pub(super) struct Drawing<'a> {
    scenario: &'a Scenario,
    pub(super) figures: Vec<UncertainFigure>,
    /// A binder that knows the server.
    binder: Binder,
    /// The answer with all figures at their values.
    pub(super) base: Drawn,
}

impl<'a> Drawing<'a> {
    /// Binds and predicts the scenario itself; `None` where it has no steady state.
    pub(super) fn new(scenario: &'a Scenario) -> Option<Self> {
        let mut binder = Binder::new();
        let base = answer(scenario, &mut binder)?;
        Some(Self {
            scenario,
            figures: uncertain_figures(scenario),
            binder,
            base,
        })
    }

    /// The answers to all draws; `None` for a server that cannot be built or has no steady state.
    pub(super) fn answers(&self, draws: u32) -> Vec<Option<Drawn>> {
        let figures = self.figures.iter();
        let columns: Vec<Column> = figures.map(|figure| Column::new(&figure.id(), draws)).collect();
        let answers = (0..draws).into_par_iter().map_init(
            || self.binder.clone(),
            |binder, draw| {
                let normals: Vec<f64> = columns.iter().map(|column| column.normal(draw)).collect();
                let found = answer(&with_figures(self.scenario, &self.figures, &normals)?, binder)?;
                // What the model misses is another thing where another kind of resource limits.
                let missed = Column::new(&missed_by(found.limit), draws).normal(draw);
                Some(Drawn {
                    factor: libm::exp(missed * model_error(found.limit)),
                    ..found
                })
            },
        );
        answers.collect()
    }

    /// By figure, the standard deviation of the logarithm of the throughput that it causes alone: half of what
    /// lies between the ends of its range, which are 1.645 deviations from the middle. Where only latency
    /// moves, that of the latency.
    pub(super) fn spreads_alone(&self) -> Vec<f64> {
        let spreads = self.figures.par_iter().map_init(
            || self.binder.clone(),
            |binder, figure| {
                let mut at = |normal: f64| {
                    let figure = std::slice::from_ref(figure);
                    let moved = with_figures(self.scenario, figure, &[normal]);
                    let found = moved.and_then(|moved| answer(&moved, binder));
                    found.unwrap_or(self.base).totals
                };
                let [low, high] = [-RANGE_END, RANGE_END].map(&mut at);
                let between = |value: fn(&Totals) -> f64| {
                    let spread = libm::log(value(&high) / value(&low)).abs() / (2.0 * RANGE_END);
                    if spread.is_finite() { spread } else { 0.0 }
                };
                let rates = between(|totals| totals.throughput.operations.get());
                if rates > NOTHING {
                    rates
                } else {
                    between(|totals| totals.mean_latency.get())
                }
            },
        );
        spreads.collect()
    }
}

/// The name of the column of what the model misses where a kind of resource limits.
fn missed_by(limit: Option<ResourceKind>) -> String {
    format!("model {}", limit.map_or("", ResourceKind::as_str))
}

/// A scenario whose uncertain figures are these numbers of standard deviations from their values. `None` where
/// such a server cannot be built.
fn with_figures(scenario: &Scenario, figures: &[UncertainFigure], normals: &[f64]) -> Option<Scenario> {
    let mut stack = scenario.stack.clone();
    let mut of_parts = Vec::new();
    for (figure, normal) in figures.iter().zip(normals) {
        let value = value_at(figure, *normal);
        of_parts.extend(figure.users.iter().map(|&part| PartFigure {
            part,
            field: figure.field,
            value,
        }));
        if figure.users.is_empty() {
            let value = if figure.quantity {
                FieldValue::Quantity(value)
            } else {
                FieldValue::Number(value)
            };
            stack.set(figure.field, value).ok()?;
        }
    }
    let topology = if of_parts.is_empty() {
        scenario.topology.clone()
    } else {
        scenario.topology.with_figures(&of_parts).ok()?
    };
    Some(Scenario {
        name: scenario.name.clone(),
        topology,
        stack,
        storage: scenario.storage.clone(),
        networks: scenario.networks.clone(),
        clients: scenario.clients.clone(),
        workloads: scenario.workloads.clone(),
        run: scenario.run.clone(),
    })
}

/// The prediction, without what the model misses.
fn answer(scenario: &Scenario, binder: &mut Binder) -> Option<Drawn> {
    let bound = bind_with(scenario, binder).ok()?;
    let steady = SteadyState::solve(&bound).ok()?;
    let saturations = bound
        .resources
        .iter()
        .zip(&steady.resource_rates)
        .map(|(resource, rate)| (resource.kind, rate / resource.usable()));
    let fullest = saturations.max_by(|a, b| a.1.total_cmp(&b.1));
    Some(Drawn {
        totals: steady.totals(&bound),
        limit: fullest
            .filter(|(_, saturation)| *saturation >= FULL)
            .map(|(kind, _)| kind),
        factor: 1.0,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use bandgraph_diagnostics::Sources;
    use bandgraph_scenario::load;
    use bandgraph_topology::Topology;

    use super::*;

    pub(in super::super) fn shipped(name: &str) -> Scenario {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let loaded = load(&folder.join(name), &[], &mut Sources::new());
        loaded.expect("it is sound").scenario
    }

    pub(in super::super) fn barcelona_reads() -> Scenario {
        shipped("7410-barcelona-cached-read.toml")
    }

    /// The streams are held back by links, whose capacity is proportional to `ceiling`: alone, its range is
    /// that of the answer.
    #[test]
    fn a_figure_alone_moves_the_answer_by_its_range() {
        let scenario = barcelona_reads();
        let drawing = Drawing::new(&scenario).expect("it has an answer");
        let spreads = drawing.spreads_alone();
        let of = |is: &dyn Fn(&UncertainFigure) -> bool| {
            let place = drawing.figures.iter().position(is).expect("it is there");
            (&drawing.figures[place], spreads[place])
        };
        let (ceiling, spread) = of(&|figure| figure.id().contains("ht1-x16 ceiling"));
        let expected = libm::log(ceiling.range[1] / ceiling.range[0]) / (2.0 * RANGE_END);
        assert!((spread / expected - 1.0).abs() < 0.02, "{spread} {expected}");
        // A SYMLINK is no READ.
        assert_eq!(of(&|figure| figure.field == "symlink_work").1, 0.0);
    }

    /// What draws share is what a server built anew has, and so is every answer.
    #[test]
    fn drawn_servers_are_those_that_are_built_anew() {
        for name in [
            "7410-barcelona-cached-read.toml",
            "7410-istanbul-disk-write.toml",
            "7410-infiniband-rdma-read.toml",
        ] {
            let scenario = shipped(name);
            let drawing = Drawing::new(&scenario).expect("it has an answer");
            assert!(drawing.figures.len() > 20, "{}", drawing.figures.len());
            let mut kept = drawing.binder.clone();
            for normal in [-1.0, 0.0, 0.7] {
                let normals = vec![normal; drawing.figures.len()];
                let drawn = with_figures(&scenario, &drawing.figures, &normals).expect("it can be built");
                let built = Topology::build(drawn.topology.spec().clone()).expect("it is sound");
                let all = |topology: &Topology| {
                    let elements = (topology.sockets(), topology.links(), topology.bridges());
                    let seated = (topology.slots(), topology.cards(), topology.ports());
                    let storage = (topology.sas_ports(), topology.jbods(), topology.switches());
                    format!("{:?} {elements:?} {seated:?} {storage:?}", topology.resources())
                };
                assert_eq!(all(&drawn.topology), all(&built), "{name}");
                let anew = Scenario {
                    topology: built,
                    ..drawn.clone()
                };
                let expected = answer(&anew, &mut Binder::new()).expect("it has an answer");
                let found = answer(&drawn, &mut kept).expect("it has an answer");
                assert_eq!(found.totals, expected.totals, "{name}");
                if normal == 0.0 {
                    assert_eq!(found.totals, drawing.base.totals, "{name}");
                }
            }
        }
    }
}

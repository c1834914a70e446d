//! A scenario whose figures change from draw to draw.

use std::sync::Arc;

use bandgraph_model::{Binder, Bound, Scenario};
use bandgraph_solve::{SearchMemory, SteadyState, bind_with};
use bandgraph_topology::PartFigure;

use super::drawing::NoAnswer;
use super::draws::value_at;
use super::figures::{Owner, UncertainFigure};

/// A scenario whose figures change from draw to draw, with a binder for its server.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) scenario: Scenario,
    binder: Binder,
    pub(super) memory: SearchMemory,
    /// The values of figures of parts in the present draw.
    of_parts: Vec<PartFigure>,
    /// The steady state with nominal figures, from which searches start.
    pub(super) steady: Option<Arc<SteadyState>>,
}

impl Server {
    /// A scenario with its own figures.
    pub(super) fn of(scenario: &Scenario) -> Self {
        Self {
            scenario: scenario.clone(),
            binder: Binder::merging(),
            memory: SearchMemory::default(),
            of_parts: Vec::new(),
            steady: None,
        }
    }

    /// The steady state with these figures at the given deviations, and all others at their nominal values.
    pub(super) fn solved_with(
        &mut self,
        figures: &[UncertainFigure],
        normals: &[f64],
    ) -> Result<(Bound, SteadyState), NoAnswer> {
        self.set(figures, normals)?;
        self.solved()
    }

    /// Gives these figures their values at the given deviations.
    pub(super) fn set(&mut self, figures: &[UncertainFigure], normals: &[f64]) -> Result<(), NoAnswer> {
        self.of_parts.clear();
        for (figure, normal) in figures.iter().zip(normals) {
            let value = figure.file_value(value_at(figure, *normal));
            match &figure.owner {
                Owner::Parts(parts) => self.of_parts.extend(parts.iter().map(|&part| PartFigure {
                    part,
                    field: figure.field,
                    value: value.clone(),
                })),
                Owner::Stack => self.scenario.stack.set(figure.field, value)?,
                Owner::Clients(index, path) => {
                    self.scenario.clients[*index].set_at(path, value)?;
                }
                Owner::Workload(index, path) => {
                    self.scenario.workloads[*index].set_at(path, value)?;
                }
            }
        }
        if !self.of_parts.is_empty() {
            self.scenario.topology.set_figures(self.of_parts.drain(..))?;
        }
        Ok(())
    }

    /// The steady state with the present figures.
    pub(super) fn solved(&mut self) -> Result<(Bound, SteadyState), NoAnswer> {
        let bound = bind_with(&self.scenario, &mut self.binder)?;
        let steady = match &self.steady {
            None => SteadyState::solve(&bound),
            Some(near) => {
                let (capacities, memory) = (bound.usable_capacities(), &mut self.memory);
                near.solve_near(&bound, &bound.fabric, &capacities, 1.0, memory)
            }
        };
        Ok((bound, steady?))
    }
}

//! The turns of the commands of devices with streams and transaction groups.

use bandgraph_engine::{BuildError, ClassIndex, ClassSpec, Engine, ResourceIndex};

/// How much the number of commands at a device changes before its weight does.
const WEIGHED: f64 = 1.25;

/// The commands at the devices of a resource.
pub(super) struct Commands {
    class: ClassIndex,
    /// What the engine knows of them. Their weight is the number of commands at a device that serves one:
    /// streams and transaction groups take turns with each of these.
    spec: ClassSpec,
    /// Commands queued and in service.
    present: u64,
}

impl Commands {
    /// No commands; `cost` is the resource with its units for a second of service, and `speed` the seconds of
    /// service that a device does in one.
    pub(super) fn new(
        engine: &mut Engine,
        cost: Option<(ResourceIndex, f64)>,
        speed: f64,
    ) -> Result<Self, BuildError> {
        let spec = ClassSpec {
            costs: cost.into_iter().collect(),
            weight: 1.0,
            rate_cap: Some(speed),
        };
        Ok(Self {
            class: engine.add_class(spec.clone())?,
            spec,
            present: 0,
        })
    }

    pub(super) const fn class(&self) -> ClassIndex {
        self.class
    }

    /// A command comes to the queue of a device.
    pub(super) const fn come(&mut self) {
        self.present += 1;
    }

    /// A device has served a command.
    pub(super) const fn leave(&mut self) {
        self.present = self.present.saturating_sub(1);
    }

    /// A device serves a command for a time, seconds.
    pub(super) fn serve(&mut self, engine: &mut Engine, service: f64, tag: u64) {
        engine.start_flow(self.class, service.max(f64::MIN_POSITIVE), tag);
        let weight = self.present as f64 / engine.flows_in(self.class) as f64;
        if (weight / self.spec.weight).max(self.spec.weight / weight) > WEIGHED {
            self.spec.weight = weight;
            engine.set_class(self.class, self.spec.clone());
        }
    }
}

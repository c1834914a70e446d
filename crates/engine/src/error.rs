//! Errors: one enum per operation.

use crate::time::Time;

/// Why a resource, a flow class or a station is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A capacity that is zero, negative, infinite or NaN (units/s).
    #[error("capacity must be a finite number above zero, not {0}")]
    Capacity(f64),
    /// A cost that is negative, infinite or NaN (units of a resource per unit of work).
    #[error("cost must be a finite number of at least zero, not {0}")]
    Cost(f64),
    /// A weight that is zero, negative, infinite or NaN.
    #[error("weight must be a finite number above zero, not {0}")]
    Weight(f64),
    /// A rate cap that is zero, negative, infinite or NaN (units of work/s per flow).
    #[error("rate cap must be a finite number above zero, not {0}")]
    RateCap(f64),
    /// A number of flows that is negative, infinite or NaN.
    #[error("number of flows must be a finite number of at least zero, not {0}")]
    Flows(f64),
    /// A class with neither a cost nor a cap: its flows would be infinitely fast.
    #[error("a flow class needs a cost on a resource or a rate cap, or its flows would be infinitely fast")]
    Unbounded,
    /// An index of a resource that does not exist.
    #[error("there is no resource number {0}")]
    UnknownResource(usize),
    /// An index of a class that does not exist.
    #[error("there is no class number {0}")]
    UnknownClass(usize),
    /// A station without servers, at which customers would wait forever.
    #[error("a station needs at least one server")]
    NoServers,
    /// More items of one kind, or more costs in total, than 32-bit indices support.
    #[error("more than four thousand million entries")]
    TooMany,
}

/// Why rates were not found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// An invalid resource of the system.
    #[error("resource {resource} is not valid: {reason}")]
    Resource {
        /// Its position in the list.
        resource: usize,
        /// The problem.
        reason: BuildError,
    },
    /// An invalid class of the system.
    #[error("class {class} is not valid: {reason}")]
    Class {
        /// Its position in the list.
        class: usize,
        /// The problem.
        reason: BuildError,
    },
    /// Rounding hides the bottlenecks of classes with unequal costs: flows, costs, weights or capacities
    /// differ by too many orders of magnitude (over 16) for double precision.
    #[error(
        "no fair allocation found among {resources} resources and {classes} classes: their figures lie too many \
         orders of magnitude apart"
    )]
    NoConvergence {
        /// Resources in the part of the system that was solved.
        resources: usize,
        /// Flow classes in the part of the system that was solved.
        classes: usize,
    },
    /// A solution failed the check against the definition of fairness: the use of a resource exceeds its
    /// capacity, or is below it although the resource has a water level.
    #[error("resource {resource} has capacity {capacity} but an allocation that uses {usage} of it")]
    NotFair {
        /// The resource's position in order of creation.
        resource: usize,
        /// Its capacity, units/s.
        capacity: f64,
        /// The computed use, units/s.
        usage: f64,
    },
}

/// Why a run stopped. Every variant except the first five is a defect of the engine: report it with the
/// input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// `start_flow` received work that is zero, negative, infinite or NaN.
    #[error("a flow needs a finite amount of work above zero, not {0}")]
    Work(f64),
    /// A class, resource or station of another engine.
    #[error("there is no {what} number {index} in this engine")]
    Unknown {
        /// The kind of item.
        what: &'static str,
        /// The given index.
        index: usize,
    },
    /// `set_class` or `set_capacity` received a value that `add_class` or `add_resource` would reject.
    #[error("a change in flight was refused: {0}")]
    Change(BuildError),
    /// The next event is beyond the end of time (213 days), because a rate is tiny or a delay huge.
    #[error("the next event after {} s lies beyond the end of time", now.as_seconds())]
    EndOfTime {
        /// The time reached.
        now: Time,
    },
    /// No fair rates were found.
    #[error("at {} s: {reason}", now.as_seconds())]
    Rates {
        /// The time reached.
        now: Time,
        /// The error of the solver.
        reason: SolveError,
    },
    /// The next event of the calendar is in the past.
    #[error("time went back at {} s", now.as_seconds())]
    TimeWentBack {
        /// The time reached.
        now: Time,
    },
    /// Work of a class is neither done nor in flight.
    #[error("class {class} took in {taken_in} units of work, but did {done} and has {in_flight} in flight")]
    WorkLost {
        /// The class.
        class: usize,
        /// Work of all flows started.
        taken_in: f64,
        /// Work done, integrated over time.
        done: f64,
        /// Work left in the flows in flight.
        in_flight: f64,
    },
    /// The use of a resource exceeds its capacity over the elapsed time.
    #[error("resource {resource} could serve {limit} units, but was used for {usage}")]
    CapacityExceeded {
        /// The resource.
        resource: usize,
        /// Its capacity, integrated over time, units.
        limit: f64,
        /// Its use, integrated over time, units.
        usage: f64,
    },
    /// The time integral of the number at a station is not the sum of the times spent there.
    #[error("Little's law does not hold at station {station}: {integral} s against {sojourns} s")]
    LittlesLaw {
        /// The station.
        station: usize,
        /// Integral of the number present, seconds.
        integral: f64,
        /// Sum of the times spent, seconds.
        sojourns: f64,
    },
}

//! What the model misses even where its figures are right.
//!
//! Errors of predictions for systems that were left out of the fit (`bandgraph calibrate
//! scenarios/calibrations/fishworks-2009.toml --leave-one-out system`), by what limits. They are derived from
//! measured rows. They hold errors of figures as well, which are drawn too: an interval is rather too wide
//! than too narrow.

use bandgraph_topology::ResourceKind;

/// How far predictions are off where a kind of resource limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelError {
    /// What limits.
    pub limits: &'static [ResourceKind],
    /// Root of the mean square of the relative errors.
    pub rms: f64,
    /// How many measurements that is.
    pub points: u32,
}

/// The errors by what limits. What is not among them has [`OTHER`].
pub const MODEL_ERRORS: [ModelError; 3] = [
    // 0.1, 1.6, 2.2, 2.9, 4.1 %.
    ModelError {
        limits: &[ResourceKind::Pcie, ResourceKind::Port, ResourceKind::Infiniband],
        rms: 0.026,
        points: 5,
    },
    // 0.3, 0.4, 2.3, 2.4, 3.9, 12.1, 13.0, 13.6 %.
    ModelError {
        limits: &[ResourceKind::SocketLink, ResourceKind::Bridge],
        rms: 0.081,
        points: 8,
    },
    // 21.5, 23.2, 25.5, 28.1, 52.3 %.
    ModelError {
        limits: &[ResourceKind::Cpu],
        rms: 0.32,
        points: 5,
    },
];

/// Limits without measurements of systems left out: memory, disks, clients, too few calls. The mean of the
/// others.
pub const OTHER: f64 = 0.14;

/// The error where this kind of resource limits, as a share; `None` for a limit that is no resource.
pub(super) fn model_error(limit: Option<ResourceKind>) -> f64 {
    let known = limit.and_then(|limit| MODEL_ERRORS.iter().find(|error| error.limits.contains(&limit)));
    known.map_or(OTHER, |error| error.rms)
}

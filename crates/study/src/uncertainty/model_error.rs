//! What the model misses even where its figures are right.
//!
//! The errors are those of unseen measurements, by what limits: how much further predictions are off than the
//! spread of the figures explains. They are the most likely ones where logarithms of predicted over measured
//! are normal, with the variance of the figures and that of the model. What limits few measurements says
//! little, so that its error is drawn toward that over all, which counts as [`PRIOR`] measurements more.

use bandgraph_topology::ResourceKind;

/// How many measurements the error over all kinds of limits counts as, beside those of one kind.
const PRIOR: f64 = 1.0;
/// The least error: no published figure is better known than that.
const LEAST: f64 = 0.01;
/// The largest that is looked at, and the ratio from one to the next.
const MOST: f64 = 1.0;
const STEP: f64 = 1.02;

/// Kinds of limits whose errors count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitGroup {
    /// PCI Express, network ports, `InfiniBand`.
    Cards,
    /// Links between sockets, uplinks of bridges, memory.
    Links,
    /// Cores of the server.
    Cores,
    /// Disks and the ports that they are on.
    Storage,
    /// Clients and switches.
    Clients,
    /// No resource is full: too few operations at a time, or work that one thread does.
    Nothing,
}

impl LimitGroup {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Cards,
        Self::Links,
        Self::Cores,
        Self::Storage,
        Self::Clients,
        Self::Nothing,
    ];

    /// The group of a kind of resource; `None` where none is full.
    pub const fn of(limit: Option<ResourceKind>) -> Self {
        match limit {
            Some(ResourceKind::Pcie | ResourceKind::Port | ResourceKind::Infiniband) => Self::Cards,
            Some(ResourceKind::SocketLink | ResourceKind::Bridge | ResourceKind::Memory) => Self::Links,
            Some(ResourceKind::Cpu) => Self::Cores,
            Some(ResourceKind::Disk | ResourceKind::Sas) => Self::Storage,
            Some(ResourceKind::Client | ResourceKind::Network) => Self::Clients,
            None => Self::Nothing,
        }
    }

    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cards => "PCIe and ports",
            Self::Links => "links and memory",
            Self::Cores => "cores",
            Self::Storage => "disks",
            Self::Clients => "clients",
            Self::Nothing => "nothing full",
        }
    }
}

/// How far a prediction of something unseen was off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed<'a> {
    /// The system that was measured.
    pub system: &'a str,
    /// What limits.
    pub limit: LimitGroup,
    /// The logarithm of predicted over measured.
    pub error: f64,
    /// The standard deviation of the logarithm of the prediction that the ranges of figures cause.
    pub spread: f64,
}

/// What the model misses where each kind of resource limits: standard deviations of the logarithm of
/// predicted over measured, in the order of [`LimitGroup::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelErrors(pub [f64; LimitGroup::ALL.len()]);

impl ModelErrors {
    /// Those of all unseen measurements of the shipped scenarios (`bandgraph validate`), rounded. A test
    /// holds them to what [`estimate`](Self::estimate) finds.
    pub const KNOWN: Self = Self([0.08, 0.087, 0.134, 0.195, 0.106, 0.092]);

    /// Where a group of resources limits.
    pub fn of(&self, limit: LimitGroup) -> f64 {
        self.0[limit as usize]
    }

    /// The errors that are most likely, given how far predictions were off.
    pub fn estimate(missed: &[Missed<'_>]) -> Self {
        let of_all = most_likely(|error| likelihood(missed.iter(), error));
        Self(LimitGroup::ALL.map(|limit| {
            let points = || missed.iter().filter(|point| point.limit == limit);
            // As if there were one more point of this kind, off by as much as points are over all.
            let prior = |error: f64| {
                let ratio = of_all / error;
                PRIOR * (-libm::log(error) - ratio * ratio / 2.0)
            };
            most_likely(|error| likelihood(points(), error) + prior(error))
        }))
    }
}

/// The logarithm of the likelihood of an error of the model, less a constant.
fn likelihood<'m>(missed: impl Iterator<Item = &'m Missed<'m>>, error: f64) -> f64 {
    let each = missed.map(|point| {
        let variance = point.spread * point.spread + error * error;
        -0.5 * (libm::log(variance) + point.error * point.error / variance)
    });
    each.sum()
}

/// The error with the greatest likelihood, to 2 %.
fn most_likely(likelihood: impl Fn(f64) -> f64) -> f64 {
    let errors = std::iter::successors(Some(LEAST), |error| Some(error * STEP));
    let tried = errors
        .take_while(|error| *error <= MOST)
        .map(|error| (error, likelihood(error)));
    tried
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(LEAST, |(error, _)| error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::draws::Column;

    fn missed(system: &str, error: f64, spread: f64) -> Missed<'_> {
        Missed {
            system,
            limit: LimitGroup::Cores,
            error,
            spread,
        }
    }

    /// Without a spread of figures the most likely error is the root of the mean square, also with one point
    /// more that is off by as much.
    #[test]
    fn an_estimate_by_hand() {
        let points = [
            missed("a", 0.2, 0.0),
            missed("a", -0.2, 0.0),
            missed("b", 0.1, 0.0),
        ];
        let found = ModelErrors::estimate(&points);
        let expected = libm::sqrt(0.03);
        assert!((found.of(LimitGroup::Cores) / expected - 1.0).abs() < STEP - 1.0);
        // Nothing is known of disks but what holds over all.
        assert!((found.of(LimitGroup::Storage) / expected - 1.0).abs() < STEP - 1.0);
        // What figures explain needs no error of the model.
        let explained = ModelErrors::estimate(&[missed("a", 0.1, 0.3)]);
        assert!((explained.of(LimitGroup::Cores) - LEAST).abs() < 1e-12);
    }

    /// Systems whose errors are drawn from a known model: the estimate finds it.
    #[test]
    fn a_known_error_is_found() {
        let (figures, model) = (Column::new("figures", 400), Column::new("missed", 400));
        let names: Vec<String> = (0..400).map(|system| system.to_string()).collect();
        let points: Vec<Missed<'_>> = (0..400)
            .map(|system| {
                let error = 0.1 * figures.normal(system) + 0.2 * model.normal(system);
                missed(&names[system as usize], error, 0.1)
            })
            .collect();
        let found = ModelErrors::estimate(&points).of(LimitGroup::Cores);
        assert!((found / 0.2 - 1.0).abs() < 0.1, "{found}");
    }
}

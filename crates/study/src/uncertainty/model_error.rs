//! What the model misses even where its figures are right, and how wide the ranges of figures need to be.
//!
//! The errors are those of unseen measurements, by what limits: how much further predictions are off than the
//! spread of the figures explains. They are the most likely ones where logarithms of predicted over measured
//! are normal, with the variance of the figures and that of the model. What limits few measurements says
//! little, so that its error is drawn toward that over all, which counts as [`PRIOR`] measurements more.
//!
//! Ranges that come with the program are guesses as a rule, each of them careful; all of them together allow
//! for far more than predictions are off by. The same likelihood says by how much.

use bandgraph_topology::ResourceKind;

/// How many measurements the error over all kinds of limits counts as, beside those of one kind.
const PRIOR: f64 = 1.0;
/// The shares of the ranges that are tried. With none, a machine unlike all that were measured would be as
/// certain as those.
const SHARES: [f64; 16] = {
    let mut shares = [0.0; 16];
    let mut at = 0;
    while at < 16 {
        shares[at] = 0.25 + 0.05 * at as f64;
        at += 1;
    }
    shares
};
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
            Some(ResourceKind::Disk | ResourceKind::Sas | ResourceKind::Adapter) => Self::Storage,
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
    /// The standard deviation of the logarithm of the prediction that the whole ranges of figures cause.
    pub spread: f64,
}

/// How far predictions are off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelErrors {
    /// What the model misses where each kind of resource limits: standard deviations of the logarithm of
    /// predicted over measured, in the order of [`LimitGroup::ALL`].
    pub missed: [f64; LimitGroup::ALL.len()],
    /// How far figures are from their values, as a share of what the program's own ranges allow.
    pub ranges: f64,
}

impl ModelErrors {
    /// Those of all unseen measurements of the shipped scenarios (`bandgraph validate`), rounded. A test
    /// holds them to what [`estimate`](Self::estimate) finds.
    pub const KNOWN: Self = Self {
        missed: [0.048, 0.066, 0.124, 0.16, 0.082, 0.142],
        ranges: 0.25,
    };

    /// Where a group of resources limits.
    pub fn of(&self, limit: LimitGroup) -> f64 {
        self.missed[limit as usize]
    }

    /// The errors that are most likely, given how far predictions were off.
    pub fn estimate(missed: &[Missed<'_>]) -> Self {
        let tried = SHARES.map(|ranges| Self::with_ranges(missed, ranges));
        let best = tried.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Self::KNOWN, |(found, _)| found)
    }

    /// The most likely errors where figures are off by a share of their ranges, and the logarithm of the
    /// likelihood of all.
    fn with_ranges(missed: &[Missed<'_>], ranges: f64) -> (Self, f64) {
        let (of_all, _) = most_likely(|error| likelihood(missed.iter(), ranges, error));
        let mut all = 0.0;
        let missed = LimitGroup::ALL.map(|limit| {
            let points = || missed.iter().filter(|point| point.limit == limit);
            // As if there were one more point of this kind, off by as much as points are over all.
            let prior = |error: f64| {
                let ratio = of_all / error;
                PRIOR * (-libm::log(error) - ratio * ratio / 2.0)
            };
            let (error, found) = most_likely(|error| likelihood(points(), ranges, error) + prior(error));
            all += found;
            error
        });
        (Self { missed, ranges }, all)
    }
}

/// The logarithm of the likelihood of an error of the model, less a constant.
fn likelihood<'m>(missed: impl Iterator<Item = &'m Missed<'m>>, ranges: f64, error: f64) -> f64 {
    let each = missed.map(|point| {
        let spread = ranges * point.spread;
        let variance = spread * spread + error * error;
        -0.5 * (libm::log(variance) + point.error * point.error / variance)
    });
    each.sum()
}

/// The error with the greatest likelihood, to 2 %, and that likelihood.
fn most_likely(likelihood: impl Fn(f64) -> f64) -> (f64, f64) {
    let errors = std::iter::successors(Some(LEAST), |error| Some(error * STEP));
    let tried = errors
        .take_while(|error| *error <= MOST)
        .map(|error| (error, likelihood(error)));
    tried
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((LEAST, f64::NEG_INFINITY))
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
        let (explained, _) = ModelErrors::with_ranges(&[missed("a", 0.1, 0.3)], 1.0);
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
        let found = ModelErrors::with_ranges(&points, 1.0).0.of(LimitGroup::Cores);
        assert!((found / 0.2 - 1.0).abs() < 0.1, "{found}");
    }

    /// Figures that are off by a known share of what their ranges allow, which differs from point to point.
    #[test]
    fn ranges_that_are_too_wide_are_found() {
        let (figures, model) = (Column::new("figures", 400), Column::new("missed", 400));
        for share in [0.4, 0.75, 1.0] {
            let points: Vec<Missed<'_>> = (0..400)
                .map(|point| {
                    let spread = 0.02 + 0.4 * f64::from(point % 20) / 20.0;
                    missed(
                        "a",
                        share * spread * figures.normal(point) + 0.05 * model.normal(point),
                        spread,
                    )
                })
                .collect();
            let found = ModelErrors::estimate(&points);
            assert!((found.ranges - share).abs() < 0.11, "{share}: {}", found.ranges);
        }
    }
}

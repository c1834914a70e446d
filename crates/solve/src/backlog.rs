//! The wait that builds up in the time of a run, where a load is near the capacity or above it.
//!
//! Near its capacity a queue takes longer than any run to reach its steady state, and above it there is none.
//! In heavy traffic the work that waits is a Brownian motion that is reflected at zero (Kingman, 1961). With
//! a drift *m* (offered over served, minus one) and a variance of *σ²* a second, it is after *t* seconds,
//! from an idle server, on average
//!
//! ```text
//! σ √t φ(x) + m t Φ(x) + σ² / 2m (2 Φ(x) − 1),   x = m √t / σ
//! ```
//!
//! with the density φ and the distribution Φ of the normal distribution (Abate and Whitt, 1987). An
//! operation that arrives finds this work, and is complete when it is done: those complete at time *t* have
//! come at *t* / (1 + *m*).
//!
//! Operations that share a resource have done a part of their work. With a squared coefficient of variation
//! *v²* of the work, what is left of one is (1 + *v²*) / 2 of a mean one: of those that share, more are in
//! flight than the work says. Those beyond the number in service wait in order of arrival.

use std::f64::consts::{PI, SQRT_2};

/// Times in the window at which the wait is computed.
const TIMES: u32 = 16;
/// The drift over the deviation below which it is none.
const NO_DRIFT: f64 = 1e-6;

/// The mean of a Brownian motion that starts at zero and is reflected there.
fn reflected(drift: f64, variance: f64, seconds: f64) -> f64 {
    let deviation = (variance * seconds).sqrt();
    if deviation <= 0.0 {
        return (drift * seconds).max(0.0);
    }
    let x = drift * seconds / deviation;
    if x.abs() < NO_DRIFT {
        return deviation * (2.0 / PI).sqrt();
    }
    let density = libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt();
    let below = libm::erfc(-x / SQRT_2) / 2.0;
    deviation * density + drift * seconds * below + variance / (2.0 * drift) * libm::erf(x / SQRT_2)
}

/// How work comes to a resource: seconds of an operation there, and the squared coefficients of variation of
/// this work and of the times between arrivals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) service: f64,
    pub(crate) of_work: f64,
    pub(crate) of_arrivals: f64,
}

/// The measured window of a run, in seconds from its start; and offered over served, minus one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overload {
    pub(crate) from: f64,
    pub(crate) seconds: f64,
    pub(crate) drift: f64,
}

impl Overload {
    /// Mean wait of operations that are complete in the window, in order of arrival.
    pub(crate) fn in_order(self, arriving: Arriving) -> f64 {
        let variance = arriving.service * (arriving.of_arrivals + arriving.of_work);
        let waits = (0..TIMES).map(|time| {
            let complete = self.from + self.seconds * (f64::from(time) + 0.5) / f64::from(TIMES);
            reflected(self.drift, variance, complete / (1.0 + self.drift))
        });
        waits.sum::<f64>() / f64::from(TIMES)
    }

    /// The same where as many as are in service share a resource.
    pub(crate) fn shared(self, arriving: Arriving, in_service: f64) -> f64 {
        let work = self.in_order(arriving);
        let part_done = in_service * arriving.service * (1.0 - arriving.of_work) / 2.0;
        (2.0 * work / (1.0 + arriving.of_work)).min(work + part_done.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drift −1 and variance 1: the mean of Abate and Whitt's canonical motion is 1/2 in the end, and half of
    /// 1 − 2 (1 + t) (1 − Φ(√t)) + 2 √t φ(√t) before.
    #[test]
    fn the_canonical_motion_has_its_published_mean() {
        assert!((reflected(-1.0, 1.0, 200.0) - 0.5).abs() < 1e-9);
        let (t, root) = (0.25_f64, 0.5_f64);
        let (density, above) = (0.352_065_326_764_3, 0.308_537_538_726);
        let published = 0.5 - (1.0 + t) * above + root * density;
        assert!((reflected(-1.0, 1.0, t) - published).abs() < 1e-9);
    }

    #[test]
    fn without_drift_it_is_the_mean_of_half_a_normal_distribution() {
        for drift in [-1e-9, 0.0, 1e-9, 1e-5] {
            let found = reflected(drift, 2.0, 8.0);
            assert!((found - 4.0 * (2.0 / PI).sqrt()).abs() < 1e-4, "{found}");
        }
    }

    /// Of n times the capacity, the share 1 − 1/n of the time before the middle of the window.
    #[test]
    fn far_above_the_capacity_the_wait_grows_as_the_backlog() {
        let overload = Overload {
            from: 1.0,
            seconds: 4.0,
            drift: 2.0,
        };
        let arriving = Arriving {
            service: 1e-9,
            of_work: 1.0,
            of_arrivals: 1.0,
        };
        assert!((overload.in_order(arriving) - 2.0).abs() < 1e-6);
        let even = Arriving {
            of_work: 0.0,
            of_arrivals: 0.0,
            ..arriving
        };
        assert!((overload.in_order(even) - 2.0).abs() < 1e-9);
    }
}

//! Zipf-distributed ranks: the probability falls with a power of the rank.
//!
//! Rejection-inversion (Hörmann, Derflinger: Rejection-inversion to generate variates from monotone discrete
//! distributions, ACM TOMACS 6(3), 1996): exact, with a cost that does not depend on the number of ranks.

use bandgraph_engine::Stream;

/// Ranks 0 to `count` − 1; the probability of rank k is proportional to (k + 1)^−exponent.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    count: f64,
    exponent: f64,
    /// The integral of the hat at its two ends.
    low: f64,
    high: f64,
    /// Draws within this distance are accepted immediately.
    near: f64,
}

impl Zipf {
    /// `count` is at least 1; `exponent` is zero (uniform) or more.
    pub(super) fn new(count: u64, exponent: f64) -> Self {
        let mut zipf = Self {
            count: count.max(1) as f64,
            exponent,
            low: 0.0,
            high: 0.0,
            near: 0.0,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.count + 0.5);
        zipf.near = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    fn density(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    /// The integral of the density from 1 to `x`.
    fn integral(&self, x: f64) -> f64 {
        let logarithm = libm::log(x);
        let slope = (1.0 - self.exponent) * logarithm;
        // (x^(1−s) − 1) / (1 − s), which is ln x where s is 1.
        if slope.abs() > 1e-8 {
            libm::expm1(slope) / slope * logarithm
        } else {
            logarithm * (1.0 + slope / 2.0)
        }
    }

    /// The inverse of the integral.
    fn inverse(&self, y: f64) -> f64 {
        let slope = (y * (1.0 - self.exponent)).max(-1.0);
        if slope.abs() > 1e-8 {
            libm::exp(libm::log1p(slope) / slope * y)
        } else {
            libm::exp(y * (1.0 - slope / 2.0))
        }
    }

    /// A rank, from 0.
    pub(super) fn draw(&self, stream: &mut Stream) -> u64 {
        if self.exponent == 0.0 {
            return stream.below(self.count as u64);
        }
        loop {
            let y = self.high + stream.uniform() * (self.low - self.high);
            let x = self.inverse(y);
            let rank = x.round().clamp(1.0, self.count);
            if rank - x <= self.near || y >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64 - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_engine::Streams;

    /// Compared with the definition: the share of rank k is (k + 1)^−s ÷ Σ j^−s.
    #[test]
    fn shares_are_those_of_the_definition() {
        for exponent in [0.0, 0.5, 0.99, 1.0, 1.2, 2.0] {
            let (count, draws) = (50_u64, 400_000);
            let zipf = Zipf::new(count, exponent);
            let mut stream = Streams::new(7).stream("zipf");
            let mut seen = vec![0_u32; count as usize];
            for _ in 0..draws {
                seen[zipf.draw(&mut stream) as usize] += 1;
            }
            let sum: f64 = (1..=count).map(|rank| libm::pow(rank as f64, -exponent)).sum();
            for (rank, seen) in seen.iter().enumerate() {
                let share = libm::pow((rank + 1) as f64, -exponent) / sum;
                // Five standard deviations of a binomial count.
                let tolerance = 5.0 * (share * (1.0 - share) / f64::from(draws)).sqrt();
                let found = f64::from(*seen) / f64::from(draws);
                assert!(
                    (found - share).abs() < tolerance,
                    "s = {exponent}, rank {rank}: {found} for {share}"
                );
            }
        }
    }

    #[test]
    fn one_rank_and_very_many() {
        let mut stream = Streams::new(7).stream("zipf");
        for exponent in [0.0, 0.9, 1.0, 3.0] {
            let one = Zipf::new(1, exponent);
            assert!((0..100).all(|_| one.draw(&mut stream) == 0));
            let many = Zipf::new(1 << 50, exponent);
            assert!((0..1000).all(|_| many.draw(&mut stream) < 1 << 50));
        }
    }
}

//! Independent named streams of random numbers.
//!
//! A stream depends only on the seed of the run and on its own name: an additional stream, or additional
//! draws from one, never shift another. The generator is PCG XSL RR 128/64 (O'Neill, *PCG: A Family of Simple
//! Fast Space-Efficient Statistically Good Algorithms for Random Number Generation*, 2014). Only integer
//! operations and IEEE additions, multiplications and divisions are used, so that the values are identical on
//! every platform; the logarithm is from `libm`, because the system's may differ in the last digit.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// A seed for named streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The family of streams of one seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream with this name, from its start. The same name gives the same numbers.
    pub fn stream(&self, name: &str) -> Stream {
        let mut state = mix(self.seed);
        for byte in name.bytes() {
            state = mix(state ^ u64::from(byte));
        }
        state = mix(state ^ name.len() as u64);
        let mut words = [0; 4];
        for word in &mut words {
            *word = mix(state);
            state = state.wrapping_add(GOLDEN);
        }
        let wide = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        Stream {
            generator: Pcg64::new(wide(words[0], words[1]), wide(words[2], words[3])),
        }
    }
}

/// Step of the counter that `mix` scrambles: 2⁶⁴ ÷ golden ratio, odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finalizer of `SplitMix64` (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*,
/// 2014).
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A stream of random numbers. Its values are stable across platforms; a change between versions is in the
/// changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    generator: Pcg64,
}

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// A number in [low, high); `low` when the interval is empty.
    pub fn uniform_between(&mut self, low: f64, high: f64) -> f64 {
        let value = low + (high - low) * self.uniform();
        // Rounding may reach the upper end.
        if value < high { value } else { low }
    }

    /// An integer from 0 to `n` − 1 with uniform distribution (Lemire's method, without bias); 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.bits()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            // Each draw succeeds with a probability above one half, so that the loop is short in practice.
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// `true` with this probability (0 or less: never, 1 or more: always).
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// An exponentially distributed number with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // 1 − u is in (0, 1], so the logarithm is finite; + 0.0 keeps −0 away.
        -mean * libm::log(1.0 - self.uniform()) + 0.0
    }

    /// An index into `weights` (each at least zero), with probabilities proportional to the weights; `None`
    /// if their sum is not finite and above zero.
    pub fn pick(&mut self, weights: &[f64]) -> Option<usize> {
        let sum: f64 = weights.iter().sum();
        if !(sum.is_finite() && sum > 0.0) {
            return None;
        }
        let mut left = self.uniform() * sum;
        let mut last = None;
        for (position, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            last = Some(position);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

/// Exponentially distributed numbers whose mean over every 256 draws is exactly 1: one from each of 256
/// equally probable strata, in random order. Sums of many have a far smaller variance than those of
/// independent draws.
#[derive(Clone, Debug)]
pub struct Exponentials {
    stream: Stream,
    /// The means of the strata.
    strata: Vec<f64>,
    /// The number of strata drawn so far.
    drawn: usize,
}

impl Exponentials {
    const STRATA: u32 = 256;

    /// Numbers from a stream.
    pub fn new(stream: Stream) -> Self {
        let strata = f64::from(Self::STRATA);
        // The integral of −ln(x) from 0 to a share of the strata.
        let integral = |stratum: u32| {
            let x = f64::from(stratum) / strata;
            if stratum == 0 { 0.0 } else { x - x * libm::log(x) }
        };
        Self {
            stream,
            strata: (0..Self::STRATA)
                .map(|stratum| strata * (integral(stratum + 1) - integral(stratum)))
                .collect(),
            drawn: 0,
        }
    }

    /// The next number.
    pub fn draw(&mut self) -> f64 {
        let left = self.strata.len() - self.drawn;
        let next = self.drawn + self.stream.below(left as u64) as usize;
        self.strata.swap(self.drawn, next);
        let value = self.strata[self.drawn];
        self.drawn = (self.drawn + 1) % self.strata.len();
        value
    }

    /// A number with mean 1 and a coefficient of variation of 0 to 1: at least 1 − `variation`, plus an
    /// exponentially distributed part.
    pub fn around_one(&mut self, variation: f64) -> f64 {
        1.0 - variation + variation * self.draw()
    }
}

#[cfg(test)]
mod tests {
    use super::{Exponentials, Streams};

    #[test]
    fn a_stream_depends_on_seed_and_name_alone() {
        let streams = Streams::new(7);
        let mut first = streams.stream("clients");
        let mut other = streams.stream("disks");
        let together: Vec<u64> = (0..10)
            .map(|_| {
                other.bits();
                first.bits()
            })
            .collect();
        let mut alone = Streams::new(7).stream("clients");
        let again: Vec<u64> = (0..10).map(|_| alone.bits()).collect();
        assert_eq!(together, again);
        assert_ne!(streams.stream("clients"), streams.stream("client"));
        assert_ne!(streams.stream("clients"), Streams::new(8).stream("clients"));
        assert_ne!(streams.stream(""), streams.stream("\0"));
    }

    #[test]
    fn the_first_values_never_change() {
        let mut stream = Streams::new(1).stream("stability");
        let values: Vec<u64> = (0..3).map(|_| stream.bits()).collect();
        // From an independent implementation of the generator and of the hash in Python, written from their
        // descriptions.
        assert_eq!(
            values,
            [
                10_932_841_608_122_889_545,
                13_545_074_090_542_863_971,
                467_539_425_499_930_537
            ]
        );
    }

    #[test]
    fn distributions_have_their_moments() {
        let mut stream = Streams::new(3).stream("moments");
        let n = 400_000;
        let draws: Vec<f64> = (0..n).map(|_| stream.exponential(2.0)).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        // Five standard errors of the mean (2/√n) and of the variance (4·√8/√n).
        assert!((mean - 2.0).abs() < 5.0 * 2.0 / f64::from(n).sqrt(), "{mean}");
        assert!(
            (variance - 4.0).abs() < 5.0 * 4.0 * 8.0_f64.sqrt() / f64::from(n).sqrt(),
            "{variance}"
        );

        let mut counts = [0_u32; 6];
        (0..60_000).for_each(|_| counts[stream.below(6) as usize] += 1);
        // Chi-square with 5 degrees of freedom: 25.7 has probability 0.0001.
        let chi: f64 = counts
            .iter()
            .map(|&count| (f64::from(count) - 1e4).powi(2) / 1e4)
            .sum();
        assert!(chi < 25.7, "{chi} {counts:?}");

        let mut picks = [0_u32; 3];
        for _ in 0..60_000 {
            picks[stream.pick(&[1.0, 0.0, 3.0]).expect("the weights are good")] += 1;
        }
        assert_eq!(picks[1], 0);
        assert!(
            (f64::from(picks[2]) - 45_000.0).abs() < 5.0 * (60_000.0_f64 * 0.25 * 0.75).sqrt(),
            "{picks:?}"
        );
        assert_eq!(stream.pick(&[]), None);
        assert_eq!(stream.pick(&[0.0, f64::NAN]), None);
    }

    /// Moments and quantiles of 0.7 + 0.3 · an exponential distribution, whose 99 % point is ln 100.
    #[test]
    fn strata_have_the_distribution_and_exactly_its_mean() {
        let mut stratified = Exponentials::new(Streams::new(3).stream("strata"));
        let mut draws: Vec<f64> = (0..25_600).map(|_| stratified.around_one(0.3)).collect();
        for block in draws.chunks(256) {
            assert!((block.iter().sum::<f64>() - 256.0).abs() < 1e-9);
        }
        assert_ne!(draws[..256], draws[256..512]);
        let variance = draws.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>() / 25_600.0;
        assert!((variance.sqrt() / 0.3 - 1.0).abs() < 5e-3, "{variance}");
        draws.sort_unstable_by(f64::total_cmp);
        assert!(draws[0] >= 0.7 && draws[0] < 0.701);
        let point = 0.7 + 0.3 * libm::log(100.0);
        assert!((draws[25_344] / point - 1.0).abs() < 0.02, "{}", draws[25_344]);
        assert_eq!(stratified.around_one(0.0), 1.0);
    }

    #[test]
    fn ranges_are_kept() {
        let mut stream = Streams::new(9).stream("ranges");
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&stream.uniform()));
            assert!((2.0..3.0).contains(&stream.uniform_between(2.0, 3.0)));
            assert!(stream.below(3) < 3);
            assert!(stream.exponential(1.0) >= 0.0);
        }
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
        assert_eq!(stream.uniform_between(1.0, 1.0), 1.0);
        assert!(stream.chance(1.0) && !stream.chance(0.0));
    }
}

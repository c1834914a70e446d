//! Distributions of operation sizes.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use bandgraph_units::Bytes;
use thiserror::Error;

use crate::MAX_IO_SIZE;
use crate::mix::WEIGHTS;

/// The maximum number of sizes for reads, and for writes.
pub const MAX_SIZES: usize = 64;

/// Sizes of reads, or of writes, with their shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// The shares add up to 1.
    shares: Vec<(Bytes, f64)>,
}

/// Why a list of sizes is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SizesError {
    /// The list is empty or too long.
    #[error("{0} sizes are none, or more than {MAX_SIZES}")]
    Count(usize),
    /// Not a valid size of an operation.
    #[error("`{0}` is no size: whole bytes, 1 B to 1 GiB")]
    Size(String),
    /// Not above zero, or too small or too large to count with.
    #[error("`{0}` is no weight: a number from 1e-15 to 1e15")]
    Weight(String),
}

impl Sizes {
    /// Sizes with weights above zero; equal sizes are merged.
    ///
    /// # Errors
    ///
    /// [`SizesError`].
    pub fn new(weights: &[(Bytes, f64)]) -> Result<Self, SizesError> {
        let mut shares: Vec<(Bytes, f64)> = Vec::new();
        for &(size, weight) in weights {
            let bytes = size.get();
            if !(bytes >= 1.0 && bytes.fract() == 0.0 && size <= MAX_IO_SIZE) {
                return Err(SizesError::Size(size.to_string()));
            }
            if !WEIGHTS.contains(&weight) {
                return Err(SizesError::Weight(weight.to_string()));
            }
            match shares.iter_mut().find(|(known, _)| *known == size) {
                Some((_, sum)) => *sum += weight,
                None => shares.push((size, weight)),
            }
        }
        if shares.is_empty() || shares.len() > MAX_SIZES {
            return Err(SizesError::Count(shares.len()));
        }
        let all: f64 = shares.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in &mut shares {
            *weight /= all;
        }
        Ok(Self { shares })
    }

    /// One size for all operations; `None` if it is invalid.
    pub fn one(bytes: u64) -> Option<Self> {
        Self::new(&[(Bytes::new(bytes as f64), 1.0)]).ok()
    }

    /// Sizes with their shares, in the given order.
    pub fn shares(&self) -> &[(Bytes, f64)] {
        &self.shares
    }

    /// The mean size.
    pub fn mean(&self) -> Bytes {
        Bytes::new(self.shares.iter().map(|(size, share)| size.get() * share).sum())
    }

    /// The largest size.
    pub fn largest(&self) -> Bytes {
        let sizes = self.shares.iter().map(|(size, _)| size.get());
        Bytes::new(sizes.fold(0.0, f64::max))
    }
}

impl FromStr for Sizes {
    type Err = SizesError;

    /// `4 KiB=3, 64 KiB=1`: a missing weight is 1.
    fn from_str(text: &str) -> Result<Self, SizesError> {
        let weights = text.split(',').map(|entry| {
            let (size, weight) = entry.split_once('=').unwrap_or((entry, "1"));
            let (size, weight) = (size.trim(), weight.trim());
            let size = size.parse().map_err(|_| SizesError::Size(size.to_owned()))?;
            let weight = weight
                .parse()
                .map_err(|_| SizesError::Weight(weight.to_owned()))?;
            Ok((size, weight))
        });
        Self::new(&weights.collect::<Result<Vec<_>, _>>()?)
    }
}

impl Display for Sizes {
    /// Prints the notation that `from_str` reads.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (position, (size, share)) in self.shares.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(formatter, "{comma}{} B={share}", size.get())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_printed() {
        let sizes: Sizes = "4 KiB=3, 64 KiB = 1,4096 B=4".parse().expect("sizes");
        assert_eq!(
            sizes.shares(),
            [(Bytes::new(4096.0), 0.875), (Bytes::new(65_536.0), 0.125)]
        );
        assert_eq!(sizes.mean(), Bytes::new(11_776.0));
        assert_eq!(sizes.largest(), Bytes::new(65_536.0));
        assert_eq!(sizes.to_string().parse(), Ok(sizes));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        let read = |text: &str| text.parse::<Sizes>().map_err(|error| error.to_string());
        for (text, said) in [
            ("", "`` is no size: whole bytes, 1 B to 1 GiB"),
            ("4 KiB,", "`` is no size: whole bytes, 1 B to 1 GiB"),
            ("0 B", "`0 B` is no size: whole bytes, 1 B to 1 GiB"),
            ("4 KiB=0", "`0` is no weight: a number from 1e-15 to 1e15"),
            ("4 KiB=x", "`x` is no weight: a number from 1e-15 to 1e15"),
            ("4 KiB=NaN", "`NaN` is no weight: a number from 1e-15 to 1e15"),
        ] {
            assert_eq!(read(text), Err(said.to_owned()), "{text}");
        }
        assert!(matches!("2 GiB".parse::<Sizes>(), Err(SizesError::Size(_))));
        let many: Vec<String> = (1..=65).map(|size| format!("{size} B")).collect();
        assert_eq!(many.join(",").parse::<Sizes>(), Err(SizesError::Count(65)));
    }
}

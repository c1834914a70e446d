//! Shares of the sockets, in the notation of files.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use bandgraph_config::parsed_text;

/// The maximum number of sockets with shares.
const MAXIMUM: usize = 64;

/// A relative share per socket, in the order of the topology, with any sum; empty if unspecified.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares(Vec<f64>);

/// A text that is not a list of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not a share of zero or more for each socket, with one above zero")]
pub struct NotShares;

impl FromStr for Shares {
    type Err = NotShares;

    fn from_str(text: &str) -> Result<Self, NotShares> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let shares: Result<Vec<f64>, _> = words.take(MAXIMUM + 1).map(str::parse).collect();
        let shares = shares.map_err(|_| NotShares)?;
        let in_range = shares.iter().all(|share: &f64| (0.0..=1e9).contains(share));
        let some = shares.is_empty() || shares.iter().sum::<f64>() > 0.0;
        if in_range && some && shares.len() <= MAXIMUM {
            Ok(Self(shares))
        } else {
            Err(NotShares)
        }
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(f64::to_string).collect();
        f.pad(&words.join(" "))
    }
}

impl From<Vec<f64>> for Shares {
    fn from(shares: Vec<f64>) -> Self {
        Self(shares)
    }
}

impl<const N: usize> From<[f64; N]> for Shares {
    fn from(shares: [f64; N]) -> Self {
        Self(shares.into())
    }
}

impl Deref for Shares {
    type Target = Vec<f64>;

    fn deref(&self) -> &Vec<f64> {
        &self.0
    }
}

impl DerefMut for Shares {
    fn deref_mut(&mut self) -> &mut Vec<f64> {
        &mut self.0
    }
}

parsed_text! {
    Shares {
        id: "value::out_of_range",
        help: "write a share for each socket, such as \"2 1 1 1\"",
        takes: "shares of the sockets, `\"2 1 1 1\"`",
        pattern: None,
        placeholder: Self::default(),
    }
}

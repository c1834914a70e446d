//! The mix of operations of a workload: two published mixes and three of our own.

use std::ops::RangeInclusive;

use bandgraph_units::Fraction;
use thiserror::Error;

use crate::OperationKind;

/// The maximum number of entries of a mix: every kind of operation once.
pub const MAX_MIX_OPERATIONS: usize = OperationKind::ALL.len();

/// The weights of operations and sizes: shares of the least beside the greatest are still no rounding errors.
pub(crate) const WEIGHTS: RangeInclusive<f64> = 1e-15..=1e15;

/// Why a list of weights is not a mix.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MixError {
    /// The list is empty.
    #[error("a mix needs at least one operation")]
    Empty,
    /// A weight that is not above zero, or too small or too large to count with.
    #[error("weight {weight} of `{operation}` is not a number from 1e-15 to 1e15")]
    BadWeight {
        /// The operation.
        operation: OperationKind,
        /// Its weight.
        weight: f64,
    },
    /// An operation that is listed twice.
    #[error("`{operation}` is listed twice")]
    Repeated {
        /// The operation.
        operation: OperationKind,
    },
    /// More entries than there are kinds of operations.
    #[error("{count} operations are more than the {MAX_MIX_OPERATIONS} that there are")]
    TooMany {
        /// The number of entries.
        count: usize,
    },
}

impl MixError {
    /// The stable name of the kind of error, a key of [`EXPLANATIONS`](crate::EXPLANATIONS).
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Empty => "workload::empty_mix",
            Self::BadWeight { .. } => "workload::bad_weight",
            Self::Repeated { .. } => "workload::repeated_operation",
            Self::TooMany { .. } => "workload::too_many_operations",
        }
    }
}

/// Operations with their shares, which add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    name: Option<&'static str>,
    shares: Vec<(OperationKind, Fraction)>,
}

/// SPEC SFS 2008, NFS version 3 (published percentages).
const SPECSFS2008: &[(OperationKind, f64)] = &[
    (OperationKind::Getattr, 26.0),
    (OperationKind::Lookup, 24.0),
    (OperationKind::Read, 18.0),
    (OperationKind::Access, 11.0),
    (OperationKind::Write, 10.0),
    (OperationKind::Setattr, 4.0),
    (OperationKind::Readdirplus, 2.0),
    (OperationKind::Readlink, 1.0),
    (OperationKind::Readdir, 1.0),
    (OperationKind::Create, 1.0),
    (OperationKind::Remove, 1.0),
    (OperationKind::Fsstat, 1.0),
];

/// SPEC SFS 97, NFS version 3 (published percentages, which are rounded and add up to 99).
const SFS97: &[(OperationKind, f64)] = &[
    (OperationKind::Lookup, 27.0),
    (OperationKind::Read, 18.0),
    (OperationKind::Getattr, 11.0),
    (OperationKind::Write, 9.0),
    (OperationKind::Readdirplus, 9.0),
    (OperationKind::Readlink, 7.0),
    (OperationKind::Access, 7.0),
    (OperationKind::Commit, 5.0),
    (OperationKind::Readdir, 2.0),
    (OperationKind::Create, 1.0),
    (OperationKind::Remove, 1.0),
    (OperationKind::Fsstat, 1.0),
    (OperationKind::Setattr, 1.0),
];

/// Large files read and written sequentially: two reads per write, with operations that open and close the
/// files. This mix and the next two are our own, not published; a table of weights in a scenario can replace
/// them.
const STREAMING: &[(OperationKind, f64)] = &[
    (OperationKind::Read, 60.0),
    (OperationKind::Write, 30.0),
    (OperationKind::Getattr, 4.0),
    (OperationKind::Commit, 2.0),
    (OperationKind::Lookup, 2.0),
    (OperationKind::Access, 2.0),
];

/// Records in open files: two reads per write, and few other operations.
const RANDOM: &[(OperationKind, f64)] = &[
    (OperationKind::Read, 65.0),
    (OperationKind::Write, 33.0),
    (OperationKind::Getattr, 1.0),
    (OperationKind::Commit, 1.0),
];

/// Trees of small files that are searched, listed, created and removed, without access to their data.
const METADATA_HEAVY: &[(OperationKind, f64)] = &[
    (OperationKind::Getattr, 30.0),
    (OperationKind::Lookup, 25.0),
    (OperationKind::Access, 15.0),
    (OperationKind::Create, 6.0),
    (OperationKind::Remove, 6.0),
    (OperationKind::Setattr, 5.0),
    (OperationKind::Readdirplus, 5.0),
    (OperationKind::Readdir, 2.0),
    (OperationKind::Readlink, 2.0),
    (OperationKind::Rename, 2.0),
    (OperationKind::Mkdir, 1.0),
    (OperationKind::Rmdir, 1.0),
];

impl Mix {
    /// The names of the predefined mixes, for [`Mix::named`].
    pub const NAMES: &'static [&'static str] =
        &["specsfs2008", "sfs97", "streaming", "random", "metadata-heavy"];

    /// A mix of a single kind of operation.
    pub fn single(kind: OperationKind) -> Self {
        Self {
            name: None,
            shares: vec![(kind, Fraction::new(1.0))],
        }
    }

    /// Operations by weight. Weights are relative to their sum.
    ///
    /// # Errors
    ///
    /// See [`MixError`]; the first error in the order of the list.
    pub fn new(weights: &[(OperationKind, f64)]) -> Result<Self, MixError> {
        if weights.is_empty() {
            return Err(MixError::Empty);
        }
        if weights.len() > MAX_MIX_OPERATIONS {
            return Err(MixError::TooMany { count: weights.len() });
        }
        for (index, &(operation, weight)) in weights.iter().enumerate() {
            if !WEIGHTS.contains(&weight) {
                return Err(MixError::BadWeight { operation, weight });
            }
            if weights[..index].iter().any(|(other, _)| *other == operation) {
                return Err(MixError::Repeated { operation });
            }
        }
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let shares = weights
            .iter()
            .map(|&(operation, weight)| (operation, Fraction::new(weight / sum)))
            .collect();
        Ok(Self { name: None, shares })
    }

    /// A predefined mix by its name, one of [`Mix::NAMES`]; `None` for other names.
    ///
    /// `"specsfs2008"` is the NFS version 3 mix of SPEC SFS 2008, `"sfs97"` that of SPEC SFS 97, whose
    /// published percentages add up to 99 and are normalised. The other mixes are not from a standard.
    pub fn named(name: &str) -> Option<Self> {
        let (name, table) = match name {
            "specsfs2008" => ("specsfs2008", SPECSFS2008),
            "sfs97" => ("sfs97", SFS97),
            "streaming" => ("streaming", STREAMING),
            "random" => ("random", RANDOM),
            "metadata-heavy" => ("metadata-heavy", METADATA_HEAVY),
            _ => return None,
        };
        let mix = Self::new(table).expect("the tables here are valid, as the tests show");
        Some(Self {
            name: Some(name),
            ..mix
        })
    }

    /// The name of the mix: that of a predefined mix, the operation of a single one, or `"mix"`.
    pub fn name(&self) -> &'static str {
        match (self.name, self.shares.as_slice()) {
            (Some(name), _) => name,
            (None, [(kind, _)]) => kind.name(),
            (None, _) => "mix",
        }
    }

    /// The operations and their shares, which add up to 1, in the given order.
    pub fn shares(&self) -> &[(OperationKind, Fraction)] {
        &self.shares
    }

    /// The share of one kind; 0 if it is not in the mix.
    pub fn share(&self, kind: OperationKind) -> Fraction {
        self.shares
            .iter()
            .find(|(other, _)| *other == kind)
            .map_or(Fraction::ZERO, |(_, share)| *share)
    }

    /// Whether an operation of the mix reads or writes file data.
    pub fn moves_data(&self) -> bool {
        self.shares.iter().any(|(kind, _)| kind.moves_data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OperationKind::{Access, Getattr, Lookup, Read, Write};

    fn sum(mix: &Mix) -> f64 {
        mix.shares().iter().map(|(_, share)| share.get()).sum()
    }

    #[test]
    fn published_mixes_have_their_published_shares() {
        let specsfs = Mix::named("specsfs2008").expect("a published mix");
        for (kind, share) in [
            (Getattr, 0.26),
            (Lookup, 0.24),
            (Read, 0.18),
            (Access, 0.11),
            (Write, 0.10),
        ] {
            assert!((specsfs.share(kind).get() - share).abs() < 1e-12, "{kind}");
        }
        assert_eq!(SPECSFS2008.iter().map(|(_, percent)| percent).sum::<f64>(), 100.0);
        let sfs97 = Mix::named("sfs97").expect("a published mix");
        assert!((sfs97.share(Lookup).get() - 27.0 / 99.0).abs() < 1e-12);
        assert_eq!(SFS97.iter().map(|(_, percent)| percent).sum::<f64>(), 99.0);
        assert_eq!(sfs97.share(OperationKind::Rename), Fraction::ZERO);
        for name in Mix::NAMES {
            let mix = Mix::named(name).expect("every listed name has its mix");
            assert_eq!(mix.name(), *name);
            assert_eq!(mix.moves_data(), *name != "metadata-heavy", "{name}");
            assert!((sum(&mix) - 1.0).abs() < 1e-12);
        }
        assert_eq!(Mix::named("sfs93"), None);
    }

    #[test]
    fn weights_are_relative() {
        let mix = Mix::new(&[(Read, 3.0), (Write, 1.0)]).expect("good weights");
        assert_eq!(
            mix.shares(),
            [(Read, Fraction::new(0.75)), (Write, Fraction::new(0.25))]
        );
        assert_eq!(mix.name(), "mix");
        let huge = Mix::new(&[(Read, 1e15), (Write, 1e15)]).expect("good weights");
        assert_eq!(huge.share(Read).get(), 0.5);
        assert_eq!(Mix::single(Read).name(), "read");
        assert_eq!(sum(&Mix::single(Read)), 1.0);
        assert!(!Mix::single(Getattr).moves_data());
    }

    #[test]
    fn bad_weights_are_refused() {
        assert_eq!(Mix::new(&[]), Err(MixError::Empty));
        for weight in [0.0, -1.0, 1e-300, 1e300, f64::INFINITY] {
            assert_eq!(
                Mix::new(&[(Read, weight)]),
                Err(MixError::BadWeight {
                    operation: Read,
                    weight
                })
            );
        }
        assert!(matches!(
            Mix::new(&[(Read, f64::NAN)]),
            Err(MixError::BadWeight { .. })
        ));
        assert_eq!(
            Mix::new(&[(Read, 1.0), (Write, 1.0), (Read, 1.0)]),
            Err(MixError::Repeated { operation: Read })
        );
        assert_eq!(Mix::new(&[(Read, 1.0); 23]), Err(MixError::TooMany { count: 23 }));
    }
}

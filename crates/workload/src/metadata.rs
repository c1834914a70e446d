//! The files of a workload as names and attributes: how many there are, and what of that a server has to keep
//! at hand.

use bandgraph_units::{Bytes, Fraction};

use crate::invalid::Range;
use crate::network::MAX_DIRECTORY_ENTRIES;
use crate::{InvalidField, NetworkSettings};

/// The most files of a workload: 2^48, as many as ZFS can have in a file system.
pub const MAX_FILES: u64 = 1 << 48;
/// The most metadata of a workload: 1 EiB.
const MAX_METADATA: Bytes = Bytes::new(1_152_921_504_606_846_976.0);

/// Names and attributes that a workload touches. Where neither their size nor a hit rate is known, they are
/// taken to be cached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metadata {
    /// Files and directories that it touches, 1 to [`MAX_FILES`]; `None` if that is not known.
    pub files: Option<u64>,
    /// Bytes of metadata that it touches, above 0 and at most 1 EiB; worked out from `files` if `None`.
    pub working_set: Option<Bytes>,
    /// The share of the metadata blocks touched that the cache has, 0 to 1, where that is known; worked out
    /// from their size if `None`.
    pub hit_rate: Option<Fraction>,
    /// Entries that one READDIR or READDIRPLUS returns, 1 to 65,536.
    pub directory_entries: u32,
}

impl Default for Metadata {
    /// Nothing is known, and directories have as many entries as the default of [`NetworkSettings`].
    fn default() -> Self {
        Self {
            files: None,
            working_set: None,
            hit_rate: None,
            directory_entries: NetworkSettings::default().directory_entries,
        }
    }
}

impl Metadata {
    /// Whether anything says how much of it a cache has.
    pub const fn is_known(&self) -> bool {
        self.files.is_some() || self.working_set.is_some() || self.hit_rate.is_some()
    }

    /// Adds every field that is out of its range.
    pub(crate) fn check(&self, invalid: &mut Vec<InvalidField>) {
        if let Some(files) = self.files {
            Range::number(1.0, MAX_FILES as f64).check("files", files as f64, invalid);
        }
        if let Some(set) = self.working_set {
            Range::bytes(Bytes::new(1.0), MAX_METADATA).positive().check(
                "metadata_working_set",
                set.get(),
                invalid,
            );
        }
        if let Some(rate) = self.hit_rate {
            Range::number(0.0, 1.0).check("metadata_hit_rate", rate.get(), invalid);
        }
        Range::count(1, MAX_DIRECTORY_ENTRIES).check(
            "directory_entries",
            f64::from(self.directory_entries),
            invalid,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(metadata: &Metadata) -> Vec<(&'static str, &'static str)> {
        let mut invalid = Vec::new();
        metadata.check(&mut invalid);
        invalid
            .iter()
            .map(|invalid| (invalid.field, invalid.problem.id()))
            .collect()
    }

    #[test]
    fn nothing_has_to_be_known() {
        assert_eq!(problems(&Metadata::default()), []);
        assert!(!Metadata::default().is_known());
    }

    #[test]
    fn every_field_has_its_range() {
        let bad = Metadata {
            files: Some(0),
            working_set: Some(Bytes::ZERO),
            hit_rate: Some(Fraction::new(1.5)),
            directory_entries: 0,
        };
        assert_eq!(
            problems(&bad),
            [
                ("files", "workload::too_small"),
                ("metadata_working_set", "workload::not_positive"),
                ("metadata_hit_rate", "workload::too_large"),
                ("directory_entries", "workload::too_small"),
            ]
        );
        let most = Metadata {
            files: Some(MAX_FILES),
            directory_entries: MAX_DIRECTORY_ENTRIES,
            ..Metadata::default()
        };
        assert_eq!(problems(&most), []);
        assert!(most.is_known());
    }
}

//! The metadata of a workload: number of files, and the size of the names and attributes that a server has to
//! cache.

use bandgraph_config::settings;
use bandgraph_units::{Bytes, Fraction};

use crate::network::MAX_DIRECTORY_ENTRIES;

/// The maximum number of files of a workload: 2^48, the limit of a ZFS file system.
pub const MAX_FILES: u64 = 1 << 48;
/// The maximum metadata of a workload: 1 EiB.
const MAX_METADATA: Bytes = Bytes::new(1_152_921_504_606_846_976.0);

settings! {
    /// The files of a workload as names and attributes.
    pub struct Metadata as "metadata" {
        /// Files and directories that it touches: with their size in the cache,
        /// `stack.metadata_bytes_per_file`, and the pointers to `working_set`, they are its metadata. Without
        /// this and the two that follow, all metadata is taken to be cached.
        files: Option<u64>, at_least(1), at_most(MAX_FILES);
        /// All metadata that the workload touches: attributes, directories, pointers; from `files` if left
        /// out.
        metadata_working_set: Option<Bytes>, positive, at_most(MAX_METADATA.get()), whole;
        /// Share of the metadata blocks it touches that the cache has, where that is known; from the size of
        /// its metadata if left out.
        metadata_hit_rate: Option<Fraction>, at_most(1);
        /// Entries that one READDIR or READDIRPLUS returns.
        directory_entries: u32 = 30, at_least(1), at_most(MAX_DIRECTORY_ENTRIES);
    }
}

impl Copy for Metadata {}

impl Metadata {
    /// Whether the hit rate of a cache is known or can be computed.
    pub const fn is_known(&self) -> bool {
        self.files.is_some() || self.metadata_working_set.is_some() || self.metadata_hit_rate.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalid::{ids, named, within_ranges};

    fn problems(metadata: &Metadata) -> Vec<(String, &'static str)> {
        ids(within_ranges(|found| metadata.check("", found)))
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
            metadata_working_set: Some(Bytes::ZERO),
            metadata_hit_rate: Some(Fraction::new(1.5)),
            directory_entries: 0,
        };
        assert_eq!(
            problems(&bad),
            named(&[
                ("files", "workload::too_small"),
                ("metadata_working_set", "workload::not_positive"),
                ("metadata_hit_rate", "workload::too_large"),
                ("directory_entries", "workload::too_small"),
            ])
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

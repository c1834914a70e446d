//! Relative work of the kinds of operations: the procedures of a stack.
//!
//! The costs per operation of a stack (`instructions_per_operation`, `misses_per_operation`) are fitted to
//! READ. The work of every kind is a multiple of these, for instructions and misses equally: the code is the
//! same server's, so that a stack with another base, or another processor, keeps the proportions. Bytes of
//! data, commands to disks and the steps of a COMPOUND are additional costs.
//!
//! No profile of an NFS server by procedure is published, so the figures of `stacks/fishworks-2009.toml` are
//! **assumptions**, to be overridden if better figures are known. They consist of three parts:
//!
//! * **A call**, equal to the cost of NULL: interrupts, TCP, RPC, XDR, a thread wake-up. Half of a READ,
//!   because bare calls over TCP take 5,000 instructions in the same operating system (`solaris-tcp-2008`),
//!   and RPC takes about the same again.
//! * **Reads of metadata**: attributes are fetched (0.1); a name is hashed and found (0.15), with the
//!   attributes of directory and file (LOOKUP); entries of a directory are scanned (0.01 each, 200
//!   instructions) and, with READDIRPLUS, each is found as by a LOOKUP without its call and reply (0.06).
//! * **Changes**: a transaction is opened, the directory or the attributes change, and a record of the intent
//!   log is made (SETATTR: 0.6 in addition to its call). Creation of a file costs 3.4 times as much as a
//!   request for its attributes in a file system in memory, and removal 1.7 times (mdtest 1.9.3 on a RAM
//!   disk: 1,184,832 stats, 353,353 creations, 716,763 removals per second, vi4io.org). With the log and the
//!   attributes of three objects in the reply, CREATE is twice a READ, REMOVE 1.6 times.
//!
//! A mix of SPEC SFS 2008 then costs 0.87 of the same number of READs, without data. Martin & Culler found
//! that the processor's work for operations, not the network, limits a server under that mix ("NFS
//! sensitivity to high performance networks", SIGMETRICS 1999); they give it as one mean for all operations.

use bandgraph_config::{AssumedRange, settings};
use bandgraph_workload::OperationKind;

/// The range of the work of a kind of operation.
const WORK: AssumedRange = AssumedRange(
    0.6,
    1.6,
    "60 to 160 %: half of the work is the call, which all kinds have; no profile by procedure is published",
);

/// Declares the kinds but READ with the names of their fields, in the order of [`OperationKind::ALL`].
macro_rules! procedures {
    ($($kind:ident $field:ident $doc:literal),+ $(,)?) => {
        settings! {
            /// How much work every kind of operation is, as a multiple of the stack's operation.
            pub struct ProcedureCosts as "procedures" {
                /// Work of a READ, as a multiple of a READ's.
                read_work: f64 = 1, at_most(1e6), exact,
                    because("by definition: the figures of an operation are those of a READ");
                $(
                    #[doc = $doc]
                    $field: f64 = 1, at_most(1e6),
                        measured("`perf stat -e instructions` under this operation alone"),
                        because("as the operation to which the profile is fitted; no figure is known"),
                        assumed(WORK);
                )+
                /// Work of every entry that a READDIR returns, as a multiple of a READ's.
                readdir_entry_work: f64 = 0, at_most(1e6),
                    because("part of the operation"),
                    assumed(WORK);
                /// Work of every entry that a READDIRPLUS returns, as a multiple of a READ's.
                readdirplus_entry_work: f64 = 0, at_most(1e6),
                    because("part of the operation"),
                    assumed(WORK);
            }
        }

        impl ProcedureCosts {
            /// The work of an operation of a kind without entries of a directory.
            fn of_kind(&self, kind: OperationKind) -> f64 {
                match kind {
                    OperationKind::Read => self.read_work,
                    $(OperationKind::$kind => self.$field,)+
                }
            }
        }
    };
}

procedures! {
    Write write_work "Work of a WRITE, as a multiple of a READ's.",
    Commit commit_work "Work of a COMMIT, as a multiple of a READ's.",
    Getattr getattr_work "Work of a GETATTR, as a multiple of a READ's.",
    Setattr setattr_work "Work of a SETATTR, as a multiple of a READ's.",
    Lookup lookup_work "Work of a LOOKUP, as a multiple of a READ's.",
    Access access_work "Work of an ACCESS, as a multiple of a READ's.",
    Readlink readlink_work "Work of a READLINK, as a multiple of a READ's.",
    Readdir readdir_work "Work of a READDIR, without its entries, as a multiple of a READ's.",
    Readdirplus readdirplus_work "Work of a READDIRPLUS, without its entries, as a multiple of a READ's.",
    Create create_work "Work of a CREATE, as a multiple of a READ's.",
    Remove remove_work "Work of a REMOVE, as a multiple of a READ's.",
    Rename rename_work "Work of a RENAME, as a multiple of a READ's.",
    Link link_work "Work of a LINK, as a multiple of a READ's.",
    Symlink symlink_work "Work of a SYMLINK, as a multiple of a READ's.",
    Mknod mknod_work "Work of a MKNOD, as a multiple of a READ's.",
    Mkdir mkdir_work "Work of a MKDIR, as a multiple of a READ's.",
    Rmdir rmdir_work "Work of a RMDIR, as a multiple of a READ's.",
    Fsstat fsstat_work "Work of a FSSTAT, as a multiple of a READ's.",
    Fsinfo fsinfo_work "Work of a FSINFO, as a multiple of a READ's.",
    Pathconf pathconf_work "Work of a PATHCONF, as a multiple of a READ's.",
    Null null_work "Work of a NULL, as a multiple of a READ's.",
}

impl ProcedureCosts {
    /// The work of an operation of a kind, as a multiple of the stack's. `entries` is the number of entries
    /// that it returns if it lists a directory.
    pub fn work(&self, kind: OperationKind, entries: f64) -> f64 {
        let of_entries = match kind {
            OperationKind::Readdir => self.readdir_entry_work * entries,
            OperationKind::Readdirplus => self.readdirplus_entry_work * entries,
            _ => 0.0,
        };
        self.of_kind(kind) + of_entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_config::FieldValue;
    use bandgraph_workload::Mix;

    fn nfs() -> ProcedureCosts {
        crate::Stack::fishworks_2009().procedures
    }

    #[test]
    fn every_kind_has_its_own_field() {
        for &kind in OperationKind::ALL {
            let field = format!("{kind}_work");
            let mut costs = nfs();
            costs
                .set(&field, FieldValue::Number(77.0))
                .expect("a field of the table");
            for &other in OperationKind::ALL {
                let expected = if other == kind {
                    77.0
                } else {
                    nfs().work(other, 0.0)
                };
                assert_eq!(costs.work(other, 0.0), expected, "{field}: {other}");
            }
        }
    }

    #[test]
    fn reads_and_writes_are_what_stacks_were_fitted_to() {
        for kind in [OperationKind::Read, OperationKind::Write] {
            assert_eq!(nfs().work(kind, 30.0), 1.0);
        }
    }

    #[test]
    fn directories_cost_what_they_list() {
        let costs = nfs();
        let plus = |entries| costs.work(OperationKind::Readdirplus, entries);
        assert!((plus(30.0) - (0.7 + 30.0 * 0.06)).abs() < 1e-12);
        assert!((plus(60.0) - plus(30.0) - 1.8).abs() < 1e-12);
        assert!((costs.work(OperationKind::Readdir, 100.0) - 1.7).abs() < 1e-12);
    }

    /// The share in the module's text, by hand from the published percentages.
    #[test]
    fn a_mix_costs_less_than_as_many_reads() {
        let mix = Mix::named("specsfs2008").expect("a ready mix");
        let costs = nfs();
        let mean: f64 = mix
            .shares()
            .iter()
            .map(|&(kind, share)| share.get() * costs.work(kind, 30.0))
            .sum();
        let by_hand = 0.26 * 0.6
            + 0.24 * 0.85
            + 0.18
            + 0.11 * 0.65
            + 0.10
            + 0.04 * 1.2
            + 0.02 * 2.5
            + 0.01 * (0.7 + 1.0 + 2.0 + 1.6 + 0.7);
        assert!((mean - by_hand).abs() < 1e-12);
        assert!((mean - 0.87).abs() < 0.005, "{mean}");
    }
}

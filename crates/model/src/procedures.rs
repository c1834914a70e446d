//! How much work the kinds of operations are, beside each other: the procedures' part of a stack.
//!
//! What a stack says of an operation (`instructions_per_operation`, `misses_per_operation`) is fitted to
//! READ. Every kind has its work as a multiple of that, instructions and misses alike: the code is the same
//! server's, so that a stack with another base, or another processor under it, keeps the proportions. Bytes
//! of data, commands to disks and the steps of a COMPOUND cost what they cost, besides.
//!
//! No profile of the 7410's server by procedure is published, so all of these are **assumptions**, to be
//! overridden where better is known. They are made of three parts:
//!
//! * **A call by itself**, which is what NULL costs: interrupts, TCP, RPC, XDR, a thread woken. Half of a
//!   READ, because bare calls over TCP take 5,000 instructions in the same operating system
//!   (`solaris-tcp-2008`), and RPC takes about as many again.
//! * **What is looked at**: attributes are fetched (0.1); a name is hashed and found (0.15), with the
//!   attributes of directory and file (LOOKUP); entries of a directory are walked (0.01 each, 200
//!   instructions) and, with READDIRPLUS, each is found as by a LOOKUP without its call and reply (0.06).
//! * **What is changed**: a transaction is opened, the directory or the attributes change, and a record of
//!   the intent log is made (SETATTR: 0.6 on top of its call). Making a file costs 3.4 times as much as
//!   asking for its attributes in a file system in memory, and removing it 1.7 times (mdtest 1.9.3 on a RAM
//!   disk: 1,184,832 stats, 353,353 creations, 716,763 removals a second, vi4io.org). With the log and the
//!   attributes of three objects in the reply, CREATE comes to twice a READ, REMOVE to 1.6 times.
//!
//! A mix of SPEC SFS 2008 then costs 0.87 of as many READs, data aside. That the processor's work for
//! operations, and not the network, decides what a server does of that mix is what Martin & Culler found
//! ("NFS sensitivity to high performance networks", SIGMETRICS 1999); they give it as one mean for all
//! operations.

use bandgraph_config::Field;
use bandgraph_workload::OperationKind;

use crate::stack_number::number;

/// The largest multiple that a kind of operation may cost.
const MOST: f64 = 1e6;

/// How much work every kind of operation is, as a multiple of the stack's operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcedureCosts {
    /// By kind, in the order of [`OperationKind::ALL`]; of READDIR and READDIRPLUS without their entries.
    work: [f64; OperationKind::ALL.len()],
    /// Every entry that a READDIR returns.
    readdir_entry: f64,
    /// Every entry that a READDIRPLUS returns.
    readdirplus_entry: f64,
}

/// Declares the kinds with the names of their fields and their defaults, in the order of
/// [`OperationKind::ALL`].
macro_rules! procedures {
    ($($kind:ident $field:literal $procedure:literal $work:literal),+ $(,)?) => {
        impl ProcedureCosts {
            /// The kinds, to be found by the name of their field.
            const KINDS: [(&'static str, OperationKind); OperationKind::ALL.len()] =
                [$(($field, OperationKind::$kind)),+];

            /// The defaults, for servers of NFS.
            pub const NFS: Self = Self {
                work: [$($work),+],
                readdir_entry: 0.01,
                readdirplus_entry: 0.06,
            };

            /// The fields that files may set, as fields of the stack.
            pub const FIELDS: [Field; OperationKind::ALL.len() + 2] = [
                $(number(
                    $field,
                    concat!("Work of a ", $procedure, ", as a multiple of a READ's: ", $work, " in profiles of NFS servers."),
                    0.0,
                    MOST,
                )),+,
                number(
                    "readdir_entry_work",
                    "Work of every entry that a READDIR returns, as a multiple of a READ's: 0.01 in profiles of NFS \
                     servers.",
                    0.0,
                    MOST,
                ),
                number(
                    "readdirplus_entry_work",
                    "Work of every entry that a READDIRPLUS returns, as a multiple of a READ's: 0.06 in profiles \
                     of NFS servers.",
                    0.0,
                    MOST,
                ),
            ];
        }
    };
}

procedures! {
    Read "read_work" "READ" 1.0,
    Write "write_work" "WRITE" 1.0,
    Commit "commit_work" "COMMIT" 0.7,
    Getattr "getattr_work" "GETATTR" 0.6,
    Setattr "setattr_work" "SETATTR" 1.2,
    Lookup "lookup_work" "LOOKUP" 0.85,
    Access "access_work" "ACCESS" 0.65,
    Readlink "readlink_work" "READLINK" 0.7,
    Readdir "readdir_work" "READDIR, without its entries" 0.7,
    Readdirplus "readdirplus_work" "READDIRPLUS, without its entries" 0.7,
    Create "create_work" "CREATE" 2.0,
    Remove "remove_work" "REMOVE" 1.6,
    Rename "rename_work" "RENAME" 1.9,
    Link "link_work" "LINK" 1.6,
    Symlink "symlink_work" "SYMLINK" 2.0,
    Mknod "mknod_work" "MKNOD" 2.0,
    Mkdir "mkdir_work" "MKDIR" 2.2,
    Rmdir "rmdir_work" "RMDIR" 1.8,
    Fsstat "fsstat_work" "FSSTAT" 0.7,
    Fsinfo "fsinfo_work" "FSINFO" 0.55,
    Pathconf "pathconf_work" "PATHCONF" 0.6,
    Null "null_work" "NULL" 0.5,
}

impl ProcedureCosts {
    /// Every operation is as much work as a READ, whatever it returns.
    pub const ALIKE: Self = Self {
        work: [1.0; OperationKind::ALL.len()],
        readdir_entry: 0.0,
        readdirplus_entry: 0.0,
    };

    /// The work of an operation of a kind, as a multiple of the stack's, which returns so many entries if it
    /// lists a directory.
    pub fn work(&self, kind: OperationKind, entries: f64) -> f64 {
        let of_entries = match kind {
            OperationKind::Readdir => self.readdir_entry * entries,
            OperationKind::Readdirplus => self.readdirplus_entry * entries,
            _ => 0.0,
        };
        self.work[kind as usize] + of_entries
    }

    /// The value of the field of that name.
    pub(crate) fn number_mut(&mut self, name: &str) -> Option<&mut f64> {
        match name {
            "readdir_entry_work" => Some(&mut self.readdir_entry),
            "readdirplus_entry_work" => Some(&mut self.readdirplus_entry),
            _ => {
                let (_, kind) = Self::KINDS.iter().find(|(field, _)| *field == name)?;
                Some(&mut self.work[*kind as usize])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_workload::Mix;

    #[test]
    fn every_kind_has_its_own_field() {
        for (index, &kind) in OperationKind::ALL.iter().enumerate() {
            let (field, of_field) = ProcedureCosts::KINDS[index];
            assert_eq!((of_field, kind as usize), (kind, index));
            assert_eq!(field, format!("{kind}_work"));
            let mut costs = ProcedureCosts::NFS;
            *costs.number_mut(field).expect("a field of the table") = 77.0;
            for &other in OperationKind::ALL {
                let expected = if other == kind {
                    77.0
                } else {
                    ProcedureCosts::NFS.work(other, 0.0)
                };
                assert_eq!(costs.work(other, 0.0), expected, "{field}: {other}");
            }
        }
    }

    #[test]
    fn reads_and_writes_are_what_stacks_were_fitted_to() {
        for kind in [OperationKind::Read, OperationKind::Write] {
            assert_eq!(ProcedureCosts::NFS.work(kind, 30.0), 1.0);
        }
    }

    #[test]
    fn directories_cost_what_they_list() {
        let costs = ProcedureCosts::NFS;
        let plus = |entries| costs.work(OperationKind::Readdirplus, entries);
        assert!((plus(30.0) - (0.7 + 30.0 * 0.06)).abs() < 1e-12);
        assert!((plus(60.0) - plus(30.0) - 1.8).abs() < 1e-12);
        assert!((costs.work(OperationKind::Readdir, 100.0) - 1.7).abs() < 1e-12);
    }

    /// The share that the module's text gives, by hand from the published percentages.
    #[test]
    fn a_mix_costs_less_than_as_many_reads() {
        let mix = Mix::named("specsfs2008").expect("a ready mix");
        let costs = ProcedureCosts::NFS;
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

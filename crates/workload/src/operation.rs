//! The operations of a file server, in any protocol.
//!
//! They are the procedures of NFS version 3 (RFC 1813, section 3.3), to which the requests of other protocols
//! are mapped.

use std::str::FromStr;

use bandgraph_config::{UnknownWord, words};

/// The direction in which an operation moves file data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataDirection {
    /// No file data: names and attributes only.
    None,
    /// From the server to the client.
    Read,
    /// From the client to the server.
    Write,
}

impl DataDirection {
    /// Bytes read and bytes written, of `bytes` of data.
    pub fn bytes(self, bytes: f64) -> [f64; 2] {
        match self {
            Self::Read => [bytes, 0.0],
            Self::Write => [0.0, bytes],
            Self::None => [0.0, 0.0],
        }
    }
}

words! {
    /// A kind of operation: one call of a client and the server's reply.
    pub enum OperationKind {
        /// Read file data.
        Read = "read",
        /// Write file data.
        Write = "write",
        /// Put written data on stable storage.
        Commit = "commit",
        /// Get the attributes of a file.
        Getattr = "getattr",
        /// Set attributes of a file.
        Setattr = "setattr",
        /// Find a name in a directory.
        Lookup = "lookup",
        /// Ask what the caller may do with a file.
        Access = "access",
        /// Read a symbolic link.
        Readlink = "readlink",
        /// Read names of a directory.
        Readdir = "readdir",
        /// Read names of a directory with their attributes and handles.
        Readdirplus = "readdirplus",
        /// Create a file.
        Create = "create",
        /// Remove a file.
        Remove = "remove",
        /// Rename a file or directory.
        Rename = "rename",
        /// Make a hard link.
        Link = "link",
        /// Make a symbolic link.
        Symlink = "symlink",
        /// Make a device or other special file.
        Mknod = "mknod",
        /// Make a directory.
        Mkdir = "mkdir",
        /// Remove a directory.
        Rmdir = "rmdir",
        /// Get the space and file counts of a file system.
        Fsstat = "fsstat",
        /// Get the limits of a file system.
        Fsinfo = "fsinfo",
        /// Get the path limits of a file system.
        Pathconf = "pathconf",
        /// Do nothing: the cost of an empty call.
        Null = "null",
    }
}

impl OperationKind {
    /// The name in files and reports, in lower case: `"read"`.
    pub const fn name(self) -> &'static str {
        self.as_str()
    }

    /// The direction of its file data. Directory entries and link texts are not file data.
    pub const fn data(self) -> DataDirection {
        match self {
            Self::Read => DataDirection::Read,
            Self::Write => DataDirection::Write,
            _ => DataDirection::None,
        }
    }

    /// Whether it only accesses names or attributes.
    pub const fn touches_names(self) -> bool {
        !matches!(
            self,
            Self::Read
                | Self::Write
                | Self::Commit
                | Self::Fsstat
                | Self::Fsinfo
                | Self::Pathconf
                | Self::Null
        )
    }

    /// Whether it changes files or makes a change stable, so that it needs disks or log devices for any cache
    /// contents.
    pub const fn changes_files(self) -> bool {
        !matches!(
            self,
            Self::Read
                | Self::Getattr
                | Self::Lookup
                | Self::Access
                | Self::Readlink
                | Self::Readdir
                | Self::Readdirplus
                | Self::Fsstat
                | Self::Fsinfo
                | Self::Pathconf
                | Self::Null
        )
    }

    /// Whether it depends on the I/O size.
    pub const fn moves_data(self) -> bool {
        !matches!(self.data(), DataDirection::None)
    }
}

/// Parses a [`name`](OperationKind::name), in any case. [`OperationKind::ALL`] has the valid ones.
impl FromStr for OperationKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownWord {
                expected: "an operation",
                found: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_differ() {
        for (index, kind) in OperationKind::ALL.iter().enumerate() {
            assert_eq!(kind.name().parse(), Ok(*kind));
            assert_eq!(kind.name().to_uppercase().parse(), Ok(*kind));
            assert_eq!(kind.to_string(), kind.name());
            assert!(
                OperationKind::ALL[..index]
                    .iter()
                    .all(|other| other.name() != kind.name())
            );
        }
        assert!("raed".parse::<OperationKind>().is_err());
        assert!("".parse::<OperationKind>().is_err());
    }

    #[test]
    fn only_reads_and_writes_move_data() {
        let movers: Vec<_> = OperationKind::ALL
            .iter()
            .filter(|kind| kind.moves_data())
            .collect();
        assert_eq!(movers, [&OperationKind::Read, &OperationKind::Write]);
        assert_eq!(OperationKind::Read.data(), DataDirection::Read);
        assert_eq!(OperationKind::Write.data(), DataDirection::Write);
    }

    /// RFC 1813 numbers its procedures 0 to 21.
    #[test]
    fn all_procedures_of_nfs3_are_here() {
        assert_eq!(OperationKind::ALL.len(), 22);
    }
}

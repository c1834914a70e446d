//! A shelf of disks.

use crate::part::part;

part! {
    /// A shelf of disks behind SAS wide ports.
    JbodPart, Jbod {
        /// Disks in the shelf.
        disks: u64 = 24, required, positive, at_most(1024.0);
        /// Name of the disk part that fills it.
        disk: String = "sata-1tb-7200".to_owned(), required;
        /// Wide ports that can carry data at the same time.
        ports: u64 = 1, positive, at_most(16.0);
    }
}

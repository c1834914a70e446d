//! The registry of readers. One file per format; see the documentation of the crate.

mod config_space;
mod dmidecode;
mod ethtool;
mod hwloc;
mod ibnetdiscover;
mod ibstat;
pub(crate) mod json;
mod lsblk;
mod lscpu;
mod lshw;
mod lspci;
mod megacli;
mod mvcli;
mod nccl;
mod northbridge;
mod numactl;
mod nvme;
mod pciconf;
mod redfish;
mod storcli;
pub(crate) mod sysfs;
mod text;
mod uncore;
mod xml;
mod zpool;

pub(crate) use nccl::IDLE_UPLINK;
pub(crate) use text::{Line, Text, leading_number, number_after};

use crate::facts::Facts;

/// A reader of one format.
pub(crate) struct Reader {
    /// What people call the format: the command that prints it.
    pub name: &'static str,
    /// Whether a text is of this format.
    pub recognises: fn(&str) -> bool,
    /// Adds what the text says.
    pub read: fn(&Text<'_>, &mut Facts),
}

/// All readers. Where two of them know a value, the first takes precedence: registers of devices before what
/// a kernel derived from them, that before what firmware wrote into tables.
pub(crate) const READERS: &[Reader] = &[
    lspci::READER,
    pciconf::READER,
    hwloc::READER,
    nccl::READER,
    ethtool::READER,
    ibstat::READER,
    storcli::READER,
    megacli::READER,
    mvcli::READER,
    lsblk::READER,
    nvme::READER,
    zpool::READER,
    ibnetdiscover::READER,
    dmidecode::READER,
    lshw::XML,
    lshw::JSON,
    lscpu::READER,
    numactl::READER,
    redfish::READER,
    uncore::READER,
];

/// The names of all formats, in order of precedence.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    let names = READERS.iter().map(|reader| reader.name);
    let (before, after) = (
        names.clone().take(sysfs::PRECEDENCE),
        names.skip(sysfs::PRECEDENCE),
    );
    before.chain([sysfs::NAME]).chain(after)
}

//! The interfaces of drives.

use bandgraph_config::words;

words! {
    /// What a drive speaks. Ports of SAS adapters and shelves take drives of SATA too, ports of SATA only
    /// those.
    #[derive(Default)]
    pub enum DriveInterface: "an interface of drives" {
        /// SATA, or sold with both.
        #[default]
        Sata = "sata",
        /// SAS.
        Sas = "sas",
        /// NVM Express.
        Nvme = "nvme",
    }
}

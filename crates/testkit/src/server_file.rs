//! A topology file as a base for tests.

/// Two sockets, a bridge with three slots, a NIC and a SAS card with a JBOD; slot `s3` is free. Every value
/// that a test may edit is unique: the memory of the second socket is 31 GiB.
pub const TWO_SOCKET_SERVER: &str = r#"schema = 1
name = "two sockets"

[[socket]]
id = "cpu0"
part = "opteron-8356"
memory = { part = "ddr2-667", channels = 2, size = "32 GiB" }

[[socket]]
id = "cpu1"
part = "opteron-8356"
memory = { part = "ddr2-667", channels = 2, size = "31 GiB" }

[[link]]
ends = ["cpu0", "cpu1"]
part = "ht1-x16"

[[bridge]]
id = "io"
part = "io55"
uplink = { to = "cpu1", part = "ht1-x16" }

[[slot]]
id = "s1"
bridge = "io"
pcie = "gen1 x8"

[[slot]]
id = "s2"
bridge = "io"
pcie = "gen1 x4"

[[slot]]
id = "s3"
bridge = "io"
pcie = "gen1 x16"

[[card]]
id = "nic0"
part = "neptune-dual-10gbe"
slot = "s1"

[[card]]
id = "hba0"
part = "sas-hba-x8-gen1"
pcie_lanes = 4
slot = "s2"

[[jbod]]
id = "j0"
part = "j4400"
hba = "hba0"
port = 1
"#;

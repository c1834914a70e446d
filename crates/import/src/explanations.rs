//! What each kind of diagnostic of this crate means.

/// A paragraph for every id of this crate.
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "import::unreadable",
        "A file that was named for an import cannot be read, for the reason given.",
    ),
    (
        "import::unknown_format",
        "The file is not of a format that can be imported. Formats are recognised by what only their program \
         prints, so \
         that the output must be complete from its beginning. `docs/import.md` says which commands to run.",
    ),
    (
        "import::too_many_files",
        "Folders and archives with more files than any description of one machine has are not read to their \
         end. Name \
         the files that describe the machine.",
    ),
    (
        "import::nothing_found",
        "The folders that were named hold no file of a known format. `docs/import.md` says which commands to \
         run.",
    ),
    (
        "import::several_machines",
        "Two files of one format name different products, so that they cannot be of one machine. What one \
         file says would be mixed with what the other says. `inspect --each` takes every argument as a \
         machine of its own: give a folder for each.",
    ),
    (
        "import::out_of_range",
        "A file says a number that no part of a server can have: 5000 cores in a socket, a clock of 0.1 MHz. \
         The file is damaged, or the firmware is wrong. The value is unknown, as if the file did not say it.",
    ),
    (
        "import::impossible",
        "What the files say together is no server: more elements than a topology can have, or links that \
         lead nowhere. The errors before this one say what is wrong in the topology, where each line names \
         the file and line that said it.",
    ),
    (
        "import::too_many_sockets",
        "The files list more sockets than any machine has. They are damaged, or of several machines.",
    ),
    (
        "import::unknown_workload",
        "A server that was imported with `--from` is asked with one of a few named workloads. For another \
         question, import \
         the topology into a file and write a scenario.",
    ),
    (
        "import::no_sockets",
        "A topology needs the sockets of the machine: what processors it has and how many. `dmidecode`, \
         `lscpu` and \
         `lstopo --of xml` print them.",
    ),
    (
        "import::assumption",
        "With `--strict` nothing may be assumed, and no file says this value. Without it the topology has \
         the value, with \
         `# assumed` beside it.",
    ),
    (
        "measure::unknown_format",
        "The file is not of a format that measurements are read from. `bandgraph measure formats` lists \
         them.",
    ),
    (
        "measure::nothing",
        "The file is of a known format and holds nothing that a prediction can be compared with: no drive, \
         no counter of a \
         memory controller or of a link, no job that did anything.",
    ),
    (
        "measure::no_interval",
        "Counters count bytes; a rate needs the time as well. `perf stat -I 1000` prints it, and `--seconds` \
         gives it. The \
         counters of network interfaces count since the machine was started: print them before and after.",
    ),
    (
        "measure::not_counted",
        "`perf` printed `<not counted>` or `<not supported>` for an event. Counters outside of cores need \
         root, and most \
         virtual machines have none. The event is left out.",
    ),
    (
        "measure::counter_fell",
        "A counter that only goes up is lower in the second file. Either the files are in the wrong order, \
         or a driver was \
         started again in between. The counter is left out.",
    ),
    (
        "inspect::slot_limits_card",
        "The link between a card and its slot runs with fewer lanes or at a lower generation than the card \
         has, and \
         the slot, or the port above it, has no more. The card would be faster in another slot. The cost is \
         the payload \
         per direction that the card cannot move, no more than its ports carry.",
    ),
    (
        "inspect::link_below_both",
        "The link runs with fewer lanes or at a lower generation than both its card and its slot have. A \
         card that is \
         not fully seated, dirty contacts, a riser, a setting of the firmware (bifurcation, a fixed speed) \
         or a worn \
         cable does that. Graphics cards and some others also slow down while they are idle: look again \
         under load.",
    ),
    (
        "inspect::link_below_card",
        "The link runs with fewer lanes or at a lower generation than the card has. The files do not say \
         what the slot \
         has, so that either the slot or the training is the reason. Add the output of `dmidecode` or `lspci \
         -vv`.",
    ),
    (
        "inspect::ports_exceed_link",
        "The ports of the card carry more than its link to the host, which is as fast as the card can make \
         it. Not all \
         ports can be full at the same time.",
    ),
    (
        "inspect::ports_below_card",
        "All ports of a card negotiated a lower rate than they can have. The other end may have no more, or \
         a cable or module is the reason. The rate in force is the one that predictions use.",
    ),
    (
        "inspect::payload_below_both",
        "Packets on the link carry less data than the card and all ports above it can handle, so that \
         headers take \
         more of the link. Linux sets the payload with `pci=pcie_bus_perf`; firmware has a setting called \
         maximum payload \
         size. All devices of a tree must agree, so a device with a small limit may be the reason.",
    ),
    (
        "inspect::read_request_small",
        "The card asks for less than 512 bytes with a read request, so that it needs more requests in flight \
         for the same \
         rate. `setpci` or the driver can change that without a restart.",
    ),
    (
        "inspect::memory_channels_empty",
        "Some memory channels of a socket have no module. Each channel adds its own bandwidth, so an empty \
         one costs its \
         share. Distribute the modules over all channels.",
    ),
    (
        "inspect::memory_uneven",
        "The sockets have different amounts of memory, so that some of the accesses of one socket always \
         cross a socket link; or the channels of a socket have, so that the rest of the largest is read \
         from that channel alone.",
    ),
    (
        "inspect::socket_without_memory",
        "A socket has no memory. All that its cores do with memory crosses a socket link.",
    ),
    (
        "inspect::memory_below_rated",
        "Memory runs slower than its modules are rated for. Two or three modules per channel, or a setting \
         of the firmware does that. It costs nothing where the processor takes no faster memory.",
    ),
    (
        "inspect::one_socket",
        "All fast cards hang on one socket, although the machine has several. The I/O links and the memory \
         controllers of \
         the other sockets are unused by cards, and work that runs there crosses a socket link.",
    ),
    (
        "inspect::network_and_storage_apart",
        "All network cards hang on one socket and all storage cards on another. Every byte between network \
         and storage \
         crosses a socket link.",
    ),
    (
        "inspect::uplink_oversubscribed",
        "The links below a switch or a chipset carry more together than its link to the processor. Devices \
         that work at \
         the same time share it.",
    ),
    (
        "inspect::uplink_suspicious",
        "A switch reports a slower link to the processor than the devices below it have, by more than one \
         generation. \
         Drivers and firmware are known to print such links wrongly. The value is reported and not believed.",
    ),
    (
        "inspect::out_of_range",
        "A file says a number that no part of a server can have. It is unknown, as if the file did not say it, \
         and nothing is concluded from it.",
    ),
    (
        "inspect::files_disagree",
        "Two files say different things of the same device. The first value is used: that of the source that \
         is nearer \
         to the hardware. Firmware tables are often wrong.",
    ),
    (
        "inspect::socket_disagrees",
        "The system's node of a device contradicts the tree of buses or the table of slots. Firmware often \
         reports \
         the wrong node for devices of a second I/O hub, so the tree is believed.",
    ),
];

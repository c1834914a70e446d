//! The long explanation of each id of diagnostics.

use bandgraph_diagnostics::Explanation;

const fn explanation(id: &'static str, title: &'static str, text: &'static str) -> Explanation {
    Explanation { id, title, text }
}

/// An explanation of every kind of diagnostic raised by this crate. [`explanations`] also includes those of
/// the crates below.
pub const EXPLANATIONS: &[Explanation] = &[
    // Files.
    explanation(
        "file::syntax",
        "not TOML",
        "The text is not TOML. All syntax errors of a file are reported at once; a missing quote or bracket often causes \
         several, so fix the first and check again. Of files above 256 KiB only the first is reported.",
    ),
    explanation(
        "file::missing",
        "no such file",
        "There is no file of that name. Paths in `include` and `topology` are relative to the file that they stand in, \
         those on the command line to the current folder.",
    ),
    explanation(
        "file::folder",
        "a folder, not a file",
        "The path is that of a folder. Name a file in it.",
    ),
    explanation(
        "file::too_large",
        "a file that is too large",
        "Files are read up to 16 MiB, and all files of one scenario together up to 32 MiB. Descriptions of machines are \
         a thousand times smaller, so this is probably another kind of file.",
    ),
    explanation(
        "file::unreadable",
        "a file that cannot be read",
        "The file exists, but the system did not let it be read, for the reason in the message. Only regular files are \
         read: no devices, no pipes.",
    ),
    explanation(
        "file::cases",
        "a file with several scenarios",
        "Each `[[case]]` is a scenario. Name one after a `#`: `nastran.toml#getrag-1-hdd2-24gb`.",
    ),
    explanation(
        "file::no_such_case",
        "no such case",
        "What follows the `#` of a path is the `id` of a `[[case]]` entry of the file, and it has none of that name.",
    ),
    explanation(
        "file::outside",
        "a file outside the folder",
        "Files of strangers could name any file of yours. What a file names lies in its project (the closest folder above \
         with `topologies` or a repository) or below the current folder. `--allow-outside` lifts this.",
    ),
    explanation(
        "file::not_utf8",
        "not UTF-8",
        "TOML files are text in UTF-8. The place is that of the first byte that is none. Editors can save a file in \
         another encoding as UTF-8.",
    ),
    explanation(
        "file::include_cycle",
        "files that include each other in a circle",
        "A file includes another that, directly or through others, includes the first. The message has the whole \
         circle. Move what both need into a third file.",
    ),
    explanation(
        "file::fragment",
        "a part of a scenario",
        "Scenarios that have something in common include it from another file. Such a file has no `schema` \
         and no `topology`, and cannot be run or checked alone: the scenarios that include it have the \
         rest. Check those.",
    ),
    explanation(
        "file::too_many_includes",
        "too many includes",
        "Files may include each other 16 deep, and a scenario may be made of 100 files.",
    ),
    explanation("file::empty", "an empty file", "The file says nothing at all."),
    explanation(
        "file::neither",
        "neither a topology nor a scenario",
        "The keys of a file show what it describes: `[[socket]]`, `[[link]]`, `[[card]]` and similar ones \
         make a topology, \
         `topology`, `[[clients]]`, `[[workload]]` and similar ones a scenario. This file has none of \
         either.",
    ),
    explanation(
        "file::topology_for_scenario",
        "a topology where another kind of file belongs",
        "A topology describes a server; a scenario also says what clients ask of it. Only scenarios can be run. Write \
         one that names this topology.",
    ),
    explanation(
        "file::scenario_for_topology",
        "a scenario where another kind of file belongs",
        "The file is a scenario, and the message says which kind of file is needed here. Scenarios cannot include topologies nor \
         be topologies: they name one as `topology = \"file.toml\"`.",
    ),
    explanation(
        "file::schema_version",
        "another version of the file format",
        "The first line of a file says which version of the format it is in. This program reads version 1.",
    ),
    explanation(
        "file::too_many_problems",
        "more problems than are shown",
        "Only the first 200 problems are kept.",
    ),
    // Values.
    explanation(
        "value::wrong_type",
        "a value of the wrong type",
        "The field takes another type of value: a text in quotes, a whole number, a list in brackets, or a table.",
    ),
    explanation(
        "value::too_many_digits",
        "a number with too many digits",
        "Whole numbers have at most 64 bits with their sign.",
    ),
    explanation(
        "value::bare_number",
        "a bare number where a unit belongs",
        "Quantities are written as texts with their unit: `\"4 GB/s\"`, `\"256 GiB\"`, `\"25 us\"`. A bare number could \
         be anything: GB and GiB alone are 7 % apart, and mixing them up is the classic error of this field.",
    ),
    explanation(
        "value::not_a_quantity",
        "not a quantity",
        "The text is not a number with a unit behind it.",
    ),
    explanation(
        "value::unknown_unit",
        "an unknown unit",
        "No quantity has this unit. Case matters: `Mbit` is a million bits, `MB` a million bytes, and `mB` is nothing.",
    ),
    explanation(
        "value::wrong_unit",
        "a unit of another kind",
        "The text is a good quantity, but of another kind than the field: a time where a bandwidth belongs, or a size \
         where a bandwidth belongs (`GB` for `GB/s`).",
    ),
    explanation(
        "value::not_finite",
        "a value without end",
        "The value is infinite, not a number, or too large to be counted. There is no resource without a limit: leave \
         a part out rather than make it infinite.",
    ),
    explanation(
        "value::zero",
        "zero where nothing works without",
        "The field must be more than zero. A link of no capacity, a socket of no cores or a group of no clients would \
         bring everything that uses it to a stop. Leave the entry out instead.",
    ),
    explanation(
        "value::negative",
        "a negative value",
        "There is no less than nothing of this.",
    ),
    explanation(
        "value::out_of_range",
        "a value out of range",
        "The value is outside of what the field allows, which the message or the label says.",
    ),
    explanation(
        "value::range_of_figure",
        "a range without its value",
        "A figure may say between which two values the true one is: `range = [1.0, 1.8]`. The lower comes first, the value \
         is between them, and both have the unit of the value.",
    ),
    explanation(
        "value::unknown_choice",
        "not one of the choices",
        "The field takes one of a few words, and this is none of them.",
    ),
    explanation(
        "value::years",
        "not a pair of years",
        "The years of the software that a stack fits are the first and the last: `years = [2008, 2010]`.",
    ),
    explanation(
        "value::control_character",
        "a control character in a text",
        "Texts end up in reports, terminals, pictures and spreadsheets, where control characters do harm. A text may \
         contain line ends and tabs, and no other of them.",
    ),
    explanation(
        "value::two_ends",
        "a link with other than two ends",
        "A link joins two sockets: `ends = [\"cpu0\", \"cpu1\"]`. A bridge is joined to its socket by its `uplink`.",
    ),
    explanation(
        "value::not_a_pcie_link",
        "not a PCI Express link",
        "A slot's link is written as generation and width, `\"gen1 x8\"`: gen1 to gen6, and 1, 2, 4, 8, 12, 16 or 32 \
         lanes.",
    ),
    // Entries.
    explanation(
        "entry::unknown_field",
        "an unknown field",
        "The table has no field of that name. Entries that name a part take any field of that part in \
         addition to their own: \
         `bandgraph parts show NAME` lists them.",
    ),
    explanation(
        "entry::missing_field",
        "a field is missing",
        "The entry needs this field. It may also come from a file that this one includes.",
    ),
    explanation(
        "entry::too_many",
        "a list that is too long",
        "No machine and no scenario has that many entries of one kind; the limits keep a check short for \
         any file.",
    ),
    explanation(
        "entry::duplicate",
        "two entries of the same name in one file",
        "Two entries of one kind have the same name, so it could not be said which of them is meant. Across files it is \
         different: an entry in the including file changes the one of the same name in the included file.",
    ),
    explanation(
        "entry::bad_id",
        "not a name",
        "Names become parts of the names of resources (`slot.s1.out`), so they are of letters, digits, `_` and `-`, \
         and have at most 64 characters.",
    ),
    // References.
    explanation(
        "reference::unknown_part",
        "an unknown part",
        "There is no part of that name, of the kind that belongs here, in the catalogue (`bandgraph parts list`) or \
         among the file's own `[[part]]` entries above. A part of your own is best based on one of the catalogue: \
         `[[part]] name = \"my-nic\"`, `kind = \"nic\"`, `base = \"neptune-dual-10gbe\"`, and the fields that differ.",
    ),
    explanation(
        "reference::part_of_another_kind",
        "a part of another kind",
        "The part exists, but is of a kind that does not belong here.",
    ),
    explanation(
        "reference::unknown_clients",
        "unknown clients",
        "Every workload is for one group of clients, named by the `id` of a `[[clients]]` entry.",
    ),
    explanation(
        "reference::unknown_port",
        "an unknown port",
        "Clients name the server's ports by card and number, counted from 0: `nic0.1` is the second port of card \
         `nic0`. Only network cards have ports for clients.",
    ),
    explanation(
        "reference::unknown_resource",
        "a resource that is not there",
        "A measurement or a bottleneck names a resource that the scenario does not have. `bandgraph run --format csv` \
         lists those that it has.",
    ),
    explanation(
        "reference::unknown_metric",
        "an unknown metric",
        "Measurements and expectations are of the figures that `bandgraph run --format json` reports, by these names.",
    ),
    // Structure.
    explanation(
        "topology::two_seats",
        "a card in two places",
        "A card sits in a slot, or is part of the board and sits on a bridge; never both.",
    ),
    explanation(
        "topology::no_seat",
        "an element without a place",
        "A card says where it sits: in a `slot`, or, where it is part of the board, on a `bridge`. A slot hangs on a \
         `bridge` or a `switch`, a bridge on a socket by its `uplink`, or it is part of that `socket`.",
    ),
    explanation(
        "topology::uneven_count",
        "elements that cannot be spread evenly",
        "Each card of an entry with a `count` sits in a slot of its own: `slot = \"bay[0-11]\"` for 12 cards. Slots and \
         bridges are spread evenly and in order: 24 slots with `bridge = \"rc[0-1]\"` are 12 on `rc0` and 12 on `rc1`.",
    ),
    explanation(
        "topology::unreachable_port",
        "a port that nobody can reach",
        "The card's bridge hangs on a socket that no chain of links joins to the others, so nothing but that socket's \
         own memory could be served through its ports. Join the socket to the others, or hang the bridge elsewhere.",
    ),
    explanation(
        "topology::idle_route",
        "a route that changes nothing",
        "Traffic takes the shortest path unless a `[[route]]` says otherwise. This one names the only shortest path, so \
         it says nothing new. A warning only.",
    ),
    explanation(
        "topology::fast_slot",
        "a slot faster than its bridge",
        "A card and its slot speak the latest generation of PCI Express that both sides know. A slot that asks for a later one \
         than its bridge or switch has buys nothing. A warning only.",
    ),
    explanation(
        "topology::fast_memory",
        "memory faster than its socket takes",
        "A processor's part states the fastest memory that it takes. A server with a faster one exists only \
         on paper. A warning only: what firmware allows beyond that is not known.",
    ),
    explanation(
        "topology::many_channels",
        "more memory channels than the socket has",
        "A processor's part states the channels of its memory controllers. With more, memory is faster than \
         any such server's. A warning only.",
    ),
    explanation(
        "topology::other_link",
        "a link of another technology",
        "A processor's part may state the fastest link to other sockets that it has. A link of another \
         technology, such as HyperTransport between processors with xGMI, does not exist. A warning only.",
    ),
    explanation(
        "scenario::compute",
        "a computing time that is not understood",
        "A job says in `compute` how long it computes: one time for any number of cores, such as \"20 min\", or one for each \
         number that it may run on, such as \"1: 884 s, 2: 583 s\".",
    ),
    explanation(
        "scenario::sizes",
        "sizes of operations that are not understood",
        "`read_sizes` and `write_sizes` are sizes with weights, separated by commas: \"4 KiB=3, 64 KiB=1\" is three of 4 KiB to \
         one of 64 KiB. A weight that is not there is 1. There are at most 64 sizes, of 1 B to 1 GiB each.",
    ),
    explanation(
        "scenario::ssd_seat",
        "an SSD without a place",
        "An SSD says where it sits, once: in an enclosure (`jbod`), behind that enclosure's adapter, or on an I/O bridge \
         itself (`bridge`).",
    ),
    explanation(
        "scenario::no_clients",
        "no clients",
        "A scenario needs at least one `[[clients]]` entry: somebody must ask.",
    ),
    explanation(
        "scenario::no_workload",
        "no workload",
        "A scenario needs at least one `[[workload]]` entry: something must be asked for.",
    ),
    explanation(
        "part::defaults",
        "a processor whose figures are partly defaults",
        "A `[[part]]` of kind `socket` without a `base` takes the defaults of `docs/files.md` for what it leaves out, such as \
         cache misses in flight, on which throughput depends. These belong to no particular processor. With a `base`, \
         they are those of a processor of the catalogue. A warning only.",
    ),
    explanation(
        "scenario::unused_clients",
        "clients that do nothing",
        "No workload is for this group of clients, so it has no effect. A warning only.",
    ),
    explanation(
        "scenario::set_beyond_disks",
        "a working set that the disks have no room for",
        "The working set of a workload is larger than all disks of the server together, before copies and \
         parity. The prediction goes by the share of it that the cache holds, so it has an answer, but no \
         such server can hold the data. A warning only.",
    ),
    explanation(
        "scenario::unused_by_host",
        "a field of the network for clients on the server itself",
        "Workloads of the protocol `host` run on the server itself: they cross no network, and compute on its cores. Network \
         cards, processors, switches and ports of their clients have no effect. A warning only.",
    ),
    explanation(
        "scenario::unused_by_protocol",
        "a field about files for a protocol that has none",
        "A protocol that only moves bytes, or serves what is in memory, keeps no files: it uses no pool, finds \
         nothing in a cache of files, and has no writes to make stable. A warning only.",
    ),
    explanation(
        "scenario::two_traces",
        "more than one trace",
        "One workload of a scenario can be replayed from a `trace`; the others are described by their fields.",
    ),
    explanation(
        "scenario::trace_speed",
        "a trace at no speed",
        "`speed` says how many times as fast as recorded the operations of a trace come. It is a number above zero.",
    ),
    explanation(
        "scenario::trace_schedule",
        "a schedule that a trace cannot have",
        "The operations of a trace come when they were recorded, or as soon as the server has answered those before: they \
         cannot come in a `ramp`, and a trace that is replayed as fast as possible has no `stop`. `start` says when in the \
         run a trace begins; until then the other workloads have the server to themselves, and nothing is counted.",
    ),
    explanation(
        "scenario::no_bound",
        "an expectation without a bound",
        "An `[[expect]]` entry has a `min`, a `max`, or both. With neither, every result would do.",
    ),
    explanation(
        "scenario::no_interval",
        "a probability of something without an interval",
        "`probability` of an `[[expect]]` entry is the share of draws of all uncertain figures that keep \
         the bound. Draws say \
         operations, payload and network bytes per second, and mean latency; ask of one of these, or leave \
         `probability` out.",
    ),
    explanation(
        "scenario::empty_range",
        "an expectation that nothing can meet",
        "The least that is expected is more than the most.",
    ),
    explanation(
        "scenario::metric_of_resource",
        "a metric of one resource without it, or the reverse",
        "Some metrics of a `[[measured]]` entry are of one resource (`utilisation`, `bytes_per_s`) and need its id in \
         `resource`. All others are of the whole run, and take none.",
    ),
    explanation(
        "scenario::no_reason",
        "a wide tolerance without a reason",
        "A prediction that may be off by more than 25 % is one that the model cannot make. The entry says in `reason` \
         what the model lacks, or what the source does not say.",
    ),
    // Calibrations.
    explanation(
        "file::calibration_for_another",
        "a calibration where another kind of file belongs",
        "The file says what may be fitted to which measurements; `bandgraph calibrate` does that. Here a scenario, a sweep \
         or a topology is needed.",
    ),
    explanation(
        "calibration::nothing",
        "a calibration without parameters or measurements",
        "A calibration fits at least one `[[parameter]]` to the measurements of at least one scenario in `[[data]]`, and a \
         scenario that it names has `[[measured]]` entries, or counters of links with `links = true`.",
    ),
    explanation(
        "calibration::bad_range",
        "bounds between which nothing lies",
        "A parameter has a `low` and a `high` bound, numbers or texts with a number and a unit, both in the same unit, and \
         begins between them. Without `start`, it begins at the value of the profile.",
    ),
    explanation(
        "calibration::not_a_number",
        "a field of the stack that cannot be fitted",
        "Numbers of the stack can be fitted, and shares by their number (`stack.home_shares.0`); names and flags cannot.",
    ),
    explanation(
        "calibration::unknown_point",
        "a measurement that the scenario does not have",
        "`measured` lists ids of `[[measured]]` entries of the scenario beside it.",
    ),
    // Overrides.
    // Sweeps.
    explanation(
        "file::sweep_for_another",
        "a sweep where another kind of file belongs",
        "The file has `[[axis]]` entries or names a `scenario`, so it is a sweep: a scenario and what is varied in it. \
         `bandgraph sweep` runs sweeps; what runs or includes a scenario or a topology cannot take one.",
    ),
    explanation(
        "sweep::no_values",
        "an axis without values",
        "Every axis says what its values are in one way: a list (`values`), equal distances (`range`), or equal ratios \
         (`log_range`). Axes over files, with the path `scenario` or `topology`, list them.",
    ),
    explanation(
        "sweep::no_step",
        "a range that does not say where its values are",
        "A `range` has a `step`, and a `log_range` either `count` or `per_decade`. Only a `[sample]` can do without: it \
         takes any value between the ends.",
    ),
    explanation(
        "sweep::bad_range",
        "a range that is none",
        "The ends and the step of a range are numbers, or quantities of one kind; the first end is not above the second, \
         and the step is above zero. Equal ratios begin above zero.",
    ),
    explanation(
        "sweep::with",
        "axes that cannot go in step",
        "An axis with `with` goes in step with another: the first value with the first, and so on. So the other is there, \
         is another, and has as many values. A file can be varied by one axis only.",
    ),
    explanation(
        "sweep::comparison",
        "not a comparison",
        "A comparison has the id of an axis on the left, one of `==`, `!=`, `<`, `<=`, `>` and `>=`, and on the right a \
         value of the axis's kind or another axis: `io_size >= 8 KiB`, `reads < writes`. Texts can only be compared by \
         `==` and `!=`.",
    ),
    explanation(
        "sweep::no_point",
        "a condition that no point meets",
        "A `filter` or a `when` compares an axis with something that none of its values meets, so nothing is left: a \
         filter leaves no point, an expectation fails since it looks at none, and a measurement is compared with none. \
         Values are compared as they are, not rounded: `8 KiB` is not `8 KB`.",
    ),
    explanation(
        "sweep::unknown_axis",
        "an axis that is not there",
        "The left side of a comparison is the id of an axis of the same file.",
    ),
    explanation(
        "sweep::column_taken",
        "an axis whose column is taken",
        "The column of an axis is its name with its unit behind: `io_size` of sizes is `io_size_bytes`. It must not be that \
         of another axis, of a metric, or one of those that all results have.",
    ),
    explanation(
        "sweep::too_many_points",
        "too many points",
        "A sweep has at most ten million points before its filters, and varies at most 64 files together, so that a typing \
         error is an answer at once and not a month of computing. A `[sample]` takes some points of any number of \
         combinations.",
    ),
    explanation(
        "set::syntax",
        "not PATH=VALUE",
        "An override is a path of names with dots between them, `=`, and a value: `--set card.nic0.slot=s5`. Names with \
         dots in them go in double quotes.",
    ),
    explanation(
        "set::unknown_path",
        "nothing to set of that name",
        "A path begins with a field of the scenario or of its topology, and continues inside it.",
    ),
    explanation(
        "set::no_match",
        "no entry of that name",
        "No entry has the name in the path, or fits its pattern. Links are called by their ends, \
         `cpu0-cpu1`, in either order; the second of two parallel links is `cpu0-cpu1.b`. `*` matches any \
         text.",
    ),
    explanation(
        "set::identity",
        "an override of a name",
        "Entries are identified by a field, mostly their `id`, and other entries, results and paths name \
         them by it. \
         Overrides change what an entry says, not what it is called.",
    ),
    explanation(
        "set::incomplete_path",
        "a path that ends too early",
        "The path names an entry, or a kind of entry, and does not say which of its fields to set.",
    ),
];

/// All explanations of diagnostics of [`check`](crate::check) and [`load`](crate::load): those of this crate,
/// of topologies, of workloads, and of binding.
pub fn explanations() -> Vec<Explanation> {
    let below = [
        bandgraph_topology::EXPLANATIONS,
        bandgraph_workload::EXPLANATIONS,
        bandgraph_workload::job_file::EXPLANATIONS,
        bandgraph_workload::trace::EXPLANATIONS,
        bandgraph_model::EXPLANATIONS,
    ];
    let below = below
        .into_iter()
        .flatten()
        .map(|(id, text)| Explanation { id, title: "", text });
    EXPLANATIONS.iter().copied().chain(below).collect()
}

/// The explanation of a kind of diagnostic.
pub fn explain(id: &str) -> Option<Explanation> {
    explanations()
        .into_iter()
        .find(|explanation| explanation.id == id)
}

#[cfg(test)]
mod tests;

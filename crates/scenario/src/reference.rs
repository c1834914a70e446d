//! The reference pages of the documentation, generated from the description of every field.

use std::fmt::Write as _;

use bandgraph_config::Field;
use bandgraph_config::reference::{kind, units, value};
use bandgraph_hardware::{Part, PartKind};
use bandgraph_units::QuantityKind;

use crate::descriptor::{CALIBRATION, SCENARIO, SWEEP, TOPOLOGY};
use crate::{Metric, explanations};

const MADE: &str = "<!-- Made by `cargo xtask pages`. Do not edit: the text is in \
                    crates/scenario/src/reference.rs and in the tables beside it. -->\n\n";

const FILES_INTRO: &str = "\
# Topology, scenario, sweep and calibration files

All are [TOML](https://toml.io). A *topology* describes a server, a *scenario* asks a question about one, a *sweep* \
asks it many times with different values, a *calibration* fits figures of the model to measurements. \
`bandgraph check FILE` reports every error of a file at once; `bandgraph schema topology` and `bandgraph schema \
scenario` print JSON Schemas for editors. What each kind of error means is on [another page](errors.md).

## Values

Quantities are texts with a unit; a bare number is refused wherever a unit is possible. GB is 10^9 bytes and GiB is \
2^30 bytes, always.

";

const INCLUDES: &str = "\
## Files on top of files

Any file may say `include = [\"base.toml\"]`, with paths relative to itself. The included files are read first, and \
what the file says is laid over them: tables field by field, entries field by field where they have the same name, and \
entries of a new name are added; a list of no entries, as `expect = []`, takes away those below. A file that is included twice counts once. In one file, two entries of one kind \
cannot have the same name.

A scenario names its topology in the same way, and can change any part of it:

```toml
[topology]
file = \"../topologies/sun-7410-istanbul.toml\"

[[topology.card]]
id = \"nic1\"
slot = \"s3\"
```

Short of a change, `topology = \"../topologies/sun-7410-istanbul.toml\"` is enough. A `[topology]` without `file` is a \
whole topology of its own.

## Overrides on the command line

`--set PATH=VALUE` sets any field of a scenario or of its topology, as often as it is given; the last one wins. A path \
goes from the kind of an entry over its name to a field. The value is TOML, or, if it does not read as TOML, a text.

| override | what it does |
|---|---|
| `--set card.nic0.slot=s5` | moves a card |
| `--set link.cpu0-cpu1.part=ht3-x16` | changes a link, named by its ends in either order |
| `--set link.cpu2-cpu3.b.part=ht1-x16` | changes the second of two parallel links |
| `--set 'link.*.part=ht3-x16'` | changes all links; `*` matches any text in a name |
| `--set 'socket.*.memory.size=64 GiB'` | changes a table inside an entry |
| `--set 'slot.*.pcie=gen2 x8'` | changes all slots |
| `--set socket.cpu0.cores=6` | overrides a field of the entry's part |
| `--set part.opteron-8435.base_cpi=2` | changes a figure of a part for all that have it |
| `--set stack.instructions_per_byte=1.1` | changes the software |
| `--set clients.blades.count=10` | changes the clients |
| `--set 'workload.read.io_size=8 KiB'` | changes the workload |
| `--set 'run.mtu=1500 B'` | changes a setting of the run |
| `--set topology=other.toml` | runs on another server; the path is relative to the current folder |

";

const PARTS_INTRO: &str = "\
## Fields of parts

An entry that names a part can override any of that part's fields in place: `part = \"ht1-x16\"` with `clock = \"1.2 \
GHz\"` beside it. `bandgraph parts show NAME` prints the values that a part of the catalogue has. The defaults here are \
those of a `[[part]]` without a `base`.

";

/// The reference page of the file formats, in Markdown.
pub fn reference_page() -> String {
    let mut page = format!("{MADE}{FILES_INTRO}");
    units(&mut page);
    page.push_str(INCLUDES);
    page.push_str("## Topology files\n\n");
    kind(&mut page, &TOPOLOGY, "");
    page.push_str("## Scenario files\n\n");
    kind(&mut page, &SCENARIO, "");
    page.push_str("## Sweep files\n\nWhat the fields are for, with examples: [sweeps](sweeps.md).\n\n");
    kind(&mut page, &SWEEP, "");
    page.push_str(
        "## Calibration files\n\nWhat the fields are for, with examples: [calibration](calibration.md).\n\n",
    );
    kind(&mut page, &CALIBRATION, "");
    metrics(&mut page);
    page.push_str(PARTS_INTRO);
    for part in PartKind::ALL {
        let _ = write!(page, "### Part: {part}\n\n");
        fields_of_part(&mut page, *part);
    }
    trimmed(page)
}

/// The page that explains every id of errors, in Markdown.
pub fn errors_page() -> String {
    let mut page = format!(
        "{MADE}# Errors\n\nEvery error and warning about a file has an id that does not change. This is what each \
         means. Ids that begin with `file` are about files as such, `value` about single values, `entry` about tables, \
         `reference` about names of other things, `topology` about the structure of a server, `scenario`, `workload` \
         and `sim` about what is asked of it, and `set` about overrides on the command line.\n\n",
    );
    let mut all = explanations();
    all.sort_by_key(|explanation| explanation.id);
    for explanation in all {
        let _ = write!(page, "## `{}`\n\n", explanation.id);
        if !explanation.title.is_empty() {
            let _ = write!(page, "*{}*\n\n", explanation.title);
        }
        let _ = write!(page, "{}\n\n", explanation.text);
    }
    trimmed(page)
}

/// The page with a single newline at the end.
fn trimmed(mut page: String) -> String {
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn metrics(page: &mut String) {
    page.push_str("### Metrics\n\nWhat `[[measured]]` and `[[expect]]` can be of.\n\n");
    page.push_str("| metric | value | meaning |\n|---|---|---|\n");
    for metric in Metric::ALL {
        let kind = metric.kind().map_or("plain number", QuantityKind::name);
        let _ = writeln!(page, "| `{metric}` | {kind} | {} |", metric.doc());
    }
    page.push('\n');
}

fn fields_of_part(page: &mut String, kind: PartKind) {
    page.push_str("| field | value | default | meaning |\n|---|---|---|---|\n");
    let part = kind.default_part();
    for info in kind.fields() {
        let default = match part.get(info.name) {
            _ if info.is_required() => "*required*".to_owned(),
            Some(value) => format!("`{}`", value.display(info)),
            None => String::new(),
        };
        let _ = writeln!(
            page,
            "| `{}` | {} | {default} | {} |",
            info.name,
            value_of_part(info),
            info.doc
        );
    }
    page.push('\n');
}

fn value_of_part(field: &Field) -> String {
    match field.shape {
        bandgraph_config::Shape::Count => "whole number".to_owned(),
        _ => value(field),
    }
}

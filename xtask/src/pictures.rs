//! The example pictures of `docs/plots.md`.

use crate::program::{Scratch, bandgraph};
use crate::{Made, Outcome};

const BARCELONA: &str = "scenarios/7410-barcelona/cached-read.toml";

/// Pictures of results in JSON: the name, and the command that makes the result.
const OF_RESULTS: [(&str, &[&str]); 6] = [
    ("use", &["run", BARCELONA, "--predict"]),
    (
        "timeline",
        &["run", "scenarios/7110/mail-store.toml", "--timeline", "60"],
    ),
    (
        "whatif",
        &[
            "whatif",
            BARCELONA,
            "--variant",
            "HyperTransport 3: link.*.part=ht3-x16",
            "--variant",
            "six cores a socket: socket.*.part=opteron-8435",
            "--variant",
            "both NICs on one bridge: card.nic1.slot=s3",
        ],
    ),
    ("ladder", &["ladder", BARCELONA]),
    (
        "place",
        &[
            "place",
            "scenarios/7410-barcelona/disk-read-grouped.toml",
            "--confirm",
            "0",
        ],
    ),
    ("fit", &["calibrate", "scenarios/calibrations/counters.toml"]),
];

/// Pictures of sweeps: the name, the sweep, and the arguments of `plot`.
const OF_SWEEPS: [(&str, &str, &[&str]); 4] = [
    (
        "sizes",
        "7410-io-size",
        &["--picture", "curves", "--title", "7410 (Istanbul): size of reads"],
    ),
    (
        "surface",
        "7410-io-size",
        &["--title", "7410 (Istanbul): size of reads, and threads"],
    ),
    (
        "sample",
        "7410-sample",
        &["--title", "7410: a sample of servers that might have been"],
    ),
    (
        "clients",
        "7410-clients",
        &["--title", "7410 (Istanbul): clients"],
    ),
];

/// All of them.
pub(crate) fn pictures() -> Outcome<Vec<Made>> {
    let scratch = Scratch::new()?;
    let mut made = Vec::new();
    for (name, command) in OF_RESULTS {
        bandgraph(
            &[
                command,
                &["--format", "json", "--output", &scratch.path("result.json")],
            ]
            .concat(),
        )?;
        made.push(draw(&scratch, "result.json", name, &[])?);
        // The same run with the server drawn.
        if name == "use" {
            made.push(draw(&scratch, "result.json", "server", &["--picture", "server"])?);
        }
    }
    let drawn = scratch.path("picture.svg");
    bandgraph(&[
        "topology", "draw", BARCELONA, "--trace", "read", "--output", &drawn,
    ])?;
    made.push(Made {
        content: scratch.read("picture.svg")?,
        path: "docs/pictures/trace.svg".to_owned(),
    });
    for (name, sweep, options) in OF_SWEEPS {
        // The second picture of a sweep finds its journal, and computes nothing.
        bandgraph(&[
            "sweep",
            &format!("scenarios/sweeps/{sweep}.toml"),
            "--journal",
            &scratch.path(&format!("{sweep}.jsonl")),
            "--csv",
            &scratch.path("sweep.csv"),
            "--output",
            &scratch.path("sweep.txt"),
        ])?;
        made.push(draw(&scratch, "sweep.csv", name, options)?);
    }
    Ok(made)
}

/// The picture `name` of a result in the folder.
pub(crate) fn draw(scratch: &Scratch, result: &str, name: &str, options: &[&str]) -> Outcome<Made> {
    let (result, drawn) = (scratch.path(result), scratch.path("picture.svg"));
    bandgraph(&[&["plot", &result, "--output", &drawn], options].concat())?;
    Ok(Made {
        content: scratch.read("picture.svg")?,
        path: format!("docs/pictures/{name}.svg"),
    })
}

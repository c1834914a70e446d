//! No output replaces a file that the same command reads, whatever option names it and however it is spelled.

mod program;
mod scratch;

use std::path::Path;

use bandgraph_testkit::{write, written};
use program::run;

const SWEEP: &str = "schema = 1\nname = \"t\"\nscenario = \"scenario.toml\"\n[[axis]]\nid = \"n\"\n\
                     path = \"clients.blades.count\"\nvalues = [1, 2]\n";

#[test]
fn outputs_never_replace_inputs() {
    let folder = scratch::folder("inputs", "all");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first");
    let names = ["server.toml", "scenario.toml", "sweep.toml", "result.json"];
    let [server, scenario, sweep, result] =
        names.map(|name| folder.join(name).into_os_string().into_string().expect("UTF-8"));
    for name in ["server.toml", "scenario.toml"] {
        write(&folder.join(name), &written(&example.join(name)));
    }
    write(Path::new(&sweep), SWEEP.as_bytes());
    let fine = run([
        "run",
        &scenario,
        "--predict",
        "--no-interval",
        "--format",
        "json",
        "-o",
        &result,
    ]);
    assert_eq!(fine.code, Some(0), "{}", fine.stderr);
    let before = names.map(|name| written(&folder.join(name)));
    let spelled = folder.join("../all/server.toml").into_os_string().into_string();
    let spelled = spelled.expect("UTF-8");
    for arguments in [
        vec!["run", &scenario, "--predict", "--no-interval", "-o", &scenario],
        vec!["run", &scenario, "--predict", "--no-interval", "-o", &spelled],
        vec![
            "whatif",
            &scenario,
            "--set",
            "clients.blades.count=2",
            "-o",
            &server,
        ],
        vec!["topology", "show", &server, "-o", &server],
        vec!["sweep", &sweep, "--csv", &server],
        vec!["sweep", &sweep, "--jsonl", &scenario],
        vec!["sweep", &sweep, "-o", &sweep],
        vec!["compare", &result, &result, "-o", &result],
    ] {
        let ended = run(&arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stdout);
        let says = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            says.contains("one of the files that this command reads"),
            "{arguments:?}: {says}"
        );
    }
    assert_eq!(names.map(|name| written(&folder.join(name))), before);
    // What it has not read, it replaces.
    let again = run(["run", &scenario, "--predict", "--no-interval", "-o", &result]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
}

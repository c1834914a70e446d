//! Drawings of servers: load, differences, the ways of operations, and the pages that have them.

use super::pictures::result;
use super::program::run;
use super::{fine, folder, json};

/// The server of a result with its load, what moved from one result to another, what a topology can do, and
/// what one operation uses.
#[test]
fn the_server_is_drawn() {
    let folder = folder("server");
    let before = result(&folder);
    let load = fine(&["plot", &before, "--picture", "server"]).stdout;
    for words in [
        "class=\"block\"",
        "data-saturation=",
        "data-resources=\"link.cpu0-cpu1\"",
        ">bottleneck</text>",
        ">Clients</text>",
    ] {
        assert!(load.contains(words), "{words}");
    }
    let after = folder.join("after.json").display().to_string();
    let faster = [
        "--set",
        "workload.read.threads_per_client=1",
        "--format",
        "json",
        "--output",
        &after,
    ];
    fine(&[&["run", "small.toml", "--predict"], &faster[..]].concat());
    let moved = fine(&["plot", &after, "--before", &before]).stdout;
    assert!(moved.contains(" → "), "{moved}");
    let same = fine(&["plot", &before, "--before", &before]).stdout;
    assert!(same.contains("bottleneck: link.cpu1-cpu0 as before"), "{same}");
    // A card in another slot: what is new has the colour of what is fuller, and what is gone is listed.
    let elsewhere = folder.join("elsewhere.json").display().to_string();
    fine(&[
        "run",
        "small.toml",
        "--predict",
        "--set",
        "card.nic0.slot=s1",
        "--format",
        "json",
        "--output",
        &elsewhere,
    ]);
    let moved = fine(&["plot", &elsewhere, "--before", &before]).stdout;
    for words in [
        ">slot.s0.out, ",
        ">bottleneck</text>",
        "bottleneck: link.cpu1-cpu0 → slot.s1.out",
        "; before: small.toml",
    ] {
        assert!(moved.contains(words), "{words}: {moved}");
    }
    let (_, new) = moved
        .split_once("data-resources=\"slot.s1.out\"")
        .expect("the new slot is drawn");
    let line = new.split("<polyline").nth(1).expect("it is a line");
    assert!(line.contains("stroke=\"#D55E00\""), "{line}");
    // Dies are no memory, and equal links are drawn once.
    let dies = fine(&["topology", "draw", "../../topologies/nvme-2-socket.toml"]).stdout;
    assert!(dies.contains(">core dies, in</text>"), "{dies}");

    let drawn = fine(&["topology", "draw", "small-server.toml"]).stdout;
    assert!(drawn.contains("One figure on a wire: each direction."), "{drawn}");
    let read = fine(&["topology", "draw", "small.toml", "--trace", "read"]).stdout;
    assert!(read.contains(" instructions</text>"), "{read}");
    // A result has the same steps, and so has its page.
    let of_result = fine(&["plot", &before, "--trace", "read"]).stdout;
    let on_server = fine(&["plot", &before, "--picture", "server", "--trace", "read"]).stdout;
    assert_eq!(on_server, of_result);
    let refused = run(["plot", &before, "--picture", "utilisation", "--trace", "read"]);
    assert!(
        refused.stderr.contains("`server` shows the way"),
        "{}",
        refused.stderr
    );
    let steps = |svg: &str| -> Vec<String> {
        let texts = svg.split("</text>").filter_map(|text| text.rsplit('>').next());
        texts
            .filter(|text| text.contains(".  "))
            .map(str::to_owned)
            .collect()
    };
    let all = steps(&read);
    assert_eq!(all, steps(&of_result));
    for (index, step) in all.iter().enumerate() {
        assert!(step.starts_with(&format!("{}.  ", index + 1)), "{all:?}");
        assert!(
            read.contains(&format!(">{}</text>", index + 1)),
            "no mark of {step}"
        );
    }
    assert!(all[0].ends_with("(the request)") && all[all.len() - 1].ends_with("(the reply)"));
    let page = fine(&[
        "run",
        "small.toml",
        "--predict",
        "--no-interval",
        "--format",
        "html",
    ])
    .stdout;
    for words in [
        "<summary>Path of one read</summary>",
        "<summary>Steps of one read</summary>",
        &all[0],
    ] {
        assert!(page.contains(words), "{words}");
    }
    let refused = run(["plot", &before, "--trace", "fly"]);
    assert!(refused.stderr.contains("there is read"), "{}", refused.stderr);
    let refused = run(["topology", "draw", "small.toml", "--trace", "fly"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused
            .stderr
            .contains("no workload of it does `fly`; there is read")
    );
}

/// The pages of studies have the server of each case, of which links can be selected, in the colours of the
/// page.
#[test]
fn pages_of_studies_have_drawings() {
    for (arguments, drawings) in [
        (&["whatif", "small.toml", "--set", "card.nic0.slot=s1"][..], 2),
        (&["ladder", "small.toml"], 1),
        (&["place", "small.toml", "--confirm", "0"], 2),
    ] {
        let page = fine(&[arguments, &["--no-interval", "--format", "html"]].concat()).stdout;
        let found = page.matches("<figure class=\"scroll\"").count();
        assert!(found >= drawings, "{arguments:?}: {found}");
        assert!(
            page.contains("data-resources=\"link.cpu0-cpu1\""),
            "{arguments:?}"
        );
        assert!(
            page.contains("figure svg [fill=\"#FFFFFF\"]:not(.fixed *){fill:#"),
            "{arguments:?}"
        );
    }
}

/// The steps of a read from drives, and those of a write that is not waited for, are in their order.
#[test]
fn storage_is_between_request_and_reply() {
    let stages = |scenario: &str, operation: &str| -> Vec<String> {
        let scenario = format!("../../{scenario}");
        let result = json(&["run", &scenario, "--predict", "--no-interval", "--format", "json"]);
        let paths = result["paths"].as_array().expect("paths").clone();
        let path = paths.iter().find(|path| path["operation"] == operation);
        let steps = path.expect("the operation")["steps"]
            .as_array()
            .expect("steps")
            .clone();
        let mut stages: Vec<String> = steps
            .iter()
            .map(|step| step["stage"].as_str().expect("words").to_owned())
            .collect();
        stages.dedup();
        stages
    };
    assert_eq!(
        stages("scenarios/7410-istanbul/disk-read.toml", "read"),
        [
            "the request",
            "work of cores",
            "to storage",
            "drives",
            "from storage",
            "memory",
            "data and cache lines between sockets",
            "the reply"
        ]
    );
    let write = stages("scenarios/7410-istanbul/disk-write.toml", "write");
    let at = |stage: &str| write.iter().position(|found| found == stage);
    assert!(
        at("memory") < at("work of cores") && at("work of cores") < at("the reply"),
        "{write:?}"
    );
    assert!(
        at("the reply") < at("drives, later: no operation waits"),
        "{write:?}"
    );
    let of_objects = stages("scenarios/modern/ceph-writes.toml#ceph-3n-w", "write");
    let at = |stage: &str| of_objects.iter().position(|found| found == stage);
    assert!(at("drives") < at("the reply"), "{of_objects:?}");
}

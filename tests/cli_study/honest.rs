//! Studies say where a figure is none: an overload has no steady state, and an interval of predictions is not
//! one of simulations.

use super::{fine, folder, json, write};

const READ: &str = "../../scenarios/7410-istanbul/cached-read.toml";
const SHIPPED: &str = "../../scenarios/7410-barcelona/cached-read.toml";
/// More operations than the server can do.
const OVERLOAD: &str = "workload.read.rate=4000 ops/s";

/// The text of a result without its line ends.
fn words(arguments: &[&str]) -> String {
    let text = fine(arguments).stdout;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `whatif`, `ladder`, `place`, `compare` and `sweep` say of an overload what `run` says of it.
#[test]
fn an_overload_has_no_latency_in_any_study() {
    let folder = folder("overload");
    let fast = "workload.read.rate=4000 ops/s";
    let slow = "workload.read.rate=1000 ops/s";
    let what_if = words(&["whatif", READ, "--base-set", slow, "--set", fast, "--no-interval"]);
    assert!(
        what_if.contains("Warning for workload.read.rate=4000 ops/s: workload `read` offers"),
        "{what_if}"
    );
    assert!(what_if.contains("grows"), "{what_if}");
    let document = json(&[
        "whatif",
        READ,
        "--base-set",
        slow,
        "--set",
        fast,
        "--no-interval",
        "--format",
        "json",
    ]);
    let variant = &document["variants"][0];
    assert_eq!(variant["case"]["overloaded"], true);
    assert!(variant["difference"]["latency_mean_s"]["relative"].is_null());
    assert_eq!(document["base"]["overloaded"], false);

    let ladder = words(&["ladder", READ, "--set", OVERLOAD, "--no-interval"]);
    assert!(ladder.contains("Warning: workload `read` offers"), "{ladder}");
    assert!(
        ladder.contains("no steady state: the load exceeds the capacity"),
        "{ladder}"
    );

    let place = words(&[
        "place",
        READ,
        "--set",
        OVERLOAD,
        "--no-interval",
        "--confirm",
        "0",
    ]);
    assert!(place.contains("Warning: workload `read` offers"), "{place}");
    assert!(place.contains("grows"), "{place}");

    let [before, after] = ["before", "after"].map(|name| folder.join(name).display().to_string());
    for (set, path) in [(slow, &before), (fast, &after)] {
        let common = ["run", READ, "--predict", "--no-interval", "--format", "json"];
        program_ends(&[&common[..], &["--set", set, "-o", path]].concat());
    }
    let compared = words(&["compare", &before, &after]);
    assert!(compared.contains("there is no steady state"), "{compared}");
    let compared = json(&["compare", &before, &after, "--format", "json"]);
    let figures = compared["figures"].as_array().expect("figures");
    let latency = figures.iter().find(|figure| figure["metric"] == "latency_mean_s");
    assert!(latency.expect("a latency")["relative"].is_null());

    let sweep = folder.join("rates.toml");
    let scenario = super::program::fixtures().join(READ);
    write(
        &sweep,
        &format!(
            "schema = 1\nname = \"Rates\"\nscenario = \"{}\"\n[[axis]]\nid = \"rate\"\n\
             path = \"workload.read.rate\"\nvalues = [\"1000 ops/s\", \"4000 ops/s\"]\n",
            scenario.display()
        ),
    );
    let sweep = sweep.display().to_string();
    let text = words(&["sweep", &sweep, "--metric", "latency_mean_s"]);
    assert!(
        text.contains("The load exceeds the capacity at 1 point"),
        "{text}"
    );
    let rows = fine(&["sweep", &sweep, "--format", "csv"]).stdout;
    let header: Vec<&str> = rows.lines().next().expect("a header").split(',').collect();
    let column = header
        .iter()
        .position(|name| *name == "latency_mean_s")
        .expect("the column");
    let cells: Vec<&str> = rows
        .lines()
        .skip(1)
        .filter_map(|row| row.split(',').nth(column))
        .collect();
    assert!(!cells[0].is_empty() && cells[1].is_empty(), "{cells:?}");
    let origin = "input_hash,software_profile,software_is_default,mode,seed,file,overrides,bandgraph";
    assert!(header.join(",").ends_with(origin), "{header:?}");
}

/// Expectations of the scenario need not hold with other loads.
fn program_ends(arguments: &[&str]) {
    let ended = super::program::run(arguments);
    assert!(
        matches!(ended.code, Some(0 | 1)),
        "{arguments:?}: {}",
        ended.stderr
    );
}

/// A simulated change is not shown beside an interval of the predicted change, and a simulation far from the
/// prediction is warned of as in `run`, with the limits of the steady state and its figures.
#[test]
fn a_simulated_change_has_the_warnings_of_a_run() {
    let mixed = "workload.job.job_file=../../scenarios/jobs/mixed.fio";
    let job = "../../scenarios/7410-istanbul/job-file.toml";
    let document = json(&["whatif", job, "--simulate", "--set", mixed, "--format", "json"]);
    let variant = &document["variants"][0];
    assert!(variant.get("gain").is_none(), "{}", variant["gain"]);
    let warnings = variant["case"]["warnings"].to_string();
    assert!(warnings.contains("the scenario fixes a window of"), "{warnings}");
    assert_eq!(variant["case"]["limits_of_steady_state"], true, "{warnings}");
    let run = |more: &[&str]| {
        let common = ["run", job, "--set", mixed, "--no-interval", "--format", "json"];
        json(&[&common[..], more].concat())
    };
    let (simulated, predicted) = (run(&[]), run(&["--predict"]));
    assert_eq!(simulated["limits_of_steady_state"], true);
    // The text is that of the predicted steady state, word for word.
    for result in [&simulated, &variant["case"]] {
        assert_eq!(
            result["bottleneck"]["explanation"],
            predicted["bottleneck"]["explanation"]
        );
    }
}

/// A protocol that the software has no costs of is in the warnings of every study, not of `run` alone.
#[test]
fn studies_tell_a_protocol_that_the_software_has_no_costs_of() {
    let other = "stack.profile=linux-local-2009";
    let what_if = words(&["whatif", READ, "--set", other, "--no-interval"]);
    assert!(
        what_if.contains("Warning for stack.profile=linux-local-2009: workload `read` speaks nfs3"),
        "{what_if}"
    );
    let ladder = words(&["ladder", READ, "--set", other, "--no-interval"]);
    assert!(
        ladder.contains("Warning: workload `read` speaks nfs3"),
        "{ladder}"
    );
}

/// A processor of one's own without a year chooses no software: the report says which one it is, and the JSON
/// has what stderr says of the files.
#[test]
fn processors_without_a_year_are_warned_of() {
    let folder = folder("own_processor");
    write(
        &folder.join("server.toml"),
        "schema = 1\nname = \"Own\"\n[[part]]\nkind = \"socket\"\n\
         name = \"mine\"\ncores = 16\nclock = \"3 GHz\"\n\
         [[socket]]\nid = \"cpu0\"\npart = \"mine\"\n\
         memory = { part = \"ddr4-2933\", channels = 6, size = \"64 GiB\" }\n\
         [[bridge]]\nid = \"rc\"\npart = \"root-complex-gen3\"\nsocket = \"cpu0\"\n\
         [[slot]]\nid = \"s0\"\nbridge = \"rc\"\npcie = \"gen3 x16\"\n\
         [[card]]\nid = \"nic\"\npart = \"connectx5-dual-100gbe\"\nslot = \"s0\"\n",
    );
    let scenario = folder.join("scenario.toml");
    write(
        &scenario,
        "schema = 1\nname = \"Own\"\ntopology = \"server.toml\"\n\
         clients = [{ id = \"c\", count = 16, nics = { rate = \"100 Gbit/s\" } }]\n\
         [[workload]]\nid = \"read\"\nclients = \"c\"\nmix = \"read\"\nio_size = \"1 MiB\"\n\
         working_set = \"20 GB\"\nthreads_per_client = 16\n",
    );
    let scenario = scenario.display().to_string();
    let ended = fine(&["run", &scenario, "--predict", "--no-interval"]);
    assert!(
        ended.stdout.contains("no processor of the server has a `year`"),
        "{}",
        ended.stdout
    );
    assert!(ended.stderr.contains("part::defaults"), "{}", ended.stderr);
    let document = json(&["run", &scenario, "--predict", "--no-interval", "--format", "json"]);
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("part `mine` has no `base`"), "{warnings}");
}

/// Every heading of a section and of a column of the reports of a scenario is a word that `explain` knows.
#[test]
fn every_heading_is_explained() {
    let known = bandgraph_report::Explanations::new("");
    for arguments in [
        &["run", SHIPPED, "--histogram"][..],
        &["run", "../../scenarios/7410-istanbul/disk-read.toml", "--predict"],
        &[
            "run",
            "../../scenarios/x2270/nastran.toml#getrag-hdd2-24gb",
            "--predict",
        ],
        &["whatif", SHIPPED, "--set", "link.*.part=ht3-x16"],
        &["ladder", SHIPPED],
    ] {
        let page = fine(&[arguments, &["--format", "markdown"][..]].concat()).stdout;
        let lines: Vec<&str> = page.lines().collect();
        let sections = lines.iter().filter_map(|line| line.strip_prefix("### "));
        // Those with a name of the server or of a variant in them are not words.
        let sections =
            sections.filter(|heading| !heading.starts_with("Changes with") && !heading.contains(". "));
        let heads = lines.windows(2).filter(|pair| pair[1].starts_with("|--"));
        let columns = heads.flat_map(|pair| pair[0].split('|')).map(str::trim);
        let columns = columns.filter(|column| !column.is_empty() && !column.contains("cpu"));
        let unknown = sections.chain(columns).filter(|word| known.find(word).is_empty());
        let unknown: Vec<&str> = unknown.collect();
        assert!(unknown.is_empty(), "{arguments:?}: nothing explains {unknown:?}");
    }
    for word in [
        "p99",
        "p95",
        "p50",
        "raw",
        "GiB",
        "MiB",
        "GB/s",
        "MW",
        "half-width",
        "in + out",
        "Gbit/s",
    ] {
        assert!(!known.find(word).is_empty(), "nothing explains `{word}`");
    }
}

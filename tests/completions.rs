//! Completion of words on the command line, as shells ask for it.

mod program;

use std::path::Path;

use bandgraph_testkit::Program;
use program::{fixtures, program, run};

/// The script asks the program, which knows commands, parts, ids and the fields of a file.
#[test]
fn shells_complete_words_by_asking_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.stdout.contains("COMPLETE"), "{shell}: {}", script.stdout);
    }
    for (line, expected) in [
        (&["who"][..], ""),
        (&["topo"], "topology"),
        (&["explain", "topology::unknown_so"], "topology::unknown_socket"),
        (&["explain", "network_by"], "network_bytes_per_s"),
        (&["parts", "show", "opteron-83"], "opteron-8356"),
        (&["stacks", "show", "fish"], "fishworks-2009"),
        (&["run", "small.toml", "--set", "card."], "card.nic0."),
        (&["run", "small.toml", "--set", "card.nic0.sl"], "card.nic0.slot="),
        (
            &["run", "small.toml", "--set", "workload.read.io_"],
            "workload.read.io_size=",
        ),
        (
            &["run", "small.toml", "--set", "workload.read.mix=spec"],
            "workload.read.mix=specsfs2008",
        ),
        (&["topology", "draw", "small.toml", "--trace", "wri"], "write"),
    ] {
        let asked = program().env("COMPLETE", "fish").args(["--", "bandgraph"]);
        let answer = asked.args(line).run();
        assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        let mut words = answer.stdout.lines().filter_map(|line| line.split('\t').next());
        let is_there = expected.is_empty() || words.any(|word| word == expected);
        assert!(is_there, "{line:?}: {}", answer.stdout);
        let all: Vec<&str> = answer.stdout.lines().collect();
        let different: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len(), "{line:?}: {}", answer.stdout);
    }
}

/// Bash takes `=` and `:` for the end of a word, and gets back what follows the last of them.
#[test]
fn bash_completes_what_follows_the_end_of_its_words() {
    let folder = Path::new(env!("CARGO_BIN_EXE_bandgraph"))
        .parent()
        .expect("it is in a folder");
    for (line, words, expected) in [
        (
            "stack.profile=linux-nfsd-t",
            "stack.profile = linux-nfsd-t",
            "linux-nfsd-tcp-2020",
        ),
        ("link.*.part=xgmi3", "'link.*.part' = xgmi3", "xgmi3-x16"),
        ("card.nic0.sl", "card.nic0.sl", "card.nic0.slot="),
        (
            "stack.profile=samba-2020 --set card.nic0.sl",
            "stack.profile = samba-2020 --set card.nic0.sl",
            "card.nic0.slot=",
        ),
    ] {
        let line = format!("bandgraph run small.toml --set {line}");
        let script = format!(
            "PATH=\"{}:$PATH\"\nsource <(bandgraph completions bash)\n\
             COMP_LINE='{line}' COMP_POINT={} COMP_TYPE=9\n\
             COMP_WORDS=(bandgraph run small.toml --set {words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _bandgraph_whole_words bandgraph \"${{COMP_WORDS[COMP_CWORD]}}\" ''\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            folder.display(),
            line.len(),
        );
        let ended = Program::new("bash")
            .current_dir(fixtures())
            .arg("-c")
            .arg(script)
            .run();
        let found: Vec<&str> = ended.stdout.lines().collect();
        assert!(found.contains(&expected), "{line}: {found:?} {}", ended.stderr);
    }
}

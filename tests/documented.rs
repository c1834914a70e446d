//! Commands in the documentation are commands of this program, and the files that they name are there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bandgraph_cli::command_line;
use bandgraph_diagnostics::Sources;

/// The pages at the root and those of `docs/`, with their texts.
#[expect(
    clippy::disallowed_methods,
    reason = "the documentation is what this test is about"
)]
fn pages(root: &Path) -> Vec<(PathBuf, String)> {
    let listed = std::fs::read_dir(root.join("docs")).expect("the documentation");
    let listed = listed.map(|entry| entry.expect("an entry of a folder").path());
    let mut paths: Vec<PathBuf> = listed
        .filter(|path| path.extension() == Some(OsStr::new("md")))
        .collect();
    paths.extend(["README.md", "CONTRIBUTING.md", "benches/README.md"].map(|name| root.join(name)));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a page");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The command lines of a page: those in blocks of shell, and those behind a prompt, each as its words
/// without the name of the program.
fn commands(page: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for block in format!("\n{page}").split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap_or_default();
        let text = text.replace("\\\n", " ");
        for line in text.lines() {
            let line = match line.strip_prefix("$ ") {
                Some(line) => line,
                None if language == "sh" => line,
                None => continue,
            };
            found.extend(words(line).split(|word| word == "|").filter_map(arguments));
        }
    }
    found
}

/// What is behind the name of the program, if a command is of it.
fn arguments(command: &[String]) -> Option<Vec<String>> {
    let [name, rest @ ..] = command else { return None };
    match name.as_str() {
        "bandgraph" => Some(rest.to_vec()),
        "cargo"
            if rest.first().is_some_and(|word| word == "run") && !rest.contains(&"--example".to_owned()) =>
        {
            let start = rest.iter().position(|word| word == "--")?;
            Some(rest[start + 1..].to_vec())
        }
        _ => None,
    }
}

/// A line as a shell takes it apart: at blanks, but for those in quotes, and without what is behind a `#`.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '#') if word.is_none() => break,
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[test]
fn commands_in_the_documentation_are_understood() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for (page, text) in pages(&root) {
        for command in commands(&text) {
            count += 1;
            let all = std::iter::once("bandgraph").chain(command.iter().map(String::as_str));
            if let Err(error) = command_line().try_get_matches_from(all) {
                // `--help` and `--version` are answers.
                assert!(!error.use_stderr(), "{}: {command:?}: {error}", page.display());
            }
            for (index, word) in command.iter().enumerate() {
                let is_written = index > 0 && matches!(command[index - 1].as_str(), "--output" | "-o");
                let is_shipped = ["scenarios/", "topologies/", "tests/"]
                    .iter()
                    .any(|folder| word.starts_with(folder));
                if is_shipped && !is_written && command.first().is_none_or(|name| name != "check") {
                    assert!(
                        root.join(word).exists(),
                        "{}: {word} is not there",
                        page.display()
                    );
                }
            }
        }
    }
    // A page that is taken apart wrongly would have none.
    assert!(count > 30, "{count} commands");
}

/// The programs in the documentation ask for slots that are free.
#[test]
fn slots_of_the_example_in_python_are_free() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let all = pages(&root);
    let (_, page) = all
        .iter()
        .find(|(path, _)| path.ends_with("automation.md"))
        .expect("the page");
    let (_, loop_and_rest) = page.split_once("for slot in [").expect("the loop over slots");
    let (slots, body) = loop_and_rest.split_once(']').expect("the end of the list");
    let scenario = body.split('"').find(|word| word.starts_with("scenarios/"));
    let mut loadable = Vec::new();
    for slot in slots.split('"').skip(1).step_by(2) {
        let set = format!("card.nic1.slot={slot}");
        let scenario = scenario.expect("a scenario in the loop");
        let loaded = bandgraph_scenario::load(&root.join(scenario), &[set], &mut Sources::default());
        let loaded = loaded.unwrap_or_else(|problems| panic!("{slot}: {problems:?}"));
        loadable.push(loaded.name);
    }
    assert!(loadable.len() > 1, "the example compares slots");
}

#[test]
fn lines_are_taken_apart_as_a_shell_does() {
    assert_eq!(words("a 'b c' d=\"e f\"  g # h"), ["a", "b c", "d=e f", "g"]);
    assert_eq!(words("x --set 'y=\"1 B\"' ''"), ["x", "--set", "y=\"1 B\"", ""]);
    let found =
        commands("```sh\nzcat f | bandgraph run - \\\n  --speed 2\ncargo run --release -- check x\n```\n");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn every_command_has_an_example() {
    for command in command_line().get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string);
        assert!(
            help.is_some_and(|help| help.contains("bandgraph ")),
            "{} has no example in its help",
            command.get_name()
        );
    }
}

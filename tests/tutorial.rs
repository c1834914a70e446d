//! The tutorial and pages with commands about the shipped scenarios: every command is run in its order, and
//! prints what the page shows.

mod program;
mod scratch;

use std::path::Path;

use program::{program, run};

const TUTORIAL: &str = include_str!("../docs/tutorial.md");

/// Pages whose commands run at the root of the checkout, with how many they have.
const PAGES: [(&str, &str, usize); 3] = [
    ("docs/intervals.md", include_str!("../docs/intervals.md"), 1),
    ("docs/job-files.md", include_str!("../docs/job-files.md"), 1),
    ("docs/workloads.md", include_str!("../docs/workloads.md"), 1),
];

/// A line in the place of lines that the page leaves out.
const LEFT_OUT: &str = "...";

/// A block of a page: its language, and its lines.
fn blocks(page: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced.map(|block| {
        let (language, text) = block.split_once('\n').unwrap_or((block, ""));
        (language, text.lines().collect())
    })
}

/// The words of a command, as a shell takes them apart: at blanks, but for those in single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, piece) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.last_mut().expect("there is a word").push_str(piece);
            continue;
        }
        for (index, part) in piece.split(' ').enumerate() {
            if index > 0 {
                words.push(String::new());
            }
            words.last_mut().expect("there is a word").push_str(part);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether lines are those that the page shows, whatever is where it leaves lines out.
fn is_shown(shown: &[&str], printed: &[&str]) -> bool {
    let pieces: Vec<&[&str]> = shown.split(|line| *line == LEFT_OUT).collect();
    let (Some((first, others)), Some(last)) = (pieces.split_first(), pieces.last()) else {
        return printed.is_empty();
    };
    let Some(mut rest) = printed.strip_prefix(*first) else {
        return false;
    };
    for piece in others {
        let place = rest
            .windows(piece.len().max(1))
            .position(|lines| lines.starts_with(piece));
        match place {
            Some(place) => rest = &rest[place + piece.len()..],
            None if piece.is_empty() => {}
            None => return false,
        }
    }
    rest.is_empty() || last.is_empty()
}

/// Runs the commands in the console blocks of a page and counts them; `file` is given each block of TOML.
fn checked(name: &str, page: &str, folder: &Path, file: impl Fn(&[&str])) -> usize {
    let mut commands = 0;
    for (language, lines) in blocks(page) {
        match language {
            "console" => {}
            "toml" => {
                file(&lines);
                continue;
            }
            _ => continue,
        }
        let mut lines = lines.as_slice();
        while let Some((command, rest)) = lines.split_first() {
            let end = rest.iter().position(|line| line.starts_with("$ "));
            let (shown, others) = rest.split_at(end.unwrap_or(rest.len()));
            lines = others;
            let words = words(command.strip_prefix("$ bandgraph ").expect("a command"));
            let ended = program().current_dir(folder).args(&words).run();
            assert!(
                ended.code == Some(0) || ended.code == Some(1),
                "{command}: {}",
                ended.stderr
            );
            let printed: Vec<&str> = ended.stdout.lines().collect();
            assert!(
                is_shown(shown, &printed),
                "{name} is not current: {command} prints\n{}",
                ended.stdout
            );
            commands += 1;
        }
    }
    commands
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the files that the tutorial writes by hand"
)]
fn every_command_prints_what_the_tutorial_shows() {
    let folder = scratch::folder("tutorial", "all");
    let commands = checked("docs/tutorial.md", TUTORIAL, &folder, |lines| {
        let name = lines[0].strip_prefix("# ").expect("the name of the file first");
        std::fs::write(folder.join(name), lines.join("\n") + "\n").expect("a folder of the tutorial");
    });
    assert!(commands > 12, "{commands} commands");
    for picture in ["server.svg", "report.html", "sizes.html"] {
        assert!(folder.join(picture).exists(), "{picture}");
    }
}

#[test]
fn every_command_prints_what_other_pages_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, page, commands) in PAGES {
        assert_eq!(checked(name, page, root, |_| {}), commands, "{name}");
    }
}

/// The tutorial explains words by a command; it is there for all of them.
#[test]
fn words_of_the_tutorial_are_explained() {
    for word in ["bottleneck", "interval", "utilisation"] {
        assert_eq!(run(["explain", word]).code, Some(0), "{word}");
    }
}

#[test]
fn lines_may_be_left_out_only_where_the_page_says() {
    assert!(is_shown(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(is_shown(&["...", "b", "..."], &["a", "b", "c"]));
    assert!(is_shown(&["a", "..."], &["a"]));
    assert!(is_shown(&[], &[]));
    assert!(!is_shown(&["a"], &["a", "b"]));
    assert!(!is_shown(&["a", "...", "d"], &["a", "b"]));
    assert!(!is_shown(&["b", "..."], &["a", "b"]));
    assert_eq!(words("run 'a b' c='d e'"), ["run", "a b", "c=d e"]);
}

/// The files and the answer of the README are those that are shipped and printed.
#[test]
fn the_readme_shows_a_whole_server_and_its_answer() {
    const FILES: [(&str, &str); 2] = [
        ("server.toml", include_str!("../examples/first/server.toml")),
        ("scenario.toml", include_str!("../examples/first/scenario.toml")),
    ];
    let readme = include_str!("../README.md");
    for (name, text) in FILES {
        let block = format!("```toml\n# examples/first/{name}\n{text}```\n");
        assert!(readme.contains(&block), "README.md does not show {name} as it is");
    }
    let lines = FILES.iter().flat_map(|(_, text)| text.lines());
    assert!(lines.filter(|line| !line.is_empty()).count() < 30);
    for command in [
        "run scenarios/7410-barcelona/cached-read.toml",
        "run examples/first/scenario.toml --predict --no-interval",
    ] {
        let (_, after) = readme.split_once(command).expect("the README runs it");
        let shown = after
            .split("```text\n")
            .nth(1)
            .and_then(|rest| rest.split("```\n").next())
            .expect("the README shows the answer");
        let root = program().current_dir(env!("CARGO_MANIFEST_DIR"));
        let ended = root.args(words(command)).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let (shown, printed): (Vec<&str>, Vec<&str>) =
            (shown.lines().collect(), ended.stdout.lines().collect());
        assert!(
            is_shown(&shown, &printed),
            "README.md is not current:\n{}",
            ended.stdout
        );
    }
}

/// The table of the README says what is predicted for the scenarios that it links to.
#[test]
fn the_readme_says_what_is_predicted() {
    let readme = include_str!("../README.md");
    let rows = readme
        .lines()
        .filter(|line| line.starts_with("| [") && line.contains("](scenarios/"));
    let mut found = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, link, _, predicted, ..] = cells[..] else {
            panic!("{row} has a prediction")
        };
        let (_, path) = link.split_once("](").expect("a link");
        let root = program().current_dir(env!("CARGO_MANIFEST_DIR"));
        let arguments = [
            "run",
            path.trim_end_matches(')'),
            "--predict",
            "--format",
            "json",
            "--no-interval",
        ];
        let ended = root.args(arguments).run();
        let document: serde_json::Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
        let bytes = document["throughput"]["network_bytes_per_s"]
            .as_f64()
            .expect("a number");
        assert_eq!(
            format!("{:.2} GiB/s", bytes / 1_073_741_824.0),
            predicted,
            "{row}"
        );
        found += 1;
    }
    assert_eq!(found, 5);
}

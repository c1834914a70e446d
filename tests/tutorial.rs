//! The tutorial and pages with commands about the shipped scenarios: every command is run in its order, and
//! prints what the page shows.

mod program;
mod scratch;

use std::path::Path;

use bandgraph_testkit::{write, written};
use program::{program, run};

/// Pages whose commands run at the root of the checkout, with how many they have.
const PAGES: [(&str, usize); 3] = [
    ("docs/intervals.md", 1),
    ("docs/job-files.md", 1),
    ("docs/workloads.md", 1),
];

/// A line in the place of lines that the page leaves out.
const LEFT_OUT: &str = "...";
/// The characters of figures, which change without a change of what a line says.
const FIGURE: fn(char) -> bool = |letter| letter.is_ascii_digit() || ".,+-# ".contains(letter);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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

/// The lines of an output that the page is to show, with lines left out where it did so: the first lines, the
/// last ones, and between them those that differ least, apart from their figures.
fn renewed<'a>(shown: &[&'a str], printed: &[&'a str]) -> String {
    let pieces: Vec<&[&str]> = shown.split(|line| *line == LEFT_OUT).collect();
    let words = |line: &'a str| line.chars().filter(|letter| !FIGURE(*letter));
    if pieces.len() == 1 {
        return printed.join("\n");
    }
    let mut from = 0;
    let mut kept = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let last = printed.len().saturating_sub(piece.len());
        let place = if index == 0 {
            0
        } else if index + 1 == pieces.len() {
            last
        } else {
            let same = |start: &usize| {
                let lines = piece.iter().zip(&printed[*start..]);
                let same = lines.filter(|(a, b)| words(a).eq(words(b)));
                (same.count(), printed.len() - start)
            };
            (from..=last).max_by_key(same).unwrap_or(from)
        };
        if index > 0 {
            kept.push(LEFT_OUT);
        }
        from = (place + piece.len()).min(printed.len());
        kept.extend(&printed[place.min(from)..from]);
    }
    kept.join("\n")
}

/// A page that is compared with what its commands print, or with `RENEW_PAGES` is to show it.
struct Page {
    name: &'static str,
    text: String,
    current: bool,
}

impl Page {
    fn new(name: &'static str) -> Self {
        let text = String::from_utf8(written(&root().join(name))).expect("pages are UTF-8");
        Self {
            name,
            text,
            current: true,
        }
    }

    /// Compares the lines that the page shows after a command with those that it prints.
    fn compare(&mut self, command: &str, shown: &[&str], printed: &str) {
        let lines: Vec<&str> = printed.lines().collect();
        if is_shown(shown, &lines) {
            return;
        }
        #[expect(clippy::disallowed_methods, reason = "this writes pages where asked")]
        let renews = std::env::var_os("RENEW_PAGES").is_some();
        assert!(
            renews,
            "{} is not current (RENEW_PAGES=1 renews it): {command} prints\n{printed}",
            self.name,
        );
        let (before, after) = self.text.split_once(command).expect("the page has the command");
        let after = after.replacen(&shown.join("\n"), &renewed(shown, &lines), 1);
        self.text = [before, command, &after].concat();
        self.current = false;
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if !self.current {
            write(&root().join(self.name), &self.text);
        }
    }
}

/// Runs the commands in the console blocks of a page and counts them; `file` is given each block of TOML.
fn checked(name: &'static str, folder: &Path, file: impl Fn(&[&str])) -> usize {
    let mut commands = 0;
    let mut page = Page::new(name);
    let text = page.text.clone();
    for (language, lines) in blocks(&text) {
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
            page.compare(command, shown, &ended.stdout);
            commands += 1;
        }
    }
    commands
}

#[test]
fn every_command_prints_what_the_tutorial_shows() {
    let folder = scratch::folder("tutorial", "all");
    let commands = checked("docs/tutorial.md", &folder, |lines| {
        let name = lines[0].strip_prefix("# ").expect("the name of the file first");
        write(&folder.join(name), &(lines.join("\n") + "\n"));
    });
    assert!(commands > 12, "{commands} commands");
    for picture in ["server.svg", "report.html", "sizes.html"] {
        assert!(folder.join(picture).exists(), "{picture}");
    }
}

#[test]
fn every_command_prints_what_other_pages_show() {
    for (name, commands) in PAGES {
        assert_eq!(checked(name, root(), |_| {}), commands, "{name}");
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
    assert_eq!(renewed(&["1"], &["2", "3"]), "2\n3");
    let printed = ["a 2", "b", "b 3", "c", "d"];
    assert_eq!(
        renewed(&["a 1", "...", "b 2", "...", "x"], &printed),
        "a 2\n...\nb\n...\nd"
    );
}

/// The files and the answer of the README are those that are shipped and printed.
#[test]
fn the_readme_shows_a_whole_server_and_its_answer() {
    const FILES: [(&str, &str); 2] = [
        ("server.toml", include_str!("../examples/first/server.toml")),
        ("scenario.toml", include_str!("../examples/first/scenario.toml")),
    ];
    let mut page = Page::new("README.md");
    let readme = page.text.clone();
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
        let ended = program().current_dir(root()).args(words(command)).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let shown: Vec<&str> = shown.lines().collect();
        page.compare(command, &shown, &ended.stdout);
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
        let arguments = [
            "run",
            path.trim_end_matches(')'),
            "--predict",
            "--format",
            "json",
            "--no-interval",
        ];
        let ended = program().current_dir(root()).args(arguments).run();
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

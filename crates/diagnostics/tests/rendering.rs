//! The exact output of each renderer.

use bandgraph_diagnostics::{Diagnostic, Place, SourceId, Sources, render};

const TOPOLOGY: &str = "schema = 1\n\n[[socket]]\nid = \"cpu0\"\n\n[[socket]]\nid = \"cpu0\"\n";

fn topology() -> (Sources, SourceId) {
    let mut sources = Sources::new();
    let id = sources.add("server.toml", TOPOLOGY.to_owned());
    (sources, id)
}

fn duplicate(file: SourceId) -> Diagnostic {
    Diagnostic::error("topology::duplicate_id", "two sockets are called `cpu0`")
        .at(Place::new(file, 52..58).label("again here"))
        .also(Place::new(file, 28..34).label("first here"))
        .help("give every socket an id of its own")
        .help("or remove one")
}

fn full_of(text: &str, range: std::ops::Range<usize>) -> String {
    let mut sources = Sources::new();
    let place = Place::new(sources.add("x", text.to_owned()), range).label("here");
    render::full(&[Diagnostic::error("t::t", "wrong").at(place)], &sources, false)
}

#[test]
fn full_shows_both_places_and_all_help() {
    let (sources, file) = topology();
    let expected = r#"error[topology::duplicate_id]: two sockets are called `cpu0`
 --> server.toml:7:6
  |
4 | id = "cpu0"
  |      ------ first here
...
7 | id = "cpu0"
  |      ^^^^^^ again here
  |
  = help: give every socket an id of its own
  = help: or remove one
"#;
    assert_eq!(render::full(&[duplicate(file)], &sources, false), expected);
}

/// One mistake in several lines is shown once, with the other lines.
#[test]
fn full_shows_the_same_mistake_once() {
    let (sources, file) = topology();
    let missing = |range: std::ops::Range<usize>, help: &str| {
        Diagnostic::error("t::t", "no such part")
            .at(Place::new(file, range).label("not known"))
            .help(help)
    };
    let diagnostics = [
        missing(12..22, "look"),
        missing(36..46, "look"),
        missing(52..58, "look"),
        missing(38..44, "look elsewhere"),
    ];
    let expected = "\
error[t::t]: no such part
 --> server.toml:3:1
  |
3 | [[socket]]
  | ^^^^^^^^^^ not known
  |
  = help: look
  = note: the same in lines 6, 7

error[t::t]: no such part
 --> server.toml:6:3
  |
6 | [[socket]]
  |   ^^^^^^ not known
  |
  = help: look elsewhere
";
    assert_eq!(render::full(&diagnostics, &sources, false), expected);
}

/// So is the same of different names, each with its line.
#[test]
fn full_shows_the_same_mistake_of_several_names_once() {
    let mut sources = Sources::new();
    let text = "a = \"s0\"\nb = \"s1\"\nc = \"s2\"\nd = \"t\"\n";
    let file = sources.add("cards.toml", text.to_owned());
    let unknown = |name: &str, help: &str| {
        let at = text.find(name).expect("in the text");
        Diagnostic::error("t::t", format!("there is no slot `{name}`"))
            .at(Place::new(file, at - 1..at + name.len() + 1))
            .help(help)
    };
    let diagnostics = [
        unknown("s0", "add one"),
        unknown("s1", "add one"),
        unknown("s2", "add one"),
        unknown("t", "did you mean `s`?"),
    ];
    let expected = "\
error[t::t]: there is no slot `s0`
 --> cards.toml:1:5
  |
1 | a = \"s0\"
  |     ^^^^
  |
  = help: add one
  = note: the same in lines 2 (`s1`), 3 (`s2`)

error[t::t]: there is no slot `t`
 --> cards.toml:4:5
  |
4 | d = \"t\"
  |     ^^^
  |
  = help: did you mean `s`?
";
    assert_eq!(render::full(&diagnostics, &sources, false), expected);
}

#[test]
fn full_separates_diagnostics_and_needs_no_place() {
    let (sources, file) = topology();
    let diagnostics = [
        Diagnostic::note("x::whole", "nothing is measured"),
        Diagnostic::warning("x::old", "schema 1 is old").at(Place::new(file, 9..10)),
    ];
    let expected = "\
warning[x::old]: schema 1 is old
 --> server.toml:1:10
  |
1 | schema = 1
  |          ^

note[x::whole]: nothing is measured
";
    assert_eq!(render::full(&diagnostics, &sources, false), expected);
}

#[test]
fn full_shows_places_in_two_files() {
    let (mut sources, file) = topology();
    let scenario = sources.add("run.toml", "topology = \"server.toml\"\n".to_owned());
    let diagnostic = Diagnostic::error("x::y", "no socket has memory")
        .at(Place::new(scenario, 11..24))
        .also(Place::new(file, 12..22).label("none here"));
    let expected = r#"error[x::y]: no socket has memory
 --> run.toml:1:12
  |
1 | topology = "server.toml"
  |            ^^^^^^^^^^^^^
  |
 ::: server.toml:3:1
  |
3 | [[socket]]
  | ---------- none here
"#;
    let printed = render::full(&[diagnostic], &sources, false);
    assert_eq!(printed, expected);
}

#[test]
fn full_in_colour_is_the_same_text_with_escapes() {
    let (sources, file) = topology();
    let coloured = render::full(&[duplicate(file)], &sources, true);
    assert!(coloured.starts_with("\u{1b}["), "{coloured:?}");
    let mut plain = String::new();
    for (index, part) in coloured.split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 {
            part
        } else {
            part.split_once('m').expect("escapes end with m").1
        });
    }
    assert_eq!(plain, render::full(&[duplicate(file)], &sources, false));
}

#[test]
fn full_points_where_it_can_when_the_range_is_odd() {
    let at_end = "error[t::t]: wrong\n --> x:2:1\n  |\n2 |\n  | ^ here\n";
    assert_eq!(full_of("abc\n", 4..4), at_end);
    assert_eq!(full_of("abc\n", 100..200), at_end);
    assert_eq!(
        full_of("", 0..0),
        "error[t::t]: wrong\n --> x:1:1\n  |\n1 |\n  | ^ here\n"
    );
    // Between the two bytes of a letter: the whole letter.
    assert_eq!(
        full_of("a\u{b5}b", 2..2),
        "error[t::t]: wrong\n --> x:1:2\n  |\n1 | a\u{b5}b\n  |  ^ here\n"
    );
    assert_eq!(
        full_of("ab\r\ncd", 1..4),
        "error[t::t]: wrong\n --> x:1:2\n  |\n1 | ab\n  |  ^ here\n"
    );
}

#[test]
fn full_draws_ranges_over_lines() {
    let expected = "\
error[t::t]: wrong
 --> x:1:3
  |
1 |   a [
  |  ___^
2 | |   b
3 | | ]
  | |_^ here
";
    assert_eq!(full_of("a [\n  b\n]\n", 2..9), expected);
    // Too many lines to draw: only the first is marked.
    let long = "[table]\n".repeat(500);
    assert_eq!(
        full_of(&long, 0..4000),
        "error[t::t]: wrong\n --> x:1:1\n  |\n1 | [table]\n  | ^^^^^^^ here\n"
    );
}

#[test]
fn full_cuts_lines_of_a_megabyte() {
    let line = "x".repeat(1_000_000);
    let at_start = full_of(&line, 2..5);
    assert!(at_start.contains("\n --> x:1:3\n"), "{at_start}");
    assert!(at_start.contains(" ^^^ here\n"), "{at_start}");
    assert!(at_start.len() < 1000, "{} bytes", at_start.len());

    let in_the_middle = full_of(&line, 500_000..500_003);
    let expected = format!(
        "error[t::t]: wrong\n--> x:1:500001\n = note: here: in a line of 1000000 bytes, near `{}`\n",
        "x".repeat(60)
    );
    assert_eq!(in_the_middle, expected);

    assert!(full_of(&line, 0..1_000_000).len() < 3000);
}

#[test]
fn long_messages_are_cut() {
    let long = "m".repeat(1_000_000);
    let (sources, file) = topology();
    let diagnostics = [Diagnostic::error("t::t", long.as_str())
        .at(Place::new(file, 0..6).label(&long))
        .help(&long)];
    assert!(render::full(&diagnostics, &sources, false).len() < 4000);
    assert!(render::concise(&diagnostics, &sources).len() < 1100);
    assert!(render::github(&diagnostics, &sources).len() < 2200);
}

#[test]
fn full_defuses_control_characters() {
    let mut sources = Sources::new();
    let place =
        Place::new(sources.add("x\u{1b}[2J", "a\u{1b}[31mb\u{202e}".to_owned()), 0..1).label("\u{1b}[0m");
    let diagnostic = Diagnostic::error("t::t", "bad \u{1b}[1m name")
        .at(place)
        .help("\u{7}bell");
    let printed = render::full(&[diagnostic], &sources, false);
    assert!(
        !printed.contains(|c: char| c.is_control() && c != '\n'),
        "{printed:?}"
    );
    assert!(!printed.contains('\u{202e}'), "{printed:?}");
}

#[test]
fn concise_is_one_line_each() {
    let (sources, file) = topology();
    let diagnostics = [Diagnostic::note("x::whole", "two\nlines"), duplicate(file)];
    let expected = "\
server.toml:7:6: error[topology::duplicate_id]: two sockets are called `cpu0`
note[x::whole]: two lines
";
    assert_eq!(render::concise(&diagnostics, &sources), expected);
}

#[test]
fn json_has_every_field() {
    let (sources, file) = topology();
    let diagnostics = [duplicate(file), Diagnostic::note("x::whole", "say \"hi\"")];
    let expected = r#"[
  {
    "id": "topology::duplicate_id",
    "severity": "error",
    "message": "two sockets are called `cpu0`",
    "file": "server.toml",
    "line": 7,
    "column": 6,
    "end_line": 7,
    "end_column": 12,
    "label": "again here",
    "help": [
      "give every socket an id of its own",
      "or remove one"
    ],
    "secondary": [
      {
        "file": "server.toml",
        "line": 4,
        "column": 6,
        "end_line": 4,
        "end_column": 12,
        "label": "first here"
      }
    ]
  },
  {
    "id": "x::whole",
    "severity": "note",
    "message": "say \"hi\"",
    "file": null,
    "line": null,
    "column": null,
    "end_line": null,
    "end_column": null,
    "label": null,
    "help": [],
    "secondary": []
  }
]
"#;
    assert_eq!(render::json(&diagnostics, &sources), expected);
    assert_eq!(render::json(&[], &sources), "[]\n");
}

#[test]
fn github_escapes_what_would_end_a_field() {
    let (mut sources, file) = topology();
    let odd = sources.add("a,b:c.toml", "50%\nx".to_owned());
    let diagnostics = [
        duplicate(file),
        Diagnostic::warning("x::odd", "100% of\r\nit: odd").at(Place::new(odd, 0..5)),
        Diagnostic::note("x::whole", "no place"),
    ];
    let expected = "\
::error file=server.toml,line=7,col=6,endLine=7,endColumn=12,title=topology%3A%3Aduplicate_id::two sockets are \
called `cpu0`%0Ahelp: give every socket an id of its own%0Ahelp: or remove one
::warning file=a%2Cb%3Ac.toml,line=1,col=1,endLine=2,title=x%3A%3Aodd::100%25 of%0D%0Ait: odd
::notice title=x%3A%3Awhole::no place
";
    assert_eq!(render::github(&diagnostics, &sources), expected);
}

#[test]
fn nothing_renders_as_nothing() {
    let sources = Sources::new();
    assert_eq!(render::full(&[], &sources, false), "");
    assert_eq!(render::concise(&[], &sources), "");
    assert_eq!(render::github(&[], &sources), "");
}

#[test]
fn messages_and_help_break_at_the_width_of_the_page() {
    let (sources, file) = topology();
    let long = "a message of words ".repeat(12);
    let diagnostic = Diagnostic::warning("x::long", format!("{long}and `an-option=that-has-no-blank`"))
        .at(Place::new(file, 9..10))
        .help(long.clone());
    for columns in [60, 80, 120] {
        let text = render::within(columns, std::slice::from_ref(&diagnostic), &sources, false);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(columns), "{widest:?} of {columns}\n{text}");
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert!(words(&text).contains(&words(&long)), "{text}");
    }
    let short = Diagnostic::note("x::y", "short");
    assert_eq!(
        render::within(80, &[short], &sources, false),
        "note[x::y]: short\n"
    );
}

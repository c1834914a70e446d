//! Pages of results: valid, complete in one file, and safe whatever names are in them.

mod program;
mod scratch;

use std::collections::BTreeSet;

use bandgraph_testkit::percent_decoded;
use html5gum::{Token, Tokenizer};
use program::{program, run};

const BARCELONA: &str = "../../scenarios/7410-barcelona/cached-read.toml";
const SMALL: &str = "../../scenarios/7410-istanbul/disk-read.toml";

/// Elements that have no end tag.
const VOID: [&str; 7] = ["meta", "link", "br", "hr", "input", "use", "col"];
/// Attributes that name an element of the page.
const REFERENCES: [&str; 4] = ["aria-labelledby", "aria-describedby", "aria-controls", "for"];

/// What a page consists of.
#[derive(Default)]
struct Found {
    ids: BTreeSet<String>,
    references: Vec<String>,
    /// Names of elements with their attributes, in order.
    elements: Vec<(String, Vec<(String, String)>)>,
    text: String,
}

impl Found {
    fn count(&self, name: &str) -> usize {
        self.elements.iter().filter(|element| element.0 == name).count()
    }

    fn attribute(&self, element: &str, name: &str) -> Option<&str> {
        let mut elements = self.elements.iter().filter(|found| found.0 == element);
        elements.find_map(|found| {
            let mut attributes = found.1.iter();
            attributes.find_map(|(key, value)| (key == name).then_some(value.as_str()))
        })
    }
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The elements of a page. It must be without a parse error, every element must end where it should, every id
/// must be the only one, and every reference must lead to an id.
fn checked(html: &str) -> Found {
    let mut found = Found::default();
    let mut open: Vec<String> = Vec::new();
    for token in Tokenizer::new(html) {
        match token.expect("a string can be read") {
            Token::StartTag(tag) => {
                let name = words(&tag.name);
                let mut attributes = Vec::new();
                for (key, value) in &tag.attributes {
                    let (key, value) = (words(key), words(value));
                    if key == "id" {
                        assert!(
                            found.ids.insert(value.clone()),
                            "two elements have the id {value}"
                        );
                    }
                    let target = value.strip_prefix('#').filter(|_| key.ends_with("href"));
                    found.references.extend(target.map(str::to_owned));
                    if REFERENCES.contains(&key.as_str()) {
                        found
                            .references
                            .extend(value.split_whitespace().map(str::to_owned));
                    }
                    attributes.push((key, value));
                }
                if !VOID.contains(&name.as_str()) && !tag.self_closing {
                    open.push(name.clone());
                }
                found.elements.push((name, attributes));
            }
            Token::EndTag(tag) => assert_eq!(open.pop(), Some(words(&tag.name)), "an element ends"),
            Token::String(text) => found.text.push_str(&words(&text)),
            Token::Comment(_) | Token::Doctype(_) => {}
            Token::Error(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(open, Vec::<String>::new(), "elements without an end");
    for reference in &found.references {
        assert!(found.ids.contains(reference), "nothing has the id {reference}");
    }
    found
}

/// Everything that has to hold for every page.
fn page(arguments: &[&str]) -> (String, Found) {
    let ended = run(arguments.iter().copied().chain(["--format", "html"]));
    assert!(ended.code == Some(0) || ended.code == Some(1), "{}", ended.stderr);
    let html = ended.stdout;
    assert!(html.starts_with("<!DOCTYPE html>\n"));
    let found = checked(&html);
    assert_eq!(found.attribute("html", "lang"), Some("en"));
    for name in ["h1", "main", "script"] {
        assert_eq!(found.count(name), 1, "{name}");
    }
    assert!(found.count("title") > 0);
    // Nothing is loaded from anywhere.
    for (element, attributes) in &found.elements {
        for (key, value) in attributes {
            if matches!(key.as_str(), "src" | "href" | "action" | "poster") {
                let is_inside = value.starts_with('#') || value.starts_with("data:");
                assert!(is_inside, "{element} has {key} {value}");
            }
        }
    }
    // Pictures are parts of the page, with a name and text that can be searched.
    assert_eq!(found.count("img"), 0);
    let pictures = found.elements.iter().filter(|element| element.0 == "svg");
    for (_, attributes) in pictures {
        let mut attributes = attributes.iter();
        assert!(attributes.any(|(key, value)| key == "aria-label" && !value.is_empty()));
    }
    (html, found)
}

/// The JSON that a page carries.
fn carried(found: &Found) -> serde_json::Value {
    let links = found.elements.iter().filter(|element| element.0 == "a");
    let address = links
        .flat_map(|link| &link.1)
        .find_map(|(_, value)| value.strip_prefix("data:application/json;charset=utf-8,"))
        .expect("a link to the JSON");
    serde_json::from_slice(&percent_decoded(address)).expect("valid JSON")
}

#[test]
fn every_result_is_a_page() {
    for arguments in [
        &["run", BARCELONA, "--predict", "--no-interval"][..],
        &["whatif", BARCELONA, "--set", "link.*.part=ht3-x16"],
        &["ladder", BARCELONA],
        &["place", SMALL, "--confirm", "0", "--top", "3"],
        &["validate", BARCELONA],
        &["sweep", "sweep-small.toml"],
    ] {
        let (_, found) = page(arguments);
        assert!(found.count("section") > 0, "{arguments:?}");
        assert!(found.count("th") > 0, "{arguments:?}");
        assert!(found.count("text") > 0, "{arguments:?} has a picture");
        assert_eq!(carried(&found)["schema"], 1, "{arguments:?}");
        if arguments[0] != "validate" {
            assert!(found.text.contains("Software: "), "{arguments:?}");
            assert!(
                found.text.contains("[[socket]]"),
                "{arguments:?} has no topology file"
            );
        }
    }
}

/// The files that went in are on the page, each once, and in no other format.
#[test]
fn a_page_carries_its_files() {
    let arguments = ["whatif", "small.toml", "--set", "workload.read.io_size=8 KiB"];
    let (html, found) = page(&arguments);
    assert_eq!(html.matches("<summary>small.toml</summary>").count(), 1);
    assert_eq!(html.matches("<summary>small-server.toml</summary>").count(), 1);
    let file = include_str!("fixtures/small.toml");
    assert!(found.text.contains(file.trim_end()), "the text of the scenario");
    assert!(!run(arguments).stdout.contains("[[workload]]"));
}

#[test]
fn a_page_carries_the_json_of_its_result() {
    let arguments = ["run", BARCELONA, "--predict", "--no-interval"];
    let (_, found) = page(&arguments);
    let ended = run(arguments.into_iter().chain(["--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
    assert_eq!(carried(&found), json);
}

/// A scenario whose names are markup.
#[test]
fn names_are_text() {
    let folder = scratch::folder("html", "names");
    let file = folder.join("evil.toml");
    let scenario =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/7410-barcelona/cached-read.toml");
    let evil = "</title><script>alert('1')</script> & \\\"\\\"";
    let text = format!("include = [{scenario:?}]\nschema = 1\nname = \"{evil}\"\n");
    bandgraph_testkit::write(&file, &text);
    let path = file.to_str().expect("a name in UTF-8");
    let arguments = [
        "--allow-outside",
        "run",
        path,
        "--predict",
        "--no-interval",
        "--format",
        "html",
    ];
    let ended = program().args(arguments).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let found = checked(&ended.stdout);
    assert_eq!(found.count("script"), 1);
    assert!(found.text.contains("</title><script>alert('1')</script> & \"\""));
    let markdown = program()
        .args(arguments.map(|one| if one == "html" { "markdown" } else { one }))
        .run();
    assert!(!markdown.stdout.contains("<script>"), "{}", markdown.stdout);
}

//! Inside a crate, no file uses another that leads back to it through a third.
//!
//! Two files may use each other. A longer circle has no file in it that can be read, changed or moved first.

#![expect(clippy::disallowed_methods, reason = "tests read the sources")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Crates without such circles.
const CRATES: [&str; 8] = [
    "plot",
    "simulate",
    "solve",
    "model",
    "topology",
    "engine",
    "diagnostics",
    "hardware",
];

/// A module by its segments below the crate; its root has none.
type Module = Vec<String>;

/// What a file says of others.
#[derive(Default)]
struct File {
    /// Paths that it names, as they are written.
    paths: Vec<Module>,
    /// Paths that it exports, by name.
    exports: BTreeMap<String, Module>,
}

type Files = BTreeMap<Module, File>;

/// Reads all files of a folder of sources.
fn read(folder: &Path, module: &Module, files: &mut Files) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        let mut own = module.clone();
        if path.is_dir() {
            own.push(name);
            read(&path, &own, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if name != "mod" && name != "lib" {
                own.push(name);
            }
            files.insert(own, File::parse(&fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

impl File {
    fn parse(text: &str) -> Self {
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        let mut file = Self::default();
        let mut statement = String::new();
        for line in lines {
            let start = line.trim_start();
            let begins = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
            if !statement.is_empty() || begins.iter().any(|begin| start.starts_with(begin)) {
                statement.push_str(start);
                if start.ends_with(';') {
                    file.add_use(&std::mem::take(&mut statement));
                }
                continue;
            }
            let words =
                line.split(|character: char| !(character.is_alphanumeric() || "_:".contains(character)));
            let paths = words.filter(|word| word.contains("::"));
            file.paths.extend(paths.map(segments));
        }
        file
    }

    fn add_use(&mut self, statement: &str) {
        let (before, tree) = statement.split_once("use ").unwrap_or_default();
        let mut paths = Vec::new();
        expand("", tree.trim_end_matches(';'), &mut paths);
        for path in paths {
            let (path, name) = path.split_once(" as ").unwrap_or((&path, ""));
            let path = segments(path);
            if before.starts_with("pub") {
                let name = if name.is_empty() {
                    path.last().cloned()
                } else {
                    Some(name.to_owned())
                };
                self.exports.extend(name.map(|name| (name, path)));
            } else {
                self.paths.push(path);
            }
        }
    }
}

fn segments(path: &str) -> Module {
    path.split("::")
        .filter(|segment| !segment.is_empty())
        .map(str::to_owned)
        .collect()
}

/// All paths of a tree of imports.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((inner, tail)) = tree.split_once('{') else {
        paths.push(format!("{prefix}{}", tree.trim()));
        return;
    };
    let prefix = format!("{prefix}{}", inner.trim());
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in tail.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let part = tail[begin..at].trim();
                if !part.is_empty() {
                    expand(&prefix, part, paths);
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
}

/// The file in which what a path of `from` names is defined; `None` for a path that leads out of the crate.
fn target(files: &Files, from: &Module, path: &[String], depth: usize) -> Option<Module> {
    let mut module = from.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (module, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|segment| segment == "super") {
                module.pop();
                rest = &rest[1..];
            }
        }
        first => {
            let mut child = module.clone();
            child.push(first.to_owned());
            files.get(&child)?;
        }
    }
    while let Some(segment) = rest.first() {
        let mut child = module.clone();
        child.push(segment.clone());
        if files.contains_key(&child) {
            (module, rest) = (child, &rest[1..]);
        } else if let Some(export) = files.get(&module).and_then(|file| file.exports.get(segment))
            && depth < 8
        {
            return target(files, &module, export, depth + 1);
        } else {
            break;
        }
    }
    files.contains_key(&module).then_some(module)
}

/// A way from one file to another that is longer than one step, with both ends.
fn detour(uses: &BTreeMap<&Module, BTreeSet<Module>>, from: &Module, to: &Module) -> Option<Vec<String>> {
    let mut before: BTreeMap<Module, Module> = BTreeMap::new();
    let mut queue = VecDeque::from([from.clone()]);
    while let Some(at) = queue.pop_front() {
        for next in uses.get(&at).into_iter().flatten() {
            if next == from || (at == *from && next == to) || before.contains_key(next) {
                continue;
            }
            before.insert(next.clone(), at.clone());
            queue.push_back(next.clone());
        }
    }
    let mut way = vec![to.join("::")];
    let mut at = to;
    while at != from {
        at = before.get(at)?;
        way.push(at.join("::"));
    }
    way.reverse();
    Some(way)
}

#[test]
fn no_circle_of_files_is_longer_than_two() -> Result<(), Box<dyn Error>> {
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("crates")
            .join(name)
            .join("src");
        let mut files = Files::new();
        read(&folder, &Vec::new(), &mut files)?;
        // The root only declares and exports.
        let uses: BTreeMap<&Module, BTreeSet<Module>> = files
            .iter()
            .filter(|(module, _)| !module.is_empty())
            .map(|(module, file)| {
                let targets = file
                    .paths
                    .iter()
                    .filter_map(|path| target(&files, module, path, 0));
                (
                    module,
                    targets
                        .filter(|target| target != module && !target.is_empty())
                        .collect(),
                )
            })
            .collect();
        assert!(uses.values().any(|used| !used.is_empty()), "{name} has no uses");
        for (module, used) in &uses {
            for other in used {
                let way = detour(&uses, other, module);
                assert!(
                    way.is_none(),
                    "{name}: {} uses {}",
                    module.join("::"),
                    way.unwrap_or_default().join(", which uses ")
                );
            }
        }
    }
    Ok(())
}

#[test]
fn circles_are_found() {
    let file = |text: &str| File::parse(text);
    let module = |name: &str| vec![name.to_owned()];
    let files: Files = [
        (Vec::new(), file("mod a;\npub use c::{C, D as E};")),
        (module("a"), file("use crate::b::{self, B};\nuse std::fs;")),
        (module("b"), file("// use crate::a::A;\nfn f() -> crate::E { x }")),
        (
            module("c"),
            file("use super::a;\n#[cfg(test)]\nmod tests { use crate::b; }"),
        ),
    ]
    .into();
    let of = |name: &str| -> Vec<Module> {
        let own = module(name);
        files[&own]
            .paths
            .iter()
            .filter_map(|path| target(&files, &own, path, 0))
            .collect()
    };
    assert_eq!(of("a"), [module("b"), module("b")]);
    assert_eq!(of("b"), [module("c")]);
    assert_eq!(of("c"), [module("a")]);
    let names = ["a", "b", "c"].map(module);
    let uses = names
        .iter()
        .map(|own| (own, of(&own[0]).into_iter().collect()))
        .collect();
    assert_eq!(
        detour(&uses, &module("b"), &module("a")).expect("by way of c"),
        ["b", "c", "a"]
    );
    assert_eq!(detour(&uses, &module("a"), &module("b")), None);
}

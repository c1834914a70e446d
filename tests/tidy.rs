//! Style as a test: what neither rustfmt nor clippy checks.
//!
//! Where the tree does not hold to a rule yet, an allowance says how far it is off. An allowance may only
//! shrink, and goes when it reaches zero.

#![expect(clippy::disallowed_methods, reason = "tests read the files of the project")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;

use bandgraph_testkit::Program;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

type Outcome = Result<(), Box<dyn Error>>;

/// Folders and files that hold what the project's authors wrote.
const WRITTEN: [&str; 12] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "benches",
    "clippy.toml",
    "crates",
    "docs",
    "examples",
    "tests",
    "xtask",
];

/// Characters in a line.
const WIDTH: usize = 110;
/// Lines of Rust files that are wider than that.
const TOO_WIDE: usize = 224;

/// Lines in a Rust file.
const LENGTH: usize = 600;
/// Files that are longer than that, by the end of their path.
const TOO_LONG: [&str; 4] = [
    "simulate/tests/scenarios/storage.rs",
    "sweep/src/lines.rs",
    "tests/cli.rs",
    "tests/sweep.rs",
];

/// Words that this project's prose avoids, with how often they still occur in `.rs` and `.md` files.
const AVOIDED: [(&str, usize); 14] = [
    ("are told", 8),
    ("alike", 48),
    ("besides", 17),
    ("each in turn", 0),
    ("goes on", 1),
    ("in all", 38),
    ("is told", 9),
    ("nobody", 21),
    ("parts from", 4),
    ("so many", 4),
    ("spoilt", 0),
    ("stands", 43),
    ("under way", 10),
    ("whoever", 1),
];

/// A file of the project: its path from the root, with slashes, and its text.
struct Written {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All paths in [`WRITTEN`], in a fixed order.
fn paths() -> Result<Vec<String>, Box<dyn Error>> {
    let mut open: Vec<String> = WRITTEN.iter().map(ToString::to_string).collect();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if !root().join(&path).is_dir() {
            found.push(path);
            continue;
        }
        for entry in std::fs::read_dir(root().join(&path))? {
            let name = entry?.file_name();
            open.push(format!(
                "{path}/{}",
                name.to_str().ok_or("a name that is not UTF-8")?
            ));
        }
    }
    found.sort();
    Ok(found)
}

/// The files with an ending, in a fixed order; not this one, which names what others may not contain.
fn files(ending: &str) -> Result<Vec<Written>, Box<dyn Error>> {
    let mut files = Vec::new();
    for path in paths()? {
        if path.ends_with(ending) && path != "tests/tidy.rs" {
            let text = std::fs::read_to_string(root().join(&path))?;
            files.push(Written { path, text });
        }
    }
    assert!(!files.is_empty(), "no {ending} file");
    Ok(files)
}

#[test]
fn lines_are_not_too_wide() -> Outcome {
    let mut places = Vec::new();
    for Written { path, text } in files(".rs")? {
        let lines = text.lines().zip(1..);
        let wide = lines.filter(|(line, _)| line.chars().count() > WIDTH);
        places.extend(wide.map(|(_, number)| format!("{path}:{number}")));
    }
    let count = places.len();
    assert!(
        count <= TOO_WIDE,
        "{count} lines over {WIDTH} characters, allowed {TOO_WIDE}:\n{}",
        places.join("\n")
    );
    Ok(())
}

#[test]
fn files_are_not_too_long() -> Outcome {
    for Written { path, text } in files(".rs")? {
        let (length, allowed) = (
            text.lines().count(),
            TOO_LONG.iter().any(|end| path.ends_with(end)),
        );
        assert!(
            length <= LENGTH || allowed,
            "{path} has {length} lines, over {LENGTH}"
        );
        assert!(length > LENGTH || !allowed, "{path} needs no allowance any more");
    }
    Ok(())
}

#[test]
fn avoided_words_get_fewer() -> Outcome {
    let mut files = files(".rs")?;
    files.extend(self::files(".md")?);
    let texts: Vec<String> = files.iter().map(|file| file.text.to_lowercase()).collect();
    for (word, allowed) in AVOIDED {
        let count: usize = texts.iter().map(|text| occurrences(text, word)).sum();
        assert!(
            count <= allowed,
            "\"{word}\" occurs {count} times, allowed {allowed}"
        );
    }
    Ok(())
}

/// How often `word` occurs in `text`, not as a part of a longer word.
fn occurrences(text: &str, word: &str) -> usize {
    let part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word)
        .filter(|&(at, _)| {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            !before.ends_with(part) && !after.starts_with(part)
        })
        .count()
}

/// rustfmt follows `mod name;` and `#[path]`, and neither looks into macros nor complains about a file that
/// it does not find.
#[test]
fn rustfmt_finds_every_file() -> Outcome {
    let files = files(".rs")?;
    let mut open: Vec<String> = files
        .iter()
        .map(|file| &file.path)
        .filter(|path| is_target(path))
        .cloned()
        .collect();
    let mut found = BTreeSet::from(["tests/tidy.rs".to_owned()]);
    while let Some(path) = open.pop() {
        if let Some(file) = files.iter().find(|file| file.path == path) {
            open.extend(modules(file));
            found.insert(path);
        }
    }
    let hidden: Vec<&str> = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| !found.contains(*path))
        .collect();
    assert!(hidden.is_empty(), "no `mod` line leads to {hidden:?}");
    Ok(())
}

/// Whether cargo takes the file as the root of a library, a program, a test, a bench or an example.
fn is_target(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (file, folder, above) = (parts.next(), parts.next(), parts.next());
    let several = ["tests", "benches", "examples"];
    match (file, folder) {
        (Some("lib.rs" | "main.rs"), Some("src")) | (Some("build.rs"), _) => true,
        (Some("main.rs"), Some(_)) => above.is_some_and(|above| several.contains(&above)),
        (_, Some(folder)) => several.contains(&folder),
        _ => false,
    }
}

/// Where the modules of a file may be that it declares.
fn modules(file: &Written) -> Vec<String> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let owns_folder = name == "mod.rs" || is_target(&file.path);
    let inner = match name.strip_suffix(".rs") {
        Some(stem) if !owns_folder => format!("{folder}/{stem}"),
        _ => folder.to_owned(),
    };
    let mut found = Vec::new();
    let mut path_attribute = None;
    for line in file.text.lines().map(str::trim) {
        if let Some(path) = line
            .strip_prefix("#[path = \"")
            .and_then(|rest| rest.strip_suffix("\"]"))
        {
            path_attribute = Some(joined(folder, path));
            continue;
        }
        let declared = line.strip_suffix(';').and_then(|line| {
            let (visibility, name) = line.split_once("mod ").filter(|_| !line.starts_with("//"))?;
            (visibility.is_empty() || visibility.starts_with("pub")).then_some(name)
        });
        if let Some(name) = declared {
            found.extend(path_attribute.take());
            found.extend([format!("{inner}/{name}.rs"), format!("{inner}/{name}/mod.rs")]);
        }
    }
    found
}

/// A relative path from a folder, without `..`.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn metadata(options: &[&str]) -> Result<Metadata, Box<dyn Error>> {
    let options = ["--offline", "--locked"].iter().chain(options);
    let command = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(options.map(ToString::to_string).collect::<Vec<_>>())
        .cargo_command();
    Ok(MetadataCommand::parse(Program::from(command).run().stdout)?)
}

/// Every dependency of a package is named in the sources of its library and programs, or, for a
/// `dev-dependency`, of any target; every dependency of the workspace is one of a package.
#[test]
fn dependencies_are_used() -> Outcome {
    let metadata = metadata(&["--no-deps"])?;
    let files = files(".rs")?;
    let mut declared = BTreeSet::new();
    for package in &metadata.packages {
        for dependency in &package.dependencies {
            declared.insert(dependency.name.clone());
            let everywhere = dependency.kind == DependencyKind::Development;
            let targets = package
                .targets
                .iter()
                .filter(|target| everywhere || target.is_lib() || target.is_bin());
            let folders: Vec<_> = targets
                .filter_map(|target| {
                    let path = target.src_path.canonicalize_utf8().ok()?;
                    let path = path.strip_prefix(&metadata.workspace_root).ok()?;
                    Some(path.parent()?.to_owned())
                })
                .collect();
            let name = dependency
                .rename
                .as_ref()
                .unwrap_or(&dependency.name)
                .replace('-', "_");
            let used = files.iter().any(|file| {
                folders
                    .iter()
                    .any(|folder| file.path.starts_with(folder.as_str()))
                    && occurrences(&file.text, &name) > 0
            });
            assert!(
                used,
                "{} does not use its dependency {}",
                package.name, dependency.name
            );
        }
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let (_, section) = manifest
        .split_once("[workspace.dependencies]")
        .ok_or("no workspace dependencies")?;
    let section = section.split("\n[").next().unwrap_or_default();
    for line in section.lines().filter(|line| !line.starts_with('#')) {
        if let Some((name, _)) = line.split_once(" = ") {
            assert!(
                declared.contains(name),
                "no package uses the workspace's dependency {name}"
            );
        }
    }
    Ok(())
}

/// Every package comes from crates.io, under a licence that `deny.toml` allows. Only packages that this
/// platform needs are looked at: others may not be on this machine.
#[cfg(target_os = "linux")]
#[test]
fn dependencies_have_accepted_licences_and_sources() -> Outcome {
    let config = std::fs::read_to_string(root().join("deny.toml"))?;
    let (_, list) = config
        .split_once("\nallow = [")
        .ok_or("deny.toml allows no licence")?;
    let list = list.split(']').next().unwrap_or_default();
    let accepted: BTreeSet<&str> = list.split('"').skip(1).step_by(2).collect();
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let metadata = metadata(&["--filter-platform", &platform])?;
    for package in &metadata.packages {
        let licence = package.license.as_deref().unwrap_or("none");
        assert!(
            is_accepted(licence, &accepted),
            "{}: licence {licence}",
            package.name
        );
        let source = package.source.as_ref();
        assert!(
            source.is_none_or(cargo_metadata::Source::is_crates_io),
            "{}: {source:?}",
            package.name
        );
    }
    Ok(())
}

/// Of a package with two versions in `Cargo.lock`, the older one is named in `deny.toml`, with what asks for
/// it.
#[cfg(target_os = "linux")]
#[test]
fn older_versions_of_dependencies_are_named() -> Outcome {
    let config = std::fs::read_to_string(root().join("deny.toml"))?;
    let crates = config.lines().filter_map(|line| line.split_once("crate = \""));
    let skipped = crates.filter_map(|(_, rest)| rest.split('"').next()?.split_once('@'));
    let skipped: Vec<(&str, &str)> = skipped.collect();
    assert!(!skipped.is_empty(), "deny.toml names no version");
    // Unlike the metadata, this is without packages of features that are off.
    let arguments = [
        "tree",
        "--offline",
        "--locked",
        "--workspace",
        "--duplicates",
        "--prefix=none",
        "--depth=0",
    ];
    let tree = Program::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .run();
    assert_eq!(tree.code, Some(0), "{}", tree.stderr);
    let mut versions: BTreeMap<&str, BTreeSet<Vec<u64>>> = BTreeMap::new();
    for line in tree.stdout.lines().filter(|line| !line.is_empty()) {
        let (name, version) = line.split_once(" v").ok_or("a package has a version")?;
        let numbers = version
            .split(['.', '-', '+', ' '])
            .map_while(|number| number.parse().ok());
        versions.entry(name).or_default().insert(numbers.collect());
    }
    for (name, mut versions) in versions {
        versions.pop_last();
        for version in versions {
            let is_named = skipped.iter().any(|(skipped, start)| {
                let start: Vec<u64> = start.split('.').map_while(|number| number.parse().ok()).collect();
                *skipped == name && version.starts_with(&start)
            });
            assert!(is_named, "{name} {version:?} is in Cargo.lock beside a newer one");
        }
    }
    Ok(())
}

/// Whether an SPDX expression can be met. `AND` binds less than `OR` here, which the expressions with both
/// say by parentheses.
#[cfg(target_os = "linux")]
fn is_accepted(expression: &str, accepted: &BTreeSet<&str>) -> bool {
    expression.split(" AND ").all(|part| {
        let choices = part
            .trim_matches(['(', ')'])
            .split(" OR ")
            .flat_map(|choice| choice.split('/'));
        choices.map(str::trim).any(|licence| accepted.contains(licence))
    })
}

/// Programs belong into `xtask`.
#[cfg(unix)]
#[test]
fn nothing_in_docs_is_executable() -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    for path in paths()?.iter().filter(|path| path.starts_with("docs/")) {
        let mode = std::fs::metadata(root().join(path))?.permissions().mode();
        assert_eq!(mode & 0o111, 0, "{path} is executable");
    }
    Ok(())
}

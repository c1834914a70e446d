//! The scenarios of a folder.

use bandgraph_config::{DiskFiles, Files, ReadError, Reader};
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Sources};

use crate::cases::{self, NO_CASE_NAMED};
use crate::{Loaded, load_with};

/// What tells that a file is well, and no scenario, with what it is then.
const OTHER_KINDS: [(&str, &str); 3] = [
    ("file::topology_for_scenario", "a topology"),
    ("file::sweep_for_another", "a sweep"),
    ("file::calibration_for_another", "a calibration"),
];

/// What tells that a file has nothing in it.
const EMPTY: (&str, &str) = ("file::empty", "empty");

/// What tells that a file is for scenarios to include, or is of another program: nothing to name.
const PASSED_OVER: (&str, &str) = ("file::fragment", "");

/// What tells that a file has figures for scenarios to include, and nothing else, and what it is then.
pub(crate) const FIGURES: &str = "file::figures";
const HAS_FIGURES: &str = "figures to include";

/// The folder inside of a folder of scenarios that holds what they include.
const FRAGMENTS: &str = "common";

/// Loads a scenario, or all scenarios of a folder in the order of their names and then those of the folders
/// in it, with overrides given as `PATH=VALUE`. `.toml` files of other kinds are left out, and so is a folder
/// `common`, which holds fragments that scenarios include. Folders further down are not read. Files with
/// figures to include are left out too, and a note has their number.
///
/// # Errors
///
/// Every problem of all files, in the order of the files; at least one is an error.
pub fn load_folder(
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<Vec<Loaded>, Vec<Diagnostic>> {
    load_folder_with(&DiskFiles, path, sets, sources).map(|(scenarios, _)| scenarios)
}

/// [`load_folder`] with files from elsewhere.
///
/// # Errors
///
/// As [`load_folder`].
pub fn load_folder_with(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<(Vec<Loaded>, Option<Diagnostic>), Vec<Diagnostic>> {
    if files.read(path) != Err(ReadError::Folder) {
        return load_cases(files, path, sets, sources).map(|scenarios| (scenarios, None));
    }
    let (mut paths, folders) = contents(files, path);
    for folder in folders {
        paths.extend(contents(files, &folder).0);
    }
    let kinds = [&OTHER_KINDS[..], &[(FIGURES, HAS_FIGURES)]].concat();
    let (scenarios, mut others) = load_files(files, &paths, sets, &kinds, sources)?;
    others.retain(|(_, kind)| *kind == HAS_FIGURES);
    let of = match others.len() {
        0 => return Ok((scenarios, None)),
        1 => "1 file".to_owned(),
        several => format!("{several} files"),
    };
    let names = others
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    let note = Diagnostic::note(
        FIGURES,
        format!("{of} with figures to include, and no scenario, skipped"),
    );
    Ok((scenarios, Some(note.help(named(names)))))
}

/// Loads several scenarios.
///
/// # Errors
///
/// Every problem of all files, in the order of the files; at least one is an error.
pub fn load_all_with(
    files: &dyn Files,
    paths: &[PathBuf],
    sets: &[String],
    sources: &mut Sources,
) -> Result<Vec<Loaded>, Vec<Diagnostic>> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match load_with(files, path, sets, sources) {
            Ok(loaded) => all.push(loaded),
            Err(diagnostics) => problems.extend(diagnostics),
        }
    }
    if problems.is_empty() {
        Ok(all)
    } else {
        Err(problems)
    }
}

/// What each file is that is of another kind than a scenario.
type Others = Vec<(PathBuf, &'static str)>;

/// The scenarios among some files, and what each of the files is that is of one of the other kinds. Files
/// that these scenarios include are passed over.
fn load_files(
    files: &dyn Files,
    paths: &[PathBuf],
    sets: &[String],
    kinds: &[(&str, &'static str)],
    sources: &mut Sources,
) -> Result<(Vec<Loaded>, Others), Vec<Diagnostic>> {
    let mut scenarios = Vec::new();
    let (mut others, mut failed) = (Vec::new(), Vec::new());
    for file in paths {
        match load_cases(files, file, sets, sources) {
            Ok(loaded) => scenarios.extend(loaded),
            Err(diagnostics) => match kind_of(&diagnostics, kinds) {
                Some("") => {}
                Some(kind) => others.push((file.clone(), kind)),
                None => failed.push((file, diagnostics)),
            },
        }
    }
    let included = |file: &Path| {
        let name = file.display().to_string();
        let mut of_scenarios = scenarios.iter().flat_map(|loaded: &Loaded| &loaded.files);
        of_scenarios.any(|(known, _)| *known == name)
    };
    let is_part = |(file, found): &(&PathBuf, Vec<Diagnostic>)| {
        kind_of(found, &[PASSED_OVER]).is_some() && included(file)
    };
    failed.retain(|one| !is_part(one));
    let problems: Vec<Diagnostic> = failed.into_iter().flat_map(|(_, found)| found).collect();
    if problems.is_empty() {
        Ok((scenarios, others))
    } else {
        Err(problems)
    }
}

/// What a file is that is no scenario, by what is said of it.
fn kind_of(diagnostics: &[Diagnostic], kinds: &[(&str, &'static str)]) -> Option<&'static str> {
    let [only] = diagnostics else { return None };
    let kind = kinds.iter().find(|(id, _)| *id == only.id);
    kind.map(|(_, words)| *words)
}

/// The scenario of a folder that has one and no more, without the folders in it; or else, within, what is
/// wrong. A file with nothing in it is passed over, and so is one that only includes could take.
///
/// # Errors
///
/// As [`load_folder`].
pub fn only_scenario_of(
    files: &dyn Files,
    folder: &Path,
    sources: &mut Sources,
) -> Result<Result<PathBuf, Box<Diagnostic>>, Vec<Diagnostic>> {
    let kinds = [&OTHER_KINDS[..], &[EMPTY, PASSED_OVER, (FIGURES, "")]].concat();
    let (tables, folders) = contents(files, folder);
    let (scenarios, others) = load_files(files, &tables, &[], &kinds, sources).map_err(|mut problems| {
        let searched = "no scenario was named, so that all TOML files of this folder were read";
        problems.push(Diagnostic::note("usage::argument", searched).help("name the file of a scenario"));
        problems
    })?;
    let refused = |message: &str, help: String| Ok(Err(Diagnostic::argument(message).help(help).into()));
    let names =
        |paths: &mut dyn Iterator<Item = &PathBuf>| paths.map(|path| path.display().to_string()).collect();
    match scenarios.as_slice() {
        [only] => Ok(Ok(only.path.clone())),
        [] if !others.is_empty() => {
            let others = others
                .iter()
                .map(|(path, kind)| format!("{} is {kind}", path.display()));
            refused("this folder has no scenario", named(others.collect()))
        }
        [] => {
            let has_scenarios = |folder: &&PathBuf| {
                let (mut tables, within) = contents(files, folder);
                tables.extend(within.iter().flat_map(|folder| contents(files, folder).0));
                tables.iter().any(|file| has_scenario(files, file))
            };
            let folders: Vec<String> = names(&mut folders.iter().filter(has_scenarios));
            if folders.is_empty() {
                let help = "`bandgraph init` writes a first one".to_owned();
                return refused("no scenario was named, and this folder has none", help);
            }
            let help = format!("folders in it with scenarios: {}", named(folders));
            refused("no scenario was named, and this folder has none", help)
        }
        many => {
            let help = format!(
                "this folder has {}",
                named(names(&mut many.iter().map(|loaded| &loaded.path)))
            );
            refused("no scenario was named", help)
        }
    }
}

/// The sweep of a folder that has one and no more, without the folders in it.
///
/// # Errors
///
/// What the folder has instead.
pub fn only_sweep_of(files: &dyn Files, folder: &Path) -> Result<PathBuf, Box<Diagnostic>> {
    let mut sweeps = contents(files, folder).0;
    sweeps.retain(|file| has_any(files, file, &["axis", "scenario"]));
    let refused = |message: &str, help: String| Err(Diagnostic::argument(message).help(help).into());
    match sweeps.as_slice() {
        [only] => Ok(only.clone()),
        [] => refused(
            "no sweep was named, and this folder has none",
            "a sweep file names a `scenario` and has the `[[axis]]` entries".to_owned(),
        ),
        many => {
            let names = many.iter().map(|path| path.display().to_string()).collect();
            refused("no sweep was named", format!("this folder has {}", named(names)))
        }
    }
}

/// Whether a file has what only scenarios have, without its includes.
fn has_scenario(files: &dyn Files, path: &Path) -> bool {
    has_any(files, path, &["topology", "case"])
}

/// Whether a file has any of these fields, without its includes.
fn has_any(files: &dyn Files, path: &Path, fields: &[&str]) -> bool {
    let mut sources = Sources::new();
    let gathered = Reader::new(files, &mut sources).gather(path, None);
    let file = gathered.and_then(|mut gathered| gathered.documents.pop());
    file.is_some_and(|file| fields.iter().any(|field| file.contains_key(*field)))
}

/// Things in a sentence, cut where there are many.
fn named(mut all: Vec<String>) -> String {
    /// The most that are named.
    const NAMED: usize = 20;
    if all.len() > NAMED {
        let left_out = all.len() - NAMED;
        all.truncate(NAMED);
        all.push(format!("{left_out} more"));
    }
    all.join(", ")
}

/// The scenario of a file, or those of all its cases.
fn load_cases(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<Vec<Loaded>, Vec<Diagnostic>> {
    match load_with(files, path, sets, sources) {
        Ok(loaded) => Ok(vec![loaded]),
        Err(problems) if problems.iter().any(|one| one.id == NO_CASE_NAMED) => {
            let names = cases::names(files, path);
            let paths: Vec<PathBuf> = names.iter().map(|case| cases::path_of(path, case)).collect();
            load_all_with(files, &paths, sets, sources)
        }
        Err(problems) => Err(problems),
    }
}

/// The folders in a folder of scenarios that can have some, in the order of their names.
pub fn scenario_folders(path: &Path) -> Vec<PathBuf> {
    contents(&DiskFiles, path).1
}

/// The TOML files of a folder, and the folders in it that can have scenarios.
fn contents(files: &dyn Files, folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut tables, mut folders) = (Vec::new(), Vec::new());
    for name in files.names(folder) {
        let path = folder.join(&name);
        // Other files are not read: they may be large, and outputs that the command replaces.
        let is_table = path.extension().is_some_and(|end| end == "toml");
        if is_table && files.read(&path) != Err(ReadError::Folder) {
            tables.push(path);
        } else if name != FRAGMENTS && !name.starts_with('.') && !files.names(&path).is_empty() {
            folders.push(path);
        }
    }
    (tables, folders)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::MemoryFiles;

    pub(crate) const SERVER: &str = "schema = 1\nname = \"one socket\"\n[[socket]]\nid = \"cpu0\"\npart = \"opteron-8356\"\n\
        memory = { part = \"ddr2-667\", channels = 2, size = \"32 GiB\" }\n\
        [[bridge]]\nid = \"io\"\npart = \"io55\"\nuplink = { to = \"cpu0\", part = \"ht1-x16\" }\n\
        [[slot]]\nid = \"s1\"\nbridge = \"io\"\npcie = \"gen1 x8\"\n\
        [[card]]\nid = \"nic0\"\npart = \"neptune-dual-10gbe\"\nslot = \"s1\"\n";

    pub(crate) fn scenario(name: &str) -> String {
        format!(
            "schema = 1\nname = \"{name}\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
             [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = \"read\"\n"
        )
    }

    #[test]
    fn scenarios_of_a_folder_come_in_order_and_nothing_else_does() {
        let files = MemoryFiles::new()
            .with("dir/b.toml", scenario("second"))
            .with("dir/a.toml", scenario("first"))
            .with("dir/server.toml", SERVER)
            .with("dir/notes.txt", "no TOML at all")
            .with(
                "dir/system/c.toml",
                scenario("other")
                    .replace("server", "../server")
                    .replace("name = \"other\"", "include = [\"../name.toml\"]"),
            )
            .with(
                "dir/mine.toml",
                "[stack]\nprofile = \"linux-nfsd-tcp-2020\"\n[[topology.part]]\nname = \"xeon-8160\"\n",
            )
            .with("dir/system/rows.toml", "[[measured]]\nid = \"m\"\n")
            .with("dir/system/deep/d.toml", "not = \"read\"")
            .with("dir/common/part.toml", "mix = 1")
            .with("dir/name.toml", "name = \"third\"\n");
        let folder = |path: &str| load_folder_with(&files, Path::new(path), &[], &mut Sources::new());
        let load = |path: &str| {
            let loaded = folder(path).map(|(scenarios, _)| scenarios);
            loaded.map(|all| all.into_iter().map(|loaded| loaded.name).collect::<Vec<_>>())
        };
        let note = folder("dir").expect("it loads").1.expect("two files are figures");
        assert_eq!(
            note.message,
            "2 files with figures to include, and no scenario, skipped"
        );
        assert_eq!(note.help, ["dir/mine.toml, dir/system/rows.toml"]);
        assert_eq!(
            load("dir"),
            Ok(["first", "second", "third"].map(str::to_owned).to_vec())
        );
        assert_eq!(load("dir/b.toml"), Ok(vec!["second".to_owned()]));
        let ids = |path: &str| load(path).map_err(|all| all.iter().map(|one| one.id).collect::<Vec<_>>());
        assert_eq!(ids("dir/server.toml"), Err(vec!["file::topology_for_scenario"]));
        assert_eq!(ids("dir/mine.toml"), Err(vec!["file::figures"]));
        assert_eq!(ids("nowhere"), Err(vec!["file::missing"]));
        // A workload without `schema` and `topology` is a scenario that lacks both.
        let files = MemoryFiles::new().with("dir/a.toml", "[[workload]]\nid = \"w\"\n");
        let found = load_folder_with(&files, Path::new("dir"), &[], &mut Sources::new());
        assert_eq!(found.expect_err("it is no scenario")[0].id, "file::fragment");
    }

    /// `bandgraph sweep` without arguments.
    #[test]
    fn the_only_sweep_of_a_folder_is_found() {
        let sweep = "schema = 1\nname = \"s\"\nscenario = \"a.toml\"\n";
        let files = MemoryFiles::new()
            .with("one/a.toml", scenario("only"))
            .with("one/sweep.toml", sweep)
            .with("none/a.toml", scenario("only"))
            .with("two/a.toml", sweep)
            .with("two/b.toml", sweep);
        let found =
            |folder: &str| only_sweep_of(&files, Path::new(folder)).map_err(|refused| refused.help.clone());
        assert_eq!(found("one"), Ok(PathBuf::from("one/sweep.toml")));
        assert_eq!(
            found("two"),
            Err(vec!["this folder has two/a.toml, two/b.toml".to_owned()])
        );
        assert!(found("none").is_err());
    }

    /// `bandgraph run` without arguments says what the folder has, and passes over a file with nothing in it.
    #[test]
    fn the_only_scenario_of_a_folder_is_found() {
        let files = MemoryFiles::new()
            .with("one/server.toml", SERVER)
            .with("one/empty.toml", "")
            .with("one/measured.toml", "[[measured]]\nid = \"m\"\n")
            .with("one/a.toml", scenario("only"))
            .with("none/server.toml", SERVER)
            .with("none/empty.toml", "\n")
            .with("none/Cargo.toml", "[package]\nname = \"other\"\n")
            .with("two/server.toml", SERVER)
            .with("two/a.toml", scenario("first"))
            .with("two/b.toml", scenario("second"))
            .with("wrong/a.toml", "schema = 1\nmix = 3\n")
            .with("above/docs/server.toml", SERVER)
            .with("above/in/system/a.toml", scenario("deeper"))
            // With blanks, quotes and dots as TOML has them; and a line of a text that is none.
            .with("spelled/in/a.toml", "\"topology\".file=\"server.toml\"\n")
            .with("spelled/not/a.toml", "text = \"\"\"\ntopology = \"\"\"\n");
        let found = |folder: &str| only_scenario_of(&files, Path::new(folder), &mut Sources::new());
        let help = |folder: &str| match found(folder) {
            Ok(Err(refused)) => refused.help.join("; "),
            other => panic!("{folder}: {other:?}"),
        };
        assert_eq!(found("one"), Ok(Ok(PathBuf::from("one/a.toml"))));
        assert_eq!(
            help("none"),
            "none/empty.toml is empty, none/server.toml is a topology"
        );
        assert_eq!(help("two"), "this folder has two/a.toml, two/b.toml");
        assert_eq!(help("above"), "folders in it with scenarios: above/in");
        assert_eq!(help("spelled"), "folders in it with scenarios: spelled/in");
        assert_eq!(help("nowhere"), "`bandgraph init` writes a first one");
        let wrong = found("wrong").expect_err("a field is wrong");
        assert!(
            wrong
                .iter()
                .any(|one| one.message.starts_with("no scenario was named"))
        );
    }

    #[test]
    fn problems_of_all_files_are_told_at_once() {
        let files = MemoryFiles::new()
            .with("dir/a.toml", scenario("x").replace("mix", "mux"))
            .with("dir/b.toml", scenario("y").replace("\"c\"\nmix", "\"d\"\nmix"))
            .with("dir/server.toml", SERVER);
        let problems = load_folder_with(&files, Path::new("dir"), &[], &mut Sources::new());
        let ids: Vec<&str> = problems
            .expect_err("both are wrong")
            .iter()
            .map(|one| one.id)
            .collect();
        assert!(ids.contains(&"entry::unknown_field"), "{ids:?}");
        assert!(ids.contains(&"reference::unknown_clients"), "{ids:?}");
    }
}

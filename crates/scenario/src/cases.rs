//! Cases of a scenario file: the changes of each to the rest of the file.
//!
//! A file with `[[case]]` entries holds one scenario for each. A path names one of them after a `#`:
//! `nastran.toml#getrag-1-hdd2-24gb`.

use std::path::{Path, PathBuf};

use bandgraph_config::{Custom, Decoded, Decoder, Entry, Field, Files, Made, Node, Reader, Table, Value};
use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, one_of, there_are};
use serde_json::{Value as Json, json};

/// The id of the error for a file with cases if none was named.
pub(crate) const NO_CASE_NAMED: &str = "file::cases";

/// The path of a file, and the case in it that the path names.
pub(crate) fn split(path: &Path) -> (PathBuf, Option<&str>) {
    let parts = path.to_str().and_then(|text| text.rsplit_once('#'));
    let parts = parts.map(|(file, case)| (Path::new(file), case));
    match parts {
        Some((file, case)) if file.extension().is_some_and(|end| end == "toml") && !case.is_empty() => {
            (file.to_owned(), Some(case))
        }
        _ => (path.to_owned(), None),
    }
}

/// The path of one case of a file.
pub(crate) fn path_of(file: &Path, case: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push("#");
    path.push(case);
    path.into()
}

/// The names of the cases of a file, in its order; empty if it has none or is unreadable.
pub(crate) fn names(files: &dyn Files, file: &Path) -> Vec<String> {
    let mut sources = Sources::new();
    let gathered = Reader::new(files, &mut sources).gather(file, None);
    let mut documents = gathered.map(|gathered| gathered.documents).unwrap_or_default();
    let entries = documents.last_mut().and_then(|table| table.remove("case"));
    let names = entries.iter().flat_map(|entry| entry.node.items()).filter_map(id);
    names.map(str::to_owned).collect()
}

/// Takes the cases out of the file on top of `documents` and lays the one that is named over it, after what
/// that includes. Whether there is one scenario then; if not, why is among the problems.
pub(crate) fn choose(
    loader: &mut Reader<'_>,
    documents: &mut Vec<Table>,
    case: Option<&str>,
    place: &Place,
) -> bool {
    // The cases of an included file are not those of this one.
    let cases = documents
        .iter_mut()
        .map(|table| table.remove("case"))
        .last()
        .flatten();
    let entries = cases.as_ref().map_or(&[][..], |cases| cases.node.items());
    let known = || entries.iter().filter_map(id);
    let problem = match (&cases, case) {
        (None, None) => return true,
        (None, Some(case)) => {
            Diagnostic::error("file::no_such_case", format!("this file has no case `{case}`"))
                .at(place.clone())
                .help("it has no `[[case]]` entries: leave out the `#` and what follows it")
        }
        (Some(cases), _) if known().count() == 0 => Diagnostic::error(
            "value::wrong_type",
            "`case` is a list of tables, each with an `id`",
        )
        .at(cases.node.place.clone()),
        (Some(cases), None) => Diagnostic::error(
            NO_CASE_NAMED,
            format!("this file holds {} cases, and none is named", entries.len()),
        )
        .at(cases.key_place.clone())
        .help(format!("write FILE.toml#CASE, with {}", one_of(known()))),
        (Some(cases), Some(case)) => {
            let mut named = entries.iter().filter(|entry| id(entry) == Some(case));
            match (named.next(), named.next()) {
                (Some(entry), None) => {
                    lay(loader, documents, case, entry);
                    return true;
                }
                (None, _) => {
                    Diagnostic::error("file::no_such_case", format!("this file has no case `{case}`"))
                        .at(cases.key_place.clone())
                        .help(did_you_mean(case, known()).unwrap_or_else(|| there_are(known())))
                }
                (Some(_), Some(second)) => {
                    Diagnostic::error("entry::duplicate", format!("case `{case}` is in this file twice"))
                        .at(second.place.clone())
                        .help("give each case a name of its own")
                }
            }
        }
    };
    loader.problems.push(problem);
    false
}

/// Puts what a case includes and what it says on top of `documents`. Without a name of its own, it has that
/// of the file and its `id`.
fn lay(loader: &mut Reader<'_>, documents: &mut Vec<Table>, case: &str, entry: &Node) {
    let mut table = entry.table().cloned().unwrap_or_default();
    documents.extend(loader.gather_included(&table));
    let id = table.remove("id");
    table.remove("include");
    let base = documents
        .iter()
        .rev()
        .find_map(|document| document.get("name")?.node.text());
    if let (Some(id), Some(base), false) = (id, base, table.contains_key("name")) {
        let name = Entry {
            node: Node::new(Value::Text(format!("{base}: {case}")), id.node.place.clone()),
            ..id
        };
        table.insert("name".to_owned(), name);
    }
    documents.push(table);
}

fn id(entry: &Node) -> Option<&str> {
    entry.table()?.get("id")?.node.text()
}

/// The shape of `case`, for the schema and the reference page. [`choose`] takes the field away before a file
/// is decoded.
#[derive(Debug)]
pub(crate) struct Cases;

impl Custom for Cases {
    fn read(&self, _: &mut Decoder<'_>, _: &Field, _: &Node, _: &Decoded) -> Option<Made> {
        None
    }

    fn schema(&self) -> Json {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": { "type": "string" },
                    "include": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["id"],
            },
        })
    }

    fn reference(&self) -> String {
        "entries, each with an `id` and any fields of a scenario".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::tests::SERVER;
    use crate::{MemoryFiles, check_with, load_folder_with, load_with};

    const FILE: &str = "schema = 1\nname = \"reads\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
        [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = \"read\"\nio_size = \"8 KiB\"\n\
        [[case]]\nid = \"small\"\n[[case]]\nid = \"large\"\nname = \"large reads\"\ninclude = [\"large.toml\"]\n";

    fn files(file: &str) -> MemoryFiles {
        MemoryFiles::new()
            .with("dir/server.toml", SERVER)
            .with(
                "dir/large.toml",
                "[[workload]]\nid = \"w\"\nio_size = \"1 MiB\"\n",
            )
            .with("dir/reads.toml", file)
    }

    fn ids(problems: &[Diagnostic]) -> Vec<&'static str> {
        problems.iter().map(|one| one.id).collect()
    }

    #[test]
    fn a_path_names_a_case() {
        assert_eq!(split(Path::new("a/b.toml#c-1")), ("a/b.toml".into(), Some("c-1")));
        assert_eq!(split(Path::new("a/b.toml")), ("a/b.toml".into(), None));
        assert_eq!(split(Path::new("a#1/b.toml")), ("a#1/b.toml".into(), None));
        assert_eq!(path_of(Path::new("a/b.toml"), "c"), Path::new("a/b.toml#c"));
    }

    #[test]
    fn a_case_is_laid_over_the_rest_of_the_file() {
        let files = files(FILE);
        let size = |path: &str| {
            let loaded = load_with(&files, Path::new(path), &[], &mut Sources::new());
            loaded
                .map(|loaded| (loaded.name, loaded.scenario.workloads[0].io_size.get()))
                .map_err(|problems| ids(&problems))
        };
        assert_eq!(
            size("dir/reads.toml#small"),
            Ok(("reads: small".to_owned(), 8192.0))
        );
        assert_eq!(
            size("dir/reads.toml#large"),
            Ok(("large reads".to_owned(), 1_048_576.0))
        );
        assert_eq!(size("dir/reads.toml"), Err(vec!["file::cases"]));
        assert_eq!(size("dir/reads.toml#lrge"), Err(vec!["file::no_such_case"]));
        assert_eq!(size("dir/server.toml#small").map_err(|ids| ids.len()), Err(1));
    }

    #[test]
    fn an_included_file_does_not_lend_its_cases() {
        let files = files(FILE).with(
            "dir/mine.toml",
            "schema = 1\ninclude = [\"reads.toml\"]\nname = \"mine\"\n",
        );
        let loaded = load_with(&files, Path::new("dir/mine.toml"), &[], &mut Sources::new());
        assert_eq!(
            loaded.map(|loaded| loaded.name).map_err(|found| ids(&found)),
            Ok("mine".to_owned())
        );
    }

    #[test]
    fn a_folder_has_all_cases_and_a_check_checks_them() {
        let files_of = files(FILE);
        let all = load_folder_with(&files_of, Path::new("dir"), &[], &mut Sources::new());
        // `large.toml` is a fragment that a case includes.
        assert_eq!(
            all.map(|(all, _)| all.len()).map_err(|problems| ids(&problems)),
            Ok(2)
        );
        let one = load_folder_with(&files_of, Path::new("dir/reads.toml"), &[], &mut Sources::new());
        let (one, _) = one.unwrap_or_default();
        let names: Vec<String> = one.into_iter().map(|loaded| loaded.name).collect();
        assert_eq!(names, ["reads: small", "large reads"]);
        let check = |file: &str| {
            ids(&check_with(
                &files(file),
                Path::new("dir/reads.toml"),
                &mut Sources::new(),
            ))
        };
        assert_eq!(check(FILE), [""; 0]);
        let wrong = FILE.replace("id = \"small\"", "id = \"small\"\nsedan = 1");
        assert_eq!(check(&wrong), ["entry::unknown_field"]);
        let twice = FILE.replace("id = \"large\"", "id = \"small\"");
        assert_eq!(check(&twice), ["entry::duplicate"]);
        let nothing = FILE
            .replace("id = \"small\"", "x = 1")
            .replace("id = \"large\"", "x = 1");
        assert_eq!(check(&nothing), ["value::wrong_type"]);
    }
}

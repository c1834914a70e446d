//! What the program is made of: a document of the packages (`CycloneDX` 1.5) that a release for this
//! platform is built from. Tests and benches are not in a release, nor are their packages here. The same
//! `Cargo.lock` gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};

use crate::Outcome;

/// The package of the program.
const PROGRAM: &str = "bandgraph";

/// The document.
pub(crate) fn sbom() -> Outcome<String> {
    let version = String::from_utf8(Command::new("rustc").arg("-vV").output()?.stdout)?;
    let platform = version.lines().find_map(|line| line.strip_prefix("host: "));
    let options = [
        "--locked",
        "--filter-platform",
        platform.ok_or("rustc names no platform")?,
    ];
    let metadata = MetadataCommand::new()
        .other_options(options.map(ToOwned::to_owned))
        .exec()?;
    let lock = std::fs::read_to_string("Cargo.lock")?;
    let hashes = checksums(&lock);
    let document = document(&metadata, &hashes)?;
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// SHA-256 of the archive of each package of a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let packages = lock.split("[[package]]").skip(1);
    let field = |package: &'_ str, name: &str| -> Option<(usize, usize)> {
        let start = package.find(&format!("\n{name} = \""))? + name.len() + 5;
        Some((start, start + package[start..].find('"')?))
    };
    packages
        .filter_map(|package| {
            let text = |name| field(package, name).map(|(start, end)| &package[start..end]);
            Some(((text("name")?, text("version")?), text("checksum")?))
        })
        .collect()
}

fn document(metadata: &Metadata, hashes: &BTreeMap<(&str, &str), &str>) -> Outcome<Value> {
    let resolve = metadata.resolve.as_ref().ok_or("cargo resolved nothing")?;
    let edges: BTreeMap<&PackageId, Vec<&PackageId>> = resolve
        .nodes
        .iter()
        .map(|node| {
            let built = node.deps.iter().filter(|dependency| {
                let mut kinds = dependency.dep_kinds.iter();
                kinds.any(|kind| kind.kind != DependencyKind::Development)
            });
            (&node.id, built.map(|dependency| &dependency.pkg).collect())
        })
        .collect();
    let program = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == PROGRAM);
    let program = program.ok_or("the workspace has no package of the program")?;
    // Everything that is reached from it.
    let mut reached = BTreeSet::from([&program.id]);
    let mut next = vec![&program.id];
    while let Some(id) = next.pop() {
        let new = edges
            .get(id)
            .into_iter()
            .flatten()
            .filter(|id| reached.insert(**id));
        next.extend(new.copied());
    }
    let mut packages: Vec<&Package> = reached.iter().map(|id| &metadata[*id]).collect();
    packages.sort_by_key(|package| address(package));
    let components = packages.iter().filter(|package| package.id != program.id);
    let components: Vec<Value> = components
        .map(|package| component(package, "library", hashes))
        .collect();
    let dependencies: Vec<Value> = packages
        .iter()
        .map(|package| {
            let on = edges.get(&package.id).into_iter().flatten();
            let on: BTreeSet<String> = on.map(|id| address(&metadata[*id])).collect();
            json!({"ref": address(package), "dependsOn": on})
        })
        .collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(program, "application", hashes)},
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(package: &Package, kind: &str, hashes: &BTreeMap<(&str, &str), &str>) -> Value {
    let (name, version) = (package.name.as_str(), package.version.to_string());
    let mut component = json!({
        "type": kind,
        "bom-ref": address(package),
        "purl": address(package),
        "name": name,
        "version": version,
    });
    if let Some(licence) = &package.license {
        // An old way to write an alternative.
        component["licenses"] = json!([{"expression": licence.replace('/', " OR ")}]);
    }
    if let Some(hash) = hashes.get(&(name, version.as_str())) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": hash}]);
    }
    component
}

/// The package URL.
fn address(package: &Package) -> String {
    // `+` begins build metadata, and is a reserved letter of URLs.
    let version = package.version.to_string().replace('+', "%2B");
    format!("pkg:cargo/{}@{version}", package.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_belong_to_name_and_version() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"s\"\n\
                    checksum = \"ff\"\n\n[[package]]\nname = \"b\"\nversion = \"0.1.0\"\n";
        assert_eq!(checksums(lock), BTreeMap::from([(("a", "1.0.0"), "ff")]));
    }

    /// Fields that the schema of `CycloneDX` 1.5 requires are there, and none that it does not know.
    #[test]
    fn the_document_has_the_fields_of_its_schema() -> Outcome<()> {
        std::env::set_current_dir(crate::root())?;
        let document: Value = serde_json::from_str(&sbom()?)?;
        let holds = |value: &Value, required: &[&str], optional: &[&str]| {
            let fields: BTreeSet<&str> = value
                .as_object()
                .expect("a table")
                .keys()
                .map(|key| &**key)
                .collect();
            let known = |field: &&str| required.contains(field) || optional.contains(field);
            assert!(required.iter().all(|field| fields.contains(field)), "{value}");
            assert!(fields.iter().all(known), "{value}");
        };
        holds(
            &document,
            &["bomFormat", "specVersion"],
            &["version", "metadata", "components", "dependencies"],
        );
        assert_eq!(
            (&document["bomFormat"], &document["specVersion"]),
            (&json!("CycloneDX"), &json!("1.5"))
        );
        assert!(document["version"].as_u64().is_some_and(|version| version >= 1));
        holds(&document["metadata"], &[], &["component"]);
        let components = document["components"].as_array().ok_or("a list")?;
        for component in components.iter().chain([&document["metadata"]["component"]]) {
            holds(
                component,
                &["type", "name"],
                &["bom-ref", "purl", "version", "licenses", "hashes"],
            );
            assert!(
                ["application", "library"]
                    .map(Value::from)
                    .contains(&component["type"])
            );
            // A list with an expression has nothing else.
            let licenses = component["licenses"].as_array().ok_or("a list")?;
            assert_eq!(licenses.len(), 1, "{component}");
            holds(&licenses[0], &["expression"], &["bom-ref"]);
            for hash in component["hashes"].as_array().into_iter().flatten() {
                holds(hash, &["alg", "content"], &[]);
                let content = hash["content"].as_str().ok_or("a text")?;
                let is_hex = content.chars().all(|letter| letter.is_ascii_hexdigit());
                assert!(
                    is_hex && content.len() == 64 && hash["alg"] == "SHA-256",
                    "{hash}"
                );
            }
        }
        for entry in document["dependencies"].as_array().ok_or("a list")? {
            holds(entry, &["ref"], &["dependsOn"]);
        }
        Ok(())
    }

    /// Every package of the program is there once with licence and checksum, and everything refers to what is
    /// there.
    #[test]
    fn the_document_is_whole() -> Outcome<()> {
        std::env::set_current_dir(crate::root())?;
        let text = sbom()?;
        assert_eq!(text, sbom()?);
        let document: Value = serde_json::from_str(&text)?;
        let list = |field: &str| document[field].as_array().cloned().unwrap_or_default();
        let mut known = BTreeSet::from([document["metadata"]["component"]["bom-ref"].to_string()]);
        for component in list("components") {
            assert!(
                known.insert(component["bom-ref"].to_string()),
                "twice: {component}"
            );
            assert!(component["licenses"][0]["expression"].is_string(), "{component}");
            let is_ours = component["name"]
                .as_str()
                .is_some_and(|name| name.starts_with(PROGRAM));
            assert_eq!(
                component["hashes"][0]["content"].is_string(),
                !is_ours,
                "{component}"
            );
        }
        assert!(known.iter().any(|name| name.contains("/clap@")));
        assert!(
            !known.iter().any(|name| name.contains("/proptest@")),
            "for tests only"
        );
        for entry in list("dependencies") {
            assert!(known.contains(&entry["ref"].to_string()));
            for on in entry["dependsOn"].as_array().into_iter().flatten() {
                assert!(known.contains(&on.to_string()), "{on}");
            }
        }
        assert_eq!(list("dependencies").len(), known.len());
        Ok(())
    }
}

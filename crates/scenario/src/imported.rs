//! Everyday questions about a server that was imported instead of described.

use std::path::{Path, PathBuf};

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::{Diagnostic, Sources, did_you_mean};

use crate::Loaded;
use crate::open::load_with;

/// The named workloads: each is a scenario whose topology is `server.toml`.
const WORKLOADS: &[(&str, &str)] = &[
    ("read-1m", include_str!("../workloads/read-1m.toml")),
    ("read-8k", include_str!("../workloads/read-8k.toml")),
    ("metadata", include_str!("../workloads/metadata.toml")),
    ("smb-1m", include_str!("../workloads/smb-1m.toml")),
    ("http-1m", include_str!("../workloads/http-1m.toml")),
    ("memcached-4k", include_str!("../workloads/memcached-4k.toml")),
    ("stream", include_str!("../workloads/stream.toml")),
];

/// The names of the workloads that an imported server can be asked with.
pub fn workload_names() -> impl Iterator<Item = &'static str> {
    WORKLOADS.iter().map(|(name, _)| *name)
}

/// The scenario of a named workload on the server that outputs of programs describe.
///
/// # Errors
///
/// What cannot be read, what no file says and a topology needs, and every problem of the overrides.
pub fn load_imported(
    paths: &[PathBuf],
    workload: &str,
    sets: &[String],
    sources: &mut Sources,
) -> Result<Loaded, Vec<Diagnostic>> {
    let Some((_, scenario)) = WORKLOADS.iter().find(|(name, _)| *name == workload) else {
        return Err(vec![
            Diagnostic::error(
                "import::unknown_workload",
                format!("there is no workload `{workload}`"),
            )
            .help_if(did_you_mean(workload, workload_names()))
            .help(format!(
                "there are {}",
                workload_names().collect::<Vec<_>>().join(", ")
            )),
        ]);
    };
    let (machine, gathered) = bandgraph_import::import(paths, sources);
    if gathered.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(gathered.diagnostics);
    }
    let server = bandgraph_import::topology(&machine, sources).map_err(|error| vec![*error])?;
    let memory = MemoryFiles::new()
        .with("server.toml", server.text)
        .with("workload.toml", *scenario);
    let mut loaded = load_with(&memory, Path::new("workload.toml"), sets, sources)?;
    if !server.assumptions.is_empty() {
        let count = server.assumptions.len();
        loaded.warnings.push(
            Diagnostic::warning(
                "import::assumption",
                format!("{count} values of the server are assumed: no file says them"),
            )
            .help("`bandgraph import FILE... -o server.toml` shows which"),
        );
    }
    Ok(loaded)
}

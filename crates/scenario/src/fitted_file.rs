//! Scenario files for workloads made by a program.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use bandgraph_units::{Fraction, significant};
use bandgraph_workload::{Arrivals, ClientGroup, Spacing, Workload};

/// Significant digits of rates and shares.
const DIGITS: usize = 6;

/// A scenario file that includes another one and lays these workloads and the counts of these client groups
/// over it, without its measurements and expectations. `comment` comes first; `include` is the path of the
/// other file relative to the new one.
pub fn fitted_file(
    comment: &str,
    include: &str,
    name: &str,
    workloads: &[Workload],
    clients: &[ClientGroup],
) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
    let (include, name) = (quoted(include), quoted(name));
    let _ = write!(text, "schema = 1\ninclude = [{include}]\nname = {name}\n");
    text.push_str("# What was measured and is expected of the load that this one replaces.\nmeasured = []\nexpect = []\n");
    for group in clients {
        let (id, count) = (quoted(&group.id), group.count);
        let _ = write!(text, "\n[[clients]]\nid = {id}\ncount = {count}\n");
    }
    for workload in workloads {
        let _ = write!(text, "\n[[workload]]\n");
        for (field, value) in fields(workload) {
            let _ = writeln!(text, "{field} = {value}");
        }
    }
    text
}

/// The path of a scenario in a file written to `target`: relative to the folder of that, if it exists;
/// otherwise unchanged.
pub fn seen_from(path: &Path, target: Option<&Path>) -> String {
    let folder = target.and_then(Path::parent);
    let folder = folder.filter(|folder| *folder != Path::new(""));
    let seen = folder.and_then(|folder| relative(path, folder));
    seen.unwrap_or_else(|| path.to_owned()).display().to_string()
}

/// The path relative to a folder: up to the common ancestor, and down again. `None` if one does not exist.
fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
    let parts = path.components().zip(folder.components());
    let common = parts.take_while(|(a, b)| a == b).count();
    // On Windows, paths on different drives have no common ancestor.
    if common == 0 {
        return None;
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    Some(up.chain(path.components().skip(common)).collect())
}

/// A text as a one-line TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A share in per cent.
fn percent(share: Fraction) -> String {
    format!("\"{} %\"", significant(100.0 * share.get(), DIGITS))
}

fn fields(workload: &Workload) -> Vec<(&'static str, String)> {
    let shares = workload.mix.shares();
    let mix = if let [(only, _)] = shares {
        quoted(only.name())
    } else {
        let weights = shares
            .iter()
            .map(|(operation, share)| format!("{operation} = {}", significant(share.get(), DIGITS)));
        format!("{{ {} }}", weights.collect::<Vec<_>>().join(", "))
    };
    let mut fields = vec![
        ("id", quoted(&workload.id)),
        ("clients", quoted(&workload.clients)),
        ("protocol", quoted(workload.protocol.name())),
        ("mix", mix),
    ];
    if workload.mix.moves_data() {
        fields.extend([
            ("io_size", format!("\"{} B\"", workload.io_size.get())),
            ("pattern", quoted(workload.pattern.as_str())),
            (
                "working_set",
                format!("\"{} B\" # in whole records", workload.working_set.get()),
            ),
            ("synchronous", workload.synchronous.to_string()),
            ("direct", workload.direct.to_string()),
        ]);
        if let Some(rate) = workload.hit_rate {
            fields.push(("hit_rate", percent(rate)));
        }
    }
    if let Some(bytes) = workload.commit_bytes {
        fields.push(("commit_bytes", format!("\"{} B\"", bytes.get())));
    }
    if let Some(rate) = workload.metadata.metadata_hit_rate {
        fields.push(("metadata_hit_rate", percent(rate)));
    }
    if let Some(pool) = workload.pool.as_ref().filter(|_| workload.mix.moves_data()) {
        fields.push(("pool", quoted(pool)));
    }
    if let Some(most) = workload.outstanding_per_client {
        fields.push(("outstanding_per_client", most.to_string()));
    }
    if let Arrivals::Open { rate, spacing } = workload.arrivals {
        fields.push(("rate", format!("\"{} ops/s\"", significant(rate.get(), DIGITS))));
        if spacing != Spacing::default() {
            fields.push(("arrivals", quoted(spacing.as_str())));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_diagnostics::Sources;
    use bandgraph_units::{Bytes, OperationRate};
    use bandgraph_workload::{AccessPattern, Metadata, Mix, OperationKind};

    use crate::{MemoryFiles, load_with};

    const BASE: &str = "schema = 1\nname = \"base\"\n[[clients]]\nid = \"c\"\n[[workload]]\nid = \"w\"\nclients = \"c\"\n\
                        mix = \"write\"\nthink_time = \"1 s\"\n\
                        [[expect]]\nmetric = \"ops_per_s\"\nmin = \"1 ops/s\"\n[topology]\nschema = 1\nname = \"t\"\n\
                        [[topology.socket]]\nid = \"cpu0\"\npart = \"opteron-8356\"\n\
                        memory = { part = \"ddr2-667\", channels = 2, size = \"32 GiB\" }\n\
[[topology.bridge]]\nid = \"io\"\npart = \"mcp55\"\n\
                        uplink = { to = \"cpu0\", part = \"ht1-x16\" }\n\
                        [[topology.slot]]\nid = \"s0\"\nbridge = \"io\"\npcie = \"gen1 x8\"\n\
                        [[topology.card]]\nid = \"nic0\"\npart = \"neptune-dual-10gbe\"\nslot = \"s0\"\n";

    /// Figures of a trace do not have 16 significant digits, and files should not suggest so.
    #[test]
    fn figures_have_few_digits() {
        let reads = Workload {
            hit_rate: Some(Fraction::new(19.0 / 26.0)),
            arrivals: Arrivals::Open {
                rate: OperationRate::new(181.700_396_157_265_94),
                spacing: Spacing::Poisson,
            },
            ..Workload::new("w", "c", Mix::single(OperationKind::Read))
        };
        let text = fitted_file("", "base.toml", "name", &[reads], &[]);
        assert!(text.contains("hit_rate = \"73.0769 %\"\n"), "{text}");
        assert!(text.contains("rate = \"181.7 ops/s\"\n"), "{text}");
    }

    /// Written workloads read back unchanged.
    #[test]
    fn workloads_read_back() {
        let open = Arrivals::Open {
            rate: OperationRate::new(123.25),
            spacing: Spacing::Poisson,
        };
        let reads = Workload {
            io_size: Bytes::new(12_345.0),
            working_set: Bytes::new(98_765_432.0),
            pattern: AccessPattern::Random,
            hit_rate: Some(Fraction::new(0.375)),
            commit_bytes: Some(Bytes::new(750_000.0)),
            outstanding_per_client: Some(17),
            arrivals: open,
            ..Workload::new("w", "c", Mix::single(OperationKind::Read))
        };
        let mix = Mix::new(&[(OperationKind::Getattr, 1.0), (OperationKind::Lookup, 3.0)]).expect("a mix");
        let names = Workload {
            arrivals: open,
            ..Workload::new("names", "c", mix)
        };
        let text = fitted_file(
            "a \"comment\"\nof two lines",
            "base.toml",
            "a \\ \"name\"",
            &[reads.clone(), names.clone()],
            &[ClientGroup {
                count: 3,
                ..ClientGroup::new("c")
            }],
        );
        let files = MemoryFiles::new()
            .with("base.toml", BASE)
            .with("fitted.toml", text.as_str());
        let mut sources = Sources::new();
        let loaded = load_with(&files, "fitted.toml".as_ref(), &[], &mut sources);
        let loaded = loaded.unwrap_or_else(|problems| panic!("{problems:?} in {text}"));
        assert_eq!(loaded.name, "a \\ \"name\"");
        assert_eq!(loaded.scenario.clients[0].count, 3);
        assert_eq!(loaded.expect.len() + loaded.measured.len(), 0);
        let [first, second] = loaded.scenario.workloads.as_slice() else {
            panic!("{text}");
        };
        assert_eq!(
            (
                first.io_size,
                first.working_set,
                first.hit_rate,
                first.outstanding_per_client
            ),
            (reads.io_size, reads.working_set, reads.hit_rate, Some(17))
        );
        assert_eq!(
            (first.commit_bytes, first.metadata),
            (reads.commit_bytes, Metadata::default())
        );
        assert_eq!(
            (first.pattern, first.arrivals, &first.mix),
            (reads.pattern, open, &reads.mix)
        );
        assert_eq!((second.arrivals, &second.mix), (open, &names.mix));
    }
}

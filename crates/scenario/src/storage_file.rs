//! Conversion of decoded pools, SSDs and cache settings into checked values.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_config::{Decoded, Node, Problems, Table, named, spread};
use bandgraph_diagnostics::{Diagnostic, Place};
use bandgraph_hardware::{AnyPart, DrivePart, SsdPart};
use bandgraph_model::storage::{CacheSettings, CacheStart, Feed, Pool, Ssd, SsdSeat, Storage};
use bandgraph_model::{Scenario, StorageError};
use bandgraph_topology::Topology;
use bandgraph_units::{Bandwidth, Bytes};

use crate::counted::{copies, ids, mismatch};

/// The storage of a scenario.
pub(crate) fn storage(decoded: &Decoded, problems: &mut Problems) -> Storage {
    Storage {
        pools: decoded.entries("pool").iter().map(pool).collect(),
        ssds: decoded
            .entries("ssd")
            .iter()
            .flat_map(|entry| ssds(entry, problems))
            .collect(),
        cache: CacheSettings {
            start: start(decoded.table("run")),
            ..decoded.table("cache").map(cache).unwrap_or_default()
        },
        every_disk: false,
    }
}

/// Adds the drives of the topology that are cards and that pools name as log or cache devices.
pub(crate) fn add_cards(storage: &mut Storage, topology: &Topology) {
    let named = storage
        .pools
        .iter()
        .flat_map(|pool| pool.log.iter().chain(&pool.cache));
    let named: BTreeSet<&String> = named.collect();
    let drives = topology.jbods().iter().filter(|drive| {
        let is_known = storage.ssds.iter().any(|ssd| ssd.id == drive.id);
        drive.card().is_some() && named.contains(&drive.id) && !is_known
    });
    let drives = drives.filter_map(|drive| match &drive.disk {
        DrivePart::Ssd(part) => Some(Ssd {
            id: drive.id.clone(),
            part: part.clone(),
            seat: SsdSeat::Jbod(drive.id.clone()),
        }),
        DrivePart::Disk(_) => None,
    });
    let drives: Vec<Ssd> = drives.collect();
    storage.ssds.extend(drives);
}

/// The log and cache devices that each pool of a file names.
pub(crate) fn devices_of(file: &Table) -> BTreeMap<String, Vec<String>> {
    let pools = file.get("pool").map_or(&[][..], |entry| entry.node.items());
    let pools = pools.iter().filter_map(Node::table);
    let named = |pool: &Table| {
        let lists = ["log", "cache"].map(|field| pool.get(field).map(|entry| entry.node.items()));
        let names = lists.into_iter().flatten().flatten().filter_map(Node::text);
        in_ranges(names.map(str::to_owned).collect())
    };
    let with_id = pools.filter_map(|pool| Some((pool.get("id")?.node.text()?.to_owned(), named(pool))));
    with_id.collect()
}

/// Keeps drives that are log or cache devices of a pool in its file from holding data where `--set` takes
/// them from its list: a pool that has all drives has no more of them.
pub(crate) fn keep_free(scenario: &mut Scenario, devices: &BTreeMap<String, Vec<String>>) {
    for pool in scenario
        .storage
        .pools
        .iter_mut()
        .filter(|pool| pool.jbods.is_empty())
    {
        let Some(named) = devices.get(&pool.id) else {
            continue;
        };
        let is_named = |id: &String| named.contains(id) || pool.log.contains(id) || pool.cache.contains(id);
        let all = scenario.topology.jbods().iter().map(|jbod| &jbod.id);
        if named.iter().any(|id| all.clone().any(|jbod| jbod == id)) {
            pool.jbods = all.filter(|id| !is_named(id)).cloned().collect();
        }
    }
}

/// Warns of pools whose drives differ, unless the software spreads data by their capacity and the file names
/// them.
pub(crate) fn unlike_drives(decoded: &Decoded, scenario: &Scenario, problems: &mut Problems) {
    for (entry, pool) in decoded.entries("pool").iter().zip(&scenario.storage.pools) {
        let mut counts: Vec<(&DrivePart, usize)> = Vec::new();
        for (jbod, disks) in pool.disks(&scenario.topology).filter(|&(_, disks)| disks > 0) {
            match counts.iter_mut().find(|(part, _)| **part == jbod.disk) {
                Some((_, count)) => *count += disks,
                None => counts.push((&jbod.disk, disks)),
            }
        }
        let by_capacity = pool.fills_by_capacity(&scenario.topology, &scenario.stack.storage);
        if counts.len() < 2 || by_capacity && entry.fields.contains_key("jbods") {
            continue;
        }
        let named = counts
            .iter()
            .map(|(part, count)| format!("{count} `{}`", part.part().name()));
        let named: Vec<String> = named.collect();
        let how = if by_capacity {
            "on each in proportion to its capacity"
        } else {
            "spread evenly: the slowest sets the rate, the smallest the room"
        };
        let message = format!("pool `{}` has drives that differ, and its data is {how}", pool.id);
        problems.push(
            Diagnostic::warning(UNLIKE_DRIVES, message)
                .at(entry.place_of("jbods"))
                .help(format!("it has {}", named.join(" and ")))
                .help("name the drives of the pool with `jbods`; usual is a pool for each kind of drive"),
        );
    }
}

/// The id of the warning of a pool whose drives differ.
const UNLIKE_DRIVES: &str = "scenario::unlike_drives";

/// Expands ranges of names such as `nvme[0-11]`. A reversed range is left unchanged: nothing has that name.
pub(crate) fn in_ranges(names: Vec<String>) -> Vec<String> {
    let each = names.into_iter().flat_map(|name| {
        let elements = named(&name);
        if elements.is_empty() { vec![name] } else { elements }
    });
    each.collect()
}

fn pool(entry: &Decoded) -> Pool {
    let pool = Pool::from_table(entry);
    Pool {
        jbods: in_ranges(pool.jbods),
        log: in_ranges(pool.log),
        cache: in_ranges(pool.cache),
        ..pool
    }
}

/// The SSDs of an entry: as many as it counts.
fn ssds(entry: &Decoded, problems: &mut Problems) -> Vec<Ssd> {
    let id = entry.text_or_empty("id");
    let (on, seat): (_, fn(String) -> SsdSeat) = match (entry.text("jbod"), entry.text("bridge")) {
        (Some(jbod), None) => (("jbod", jbod), SsdSeat::Jbod),
        (None, Some(bridge)) => (("bridge", bridge), SsdSeat::Bridge),
        (jbod, _) => {
            if entry.sound {
                let message = if jbod.is_some() {
                    format!("SSD `{id}` is in an enclosure and on a bridge")
                } else {
                    format!("SSD `{id}` does not say where it sits")
                };
                problems.push(
                    Diagnostic::error("scenario::ssd_seat", message)
                        .at(entry.place.clone())
                        .help("write `jbod = \"...\"`, or `bridge = \"...\"` for one that hangs on the board itself"),
                );
            }
            (("jbod", jbod.unwrap_or_default()), SsdSeat::Jbod)
        }
    };
    problems.extend(mismatch(entry, on.0, on.1, false));
    let part = match entry.made_as() {
        Some(AnyPart::Ssd(part)) => part.clone(),
        _ => SsdPart::default(),
    };
    let places = spread(on.1, copies(entry));
    let each = ids(entry).zip(places).map(|(id, place)| Ssd {
        id,
        part: part.clone(),
        seat: seat(place),
    });
    each.collect()
}

fn cache(entry: &Decoded) -> CacheSettings {
    let feed = Feed::default();
    CacheSettings {
        policy: entry.get("policy").unwrap_or_default(),
        size: entry.amount("size").map(Bytes::new),
        start: CacheStart::default(),
        feed: Feed {
            rate: entry.amount("feed_rate").map_or(feed.rate, Bandwidth::new),
            boost: entry.amount("feed_boost").map_or(feed.boost, Bandwidth::new),
        },
    }
}

/// The contents of the caches at the start of a run, from its settings.
fn start(run: Option<&Decoded>) -> CacheStart {
    run.and_then(|run| run.get("cache")).unwrap_or_default()
}

/// All errors of pools and of what names them, unless an entry that could be meant was not read.
pub(crate) fn errors(decoded: &Decoded, scenario: &Scenario) -> Vec<StorageError> {
    let mut entries = decoded.entries("pool").iter().chain(decoded.entries("ssd"));
    if entries.all(|entry| entry.sound) {
        scenario.storage_errors()
    } else {
        Vec::new()
    }
}

/// The place of the subject of a storage error.
pub(crate) fn place(decoded: &Decoded, error: &StorageError) -> Option<Place> {
    let subject = error.subject();
    if subject.kind == "cache" {
        return Some(decoded.table("cache")?.place_of(subject.field));
    }
    // Of two entries with the same id, the error is at the second.
    let mut entries = decoded.entries(subject.kind).iter().rev();
    let entry = entries.find(|entry| ids(entry).any(|id| id == subject.id))?;
    Some(entry.place_of(subject.field))
}

//! The resources that are used most, with many identical ones in one row.

use std::collections::BTreeMap;

use super::words::percent;
use crate::json::ResourceDocument;

/// Slots or ports that share a row.
const MANY: usize = 8;
/// The least of several loads over the greatest, from which on they are the same.
const SAME_LOAD: f64 = 0.99;

/// The least load of a disk or a NIC of a client over that of the fullest, from which on they share a row:
/// chance makes loads uneven, but what has no work is no part of what limits.
const SIMILAR_LOAD: f64 = 0.5;

/// A resource, or several identical ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Busy<'r> {
    /// The fullest of them.
    pub(crate) resource: &'r ResourceDocument,
    /// Its position among all resources.
    pub(crate) index: usize,
    /// How many there are.
    count: usize,
}

impl Busy<'_> {
    /// Its id; for several `40 x client.blades*.*.in`.
    pub(crate) fn name(&self) -> String {
        let Busy { resource, .. } = self;
        named(
            self.count,
            &resource.id,
            &shared_name(&resource.id, &resource.kind),
        )
    }
}

/// The `rows` resources that are nearest to their limits, and the others, the nearest first. Where ids differ
/// in nothing but numbers, NICs of clients and disks with similar loads share a row, and so do many slots or
/// ports with the same load, and parallel links between two sockets.
pub(crate) fn busiest(resources: &[ResourceDocument], rows: usize) -> (Vec<Busy<'_>>, Vec<Busy<'_>>) {
    // Resources of one kind that share a name have its number.
    let mut numbers: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let names: Vec<usize> = resources
        .iter()
        .map(|resource| {
            let next = numbers.len();
            let name = shared_name(&resource.id, &resource.kind);
            *numbers.entry((name, resource.kind.as_str())).or_insert(next)
        })
        .collect();
    let loads = loads(resources, &names, numbers.len());
    let mut groups: Vec<Busy<'_>> = Vec::new();
    // By name, and whether they have less to do than others of that name: their group.
    let mut known = vec![[None; 2]; numbers.len()];
    for (index, (resource, &name)) in resources.iter().zip(&names).enumerate() {
        let load = &loads[name];
        let has_less = has_similar(resource) && resource.saturation < SIMILAR_LOAD * load.most;
        let (next, number) = (groups.len(), resource.count.unwrap_or(1) as usize);
        let group = if has_similar(resource) || load.is_equal(&resource.kind) {
            *known[name][usize::from(has_less)].get_or_insert(next)
        } else {
            next
        };
        if group < next {
            let group = &mut groups[group];
            group.count += number;
            if resource.saturation > group.resource.saturation {
                (group.resource, group.index) = (resource, index);
            }
        } else {
            groups.push(Busy {
                resource,
                index,
                count: number,
            });
        }
    }
    // Those that print as the same share keep the order of the topology: what differs is chance.
    let shown = |busy: &Busy<'_>| (busy.resource.saturation * 1000.0).round();
    groups.sort_by(|a, b| shown(b).total_cmp(&shown(a)));
    let left_out = groups.split_off(groups.len().min(rows));
    (groups, left_out)
}

/// Whether it shares a row with others wherever their loads are similar.
fn has_similar(resource: &ResourceDocument) -> bool {
    matches!(resource.kind.as_str(), "client" | "disk")
}

/// The loads of the resources that share a name.
#[derive(Clone)]
struct Loads {
    count: usize,
    least: f64,
    most: f64,
}

impl Loads {
    /// Whether they are at least [`MANY`] slots or ports, or parallel links, that have the same load.
    fn is_equal(&self, kind: &str) -> bool {
        let enough = enough(kind).is_some_and(|enough| self.count >= enough);
        enough && self.least >= self.most * SAME_LOAD
    }
}

/// How many resources of a kind share a row if their loads are equal; `None` for kinds with a row each.
pub(super) fn enough(kind: &str) -> Option<usize> {
    match kind {
        "pcie" | "ethernet" | "sas" => Some(MANY),
        "socket-link" | "client" | "disk" => Some(2),
        _ => None,
    }
}

/// The loads by name; `names` is the name of each resource, a number below `count`.
fn loads(resources: &[ResourceDocument], names: &[usize], count: usize) -> Vec<Loads> {
    let none = Loads {
        count: 0,
        least: f64::INFINITY,
        most: 0.0,
    };
    let mut loads = vec![none; count];
    for (resource, &name) in resources.iter().zip(names) {
        let loads = &mut loads[name];
        loads.count += 1;
        loads.least = loads.least.min(resource.saturation);
        loads.most = loads.most.max(resource.saturation);
    }
    loads
}

/// What the resources are that a list has no room for, in a sentence without a stop; `None` without any.
pub(crate) fn others(left_out: &[Busy<'_>]) -> Option<String> {
    left_out.first().map(|fullest| {
        if fullest.resource.rate == 0.0 {
            return format!("{} more are idle", left_out.len());
        }
        format!(
            "{} more, at most {} of usable capacity ({})",
            left_out.len(),
            percent(fullest.resource.saturation),
            fullest.name()
        )
    })
}

/// The name of one thing, or of several identical ones by what their names share.
pub(crate) fn named(count: usize, one: &str, shared: &str) -> String {
    match count {
        1 => one.to_owned(),
        _ => format!("{count} x {shared}"),
    }
}

/// What identical resources of a kind have in common in their ids.
pub(super) fn shared_name(id: &str, kind: &str) -> String {
    if kind == "socket-link" {
        cable(id).to_owned()
    } else {
        pattern(id)
    }
}

/// The id of the first of parallel links: `link.cpu0-cpu1` of `link.cpu0-cpu1.b`. The second to the 26th
/// have a letter, further ones a number above those of NUMA nodes (`link.cpu0.1-cpu1.1` is a first link).
pub(super) fn cable(id: &str) -> &str {
    let is_suffix = |last: &str| match last.parse::<u32>() {
        Ok(number) => number > 26,
        Err(_) => last.len() == 1,
    };
    match id.rsplit_once('.') {
        Some((first, last)) if is_suffix(last) => first,
        _ => id,
    }
}

/// `id` with a `*` for every number in it.
pub(crate) fn pattern(id: &str) -> String {
    let mut pattern = String::with_capacity(id.len());
    for c in id.chars() {
        if !c.is_ascii_digit() {
            pattern.push(c);
        } else if !pattern.ends_with('*') {
            pattern.push('*');
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(id: &str, kind: &str, rate: f64) -> ResourceDocument {
        ResourceDocument {
            id: id.to_owned(),
            kind: kind.to_owned(),
            technology: None,
            from: String::new(),
            to: String::new(),
            count: None,
            capacity: 100.0,
            unit: "bytes/s".to_owned(),
            rate,
            utilisation: rate / 100.0,
            ceiling: 1.0,
            saturation: rate / 100.0,
            ops_per_s: None,
            bytes_per_s: None,
        }
    }

    /// The rows of resources: the name and the rate of each.
    fn rows(resources: &[ResourceDocument]) -> Vec<(String, f64)> {
        let rows = busiest(resources, 100).0;
        rows.iter().map(|row| (row.name(), row.resource.rate)).collect()
    }

    #[test]
    fn clients_are_put_together_and_ports_are_not() {
        let resources = [
            resource("port.nic0.0.in", "ethernet", 10.0),
            resource("port.nic0.1.in", "ethernet", 30.0),
            resource("client.c0.0.in", "client", 20.0),
            resource("client.c17.1.in", "client", 25.0),
            resource("client.c17.1.out", "client", 1.0),
        ];
        let expected = [
            ("port.nic0.1.in", 30.0),
            ("2 x client.c*.*.in", 25.0),
            ("port.nic0.0.in", 10.0),
            ("client.c17.1.out", 1.0),
        ];
        assert_eq!(
            rows(&resources),
            expected.map(|(name, rate)| (name.to_owned(), rate))
        );
    }

    /// Of twelve drives two are full: nobody reads that all are.
    #[test]
    fn idle_disks_have_a_row_of_their_own() {
        let rate = |disk: u32| [100.0, 0.0, 0.0, 98.0, 0.0, 0.0][disk as usize];
        let disks: Vec<_> = (0..6)
            .map(|disk| resource(&format!("disk.nvme{disk}"), "disk", rate(disk)))
            .collect();
        let expected = [("2 x disk.nvme*", 100.0), ("4 x disk.nvme*", 0.0)];
        assert_eq!(rows(&disks), expected.map(|(name, rate)| (name.to_owned(), rate)));
    }

    /// Nodes of sockets have a dot in their ids, as parallel links have.
    #[test]
    fn links_of_nodes_keep_their_ends() {
        for (id, first) in [
            ("link.cpu0-cpu1", "link.cpu0-cpu1"),
            ("link.cpu0-cpu1.b", "link.cpu0-cpu1"),
            ("link.cpu0-cpu1.27", "link.cpu0-cpu1"),
            ("link.cpu1.0-cpu0.3", "link.cpu1.0-cpu0.3"),
            ("link.cpu1.0-cpu0.0.b", "link.cpu1.0-cpu0.0"),
        ] {
            assert_eq!(cable(id), first);
        }
    }

    /// A server with four cables between its sockets has two rows for them, one a direction.
    #[test]
    fn parallel_links_with_the_same_load_share_a_row() {
        let links = [
            "cpu0-cpu1",
            "cpu0-cpu1.b",
            "cpu0-cpu1.c",
            "cpu1-cpu0",
            "cpu1-cpu0.b",
        ];
        let names = |rates: [f64; 5]| -> Vec<String> {
            let links = links.iter().zip(rates);
            let all: Vec<ResourceDocument> = links
                .map(|(id, rate)| resource(&format!("link.{id}"), "socket-link", rate))
                .collect();
            busiest(&all, 100).0.iter().map(Busy::name).collect()
        };
        assert_eq!(
            names([30.0, 30.0, 30.0, 20.0, 20.0]),
            ["3 x link.cpu0-cpu1", "2 x link.cpu1-cpu0"]
        );
        assert_eq!(names([30.0, 30.0, 30.0, 20.0, 10.0]).len(), 3);
    }

    #[test]
    fn many_slots_share_a_row_where_their_loads_are_the_same() {
        let names = |uneven: f64| -> Vec<String> {
            let rate = |bay: u32| if bay == 7 { uneven } else { 50.0 };
            let bays = (0..8).map(|bay| resource(&format!("slot.bay{bay}.in"), "pcie", rate(bay)));
            let few = (0..7).map(|slot| resource(&format!("slot.s{slot}.in"), "pcie", 10.0));
            let all: Vec<ResourceDocument> = bays.chain(few).collect();
            busiest(&all, 100).0.iter().map(Busy::name).collect()
        };
        assert_eq!(names(49.9).len(), 8);
        assert_eq!(names(49.9)[0], "8 x slot.bay*.in");
        assert_eq!(names(40.0).len(), 15);
    }
}

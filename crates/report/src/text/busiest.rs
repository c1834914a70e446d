//! The resources that are used most, with many alike in one row.

use std::collections::BTreeMap;

use bandgraph_solve::ResourceUse;
use bandgraph_topology::ResourceKind;

/// A resource, or several that are alike.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Busy<'a> {
    /// Its id; for several `40 x client.blades*.*.in`.
    pub(crate) name: String,
    /// The fullest of them.
    pub(crate) resource: &'a ResourceUse,
}

/// All resources, the fullest first; equally full ones stay in the order of the topology. The NICs of clients
/// and the disks, of which there may be hundreds, are put together where their ids differ in nothing but
/// numbers.
pub(crate) fn busiest(resources: &[ResourceUse]) -> Vec<Busy<'_>> {
    let mut groups: Vec<(String, usize, &ResourceUse)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for resource in resources {
        let many = matches!(resource.kind, ResourceKind::Client | ResourceKind::Disk);
        let name = if many {
            pattern(&resource.id)
        } else {
            resource.id.clone()
        };
        if let Some(index) = known.get(&name) {
            let (_, count, fullest) = &mut groups[*index];
            *count += 1;
            if resource.saturation() > fullest.saturation() {
                *fullest = resource;
            }
        } else {
            known.insert(name.clone(), groups.len());
            groups.push((name, 1, resource));
        }
    }
    groups.sort_by(|a, b| b.2.saturation().total_cmp(&a.2.saturation()));
    groups
        .into_iter()
        .map(|(name, count, resource)| Busy {
            name: if count == 1 {
                resource.id.clone()
            } else {
                format!("{count} x {name}")
            },
            resource,
        })
        .collect()
}

/// `id` with a `*` for every number in it.
pub(crate) fn pattern(id: &str) -> String {
    let mut pattern = String::new();
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
    use std::sync::Arc;

    use bandgraph_topology::{ClientResource, Direction, PortResource, Resource, Role, Unit};

    use super::*;

    fn resource(id: &str, role: Role, rate: f64) -> ResourceUse {
        let unit = Unit::BytesPerSecond;
        ResourceUse {
            resource: Arc::new(Resource::new(id.to_owned(), role, [""; 2], 100.0, unit, "")),
            rate,
        }
    }

    #[test]
    fn clients_are_put_together_and_ports_are_not() {
        let port = |port| Role::Port {
            port,
            resource: PortResource::Wire(Direction::In),
        };
        let client = |nic, direction| Role::Client {
            nic,
            resource: ClientResource::Wire(direction),
        };
        let resources = [
            resource("port.nic0.0.in", port(0), 10.0),
            resource("port.nic0.1.in", port(1), 30.0),
            resource("client.c0.0.in", client(0, Direction::In), 20.0),
            resource("client.c17.1.in", client(1, Direction::In), 25.0),
            resource("client.c17.1.out", client(1, Direction::Out), 1.0),
        ];
        let rows: Vec<(String, f64)> = busiest(&resources)
            .into_iter()
            .map(|row| (row.name, row.resource.rate))
            .collect();
        assert_eq!(
            rows,
            [
                ("port.nic0.1.in".to_owned(), 30.0),
                ("2 x client.c*.*.in".to_owned(), 25.0),
                ("port.nic0.0.in".to_owned(), 10.0),
                ("client.c17.1.out".to_owned(), 1.0),
            ]
        );
    }
}

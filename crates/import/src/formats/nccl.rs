//! Topology files of NCCL and RCCL (`NCCL_TOPO_DUMP_FILE`): NUMA nodes with their PCI trees and network
//! ports.
//!
//! Some of these files are written by hand for virtual machines. A bridge at `ffff:ff` is invented: it groups
//! devices. A switch that prints a lower transfer rate than its own ports below was idle when it was read.

use super::text::{leading_number, positive};
use super::xml::{Element, walk, with_root};
use super::{Reader, Text};
use crate::facts::{Conflict, Device, Facts, Interface, Node, OutOfRange};
use crate::origin::{Fact, Known, Said};
use crate::pci::{PciAddress, generation_of, lanes_of};
use crate::table;

pub(crate) const READER: Reader = Reader {
    name: "NCCL topology",
    recognises,
    read,
};

fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("<system version=") && text.contains("<cpu ")
}

/// What is above an element.
#[derive(Clone, Default)]
struct Above {
    node: Fact<u32>,
    /// Bridge or device, by its place among the devices.
    device: Option<usize>,
    /// Generation of the processor's own ports.
    ports: Option<u8>,
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    with_root(text, |root| {
        walk(root, Above::default(), &mut |element, above| {
            visit(element, above, facts)
        });
    });
    idle_switches(facts);
}

fn visit(element: Element<'_>, above: Above, facts: &mut Facts) -> Option<Above> {
    match element.name() {
        "cpu" => {
            let number = element.infer("numaid", |id| id.parse().ok());
            if number.is_some() {
                facts.nodes.push(Node {
                    number: number.clone(),
                    ..Node::default()
                });
            }
            Some(Above {
                node: number,
                device: None,
                ports: ports_of(element),
            })
        }
        "pci" => {
            let id = element.attribute("busid")?;
            if id.text.starts_with("ffff:ff") {
                // What it groups may hang on a switch that is not shown.
                return Some(Above { ports: None, ..above });
            }
            let address = PciAddress::parse(id.text)?;
            let mut device = device(element, id.says(address), &above, facts);
            let limit = above.ports.filter(|_| above.device.is_none());
            if let Some(limit) = limit
                && let Some(said) = device.generation.take_if(|said| said.value > limit)
            {
                let message = format!(
                    "the link of {address} is printed as gen{}, and such processors have gen{limit}: \
                     it is taken as unknown",
                    said.value
                );
                facts.out_of_range.push(OutOfRange { message, at: said.at });
            }
            facts.devices.push(device);
            Some(Above {
                device: Some(facts.devices.len() - 1),
                ..above
            })
        }
        "net" => {
            let name = element.attribute("name")?;
            facts.interfaces.push(Interface {
                name: name.whole(),
                address: address_above(&above, facts),
                rate: element.infer("speed", |speed| Some(positive::<f64>(speed)? * 1e6)),
                ..Interface::default()
            });
            None
        }
        "gpu" => {
            let device = &mut facts.devices[above.device?];
            device.is_gpu = device.address.infer(|_| Some(true));
            None
        }
        _ => Some(above),
    }
}

/// Generation of the ports of a processor, by what CPUID calls it.
fn ports_of(processor: Element<'_>) -> Option<u8> {
    let [vendor, family, model] = ["vendor", "familyid", "modelid"].map(|name| processor.attribute(name));
    table::ports_of_model(vendor?.text, family?.text, model?.text)
}

/// The address of the device above an element.
fn address_above(above: &Above, facts: &Facts) -> Fact<PciAddress> {
    facts.devices[above.device?].address.clone()
}

fn device(element: Element<'_>, address: Option<Said<PciAddress>>, above: &Above, facts: &Facts) -> Device {
    let hex = |name| element.infer(name, |id| u32::from_str_radix(id.strip_prefix("0x")?, 16).ok());
    let id = |name| hex(name).infer(|&id| u16::try_from(id).ok().filter(|&id| id != 0 && id != 0xffff));
    Device {
        address,
        class: hex("class"),
        vendor: id("vendor"),
        device: id("device"),
        subsystem_vendor: id("subsystem_vendor"),
        subsystem: id("subsystem_device"),
        // `16 GT/s` of old kernels, `16.0 GT/s PCIe` of new ones.
        generation: element.infer("link_speed", |speed| generation_of(leading_number(speed)?)),
        lanes: element.infer("link_width", |width| lanes_of(width.parse().ok()?)),
        numa_node: above.node.clone(),
        parent: address_above(above, facts),
        ..Device::default()
    }
}

/// The field of a contradiction between the link of a switch to the processor and those of its ports.
pub(crate) const IDLE_UPLINK: &str = "generation of an uplink";

/// A switch whose link to the processor is slower than all its links below: the value is kept as a
/// contradiction.
fn idle_switches(facts: &mut Facts) {
    let is_bridge = |device: &Device| device.class.is(|class| class >> 8 == 0x0604);
    let mut idle = Vec::new();
    for (index, switch) in facts.devices.iter().enumerate() {
        let (Some(own), true, None) = (&switch.generation, is_bridge(switch), &switch.parent) else {
            continue;
        };
        let mut ports = facts
            .devices
            .iter()
            .filter(|port| is_bridge(port) && port.parent == switch.address && port.parent.is_some())
            .filter_map(|port| port.generation.as_ref());
        if let Some(port) = ports.next()
            && port.value > own.value
            && ports.all(|other| other.value > own.value)
        {
            idle.push((
                index,
                Conflict {
                    field: IDLE_UPLINK,
                    of: None,
                    kept: (port.value.to_string(), port.at),
                    dropped: (own.value.to_string(), own.at),
                },
            ));
        }
    }
    for (index, conflict) in idle {
        facts.devices[index].generation = None;
        facts.conflicts.push(conflict);
    }
}

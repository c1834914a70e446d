//! The fields of devices of pools, in a scenario file.

use bandgraph_hardware::{PartFields, PartKind, PartShape};

use super::scenario::ID;
use super::{Identity, Kind, Shape, of, optional, required};

/// A log or cache device.
pub(crate) static SSD: Kind = Kind {
    name: "ssd",
    doc: "An SSD that a pool names as a log or cache device.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        required(
            "part",
            of(Shape::Custom(&PartShape(&[PartKind::Ssd]))),
            "The kind of SSD.",
        ),
        optional(
            "jbod",
            of(Shape::Reference("jbod")),
            "The enclosure that it sits in, behind that enclosure's adapter.",
        ),
        optional(
            "bridge",
            of(Shape::Reference("bridge")),
            "The I/O bridge of one that hangs on the board itself.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::Ssd])),
};

//! The kinds of parts: a part, or a card, of any of them.

use bandgraph_config::{Field, FieldError, FieldValue, Kind, Origin};

use crate::card::cards;
use crate::part::{Part, PartKind, every_kind};
use crate::parts::{
    BridgePart, ChassisPart, DiskPart, GpuPart, HbaPart, JbodPart, MemoryPart, NetworkSwitchPart, NicPart,
    NvmePart, PcieSlotPart, PcieSwitchPart, SocketLinkPart, SocketPart, SsdPart,
};

macro_rules! any_part {
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident($part:ident) = $text:literal, $method:ident in $($file:literal)+;
    )+) => {
        impl PartKind {
            /// The table of parts of this kind in files.
            pub(crate) const fn table(self) -> &'static Kind {
                match self {
                    $(Self::$kind => $part::KIND,)+
                }
            }

            /// The fields of parts of this kind except name and origin, in documented order.
            pub fn fields(self) -> impl Iterator<Item = &'static Field> + Clone {
                self.table().fields()
            }

            /// A part of this kind with the default of every field, for a definition without a base.
            pub fn default_part(self) -> AnyPart {
                match self {
                    $(Self::$kind => AnyPart::$kind($part::default()),)+
                }
            }
        }

        /// A part of any kind.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(clippy::large_enum_variant, reason = "few exist at a time, most of them sockets")]
        pub enum AnyPart {
            $($(#[doc = $doc])* $kind($part),)+
        }

        $(
            impl From<$part> for AnyPart {
                fn from(part: $part) -> Self {
                    Self::$kind(part)
                }
            }
        )+

        impl AnyPart {
            fn inner(&self) -> &dyn Part {
                match self {
                    $(Self::$kind(part) => part,)+
                }
            }

            fn inner_mut(&mut self) -> &mut dyn Part {
                match self {
                    $(Self::$kind(part) => part,)+
                }
            }
        }
    };
}

every_kind!(any_part);

cards! {
    /// A network card.
    Nic(NicPart);
    /// A SAS host bus adapter.
    Hba(HbaPart);
    /// An NVMe drive.
    Nvme(NvmePart);
    /// A GPU.
    Gpu(GpuPart);
}

impl Part for AnyPart {
    fn kind(&self) -> PartKind {
        self.inner().kind()
    }

    fn name(&self) -> &str {
        self.inner().name()
    }

    fn origin(&self) -> &Origin {
        self.inner().origin()
    }

    fn get(&self, field: &str) -> Option<FieldValue> {
        self.inner().get(field)
    }

    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), FieldError> {
        self.inner_mut().set(field, value)
    }

    fn rename(&mut self, name: &str, origin: Origin) {
        self.inner_mut().rename(name, origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_units::Frequency;

    #[test]
    fn fields_are_read_and_set_by_name() {
        let mut part = PartKind::Socket.default_part();
        part.rename("mine", Origin::default());
        part.set("clock", FieldValue::Quantity(3e9))
            .expect("3 GHz is a clock");
        assert_eq!(part.get("clock"), Some(FieldValue::Quantity(3e9)));
        assert_eq!(part.get("colour"), None);
        let AnyPart::Socket(socket) = &part else {
            unreachable!("the default socket is a socket")
        };
        assert_eq!(socket.clock, Frequency::new(3e9));
        assert_eq!(part.name(), "mine");
    }

    #[test]
    fn a_refused_value_leaves_the_part_as_it_was() {
        let mut part = PartKind::Nic.default_part();
        let before = part.clone();
        for (field, value) in [
            ("colour", FieldValue::Flag(true)),
            ("ports", FieldValue::Count(0)),
            ("port_rate", FieldValue::Quantity(f64::INFINITY)),
            ("pcie_generation", FieldValue::Text("gen0".to_owned())),
            ("ports", FieldValue::Quantity(2.0)),
        ] {
            assert!(part.set(field, value).is_err(), "{field}");
        }
        assert_eq!(part, before);
        assert_eq!(
            part.set("colour", FieldValue::Flag(true))
                .expect_err("there is no such field")
                .to_string(),
            "a nic has no field `colour`"
        );
    }

    #[test]
    fn defaults_are_values_that_could_be_set() {
        for kind in PartKind::ALL {
            let part = kind.default_part();
            assert_eq!(part.kind(), *kind);
            assert_eq!(kind.as_str().parse(), Ok(*kind));
            for info in kind.fields() {
                let value = part.get(info.name).expect("every listed field can be read");
                assert_eq!(info.check(&value), Ok(()), "{kind} {}", info.name);
                assert!(
                    !info.doc.is_empty() && info.doc.ends_with('.'),
                    "{kind} {}",
                    info.name
                );
            }
        }
    }
}

//! No protocol at all: threads on the server itself, whose operations cost what its software says and send nothing.
//!
//! It is for work that loads processors and memory without a network, such as the transactions of a benchmark of
//! servers. Threads are written like those of clients, because they are as many and think as long.

use bandgraph_units::Bytes;

use super::{Medium, Protocol};
use crate::{Exchange, NetworkSettings, OperationKind};

pub(super) struct Host;

impl Protocol for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn medium(&self) -> Medium {
        Medium::None
    }

    fn has(&self, kind: OperationKind) -> bool {
        !kind.moves_data()
    }

    fn serves_files(&self) -> bool {
        false
    }

    fn exchange(&self, _kind: OperationKind, _io_size: Bytes, _settings: &NetworkSettings) -> Exchange {
        Exchange::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtocolKind;

    #[test]
    fn nothing_is_sent() {
        let sent = crate::exchange(
            ProtocolKind::Host,
            OperationKind::Null,
            Bytes::new(8192.0),
            &NetworkSettings::default(),
        );
        assert_eq!(sent, Exchange::default());
        assert!(ProtocolKind::Host.has(OperationKind::Null) && !ProtocolKind::Host.has(OperationKind::Read));
    }
}

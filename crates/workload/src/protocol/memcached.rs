//! The text protocol of memcached over TCP (protocol.txt of memcached 1.4). A `read` is a `get` that hits, a
//! `write` a `set`; the I/O size is that of the value.
//!
//! ```text
//! get <key>\r\n                                  VALUE <key> 0 <bytes>\r\n<data>\r\nEND\r\n
//! set <key> 0 0 <bytes>\r\n<data>\r\n            STORED\r\n
//! ```
//!
//! Flags and expiry are one digit each.

use bandgraph_units::Bytes;

use super::Protocol;
use crate::tcp::{self, Call};
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind};

const LINE_END: f64 = 2.0;
/// `STORED` and the end of its line.
const STORED: f64 = 6.0 + LINE_END;
/// `END` and the end of its line.
const END: f64 = 3.0 + LINE_END;

pub(super) const MEMCACHED: Protocol = Protocol {
    serves_files: false,
    operations: &[OperationKind::Read, OperationKind::Write],
    ..Protocol::new("memcached", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let (key, value) = (settings.memcached_key.get(), io_size.get());
    let get = "get ".len() as f64 + key + LINE_END;
    let header = "VALUE ".len() as f64 + key + " 0 ".len() as f64 + digits(value) + LINE_END;
    let set = "set ".len() as f64 + key + " 0 0 ".len() as f64 + digits(value) + LINE_END;
    let data = value + LINE_END;
    let (call, reply, read, written) = match kind.data() {
        DataDirection::Read => (get, header + data + END, value, 0.0),
        DataDirection::Write => (set + data, STORED, 0.0, value),
        DataDirection::None => return Exchange::default(),
    };
    tcp::exchange(&[Call::once(call, reply)], [read, written], settings)
}

/// Digits of a whole number.
fn digits(number: f64) -> f64 {
    libm::log10(number.max(1.0)).floor() + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtocolKind;

    fn exchange(kind: OperationKind, value: f64, key: f64) -> Exchange {
        let settings = NetworkSettings {
            memcached_key: Bytes::new(key),
            ..NetworkSettings::default()
        };
        crate::exchange(ProtocolKind::Memcached, kind, Bytes::new(value), &settings)
    }

    /// By hand, counted from the texts themselves.
    #[test]
    fn messages_are_as_long_as_their_texts() {
        let key = "session:1234";
        for (value, length) in [
            (9_usize, "9"),
            (10, "10"),
            (99, "99"),
            (100, "100"),
            (12_800, "12800"),
        ] {
            let data = "x".repeat(value);
            let texts = [
                (
                    OperationKind::Read,
                    format!("get {key}\r\n"),
                    format!("VALUE {key} 0 {length}\r\n{data}\r\nEND\r\n"),
                ),
                (
                    OperationKind::Write,
                    format!("set {key} 0 0 {length}\r\n{data}\r\n"),
                    "STORED\r\n".to_owned(),
                ),
            ];
            for (kind, call, reply) in texts {
                let found = exchange(kind, value as f64, key.len() as f64);
                assert_eq!(found.call_bytes, call.len() as f64, "{kind} {value}");
                assert_eq!(found.reply_bytes, reply.len() as f64, "{kind} {value}");
                assert_eq!(found.payload(), value as f64);
            }
        }
    }

    #[test]
    fn it_has_gets_and_sets_and_no_files() {
        assert!(ProtocolKind::Memcached.has(OperationKind::Read));
        assert!(!ProtocolKind::Memcached.has(OperationKind::Lookup));
        assert!(!ProtocolKind::Memcached.serves_files());
    }
}

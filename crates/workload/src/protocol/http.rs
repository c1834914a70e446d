//! HTTP/1.1 (RFC 9110, RFC 9112) and the object protocol S3 over it, plain and with TLS: a `read` is a GET of
//! an object or a range of it, a `write` a PUT, a `getattr` a HEAD, a `remove` a DELETE. Every operation is
//! one request and its response on a persistent connection; each thread of a client has one.
//!
//! The sizes are those of the texts below, which widespread servers and clients send, with paths of 32
//! characters (assumption). Byte counts have as many digits as they need. S3 requests carry a version 4
//! signature in headers; their data is not signed in chunks, which clients omit over TLS.

use bandgraph_units::Bytes;

use super::{Protocol, tls};
use crate::OperationKind::{Getattr, Read, Remove, Write};
use crate::tcp::{self, Call};
use crate::{Exchange, NetworkSettings, OperationKind};

/// The fixed headers of requests and responses, without the first line and lengths.
struct Texts {
    request: &'static str,
    response: &'static str,
}

const WEB: Texts = Texts {
    request: "Host: storage.example.com\r\nUser-Agent: client/1.0.0\r\nAccept: */*\r\n\r\n",
    response: "Server: server/1.0.0\r\n\
               Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
               Content-Type: application/octet-stream\r\n\
               Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
               Connection: keep-alive\r\n\
               ETag: \"0123456789abcdef0123456789abcdef\"\r\n\
               Accept-Ranges: bytes\r\n\r\n",
};

const OBJECTS: Texts = Texts {
    request: "Host: bucket.s3.example.com\r\nUser-Agent: client/1.0.0\r\nAccept-Encoding: identity\r\n\
              X-Amz-Date: 20260101T000000Z\r\n\
              X-Amz-Content-SHA256: UNSIGNED-PAYLOAD\r\n\
              Authorization: AWS4-HMAC-SHA256 Credential=ABCDEFGHIJKLMNOPQRST/20260101/us-east-1/s3/aws4_request, \
              SignedHeaders=host;x-amz-content-sha256;x-amz-date, \
              Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n\r\n",
    response: "Server: server/1.0.0\r\n\
               Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
               Content-Type: binary/octet-stream\r\n\
               Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
               ETag: \"0123456789abcdef0123456789abcdef\"\r\n\
               Accept-Ranges: bytes\r\n\
               X-Amz-Request-Id: 0123456789ABCDEF\r\n\
               X-Amz-Id-2: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n\r\n",
};

/// The path of an object.
const PATH: &str = "/0123456789abcdef/0123456789abcde";

/// HTTP/1.1 over TCP.
pub(super) const HTTP: Protocol = Protocol {
    operations: &[Read, Write, Getattr, Remove],
    has_connection_per_thread: true,
    overwrites: false,
    ..Protocol::new("http", |kind, io_size, settings| {
        exchange(&WEB, |message| message, kind, io_size, settings)
    })
};
/// HTTP/1.1 over TLS.
pub(super) const HTTPS: Protocol = Protocol {
    name: "https",
    is_encrypted: true,
    exchange: |kind, io_size, settings| exchange(&WEB, tls::sealed, kind, io_size, settings),
    ..HTTP
};
/// S3 over TCP.
pub(super) const S3: Protocol = Protocol {
    name: "s3",
    exchange: |kind, io_size, settings| exchange(&OBJECTS, |message| message, kind, io_size, settings),
    ..HTTP
};
/// S3 over TLS.
pub(super) const S3_TLS: Protocol = Protocol {
    name: "s3-tls",
    is_encrypted: true,
    exchange: |kind, io_size, settings| exchange(&OBJECTS, tls::sealed, kind, io_size, settings),
    ..HTTP
};

/// The header with the length of the data.
fn content_length(data: f64) -> f64 {
    format!("Content-Length: {data:.0}\r\n").len() as f64
}

/// A request and its response; `on_wire` is the size of a message on the connection.
fn exchange(
    texts: &Texts,
    on_wire: fn(f64) -> f64,
    kind: OperationKind,
    io_size: Bytes,
    settings: &NetworkSettings,
) -> Exchange {
    let [read, written] = kind.data().bytes(io_size.get());
    let (method, status) = match kind {
        Write => ("PUT", "200 OK"),
        Getattr => ("HEAD", "200 OK"),
        Remove => ("DELETE", "204 No Content"),
        _ => ("GET", "200 OK"),
    };
    let first_lines = (
        format!("{method} {PATH} HTTP/1.1\r\n").len() as f64,
        format!("HTTP/1.1 {status}\r\n").len() as f64,
    );
    let mut request = first_lines.0 + texts.request.len() as f64 + written;
    if kind == Write {
        request += content_length(written);
    }
    let response = first_lines.1 + content_length(read) + texts.response.len() as f64 + read;
    let call = Call::once(on_wire(request), on_wire(response));
    tcp::exchange(&[call], [read, written], settings)
}

#[cfg(test)]
mod tests {
    use crate::protocol::{usual as http, usual_sizes as sizes};
    use crate::{OperationKind, ProtocolKind};

    /// The complete texts, counted.
    #[test]
    fn a_get_is_as_long_as_its_text() {
        let request = "GET /0123456789abcdef/0123456789abcde HTTP/1.1\r\nHost: storage.example.com\r\n\
                       User-Agent: client/1.0.0\r\nAccept: */*\r\n\r\n";
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nServer: server/1.0.0\r\n\
                        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: application/octet-stream\r\n\
                        Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: keep-alive\r\n\
                        ETag: \"0123456789abcdef0123456789abcdef\"\r\nAccept-Ranges: bytes\r\n\r\n";
        let get = http(ProtocolKind::Http, OperationKind::Read, 1000.0);
        assert_eq!(get.call_bytes, request.len() as f64);
        assert_eq!(get.reply_bytes, response.len() as f64 + 1000.0);
    }

    /// 1 MiB of data with its headers are 65 records.
    #[test]
    fn tls_adds_22_bytes_for_each_record() {
        let mib = 1_048_576.0;
        for (plain, sealed) in [
            (ProtocolKind::Http, ProtocolKind::Https),
            (ProtocolKind::S3, ProtocolKind::S3Tls),
        ] {
            let difference = |kind| {
                let (plain, sealed) = (sizes(plain, kind, mib), sizes(sealed, kind, mib));
                (sealed.0 - plain.0, sealed.1 - plain.1)
            };
            assert_eq!(difference(OperationKind::Read), (22.0, 65.0 * 22.0));
            assert_eq!(difference(OperationKind::Write).0, 65.0 * 22.0);
            assert_eq!(http(sealed, OperationKind::Write, mib).payload_written, mib);
        }
    }

    #[test]
    fn a_head_has_no_data_and_names_are_not_looked_up() {
        let head = http(ProtocolKind::S3, OperationKind::Getattr, 0.0);
        assert_eq!(head.payload(), 0.0);
        assert!(head.reply_bytes < 500.0 && head.call_bytes < 600.0);
        assert!(!ProtocolKind::S3.has(OperationKind::Lookup));
    }
}

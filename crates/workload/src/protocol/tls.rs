//! TLS 1.3 (RFC 8446, section 5): data in records of at most 16 KiB.
//!
//! A record has a header of 5 bytes, one byte with its content type, and a tag of 16 bytes (all cipher suites
//! in use, AES-GCM and ChaCha20-Poly1305). TLS 1.2 has an explicit nonce of 8 bytes instead of the one byte
//! (RFC 5288): 29 instead of 22, which is 0.04 % of a full record. Handshakes are not modelled, since
//! connections are long-lived.

/// The maximum data of a record.
const RECORD: f64 = 16_384.0;
/// Header, content type, tag.
const AROUND: f64 = 5.0 + 1.0 + 16.0;

/// The size of a message in records; each message starts a new record.
pub(super) fn sealed(message: f64) -> f64 {
    message + (message / RECORD).ceil() * AROUND
}

#[cfg(test)]
mod tests {
    use super::sealed;

    #[test]
    fn records_by_hand() {
        assert_eq!(sealed(0.0), 0.0);
        assert_eq!(sealed(1.0), 23.0);
        assert_eq!(sealed(16_384.0), 16_406.0);
        assert_eq!(sealed(16_385.0), 16_385.0 + 44.0);
    }
}

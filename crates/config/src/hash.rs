//! A hash of a complete input.

use crate::document::{Node, Table, Value};

/// BLAKE3 of a merged document in hexadecimal. Two documents with the same content have the same hash,
/// independent of the location of files, their includes, the order of keys and white space.
pub fn input_hash(table: &Table) -> String {
    let mut bytes = Vec::with_capacity(16_384);
    begin(&mut bytes, table.len());
    for (key, entry) in table {
        put_entry(&mut bytes, key, &entry.node);
    }
    // The bytes are collected first: hashing many small pieces takes ten times as long.
    blake3::hash(&bytes).to_hex().to_string()
}

/// The bytes of a chunk of BLAKE3: the state after whole chunks is small.
const CHUNK: usize = 1024;

/// Hashes inputs one after another. What an input has in common with the previous one, from its start, is not
/// hashed again.
#[derive(Debug, Default)]
pub struct InputHasher {
    bytes: Vec<u8>,
    previous: Vec<u8>,
    /// The state after the first bytes of the previous input, and their number.
    state: blake3::Hasher,
    hashed: usize,
}

impl InputHasher {
    /// [`input_hash`] of a document whose entries are given in the order of their keys.
    pub fn hash_of<'e>(&mut self, entries: impl ExactSizeIterator<Item = &'e [u8]>) -> String {
        std::mem::swap(&mut self.bytes, &mut self.previous);
        self.bytes.clear();
        begin(&mut self.bytes, entries.len());
        for entry in entries {
            self.bytes.extend_from_slice(entry);
        }
        let (chunks, previous) = (self.bytes.chunks_exact(CHUNK), self.previous.chunks_exact(CHUNK));
        let common = CHUNK
            * chunks
                .zip(previous)
                .take_while(|(now, before)| now == before)
                .count();
        if common < self.hashed {
            self.state.reset();
            self.hashed = 0;
        }
        self.state.update(&self.bytes[self.hashed..common]);
        self.hashed = common;
        let mut whole = self.state.clone();
        whole.update(&self.bytes[common..]);
        whole.finalize().to_hex().to_string()
    }
}

/// An entry of a document for [`InputHasher`].
pub fn entry_bytes(key: &str, node: &Node) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_entry(&mut bytes, key, node);
    bytes
}

/// The start of a document with this number of entries.
fn begin(bytes: &mut Vec<u8>, entries: usize) {
    // A version, so that a change of this encoding changes all hashes.
    bytes.extend_from_slice(b"bandgraph input 1\n");
    bytes.push(b'{');
    put_count(bytes, entries);
}

fn put_entry(bytes: &mut Vec<u8>, key: &str, node: &Node) {
    put_text(bytes, key);
    put_node(bytes, node);
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend_from_slice(&(count as u64).to_le_bytes());
}

fn put_table(bytes: &mut Vec<u8>, table: &Table) {
    bytes.push(b'{');
    put_count(bytes, table.len());
    // Keys are sorted, independent of their order in the file.
    for (key, entry) in table {
        put_entry(bytes, key, &entry.node);
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    // With their lengths, so that different lists of texts have different bytes.
    put_count(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn put_number(bytes: &mut Vec<u8>, number: f64) {
    bytes.push(b'n');
    bytes.extend_from_slice(&number.to_bits().to_le_bytes());
}

fn put_node(bytes: &mut Vec<u8>, node: &Node) {
    match &node.value {
        Value::Text(text) => {
            bytes.push(b't');
            put_text(bytes, text);
        }
        Value::Date(text) => {
            bytes.push(b'd');
            put_text(bytes, text);
        }
        // A whole number and the same number with a decimal point are equal.
        Value::Integer(number) => {
            put_number(bytes, *number as f64);
            if *number as f64 as i64 != *number {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        Value::Float(number) => put_number(bytes, *number),
        Value::Flag(flag) => bytes.push(if *flag { b'1' } else { b'0' }),
        Value::Array(items) => {
            bytes.push(b'[');
            put_count(bytes, items.len());
            for item in items {
                put_node(bytes, item);
            }
        }
        Value::Table(table) => put_table(bytes, table),
        Value::Unreadable => bytes.push(b'?'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs that have more, less and nothing in common with the one before.
    #[test]
    fn what_was_hashed_before_changes_no_hash() {
        let mut hasher = InputHasher::default();
        let long = vec![7; 5 * CHUNK];
        for (kept, last) in [
            (5000, 1),
            (5000, 2),
            (3000, 2),
            (5000, 3),
            (0, 1),
            (100, 1),
            (5000, 3),
        ] {
            let entries = [&long[..kept], &[last; 2000][..], &[last]];
            let anew = InputHasher::default().hash_of(entries.into_iter());
            assert_eq!(hasher.hash_of(entries.into_iter()), anew, "{kept} {last}");
            let mut bytes = Vec::new();
            begin(&mut bytes, entries.len());
            bytes.extend(entries.concat());
            assert_eq!(anew, blake3::hash(&bytes).to_hex().to_string());
        }
    }
}

//! One number for everything that an input says.

use crate::document::{Node, Table, Value};

/// BLAKE3 of a merged document in hexadecimal: the same for two documents that say the same, wherever the files are,
/// however they include each other, and whatever their order of keys and their white space.
pub(crate) fn input_hash(table: &Table) -> String {
    let mut hasher = blake3::Hasher::new();
    // So that a change of this encoding is a change of all hashes.
    hasher.update(b"bandgraph input 1\n");
    hash_table(&mut hasher, table);
    hasher.finalize().to_hex().to_string()
}

fn hash_table(hasher: &mut blake3::Hasher, table: &Table) {
    hasher.update(b"{").update(&(table.len() as u64).to_le_bytes());
    // Keys come in order, whatever the order in the file.
    for (key, entry) in table {
        hash_text(hasher, key);
        hash_node(hasher, &entry.node);
    }
}

fn hash_text(hasher: &mut blake3::Hasher, text: &str) {
    // With their lengths, so that no two different lists of texts are the same bytes.
    hasher
        .update(&(text.len() as u64).to_le_bytes())
        .update(text.as_bytes());
}

fn hash_node(hasher: &mut blake3::Hasher, node: &Node) {
    match &node.value {
        Value::Text(text) => {
            hasher.update(b"t");
            hash_text(hasher, text);
        }
        Value::Date(text) => {
            hasher.update(b"d");
            hash_text(hasher, text);
        }
        // A whole number and the same number with a point mean the same.
        Value::Integer(number) => {
            hasher
                .update(b"n")
                .update(&(*number as f64).to_bits().to_le_bytes());
            if *number as f64 as i64 != *number {
                hasher.update(&number.to_le_bytes());
            }
        }
        Value::Float(number) => {
            hasher.update(b"n").update(&number.to_bits().to_le_bytes());
        }
        Value::Flag(flag) => {
            hasher.update(if *flag { b"1" } else { b"0" });
        }
        Value::Array(items) => {
            hasher.update(b"[").update(&(items.len() as u64).to_le_bytes());
            for item in items {
                hash_node(hasher, item);
            }
        }
        Value::Table(table) => hash_table(hasher, table),
        Value::Unreadable => {
            hasher.update(b"?");
        }
    }
}

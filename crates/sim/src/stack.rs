//! The stack: what the server's software costs, whatever the hardware under it.
//!
//! A stack is the software's profile in terms that know no hardware: instructions executed and cache lines missed, for
//! every operation and for every byte of payload. Cycles are not part of it: how long an instruction takes is the
//! hardware's answer (base CPI, latencies, load), so one stack serves every machine that runs the same software.

use bandgraph_hardware::{FieldError, FieldInfo, FieldKind, FieldValue};

/// Where the memory lives that a socket's cores touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryHomes {
    /// Lines come from every socket's memory, in proportion to its size: one large cache shared by all.
    #[default]
    Interleaved,
    /// Lines come from the memory of the socket that touches them.
    Local,
}

impl MemoryHomes {
    /// The words that files use, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["interleaved", "local"];

    /// The word that files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interleaved => "interleaved",
            Self::Local => "local",
        }
    }
}

/// The profile of a server's software.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The name that scenarios use.
    pub name: String,
    /// Where the figures come from, and which of them were fitted to what.
    pub source: String,
    /// Instructions that every operation costs, whatever its size.
    pub instructions_per_operation: f64,
    /// Instructions for every byte of payload.
    pub instructions_per_byte: f64,
    /// Cache lines that every operation misses, whatever its size.
    pub misses_per_operation: f64,
    /// Cache lines missed for every byte of payload.
    pub misses_per_byte: f64,
    /// Misses of the per-operation work that a core has in flight together; such work follows pointers.
    pub overlap_per_operation: f64,
    /// Misses of the per-byte work that a core has in flight together; copies and checksums run ahead.
    pub overlap_per_byte: f64,
    /// Share of the missed lines that were written to, and go back to memory when they are evicted; 0 to 1.
    pub written_share: f64,
    /// Where the memory lives that cores touch.
    pub homes: MemoryHomes,
    /// Share of the DRAM that the software keeps for itself, so that the cache cannot have it; 0 to below 1.
    pub memory_reserve: f64,
}

/// Declares a numeric field of the stack for its table.
const fn number(name: &'static str, doc: &'static str, minimum: f64, maximum: f64) -> FieldInfo {
    FieldInfo {
        name,
        kind: FieldKind::Number,
        doc,
        minimum,
        maximum,
        positive: false,
        required: false,
    }
}

impl Stack {
    /// The fields that files may set, in the order in which they are documented.
    pub const FIELDS: &'static [FieldInfo] = &[
        number(
            "instructions_per_operation",
            "Instructions that every operation costs, whatever its size.",
            0.0,
            1e12,
        ),
        number(
            "instructions_per_byte",
            "Instructions for every byte of payload.",
            0.0,
            1e6,
        ),
        number(
            "misses_per_operation",
            "Cache lines that every operation misses, whatever its size.",
            0.0,
            1e12,
        ),
        number(
            "misses_per_byte",
            "Cache lines missed for every byte of payload.",
            0.0,
            1e3,
        ),
        number(
            "overlap_per_operation",
            "Misses of the per-operation work that a core has in flight together.",
            1.0,
            1024.0,
        ),
        number(
            "overlap_per_byte",
            "Misses of the per-byte work that a core has in flight together.",
            1.0,
            1024.0,
        ),
        number(
            "written_share",
            "Share of the missed lines that were written to and go back to memory; 0 to 1.",
            0.0,
            1.0,
        ),
        FieldInfo {
            name: "homes",
            kind: FieldKind::Choice(MemoryHomes::WORDS),
            doc: "Where the memory lives that cores touch: interleaved over all sockets by size, or local.",
            minimum: f64::NEG_INFINITY,
            maximum: f64::INFINITY,
            positive: false,
            required: false,
        },
        number(
            "memory_reserve",
            "Share of the DRAM that the software keeps for itself, out of the cache's reach; 0 to 0.99.",
            0.0,
            0.99,
        ),
    ];

    /// The names of the built-in stacks.
    pub const NAMES: &'static [&'static str] = &["fishworks-2009"];

    /// A built-in stack.
    pub fn named(name: &str) -> Option<Self> {
        (name == "fishworks-2009").then(Self::fishworks_2009)
    }

    /// The software of the Sun Storage 7410 in 2009 (NFSv3 over TCP from the DRAM cache, zero-copy and thread binding
    /// in place).
    ///
    /// Instructions are derived from the published operation rates (20 000 for each operation, 1.2 for each byte,
    /// the same on both generations). Misses and overlaps are fitted, to Barcelona's figures and to the CPI of
    /// Istanbul; what was fitted to what is in `docs/model.md`.
    pub fn fishworks_2009() -> Self {
        Self {
            name: "fishworks-2009".to_owned(),
            source: "instructions: derived from hw-update-2009 operation rates; misses, overlaps and written share: \
                     fitted to ht1-stream-2009, ht1-oss-8k and the published CPI"
                .to_owned(),
            instructions_per_operation: 20_000.0,
            instructions_per_byte: 1.2,
            misses_per_operation: 600.0,
            misses_per_byte: 0.06,
            overlap_per_operation: 1.9,
            overlap_per_byte: 3.0,
            written_share: 0.3,
            homes: MemoryHomes::Interleaved,
            memory_reserve: 0.15,
        }
    }

    /// The value of a field by its name.
    pub fn get(&self, name: &str) -> Option<FieldValue> {
        if name == "homes" {
            return Some(FieldValue::Text(self.homes.as_str().to_owned()));
        }
        self.clone()
            .number_mut(name)
            .map(|value| FieldValue::Number(*value))
    }

    /// Sets a field by its name.
    ///
    /// # Errors
    ///
    /// [`FieldError`] where there is no such field, or the value is of the wrong kind or out of range; nothing is
    /// changed then.
    pub fn set(&mut self, name: &str, value: FieldValue) -> Result<(), FieldError> {
        let field = Self::FIELDS.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| FieldError::Unknown {
            part: "stack",
            field: name.to_owned(),
        })?;
        field.check(&value)?;
        match (value, self.number_mut(name)) {
            (FieldValue::Number(number), Some(slot)) => *slot = number,
            (FieldValue::Count(count), Some(slot)) => *slot = count as f64,
            (FieldValue::Text(word), None) if word == "local" => self.homes = MemoryHomes::Local,
            (FieldValue::Text(_), None) => self.homes = MemoryHomes::Interleaved,
            _ => {}
        }
        Ok(())
    }

    fn number_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "instructions_per_operation" => &mut self.instructions_per_operation,
            "instructions_per_byte" => &mut self.instructions_per_byte,
            "misses_per_operation" => &mut self.misses_per_operation,
            "misses_per_byte" => &mut self.misses_per_byte,
            "overlap_per_operation" => &mut self.overlap_per_operation,
            "overlap_per_byte" => &mut self.overlap_per_byte,
            "written_share" => &mut self.written_share,
            "memory_reserve" => &mut self.memory_reserve,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_can_be_read_and_set_by_name() {
        let stack = Stack::fishworks_2009();
        for field in Stack::FIELDS {
            let value = stack.get(field.name).expect("a field of the table can be read");
            let mut other = stack.clone();
            other.set(field.name, value).expect("its own value can be set");
            assert_eq!(other, stack, "{}", field.name);
        }
    }

    #[test]
    fn what_is_set_is_there_and_what_is_wrong_changes_nothing() {
        let mut stack = Stack::fishworks_2009();
        stack
            .set("instructions_per_byte", FieldValue::Number(0.7))
            .expect("in range");
        stack
            .set("homes", FieldValue::Text("local".to_owned()))
            .expect("a word of the choice");
        assert_eq!(
            (stack.instructions_per_byte, stack.homes),
            (0.7, MemoryHomes::Local)
        );
        let before = stack.clone();
        for (name, value) in [
            ("written_share", FieldValue::Number(1.5)),
            ("instructions_per_byte", FieldValue::Number(-1.0)),
            ("instructions_per_byte", FieldValue::Number(f64::NAN)),
            ("homes", FieldValue::Text("elsewhere".to_owned())),
            ("instructions", FieldValue::Number(1.0)),
            ("misses_per_byte", FieldValue::Text("many".to_owned())),
        ] {
            assert!(stack.set(name, value).is_err(), "{name}");
        }
        assert_eq!(stack, before);
    }
}

//! The stack: what the server's software costs, whatever the hardware under it.
//!
//! A stack is the software's profile in terms that know no hardware: instructions executed and cache lines
//! missed, for every operation and for every byte of payload. Cycles are not part of it: how long an
//! instruction takes is the hardware's answer (base CPI, latencies, load), so one stack serves every machine
//! that runs the same software.

use bandgraph_config::{Field, FieldError, FieldValue, Shape};
use bandgraph_units::Bytes;

use crate::packets::PacketCosts;
use crate::procedures::ProcedureCosts;
use crate::profiles;
use crate::stack_number::number;
use crate::storage::StorageCosts;

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

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
    /// Instructions that a READ costs, whatever its size; other operations cost as many times that as
    /// `procedures` says.
    pub instructions_per_operation: f64,
    /// Instructions for every operation of a COMPOUND beyond the first. No published figure is known: 2000, a
    /// tenth of what a whole operation costs, is an assumption.
    pub instructions_per_compound_step: f64,
    /// Instructions for every byte of payload.
    pub instructions_per_byte: f64,
    /// Cache lines that a READ misses, whatever its size; other operations as many times that as `procedures`
    /// says.
    pub misses_per_operation: f64,
    /// Cache lines missed for every byte of payload.
    pub misses_per_byte: f64,
    /// Size of the last-level cache, in MiB, at which `misses_per_operation` holds.
    pub reference_cache_mib: f64,
    /// Power of the cache size with which misses of the per-operation work fall; 0 if they do not. Per-byte
    /// work streams, and no cache holds it.
    pub cache_exponent: f64,
    /// Misses of the per-operation work that a core has in flight together; such work follows pointers.
    pub overlap_per_operation: f64,
    /// Misses of the per-byte work that a core has in flight together; copies and checksums run ahead.
    pub overlap_per_byte: f64,
    /// Share of the missed lines that were written to, and go back to memory when they are evicted; 0 to 1.
    pub written_share: f64,
    /// Whether payload passes through the software by reference. Without it every byte is copied once more.
    pub zero_copy: bool,
    /// Instructions for every byte that is copied.
    pub copy_instructions_per_byte: f64,
    /// Whether threads stay on their processors. Without it they find fewer of their lines in its caches.
    pub thread_binding: bool,
    /// Further misses of threads that are not bound, as a share of those that they have when bound; 0 is
    /// none.
    pub migration_misses: f64,
    /// Shares of the threads that run on each socket, in the order of the topology and of any sum; empty for
    /// as many as the socket has cycles.
    pub thread_shares: Vec<f64>,
    /// Share of the work of an operation that is done in interrupts, 0 to 1. Matters only where interrupts
    /// are bound.
    pub interrupt_work: f64,
    /// Shares of the interrupts that each socket takes, in the order of the topology and of any sum; empty
    /// where they are spread as the threads are.
    pub interrupt_shares: Vec<f64>,
    /// Where the memory lives that cores touch.
    pub homes: MemoryHomes,
    /// Shares of the lines that live in the memory of each socket, in the order of the topology and of any
    /// sum; empty for what `homes` says.
    pub home_shares: Vec<f64>,
    /// Shares of the buffers that cards read and write in the memory of each socket, in the order of the
    /// topology and of any sum; empty where they lie as other lines do.
    pub buffer_shares: Vec<f64>,
    /// Share of the DRAM that the software keeps for itself, so that the cache cannot have it; 0 to below 1.
    pub memory_reserve: f64,
    /// How much work the kinds of operations are, beside each other.
    pub procedures: ProcedureCosts,
    /// What packets cost, besides operations and bytes.
    pub packets: PacketCosts,
    /// What the way to the disks costs.
    pub storage: StorageCosts,
}

/// Declares a field of the stack that is no number.
const fn other(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field::new(name, shape, doc).optional()
}

/// How many fields there are.
const FIELDS: usize =
    Stack::OWN.len() + ProcedureCosts::FIELDS.len() + PacketCosts::FIELDS.len() + StorageCosts::FIELDS.len();

/// The fields of a stack: its own, and those of its parts.
const fn joined() -> [Field; FIELDS] {
    let mut all = [Stack::OWN[0]; FIELDS];
    let parts: [&[Field]; 4] = [
        &Stack::OWN,
        &ProcedureCosts::FIELDS,
        &PacketCosts::FIELDS,
        &StorageCosts::FIELDS,
    ];
    let (mut part, mut next) = (0, 0);
    while part < parts.len() {
        let mut field = 0;
        while field < parts[part].len() {
            all[next] = parts[part][field];
            next += 1;
            field += 1;
        }
        part += 1;
    }
    all
}

impl Stack {
    /// The fields that files may set, in the order in which they are documented.
    pub const FIELDS: &'static [Field] = &joined();

    /// Those of no part of the stack.
    const OWN: [Field; 21] = [
        number(
            "instructions_per_operation",
            "Instructions that a READ costs, whatever its size; other operations cost a multiple of that, as `getattr_work` \
             and its like say.",
            0.0,
            1e12,
        ),
        number(
            "instructions_per_compound_step",
            "Instructions for every operation of an NFS version 4 COMPOUND beyond the first.",
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
            "Cache lines that a READ misses, whatever its size; other operations miss a multiple of that, as `getattr_work` \
             and its like say.",
            0.0,
            1e12,
        ),
        number(
            "reference_cache_mib",
            "Size of the last-level cache, in MiB, at which misses_per_operation holds.",
            0.001,
            1e6,
        ),
        number(
            "cache_exponent",
            "Power of the cache size with which misses of the per-operation work fall; 0 to 2, 0 if they do not.",
            0.0,
            2.0,
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
        other(
            "zero_copy",
            Shape::Flag,
            "Whether payload passes through by reference; without it every byte is copied once more.",
        ),
        number(
            "copy_instructions_per_byte",
            "Instructions for every byte that is copied.",
            0.0,
            1e6,
        ),
        other(
            "thread_binding",
            Shape::Flag,
            "Whether threads stay on their processors; without it they find fewer of their lines in its caches.",
        ),
        number(
            "migration_misses",
            "Further misses of threads that are not bound, as a share of those they have when bound.",
            0.0,
            100.0,
        ),
        other(
            "thread_shares",
            Shape::Text,
            "Shares of the threads that run on each socket, as numbers in the order of the topology: \"2 1 1 1\". \
             Empty for as many as the socket has cycles.",
        ),
        number(
            "interrupt_work",
            "Share of the work of an operation that is done in interrupts; matters only where interrupts are bound.",
            0.0,
            1.0,
        ),
        other(
            "interrupt_shares",
            Shape::Text,
            "Shares of the interrupts that each socket takes, as numbers in the order of the topology. Empty where they \
             are spread as the threads are.",
        ),
        other(
            "homes",
            Shape::Choice(|| MemoryHomes::WORDS.to_vec()),
            "Where the memory lives that cores touch: interleaved over all sockets by size, or local.",
        ),
        other(
            "home_shares",
            Shape::Text,
            "Shares of the lines that live in the memory of each socket, as numbers in the order of the topology. \
             Empty for what `homes` says.",
        ),
        other(
            "buffer_shares",
            Shape::Text,
            "Shares of the buffers that cards read and write in the memory of each socket, as numbers in the order of the \
             topology. Empty where they lie as other lines do.",
        ),
        number(
            "memory_reserve",
            "Share of the DRAM that the software keeps for itself, out of the cache's reach; 0 to 0.99.",
            0.0,
            0.99,
        ),
    ];

    /// The names of the built-in stacks.
    pub const NAMES: &'static [&'static str] = &[
        "fishworks-2009",
        "fishworks-2009-rdma",
        "fishworks-2009-ipoib",
        "solaris-tcp-2008",
        "hotspot-ssj-2009",
        "memcached-linux-2009",
        "memcached-opensolaris-2009",
        "linux-local-2009",
    ];

    /// A built-in stack.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "fishworks-2009" => Self::fishworks_2009(),
            "fishworks-2009-rdma" => profiles::fishworks_2009_rdma(),
            "fishworks-2009-ipoib" => profiles::fishworks_2009_ipoib(),
            "solaris-tcp-2008" => profiles::solaris_tcp_2008(),
            "hotspot-ssj-2009" => profiles::hotspot_ssj_2009(),
            "memcached-linux-2009" => profiles::memcached_linux_2009(),
            "memcached-opensolaris-2009" => profiles::memcached_opensolaris_2009(),
            "linux-local-2009" => profiles::linux_local_2009(),
            _ => return None,
        })
    }

    /// The software of the Sun Storage 7410 in 2009 (NFSv3 over TCP from the DRAM cache, zero-copy and thread
    /// binding in place).
    ///
    /// Instructions are derived from the published operation rates (20 000 for each operation, 1.2 for each
    /// byte, the same on both generations). Misses and overlaps are fitted; `docs/model.md` has what was
    /// fitted to what.
    pub fn fishworks_2009() -> Self {
        Self {
            name: "fishworks-2009".to_owned(),
            source: "instructions: derived from hw-update-2009 operation rates; misses and overlaps: fitted to \
                     ht1-stream-2009, ht1-oss-8k, ht3-1b and the published CPI; copies: illumos, copy.s (one \
                     repeated instruction for a large buffer, with some around it); written share, misses of threads \
                     that are not bound: assumption"
                .to_owned(),
            instructions_per_operation: 20_000.0,
            instructions_per_compound_step: 2_000.0,
            instructions_per_byte: 1.2,
            misses_per_operation: 650.0,
            reference_cache_mib: 2.0,
            cache_exponent: 0.3,
            misses_per_byte: 0.06,
            overlap_per_operation: 1.55,
            overlap_per_byte: 3.0,
            written_share: 0.3,
            zero_copy: true,
            copy_instructions_per_byte: 0.02,
            thread_binding: true,
            migration_misses: 0.1,
            thread_shares: Vec::new(),
            interrupt_work: 0.3,
            interrupt_shares: Vec::new(),
            homes: MemoryHomes::Interleaved,
            home_shares: Vec::new(),
            buffer_shares: Vec::new(),
            memory_reserve: 0.15,
            procedures: ProcedureCosts::NFS,
            packets: PacketCosts::default(),
            storage: StorageCosts::FISHWORKS_2009,
        }
    }

    /// The value of a field by its name.
    pub fn get(&self, name: &str) -> Option<FieldValue> {
        Some(match name {
            "zero_copy" => FieldValue::Flag(self.zero_copy),
            "thread_binding" => FieldValue::Flag(self.thread_binding),
            "thread_shares" => FieldValue::Text(listed(&self.thread_shares)),
            "interrupt_shares" => FieldValue::Text(listed(&self.interrupt_shares)),
            "homes" => FieldValue::Text(self.homes.as_str().to_owned()),
            "home_shares" => FieldValue::Text(listed(&self.home_shares)),
            "buffer_shares" => FieldValue::Text(listed(&self.buffer_shares)),
            _ => FieldValue::Number(*self.clone().number_mut(name)?),
        })
    }

    /// Sets a field by its name.
    ///
    /// # Errors
    ///
    /// [`FieldError`] where there is no such field, or the value is of the wrong kind or out of range;
    /// nothing is changed then.
    pub fn set(&mut self, name: &str, value: FieldValue) -> Result<(), FieldError> {
        let field = Self::FIELDS.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| FieldError::Unknown {
            kind: "stack",
            field: name.to_owned(),
        })?;
        field.check(&value)?;
        match (name, value) {
            ("zero_copy", FieldValue::Flag(flag)) => self.zero_copy = flag,
            ("thread_binding", FieldValue::Flag(flag)) => self.thread_binding = flag,
            ("thread_shares", FieldValue::Text(text)) => self.thread_shares = parsed(field.name, &text)?,
            ("interrupt_shares", FieldValue::Text(text)) => {
                self.interrupt_shares = parsed(field.name, &text)?;
            }
            ("home_shares", FieldValue::Text(text)) => self.home_shares = parsed(field.name, &text)?,
            ("buffer_shares", FieldValue::Text(text)) => self.buffer_shares = parsed(field.name, &text)?,
            ("homes", FieldValue::Text(word)) if word == "local" => self.homes = MemoryHomes::Local,
            ("homes", _) => self.homes = MemoryHomes::Interleaved,
            (name, value) => {
                if let (Some(slot), Some(number)) = (self.number_mut(name), number_of(&value)) {
                    *slot = number;
                }
            }
        }
        Ok(())
    }

    /// Instructions for every byte of payload, copies included.
    pub fn instructions_for_each_byte(&self) -> f64 {
        let copies = if self.zero_copy {
            0.0
        } else {
            self.copy_instructions_per_byte
        };
        self.instructions_per_byte + copies
    }

    /// Lines missed for every byte of payload: copies miss source and destination, lines of `line` bytes.
    pub fn misses_for_each_byte(&self, line: f64) -> f64 {
        let copies = if self.zero_copy { 0.0 } else { 2.0 / line };
        (self.misses_per_byte + copies) * self.migration()
    }

    /// Lines missed for a READ on a processor with a last-level cache of this size; zero for one that is not
    /// known, which counts as the reference. Work that returns to its lines finds more of them in a larger
    /// cache: misses fall with a power of its size (Hartstein et al., "Cache miss behavior: is it √2?",
    /// 2006).
    pub fn misses_for_each_operation(&self, cache: Bytes) -> f64 {
        let reference = self.reference_cache_mib * MIB;
        let ratio = if cache.get() > 0.0 {
            reference / cache.get()
        } else {
            1.0
        };
        self.misses_per_operation * self.migration() * libm::pow(ratio, self.cache_exponent)
    }

    fn migration(&self) -> f64 {
        1.0 + if self.thread_binding {
            0.0
        } else {
            self.migration_misses
        }
    }

    fn number_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "instructions_per_operation" => &mut self.instructions_per_operation,
            "instructions_per_compound_step" => &mut self.instructions_per_compound_step,
            "instructions_per_byte" => &mut self.instructions_per_byte,
            "misses_per_operation" => &mut self.misses_per_operation,
            "reference_cache_mib" => &mut self.reference_cache_mib,
            "cache_exponent" => &mut self.cache_exponent,
            "misses_per_byte" => &mut self.misses_per_byte,
            "overlap_per_operation" => &mut self.overlap_per_operation,
            "overlap_per_byte" => &mut self.overlap_per_byte,
            "written_share" => &mut self.written_share,
            "copy_instructions_per_byte" => &mut self.copy_instructions_per_byte,
            "interrupt_work" => &mut self.interrupt_work,
            "migration_misses" => &mut self.migration_misses,
            "memory_reserve" => &mut self.memory_reserve,
            other => {
                let (procedures, packets) = (&mut self.procedures, &mut self.packets);
                return procedures
                    .number_mut(other)
                    .or_else(|| packets.number_mut(other))
                    .or_else(|| self.storage.number_mut(other));
            }
        })
    }
}

fn number_of(value: &FieldValue) -> Option<f64> {
    match value {
        FieldValue::Number(number) => Some(*number),
        FieldValue::Count(count) => Some(*count as f64),
        _ => None,
    }
}

/// The most sockets that shares are given for.
const SHARES_MAX: usize = 64;

fn listed(shares: &[f64]) -> String {
    shares.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// Shares from text: numbers of zero or more with something above zero among them, or nothing at all.
fn parsed(field: &'static str, text: &str) -> Result<Vec<f64>, FieldError> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let shares: Result<Vec<f64>, _> = words.take(SHARES_MAX + 1).map(str::parse).collect();
    let sound = |shares: &Vec<f64>| {
        let in_range = shares.iter().all(|share: &f64| (0.0..=1e9).contains(share));
        in_range && shares.len() <= SHARES_MAX && (shares.is_empty() || shares.iter().sum::<f64>() > 0.0)
    };
    shares.ok().filter(sound).ok_or_else(|| FieldError::Kind {
        field,
        expected: "a share for each socket, such as \"2 1 1 1\"".to_owned(),
        found: "another text",
    })
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
    fn a_larger_cache_misses_less_by_a_power_of_its_size() {
        let mut stack = Stack::fishworks_2009();
        let misses = |stack: &Stack, mib: f64| stack.misses_for_each_operation(Bytes::new(mib * MIB));
        assert_eq!(misses(&stack, 2.0), stack.misses_per_operation);
        assert_eq!(misses(&stack, 0.0), stack.misses_per_operation);
        // A cache of four times the size, with the square root rule: half of the misses.
        stack.cache_exponent = 0.5;
        assert!((misses(&stack, 8.0) - stack.misses_per_operation / 2.0).abs() < 1e-9);
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
        stack
            .set("thread_shares", FieldValue::Text("2, 1 1.5 0".to_owned()))
            .expect("shares");
        assert_eq!(stack.thread_shares, [2.0, 1.0, 1.5, 0.0]);
        stack.set("zero_copy", FieldValue::Flag(false)).expect("a flag");
        // A copy reads one line and writes another for every 64 bytes.
        assert_eq!(
            stack.misses_for_each_byte(64.0),
            stack.misses_per_byte + 2.0 / 64.0
        );
        stack
            .set("thread_binding", FieldValue::Flag(false))
            .expect("a flag");
        assert!(stack.misses_for_each_operation(Bytes::ZERO) > stack.misses_per_operation);
        let before = stack.clone();
        for (name, value) in [
            ("written_share", FieldValue::Number(1.5)),
            ("instructions_per_byte", FieldValue::Number(-1.0)),
            ("instructions_per_byte", FieldValue::Number(f64::NAN)),
            ("homes", FieldValue::Text("elsewhere".to_owned())),
            ("instructions", FieldValue::Number(1.0)),
            ("misses_per_byte", FieldValue::Text("many".to_owned())),
            ("thread_shares", FieldValue::Text("1 -1".to_owned())),
            ("thread_shares", FieldValue::Text("0 0".to_owned())),
            ("home_shares", FieldValue::Text("NaN".to_owned())),
            ("home_shares", FieldValue::Text("a b".to_owned())),
            ("zero_copy", FieldValue::Number(1.0)),
        ] {
            assert!(stack.set(name, value).is_err(), "{name}");
        }
        assert_eq!(stack, before);
    }
}

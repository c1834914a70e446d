//! A text of a program, line by line, each with its origin.

use std::str::FromStr;

use bandgraph_diagnostics::SourceId;

use crate::origin::{Fact, Origin};

/// The text of a file.
pub(crate) struct Text<'a> {
    /// The file.
    pub source: SourceId,
    /// Its text.
    pub text: &'a str,
}

/// A line of a text, without its terminator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The characters.
    pub text: &'a str,
    /// Where they are.
    pub at: Origin,
}

impl<'a> Text<'a> {
    /// The lines, in order.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        let source = self.source;
        let mut start = 0;
        self.text.split('\n').map(move |text| {
            let begin = start;
            start += text.len() + 1;
            let text = text.strip_suffix('\r').unwrap_or(text);
            let trimmed = text.trim_start();
            let at = Origin {
                source,
                start: begin + (text.len() - trimmed.len()),
                end: begin + text.trim_end().len().max(text.len() - trimmed.len()),
            };
            Line { text, at }
        })
    }
}

impl<'a> Line<'a> {
    /// The key of `key: value`, and the value, which the whole line says; both are trimmed.
    pub(crate) fn key_value(self) -> Option<(&'a str, Self)> {
        let (key, value) = self.text.split_once(':')?;
        Some((key.trim(), self.part(value.trim())))
    }

    /// Another text, said by this line.
    pub(crate) fn part(self, text: &'a str) -> Self {
        Self { text, ..self }
    }

    /// Whether the line begins with white space.
    pub(crate) fn is_indented(self) -> bool {
        self.text.starts_with([' ', '\t'])
    }

    /// `value`, said by this line.
    #[expect(clippy::unnecessary_wraps, reason = "what is said is assigned to a fact")]
    pub(crate) fn says<T>(self, value: T) -> Fact<T> {
        Some(self.at.says(value))
    }

    /// `value` if there is one, said by this line.
    pub(crate) fn may_say<T>(self, value: Option<T>) -> Fact<T> {
        value.map(|value| self.at.says(value))
    }

    /// What follows from the text, said by this line.
    pub(crate) fn infer<T>(self, what: impl FnOnce(&'a str) -> Option<T>) -> Fact<T> {
        self.may_say(what(self.text))
    }

    /// The text as it is.
    pub(crate) fn whole(self) -> Fact<String> {
        self.says(self.text.to_owned())
    }

    /// The text, if it says something.
    pub(crate) fn words(self) -> Fact<String> {
        self.infer(|text| known(text).map(str::to_owned))
    }

    /// The text as a number.
    pub(crate) fn number<T: FromStr>(self) -> Fact<T> {
        self.infer(|text| text.parse().ok())
    }

    /// The text as a number above zero.
    pub(crate) fn positive<T: FromStr + Default + PartialOrd>(self) -> Fact<T> {
        self.infer(positive)
    }
}

/// A number above zero.
pub(super) fn positive<T: FromStr + Default + PartialOrd>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number| *number > T::default())
}

/// The numbers of a row, if it has nothing else.
pub(super) fn integers(row: &str) -> Option<Vec<u32>> {
    row.split_whitespace().map(|number| number.parse().ok()).collect()
}

/// Whether a text is `yes`, where it is that or `no`.
pub(super) fn either(text: &str, yes: &str, no: &str) -> Option<bool> {
    (text == yes || text == no).then_some(text == yes)
}

/// The name of a disk: `sda` for `/dev/sda`, and `nvme0n1` for its path `nvme0c1n1`.
pub(super) fn disk_name(name: &str) -> String {
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    let disk = name.strip_prefix("nvme").and_then(|rest| {
        let (subsystem, rest) = rest.split_once('c')?;
        let (path, namespace) = rest.split_once('n')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (digits(subsystem) && digits(path)).then(|| format!("nvme{subsystem}n{namespace}"))
    });
    disk.unwrap_or_else(|| name.to_owned())
}

/// A text that says something, trimmed: none of what firmware and programs print where they know nothing.
pub(super) fn known(value: &str) -> Option<&str> {
    let nothing = [
        "",
        "Unknown",
        "UNKNOWN",
        "Not Specified",
        "None",
        "Other",
        "N/A",
        "-",
        "--",
        "<OUT OF SPEC>",
        "To Be Filled By O.E.M.",
    ];
    let value = value.trim();
    (!nothing.contains(&value)).then_some(value)
}

/// Whether a product name is one of a virtual machine.
pub(super) fn is_virtual(product: &str) -> bool {
    [
        "VMware",
        "Virtual Machine",
        "KVM",
        "HVM",
        "Standard PC",
        "VirtualBox",
    ]
    .iter()
    .any(|name| product.contains(name))
}

/// The cores that a processor's name tells: `Dual-Core AMD Opteron(tm) Processor 2218`, `AMD EPYC 7352
/// 24-Core`.
pub(super) fn cores_in(name: &str) -> Option<u32> {
    let before = &name[..name.find("-Core")?];
    let word = before.rsplit(' ').next()?;
    match word {
        "Dual" => Some(2),
        "Triple" => Some(3),
        "Quad" => Some(4),
        "Six" => Some(6),
        "Eight" => Some(8),
        number => number.parse().ok(),
    }
}

/// Distances between NUMA nodes, if they are a square and say something: firmware that knows no distances
/// leaves 20 between all nodes, which of three nodes or more says nothing of the wiring.
pub(super) fn distances(rows: Vec<Vec<u32>>) -> Option<Vec<Vec<u32>>> {
    let count = rows.len();
    let square = count > 1 && count <= 1024 && rows.iter().all(|row| row.len() == count);
    let off_diagonal = rows.iter().enumerate().flat_map(|(index, row)| {
        let others = row.iter().enumerate().filter(move |&(column, _)| column != index);
        others.map(|(_, &distance)| distance)
    });
    let mut default = off_diagonal;
    (square && !(count > 2 && default.all(|distance| distance == 20))).then_some(rows)
}

/// The number that a text begins with: `16 GB` is 16.
pub(crate) fn leading_number(text: &str) -> Option<f64> {
    let end = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The number after a word: 128 in `MaxPayload 128 bytes` after `MaxPayload `.
pub(crate) fn number_after(text: &str, word: &str) -> Option<f64> {
    leading_number(&text[text.find(word)? + word.len()..])
}

/// The rate of data of an InfiniBand link of a signalling rate: SDR, DDR and QDR have 8b/10b encoding, and
/// faster ones are called by what they carry, within 3 %.
pub(crate) fn infiniband_data(gigabits: f64) -> f64 {
    let has_ten_bits = [2.5, 5.0, 10.0, 20.0, 40.0].contains(&gigabits);
    if has_ten_bits { gigabits * 0.8 } else { gigabits }
}

/// Bytes of a size in binary units: `16384 MB`, `4096 kB`, `32 GB`, `1 TB`.
pub(crate) fn binary_size(text: &str) -> Option<u64> {
    let number = leading_number(text)?;
    let unit = text.split_whitespace().nth(1)?;
    let shift = match unit.to_ascii_lowercase().as_str() {
        "bytes" | "b" => 0,
        "kb" | "kib" => 10,
        "mb" | "mib" => 20,
        "gb" | "gib" => 30,
        "tb" | "tib" => 40,
        _ => return None,
    };
    let bytes = number * (1_u64 << shift) as f64;
    (bytes < 1e18).then_some(bytes as u64)
}

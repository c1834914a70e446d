//! Figures and limits in words, as all text reports write them.

use bandgraph_units::{Bandwidth, QuantityKind, Time, significant};

use crate::json::{BottleneckDocument, ThroughputDocument};

/// A limit in a few words: its resources and what they are.
pub(super) fn headline(limit: &BottleneckDocument) -> String {
    match (members(limit), limit.kind.as_str()) {
        (Some(members), kind) => {
            let kind = resource_in_words(kind, limit.technology.as_deref());
            format!("{members} ({kind})")
        }
        (None, "offered") => "none, all that is offered is served".to_owned(),
        (None, kind) => kind.to_owned(),
    }
}

/// What limits, for a subtitle: its resources, or its id.
pub(crate) fn limit_in_words(limit: &BottleneckDocument) -> String {
    members(limit).unwrap_or_else(|| limit.id.clone())
}

/// The resources of a limit: the first two, and how many more there are. `None` if it is no resource.
fn members(limit: &BottleneckDocument) -> Option<String> {
    let (first, others) = limit.resources.split_first()?;
    let others = match (others, counted_ids(&limit.resources, limit.count)) {
        (_, 1) => String::new(),
        ([other], 2) => format!(" and {other}"),
        ([], all) => format!(" and {} more", all - 1),
        ([other, ..], all) => format!(", {other} and {} more", all - 2),
    };
    Some(format!("{first}{others}"))
}

/// The number of resources with these ids, with those that they represent.
pub(super) fn counted_ids(ids: &[String], count: Option<u32>) -> usize {
    count.map_or(ids.len(), |count| count as usize)
}

/// A kind of resource as people write it. What is not a name stays as it is.
pub(crate) fn kind_in_words(kind: &str) -> &str {
    match kind {
        "socket-link" => "socket link",
        "pcie" => "PCIe",
        "cpu" => "CPU",
        "ethernet" => "Ethernet",
        "sas" => "SAS",
        "adapter" => "disk adapter",
        "infiniband" => "InfiniBand",
        other => other,
    }
}

/// The technology of a resource that has one, or else its kind as people write it.
pub(crate) fn resource_in_words<'a>(kind: &'a str, technology: Option<&'a str>) -> &'a str {
    technology.unwrap_or_else(|| kind_in_words(kind))
}

/// A rate or a capacity, by the name of its unit.
pub(crate) fn rate_words(unit: &str, rate: f64) -> String {
    match unit {
        "bytes/s" => QuantityKind::Bandwidth.format(rate),
        // Not GHz, which people take for a clock.
        "cycles/s" => format!("{} Gcycles/s", significant(rate / 1e9, 3)),
        "ops/s" => QuantityKind::OperationRate.format(rate),
        // A device that is busy for a share of the time.
        "busy" => percent(rate),
        other => format!("{rate} {other}"),
    }
}

/// A time in seconds, in the unit that suits it.
pub(crate) fn time(seconds: f64) -> String {
    Time::new(seconds).to_string()
}

/// A mean latency in seconds, if operations were completed; that of an overload has no value.
pub(crate) fn latency_or_growth(seconds: Option<f64>, overloaded: bool) -> String {
    if overloaded {
        "grows".to_owned()
    } else {
        seconds.map_or_else(none, time)
    }
}

/// Bytes per second, in decimal units.
pub(crate) fn bandwidth(rate: f64) -> String {
    Bandwidth::new(rate).decimal()
}

/// The rate of data that a table of results shows: at the network ports, or of file data where nothing
/// crosses them, as with work on the server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataRate {
    Network,
    Payload,
}

impl DataRate {
    /// The rate that suits all of several results.
    pub(crate) fn of<'t>(mut all: impl Iterator<Item = &'t ThroughputDocument>) -> Self {
        if all.any(|found| found.network_bytes_per_s > 0.0) {
            Self::Network
        } else {
            Self::Payload
        }
    }

    /// The heading of a column.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Payload => "payload",
        }
    }

    pub(crate) const fn value(self, of: &ThroughputDocument) -> f64 {
        match self {
            Self::Network => of.network_bytes_per_s,
            Self::Payload => of.payload_bytes_per_s,
        }
    }

    /// `2.5 GB/s on the network`, `158 GB/s of payload`.
    pub(crate) fn words(self, of: &ThroughputDocument) -> String {
        format!("{} {}", bandwidth(self.value(of)), self.place())
    }

    pub(crate) const fn place(self) -> &'static str {
        match self {
            Self::Network => "on the network",
            Self::Payload => "of payload",
        }
    }
}

/// The text in place of a missing figure.
pub(crate) fn none() -> String {
    "-".to_owned()
}

/// The share from which on decimals say nothing.
const MANY_TIMES: f64 = 10.0;

/// A share with one decimal: `86.9 %`; a multiple without: `4179 %`. Unlike the significant digits of a
/// single figure, these line up in a column.
pub(crate) fn percent(share: f64) -> String {
    if share >= MANY_TIMES {
        format!("{:.0} %", share * 100.0)
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

/// A change with one decimal and its sign: `+18.0 %`; a multiple without: `+4179 %`.
pub(crate) fn signed_percent(share: f64) -> String {
    if share >= MANY_TIMES {
        return format!("+{}", percent(share));
    }
    // Rounded before the sign is chosen, so that nothing prints as "-0.0 %".
    let tenths = (share * 1000.0).round();
    format!("{:+.1} %", if tenths == 0.0 { 0.0 } else { tenths / 10.0 })
}

/// How many there are of something that takes an s: `1 client`, `12,000 clients`.
pub(crate) fn counted(count: f64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1.0 { "" } else { "s" })
}

/// Operations per second in full, to four digits or so: `2,160 ops/s`, `127,143 ops/s`.
pub(crate) fn count_rate(rate: f64) -> String {
    if rate < 100.0 {
        format!("{} ops/s", significant(rate, 3))
    } else {
        format!("{} ops/s", grouped(rate))
    }
}

/// A whole number with its digits in groups of three.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0
            && (digits.len() - index).is_multiple_of(3)
            && digit.is_ascii_digit()
            && !text.ends_with('-')
        {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What one operation uses of something, in words.
pub(crate) fn amount_in_words(amount: f64, unit: &str) -> String {
    match unit {
        "bytes" => QuantityKind::Bytes.format(amount),
        "ops" => format!("{} requests", significant(amount, 3)),
        unit => format!("{} {unit}", thousands(amount)),
    }
}

/// A count in thousands or millions.
pub(crate) fn thousands(number: f64) -> String {
    match number {
        number if number >= 1e6 => format!("{} M", significant(number / 1e6, 3)),
        number if number >= 1e3 => format!("{} k", significant(number / 1e3, 3)),
        number => significant(number, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (127_143.4, "127,143"),
            (1e6, "1,000,000"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn zero_has_no_minus() {
        assert_eq!(signed_percent(-0.0001), "+0.0 %");
        assert_eq!(signed_percent(-0.021), "-2.1 %");
        assert_eq!(signed_percent(0.18), "+18.0 %");
    }
}

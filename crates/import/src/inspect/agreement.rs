//! Where files contradict each other, and say what cannot be.

use super::Finding;
use crate::formats::IDLE_UPLINK;
use crate::resolve::{LINK, Machine};

/// Fields whose values are texts that every program words in its own way, or that change while a machine
/// runs.
const WORDED: [&str; 13] = [
    "name",
    "board",
    "class",
    "driver",
    "maker",
    "product",
    "designation",
    "slot",
    "size_bytes",
    "memory_bytes",
    "technology",
    "model",
    "external_clock_mhz",
];

/// Contradictions that are listed; the rest is counted.
const LISTED: usize = 8;

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    for (words, at) in machine.facts.out_of_range_in_words() {
        findings.push(Finding::note("inspect::out_of_range", words).at([Some(at)]));
    }
    let conflicts = machine.facts.conflicts.iter();
    let conflicts: Vec<_> = conflicts
        .filter(|conflict| !WORDED.contains(&conflict.field))
        .collect();
    if let Some(first) = conflicts.get(LISTED) {
        let message = format!(
            "files disagree on {} more values, the first of them {}",
            conflicts.len() - LISTED,
            first.field.replace('_', " ")
        );
        let help = "are all files of one machine, and of one time?";
        findings.push(
            Finding::note("inspect::files_disagree", message)
                .at([Some(first.kept.1), Some(first.dropped.1)])
                .help(help),
        );
    }
    for conflict in conflicts.into_iter().take(LISTED) {
        if conflict.field == IDLE_UPLINK {
            let message = format!(
                "the link of a switch to the processor is printed as gen{}, and its ports run at gen{}: this is not \
                 believed",
                conflict.dropped.0, conflict.kept.0
            );
            findings.push(
                Finding::note("inspect::uplink_suspicious", message)
                    .at([Some(conflict.dropped.1), Some(conflict.kept.1)])
                    .help("compare with `lspci -vv` of the switch"),
            );
            continue;
        }
        let id = if conflict.field == "socket" {
            "inspect::socket_disagrees"
        } else {
            "inspect::files_disagree"
        };
        let of = conflict
            .of
            .map_or(String::new(), |address| format!(" of {address}"));
        let used = if conflict.field == LINK {
            "neither"
        } else {
            "the first"
        };
        let message = format!(
            "{}{of} is {} here and {} there; {used} is used",
            conflict.field.replace('_', " "),
            words(conflict.field, &conflict.kept.0),
            words(conflict.field, &conflict.dropped.0)
        );
        findings.push(Finding::note(id, message).at([Some(conflict.kept.1), Some(conflict.dropped.1)]));
    }
}

/// A value of a field as programs write it.
fn words(field: &str, value: &str) -> String {
    let in_units = |scale: f64, unit: &str| {
        let number = value.parse::<f64>().ok();
        number.map_or_else(|| value.to_owned(), |number| format!("{} {unit}", number / scale))
    };
    match field {
        "lanes" | "lanes_capable" | "connector_lanes" => format!("x{value}"),
        "generation" | "generation_capable" => format!("gen{value}"),
        "payload" | "payload_capable" | "read_request" => format!("{value} bytes"),
        "rate" | "rate_capable" => in_units(1e9, "Gbit/s"),
        "link_bytes_per_s" => in_units(1e9, "GB/s"),
        "clock_hz" => in_units(1e6, "MHz"),
        "clock_mhz" => in_units(1.0, "MHz"),
        "vendor" | "device" | "subsystem_vendor" | "subsystem" => value
            .parse::<u16>()
            .map_or_else(|_| value.to_owned(), |id| format!("{id:04x}")),
        "kind" => {
            let letters = value.chars().enumerate();
            let spaced = letters.flat_map(|(index, letter)| {
                let space = (index > 0 && letter.is_uppercase()).then_some(' ');
                space.into_iter().chain(letter.to_lowercase())
            });
            spaced.collect()
        }
        _ => match value {
            "true" => "yes".to_owned(),
            "false" => "no".to_owned(),
            value => value.trim_matches(['"', '[', ']']).to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn values_are_shown_as_programs_print_them() {
        for (field, value, shown) in [
            ("lanes", "8", "x8"),
            ("generation_capable", "3", "gen3"),
            ("rate", "25000000000.0", "25 Gbit/s"),
            ("device", "5555", "15b3"),
            ("kind", "RootPort", "root port"),
            ("in_use", "true", "yes"),
            ("driver", "\"ixgbe\"", "ixgbe"),
            ("numa_node", "1", "1"),
        ] {
            assert_eq!(words(field, value), shown, "{field}");
        }
    }
}

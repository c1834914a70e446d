//! What names of network cards tell of their ports.
//!
//! Makers print the rate and often the number into the name: `82599ES 10-Gigabit SFI/SFP+`, `2P 25GbE SFP28`.
//! A family of several rates (`10/25/40GbE`) tells none.

/// The rate of a port in bit/s.
pub(super) fn port_rate(name: &str) -> Option<f64> {
    let name = name.to_ascii_lowercase();
    for unit in ["gbe", "gigabit", "gbase-t"] {
        for (at, _) in name.match_indices(unit) {
            let before = name[..at].trim_end_matches([' ', '-']);
            let digits = before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).count();
            let (words, number) = before.split_at(digits);
            if words.ends_with(['/', '.']) || words.ends_with("multi") {
                return None;
            }
            match number.parse::<u16>() {
                Ok(gigabits) if (1..=800).contains(&gigabits) => return Some(f64::from(gigabits) * 1e9),
                _ if unit == "gigabit" => return Some(1e9),
                _ => {}
            }
        }
    }
    None
}

/// The number of ports.
pub(super) fn ports(name: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    let mut words = name.split([' ', '-', ',']).peekable();
    while let Some(word) = words.next() {
        let is_before_port = words
            .peek()
            .is_some_and(|next| next.trim_end_matches('s') == "port");
        match word {
            "1p" => return Some(1),
            "2p" => return Some(2),
            "4p" => return Some(4),
            "single" if is_before_port => return Some(1),
            "dual" | "2" if is_before_port => return Some(2),
            "quad" | "4" if is_before_port => return Some(4),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{port_rate, ports};

    #[test]
    fn rates_are_those_of_data_sheets() {
        for (name, gigabits) in [
            ("80003ES2LAN Gigabit Ethernet Controller (Copper)", Some(1.0)),
            ("NetXtreme II BCM57810 10 Gigabit Ethernet", Some(10.0)),
            ("82599ES 10-Gigabit SFI/SFP+ Network Connection", Some(10.0)),
            ("Ethernet Controller XL710 for 40GbE QSFP+", Some(40.0)),
            ("Marvell FastLinQ 41000 Series - 2P 25GbE SFP28", Some(25.0)),
            ("Ethernet Controller X550 10GBASE-T", Some(10.0)),
            ("FastLinQ QL45000 Series 10/25/40/50GbE Controller", None),
            ("Multi-Gigabit Ethernet Controller", None),
            ("RTL8125 2.5GbE Controller", None),
            ("MT27800 Family [ConnectX-5]", None),
        ] {
            assert_eq!(port_rate(name), gigabits.map(|rate| rate * 1e9), "{name}");
        }
    }

    #[test]
    fn numbers_of_ports_are_words_of_their_own() {
        assert_eq!(ports("Marvell FastLinQ 41000 Series - 2P 25GbE SFP28"), Some(2));
        assert_eq!(ports("ConnectX-4 Lx Dual Port 25GbE"), Some(2));
        assert_eq!(ports("I350-T4 Quad-Port Gigabit"), Some(4));
        assert_eq!(ports("MT27800 Family [ConnectX-5]"), None);
    }
}

//! Plausibility of every entry of the catalogue, to detect typos in digits.

use bandgraph_hardware::{AnyPart, Card, Part, SocketPart, catalogue};
use bandgraph_units::Frequency;

/// The parts of one kind.
macro_rules! parts {
    ($kind:ident) => {
        catalogue().iter().filter_map(|part| match part {
            AnyPart::$kind(part) => Some(part),
            _ => None,
        })
    };
}

/// The number after the last `prefix` in a name, up to the next character that is not a digit: `2400` of
/// `ddr4-2400`.
fn number_after(name: &str, prefix: &str) -> Option<f64> {
    let (_, rest) = name.rsplit_once(prefix)?;
    let end = rest
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The number before a unit at the end of a word in a name: 100 in `connectx6-dual-100gbe`, and 1.2 in
/// `1tb2`.
fn number_before(name: &str, unit: &str) -> Option<f64> {
    name.split('-').find_map(|word| {
        let (whole, fraction) = word.split_once(unit)?;
        format!("{whole}.{}", if fraction.is_empty() { "0" } else { fraction })
            .parse()
            .ok()
    })
}

/// JEDEC's grades are rounded to the next million transfers; a channel moves 8 bytes per transfer.
#[test]
fn memory_channels_have_the_rate_of_their_grade() {
    let mut grades = 0;
    for part in parts!(Memory) {
        let grade = ["ddr-", "ddr2-", "ddr3-", "ddr4-", "ddr5-", "mrdimm-", "lpddr5x-"]
            .iter()
            .find_map(|family| number_after(&part.name, family).filter(|_| part.name.starts_with(family)));
        let Some(grade) = grade else { continue };
        grades += 1;
        let rate = part.transfer_rate.get() / 8e6;
        assert!((rate - grade).abs() <= 1.0, "{}: {rate}", part.name);
    }
    assert!(grades >= 20, "{grades}");
}

/// A later grade of the same generation has a higher sustained rate.
#[test]
fn later_grades_of_memory_are_faster() {
    for slow in parts!(Memory) {
        for fast in parts!(Memory) {
            let grade = |name: &str| Some((name.split_once('-')?.0.to_owned(), number_after(name, "-")?));
            let (Some((family, low)), Some((other, high))) = (grade(&slow.name), grade(&fast.name)) else {
                continue;
            };
            let buffered = slow.name.ends_with("fbdimm") || fast.name.ends_with("fbdimm");
            if family.starts_with("ddr") && family == other && low < high && !buffered {
                let sustained =
                    |part: &bandgraph_hardware::MemoryPart| part.transfer_rate.get() * part.sustainable.get();
                assert!(sustained(slow) < sustained(fast), "{} {}", slow.name, fast.name);
            }
        }
    }
}

/// Random reads of 4 KiB a second with a number of commands in flight, from data sheets of makers (Seagate
/// DS2080 of 2023, WD Ultrastar DC HC580), follow from the average seek, the seek to the next track and the
/// revolutions. A drive begins the next command before a new one comes, so that it has one less to choose
/// from. With half a revolution for each command, they would be 21 and 28 % lower than published.
#[test]
fn disks_with_full_queues_have_the_rate_of_their_data_sheets() {
    for (name, in_flight, published, tolerance) in [
        ("seagate-exos-x24-24tb", 16.0, 168.0, 0.07),
        ("wd-ultrastar-hc580-24tb", 32.0, 212.0, 0.04),
    ] {
        let disk = catalogue().disk(name).expect("in the catalogue");
        let each = disk.positioning(1.0, in_flight - 1.0, 0.0).get() + 4096.0 / disk.average_rate(1.0).get();
        assert!(
            (1.0 / each / published - 1.0).abs() < tolerance,
            "{name}: {}",
            1.0 / each
        );
    }
}

/// Random reads of 4 KiB a second in files of 1 GB, alone and with 32 in flight (`CrystalDiskMark`): a third
/// of the file on each of three WD Black of 4 TB, with a third of the commands, and a Seagate ST3500418AS. With
/// seeks as short as to the next track, they would be 13 % and 36 to 46 % higher than published.
#[test]
fn disks_read_small_files_as_fast_as_measured() {
    for (name, file, in_flight, published, tolerance) in [
        ("seagate-constellation-es3-4tb", 0.33e9, 1.0, 176.7, 0.03),
        (
            "seagate-constellation-es3-4tb",
            0.33e9,
            32.0 / 3.0,
            1242.8 / 3.0,
            0.05,
        ),
        ("sata-500gb-7200", 1.07e9, 1.0, 166.3, 0.1),
        ("sata-500gb-7200", 1.07e9, 32.0, 457.5, 0.25),
    ] {
        let disk = catalogue().disk(name).expect("in the catalogue");
        let span = file / disk.capacity.get();
        let queue = f64::max(in_flight - 1.0, 1.0);
        let each = disk.positioning(span, queue, 0.0).get() + 4096.0 / disk.average_rate(span).get();
        assert!(
            (1.0 / each / published - 1.0).abs() < tolerance,
            "{name}, {in_flight}: {}",
            1.0 / each
        );
    }
}

#[test]
fn ports_have_standard_rates_and_the_names_say_them() {
    const INFINIBAND: [(&str, f64); 6] = [
        ("qdr", 32.0),
        ("fdr", 54.545),
        ("edr", 100.0),
        ("hdr", 200.0),
        ("ndr", 400.0),
        ("xdr", 800.0),
    ];
    for part in parts!(Nic) {
        let gigabits = part.port_rate.get() * 8e-9;
        let rates = [
            1.0, 2.5, 10.0, 16.0, 25.0, 32.0, 40.0, 50.0, 54.545, 100.0, 200.0, 400.0, 800.0,
        ];
        let is_rate = |rate: f64| (gigabits / rate - 1.0).abs() < 1e-3;
        assert!(rates.into_iter().any(is_rate), "{}: {gigabits}", part.name);
        if let Some(named) = number_before(&part.name, "gbe") {
            assert!(is_rate(named), "{}: {gigabits}", part.name);
        }
        let last = part.name.rsplit('-').next().unwrap_or_default();
        if let Some((_, rate)) = INFINIBAND.iter().find(|(word, _)| *word == last) {
            assert!(is_rate(*rate), "{}: {gigabits}", part.name);
        }
        let ports = match () {
            () if part.name.contains("quad") => 4,
            () if part.name.contains("dual") => 2,
            () => 1,
        };
        assert_eq!(part.ports, ports, "{}", part.name);
    }
}

/// Some cards exceed their slot, but each slot carries at least one port of its card.
#[test]
fn a_slot_feeds_at_least_one_port_of_its_card() {
    for part in parts!(Nic) {
        if let Some(endpoint) = part.endpoint() {
            let slot = endpoint.connector.raw_bandwidth();
            assert!(slot.get() >= 0.98 * part.port_rate.get(), "{}: {slot}", part.name);
        }
    }
}

/// Raw rates by hand: transfers per second × lanes × encoding ÷ 8 bits.
#[test]
fn lanes_carry_what_their_generation_says() {
    for part in parts!(PcieSlot) {
        let (transfers, encoding): (f64, f64) = match part.generation.to_string().as_str() {
            "gen1" => (2.5, 0.8),
            "gen2" => (5.0, 0.8),
            "gen3" => (8.0, 128.0 / 130.0),
            "gen4" => (16.0, 128.0 / 130.0),
            "gen5" => (32.0, 128.0 / 130.0),
            // Flits of 256 bytes contain 236 of packets.
            _ => (64.0, 236.0 / 256.0),
        };
        let expected = transfers * encoding * part.lanes as f64 / 8.0;
        let rate = part.spec().raw_bandwidth().get() / 1e9;
        assert!((rate / expected - 1.0).abs() < 1e-9, "{}: {rate}", part.name);
    }
    for slow in parts!(PcieSlot) {
        for fast in parts!(PcieSlot).filter(|fast| fast.lanes == slow.lanes) {
            let faster = fast.generation > slow.generation;
            let rate = |part: &bandgraph_hardware::PcieSlotPart| part.spec().raw_bandwidth().get();
            assert!(!faster || rate(fast) > rate(slow), "{} {}", slow.name, fast.name);
        }
    }
}

#[test]
fn sas_lanes_have_the_rates_of_their_generations() {
    for part in parts!(Hba) {
        let megabytes = part.lane_rate.get() / 1e6;
        assert!(
            [300.0, 600.0, 1200.0, 2400.0].contains(&megabytes) || part.name.contains("nvme"),
            "{}",
            part.name
        );
    }
}

#[test]
fn disks_are_what_their_names_say() {
    for part in parts!(Disk) {
        let named = number_before(&part.name, "tb")
            .map(|terabytes| terabytes * 1e12)
            .or(number_before(&part.name, "gb").map(|gigabytes| gigabytes * 1e9))
            .unwrap_or_else(|| panic!("{} names no capacity", part.name));
        assert!((part.capacity.get() / named - 1.0).abs() < 0.01, "{}", part.name);
        assert!(part.inner_rate < part.outer_rate, "{}", part.name);
        assert!(
            part.track_seek < part.head_switch && part.head_switch < part.seek,
            "{}",
            part.name
        );
        assert!((4000.0..=15000.0).contains(&part.rpm), "{}", part.name);
        // Half a revolution and a seek: 60 to 220 random reads/s.
        let alone = 1.0
            / part
                .random_access(bandgraph_units::Bytes::new(4096.0), 1.0, 1.0)
                .get();
        assert!((50.0..=220.0).contains(&alone), "{}: {alone}", part.name);
    }
}

#[test]
fn solid_state_devices_are_what_their_names_say() {
    for part in parts!(Ssd) {
        let named = number_before(&part.name, "tb").map(|terabytes| terabytes * 1e12);
        let named = named.or(number_before(&part.name, "gb").map(|gigabytes| gigabytes * 1e9));
        if let Some(named) = named {
            assert!((part.capacity.get() / named - 1.0).abs() < 0.03, "{}", part.name);
        }
        assert!(part.write_rate <= part.read_rate, "{}", part.name);
        let block = bandgraph_units::Bytes::new(4096.0);
        let (reads, writes) = (1.0 / part.read(block).get(), 1.0 / part.write(block).get());
        assert!((1e3..4e6).contains(&reads), "{}: {reads}", part.name);
        assert!(writes <= reads * 1.001, "{}: {writes}", part.name);
    }
}

#[test]
fn nvme_drives_are_what_their_names_say() {
    for part in parts!(Nvme) {
        if let Some(terabytes) = number_before(&part.name, "tb") {
            assert!(
                (part.capacity.get() / terabytes / 1e12 - 1.0).abs() < 0.01,
                "{}",
                part.name
            );
        }
        let endpoint = part.endpoint().expect("a card in a slot");
        let lanes = endpoint.connector.raw_bandwidth();
        assert!(
            part.write_rate <= part.read_rate && part.read_rate < lanes,
            "{}",
            part.name
        );
        // Drives of desktops write into a cache of one bit a cell.
        let has_cache = ["nvme-client", "crucial-p3", "samsung-990-pro", "wd-black"]
            .iter()
            .any(|start| part.name.starts_with(start));
        assert!(
            has_cache || part.write_operations <= part.read_operations,
            "{}",
            part.name
        );
        // The rate of small commands does not exceed that of large ones.
        let small = part.read_operations.get() * 4096.0;
        assert!(small <= part.read_rate.get(), "{}: {small}", part.name);
    }
}

#[test]
fn power_rises_with_load() {
    for part in catalogue().iter() {
        let watts = |field| part.get(field).and_then(|value| value.number());
        if let (Some(idle), Some(active)) = (watts("idle_power"), watts("active_power")) {
            assert!(idle <= active, "{}", part.name());
        }
    }
}

#[test]
fn there_are_enough_parts_of_each_kind() {
    let count = |kind: &str| {
        let parts = catalogue().iter();
        parts.filter(|part| part.kind().as_str() == kind).count()
    };
    for (kind, least) in [
        ("socket", 220),
        ("memory", 28),
        ("nic", 100),
        ("hba", 35),
        ("jbod", 18),
        ("disk", 50),
        ("ssd", 30),
        ("nvme", 45),
    ] {
        assert!(count(kind) >= least, "{kind}: {}", count(kind));
    }
}

/// The bins that Intel publishes for the E5-2667 v2: 4.0 GHz with one of its eight cores busy, 3.9 with two,
/// 3.8 with three, 3.7 with four, and 3.6 with more.
#[test]
fn clocks_fall_as_published_bins_do() {
    let part = SocketPart {
        cores: 8,
        package_cores: 8,
        clock: Frequency::new(3.6e9),
        turbo_clock: Frequency::new(4e9),
        ..catalogue()
            .socket("xeon-e5-2620-v2")
            .expect("it is there")
            .clone()
    };
    for (busy, published) in [
        (1.0, 4.0),
        (2.0, 3.9),
        (3.0, 3.8),
        (4.0, 3.7),
        (5.0, 3.6),
        (8.0, 3.6),
    ] {
        let found = part.clock_of(busy).get() / 1e9;
        assert!((found / published - 1.0).abs() < 0.003, "{busy}: {found}");
    }
    assert_eq!(part.full_clock(), Frequency::new(3.6e9));
}

/// One more busy core brings more cycles on every processor, whatever it costs the clock.
#[test]
fn more_busy_cores_have_more_cycles() {
    for part in parts!(Socket) {
        let cycles = |busy: f64| busy * part.clock_of(busy).get();
        for tenth in 0..part.cores * 10 {
            let busy = tenth as f64 / 10.0;
            assert!(cycles(busy + 0.1) > cycles(busy), "{} at {busy}", part.name);
        }
        assert!(part.full_clock() >= part.clock, "{}", part.name);
    }
}

/// A processor's clocks, its memory and its links are consistent.
#[test]
fn processors_are_whole() {
    for part in parts!(Socket) {
        let name = &part.name;
        if part.base_clock.get() > 0.0 {
            assert!(
                part.base_clock <= part.clock && part.clock <= part.turbo_clock,
                "{name}"
            );
        }
        assert!(part.cores * part.threads_per_core <= 512, "{name}");
        assert!(part.socket_links <= part.link_ports, "{name}");
        assert!((0.1e9..1e10).contains(&part.clock.get()), "{name}");
        if !part.memory.is_empty() {
            let memory = catalogue().memory(&part.memory);
            let memory = memory.unwrap_or_else(|| panic!("{name} takes {}, which is not there", part.memory));
            let peak = memory.transfer_rate.get() * part.memory_channels as f64;
            assert!((5e9..1e12).contains(&peak), "{name}: {peak}");
        }
        // Links of ARM servers (CCIX, CCPI, Hydra) are not in the catalogue.
        let is_arm = !["opteron-", "xeon-", "epyc-"]
            .iter()
            .any(|maker| name.starts_with(maker));
        let link = catalogue().socket_link(&part.socket_link);
        assert_eq!(
            link.is_none(),
            part.socket_link.is_empty(),
            "{name}: {}",
            part.socket_link
        );
        assert!(
            link.is_some() || part.socket_links == 0 || is_arm,
            "{name}: no link"
        );
        assert!(part.year == 0 || (2003..2030).contains(&part.year), "{name}");
    }
}

/// The rates of socket links in MT/s, by the makers' product pages.
#[test]
fn links_are_as_fast_as_makers_say() {
    for (name, rate) in [
        ("xeon-e5620", 5_866),
        ("xeon-x5690", 6_400),
        ("xeon-e5-2640", 7_200),
        ("xeon-e5-2650", 8_000),
        ("xeon-e5-2640-v3", 8_000),
        ("xeon-e5-2697a-v4", 9_600),
        ("xeon-4116", 9_600),
        ("xeon-5118", 10_400),
        ("xeon-6248", 10_400),
        ("xeon-4314", 10_400),
        ("xeon-5318y", 11_200),
        ("xeon-8490h", 16_000),
        ("xeon-8592-plus", 20_000),
        ("xeon-6980p", 24_000),
        ("xeon-6780e", 24_000),
        ("opteron-6174", 6_400),
        ("epyc-7601", 10_666),
        ("epyc-7763", 16_000),
        ("epyc-9654", 32_000),
    ] {
        let part = catalogue().socket(name).expect("in the catalogue");
        let link = catalogue().socket_link(&part.socket_link);
        let link = link.unwrap_or_else(|| panic!("{name}: {}", part.socket_link));
        assert_eq!((link.clock.get() * 2.0 / 1e6) as u64, rate, "{name}");
    }
}

/// Sockets of one package and year form a family: properties of die and package agree, unless the maker
/// differs.
#[test]
fn sockets_of_one_family_have_what_their_family_has() {
    // Without simultaneous multithreading, according to the maker: processors with efficient cores, and the
    // lowest grades.
    let single_threaded = [
        "xeon-6766e",
        "xeon-6780e",
        "xeon-3104",
        "xeon-3106",
        "xeon-3204",
        "xeon-e3-1220",
        "xeon-e3-1220-v3",
        "xeon-e-2124",
        "xeon-e5-2603",
        "xeon-e5-2603-v2",
        "xeon-e5-2603-v3",
        "xeon-e5-2603-v4",
        "xeon-e5-2609",
        "xeon-e5-2609-v2",
        "xeon-e5-2609-v3",
        "xeon-e5-2609-v4",
    ];
    // The number of links varies by grade, according to the maker: the grades of a Xeon, and Opterons for two
    // sockets. EPYCs whose names end with P, those of 3000, 4000 and 8000, Xeons D, E, E3, E5-1600, W and
    // those whose names end with U, two more, and Atoms are for single-socket boards.
    let graded = |name: &str| name.starts_with("xeon-") || name.starts_with("opteron-2");
    let alone = |name: &str| {
        let of_epyc = name.starts_with("epyc-") && name.ends_with('p');
        of_epyc
            || (name.starts_with("xeon-") && name.ends_with('u'))
            || ["xeon-6521p", "xeon-8351n"].contains(&name)
            || [
                "xeon-e3-",
                "xeon-e-",
                "xeon-d-",
                "xeon-w-",
                "xeon-e5-16",
                "atom-",
                "epyc-3",
                "epyc-4",
                "epyc-8",
            ]
            .iter()
            .any(|family| name.starts_with(family))
    };
    let mut compared = 0;
    for part in parts!(Socket).filter(|part| !part.package.is_empty() && part.package != "soldered") {
        let family =
            parts!(Socket).filter(|other| (&other.package, other.year) == (&part.package, part.year));
        for other in family.filter(|other| other.name < part.name) {
            compared += 1;
            let pair = format!("{} and {}", part.name, other.name);
            if [&part.name, &other.name].map(|name| single_threaded.contains(&name.as_str())) == [false; 2] {
                assert_eq!(part.threads_per_core, other.threads_per_core, "{pair}");
            }
            assert_eq!(part.pcie_generation, other.pcie_generation, "{pair}");
            assert_eq!(part.memory_channels, other.memory_channels, "{pair}");
            if [&part.name, &other.name].map(|name| alone(name)) == [false; 2] {
                assert_eq!(part.pcie_lanes, other.pcie_lanes, "{pair}");
            }
            if [&part.name, &other.name].map(|name| graded(name) || alone(name)) == [false; 2] {
                assert_eq!(part.socket_links, other.socket_links, "{pair}");
            }
        }
        // Single sockets, and sockets on a front-side bus, have no links.
        if !alone(&part.name) && part.front_side_bus.get() == 0.0 {
            assert!(part.socket_links > 0, "{}", part.name);
        }
    }
    assert!(compared > 500, "{compared}");
}

/// The makers' figures for all ports of a card together, in Gbit/s.
#[test]
fn cards_carry_together_what_their_makers_say() {
    for (name, gigabits) in [
        ("intel-xl710-dual-40gbe", 40.0),
        ("intel-e810-dual-100gbe", 100.0),
        ("broadcom-bcm57608-dual-200gbe", 400.0),
    ] {
        let part = catalogue().nic(name).expect("in the catalogue");
        let ports = part.port_rate.get() * part.ports as f64;
        let together = match part.card_rate.get() {
            0.0 => ports,
            rate => rate.min(ports),
        };
        assert!(
            (together * 8e-9 / gigabits - 1.0).abs() < 1e-9,
            "{name}: {together}"
        );
    }
}

/// Published peaks of a socket, in GB/s: channels × rate × 8 bytes.
#[test]
fn processors_have_their_published_memory_bandwidth() {
    for (name, gigabytes) in [
        ("opteron-280", 6.4),
        ("xeon-e5-2680-v4", 76.8),
        ("xeon-8180", 128.0),
        ("xeon-8280", 140.8),
        ("xeon-8380", 204.8),
        ("xeon-8480-plus", 307.2),
        ("epyc-7742", 204.8),
        ("epyc-9654", 460.8),
        ("epyc-9965", 614.4),
    ] {
        let part = catalogue().socket(name).expect("in the catalogue");
        let memory = catalogue().memory(&part.memory).expect("in the catalogue");
        let peak = memory.transfer_rate.get() * part.memory_channels as f64 / 1e9;
        assert!((peak / gigabytes - 1.0).abs() < 1e-3, "{name}: {peak}");
    }
}

/// The makers' transfers a second, of 8 bytes each, and the share of them that lines of memory can use.
#[test]
fn front_side_buses_carry_their_share_of_the_published_rate() {
    for (name, transfers) in [("xeon-l5408", 3200e6 / 3.0), ("xeon-e5420", 4000e6 / 3.0)] {
        let part = catalogue().socket(name).expect("in the catalogue");
        let share = part.front_side_bus.get() / (8.0 * transfers);
        assert!((share / 0.70 - 1.0).abs() < 1e-3, "{name}: {share}");
    }
}

/// In a family, the processors of a later generation of the same package are not slower at their best.
#[test]
fn later_processors_of_a_package_are_not_slower() {
    let best = |package: &str, year: u64| {
        parts!(Socket)
            .filter(|part| part.package == package && part.year == year)
            .map(|part| part.cycles_per_second().get())
            .fold(0.0, f64::max)
    };
    for package in [
        "LGA2011",
        "LGA2011-3",
        "LGA3647",
        "LGA4677",
        "SP3",
        "SP5",
        "Socket F",
        "G34",
    ] {
        let rates: Vec<f64> = (2003..2030)
            .map(|year| best(package, year))
            .filter(|rate| *rate > 0.0)
            .collect();
        assert!(!rates.is_empty(), "{package}");
        assert!(
            rates.windows(2).all(|pair| pair[0] <= pair[1] * 1.05),
            "{package}: {rates:?}"
        );
    }
}

//! PCIe: published figures, and properties of any link.

use bandgraph_hardware::pcie::{Link, SwitchedLink, Traffic};
use bandgraph_hardware::{
    Card, NicPart, PcieEndpoint, PcieGeneration, PcieSlotSpec, PcieSwitchPart, catalogue,
};
use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};
use proptest::prelude::*;

const GIB: f64 = 1_073_741_824.0;

fn spec(text: &str) -> PcieSlotSpec {
    text.parse().expect("it is a link")
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs(),
        "{found} is not within {tolerance} of {expected}"
    );
}

/// A 10GbE card of the 7410 in a slot of its MCP55.
fn neptune(slot: &str) -> Link {
    let catalogue = catalogue();
    let bridge = catalogue.bridge("mcp55").expect("in the catalogue");
    let card = catalogue
        .nic("neptune-dual-10gbe")
        .and_then(NicPart::endpoint)
        .expect("a card in a slot");
    Link::between(bridge, spec(slot), &card, Time::new(150e-9))
}

/// The published model of pcie-bench: 64-bit addresses, a payload of 256, read requests of 512, completions
/// of the payload, and a fixed share of the raw rate for acknowledgements, credits (8 bytes each, every 203
/// byte times on gen3 x8) and skip sets (4 in 1538).
fn pcie_bench() -> Link {
    Link {
        trained: spec("gen3 x8"),
        maximum_payload: Bytes::new(256.0),
        read_request: Bytes::new(512.0),
        completion: Bytes::new(256.0),
        address_bits: 64,
        end_to_end_checksum: false,
        acknowledge_every: f64::INFINITY,
        credits_every: f64::INFINITY,
        reserved: Fraction::new(8.0 / 203.0 + 8.0 / 203.0 + 4.0 / 1538.0),
        outstanding_reads: 256,
        round_trip: Time::ZERO,
    }
}

fn gigabits(bandwidth: Bandwidth) -> f64 {
    bandwidth.get() * 8.0 / 1e9
}

#[test]
fn the_rate_below_packets_is_that_of_pcie_bench() {
    assert!((gigabits(pcie_bench().raw()) - 63.015).abs() < 0.001);
    assert!((gigabits(pcie_bench().usable()) - 57.88).abs() < 0.01);
}

/// Gbit/s for single transfers, from the formulas of pcie-bench worked by hand: 57.88 × size ÷ bytes on the
/// busier direction. 64 bytes: write 64/88, read 64/84, both 64/112. 256: 256/280, 256/276, 256/304. 257
/// bytes need a second packet. 1500 bytes: 6 packets of 24, 6 completions of 20, 3 requests of 24.
#[test]
fn transfers_reach_what_pcie_bench_computes() {
    let link = pcie_bench();
    let usable = 57.88;
    for (size, write, read, both) in [
        (64, 64.0 / 88.0, 64.0 / 84.0, 64.0 / 112.0),
        (256, 256.0 / 280.0, 256.0 / 276.0, 256.0 / 304.0),
        (257, 257.0 / 305.0, 257.0 / 297.0, 257.0 / 329.0),
        (1500, 1500.0 / 1644.0, 1500.0 / 1620.0, 1500.0 / 1716.0),
    ] {
        let point = link.transfer_point(size);
        near(gigabits(point.write), usable * write, 2e-4);
        near(gigabits(point.read), usable * read, 2e-4);
        near(gigabits(point.read_and_write), usable * both, 2e-4);
    }
    // "About 50 Gbit/s" of payload each way, in the summary of the paper.
    near(gigabits(link.transfer_point(1500).read_and_write), 50.0, 0.02);
}

/// 2.87 GiB/s of network traffic over two slots, 1.4–1.5 GiB/s per slot in practice (facts.md, PCIe). The
/// result is 64 of 84 bytes of a completion, less link layer packets and skip sets.
#[test]
fn a_slot_of_the_7410_reads_at_1_45_gib_per_second() {
    let link = neptune("gen1 x8");
    let read = link.read_bandwidth().get();
    assert!((1.4..1.5).contains(&(read / GIB)), "{read}");
    near(read, 2e9 * 64.0 / 84.0, 0.012);
    assert!(link.tag_limit().get() > read);
}

/// Oracle's expectations for gen1 slots with 128-byte payloads and 512-byte read requests: x8 1400–1600 MB/s
/// of reads, x4 half of that; about twice as much with writes at the same time.
#[test]
fn gen1_slots_deliver_what_their_maker_expected() {
    let x8 = neptune("gen1 x8").read_bandwidth().get() / 1e6;
    assert!((1400.0..=1600.0).contains(&x8), "{x8}");
    let x4 = neptune("gen1 x4").read_bandwidth().get() / 1e6;
    assert!((700.0..=800.0).contains(&x4), "{x4}");
    let both = neptune("gen1 x8").full_duplex().total().get() / 1e6;
    assert!((2900.0..=3200.0).contains(&both), "{both}");
}

/// facts.md, PCIe: 256-byte completions with link layer packets as often as the standard's tables require
/// (every 107 byte times at a payload of 256, 67 at 128) give about 1.57 GB/s, 128-byte ones 1.31.
#[test]
fn worst_case_acknowledgements_give_the_worked_rates() {
    for (payload, interval, expected) in [(256.0, 107.0, 1.57e9), (128.0, 67.0, 1.31e9)] {
        let link = Link {
            trained: spec("gen1 x8"),
            maximum_payload: Bytes::new(payload),
            completion: Bytes::new(payload),
            reserved: Fraction::new(2.0 * 8.0 / interval + 4.0 / 1538.0),
            ..pcie_bench()
        };
        near(link.read_bandwidth().get(), expected, 0.005);
    }
}

/// By hand: a 512-byte read in 64-byte completions, 32-bit addresses. Toward the host 20 for the request and
/// 8 for 8 completions at one in eight; toward the card 512 + 8 · 20, and 1 for the request. A 256-byte
/// write: 2 packets of 128 + 20 with checksums of 4 each, 2 toward the card.
#[test]
fn costs_are_those_counted_by_hand() {
    let link = Link {
        maximum_payload: Bytes::new(128.0),
        completion: Bytes::new(64.0),
        address_bits: 32,
        acknowledge_every: 8.0,
        ..pcie_bench()
    };
    let read = link.read_cost(512.0);
    assert_eq!((read.toward_card, read.toward_host), (673.0, 28.0));
    let checked = Link {
        end_to_end_checksum: true,
        ..link
    };
    let write = checked.write_cost(256.0);
    assert_eq!((write.toward_card, write.toward_host), (2.0, 304.0));
    let long = Link {
        address_bits: 64,
        ..link
    };
    assert_eq!(long.read_cost(512.0).toward_host, 32.0);
    assert_eq!(long.read_cost(512.0).toward_card, 673.0);
}

/// By hand: a write of 256 bytes in 2 packets of 128 returns 2 credits of 8 bytes with one per request, and a
/// read of 512 bytes one.
#[test]
fn credits_are_those_counted_by_hand() {
    let link = Link {
        maximum_payload: Bytes::new(128.0),
        completion: Bytes::new(64.0),
        credits_every: 1.0,
        ..pcie_bench()
    };
    assert_eq!(link.write_cost(256.0).toward_card, 16.0);
    assert_eq!(link.read_cost(512.0).toward_card, 512.0 + 8.0 * 20.0 + 8.0);
    assert_eq!(link.read_cost(512.0).toward_host, 24.0);
}

/// Published for gen1 x8 with payloads of 128 bytes and read requests of 512: reads 1520 MB/s, writes 1720,
/// both together 2940; on gen3 x8 with 256 bytes, reads and writes of 2048 bytes together 52 Gbit/s each.
#[test]
fn both_directions_together_reach_what_was_measured() {
    let t5440 = Link {
        trained: spec("gen1 x8"),
        maximum_payload: Bytes::new(128.0),
        completion: Bytes::new(64.0),
        acknowledge_every: 4.0,
        credits_every: 2.75,
        reserved: PcieGeneration::Gen1.ordered_sets(),
        ..pcie_bench()
    };
    near(t5440.read_bandwidth().get() / 1e6, 1520.0, 0.01);
    near(t5440.write_bandwidth().get() / 1e6, 1720.0, 0.03);
    near(t5440.equal_duplex().total().get() / 1e6, 2940.0, 0.02);
    let nfp = Link {
        acknowledge_every: 1.0,
        credits_every: 2.75,
        reserved: PcieGeneration::Gen3.ordered_sets(),
        ..pcie_bench()
    };
    near(gigabits(nfp.transfer_point(2048).read_and_write), 52.0, 0.04);
}

/// Published for a card with about 32 outstanding reads: 64-byte reads reach 31.9 Gbit/s on gen3 x8, and a
/// read takes 547 to 600 ns.
#[test]
fn a_root_complex_takes_as_long_as_was_measured() {
    let card = PcieEndpoint {
        connector: spec("gen3 x8"),
        maximum_payload: Bytes::new(256.0),
        maximum_read_request: Bytes::new(512.0),
        address_bits: 64,
        outstanding_reads: 32,
    };
    let bridge = catalogue().bridge("root-complex-gen3").expect("in the catalogue");
    let link = Link::between(bridge, spec("gen3 x8"), &card, Time::new(90e-9));
    let short = link.round_trip.get() * 1e9;
    assert!((590.0..=720.0).contains(&short), "{short} ns");
    // Short reads occupy their tags for the time of a full one in the model.
    near(gigabits(link.transfer_point(64).read), 31.9, 0.25);
}

#[test]
fn flits_carry_acknowledgements_for_free() {
    let link = Link {
        trained: spec("gen6 x16"),
        acknowledge_every: 1.0,
        credits_every: 1.0,
        reserved: Fraction::ZERO,
        ..pcie_bench()
    };
    near(link.raw().get(), 128e9 * 236.0 / 256.0, 1e-12);
    assert_eq!(link.write_cost(256.0).toward_card, 0.0);
    assert_eq!(link.write_cost(256.0).toward_host, 280.0);
}

/// By hand: two outstanding reads of 512 bytes with a round trip of a microsecond are 1.024 GB/s.
#[test]
fn reads_under_way_limit_reads_and_leave_writes_alone() {
    let link = Link {
        outstanding_reads: 2,
        round_trip: Time::new(1e-6),
        ..pcie_bench()
    };
    near(link.tag_limit().get(), 1.024e9, 1e-12);
    assert_eq!(link.read_bandwidth(), link.tag_limit());
    assert_eq!(link.write_bandwidth(), pcie_bench().write_bandwidth());
    let both = link.full_duplex();
    assert_eq!(both.read, link.tag_limit());
    assert!(both.write > pcie_bench().full_duplex().write);
    // A read of 64 bytes occupies its tag as long as one of 512.
    near(link.transfer_point(64).read.get(), 0.128e9, 1e-12);
}

#[test]
fn a_link_is_the_smaller_of_both_sides() {
    let link = neptune("gen3 x16");
    assert_eq!(link.trained, spec("gen1 x8"));
    assert_eq!(
        (
            link.maximum_payload.get(),
            link.read_request.get(),
            link.completion.get()
        ),
        (128.0, 512.0, 64.0)
    );
    let modern = catalogue().bridge("root-complex-gen3").expect("in the catalogue");
    let card = PcieEndpoint {
        connector: spec("gen4 x16"),
        maximum_payload: Bytes::new(128.0),
        maximum_read_request: Bytes::new(4096.0),
        address_bits: 64,
        outstanding_reads: 32,
    };
    let link = Link::between(modern, spec("gen4 x8"), &card, Time::ZERO);
    assert_eq!(link.trained, spec("gen3 x8"));
    assert_eq!((link.read_request.get(), link.completion.get()), (512.0, 128.0));
}

#[test]
fn nothing_transferred_is_nothing_reached() {
    let point = neptune("gen1 x8").transfer_point(0);
    assert_eq!((point.read, point.write), (Bandwidth::ZERO, Bandwidth::ZERO));
    assert_eq!(neptune("gen1 x8").read_transfer(0).traffic, Traffic::default());
}

prop_compose! {
    fn any_link()(
        trained in (0..6_usize, 0..6_usize).prop_map(|(generation, lanes)| {
            spec(&format!("gen{} x{}", generation + 1, [1, 2, 4, 8, 16, 32][lanes]))
        }),
        payload in 0..6_u32,
        request in 0..6_u32,
        completion in 0..7_u32,
        address_bits in prop_oneof![Just(32_u64), Just(64)],
        end_to_end_checksum: bool,
        acknowledge_every in 0.5..64.0,
        credits_every in 0.5..64.0,
        outstanding_reads in 1..512_u64,
        round_trip in 0.0..5e-6,
    ) -> Link {
        let size = |smallest: f64, power: u32| Bytes::new(smallest * f64::from(1_u32 << power));
        let (maximum_payload, read_request) = (size(128.0, payload), size(128.0, request));
        Link {
            trained,
            maximum_payload,
            read_request,
            completion: size(64.0, completion).min(maximum_payload).min(read_request),
            address_bits,
            end_to_end_checksum,
            acknowledge_every,
            credits_every,
            reserved: trained.generation.ordered_sets(),
            outstanding_reads,
            round_trip: Time::new(round_trip),
        }
    }
}

/// Whether traffic at a rate of one per payload byte fits the link.
fn fits(link: &Link, traffic: Traffic) -> bool {
    traffic.peak() <= link.usable().get() * (1.0 + 1e-12)
}

proptest! {
    /// Reads and writes at the reported rates never exceed a direction, alone or together.
    #[test]
    fn no_direction_carries_more_than_it_can(link in any_link()) {
        prop_assert!(fits(&link, link.read_cost(link.read_bandwidth().get())));
        prop_assert!(fits(&link, link.write_cost(link.write_bandwidth().get())));
        for both in [link.full_duplex(), link.equal_duplex()] {
            prop_assert!(both.read.get() > 0.0 && both.write.get() >= 0.0);
            prop_assert!(both.read <= link.read_bandwidth() && both.write <= link.write_bandwidth());
            prop_assert!(fits(
                &link,
                link.read_cost(both.read.get()) + link.write_cost(both.write.get())
            ));
        }
    }

    /// Either both directions are full, or reads are at their tag limit and one direction is full.
    #[test]
    fn full_duplex_leaves_nothing(link in any_link()) {
        let both = link.full_duplex();
        let used = link.read_cost(both.read.get()) + link.write_cost(both.write.get());
        let full = |bytes: f64| bytes >= link.usable().get() * (1.0 - 1e-9);
        let tagged = both.read >= link.tag_limit() * (1.0 - 1e-12);
        let equal = both == link.equal_duplex();
        prop_assert!(
            (full(used.toward_card) && full(used.toward_host))
                || (tagged && (full(used.peak()) || equal))
                || (equal && full(used.peak()))
        );
    }

    /// Whole packets never cost less than their share of a stream, and the same for transfers of whole
    /// requests.
    #[test]
    fn whole_packets_cost_at_least_their_share(link in any_link(), size in 1..100_000_u64) {
        let bytes = size as f64;
        let slack = 1.0 - 1e-12;
        for (whole, share) in [
            (link.read_transfer(size).traffic, link.read_cost(bytes)),
            (link.write_transfer(size).traffic, link.write_cost(bytes)),
        ] {
            prop_assert!(whole.toward_card >= share.toward_card * slack);
            prop_assert!(whole.toward_host >= share.toward_host * slack);
        }
        let request = link.read_request.get() as u64;
        let whole = link.read_transfer(size * request).traffic;
        let share = link.read_cost((size * request) as f64);
        prop_assert!((whole.toward_card - share.toward_card).abs() <= 1e-9 * share.toward_card);
        prop_assert!((whole.toward_host - share.toward_host).abs() <= 1e-9 * share.toward_host);
    }

    /// More of anything that carries data, or less overhead, is never worse.
    #[test]
    fn better_links_are_not_slower(link in any_link()) {
        let better = [
            Link { address_bits: 32, ..link },
            Link { end_to_end_checksum: false, ..link },
            Link { acknowledge_every: link.acknowledge_every * 2.0, ..link },
            Link { outstanding_reads: link.outstanding_reads * 2, ..link },
            Link { round_trip: link.round_trip * 0.5, ..link },
            Link { maximum_payload: link.maximum_payload * 2.0, ..link },
        ];
        for other in better {
            prop_assert!(other.read_bandwidth().get() >= link.read_bandwidth().get() * (1.0 - 1e-12));
            prop_assert!(other.write_bandwidth().get() >= link.write_bandwidth().get() * (1.0 - 1e-12));
        }
    }
}

/// Bytes toward the card of a full read, as the next test counts them.
const FULL_READ: f64 = 8.0 * 84.0 + 2.0 + 32.0 / 11.0;

/// By hand: gen1 x8 moves 2 bytes per nanosecond. A full read of 512 bytes has 8 completions of 84 bytes; the
/// request causes a quarter of an 8-byte acknowledgement and 1/2.75 of one with credits: 677 bytes, half as
/// many nanoseconds. With 2 × 250 ns through the bridge and 150 ns of memory a read takes 988 ns.
#[test]
fn round_trips_are_counted_by_hand() {
    let link = neptune("gen1 x8");
    let round_trip = (FULL_READ / 2.0 + 500.0 + 150.0) * 1e-9;
    near(link.round_trip.get(), round_trip, 1e-9);
    near(link.read_rate_limit(), 16.0 / round_trip, 1e-9);
    near(link.tag_limit().get(), 16.0 * 512.0 / round_trip, 1e-9);
}

fn switched(uplink: &str, slot: &str, cut_through: bool) -> SwitchedLink {
    let catalogue = catalogue();
    let switch = PcieSwitchPart {
        generation: PcieGeneration::Gen2,
        latency: Time::new(150e-9),
        cut_through,
        ..PcieSwitchPart::default()
    };
    let card = catalogue
        .nic("neptune-dual-10gbe")
        .and_then(NicPart::endpoint)
        .expect("a card in a slot");
    let bridge = catalogue.bridge("mcp55").expect("in the catalogue");
    SwitchedLink::between(
        bridge,
        spec(uplink),
        &switch,
        spec(slot),
        &card,
        Time::new(150e-9),
    )
}

/// By hand, for a x4 uplink, which moves 1 byte per nanosecond: data takes 677 ns there. Two bridges and two
/// switches are 800 ns, memory 150. A store-and-forward switch delays a request of 24 bytes at x8 (12 ns) and
/// a completion of 84 at x4 (84 ns).
#[test]
fn a_switch_takes_time_and_the_narrower_link_decides() {
    let cut_through = switched("gen1 x4", "gen2 x8", true);
    assert_eq!(cut_through.above.trained, spec("gen1 x4"));
    assert_eq!(cut_through.below.trained, spec("gen1 x8"));
    near(
        cut_through.below.round_trip.get(),
        (FULL_READ + 800.0 + 150.0) * 1e-9,
        1e-9,
    );
    let held = switched("gen1 x4", "gen2 x8", false);
    near(
        held.below.round_trip.get(),
        (FULL_READ + 800.0 + 150.0 + 12.0 + 84.0) * 1e-9,
        1e-9,
    );
    assert_eq!(held.above.read_cost(1.0), held.below.read_cost(1.0));
}

/// The bridge limits the link above the switch, not the one below it.
#[test]
fn each_link_trains_by_itself() {
    let links = switched("gen3 x16", "gen2 x4", true);
    assert_eq!(links.above.trained, spec("gen1 x16"));
    assert_eq!(links.below.trained, spec("gen1 x4"));
}

//! `bandgraph parts list`, `bandgraph parts show` and `bandgraph parts pcie`.

use bandgraph_diagnostics::did_you_mean;
use bandgraph_hardware::pcie::Link;
use bandgraph_hardware::{
    AnyPart, Part, PartKind, PcieSlotSpec, SlotSpecError, catalogue, letters, meant_parts, names_meant_by,
};
use bandgraph_model::profile_names;
use bandgraph_report::{
    PartDocument, PartsDocument, part_view, parts_view, pcie_csv, pcie_document, pcie_view,
};
use bandgraph_units::{Bytes, QuantityKind, Time};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::arguments::ResultArguments;
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Show the parts that topology files can name
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph parts show opteron-8356")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the parts of the catalogue
    #[command(after_help = "Example: bandgraph parts list --kind nic 100gbe")]
    List {
        /// Only parts whose name contains this (capitals and dashes do not count), whose kind it is, or that
        /// are of this vendor or family
        name: Option<String>,
        /// Only parts of this kind
        #[arg(long, value_parser = PossibleValuesParser::new(PartKind::ALL.iter().map(|kind| kind.as_str())))]
        kind: Option<String>,
        #[command(flatten)]
        result: ResultArguments,
    },
    /// Show one part: every field with its value and its meaning, and where the figures come from
    #[command(after_help = "Example: bandgraph parts show neptune-dual-10gbe --format json")]
    Show {
        /// The part's name
        #[arg(add = complete::parts())]
        name: String,
        #[command(flatten)]
        result: ResultArguments,
    },
    /// Show what a PCI Express link delivers over the size of transfers: DMA reads, DMA writes, both at once
    #[command(after_help = "Example: bandgraph parts pcie gen3 x8 --payload 256")]
    Pcie(Curve),
}

/// A link, and the sizes to show.
#[derive(Debug, Args)]
struct Curve {
    /// The generation: gen1 to gen6
    generation: String,
    /// The lanes: x1, x2, x4, x8, x12, x16 or x32
    lanes: String,
    /// Largest payload of a packet, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256, value_parser = clap::value_parser!(u32).range(128..=4096))]
    payload: u32,
    /// Largest read requested at once, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 512, value_parser = clap::value_parser!(u32).range(128..=4096))]
    read_request: u32,
    /// Data of a completion, in bytes; never more than the payload [default: 64 for gen1 and gen2, then 256]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(16..=4096))]
    completion: Option<u32>,
    /// Bits of addresses: 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = 64, value_parser = clap::value_parser!(u32).range(32..=64))]
    address: u32,
    /// End packets with an end-to-end checksum
    #[arg(long)]
    ecrc: bool,
    /// Packets for which one link layer packet of 8 bytes acknowledges [default: 4 for gen1 and gen2, 1
    /// after them]
    #[arg(long, value_name = "PACKETS", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    acknowledge_every: Option<u32>,
    /// Requests for which one link layer packet of 8 bytes returns credits
    #[arg(long, value_name = "REQUESTS", default_value_t = 2.75, value_parser = packets_between)]
    credits_every: f64,
    /// Reads that the card keeps in flight
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    tags: u32,
    /// Time from a read request to its last completion, such as "500 ns"; reads in flight are no limit
    /// without it
    #[arg(long, value_name = "TIME")]
    latency: Option<String>,
    /// A size of transfers to show, in bytes; repeatable [default: 16 to 65536]
    #[arg(long = "size", value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..))]
    sizes: Vec<u32>,
    #[command(flatten)]
    result: ResultArguments,
}

/// Sizes that show the steps of packets: powers of two, what is one byte over them, and frames.
const SIZES: [u64; 19] = [
    16, 32, 64, 65, 128, 129, 256, 257, 512, 513, 1024, 1500, 2048, 4096, 8192, 9000, 16_384, 32_768, 65_536,
];

impl Arguments {
    /// Prints what was asked for.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        match &self.action {
            Action::List { name, kind, result } => {
                let every_name = catalogue().iter().map(Part::name);
                let meant = name.as_deref().map(|name| names_meant_by(name, every_name));
                let meant = meant.unwrap_or_default();
                let parts: Vec<&dyn Part> = catalogue()
                    .iter()
                    .filter(|part| kind.as_ref().is_none_or(|kind| part.kind().as_str() == kind))
                    .filter(|part| {
                        name.as_ref().is_none_or(|name| {
                            letters(part.name()).contains(&letters(name))
                                || part.kind().as_str() == name
                                || meant.contains(&part.name())
                        })
                    })
                    .map(|part| part as &dyn Part)
                    .collect();
                if parts.is_empty() {
                    return Err(no_part(name.as_deref().unwrap_or_default(), "matches"));
                }
                result.write(&PartsDocument::new(&parts), &parts_view(&parts))?;
            }
            Action::Show { name, result } => {
                let part = part(name)?;
                result.write(&PartDocument::new(part), &part_view(part))?;
            }
            Action::Pcie(curve) => curve.write()?,
        }
        Ok(Exit::Fine)
    }
}

impl Curve {
    fn write(&self) -> Result<(), Failure> {
        let link = self.link()?;
        let mut sizes: Vec<u64> = self.sizes.iter().copied().map(u64::from).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.is_empty() {
            sizes = SIZES.to_vec();
        }
        let (document, view) = (pcie_document(&link, &sizes), pcie_view(&link, &sizes));
        self.result
            .write_with_table(&document, &view, || pcie_csv(&link, &sizes))
    }

    fn link(&self) -> Result<Link, Failure> {
        let trained: PcieSlotSpec =
            format!("{} {}", self.generation, self.lanes)
                .parse()
                .map_err(|error: SlotSpecError| {
                    Failure::usage(error.to_string()).help("write it as `gen3 x8`")
                })?;
        let round_trip = self
            .latency
            .as_ref()
            .map_or(Ok(0.0), |text| QuantityKind::Time.parse(text))
            .ok()
            .filter(|seconds| (0.0..=1.0).contains(seconds))
            .ok_or_else(|| {
                Failure::usage("`--latency` takes a time from 0 s to 1 s")
                    .help("write it as `--latency \"500 ns\"`")
            })?;
        let bytes = |size: u32| Bytes::new(f64::from(size));
        Ok(Link {
            trained,
            maximum_payload: bytes(self.payload),
            read_request: bytes(self.read_request),
            completion: self
                .completion
                .map_or_else(|| trained.generation.usual_completion(), bytes)
                .min(bytes(self.payload))
                .min(bytes(self.read_request)),
            address_bits: u64::from(self.address),
            end_to_end_checksum: self.ecrc,
            acknowledge_every: self
                .acknowledge_every
                .map_or_else(|| trained.generation.usual_acknowledge_every(), f64::from),
            credits_every: self.credits_every,
            reserved: trained.generation.ordered_sets(),
            outstanding_reads: u64::from(self.tags),
            round_trip: Time::new(round_trip),
        })
    }
}

/// Reads a number of packets between two others.
fn packets_between(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (0.25..=1e6).contains(number))
        .ok_or_else(|| "a number from 0.25 to 1000000".to_owned())
}

fn part(name: &str) -> Result<&'static AnyPart, Failure> {
    catalogue().get(name).ok_or_else(|| no_part(name, "is called"))
}

/// No part of the catalogue has, or is called, `name`.
fn no_part(name: &str, what: &str) -> Failure {
    let names = PartKind::ALL.iter().flat_map(|kind| catalogue().names(*kind));
    let help = if profile_names().contains(&name) {
        format!("it is a software profile: `bandgraph stacks show {name}`")
    } else {
        did_you_mean(name, names)
            .or_else(|| meant_parts(name, catalogue().iter().map(Part::name)))
            .unwrap_or_else(|| "`bandgraph parts list` names them all".to_owned())
    };
    Failure::usage(format!("no part of the catalogue {what} `{name}`")).help(help)
}

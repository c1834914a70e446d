//! `bandgraph sweep plan`: the points of a sweep, before any of them is answered.

use std::fmt::Write as _;

use bandgraph_report::sweep::{plan_csv_header, plan_csv_row, plan_json_line, point_label};
use bandgraph_scenario::Workbench;
use bandgraph_study::{Design, Shard, prepare_hash};
use clap::{Args, ValueEnum};

use super::row_file::RowFile;
use super::shard_argument::shard;
use super::{LoadedSweep, SweepArguments};
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Points that are shown to people.
const SHOWN: u64 = 20;
/// Numbers that are tried one by one to count points for people.
const TRIED: u64 = 1_000_000;
/// Letters of a hash that are shown to people.
const HASH: usize = 12;

/// Show the points of a sweep with the hashes of their inputs, without answering them
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph sweep plan SWEEP.toml --format csv > points.csv")]
pub(super) struct Arguments {
    #[command(flatten)]
    sweep: SweepArguments,
    /// Only the points of one shard, as `sweep run` takes it
    #[arg(long, value_name = "[I]/N")]
    shard: Option<String>,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people: how many points there are, and the first of them
    #[default]
    Text,
    /// All points
    Csv,
    /// All points as JSON lines
    #[value(alias = "jsonl")]
    Json,
}

impl Arguments {
    /// Writes the plan.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let shard = shard(self.shard.as_deref())?;
        let LoadedSweep { sweep, sources } = self.sweep.load(terminal)?;
        let design = Design::new(&sweep);
        let members = shard.members(design.candidates());
        let points = design.points().filter(|point| members(point.number));
        let mut bench = Workbench::new();
        let mut file = RowFile::create(self.output.path())?;
        if let Format::Text = self.format {
            let mut text = String::new();
            let candidates = design.candidates();
            // Without a filter every number is a point, and few have to be made.
            let is_whole = shard == Shard::WHOLE && sweep.filters.is_empty();
            let tried = candidates.min(if is_whole { SHOWN } else { TRIED });
            let numbers = (0..tried).filter(|&number| members(number));
            let mut count = 0;
            for point in numbers.filter_map(|number| design.point(number)) {
                if count < SHOWN {
                    let hash = prepare_hash(&design, &sources, &point, &mut bench);
                    let label = point_label(&sweep, &point);
                    // Writing to a text cannot fail.
                    let _ = writeln!(text, "  {:>8}  {}  {label}", point.number, &hash[..HASH]);
                }
                count += 1;
            }
            let shown = count.min(SHOWN);
            if is_whole {
                count = candidates;
            }
            let at_least = if is_whole || tried == candidates {
                ""
            } else {
                "at least "
            };
            let rest = match count - shown {
                0 => String::new(),
                more => format!("  and {at_least}{more} more; --format csv has all\n"),
            };
            file.push(&format!(
                "{}\n  {at_least}{count} points of {candidates}, shard {shard}, {}\n\n{text}{rest}",
                sweep.name,
                sweep.mode.as_str()
            ))?;
            return file.finish().map(|()| Exit::Fine);
        }
        if let Format::Csv = self.format {
            file.push(&plan_csv_header(&sweep))?;
        }
        for point in points {
            let hash = prepare_hash(&design, &sources, &point, &mut bench);
            file.push(&match self.format {
                Format::Csv => plan_csv_row(&sweep, &point, &hash),
                Format::Json | Format::Text => plan_json_line(&sweep, &point, &hash),
            })?;
        }
        file.finish().map(|()| Exit::Fine)
    }
}

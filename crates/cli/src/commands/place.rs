//! `bandgraph place`.

use std::path::PathBuf;

use bandgraph_report::{PlaceDocument, PlaceReport, draw_place, place_view};
use bandgraph_scenario::{Loaded, load_all_with};
use bandgraph_study::{Objective, PlaceError, PlaceOptions, Question, SlotRules, WeightedQuestion, place};
use clap::Args;

use crate::arguments::{FromArguments, GAIN_DRAWS, ResultArguments, SetArguments, one_of};
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;

/// Rank which card goes in which slot: the best placements, today's and the worst, each with its bottleneck
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph place scenarios/7410-istanbul/disk-read.toml
  bandgraph place scenarios/7410-istanbul/disk-read.toml --keep nic0 \\
      --objective latency
  bandgraph place --from dmidecode.txt lspci.txt --workload read-1m
  bandgraph place scenarios/7410-istanbul/disk-read.toml \\
      scenarios/7410-istanbul/cached-read.toml \\
      --weight 2 --weight 1

Cards go only to slots whose connector takes them. Integrated ports never move.
Placements that differ only in names count once.")]
pub(crate) struct Arguments {
    /// The scenario files, all of the same server [default: the one of the current folder, if it has one]
    #[arg(value_name = "SCENARIO", conflicts_with = "from", add = complete::settings_files())]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    from: FromArguments,
    /// Weight of a scenario; once for each, in their order [default: all weigh the same]
    #[arg(long = "weight", value_name = "WEIGHT")]
    weights: Vec<f64>,
    /// What to rank placements by [default: network, or payload where a scenario uses no network]
    #[arg(long, value_name = "OBJECTIVE", value_parser = one_of(Objective::CHOICES))]
    objective: Option<Objective>,
    /// Leave a card where it is; repeatable
    #[arg(long, value_name = "CARD")]
    keep: Vec<String>,
    /// A slot that takes no full-height card; repeatable
    #[arg(long, value_name = "SLOT")]
    low_profile: Vec<String>,
    /// Put cards only where they run with all their lanes at their own PCIe generation
    #[arg(long)]
    full_speed: bool,
    /// How many of the best to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    top: u32,
    /// How many of the best to simulate as well, together with today's
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    confirm: u32,
    /// How many placements to predict at most, in addition to those that the search starts from. A search
    /// that stops there states how much better another placement could be
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    /// Leave out the intervals of scores: no draws of uncertain figures
    #[arg(long)]
    no_interval: bool,
    #[command(flatten)]
    sets: SetArguments,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Ranks the placements and writes the ranking.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let all = self.scenarios(terminal)?;
        let fixed = all.iter().flat_map(|loaded| loaded.fixed_cards.clone()).collect();
        let files = all.iter().flat_map(|loaded| loaded.files.clone()).collect();
        let warnings: Vec<_> = all.iter().flat_map(|loaded| loaded.warnings.clone()).collect();
        let questions = self.questions(all);
        let working = Bar::of_work(terminal, "placing");
        let placements = place(&questions, &self.options(fixed)).map_err(failure)?;
        drop(working);
        let report = &PlaceReport {
            placements,
            warnings: self.result.warnings_of_files(&warnings),
        };
        let document = PlaceDocument::new(report);
        let mut view = place_view(&document);
        draw_place(&mut view, report);
        view.files(files);
        self.result.write(&document, &view)?;
        Ok(Exit::Fine)
    }

    fn options(&self, fixed: Vec<String>) -> PlaceOptions {
        PlaceOptions {
            draws: if self.no_interval { 0 } else { GAIN_DRAWS },
            objective: self.objective,
            rules: SlotRules {
                keep: [self.keep.clone(), fixed].concat(),
                low_profile: self.low_profile.clone(),
                full_speed: self.full_speed,
            },
            top: self.top as usize,
            confirm: self.confirm as usize,
            limit: self.limit as usize,
        }
    }

    /// The scenarios with their weights.
    fn questions(&self, all: Vec<Loaded>) -> Vec<WeightedQuestion> {
        let question = |(index, loaded): (usize, Loaded)| WeightedQuestion {
            question: Question::new(loaded.name.clone(), self.sets.as_slice().to_vec(), loaded),
            weight: self.weights.get(index).copied().unwrap_or(1.0),
        };
        all.into_iter().enumerate().map(question).collect()
    }

    /// The scenarios. All errors of all of them are reported at once.
    fn scenarios(&self, terminal: Terminal) -> Result<Vec<Loaded>, Failure> {
        if !self.weights.is_empty() && self.weights.len() != self.paths.len().max(1) {
            return Err(Failure::usage(format!(
                "{} weights for {} scenarios",
                self.weights.len(),
                self.paths.len()
            ))
            .help("give each scenario its own `--weight`, in their order, or none at all"));
        }
        let sets = self.sets.as_slice();
        if self.from.is_given() {
            return Ok(vec![self.from.load(sets, terminal)?]);
        }
        let paths = match self.paths.as_slice() {
            [] => vec![terminal.scenario_path(None)?],
            named => named.to_vec(),
        };
        let (all, sources) = terminal.read(|files, sources| load_all_with(files, &paths, sets, sources))?;
        let warnings: Vec<_> = all.iter().flat_map(|loaded| loaded.warnings.clone()).collect();
        terminal.warn_beside_report(&warnings, &sources);
        Ok(all)
    }
}

fn failure(error: PlaceError) -> Failure {
    match error {
        PlaceError::Study(error) => error.into(),
        PlaceError::Rebuild { .. } => Failure::internal(error.to_string()),
        _ => Failure::usage(error.to_string()).help_if(error.help()),
    }
}

//! The journal: what a sweep writes while it runs, one line a point, in the order in which points are done.
//!
//! A line is written in one go and ends with a line end, so what a killed process leaves is whole lines and perhaps the
//! beginning of one more. The first line says what the others belong to.

use bandgraph_scenario::{Metric, SweepFile};
use bandgraph_study::{Bottleneck, Figures, PointError, Record};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::VERSION;

/// The version of the journal's format.
const FORMAT: u32 = 2;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    /// The version of this format.
    bandgraph_journal: u32,
    /// The version of the program: results of different versions do not belong together.
    bandgraph: String,
    /// The sweep's name, for people.
    sweep: String,
    /// Hash of the sweep with all its files.
    sweep_hash: String,
    /// The names of the figures of every line.
    metrics: Vec<String>,
}

/// Why a journal does not belong to a sweep, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JournalError {
    /// No journal at all.
    #[error("this is not the journal of a sweep")]
    NotAJournal,
    /// Another version of the program.
    #[error("this journal was written by bandgraph {0}, whose results may differ")]
    OtherVersion(String),
    /// Another sweep.
    #[error("this journal is of another sweep, or of files that have changed since (it is of `{0}`)")]
    OtherSweep(String),
    /// A line that is neither whole nor the last.
    #[error("line {0} of this journal cannot be read")]
    BadLine(u64),
}

impl JournalHeader {
    /// The header of a sweep's journals.
    pub fn new(sweep: &SweepFile) -> Self {
        Self {
            bandgraph_journal: FORMAT,
            bandgraph: VERSION.to_owned(),
            sweep: sweep.name.clone(),
            sweep_hash: sweep.sweep_hash.clone(),
            metrics: Metric::ALL
                .iter()
                .map(|metric| metric.as_str().to_owned())
                .collect(),
        }
    }

    /// As a line.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("a struct of strings and numbers");
        line.push('\n');
        line
    }

    /// Checks that `line`, the first of a journal, is this header.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the journal is of another sweep.
    pub fn check(&self, line: &str) -> Result<(), JournalError> {
        let found: Self = serde_json::from_str(line).map_err(|_| JournalError::NotAJournal)?;
        if found.bandgraph_journal != FORMAT || found.bandgraph != VERSION {
            return Err(JournalError::OtherVersion(found.bandgraph));
        }
        if found != *self {
            return Err(JournalError::OtherSweep(found.sweep));
        }
        Ok(())
    }
}

/// The twin of [`Record`] that is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    point: u64,
    hash: String,
    #[serde(default)]
    metrics: Option<Vec<Option<f64>>>,
    /// Id, kind and utilisation.
    #[serde(default)]
    bottleneck: Option<(String, String, f64)>,
    /// Id and gain.
    #[serde(default)]
    next: Option<(String, f64)>,
    /// How full each kind of resource is.
    #[serde(default)]
    saturations: Vec<Option<f64>>,
    /// Id and message.
    #[serde(default)]
    error: Option<(String, String)>,
}

/// A [`Line`] that is written: the same fields in the same order.
#[derive(Debug, Serialize)]
struct WrittenLine<'r> {
    point: u64,
    hash: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<&'r [Option<f64>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bottleneck: Option<(&'r str, &'r str, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<(&'r str, f64)>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    saturations: &'r [Option<f64>],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<(&'r str, &'r str)>,
}

/// A record as a line of a journal.
pub fn journal_line(record: &Record) -> String {
    let figures = record.result.as_ref().ok();
    let found = figures.and_then(|figures| figures.bottleneck.as_ref());
    let next = found.and_then(|found| found.next.as_ref());
    let error = record.result.as_ref().err();
    let line = WrittenLine {
        point: record.number,
        hash: &record.input_hash,
        metrics: figures.map(|figures| figures.metrics.as_slice()),
        bottleneck: found.map(|found| (found.id.as_str(), found.kind.as_str(), found.utilisation)),
        next: next.map(|(id, gain)| (id.as_str(), *gain)),
        saturations: found.map_or(&[], |found| &found.saturations),
        error: error.map(|error| (error.id.as_str(), error.message.as_str())),
    };
    let mut text = serde_json::to_string(&line).expect("a struct of strings and finite numbers");
    text.push('\n');
    text
}

/// The record of a line; `None` if it is not one.
pub fn journal_record(line: &str) -> Option<Record> {
    let line: Line = serde_json::from_str(line).ok()?;
    let result = match (line.metrics, line.error) {
        (Some(metrics), None) if metrics.len() == Metric::ALL.len() => {
            let (next, saturations) = (line.next, line.saturations);
            let bottleneck = line.bottleneck.map(|(id, kind, utilisation)| Bottleneck {
                id,
                kind,
                utilisation,
                next,
                saturations,
            });
            Ok(Figures { metrics, bottleneck })
        }
        (None, Some((id, message))) => Err(PointError { id, message }),
        _ => return None,
    };
    Some(Record {
        number: line.point,
        input_hash: line.hash,
        result,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> [Record; 3] {
        let metrics = |value: f64| Metric::ALL.iter().map(|_| Some(value)).collect();
        let hash = "ab".to_owned();
        [
            Record {
                number: 7,
                input_hash: hash.clone(),
                result: Ok(Figures {
                    metrics: metrics(0.1 + 0.2),
                    bottleneck: None,
                }),
            },
            Record {
                number: u64::MAX,
                input_hash: hash.clone(),
                result: Ok(Figures {
                    metrics: metrics(2.225_073_858_507_201e-308),
                    bottleneck: Some(Bottleneck {
                        id: "link.a-b".to_owned(),
                        kind: "socket-link".to_owned(),
                        utilisation: 0.87,
                        next: Some(("slot.s1.out".to_owned(), 1.0 / 3.0)),
                        saturations: vec![Some(0.1 + 0.2), None],
                    }),
                }),
            },
            Record {
                number: 0,
                input_hash: hash,
                result: Err(PointError {
                    id: "a::b".to_owned(),
                    message: "a\n\"b\"".to_owned(),
                }),
            },
        ]
    }

    #[test]
    fn lines_read_back_as_the_same_record() {
        for record in records() {
            let line = journal_line(&record);
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert_eq!(journal_record(line.trim_end()), Some(record));
        }
    }

    #[test]
    fn no_beginning_of_a_line_is_a_record() {
        for record in records() {
            let line = journal_line(&record);
            for end in (0..line.len() - 1).filter(|end| line.is_char_boundary(*end)) {
                assert_eq!(journal_record(&line[..end]), None, "{}", &line[..end]);
            }
        }
    }
}

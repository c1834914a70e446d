//! The lines of a journal: one per point, in the order in which points are done.
//!
//! A line is written in one call and ends with a line feed, so that a killed process leaves complete lines
//! and possibly the beginning of another. The first line identifies the sweep. Every line ends with a
//! checksum of the first line and itself, so that a damaged line, or a line of another journal, is detected
//! and reported with its number.

use std::io::{self, BufRead, Read};

use bandgraph_scenario::{Metric, SweepFile};
use bandgraph_study::{Bottleneck, Figures, PointCertainty, PointError, Record};
use blake3::Hasher;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::VERSION;

/// The version of the journal's format. Format 3 added the checksums.
const FORMAT: u32 = 3;
/// The start of the first line of a journal of any format.
const BEGINNING: &str = "{\"bandgraph_journal\":";
/// The text before the checksum of a line, and after it.
const CHECKSUM: (&str, &str) = (",\"checksum\":\"", "\"}");
/// Hexadecimal digits of a checksum: 64 bits of BLAKE3.
const DIGITS: usize = 16;
/// The maximum length of a line, in bytes: error messages are bounded.
const LONGEST_LINE: u64 = 1 << 20;

/// The first line of a journal, and the key to the checksums of the others.
#[derive(Clone, Debug)]
pub struct JournalHeader {
    says: HeaderLine,
    /// The first line without its checksum.
    body: String,
    /// The state after hashing `body`.
    key: Hasher,
}

/// The contents of the first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    /// The version of this format.
    bandgraph_journal: u32,
    /// The version of the program: results of different versions are not mixed.
    bandgraph: String,
    /// The sweep's name, for people.
    sweep: String,
    /// Hash of the sweep with all its files.
    sweep_hash: String,
    /// The names of the metrics in every line.
    metrics: Vec<String>,
}

/// The contents of the first line that all formats have.
#[derive(Debug, Deserialize)]
struct AnyHeaderLine {
    bandgraph_journal: u32,
    bandgraph: String,
}

/// Why a journal is unusable.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It cannot be read.
    #[error("failed to read the journal: {0}")]
    Unreadable(#[from] io::Error),
    /// The file is not a journal.
    #[error("this is not the journal of a sweep")]
    NotAJournal,
    /// The checksum of the first line does not match.
    #[error("line 1 of this journal is damaged, and it says which sweep the others belong to")]
    DamagedHeader,
    /// A journal of another format.
    #[error("this journal has format {0}; this version reads and writes format {FORMAT}")]
    OtherFormat(u32),
    /// Another version of the program.
    #[error("this journal was written by bandgraph {0}, whose results may differ")]
    OtherVersion(String),
    /// Another sweep.
    #[error("this journal is of another sweep, or of files that have changed since (it is of `{0}`)")]
    OtherSweep(String),
}

impl JournalError {
    /// Whether this is an intact journal that belongs to another sweep, version or set of files.
    pub fn is_of_another_sweep(&self) -> bool {
        matches!(
            self,
            Self::OtherFormat(_) | Self::OtherVersion(_) | Self::OtherSweep(_)
        )
    }
}

/// Why a single line of a journal is unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// Its checksum does not match.
    Damaged,
    /// It is the last and incomplete: the process was killed, or the machine lost power, while it was
    /// written.
    Truncated,
    /// Its checksum matches, but its input hash is not that of the point in this sweep.
    OtherInput,
}

impl LineFault {
    /// In words, after the position of the line and a verb.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Damaged => "damaged: the checksum does not match",
            Self::Truncated => "truncated: the last line has no end",
            Self::OtherInput => "of another input: the hash is not that of the point in this sweep",
        }
    }
}

/// Adjacent lines with the same fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultyLines {
    /// The number of the first line, from 1.
    pub first: u64,
    /// The number of the last line.
    pub last: u64,
    /// The fault.
    pub fault: LineFault,
}

/// The result of reading a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalContent {
    /// The end of the last usable line, in bytes from the start; 0 if there is none, not even the first.
    pub end: u64,
    /// The unusable lines, in the order of the file.
    pub faulty: Vec<FaultyLines>,
}

impl JournalContent {
    fn push(&mut self, line: u64, fault: LineFault) {
        match self.faulty.last_mut() {
            Some(last) if last.fault == fault && last.last + 1 >= line => last.last = line,
            _ => self.faulty.push(FaultyLines {
                first: line,
                last: line,
                fault,
            }),
        }
    }
}

/// The state of the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Whole,
    /// Empty or incomplete: the process ended while it was written.
    Truncated,
}

impl JournalHeader {
    /// The header of a sweep's journals.
    pub fn new(sweep: &SweepFile) -> Self {
        Self::of(HeaderLine {
            bandgraph_journal: FORMAT,
            bandgraph: VERSION.to_owned(),
            sweep: sweep.name.clone(),
            sweep_hash: sweep.sweep_hash.clone(),
            metrics: Metric::ALL
                .iter()
                .map(|metric| metric.as_str().to_owned())
                .collect(),
        })
    }

    fn of(says: HeaderLine) -> Self {
        let body = body(&says);
        let mut key = Hasher::new();
        key.update(body.as_bytes());
        Self { says, body, key }
    }

    /// As a line.
    pub fn line(&self) -> String {
        with_checksum(self.body.clone(), &Hasher::new())
    }

    /// Reads the first line of a journal, which may be empty or torn.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if it is not the first line of a journal of this sweep.
    pub fn check(&self, reader: &mut dyn BufRead) -> Result<(), JournalError> {
        let mut line = Vec::new();
        reader.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        self.check_line(&line).map(|_| ())
    }

    fn check_line(&self, line: &[u8]) -> Result<Header, JournalError> {
        if line.is_empty() || line.len() >= BEGINNING.len() && self.line().as_bytes().starts_with(line) {
            return Ok(if line.ends_with(b"\n") {
                Header::Whole
            } else {
                Header::Truncated
            });
        }
        if !line.starts_with(BEGINNING.as_bytes()) {
            return Err(JournalError::NotAJournal);
        }
        let text = text(line);
        let Ok(found) = serde_json::from_str::<AnyHeaderLine>(text) else {
            return Err(JournalError::DamagedHeader);
        };
        if !line.ends_with(b"\n") {
            return Err(JournalError::DamagedHeader);
        }
        if found.bandgraph_journal != FORMAT {
            return Err(JournalError::OtherFormat(found.bandgraph_journal));
        }
        let says: Option<HeaderLine> =
            without_checksum(text, &Hasher::new()).and_then(|text| serde_json::from_str(&text).ok());
        match says {
            None => Err(JournalError::DamagedHeader),
            Some(says) if says == self.says => Ok(Header::Whole),
            Some(says) if says.bandgraph != VERSION => Err(JournalError::OtherVersion(found.bandgraph)),
            Some(says) => Err(JournalError::OtherSweep(says.sweep)),
        }
    }

    /// A record as a line.
    pub fn record_line(&self, record: &Record) -> String {
        with_checksum(body(&Line::from(record.clone())), &self.key)
    }

    /// The record of a line; `None` if its checksum does not match.
    pub fn record(&self, line: &[u8]) -> Option<Record> {
        let line: Line = serde_json::from_str(&without_checksum(text(line), &self.key)?).ok()?;
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
                let certainty = line
                    .certainty
                    .map(|(intervals, gains, probabilities)| PointCertainty {
                        intervals,
                        gains,
                        probabilities,
                    });
                Ok(Figures {
                    metrics,
                    bottleneck,
                    certainty,
                })
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
}

/// Reads a journal from its beginning. Calls `accept` with every intact record and the offset of its line in
/// bytes; a record that `accept` rejects is reported as one of another input.
///
/// # Errors
///
/// [`JournalError`] if the journal is unusable.
pub fn read_journal(
    mut reader: &mut dyn BufRead,
    header: &JournalHeader,
    accept: &mut dyn FnMut(&Record, u64) -> bool,
) -> Result<JournalContent, JournalError> {
    let mut content = JournalContent::default();
    let mut line = Vec::new();
    let (mut begin, mut number) = (0, 0);
    // Whether the next bytes continue an overlong line.
    let mut is_rest = false;
    loop {
        line.clear();
        let length = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
        let is_ended = line.ends_with(b"\n");
        if number == 0 {
            if header.check_line(&line)? == Header::Truncated {
                return Ok(content);
            }
            content.end = length;
        } else if length == 0 {
            return Ok(content);
        } else if is_rest || !is_ended && length == LONGEST_LINE {
            content.push(number + u64::from(!is_rest), LineFault::Damaged);
        } else if !is_ended {
            content.push(number + 1, LineFault::Truncated);
            return Ok(content);
        } else {
            let fault = match header.record(&line) {
                Some(record) if accept(&record, begin) => None,
                Some(_) => Some(LineFault::OtherInput),
                None => Some(LineFault::Damaged),
            };
            match fault {
                Some(fault) => content.push(number + 1, fault),
                None => content.end = begin + length,
            }
        }
        number += u64::from(!is_rest);
        is_rest = !is_ended;
        begin += length;
    }
}

/// A line as text, without its line ending; empty if it is not text.
fn text(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or_default().trim_end()
}

/// An object without its closing bracket.
fn body(object: &impl Serialize) -> String {
    let mut body = serde_json::to_string(object).expect("a struct of strings and finite numbers");
    body.pop();
    body
}

/// A line with the checksum of `body` under `key`.
fn with_checksum(body: String, key: &Hasher) -> String {
    let checksum = checksum(&body, key);
    let (before, behind) = CHECKSUM;
    let mut line = body;
    for part in [before, &checksum, behind, "\n"] {
        line.push_str(part);
    }
    line
}

/// The object that was written as `line`; `None` if its checksum does not match.
fn without_checksum(line: &str, key: &Hasher) -> Option<String> {
    let (before, behind) = CHECKSUM;
    let rest = line.strip_suffix(behind)?;
    let (rest, found) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let body = rest.strip_suffix(before)?;
    (checksum(body, key) == found).then(|| format!("{body}}}"))
}

fn checksum(body: &str, key: &Hasher) -> String {
    let hash = key.clone().update(body.as_bytes()).finalize();
    hash.to_hex()[..DIGITS].to_owned()
}

/// Ends of intervals.
type Ends = Vec<Option<[f64; 2]>>;

/// The serialised form of [`Record`].
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line {
    point: u64,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<Vec<Option<f64>>>,
    /// Id, kind and utilisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    bottleneck: Option<(String, String, f64)>,
    /// Id and gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<(String, f64)>,
    /// The saturation of each kind of resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    saturations: Vec<Option<f64>>,
    /// Intervals, gains and probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<(Ends, Ends, Vec<Option<f64>>)>,
    /// Id and message.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<(String, String)>,
}

impl From<Record> for Line {
    fn from(record: Record) -> Self {
        let mut line = Self {
            point: record.number,
            hash: record.input_hash,
            ..Self::default()
        };
        match record.result {
            Ok(figures) => {
                line.metrics = Some(figures.metrics);
                if let Some(found) = figures.bottleneck {
                    line.bottleneck = Some((found.id, found.kind, found.utilisation));
                    line.next = found.next;
                    line.saturations = found.saturations;
                }
                let certainty = figures.certainty;
                line.certainty = certainty.map(|found| (found.intervals, found.gains, found.probabilities));
            }
            Err(error) => line.error = Some((error.id, error.message)),
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Only the second line is damaged.
    const SECOND_DAMAGED: FaultyLines = FaultyLines {
        first: 2,
        last: 2,
        fault: LineFault::Damaged,
    };

    /// The number of points of the sweep in these tests.
    const POINTS: u64 = 12;

    fn header(sweep_hash: &str) -> JournalHeader {
        JournalHeader::of(HeaderLine {
            bandgraph_journal: FORMAT,
            bandgraph: VERSION.to_owned(),
            sweep: "a sweep".to_owned(),
            sweep_hash: sweep_hash.to_owned(),
            metrics: vec!["ops_per_s".to_owned()],
        })
    }

    fn record(number: u64) -> Record {
        let value = number as f64 / 3.0;
        let figures = Figures {
            metrics: Metric::ALL
                .iter()
                .map(|_| (!number.is_multiple_of(3)).then_some(value))
                .collect(),
            bottleneck: number.is_multiple_of(2).then(|| Bottleneck {
                id: "link.a-b".to_owned(),
                kind: "socket-link".to_owned(),
                utilisation: 0.87,
                next: Some(("slot.s1.out".to_owned(), value)),
                saturations: vec![Some(0.1 + 0.2), None],
            }),
            certainty: number.is_multiple_of(4).then(|| PointCertainty {
                intervals: vec![Some([value / 7.0, value / 0.3]), None],
                gains: vec![Some([-0.1, 0.1 + 0.2])],
                probabilities: vec![Some(value / 99.0), None],
            }),
        };
        let error = PointError {
            id: "a::b".to_owned(),
            message: "a\n\"b\" is \u{fc}ber".to_owned(),
        };
        Record {
            number,
            input_hash: format!("{number:064x}"),
            result: if number % 5 == 4 { Err(error) } else { Ok(figures) },
        }
    }

    /// A journal with all points.
    fn journal(header: &JournalHeader) -> Vec<u8> {
        let lines = (0..POINTS).map(|number| header.record_line(&record(number)));
        let text: String = std::iter::once(header.line()).chain(lines).collect();
        text.into_bytes()
    }

    /// The usable part of a journal: the records by number, and the rest.
    fn read(
        journal: &[u8],
        header: &JournalHeader,
    ) -> Result<(BTreeMap<u64, Record>, JournalContent), JournalError> {
        let mut records = BTreeMap::new();
        let content = read_journal(&mut &*journal, header, &mut |record, begin| {
            assert!(begin < journal.len() as u64);
            records.insert(record.number, record.clone());
            record.number < POINTS
        })?;
        Ok((records, content))
    }

    fn all() -> BTreeMap<u64, Record> {
        (0..POINTS).map(|number| (number, record(number))).collect()
    }

    #[test]
    fn a_journal_reads_back_as_the_same_records() {
        let header = header("1");
        let journal = journal(&header);
        let (records, content) = read(&journal, &header).expect("a journal");
        assert_eq!(records, all());
        assert_eq!((content.end, content.faulty), (journal.len() as u64, vec![]));
    }

    #[test]
    fn no_beginning_of_a_line_is_a_record() {
        let header = header("1");
        for number in 0..POINTS {
            let line = header.record_line(&record(number));
            for end in 0..line.len() - 1 {
                assert_eq!(header.record(&line.as_bytes()[..end]), None);
            }
        }
    }

    /// Flips every bit of a journal: its line is reported, and all others are unchanged.
    #[test]
    fn a_flipped_bit_costs_one_line_that_is_named() {
        let header = header("1");
        let journal = journal(&header);
        for bit in 0..journal.len() * 8 {
            let mut damaged = journal.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let line = journal[..bit / 8].split(|&byte| byte == b'\n').count() as u64;
            let Ok((records, content)) = read(&damaged, &header) else {
                assert_eq!(line, 1, "bit {bit}");
                continue;
            };
            let named = content
                .faulty
                .iter()
                .any(|faulty| (faulty.first..=faulty.last).contains(&line));
            assert!(named, "bit {bit} of line {line}: {content:?}");
            // Without its line feed, a line merges with the next, which is lost too.
            let lost = 1 + usize::from(journal[bit / 8] == b'\n' && line <= POINTS);
            assert_eq!(records.len(), POINTS as usize - lost, "bit {bit} of line {line}");
            assert!(records.iter().all(|(&number, found)| *found == record(number)));
        }
    }

    #[test]
    fn lines_of_another_journal_are_not_taken() {
        let (own, other) = (header("1"), header("2"));
        assert_eq!(own.record(other.record_line(&record(3)).as_bytes()), None);
        let mixed = [
            own.line(),
            other.record_line(&record(3)),
            own.record_line(&record(4)),
        ]
        .concat();
        let (records, content) = read(mixed.as_bytes(), &own).expect("a journal");
        assert_eq!(records.into_keys().collect::<Vec<_>>(), [4]);
        assert_eq!(content.faulty, [SECOND_DAMAGED]);
    }

    #[test]
    fn records_that_are_not_accepted_are_named() {
        let header = header("1");
        let journal = journal(&header);
        let content = read_journal(&mut &*journal, &header, &mut |record, _| record.number / 2 != 2);
        let faulty = FaultyLines {
            first: 6,
            last: 7,
            fault: LineFault::OtherInput,
        };
        assert_eq!(content.expect("a journal").faulty, [faulty]);
    }

    #[test]
    fn a_line_without_end_is_skipped_up_to_the_next() {
        let header = header("1");
        let long = "x".repeat(3 * LONGEST_LINE as usize / 2);
        let lines = [
            header.line(),
            long,
            "\n".to_owned(),
            header.record_line(&record(0)),
        ]
        .concat();
        let (records, content) = read(lines.as_bytes(), &header).expect("a journal");
        assert_eq!(records.len(), 1);
        assert_eq!(content.end, lines.len() as u64);
        assert_eq!(content.faulty, [SECOND_DAMAGED]);
    }

    #[test]
    fn only_journals_count_as_journals() {
        let own = header("1");
        let line = own.line();
        let format_2 = concat!(
            r#"{"bandgraph_journal":2,"bandgraph":"0.1.0","sweep":"x","#,
            r#""sweep_hash":"1","metrics":[]}"#,
            "\n"
        );
        let version = line.replace(VERSION, "9.9.9");
        let check = |text: &str| own.check(&mut text.as_bytes());
        assert!(check("").is_ok() && check(&line).is_ok());
        for end in 1..line.len() {
            let found = check(&line[..end]);
            let is_known = end >= BEGINNING.len();
            assert_eq!(found.is_ok(), is_known, "{end}");
            assert!(
                is_known || matches!(found, Err(JournalError::NotAJournal)),
                "{end}"
            );
        }
        for text in ["{", "{\n", "my thesis\n", "{\"bandgraph\":1}\n", "\n", "\u{fc}"] {
            assert!(matches!(check(text), Err(JournalError::NotAJournal)), "{text:?}");
        }
        let thesis = format!("{BEGINNING} my thesis\n");
        assert!(matches!(check(&thesis), Err(JournalError::DamagedHeader)));
        assert!(matches!(check(&version), Err(JournalError::DamagedHeader)));
        assert!(matches!(check(format_2), Err(JournalError::OtherFormat(2))));
        assert!(matches!(
            check(&header("2").line()),
            Err(JournalError::OtherSweep(_))
        ));
    }

    /// Damage to a journal. Positions are shares of its bytes or lines.
    #[derive(Clone, Debug)]
    enum Damage {
        FlipBit(f64, u8),
        Insert(f64, Vec<u8>),
        Remove(f64, usize),
        Truncate(f64),
        RemoveLine(f64),
        RepeatLine(f64, f64),
        SwapLines(f64, f64),
    }

    impl Damage {
        fn apply(&self, journal: &mut Vec<u8>) {
            let at =
                |share: f64, count: usize| ((share * count as f64) as usize).min(count.saturating_sub(1));
            let mut lines: Vec<Vec<u8>> = journal
                .split_inclusive(|&byte| byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            if journal.is_empty() {
                return;
            }
            match *self {
                Self::FlipBit(place, bit) => {
                    let place = at(place, journal.len());
                    journal[place] ^= 1 << bit;
                }
                Self::Insert(place, ref bytes) => {
                    let place = at(place, journal.len() + 1);
                    journal.splice(place..place, bytes.iter().copied());
                }
                Self::Remove(place, count) => {
                    let place = at(place, journal.len());
                    journal.drain(place..(place + count).min(journal.len()));
                }
                Self::Truncate(place) => journal.truncate(at(place, journal.len())),
                Self::RemoveLine(line) => {
                    lines.remove(at(line, lines.len()));
                    *journal = lines.concat();
                }
                Self::RepeatLine(line, place) => {
                    let line = lines[at(line, lines.len())].clone();
                    lines.insert(at(place, lines.len() + 1), line);
                    *journal = lines.concat();
                }
                Self::SwapLines(one, other) => {
                    let (one, other) = (at(one, lines.len()), at(other, lines.len()));
                    lines.swap(one, other);
                    *journal = lines.concat();
                }
            }
        }
    }

    fn damages() -> impl Strategy<Value = Vec<Damage>> {
        let share = || 0.0..1.0;
        let damage = prop_oneof![
            (share(), 0_u8..8).prop_map(|(place, bit)| Damage::FlipBit(place, bit)),
            (share(), prop::collection::vec(any::<u8>(), 1..40))
                .prop_map(|(place, bytes)| Damage::Insert(place, bytes)),
            (share(), 1_usize..600).prop_map(|(place, count)| Damage::Remove(place, count)),
            share().prop_map(Damage::Truncate),
            share().prop_map(Damage::RemoveLine),
            (share(), share()).prop_map(|(line, place)| Damage::RepeatLine(line, place)),
            (share(), share()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
        ];
        prop::collection::vec(damage, 1..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        /// For any damage, the records read from a journal are records that were written to it, the others
        /// are missing, and resuming restores them.
        #[test]
        fn a_damaged_journal_never_gives_another_record(damages in damages()) {
            let header = header("1");
            let mut damaged = journal(&header);
            for damage in &damages {
                damage.apply(&mut damaged);
            }
            let Ok((records, content)) = read(&damaged, &header) else {
                return Ok(());
            };
            for (number, found) in &records {
                prop_assert_eq!(found, &record(*number));
            }
            let takes_away = damages.iter().any(|damage| {
                matches!(damage, Damage::Remove(..) | Damage::Truncate(_) | Damage::RemoveLine(_))
            });
            prop_assert!(takes_away || records.len() == POINTS as usize || !content.faulty.is_empty());
            // On resuming, the unusable end is truncated, and missing points are appended.
            damaged.truncate(content.end as usize);
            if content.end == 0 {
                damaged.extend(header.line().into_bytes());
            }
            for number in (0..POINTS).filter(|number| !records.contains_key(number)) {
                damaged.extend(header.record_line(&record(number)).into_bytes());
            }
            let (resumed, _) = read(&damaged, &header).expect("a journal");
            prop_assert_eq!(resumed, all());
        }
    }
}

//! The figures that changed as rows for people: those that read differently, identical parts as one.

use std::collections::BTreeMap;

use bandgraph_units::{QuantityKind, significant};

use super::FigureChangeDocument;
use crate::text::{count_rate, counted, grouped, none, pattern, percent, rate_words, signed_percent};
use crate::view::Table;

/// A change of a share by less than this is none to a reader.
const SAME_SHARE: f64 = 0.0005;

/// The figures that people compare first.
const HEADLINES: [&str; 5] = [
    "ops_per_s",
    "payload_bytes_per_s",
    "network_bytes_per_s",
    "disk_bytes_per_s",
    "latency_mean_s",
];
/// Parts of the names of figures that say how a simulation went, not what it found.
const CHANCE: [&str; 4] = [
    "precision",
    "throughput_difference",
    "latency_difference",
    "samples",
];

/// What changed of one figure: its value, or its parts, such as what was measured and what was predicted.
struct Row<'c> {
    subject: &'c str,
    kind: &'c str,
    figure: &'c str,
    /// Each with the name of the part, which is empty for the value itself.
    parts: Vec<(&'c str, &'c FigureChangeDocument)>,
    /// How many subjects with ids that differ in numbers only read the same to two digits.
    count: usize,
    /// Whether these differ in further digits.
    is_rough: bool,
}

impl Row<'_> {
    fn is_of_the_whole(&self) -> bool {
        self.subject == "run" && !self.figure.starts_with("statuses_")
    }

    /// The largest relative change of a part; `None` if there was nothing before.
    fn largest(&self) -> Option<f64> {
        // A gain of 1 % that is one of 5 % is no increase by 400 %.
        if self.figure.starts_with("relief_") {
            return None;
        }
        // A change of an error is no size to rank by: from 0.1 to 1 % it is ten times as large.
        let parts = self.parts.iter().filter(|(name, _)| *name != "relative_error");
        let changes = parts.map(|(_, part)| part.relative);
        let larger = |a: Option<f64>, b: Option<f64>| Some(if a?.abs() >= b?.abs() { a? } else { b? });
        changes.reduce(larger).flatten()
    }

    fn words(&self, value: fn(&FigureChangeDocument) -> f64) -> String {
        let part = |(name, part): &(&str, &FigureChangeDocument)| match *name {
            "relative_error" => format!("error {}", signed_percent(value(part))),
            // A part that changed alone is the figure itself.
            "value" if self.parts.len() == 1 => in_words(part, value(part)),
            name => {
                let words = in_words(part, value(part));
                format!("{} {words}", name.replace('_', " ")).trim().to_owned()
            }
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// What a table says of it.
    fn cells(&self) -> [String; 3] {
        let value = |words: String| {
            if self.is_rough {
                format!("about {words}")
            } else {
                words
            }
        };
        [
            value(self.words(|part| part.before)),
            value(self.words(|part| part.after)),
            self.largest().map_or_else(none, signed_percent),
        ]
    }

    /// The values to two digits, by which subjects that differ in numbers only are one row: clients of a
    /// simulation differ by chance.
    fn roughly(&self) -> Vec<String> {
        let parts = self.parts.iter().flat_map(|(_, part)| [part.before, part.after]);
        parts.map(|value| significant(value, 2)).collect()
    }

    /// Whether it is one of the figures that people compare first.
    fn is_headline(&self) -> bool {
        HEADLINES.contains(&self.figure)
    }

    /// What it is of. Figures of the whole say of what kind they are: of the run itself, of its interval.
    fn name(&self) -> String {
        match (self.count, self.kind) {
            // Its id is that of what is full then, and its figures are of the whole.
            (1, "next_bottleneck") => format!("the next bottleneck, {}", self.subject),
            (1, kind) if self.subject == "run" && kind != "run" => format!("{} {kind}", self.subject),
            (1, _) => self.subject.to_owned(),
            (count, _) => format!("{count} x {}", pattern(self.subject)),
        }
    }
}

/// The figures that changed, in the order in which people read them.
pub(super) struct Rows<'c> {
    /// The figures of the whole in their order, then those of its parts: throughput and latency, then the
    /// others, what changed most first.
    rows: Vec<Row<'c>>,
    /// How many figures changed by less than a reader sees.
    unseen: usize,
}

impl<'c> Rows<'c> {
    pub(super) fn of(figures: &'c [FigureChangeDocument]) -> Self {
        let all = one_a_figure(figures);
        let count = all.len();
        let mut rows: Vec<Row<'c>> = Vec::new();
        let mut known: BTreeMap<(String, &str, &str, Vec<String>), usize> = BTreeMap::new();
        let mut seen = 0;
        for row in all.into_iter().filter(|row| reads_differently(row)) {
            seen += 1;
            let name = (pattern(row.subject), row.kind, row.figure, row.roughly());
            let index = *known.entry(name).or_insert(rows.len());
            match rows.get_mut(index) {
                Some(identical) => {
                    identical.count += 1;
                    identical.is_rough = identical.is_rough || identical.cells() != row.cells();
                }
                None => rows.push(row),
            }
        }
        let size = |row: &Row<'_>| row.largest().map_or(f64::INFINITY, f64::abs);
        rows.sort_by(|a, b| match (a.is_of_the_whole(), b.is_of_the_whole()) {
            (true, true) => (a.kind != "run").cmp(&(b.kind != "run")),
            (false, false) => (b.is_headline().cmp(&a.is_headline())).then(size(b).total_cmp(&size(a))),
            (a, b) => b.cmp(&a),
        });
        Self {
            rows,
            unseen: count - seen,
        }
    }

    /// The first `most` as two tables: figures of the whole, and those of its parts.
    pub(super) fn tables(&self, most: usize) -> [Table; 2] {
        let shown = &self.rows[..most.min(self.rows.len())];
        let (whole, parts) = shown.split_at(shown.iter().take_while(|row| row.is_of_the_whole()).count());
        [Self::table(whole), Self::table(parts)]
    }

    fn table(rows: &[Row<'_>]) -> Table {
        let mut table = Table::of("of | figure | >before | >after | >change");
        for row in rows {
            let [before, after, change] = row.cells();
            table.plain([row.name(), row.figure.to_owned(), before, after, change]);
        }
        table
    }

    /// What the table of the first `most` leaves out; `None` where it has all.
    pub(super) fn others(&self, most: usize) -> Option<String> {
        let left_out = self.rows.iter().skip(most).map(|row| row.count).sum::<usize>();
        let less = (left_out > 0).then(|| {
            format!(
                "{} changed; JSON has them.",
                counted(left_out as f64, "further figure")
            )
        });
        let unseen = (self.unseen > 0).then(|| {
            format!(
                "{} changes are not listed: they are below the digits shown, are chance of a simulation, or \
                 another figure shows them.",
                self.unseen
            )
        });
        let words: Vec<String> = less.into_iter().chain(unseen).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// Whether a reader sees the change: not where only digits differ that are not shown, or another row says it.
fn reads_differently(row: &Row<'_>) -> bool {
    // The share of raw capacity says the same as that of usable capacity, on another scale.
    if row.figure == "utilisation" && row.subject != "run" {
        return false;
    }
    // How many operations fell into which part of a distribution, and how exact a simulation is, change with
    // every seed.
    if row.subject.contains("histogram") || CHANCE.iter().any(|name| row.figure.contains(name)) {
        return false;
    }
    let cells = row.cells();
    let is_seen =
        |part: &FigureChangeDocument| !is_share(part) || (part.after - part.before).abs() >= SAME_SHARE;
    cells[0] != cells[1] && row.parts.iter().any(|(_, part)| is_seen(part))
}

/// Whether a figure without a unit is a share of a whole.
fn is_share(figure: &FigureChangeDocument) -> bool {
    const SHARES: [&str; 12] = [
        "throughput_difference",
        "latency_difference",
        "precision_throughput",
        "relief_low",
        "relief_high",
        "precision_latency",
        "utilisation",
        "saturation",
        "busy",
        "stalled",
        "hit_rate",
        "share",
    ];
    SHARES.iter().any(|name| figure.metric.ends_with(name))
}

/// One row a figure, in the order of the figures.
fn one_a_figure(figures: &[FigureChangeDocument]) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut known: BTreeMap<[&str; 3], usize> = BTreeMap::new();
    for change in figures {
        let (figure, part) = change.metric.split_once('.').unwrap_or((&change.metric, ""));
        let index = *known
            .entry([&change.subject, &change.kind, figure])
            .or_insert_with(|| {
                rows.push(Row {
                    subject: &change.subject,
                    kind: &change.kind,
                    figure,
                    parts: Vec::new(),
                    count: 1,
                    is_rough: false,
                });
                rows.len() - 1
            });
        rows[index].parts.push((part, change));
    }
    rows
}

/// A value of a figure in its base unit as people write it.
fn in_words(figure: &FigureChangeDocument, value: f64) -> String {
    if figure.metric == "rate" {
        return rate_words(&figure.unit, value);
    }
    if figure.unit == "ops/s" {
        return count_rate(value);
    }
    let kinds = QuantityKind::ALL.iter();
    let kind = kinds
        .filter(|kind| kind.base_unit() != "1")
        .find(|kind| kind.base_unit() == figure.unit);
    match kind {
        Some(kind) => kind.format(value),
        None if is_share(figure) => percent(value),
        None if value.abs() >= 1000.0 && value.fract() == 0.0 => grouped(value),
        None => significant(value, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(subject: &str, metric: &str, before: f64, after: f64) -> FigureChangeDocument {
        FigureChangeDocument {
            subject: subject.to_owned(),
            kind: "client".to_owned(),
            metric: metric.to_owned(),
            unit: "1".to_owned(),
            before,
            after,
            relative: Some(after / before - 1.0),
        }
    }

    fn names(rows: &Rows<'_>) -> Vec<String> {
        rows.rows.iter().map(Row::name).collect()
    }

    #[test]
    fn what_reads_the_same_is_no_row() {
        let figures = [
            // 0.2269 % and 0.2347 % of a port, in 20 rows, are not what changed.
            change("client.c0.out", "saturation", 0.002_269, 0.002_347),
            change("memory.cpu0", "reads", 1.000_01, 1.000_02),
            change("link.a-b", "saturation", 0.5, 0.6),
        ];
        let rows = Rows::of(&figures);
        assert_eq!(names(&rows), ["link.a-b"]);
        assert_eq!(rows.rows[0].cells(), ["50.0 %", "60.0 %", "+20.0 %"]);
        assert_eq!(
            rows.others(10).as_deref(),
            Some(
                "2 changes are not listed: they are below the digits shown, are chance of a simulation, \
                 or another figure shows them."
            )
        );
    }

    #[test]
    fn throughput_comes_first_and_chance_is_no_row() {
        let clients = (0..32).map(|number| {
            let by_chance = 1.0 + f64::from(number) * 1e-4;
            change(
                &format!("client.c{number}.in"),
                "rate",
                0.2 * by_chance,
                0.3 * by_chance,
            )
        });
        let figures: Vec<_> = clients
            .chain([
                change("histogram 1", "count", 65.0, 821.0),
                change("read: histogram 1", "count", 65.0, 821.0),
                change("base", "ops_per_s", 1000.0, 1100.0),
            ])
            .collect();
        let rows = Rows::of(&figures);
        assert_eq!(names(&rows), ["base", "32 x client.c*.in"]);
        assert!(
            rows.rows[1].cells()[0].starts_with("about "),
            "{:?}",
            rows.rows[1].cells()
        );
    }

    #[test]
    fn identical_parts_are_one_row_and_every_part_is_counted() {
        let clients =
            (0..20).map(|number| change(&format!("client.c{number}.0.out"), "saturation", 0.2, 0.3));
        let figures: Vec<_> = clients
            .chain([change("client.c20.0.out", "saturation", 0.2, 0.25)])
            .collect();
        let rows = Rows::of(&figures);
        assert_eq!(names(&rows), ["20 x client.c*.*.out", "client.c20.0.out"]);
        assert_eq!(
            rows.others(1).as_deref(),
            Some("1 further figure changed; JSON has them.")
        );
        assert_eq!(rows.others(2), None);
    }
}

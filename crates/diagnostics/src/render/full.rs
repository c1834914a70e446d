//! The form for people: the lines of the source with carets under the place, like those of compilers.
//!
//! annotate-snippets draws them. It gets excerpts instead of whole texts, so that its work is bounded by its
//! output: a megabyte on one line, or a range over a whole file, costs no more than a short one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
};

use crate::diagnostic::sorted;
use crate::render::{one_line, shorten};
use crate::sources::floor_boundary;
use crate::{Diagnostic, Place, Severity, SourceId, Sources};

/// The maximum width of source lines, in columns, if the place permits it.
const WIDTH: usize = 120;

/// The minimum width of a page, and of a text beside its label, in columns.
const NARROWEST: usize = 60;
const SHORTEST: usize = 30;

/// The maximum number of displayed bytes of a source line. A place further right is quoted in a note instead.
const LONGEST_LINE: usize = 500;

/// The maximum number of lines of a range; in a longer one, only the first line is marked.
const MOST_MARKED_LINES: usize = 12;

/// The maximum distance in lines between two places of one file in one excerpt; the lines between are folded.
const MOST_EXCERPT_LINES: usize = 60;

/// The number of quoted characters on either side of a place too far right to draw.
const QUOTED: usize = 30;

/// The maximum number of drawn secondary places.
const MOST_SECONDARY: usize = 10;

/// The source lines with carets under each place, labels, and help; an empty line between diagnostics. With
/// `colour` the text has ANSI escapes for a terminal. Source lines are truncated to about 120 columns.
pub fn full(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    render(diagnostics, sources, colour, None)
}

/// [`full`] for a page of `columns` columns: messages and help are wrapped, and source lines are truncated. A
/// text without blanks is not broken.
pub fn within(columns: usize, diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    render(
        diagnostics,
        sources,
        colour,
        Some(columns.clamp(NARROWEST, WIDTH)),
    )
}

fn render(diagnostics: &[Diagnostic], sources: &Sources, colour: bool, columns: Option<usize>) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let renderer = renderer
        .decor_style(DecorStyle::Ascii)
        .term_width(columns.unwrap_or(WIDTH));
    let texts: Vec<String> = repetitions(sorted(diagnostics), sources)
        .into_iter()
        .map(|(diagnostic, lines)| {
            let mut group = group(diagnostic, sources, columns);
            if let Some(note) = also_in(&lines) {
                group = group.element(Level::NOTE.message(note));
            }
            let mut text = renderer.render(&[group]);
            text.push('\n');
            text
        })
        .collect();
    texts.join("\n")
}

/// A further line of which a diagnostic says the same, and the name there if it is another one.
type Further<'d> = (usize, Option<&'d str>);

/// Diagnostics that say the same of other lines of a file, or of other names there, as one, with these lines.
fn repetitions<'d>(
    sorted: Vec<&'d Diagnostic>,
    sources: &'d Sources,
) -> Vec<(&'d Diagnostic, Vec<Further<'d>>)> {
    let mut all: Vec<(&Diagnostic, Vec<Further<'_>>)> = Vec::new();
    let mut first_of = BTreeMap::new();
    for diagnostic in sorted {
        let place = diagnostic
            .primary
            .as_ref()
            .filter(|_| diagnostic.secondary.is_empty());
        if let Some(place) = place {
            let line = sources.line_column(place.source, place.range.start).line;
            let name = sources.text(place.source).get(place.range.clone());
            let name = name.filter(|name| name.len() <= QUOTED).unwrap_or("");
            let name = name.trim_matches(['"', '\'']);
            let says = diagnostic.message.replace(&format!("`{name}`"), "``");
            let key = (
                place.source,
                diagnostic.severity,
                diagnostic.id,
                says,
                &diagnostic.help,
                &place.label,
            );
            let &mut (first, at) = first_of.entry(key).or_insert((all.len(), line));
            if let Some((shown, lines)) = all.get_mut(first) {
                let further = (line, (shown.message != diagnostic.message).then_some(name));
                if (line != at || further.1.is_some()) && lines.last() != Some(&further) {
                    lines.push(further);
                    continue;
                }
            }
        }
        all.push((diagnostic, Vec::new()));
    }
    all
}

/// The further lines of which something is true, in words.
fn also_in(lines: &[Further<'_>]) -> Option<String> {
    const LISTED: usize = 12;
    let shown = lines.iter().take(LISTED).map(|(line, name)| match name {
        Some(name) => format!("{line} (`{name}`)"),
        None => line.to_string(),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match lines.len() {
        0 => None,
        1 => Some(format!("the same in line {shown}")),
        count if count <= LISTED => Some(format!("the same in lines {shown}")),
        count => Some(format!("the same in lines {shown} and {} more", count - LISTED)),
    }
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources, columns: Option<usize>) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    // `warning[id]: ` and `   = help: ` precede the text, and its further lines are indented equally.
    let id = diagnostic.id.len();
    let title = columns.map(|columns| columns.saturating_sub(id + "warning[]: ".len()));
    let help = columns.map(|columns| columns.saturating_sub("99999 = help: ".len()));
    let mut group = Group::with_title(
        level
            .primary_title(broken(printable(&diagnostic.message), title))
            .id(diagnostic.id),
    );
    let (drawn, quoted): (Vec<Mark<'_>>, Vec<Mark<'_>>) = marks(diagnostic, sources)
        .into_iter()
        .partition(|mark| !sources.is_withheld(mark.source) && mark.offset_in_line(sources) < LONGEST_LINE);
    for excerpt in excerpts(drawn, sources) {
        group = group.element(excerpt.snippet(sources));
    }
    for mark in quoted {
        let at = sources.line_column(mark.source, mark.range.start);
        let origin = Origin::path(one_line(sources.name(mark.source)))
            .line(at.line)
            .char_column(at.column);
        group = group.element(origin);
        if !sources.is_withheld(mark.source) {
            group = group.element(Level::NOTE.message(quotation(&mark, sources)));
        }
    }
    group.elements(
        diagnostic
            .help
            .iter()
            .map(|text| Level::HELP.message(broken(printable(text), help))),
    )
}

/// A text in lines of at most `columns` columns, broken between words.
fn broken(text: String, columns: Option<usize>) -> String {
    let Some(columns) = columns.map(|columns| columns.max(SHORTEST)) else {
        return text;
    };
    let mut lines = String::new();
    for line in text.split('\n') {
        let mut column = 0;
        for word in line.split(' ') {
            let letters = word.chars().count();
            if !lines.is_empty() {
                let fits = column > 0 && column + 1 + letters <= columns;
                lines.push(if fits { ' ' } else { '\n' });
                column = if fits { column + 1 } else { 0 };
            }
            lines.push_str(word);
            column += letters;
        }
    }
    lines
}

/// A text of limited length, without control characters except line feeds.
fn printable(text: &str) -> String {
    shorten(text)
        .split('\n')
        .map(normalize_untrusted_str)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A place with a valid range, short enough to draw.
struct Mark<'a> {
    source: SourceId,
    range: Range<usize>,
    /// The line numbers, from 0, of its first and of its last character.
    lines: Range<usize>,
    label: &'a str,
    kind: AnnotationKind,
}

fn marks<'a>(diagnostic: &'a Diagnostic, sources: &Sources) -> Vec<Mark<'a>> {
    let primary = diagnostic
        .primary
        .iter()
        .map(|place| (place, AnnotationKind::Primary));
    let secondary = diagnostic
        .secondary
        .iter()
        .map(|place| (place, AnnotationKind::Context))
        .take(MOST_SECONDARY);
    primary
        .chain(secondary)
        .map(|(place, kind)| Mark::new(place, kind, sources))
        .collect()
}

impl<'a> Mark<'a> {
    fn new(place: &'a Place, kind: AnnotationKind, sources: &Sources) -> Self {
        let source = place.source;
        let Range { start, mut end } = sources.clamp(source, &place.range);
        let first = sources.line_index(source, start);
        let mut last = sources.line_index(source, end);
        // A range that ends with a line feed ends in that line, not in the next.
        if last > first && end == sources.line_range(source, last).start {
            last -= 1;
        }
        if last - first >= MOST_MARKED_LINES {
            last = first;
        }
        let line = sources.line_range(source, last);
        end = end.min(floor_boundary(
            sources.text(source),
            line.end.min(line.start + LONGEST_LINE),
        ));
        Self {
            source,
            range: start..end.max(start),
            lines: first..last,
            label: &place.label,
            kind,
        }
    }

    fn offset_in_line(&self, sources: &Sources) -> usize {
        self.range.start - sources.line_range(self.source, self.lines.start).start
    }
}

/// The text around a place that is too far right in its line to be drawn.
fn quotation(mark: &Mark<'_>, sources: &Sources) -> String {
    let line = sources.line_range(mark.source, mark.lines.start);
    let text = sources.text(mark.source);
    let start = mark.range.start.min(line.end);
    let before: Vec<char> = text[line.start..start].chars().rev().take(QUOTED).collect();
    let window: String = before
        .into_iter()
        .rev()
        .chain(text[start..line.end].chars().take(QUOTED))
        .collect();
    let label = if mark.label.is_empty() {
        String::new()
    } else {
        format!("{}: ", one_line(mark.label))
    };
    format!(
        "{label}in a line of {} bytes, near `{}`",
        line.len(),
        normalize_untrusted_str(&window)
    )
}

/// Some lines of one source with their marks.
struct Excerpt<'a> {
    source: SourceId,
    /// First and last line, from 0.
    lines: Range<usize>,
    marks: Vec<Mark<'a>>,
}

/// Groups nearby marks into excerpts; the one with the primary mark comes first.
fn excerpts<'a>(marks: Vec<Mark<'a>>, sources: &Sources) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<Excerpt<'_>> = Vec::new();
    for mark in marks {
        let near = excerpts.iter_mut().find(|excerpt| {
            let lines = union(&excerpt.lines, &mark.lines);
            excerpt.source == mark.source && lines.end - lines.start < MOST_EXCERPT_LINES
        });
        match near {
            Some(excerpt) => {
                excerpt.lines = union(&excerpt.lines, &mark.lines);
                excerpt.marks.push(mark);
            }
            None => excerpts.push(Excerpt {
                source: mark.source,
                lines: mark.lines.clone(),
                marks: vec![mark],
            }),
        }
    }
    debug_assert!(
        excerpts
            .iter()
            .all(|excerpt| excerpt.lines.end <= sources.text(excerpt.source).len())
    );
    excerpts
}

fn union(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

impl<'a> Excerpt<'a> {
    fn snippet(self, sources: &'a Sources) -> Snippet<'a, Annotation<'a>> {
        let text = sources.text(self.source);
        let mut shown = String::new();
        // For each line: its start in the source, and its start in the excerpt.
        let mut starts: Vec<(Range<usize>, usize)> = Vec::new();
        for index in self.lines.start..=self.lines.end {
            let line = sources.line_range(self.source, index);
            let cut = floor_boundary(text, line.end.min(line.start + LONGEST_LINE));
            starts.push((line.start..cut, shown.len()));
            shown.push_str(&text[line.start..cut]);
            shown.push_str(if cut < line.end { "...\n" } else { "\n" });
        }
        let in_excerpt = |offset: usize| {
            let index = starts
                .partition_point(|(line, _)| line.start <= offset)
                .saturating_sub(1);
            let (line, start) = &starts[index];
            start + offset.clamp(line.start, line.end) - line.start
        };
        let annotations: Vec<Annotation<'a>> = self
            .marks
            .iter()
            .map(|mark| {
                let label = (!mark.label.is_empty()).then(|| Cow::Owned(one_line(mark.label)));
                mark.kind
                    .span(in_excerpt(mark.range.start)..in_excerpt(mark.range.end))
                    .label(label)
            })
            .collect();
        Snippet::source(shown)
            .line_start(self.lines.start + 1)
            .path(one_line(sources.name(self.source)))
            .annotations(annotations)
    }
}

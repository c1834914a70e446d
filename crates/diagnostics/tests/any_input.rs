//! Properties for arbitrary texts and ranges: renderers do not panic, their output is bounded, and they
//! agree.

use bandgraph_diagnostics::{Diagnostic, Place, Severity, Sources, did_you_mean, one_of, render, suggest};
use proptest::prelude::*;

/// The maximum length of a line in the full form, without the path: the shown part of a source line and its
/// frame.
const LONGEST_LINE: usize = 1200;

#[derive(Clone, Debug)]
struct Case {
    texts: Vec<String>,
    diagnostics: Vec<CaseDiagnostic>,
}

#[derive(Clone, Debug)]
struct CaseDiagnostic {
    severity: Severity,
    message: String,
    places: Vec<(usize, usize, usize, String)>,
    help: Vec<String>,
}

impl Case {
    fn build(&self) -> (Vec<Diagnostic>, Sources) {
        let mut sources = Sources::new();
        let ids: Vec<_> = self
            .texts
            .iter()
            .map(|text| sources.add("a/b.toml", text.clone()))
            .collect();
        let diagnostics = self
            .diagnostics
            .iter()
            .map(|case| {
                let mut diagnostic = Diagnostic::new("test::any", case.severity, case.message.clone());
                let mut places = case.places.iter().map(|(text, start, end, label)| {
                    Place::new(ids[text % ids.len()], *start..*end).label(label.clone())
                });
                diagnostic.primary = places.next();
                diagnostic.secondary = places.collect();
                diagnostic.help.clone_from(&case.help);
                diagnostic
            })
            .collect();
        (diagnostics, sources)
    }
}

/// Texts with difficult contents: line ends of all kinds, tabs, wide, zero-width and control characters, long
/// lines.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z =\"\n]{0,60}",
        "[ab\n\r\t\u{b5}\u{4e2d}\u{1f600}\u{200d}\u{301}\u{202e}\u{1b}\u{0}\u{feff}\u{2028}]{0,40}",
        "\\PC{0,80}",
        ("[a\u{b5}]", 0..3000usize, "[b\n]{0,5}")
            .prop_map(|(letter, count, rest)| letter.repeat(count) + &rest),
        ("[a\r\u{b5}]{0,3}\n", 0..120usize).prop_map(|(line, count)| line.repeat(count)),
    ]
}

fn any_offset() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0..40usize, 4 => 0..4000usize, 1 => Just(usize::MAX), 1 => any::<usize>()]
}

fn any_diagnostic() -> impl Strategy<Value = CaseDiagnostic> {
    let severity = prop::sample::select(vec![Severity::Error, Severity::Warning, Severity::Note]);
    let words = || prop_oneof!["[a-z ]{0,20}", "[a\n\r\t\u{1b}\u{4e2d}%:,]{0,12}", "\\PC{0,30}"];
    let place = (any::<usize>(), any_offset(), any_offset(), words());
    (
        severity,
        words(),
        prop::collection::vec(place, 0..5),
        prop::collection::vec(words(), 0..3),
    )
        .prop_map(|(severity, message, places, help)| CaseDiagnostic {
            severity,
            message,
            places,
            help,
        })
}

fn any_case() -> impl Strategy<Value = Case> {
    (
        prop::collection::vec(any_text(), 1..3),
        prop::collection::vec(any_diagnostic(), 0..4),
    )
        .prop_map(|(texts, diagnostics)| Case { texts, diagnostics })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_renderer_panics_or_prints_long_lines(case in any_case()) {
        let (diagnostics, sources) = case.build();
        let plain = render::full(&diagnostics, &sources, false);
        for line in plain.lines() {
            prop_assert!(line.chars().count() <= LONGEST_LINE, "{} characters", line.chars().count());
        }
        prop_assert!(!plain.contains('\u{1b}'), "an escape from the input reached the output");
        prop_assert!(render::full(&diagnostics, &sources, true).len() >= plain.len());

        let concise = render::concise(&diagnostics, &sources);
        prop_assert_eq!(concise.lines().count(), diagnostics.len());
        let github = render::github(&diagnostics, &sources);
        prop_assert_eq!(github.lines().count(), diagnostics.len());

        let json: serde_json::Value = serde_json::from_str(&render::json(&diagnostics, &sources))?;
        let objects = json.as_array().expect("the document is an array");
        prop_assert_eq!(objects.len(), diagnostics.len());
        for object in objects.iter().filter(|object| !object["line"].is_null()) {
            let position = |line: &str, column: &str| (object[line].as_u64(), object[column].as_u64());
            prop_assert!(position("line", "column") >= (Some(1), Some(1)));
            prop_assert!(position("line", "column") <= position("end_line", "end_column"));
        }
    }

    #[test]
    fn order_of_diagnostics_does_not_matter(case in any_case()) {
        let (diagnostics, sources) = case.build();
        let mut backwards = diagnostics.clone();
        backwards.reverse();
        let mut sorted = diagnostics.clone();
        bandgraph_diagnostics::sort_diagnostics(&mut sorted);
        prop_assert_eq!(render::concise(&diagnostics, &sources), render::concise(&sorted, &sources));
        prop_assert_eq!(render::concise(&diagnostics, &sources), render::concise(&backwards, &sources));
    }

    #[test]
    fn full_and_concise_agree_about_the_place(text in any_text(), start in any_offset(), length in 0..9usize) {
        let mut sources = Sources::new();
        let place = Place::new(sources.add("x.toml", text), start..start.saturating_add(length));
        let at = sources.line_column(place.source, start);
        let diagnostics = [Diagnostic::error("test::any", "wrong").at(place)];
        let header = format!("--> x.toml:{}:{}\n", at.line, at.column);
        let full = render::full(&diagnostics, &sources, false);
        prop_assert!(full.contains(&header), "{header}{full}");
    }

    #[test]
    fn line_and_column_count_what_is_before(text in any_text(), offset in any_offset()) {
        let mut sources = Sources::new();
        let id = sources.add("x", text.clone());
        let at = sources.line_column(id, offset);
        // By the definition, in the slow way.
        let end = (0..=offset.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let before = &text[..end];
        let line = before.matches('\n').count();
        let in_line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let in_line = if text[end..].starts_with('\n') { in_line.strip_suffix('\r').unwrap_or(in_line) } else { in_line };
        prop_assert_eq!((at.line, at.column), (line + 1, in_line.chars().count() + 1));
    }

    #[test]
    fn suggestions_are_candidates(name in "\\PC{0,12}", candidates in prop::collection::vec("[a-z0-9-]{0,12}", 0..12)) {
        let names = || candidates.iter().map(String::as_str);
        if let Some(suggestion) = suggest(&name, names()) {
            prop_assert!(candidates.contains(&suggestion));
            prop_assert_ne!(&suggestion, &name);
            prop_assert!(did_you_mean(&name, names()).is_some_and(|help| help.contains(&suggestion)));
        }
        prop_assert!(one_of(names()).len() <= 200);
    }

    #[test]
    fn one_wrong_letter_in_a_long_name_is_found(name in "[a-z]{6,20}", at in 0..6usize, others in prop::collection::vec("[A-Z]{30,40}", 0..5)) {
        let mut wrong: Vec<char> = name.chars().collect();
        wrong[at] = '0';
        let wrong: String = wrong.into_iter().collect();
        let candidates = others.iter().map(String::as_str).chain([name.as_str()]);
        prop_assert_eq!(suggest(&wrong, candidates), Some(name.clone()));
    }
}

//! How text is wanted.

use anstyle::{AnsiColor, Style};

/// The narrowest page that text is laid out for; anything less is treated as this.
pub const NARROWEST: usize = 40;

/// How text is wanted: the page's width, colours, and whether anything beyond ASCII may be used.
///
/// The default is a page of 80 columns in Unicode without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns of the page. Text narrower than [`NARROWEST`] columns is not attempted.
    pub width: usize,
    /// Whether to use colours and bold, as ANSI escape sequences.
    pub colour: bool,
    /// Whether to keep bars and separators to ASCII. Names keep the characters they have.
    pub ascii: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            ascii: false,
        }
    }
}

/// What a piece of text means, which decides its colour where there is colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// A heading.
    Heading,
    /// Of less interest: the footer, table headers.
    Faint,
    /// Full, or failed.
    Alarm,
    /// Passed.
    Good,
}

impl Tone {
    /// `text` in this tone, if `options` want colour.
    pub(crate) fn paint(self, text: &str, options: &TextOptions) -> String {
        let style = match self {
            Self::Plain => Style::new(),
            Self::Heading => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Alarm => AnsiColor::Red.on_default().bold(),
            Self::Good => AnsiColor::Green.on_default(),
        };
        if options.colour && style != Style::new() && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paints_only_when_asked() {
        let plain = TextOptions::default();
        assert_eq!(Tone::Alarm.paint("full", &plain), "full");
        let coloured = TextOptions {
            colour: true,
            ..plain
        };
        assert_eq!(Tone::Plain.paint("full", &coloured), "full");
        let painted = Tone::Alarm.paint("full", &coloured);
        assert!(painted.starts_with('\u{1b}') && painted.contains("full") && painted.ends_with("\u{1b}[0m"));
    }
}

//! `bandgraph man`: a page for each command, from the definition of the command line.

use std::io;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{Terminal, write_whole};

/// What follows the options on each page.
const ENDING: &str = "\
.SH \"EXIT STATUS\"
0: all is fine. 1: a bound that a result must keep does not hold. 2: the input or the command line is wrong,
or the output cannot be written. 3: a check inside the program failed, which is a defect of the program.
.SH ENVIRONMENT
COLUMNS: the width of text. NO_COLOR: no colours.
.SH \"SEE ALSO\"
";

/// Write the man pages of all commands, for packages
#[derive(Debug, Args)]
#[command(hide = true, after_help = "Example: bandgraph man /usr/local/share/man/man1")]
pub(crate) struct Arguments {
    /// The folder to write to
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Arguments {
    /// Writes the page of the program and those of its commands.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        std::fs::create_dir_all(&self.folder).map_err(|error| Failure::output(&self.folder, error))?;
        let mut program = crate::command_line().disable_help_subcommand(true);
        program.build();
        for (name, page) in pages(&program, &[])? {
            write_whole(&self.folder.join(format!("{name}.1")), page.as_bytes())?;
        }
        Ok(Exit::Fine)
    }
}

/// The pages of a command, which is below `above`, and of its subcommands, each with its name.
fn pages(command: &Command, above: &[&str]) -> io::Result<Vec<(String, String)>> {
    let path = [above, &[command.get_name()]].concat();
    let mut found = vec![(path.join("-"), page(command, &path)?)];
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        found.extend(pages(below, &path)?);
    }
    Ok(found)
}

fn page(command: &Command, path: &[&str]) -> io::Result<String> {
    let man = Man::new(command.clone())
        .title(path.join("-"))
        .source(concat!("bandgraph ", env!("CARGO_PKG_VERSION")))
        .manual("Bandgraph");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    let usage = command.clone().render_usage().to_string();
    page.extend(as_it_is("SYNOPSIS", usage.trim_start_matches("Usage: ")).into_bytes());
    if command.get_long_about().is_some() {
        man.render_description_section(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let page = String::from_utf8(page).map_err(io::Error::other)?;
    // A gap ends a line.
    let mut page = page.replace("\n\n.br\n", "\n\n");
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let examples = examples
            .trim_start_matches("Examples:")
            .trim_start_matches("Example:");
        page.push_str(&as_it_is("EXAMPLES", examples.trim_matches('\n')));
    }
    page.push_str(ENDING);
    let parent = match path {
        [_] => "bandgraph\\-explain(1), bandgraph\\-init(1)".to_owned(),
        [above @ .., _] => format!("{}(1)", above.join("\\-")),
        [] => String::new(),
    };
    Ok(page + &parent + "\n")
}

/// A section whose lines are not filled.
fn as_it_is(heading: &str, text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A point or an apostrophe at the start of a line is a command.
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        format!("{guard}{line}\n")
    });
    format!(".SH {heading}\n.nf\n{}.fi\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `man-pages(7)` names sections, and without the list of all options in the place of the usage.
    #[test]
    fn pages_have_the_sections_that_readers_know() {
        let mut program = crate::command_line().disable_help_subcommand(true);
        program.build();
        let pages = pages(&program, &[]).expect("they are made");
        assert!(pages.len() > 30);
        for (name, page) in &pages {
            let sections: Vec<&str> = page
                .lines()
                .filter_map(|line| line.strip_prefix(".SH "))
                .collect();
            for section in ["NAME", "SYNOPSIS", "OPTIONS", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
                assert!(sections.contains(&section), "{name}: {sections:?}");
            }
            assert!(!sections.contains(&"EXTRA"), "{name}");
            assert!(!page.contains("\n\n.br\n"), "{name}");
            assert!(
                page.contains(&format!(".TH {name} 1")),
                "{name}: {}",
                &page[..200]
            );
        }
        let (_, run) = pages
            .iter()
            .find(|(name, _)| name == "bandgraph-run")
            .expect("there is a page");
        assert!(
            run.contains("\nbandgraph run [OPTIONS] [SCENARIO]\n"),
            "{}",
            &run[..400]
        );
        assert!(
            run.contains("\n      \\-\\-set link.cpu0\\-cpu1.part=ht3\\-x16\n"),
            "{run}"
        );
    }
}

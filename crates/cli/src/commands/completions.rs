//! `bandgraph completions`.

use clap::Args;
use clap_complete::Shell;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example: bandgraph completions bash > ~/.local/share/bash-completion/completions/bandgraph"
)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

impl Arguments {
    /// Prints the script.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::command_line(), "bandgraph", &mut script);
        Terminal::result(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Fine)
    }
}

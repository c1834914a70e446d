//! `bandgraph completions`.

use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::complete::VARIABLE;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// What bash needs in addition.
const WHOLE_WORDS: &[u8] = include_bytes!("../complete.bash");

/// Print a completion script for a shell: commands, options, parts, error ids, fields of --set, files
#[derive(Debug, Args)]
#[command(
    after_help = "Example: bandgraph completions bash > ~/.local/share/bash-completion/completions/bandgraph"
)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

impl Arguments {
    /// Prints the script, which asks the program itself for what completes a word.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        if let Some(shell) = shells.completer(&self.shell.to_string()) {
            let written =
                shell.write_registration(VARIABLE, "bandgraph", "bandgraph", "bandgraph", &mut script);
            written?;
        }
        if self.shell == Shell::Bash {
            script.extend_from_slice(WHOLE_WORDS);
        }
        Terminal::result(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Fine)
    }
}

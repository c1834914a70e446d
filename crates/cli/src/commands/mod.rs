//! The commands: one file each, its `mod` line, and one line in the list below.
//!
//! A command's module has `Arguments`, which clap fills in and whose doc comment is the help, with
//! `execute(&self, Terminal) -> Result<Exit, Failure>`.

mod calibrate;
mod check;
mod compare;
mod completions;
mod explain;
mod figures;
mod import;
mod init;
mod inspect;
mod ladder;
mod man;
mod measure;
mod parts;
mod place;
mod plot;
mod run;
mod schema;
mod stacks;
mod sweep;
mod topology;
mod trace;
mod validate;
mod whatif;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Declares the commands: for each module the variant that holds its arguments, and the call.
macro_rules! commands {
    ($($module:ident $variant:ident;)+) => {
        /// A command with its arguments.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Command {
            $($variant($module::Arguments),)+
        }

        impl Command {
            /// Does what the command is for.
            pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
                match self {
                    $(Self::$variant(arguments) => arguments.execute(terminal),)+
                }
            }
        }
    };
}

commands! {
    run Run;
    whatif Whatif;
    ladder Ladder;
    place Place;
    validate Validate;
    calibrate Calibrate;
    compare Compare;
    plot Plot;
    check Check;
    init Init;
    import Import;
    inspect Inspect;
    measure Measure;
    sweep Sweep;
    topology Topology;
    trace Trace;
    parts Parts;
    stacks Stacks;
    figures Figures;
    schema Schema;
    explain Explain;
    completions Completions;
    man Man;
}

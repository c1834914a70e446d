//! `bandgraph stacks list` and `bandgraph stacks show`.

use bandgraph_diagnostics::did_you_mean;
use bandgraph_hardware::letters;
use bandgraph_model::{Stack, profile, profile_names};
use bandgraph_report::{StackDocument, StacksDocument, stack_view, stacks_view};
use clap::{Args, Subcommand};

use crate::arguments::ResultArguments;
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Show the software profiles that scenario files can name
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph stacks show fishworks-2009")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the built-in stacks with the software that they fit
    #[command(after_help = "Example: bandgraph stacks list nfs")]
    List {
        /// Only stacks whose name, software or protocols contain this (capitals and dashes do not count)
        word: Option<String>,
        #[command(flatten)]
        result: ResultArguments,
    },
    /// Show one stack: every figure with its value and its meaning, how it was found, and its source
    #[command(after_help = "Example: bandgraph stacks show solaris-tcp-2008 --format json")]
    Show {
        /// The stack's name
        #[arg(add = complete::stacks())]
        name: String,
        #[command(flatten)]
        result: ResultArguments,
    },
}

impl Arguments {
    /// Prints what was asked for.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        match &self.action {
            Action::List { word, result } => {
                let word = word.as_deref().unwrap_or_default();
                let stacks: Vec<&Stack> = profile_names()
                    .into_iter()
                    .filter_map(profile)
                    .filter(|stack| {
                        let protocols = stack.protocols.iter().map(|protocol| protocol.name());
                        [stack.name.as_str(), &stack.fits]
                            .into_iter()
                            .chain(protocols)
                            .any(|text| letters(text).contains(&letters(word)))
                    })
                    .collect();
                if stacks.is_empty() {
                    return Err(no_stack(word));
                }
                result.write(&StacksDocument::new(&stacks), &stacks_view(&stacks))?;
            }
            Action::Show { name, result } => {
                let stack = named(name)?;
                result.write(&StackDocument::new(stack), &stack_view(stack))?;
            }
        }
        Ok(Exit::Fine)
    }
}

fn named(name: &str) -> Result<&'static Stack, Failure> {
    profile(name).ok_or_else(|| no_stack(name))
}

fn no_stack(name: &str) -> Failure {
    Failure::usage(format!("there is no built-in stack `{name}`")).help_if(
        did_you_mean(name, profile_names())
            .or_else(|| Some("`bandgraph stacks list` names them all".to_owned())),
    )
}

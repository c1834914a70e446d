//! `--shard I/N`, where I may come from a scheduler.

use bandgraph_study::Shard;

use crate::failure::Failure;

/// The shard that an argument names: `2/8`, or `/8` with the number from the environment.
pub(super) fn shard(argument: Option<&str>) -> Result<Shard, Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the number of a task is how a scheduler says which part of the work is meant"
    )]
    let variable = |name: &str| std::env::var(name).ok();
    match argument {
        None => Ok(Shard::WHOLE),
        Some(argument) => Shard::of_argument(argument, &variable).map_err(Failure::refused),
    }
}

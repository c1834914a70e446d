//! Studies, against cases worked out by hand and against the machine that is published.

mod calibrate;
mod coverage;
mod ladder;
mod marginal;
mod support;
mod sweep;
mod whatif;

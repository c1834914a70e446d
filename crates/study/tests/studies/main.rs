//! Studies, compared with cases worked out by hand and with the published machine.

mod calibrate;
mod coverage;
mod ladder;
mod marginal;
mod support;
mod sweep;
mod whatif;

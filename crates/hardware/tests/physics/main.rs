//! The physics of parts: published figures, cases worked by hand, and properties for any input.

mod board;
mod coherence;
mod latency;
mod pcie;
mod plausible;

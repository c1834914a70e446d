//! The physics of parts against published figures, hand-worked cases and properties that must hold for any
//! input.

mod board;
mod coherence;
mod latency;
mod pcie;
mod plausible;

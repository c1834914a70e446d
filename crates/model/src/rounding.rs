//! Figures that differ by nothing but rounding.

/// A difference that is nothing but rounding, relative to what there is.
pub const ROUNDING: f64 = 1e-9;

/// Whether two figures are the same but for rounding.
pub fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}

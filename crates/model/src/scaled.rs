//! The same scenario on hypothetical hardware: scaled capacities.
//!
//! A factor on a socket link or a memory controller also changes the wait of a line for it; the idle latency
//! is unchanged. A factor on the cores of a socket changes their number at the same clock.

use std::sync::Arc;

use crate::BindError;
use crate::bind::Bound;

impl Bound {
    /// A factor at which a resource never saturates.
    pub const UNLIMITED: f64 = 1e18;

    /// The same scenario with the capacity of some resources multiplied: pairs of an index into
    /// [`resources`](Bound::resources) and a factor from 1e-6 to [`Bound::UNLIMITED`]. Factors of one
    /// resource multiply.
    ///
    /// # Errors
    ///
    /// [`BindError::OutOfRange`] for a factor out of range, or an unknown resource.
    pub fn scaled(&self, factors: &[(usize, f64)]) -> Result<Self, BindError> {
        let mut scaled = self.clone();
        for &(resource, factor) in factors {
            let id = self.resources.get(resource).map(|resource| resource.id.as_str());
            if id.is_none() || !(1e-6..=Self::UNLIMITED).contains(&factor) {
                return Err(BindError::OutOfRange {
                    field: format!(
                        "the factor on the capacity of {}",
                        id.unwrap_or("a resource that is not there")
                    ),
                    value: factor.to_string(),
                    reason: "the range is 0.000001 to 1e18".to_owned(),
                });
            }
            Arc::make_mut(&mut scaled.resources).scale(resource, factor);
            Arc::make_mut(&mut scaled.fabric).scale(resource, factor);
        }
        Ok(scaled)
    }
}

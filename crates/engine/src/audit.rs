//! The full audit of conservation laws, for the end of a run.

use crate::error::EngineError;
use crate::station::Station;
use crate::time::Instant;

/// Maximum relative imbalance, for runs of any length.
const BALANCED: f64 = 1e-9;

/// Checks a class: work taken in = work done + work in flight, but for `rounding`.
pub(crate) fn class(
    class: usize,
    taken_in: f64,
    done: f64,
    in_flight: f64,
    rounding: f64,
) -> Result<(), EngineError> {
    // Written so that NaN fails.
    let balanced = (taken_in - done - in_flight).abs() <= BALANCED * taken_in + rounding;
    if balanced {
        Ok(())
    } else {
        Err(EngineError::WorkLost {
            class,
            taken_in,
            done,
            in_flight,
        })
    }
}

/// Checks that the use of a resource does not exceed its capacity, integrated over time.
pub(crate) fn resource(resource: usize, usage: f64, offered: f64) -> Result<(), EngineError> {
    let within = usage <= offered * (1.0 + BALANCED);
    if within {
        Ok(())
    } else {
        Err(EngineError::CapacityExceeded {
            resource,
            limit: offered,
            usage,
        })
    }
}

/// Checks Little's law at every station.
pub(crate) fn stations(stations: &[Station], now: Instant) -> Result<(), EngineError> {
    for (station, books) in stations.iter().enumerate() {
        books
            .check_littles_law(now)
            .map_err(|(integral, sojourns)| EngineError::LittlesLaw {
                station,
                integral,
                sojourns,
            })?;
    }
    Ok(())
}

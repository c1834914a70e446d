//! The full check of the books, for the end of a run.

use crate::error::EngineError;
use crate::station::Station;
use crate::time::Instant;

/// Relative difference that the books may show, however long the run.
const BALANCED: f64 = 1e-9;

/// Work taken in = work done + work in flight, in a class.
pub(crate) fn class(class: usize, taken_in: f64, done: f64, in_flight: f64) -> Result<(), EngineError> {
    // Written so that NaN fails.
    let balanced = (taken_in - done - in_flight).abs() <= BALANCED * taken_in;
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

/// A resource was not used beyond what its capacity offered.
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

/// Little's law at every station.
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

//! The full check of the books, for the end of a run.

use crate::error::EngineError;
use crate::flows::Flows;
use crate::station::Station;
use crate::time::Instant;

/// Relative difference that the books may show, however long the run.
const BALANCED: f64 = 1e-9;

/// Work taken in = work done + work in flight, in every class.
pub(crate) fn classes(flows: &[Flows], now: Instant) -> Result<(), EngineError> {
    for (class, flows) in flows.iter().enumerate() {
        let (taken_in, done, in_flight) = (flows.taken_in(), flows.served(now), flows.in_flight(now));
        // Written so that NaN fails.
        let balanced = (taken_in - done - in_flight).abs() <= BALANCED * taken_in;
        if !balanced {
            return Err(EngineError::WorkLost {
                class,
                taken_in,
                done,
                in_flight,
            });
        }
    }
    Ok(())
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

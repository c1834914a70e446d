//! The compute time of a job.

use bandgraph_config::{FieldType, Read, Shape};
use bandgraph_units::{QuantityKind, Time};

use super::text::TextShape;
use crate::ComputeTimes;

/// The maximum number of core counts with a time.
const MAXIMUM_TIMES: usize = 1024;

/// One time, one per number of cores, or one with a part that is divided by them.
static COMPUTE_TIMES: TextShape<ComputeTimes> = TextShape {
    parse: compute_times,
    id: "scenario::compute",
    help: "write one time, as \"20 min\", or one for each number of cores, as \"1: 884 s, 2: 583 s\"",
};

impl FieldType for ComputeTimes {
    const SHAPE: Shape = Shape::Custom(&COMPUTE_TIMES);

    fn from_read(read: &Read) -> Option<Self> {
        read.custom().cloned()
    }

    fn placeholder() -> Self {
        Self::Any(Time::ZERO)
    }
}

/// Parses a time, a time with an additional part that is divided by the cores, or pairs of a number of cores
/// and a time.
fn compute_times(text: &str) -> Result<ComputeTimes, String> {
    let time = |text: &str| {
        let seconds = QuantityKind::Time
            .parse(text.trim())
            .map_err(|error| format!("`{}` is no time: {error}", text.trim()))?;
        if seconds < 0.0 {
            return Err(format!("`{}` is less than no time", text.trim()));
        }
        Ok(Time::new(seconds))
    };
    if let Some((serial, parallel)) = text.split_once('+') {
        let divided = parallel.trim().strip_suffix("cores").map(str::trim_end);
        let Some(parallel) = divided.and_then(|parallel| parallel.strip_suffix('/')) else {
            return Err(format!("`{}` is not divided by cores", parallel.trim()));
        };
        return Ok(ComputeTimes::Amdahl {
            serial: time(serial)?,
            parallel: time(parallel)?,
        });
    }
    if !text.contains(':') {
        return time(text).map(ComputeTimes::Any);
    }
    let mut times: Vec<(u32, Time)> = Vec::new();
    for pair in text.split(',').take(MAXIMUM_TIMES) {
        let Some((cores, of)) = pair.split_once(':') else {
            return Err(format!(
                "`{}` says for how many cores it is with a colon",
                pair.trim()
            ));
        };
        let cores: u32 = cores
            .trim()
            .parse()
            .map_err(|_| format!("`{}` is no number of cores", cores.trim()))?;
        if times.iter().any(|&(other, _)| other == cores) {
            return Err(format!("there are two times for {cores} cores"));
        }
        times.push((cores, time(of)?));
    }
    Ok(ComputeTimes::ByCores(times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_time_or_one_for_each_number_of_cores() {
        assert_eq!(compute_times("20 min"), Ok(ComputeTimes::Any(Time::new(1200.0))));
        assert_eq!(
            compute_times("1: 884 s,2:583 s"),
            Ok(ComputeTimes::ByCores(vec![
                (1, Time::new(884.0)),
                (2, Time::new(583.0))
            ]))
        );
        assert_eq!(
            compute_times("282 s + 602 s / cores"),
            Ok(ComputeTimes::Amdahl {
                serial: Time::new(282.0),
                parallel: Time::new(602.0)
            })
        );
        for wrong in [
            "1 s + 2 s",
            "1 s + 2 s / 4",
            "",
            "20",
            "1: 884",
            "1: 884 s, 583 s",
            "x: 1 s",
            "1: 1 s, 1: 2 s",
            "1: -1 s",
            "4 GB",
        ] {
            assert!(compute_times(wrong).is_err(), "{wrong}");
        }
    }
}

//! The dies of a solid-state drive: each serves one read at a time, and none while it writes or erases.
//!
//! A read goes to one unit of the flash, drawn at random, and waits there for the reads before it. Whether a
//! unit is in a program is drawn when a read looks at it: programs of a fixed time alternate with exponential
//! pauses, and take the share of the time that writes have in the steady state. Programs are not events of
//! the engine, for no read would see most of them.

use bandgraph_engine::streams::{Exponentials, Stream, Streams};
use bandgraph_model::storage::{Bank, Command};

/// A unit of the flash of a drive. Times are seconds since the start.
#[derive(Clone, Copy, Debug)]
struct Unit {
    /// It serves reads until then.
    reading: f64,
    /// Whether it is in a program until `known`, or in a pause.
    in_program: bool,
    known: f64,
}

/// Programs and pauses after which the state of a unit is independent of its last known one.
const FORGOTTEN: f64 = 8.0;

impl Unit {
    const UNKNOWN: Self = Self {
        reading: 0.0,
        in_program: false,
        known: f64::NEG_INFINITY,
    };

    /// Draws what a unit does from the last known moment until `now`, with programs of a time that have a
    /// share of it, above zero.
    fn advance(&mut self, draws: &mut FlashDraws, now: f64, program: f64, share: f64) {
        let pause = program * (1.0 - share) / share;
        if now - self.known > FORGOTTEN * (program + pause) {
            self.in_program = draws.stream.chance(share);
            let rest = if self.in_program {
                draws.stream.uniform() * program
            } else {
                draws.pauses.draw() * pause
            };
            self.known = now + rest;
        }
        while self.known <= now {
            self.in_program = !self.in_program;
            self.known += if self.in_program {
                program
            } else {
                draws.pauses.draw() * pause
            };
        }
    }
}

/// The units of all drives of a bank.
pub(super) struct FlashUnits {
    units: Vec<Unit>,
    of_drive: usize,
    /// Seconds of a program, and the share of the time that programs have.
    program: f64,
    share: f64,
}

/// Random choices of flash.
pub(super) struct FlashDraws {
    stream: Stream,
    delays: Exponentials,
    pauses: Exponentials,
}

impl FlashDraws {
    pub(super) fn new(streams: Streams) -> Self {
        Self {
            stream: streams.stream("flash"),
            delays: Exponentials::new(streams.stream("delays")),
            pauses: Exponentials::new(streams.stream("pauses of programs")),
        }
    }

    /// Seconds that a command takes beyond its time in service, apart from others.
    pub(super) fn delay(&mut self, bank: &Bank, command: &Command) -> f64 {
        let delay = bank.delay(command);
        if delay > 0.0 {
            delay * self.delays.around_one(bank.delay_variation(command))
        } else {
            0.0
        }
    }
}

impl FlashUnits {
    /// Idle units of a bank, whose drives spend a share of their time on writes.
    pub(super) fn new(bank: &Bank, share: f64) -> Self {
        Self {
            units: vec![Unit::UNKNOWN; bank.devices * bank.part.read_units()],
            of_drive: bank.part.read_units(),
            program: bank.part.program_time().get(),
            share,
        }
    }

    /// Seconds from `now` until a drive has served a command that its flash takes `seconds` for.
    pub(super) fn serve(
        &mut self,
        draws: &mut FlashDraws,
        device: usize,
        now: f64,
        seconds: f64,
        pages: f64,
    ) -> f64 {
        if self.of_drive == 0 {
            return seconds;
        }
        let first = draws.stream.below(self.of_drive as u64) as usize;
        let mut begin = self.units[device * self.of_drive + first].reading.max(now);
        if self.program > 0.0 && self.share > 0.0 {
            for page in 0..(pages as usize).min(self.of_drive) {
                let unit = device * self.of_drive + (first + page) % self.of_drive;
                let unit = &mut self.units[unit];
                unit.advance(draws, now, self.program, self.share);
                if unit.in_program {
                    begin = begin.max(unit.known);
                }
            }
        }
        self.units[device * self.of_drive + first].reading = begin + seconds;
        begin + seconds - now
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_hardware::{DrivePart, Flash, SsdPart};
    use bandgraph_units::{Bandwidth, Time};

    use super::*;

    /// 200,000 reads at random times meet a program with its probability, and wait for half of it.
    #[test]
    fn programs_have_their_share_of_the_time() {
        let part = SsdPart {
            read_rate: Bandwidth::new(1e9),
            flash: Flash {
                read_units: 4,
                program_time: Time::new(2e-3),
                ..Flash::default()
            },
            ..SsdPart::default()
        };
        let bank = Bank {
            part: DrivePart::from(part),
            devices: 1,
            group: 1,
            mirrored: false,
            span: 1.0,
            sorted: 0.0,
            resources: vec![0],
            per_second: 1.0,
            run_seconds: 0.0,
        };
        let streams = Streams::new(1);
        let mut arrivals = streams.stream("arrivals");
        for share in [0.05, 0.5, 0.95] {
            // Far apart, at the rate of programs, and many for each program.
            for gap in [1e-1, 2e-3, 1e-4] {
                let mut draws = FlashDraws::new(streams);
                let mut flash = FlashUnits::new(&bank, share);
                let (mut now, mut waited, mut met) = (0.0, 0.0, 0.0);
                for _ in 0..200_000 {
                    now += arrivals.exponential(gap);
                    let seconds = flash.serve(&mut draws, 0, now, 0.0, 1.0);
                    waited += seconds / 2e5;
                    met += f64::from(u8::from(seconds > 0.0)) / 2e5;
                }
                assert!((met / share - 1.0).abs() < 0.05, "{share}, {gap}: {met}");
                assert!((waited / share - 1e-3).abs() < 5e-5, "{share}, {gap}: {waited}");
            }
        }
    }
}

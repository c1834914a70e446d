//! The wait of a read at the dies of a solid-state drive, in closed form.
//!
//! A read goes to one of the units of the flash at random: a die, or a plane of it. There it waits for the
//! reads before it, as a command at a disk does (`waits`), and for a program or an erase in progress. It
//! meets that with the probability that is the share of the time used by writes, at a random moment of it.

use bandgraph_hardware::DrivePart;

use crate::banks::BankState;
use crate::waits::before;

impl BankState {
    /// Mean seconds that a read waits at its die for other reads, of which a share is not of its own thread.
    pub(crate) fn behind_reads(&self, part: &DrivePart, others: f64) -> f64 {
        let (alone, variation) = (part.read_delay().get(), part.delay_variation(false));
        let busy = (self.reads / self.units * alone * others).min(1.0);
        alone * before(self.at_dies * others, busy, 1.0, variation * variation)
    }

    /// Mean seconds that the last of the reads of several dies waits for programs.
    pub(crate) fn behind_programs(&self, part: &DrivePart, dies: f64) -> f64 {
        wait_for_programs(self.writing.clamp(0.0, 1.0), part.program_time().get(), dies)
    }

    /// The logarithm of the reads that wait at a die, if each waits some seconds for other reads; longer if
    /// dies are more than busy.
    pub(crate) fn image_at_dies(&self, part: &DrivePart, behind_reads: f64) -> f64 {
        let reads = self.reads / self.units;
        let waiting = reads * (behind_reads + self.behind_programs(part, 1.0));
        let longer = libm::log(1.0 + self.at_dies) + libm::log(reads * part.read_delay().get());
        libm::log(1.0 + waiting).max(longer)
    }
}

/// Mean seconds until the last of several dies lets a read in, if each is in a program of `program` seconds
/// with a probability, at a random moment.
fn wait_for_programs(probability: f64, program: f64, dies: f64) -> f64 {
    if probability <= 0.0 {
        return 0.0;
    }
    // The maximum of waits that are zero, or uniform up to the time of a program.
    let none = libm::pow(1.0 - probability, dies + 1.0);
    program * (1.0 - (1.0 - none) / (probability * (dies + 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: half of a program for one die; the mean of the maximum of *n* uniform times is n/(n + 1).
    #[test]
    fn the_last_die_decides() {
        assert!((wait_for_programs(0.3, 2.0, 1.0) - 0.3).abs() < 1e-12);
        assert!((wait_for_programs(1.0, 2.0, 3.0) - 1.5).abs() < 1e-12);
        assert_eq!(wait_for_programs(0.0, 2.0, 8.0), 0.0);
        let two = 0.5 * 0.5 * 2.0 / 3.0 + 2.0 * 0.5 * 0.5 / 2.0;
        assert!((wait_for_programs(0.5, 1.0, 2.0) - two).abs() < 1e-12);
    }
}

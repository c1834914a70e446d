//! The exit codes: a contract with scripts and CI jobs.

/// The exit code of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// 0: all is fine.
    Fine = FINE,
    /// 1: the run is fine, and an `[[expect]]` or another gate did not hold.
    GateFailed = GATE_FAILED,
    /// 2: the input or the command line is wrong, or the output cannot be written.
    BadInput = BAD_INPUT,
    /// 3: a check inside the program failed. That is a defect of the program, whatever the input.
    InternalCheckFailed = INTERNAL_CHECK_FAILED,
}

/// Exit code of a run without a complaint.
pub const FINE: u8 = 0;
/// Exit code when an `[[expect]]` or another gate did not hold.
pub const GATE_FAILED: u8 = 1;
/// Exit code for bad input, bad usage, and output that cannot be written.
pub const BAD_INPUT: u8 = 2;
/// Exit code when a check inside the program failed.
pub const INTERNAL_CHECK_FAILED: u8 = 3;

impl Exit {
    /// What says whether all gates held.
    pub(crate) fn of_gates(hold: bool) -> Self {
        if hold { Self::Fine } else { Self::GateFailed }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

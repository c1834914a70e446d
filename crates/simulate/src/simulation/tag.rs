//! Tags: the purpose of timers and flows.

/// The purpose of a timer or a flow. Its number is the engine's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A call, by number.
    Call(u32),
    /// A thread whose pause is over: its call and its group.
    Thread { number: u32, group: usize },
    /// The next arrival of an open loop.
    Arrival(u32),
    /// The end of the interval of transaction groups.
    Groups,
    /// The time to read more records of a trace.
    Trace,
    /// The reply of a throttled call.
    Slowed(u32),
    /// The completion of a device's part of a stream: bank and device number.
    Device { bank: usize, device: usize },
    /// The reply of a device to a log or to an operation, by number.
    Served { to_log: bool, number: u32 },
}

/// Bit position of the kind of a tag.
const KIND: u32 = 60;
/// Bit position of the group of a thread; the number of groups is bounded by the classes of a scenario.
const GROUP: u32 = 32;

impl Tag {
    /// The number of a tag.
    pub(super) const fn number(self) -> u64 {
        match self {
            Self::Call(number) => number as u64,
            Self::Thread { number, group } => 1 << KIND | (group as u64) << GROUP | number as u64,
            Self::Arrival(source) => 2 << KIND | source as u64,
            Self::Groups => 3 << KIND,
            Self::Trace => 4 << KIND,
            Self::Slowed(number) => 6 << KIND | number as u64,
            Self::Served { to_log, number } => 7 << KIND | (to_log as u64) << GROUP | number as u64,
            Self::Device { bank, device } => 5 << KIND | (bank as u64) << GROUP | device as u64,
        }
    }

    /// The tag of a number.
    pub(super) const fn of(number: u64) -> Self {
        let low = number as u32;
        match number >> KIND {
            0 => Self::Call(low),
            1 => Self::Thread {
                number: low,
                group: (number >> GROUP) as usize & ((1 << (KIND - GROUP)) - 1),
            },
            2 => Self::Arrival(low),
            3 => Self::Groups,
            4 => Self::Trace,
            6 => Self::Slowed(low),
            7 => Self::Served {
                to_log: number >> GROUP & 1 == 1,
                number: low,
            },
            _ => Self::Device {
                bank: (number >> GROUP) as usize & ((1 << (KIND - GROUP)) - 1),
                device: low as usize,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_read_back() {
        for tag in [
            Tag::Call(0),
            Tag::Call(u32::MAX),
            Tag::Thread {
                number: u32::MAX,
                group: 49_999,
            },
            Tag::Arrival(7),
            Tag::Groups,
            Tag::Trace,
            Tag::Slowed(41),
            Tag::Device { bank: 3, device: 191 },
            Tag::Served {
                to_log: true,
                number: u32::MAX,
            },
            Tag::Served {
                to_log: false,
                number: 12,
            },
        ] {
            assert_eq!(Tag::of(tag.number()), tag);
        }
    }
}

//! What timers and flows of a simulation are for.

/// What a timer or a flow is for. As a number it is the engine's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A call, by its number.
    Call(u32),
    /// A thread whose pause is over: its call and its group.
    Thread { number: u32, group: usize },
    /// The next arrival of an open loop.
    Arrival(u32),
    /// The time of transaction groups is over.
    Groups,
    /// More records of a trace are to be read.
    Trace,
    /// The reply of a call that was slowed down goes out.
    Slowed(u32),
    /// A device has finished what it did of a stream: its bank and its number there.
    Device { bank: usize, device: usize },
    /// What a device has served is answered: to a log or to an operation, by its number.
    Served { to_log: bool, number: u32 },
}

/// Where the kind of a tag stands.
const KIND: u32 = 60;
/// Where the group of a thread stands; groups are bounded by the classes of a scenario.
const GROUP: u32 = 32;

impl Tag {
    /// The number that stands for it.
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

    /// What a number stands for.
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

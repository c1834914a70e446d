//! Client numbers.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

/// The maximum number of distinct clients. Further clients share the numbers of earlier ones.
pub const MAX_TRACE_CLIENTS: u32 = 1 << 20;

/// Numbers clients in order of appearance.
#[derive(Default)]
pub(super) struct Clients {
    numbers: HashMap<u64, u32, FxBuildHasher>,
    /// The previous result: calls of one client are often adjacent.
    last: Option<(u64, u32)>,
}

impl Clients {
    /// The number of the client with this key.
    #[inline]
    pub(super) fn number(&mut self, key: u64) -> u32 {
        match self.last {
            Some((last, number)) if last == key => number,
            _ => self.look_up(key),
        }
    }

    fn look_up(&mut self, key: u64) -> u32 {
        let count = self.numbers.len() as u32;
        let number = match self.numbers.get(&key) {
            Some(number) => *number,
            None if count < MAX_TRACE_CLIENTS => {
                self.numbers.insert(key, count);
                count
            }
            None => (key % u64::from(MAX_TRACE_CLIENTS)) as u32,
        };
        self.last = Some((key, number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_appearance() {
        let mut clients = Clients::default();
        let keys = [9, 9, 7, 9, 8, 7];
        assert_eq!(keys.map(|key| clients.number(key)), [0, 0, 1, 0, 2, 1]);
    }

    #[test]
    fn there_is_an_end_to_them() {
        let mut clients = Clients::default();
        for key in 0..u64::from(MAX_TRACE_CLIENTS) + 10 {
            assert!(clients.number(key) < MAX_TRACE_CLIENTS);
        }
        assert_eq!(clients.numbers.len(), MAX_TRACE_CLIENTS as usize);
    }
}

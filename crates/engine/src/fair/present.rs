//! The set of classes with flows, as bits: if few of very many classes have flows, iteration skips the
//! others.

/// A set of class indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Present {
    words: Vec<u64>,
    count: usize,
}

impl Present {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
    }

    /// The number of classes in the set.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Adds a class to the set, or removes it.
    pub(crate) fn set(&mut self, class: u32, present: bool) {
        let (word, bit) = (class as usize / 64, 1 << (class % 64));
        if word >= self.words.len() {
            if !present {
                return;
            }
            self.words.resize(word + 1, 0);
        }
        let before = self.words[word];
        let after = if present { before | bit } else { before & !bit };
        self.words[word] = after;
        self.count = self.count + after.count_ones() as usize - before.count_ones() as usize;
    }

    /// The classes in the set, in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().zip(0_u32..).flat_map(|(&word, index)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(64 * index + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_come_in_order_and_leave() {
        let mut present = Present::default();
        for class in [130, 3, 64, 3, 63] {
            present.set(class, true);
        }
        present.set(64, false);
        present.set(900, false);
        assert_eq!(present.iter().collect::<Vec<_>>(), [3, 63, 130]);
        assert_eq!(present.count(), 3);
        present.clear();
        assert_eq!(present.iter().next(), None);
    }
}

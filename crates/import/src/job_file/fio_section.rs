//! The options of a section of a fio job file.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fio_units::{KbBase, number, time};
use super::{JobFile, Sourced};

/// Options of a section by name, with value and position.
pub(super) type Options<'a> = BTreeMap<&'a str, Given<'a>>;

/// An option.
#[derive(Clone)]
pub(super) struct Given<'a> {
    pub(super) value: &'a str,
    pub(super) key_range: Range<usize>,
    pub(super) range: Range<usize>,
}

/// The state while a job's section is read.
pub(super) struct Section<'a, 'f> {
    pub(super) options: &'a Options<'a>,
    pub(super) file: &'f mut JobFile,
    pub(super) base: KbBase,
    pub(super) name: Range<usize>,
    pub(super) read: Vec<&'static str>,
}

impl<'a> Section<'a, '_> {
    /// The option under the first of several names that exists.
    pub(super) fn get(&mut self, names: &[&'static str]) -> Option<&'a Given<'a>> {
        self.read.extend_from_slice(names);
        names.iter().find_map(|name| self.options.get(name))
    }

    pub(super) fn bad(&mut self, name: &str, given: &Given<'_>, expected: &str) {
        let message = format!("`{}` is no value of `{name}`", given.value);
        self.file.problem("job_file::value", message, given.range.clone());
        self.file.help(format!("`{name}` takes {expected}"));
    }

    /// An option's value, converted by `read`; `None` and a problem if it is invalid.
    pub(super) fn value<T>(
        &mut self,
        names: &[&'static str],
        expected: &str,
        read: impl Fn(&str, KbBase) -> Option<T>,
    ) -> Option<Sourced<T>> {
        let given = self.get(names)?;
        let value = read(given.value, self.base);
        if value.is_none() {
            self.bad(names[0], given, expected);
        }
        Some(Sourced::new(value?, given.range.clone()))
    }

    pub(super) fn count(&mut self, names: &[&'static str]) -> Option<Sourced<u64>> {
        self.value(names, "a whole number of at least 1", |text, _| {
            number(text).filter(|n| *n > 0)
        })
    }

    pub(super) fn seconds(&mut self, names: &[&'static str], default_s: f64) -> Option<Sourced<f64>> {
        self.value(names, "a time, such as `30s` or `500us`", |text, _| {
            time(text, default_s)
        })
    }

    /// Values for reads and for writes. One value is for both; with two or three, separated by commas, the
    /// second is for writes.
    pub(super) fn pair<T: Clone>(
        &mut self,
        names: &[&'static str],
        expected: &str,
        read: impl Fn(&str, KbBase) -> Option<T>,
    ) -> Option<Sourced<(Option<T>, Option<T>)>> {
        self.value(names, expected, |text, base| {
            let value = |text: &str| {
                if text.trim().is_empty() {
                    Some(None)
                } else {
                    read(text, base).map(Some)
                }
            };
            let mut parts = text.split(',');
            let first = value(parts.next()?)?;
            match parts.next() {
                None => Some((first.clone(), first)),
                Some(second) => Some((first, value(second)?)),
            }
        })
    }

    pub(super) fn flag(&mut self, names: &[&'static str]) -> Option<Sourced<bool>> {
        self.value(names, "0 or 1", |text, _| match text {
            "" | "1" | "true" | "sync" | "dsync" => Some(true),
            "0" | "false" | "none" => Some(false),
            _ => None,
        })
    }
}

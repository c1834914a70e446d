//! Entries of the files that are part of the program: each is decoded on first use, since there are hundreds,
//! and a server uses a dozen.

use std::sync::OnceLock;

use memchr::memmem;

/// Entries by name, in documented order.
#[derive(Debug)]
pub(crate) struct Embedded<I, T> {
    entries: Vec<Entry<I, T>>,
    /// Indices of the entries, sorted by their names.
    by_name: Vec<usize>,
    decode: fn(file: &'static str, text: &'static str) -> T,
}

#[derive(Debug)]
struct Entry<I, T> {
    name: &'static str,
    /// What is known of all entries of its file.
    of_file: I,
    file: &'static str,
    /// The fields, as TOML.
    text: &'static str,
    decoded: OnceLock<Box<T>>,
}

impl<I: Copy, T> Embedded<I, T> {
    /// The entries of these files: the name of a file, its text, and what is known of its entries. Each entry
    /// begins with the line `head`, and the line after that starts with `name`, up to the opening quotation
    /// mark.
    pub(crate) fn new(
        files: impl Iterator<Item = (&'static str, &'static str, I)>,
        [head, name]: [&'static str; 2],
        decode: fn(&'static str, &'static str) -> T,
    ) -> Self {
        let entries = files.flat_map(|(file, text, of_file)| {
            let starts = memmem::find_iter(text.as_bytes(), head);
            let ends = memmem::find_iter(text.as_bytes(), head)
                .skip(1)
                .chain([text.len()]);
            starts.zip(ends).map(move |(start, end)| {
                let text = &text[start + head.len()..end];
                let quoted = text.strip_prefix(name).and_then(|rest| rest.split('"').next());
                Entry {
                    name: quoted.expect("an entry starts with its name; tests read every one of them"),
                    of_file,
                    file,
                    text,
                    decoded: OnceLock::new(),
                }
            })
        });
        let entries: Vec<_> = entries.collect();
        let mut by_name: Vec<usize> = (0..entries.len()).collect();
        by_name.sort_unstable_by_key(|&at| entries[at].name);
        Self {
            entries,
            by_name,
            decode,
        }
    }

    fn decoded<'s>(&self, entry: &'s Entry<I, T>) -> &'s T {
        entry
            .decoded
            .get_or_init(|| Box::new((self.decode)(entry.file, entry.text)))
    }

    /// The entry with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        let entries = &self.entries;
        let found = self.by_name.binary_search_by_key(&name, |&at| entries[at].name);
        found.ok().map(|at| self.decoded(&entries[self.by_name[at]]))
    }

    /// Every entry, in documented order. Decodes all of them.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.entries.iter().map(|entry| self.decoded(entry))
    }

    /// The entries of some files, in documented order.
    pub(crate) fn of_files(&self, is: impl Fn(I) -> bool) -> impl Iterator<Item = &T> {
        let entries = self.entries.iter().filter(move |entry| is(entry.of_file));
        entries.map(|entry| self.decoded(entry))
    }

    /// The names of the entries of some files, in documented order.
    pub(crate) fn names(&self, is: impl Fn(I) -> bool) -> impl Iterator<Item = &'static str> {
        let entries = self.entries.iter().filter(move |entry| is(entry.of_file));
        entries.map(|entry| entry.name)
    }
}

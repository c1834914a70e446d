//! Explanations of errors, for people.

use std::sync::LazyLock;

use bandgraph_diagnostics::Explanation;

use super::words::kind_in_words;
use crate::fields::{fields, fields_of_files};
use crate::glossary::{metrics, units, words};
use crate::view::{Table, View};

/// What one error or word means; a name that is made of several has each of them explained.
pub fn explanation_view(explanations: &[Explanation]) -> View {
    let mut page = View::new();
    for explanation in explanations {
        page.blank();
        page.title(if explanation.title.is_empty() {
            explanation.id.to_owned()
        } else {
            format!("{}: {}", explanation.id, explanation.title)
        });
        for paragraph in explanation.text.split("\n\n") {
            page.blank();
            page.paragraph(&without_stars(paragraph));
        }
    }
    page
}

/// A text of Markdown without the stars around words that are explained elsewhere. Code keeps its own.
fn without_stars(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let plain = parts.map(|(index, part)| {
        if index % 2 == 0 {
            part.replace('*', "")
        } else {
            part.to_owned()
        }
    });
    plain.collect::<Vec<_>>().join("`")
}

/// All that is explained: errors by their ids, metrics by their names, words of reports, sources by their
/// keys, and the fields of results and files.
#[derive(Clone, Debug)]
pub struct Explanations {
    /// Each group with its heading.
    groups: [(&'static str, Vec<Explanation>); 7],
}

impl Explanations {
    /// Those of all crates, with those of errors that the `program` itself raises.
    pub fn new(program: &'static str) -> Self {
        let mut errors = bandgraph_scenario::explanations();
        let others = [
            program,
            bandgraph_sweep::EXPLANATIONS,
            bandgraph_import::EXPLANATIONS,
        ];
        errors.extend(others.into_iter().flat_map(Explanation::all_of));
        errors.sort_by_key(|explanation| explanation.id);
        Self {
            groups: [
                ("Errors", errors),
                ("Metrics", metrics().collect()),
                ("Words", words().collect()),
                ("Units", units().to_vec()),
                ("Sources", documents().to_vec()),
                ("Fields of results", fields().explanations.clone()),
                ("Fields of files", fields_of_files().to_vec()),
            ],
        }
    }

    /// All of them, group by group.
    pub fn all(&self) -> impl Iterator<Item = &Explanation> {
        self.groups.iter().flat_map(|(_, group)| group)
    }

    /// That of an id in full, of the last part of an id that no other has, of a metric, of a word in the
    /// singular or the plural, or of a kind of resources, by its name in JSON or the id of one, such as
    /// `slot.s1.out`. Those of the fields that make up the name of a metric in a CSV, such as `gain` and
    /// `low` of `gain_low`. A field of files can have its path for `--set`, such as
    /// `workload.read.io_size`. Empty for what is not explained.
    pub fn find(&self, asked: &str) -> Vec<Explanation> {
        let [.., (_, results), (_, files)] = &self.groups;
        let path = asked.rsplit_once('.');
        let name = path.map_or(asked, |(_, name)| name);
        let of_files = files.iter().find(|field| field.id == name);
        if let (None, Some(field)) = (self.one(asked), of_files) {
            return vec![*field];
        }
        let mut found = self.find_word(asked);
        if path.is_some() || found.iter().all(|one| results.contains(one)) {
            found.extend(of_files.filter(|field| !found.contains(field)));
        }
        found
    }

    fn find_word(&self, asked: &str) -> Vec<Explanation> {
        let parts = || {
            let asked = asked.to_lowercase();
            let words = |name: &str| {
                let spelled = ["_", " ", "-"].map(|between| name.replace('_', between));
                spelled.iter().find_map(|name| self.one(name))
            };
            let parts = fields().parts_of(&asked, &|name| words(name).is_some());
            parts.into_iter().filter_map(words).copied().collect()
        };
        self.one(asked).map_or_else(parts, |found| vec![*found])
    }

    fn one(&self, asked: &str) -> Option<&Explanation> {
        let [others @ .., (_, fields), _] = &self.groups;
        let is = |name: &str, explanation: &&Explanation| explanation.id.eq_ignore_ascii_case(name);
        let others = || others.iter().flat_map(|(_, group)| group);
        // `MW` is not `mW`.
        let named = |name: &str| {
            let exactly = others().find(|explanation| explanation.id == name);
            exactly.or_else(|| others().find(|explanation| is(name, explanation)))
        };
        let ends_so = |explanation: &&Explanation| {
            let parts = explanation.id.rsplit_once("::");
            parts.is_some_and(|(_, last)| last == asked)
        };
        let last = || {
            let mut found = self.all().filter(ends_so);
            found.next().filter(|_| found.next().is_none())
        };
        let kind = asked.split_once('.').map(|(kind, _)| kind);
        let other_number = || match asked.strip_suffix(['s', 'S']) {
            Some(one) => named(one),
            None => named(&format!("{asked}s")),
        };
        named(asked)
            .or_else(|| named(kind_in_words(asked)))
            .or_else(|| named(kind?))
            .or_else(other_number)
            .or_else(last)
            .or_else(|| fields.iter().find(|explanation| is(asked, explanation)))
    }

    /// The list of all: one a line, in groups.
    pub fn view(&self) -> View {
        let mut page = View::new();
        for (heading, explanations) in &self.groups {
            page.heading(*heading);
            page.table(listed(explanations));
        }
        page
    }
}

/// The documents that figures come from, by the key that figures give.
fn documents() -> &'static [Explanation] {
    static DOCUMENTS: LazyLock<Vec<Explanation>> = LazyLock::new(|| {
        let documents = bandgraph_hardware::sources();
        let texts = documents.map(|source| (source, format!("{} {source}.", source.says)));
        let leaked = texts.map(|(source, text)| Explanation {
            id: &source.key,
            title: &source.title,
            text: text.leak(),
        });
        leaked.collect()
    });
    &DOCUMENTS
}

fn listed(explanations: &[Explanation]) -> Table {
    let mut table = Table::of("(id) | ?(title)");
    for explanation in explanations {
        table.plain([explanation.id.to_owned(), explanation.title.to_owned()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use bandgraph_solve::LimitKind;

    use super::*;

    #[test]
    fn every_id_has_one_explanation() {
        let all = Explanations::new("");
        let [(_, errors), ..] = &all.groups;
        assert!(errors.is_sorted_by(|a, b| a.id < b.id), "each id once");
        for explanation in errors {
            assert!(explanation.id.contains("::"), "{explanation:?}");
            assert!(
                explanation.text.len() > 20 && explanation.text.ends_with('.'),
                "{explanation:?}"
            );
        }
    }

    #[test]
    fn ids_of_every_crate_metrics_and_words_are_there() {
        let all = Explanations::new("");
        for id in [
            "topology::unknown_socket",
            "sim::no_workload",
            "file::missing",
            "journal::line",
            "network_bytes_per_s",
            "CPI",
            "cpi",
            "miss latency",
            "slot.s1.out",
            "unknown_socket",
            "hw-update-2009",
            "io_size",
            "workload.read.threads_per_client",
            "profile",
            "dies",
            "dies.cpu0.in",
            "nothing full",
            "work after the reply",
            "What limits",
            "lines that cores read",
            "replayed",
        ] {
            assert!(!all.find(id).is_empty(), "{id}");
        }
        assert!(all.find("nothing of the kind").is_empty());
    }

    /// The name of a field of files is more than the words that it is made of.
    #[test]
    fn figures_of_parts_and_stacks_are_fields_first() {
        let all = Explanations::new("");
        for name in ["controller_share", "base_cpi", "read_latency"] {
            let found = all.find(name);
            assert_eq!(found.len(), 1, "{name}: {found:?}");
            assert_eq!(found[0].id, name);
        }
    }

    /// What a report may call a limit: technologies, ids, and nouns of its sentences. Kinds are added.
    const OTHER_LIMITS: &str = "HyperTransport, QPI, UPI, xGMI, front-side bus, Infinity Fabric, NVMe, SSD, \
        SATA, links of dies, lines in flight, shared uplink, link.cpu0-cpu1, memory.cpu0, cpu.cpu0, \
        bridge.rc0.in, switch.s.out, slot.s1.out, remote.cpu0-cpu1.cores, \
        port.nic0.0.core1, adapter.hba0, sas.hba0.0.in, disk.j0.3, ssd.log, client.c0.connections, network.lan.backplane, \
        cores, disks, drive, ports, clients, pace, controllers, NICs";

    #[test]
    fn every_kind_of_limit_has_a_word_that_says_what_relieves_it() {
        let all = Explanations::new("");
        let kinds = LimitKind::all().map(LimitKind::as_str);
        let words = kinds.flat_map(|kind| [kind, kind_in_words(kind)]);
        for word in words.chain(OTHER_LIMITS.split(", ")) {
            let explained = |word: &str| {
                let found = all.find(word);
                found.first().expect("it is explained").text
            };
            // What has no sentence of its own on relief names a word that has one.
            let mut text = explained(word);
            let mut steps = 0;
            while let Some(other) = text.split("see *").nth(1).filter(|_| !text.contains("relie")) {
                text = explained(other.split('*').next().unwrap_or_default());
                steps += 1;
                assert!(steps < 4, "{word} leads in a circle");
            }
            assert!(text.contains("relie"), "{word}: {text}");
        }
    }
}

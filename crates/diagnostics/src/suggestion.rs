//! "Did you mean": the probably intended name, if there is one.

/// Longer names are not compared: typos in them are rare, and the comparison is quadratic.
const LONGEST_NAME: usize = 100;

/// The maximum length of the list of [`listed`], in characters: all words that any field takes.
const LONGEST_LIST: usize = 720;

/// What others call a thing, and what files of this program call it, or how that begins.
const OTHER_NAMES: [(&str, &str); 45] = [
    ("access", "pattern"),
    ("ashift", "sector"),
    ("blocksize", "io_size"),
    ("bs", "io_size"),
    ("ceph", "nvme-tcp"),
    ("ceph", "s3"),
    ("cifs", "smb"),
    ("cpu", "socket"),
    ("depth", "threads_per_client"),
    ("depth", "processes_per_client"),
    ("disks", "jbods"),
    ("disks", "disks_per_jbod"),
    ("drive", "card"),
    ("drives", "card"),
    ("drives", "jbods"),
    ("get", "read"),
    ("hba", "card"),
    ("iodepth", "threads_per_client"),
    ("iodepth", "processes_per_client"),
    ("jobs", "threads_per_client"),
    ("jobs", "processes_per_client"),
    ("knfsd", "linux-nfsd"),
    ("minio", "s3-gateway-tls-ec-2022"),
    ("nic", "card"),
    ("nps", "numa_nodes"),
    ("numjobs", "threads_per_client"),
    ("numjobs", "processes_per_client"),
    ("nvmeof", "nvme"),
    ("put", "write"),
    ("queuedepth", "threads_per_client"),
    ("queuedepth", "processes_per_client"),
    ("raid0", "stripe"),
    ("raid1", "mirror"),
    ("raid10", "mirror"),
    ("raid50", "raid5"),
    ("raid60", "raid6"),
    ("raidz", "raidz1"),
    ("randread", "read"),
    ("randrw", "random"),
    ("randwrite", "write"),
    ("rw", "mix"),
    ("size", "working_set"),
    ("smb3", "smb2"),
    ("smb3", "smb3-encrypted"),
    ("threads", "threads_per_client"),
];

/// How many names a question lists.
const LISTED_NAMES: usize = 4;

/// The one of `candidates` that `name` is probably a misspelling of.
///
/// In this order: equal except for case and separators; the same words in another order; the only one with
/// the same model number; the only one that starts with `name`, and none if several do; the nearest within
/// about one mistake (a missing, extra, wrong or swapped letter) per three letters. If names differ only in
/// digits (`cpu7` is as close to `cpu0` as to `cpu1`), no other may be equally close, unless only one has the
/// same digits. The result does not depend on the order of the candidates.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = name.chars().count();
    if name.is_empty() || length > LONGEST_NAME {
        return None;
    }
    let mut candidates: Vec<&str> = candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && *candidate != name)
        .collect();
    candidates.sort_unstable();
    candidates.dedup();
    let exact = same_letters(name, &candidates).or_else(|| only_one_of_the_same_model(name, &candidates));
    exact
        .or_else(|| match that_begin_with(name, length, &candidates)[..] {
            [] => nearest(name, length, &candidates),
            [only] => Some(only),
            _ => None,
        })
        .map(str::to_owned)
}

/// [`suggest`] as a line of help: "did you mean `cpu0`?". A name that others give candidates (`raid10` is a
/// `mirror`) means those. Where there is no single name, those that contain all words of `name`, or begin
/// like it: "did you mean `nfs3-tcp` or `nfs3-rdma`?"; or else those that are one mistake away.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let plain = plain(name);
    let others = OTHER_NAMES.iter().filter(|(other, _)| *other == plain);
    let mut meant = others.map(|&(_, meant)| meant);
    let known: Vec<&str> = meant.clone().filter(|meant| candidates.contains(meant)).collect();
    did_you_mean_one_of(&known)
        .or_else(|| did_you_mean_one_of(&[&*suggest(name, candidates.iter().copied())?]))
        .or_else(|| did_you_mean_one_of(&similar(name, &candidates)))
        .or_else(|| meant.find_map(|meant| did_you_mean(meant, candidates.iter().copied())))
        .or_else(|| did_you_mean_one_of(&one_mistake_away(name, &candidates)))
}

/// The question whether one of these was meant; `None` without any.
pub fn did_you_mean_one_of(names: &[&str]) -> Option<String> {
    let shown = names.iter().take(LISTED_NAMES).map(|name| format!("`{name}`"));
    let mut shown: Vec<String> = shown.collect();
    if names.len() > LISTED_NAMES {
        let (count, examples) = (names.len(), shown.join(", "));
        return Some(format!(
            "did you mean one of {count} similar names, such as {examples}?"
        ));
    }
    let last = shown.pop()?;
    Some(if shown.is_empty() {
        format!("did you mean {last}?")
    } else {
        format!("did you mean {} or {last}?", shown.join(", "))
    })
}

/// A noun with its indefinite article: "a card", "an axis", "an hba".
pub fn with_article(noun: &str) -> String {
    let is_spelt = ["hba", "nvme", "ssd"].iter().any(|word| noun.starts_with(word));
    let article = if is_spelt || noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// What there is to choose from, as a sentence: "there are `a`, `b`, `c`", "there is `a`", "there is none".
pub fn there_are<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let (list, count) = listed(names);
    let verb = if count > 1 { "are" } else { "is" };
    format!("there {verb} {list}")
}

/// What to choose from, within a sentence: "one of `a`, `b`, `c`"; a single name has no "one of".
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    match listed(names) {
        (list, 0 | 1) => list,
        (list, _) => format!("one of {list}"),
    }
}

/// Names in a sentence, in the order given, and how many there are: "`a`, `b`, `c`". A long list is cut, and
/// the number of those left out is said; for none it is "none".
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> (String, usize) {
    let mut listed: Vec<String> = Vec::new();
    let (mut left_out, mut length) = (0, 0);
    for name in names {
        length += name.chars().count() + "``, ".len();
        if listed.is_empty() || length <= LONGEST_LIST {
            let shown: String = name.chars().take(LONGEST_NAME).collect();
            listed.push(format!("`{shown}`"));
        } else {
            left_out += 1;
        }
    }
    let list = listed.join(", ");
    let text = match (listed.len(), left_out) {
        (0, _) => "none".to_owned(),
        (_, 0) => list,
        _ => format!("{list} and {left_out} more"),
    };
    (text, listed.len() + left_out)
}

/// The names that contain all words of `name`, or words that begin with them, or whose first word is `name`
/// or within one mistake of it. Not more than a few letters long, everything is similar to it.
fn similar<'a>(name: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let length = name.chars().count();
    if !(3..=LONGEST_NAME).contains(&length) {
        return Vec::new();
    }
    let (words, whole) = (sorted_words(name), plain(name));
    let is_similar = |candidate: &&&str| {
        let others = sorted_words(candidate);
        let first = candidate.split(|c: char| !c.is_alphanumeric()).next();
        let first = first.map(str::to_lowercase).unwrap_or_default();
        let is_misspelt = length > 3
            && digits(&whole) == digits(&first)
            && first.chars().count().abs_diff(length) <= 1
            && strsim::damerau_levenshtein(&whole, &first) <= 1;
        is_misspelt
            || (!words.is_empty() && words.iter().all(|word| has_word(&others, word)))
            || (!whole.is_empty() && plain(candidate).starts_with(&whole))
    };
    let mut similar: Vec<&str> = candidates.iter().filter(is_similar).copied().collect();
    similar.dedup();
    similar
}

/// Whether one of the words is `word`, or begins with it.
fn has_word(words: &[String], word: &String) -> bool {
    words.contains(word) || (word.len() >= 3 && words.iter().any(|other| other.starts_with(word)))
}

fn digits(name: &str) -> String {
    name.chars().filter(char::is_ascii_digit).collect()
}

fn same_letters<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let (plain, words) = (plain(name), sorted_words(name));
    candidates
        .iter()
        .find(|candidate| self::plain(candidate) == plain)
        .or_else(|| {
            candidates
                .iter()
                .find(|candidate| sorted_words(candidate) == words)
        })
        .copied()
}

/// Removes case and separators.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn sorted_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.sort_unstable();
    words
}

/// The candidates with the fewest mistakes, at most about one per three letters, and how many those are.
fn rivals<'a>(name: &str, length: usize, candidates: &[&'a str]) -> (usize, Vec<&'a str>) {
    let name = name.to_lowercase();
    let (mut fewest, mut rivals) = (length.max(3) / 3, Vec::new());
    for candidate in candidates {
        let other = candidate.chars().count();
        if other > LONGEST_NAME || other.abs_diff(length) > fewest {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&name, &candidate.to_lowercase());
        // A name without any letter in common is another name, not a misspelling.
        if distance > fewest || distance >= length.min(other) {
            continue;
        }
        if distance < fewest {
            (fewest, rivals) = (distance, Vec::new());
        }
        rivals.push(*candidate);
    }
    (fewest, rivals)
}

fn nearest<'a>(name: &str, length: usize, candidates: &[&'a str]) -> Option<&'a str> {
    let (_, rivals) = rivals(name, length, candidates);
    let best = *rivals.first()?;
    let name = name.to_lowercase();
    if rivals.len() == 1 || without_digits(&name) != without_digits(&best.to_lowercase()) {
        return Some(best);
    }
    let letters = sorted_letters(&name);
    let mut swapped = rivals.iter().filter(|other| sorted_letters(other) == letters);
    let first = swapped.next()?;
    swapped.next().is_none().then_some(first)
}

/// The names that are one mistake away, if there are several: those with the same digits, or else all.
fn one_mistake_away<'a>(name: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let (1, mut rivals) = rivals(name, name.chars().count(), candidates) else {
        return Vec::new();
    };
    if rivals.iter().any(|rival| digits(rival) == digits(name)) {
        rivals.retain(|rival| digits(rival) == digits(name));
    }
    rivals
}

fn sorted_letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = plain(name).chars().collect();
    letters.sort_unstable();
    letters
}

fn without_digits(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn that_begin_with<'a>(name: &str, length: usize, candidates: &[&'a str]) -> Vec<&'a str> {
    let name = plain(name);
    // Two letters are the start of too many names.
    if length < 3 || name.is_empty() {
        return Vec::new();
    }
    let begin = candidates.iter().copied();
    begin
        .filter(|candidate| plain(candidate).starts_with(&name))
        .collect()
}

/// The only candidate with all words of `name` that have digits, if one of them is long enough for a model
/// number, and no year.
fn only_one_of_the_same_model<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let mut words = sorted_words(name);
    words.retain(|word| word.contains(|c: char| c.is_ascii_digit()));
    let is_year = |word: &str| word.parse::<u32>().is_ok_and(|year| (2000..2100).contains(&year));
    words.iter().find(|word| word.len() > 3 && !is_year(word))?;
    let mut found = candidates.iter().filter(|candidate| {
        let others = sorted_words(candidate);
        words.iter().all(|word| others.contains(word))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: [&str; 8] = [
        "ht1-x16",
        "ht3-x16",
        "neptune-dual-10gbe",
        "opteron-8356",
        "opteron-8435",
        "mcp55",
        "payload_bytes",
        "network_bytes",
    ];

    #[test]
    fn suggests_what_was_meant() {
        let cases: &[(&str, Option<&str>)] = &[
            ("opteron-8365", Some("opteron-8356")),
            ("opteron-8345", Some("opteron-8435")),
            ("opteron-8453", Some("opteron-8435")),
            ("Opteron 8356", Some("opteron-8356")),
            ("optron-8356", Some("opteron-8356")),
            ("mpc55", Some("mcp55")),
            ("MCP55", Some("mcp55")),
            ("mcp-55", Some("mcp55")),
            ("neptune", Some("neptune-dual-10gbe")),
            ("10gbe-dual-neptune", Some("neptune-dual-10gbe")),
            ("bytes_payload", Some("payload_bytes")),
            ("netwrok_bytes", Some("network_bytes")),
            // Equally close to both.
            ("ht2-x16", None),
            ("opteron", None),
            // Close to none.
            ("xeon", None),
            ("h", None),
            ("", None),
            ("---", None),
        ];
        for (name, expected) in cases {
            assert_eq!(suggest(name, PARTS).as_deref(), *expected, "{name}");
        }
    }

    #[test]
    fn numbered_names_are_suggested_only_when_there_is_one() {
        assert_eq!(suggest("cpu7", ["cpu0", "cpu1"]), None);
        assert_eq!(suggest("cpu1", ["cpu0", "nic0"]).as_deref(), Some("cpu0"));
        assert_eq!(suggest("cpuO", ["cpu0", "nic0"]).as_deref(), Some("cpu0"));
        assert_eq!(suggest("cp", ["cpu0"]), None);
    }

    #[test]
    fn short_names_are_not_replaced_whole() {
        assert_eq!(suggest("a", ["b"]), None);
        assert_eq!(suggest("s1", ["s2"]).as_deref(), Some("s2"));
    }

    #[test]
    fn order_of_candidates_does_not_matter() {
        let mut backwards = PARTS;
        backwards.reverse();
        for name in ["opteron-8300", "ht1x", "bytes", "payload-byte"] {
            assert_eq!(suggest(name, PARTS), suggest(name, backwards));
        }
    }

    #[test]
    fn huge_names_are_not_compared() {
        let huge = "x".repeat(1_000_000);
        assert_eq!(suggest(&huge, PARTS), None);
        assert_eq!(
            suggest("mpc55", [huge.as_str(), "mcp55"]).as_deref(),
            Some("mcp55")
        );
    }

    #[test]
    fn a_model_number_is_enough() {
        let parts = [
            "xeon-6248",
            "xeon-e5-2680-v4",
            "epyc-9354",
            "lsi-9200-8e",
            "broadcom-9300-8e",
            "broadcom-9300-16e",
        ];
        let suggested = |name: &str| suggest(name, parts);
        assert_eq!(suggested("intel-xeon-gold-6248").as_deref(), Some("xeon-6248"));
        assert_eq!(suggested("2680-v4").as_deref(), Some("xeon-e5-2680-v4"));
        assert_eq!(suggested("lsi-9300-8e").as_deref(), Some("broadcom-9300-8e"));
        assert_eq!(suggested("intel-xeon-gold"), None);
        assert_eq!(suggested("some-6999"), None);
    }

    #[test]
    fn did_you_mean_is_a_question() {
        assert_eq!(
            did_you_mean("mpc55", PARTS).as_deref(),
            Some("did you mean `mcp55`?")
        );
        assert_eq!(did_you_mean("xeon", PARTS), None);
    }

    /// A digit that is wrong may be any: all that it could have been are named, first those with the same
    /// digits.
    #[test]
    fn names_that_differ_by_one_digit_are_all_named() {
        let parts = [
            "opteron-8354",
            "opteron-8356",
            "opteron-8435",
            "xeon-x5570",
            "xeon-5520",
            "xeon-5540",
        ];
        let asked = |name: &str| did_you_mean(name, parts);
        assert_eq!(
            asked("opteron-8357"),
            Some("did you mean `opteron-8354` or `opteron-8356`?".to_owned())
        );
        assert_eq!(asked("xeon-5570"), Some("did you mean `xeon-x5570`?".to_owned()));
        assert_eq!(asked("xeon-9999"), None);
        // The start of several names is none of those that look like it.
        let cards = [
            "connectx6-hdr",
            "connectx6-dx-dual-25gbe",
            "connectx6-dx-dual-100gbe",
        ];
        assert_eq!(
            did_you_mean("ConnectX-6 Dx", cards),
            Some("did you mean `connectx6-dx-dual-25gbe` or `connectx6-dx-dual-100gbe`?".to_owned())
        );
    }

    /// What is short for several names is answered with these.
    #[test]
    fn several_names_can_be_meant() {
        let protocols = ["nfs3-tcp", "nfs3-rdma", "nfs4-tcp", "nfs41-tcp", "smb2", "http"];
        let asked = |name: &str| did_you_mean(name, protocols);
        let both = Some("did you mean `nfs3-tcp` or `nfs3-rdma`?".to_owned());
        assert_eq!(asked("nfsv3"), both);
        assert_eq!(asked("NFS3"), both);
        assert_eq!(asked("rdma-tcp"), None);
        assert_eq!(asked("gopher"), None);
        let cards: Vec<String> = (0..9)
            .map(|number| format!("vendor{number}-dual-10gbe"))
            .collect();
        let asked = did_you_mean("10GbE", cards.iter().map(String::as_str)).expect("similar names");
        assert!(
            asked.starts_with("did you mean one of 9 similar names, such as `vendor0-dual-10gbe`, "),
            "{asked}"
        );
    }

    /// A mirror is what others call RAID 1, not the RAID-Z whose name looks like it.
    #[test]
    fn other_names_mean_what_they_are() {
        assert_eq!(
            did_you_mean(
                "iodepth",
                ["threads_per_client", "io_size", "processes_per_client"]
            ),
            Some("did you mean `threads_per_client` or `processes_per_client`?".to_owned())
        );
        let pools = ["stripe", "mirror", "raidz1", "raidz2", "raidz3", "raid5", "raid6"];
        let protocols = [
            "nfs3-tcp",
            "smb1",
            "smb2",
            "smb3-encrypted",
            "nvme-tcp",
            "nvme-rdma",
        ];
        let profiles = [
            "linux-nfsd-rdma-2020",
            "linux-nfsd-tcp-2020",
            "linux-tcp-2020",
            "samba-2020",
        ];
        for (name, candidates, expected) in [
            ("raid10", pools.as_slice(), "`mirror`"),
            ("RAID-1", &pools, "`mirror`"),
            ("raid-60", &pools, "`raid6`"),
            ("raid-z2", &pools, "`raidz2`"),
            ("cifs", &protocols, "`smb1`, `smb2` or `smb3-encrypted`"),
            ("nvme-of", &protocols, "`nvme-tcp` or `nvme-rdma`"),
            ("linux-nfs-tcp", &profiles, "`linux-nfsd-tcp-2020`"),
            (
                "nfs",
                &profiles,
                "`linux-nfsd-rdma-2020` or `linux-nfsd-tcp-2020`",
            ),
        ] {
            let question = did_you_mean(name, candidates.iter().copied());
            assert_eq!(question, Some(format!("did you mean {expected}?")), "{name}");
        }
        assert_eq!(did_you_mean("cifs", pools), None);
    }

    #[test]
    fn lists_are_bounded() {
        assert_eq!(there_are([]), "there is none");
        assert_eq!(there_are(["a"]), "there is `a`");
        assert_eq!(there_are(["b", "a", "c"]), "there are `b`, `a`, `c`");
        let names: Vec<String> = (0..1000).map(|number| format!("socket-{number}")).collect();
        let (list, count) = listed(names.iter().map(String::as_str));
        assert_eq!(count, 1000);
        assert!(list.starts_with("`socket-0`, `socket-1`, "), "{list}");
        assert!(list.ends_with(" more"), "{list}");
        assert!(list.len() < LONGEST_LIST + 20, "{list}");
    }
}

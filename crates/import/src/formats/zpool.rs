//! `zpool status`: the virtual devices of pools with their disks.

use super::{Line, Reader, Text};
use crate::facts::{Facts, Vdev};
use crate::origin::Known;

pub(crate) const READER: Reader = Reader {
    name: "zpool status",
    recognises: |text| text.contains("pool: ") && text.contains("config:") && text.contains("CKSUM"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut pool: Option<Line<'_>> = None;
    let mut role = "data";
    // Indentation of the pool's own line.
    let mut base: Option<usize> = None;
    for line in text.lines() {
        if let Some((key, value)) = line.key_value()
            && ["pool", "config", "errors"].contains(&key)
        {
            if key == "pool" {
                pool = Some(value);
            }
            (role, base) = ("data", None);
            continue;
        }
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let (Some(pool), Some(&name)) = (pool, words.first()) else {
            continue;
        };
        let indent = line.text.len() - line.text.trim_start().len();
        let Some(start) = base else {
            base = (name == pool.text && words.len() > 1).then_some(indent);
            continue;
        };
        if indent == start {
            role = match name {
                "logs" => "log",
                "cache" => "cache",
                "spares" => "spare",
                "special" => "special",
                "dedup" => "dedup",
                _ => role,
            };
        } else if indent > start && words.len() > 1 {
            // While a disk is replaced, the old one is listed with the new one that works.
            let is_pair = name.starts_with("replacing-") || name.starts_with("spare-");
            let depth = indent - start;
            if !is_pair && (depth < 6 || words[1] == "ONLINE") {
                entry(line, name, depth.min(4), pool, role, facts);
            }
        }
    }
}

fn entry(line: Line<'_>, name: &str, depth: usize, pool: Line<'_>, role: &str, facts: &mut Facts) {
    // Groups end in a number.
    let kind = name
        .rsplit_once('-')
        .filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let kind = kind
        .map(|(kind, _)| kind)
        .filter(|kind| *kind == "mirror" || kind.starts_with("raidz") || kind.starts_with("draid"));
    let is_same = |vdev: &Vdev| {
        vdev.pool.is(|said| *said == pool.text)
            && vdev.role.is(|said| *said == role)
            && vdev.kind.is(|said| *said != "disk")
    };
    if let Some(kind) = kind.filter(|_| depth == 2) {
        facts.vdevs.push(Vdev {
            pool: pool.says(pool.text.to_owned()),
            role: line.says(role.to_owned()),
            kind: line.says(kind.to_owned()),
            disks: line.says(Vec::new()),
        });
    } else if depth == 2 {
        facts.vdevs.push(Vdev {
            pool: pool.says(pool.text.to_owned()),
            role: line.says(role.to_owned()),
            kind: line.says("disk".to_owned()),
            disks: line.says(vec![name.to_owned()]),
        });
    } else if depth == 4
        && let Some(disks) = facts
            .vdevs
            .last_mut()
            .filter(|vdev| is_same(vdev))
            .and_then(|vdev| vdev.disks.as_mut())
    {
        disks.value.push(name.to_owned());
    }
}

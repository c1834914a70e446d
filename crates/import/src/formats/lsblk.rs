//! `lsblk --json`, best with `--bytes --output-all`: disks. Sizes in words are rounded and are left out.

use super::json::Json;
use super::{Reader, Text};
use crate::facts::{Disk, Facts};

pub(crate) const READER: Reader = Reader {
    name: "lsblk",
    recognises: |text| text.trim_start().starts_with('{') && text.contains("\"blockdevices\""),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let Some(list) = Json::root(text).and_then(|root| root.get("blockdevices")) else {
        return;
    };
    list.each_item(&mut |entry| {
        let words = |name: &str| entry.get(name)?.said();
        if words("type").is_some_and(|kind| kind.value != "disk") {
            return;
        }
        // The kernel's name counts: the other can be set by rules, to one name for two disks.
        let Some(name) = words("kname").or_else(|| words("name")) else {
            return;
        };
        let plain = name.value.strip_prefix("/dev/").unwrap_or(&name.value);
        facts.disks.push(Disk {
            name: Some(name.at.says(super::hwloc::without_path(plain))),
            model: words("model"),
            size_bytes: words("size")
                .and_then(|size| Some(size.at.says(size.value.parse().ok().filter(|&bytes| bytes > 0)?))),
            rotates: entry
                .get("rota")
                .and_then(|value| value.line().may_say(value.truth())),
            transport: words("tran"),
            ..Disk::default()
        });
    });
}

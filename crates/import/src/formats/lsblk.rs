//! `lsblk --json`, best with `--bytes --output-all`: disks. Sizes in words are rounded and are left out.

use super::json::Json;
use super::text::{disk_name, positive};
use super::{Reader, Text};
use crate::facts::{Disk, Facts};
use crate::origin::Known;

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
        if entry.text("type").is(|kind| kind != "disk") {
            return;
        }
        // The kernel's name counts: the other can be set by rules, to one name for two disks.
        let name = entry.text("kname").or_else(|| entry.text("name"));
        if name.is_none() {
            return;
        }
        facts.disks.push(Disk {
            name: name.infer(|name| Some(disk_name(name))),
            model: entry.text("model"),
            size_bytes: entry.infer_text("size", positive),
            rotates: entry.infer("rota", Json::truth),
            transport: entry.text("tran"),
            ..Disk::default()
        });
    });
}

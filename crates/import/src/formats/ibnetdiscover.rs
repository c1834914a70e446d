//! `ibnetdiscover`: the links of an InfiniBand fabric, each as both of its ends print it.

use super::{Line, Reader, Text};
use crate::facts::{FabricLink, Facts};

pub(crate) const READER: Reader = Reader {
    name: "ibnetdiscover",
    recognises: |text| text.contains("vendid=0x") && text.contains("sysimgguid=0x") && text.contains(" lid "),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut node: Option<Line<'_>> = None;
    for line in text.lines() {
        let quoted = line.text.split('"').nth(1);
        if line.text.starts_with("Switch") || line.text.starts_with("Ca") || line.text.starts_with("Rt") {
            node = quoted.map(|name| Line { text: name, ..line });
        } else if let (Some(node), Some(peer), true) = (node, quoted, line.text.starts_with('[')) {
            // `[1](guid) "S-0002c9"[21] # "name" lid 226 4xHDR`
            let number = |text: &str| text.strip_prefix('[')?.split(']').next()?.parse::<u32>().ok();
            facts.fabric.push(FabricLink {
                node: node.says(node.text.to_owned()),
                port: line.may_say(number(line.text)),
                peer: line.says(peer.to_owned()),
                peer_port: line.may_say(line.text.split('"').nth(2).and_then(number)),
                rate: line.may_say(line.text.split_whitespace().find_map(rate)),
            });
        }
    }
}

/// The rate of `4xHDR` in bit/s, as it is sold: signals up to generation QDR, data since FDR.
fn rate(word: &str) -> Option<f64> {
    let (lanes, kind) = word.split_once('x')?;
    let lanes: f64 = lanes.parse().ok()?;
    let lane = match kind {
        "SDR" => 2.5e9,
        "DDR" => 5e9,
        "QDR" | "FDR10" => 10e9,
        "FDR" => 14e9,
        "EDR" => 25e9,
        "HDR" => 50e9,
        "NDR" => 100e9,
        "XDR" => 200e9,
        _ => return None,
    };
    Some(lanes * lane)
}

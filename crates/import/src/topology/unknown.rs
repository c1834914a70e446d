//! Parts of a topology file for what no file says: those of the catalogue that come nearest, with wider
//! ranges.
//!
//! A default hides that a figure is unknown. A range as wide as the parts that it could be shows in the
//! interval of every prediction.

use std::fmt::Write as _;

use bandgraph_hardware::catalogue;
use bandgraph_units::{Bandwidth, Time};

use super::known_of;
use super::writer::{Because, Writer, quoted};
use crate::origin::Known;
use crate::resolve::{Machine, Memory};

/// Memory that a socket may have, by its channels: the part that is assumed, the least and the most that a
/// channel of the memory of that time carries, and why.
const MEMORY: [(&[u32], &str, [f64; 2], &str); 4] = [
    (
        &[12],
        "ddr5-4800",
        [32e9, 51.2e9],
        "memory of the time of such processors: DDR5-4000 to DDR5-6400",
    ),
    (
        &[6, 8],
        "ddr4-3200",
        [17.064e9, 25.6e9],
        "memory of the time of such processors: DDR4-2133 to DDR4-3200",
    ),
    (
        &[2],
        "ddr2-667",
        [3.2e9, 6.4e9],
        "memory of the time of such processors: DDR2-400 to DDR2-800",
    ),
    (
        &[],
        "ddr3-1333",
        [6.4e9, 25.6e9],
        "no file says what memory it is: DDR3-800 to DDR4-3200",
    ),
];

/// How far latencies and cycles per instruction of a processor may be from those of one that is like it.
const PROCESSOR: [f64; 2] = [0.7, 1.4];

/// The name of the memory that is assumed for a socket.
pub(super) fn memory(memory: &Memory) -> (String, &'static str) {
    let (_, part, _, why) = assumed(memory);
    (format!("unknown-{part}"), why)
}

fn assumed(memory: &Memory) -> (&'static [u32], &'static str, [f64; 2], &'static str) {
    let channels = memory.channels.known();
    let of = |row: &&(&[u32], _, _, _)| channels.is_some_and(|channels| row.0.contains(&channels));
    *MEMORY.iter().find(of).unwrap_or(&MEMORY[3])
}

/// The name of the processor that is assumed where the catalogue has only one like it.
pub(super) fn processor(like: &str) -> String {
    format!("like-{like}")
}

/// Writes the parts that sockets of the machine need.
pub(super) fn parts(writer: &mut Writer<'_>, machine: &Machine, is_known: impl Fn(&Memory) -> bool) {
    let catalogue = catalogue();
    let mut done: Vec<&str> = Vec::new();
    for socket in &machine.sockets {
        let known = known_of(socket);
        let like = known.and_then(|known| known.like).unwrap_or("epyc-9354");
        let is_like = known.and_then(|known| known.part).is_none() && !done.contains(&like);
        if let Some(part) = catalogue.socket(like).filter(|_| is_like) {
            done.push(like);
            head(writer, &processor(like), "socket", like);
            let why = format!("the latency of {like}, 30 % less to 40 % more");
            let nanoseconds = |time: Time, factor: f64| format!("\"{:.1} ns\"", time.get() * factor * 1e9);
            let latency = |time: Time| range(&|factor| nanoseconds(time, factor));
            writer.field(
                "local_latency",
                latency(part.local_latency),
                Because::Assumed(why.clone()),
            );
            writer.field(
                "probe_latency",
                latency(part.probe_latency),
                Because::Assumed(why),
            );
            let why = format!("that of {like}, 30 % less to 40 % more");
            let cpi = range(&|factor| format!("{:.3}", part.base_cpi * factor));
            writer.field("base_cpi", cpi, Because::Assumed(why));
        }
        let (_, base, [least, most], why) = assumed(&socket.memory);
        if is_known(&socket.memory) || done.contains(&base) {
            continue;
        }
        if let Some(part) = catalogue.memory(base) {
            done.push(base);
            head(writer, &format!("unknown-{base}"), "memory", base);
            let rate = |rate: Bandwidth| format!("\"{} GB/s\"", rate.get() / 1e9);
            let figure = format!(
                "{{ value = {}, range = [\"{} GB/s\", \"{} GB/s\"], status = \"assumed\" }}",
                rate(part.transfer_rate),
                least / 1e9,
                most / 1e9
            );
            writer.field("transfer_rate", figure, Because::Assumed(why.to_owned()));
        }
    }
}

fn head(writer: &mut Writer<'_>, name: &str, kind: &str, base: &str) {
    writer.table("[part]");
    let _ = writeln!(
        writer.text,
        "name = {}\nkind = \"{kind}\"\nbase = \"{base}\"",
        quoted(name)
    );
    let _ = writeln!(writer.text, "source = \"no file says it\"");
}

/// A figure with the range of a processor that is like another.
fn range(show: &dyn Fn(f64) -> String) -> String {
    format!(
        "{{ value = {}, range = [{}, {}], status = \"assumed\" }}",
        show(1.0),
        show(PROCESSOR[0]),
        show(PROCESSOR[1])
    )
}

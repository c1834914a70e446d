//! Memory modules to sockets and channels, by the names that boards give to their places.

use std::collections::BTreeMap;

use super::Socket;
use crate::facts::{Dimm, Facts, Node};
use crate::formats::number_after;
use crate::origin::{Fact, Known, Said};

/// The socket and channel of a place, as far as its name tells. Numbers of channels tell two apart, no more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seat {
    socket: Option<usize>,
    channel: Option<u32>,
}

/// Fills in what the modules say of each socket's memory.
pub(super) fn fill(sockets: &mut [Socket], facts: &Facts) {
    let channels = sockets.first().and_then(|socket| socket.memory.channels.known());
    let mut of_sockets: Vec<Vec<(&Dimm, Seat)>> = vec![Vec::new(); sockets.len()];
    let is_filled = |dimm: &Dimm| dimm.size_bytes.is(|size| *size > 0);
    let seats = seats(&facts.dimms, sockets.len(), channels);
    let seated: Vec<(&Dimm, Seat)> = facts.dimms.iter().zip(seats).collect();
    // A filled module without a socket may be on any: then nothing is known of each.
    let is_complete = !(seated.iter()).any(|(dimm, seat)| seat.socket.is_none() && is_filled(dimm));
    for (dimm, seat) in seated.into_iter().filter(|_| is_complete) {
        if let Some(mine) = seat.socket.and_then(|socket| of_sockets.get_mut(socket)) {
            mine.push((dimm, seat));
        }
    }
    let count = sockets.len();
    for (index, (socket, mine)) in sockets.iter_mut().zip(of_sockets).enumerate() {
        let filled: Vec<(&Dimm, Seat, &Said<u64>)> = mine
            .iter()
            .filter_map(|&(dimm, seat)| {
                let size = dimm.size_bytes.as_ref().filter(|size| size.value > 0)?;
                Some((dimm, seat, size))
            })
            .collect();
        let memory = &mut socket.memory;
        if let Some(first) = mine.first().and_then(|(dimm, _)| dimm.size_bytes.as_ref()) {
            let total = filled.iter().map(|(.., size)| size.value).sum();
            let at = filled.first().map_or(first.at, |(.., size)| size.at);
            memory.size_bytes = Some(at.says(total));
            let seats: Vec<Seat> = filled.iter().map(|&(_, seat, _)| seat).collect();
            memory.channels_used = used(&seats, mine.len(), channels).map(|used| at.says(used));
            let sizes = filled
                .iter()
                .map(|(_, seat, size)| Some((seat.channel?, size.value)));
            memory.channel_bytes = extremes(sizes).map(|bytes| at.says(bytes));
        } else {
            memory.size_bytes = of_nodes(facts, index, count);
        }
    }
    // Speeds are those of the slowest module of the machine: all run at one rate.
    let slowest = |rate: fn(&Dimm) -> Option<&Said<f64>>| {
        let filled = facts.dimms.iter().filter(|dimm| is_filled(dimm));
        filled.filter_map(rate).min_by(|a, b| a.value.total_cmp(&b.value))
    };
    let configured = slowest(|dimm| dimm.configured_rate.as_ref()).infer(|rate| Some(rate * 1e6));
    let rated = slowest(|dimm| dimm.rate.as_ref()).infer(|rate| Some(rate * 1e6));
    let mut filled = facts.dimms.iter().filter(|dimm| is_filled(dimm));
    let technology = filled.find_map(|dimm| dimm.technology.clone());
    for socket in sockets {
        socket.memory.rate.clone_from(&configured);
        socket.memory.rate_capable.clone_from(&rated);
        socket.memory.technology.clone_from(&technology);
    }
}

/// The least and the most that a channel with a module has, if it is known of each module which it is on.
fn extremes(sizes: impl Iterator<Item = Option<(u32, u64)>>) -> Option<(u64, u64)> {
    let mut channels: BTreeMap<u32, u64> = BTreeMap::new();
    for size in sizes {
        let (channel, bytes) = size?;
        let sum = channels.entry(channel).or_default();
        *sum = sum.saturating_add(bytes);
    }
    Some((*channels.values().min()?, *channels.values().max()?))
}

/// The memory that an operating system sees at the nodes of a socket, where it says so of each. It is a
/// little less than there is.
fn of_nodes(facts: &Facts, index: usize, sockets: usize) -> Fact<u64> {
    let is_here = |node: &&Node| sockets == 1 || node.socket.known() == Some(index as u32);
    let nodes = facts.nodes.iter().filter(is_here);
    let said: Vec<&Said<u64>> = nodes
        .map(|node| node.memory_bytes.as_ref())
        .collect::<Option<_>>()?;
    let total = said.iter().map(|said| said.value).fold(0, u64::saturating_add);
    Some(said.first()?.at.says(total))
}

/// Channels with a module: by their names, or where these do not tell, by what follows from the numbers
/// alone.
fn used(filled: &[Seat], places: usize, channels: Option<u32>) -> Option<u32> {
    let named: Option<Vec<u32>> = filled.iter().map(|seat| seat.channel).collect();
    if let Some(mut named) = named {
        named.sort_unstable();
        named.dedup();
        return Some(named.len() as u32);
    }
    if filled.len() == 1 {
        return Some(1);
    }
    // More modules than fit on all channels but one use all of them.
    let channels = channels.filter(|&channels| channels > 0 && places.is_multiple_of(channels as usize))?;
    let depth = places / channels as usize;
    (filled.len() > depth * (channels as usize - 1)).then_some(channels)
}

fn seats(dimms: &[Dimm], sockets: usize, channels: Option<u32>) -> Vec<Seat> {
    // Letters are sockets only if no place has one beyond them.
    let is_socket = |(letter, _): (u8, u32)| usize::from(letter - b'A') < sockets;
    let by_letter = sockets > 1 && dimms.iter().filter_map(place).all(is_socket);
    let named: Vec<Option<(usize, Option<u32>)>> = (dimms.iter())
        .map(|dimm| named(dimm, channels, sockets, by_letter))
        .collect();
    // Boards number sockets from 0 or from 1.
    let first = named
        .iter()
        .flatten()
        .map(|&(socket, _)| socket)
        .min()
        .unwrap_or(0);
    let mut arrays: BTreeMap<&str, usize> = BTreeMap::new();
    for array in dimms.iter().filter_map(|dimm| dimm.array.as_ref()) {
        let next = arrays.len();
        arrays.entry(&array.value).or_insert(next);
    }
    let lettered = lettered(dimms, channels).filter(|_| sockets == 1);
    let neighbours = neighbours(dimms, &named, channels);
    (dimms.iter().zip(&named).enumerate())
        .map(|(index, (dimm, named))| {
            let seat = match *named {
                Some((socket, channel)) => Seat {
                    socket: Some(socket - first),
                    channel,
                },
                // One array per socket.
                None if arrays.len() == sockets => Seat {
                    socket: (dimm.array.as_ref()).and_then(|array| arrays.get(array.value.as_str()).copied()),
                    channel: None,
                },
                None => Seat::default(),
            };
            Seat {
                socket: dimm
                    .socket
                    .as_ref()
                    .map(|said| said.value as usize)
                    .or(seat.socket)
                    .or((sockets == 1).then_some(0))
                    .filter(|&socket| socket < sockets),
                channel: dimm
                    .channel
                    .known()
                    .or(seat.channel)
                    .or(neighbours[index])
                    .or_else(|| Some(lettered.as_ref()?[index])),
            }
        })
        .collect()
}

/// Channels of places that have a number alone, those of HPE and Lenovo: neighbours share a channel. Both
/// makers document this for each server ("server memory population rules" of HPE, "memory module installation
/// rules" of Lenovo), and the service processor of a DL325 Gen10 Plus says it too. Firmware lists empty
/// places as well; a list with gaps tells nothing.
fn neighbours(
    dimms: &[Dimm],
    named: &[Option<(usize, Option<u32>)>],
    channels: Option<u32>,
) -> Vec<Option<u32>> {
    let mut numbers: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    let numbered: Vec<Option<(usize, u32)>> = (dimms.iter().zip(named))
        .map(|(dimm, named)| Some(((*named)?.0, numbered(dimm)?)))
        .collect();
    for &(socket, number) in numbered.iter().flatten() {
        numbers.entry(socket).or_default().push(number);
    }
    (dimms.iter().zip(numbered))
        .map(|(dimm, place)| {
            let (socket, number) = place?;
            let (places, first) = (numbers[&socket].len() as u32, *numbers[&socket].iter().min()?);
            let has_gaps = numbers[&socket].iter().any(|&number| number - first >= places);
            let (channels, index) = (channels.filter(|&channels| channels > 0)?, number - first);
            if has_gaps {
                None
            } else if places.is_multiple_of(channels) {
                Some(index / (places / channels))
            } else if (places, channels) == (8, 6) && is_of_lenovo(dimm) {
                // SR530 to SR590: the two channels in the middle have two places, the others one.
                Some([0, 1, 2, 2, 3, 3, 4, 5][index as usize])
            } else {
                None
            }
        })
        .collect()
}

/// The number of `PROC 1 DIMM 8` (HPE), or of `DIMM 5` at `CPU 1` (Lenovo).
fn numbered(dimm: &Dimm) -> Option<u32> {
    let locator = dimm.locator.value()?.as_str();
    let is_known = locator.starts_with("PROC ") || is_of_lenovo(dimm);
    let (_, number) = locator.rsplit_once("DIMM ").filter(|_| is_known)?;
    number
        .trim()
        .parse()
        .ok()
        .filter(|number| (1..1000).contains(number))
}

/// Whether a place is called `DIMM 5` at `CPU 1`.
fn is_of_lenovo(dimm: &Dimm) -> bool {
    let starts = |fact: &Fact<String>, with| fact.is(|said| said.starts_with(with));
    starts(&dimm.locator, "DIMM ") && starts(&dimm.bank, "CPU ")
}

/// The channels of the places of a board with one socket: the letter of `DIMMB1` where there are as many
/// letters as channels, else the number of `A7` where all have one letter (Dell) and numbers go round the
/// channels.
fn lettered(dimms: &[Dimm], channels: Option<u32>) -> Option<Vec<u32>> {
    let places: Vec<(u8, u32)> = dimms.iter().map(place).collect::<Option<_>>()?;
    let channels = channels.filter(|&channels| channels > 0)?;
    let mut letters: Vec<u8> = places.iter().map(|&(letter, _)| letter).collect();
    letters.sort_unstable();
    letters.dedup();
    let position = |letter| letters.iter().position(|&one| one == letter).unwrap_or(0) as u32;
    if letters.len() == channels as usize {
        Some(places.iter().map(|&(letter, _)| position(letter)).collect())
    } else if letters == *b"A" && dimms.len().is_multiple_of(channels as usize) {
        Some(
            places
                .iter()
                .map(|&(_, number)| (number - 1) % channels)
                .collect(),
        )
    } else {
        None
    }
}

/// Letter and number of `A1`, `DIMM_A1`, `DIMM A1` or `DIMMA1`.
fn place(dimm: &Dimm) -> Option<(u8, u32)> {
    let locator = dimm.locator.value()?.trim_start_matches("DIMM");
    let place = locator.trim_start_matches([' ', '_']);
    let letter = place.bytes().next().filter(u8::is_ascii_uppercase)?;
    let number = place[1..].trim().parse().ok().filter(|&number| number > 0)?;
    Some((letter, number))
}

/// Socket, as the board numbers it, and channel of a place. `by_letter`: letters of places are sockets.
fn named(
    dimm: &Dimm,
    channels: Option<u32>,
    sockets: usize,
    by_letter: bool,
) -> Option<(usize, Option<u32>)> {
    let text = |fact: &Fact<String>| fact.known().unwrap_or_default();
    let (locator, bank) = (text(&dimm.locator), text(&dimm.bank));
    // Damaged names have numbers that no board has.
    let number = |text: &str, word: &str| {
        let number = number_after(text, word).filter(|&number| number < 1000.0)?;
        Some(number as usize)
    };
    // `P0_Node0_Channel2_Dimm0` (Supermicro), `NODE 1`.
    if let Some(channel) = number(&bank, "_Channel") {
        // A socket with two memory controllers numbers its channels in each.
        let controller = number(&bank, "_Node").unwrap_or(0);
        return Some((number(&bank, "P")?, Some((controller * 64 + channel) as u32)));
    }
    // `P0 CHANNEL L` (EPYC); without `P0` on boards of one socket.
    let only = (sockets == 1).then_some(0);
    if let Some(at) = bank.find("CHANNEL ") {
        let letter = bank[at + 8..].bytes().next().filter(u8::is_ascii_uppercase)?;
        return Some((number(&bank, "P").or(only)?, Some(u32::from(letter - b'A'))));
    }
    // `ChannelA-DIMM0`, `Controller1-ChannelB-DIMM0` (Intel, one socket).
    if let (Some(socket), Some((controller, channel))) = (only, locator.split_once("Channel")) {
        let letter = channel.bytes().next().filter(u8::is_ascii_uppercase)?;
        let controller = number(controller, "Controller").unwrap_or(0) as u32;
        return Some((socket, Some(controller * 64 + u32::from(letter - b'A'))));
    }
    // `/SYS/MB/P0` with `D5` (Sun): three places a channel.
    if let Some(socket) = number(&bank, "/SYS/MB/P") {
        let place = number(&locator, "D");
        return Some((
            socket,
            place
                .filter(|_| channels == Some(3))
                .map(|place| place as u32 / 3),
        ));
    }
    // `PROC 1 DIMM 8` (HPE).
    if let Some(socket) = number(&locator, "PROC ") {
        return Some((socket, None));
    }
    // `DIMM 5` at `CPU 1` (Lenovo).
    if is_of_lenovo(dimm) {
        return Some((number(&bank, "CPU ")?, None));
    }
    // `DIMM_P0_A1` (Cisco, Gigabyte).
    if let Some((socket, place)) = (locator.strip_prefix("DIMM_P")).and_then(|rest| rest.split_once('_')) {
        return Some((socket.parse().ok()?, letter_or_number(place)));
    }
    // `DIMM010 J3` (Huawei): socket, channel and place have a digit each.
    if let Some([socket, channel, place]) = (locator.strip_prefix("DIMM"))
        .and_then(|rest| rest.split(' ').next())
        .and_then(|digits| <[u8; 3]>::try_from(digits.as_bytes()).ok())
        && [socket, channel, place].iter().all(u8::is_ascii_digit)
    {
        return Some((usize::from(socket - b'0'), Some(u32::from(channel - b'0'))));
    }
    // `P1-DIMMA1`, `P1_DIMMA1`, `P1-DIMM1A` (Supermicro), `P1_DIMM_A1` (ASUS).
    if let (true, Some(at)) = (locator.starts_with('P'), locator.find("DIMM")) {
        return Some((
            number(&locator, "P")?,
            letter_or_number(locator[at + 4..].trim_start_matches(['_', '-', ' '])),
        ));
    }
    // `P1_1A` (Supermicro with four sockets).
    if let Some((socket, place)) = locator.split_once('_').filter(|(socket, _)| socket.len() == 2)
        && let Some(socket) = number(socket, "P")
    {
        return Some((socket, letter_or_number(place)));
    }
    // `CPU0_DIMM3`, or `CPU0` with `DIMM3` as bank; `CPU1_DIMM_A1` (Intel), `CPU0_C1D0` (Inspur).
    if let Some(socket) = number(&locator, "CPU") {
        let letter = locator
            .split_once("DIMM_")
            .and_then(|(_, place)| letter_or_number(place));
        let channel = letter.or_else(|| Some(number(&locator, "_C")? as u32));
        return Some((socket, channel));
    }
    let (letter, number) = place(dimm)?;
    let index = u32::from(letter - b'A');
    // `DIMM_E1` at `NODE 2` (Intel): letters go on from socket to socket.
    if let Some(node) = bank
        .strip_prefix("NODE ")
        .and_then(|node| node.trim().parse().ok())
    {
        return Some((node, Some(index)));
    }
    // `A1`, `DIMM_A1`, `DIMM A1` (Dell): the letter is the socket; numbers go round the channels.
    by_letter.then(|| (index as usize, channels.map(|channels| (number - 1) % channels)))
}

/// The channel of `A1`, `1A` or `F2`: the letter in the first form, the number in the second.
fn letter_or_number(text: &str) -> Option<u32> {
    let first = text.bytes().next()?;
    match first {
        b'A'..=b'Z' => Some(u32::from(first - b'A')),
        b'1'..=b'9' if text.len() == 2 => Some(u32::from(first - b'1')),
        _ => None,
    }
}

//! Upgrades of the catalogue for full memory: faster modules, modules on unused channels, and processors of
//! the same board with faster memory.

use bandgraph_hardware::{MemoryPart, SocketPart, catalogue};
use bandgraph_model::Scenario;
use bandgraph_topology::SocketSpec;

use super::NO_GAIN;
use super::options::{Options, all_or_slower, other_processors, overrides, replaces, slowest};

/// What a channel with these modules sustains, in bytes per second.
fn channel_rate(part: &MemoryPart) -> f64 {
    part.transfer_rate.get() * part.sustainable.get()
}

/// Upgrades for full memory: faster modules, more channels, processors with faster memory.
pub(super) fn faster_memory(scenario: &Scenario, options: &mut Options) {
    let speed = channel_rate;
    let spec = scenario.topology.spec();
    let Some(now) = slowest(spec.sockets.iter().map(|socket| &socket.memory.part), speed) else {
        return;
    };
    let all = catalogue().each::<MemoryPart>();
    let mut any = false;
    let fits = |part: &MemoryPart| {
        let mut slower = spec
            .sockets
            .iter()
            .filter(|socket| speed(&socket.memory.part) < speed(part));
        part.technology().eq(now.technology()) && slower.all(|socket| socket.part.takes(part))
    };
    for faster in all.filter(|part| speed(part) > speed(now) && fits(part)) {
        any = true;
        let sockets = spec.sockets.iter();
        let sockets = sockets.map(|socket| (socket.id.as_str(), speed(&socket.memory.part) < speed(faster)));
        let sockets: Vec<(&str, bool)> = sockets.collect();
        let which = all_or_slower(sockets.iter().map(|(_, slower)| *slower));
        let change = format!("{which} memory modules become {}", faster.name);
        let sets = overrides("socket", sockets, "memory.part", &faster.name);
        options.offer(scenario, change, sets, |spec| {
            for socket in spec
                .sockets
                .iter_mut()
                .filter(|socket| speed(&socket.memory.part) < speed(faster))
            {
                socket.memory.part.clone_from(faster);
            }
        });
    }
    if !any {
        options.rule_out(format!(
            "The catalogue has no faster memory than {} that the processors take.",
            now.name
        ));
    }
    more_channels(scenario, options);
    processors_for_memory(scenario, options);
}

/// The memory that is there, spread over all channels of the processors.
fn more_channels(scenario: &Scenario, options: &mut Options) {
    let spec = scenario.topology.spec();
    let free = |socket: &SocketSpec| u64::from(socket.memory.channels) < socket.part.memory_channels;
    let unfilled: Vec<&SocketSpec> = spec.sockets.iter().filter(|socket| free(socket)).collect();
    let Some(first) = unfilled.first() else {
        options.rule_out("All memory channels of the processors are in use.");
        return;
    };
    let most = first.part.memory_channels;
    let is_uniform = |socket: &SocketSpec| free(socket) && socket.part.memory_channels == most;
    let sets = if spec.sockets.iter().all(is_uniform) {
        vec![format!("socket.*.memory.channels={most}")]
    } else {
        let set = |socket: &&SocketSpec| {
            let channels = socket.part.memory_channels;
            format!("socket.{}.memory.channels={channels}", socket.id)
        };
        unfilled.iter().map(set).collect()
    };
    let change = format!(
        "every socket has modules on all its channels ({most} instead of {} on {}), of the same total size",
        first.memory.channels, first.id
    );
    options.offer(scenario, change, sets, |spec| {
        for socket in spec.sockets.iter_mut().filter(|socket| free(socket)) {
            socket.memory.channels = socket.part.memory_channels as u32;
        }
    });
}

/// Processors whose channels sustain more than those of now can with any memory, with the memory that is
/// there or the fastest that they take. Of those with the same memory and controllers, the one with the
/// nearest cores that are no slower together.
fn processors_for_memory(scenario: &Scenario, options: &mut Options) {
    let topology = &scenario.topology;
    let spec = topology.spec();
    // With the fastest memory of its kind that the processor takes.
    let best = |part: &SocketPart, there: &MemoryPart| -> MemoryPart {
        let fastest = catalogue().memory(&part.memory);
        let fastest = fastest.filter(|memory| memory.technology().eq(there.technology()));
        let fastest = fastest.filter(|memory| memory.is_faster_than(there));
        fastest.unwrap_or(there).clone()
    };
    let reach = |part: &SocketPart, memory: &MemoryPart| {
        channel_rate(memory) * part.controller_share.get() * part.mixed_memory.get()
    };
    let of = |socket: &SocketSpec| reach(&socket.part, &best(&socket.part, &socket.memory.part));
    let Some(now) = slowest(spec.sockets.iter(), of) else {
        return;
    };
    let mut found: Vec<(&SocketPart, MemoryPart)> = Vec::new();
    let no_slower = |part: &&SocketPart| part.cycles_per_second() >= now.part.cycles_per_second();
    for part in catalogue().each::<SocketPart>().filter(no_slower) {
        let memory = best(part, &now.memory.part);
        let rate = reach(part, &memory);
        let mut slower = (0..spec.sockets.len()).filter(|&socket| of(&spec.sockets[socket]) < rate);
        if rate <= of(now) * (1.0 + NO_GAIN)
            || !slower.all(|socket| replaces(topology, socket, part, None, Some(&memory)))
        {
            continue;
        }
        let same = |known: &&mut (&SocketPart, MemoryPart)| {
            known.1 == memory
                && known.0.controller_share == part.controller_share
                && known.0.mixed_memory == part.mixed_memory
        };
        match found.iter_mut().find(same) {
            Some(known) if part.cycles_per_second() < known.0.cycles_per_second() => known.0 = part,
            Some(_) => {}
            None => found.push((part, memory)),
        }
    }
    if found.is_empty() {
        options.rule_out(format!(
            "The catalogue has no processor with faster memory than {} for this board.",
            now.part.name
        ));
    }
    for (part, memory) in found {
        let rate = reach(part, &memory);
        let slower: Vec<bool> = spec.sockets.iter().map(|socket| of(socket) < rate).collect();
        let which = all_or_slower(slower.iter().copied());
        let change = format!(
            "{which} sockets become {} with {} (with a board that supports it)",
            part.name, memory.name
        );
        let mut sets = other_processors(spec, &slower, &part.name);
        let sockets = spec.sockets.iter().zip(&slower);
        let changed =
            sockets.map(|(socket, slower)| (socket.id.as_str(), *slower && socket.memory.part != memory));
        let changed: Vec<(&str, bool)> = changed.collect();
        if changed.iter().any(|(_, changed)| *changed) {
            sets.extend(overrides("socket", changed, "memory.part", &memory.name));
        }
        options.offer(scenario, change, sets, |spec| {
            for (socket, _) in spec
                .sockets
                .iter_mut()
                .zip(&slower)
                .filter(|(_, slower)| **slower)
            {
                socket.part.clone_from(part);
                socket.memory.part.clone_from(&memory);
            }
        });
    }
}

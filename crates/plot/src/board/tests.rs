//! Random boards: no boxes overlap, every text is in its box, and no text of a wire overlaps anything.

use proptest::prelude::*;

use super::layout::layout;
use super::{Block, Board, Branch, Cross, Gauge, Key, Link, Load, Tone, Wire};
use crate::Picture;
use crate::canvas::{Area, Canvas, Mark, Words, at};

fn tone() -> impl Strategy<Value = Tone> {
    prop_oneof![
        Just(Tone::Plain),
        Just(Tone::Faint),
        (0.0..=1.0).prop_map(Tone::Full),
        (-1.0..=1.0).prop_map(Tone::Change),
        (0.0..=1.0).prop_map(Tone::Path),
    ]
}

fn load() -> impl Strategy<Value = Load> {
    let words = prop::collection::vec("[0-9]{1,3} [GMk]B/s|[0-9]{1,3}[.][0-9] %", 0..3);
    let step = prop_oneof![Just(""), Just("7"), Just("4, 11")];
    (words, tone(), any::<bool>(), "\\PC{0,12}", step).prop_map(
        |(words, tone, is_bottleneck, title, step)| Load {
            resources: vec![title.clone()],
            words,
            tone,
            is_bottleneck,
            title,
            step: step.to_owned(),
            data: Vec::new(),
        },
    )
}

fn wire() -> impl Strategy<Value = Wire> {
    (prop::option::of(load()), prop::option::of(load())).prop_map(|(out, back)| Wire { out, back })
}

/// A box of a tier with children of up to `below` further tiers. Its ids are set later.
fn block(tier: usize, below: usize) -> BoxedStrategy<Block> {
    let gauges = prop::collection::vec(("\\PC{0,30}", load()), 0..4);
    let words = (
        "\\PC{0,50}",
        "[a-z0-9:*]{0,28}",
        prop::collection::vec("\\PC{0,40}", 0..3),
    );
    let alone = (words, gauges, any::<bool>(), any::<bool>()).prop_map(
        move |((name, frame, lines), gauges, is_empty, is_stack)| Block {
            kind: "part",
            ids: vec![String::new(); if is_stack { 2 } else { 1 }],
            is_empty: is_empty && !frame.is_empty(),
            frame,
            name,
            lines,
            gauges: gauges
                .into_iter()
                .map(|(name, load)| Gauge { name, load })
                .collect(),
            tier,
            branches: Vec::new(),
        },
    );
    if below == 0 {
        return alone.boxed();
    }
    let wires = prop::collection::vec(wire(), 1..3);
    let branch = (wires, block(tier + 1, below - 1)).prop_map(|(wires, block)| Branch { wires, block });
    (alone, prop::collection::vec(branch, 0..4))
        .prop_map(|(alone, branches)| Block {
            is_empty: alone.is_empty && branches.is_empty(),
            branches,
            ..alone
        })
        .boxed()
}

/// Gives every box a unique id; returns the ids of the children.
fn name(block: &mut Block, next: &mut usize, hanging: &mut Vec<(String, usize)>) {
    for id in &mut block.ids {
        *id = format!("b{next}");
        *next += 1;
    }
    if block.tier > 0 {
        hanging.push((block.ids[0].clone(), block.tier));
    }
    for branch in &mut block.branches {
        name(&mut branch.block, next, hanging);
    }
}

fn boards() -> impl Strategy<Value = Board> {
    let sockets = prop::collection::vec(block(0, 3), 1..9);
    let outside = prop::collection::vec(block(9, 0), 0..3);
    let joined = prop::collection::vec(
        (
            any::<usize>(),
            any::<usize>(),
            prop::collection::vec(wire(), 1..4),
        ),
        0..12,
    );
    (sockets, outside, joined, "\\PC{0,40}").prop_map(|(mut sockets, outside, joined, title)| {
        let (mut next, mut hanging) = (0, Vec::new());
        for socket in &mut sockets {
            name(socket, &mut next, &mut hanging);
        }
        let mut links: Vec<Link> = Vec::new();
        for (a, b, wires) in joined {
            let ends = [a % sockets.len(), b % sockets.len()];
            let known = |link: &Link| link.ends == ends || link.ends == [ends[1], ends[0]];
            if ends[0] != ends[1] && !links.iter().any(known) {
                links.push(Link { ends, wires });
            }
        }
        // From each second box of one tier to the last of the next.
        let last = hanging.iter().rev().find(|(_, tier)| *tier == 2).cloned();
        let crosses = last.iter().flat_map(|(to, _)| {
            let from = hanging.iter().filter(|(_, tier)| *tier == 1).step_by(2).take(2);
            from.map(move |(from, _)| Cross {
                from: from.clone(),
                to: to.clone(),
                wire: Wire::default(),
            })
        });
        Board {
            title,
            subtitle: String::new(),
            crosses: crosses.collect(),
            sockets,
            links,
            outside,
            key: Key::Full,
            footer: String::new(),
        }
    })
}

/// The area of a text, slightly less than a line.
fn covered(words: &Words) -> Area {
    let half = words.look.size * 0.35;
    Area::between(
        at(words.start.x, words.start.y - half),
        at(words.start.x + words.width, words.start.y + half),
    )
}

/// The texts of groups of a class, with the number of the group.
fn words_of<'c>(canvas: &'c Canvas, class: &str) -> Vec<(usize, &'c Words)> {
    let (mut open, mut number, mut found) = (Vec::new(), 0, Vec::new());
    for mark in canvas.marks() {
        match mark {
            Mark::Begin(group) => {
                open.push(group.class);
                if group.class == class {
                    number += 1;
                }
            }
            Mark::End => {
                open.pop();
            }
            Mark::Words(words) if open.contains(&class) => found.push((number - 1, words)),
            _ => {}
        }
    }
    found
}

fn check(board: &Board) -> Result<(), TestCaseError> {
    let layout = layout(board);
    let page = Area::between(at(0.0, 0.0), at(layout.width, layout.height));
    for (index, placed) in layout.boxes.iter().enumerate() {
        prop_assert!(page.contains(&placed.area), "{placed:?} of {page:?}");
        for other in &layout.boxes[..index] {
            prop_assert!(!placed.area.overlaps(&other.area), "{placed:?} lies on {other:?}");
        }
    }
    let mut canvas = Canvas::default();
    board.draw(&mut canvas);
    let texts = words_of(&canvas, "block");
    for (number, placed) in layout.boxes.iter().enumerate() {
        // What a slot is called is not cut.
        let frame = &placed.block.frame;
        let mut own = texts.iter().filter(|(of, _)| *of == number);
        prop_assert!(
            frame.is_empty() || own.any(|(_, words)| words.text == *frame),
            "{frame}"
        );
    }
    for (number, words) in texts {
        let area = layout.boxes[number].area.inset(-1.0);
        prop_assert!(area.contains(&covered(words)), "{words:?} is not in {area:?}");
    }
    let labels = words_of(&canvas, "words");
    for (index, (_, label)) in labels.iter().enumerate() {
        for placed in &layout.boxes {
            prop_assert!(
                !placed.area.overlaps(&covered(label)),
                "{label:?} lies on {placed:?}"
            );
        }
        for (_, other) in &labels[..index] {
            prop_assert!(
                !covered(other).overlaps(&covered(label)),
                "{label:?} lies on {other:?}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_lies_on_anything_else(board in boards()) {
        check(&board)?;
    }

    /// For any names, the document is well-formed and contains them.
    #[test]
    fn any_name_is_text(mut board in boards(), title in any::<String>()) {
        board.title = title;
        let svg = Picture::from(board).svg().expect("it can be drawn");
        prop_assert!(roxmltree::Document::parse(&svg).is_ok());
    }
}

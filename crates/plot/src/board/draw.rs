//! Drawing of the layout.

use super::layout::{FOOTER, Layout, Placed, Run};
use super::measure::{
    BADGE, BETWEEN, FRAME, GAUGE, GAUGE_HEIGHT, HEADER, LABEL, LABEL_LINE, LANE, LINE, LINE_HEIGHT, NAME,
    NAME_HEIGHT, PADDING, SHEET, SHEETS, STEP_GAP, STEP_PADDING, in_one_line, is_stack, labels, of_step,
};
use super::{Block, Board, Gauge, Key, Load, Tone};
use crate::canvas::{Area, At, Canvas, Dash, Group, Side, Type, at};
use crate::font::Weight;
use crate::palette::{self, Colour, Paint};
use crate::style::{HEADING, MARGIN, SMALL, cut, draw_title, text_width};

/// Edges of boxes.
const EDGE: Colour = Colour(120, 130, 140);
/// De-emphasised items.
const FAINT: Colour = Colour(205, 210, 215);
/// A wire without a load.
const WIRE: Colour = Colour(90, 100, 112);
/// The background of a bottleneck's text.
const HOT: Colour = Colour(165, 0, 38);
/// From empty to full: lightness falls evenly, so that it is readable without colour.
const HEAT: [Colour; 5] = [
    Colour(168, 180, 192),
    Colour(150, 170, 150),
    Colour(230, 159, 0),
    Colour(213, 94, 0),
    HOT,
];
/// The width of a direction without load, and the additional width of a full one.
const THIN: f64 = 2.0;
const THICKER: f64 = 4.0;
/// The length of an arrow, and half of its excess over the wire's width.
const ARROW: (f64, f64) = (8.0, 3.0);

pub(super) fn draw(canvas: &mut Canvas, board: &Board, layout: &Layout<'_>) {
    draw_title(canvas, &board.title, &board.subtitle, layout.width);
    for run in &layout.runs {
        draw_run(canvas, run);
    }
    for placed in &layout.boxes {
        draw_block(canvas, placed);
    }
    for run in &layout.runs {
        draw_words(canvas, run);
    }
    if let Some(y) = layout.outside {
        canvas.line(&[at(MARGIN, y), at(layout.width - MARGIN, y)], 1.0, palette::GRID);
        canvas.text("Outside the server", at(MARGIN, y + 18.0), Side::Left, HEADING);
    }
    draw_key(canvas, board, layout);
    for (index, line) in layout.footer_lines.iter().enumerate() {
        let y = layout.footer + FOOTER * index as f64;
        canvas.text(line, at(MARGIN, y), Side::Left, SMALL);
    }
}

/// The colour of a wire or a bar.
fn colour(tone: Tone) -> Colour {
    match tone {
        Tone::Plain => WIRE,
        Tone::Faint => FAINT,
        Tone::Full(share) => heat(share),
        Tone::Change(change) => {
            let end = if change < 0.0 {
                palette::BLUE
            } else {
                palette::VERMILION
            };
            // Colour saturates at a change of a quarter of the capacity.
            between(FAINT, end, (change.abs() * 4.0).min(1.0))
        }
        Tone::Path(_) => palette::BLUE,
    }
}

/// The colour of a share of usable capacity.
fn heat(share: f64) -> Colour {
    let along = share.clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let below = (along.floor() as usize).min(HEAT.len() - 2);
    between(HEAT[below], HEAT[below + 1], along - below as f64)
}

fn between(from: Colour, to: Colour, part: f64) -> Colour {
    let mixed = |from: u8, to: u8| (f64::from(from) + part * (f64::from(to) - f64::from(from))).round() as u8;
    Colour(mixed(from.0, to.0), mixed(from.1, to.1), mixed(from.2, to.2))
}

fn thickness(tone: Tone) -> f64 {
    match tone {
        Tone::Plain | Tone::Faint => THIN,
        Tone::Full(share) | Tone::Path(share) => THIN + THICKER * share.clamp(0.0, 1.0),
        Tone::Change(change) => THIN + THICKER * (change.abs() * 4.0).min(1.0),
    }
}

/// The attributes of a load for programs.
fn group(load: &Load, class: &'static str) -> Group {
    let mut data = vec![("resources", load.resources.join(" "))];
    data.extend(load.data.iter().cloned());
    Group {
        class,
        data,
        title: load.title.clone(),
    }
}

fn draw_run(canvas: &mut Canvas, run: &Run<'_>) {
    let wire = run.wire;
    if wire.out.is_none() && wire.back.is_none() {
        return canvas.line(&run.path, 1.5, EDGE);
    }
    if let Some(load) = &wire.out {
        direction(canvas, load, &beside(&run.path, LANE));
    }
    if let Some(load) = &wire.back {
        let mut path = beside(&run.path, -LANE);
        path.reverse();
        direction(canvas, load, &path);
    }
}

/// Draws a direction of a wire, with an arrow at its end.
fn direction(canvas: &mut Canvas, load: &Load, path: &[At]) {
    let [.., before, end] = path else { return };
    let (dx, dy) = (end.x - before.x, end.y - before.y);
    let length = libm::hypot(dx, dy);
    if length < ARROW.0 {
        return;
    }
    let (dx, dy) = (dx / length, dy / length);
    let width = thickness(load.tone);
    let base = at(end.x - dx * ARROW.0, end.y - dy * ARROW.0);
    let half = width / 2.0 + ARROW.1;
    let corners = [
        *end,
        at(base.x - dy * half, base.y + dx * half),
        at(base.x + dy * half, base.y - dx * half),
    ];
    let mut line = path.to_vec();
    line.pop();
    line.push(at(base.x + dx, base.y + dy));
    let colour = colour(load.tone);
    canvas.group(group(load, "wire"), |canvas| {
        canvas.line(&line, width, colour);
        canvas.polygon(&corners, colour);
    });
}

/// The text style of a load.
fn look(load: &Load) -> Type {
    let (weight, colour) = match load.tone {
        _ if load.is_bottleneck => (Weight::Bold, palette::PAPER),
        Tone::Faint => (Weight::Regular, Colour(150, 155, 160)),
        Tone::Full(share) if share >= 0.8 => (Weight::Bold, palette::INK),
        _ => (Weight::Regular, palette::INK),
    };
    Type {
        weight,
        colour,
        ..GAUGE
    }
}

/// Draws the text of a load, behind a mark with the number of its `step`, and with a background if it is the
/// bottleneck.
fn draw_load(canvas: &mut Canvas, words: &str, place: At, side: Side, load: &Load, step: &str) {
    let look = look(load);
    let (mark, width) = (of_step(step), text_width(words, look));
    let start = match side {
        Side::Left => place.x,
        Side::Centre => place.x - f64::midpoint(mark, width),
        Side::Right => place.x - mark - width,
    };
    let left = start + mark;
    if !step.is_empty() {
        let ground = Area::between(at(start, place.y - 8.0), at(left - STEP_GAP, place.y + 8.0));
        canvas.rounded(ground, 8.0, palette::BLUE, None);
        let number = Type {
            colour: palette::PAPER,
            ..BADGE
        };
        canvas.text(step, at(start + STEP_PADDING, place.y), Side::Left, number);
    }
    if load.is_bottleneck {
        let ground = Area::between(
            at(left - 4.0, place.y - 8.0),
            at(left + width + 4.0, place.y + 8.0),
        );
        canvas.rounded(ground, 3.0, HOT, None);
    }
    canvas.text(words, at(left, place.y), Side::Left, look);
}

fn draw_words(canvas: &mut Canvas, run: &Run<'_>) {
    let [back, out] = labels(run.wire);
    // The side of the outgoing direction.
    let [from, to] = segment(run);
    let sign = if run.is_level {
        if to.x > from.x { -1.0 } else { 1.0 }
    } else if to.y > from.y {
        1.0
    } else {
        -1.0
    };
    for (load, sign) in [(out, sign), (back, -sign)] {
        let Some(load) = load else { continue };
        canvas.group(group(load, "words"), |canvas| {
            if run.is_level {
                let y = run.words.y + sign * (LANE + LABEL_LINE * 0.75);
                return draw_load(
                    canvas,
                    &in_one_line(load),
                    at(run.words.x, y),
                    Side::Centre,
                    load,
                    &load.step,
                );
            }
            let side = if sign > 0.0 { Side::Left } else { Side::Right };
            let x = run.words.x + sign * (LANE + LABEL);
            let first = run.words.y - LABEL_LINE * (load.words.len().saturating_sub(1)) as f64 / 2.0;
            for (index, word) in load.words.iter().enumerate() {
                let step = if index == 0 { load.step.as_str() } else { "" };
                let place = at(x, first + LABEL_LINE * index as f64);
                draw_load(canvas, word, place, side, load, step);
            }
        });
    }
}

/// The segment of a path with its text.
fn segment(run: &Run<'_>) -> [At; 2] {
    let level = |pair: &&[At]| (pair[0].y == pair[1].y) == run.is_level;
    let last = run.path.windows(2).rfind(level);
    last.map_or([at(0.0, 0.0); 2], |pair| [pair[0], pair[1]])
}

/// The background of a kind of box.
fn ground(block: &Block) -> Colour {
    match block.tier {
        0 if block.kind == "socket" => Colour(232, 238, 245),
        1 | 2 => Colour(240, 240, 240),
        _ => palette::PAPER,
    }
}

fn draw_block(canvas: &mut Canvas, placed: &Placed<'_>) {
    let Placed { block, area } = placed;
    let about = Group {
        class: "block",
        data: vec![("kind", block.kind.to_owned()), ("ids", block.ids.join(" "))],
        title: String::new(),
    };
    canvas.group(about, |canvas| draw_inside(canvas, block, *area));
}

fn draw_inside(canvas: &mut Canvas, block: &Block, mut area: Area) {
    let edge = |paint: Colour| Some((Paint::from(paint), 1.25, None));
    if is_stack(block) {
        for sheet in (1..=SHEETS).rev() {
            let shift = SHEET * sheet as f64;
            let back = Area::between(
                at(area.left + shift, area.top + SHEET * (SHEETS - sheet) as f64),
                at(area.right - SHEET * (SHEETS - sheet) as f64, area.bottom - shift),
            );
            canvas.rounded(back, 4.0, ground(block), edge(EDGE));
        }
        area.right -= SHEET * SHEETS as f64;
        area.top += SHEET * SHEETS as f64;
    }
    if !block.frame.is_empty() {
        let dash = block.is_empty.then_some(Dash::PLAIN);
        canvas.rounded(area, 5.0, Colour(248, 249, 250), Some((EDGE.into(), 1.0, dash)));
        let room = area.width() - 2.0 * FRAME;
        let header = cut(&block.frame, room, LINE);
        let place = at(area.left + FRAME, area.top + HEADER / 2.0 + 1.0);
        canvas.text(&header, place, Side::Left, LINE);
        area = Area {
            top: area.top + HEADER,
            ..area.inset(FRAME)
        };
        if block.is_empty {
            return canvas.text("empty", area.middle(), Side::Centre, LINE);
        }
    }
    canvas.rounded(area, 4.0, ground(block), edge(EDGE));
    let room = area.width() - 2.0 * PADDING;
    let left = area.left + PADDING;
    let mut y = area.top + PADDING;
    let name = cut(&block.name, room, NAME);
    canvas.text(&name, at(left, y + NAME_HEIGHT / 2.0 - 2.0), Side::Left, NAME);
    y += NAME_HEIGHT;
    for line in &block.lines {
        let line = cut(line, room, LINE);
        canvas.text(&line, at(left, y + LINE_HEIGHT / 2.0), Side::Left, LINE);
        y += LINE_HEIGHT;
    }
    for gauge in &block.gauges {
        draw_gauge(canvas, gauge, (left, left + room), y);
        y += GAUGE_HEIGHT;
    }
}

fn draw_gauge(canvas: &mut Canvas, gauge: &Gauge, (left, right): (f64, f64), top: f64) {
    const BAR: f64 = 4.0;
    let load = &gauge.load;
    canvas.group(group(load, "gauge"), |canvas| {
        let y = top + 10.0;
        let mark = of_step(&load.step);
        let words = cut(&in_one_line(load), right - left - mark, look(load));
        let taken = mark + text_width(&words, look(load));
        let between = if taken > 0.0 { BETWEEN } else { 0.0 };
        let name = cut(&gauge.name, right - left - taken - between, GAUGE);
        let faint = Type {
            colour: look(load).colour,
            ..GAUGE
        };
        let of_name = if load.tone == Tone::Faint { faint } else { GAUGE };
        canvas.text(&name, at(left, y), Side::Left, of_name);
        draw_load(canvas, &words, at(right, y), Side::Right, load, &load.step);
        let share = match load.tone {
            Tone::Plain | Tone::Faint => return,
            Tone::Full(share) | Tone::Path(share) => share.clamp(0.0, 1.0),
            Tone::Change(change) => change.abs().min(1.0),
        };
        let bar = Area::between(
            at(left, top + GAUGE_HEIGHT - BAR - 2.0),
            at(right, top + GAUGE_HEIGHT - 2.0),
        );
        canvas.rectangle(bar, Colour(221, 225, 229));
        let filled = Area {
            right: left + (right - left) * share,
            ..bar
        };
        canvas.rectangle(filled, colour(load.tone));
    });
}

/// Draws the legend of colours and marks.
fn draw_key(canvas: &mut Canvas, board: &Board, layout: &Layout<'_>) {
    const SCALE: f64 = 180.0;
    const PIECES: u32 = 60;
    let y = layout.key;
    let mut x = MARGIN;
    let mut scale = |canvas: &mut Canvas, ends: [&str; 2], of: &dyn Fn(f64) -> Tone| {
        canvas.text(ends[0], at(x, y), Side::Left, SMALL);
        x += text_width(ends[0], SMALL) + 8.0;
        for piece in 0..PIECES {
            let share = |piece: u32| f64::from(piece) / f64::from(PIECES);
            let tone = of(f64::midpoint(share(piece), share(piece + 1)));
            let half = thickness(tone) / 2.0 + 1.0;
            let area = Area::between(
                at(x + SCALE * share(piece), y - half),
                at(x + SCALE * share(piece + 1), y + half),
            );
            canvas.polygon(&area.corners(), colour(tone));
        }
        x += SCALE + 8.0;
        canvas.text(ends[1], at(x, y), Side::Left, SMALL);
        x += text_width(ends[1], SMALL) + 24.0;
    };
    match board.key {
        Key::Capacities => {}
        Key::Full => scale(canvas, ["0 %", "100 % of usable capacity"], &Tone::Full),
        Key::Change => scale(canvas, ["25 points less full", "25 points fuller"], &|share| {
            Tone::Change((share - 0.5) / 2.0)
        }),
        Key::Path => scale(canvas, ["on the way", "most of its time"], &Tone::Path),
    }
    let has_bottleneck = layout
        .boxes
        .iter()
        .flat_map(|placed| placed.block.gauges.iter().map(|gauge| &gauge.load))
        .chain((layout.runs.iter()).flat_map(|run| run.wire.out.iter().chain(&run.wire.back)))
        .any(|load| load.is_bottleneck);
    if has_bottleneck {
        let sample = Load {
            tone: Tone::Full(1.0),
            is_bottleneck: true,
            ..Load::default()
        };
        draw_load(canvas, "bottleneck", at(x + 4.0, y), Side::Left, &sample, "");
        x += text_width("bottleneck", look(&sample)) + 32.0;
    }
    let is_stacked = layout.boxes.iter().any(|placed| placed.block.ids.len() > 1);
    let rest = match (&board.key, is_stacked) {
        (Key::Capacities, true) => "One figure on a wire: each direction. Stacked boxes: equal parts.",
        (Key::Capacities, false) => "One figure on a wire: each direction.",
        (Key::Path, true) => "Stacked boxes: equal parts, drawn once, with their sum.",
        (Key::Full | Key::Change, true) => "Stacked: equal parts, the fullest shown.",
        (_, false) => return,
    };
    let rest = cut(rest, layout.width - MARGIN - x, SMALL);
    canvas.text(&rest, at(x, y), Side::Left, SMALL);
}

/// A parallel path, shifted by `distance` to the right of the downward direction.
fn beside(path: &[At], distance: f64) -> Vec<At> {
    let normal = |from: At, to: At| {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = libm::hypot(dx, dy).max(1e-9);
        (dy / length * distance, -dx / length * distance)
    };
    let normals: Vec<(f64, f64)> = path.windows(2).map(|pair| normal(pair[0], pair[1])).collect();
    let shifted = |index: usize, place: &At| {
        let before = index.checked_sub(1).and_then(|before| normals.get(before));
        match (before, normals.get(index)) {
            // At a corner both shifts apply; on a straight path, one.
            (Some(one), Some(other)) if (one.0 * other.0 + one.1 * other.1).abs() < 1e-6 => {
                at(place.x + one.0 + other.0, place.y + one.1 + other.1)
            }
            (Some(one), _) | (None, Some(one)) => at(place.x + one.0, place.y + one.1),
            (None, None) => *place,
        }
    };
    path.iter()
        .enumerate()
        .map(|(index, place)| shifted(index, place))
        .collect()
}

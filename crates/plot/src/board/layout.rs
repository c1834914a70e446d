//! Layout: sockets in a grid, and on each side of it tiers of boxes in rows. The children of a box are within
//! its width, so that wires are straight and none crosses a box.

use std::collections::{BTreeMap, BTreeSet};

use super::arrange::{Grid, Way, grid, way};
use super::measure::{LABEL_LINE, LANE, Size, of_block, of_row, of_wire};
use super::{Block, Board, Branch, Cross, Link, Wire};
use crate::canvas::{Area, At, at};
use crate::style::{MARGIN, SMALL, text_width, title_height, wrapped};

/// The distance between boxes of a row.
const GAP: f64 = 14.0;
/// The tier of cards, whose height depends on their contents.
const CARDS: usize = 3;
/// The distance between tiers: space for the text of a wire and its two arrows.
const BETWEEN_TIERS: f64 = 66.0;
/// The distance between tiers whose wires have no text.
const WORDLESS: f64 = 26.0;
/// The minimum distance between columns of sockets.
const BETWEEN_COLUMNS: f64 = 40.0;
/// The distance between horizontal wires: two lines of text and the wire.
const LEVEL: f64 = 2.0 * LABEL_LINE + 2.0 * LANE + 6.0;
/// The same for wires without text.
const PITCH: f64 = 12.0;
/// The width of the end of a wire on the edge of a socket.
const END: f64 = 26.0;
/// The minimum width of a drawing, for its title and its legend.
const NARROWEST: f64 = 760.0;
/// The heights of a heading, of the legend, and of a line of the footer.
const HEADING: f64 = 34.0;
const KEY: f64 = 46.0;
pub(super) const FOOTER: f64 = 22.0;

/// A placed box, with its frame and the sheets behind it.
#[derive(Clone, Debug)]
pub(super) struct Placed<'b> {
    pub(super) block: &'b Block,
    pub(super) area: Area,
}

/// A placed wire: its centre line from its first end to its second, and the centre of its text.
#[derive(Clone, Debug)]
pub(super) struct Run<'b> {
    pub(super) wire: &'b Wire,
    pub(super) path: Vec<At>,
    pub(super) words: At,
    /// Whether the texts are above and below a horizontal wire, not on both sides of a vertical one.
    pub(super) is_level: bool,
}

/// The complete layout.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout<'b> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) boxes: Vec<Placed<'b>>,
    pub(super) runs: Vec<Run<'b>>,
    /// The position of the heading of outside items, if there are any.
    pub(super) outside: Option<f64>,
    pub(super) key: f64,
    /// The position of the first line of the footer, and its lines.
    pub(super) footer: f64,
    pub(super) footer_lines: Vec<String>,
}

/// A side of the grid of sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Above,
    Below,
}

impl Side {
    /// The direction away from the sockets: 1 downward, -1 upward.
    const fn away(self) -> f64 {
        match self {
            Self::Above => -1.0,
            Self::Below => 1.0,
        }
    }

    /// The edge of an area on this side.
    const fn edge(self, area: &Area) -> f64 {
        match self {
            Self::Above => area.top,
            Self::Below => area.bottom,
        }
    }
}

/// The tiers of a side: start and end of each, starting at the sockets.
#[derive(Clone, Debug, Default)]
struct Tiers {
    places: BTreeMap<usize, (f64, f64)>,
    depth: f64,
}

pub(super) fn layout(board: &Board) -> Layout<'_> {
    let pairs: Vec<[usize; 2]> = board.links.iter().map(|link| link.ends).collect();
    let grid = upright(grid(board.sockets.len(), &pairs), &board.sockets);
    let mut builder = Builder {
        board,
        lanes: lanes(board, &grid),
        grid,
        columns: Vec::new(),
        tiers: BTreeMap::new(),
        edges: BTreeMap::new(),
        ends: BTreeMap::new(),
        layout: Layout::default(),
    };
    builder.columns();
    for side in [Side::Above, Side::Below] {
        let tiers = builder.tiers(side);
        builder.tiers.insert(side, tiers);
    }
    let bottom = builder.sockets();
    builder.crosses();
    builder.rest(bottom);
    builder.layout
}

/// The grid with the row that has children at the bottom, if only one row has any.
fn upright(mut grid: Grid, sockets: &[Block]) -> Grid {
    let hangs = |row: usize| {
        let mut in_row = sockets
            .iter()
            .zip(&grid.places)
            .filter(|(_, place)| place.0 == row);
        in_row.any(|(socket, _)| !socket.branches.is_empty())
    };
    if hangs(0) && !hangs(1) && grid.places.iter().any(|place| place.0 == 1) {
        for place in &mut grid.places {
            place.0 = 1 - place.0;
        }
    }
    grid
}

/// The wires in the space between the rows, each with its link.
fn lanes<'b>(board: &'b Board, grid: &Grid) -> Vec<(&'b Link, &'b Wire)> {
    let around = board.links.iter().filter(|link| way(grid, link) == Way::Around);
    around
        .flat_map(|link| link.wires.iter().map(move |wire| (link, wire)))
        .collect()
}

struct Builder<'b> {
    board: &'b Board,
    grid: Grid,
    lanes: Vec<(&'b Link, &'b Wire)>,
    /// Left and right end of each column.
    columns: Vec<(f64, f64)>,
    tiers: BTreeMap<Side, Tiers>,
    /// The near and far edge of each box with cross wires, by id.
    edges: BTreeMap<&'b str, (Side, usize, Area)>,
    /// The ends of cross wires.
    ends: BTreeMap<usize, (Side, usize, At)>,
    layout: Layout<'b>,
}

/// Half the width of a vertical wire with its text.
fn half(wire: &Wire) -> f64 {
    let [left, right] = of_wire(wire);
    left.max(right).max(END / 2.0)
}

impl<'b> Builder<'b> {
    fn crosses_to(&self, block: &Block) -> impl Iterator<Item = (usize, &'b Cross)> {
        let crosses = self.board.crosses.iter().enumerate();
        let ids: BTreeSet<&str> = block.ids.iter().map(String::as_str).collect();
        crosses.filter(move |(_, cross)| ids.contains(cross.to.as_str()))
    }

    /// The width of a box with its children.
    fn width(&self, block: &Block) -> f64 {
        let branches = block.branches.iter();
        let below: f64 = branches.map(|branch| self.branch_width(branch) + GAP).sum();
        of_block(block).width.max(below - GAP)
    }

    fn branch_width(&self, branch: &Branch) -> f64 {
        let crossing = self.crosses_to(&branch.block).map(|(_, cross)| &cross.wire);
        let wires = branch.wires.iter().chain(crossing);
        self.width(&branch.block)
            .max(wires.map(|wire| 2.0 * half(wire)).sum())
    }

    fn side(&self, socket: usize) -> Side {
        let is_one_row = self.grid.places.iter().all(|place| place.0 == 0);
        if is_one_row || self.grid.places[socket].0 == 1 {
            Side::Below
        } else {
            Side::Above
        }
    }

    /// The width of the vertical wires in a column, and of the ends of wires with detours, each of which has
    /// its own position so that none overlap.
    fn at_inner_edges(&self, column: usize) -> (f64, f64) {
        let mut upright = 0.0;
        let mut around = 0;
        for link in &self.board.links {
            let ends = link.ends.map(|socket| self.grid.places[socket].1 == column);
            match way(&self.grid, link) {
                Way::Upright if ends[0] => {
                    upright += link.wires.iter().map(|wire| 2.0 * half(wire)).sum::<f64>();
                }
                Way::Around if ends[0] || ends[1] => around += link.wires.len(),
                _ => {}
            }
        }
        (
            upright,
            upright + 2.0 * END * (f64::from(around as u32) / 2.0).ceil() + END,
        )
    }

    /// Computes the positions of the columns of sockets.
    fn columns(&mut self) {
        let columns = self.grid.columns;
        let mut widths = vec![0.0_f64; columns];
        for (index, socket) in self.board.sockets.iter().enumerate() {
            let column = self.grid.places[index].1;
            let (_, inner) = self.at_inner_edges(column);
            let column = &mut widths[column];
            *column = column.max(self.width(socket)).max(inner);
        }
        let mut gaps = vec![BETWEEN_COLUMNS; columns.saturating_sub(1)];
        for link in &self.board.links {
            let [a, b] = link.ends.map(|socket| self.grid.places[socket].1);
            if way(&self.grid, link) == Way::Upright {
                continue;
            }
            for wire in &link.wires {
                let words = of_row(wire.out.as_ref()).max(of_row(wire.back.as_ref()));
                let gap = &mut gaps[a.min(b)];
                *gap = gap.max(words + 44.0);
            }
        }
        let total = widths.iter().sum::<f64>() + gaps.iter().sum::<f64>();
        let margin = MARGIN
            + if self.board.crosses.is_empty() {
                0.0
            } else {
                MARGIN
            };
        let mut title = text_width(&self.board.title, crate::style::TITLE);
        title = title.max(text_width(&self.board.subtitle, crate::style::SUBTITLE));
        // A long title makes a drawing wider, up to a limit.
        let least = NARROWEST.max((title + 2.0 * MARGIN).min(1.3 * NARROWEST));
        self.layout.width = (total + 2.0 * margin).max(least);
        let mut x = (self.layout.width - total) / 2.0;
        for (column, width) in widths.iter().enumerate() {
            self.columns.push((x, x + width));
            x += width + gaps.get(column).copied().unwrap_or(0.0);
        }
    }

    /// Computes the positions of the tiers of a side.
    fn tiers(&self, side: Side) -> Tiers {
        /// The height of each tier, and whether its wires have text.
        type Heights = BTreeMap<usize, (f64, bool)>;
        fn gather(block: &Block, heights: &mut Heights) {
            for branch in &block.branches {
                let (height, has_words) = heights.entry(branch.block.tier).or_default();
                *height = height.max(of_block(&branch.block).height);
                *has_words |= branch.wires.iter().any(|wire| *wire != Wire::default());
                gather(&branch.block, heights);
            }
        }
        let mut heights = Heights::new();
        for (index, socket) in self.board.sockets.iter().enumerate() {
            if self.side(index) == side {
                gather(socket, &mut heights);
            }
        }
        let lanes = PITCH * self.board.crosses.len() as f64;
        let mut tiers = Tiers::default();
        for (tier, (height, has_words)) in heights {
            let gap = if has_words || lanes > 0.0 {
                BETWEEN_TIERS
            } else {
                WORDLESS
            };
            let start = tiers.depth + gap + lanes;
            tiers.depth = start + height;
            tiers.places.insert(tier, (start, tiers.depth));
        }
        tiers
    }

    /// Places the sockets with their links and children; returns their lower end.
    fn sockets(&mut self) -> f64 {
        let heights = self.board.sockets.iter().map(|socket| of_block(socket).height);
        let mut height = heights.fold(0.0, f64::max);
        let mut has_upright = false;
        for link in &self.board.links {
            match way(&self.grid, link) {
                Way::Level => height = height.max(LEVEL * link.wires.len() as f64 + 8.0),
                Way::Upright => has_upright = true,
                Way::Around => {}
            }
        }
        let is_one_row = self.grid.places.iter().all(|place| place.0 == 0);
        let words = if has_upright { BETWEEN_TIERS } else { 24.0 };
        let between = if is_one_row {
            0.0
        } else {
            words + LEVEL * self.lanes.len() as f64 + 10.0
        };
        let top = title_height(&self.board.subtitle) + 10.0 + self.tiers[&Side::Above].depth;
        let rows = [top, top + height + between];
        let mut areas = Vec::new();
        for (index, socket) in self.board.sockets.iter().enumerate() {
            let (row, column) = self.grid.places[index];
            let (left, right) = self.columns[column];
            let (_, inner) = self.at_inner_edges(column);
            let own = self.width(socket).max(inner);
            let middle = f64::midpoint(left, right);
            let area = Area::between(
                at(middle - own / 2.0, rows[row]),
                at(middle + own / 2.0, rows[row] + height),
            );
            areas.push(area);
            self.layout.boxes.push(Placed { block: socket, area });
            self.hang(socket, area, self.side(index), area);
        }
        self.links(&areas, rows[0] + height, words);
        let last = if is_one_row { rows[0] } else { rows[1] };
        last + height + self.tiers[&Side::Below].depth
    }

    /// Places the children of a box in `area`, on a socket in `socket`.
    fn hang(&mut self, block: &'b Block, area: Area, side: Side, socket: Area) {
        for id in &block.ids {
            self.edges.insert(id, (side, block.tier, area));
        }
        let branches = block.branches.iter();
        let widths: Vec<f64> = branches.map(|branch| self.branch_width(branch)).collect();
        let gaps = GAP * widths.len().saturating_sub(1) as f64;
        let spare = (area.width() - widths.iter().sum::<f64>() - gaps) / widths.len().max(1) as f64;
        let mut left = area.left;
        for (branch, width) in block.branches.iter().zip(widths) {
            let right = left + width + spare;
            self.branch(branch, (left, right), area, side, socket);
            left = right + GAP;
        }
    }

    fn branch(
        &mut self,
        branch: &'b Branch,
        (left, right): (f64, f64),
        parent: Area,
        side: Side,
        socket: Area,
    ) {
        let block = &branch.block;
        let Size { width, height } = of_block(block);
        let crossing: Vec<(usize, &Cross)> = self.crosses_to(block).collect();
        let ends = branch.wires.len() + crossing.len();
        let (start, end) = self.tiers[&side].places[&block.tier];
        let has_branches = !block.branches.is_empty();
        let half_width = if has_branches || ends > 1 {
            right - left
        } else {
            width
        } / 2.0;
        let middle = f64::midpoint(left, right);
        // The boxes between sockets and cards form a row of equal height.
        let deep = if has_branches && block.tier < CARDS {
            end - start
        } else {
            height
        };
        let near = side.edge(&socket) + side.away() * start;
        let far = near + side.away() * deep;
        let area = Area::between(
            at(middle - half_width, near.min(far)),
            at(middle + half_width, near.max(far)),
        );
        // Each wire has the width of its text, and an equal part of the remaining space.
        let of_crosses = crossing.iter().map(|(_, cross)| &cross.wire);
        let halves: Vec<f64> = branch.wires.iter().chain(of_crosses).map(half).collect();
        let spare = (right - left - 2.0 * halves.iter().sum::<f64>()) / ends as f64;
        let end_at = |index: usize| {
            let before: f64 = halves[..index].iter().map(|half| 2.0 * half + spare).sum();
            at(left + before + halves[index] + spare / 2.0, near)
        };
        for (index, wire) in branch.wires.iter().enumerate() {
            let end = end_at(index);
            let words = at(end.x, near - side.away() * BETWEEN_TIERS / 2.0);
            self.run(wire, vec![at(end.x, side.edge(&parent)), end], words, false);
        }
        for (index, (cross, _)) in crossing.into_iter().enumerate() {
            let end = end_at(branch.wires.len() + index);
            self.ends.insert(cross, (side, block.tier, end));
        }
        self.layout.boxes.push(Placed { block, area });
        self.hang(block, area, side, socket);
    }

    fn run(&mut self, wire: &'b Wire, path: Vec<At>, words: At, is_level: bool) {
        self.layout.runs.push(Run {
            wire,
            path,
            words,
            is_level,
        });
    }

    /// Places the links between sockets; `upper` is the end of the first row, `words` the space for texts of
    /// vertical wires.
    fn links(&mut self, areas: &[Area], upper: f64, words: f64) {
        for link in &self.board.links {
            let [a, b] = link.ends.map(|socket| areas[socket]);
            match way(&self.grid, link) {
                Way::Level => {
                    let (from, to) = if a.left < b.left {
                        (a.right, b.left)
                    } else {
                        (a.left, b.right)
                    };
                    let first = a.middle().y - LEVEL * (link.wires.len() - 1) as f64 / 2.0;
                    for (index, wire) in link.wires.iter().enumerate() {
                        let y = first + LEVEL * index as f64;
                        let words = at(f64::midpoint(from, to), y);
                        self.run(wire, vec![at(from, y), at(to, y)], words, true);
                    }
                }
                Way::Upright => {
                    let (from, to) = if a.top < b.top {
                        (a.bottom, b.top)
                    } else {
                        (a.top, b.bottom)
                    };
                    let total: f64 = link.wires.iter().map(|wire| 2.0 * half(wire)).sum();
                    let mut x = a.middle().x - total / 2.0;
                    for wire in &link.wires {
                        let half = half(wire);
                        x += half;
                        let words = at(x, upper + words / 2.0);
                        self.run(wire, vec![at(x, from), at(x, to)], words, false);
                        x += half;
                    }
                }
                Way::Around => {}
            }
        }
        self.around(areas, upper + words);
    }

    /// Places the links with detours, below `first`.
    fn around(&mut self, areas: &[Area], first: f64) {
        let mut used = vec![0_usize; self.columns.len()];
        let lanes = std::mem::take(&mut self.lanes);
        for (lane, (link, wire)) in lanes.into_iter().enumerate() {
            let y = first + LEVEL * (lane as f64 + 0.5);
            let mut ends = Vec::new();
            for socket in link.ends {
                let column = self.grid.places[socket].1;
                let (upright, _) = self.at_inner_edges(column);
                let index = used[column];
                used[column] += 1;
                let beside = upright / 2.0 + END * ((index / 2) as f64 + 0.5);
                let sign = if index.is_multiple_of(2) { 1.0 } else { -1.0 };
                let edge = if self.side(socket) == Side::Above {
                    areas[socket].bottom
                } else {
                    areas[socket].top
                };
                ends.push(at(areas[socket].middle().x + sign * beside, edge));
            }
            let column = link.ends.map(|socket| self.grid.places[socket].1);
            let gap = column[0].min(column[1]);
            let middle = f64::midpoint(self.columns[gap].1, self.columns[gap + 1].0);
            let path = vec![ends[0], at(ends[0].x, y), at(ends[1].x, y), ends[1]];
            self.run(wire, path, at(middle, y), true);
        }
    }

    /// Places the cross wires.
    fn crosses(&mut self) {
        for (index, cross) in self.board.crosses.iter().enumerate() {
            let (Some(&(from_side, tier, area)), Some(&(side, _, end))) =
                (self.edges.get(cross.from.as_str()), self.ends.get(&index))
            else {
                continue;
            };
            let shift = PITCH * (index as f64 + 0.5);
            let lanes = PITCH * self.board.crosses.len() as f64;
            // The lane is next to the texts of the wires at its end, on the side of the sockets.
            let lane = |side: Side, near: f64| near - side.away() * (BETWEEN_TIERS + lanes - shift);
            let x = area.right - 8.0 - 8.0 * (index % 4) as f64;
            let start = from_side.edge(&area);
            let last = lane(side, end.y);
            let mut path = vec![at(x, start)];
            if from_side == side {
                path.push(at(x, last));
            } else {
                // Around everything on the board.
                let next = self.tiers[&from_side].places.range(tier + 1..).next();
                let away = next.map_or(BETWEEN_TIERS, |(_, (start, _))| {
                    start - self.tiers[&from_side].places.get(&tier).map_or(0.0, |own| own.1)
                });
                let first = lane(from_side, start + from_side.away() * away);
                let edge = self.columns[0].0 - 8.0 - 6.0 * index as f64;
                path.extend([at(x, first), at(edge, first), at(edge, last)]);
            }
            path.extend([at(end.x, last), end]);
            let words = at(end.x, end.y - side.away() * BETWEEN_TIERS / 2.0);
            self.run(&cross.wire, path, words, false);
        }
    }

    /// Places outside items, the legend and the footer, below `bottom`.
    fn rest(&mut self, bottom: f64) {
        let mut bottom = bottom;
        if !self.board.outside.is_empty() {
            self.layout.outside = Some(bottom + 10.0);
            let (mut x, mut y) = (MARGIN, bottom + 10.0 + HEADING);
            let mut row: f64 = 0.0;
            for block in &self.board.outside {
                let Size { width, height } = of_block(block);
                if x > MARGIN && x + width > self.layout.width - MARGIN {
                    (x, y, row) = (MARGIN, y + row + GAP, 0.0);
                }
                let area = Area::between(at(x, y), at(x + width, y + height));
                self.layout.boxes.push(Placed { block, area });
                x += width + GAP;
                row = row.max(height);
            }
            bottom = y + row;
        }
        self.layout.key = bottom + KEY / 2.0 + 6.0;
        self.layout.footer = bottom + KEY + 14.0;
        if !self.board.footer.is_empty() {
            for line in self.board.footer.lines() {
                let lines = wrapped(line, self.layout.width - 2.0 * MARGIN, SMALL);
                self.layout.footer_lines.extend(lines);
            }
        }
        let footer = FOOTER * self.layout.footer_lines.len() as f64;
        self.layout.height = (bottom + KEY + footer + MARGIN).ceil();
    }
}

//! A server drawn as a board: sockets in one or two rows, their components above and below, wires between
//! them.
//!
//! This module is independent of hardware: a [`Board`] consists of boxes with text, gauges and branches.
//! [`layout`] places them, and [`draw`] draws the layout.

mod arrange;
mod draw;
mod layout;
mod measure;
#[cfg(test)]
mod tests;

use crate::PlotError;
use crate::canvas::Canvas;
use crate::error::at_most;
/// The maximum number of boxes in a drawing.
pub const BOXES_MAX: usize = 4096;

/// The highlight of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tone {
    /// None.
    #[default]
    Plain,
    /// De-emphasised.
    Faint,
    /// By utilisation, from 0 to 1.
    Full(f64),
    /// By the change of utilisation, from -1 to 1.
    Change(f64),
    /// By the share of traffic on the path, from 0 to 1.
    Path(f64),
}

/// The load of one or several equal resources: of a gauge, or of a direction of a wire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// The ids of the resources.
    pub resources: Vec<String>,
    /// The text, such as a rate and a share: one or two words.
    pub words: Vec<String>,
    /// The numbers of its steps on a path, such as `2` or `2, 7`; empty if it has none.
    pub step: String,
    /// The highlight.
    pub tone: Tone,
    /// Whether it is the bottleneck.
    pub is_bottleneck: bool,
    /// The tooltip in a viewer.
    pub title: String,
    /// Attributes for programs: `data-NAME` with their values.
    pub data: Vec<(&'static str, String)>,
}

/// A line in a box, with a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauge {
    /// Its name.
    pub name: String,
    /// Its load.
    pub load: Load,
}

/// One or several equal wires, with two directions. A wire without loads has no capacity: a plain connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wire {
    /// From the first end to the second: away from the sockets.
    pub out: Option<Load>,
    /// From the second end to the first.
    pub back: Option<Load>,
}

/// A box with text and gauges, and its children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Its kind, such as `card`, for programs.
    pub kind: &'static str,
    /// The ids of the parts in it.
    pub ids: Vec<String>,
    /// The frame around the box, such as a slot; none if empty.
    pub frame: String,
    /// Its name, in bold.
    pub name: String,
    /// Further lines of text.
    pub lines: Vec<String>,
    /// Its gauges.
    pub gauges: Vec<Gauge>,
    /// Whether the frame is empty.
    pub is_empty: bool,
    /// The distance from the sockets: 0 for a socket, and more than that of the parent. Boxes of one tier
    /// form a row.
    pub tier: usize,
    /// Its children.
    pub branches: Vec<Branch>,
}

/// A child of a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The wires to it, at least one.
    pub wires: Vec<Wire>,
    /// The child.
    pub block: Block,
}

/// Wires between two sockets.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The two sockets.
    pub ends: [usize; 2],
    /// At least one wire, from the first end to the second.
    pub wires: Vec<Wire>,
}

/// A cross wire, to a box with another parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Cross {
    /// An id of the first box.
    pub from: String,
    /// An id of the second box.
    pub to: String,
    /// The wire.
    pub wire: Wire,
}

/// The meaning of the colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// No colours: labels are capacities.
    Capacities,
    /// Utilisation.
    Full,
    /// Change of utilisation.
    Change,
    /// A path.
    Path,
}

/// A drawing of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// The title at the top, in bold.
    pub title: String,
    /// The text below the title; may be empty.
    pub subtitle: String,
    /// The sockets, at least one.
    pub sockets: Vec<Block>,
    /// The links between sockets: at most one entry per pair.
    pub links: Vec<Link>,
    /// The cross wires.
    pub crosses: Vec<Cross>,
    /// Items outside the board, such as clients.
    pub outside: Vec<Block>,
    /// The meaning of the colours.
    pub key: Key,
    /// The text at the bottom, in one or several lines; may be empty.
    pub footer: String,
}

impl Board {
    pub(crate) fn size(&self) -> (u32, u32) {
        let layout = layout::layout(self);
        (layout.width.ceil() as u32, layout.height.ceil() as u32)
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        draw::draw(canvas, self, &layout::layout(self));
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        if self.sockets.is_empty() {
            return Err(PlotError::Empty("no socket"));
        }
        let count = self.sockets.iter().map(Block::count).sum::<usize>() + self.outside.len();
        at_most(BOXES_MAX, count, "boxes")
    }
}

impl Block {
    /// The number of its boxes, including all children.
    fn count(&self) -> usize {
        1 + self
            .branches
            .iter()
            .map(|branch| branch.block.count())
            .sum::<usize>()
    }
}

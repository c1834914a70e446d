//! A server as on a board: sockets in one row or two, what hangs on them above and below, wires between them.
//!
//! Nothing here knows what a socket is: [`Board`] is boxes with words, gauges and branches. [`layout`] finds
//! places for them, and [`draw`] draws what is placed.

mod arrange;
mod draw;
mod layout;
mod measure;
#[cfg(test)]
mod tests;

use crate::PlotError;
use crate::canvas::Canvas;
use layout::Layout;

/// The most boxes of one drawing.
pub const BOXES_MAX: usize = 4096;

/// How something is highlighted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tone {
    /// It does not.
    Plain,
    /// It steps back behind the rest.
    Faint,
    /// By how full it is, from 0 to 1.
    Full(f64),
    /// By how much fuller it is than before, from -1 to 1.
    Change(f64),
    /// By how much of the way it is, from 0 to 1.
    Path(f64),
}

/// What a drawing says of one or several resources that are equal: of a gauge, or of a direction of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The ids of the resources.
    pub resources: Vec<String>,
    /// What is written, such as a rate and a share: one word or two.
    pub words: Vec<String>,
    /// How it is highlighted.
    pub tone: Tone,
    /// Whether it is what holds everything back.
    pub is_bottleneck: bool,
    /// What a viewer shows under the pointer.
    pub title: String,
    /// More for programs that show the drawing: attributes `data-NAME` with their values.
    pub data: Vec<(&'static str, String)>,
}

/// A line in a box, with a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauge {
    /// What it is of.
    pub name: String,
    /// What is said of it.
    pub load: Load,
}

/// A wire, or several that are equal, with two directions. One without any has no capacity: a plain
/// connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wire {
    /// From the first end to the second: away from the sockets.
    pub out: Option<Load>,
    /// From the second end to the first.
    pub back: Option<Load>,
}

/// A box with words and gauges, and what hangs on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// What kind of thing it is, such as `card`, for programs that show the drawing.
    pub kind: &'static str,
    /// The ids of the parts that it shows.
    pub ids: Vec<String>,
    /// What it sits in, such as a slot: a frame around the box; none if empty.
    pub frame: String,
    /// Its name, in bold.
    pub name: String,
    /// More about it.
    pub lines: Vec<String>,
    /// Its gauges.
    pub gauges: Vec<Gauge>,
    /// Whether there is nothing in the frame.
    pub is_empty: bool,
    /// How far from the sockets it is: 0 for a socket, and more than what it hangs on. Boxes of a tier are in
    /// a row.
    pub tier: usize,
    /// What hangs on it.
    pub branches: Vec<Branch>,
}

/// Something that hangs on a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// What it hangs by, at least one.
    pub wires: Vec<Wire>,
    /// What hangs.
    pub block: Block,
}

/// Wires between two sockets.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Which sockets.
    pub ends: [usize; 2],
    /// At least one wire, from the first end to the second.
    pub wires: Vec<Wire>,
}

/// A wire to a box that hangs elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Cross {
    /// An id of the box where it starts.
    pub from: String,
    /// An id of the box where it ends.
    pub to: String,
    /// The wire.
    pub wire: Wire,
}

/// What the colours mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// There are none: labels are capacities.
    Capacities,
    /// How full things are.
    Full,
    /// How much fuller things are than before.
    Change,
    /// What is on the way of something.
    Path,
}

/// A drawing of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// The sockets, at least one.
    pub sockets: Vec<Block>,
    /// What joins them. Two sockets have at most one entry.
    pub links: Vec<Link>,
    /// Wires to boxes that hang elsewhere.
    pub crosses: Vec<Cross>,
    /// What is not on the board, such as clients.
    pub outside: Vec<Block>,
    /// What the colours mean.
    pub key: Key,
    /// Under everything; may be empty.
    pub footer: String,
}

impl Board {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        let layout = self.layout()?;
        Ok((layout.width.ceil() as u32, layout.height.ceil() as u32))
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        draw::draw(canvas, self, &self.layout()?)
    }

    fn layout(&self) -> Result<Layout<'_>, PlotError> {
        if self.sockets.is_empty() {
            return Err(PlotError::Empty("no socket"));
        }
        let count = self.sockets.iter().map(Block::count).sum::<usize>() + self.outside.len();
        if count > BOXES_MAX {
            return Err(PlotError::TooMuch {
                what: "boxes",
                count,
                limit: BOXES_MAX,
            });
        }
        layout::layout(self)
    }
}

impl Block {
    /// Boxes of it and of all that hangs on it.
    fn count(&self) -> usize {
        1 + self
            .branches
            .iter()
            .map(|branch| branch.block.count())
            .sum::<usize>()
    }
}

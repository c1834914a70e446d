//! Pictures of results, as SVG and PNG.
//!
//! A picture is plain data that can draw itself: [`Bars`], [`PredictedMeasured`], [`Curves`], [`HeatMap`],
//! [`ColouredPoints`], [`Board`]. The caller defines the meaning of the data. This crate reads and writes no
//! files. The font is embedded, so that a picture looks the same everywhere and no system library is needed.
//! Colours are those of Okabe and Ito, and viridis, which are distinguishable with the common kinds of colour
//! blindness; no picture relies on colour alone.
//!
//! The same data always gives the same bytes.
//!
//! ```
//! use bandgraph_plot::{BarGroup, BarMark, BarRow, BarShape, Bars, Picture};
//!
//! let picture = Picture::from(Bars {
//!     title: "7410".to_owned(),
//!     groups: vec![BarGroup {
//!         rows: vec![BarRow {
//!             label: "link.cpu0-cpu1".to_owned(),
//!             note: "3.48 GB/s of 4 GB/s".to_owned(),
//!             marks: vec![BarMark::up_to(BarShape::Solid(0), 0.87)],
//!             ..BarRow::default()
//!         }],
//!         ..BarGroup::default()
//!     }],
//!     ..Bars::default()
//! });
//! assert!(picture.svg()?.contains("link.cpu0-cpu1"));
//! # Ok::<(), bandgraph_plot::PlotError>(())
//! ```

mod axis;
mod bars;
mod board;
mod canvas;
mod colour_bar;
mod coloured_points;
mod curves;
mod ends;
mod error;
mod font;
mod frame;
mod heat_map;
mod labels;
mod palette;
mod panel;
mod picture;
mod predicted_measured;
mod raster;
mod style;
mod svg;

pub use axis::{AxisTitle, Scale};
pub use bars::{BARS_MAX, BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars};
pub use board::{BOXES_MAX, Block, Board, Branch, Cross, Gauge, Key, Link, Load, Tone, Wire};
pub use coloured_points::ColouredPoints;
pub use curves::{CURVES_MAX, Curve, Curves, Knee};
pub use error::PlotError;
pub use heat_map::{Along, COLUMNS_MAX, HeatMap, ROWS_MAX};
pub use picture::{Drawing, Picture, PictureFormat};
pub use predicted_measured::{MeasuredPoint, Panel, PredictedMeasured};

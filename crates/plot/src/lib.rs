//! Pictures of results, as SVG and PNG.
//!
//! A picture is plain data that knows how to draw itself: [`UtilisationBars`], [`PredictedMeasured`],
//! [`ErrorBars`], [`LinkBars`], [`Curves`], [`HeatMap`], [`ColouredPoints`], [`ValueBars`],
//! [`ParameterBars`]. Where the data came from is not this crate's business, and it reads and writes no file.
//! The font is embedded, so a picture looks the same everywhere and no system library is needed. Colours are
//! those of Okabe and Ito, and viridis, which people with the usual kinds of colour blindness can tell apart;
//! no picture relies on colour alone.
//!
//! The same data gives the same bytes, always.
//!
//! ```
//! use bandgraph_plot::{Picture, UtilisationBar, UtilisationBars};
//!
//! let picture = Picture::from(UtilisationBars {
//!     title: "7410".to_owned(),
//!     subtitle: String::new(),
//!     bars: vec![UtilisationBar {
//!         label: "link.cpu0-cpu1".to_owned(),
//!         kind: "HyperTransport".to_owned(),
//!         colour: 0,
//!         utilisation: 0.87,
//!         ceiling: 0.87,
//!         note: "3.48 GB/s of 4 GB/s".to_owned(),
//!         is_bottleneck: true,
//!     }],
//!     footer: String::new(),
//! });
//! assert!(picture.svg()?.contains("link.cpu0-cpu1"));
//! # Ok::<(), bandgraph_plot::PlotError>(())
//! ```

mod axis;
mod board;
mod canvas;
mod colour_bar;
mod coloured_points;
mod curves;
mod ends;
mod error;
mod error_bars;
mod font;
mod frame;
mod heat_map;
mod labels;
mod link_bars;
mod palette;
mod panel;
mod parameter_bars;
mod picture;
mod predicted_measured;
mod raster;
mod rows;
mod style;
mod svg;
mod utilisation;
mod value_bars;

pub use axis::{AxisTitle, Scale};
pub use board::{BOXES_MAX, Block, Board, Branch, Cross, Gauge, Key, Link, Load, Tone, Wire};
pub use coloured_points::ColouredPoints;
pub use curves::{CURVES_MAX, Curve, Curves, Knee};
pub use error::PlotError;
pub use error_bars::{ErrorBar, ErrorBars, ErrorGroup};
pub use heat_map::{Along, COLUMNS_MAX, HeatMap, ROWS_MAX};
pub use link_bars::{LinkBar, LinkBars, LinkGroup};
pub use parameter_bars::{ParameterBar, ParameterBars};
pub use picture::Picture;
pub use predicted_measured::{MeasuredPoint, Panel, PredictedMeasured};
pub use utilisation::{BARS_MAX, UtilisationBar, UtilisationBars};
pub use value_bars::{ValueBar, ValueBars};

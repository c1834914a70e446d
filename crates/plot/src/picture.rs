//! A picture, and the formats it comes in.

use crate::canvas::{Area, Canvas};
use crate::raster::png;
use crate::svg::svg;
use crate::{
    Board, ColouredPoints, Curves, ErrorBars, HeatMap, LinkBars, ParameterBars, PlotError, PredictedMeasured,
    UtilisationBars, ValueBars, palette,
};

/// Pixels of a PNG for each unit of the picture, in each direction, if nothing else is asked for.
const PNG_SCALE: u32 = 2;
/// The most pixels of a PNG: three times as many bytes are in memory while it is made.
const PIXELS_MAX: usize = 100_000_000;
/// Anything that can be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// How much of each resource is used.
    Utilisation(UtilisationBars),
    /// What was predicted against what was measured.
    PredictedMeasured(PredictedMeasured),
    /// Curves over an axis.
    Curves(Curves),
    /// A value for every pair of two things.
    HeatMap(HeatMap),
    /// A sample over two axes.
    ColouredPoints(ColouredPoints),
    /// How far predictions are from measurements.
    Errors(ErrorBars),
    /// What links carried, and what they were predicted to.
    Links(LinkBars),
    /// A value of each of several things.
    Values(ValueBars),
    /// What a fit found.
    Parameters(ParameterBars),
    /// A server.
    Board(Board),
}

impl From<UtilisationBars> for Picture {
    fn from(bars: UtilisationBars) -> Self {
        Self::Utilisation(bars)
    }
}

impl From<PredictedMeasured> for Picture {
    fn from(points: PredictedMeasured) -> Self {
        Self::PredictedMeasured(points)
    }
}

impl From<Curves> for Picture {
    fn from(curves: Curves) -> Self {
        Self::Curves(curves)
    }
}

impl From<HeatMap> for Picture {
    fn from(map: HeatMap) -> Self {
        Self::HeatMap(map)
    }
}

impl From<ColouredPoints> for Picture {
    fn from(points: ColouredPoints) -> Self {
        Self::ColouredPoints(points)
    }
}

impl From<ErrorBars> for Picture {
    fn from(bars: ErrorBars) -> Self {
        Self::Errors(bars)
    }
}

impl From<LinkBars> for Picture {
    fn from(bars: LinkBars) -> Self {
        Self::Links(bars)
    }
}

impl From<ValueBars> for Picture {
    fn from(bars: ValueBars) -> Self {
        Self::Values(bars)
    }
}

impl From<Board> for Picture {
    fn from(board: Board) -> Self {
        Self::Board(board)
    }
}

impl From<ParameterBars> for Picture {
    fn from(bars: ParameterBars) -> Self {
        Self::Parameters(bars)
    }
}

impl Picture {
    /// The picture as an SVG document. Its text is text, in the embedded font where the viewer has it and in
    /// a similar one of the same width where it does not.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn svg(&self) -> Result<String, PlotError> {
        Ok(svg(&self.drawn()?, self.size()?, self.title()))
    }

    /// The picture as a PNG file of twice its size in each direction, for sharp text on any screen.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        self.png_scaled(PNG_SCALE)
    }

    /// The picture as a PNG file of so many times its size in each direction, at least once.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn, or there would be too many pixels.
    pub fn png_scaled(&self, scale: u32) -> Result<Vec<u8>, PlotError> {
        let scale = scale.max(1);
        let (width, height) = self.size()?;
        let size = (width.saturating_mul(scale), height.saturating_mul(scale));
        let count = (size.0 as usize).saturating_mul(size.1 as usize);
        if count > PIXELS_MAX {
            return Err(PlotError::TooMuch {
                what: "pixels",
                count,
                limit: PIXELS_MAX,
            });
        }
        png(&self.drawn()?, (width, height), scale as f32)
    }

    fn drawn(&self) -> Result<Canvas, PlotError> {
        let (width, height) = self.size()?;
        let mut canvas = Canvas::default();
        let all = Area {
            left: 0.0,
            top: 0.0,
            right: f64::from(width),
            bottom: f64::from(height),
        };
        canvas.rectangle(all, palette::PAPER)?;
        self.draw(&mut canvas)?;
        Ok(canvas)
    }

    fn title(&self) -> &str {
        match self {
            Self::Utilisation(bars) => &bars.title,
            Self::PredictedMeasured(points) => &points.title,
            Self::Curves(curves) => &curves.title,
            Self::HeatMap(map) => &map.title,
            Self::ColouredPoints(points) => &points.title,
            Self::Errors(bars) => &bars.title,
            Self::Links(bars) => &bars.title,
            Self::Values(bars) => &bars.title,
            Self::Parameters(bars) => &bars.title,
            Self::Board(board) => &board.title,
        }
    }

    /// Width and height, in units.
    fn size(&self) -> Result<(u32, u32), PlotError> {
        match self {
            Self::Utilisation(bars) => bars.size(),
            Self::PredictedMeasured(points) => points.size(),
            Self::Curves(curves) => curves.size(),
            Self::HeatMap(map) => map.size(),
            Self::ColouredPoints(points) => points.size(),
            Self::Errors(bars) => bars.size(),
            Self::Links(bars) => bars.size(),
            Self::Values(bars) => bars.size(),
            Self::Parameters(bars) => bars.size(),
            Self::Board(board) => board.size(),
        }
    }

    fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        match self {
            Self::Utilisation(bars) => bars.draw(canvas),
            Self::PredictedMeasured(points) => points.draw(canvas),
            Self::Curves(curves) => curves.draw(canvas),
            Self::HeatMap(map) => map.draw(canvas),
            Self::ColouredPoints(points) => points.draw(canvas),
            Self::Errors(bars) => bars.draw(canvas),
            Self::Links(bars) => bars.draw(canvas),
            Self::Values(bars) => bars.draw(canvas),
            Self::Parameters(bars) => bars.draw(canvas),
            Self::Board(board) => board.draw(canvas),
        }
    }
}

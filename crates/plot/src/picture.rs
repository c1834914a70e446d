//! A picture, and the formats it comes in.

use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea, SVGBackend};

use crate::canvas::Canvas;
use crate::{
    ColouredPoints, Curves, ErrorBars, HeatMap, LinkBars, PlotError, PredictedMeasured, UtilisationBars,
    palette,
};

/// Pixels of a PNG for each unit of the picture, in each direction.
const PNG_SCALE: u32 = 2;
/// How much lower than asked text has to be drawn, over its size. The SVG backend puts the middle of small letters at
/// the place; the bitmap backend something higher.
const SVG_DROP: f64 = 0.04;
const PNG_DROP: f64 = 0.12;

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

impl Picture {
    /// The picture as an SVG document. Text stays text.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut text = String::new();
        let size = self.size()?;
        self.draw(&Canvas::new(
            SVGBackend::with_string(&mut text, size).into_drawing_area(),
            1.0,
            SVG_DROP,
        ))?;
        Ok(text)
    }

    /// The picture as a PNG file of twice its size in each direction, for sharp text on any screen.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        let (width, height) = self.size()?;
        let size = (width * PNG_SCALE, height * PNG_SCALE);
        let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
        {
            let backend = BitMapBackend::with_buffer(&mut pixels, size);
            self.draw(&Canvas::new(
                backend.into_drawing_area(),
                f64::from(PNG_SCALE),
                PNG_DROP,
            ))?;
        }
        encode(&pixels, size).map_err(|error| PlotError::Drawing(error.to_string()))
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
        }
    }

    fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Result<(), PlotError> {
        canvas.fill(palette::PAPER)?;
        match self {
            Self::Utilisation(bars) => bars.draw(canvas)?,
            Self::PredictedMeasured(points) => points.draw(canvas)?,
            Self::Curves(curves) => curves.draw(canvas)?,
            Self::HeatMap(map) => map.draw(canvas)?,
            Self::ColouredPoints(points) => points.draw(canvas)?,
            Self::Errors(bars) => bars.draw(canvas)?,
            Self::Links(bars) => bars.draw(canvas)?,
        }
        canvas.finish()
    }
}

/// Red, green and blue, row by row, as a PNG file.
fn encode(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

//! The font: `DejaVu Sans`, embedded, so that text can be measured and drawn without asking the system.

use std::sync::OnceLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

use crate::PlotError;

/// What an SVG asks its viewer for: the font that text was measured with, then others of about its width.
const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Regular or bold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// For most text.
    Regular,
    /// For titles, and for what is to be seen first.
    Bold,
}

/// The font at a size in pixels.
///
/// # Errors
///
/// [`PlotError::Font`].
pub(crate) fn font(size: f64, weight: Weight) -> Result<FontDesc<'static>, PlotError> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = REGISTERED.get_or_init(|| {
        let register = |style, bytes| register_font(FAMILY, style, bytes).is_ok();
        register(FontStyle::Normal, dejavu::sans::regular())
            && register(FontStyle::Bold, dejavu::sans::bold())
    });
    if !registered {
        return Err(PlotError::Font);
    }
    let style = match weight {
        Weight::Regular => FontStyle::Normal,
        Weight::Bold => FontStyle::Bold,
    };
    Ok(FontDesc::new(FontFamily::Name(FAMILY), size, style))
}

/// How wide `text` is at a size, in the same pixels.
///
/// # Errors
///
/// [`PlotError::Font`].
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> Result<f64, PlotError> {
    // Measured large, so that rounding to whole pixels does not matter.
    const MEASURE: f64 = 100.0;
    let (width, _) = font(MEASURE, weight)?
        .box_size(text)
        .map_err(|_| PlotError::Font)?;
    Ok(f64::from(width) / MEASURE * size)
}

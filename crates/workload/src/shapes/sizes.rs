//! Sizes of operations with their weights, such as `"4 KiB=3, 64 KiB=1"`.

use bandgraph_config::{FieldType, Read, Shape};

use super::text::TextShape;
use crate::Sizes;

static SIZES: TextShape<Sizes> = TextShape {
    parse: |text| text.parse().map_err(|error: crate::SizesError| error.to_string()),
    id: "scenario::sizes",
    help: "write sizes with their weights, as \"4 KiB=3, 64 KiB=1\"",
};

impl FieldType for Sizes {
    const SHAPE: Shape = Shape::Custom(&SIZES);

    fn from_read(read: &Read) -> Option<Self> {
        read.custom().cloned()
    }

    fn placeholder() -> Self {
        Self::one(1).expect("one byte is a size")
    }
}

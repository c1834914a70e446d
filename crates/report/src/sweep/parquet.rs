//! Results as Parquet: the columns of the CSV, each with its type, for data frames and databases.
//!
//! The file says in its metadata which sweep it is of (`bandgraph.sweep`, `bandgraph.sweep_hash`). The same
//! rows are the same bytes.

use std::io::Write;
use std::sync::Arc;

use bandgraph_scenario::SweepFile;
use bandgraph_study::{Point, Record};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde_json::Value;

use super::row::{CellType, cells, typed_columns};
use crate::VERSION;

/// Rows that are written at once: enough for columns to be worth their while, few enough for any memory.
const ROWS_OF_GROUP: usize = 8192;

/// Results as they are written, a group of rows at a time.
pub(super) struct SweepParquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    types: Vec<CellType>,
    rows: Vec<Vec<Value>>,
}

impl<W: Write + Send> SweepParquet<W> {
    /// A file of the results of a sweep, without rows yet.
    ///
    /// # Errors
    ///
    /// What writing says.
    pub(super) fn new(target: W, sweep: &SweepFile) -> Result<Self, ParquetError> {
        let columns = typed_columns(sweep);
        let fields = columns.iter().map(|(name, kind)| {
            let (physical, logical) = match kind {
                CellType::Count => (Physical::INT64, None),
                CellType::Number => (Physical::DOUBLE, None),
                CellType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                CellType::Flag => (Physical::BOOLEAN, None),
            };
            // Every point has a number and an input.
            let always = matches!(name.as_str(), "point" | "input_hash");
            let repetition = if always {
                Repetition::REQUIRED
            } else {
                Repetition::OPTIONAL
            };
            let field = Type::primitive_type_builder(name, physical)
                .with_repetition(repetition)
                .with_logical_type(logical);
            Ok(Arc::new(field.build()?))
        });
        let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
        let schema = Type::group_type_builder("points").with_fields(fields).build()?;
        let entry = |key: &str, value: &str| KeyValue::new(format!("bandgraph.{key}"), value.to_owned());
        let properties = WriterProperties::builder()
            .set_created_by(format!("bandgraph {VERSION}"))
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![
                entry("sweep", &sweep.name),
                entry("sweep_hash", &sweep.sweep_hash),
            ]));
        Ok(Self {
            writer: SerializedFileWriter::new(target, Arc::new(schema), Arc::new(properties.build()))?,
            types: columns.into_iter().map(|(_, kind)| kind).collect(),
            rows: Vec::new(),
        })
    }

    /// Adds the row of one point.
    ///
    /// # Errors
    ///
    /// What writing says.
    pub(super) fn push(
        &mut self,
        sweep: &SweepFile,
        point: &Point,
        record: &Record,
    ) -> Result<(), ParquetError> {
        self.rows.push(cells(sweep, point, record));
        if self.rows.len() == ROWS_OF_GROUP {
            self.write_group()
        } else {
            Ok(())
        }
    }

    /// Ends the file, and returns what it was written to.
    ///
    /// # Errors
    ///
    /// What writing says.
    pub(super) fn finish(mut self) -> Result<W, ParquetError> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        self.writer.into_inner()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.writer.next_row_group()?;
        for (column, kind) in self.types.iter().enumerate() {
            let cells = || rows.iter().map(|row| &row[column]);
            match kind {
                CellType::Count => write_column::<Int64Type, W>(&mut group, cells().map(Value::as_i64))?,
                CellType::Number => write_column::<DoubleType, W>(&mut group, cells().map(Value::as_f64))?,
                CellType::Flag => write_column::<BoolType, W>(&mut group, cells().map(Value::as_bool))?,
                CellType::Text => {
                    let texts = cells().map(|cell| cell.as_str().map(ByteArray::from));
                    write_column::<ByteArrayType, W>(&mut group, texts)?;
                }
            }
        }
        group.close()?;
        Ok(())
    }
}

/// Writes the next column of a group: what is there, and of every row whether it is.
fn write_column<D: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: impl Iterator<Item = Option<D::T>>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<D::T>> = cells.collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<D::T> = cells.into_iter().flatten().collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<D>().write_batch(&values, Some(&levels), None)?;
        column.close()?;
    }
    Ok(())
}

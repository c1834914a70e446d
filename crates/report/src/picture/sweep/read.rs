//! Rows of a sweep from what it has written: its document, CSV, JSON lines or Parquet.

use std::fmt;

use bandgraph_scenario::Metric;
use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::SweepTable;
use crate::origin::Origin;
use crate::picture::{PictureError, not_a_result};
use crate::sweep::{SweepDocument, SweepPointDocument};

/// The columns of rows, and the cells of each.
type Rows = (Vec<String>, Vec<Vec<Value>>);

impl SweepTable {
    /// A table of rows, for a picture of `metric`, or else of the first metric that is not zero everywhere.
    fn of_rows((columns, rows): Rows, name: &str, metric: Option<Metric>) -> Result<Self, PictureError> {
        let metrics = || {
            let columns = columns.iter().enumerate();
            columns.filter_map(|(column, name)| Some((column, Metric::from_name(name)?)))
        };
        let is_there = |column: usize| {
            let mut cells = rows.iter().filter_map(|row| row.get(column)?.as_f64());
            cells.any(|figure| figure != 0.0)
        };
        let telling = metrics().find(|(column, _)| is_there(*column));
        let first = telling.or_else(|| metrics().next()).map(|(_, metric)| metric);
        let metric = metric
            .or(first)
            .ok_or_else(|| not_a_result("it has no column of a metric"))?;
        let mut table = Self::of_columns(&columns, name, metric)?;
        if let Some(first) = rows.first() {
            let mut fields: Map<String, Value> = columns.into_iter().zip(first.clone()).collect();
            // Every point has its own.
            fields.remove("input_hash");
            table.origin = Origin::new(fields.into()).line();
        }
        for row in &rows {
            table.push(row, None);
        }
        Ok(table)
    }

    /// The points that the document of a sweep lists, for a picture of `metric` or else of its own.
    pub(in crate::picture) fn of_document(
        document: &SweepDocument,
        metric: Option<Metric>,
    ) -> Result<Self, PictureError> {
        if document.count > document.points.len() as u64 {
            return Err(PictureError::Missing(format!(
                "the document of a sweep of {} points does not list them; its CSV does",
                document.count
            )));
        }
        // As rows of CSV, which begin with the number of the point.
        let columns = std::iter::once("point").chain(document.columns.iter().map(String::as_str));
        let row = |point: &SweepPointDocument| {
            let cells = document.columns.iter();
            let cells = cells.map(|column| point.row.get(column).cloned().unwrap_or_default());
            std::iter::once(Value::from(point.point)).chain(cells).collect()
        };
        let rows = (
            columns.map(str::to_owned).collect(),
            document.points.iter().map(row).collect(),
        );
        let metric = metric.or_else(|| Metric::from_name(&document.metric));
        Self::of_rows(rows, &document.sweep, metric)
    }

    /// Reads the JSON lines of a sweep.
    pub(in crate::picture) fn read_json_lines(
        text: &str,
        name: &str,
        metric: Option<Metric>,
    ) -> Result<Self, PictureError> {
        let mut columns = Vec::new();
        let mut rows = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Fields(fields) = serde_json::from_str(line).map_err(not_a_result)?;
            let (names, values): (Vec<String>, Vec<Value>) = fields.into_iter().unzip();
            if columns.is_empty() {
                columns = names;
            }
            rows.push(values);
        }
        Self::of_rows((columns, rows), name, metric)
    }

    /// Reads the CSV of a sweep.
    pub(in crate::picture) fn read_csv(
        text: &str,
        name: &str,
        metric: Option<Metric>,
    ) -> Result<Self, PictureError> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(not_a_result)?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for row in reader.records() {
            let cell = |cell: &str| match cell.parse::<f64>() {
                Ok(number) if number.is_finite() => Value::from(number),
                _ if cell.is_empty() => Value::Null,
                _ => Value::from(cell),
            };
            rows.push(row.map_err(not_a_result)?.iter().map(cell).collect());
        }
        Self::of_rows((columns, rows), name, metric)
    }

    /// Reads the Parquet of a sweep.
    pub(in crate::picture) fn read_parquet(
        file: &[u8],
        name: &str,
        metric: Option<Metric>,
    ) -> Result<Self, PictureError> {
        let reader = SerializedFileReader::new(Bytes::copy_from_slice(file)).map_err(not_a_result)?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let columns: Vec<String> = schema
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect();
        let mut rows = Vec::new();
        for row in reader.get_row_iter(None).map_err(not_a_result)? {
            let row = row.map_err(not_a_result)?;
            rows.push(row.get_column_iter().map(|(_, field)| cell(field)).collect());
        }
        Self::of_rows((columns, rows), name, metric)
    }
}

/// A cell as it is in JSON.
fn cell(field: &Field) -> Value {
    match field {
        Field::Long(number) => Value::from(*number),
        Field::Double(number) => Value::from(*number),
        Field::Str(text) => Value::from(text.as_str()),
        Field::Bool(answer) => Value::from(*answer),
        _ => Value::Null,
    }
}

/// The fields of a JSON object in the order in which they stand.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the row of a point")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

//! Calibration files: the fitted parameters, their bounds, and the measurements.

use bandgraph_config::{
    Decoded, Decoder, DiskFiles, FieldValue, Files, Node, Reader, Set, Shape, Value, input_hash, normal,
};
use bandgraph_model::Stack;
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Place, Severity, Sources, did_you_mean, there_are};
use bandgraph_units::QuantityKind;

use crate::descriptor::CALIBRATION;
use crate::load::{Document, FileKind, document};
use crate::{Loaded, load_with};

/// A loaded calibration.
#[derive(Clone, Debug)]
pub struct CalibrationFile {
    /// Its name in reports.
    pub name: String,
    /// The description; empty if the file has none.
    pub description: String,
    /// The file, as named by the caller.
    pub path: PathBuf,
    /// The stack profile whose figures are fitted.
    pub profile: String,
    /// BLAKE3, in hexadecimal, of the calibration and of the scenarios of its data.
    pub input_hash: String,
    /// The parameters, in file order. At least one.
    pub parameters: Vec<Parameter>,
    /// The measurements, in file order. At least one.
    pub data: Vec<CalibrationData>,
    /// Problems that do not prevent its use.
    pub warnings: Vec<Diagnostic>,
}

/// A parameter of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The field, as a path for `--set`, or a share of the stack by its number.
    pub path: String,
    /// The minimum, in `unit`.
    pub low: f64,
    /// The maximum, in `unit`.
    pub high: f64,
    /// The start value, in `unit`.
    pub start: f64,
    /// The unit in the file; `None` for plain numbers.
    pub unit: Option<String>,
    /// The stack profiles that have it; all if empty.
    pub profiles: Vec<String>,
    /// The source of the bounds.
    pub source: String,
}

impl Parameter {
    /// The field of the stack, if it is one.
    pub fn stack_field(&self) -> Option<&str> {
        self.path.strip_prefix("stack.")
    }

    /// Whether scenarios with this stack profile have it.
    pub fn is_of(&self, profile: &str) -> bool {
        self.profiles.is_empty() || self.profiles.iter().any(|one| one == profile)
    }

    /// A value as an argument of `--set`: `path=12.5 ns`. Amounts of data are rounded to whole bytes, which
    /// files require.
    pub fn set(&self, value: f64) -> String {
        let Some(unit) = &self.unit else {
            return format!("{}={value}", self.path);
        };
        match QuantityKind::Bytes.parse(&format!("1 {unit}")) {
            Ok(size) => format!("{}={} B", self.path, (value * size).round()),
            Err(_) => format!("{}={value} {unit}", self.path),
        }
    }
}

/// Measurements of one scenario.
#[derive(Clone, Debug)]
pub struct CalibrationData {
    /// The scenario, with only the measurements used in the fit.
    pub loaded: Loaded,
    /// Relative uncertainty of each measurement.
    pub uncertainty: f64,
}

/// Loads a calibration with the scenarios that it names.
///
/// # Errors
///
/// Every problem of all files, in the order of their places in `sources`; at least one is an error.
pub fn load_calibration(path: &Path, sources: &mut Sources) -> Result<CalibrationFile, Vec<Diagnostic>> {
    load_calibration_with(&DiskFiles, path, sources)
}

/// [`load_calibration`] with another source of files.
///
/// # Errors
///
/// As [`load_calibration`].
pub fn load_calibration_with(
    files: &dyn Files,
    path: &Path,
    sources: &mut Sources,
) -> Result<CalibrationFile, Vec<Diagnostic>> {
    let mut loader = Reader::new(files, sources);
    let document = document(&mut loader, path, None, Some(FileKind::Calibration));
    let file = document.and_then(|document| read(&mut loader, files, &document, path));
    let problems = loader.problems;
    match file {
        Some(mut file) if !problems.has_errors() => {
            file.warnings = problems.into_sorted();
            Ok(file)
        }
        _ => Err(problems.into_sorted()),
    }
}

/// All problems of a calibration file that has been read.
pub(crate) fn check_calibration(
    loader: &mut Reader<'_>,
    files: &dyn Files,
    document: &Document,
    path: &Path,
) {
    read(loader, files, document, path);
}

fn read(
    loader: &mut Reader<'_>,
    files: &dyn Files,
    document: &Document,
    path: &Path,
) -> Option<CalibrationFile> {
    let mut decoder = Decoder::new(loader.sources, &mut loader.problems);
    let decoded = decoder.table(&CALIBRATION, &document.table, &document.place);
    let profile = decoded.text("profile").and_then(Stack::named);
    let entries = decoded.entries("parameter").iter().filter(|entry| entry.sound);
    let (places, parameters): (Vec<Place>, Vec<Parameter>) = entries
        .filter_map(|entry| {
            Some((
                entry.place_of("path"),
                parameter(entry, profile.as_ref(), loader)?,
            ))
        })
        .unzip();
    let entries = decoded.entries("data").iter().filter(|entry| entry.sound);
    let data: Vec<CalibrationData> = entries.filter_map(|entry| data(entry, files, loader)).collect();
    for (place, parameter) in places.into_iter().zip(&parameters) {
        can_be_set(parameter, &place, profile.as_ref(), (files, &data), loader);
    }
    for (field, word) in [("parameter", "fits something"), ("data", "fits to something")] {
        if decoded.fields.contains_key(field) && decoded.entries(field).is_empty() {
            loader.problems.push(
                Diagnostic::error("calibration::nothing", format!("a calibration {word}"))
                    .at(decoded.place_of(field)),
            );
        }
    }
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(b"bandgraph calibration 1\n")
        .update(input_hash(&document.table).as_bytes());
    for data in &data {
        hasher.update(data.loaded.input_hash.as_bytes());
    }
    Some(CalibrationFile {
        name: decoded.text_or_empty("name"),
        description: decoded.text_or_empty("description"),
        path: path.to_owned(),
        profile: profile?.name,
        input_hash: hasher.finalize().to_hex().to_string(),
        parameters,
        data,
        warnings: Vec::new(),
    })
}

/// Reports a field outside the stack that the first scenario with it does not take.
fn can_be_set(
    parameter: &Parameter,
    place: &Place,
    profile: Option<&Stack>,
    (files, data): (&dyn Files, &[CalibrationData]),
    loader: &mut Reader<'_>,
) {
    let is_of = |data: &&CalibrationData| parameter.is_of(&data.loaded.scenario.stack.name);
    let first = data.iter().find(is_of);
    let Some(first) = first.filter(|_| parameter.stack_field().is_none()) else {
        return;
    };
    let set = parameter.set(parameter.start);
    // Places of the override are left out: no one wrote it.
    let errors = load_with(files, &first.loaded.path, &[set], &mut Sources::new()).err();
    let error = errors
        .into_iter()
        .flatten()
        .find(|error| error.severity == Severity::Error);
    let is_of_stack =
        profile.is_some_and(|profile| matches!(stack_field(&parameter.path, profile), StackField::Value(_)));
    let meant = is_of_stack.then(|| format!("did you mean `stack.{}`?", parameter.path));
    loader.problems.extend(error.map(|error| Diagnostic {
        help: meant.map_or(error.help, |meant| vec![meant]),
        ..Diagnostic::error(error.id, error.message).at(place.clone())
    }));
}

fn parameter(entry: &Decoded, profile: Option<&Stack>, loader: &mut Reader<'_>) -> Option<Parameter> {
    let path = entry.text("path")?.to_owned();
    let place = entry.place_of("path");
    let own = if let Some(field) = path.strip_prefix("stack.") {
        match stack_field(field, profile?) {
            StackField::Value(value) => Some(value),
            StackField::Share => None,
            StackField::NotANumber => {
                report_not_a_number(field, &place, loader);
                return None;
            }
        }
    } else {
        // Whether the field exists is checked with the first scenario that has it.
        Set::parse_at(&format!("{path}=0"), &place, &mut loader.problems)?;
        None
    };
    let (low, unit) = bound(entry, "low", loader)?;
    let (high, unit_of_high) = bound(entry, "high", loader)?;
    let start = if entry.fields.contains_key("start") {
        Some(bound(entry, "start", loader)?)
    } else {
        None
    };
    let units_agree = unit == unit_of_high && start.as_ref().is_none_or(|(_, of_start)| *of_start == unit);
    let start = start
        .map(|(value, _)| value)
        .or(own)
        .unwrap_or(f64::midpoint(low, high));
    let sound = low < high && (low..=high).contains(&start) && units_agree;
    if !sound {
        let message = if !units_agree {
            "`low`, `high` and `start` are not in the same unit".to_owned()
        } else if low >= high {
            format!("`low`, {low}, is not below `high`, {high}")
        } else {
            format!("the start, {start}, is not between {low} and {high}")
        };
        loader
            .problems
            .push(Diagnostic::error("calibration::bad_range", message).at(entry.place_of("low")));
        return None;
    }
    Some(Parameter {
        path,
        low,
        high,
        start,
        unit,
        profiles: entry
            .names("profiles")
            .iter()
            .map(|name| name.text.clone())
            .collect(),
        source: entry.text_or_empty("source"),
    })
}

/// The kind of a field of the stack.
enum StackField {
    /// A number, with its value in the profile.
    Value(f64),
    /// One of several shares, which profiles do not contain.
    Share,
    /// A field that cannot be fitted.
    NotANumber,
}

fn stack_field(field: &str, profile: &Stack) -> StackField {
    let known = |name: &str| Stack::KIND.fields().find(|known| known.name == name);
    if let Some((shares, number)) = field.split_once('.') {
        let one_of_them =
            shares.ends_with("_shares") && known(shares).is_some() && number.parse::<usize>().is_ok();
        return if one_of_them {
            StackField::Share
        } else {
            StackField::NotANumber
        };
    }
    match profile.get(field) {
        Some(FieldValue::Number(value)) => StackField::Value(value),
        _ => StackField::NotANumber,
    }
}

fn report_not_a_number(field: &str, place: &Place, loader: &mut Reader<'_>) {
    let known = || {
        Stack::KIND
            .fields()
            .filter(|known| matches!(known.shape, Shape::Number))
            .map(|known| known.name)
    };
    let help = did_you_mean(field, known()).unwrap_or_else(|| there_are(known()));
    loader.problems.push(
        Diagnostic::error(
            "calibration::not_a_number",
            format!("the stack has no number called `{field}` that could be fitted"),
        )
        .at(place.clone())
        .help(help),
    );
}

/// A bound: a number, or a text with a number and a unit.
fn bound(entry: &Decoded, name: &str, loader: &mut Reader<'_>) -> Option<(f64, Option<String>)> {
    let node: &Node = entry.value(name)?;
    let read = match &node.value {
        Value::Integer(number) => Some((*number as f64, None)),
        Value::Float(number) => Some((*number, None)),
        Value::Text(text) => with_unit(text),
        _ => None,
    };
    let read = read.filter(|(number, _)| number.is_finite());
    if read.is_none() {
        loader.problems.push(
            Diagnostic::error(
                "calibration::bad_range",
                format!("`{name}` is a number, or a text with a number and a unit"),
            )
            .at(node.place.clone()),
        );
    }
    read
}

fn with_unit(text: &str) -> Option<(f64, Option<String>)> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '.' | '-' | '+')))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    Some((number.parse().ok()?, (!unit.is_empty()).then(|| unit.to_owned())))
}

fn data(entry: &Decoded, files: &dyn Files, loader: &mut Reader<'_>) -> Option<CalibrationData> {
    let place = entry.place_of("scenario");
    let folder = Path::new(loader.sources.name(place.source))
        .parent()
        .unwrap_or(Path::new(""))
        .to_owned();
    let path = normal(&folder.join(entry.text("scenario")?));
    let mut loaded = match load_with(files, &path, &[], loader.sources) {
        Ok(loaded) => loaded,
        Err(diagnostics) => {
            loader.problems.extend(diagnostics.into_iter().map(|diagnostic| {
                // A missing file has no place of its own.
                if diagnostic.primary.is_none() {
                    diagnostic.at(place.clone())
                } else {
                    diagnostic
                }
            }));
            return None;
        }
    };
    let wanted = entry.names("measured");
    for name in wanted {
        if !loaded.measured.iter().any(|row| row.id == name.text) {
            let known = || loaded.measured.iter().map(|row| row.id.as_str());
            let help = did_you_mean(&name.text, known());
            loader.problems.push(
                Diagnostic::error(
                    "calibration::unknown_point",
                    format!("the scenario has no measurement `{}`", name.text),
                )
                .at(name.place.clone())
                .help_if(help),
            );
        }
    }
    if entry.fields.contains_key("measured") {
        loaded
            .measured
            .retain(|row| wanted.iter().any(|name| name.text == row.id));
    }
    if entry.flag("links") != Some(true) {
        loaded.measured_links.clear();
    }
    if loaded.measured.is_empty() && loaded.measured_links.is_empty() && wanted.is_empty() {
        loader.problems.push(
            Diagnostic::error(
                "calibration::nothing",
                "the scenario has nothing that was measured".to_owned(),
            )
            .at(place),
        );
        return None;
    }
    Some(CalibrationData {
        loaded,
        uncertainty: entry.amount("uncertainty")?,
    })
}

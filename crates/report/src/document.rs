//! Documents as what every format walks over: their figures and their texts as flat lists.
//!
//! A figure is stated once, as a field of a document. Its name here is the way to it: `latency.mean_s` of
//! a run is `latency_mean_s` of `run`. An object with an `id` is a subject of its own. Names have lower-case
//! letters, digits and `_`, and a `.` between the metric of a measurement and what is said of it.

use bandgraph_units::QuantityKind;
use ciborium::Value;
use serde::{Serialize, Serializer};

/// One number of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is of: the id of a resource, socket or workload; `run` for the whole.
    pub subject: String,
    /// What kind of thing that is: `run`, the kind of a resource, or the list that it is in, such as
    /// `socket`.
    pub kind: String,
    /// What the number says, with the names of the JSON.
    pub metric: String,
    /// The number, in `unit`.
    pub value: f64,
    /// Its unit; `1` for shares, ratios and counts.
    pub unit: String,
}

/// One text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As [`Figure::subject`].
    pub(crate) subject: String,
    /// As [`Figure::kind`].
    pub(crate) kind: String,
    /// As [`Figure::metric`].
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
}

/// A number that is not finite: a defect of the model, never of its input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{metric} of {subject} is {value}, not a finite number")]
pub struct NotFinite {
    /// What the number is of.
    pub subject: String,
    /// What the number says.
    pub metric: String,
    /// The number: an infinity or not a number.
    pub value: f64,
}

/// Every number of a document, in its order. What a run was over time is left out.
pub fn figures(document: &impl Serialize) -> Vec<Figure> {
    Document::new(document).figures()
}

/// A document whose numbers can all be reported: JSON has no way to say infinity.
///
/// # Errors
///
/// The first number that is not finite.
pub fn check(document: &impl Serialize) -> Result<Document, NotFinite> {
    let document = Document::new(document);
    if is_finite(&document.0) {
        return Ok(document);
    }
    // Only now is it worth to say what each number is of.
    match document
        .figures()
        .into_iter()
        .find(|figure| !figure.value.is_finite())
    {
        None => Ok(document),
        Some(figure) => Err(NotFinite {
            subject: figure.subject,
            metric: figure.metric,
            value: figure.value,
        }),
    }
}

/// A document as the one value from which every format is made, with its fields in their order: so the types
/// of documents are compiled for one serializer.
#[derive(Clone, Debug, PartialEq)]
pub struct Document(Value);

impl Document {
    pub(crate) fn new(document: &impl Serialize) -> Self {
        let value = Value::serialized(document);
        Self(value.expect("documents are structs of strings, numbers and lists"))
    }

    /// Indented JSON with a line end. Numbers are the shortest that read back as the same number.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("strings, numbers and lists");
        text.push('\n');
        text
    }

    /// JSON on one line, without a line end.
    pub(crate) fn compact(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and lists")
    }

    /// A JSON value, without the order of the fields.
    pub(crate) fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("strings, numbers and lists")
    }

    /// Every number, in its order. What a run was over time is left out.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        Walk::through(&self.0).figures
    }

    /// Every number, and every text, in its order.
    pub(crate) fn parts(&self) -> (Vec<Figure>, Vec<Word>) {
        let walk = Walk::through(&self.0);
        (walk.figures, walk.words)
    }

    /// The fields, in their order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        let fields = self.0.as_map().into_iter().flatten();
        fields.map(|(name, value)| (name.as_text().unwrap_or_default(), value))
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Part(&self.0).serialize(serializer)
    }
}

/// A part of a document. That of `ciborium` itself writes some numbers of 64 bits as such of 32.
struct Part<'a>(&'a Value);

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Part)),
            Value::Map(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (Part(name), Part(value))))
            }
            value => value.serialize(serializer),
        }
    }
}

fn is_finite(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::Array(items) => items.iter().all(is_finite),
        Value::Map(fields) => fields.iter().all(|(_, field)| is_finite(field)),
        _ => true,
    }
}

/// Fields whose content is said of what they are in, as if they were not there.
const TRANSPARENT: [&str; 5] = ["throughput", "simulated", "difference", "step", "row"];
/// Fields of the document itself that begin a kind of figures of their own.
const KINDS: [&str; 4] = ["power", "interval", "replay", "summary"];
/// Fields that say what a document is, what is too long to be listed, what is for drawings, and what repeats
/// some points of a list.
const SKIPPED: [&str; 11] = [
    "schema",
    "bandgraph",
    "seed",
    "timeline",
    "histogram",
    "server",
    "paths",
    "drawings",
    "columns",
    "greatest",
    "least",
];
/// Fields that tell the items of a list apart, where they have no id.
const LABELS: [&str; 8] = [
    "name",
    "field",
    "run",
    "link",
    "metric",
    "cause",
    "operation",
    "kind",
];

/// A walk over a document.
#[derive(Default)]
struct Walk {
    figures: Vec<Figure>,
    words: Vec<Word>,
}

/// What a part of a document is about.
#[derive(Clone)]
struct Place {
    subject: String,
    kind: String,
    /// What precedes the names of fields.
    prefix: String,
    /// The unit of figures whose names do not say it.
    unit: Option<String>,
    /// Whether this is the document itself.
    is_root: bool,
}

impl Walk {
    fn through(value: &Value) -> Self {
        let mut walk = Self::default();
        let root = Place {
            subject: "run".to_owned(),
            kind: "run".to_owned(),
            prefix: String::new(),
            unit: None,
            is_root: true,
        };
        walk.fields(value, &root);
        walk
    }

    /// The fields of an object.
    fn fields(&mut self, object: &Value, place: &Place) {
        let unit = text_of(object, "unit")
            .map(str::to_owned)
            .or_else(|| place.unit.clone());
        let place = Place {
            unit,
            ..place.clone()
        };
        for (key, value) in object.as_map().into_iter().flatten() {
            let name = key.as_text().unwrap_or_default();
            // The number of a point says where it is in a list, not what it is.
            if !(place.is_root && SKIPPED.contains(&name) || name == "point") {
                self.value(name, value, &place);
            }
        }
    }

    /// A field or an item.
    fn value(&mut self, name: &str, value: &Value, place: &Place) {
        match value {
            Value::Integer(number) => self.figure(name, i128::from(*number) as f64, place),
            Value::Float(number) => self.figure(name, *number, place),
            Value::Text(text) => self.words.push(Word {
                subject: place.subject.clone(),
                kind: place.kind.clone(),
                name: format!("{}{name}", place.prefix),
                text: text.clone(),
            }),
            Value::Bool(answer) => self.value(name, &Value::Text(answer.to_string()), place),
            Value::Array(items) => self.list(name, items, place),
            Value::Map(_) => {
                let within = object_place(name, value, place);
                self.fields(value, &within);
            }
            _ => {}
        }
    }

    fn figure(&mut self, name: &str, value: f64, place: &Place) {
        self.figures.push(Figure {
            subject: place.subject.clone(),
            kind: place.kind.clone(),
            metric: format!("{}{name}", place.prefix),
            value,
            unit: unit_of(name, place),
        });
    }

    fn list(&mut self, name: &str, items: &[Value], place: &Place) {
        if let [low @ Value::Float(_), high @ Value::Float(_)] = items {
            // An interval.
            let ends = Place {
                unit: Some(unit_of(name, place)),
                prefix: format!("{}{name}_", place.prefix),
                ..place.clone()
            };
            self.value("low", low, &ends);
            self.value("high", high, &ends);
            return;
        }
        for (index, item) in items.iter().enumerate() {
            if item.is_map() {
                let within = item_place(name, index, item, place);
                self.fields(item, &within);
            } else {
                let numbered = format!("{name}_{}", index + 1);
                self.value(&numbered, item, place);
            }
        }
    }
}

impl Place {
    /// A subject within this one: with its name in front, unless this is the whole.
    fn within(&self, subject: &str, kind: String) -> Self {
        Self {
            subject: if self.subject == "run" {
                subject.to_owned()
            } else {
                format!("{}: {subject}", self.subject)
            },
            kind,
            prefix: String::new(),
            unit: None,
            is_root: false,
        }
    }
}

/// What an object in a field is about.
fn object_place(name: &str, object: &Value, place: &Place) -> Place {
    let inner = Place {
        is_root: false,
        ..place.clone()
    };
    if let Some(id) = text_of(object, "id") {
        return place.within(id, name.to_owned());
    }
    match (name, text_of(object, "name")) {
        ("case", Some(_)) => inner,
        ("base", Some(named)) => place.within(named, name.to_owned()),
        ("prediction", _) => place.within(name, name.to_owned()),
        // What a simulation found beside what was predicted; of a simulated run, all is.
        ("simulated", _) if !place.is_root => place.within(name, place.kind.clone()),
        (name, _) if TRANSPARENT.contains(&name) => inner,
        (name, _) if place.is_root && KINDS.contains(&name) => Place {
            kind: name.to_owned(),
            ..inner
        },
        (name, _) => Place {
            prefix: format!("{}{name}_", place.prefix),
            unit: Some(unit_of(name, place)),
            ..inner
        },
    }
}

/// What an item of a list is about.
fn item_place(list: &str, index: usize, item: &Value, place: &Place) -> Place {
    let singular = match list {
        "axes" => "axis",
        list => list.strip_suffix('s').unwrap_or(list),
    };
    let case = item_of(item, "case").and_then(|case| text_of(case, "name"));
    if let Some(name) = case {
        return place.within(name, singular.to_owned());
    }
    if let Some(id) = text_of(item, "id") {
        let kind = match text_of(item, "kind") {
            Some(kind) if list == "resources" && place.is_root => kind.to_owned(),
            _ => singular.to_owned(),
        };
        let within = place.within(id, kind);
        // One thing may have several metrics.
        return match text_of(item, "metric") {
            Some(metric) => Place {
                prefix: format!("{metric}."),
                ..within
            },
            None => within,
        };
    }
    // A figure that is listed with what it is of.
    if let (Some(subject), Some(metric)) = (text_of(item, "subject"), text_of(item, "metric")) {
        let kind = text_of(item, "kind").unwrap_or(singular);
        return Place {
            prefix: format!("{}_", identifier(metric)),
            unit: Some(unit_of(metric, place)),
            ..place.within(subject, kind.to_owned())
        };
    }
    let kind = if place.is_root {
        singular
    } else {
        place.kind.as_str()
    }
    .to_owned();
    let inner = Place {
        kind: kind.clone(),
        is_root: false,
        ..place.clone()
    };
    let labels: Vec<(&str, &str)> = LABELS
        .iter()
        .filter_map(|label| Some((*label, text_of(item, label)?)))
        .collect();
    match labels.as_slice() {
        [] => place.within(&format!("{singular} {}", index + 1), kind),
        [("metric", metric)] => Place {
            prefix: format!("{}{metric}.", place.prefix),
            unit: Some(unit_of(metric, place)),
            ..inner
        },
        [("cause" | "operation", label)] => Place {
            prefix: format!("{}{}_", place.prefix, identifier(label)),
            ..inner
        },
        labels => {
            let names: Vec<&str> = labels.iter().map(|(_, label)| *label).collect();
            place.within(&names.join(" "), kind)
        }
    }
}

/// A label as a part of a name: `dma data` is `dma_data`.
pub(crate) fn identifier(label: &str) -> String {
    let character = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    label.chars().map(character).collect()
}

/// The unit of a figure: what its name ends in, or what its object says.
fn unit_of(name: &str, place: &Place) -> String {
    const BANDWIDTH: &str = QuantityKind::Bandwidth.base_unit();
    const SUFFIXES: [(&str, &str); 9] = [
        ("bytes_per_s", BANDWIDTH),
        ("ops_per_s", QuantityKind::OperationRate.base_unit()),
        ("bytes_per_op", "bytes"),
        ("_per_s", "1/s"),
        ("bytes", QuantityKind::Bytes.base_unit()),
        ("_s", QuantityKind::Time.base_unit()),
        ("watts", QuantityKind::Power.base_unit()),
        ("cpi", "cycles"),
        ("outstanding", "ops"),
    ];
    let of_object = [
        "mean",
        "rate",
        "capacity",
        "needed",
        "measured",
        "predicted",
        "low",
        "high",
        "before",
        "after",
        "value",
        "min",
        "max",
        "range",
    ];
    let by_name = SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix));
    match (&place.unit, by_name) {
        (Some(unit), _) if of_object.contains(&name) => unit.clone(),
        (_, Some((_, unit))) => (*unit).to_owned(),
        _ => "1".to_owned(),
    }
}

fn item_of<'v>(object: &'v Value, field: &str) -> Option<&'v Value> {
    let mut fields = object.as_map()?.iter();
    let found = fields.find(|(key, _)| key.as_text() == Some(field));
    found.map(|(_, value)| value)
}

fn text_of<'v>(object: &'v Value, field: &str) -> Option<&'v str> {
    item_of(object, field)?.as_text()
}

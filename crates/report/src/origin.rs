//! What a result says of its origin: what it was made from, how, and by which version. Documents of every
//! kind have the same names for it, and so have the columns of CSV.

use serde::Serialize;
use serde_json::Value;

use crate::document::Document;
use crate::text::short_hash;

/// The columns of a CSV with the origin of its rows.
pub(crate) const ORIGIN_COLUMNS: [&str; 6] = [
    "file",
    "overrides",
    "bandgraph",
    "software_profile",
    "software_is_default",
    "input_hash",
];

/// The columns of a table, followed by those of its origin; `ALL` is the number of both.
pub(crate) const fn with_origin<const OWN: usize, const ALL: usize>(
    own: [&'static str; OWN],
) -> [&'static str; ALL] {
    assert!(ALL == OWN + ORIGIN_COLUMNS.len());
    let mut all = [""; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN {
            own[at]
        } else {
            ORIGIN_COLUMNS[at - OWN]
        };
        at += 1;
    }
    all
}

/// The scenarios that a line names; of more, it says how many there are.
const NAMED: usize = 3;

/// What a document, or a row of a table, says of its origin.
pub(crate) struct Origin {
    fields: Value,
}

impl Origin {
    /// That of a document.
    pub(crate) fn of(document: &impl Serialize) -> Self {
        Self::new(Document::new(document).value())
    }

    /// That of a document as JSON, or of an object with the columns of a row.
    pub(crate) const fn new(fields: Value) -> Self {
        Self { fields }
    }

    /// The document.
    pub(crate) fn into_fields(self) -> Value {
        self.fields
    }

    /// The texts of a field of the document, or else of that of each of its scenarios, each once.
    fn all(&self, name: &str) -> Vec<String> {
        let (name, part) = match name {
            "software_profile" => ("software", "profile"),
            "software_is_default" => ("software", "is_default"),
            name => (name, ""),
        };
        let of = |fields: &Value, name: &str| {
            let value = fields.get(name)?;
            // Rows have a column for each part.
            let text = plain(if part.is_empty() { value } else { value.get(part)? });
            (!text.is_empty()).then_some(text)
        };
        let column = || self.fields.get(&*format!("{name}_{part}")).map(plain);
        if let Some(text) = of(&self.fields, name).or_else(column) {
            return vec![text];
        }
        let name = if name == "scenario" { "name" } else { name };
        let scenarios = self.fields.get("scenarios").and_then(Value::as_array);
        let mut texts: Vec<String> = Vec::new();
        for text in scenarios.into_iter().flatten().filter_map(|one| of(one, name)) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// The text of a field as a cell; empty without one.
    pub(crate) fn text(&self, name: &str) -> String {
        self.all(name).join("; ")
    }

    /// The texts of fields as cells.
    pub(crate) fn texts<const N: usize>(&self, names: [&str; N]) -> [String; N] {
        names.map(|name| self.text(name))
    }

    /// All of it in one line, for pictures; empty if it says nothing.
    pub(crate) fn line(&self) -> String {
        let named = |name: &str, many: &str| {
            let all = self.all(name);
            match all.len() {
                0..=NAMED => all.join("; "),
                count => format!("{count} {many}"),
            }
        };
        let mut parts = vec![named("file", "scenarios")];
        let default = match self.all("software_is_default").as_slice() {
            [answer] if answer == "true" => " (the default)",
            _ => "",
        };
        let with = |before: &str, text: &str, after: &str| {
            if text.is_empty() {
                String::new()
            } else {
                format!("{before}{text}{after}")
            }
        };
        let word = match self.all("software_profile").len() {
            0..=NAMED => "software ",
            _ => "",
        };
        let software = named("software_profile", "software profiles");
        parts.push(with(word, &software, default));
        parts.push(with("overrides ", &self.text("overrides"), ""));
        parts.push(with("bandgraph ", &self.text("bandgraph"), ""));
        if let [hash] = self.all("input_hash").as_slice() {
            parts.push(with("input ", &short_hash(hash), ""));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }
}

/// A text, a number or an answer as a cell, and a list as one.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(answer) => answer.to_string(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join("; "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A run, the row of a sweep, and a result of several scenarios say the same in other shapes.
    #[test]
    fn every_shape_has_an_origin() {
        let software = json!({ "profile": "fishworks-2009", "is_default": true });
        let run = json!({
            "file": "a.toml", "software": software, "overrides": ["x=1", "y=2"], "bandgraph": "1.0",
            "input_hash": "0123456789abcdef",
        });
        let row = json!({
            "file": "a.toml", "software_profile": "fishworks-2009", "software_is_default": "true",
            "overrides": "x=1; y=2", "bandgraph": "1.0", "input_hash": "0123456789abcdef",
        });
        let line = "a.toml, software fishworks-2009 (the default), overrides x=1; y=2, bandgraph 1.0, \
                    input 0123456789ab";
        for fields in [&run, &row] {
            assert_eq!(Origin::new(fields.clone()).line(), line);
        }
        let one = json!({ "file": "a.toml", "software": software });
        let other = json!({ "file": "b.toml", "software": software });
        let many = json!({ "bandgraph": "1.0", "scenarios": [one, one, other] });
        assert_eq!(
            Origin::new(many).line(),
            "a.toml; b.toml, software fishworks-2009 (the default), bandgraph 1.0"
        );
        assert_eq!(Origin::new(Value::Null).line(), "");
        let each = |number: u32| json!({ "file": number, "software": { "profile": number } });
        let very_many = json!({ "scenarios": (0..9).map(each).collect::<Vec<_>>() });
        assert_eq!(Origin::new(very_many).line(), "9 scenarios, 9 software profiles");
    }
}

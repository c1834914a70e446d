//! JSON with origins, without a tree: values are slices of the text that are read again where they are looked
//! into.

use bandgraph_config::shortened;
use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::text::known;
use super::{Line, Text};
use crate::origin::{Fact, Origin};

/// A value of a document.
#[derive(Clone, Copy)]
pub(crate) struct Json<'a> {
    raw: &'a str,
    whole: &'a Text<'a>,
}

impl<'a> Json<'a> {
    /// The whole text, if it is JSON.
    pub(crate) fn root(text: &'a Text<'a>) -> Option<Self> {
        let raw = serde_json::from_str::<&RawValue>(text.text).ok()?.get();
        Some(Self { raw, whole: text })
    }

    /// The first document of a text: programs print warnings before, and others print several.
    pub(crate) fn document(text: &'a Text<'a>) -> Option<Self> {
        Self::within(text, text.text.find(['{', '['])?, text.text.len())
    }

    /// The document of a line.
    pub(crate) fn of_line(text: &'a Text<'a>, line: &Line<'_>) -> Option<Self> {
        Self::within(text, line.at.start, line.at.end)
    }

    fn within(text: &'a Text<'a>, start: usize, end: usize) -> Option<Self> {
        let mut documents =
            serde_json::Deserializer::from_str(text.text.get(start..end)?).into_iter::<&RawValue>();
        let raw = documents.next()?.ok()?.get();
        Some(Self { raw, whole: text })
    }

    /// The value as it is printed, cut where it is long.
    pub(crate) fn raw(self) -> String {
        shortened(self.words().as_deref().unwrap_or(self.raw))
    }

    /// The first line of the value.
    pub(crate) fn start(self) -> Origin {
        let at = self.line().at;
        let length = self.raw.find('\n').unwrap_or(self.raw.len());
        Origin {
            end: at.start + length,
            ..at
        }
    }

    /// Calls `visit` with each field, if the value is an object.
    pub(crate) fn each_field(self, visit: &mut dyn FnMut(&str, Self)) {
        struct Fields<'v, 'a>(&'v mut dyn FnMut(&str, Json<'a>), &'a Text<'a>);
        impl<'a> Visitor<'a> for Fields<'_, 'a> {
            type Value = ();

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
                while let Some(key) = map.next_key::<String>()? {
                    let raw = map.next_value::<&'a RawValue>()?.get();
                    self.0(&key, Json { raw, whole: self.1 });
                }
                Ok(())
            }
        }
        if self.raw.starts_with('{') {
            // What is in a value was valid when the whole was read.
            let _ = serde_json::Deserializer::from_str(self.raw).deserialize_map(Fields(visit, self.whole));
        }
    }

    /// Calls `visit` with each item, if the value is an array.
    pub(crate) fn each_item(self, visit: &mut dyn FnMut(Self)) {
        struct Items<'v, 'a>(&'v mut dyn FnMut(Json<'a>), &'a Text<'a>);
        impl<'a> Visitor<'a> for Items<'_, 'a> {
            type Value = ();

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<S: SeqAccess<'a>>(self, mut items: S) -> Result<(), S::Error> {
                while let Some(raw) = items.next_element::<&'a RawValue>()? {
                    self.0(Json {
                        raw: raw.get(),
                        whole: self.1,
                    });
                }
                Ok(())
            }
        }
        if self.raw.starts_with('[') {
            let _ = serde_json::Deserializer::from_str(self.raw).deserialize_seq(Items(visit, self.whole));
        }
    }

    /// The field of this name.
    pub(crate) fn get(self, name: &str) -> Option<Self> {
        let mut found = None;
        self.each_field(&mut |key, value| {
            if key == name {
                found = Some(value);
            }
        });
        found
    }

    /// The value at the end of a path of fields: `Status/State`.
    pub(crate) fn at(self, path: &str) -> Option<Self> {
        path.split('/').try_fold(self, Self::get)
    }

    /// What follows from the value at the end of a path.
    pub(crate) fn infer<T>(self, path: &str, what: impl FnOnce(Self) -> Option<T>) -> Fact<T> {
        let found = self.at(path)?;
        found.line().may_say(what(found))
    }

    /// The text at the end of a path, if it says something.
    pub(crate) fn text(self, path: &str) -> Fact<String> {
        self.infer(path, Self::words)
    }

    /// What follows from the text at the end of a path.
    pub(crate) fn infer_text<T>(self, path: &str, what: impl FnOnce(&str) -> Option<T>) -> Fact<T> {
        self.infer(path, |found| what(&found.words()?))
    }

    /// What follows from the number at the end of a path.
    pub(crate) fn infer_number<T>(self, path: &str, what: impl FnOnce(f64) -> Option<T>) -> Fact<T> {
        self.infer(path, |found| what(found.number()?))
    }

    /// The value as it is printed, with its origin.
    pub(crate) fn line(self) -> Line<'a> {
        let start = self.raw.as_ptr().addr() - self.whole.text.as_ptr().addr();
        Line {
            text: self.raw,
            at: Origin {
                source: self.whole.source,
                start,
                end: start + self.raw.len(),
            },
        }
    }

    /// The value as a text that says something, trimmed. A number is its digits.
    pub(crate) fn words(self) -> Option<String> {
        let text = if self.raw.starts_with('"') {
            serde_json::from_str(self.raw).ok()?
        } else if self.raw.starts_with(|first: char| first.is_ascii_digit()) {
            self.raw.to_owned()
        } else {
            return None;
        };
        known(&text).map(str::to_owned)
    }

    /// The value as a number, also where it is printed as a text.
    pub(crate) fn number(self) -> Option<f64> {
        self.words()?
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }

    /// `true` or `false`, also as a text, `1` or `0`.
    pub(crate) fn truth(self) -> Option<bool> {
        match self.raw.trim_matches('"') {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }
}

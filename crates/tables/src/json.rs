//! Objects of JSON whose values are slices of their text, so that their places are known.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use doisift_documents::printable;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::CellFault;

/// The members of an object. The values are slices of the text.
pub struct JsonObject<'t>(pub Vec<(Cow<'t, str>, &'t RawValue)>);

/// The elements of an array.
pub struct JsonArray<'t>(pub Vec<&'t RawValue>);

/// A text, borrowed if it has no escapes.
struct JsonText<'t>(Cow<'t, str>);

/// The keys that lead from an object to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberPath(Vec<String>);

impl<'de: 't, 't> Deserialize<'de> for JsonText<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = JsonText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<JsonText<'de>, E> {
                Ok(JsonText(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<JsonText<'de>, E> {
                Ok(JsonText(text.to_owned().into()))
            }
        }
        from.deserialize_str(Texts)
    }
}

impl<'de: 't, 't> Deserialize<'de> for JsonObject<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Objects;
        impl<'de> Visitor<'de> for Objects {
            type Value = JsonObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((JsonText(name), value)) =
                    map.next_entry::<JsonText<'de>, &RawValue>()?
                {
                    members.push((name, value));
                }
                Ok(JsonObject(members))
            }
        }
        from.deserialize_map(Objects)
    }
}

impl<'de: 't, 't> Deserialize<'de> for JsonArray<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Arrays;
        impl<'de> Visitor<'de> for Arrays {
            type Value = JsonArray<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<JsonArray<'de>, A::Error> {
                let mut elements = Vec::new();
                while let Some(value) = seq.next_element::<&RawValue>()? {
                    elements.push(value);
                }
                Ok(JsonArray(elements))
            }
        }
        from.deserialize_seq(Arrays)
    }
}

impl<'t> JsonObject<'t> {
    /// Returns the value at a path, or `None` if the path leads to no value. Of several members with one name, the last counts, as in most
    /// readers.
    pub fn find(&self, path: &MemberPath) -> Option<&'t RawValue> {
        let (first, rest) = path.0.split_first()?;
        let value = self.member(first)?;
        rest.iter().try_fold(value, |value, key| inside(value, key))
    }

    fn member(&self, name: &str) -> Option<&'t RawValue> {
        let found = self.0.iter().rev().find(|(member, _)| member == name);
        found.map(|(_, value)| *value)
    }
}

impl MemberPath {
    /// Splits `column` into keys: the name of a member, or a JSON pointer (RFC 6901) if it starts with `/`.
    pub fn new(column: &str) -> Self {
        let key = |part: &str| part.replace("~1", "/").replace("~0", "~");
        MemberPath(match column.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(key).collect(),
            None => vec![column.to_owned()],
        })
    }

    /// Returns the innermost key.
    pub fn name(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// Returns the bytes of the value that an object has at the path.
    ///
    /// # Errors
    /// If `object` is not a valid object, or has no such value.
    pub fn value<'b>(&self, object: &'b [u8]) -> Result<&'b [u8], CellFault> {
        let text = utf8(object);
        let members: JsonObject<'_> = serde_json::from_str(&text)?;
        let value = members.find(self).ok_or(CellFault::NoMember)?;
        Ok(&object[place(&text, value.get())])
    }
}

/// Lists the members of the first object in `text`, for a message. `None` if it is not an object.
pub fn member_names(text: &[u8]) -> Option<String> {
    let start = memchr::memchr(b'{', text)?;
    let text = utf8(&text[start..]);
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<JsonObject<'_>>();
    let object = values.next()?.ok()?;
    let names: Vec<_> = object.0.into_iter().map(|(name, _)| name).collect();
    Some(printable::name(&names.join(", ")))
}

/// Returns a member of an object, or an element of an array by its index.
fn inside<'t>(value: &'t RawValue, key: &str) -> Option<&'t RawValue> {
    match value.get().as_bytes().first()? {
        b'{' => {
            let object: JsonObject<'t> = serde_json::from_str(value.get()).ok()?;
            object.member(key)
        }
        b'[' => {
            let array: JsonArray<'t> = serde_json::from_str(value.get()).ok()?;
            array.0.get(key.parse::<usize>().ok()?).copied()
        }
        _ => None,
    }
}

/// Decodes `line` to a text of the same length. A byte that is not UTF-8 becomes a question mark, so that offsets stay valid.
pub fn utf8(line: &[u8]) -> Cow<'_, str> {
    if let Ok(line) = str::from_utf8(line) {
        return line.into();
    }
    let mut text = String::with_capacity(line.len());
    for part in line.utf8_chunks() {
        text.push_str(part.valid());
        text.extend(part.invalid().iter().map(|_| '?'));
    }
    text.into()
}

/// Returns the range of `part` in `text`, from which it is borrowed.
pub fn place(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// Returns the text of a JSON string.
///
/// # Errors
/// The description of the kind, if it is another kind of value.
pub fn string(value: &[u8]) -> Result<Cow<'_, str>, &'static str> {
    match value.first() {
        Some(b'"') => {
            let text: Result<JsonText<'_>, _> = serde_json::from_slice(value);
            text.map(|text| text.0)
                .map_err(|_| "a string that is not UTF-8")
        }
        Some(b'[') => Err("a list (--multiple reads lists of strings)"),
        Some(b'{') => Err("an object"),
        Some(b't' | b'f') => Err("true or false"),
        _ => Err("a number"),
    }
}

/// Returns the text of a value: empty for null, and as it is written for other values that are not strings.
pub(super) fn text(value: &[u8]) -> Cow<'_, [u8]> {
    match string(value) {
        Ok(Cow::Borrowed(text)) => text.as_bytes().into(),
        Ok(Cow::Owned(text)) => text.into_bytes().into(),
        Err(_) if value == b"null" => Cow::default(),
        Err(_) => value.into(),
    }
}

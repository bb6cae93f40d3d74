//! Objects of a PDF file (ISO 32000-2, 7.3).

use std::ops::Range;

use super::lexer::{Lexer, MAX_OBJECTS, Token};

/// Maximum depth of arrays and dictionaries within one another; hardly any file has ten.
const MAX_DEPTH: usize = 64;

/// The number and the generation of an indirect object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ObjectRef {
    pub(super) number: u32,
    pub(super) generation: u16,
}

/// An object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum PdfObject {
    /// Null, and unreadable objects.
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Name(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<PdfObject>),
    Dict(PdfDict),
    Stream(PdfStream),
    Ref(ObjectRef),
}

/// A dictionary: a list of its entries, since it is small.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PdfDict(pub(super) Vec<(Vec<u8>, PdfObject)>);

/// A stream: its dictionary, and the place of its packed bytes in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PdfStream {
    pub(super) dict: PdfDict,
    pub(super) data: Range<usize>,
    /// The number of the object, on which its key depends if it is encrypted.
    pub(super) id: ObjectRef,
}

static NULL: PdfObject = PdfObject::Null;
static EMPTY: PdfDict = PdfDict(Vec::new());

impl PdfDict {
    /// Returns the value of `key` without following it if it is a reference.
    pub(super) fn get(&self, key: &[u8]) -> &PdfObject {
        // Of repeated keys the last counts.
        let mut entries = self.0.iter().rev();
        entries
            .find(|(own, _)| own == key)
            .map_or(&NULL, |(_, value)| value)
    }

    pub(super) fn has(&self, key: &[u8]) -> bool {
        *self.get(key) != PdfObject::Null
    }
}

impl PdfObject {
    /// Returns the dictionary that it is or, for a stream, has; otherwise an empty one.
    pub(super) fn dict(&self) -> &PdfDict {
        match self {
            PdfObject::Dict(dict) => dict,
            PdfObject::Stream(stream) => &stream.dict,
            _ => &EMPTY,
        }
    }

    pub(super) fn array(&self) -> &[PdfObject] {
        match self {
            PdfObject::Array(items) => items,
            _ => &[],
        }
    }

    /// Returns the bytes of a name; empty if it is not a name.
    pub(super) fn name(&self) -> &[u8] {
        match self {
            PdfObject::Name(name) => name,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&[u8]> {
        match self {
            PdfObject::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            PdfObject::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the number if it is whole and not negative.
    pub(super) fn count(&self) -> Option<usize> {
        let number = self.number()?;
        (0.0..1e15).contains(&number).then_some(number as usize)
    }

    pub(super) fn reference(&self) -> Option<ObjectRef> {
        match self {
            PdfObject::Ref(reference) => Some(*reference),
            _ => None,
        }
    }
}

impl Lexer<'_> {
    /// Reads the next object. Returns `None` at the end and at a keyword, which is not passed.
    pub(super) fn object(&mut self) -> Option<PdfObject> {
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Option<PdfObject> {
        let before = self.clone();
        if self.objects == MAX_OBJECTS {
            return None;
        }
        self.objects += 1;
        Some(match self.token()? {
            Token::Number(number) => match self.reference(number) {
                Some(reference) => PdfObject::Ref(reference),
                None => PdfObject::Number(number),
            },
            Token::Name(name) => PdfObject::Name(name.into_owned()),
            Token::Text(text) => PdfObject::Text(text.into_owned()),
            Token::ArrayStart if depth < MAX_DEPTH => PdfObject::Array(self.items(depth + 1)),
            Token::DictStart if depth < MAX_DEPTH => PdfObject::Dict(self.entries(depth + 1)),
            Token::Word(b"true") => PdfObject::Bool(true),
            Token::Word(b"false") => PdfObject::Bool(false),
            Token::Word(b"null") => PdfObject::Null,
            _ => {
                *self = before;
                return None;
            }
        })
    }

    /// Reads the rest of the reference that starts with the number `first`.
    fn reference(&mut self, first: f64) -> Option<ObjectRef> {
        let number = as_integer(first, f64::from(u32::MAX))? as u32;
        // Most numbers do not start a reference, and one byte shows it.
        self.skip_blanks();
        self.rest().first().filter(|byte| byte.is_ascii_digit())?;
        let mut ahead = self.clone();
        let Some(Token::Number(second)) = ahead.token() else {
            return None;
        };
        let generation = as_integer(second, f64::from(u16::MAX))? as u16;
        if ahead.token() != Some(Token::Word(b"R")) {
            return None;
        }
        *self = ahead;
        Some(ObjectRef { number, generation })
    }

    fn items(&mut self, depth: usize) -> Vec<PdfObject> {
        let mut items = Vec::new();
        loop {
            match self.nested(depth) {
                Some(item) => items.push(item),
                None if self.ends(Token::ArrayEnd) => return items,
                None => {}
            }
        }
    }

    fn entries(&mut self, depth: usize) -> PdfDict {
        let mut entries = Vec::new();
        loop {
            match self.nested(depth) {
                Some(PdfObject::Name(key)) => {
                    let value = self.nested(depth).unwrap_or_default();
                    entries.push((key, value));
                }
                // A key that is not a name is passed over.
                Some(_) => {}
                None if self.ends(Token::DictEnd) => return PdfDict(entries),
                None => {}
            }
        }
    }

    /// Whether the array or dictionary ends here: at the token `end`, at the end of the object that holds it, or at the end of
    /// the bytes. Skips any other token.
    fn ends(&mut self, end: Token<'_>) -> bool {
        let before = self.clone();
        match self.token() {
            None => true,
            Some(Token::Word(b"endobj" | b"endstream" | b"stream" | b"obj")) => {
                *self = before;
                true
            }
            Some(token) => token == end,
        }
    }
}

fn as_integer(number: f64, max: f64) -> Option<f64> {
    (number.fract() == 0.0 && (0.0..=max).contains(&number)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> PdfObject {
        Lexer::new(text.as_bytes(), 0).object().unwrap_or_default()
    }

    #[test]
    fn objects_are_read_with_their_references() {
        let read = object("<</A 1/B[2 3 4 0 R]/C<</D(x)>>/A 5/E true>> stream");
        let dict = read.dict();
        assert_eq!(dict.get(b"A"), &PdfObject::Number(5.0));
        let reference = PdfObject::Ref(ObjectRef {
            number: 4,
            generation: 0,
        });
        let items = [PdfObject::Number(2.0), PdfObject::Number(3.0), reference];
        assert_eq!(dict.get(b"B").array(), items);
        assert_eq!(
            dict.get(b"C").dict().get(b"D").text(),
            Some(b"x".as_slice())
        );
        assert_eq!(dict.get(b"E"), &PdfObject::Bool(true));
        assert!(!dict.has(b"F"));
    }

    #[test]
    fn what_is_not_closed_ends_with_the_object() {
        assert_eq!(object("[1 2 endobj").array().len(), 2);
        assert_eq!(object("<</A 1/B").dict().0.len(), 2);
        assert_eq!(object("<</A 1 ) ] 7 /B 2>>").dict().0.len(), 2);
    }

    #[test]
    fn an_object_of_too_many_objects_is_cut() {
        let text = format!("[{}]", "1 ".repeat(MAX_OBJECTS));
        let mut lexer = Lexer::new(text.as_bytes(), 0);
        let object = lexer.object().unwrap_or_default();
        assert_eq!(object.array().len() + 1, MAX_OBJECTS);
        assert_eq!((lexer.objects, lexer.rest()), (MAX_OBJECTS, &b""[..]));
    }

    #[test]
    fn deep_nesting_ends() {
        for open in ["[", "<</A", "[<</A"] {
            object(&open.repeat(100_000));
        }
    }
}

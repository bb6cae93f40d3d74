//! Processes columns of texts: takes an Arrow array or stream, and returns one of the same length.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields};
use doisift::internal::Normalizer;
use doisift::{Mention, Presentation, Scanner, TextKind, clean as read_dirty};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::array::{Array, ArrayStream, Source, bug};
use crate::arrow::{
    FAILED, Flags, ImportedStream, Integers, Lists, Overflow, StreamError, TextArray, TextType,
    Texts, Width, rows,
};
use crate::capsule::{Exported, import};
use crate::running::Watch;
use crate::text::{kind_of, presentation, text_kind};

/// Cost of a row without text, in bytes of text.
pub(crate) const ROW: usize = 64;

/// A function of arrays.
pub(crate) trait Work: Send {
    /// Returns the type of results with this width.
    fn field(&self, width: Width) -> Field;

    /// Makes the result for an array.
    ///
    /// # Errors
    /// If the result is too large for its type, or the handler of a signal raises an exception.
    fn make(&mut self, texts: &TextArray, width: Width) -> PyResult<ArrayRef>;
}

/// Read each text of an Arrow array as one DOI name. Returns an array of strings: null for a text that is null, not a DOI name,
/// or several.
///
/// The array may be any object with the Arrow PyCapsule interface: strings or binaries of any Arrow type, also
/// dictionary-encoded. Binaries need not be UTF-8. The result is an `Array`, or for a stream (a chunked array, a Series of
/// Polars) an `ArrayStream`, whose arrays are made when they are read. They are strings if the texts are strings or binaries, and
/// large strings otherwise. The options are those of `normalize`.
#[pyfunction]
#[pyo3(signature = (array, *, to=Cow::Borrowed("key"), clean=false, strict=false, encode=Cow::Borrowed("mandatory")))]
#[pyo3(text_signature = "(array, *, to='key', clean=False, strict=False, encode='mandatory')")]
pub(crate) fn normalize_batch<'py>(
    array: &Bound<'py, PyAny>,
    to: Cow<'_, str>,
    clean: bool,
    strict: bool,
    encode: Cow<'_, str>,
) -> PyResult<Bound<'py, PyAny>> {
    let work = Normalizing {
        normalizer: Normalizer::new().clean(clean).strict(strict),
        presentation: presentation(&to, &encode)?,
    };
    apply(array, Box::new(work))
}

/// Find the mentions of DOI names in each text of an Arrow array. Returns an array of lists of structs: null for a text that is
/// null.
///
/// The structs have the fields `doi` (the key), `form`, `offset`, `length`, `text` and `guessed`, as rows of `iter_mentions` do;
/// `offset` and `length` count bytes of the text in UTF-8. Arrays and streams are as in `normalize_batch`; lists and strings are
/// large in the same cases. The options are those of `extract`.
#[pyfunction]
#[pyo3(signature = (array, *, clean=false, input_kind=Cow::Borrowed("unknown")))]
#[pyo3(text_signature = "(array, *, clean=False, input_kind='unknown')")]
pub(crate) fn extract_batch<'py>(
    array: &Bound<'py, PyAny>,
    clean: bool,
    input_kind: Cow<'_, str>,
) -> PyResult<Bound<'py, PyAny>> {
    let work = Extracting {
        scanner: Scanner::new(),
        kind: text_kind(&input_kind)?,
        clean,
    };
    apply(array, Box::new(work))
}

/// Applies `work` to an array at once, and to a stream while its result is read.
pub(crate) fn apply<'py>(
    object: &Bound<'py, PyAny>,
    mut work: Box<dyn Work>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    match import(object)? {
        Exported::Texts(texts, width) => {
            let field = Arc::new(work.field(width));
            let data = py.detach(move || work.make(&texts, width))?;
            Ok(Bound::new(py, Array { field, data })?.into_any())
        }
        Exported::Stream(mut stream) => {
            let (stream, schema) = py.detach(move || {
                let schema = stream.schema();
                (stream, schema)
            });
            let of = TextType::of(&schema.map_err(raised)?).map_err(PyTypeError::new_err)?;
            let field = Arc::new(work.field(of.width()));
            let source = Box::new(Worked { stream, of, work });
            Ok(Bound::new(py, ArrayStream::new(field, source))?.into_any())
        }
    }
}

/// Returns the exception for an array that cannot be read, or a result that is too large.
pub(crate) fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception for an error of a stream from another library.
fn raised(error: StreamError) -> PyErr {
    match error.code == FAILED {
        true => PyOSError::new_err((error.code, error.message)),
        false => PyValueError::new_err(error.message),
    }
}

/// Applies `work` to the arrays of a stream.
struct Worked {
    stream: ImportedStream,
    of: TextType,
    work: Box<dyn Work>,
}

impl Source for Worked {
    fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        let Some(array) = self.stream.next().map_err(raised)? else {
            return Ok(None);
        };
        let texts = TextArray::import(array, &self.of).map_err(refused)?;
        self.work.make(&texts, self.of.width()).map(Some)
    }
}

struct Normalizing {
    normalizer: Normalizer,
    presentation: Presentation,
}

impl Work for Normalizing {
    fn field(&self, width: Width) -> Field {
        Field::new("", width.text(), true)
    }

    fn make(&mut self, texts: &TextArray, width: Width) -> PyResult<ArrayRef> {
        let (mut names, mut watch) = (Texts::new(width), Watch::new());
        for row in 0..texts.len() {
            let text = texts.get(row);
            watch.pass(ROW + text.map_or(0, <[u8]>::len))?;
            let read = text.and_then(|text| self.normalizer.read(text).ok());
            let name = read.as_ref().map(|read| self.presentation.of(&read.doi));
            names.push(name.as_deref()).map_err(refused)?;
        }
        Ok(names.finish())
    }
}

struct Extracting {
    scanner: Scanner,
    /// `None` to detect it from the head of each text.
    kind: Option<TextKind>,
    clean: bool,
}

impl Work for Extracting {
    fn field(&self, width: Width) -> Field {
        Field::new(
            "",
            width.list(DataType::Struct(mention_fields(width))),
            true,
        )
    }

    fn make(&mut self, texts: &TextArray, width: Width) -> PyResult<ArrayRef> {
        let (mut mentions, mut watch) = (Mentions::new(width), Watch::new());
        let mut lists = Lists::new(width);
        for row in 0..texts.len() {
            let text = texts.get(row);
            watch.pass(ROW)?;
            if let Some(text) = text {
                self.scan(text, &mut mentions, &mut watch)?;
            }
            lists.push(mentions.count, text.is_some());
        }
        lists.finish(mentions.finish(width)?).map_err(refused)
    }
}

impl Extracting {
    fn scan(&mut self, text: &[u8], into: &mut Mentions, watch: &mut Watch) -> PyResult<()> {
        self.scanner
            .set_kind(self.kind.unwrap_or_else(|| kind_of(text)));
        let clean = self.clean;
        for start in (0..text.len()).step_by(Watch::PIECE) {
            let end = text.len().min(start + Watch::PIECE);
            let sink = |mention: Mention<'_>| into.push(&mention, clean);
            self.scanner.scan_range(text, start..end, 0, sink);
            watch.pass(end - start)?;
        }
        Ok(())
    }
}

fn mention_fields(width: Width) -> Fields {
    let field = |name, of| Field::new(name, of, false);
    Fields::from(vec![
        field("doi", width.text()),
        field("form", width.text()),
        field("offset", DataType::Int64),
        field("length", DataType::Int64),
        field("text", width.text()),
        field("guessed", DataType::Boolean),
    ])
}

/// Returns a number for an array. Saturates at `i64::MAX`, which no count of bytes or mentions reaches.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Builds the structs of the mentions in an array.
struct Mentions {
    count: usize,
    doi: Texts,
    form: Texts,
    offset: Integers,
    length: Integers,
    text: Texts,
    guessed: Flags,
    /// Whether one of the columns is full.
    overflow: bool,
}

impl Mentions {
    fn new(width: Width) -> Mentions {
        Mentions {
            count: 0,
            doi: Texts::new(width),
            form: Texts::new(width),
            offset: Integers::default(),
            length: Integers::default(),
            text: Texts::new(width),
            guessed: Flags::default(),
            overflow: false,
        }
    }

    fn push(&mut self, mention: &Mention<'_>, clean: bool) {
        let cleaned = clean.then(|| read_dirty(mention.name).ok()).flatten();
        let key = cleaned.as_ref().map(|cleaned| cleaned.doi.key());
        let texts = [
            self.doi.push(Some(key.as_deref().unwrap_or(mention.key))),
            self.form.push(Some(mention.form.name())),
            self.text.push(Some(&String::from_utf8_lossy(mention.text))),
        ];
        self.overflow |= texts.iter().any(Result::is_err);
        self.offset.append_value(integer(mention.offset));
        self.length.append_value(integer(mention.text.len() as u64));
        self.guessed.append_value(mention.guessed);
        self.count += 1;
    }

    fn finish(mut self, width: Width) -> PyResult<ArrayRef> {
        if self.overflow {
            return Err(refused(Overflow));
        }
        let columns = vec![
            self.doi.finish(),
            self.form.finish(),
            Arc::new(self.offset.finish()),
            Arc::new(self.length.finish()),
            self.text.finish(),
            Arc::new(self.guessed.finish()),
        ];
        rows(mention_fields(width), self.count, columns).map_err(|_| bug())
    }
}

//! The text of paragraphs: of documents, slides, notes and comments.
//!
//! A paragraph is a line, with the texts of its runs joined, and an empty line follows it. A paragraph within another one,
//! such as that of a note or a text box, comes before it. Field codes, targets of links and descriptions of pictures come
//! after their paragraph, each as a paragraph. Deleted text is left out.

use quick_xml::events::BytesStart;

use crate::fault::InputError;
use crate::read::ReadBytes;
use crate::xml::{XmlPiece, XmlReader, attribute, attributes};

/// Maximum bytes of a paragraph, of field codes and of link targets that are held. Longer ones are passed on in pieces.
const MAX_HELD_BYTES: usize = 1 << 20;
/// Maximum depth of paragraphs within one another. Deeper ones belong to the one around them.
const MAX_DEPTH: usize = 8;
/// Bytes that are prepared for a read.
const READY_BYTES: usize = 16 << 10;

/// The markup of paragraphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProseDialect {
    /// Office Open XML (ISO/IEC 29500): text is in elements of its own, within runs.
    Ooxml,
    /// OpenDocument (ISO/IEC 26300): all text in a paragraph counts, and white space is collapsed.
    Odf,
}

/// A paragraph that is being read.
struct Paragraph {
    text: Vec<u8>,
    /// The depth of its element.
    depth: u64,
    /// Whether its end is deleted, so that the next one belongs to it.
    is_merged: bool,
}

/// Reads the text of paragraphs out of XML.
pub(super) struct ProseReader<'r> {
    xml: XmlReader<'r>,
    paragraphs: ParagraphWriter,
    ready: Vec<u8>,
    at: usize,
    failed: Option<InputError>,
    ended: bool,
}

impl<'r> ProseReader<'r> {
    pub(super) fn new(bytes: &'r mut dyn ReadBytes, dialect: ProseDialect) -> Self {
        ProseReader {
            xml: XmlReader::new(bytes),
            paragraphs: ParagraphWriter::new(dialect),
            ready: Vec::new(),
            at: 0,
            failed: None,
            ended: false,
        }
    }

    fn prepare(&mut self) {
        self.ready.clear();
        self.at = 0;
        while self.ready.len() < READY_BYTES && self.failed.is_none() && !self.ended {
            let depth = self.xml.depth();
            match self.xml.next_piece() {
                Ok(Some(XmlPiece::Start(tag))) => self.paragraphs.start(&tag, depth + 1),
                Ok(Some(XmlPiece::End(tag))) => {
                    let name = tag.local_name().into_inner();
                    self.paragraphs.end(name, depth, &mut self.ready);
                }
                Ok(Some(XmlPiece::Text(text))) => {
                    self.paragraphs.text(text.as_bytes(), &mut self.ready);
                }
                Ok(Some(XmlPiece::Other)) => {}
                Ok(None) => {
                    self.ended = true;
                    self.paragraphs.finish(&mut self.ready);
                }
                // The open paragraphs may be cut within a name.
                Err(error) => (self.failed, self.ended) = (Some(error), true),
            }
            if let Some(error) = self.paragraphs.take_fault() {
                self.failed.get_or_insert(error);
            }
        }
    }
}

impl ReadBytes for ProseReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.at == self.ready.len() {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if self.ended {
                return Ok(0);
            }
            self.prepare();
        }
        let read = (&self.ready[self.at..]).read(into)?;
        self.at += read;
        Ok(read)
    }
}

/// Joins the runs of paragraphs.
pub(super) struct ParagraphWriter {
    dialect: ProseDialect,
    is_cell: bool,
    open: Vec<Paragraph>,
    /// The depth of the element whose text is skipped.
    skipped: Option<u64>,
    /// Whether that element has the properties of a paragraph.
    in_properties: bool,
    /// The depth of the element whose children are the properties of the document.
    metadata: Option<u64>,
    /// The depth of the element whose text counts, if only such text does.
    counted: Option<u64>,
    /// For each open field, whether its code is being read.
    fields: Vec<bool>,
    code: Vec<u8>,
    /// Further texts of the paragraph, each with an empty line after it.
    asides: Vec<u8>,
    /// The limit that was exceeded, until it is reported.
    fault: Option<&'static str>,
    has_fault: bool,
}

impl ParagraphWriter {
    /// Makes a writer for cells of a table: it reads only their shown text, and a paragraph ends with one line end.
    pub(super) fn of_cells() -> Self {
        ParagraphWriter {
            is_cell: true,
            ..ParagraphWriter::new(ProseDialect::Odf)
        }
    }

    pub(super) fn new(dialect: ProseDialect) -> Self {
        ParagraphWriter {
            dialect,
            is_cell: false,
            open: Vec::new(),
            skipped: None,
            in_properties: false,
            metadata: None,
            counted: None,
            fields: Vec::new(),
            code: Vec::new(),
            asides: Vec::new(),
            fault: None,
            has_fault: false,
        }
    }

    pub(super) fn take_fault(&mut self) -> Option<InputError> {
        self.fault.take().map(InputError::Office)
    }

    /// Records an exceeded limit, which is reported once.
    fn break_off(&mut self, fault: &'static str) {
        if !std::mem::replace(&mut self.has_fault, true) {
            self.fault = Some(fault);
        }
    }

    /// Reads the start of an element at `depth`.
    pub(super) fn start(&mut self, tag: &BytesStart<'_>, depth: u64) {
        self.describe(tag);
        let name = tag.local_name().into_inner();
        if self.skipped.is_some() {
            let is_deletion = matches!(name, "del" | "moveFrom");
            if let Some(paragraph) = self.open.last_mut() {
                paragraph.is_merged |= is_deletion && self.in_properties;
            }
            return;
        }
        if self.is_skipped(name) {
            self.skipped = Some(depth);
            self.in_properties = name == "pPr";
            return;
        }
        if self.dialect == ProseDialect::Odf && name == "meta" && self.open.is_empty() {
            self.metadata = Some(depth);
            return;
        }
        if self.is_paragraph(name) && self.open.len() < MAX_DEPTH {
            self.open.push(Paragraph {
                text: Vec::new(),
                depth,
                is_merged: false,
            });
        }
        match self.dialect {
            ProseDialect::Ooxml => self.ooxml(tag, depth),
            ProseDialect::Odf => self.odf(tag),
        }
    }

    /// Whether the content of an element is not shown as text, or is shown elsewhere.
    fn is_skipped(&self, name: &str) -> bool {
        match self.dialect {
            // Properties, deleted text, phonetic guides, and the copy of a text box for old programs.
            ProseDialect::Ooxml => {
                name.ends_with("Pr")
                    || matches!(
                        name,
                        "del" | "moveFrom" | "rPh" | "rt" | "Fallback" | "binData"
                    )
            }
            ProseDialect::Odf if self.is_cell && matches!(name, "annotation" | "object") => true,
            ProseDialect::Odf => matches!(
                name,
                "tracked-changes"
                    | "note-citation"
                    | "creator"
                    | "date"
                    | "creator-initials"
                    | "sender-initials"
                    | "ruby-text"
                    | "binary-data"
            ),
        }
    }

    fn is_paragraph(&self, name: &str) -> bool {
        match self.dialect {
            // `si`, `comment` and `text` are elements of spreadsheets and old slides, `v` of charts.
            ProseDialect::Ooxml => matches!(name, "p" | "si" | "comment" | "text" | "v"),
            ProseDialect::Odf => {
                self.metadata.is_some() || matches!(name, "p" | "h" | "title" | "desc")
            }
        }
    }

    fn ooxml(&mut self, tag: &BytesStart<'_>, depth: u64) {
        let name = tag.local_name().into_inner();
        match name {
            "t" | "text" | "v" | "instrText" => self.counted = Some(depth),
            "tab" | "ptab" => self.put(b"\t"),
            "br" | "cr" => self.put(b"\n"),
            // A hyphen of the text, at which a line may not break.
            "noBreakHyphen" => self.put(b"-"),
            "softHyphen" => self.put("\u{AD}".as_bytes()),
            "sym" => self.symbol(tag),
            "fldChar" => self.field(tag),
            _ => {}
        }
        if name == "instrText" {
            self.open_code();
        }
    }

    fn odf(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().into_inner() {
            "s" | "tab" => self.put(b" "),
            "line-break" => self.put(b"\n"),
            _ => {}
        }
    }

    /// Adds a character of a font. It separates the text around it even if it has no meaning in other fonts.
    fn symbol(&mut self, tag: &BytesStart<'_>) {
        let code = attribute(tag, "char").unwrap_or_default();
        let code = u32::from_str_radix(&code, 16).ok();
        let symbol = code.and_then(char::from_u32).unwrap_or('\u{FFFD}');
        self.put(symbol.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn field(&mut self, tag: &BytesStart<'_>) {
        match attribute(tag, "fldCharType").as_deref() {
            Some("begin") if self.fields.len() < MAX_DEPTH => self.fields.push(true),
            Some("separate") => {
                if let Some(in_code) = self.fields.last_mut() {
                    *in_code = false;
                }
                self.close_code();
            }
            Some("end") => {
                self.fields.pop();
                self.close_code();
            }
            _ => {}
        }
    }

    /// Marks field code whose start is missing.
    fn open_code(&mut self) {
        if !self.in_code() {
            self.fields.push(true);
        }
        self.fields.truncate(MAX_DEPTH);
    }

    fn in_code(&self) -> bool {
        self.fields.contains(&true)
    }

    fn close_code(&mut self) {
        if !self.in_code() && !self.code.is_empty() {
            let code = std::mem::take(&mut self.code);
            self.aside(&code);
        }
    }

    /// Adds the targets of links, and texts in attributes.
    fn describe(&mut self, tag: &BytesStart<'_>) {
        let names: &[&str] = match (self.dialect, tag.local_name().into_inner()) {
            (ProseDialect::Ooxml, "fldSimple") => &["instr"],
            (ProseDialect::Ooxml, "docPr" | "cNvPr") => &["title", "descr"],
            (ProseDialect::Ooxml, "hyperlink" | "hlinkClick") => &["tooltip"],
            (ProseDialect::Ooxml, "shape") => &["href", "alt"],
            (ProseDialect::Odf, "a") => &["href", "title"],
            // Reference managers keep their data in the name of a mark.
            (ProseDialect::Odf, "reference-mark" | "reference-mark-start") => &["name"],
            (ProseDialect::Odf, "bibliography-mark") => return self.bibliography(tag),
            _ => return,
        };
        for (name, value) in attributes(tag) {
            if names.contains(&name) {
                self.aside(value.as_bytes());
            }
        }
    }

    /// Adds the fields of a reference, which are attributes.
    fn bibliography(&mut self, tag: &BytesStart<'_>) {
        for (_, value) in attributes(tag) {
            self.aside(value.as_bytes());
        }
    }

    fn aside(&mut self, text: &[u8]) {
        if text.is_empty() || self.is_cell {
            return;
        }
        if self.asides.len() + text.len() > MAX_HELD_BYTES {
            self.break_off(
                "has a paragraph with more than 1 MiB of links and field codes; some were not read",
            );
            return;
        }
        self.asides.extend_from_slice(text);
        self.asides.extend_from_slice(b"\n\n");
    }

    /// Adds text to the paragraph, or to the code of a field.
    fn put(&mut self, text: &[u8]) {
        if self.in_code() {
            if self.code.len() + text.len() > MAX_HELD_BYTES {
                self.break_off("has a field code of more than 1 MiB; some of it was not read");
                return;
            }
            self.code.extend_from_slice(text);
        } else if let Some(paragraph) = self.open.last_mut() {
            paragraph.text.extend_from_slice(text);
        }
    }

    pub(super) fn text(&mut self, text: &[u8], into: &mut Vec<u8>) {
        if self.skipped.is_some() || self.open.is_empty() && !self.in_code() {
            return;
        }
        match self.dialect {
            ProseDialect::Ooxml if self.counted.is_some() => self.put(text),
            ProseDialect::Ooxml => {}
            ProseDialect::Odf => self.put_collapsed(text),
        }
        let long = self
            .open
            .last_mut()
            .filter(|open| open.text.len() > MAX_HELD_BYTES);
        if let Some(paragraph) = long {
            into.append(&mut paragraph.text);
        }
    }

    /// Adds text, with its white space collapsed to single blanks.
    fn put_collapsed(&mut self, text: &[u8]) {
        let Some(paragraph) = self.open.last_mut() else {
            return;
        };
        for word in text.split_inclusive(u8::is_ascii_whitespace) {
            let end = word.trim_ascii_end();
            paragraph.text.extend_from_slice(end);
            let is_parted = paragraph
                .text
                .last()
                .is_none_or(|last| last.is_ascii_whitespace());
            if end.len() < word.len() && !is_parted {
                paragraph.text.push(b' ');
            }
        }
    }

    /// Reads the end of an element at `depth`.
    pub(super) fn end(&mut self, name: &str, depth: u64, into: &mut Vec<u8>) {
        if let Some(skipped) = self.skipped {
            self.skipped = Some(skipped).filter(|skipped| depth > *skipped);
            return;
        }
        self.counted = self.counted.filter(|counted| depth > *counted);
        let is_open = self.open.last().is_some_and(|open| depth <= open.depth);
        if is_open && self.is_paragraph(name) {
            self.end_paragraph(into);
        }
        self.metadata = self.metadata.filter(|metadata| depth > *metadata);
    }

    fn end_paragraph(&mut self, into: &mut Vec<u8>) {
        let Some(paragraph) = self.open.pop() else {
            return;
        };
        into.extend_from_slice(&paragraph.text);
        if !paragraph.is_merged {
            into.extend_from_slice(if self.is_cell { b"\n" } else { b"\n\n" });
            into.append(&mut self.asides);
        }
    }

    /// Passes on the paragraphs that are open at the end.
    pub(super) fn finish(&mut self, into: &mut Vec<u8>) {
        while !self.open.is_empty() {
            self.end_paragraph(into);
        }
        self.fields.clear();
        self.close_code();
        into.append(&mut self.asides);
    }
}

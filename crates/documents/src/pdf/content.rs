//! Reads the text in the content streams of a page (ISO 32000-2, 9.4).

use std::collections::HashMap;
use std::rc::Rc;

use super::encoding::text_string;
use super::file::PdfFile;
use super::filter::StreamFlaw;
use super::font::PdfFont;
use super::geometry::{Matrix, Point};
use super::lexer::{Lexer, Token};
use super::lines::{MAX_INVISIBLE_WIDTH, PageLines, TextSpan};
use super::links::MAX_ANNOTATIONS;
use super::object::{ObjectRef, PdfDict, PdfObject, PdfStream};
use super::pages::Page;

/// Maximum depth of forms within one another.
const MAX_FORM_DEPTH: usize = 32;
/// Maximum number of saved graphics states.
const MAX_SAVED_STATES: usize = 1024;
/// Maximum bytes of text of one page, besides the limit on memory.
const MAX_PAGE_TEXT_BYTES: usize = 16 << 20;
/// Bytes of text per byte of a code, above which a string's text counts as work.
const FREE_TEXT_BYTES_PER_CODE: usize = 4;
/// Maximum number of operands of one operator, including elements of its array.
const MAX_OPERANDS: usize = 1 << 16;
/// The cost of a form besides its bytes, so that many empty ones reach the limit too.
const FORM_COST: usize = 256;
/// The cost of a font without an object number, which is read again in each content stream.
const DIRECT_FONT_COST: usize = 4 << 10;
/// Maximum number of font names that are kept per content stream.
const MAX_FONTS: usize = 256;

/// Fonts that were read, by the numbers of their objects.
pub(super) struct FontCache {
    known: HashMap<ObjectRef, Rc<PdfFont>>,
    size: usize,
    /// Maximum bytes of all of them.
    max: usize,
}

impl FontCache {
    /// Makes a store of fonts that together take up to `max` bytes.
    pub(super) fn new(max: usize) -> Self {
        FontCache {
            known: HashMap::new(),
            size: 0,
            max,
        }
    }

    fn get(&mut self, file: &PdfFile<'_>, font: &PdfObject) -> Rc<PdfFont> {
        let read = || Rc::new(PdfFont::of(file, file.resolve(font).dict()));
        let Some(reference) = font.reference() else {
            file.spend(DIRECT_FONT_COST);
            return read();
        };
        if let Some(known) = self.known.get(&reference) {
            return Rc::clone(known);
        }
        let font = read();
        self.size += font.size();
        if self.size > self.max {
            self.known.clear();
            self.size = font.size();
        }
        self.known.insert(reference, Rc::clone(&font));
        font
    }
}

/// The text of a page.
#[derive(Debug, Default)]
pub(super) struct PageText {
    pub(super) lines: PageLines,
    /// Why text may be missing.
    pub(super) flaw: Option<StreamFlaw>,
}

/// Reads a page.
pub(super) fn page_text(file: &PdfFile<'_>, fonts: &mut FontCache, page: &Page) -> PageText {
    let mut reader = ContentReader {
        file,
        fonts,
        shown: PageText::default(),
        text: String::new(),
        max: MAX_PAGE_TEXT_BYTES.min(file.memory() / 4),
        depth: 0,
    };
    let contents = file.get(&page.dict, b"Contents");
    let parts = match contents {
        PdfObject::Array(parts) => parts,
        PdfObject::Null => vec![page.dict.get(b"Contents").clone()],
        other => vec![other],
    };
    // An operator's operands may be in the stream before it.
    let mut bytes = Vec::new();
    let mut held = Vec::new();
    for part in &parts {
        let object = file.resolve(part);
        if let PdfObject::Stream(stream) = object {
            let part = reader.decode(&stream);
            if parts.len() == 1 {
                held.push(part);
                break;
            }
            bytes.extend_from_slice(&part);
            bytes.push(b'\n');
        } else if part.reference().is_some() && object == PdfObject::Null && !file.is_spent() {
            reader.shown.flaw = Some(StreamFlaw::Missing);
        }
    }
    let content = held.first().map_or(&bytes[..], |part| part);
    reader.content(content, &page.resources, GraphicsState::default());
    reader.annotations(page);
    reader.shown
}

/// Returns the appearance of an annotation (12.5.5) in its current state, unless it is hidden.
fn appearance(file: &PdfFile<'_>, annotation: &PdfDict) -> Option<PdfStream> {
    const HIDDEN_FLAG: usize = 2;
    let flags = file.get(annotation, b"F").count().unwrap_or_default();
    let all = file.get(annotation, b"AP");
    let shown = match file.get(all.dict(), b"N") {
        PdfObject::Dict(states) => file.get(&states, file.get(annotation, b"AS").name()),
        shown => shown,
    };
    match shown {
        PdfObject::Stream(stream) if flags & HIDDEN_FLAG == 0 => Some(stream),
        _ => None,
    }
}

/// Returns the transformation that moves the box of a form to the place of its annotation.
fn place_of(file: &PdfFile<'_>, annotation: &PdfDict, form: &PdfDict) -> Matrix {
    let corner = |dict: &PdfDict, key: &[u8]| {
        let numbers = file.items(dict.get(key));
        let number = |at: usize| {
            numbers
                .get(at)
                .and_then(PdfObject::number)
                .unwrap_or_default()
        };
        (number(0).min(number(2)), number(1).min(number(3)))
    };
    let (to, from) = (corner(annotation, b"Rect"), corner(form, b"BBox"));
    Matrix::moved(to.0 - from.0, to.1 - from.1)
}

/// The parts of the graphics state that affect text.
#[derive(Clone)]
struct GraphicsState {
    to_page: Matrix,
    font: Option<Rc<PdfFont>>,
    size: f64,
    character_space: f64,
    word_space: f64,
    /// The horizontal scale, 1 for 100 %.
    scale: f64,
    leading: f64,
    rise: f64,
}

impl Default for GraphicsState {
    fn default() -> Self {
        GraphicsState {
            to_page: Matrix::IDENTITY,
            font: None,
            size: 0.0,
            character_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// The state of one content stream.
struct ContentStreamState<'r> {
    graphics: GraphicsState,
    saved: Vec<GraphicsState>,
    /// The places of the next glyph and of the current line's start (9.4.1).
    text: Matrix,
    line: Matrix,
    resources: &'r PdfDict,
    /// Fonts of the resources that were used, by name.
    fonts: HashMap<Vec<u8>, Option<Rc<PdfFont>>>,
    /// The dictionary of images and forms, read at the first use.
    objects: Option<PdfObject>,
    /// For each open marked content, whether other text replaces its own (14.9.4). That is true for one at most.
    marks: Vec<bool>,
    is_replaced: bool,
}

struct ContentReader<'r, 'd> {
    file: &'r PdfFile<'d>,
    fonts: &'r mut FontCache,
    shown: PageText,
    /// The text of a string, reused.
    text: String,
    /// Bytes of text that the page may still have.
    max: usize,
    depth: usize,
}

impl<'r> ContentReader<'r, '_> {
    fn decode(&mut self, stream: &PdfStream) -> super::file::BudgetedBytes<'r> {
        let held = self.file.decode(stream);
        self.file.note(
            held.flaw.filter(|flaw| *flaw == StreamFlaw::Unreadable),
            stream,
        );
        let flaw = if self.file.is_spent() {
            Some(StreamFlaw::Large)
        } else {
            held.flaw
        };
        self.shown.flaw = self.shown.flaw.or(flaw);
        held
    }

    /// Shows the texts of a page's form fields, notes and stamps.
    fn annotations(&mut self, page: &Page) {
        let annotations = self.file.get(&page.dict, b"Annots");
        for annotation in annotations.array().iter().take(MAX_ANNOTATIONS) {
            let annotation = self.file.resolve(annotation);
            let Some(form) = appearance(self.file, annotation.dict()) else {
                continue;
            };
            self.file.spend(FORM_COST);
            let graphics = GraphicsState {
                to_page: place_of(self.file, annotation.dict(), &form.dict),
                ..GraphicsState::default()
            };
            if self.file.is_spent() {
                return self.note_flaw(StreamFlaw::Large);
            }
            self.show_form(&form, &page.resources, graphics);
        }
    }

    fn content(&mut self, bytes: &[u8], resources: &PdfDict, graphics: GraphicsState) {
        let mut painter = ContentStreamState {
            graphics,
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            resources,
            fonts: HashMap::new(),
            objects: None,
            marks: Vec::new(),
            is_replaced: false,
        };
        let mut lexer = Lexer::new(bytes, 0);
        let mut operands = Vec::new();
        while let Some(token) = lexer.token() {
            match token {
                Token::Word(b"BI") => skip_image(&mut lexer),
                Token::Word(operator) => {
                    if !self.operator(&mut painter, operator, &operands) {
                        return;
                    }
                    operands.clear();
                }
                operand if operands.len() < MAX_OPERANDS => operands.push(operand),
                _ => self.note_flaw(StreamFlaw::Operands),
            }
        }
    }

    /// Records why text is missing, unless a reason is already known.
    fn note_flaw(&mut self, flaw: StreamFlaw) {
        self.shown.flaw.get_or_insert(flaw);
    }

    /// Records that the page has more text than the limit.
    fn too_much(&mut self) {
        self.note_flaw(StreamFlaw::Text);
        self.file.shorten();
    }

    /// Performs an operator. Returns false if the page is not read further.
    fn operator(
        &mut self,
        painter: &mut ContentStreamState<'_>,
        name: &[u8],
        operands: &[Token<'_>],
    ) -> bool {
        match name {
            b"Tj" | b"TJ" => self.show(painter, operands),
            b"'" => {
                painter.next_line();
                self.show(painter, operands)
            }
            b"\"" => {
                let graphics = &mut painter.graphics;
                [graphics.word_space, graphics.character_space] = numbers::<2>(operands);
                painter.next_line();
                self.show(painter, &operands[operands.len().min(2)..])
            }
            b"Tf" => {
                self.set_font(painter, operands);
                true
            }
            b"Do" => self.form(painter, operands),
            b"BDC" => self.begin(painter, operands),
            b"BMC" => {
                painter.mark(false);
                true
            }
            b"EMC" => {
                if painter.marks.pop() == Some(true) {
                    painter.is_replaced = false;
                }
                true
            }
            _ => {
                painter.place(name, operands);
                true
            }
        }
    }

    fn set_font(&mut self, painter: &mut ContentStreamState<'_>, operands: &[Token<'_>]) {
        let Some(Token::Name(name)) = operands.first() else {
            return;
        };
        painter.graphics.size = numbers::<1>(&operands[1..])[0];
        if let Some(known) = painter.fonts.get(&name[..]) {
            painter.graphics.font.clone_from(known);
            return;
        }
        let fonts = self.file.get(painter.resources, b"Font");
        let font = match fonts.dict().get(name) {
            PdfObject::Null => None,
            font => Some(self.fonts.get(self.file, font)),
        };
        if painter.fonts.len() < MAX_FONTS {
            painter.fonts.insert(name.to_vec(), font.clone());
        }
        painter.graphics.font = font;
    }

    /// Shows a string, or the strings of an array with the distances between them.
    fn show(&mut self, painter: &mut ContentStreamState<'_>, operands: &[Token<'_>]) -> bool {
        for operand in operands {
            match operand {
                Token::Number(number) => {
                    let graphics = &painter.graphics;
                    painter.advance(-number * 0.001 * graphics.size);
                }
                Token::Text(text) if !self.show_text(painter, text) => return false,
                _ => {}
            }
        }
        true
    }

    fn show_text(&mut self, painter: &mut ContentStreamState<'_>, bytes: &[u8]) -> bool {
        let Some(font) = painter.graphics.font.clone() else {
            return true;
        };
        let graphics = &painter.graphics;
        let (size, spaces) = (
            graphics.size,
            (graphics.character_space, graphics.word_space),
        );
        self.text.clear();
        let (mut rest, mut width) = (bytes, 0.0);
        let mut seen = None;
        while !rest.is_empty() {
            let before = self.text.len();
            let glyph = font.next_glyph(rest, &mut self.text);
            rest = &rest[glyph.len..];
            if self.text.len() > self.max {
                self.too_much();
                return false;
            }
            let blank = if glyph.is_blank { spaces.1 } else { 0.0 };
            let step = f64::from(glyph.width) * size + spaces.0 + blank;
            if self.text[before..] != *" " {
                let (start, _) = seen.unwrap_or((width, width));
                seen = Some((start, width + step - spaces.0));
            } else if (step * graphics.scale).abs() < MAX_INVISIBLE_WIDTH * size.abs() {
                // An invisible blank.
                self.text.truncate(before);
            }
            width += step;
        }
        if self.text.len() > FREE_TEXT_BYTES_PER_CODE * bytes.len() {
            self.file.spend(self.text.len());
        }
        let start = painter.point();
        let seen = seen.map(|(start, end)| (painter.point_after(start), painter.point_after(end)));
        painter.advance(width - spaces.0);
        let end = painter.point();
        painter.advance(spaces.0);
        if painter.is_replaced {
            true
        } else {
            self.add(painter, (start, end), seen)
        }
    }

    /// Adds the text that was read, from `start` to `end`. The part between the points `seen` is visible.
    fn add(
        &mut self,
        painter: &ContentStreamState<'_>,
        (start, end): (Point, Point),
        seen: Option<(Point, Point)>,
    ) -> bool {
        let to_page = painter.text.then(painter.graphics.to_page);
        let along = if painter.is_vertical() {
            to_page.apply_to_vector(0.0, -1.0)
        } else {
            to_page.apply_to_vector(painter.graphics.size.signum(), 0.0)
        };
        let length = along.length();
        let size = to_page.apply_to_vector(0.0, painter.graphics.size).length();
        let is_finite = [start.x, start.y, end.x, end.y, size]
            .iter()
            .all(|n| n.is_finite());
        if self.text.is_empty() || !is_finite || length <= 0.0 || size <= 0.0 {
            return true;
        }
        let along = Point {
            x: along.x / length,
            y: along.y / length,
        };
        let Some(left) = self.max.checked_sub(self.text.len()) else {
            self.too_much();
            return false;
        };
        self.max = left;
        self.shown.lines.add(&TextSpan {
            text: &self.text,
            start,
            end,
            seen,
            along,
            size,
        });
        !self.file.is_spent()
    }

    /// Starts marked content, whose properties may have text that replaces its own. Returns false if the page is not read
    /// further.
    fn begin(&mut self, painter: &mut ContentStreamState<'_>, operands: &[Token<'_>]) -> bool {
        let inline = operands
            .iter()
            .position(|operand| *operand == Token::Name(b"ActualText".into()));
        let text = match (operands, inline.map(|at| operands.get(at + 1))) {
            (_, Some(Some(Token::Text(text)))) => Some(text_string(text)),
            ([_, Token::Name(name)], None) => {
                let lists = self.file.get(painter.resources, b"Properties");
                let list = self.file.get(lists.dict(), name);
                list.dict().get(b"ActualText").text().map(text_string)
            }
            _ => None,
        };
        // Blank text, such as a blank for a tab, does not replace the shown text.
        let is_replaced = painter.is_replaced;
        let replaces = text.is_some_and(|text| {
            self.text.clear();
            self.text.extend(text.chars().filter(|c| !c.is_control()));
            !self.text.trim().is_empty() && !is_replaced
        });
        painter.mark(replaces);
        if replaces {
            let start = painter.point();
            return self.add(painter, (start, start), None);
        }
        true
    }

    /// Shows a form. Returns false if the page is not read further.
    fn form(&mut self, painter: &mut ContentStreamState<'_>, operands: &[Token<'_>]) -> bool {
        let Some(Token::Name(name)) = operands.last() else {
            return true;
        };
        self.file.spend(FORM_COST);
        let file = self.file;
        let objects = painter
            .objects
            .get_or_insert_with(|| file.get(painter.resources, b"XObject"));
        let PdfObject::Stream(stream) = file.get(objects.dict(), name) else {
            return true;
        };
        if self.file.get(&stream.dict, b"Subtype").name() != b"Form" {
            return true;
        }
        if self.depth >= MAX_FORM_DEPTH || self.file.is_spent() {
            self.note_flaw(if self.file.is_spent() {
                StreamFlaw::Large
            } else {
                StreamFlaw::Nested
            });
            return !self.file.is_spent();
        }
        self.show_form(&stream, painter.resources, painter.graphics.clone());
        true
    }

    /// Shows a form. If it has no resources, it uses those around it.
    fn show_form(&mut self, stream: &PdfStream, resources: &PdfDict, mut graphics: GraphicsState) {
        self.depth += 1;
        let bytes = self.decode(stream);
        let matrix: Vec<_> = self.file.items(stream.dict.get(b"Matrix"));
        let matrix: Vec<_> = matrix.iter().filter_map(PdfObject::number).collect();
        let matrix = matrix.try_into().map_or(Matrix::IDENTITY, Matrix);
        graphics.to_page = matrix.then(graphics.to_page);
        match self.file.get(&stream.dict, b"Resources") {
            PdfObject::Dict(own) => self.content(&bytes, &own, graphics),
            _ => self.content(&bytes, resources, graphics),
        }
        self.depth -= 1;
    }
}

impl ContentStreamState<'_> {
    /// Performs an operator that changes only this state.
    fn place(&mut self, name: &[u8], operands: &[Token<'_>]) {
        let number = || numbers::<1>(operands)[0];
        match name {
            b"q" if self.saved.len() < MAX_SAVED_STATES => self.saved.push(self.graphics.clone()),
            b"Q" => {
                if let Some(saved) = self.saved.pop() {
                    self.graphics = saved;
                }
            }
            b"cm" => {
                let matrix = Matrix(numbers(operands));
                self.graphics.to_page = matrix.then(self.graphics.to_page);
            }
            b"BT" => (self.text, self.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            b"Tm" => {
                self.line = Matrix(numbers(operands));
                self.text = self.line;
            }
            b"Td" => self.move_line(numbers(operands)),
            b"TD" => {
                let [x, y] = numbers(operands);
                self.graphics.leading = -y;
                self.move_line([x, y]);
            }
            b"T*" => self.next_line(),
            b"Tc" => self.graphics.character_space = number(),
            b"Tw" => self.graphics.word_space = number(),
            b"Tz" => self.graphics.scale = number() / 100.0,
            b"TL" => self.graphics.leading = number(),
            b"Ts" => self.graphics.rise = number(),
            _ => {}
        }
    }

    fn move_line(&mut self, [x, y]: [f64; 2]) {
        self.line = Matrix::moved(x, y).then(self.line);
        self.text = self.line;
    }

    fn next_line(&mut self) {
        self.move_line([0.0, -self.graphics.leading]);
    }

    fn is_vertical(&self) -> bool {
        match self.graphics.font.as_deref() {
            Some(PdfFont::Composite(font)) => font.is_vertical,
            _ => false,
        }
    }

    /// Moves the place of the next glyph by `width` in the direction of writing.
    fn advance(&mut self, width: f64) {
        self.text = self.after(width);
    }

    /// Returns the place of a glyph after `width`.
    fn after(&self, width: f64) -> Matrix {
        let step = if self.is_vertical() {
            Matrix::moved(0.0, -width)
        } else {
            Matrix::moved(width * self.graphics.scale, 0.0)
        };
        step.then(self.text)
    }

    /// Returns the place of the next glyph on the page.
    fn point(&self) -> Point {
        self.point_after(0.0)
    }

    /// Returns the place on the page of a glyph after `width`.
    fn point_after(&self, width: f64) -> Point {
        self.after(width)
            .then(self.graphics.to_page)
            .apply(0.0, self.graphics.rise)
    }

    fn mark(&mut self, replaces: bool) {
        if self.marks.len() < MAX_OPERANDS {
            self.marks.push(replaces);
            self.is_replaced |= replaces;
        }
    }
}

/// Returns the first numbers of `operands`; 0 for missing ones.
fn numbers<const N: usize>(operands: &[Token<'_>]) -> [f64; N] {
    let mut numbers = operands.iter().filter_map(|operand| match operand {
        Token::Number(number) => Some(*number),
        _ => None,
    });
    std::array::from_fn(|_| numbers.next().unwrap_or(0.0))
}

/// Passes over an image in the content (8.9.7), up to the `EI` after its data.
fn skip_image(lexer: &mut Lexer<'_>) {
    while let Some(token) = lexer.token() {
        if token == Token::Word(b"ID") {
            break;
        }
    }
    let rest = lexer.rest();
    let is_blank = |byte: Option<&u8>| byte.is_none_or(|byte| super::lexer::is_blank(*byte));
    let ends = |at: &usize| is_blank(rest.get(at.wrapping_sub(1))) && is_blank(rest.get(at + 2));
    let end = memchr::memmem::find_iter(rest, b"EI").find(ends);
    lexer.at += end.map_or(rest.len(), |at| at + 2);
}

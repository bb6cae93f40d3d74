//! Reads the text of PDF files: a document for the metadata, and one for each page.
//!
//! `file` finds objects by their numbers (`table`, `object`, `lexer`), decrypts (`crypt`) and unpacks (`filter`) them.
//! `content` reads the strings of a page, in the order in which it shows them, with `font`, `cmap` and `encoding` for their
//! characters; `lines` makes lines of them, and `joins` a text, using the `links` of the page.
//!
//! The file is held in memory. The bytes unpacked at the same time are bounded, and so are the bytes unpacked in total;
//! repeated parts count each time. So no file takes more time or memory than its size allows.

mod cmap;
mod content;
mod crypt;
mod encoding;
mod file;
mod filter;
mod font;
mod geometry;
mod joins;
mod lexer;
mod lines;
mod links;
mod metadata;
mod object;
mod pages;
mod table;
mod workers;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use self::content::FontCache;
pub(super) use self::file::PdfLimits;
use self::file::{DamagedStream, PasswordNeeded, PdfFile};
use self::filter::StreamFlaw;
use self::joins::LinkTargets;
use self::lexer::Lexer;
use self::lines::TextLine;
use self::pages::Page;
pub(super) use self::workers::{
    PdfAnswer, PdfText, PdfThreads, start as start_workers, unreadable,
};
use super::fault::{InputError, Packing};
use super::numbers::LATE_HEAD_BYTES;

/// Bytes that every file may unpack to in total.
const FREE_BYTES: u64 = 64 << 20;
/// Bytes per byte of the file that may be unpacked in total. Articles unpack to three times their size.
const MAX_EXPANSION: u64 = 32;
/// Maximum number of errors of pages that are reported for a file.
const MAX_PAGE_ERRORS: usize = 10;
/// The cost of a page besides its content.
const PAGE_COST: usize = 1 << 10;

/// The error of a file that does not end as a whole file does.
const NO_OBJECT_TABLE: &str = "has no table of objects at its end: it may be cut short; pages may be missing, and their numbers may be \
    wrong; get it again";
/// The error of a file that is recognised only by its end.
const DAMAGED_START: &str = "has a damaged start; get it again";
/// The error of a file with more errors than are reported of its pages.
const MORE_ERRORS: &str = "has more pages with errors than these 10; get it again";
/// The error of a file whose page tree does not lead to all pages.
const DAMAGED_PAGE_TREE: &str =
    "has a damaged page tree; pages may be missing, and their numbers may be wrong; get it again";

/// A document of a file.
#[derive(Debug, Default)]
pub(super) struct PdfDocument {
    pub(super) name: String,
    pub(super) text: String,
    /// Whether it is a page: lines of text, whose ends the layout made.
    pub(super) is_page: bool,
    /// Whether it is a page without text, such as a scanned one. A page whose content is lost is not blank.
    pub(super) is_blank: bool,
    /// Why text is missing from it.
    pub(super) error: Option<InputError>,
}

impl PdfLimits {
    /// Returns the limits for a file of `length` bytes. `is_last` says that content which does not fit in `memory` bytes is
    /// left out; otherwise such a file is not read.
    pub(super) fn of(length: usize, memory: usize, is_last: bool) -> Self {
        PdfLimits {
            memory,
            is_last,
            total: FREE_BYTES.max(MAX_EXPANSION.saturating_mul(length as u64)),
        }
    }
}

/// Whether `start`, the first [`LATE_HEAD_BYTES`] bytes of a stream, has the header of a PDF file after other bytes. The line after
/// the header must be one that a text about PDF does not have.
pub(super) fn starts_late(start: &[u8]) -> bool {
    let headers = memchr::memmem::find_iter(start, b"%PDF-");
    headers.take(4).any(|at| {
        let mut rest = Lexer::new(start, at);
        // The header is a comment, and a comment of other bytes usually follows it.
        rest.skip_blanks();
        table::header_at(start, rest.at).is_some()
    })
}

/// Reads the documents of `bytes`, and the error that ended the file early, if any. Returns `None` if the limits are not
/// the last and are reached.
pub(super) fn read_text(bytes: &[u8], limits: PdfLimits) -> Option<PdfText> {
    let start = memchr::memmem::find(&bytes[..bytes.len().min(LATE_HEAD_BYTES)], b"%PDF-");
    let mut documents = Vec::new();
    let read = catch_unwind(AssertUnwindSafe(|| {
        read_file(&bytes[start.unwrap_or(0)..], limits, &mut documents)
    }));
    let error = match read {
        Ok(Err(PdfEnd::Short)) => return None,
        Ok(Err(PdfEnd::Error(error))) => Some(error),
        Ok(Ok(())) => start.is_none().then_some(InputError::Pdf(DAMAGED_START)),
        Err(_) => Some(InputError::Pdf("cannot be read")),
    };
    Some((documents, error))
}

/// Why a file was not read to its end.
enum PdfEnd {
    /// More memory is needed, and higher limits can be tried.
    Short,
    Error(InputError),
}

fn read_file(
    data: &[u8],
    limits: PdfLimits,
    documents: &mut Vec<PdfDocument>,
) -> Result<(), PdfEnd> {
    let file = PdfFile::open(data, limits);
    let file = file.map_err(|PasswordNeeded| PdfEnd::Error(InputError::Encrypted(Packing::Pdf)))?;
    let is_short = || !limits.is_last && (file.is_short() || file.is_spent());
    let mut reader = PageReader::new(&file, limits);
    reader.metadata(documents);
    let mut is_cut = false;
    let is_whole = pages::for_each_page(&file, &mut |page| {
        is_cut = file.is_spent() || reader.left == 0 || is_short();
        if is_cut {
            ControlFlow::Break(())
        } else {
            reader.page(page, documents);
            ControlFlow::Continue(())
        }
    });
    let is_empty = reader.number == 0;
    if is_short() || is_cut && !limits.is_last {
        return Err(PdfEnd::Short);
    }
    let errors = reader.finish(documents);
    let fault = match () {
        () if is_cut || file.is_spent() => {
            "needs more work than its size allows; its last pages were not read"
        }
        () if is_empty && file.has_end() => "has no pages that can be found",
        () if is_empty => "has no pages that can be found; it may be cut short; get it again",
        () if !file.has_end() => NO_OBJECT_TABLE,
        () if !is_whole => DAMAGED_PAGE_TREE,
        () if errors > MAX_PAGE_ERRORS => MORE_ERRORS,
        () => return Ok(()),
    };
    Err(PdfEnd::Error(InputError::Pdf(fault)))
}

/// Returns the error for a damaged stream that other objects need.
fn damaged(damage: DamagedStream) -> InputError {
    InputError::PdfStream {
        object: damage.object,
        offset: damage.offset as u64,
        fault: match damage.flaw {
            StreamFlaw::Damaged => "is damaged; get the file again",
            StreamFlaw::Chained => "is packed by more than 8 filters",
            StreamFlaw::Unreadable => "is packed by an unknown filter",
            StreamFlaw::Characters => {
                "has longer texts of characters, or more of them, than a font may have"
            }
            _ => "is too large; --memory may allow more",
        },
    }
}

/// Reads the pages of a file. Each is completed when the next one is known, since its last line may end there.
struct PageReader<'f, 'd> {
    file: &'f PdfFile<'d>,
    fonts: FontCache,
    /// The number of the last page, from 1.
    number: u64,
    held: Option<PendingPage>,
    /// Bytes of text that the file may still have.
    left: usize,
    /// Errors of its pages, reported or not.
    errors: usize,
}

/// A page that was read, but is not a text yet.
struct PendingPage {
    number: u64,
    lines: Vec<TextLine>,
    targets: Vec<String>,
    flaw: Option<StreamFlaw>,
    /// A flaw of a stream that the page needs.
    damage: Option<DamagedStream>,
}

impl<'f, 'd> PageReader<'f, 'd> {
    fn new(file: &'f PdfFile<'d>, limits: PdfLimits) -> Self {
        PageReader {
            file,
            fonts: FontCache::new(limits.memory / 8),
            number: 0,
            held: None,
            left: limits.memory / 4,
            errors: 0,
        }
    }

    fn metadata(&mut self, documents: &mut Vec<PdfDocument>) {
        let text = metadata::of(self.file);
        // Objects that lead to the pages may be damaged too.
        let error = self.file.take_damage().map(damaged);
        if !text.is_empty() || error.is_some() {
            let document = PdfDocument {
                name: "#metadata".into(),
                is_blank: false,
                text,
                error,
                ..PdfDocument::default()
            };
            self.add(documents, document);
        }
    }

    fn page(&mut self, page: &Page, documents: &mut Vec<PdfDocument>) {
        self.file.spend(PAGE_COST);
        self.number += 1;
        let shown = content::page_text(self.file, &mut self.fonts, page);
        let (targets, cut) = links::of(self.file, page);
        let mut next = PendingPage {
            number: self.number,
            lines: shown.lines.lines,
            targets,
            flaw: shown.flaw.or(cut),
            damage: self.file.take_damage(),
        };
        if let Some(held) = self.held.take() {
            self.complete(held, Some(&mut next), documents);
        }
        self.held = Some(next);
    }

    /// Completes the last page. Returns the number of errors.
    fn finish(mut self, documents: &mut Vec<PdfDocument>) -> usize {
        if let Some(held) = self.held.take() {
            self.complete(held, None, documents);
        }
        self.errors
    }

    fn complete(
        &mut self,
        page: PendingPage,
        next: Option<&mut PendingPage>,
        documents: &mut Vec<PdfDocument>,
    ) {
        let after = next.as_ref().map_or(&[][..], |next| &next.targets);
        let targets = LinkTargets::new(page.targets.iter().chain(after));
        let next_lines = next.map_or(&mut [][..], |next| &mut next.lines);
        let mut text = joins::text(&page.lines, next_lines, &targets);
        for target in &page.targets {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(target);
        }
        let is_read = page.flaw.is_none();
        let document = PdfDocument {
            name: format!("#page={}", page.number),
            is_page: true,
            is_blank: is_read && page.damage.is_none() && text.is_empty(),
            error: match page.damage {
                Some(damage) => Some(damaged(damage)),
                None => page.flaw.and_then(|flaw| self.error(flaw)),
            },
            text,
        };
        self.add(documents, document);
    }

    /// Returns the error of a page; `None` if no text is missing, or the error of the file explains it.
    fn error(&self, flaw: StreamFlaw) -> Option<InputError> {
        Some(InputError::Pdf(match flaw {
            StreamFlaw::Unreadable => return None,
            StreamFlaw::Missing if !self.file.has_end() => return None,
            StreamFlaw::Missing => "has a page whose content is missing; get it again",
            StreamFlaw::Damaged => "has a page whose content is damaged",
            StreamFlaw::Large => "has a page whose content is too large",
            StreamFlaw::Chained => "has a page whose content is packed by more than 8 filters",
            StreamFlaw::Nested => "has a page with forms that are nested more than 32 deep",
            StreamFlaw::Text => {
                "has a page with more text than is kept; --memory may allow more, up to 16 MiB"
            }
            StreamFlaw::Operands => "has a page with an operator of more than 65,536 operands",
            StreamFlaw::Links => {
                "has a page with more links than are kept; --memory may allow more, up to 100,000"
            }
            StreamFlaw::Characters => return None,
        }))
    }

    fn add(&mut self, documents: &mut Vec<PdfDocument>, mut document: PdfDocument) {
        self.errors += usize::from(document.error.is_some());
        document.error = document.error.filter(|_| self.errors <= MAX_PAGE_ERRORS);
        self.left = self.left.saturating_sub(document.text.len() + PAGE_COST);
        documents.push(document);
    }
}

//! Office documents, which are zip archives of XML: texts of paragraphs and cells instead of the XML.
//!
//! [`OfficePackage`] stands between the zip reader and its consumer and replaces the members that hold text: `prose` reads
//! paragraphs, `sheet` and `ods` cells, with the names and texts that `workbook` gathers before. A member is recognised
//! by its root element. All others are passed on as they are: properties, and relationships, which hold the targets of links.
//!
//! Besides the texts that the cells of a workbook share, at most 4 MiB are held for each member.

mod cell;
mod number;
mod ods;
mod prose;
mod sheet;
mod table;
mod workbook;
mod xml;

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use memchr::{memchr, memmem};

use self::cell::{Cells, SheetPlace};
use self::prose::{Dialect, Prose};
use self::table::SheetTable;
use self::workbook::Workbook;
use super::container::{Level, Members};
use super::documents::Origin;
use super::expansion::{Expansion, Watched};
use super::fault::InputError;
use super::opening::{Opening, SheetChoice};
use super::raw::Raw;
use super::zip;

/// Bytes of a member in which its root element must start and name its namespace.
const HEAD: usize = 4 << 10;
/// What namespaces of office documents contain, as ISO/IEC 29500 and ISO/IEC 26300 have them.
const NAMESPACES: [&[u8]; 3] = [
    b"openxmlformats.org/",
    b"purl.oclc.org/ooxml/",
    b"urn:oasis:names:tc:opendocument:",
];

/// The start of the kind of OpenDocument spreadsheets, and of their templates.
const SPREADSHEET: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";
/// The member of OpenDocument that holds text, or all sheets.
const CONTENT: &str = "content.xml";

/// What a member of an office document holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Prose(Dialect),
    /// The cells of a sheet (Office Open XML).
    Sheet,
    /// The texts that cells share.
    Strings,
    /// The names of the sheets.
    Workbook,
    /// The formats of cells.
    Styles,
}

/// The part that starts with `head`; none if it is no text of an office document.
fn part(head: &[u8]) -> Option<Part> {
    let root = root(head)?;
    let ooxml = |head| {
        NAMESPACES[..2]
            .iter()
            .any(|own| memmem::find(head, own).is_some())
    };
    let odf = |head| memmem::find(head, NAMESPACES[2]).is_some();
    let part = match root {
        b"document" | b"footnotes" | b"endnotes" | b"comments" | b"hdr" | b"ftr"
        | b"glossaryDocument" | b"sld" | b"notes" | b"sldLayout" | b"sldMaster"
        | b"notesMaster" | b"handoutMaster" | b"cmLst" | b"dataModel" | b"drawing"
        | b"chartSpace" | b"wsDr" | b"userShapes"
            if ooxml(head) =>
        {
            Part::Prose(Dialect::Ooxml)
        }
        b"document-content" | b"document-styles" | b"document" if odf(head) => {
            Part::Prose(Dialect::Odf)
        }
        b"worksheet" if ooxml(head) => Part::Sheet,
        b"sst" if ooxml(head) => Part::Strings,
        b"workbook" if ooxml(head) => Part::Workbook,
        b"styleSheet" if ooxml(head) => Part::Styles,
        _ => return None,
    };
    Some(part)
}

/// The local name of the root element.
fn root(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', name @ ..] => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
                let name = &name[..name.iter().position(is_end)?];
                return Some(memchr(b':', name).map_or(name, |at| &name[at + 1..]));
            }
            _ => return None,
        };
        rest = &rest[memmem::find(rest, end)? + end.len()..];
    }
}

/// Passes on the members of a zip archive, and of one that is an office document the texts.
pub(super) struct OfficePackage<'a, 'o> {
    walk: &'a mut dyn Members,
    opening: &'a Opening<'o>,
    file: &'a File,
    /// Read when the first sheet is reached, since only sheets need it.
    workbook: Option<Workbook>,
    /// Whether it is an OpenDocument spreadsheet, as its first member says.
    is_ods: bool,
    /// The sheet that is read as a table.
    chosen: Option<ChosenSheet>,
}

/// A sheet that is read as a table.
struct ChosenSheet {
    /// The member that holds it, and its number in the workbook, from 0.
    member: String,
    number: usize,
    table: SheetTable,
}

impl<'a, 'o> OfficePackage<'a, 'o> {
    pub(super) fn new(
        walk: &'a mut dyn Members,
        opening: &'a Opening<'o>,
        file: &'a File,
    ) -> OfficePackage<'a, 'o> {
        OfficePackage {
            walk,
            opening,
            file,
            workbook: None,
            is_ods: false,
            chosen: None,
        }
    }

    /// Reads the archive at `level`. `reported` says that a loss in it was already reported.
    pub(super) fn read(&mut self, level: &Level<'_>, reported: bool) {
        let (opening, file) = (self.opening, self.file);
        if let Some(choice) = opening.sheet {
            let workbook = Workbook::read(opening, level, file, choice.memory);
            if !workbook.sheets.is_empty() {
                return self.read_table(level, choice, workbook);
            }
        }
        zip::read(self, opening, level, file, reported);
    }

    /// Passes on a sheet as a table.
    fn read_table(&mut self, level: &Level<'_>, choice: &SheetChoice, workbook: Workbook) {
        let names: Vec<&str> = workbook.sheets.iter().map(|(name, _)| &**name).collect();
        let chosen = choice.of(&names).and_then(|number| {
            Ok(ChosenSheet {
                member: workbook.sheets[number].1.clone(),
                number,
                table: SheetTable::new(self.opening.tmp)?,
            })
        });
        let name = match &chosen {
            Ok(chosen) => workbook.sheets[chosen.number].0.clone(),
            Err(_) => String::new(),
        };
        match chosen {
            Ok(chosen) => self.chosen = Some(chosen),
            Err(error) => return self.walk.lose(level, 0, error),
        }
        self.workbook = Some(workbook);
        let (opening, file) = (self.opening, self.file);
        zip::read(self, opening, level, file, false);
        if let Some(chosen) = self.chosen.take() {
            let sheets = self.workbook.take().map_or(0, |book| book.sheets.len());
            pass_table(self.walk, level, &name, sheets, chosen.table);
        }
    }

    /// Reads the member that holds the chosen sheet, and passes over all others.
    fn table_member(
        &mut self,
        level: &Level<'_>,
        number: u64,
        name: &str,
        bytes: &mut dyn Read,
    ) -> bool {
        let is_it = |chosen: &mut ChosenSheet| chosen.member == name;
        let Some(mut chosen) = self.chosen.take_if(is_it) else {
            return true;
        };
        let place = SheetPlace {
            level,
            number,
            member: name,
        };
        let cells = Cells::new(self.walk, place, Some(&mut chosen.table), String::new());
        let go_on = match &self.workbook {
            Some(_) if name == CONTENT => ods::read(cells, chosen.number, bytes),
            Some(workbook) if workbook.holds_strings() => sheet::read(cells, workbook, bytes),
            _ => {
                let fault = "has more shared texts than can be held; save the sheet as CSV";
                self.walk
                    .lose_member(level, number, name, 0, InputError::Office(fault));
                false
            }
        };
        self.chosen = Some(chosen);
        go_on
    }

    fn load(&mut self, level: &Level<'_>) {
        if self.workbook.is_none() {
            let memory = self.opening.share / 2;
            let workbook = Workbook::read(self.opening, level, self.file, memory);
            self.workbook = Some(workbook);
        }
    }

    fn prose(
        &mut self,
        level: &Level<'_>,
        name: &str,
        dialect: Dialect,
        bytes: &mut dyn Read,
    ) -> bool {
        let mut text = Prose::new(bytes, dialect);
        self.walk
            .text(level, Some(name), Some(Origin::Office), &mut text)
    }

    fn sheet(&mut self, level: &Level<'_>, number: u64, name: &str, bytes: &mut dyn Read) -> bool {
        let place = SheetPlace {
            level,
            number,
            member: name,
        };
        if self.is_ods {
            return ods::read(Cells::new(self.walk, place, None, String::new()), 0, bytes);
        }
        self.load(level);
        let Some(workbook) = &self.workbook else {
            return true;
        };
        let sheet = workbook.sheet(name).to_owned();
        sheet::read(Cells::new(self.walk, place, None, sheet), workbook, bytes)
    }

    /// Shared texts are passed on with the cells that have them; by themselves only if they were too many to be held.
    fn strings(
        &mut self,
        level: &Level<'_>,
        number: u64,
        name: &str,
        bytes: &mut dyn Read,
    ) -> bool {
        self.load(level);
        let is_held = self.workbook.as_ref().is_some_and(Workbook::holds_strings);
        if !is_held {
            let error = InputError::Office(
                "has more shared texts than --memory has room for; they were read without their cells",
            );
            self.walk.lose_member(level, number, name, 0, error);
            return self.prose(level, name, Dialect::Ooxml, bytes);
        }
        // Only the zip reader's check is of interest.
        if let Err(error) = io::copy(bytes, &mut io::sink()) {
            self.walk.lose_member(level, number, name, 0, error.into());
        }
        true
    }
}

/// Passes on the rows of a sheet called `name`, which is one of this many.
fn pass_table(
    walk: &mut dyn Members,
    level: &Level<'_>,
    name: &str,
    sheets: usize,
    table: SheetTable,
) {
    let expansion = walk.expansion().clone();
    match table.into_rows() {
        Ok(rows) => {
            let mut rows = Watched::new(rows, &expansion);
            walk.text(level, Some(name), Some(Origin::Sheet(sheets)), &mut rows);
        }
        Err(error) => walk.lose(level, 0, error.into()),
    }
}

impl Members for OfficePackage<'_, '_> {
    fn expansion(&self) -> &Arc<Expansion> {
        self.walk.expansion()
    }

    fn member(&mut self, level: &Level<'_>, number: u64, name: &str, bytes: &mut dyn Read) -> bool {
        if self.opening.sheet.is_some() && self.workbook.is_some() {
            return self.table_member(level, number, name, bytes);
        }
        if name.ends_with("xl/workbook.bin") {
            let error = InputError::Office("is a binary workbook; save it as .xlsx and scan that");
            self.walk.lose_member(level, number, name, 0, error);
            return true;
        }
        let is_kind = name == "mimetype";
        if !is_xml(name) && !is_kind {
            return self.walk.member(level, number, name, bytes);
        }
        let mut raw = Raw::with_capacity(bytes, HEAD);
        self.is_ods |= is_kind && raw.peek(HEAD).starts_with(SPREADSHEET);
        match part(raw.peek(HEAD)) {
            Some(Part::Prose(Dialect::Odf)) if self.is_ods && name == CONTENT => {
                self.sheet(level, number, name, &mut raw)
            }
            Some(Part::Prose(dialect)) => self.prose(level, name, dialect, &mut raw),
            Some(Part::Sheet) => self.sheet(level, number, name, &mut raw),
            Some(Part::Strings) => self.strings(level, number, name, &mut raw),
            Some(Part::Workbook | Part::Styles) | None => {
                self.walk.member(level, number, name, &mut raw)
            }
        }
    }

    fn text(
        &mut self,
        level: &Level<'_>,
        name: Option<&str>,
        origin: Option<Origin>,
        bytes: &mut dyn Read,
    ) -> bool {
        self.walk.text(level, name, origin, bytes)
    }

    fn before(&mut self, level: &Level<'_>, bytes: &mut dyn Read) -> bool {
        self.walk.before(level, bytes)
    }

    fn lose(&mut self, level: &Level<'_>, offset: u64, error: InputError) {
        self.walk.lose(level, offset, error);
    }

    fn lose_member(
        &mut self,
        level: &Level<'_>,
        number: u64,
        name: &str,
        offset: u64,
        error: InputError,
    ) {
        self.walk.lose_member(level, number, name, offset, error);
    }
}

/// Whether a member's name says that it may be a part with text.
fn is_xml(name: &str) -> bool {
    let ending = name.len().checked_sub(4).and_then(|at| name.get(at..));
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(".xml"))
}

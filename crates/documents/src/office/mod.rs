//! Office documents: texts of paragraphs and cells instead of the members of their archives.
//!
//! [`OfficePackage`] is between the reader of a `package` and its consumer. It replaces the members with text: `prose`
//! reads paragraphs; `sheet`, `ods` and `xlsb_sheet` read cells, with the names and texts that `workbook` gathers before. A
//! member is recognised by its root element (`part`). All others are passed on unchanged: properties, and relationships,
//! which have the targets of links. The old format `xls` is not a zip archive but an OLE2 file (`ole`). `table` makes a
//! table of the cells of a sheet.
//!
//! An office document is one document in several parts.
//!
//! Besides the texts that the cells of a workbook share, at most 4 MiB are held for each member.

mod address;
mod cell;
mod number;
mod ods;
mod ole;
mod package;
mod page_header;
mod part;
mod prose;
mod sheet;
mod strings;
mod table;
mod workbook;
mod xls;
mod xlsb;
mod xlsb_sheet;

use std::sync::Arc;

use self::cell::{CellSink, MemberPlace};
pub(super) use self::package::PackageFile;
use self::part::{
    CONTENT_PART, HEAD_BYTES, OfficePart, in_utf8, is_binary, is_binary_strings, is_sheet_links,
    is_spreadsheet, is_xml, part,
};
use self::prose::{ProseDialect, ProseReader};
use self::strings::MANY_STRINGS;
use self::table::{SheetTable, pass_table};
use self::workbook::Workbook;
pub(super) use self::xls::read_ole2;
use super::container::{MemberSink, StreamLevel};
use super::documents::TextOrigin;
use super::expansion::Expansion;
use super::fault::InputError;
use super::gate::MemoryPermit;
use super::open_document::OPEN_DOCUMENT;
use super::peek::PeekReader;
use super::read::ReadBytes;
use super::read_options::{ReadOptions, SheetChoice};

/// Passes on the members of a package; of an office document, its texts.
pub(super) struct OfficePackage<'a, 'o> {
    sink: &'a mut dyn MemberSink,
    options: &'a ReadOptions<'o>,
    package: PackageFile<'a>,
    /// Read when the first sheet is reached, since only sheets need it.
    workbook: Option<Workbook>,
    /// Held while the workbook takes more than a thread's share of the memory.
    admitted: Option<MemoryPermit<'o>>,
    /// Whether it is an OpenDocument spreadsheet, as its first member states.
    is_ods: bool,
    /// Whether it is an OpenDocument file of any kind.
    is_odf: bool,
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
        sink: &'a mut dyn MemberSink,
        options: &'a ReadOptions<'o>,
        package: PackageFile<'a>,
    ) -> OfficePackage<'a, 'o> {
        OfficePackage {
            sink,
            options,
            package,
            workbook: None,
            admitted: None,
            is_ods: false,
            is_odf: false,
            chosen: None,
        }
    }

    /// Reads the package at `level`. `reported` says that a loss in it was already reported.
    pub(super) fn read(&mut self, level: &StreamLevel<'_>, reported: bool) {
        let (options, package) = (self.options, self.package);
        if let Some(choice) = options.sheet {
            let workbook = Workbook::read(options, level, package, choice.memory);
            if !workbook.sheets.is_empty() {
                return self.read_table(level, choice, workbook);
            }
        }
        let is_whole = package.is_document();
        if is_whole {
            self.sink.begin_parts();
        }
        package.read(self, options, level, reported);
        if is_whole {
            self.sink.end_parts();
        }
    }

    /// Passes on a sheet as a table.
    fn read_table(&mut self, level: &StreamLevel<'_>, choice: &SheetChoice, workbook: Workbook) {
        let names: Vec<&str> = workbook.sheets.iter().map(|(name, _)| &**name).collect();
        let chosen = choice.number_among(&names).and_then(|number| {
            Ok(ChosenSheet {
                member: workbook.sheets[number].1.clone(),
                number,
                table: SheetTable::new(self.options.temp_folder)?,
            })
        });
        let chosen = match chosen {
            Ok(chosen) => chosen,
            Err(error) => return self.sink.report_loss(level, 0, error),
        };
        let (name, sheets) = (names[chosen.number].to_owned(), names.len());
        self.chosen = Some(chosen);
        self.workbook = Some(workbook);
        let (options, package) = (self.options, self.package);
        package.read(self, options, level, false);
        if let Some(chosen) = self.chosen.take() {
            pass_table(self.sink, level, &name, sheets, chosen.table);
        }
    }

    /// Reads the member that holds the chosen sheet, and passes over all others.
    fn table_member(&mut self, at: MemberPlace<'_>, bytes: &mut dyn ReadBytes) -> bool {
        let is_it = |chosen: &mut ChosenSheet| chosen.member.eq_ignore_ascii_case(at.member);
        let Some(mut chosen) = self.chosen.take_if(is_it) else {
            return true;
        };
        let cells = CellSink::new(self.sink, at, Some(&mut chosen.table), String::new());
        let go_on = match &self.workbook {
            Some(_) if at.member == CONTENT_PART => ods::read_cells(cells, chosen.number, bytes),
            Some(workbook) if workbook.holds_strings() => read_cells(cells, workbook, bytes),
            _ => {
                at.report_loss(self.sink, 0, InputError::Office(MANY_STRINGS));
                false
            }
        };
        self.chosen = Some(chosen);
        go_on
    }

    fn load(&mut self, level: &StreamLevel<'_>) {
        if self.workbook.is_some() {
            return;
        }
        let read = |room| Workbook::read(self.options, level, self.package, room);
        let [share, whole] = self.options.held_bytes();
        let mut workbook = read(share);
        if !workbook.holds_strings() && share < whole {
            let admitted = self.options.admit();
            workbook = read(whole);
            self.admitted = workbook.holds_strings().then_some(admitted);
        }
        self.workbook = Some(workbook);
    }

    fn prose(
        &mut self,
        at: MemberPlace<'_>,
        dialect: ProseDialect,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        let mut text = ProseReader::new(bytes, dialect);
        let origin = Some(TextOrigin::Office);
        self.sink.text(at.level, Some(at.member), origin, &mut text)
    }

    fn sheet(&mut self, at: MemberPlace<'_>, bytes: &mut dyn ReadBytes) -> bool {
        self.load(at.level);
        let Some(workbook) = &self.workbook else {
            return true;
        };
        let sheet = workbook.sheet(at.member).to_owned();
        read_cells(CellSink::new(self.sink, at, None, sheet), workbook, bytes)
    }

    /// Reads a part of a binary workbook. Others, such as printer settings, are members.
    fn binary(&mut self, at: MemberPlace<'_>, bytes: &mut dyn ReadBytes) -> bool {
        self.load(at.level);
        let book = self.workbook.as_ref();
        if book.is_some_and(|book| book.has_member(at.member)) {
            self.sheet(at, bytes)
        } else if is_binary_strings(at.member) {
            self.strings(at, bytes)
        } else if at.member.contains("/comments") {
            xlsb_sheet::read_comments(CellSink::new(self.sink, at, None, String::new()), bytes)
        } else {
            self.sink.member(at.level, at.number, at.member, bytes)
        }
    }

    /// Handles the shared texts, which are passed on with the cells that have them.
    fn strings(&mut self, at: MemberPlace<'_>, bytes: &mut dyn ReadBytes) -> bool {
        self.load(at.level);
        if self.workbook.as_ref().is_some_and(Workbook::holds_strings) {
            return self.pass_over(at, bytes);
        }
        at.report_loss(self.sink, 0, InputError::Office(MANY_STRINGS));
        true
    }

    /// Reads a member whose texts are passed on elsewhere, so that the zip reader checks it.
    fn pass_over(&mut self, at: MemberPlace<'_>, bytes: &mut dyn ReadBytes) -> bool {
        if let Err(error) = bytes.skip(u64::MAX) {
            at.report_loss(self.sink, 0, error);
        }
        true
    }

    /// Reads a member that may be a part with text.
    fn part(&mut self, at: MemberPlace<'_>, raw: &mut PeekReader<&mut dyn ReadBytes>) -> bool {
        let head = raw.peek(HEAD_BYTES);
        self.is_ods |= is_spreadsheet(at.member, head);
        self.is_odf |= at.member == "mimetype" && head.starts_with(OPEN_DOCUMENT);
        let is_content = at.member == CONTENT_PART;
        match part(head) {
            Some(OfficePart::Prose(ProseDialect::Odf)) if self.is_ods && is_content => {
                ods::read_cells(CellSink::new(self.sink, at, None, String::new()), 0, raw)
            }
            Some(OfficePart::Prose(dialect)) => self.prose(at, dialect, raw),
            Some(OfficePart::Sheet) => self.sheet(at, raw),
            Some(OfficePart::Strings) => self.strings(at, raw),
            None if self.is_odf && is_content => {
                let fault =
                    "is encrypted or damaged; open it with its password, and save it without one";
                at.report_loss(self.sink, 0, InputError::Office(fault));
                true
            }
            Some(OfficePart::Workbook | OfficePart::Styles) | None => {
                self.sink.member(at.level, at.number, at.member, raw)
            }
        }
    }
}

/// Passes on the cells of a sheet of Office Open XML. Returns false if the source should not be read further.
fn read_cells(cells: CellSink<'_>, workbook: &Workbook, bytes: &mut dyn ReadBytes) -> bool {
    if is_binary(cells.member()) {
        xlsb_sheet::read_cells(cells, workbook, bytes)
    } else {
        sheet::read_cells(cells, workbook, bytes)
    }
}

impl MemberSink for OfficePackage<'_, '_> {
    fn expansion(&self) -> &Arc<Expansion> {
        self.sink.expansion()
    }

    fn next_sink(&mut self) -> Option<&mut dyn MemberSink> {
        Some(self.sink)
    }

    fn member(
        &mut self,
        level: &StreamLevel<'_>,
        number: u64,
        name: &str,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        let at = MemberPlace {
            level,
            number,
            member: name,
        };
        if self.options.sheet.is_some() && self.workbook.is_some() {
            return self.table_member(at, bytes);
        }
        if is_binary(name) {
            return self.binary(at, bytes);
        }
        if is_sheet_links(name) {
            self.load(level);
            if self.workbook.as_ref().is_some_and(Workbook::holds_links) {
                return self.pass_over(at, bytes);
            }
        }
        if !is_xml(name) && name != "mimetype" {
            return self.sink.member(level, number, name, bytes);
        }
        in_utf8(bytes, |raw| self.part(at, raw))
    }
}

//! Data of other members that the sheets of a workbook need: names of sheets, the texts that cells share, and the formats
//! of numbers.
//!
//! These members may come after the sheets, so the archive is first read for them alone. Losses in them are reported when
//! they are reached again.

use std::collections::HashMap;
use std::sync::Arc;

use quick_xml::events::BytesStart;

use super::number::NumberFormats;
use super::package::PackageFile;
use super::part::{
    CONTENT_PART, HEAD_BYTES, OfficePart, in_utf8, is_binary, is_binary_strings, is_sheet_links,
    is_spreadsheet, is_xml, part,
};
use super::prose::ProseDialect;
use super::strings::SharedStrings;
use super::xlsb;
use crate::container::{MemberSink, StreamLevel};
use crate::expansion::Expansion;
use crate::peek::PeekReader;
use crate::read::ReadBytes;
use crate::read_options::ReadOptions;
use crate::xml::{XmlPiece, XmlReader, attribute};

/// Maximum bytes of names of sheets and of paths that are held. Further sheets have the names of their members.
const MAX_NAME_BYTES: usize = 2 << 20;

/// The sheets, the shared texts and the formats of numbers.
pub(super) struct Workbook {
    /// The names and members of the sheets.
    pub(super) sheets: Vec<(String, String)>,
    /// The numbers of the sheets by their members, in lower case.
    by_member: HashMap<String, usize>,
    strings: SharedStrings,
    formats: NumberFormats,
    links: CellLinks,
}

/// The targets of links on cells, by the folder entry of their sheets and their identifiers.
#[derive(Default)]
struct CellLinks {
    targets: HashMap<(String, String), String>,
    /// Whether there are more than can be held; then none is held.
    is_over: bool,
}

impl Workbook {
    /// Reads this data from the file `package` at `level`. At most `room` bytes of shared texts are held.
    pub(super) fn read(
        options: &ReadOptions<'_>,
        level: &StreamLevel<'_>,
        package: PackageFile<'_>,
        room: usize,
    ) -> Workbook {
        let size = package.file().length().unwrap_or(0);
        let mut gather = PartGatherer {
            expansion: Expansion::new(options.limits.expansion, size),
            folder: String::new(),
            sheets: Vec::new(),
            targets: HashMap::new(),
            held: 0,
            strings: SharedStrings::new(room),
            formats: NumberFormats::default(),
            links: CellLinks::default(),
            is_table: options.sheet.is_some(),
            is_ods: false,
        };
        // Without the file, its bytes do not count as progress twice.
        package.read(&mut gather, options, &level.detached(), true);
        gather.into_workbook()
    }

    /// Returns the name of the sheet in the member `member`; if it has none, the name of its file.
    pub(super) fn sheet<'n>(&'n self, member: &'n str) -> &'n str {
        let file = member.rsplit(['/', '\\']).next().unwrap_or(member);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let known = self.by_member.get(&member.to_ascii_lowercase());
        known.map_or(stem, |number| &self.sheets[*number].0)
    }

    /// Whether the member `member` holds a sheet.
    pub(super) fn has_member(&self, member: &str) -> bool {
        self.by_member.contains_key(&member.to_ascii_lowercase())
    }

    /// Whether all shared texts are held.
    pub(super) fn holds_strings(&self) -> bool {
        !self.strings.is_over
    }

    /// Returns the shared text with this number, from 0.
    pub(super) fn string(&self, number: usize) -> Option<&[u8]> {
        self.strings.get(number)
    }

    /// Whether the targets of links on cells are held, so that they are passed on with their cells.
    pub(super) fn holds_links(&self) -> bool {
        !self.links.is_over
    }

    /// Returns the target of a link with this identifier in the sheet in the member `member`.
    pub(super) fn link(&self, member: &str, id: &str) -> Option<&str> {
        let key = (sheet_links(member), id.to_owned());
        self.links.targets.get(&key).map(String::as_str)
    }

    /// Formats a number of a cell as text.
    pub(super) fn shown(&self, style: u64, value: f64) -> String {
        self.formats.text(style, value)
    }
}

/// Reads only the members that a workbook needs.
struct PartGatherer {
    /// The bytes count again when the members are passed on.
    expansion: Arc<Expansion>,
    /// The folder of the workbook, with a slash at its end.
    folder: String,
    /// The name of each sheet, and the identifier of its relationship.
    sheets: Vec<(String, String)>,
    /// The targets of relationships.
    targets: HashMap<String, String>,
    /// Bytes of the names and targets.
    held: usize,
    strings: SharedStrings,
    formats: NumberFormats,
    links: CellLinks,
    /// Whether a sheet is read as a table.
    is_table: bool,
    is_ods: bool,
}

impl PartGatherer {
    fn into_workbook(self) -> Workbook {
        let path = |(name, id): &(String, String)| {
            let member = if self.is_ods {
                id.clone()
            } else {
                self.path(self.targets.get(id)?)
            };
            Some((name.clone(), member))
        };
        let sheets: Vec<_> = self.sheets.iter().filter_map(path).collect();
        let members = sheets.iter().map(|(_, member)| member.to_ascii_lowercase());
        Workbook {
            by_member: members.zip(0..).collect(),
            sheets,
            strings: self.strings,
            formats: self.formats,
            links: self.links,
        }
    }

    /// Returns the member that a target of the workbook names.
    fn path(&self, target: &str) -> String {
        match target.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => format!("{}{target}", self.folder),
        }
    }

    /// Reads a part of a binary workbook.
    fn read_binary(&mut self, name: &str, bytes: &mut dyn ReadBytes) {
        if is_binary_strings(name) {
            return xlsb::read_strings(bytes, &mut self.strings);
        }
        match name {
            "xl/workbook.bin" => {
                self.folder = "xl/".into();
                let mut formats = std::mem::take(&mut self.formats);
                xlsb::read_workbook(bytes, &mut formats, |name, id| self.add_sheet(name, id));
                self.formats = formats;
            }
            "xl/styles.bin" => xlsb::read_styles(bytes, &mut self.formats),
            _ => {}
        }
    }

    /// Reads a member in XML, or the kind of the archive.
    fn read_part(&mut self, name: &str, raw: &mut PeekReader<&mut dyn ReadBytes>) {
        let head = raw.peek(HEAD_BYTES);
        let part = part(head);
        self.is_ods |= is_spreadsheet(name, head);
        let mut xml = XmlReader::new(raw);
        match part {
            _ if is_sheet_links(name) => self.read_links(name, &mut xml),
            _ if name.ends_with(".rels") => self.read_targets(&mut xml),
            Some(OfficePart::Strings) => self.strings.read(&mut xml),
            Some(OfficePart::Styles) if self.is_table => self.formats.read(&mut xml),
            Some(OfficePart::Prose(ProseDialect::Odf))
                if self.is_table && self.is_ods && name == CONTENT_PART =>
            {
                self.read_tables(name, &mut xml);
            }
            Some(OfficePart::Workbook) => {
                self.folder = name[..name.rfind('/').map_or(0, |at| at + 1)].to_owned();
                self.read_workbook(&mut xml);
            }
            _ => {}
        }
    }

    fn read_workbook(&mut self, xml: &mut XmlReader<'_>) {
        each_tag(xml, |tag| match tag.local_name().into_inner() {
            "sheet" => {
                if let Some([name, id]) = named(tag, ["name", "id"]) {
                    self.add_sheet(name, id);
                }
            }
            "workbookPr" => {
                let is_1904 = attribute(tag, "date1904").unwrap_or_default();
                self.formats.is_1904 = matches!(&*is_1904, "1" | "true");
            }
            _ => {}
        });
    }

    fn add_sheet(&mut self, name: String, id: String) {
        if self.has_room(&name, &id) {
            self.sheets.push((name, id));
        }
    }

    /// Reads the targets of relationships. Sheets of charts and dialogs have no cells, and are left out.
    fn read_targets(&mut self, xml: &mut XmlReader<'_>) {
        each_tag(xml, |tag| {
            let kind = attribute(tag, "Type").unwrap_or_default();
            if let Some([id, target]) = named(tag, ["Id", "Target"])
                && !kind.ends_with("/chartsheet")
                && !kind.ends_with("/dialogsheet")
                && self.has_room(&id, &target)
            {
                self.targets.insert(id, target);
            }
        });
    }

    /// Reads the targets of a sheet's links from the relationships in the member `name`.
    fn read_links(&mut self, name: &str, xml: &mut XmlReader<'_>) {
        each_tag(xml, |tag| {
            let kind = attribute(tag, "Type").unwrap_or_default();
            let Some([id, target]) = named(tag, ["Id", "Target"]) else {
                return;
            };
            if !kind.ends_with("/hyperlink") || self.links.is_over {
                return;
            }
            if !self.has_room(&id, &target) {
                self.links = CellLinks {
                    is_over: true,
                    ..CellLinks::default()
                };
                return;
            }
            let key = (name.to_ascii_lowercase(), id);
            self.links.targets.insert(key, target);
        });
    }

    /// Reads the names of the sheets of an OpenDocument spreadsheet, which are all in one member.
    fn read_tables(&mut self, member: &str, xml: &mut XmlReader<'_>) {
        // Tables within tables are parts of cells.
        let mut depth = 0;
        while let Ok(Some(piece)) = xml.next_piece() {
            match piece {
                XmlPiece::Start(tag) if tag.local_name().into_inner() == "table" => {
                    if depth == 0 {
                        let [name] = named(&tag, ["name"]).unwrap_or_default();
                        self.add_sheet(name, member.to_owned());
                    }
                    depth += 1;
                }
                XmlPiece::End(tag) if tag.local_name().into_inner() == "table" => depth -= 1,
                _ => {}
            }
        }
    }

    fn has_room(&mut self, one: &str, other: &str) -> bool {
        self.held += one.len() + other.len() + 64;
        self.held <= MAX_NAME_BYTES
    }
}

/// Returns the member with the relationships of the sheet in `member`, in lower case.
fn sheet_links(member: &str) -> String {
    let (folder, file) = member.rsplit_once('/').unwrap_or(("", member));
    format!("{folder}/_rels/{file}.rels").to_ascii_lowercase()
}

/// Calls `take` with each start tag. XML that is not well-formed is reported when the member is read again.
fn each_tag(xml: &mut XmlReader<'_>, mut take: impl FnMut(&BytesStart<'_>)) {
    while let Ok(Some(piece)) = xml.next_piece() {
        if let XmlPiece::Start(tag) = piece {
            take(&tag);
        }
    }
}

/// Returns the attributes with these names; `None` if one is missing.
fn named<const N: usize>(tag: &BytesStart<'_>, names: [&str; N]) -> Option<[String; N]> {
    let mut out = [const { String::new() }; N];
    for (name, value) in names.iter().zip(&mut out) {
        *value = attribute(tag, name)?.into_owned();
    }
    Some(out)
}

impl MemberSink for PartGatherer {
    fn expansion(&self) -> &Arc<Expansion> {
        &self.expansion
    }

    fn member(
        &mut self,
        _: &StreamLevel<'_>,
        _: u64,
        name: &str,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        if is_binary(name) {
            self.read_binary(name, bytes);
            return true;
        }
        let is_targets = name.ends_with("workbook.xml.rels") || name.ends_with("workbook.bin.rels");
        let is_links = is_sheet_links(name) && !self.is_table;
        if is_xml(name) || is_targets || is_links || name == "mimetype" {
            in_utf8(bytes, |raw| self.read_part(name, raw));
        }
        true
    }
}

//! What the sheets of a workbook need of its other members: their own names, and the texts that cells share.
//!
//! These members may come after the sheets, so the archive is read for them alone first. What is lost then is reported when
//! they are reached again.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use super::sheet::unescaped;
use super::xml::{Piece, XmlReader};
use super::{HEAD, Part, is_xml, part};
use crate::input::container::{Level, Members};
use crate::input::documents::Origin;
use crate::input::expansion::Expansion;
use crate::input::fault::InputError;
use crate::input::opening::Opening;
use crate::input::raw::Raw;
use crate::input::zip;

/// Bytes of names of sheets and of paths that are held. Further sheets have the names of their members.
const NAMES: usize = 2 << 20;

/// The names of the sheets and the shared texts.
pub(super) struct Workbook {
    /// The names by the paths of the members.
    names: HashMap<String, String>,
    strings: SharedStrings,
}

impl Workbook {
    /// Reads the archive `file` at `level` for them.
    pub(super) fn read(opening: &Opening<'_>, level: &Level<'_>, file: &File) -> Workbook {
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let mut gather = Gather {
            expansion: Expansion::new(opening.limits.expansion, size),
            folder: String::new(),
            sheets: Vec::new(),
            targets: HashMap::new(),
            held: 0,
            strings: SharedStrings::new(opening.share / 2),
        };
        // Without the file, its bytes do not count as progress twice.
        zip::read(&mut gather, opening, &level.detached(), file, true);
        let Gather {
            sheets, targets, ..
        } = &gather;
        let path = |(name, id): &(String, String)| Some((targets.get(id)?.clone(), name.clone()));
        let names = sheets.iter().filter_map(path);
        let in_folder = |(target, name): (String, String)| (gather.path(&target), name);
        Workbook {
            names: names.map(in_folder).collect(),
            strings: gather.strings,
        }
    }

    /// The name of the sheet that the member `member` holds: without one, that of its file.
    pub(super) fn sheet<'n>(&'n self, member: &'n str) -> &'n str {
        let file = member.rsplit(['/', '\\']).next().unwrap_or(member);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        self.names.get(member).map_or(stem, String::as_str)
    }

    /// Whether there was room for all shared texts.
    pub(super) fn holds_strings(&self) -> bool {
        !self.strings.is_over
    }

    /// The shared text with this number, from 0.
    pub(super) fn string(&self, number: usize) -> Option<&[u8]> {
        self.strings.get(number)
    }
}

/// Texts that cells share.
struct SharedStrings {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Bytes that may be held.
    limit: usize,
    is_over: bool,
}

impl SharedStrings {
    fn new(limit: usize) -> Self {
        SharedStrings {
            text: Vec::new(),
            ends: Vec::new(),
            limit,
            is_over: false,
        }
    }

    fn get(&self, number: usize) -> Option<&[u8]> {
        let end = *self.ends.get(number)?;
        let start = match number {
            0 => 0,
            number => self.ends[number - 1],
        };
        Some(&self.text[start..end])
    }

    /// Reads the texts of `xml`. An error is reported when the member is read again.
    fn read(&mut self, xml: &mut XmlReader<'_>) {
        let mut item = Vec::new();
        let (mut in_text, mut phonetic) = (false, false);
        loop {
            match xml.next() {
                Ok(Some(Piece::Start(tag))) => match tag.name {
                    b"t" => in_text = !phonetic,
                    b"rPh" => phonetic = true,
                    _ => {}
                },
                Ok(Some(Piece::Text(text))) if in_text => item.extend_from_slice(text),
                Ok(Some(Piece::Text(_))) => {}
                Ok(Some(Piece::End(name))) => match name {
                    b"t" => in_text = false,
                    b"rPh" => phonetic = false,
                    b"si" => {
                        self.text.extend_from_slice(&unescaped(&item));
                        self.ends.push(self.text.len());
                        item.clear();
                    }
                    _ => {}
                },
                Ok(None) => return,
                Err(_) => {}
            }
            let held = self.text.len() + item.len() + self.ends.len() * size_of::<usize>();
            if held > self.limit {
                *self = SharedStrings {
                    is_over: true,
                    ..SharedStrings::new(0)
                };
                return;
            }
        }
    }
}

/// Reads the members that a workbook needs, and no other ones.
struct Gather {
    /// The bytes count again when the members are passed on.
    expansion: Arc<Expansion>,
    /// The folder of the workbook, with a slash at its end.
    folder: String,
    /// The name of each sheet, and the identifier of its relationship.
    sheets: Vec<(String, String)>,
    /// The targets of relationships.
    targets: HashMap<String, String>,
    /// Bytes of them.
    held: usize,
    strings: SharedStrings,
}

impl Gather {
    /// The member that a target of the workbook means.
    fn path(&self, target: &str) -> String {
        match target.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => format!("{}{target}", self.folder),
        }
    }

    fn read_sheets(&mut self, xml: &mut XmlReader<'_>) {
        while let Some((name, id)) = pair(xml, b"sheet", ["name", "id"]) {
            if self.has_room(&name, &id) {
                self.sheets.push((name, id));
            }
        }
    }

    fn read_targets(&mut self, xml: &mut XmlReader<'_>) {
        while let Some((id, target)) = pair(xml, b"Relationship", ["Id", "Target"]) {
            if self.has_room(&id, &target) {
                self.targets.insert(id, target);
            }
        }
    }

    fn has_room(&mut self, one: &str, other: &str) -> bool {
        self.held += one.len() + other.len() + 64;
        self.held <= NAMES
    }
}

/// Two attributes of the next `element` that has both.
fn pair(xml: &mut XmlReader<'_>, element: &[u8], names: [&str; 2]) -> Option<(String, String)> {
    loop {
        match xml.next() {
            Ok(None) => return None,
            Ok(Some(Piece::Start(tag))) if tag.name == element => {
                let values = names.map(|name| tag.attribute(name));
                if let [Some(one), Some(other)] = values {
                    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                    return Some((text(&one), text(&other)));
                }
            }
            _ => {}
        }
    }
}

impl Members for Gather {
    fn expansion(&self) -> &Arc<Expansion> {
        &self.expansion
    }

    fn member(&mut self, _: &Level<'_>, _: u64, name: &str, bytes: &mut dyn Read) -> bool {
        let is_targets = name.ends_with("workbook.xml.rels");
        if !is_xml(name) && !is_targets {
            return true;
        }
        let mut raw = Raw::with_capacity(bytes, HEAD);
        let part = part(raw.peek(HEAD));
        let mut xml = XmlReader::new(&mut raw);
        match part {
            _ if is_targets => self.read_targets(&mut xml),
            Some(Part::Strings) => self.strings.read(&mut xml),
            Some(Part::Workbook) => {
                self.folder = name[..name.rfind('/').map_or(0, |at| at + 1)].to_owned();
                self.read_sheets(&mut xml);
            }
            _ => {}
        }
        true
    }

    fn text(
        &mut self,
        _: &Level<'_>,
        _: Option<&str>,
        _: Option<Origin>,
        _: &mut dyn Read,
    ) -> bool {
        true
    }

    fn before(&mut self, _: &Level<'_>, _: &mut dyn Read) -> bool {
        true
    }

    fn lose(&mut self, _: &Level<'_>, _: u64, _: InputError) {}

    fn lose_member(&mut self, _: &Level<'_>, _: u64, _: &str, _: u64, _: InputError) {}
}

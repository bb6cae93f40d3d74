//! Reads names and notices from works, which are objects of JSON.

use doisift_known::notices::{WorkNotices, of_work};
use memchr::memchr_iter;
use rayon::prelude::*;
use serde::Deserialize;

use super::names::Names;
use super::objects::{ObjectBlocks, ObjectPiece};
use crate::error::KnownError;
use doisift_tables::{MemberPath, RowBlocks, RowPiece};

/// An object, with its offset in the document.
type Object<'b> = (&'b [u8], u64);

/// Content of a work that an index needs.
enum Work {
    /// A work of Crossref.
    Crossref(WorkNotices),
    /// A work of DataCite: the name, and whether it is registered.
    DataCite(String, bool),
    /// The prefixes of a member of Crossref, or a prefix of DataCite.
    Prefixes(Vec<String>),
    /// The text of the member for names, if the object has it.
    Member(Option<String>),
}

/// A work of DataCite's API.
#[derive(Deserialize)]
struct DataCiteWork {
    attributes: Attributes,
}

#[derive(Deserialize)]
struct Attributes {
    doi: String,
    state: Option<String>,
}

/// A member of Crossref, or a prefix in DataCite's list.
#[derive(Deserialize)]
#[serde(untagged)]
enum PrefixOwner {
    Crossref { prefixes: Vec<String> },
    DataCite { id: String, r#type: String },
}

impl PrefixOwner {
    fn of(json: &[u8]) -> Option<Vec<String>> {
        match serde_json::from_slice(json).ok()? {
            PrefixOwner::Crossref { prefixes } => Some(prefixes),
            PrefixOwner::DataCite { id, r#type } => (r#type == "prefixes").then(|| vec![id]),
        }
    }
}

/// Reads a work from each line. Its name is in `member`, or, without one, in the member that the registry uses.
pub(super) fn read_lines(
    mut blocks: RowBlocks<'_>,
    member: Option<&MemberPath>,
    names: &mut Names<'_, '_>,
) {
    while let Some(piece) = blocks.next() {
        match piece {
            RowPiece::Lost(error, at) => names.report_loss(error.into(), at),
            RowPiece::Rows(bytes, offset) => take(&lines(bytes, offset), member, names),
        }
        if names.is_halted() {
            return;
        }
    }
}

/// Reads the works of an array.
pub(super) fn read_array(
    mut blocks: ObjectBlocks<'_>,
    member: Option<&MemberPath>,
    names: &mut Names<'_, '_>,
) {
    while let Some(piece) = blocks.next() {
        match piece {
            ObjectPiece::Lost(error, at) => names.report_loss(error, at),
            ObjectPiece::Objects(bytes, found, offset) => {
                let object = |range: &std::ops::Range<usize>| {
                    (&bytes[range.clone()], offset + range.start as u64)
                };
                let objects: Vec<Object<'_>> = found.iter().map(object).collect();
                take(&objects, member, names);
            }
        }
        if names.is_halted() {
            return;
        }
    }
}

/// Returns the lines that are not blank.
fn lines(bytes: &[u8], offset: u64) -> Vec<Object<'_>> {
    let ends = memchr_iter(b'\n', bytes).map(|at| at + 1);
    let ends = ends.chain((bytes.last() != Some(&b'\n')).then_some(bytes.len()));
    let mut start = 0;
    let lines = ends.map(|end| {
        let begin = std::mem::replace(&mut start, end);
        (&bytes[begin..end], offset + begin as u64)
    });
    lines
        .filter(|(line, _)| !line.trim_ascii().is_empty())
        .collect()
}

/// Parses objects on all threads, and adds their names and notices in their order.
fn take(objects: &[Object<'_>], member: Option<&MemberPath>, names: &mut Names<'_, '_>) {
    let takes_prefixes = names.takes_prefixes();
    let parse = |(json, _): &Object<'_>| parse(json, member, takes_prefixes);
    let works: Vec<_> = names
        .pool
        .install(|| objects.par_iter().map(parse).collect());
    for (work, (_, at)) in works.into_iter().zip(objects) {
        match work {
            Ok(work) => add(work, names, *at),
            Err(error) => names.refuse_object(error, *at),
        }
    }
}

fn parse(
    json: &[u8],
    member: Option<&MemberPath>,
    takes_prefixes: bool,
) -> Result<Work, KnownError> {
    let bad = |error: serde_json::Error| KnownError::Json(error.to_string().into());
    if let Some(member) = member {
        let value = member.value(json);
        let value = value.map_err(|fault| KnownError::of_cell(fault, member.name()))?;
        return serde_json::from_slice(value).map(Work::Member).map_err(bad);
    }
    let found = of_work(json).map_err(bad)?;
    if found.doi.is_some() {
        return Ok(Work::Crossref(found));
    }
    if let Some(prefixes) = PrefixOwner::of(json).filter(|_| takes_prefixes) {
        return Ok(Work::Prefixes(prefixes));
    }
    let work = serde_json::from_slice::<DataCiteWork>(json);
    let Attributes { doi, state } = work
        .map_err(|_| KnownError::NoMember("DOI".into()))?
        .attributes;
    let is_registered = state.is_none_or(|state| state != "draft");
    Ok(Work::DataCite(doi, is_registered))
}

fn add(work: Work, names: &mut Names<'_, '_>, at: u64) {
    match work {
        Work::Crossref(found) => {
            names.bare_name("crossref", found.doi.unwrap_or_default().as_bytes(), at);
            for (name, notice) in &found.notices {
                names.notice(name, notice, at);
            }
            names.refuse_notices(found.refused);
        }
        Work::DataCite(doi, true) => {
            names.bare_name("datacite", doi.as_bytes(), at);
        }
        Work::DataCite(_, false) => names.count_draft(),
        Work::Prefixes(prefixes) => {
            for prefix in prefixes {
                names.text(prefix.as_bytes(), at);
            }
        }
        Work::Member(text) => {
            names.text(text.unwrap_or_default().as_bytes(), at);
        }
    }
}

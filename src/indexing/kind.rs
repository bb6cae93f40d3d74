//! Recognises the layout of a document by its head.

use std::borrow::Cow;
use std::collections::BTreeMap;

use doisift_known::notices::RetractionWatch;
use memchr::memchr;
use serde::de::IgnoredAny;

use super::options::KnownOptions;
use crate::error::{Cause, KnownError};
use doisift_tables::{
    CellPlace, HeaderChoice, MemberPath, TableFault, TableFormat, TableHead, items,
};

/// Layout of a document.
#[derive(Debug)]
pub(super) enum DocumentKind {
    /// Each line is a JSON object. The name is in this member, or, without one, in the member that the registry uses.
    Objects(Option<MemberPath>),
    /// The objects of an array, whose content starts after this number of bytes. The member is as above.
    Array(usize, Option<MemberPath>),
    /// A table, or lines that are a name each.
    Table(TableHead, NameColumns),
}

/// Columns of a table that are read, counted from 0.
#[derive(Debug)]
pub(super) enum NameColumns {
    Names(CellPlace),
    /// Names in `doi` are read if `state` says that they are registered.
    DataCite {
        doi: usize,
        state: usize,
    },
    RetractionWatch(RetractionWatch),
}

/// Returns the layout of a document that starts with `head`; `whole` says that the document ends with it. `choice` selects the
/// header row of a table, and `format` is its format if that is known.
///
/// # Errors
/// If it is a list of mentions, and these are not trusted, or a table without the wanted column.
pub(super) fn of(
    (head, whole): (&[u8], bool),
    options: &KnownOptions,
    choice: HeaderChoice,
    format: Option<TableFormat>,
) -> Result<DocumentKind, Cause> {
    let text = head.trim_ascii_start();
    match text.first() {
        _ if format.is_some() => of_rows((head, whole), options, choice, format),
        Some(b'{') => of_json(head, text, options),
        Some(b'[') => {
            let start = head.len() - text.len() + 1;
            Ok(DocumentKind::Array(
                start,
                options.column.as_deref().map(MemberPath::new),
            ))
        }
        _ => of_rows((head, whole), options, choice, None),
    }
}

fn of_json(head: &[u8], text: &[u8], options: &KnownOptions) -> Result<DocumentKind, Cause> {
    let line = memchr(b'\n', text).map_or(text, |end| &text[..end]);
    let members = serde_json::from_slice::<BTreeMap<Cow<'_, str>, IgnoredAny>>(line);
    let members = members.unwrap_or_default();
    let names: Vec<&str> = members.keys().map(|name| &**name).collect();
    let member = name_column(&names, options)?;
    let array = items(head).or_else(|| page_data(head, text));
    match array.filter(|_| member.is_none()) {
        Some(start) => Ok(DocumentKind::Array(start, None)),
        None => Ok(DocumentKind::Objects(
            member.as_deref().map(MemberPath::new),
        )),
    }
}

/// Returns the offset of the content of the array `data` of a page of DataCite, which starts the page.
fn page_data(head: &[u8], text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"{")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"data\"")?.trim_ascii_start();
    let rest = rest.strip_prefix(b":")?.trim_ascii_start();
    let content = rest.strip_prefix(b"[")?;
    Some(head.len() - content.len())
}

/// Returns the column or member of names: the one in the options, or `doi` in a list of mentions, or `prefix` in one of prefixes.
///
/// # Errors
/// If the columns are those of a list of mentions, and such lists are not trusted.
fn name_column(names: &[&str], options: &KnownOptions) -> Result<Option<String>, Cause> {
    let is_mentions = is_mentions(names);
    if is_mentions && !options.trust {
        return Err(Cause::Known(KnownError::Mentions));
    }
    let prefix = names
        .iter()
        .find(|name| options.prefixes && name.eq_ignore_ascii_case("prefix"));
    let doi = || is_mentions.then(|| "doi".to_owned());
    let found = || doi().or_else(|| prefix.map(|name| (*name).to_owned()));
    Ok(options.column.clone().or_else(found))
}

/// Whether these are the columns of records or mentions that doisift writes.
pub(super) fn is_mentions(names: &[&str]) -> bool {
    const FOUND: [&str; 5] = [
        "mentions",
        "offset",
        "guessed",
        "first_offset",
        "first_source",
    ];
    names.contains(&"doi") && names.iter().any(|name| FOUND.contains(name))
}

fn of_rows(
    (head, whole): (&[u8], bool),
    options: &KnownOptions,
    choice: HeaderChoice,
    format: Option<TableFormat>,
) -> Result<DocumentKind, Cause> {
    let wanted = options.column.as_slice();
    let shown = |wanted| TableHead::of((head, whole), format, wanted, choice);
    let table = match shown(wanted) {
        Err(error @ TableFault::Unknown { proposed: Some(_) }) => {
            return Err(Cause::Table(error.into()));
        }
        table => table.or_else(|_| shown(&[])),
    };
    let list = || {
        let names = NameColumns::Names(CellPlace::Column(0));
        DocumentKind::Table(TableHead::of_lines(head), names)
    };
    let Ok(table) = table else {
        return Ok(list());
    };
    let text = |text: Cow<'_, [u8]>| String::from_utf8_lossy(text.trim_ascii()).into_owned();
    let header: Vec<String> = table.header(head).into_iter().map(text).collect();
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    if let Some(layout) = registry_columns(&names) {
        return Ok(DocumentKind::Table(table, layout));
    }
    let Some(column) = name_column(&names, options)? else {
        return Ok(list());
    };
    let place = CellPlace::of(&table, head, &column);
    let place = place.map_err(|error| Cause::Table(error.into()))?;
    Ok(DocumentKind::Table(table, NameColumns::Names(place)))
}

/// Returns the columns of a table that DataCite or Retraction Watch publishes, or `None` for other tables.
fn registry_columns(names: &[&str]) -> Option<NameColumns> {
    if let Ok(rows) = RetractionWatch::new(names) {
        return Some(NameColumns::RetractionWatch(rows));
    }
    let column = |name| names.iter().position(|other| *other == name);
    column("client_id")?;
    Some(NameColumns::DataCite {
        doi: column("doi")?,
        state: column("state")?,
    })
}

//! JUnit's XML: a test suite for each document, a test case for each reference, and a failure for each finding. Accepted
//! findings are skipped cases.
//!
//! A suite does not have its counts, which would come before its cases.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{LevelledRow, RowFormat};
use crate::check::row::document_name;
use crate::records::Output;

struct Junit {
    out: Output,
    /// The name of the open suite.
    suite: Option<String>,
    has_start: bool,
}

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(Junit {
        out,
        suite: None,
        has_start: false,
    })
}

impl RowFormat for Junit {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        let source = row.path().unwrap_or_else(|| "-".to_owned());
        let suite = document_name(&source, row.row.document.as_deref());
        self.enter(&suite)?;
        let mut case = format!(
            "<testcase classname=\"{}\" name=\"{}\"",
            xml(&suite),
            xml(&case_name(row))
        );
        if let Some(path) = row.path() {
            case += &format!(" file=\"{}\"", xml(&path));
        }
        if let Some((line, ..)) = row.region() {
            case += &format!(" line=\"{line}\"");
        }
        if row.is_finding() {
            let (verdict, message) = (row.row.verdict.name(), row.message());
            let message = xml(&message);
            case += &format!("><failure type=\"{verdict}\" message=\"{message}\"/></testcase>");
        } else if row.row.accepted {
            case += "><skipped message=\"accepted\"/></testcase>";
        } else {
            case += "/>";
        }
        writeln!(self.out, "{case}")
    }

    fn end(mut self: Box<Self>) -> io::Result<Output> {
        self.start()?;
        self.leave()?;
        self.out.write_all(b"</testsuites>\n")?;
        Ok(self.out)
    }
}

impl Junit {
    fn start(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.has_start, true) {
            true => Ok(()),
            false => self.out.write_all(
                b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"doisift check\">\n",
            ),
        }
    }

    /// Opens a suite unless it is open.
    fn enter(&mut self, suite: &str) -> io::Result<()> {
        if self.suite.as_deref() == Some(suite) {
            return Ok(());
        }
        self.start()?;
        self.leave()?;
        writeln!(self.out, "<testsuite name=\"{}\">", xml(suite))?;
        self.suite = Some(suite.to_owned());
        Ok(())
    }

    fn leave(&mut self) -> io::Result<()> {
        match self.suite.take() {
            Some(_) => self.out.write_all(b"</testsuite>\n"),
            None => Ok(()),
        }
    }
}

/// The key of a reference, or else its name, its text or its place.
fn case_name(row: &LevelledRow<'_>) -> String {
    let row = row.row;
    let named = row.key.as_ref().or(row.doi.as_ref()).or(row.text.as_ref());
    match (named, row.line.or(row.row)) {
        (Some(named), _) => named.clone(),
        (None, number) => number.unwrap_or_default().to_string(),
    }
}

/// Escapes a text for a value of an attribute. Characters that XML cannot hold are replaced.
fn xml(text: &str) -> String {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let escaped = |c: char| -> Cow<'static, str> {
        match c {
            '&' => "&amp;".into(),
            '<' => "&lt;".into(),
            '>' => "&gt;".into(),
            '"' => "&quot;".into(),
            '\t' | '\n' | '\r' => format!("&#{};", u32::from(c)).into(),
            c if is_allowed(c) => c.to_string().into(),
            _ => "\u{fffd}".into(),
        }
    };
    text.chars().map(escaped).collect()
}

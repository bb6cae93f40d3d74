//! Mentions that are held until they are written.

use std::io;

use super::sink::Sink;
use crate::dedup::Document;
use crate::records::MentionRow;
use crate::scan::{Form, Mention};

/// The mentions that one piece of work found, in order.
#[derive(Default)]
pub(super) struct HeldMentions {
    rows: Vec<HeldMention>,
    documents: Vec<Document>,
    text: String,
}

/// A mention. Its key and text are the next bytes in the text of all rows.
struct HeldMention {
    document: usize,
    form: Form,
    offset: u64,
    length: u64,
    key: usize,
    text: usize,
    guessed: bool,
}

impl HeldMentions {
    pub(super) fn push(&mut self, document: &Document, mention: &Mention<'_>) {
        if self
            .documents
            .last()
            .is_none_or(|last| last.id != document.id)
        {
            self.documents.push(document.clone());
        }
        let text = String::from_utf8_lossy(mention.text);
        self.text.push_str(mention.key);
        self.text.push_str(&text);
        self.rows.push(HeldMention {
            document: self.documents.len() - 1,
            form: mention.form,
            offset: mention.offset,
            length: mention.text.len() as u64,
            key: mention.key.len(),
            text: text.len(),
            guessed: mention.guessed,
        });
    }

    /// Writes all rows and removes them.
    pub(super) fn write(&mut self, sink: &mut Sink) -> io::Result<()> {
        let mut rest = self.text.as_str();
        for row in &self.rows {
            let (key, after) = rest.split_at(row.key);
            let (text, after) = after.split_at(row.text);
            rest = after;
            sink.mention(&row.mention(&self.documents[row.document], key, text))?;
        }
        self.clear();
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.documents.clear();
        self.text.clear();
    }
}

impl HeldMention {
    fn mention<'a>(&self, document: &'a Document, key: &'a str, text: &'a str) -> MentionRow<'a> {
        MentionRow {
            doi: key,
            form: self.form,
            source: &document.source,
            document: document.name.as_deref(),
            offset: self.offset,
            length: self.length,
            text,
            guessed: self.guessed,
        }
    }
}

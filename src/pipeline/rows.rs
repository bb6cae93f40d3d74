//! Mentions that are held until they are written.

use super::around;
use super::sink::Sink;
use crate::dedup::Document;
use crate::error::Error;
use crate::records::MentionRow;
use crate::scan::{Form, Mention};

/// The mentions that one piece of work found, in order.
#[derive(Default)]
pub(super) struct HeldMentions {
    rows: Vec<HeldMention>,
    documents: Vec<Document>,
    text: String,
}

/// A mention. Its key, its text, and the texts before and after it are the next bytes in the text of all rows.
struct HeldMention {
    document: usize,
    form: Form,
    offset: u64,
    length: u64,
    texts: [usize; 4],
    guessed: bool,
}

/// The bytes before and after a mention, as far as its row has them.
#[derive(Clone, Copy, Default)]
pub(super) struct Around<'b> {
    pub(super) before: &'b [u8],
    pub(super) after: &'b [u8],
    /// The most bytes of each whose text the row has.
    pub(super) most: usize,
}

impl<'b> Around<'b> {
    /// The bytes of a chunk around a mention. The chunk starts at `offset` of the document.
    pub(super) fn new(chunk: &'b [u8], offset: u64, mention: &Mention<'_>, most: usize) -> Self {
        if most == 0 {
            return Around::default();
        }
        let start = (mention.offset - offset) as usize;
        Around {
            before: &chunk[..start],
            after: &chunk[start + mention.text.len()..],
            most,
        }
    }
}

impl HeldMentions {
    pub(super) fn push(&mut self, document: &Document, mention: &Mention<'_>, around: Around<'_>) {
        if self
            .documents
            .last()
            .is_none_or(|last| last.id != document.id)
        {
            self.documents.push(document.clone());
        }
        let mut end = self.text.len();
        let mut length = |text: &String| text.len() - std::mem::replace(&mut end, text.len());
        let text = &mut self.text;
        text.push_str(mention.key);
        let key = length(text);
        text.push_str(&String::from_utf8_lossy(mention.text));
        let found = length(text);
        around::before(around.before, around.most, text);
        let before = length(text);
        around::after(around.after, around.most, text);
        let after = length(text);
        self.rows.push(HeldMention {
            document: self.documents.len() - 1,
            form: mention.form,
            offset: mention.offset,
            length: mention.text.len() as u64,
            texts: [key, found, before, after],
            guessed: mention.guessed,
        });
    }

    /// Writes all rows and removes them.
    pub(super) fn write(&mut self, sink: &mut Sink<'_>) -> Result<(), Error> {
        let mut rest = self.text.as_str();
        for row in &self.rows {
            let texts = row.texts.map(|length| {
                let (text, after) = rest.split_at(length);
                rest = after;
                text
            });
            sink.mention(&row.mention(&self.documents[row.document], texts))?;
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
    fn mention<'a>(&self, document: &'a Document, texts: [&'a str; 4]) -> MentionRow<'a> {
        let [key, text, before, after] = texts;
        MentionRow {
            doi: key,
            form: self.form,
            source: &document.source,
            document: document.name.as_deref(),
            offset: self.offset,
            length: self.length,
            text,
            guessed: self.guessed,
            around: [before, after],
            capture: document.capture.as_deref(),
        }
    }
}

//! The texts of held rows, one after another in one buffer.

use doisift_core::internal::around;

/// Max bytes of texts whose memory is kept for reuse.
const RETAINED_TEXT_BYTES: usize = 2 << 20;

/// The texts of rows. A row has the ranges of its own.
#[derive(Default)]
pub(super) struct HeldTexts(String);

/// The range of the texts of a name: the key, the text as written, and the texts before and after it.
#[derive(Clone, Copy, Default)]
pub(super) struct NameTexts {
    start: usize,
    lengths: [u32; 4],
}

/// The range of a text.
#[derive(Clone, Copy)]
pub(super) struct HeldText {
    start: usize,
    length: usize,
}

/// The bytes before and after a mention, of which its row has a part.
#[derive(Clone, Copy, Default)]
pub(crate) struct MentionContext<'b> {
    /// Whether the row has the mention itself as it is written.
    pub(crate) has_text: bool,
    pub(crate) before: &'b [u8],
    pub(crate) after: &'b [u8],
    /// Max bytes on each side whose text the row has.
    pub(crate) max: usize,
}

impl<'b> MentionContext<'b> {
    /// Creates a context without bytes around the mention.
    pub(crate) fn none(has_text: bool) -> Self {
        MentionContext {
            has_text,
            ..MentionContext::default()
        }
    }

    /// Adds the bytes of a chunk around a mention of `length` bytes at `start`, of which a row has at most `max` on each side.
    pub(crate) fn around(self, chunk: &'b [u8], start: usize, length: usize, max: usize) -> Self {
        if max == 0 {
            return self;
        }
        MentionContext {
            before: &chunk[..start],
            after: &chunk[start + length..],
            max,
            ..self
        }
    }
}

impl HeldTexts {
    /// Adds the texts of a name. `write` adds the text as written.
    pub(super) fn add_name(
        &mut self,
        key: &str,
        write: impl FnOnce(&mut String),
        around: MentionContext<'_>,
    ) -> NameTexts {
        let text = &mut self.0;
        let start = text.len();
        text.push_str(key);
        let key = text.len();
        write(text);
        let written = text.len();
        around::before(around.before, around.max, text);
        let before = text.len();
        around::after(around.after, around.max, text);
        let ends = [start, key, written, before, text.len()];
        NameTexts {
            start,
            lengths: std::array::from_fn(|at| (ends[at + 1] - ends[at]) as u32),
        }
    }

    /// Adds a text.
    pub(super) fn add(&mut self, text: &str) -> HeldText {
        let start = self.0.len();
        self.0.push_str(text);
        HeldText {
            start,
            length: text.len(),
        }
    }

    /// Adds the texts of a name that `from` has.
    pub(super) fn copy_name(&mut self, from: &HeldTexts, name: NameTexts) -> NameTexts {
        let HeldText { start, .. } = self.copy(from, name.all());
        NameTexts { start, ..name }
    }

    /// Adds a text that `from` has.
    pub(super) fn copy(&mut self, from: &HeldTexts, text: HeldText) -> HeldText {
        self.add(from.get(text))
    }

    /// Adds all texts of `other`. Returns how far their ranges move.
    pub(super) fn append(&mut self, other: &HeldTexts) -> usize {
        self.add(&other.0).start
    }

    pub(super) fn get(&self, text: HeldText) -> &str {
        &self.0[text.start..][..text.length]
    }

    /// Returns the key of a name.
    pub(super) fn key(&self, name: NameTexts) -> &str {
        &self.0[name.start..][..name.lengths[0] as usize]
    }

    /// Returns the texts of a name.
    pub(super) fn name(&self, name: NameTexts) -> [&str; 4] {
        let mut rest = &self.0[name.start..];
        name.lengths.map(|length| {
            let (text, after) = rest.split_at(length as usize);
            rest = after;
            text
        })
    }

    /// Returns the memory that they take, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.0.capacity()
    }

    /// Removes all texts, and keeps a part of the memory for reuse.
    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.0.shrink_to(RETAINED_TEXT_BYTES);
    }
}

impl NameTexts {
    /// Returns the bytes of all its texts.
    pub(super) fn bytes(self) -> usize {
        self.all().length
    }

    /// Returns the same texts after they moved by `distance` bytes.
    pub(super) fn moved(self, distance: usize) -> NameTexts {
        NameTexts {
            start: self.start + distance,
            ..self
        }
    }

    fn all(self) -> HeldText {
        HeldText {
            start: self.start,
            length: self.lengths.iter().map(|length| *length as usize).sum(),
        }
    }
}

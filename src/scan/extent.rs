//! Where a name ends in its decoded text: at what prose, markup or a URL put behind it.

use unicode_general_category::{GeneralCategory as Gc, get_general_category};

use super::context::{Context, Place};
use super::decode::{Escape, Text, first_char};

/// What is taken to belong to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Everything up to the closer of the enclosure, but for what no name holds.
    Whole,
    /// What the rules for prose and URLs leave.
    Prose,
}

/// A name's end in its decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) at: usize,
    pub(super) guessed: bool,
}

/// What one byte says about the name it stands in.
enum Step {
    /// Belongs to the name, with so many bytes.
    Take(usize),
    Stop,
    /// The same, but a registered name might go on here.
    Guess,
}

/// Reads the suffix that starts at `from`.
pub(super) fn end(text: &Text<'_>, from: usize, context: &Context, reading: Reading) -> End {
    let mut reader = Reader {
        text,
        from,
        context,
        reading,
        open: [0; 2],
    };
    let mut at = from;
    while at < text.bytes.len() {
        match reader.step(at) {
            Step::Take(len) => at += len,
            Step::Stop => return End { at, guessed: false },
            Step::Guess => return End { at, guessed: true },
        }
    }
    End { at, guessed: false }
}

/// Letters, digits and marks that belong to a name wherever they stand in it.
const ALWAYS_TAKEN: [bool; 256] = {
    let mut taken = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        taken[byte] = match byte as u8 {
            b'h' | b'H' => false,
            b'-' | b'_' | b'/' | b':' | b'+' | b'*' | b'~' | b'$' | b'=' | b'!' | b'@' | b'^'
            | b'%' => true,
            other => other.is_ascii_alphanumeric(),
        };
        byte += 1;
    }
    taken
};

struct Reader<'t> {
    text: &'t Text<'t>,
    from: usize,
    context: &'t Context,
    reading: Reading,
    /// Round and square brackets that are open.
    open: [u32; 2],
}

impl Reader<'_> {
    fn step(&mut self, at: usize) -> Step {
        let byte = self.text.bytes[at];
        if ALWAYS_TAKEN[byte as usize] {
            return Step::Take(1);
        }
        if matches!(byte, b'h' | b'H') {
            return if is_web_scheme(self.rest(at)) {
                Step::Guess
            } else {
                Step::Take(1)
            };
        }
        if matches!(byte, b'.' | b',' | b'[') && is_glued_word(self.rest(at + 1)) {
            return Step::Guess;
        }
        if self
            .context
            .enclosure
            .is_some_and(|e| e.marks.contains(&byte))
            && !self.is_sici_tail(at)
        {
            return Step::Stop;
        }
        match byte {
            b'.' => Step::Take(1),
            b'(' => self.open(0),
            b')' => self.close(0),
            b'[' if self.has_more_behind_bracket(at) || self.is_whole() => self.open(1),
            b']' => self.close(1),
            b'<' => self.angle(at),
            b',' => take_if(self.is_whole() || self.is_between(at, u8::is_ascii_digit)),
            b'\'' => take_if(self.is_whole() || self.is_between(at, u8::is_ascii_alphanumeric)),
            b';' => take_if(self.is_sici_tail(at) || self.is_inner_semicolon(at)),
            b'&' => take_if(self.is_inner_ampersand(at)),
            b'"' => take_if(self.text.escape(at) != Escape::Plain && self.goes_on(at + 1)),
            b'?' => take_if(self.text.escape(at) == Escape::Percent),
            b'#' => take_if(self.is_inner_hash(at)),
            b'{' => take_if(self.is_whole()),
            0x80.. => self.beyond_ascii(at),
            _ => Step::Stop,
        }
    }

    fn rest(&self, at: usize) -> &[u8] {
        &self.text.bytes[at..]
    }

    fn is_whole(&self) -> bool {
        self.reading == Reading::Whole
    }

    fn open(&mut self, bracket: usize) -> Step {
        self.open[bracket] += 1;
        Step::Take(1)
    }

    /// A closing bracket that nothing in the name opened was opened before it.
    fn close(&mut self, bracket: usize) -> Step {
        if self.open[bracket] > 0 {
            self.open[bracket] -= 1;
        } else if !self.is_whole() {
            return Step::Stop;
        }
        Step::Take(1)
    }

    /// `[0774:TMOPTB]2.0` is part of a name, `[1]` and `[PubMed]` behind one are not.
    fn has_more_behind_bracket(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let close = rest
            .iter()
            .position(|b| *b == b']' || b.is_ascii_whitespace());
        close.is_some_and(|close| {
            rest[close] == b']' && rest.get(close + 1).is_some_and(u8::is_ascii_alphanumeric)
        })
    }

    /// `<693::AID-X>3.0.CO;2-O` is the middle of a SICI; any other `<` is markup.
    fn angle(&self, at: usize) -> Step {
        let rest = self.rest(at);
        let close = rest
            .iter()
            .position(|b| *b == b'>' || b.is_ascii_whitespace());
        match close.map(|close| (close, &rest[close..])) {
            Some((close, [b'>', a, b'.', b, b'.', c, d, b';', ..]))
                if a.is_ascii_digit()
                    && b.is_ascii_digit()
                    && c.is_ascii_alphabetic()
                    && d.is_ascii_alphabetic() =>
            {
                Step::Take(close + 1)
            }
            _ => Step::Stop,
        }
    }

    /// The `;2-O` that ends a SICI, told by the `3.0.CO` before it or by its own shape.
    fn is_sici_tail(&self, at: usize) -> bool {
        let rest = self.rest(at);
        rest.starts_with(b";2-")
            || matches!(rest, [b';', digit, ..] if digit.is_ascii_digit())
                && matches!(self.text.bytes[self.from..at], [.., a, b'.', b, b'.', c, d]
                    if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_alphabetic() && d.is_ascii_alphabetic())
    }

    fn is_inner_semicolon(&self, at: usize) -> bool {
        self.goes_on(at + 1) && !is_parameter(self.rest(at + 1))
    }

    fn is_inner_ampersand(&self, at: usize) -> bool {
        self.context.place != Place::Query
            && self.goes_on(at + 1)
            && !is_parameter(self.rest(at + 1))
    }

    /// A raw `#` starts a fragment in a URL; it is a name's at the end of a SICI, or where nothing else is enclosed.
    fn is_inner_hash(&self, at: usize) -> bool {
        let in_url = self.context.form == super::Form::Url || self.context.place != Place::Text;
        let ends_sici = self.text.bytes[self.from..at].ends_with(b";2-") && !self.goes_on(at + 1);
        self.text.escape(at) == Escape::Percent || ends_sici || self.is_whole() && !in_url
    }

    fn is_between(&self, at: usize, class: fn(&u8) -> bool) -> bool {
        at > self.from
            && class(&self.text.bytes[at - 1])
            && self.text.bytes.get(at + 1).is_some_and(class)
    }

    /// Whether a name's own letter or digit follows, alone or behind one joint.
    fn goes_on(&self, at: usize) -> bool {
        match self.rest(at) {
            [b'.' | b'-' | b'_', next, ..] => next.is_ascii_alphanumeric(),
            [next, ..] => next.is_ascii_alphanumeric(),
            [] => false,
        }
    }

    /// Letters, digits, symbols and dashes are kept as they are (U5); white space, quotes and brackets end the name.
    fn beyond_ascii(&self, at: usize) -> Step {
        let Some(c) = first_char(self.rest(at)) else {
            return Step::Stop;
        };
        match get_general_category(c) {
            Gc::Control | Gc::Format | Gc::Surrogate | Gc::PrivateUse | Gc::Unassigned => {
                Step::Stop
            }
            Gc::LineSeparator | Gc::ParagraphSeparator | Gc::SpaceSeparator => Step::Stop,
            Gc::InitialPunctuation
            | Gc::FinalPunctuation
            | Gc::OpenPunctuation
            | Gc::ClosePunctuation => Step::Stop,
            Gc::OtherPunctuation if c >= '\u{2010}' => Step::Stop,
            _ => Step::Take(c.len_utf8()),
        }
    }
}

fn take_if(belongs: bool) -> Step {
    if belongs { Step::Take(1) } else { Step::Stop }
}

/// `name=` or `name:`: what follows a semicolon or an ampersand in a URL or a list of fields.
fn is_parameter(rest: &[u8]) -> bool {
    const LONGEST: usize = 64;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = rest.iter().take(LONGEST).take_while(is_name).count();
    len > 0 && !rest[0].is_ascii_digit() && matches!(rest.get(len), Some(b'=' | b':'))
}

/// `http:/` in any name starts a URL that was glued on.
fn is_web_scheme(rest: &[u8]) -> bool {
    let rest = if starts_with(rest, "https") {
        &rest[5..]
    } else if starts_with(rest, "http") {
        &rest[4..]
    } else {
        return false;
    };
    rest.starts_with(b":/")
}

/// Words that end a name behind `.`, `,` or `[`: what follows a name in printed references.
fn is_glued_word(rest: &[u8]) -> bool {
    if !rest
        .first()
        .is_some_and(|first| b"uehpad".contains(&(first | 0x20)))
    {
        return false;
    }
    let followed = |word: &str, next: fn(&u8) -> bool| {
        starts_with(rest, word) && rest.get(word.len()).is_none_or(next)
    };
    let word_ends = |b: &u8| !b.is_ascii_lowercase();
    rest.starts_with(b"URL")
        || rest.starts_with(b"Epub")
        || starts_with(rest, "http")
        || followed("pmid", word_ends)
        || followed("arxiv", word_ends)
        || followed("doi", word_ends)
        || (followed("pmc", u8::is_ascii_digit) && rest.len() > 3)
}

fn starts_with(rest: &[u8], word: &str) -> bool {
    rest.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

//! Reads the wikitext of a page as MediaWiki dumps hold it, its markup escaped: references and templates.
//!
//! A reference is the content of a `ref`, or, outside of a `ref`, a template with the parameter `doi`. Wikitext has no faults: an
//! open template ends with its reference, or with the page.

use memchr::memchr3;

use super::place::{BytePlace, MAX_LEVELS, Role};
use super::stack;

/// The state of reading the wikitext of a page.
#[derive(Default)]
pub(super) struct Wikitext {
    state: WikiState,
    /// The start of a tag that was read, or the name of a template or parameter.
    word: Vec<u8>,
    templates: Vec<Template>,
    /// Number of open templates beyond the kept depth.
    deeper: usize,
    /// The index of the open reference, and the number of templates that were open before it.
    reference: Option<(u64, usize)>,
    /// The number of references so far.
    pub(super) references: u64,
}

/// An open template.
#[derive(Default)]
struct Template {
    name: Box<[u8]>,
    /// The name of the current parameter; empty for one without a name.
    parameter: Box<[u8]>,
    /// The index of the template if it is a reference.
    reference: Option<u64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum WikiState {
    #[default]
    Text,
    /// After a brace.
    Brace(u8),
    /// In the name of a template.
    Name,
    /// In the name of a parameter, if it has one.
    Parameter,
    /// After an ampersand that may start a tag or a comment.
    Mark,
    /// In a comment, after this many bytes of its end mark.
    Comment(usize),
    /// In the start tag of a reference. True after a slash.
    RefTag(bool),
    /// In the end tag of a reference.
    RefEnd,
}

const REF: &[u8] = b"&lt;ref";
const REF_END: &[u8] = b"&lt;/ref";
const GREATER: &[u8] = b"&gt;";
const COMMENT: &[u8] = b"&lt;!--";
const COMMENT_END: &[u8] = b"--&gt;";
/// Max bytes of a name that are kept.
const MAX_TEMPLATE_NAME_BYTES: usize = 64;

impl Wikitext {
    /// Starts a wikitext in a page with `references` references before it.
    pub(super) fn new(references: u64) -> Wikitext {
        Wikitext {
            references,
            ..Wikitext::default()
        }
    }

    pub(super) fn read(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += match self.state {
                WikiState::Text => self.text(&text[at..]),
                WikiState::Brace(before) => self.brace(before, byte),
                WikiState::Name | WikiState::Parameter => self.name(&text[at..]),
                WikiState::Mark => self.mark(byte),
                WikiState::Comment(read) => self.comment(read, byte),
                WikiState::RefTag(was_slash) => self.ref_tag(was_slash, byte),
                WikiState::RefEnd => self.ref_end(byte),
            };
        }
    }

    /// Reads up to and including a mark. Returns the number of bytes read, as all functions for a state do.
    fn text(&mut self, text: &[u8]) -> usize {
        // A pipe means something only in a template.
        let mark = if self.templates.is_empty() {
            memchr3(b'&', b'{', b'}', text)
        } else {
            text.iter()
                .position(|byte| matches!(byte, b'&' | b'{' | b'}' | b'|'))
        };
        let Some(at) = mark else {
            return text.len();
        };
        self.word.clear();
        match text[at] {
            b'&' => self.start_mark(),
            b'|' => self.state = WikiState::Parameter,
            brace => self.state = WikiState::Brace(brace),
        }
        at + 1
    }

    fn start_mark(&mut self) {
        self.word.clear();
        self.word.push(b'&');
        self.state = WikiState::Mark;
    }

    fn brace(&mut self, before: u8, byte: u8) -> usize {
        self.state = WikiState::Text;
        match (before, byte) {
            (b'{', b'{') => self.open(),
            (b'}', b'}') => self.close(),
            _ => return 0,
        }
        1
    }

    fn open(&mut self) {
        self.word.clear();
        if self.templates.len() < MAX_LEVELS {
            self.templates.push(Template::default());
            self.state = WikiState::Name;
        } else {
            self.deeper += 1
        }
    }

    fn close(&mut self) {
        let outside = self.reference.map_or(0, |(_, outside)| outside);
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if self.templates.len() > outside {
            self.templates.pop();
        }
    }

    /// Reads the name of a template or parameter, or a part of it.
    fn name(&mut self, text: &[u8]) -> usize {
        let is_parameter = self.state == WikiState::Parameter;
        let is_end = |byte: &u8| match byte {
            b'=' => is_parameter,
            byte => matches!(byte, b'|' | b'{' | b'}' | b'[' | b'<' | b'&'),
        };
        let end = text.iter().position(is_end);
        let part = &text[..end.unwrap_or(text.len())];
        let free = MAX_TEMPLATE_NAME_BYTES.saturating_sub(self.word.len());
        self.word.extend_from_slice(&part[..part.len().min(free)]);
        let Some(end) = end else { return part.len() };
        let is_named = text[end] == b'=';
        if is_parameter && !is_named {
            self.word.clear();
        }
        self.end_name();
        end + usize::from(is_named)
    }

    /// Ends the name of a template, or of a parameter.
    fn end_name(&mut self) {
        let name = self.word.trim_ascii();
        if let Some(template) = self.templates.last_mut() {
            match self.state {
                WikiState::Name => template.name = name.into(),
                _ => template.parameter = name.into(),
            }
            let is_free = self.reference.is_none() && template.reference.is_none();
            if is_free && template.states_doi() {
                template.reference = Some(self.references);
                self.references += 1;
            }
        }
        self.state = WikiState::Text;
    }

    /// Reads a byte of a possible start of a tag or comment.
    fn mark(&mut self, byte: u8) -> usize {
        if self.word == REF || self.word == REF_END {
            return self.tag(byte);
        }
        self.word.push(byte);
        if self.word == COMMENT {
            self.state = WikiState::Comment(0);
            return 1;
        }
        if [REF, REF_END, COMMENT]
            .iter()
            .any(|start| start.starts_with(&self.word))
        {
            return 1;
        }
        self.state = WikiState::Text;
        // No later byte of a possible tag is a mark, so only `byte` may be one, which is read again.
        usize::from(!matches!(byte, b'&' | b'{' | b'}' | b'|'))
    }

    fn comment(&mut self, read: usize, byte: u8) -> usize {
        let read = match byte {
            _ if byte == COMMENT_END[read] => read + 1,
            // Another hyphen before the end.
            b'-' => read.min(2),
            _ => 0,
        };
        self.state = if read == COMMENT_END.len() {
            WikiState::Text
        } else {
            WikiState::Comment(read)
        };
        1
    }

    /// Decides by the byte after `ref` whether the tag is a `ref`; `references` is another tag.
    fn tag(&mut self, byte: u8) -> usize {
        self.state = match (byte.is_ascii_alphanumeric(), &*self.word == REF) {
            (true, _) => WikiState::Text,
            (false, true) => WikiState::RefTag(false),
            (false, false) => WikiState::RefEnd,
        };
        self.word.clear();
        0
    }

    /// Whether `byte` ends the tag that is read.
    fn ends_tag(&mut self, byte: u8) -> bool {
        if byte == b'&' {
            self.word.clear();
        }
        if byte == b'&' || !self.word.is_empty() {
            self.word.push(byte);
            if !GREATER.starts_with(&self.word) {
                self.word.clear();
            }
        }
        self.word == GREATER
    }

    fn ref_tag(&mut self, was_slash: bool, byte: u8) -> usize {
        if self.ends_tag(byte) {
            self.state = WikiState::Text;
            if !was_slash {
                self.end_reference();
                self.reference = Some((self.references, self.templates.len()));
                self.references += 1;
            }
        } else if self.word.is_empty() {
            self.state = WikiState::RefTag(byte == b'/');
        }
        1
    }

    fn ref_end(&mut self, byte: u8) -> usize {
        if self.ends_tag(byte) {
            self.state = WikiState::Text;
            self.end_reference();
        }
        1
    }

    /// Ends the reference that is open, and the templates in it.
    fn end_reference(&mut self) {
        if let Some((_, outside)) = self.reference.take() {
            self.templates.truncate(outside);
            self.deeper = 0;
        }
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        let template = self.template();
        let numbered = self.templates[self.outer_templates()..]
            .iter()
            .find_map(|template| template.reference);
        let reference = self.reference.map(|(number, _)| number).or(numbered);
        BytePlace {
            role: reference.map_or(Role::Other, |_| Role::Reference),
            asserted: template.is_some_and(Template::states_doi) && !self.is_in_markup(),
            reference,
            ..BytePlace::default()
        }
    }

    /// Appends the path of the next byte below the text: the reference, the template and the parameter.
    pub(super) fn path(&self, path: &mut String) {
        if self.reference.is_some() {
            path.push_str("/ref");
        }
        let template = self.template();
        for name in template
            .into_iter()
            .flat_map(|template| [&template.name, &template.parameter])
        {
            if !name.is_empty() {
                path.push('/');
                stack::push(name, path);
            }
        }
    }

    /// Returns the number of templates that were open before the reference.
    fn outer_templates(&self) -> usize {
        self.reference.map_or(0, |(_, outside)| outside)
    }

    /// Returns the template whose parameter has the next byte.
    fn template(&self) -> Option<&Template> {
        let inner = self.templates[self.outer_templates()..].last();
        inner.filter(|_| self.deeper == 0 && self.state != WikiState::Name)
    }

    fn is_in_markup(&self) -> bool {
        !matches!(self.state, WikiState::Text | WikiState::Parameter)
    }
}

impl Template {
    /// Whether the current parameter is named `doi`, or has no name in a template named `doi`.
    fn states_doi(&self) -> bool {
        let name = if self.parameter.is_empty() {
            &self.name
        } else {
            &self.parameter
        };
        name.eq_ignore_ascii_case(b"doi")
    }
}

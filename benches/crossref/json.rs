//! Writes JSON on one line. The byte before a value decides whether a comma is needed.

use std::fmt::Write;

pub struct Json {
    pub text: String,
    /// Whether `/` and characters beyond ASCII are escaped, as the REST API does.
    escapes: bool,
}

impl Json {
    pub fn new(escapes: bool) -> Json {
        let text = String::new();
        Json { text, escapes }
    }

    /// Starts an object or a list.
    pub fn open(&mut self, bracket: char) {
        self.comma();
        self.text.push(bracket);
    }

    /// Ends an object or a list.
    pub fn close(&mut self, bracket: char) {
        self.text.push(bracket);
    }

    pub fn key(&mut self, key: &str) {
        self.comma();
        self.quoted(key);
        self.text.push(':');
    }

    pub fn string(&mut self, value: &str) {
        self.comma();
        self.quoted(value);
    }

    /// Writes a number, or another value in its JSON form.
    pub fn plain(&mut self, value: impl std::fmt::Display) {
        self.comma();
        let _ = write!(self.text, "{value}");
    }

    pub fn member(&mut self, key: &str, value: &str) {
        self.key(key);
        self.string(value);
    }

    pub fn count(&mut self, key: &str, value: u64) {
        self.key(key);
        self.plain(value);
    }

    /// Writes a member that is a list of one string.
    pub fn only(&mut self, key: &str, value: &str) {
        self.key(key);
        self.open('[');
        self.string(value);
        self.close(']');
    }

    /// Writes a member that is an object.
    pub fn object(&mut self, key: &str, members: impl FnOnce(&mut Json)) {
        self.key(key);
        self.item(members);
    }

    /// Writes an object, in a list or as a member.
    pub fn item(&mut self, members: impl FnOnce(&mut Json)) {
        self.open('{');
        members(self);
        self.close('}');
    }

    fn comma(&mut self) {
        if !matches!(
            self.text.as_bytes().last(),
            None | Some(b'{' | b'[' | b':' | b'\n')
        ) {
            self.text.push(',');
        }
    }

    fn quoted(&mut self, value: &str) {
        self.text.push('"');
        for character in value.chars() {
            self.character(character);
        }
        self.text.push('"');
    }

    fn character(&mut self, character: char) {
        match character {
            '"' => self.text.push_str("\\\""),
            '\\' => self.text.push_str("\\\\"),
            '\n' => self.text.push_str("\\n"),
            '\t' => self.text.push_str("\\t"),
            '/' if self.escapes => self.text.push_str("\\/"),
            _ if self.escapes && !character.is_ascii() => {
                for &mut unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.text, "\\u{unit:04x}");
                }
            }
            _ => self.text.push(character),
        }
    }
}

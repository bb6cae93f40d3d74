//! Splits a JSON array of objects into its elements, each with the comma after it. They are the rows of such a table.

use std::ops::Range;

/// Finds the ends of elements in a buffer to which bytes are appended. Reads each byte once.
#[derive(Default)]
pub struct ElementSplitter {
    /// Bytes of the buffer that were read.
    at: usize,
    /// Number of open arrays and objects.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Length of all whole elements.
    whole: usize,
}

impl ElementSplitter {
    /// Creates a splitter for bytes that start with the array if they are the `first`, or else inside it.
    pub fn of(first: bool) -> Self {
        ElementSplitter {
            depth: usize::from(!first),
            ..ElementSplitter::default()
        }
    }

    /// Reads to the end of the buffer. Returns the length of its whole elements.
    pub fn advance(&mut self, bytes: &[u8]) -> usize {
        while let Some(end) = self.next_end(bytes) {
            self.whole = end;
        }
        self.whole
    }

    /// Adjusts the offsets after the whole elements were removed from the buffer.
    pub fn cut(&mut self) {
        self.at -= self.whole;
        self.whole = 0;
    }

    /// Reads to the comma after an element. Returns the offset after it, or `None` if it is not in `bytes`.
    pub fn next_end(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            if self.in_string {
                self.in_string = self.is_escaped || byte != b'"';
                self.is_escaped = !self.is_escaped && byte == b'\\';
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b',' if self.depth == 1 => return Some(self.at),
                _ => {}
            }
        }
        None
    }
}

/// Whether a document that starts with `head` is an array of objects.
pub fn is_array(head: &[u8]) -> bool {
    let inside = head.trim_ascii_start().strip_prefix(b"[");
    inside.is_some_and(|inside| inside.trim_ascii_start().starts_with(b"{"))
}

/// Returns the range of the element in its row: without white space, the comma after it, and the brackets of the array.
pub fn element(row: &[u8], is_first: bool) -> Range<usize> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let skip = |at: usize| at + row[at..].iter().take_while(|byte| is_blank(byte)).count();
    let start = skip(0);
    let start = match is_first && row[start..].starts_with(b"[") {
        true => skip(start + 1),
        false => start,
    };
    let kept = row[start..].trim_ascii_end();
    // The end of the array follows the last element.
    let kept = match kept {
        [kept @ .., b','] => kept,
        [kept @ .., b']'] if !kept.is_empty() || is_first => kept,
        [b']'] => &[],
        kept => kept,
    };
    start..start + kept.trim_ascii_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_cut_at_their_commas_in_pieces_of_any_size() {
        let text = br#" [ {"a": "],\"{", "b": [1, {}]}, {"a":"\\"},"x" ]  "#;
        for step in 1..=text.len() {
            let (mut splitter, mut rows) = (ElementSplitter::default(), Vec::new());
            let (mut start, mut end) = (0, 0);
            while end < text.len() {
                end = text.len().min(end + step);
                let whole = splitter.advance(&text[start..end]);
                splitter.cut();
                let mut inner = ElementSplitter::of(start == 0);
                let mut at = start;
                while let Some(next) = inner.next_end(&text[start..start + whole]) {
                    rows.push(&text[at..start + next]);
                    at = start + next;
                }
                start += whole;
            }
            rows.push(&text[start..]);
            let elements: Vec<_> = rows
                .iter()
                .enumerate()
                .map(|(at, row)| str::from_utf8(&row[element(row, at == 0)]).unwrap())
                .collect();
            let wanted = [r#"{"a": "],\"{", "b": [1, {}]}"#, r#"{"a":"\\"}"#, r#""x""#];
            assert_eq!(elements, wanted, "{step}");
        }
    }
}

//! Texts in format=flowed (RFC 3676), whose paragraphs are cut into lines that end with a blank.

/// Length of a line that is held until its end is known. RFC 5322 allows 998.
const MAX_HELD_LINE_BYTES: usize = 4 << 10;
/// The line before a signature. It ends with a blank, but no paragraph continues after it.
const SIGNATURE_LINE: &[u8] = b"-- ";

/// Joins the lines of a paragraph. All other lines are kept, with their quote marks.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowedText {
    /// Whether the blank at the end of a line belongs to the line end, as with `DelSp=yes`.
    deletes_blank: bool,
    /// The start of a line.
    held: Vec<u8>,
    /// Whether the start of the line was written.
    is_inside: bool,
    /// Number of quote marks of the last line.
    quotes: usize,
    /// The end of the last line, with its blank, if the paragraph may continue after it.
    soft: Vec<u8>,
}

impl FlowedText {
    pub(super) fn new(deletes_blank: bool) -> Self {
        FlowedText {
            deletes_blank,
            ..FlowedText::default()
        }
    }

    /// Adds `text`. Returns the text whose lines are complete.
    pub(super) fn join_piece(&mut self, text: &[u8], is_last: bool) -> Vec<u8> {
        self.held.extend_from_slice(text);
        let text = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if line.ends_with(b"\n") {
                self.line(line, &mut out);
            } else if is_last || line.len() > MAX_HELD_LINE_BYTES {
                self.piece(line, &mut out);
            } else {
                self.held.extend_from_slice(line);
            }
        }
        if is_last {
            out.append(&mut self.soft);
            out.append(&mut self.held);
        }
        out
    }

    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let end = end_of(line);
        let is_soft = line[..end].ends_with(b" ") && (self.is_inside || !is_signature(line));
        let end = if is_soft { end - 1 } else { line.len() };
        self.start(line, end, out);
        self.soft.extend_from_slice(&line[end..]);
        self.is_inside = false;
    }

    /// Writes a piece of a long line; the blanks at its end are held, since the line may end there.
    fn piece(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let end = match line.trim_ascii_end().len() {
            0 => line.len(),
            end => end,
        };
        self.start(line, end, out);
        self.held.extend_from_slice(&line[end..]);
        self.is_inside = true;
    }

    /// Writes a line or piece up to `end`, after the held end of the line before.
    fn start(&mut self, line: &[u8], end: usize, out: &mut Vec<u8>) {
        if self.is_inside {
            return out.extend_from_slice(&line[..end]);
        }
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let soft = std::mem::take(&mut self.soft);
        let same = std::mem::replace(&mut self.quotes, quotes) == quotes;
        if soft.is_empty() || !same || is_signature(line) {
            out.extend(soft);
            return out.extend_from_slice(&line[..end]);
        }
        if !self.deletes_blank {
            out.push(b' ');
        }
        // The blank before the text of a line may be there to protect it.
        let start = quotes + usize::from(line[quotes..].starts_with(b" "));
        out.extend_from_slice(line.get(start..end).unwrap_or_default());
    }
}

/// Returns the length of a line without its end.
fn end_of(line: &[u8]) -> usize {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

/// Whether `line` is the line before a signature, maybe quoted.
fn is_signature(line: &[u8]) -> bool {
    let quotes = line.iter().take_while(|byte| **byte == b'>').count();
    let text = &line[quotes..end_of(line)];
    text == SIGNATURE_LINE || text.strip_prefix(b" ") == Some(SIGNATURE_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str, deletes_blank: bool) -> String {
        let whole = FlowedText::new(deletes_blank);
        let wanted = whole.clone().join_piece(text.as_bytes(), true);
        for step in 1..9 {
            let (mut flow, mut out) = (whole.clone(), Vec::new());
            for piece in text.as_bytes().chunks(step) {
                out.extend(flow.join_piece(piece, false));
            }
            out.extend(flow.join_piece(b"", true));
            assert_eq!(out, wanted, "{text:?} in steps of {step}");
        }
        String::from_utf8(wanted).unwrap()
    }

    #[test]
    fn soft_line_ends_are_blanks_or_nothing() {
        for (text, with, without) in [
            ("a \nb\nc\n", "a b\nc\n", "ab\nc\n"),
            ("a  \r\nb \r\n\r\nc", "a  b \r\nc", "a b\r\nc"),
            ("> a \n> b \n>> c\n", "> a b \n>> c\n", "> ab \n>> c\n"),
            ("> a \n>b \nc\n", "> a b \nc\n", "> ab \nc\n"),
            ("a \n -b\n", "a -b\n", "a-b\n"),
            ("a \n-- \nb\n", "a \n-- \nb\n", "a \n-- \nb\n"),
            ("> -- \n> b\n", "> -- \n> b\n", "> -- \n> b\n"),
            (" \n \n", "  \n", " \n"),
            ("a \n", "a \n", "a \n"),
            ("a ", "a ", "a "),
        ] {
            assert_eq!(joined(text, false), with, "{text:?}");
            assert_eq!(joined(text, true), without, "{text:?}");
        }
    }

    #[test]
    fn long_lines_are_not_held() {
        let long = "x".repeat(3 * MAX_HELD_LINE_BYTES);
        let mut flow = FlowedText::default();
        let first = flow.join_piece(long.as_bytes(), false);
        assert_eq!(first.len(), long.len());
        assert_eq!(flow.join_piece(b" \ny", true), b" y");
        let blank = " ".repeat(2 * MAX_HELD_LINE_BYTES);
        assert_eq!(
            FlowedText::default()
                .join_piece(blank.as_bytes(), false)
                .len(),
            8192
        );
    }
}

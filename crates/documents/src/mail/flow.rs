//! Texts in format=flowed (RFC 3676), whose paragraphs are cut into lines that end with a blank.

use super::coding::{lines, without_end};

/// The line before a signature. It ends with a blank, but no paragraph continues after it.
const SIGNATURE_LINE: &[u8] = b"-- ";

/// Joins the lines of each paragraph. All other lines are kept, with their quote marks. `deletes_blank` says that the blank at
/// the end of a line belongs to the line end, as with `DelSp=yes`.
pub(super) fn joined(text: &[u8], deletes_blank: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    // The end of the last line, with its blank, if the paragraph may continue after it.
    let mut soft: &[u8] = b"";
    let mut last_quotes = 0;
    for line in lines(text) {
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let mut start = 0;
        if soft.is_empty() || quotes != last_quotes || is_signature(line) {
            out.extend_from_slice(soft);
        } else {
            if !deletes_blank {
                out.push(b' ');
            }
            // The blank before the text of a line may be there to protect it.
            start = quotes + usize::from(line[quotes..].starts_with(b" "));
        }
        last_quotes = quotes;
        let end = soft_end(line).unwrap_or(line.len());
        out.extend_from_slice(line.get(start..end).unwrap_or_default());
        soft = &line[end..];
    }
    out.extend_from_slice(soft);
    out
}

/// Returns the offset of the blank at the end of `line`, if the paragraph continues after it.
fn soft_end(line: &[u8]) -> Option<usize> {
    let text = without_end(line);
    let is_soft = text.ends_with(b" ") && text.len() < line.len() && !is_signature(line);
    is_soft.then(|| text.len() - 1)
}

/// Whether `line` is the line before a signature, maybe quoted.
fn is_signature(line: &[u8]) -> bool {
    let quotes = line.iter().take_while(|byte| **byte == b'>').count();
    let text = &without_end(line)[quotes..];
    text == SIGNATURE_LINE || text.strip_prefix(b" ") == Some(SIGNATURE_LINE)
}

#[cfg(test)]
mod tests {
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
            let joined = |deletes_blank| super::joined(text.as_bytes(), deletes_blank);
            assert_eq!(String::from_utf8_lossy(&joined(false)), with, "{text:?}");
            assert_eq!(String::from_utf8_lossy(&joined(true)), without, "{text:?}");
        }
    }
}

//! Reads the text after white space that may be a break: more of the name, or the next thing in the text.

use super::{MAX_PAGE_DIGITS, first_word, has_digit, is_long_number};

/// A word after white space.
#[derive(Clone, Copy)]
pub(crate) struct NextWord<'w> {
    pub(super) word: &'w [u8],
    /// The bytes after the word.
    pub(super) after: &'w [u8],
}

/// Letters and digits between two blanks in a word.
pub(super) const PART_LETTERS: usize = 5;

/// Max digits of the number of an item. Few lists have a thousand items.
const MAX_ITEM_DIGITS: usize = 3;

/// The first letters of the months.
const MONTHS: [&[u8]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];

impl<'w> NextWord<'w> {
    pub(crate) fn read(rest: &'w [u8]) -> Self {
        let (word, after) = rest.split_at(first_word(rest).len());
        NextWord { word, after }
    }

    /// Returns the digits that the word consists of, without a full stop or a closing bracket after them; `None` if it has other
    /// bytes.
    fn number(&self) -> Option<&'w [u8]> {
        let number = match self.word {
            [number @ .., b'.' | b')'] => number,
            number => number,
        };
        let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
        is_number.then_some(number)
    }

    /// Returns the word after this one.
    pub(super) fn next(&self) -> &'w [u8] {
        first_word(self.after.trim_ascii_start())
    }

    /// Whether the word may be the number of the next item of a list, `12. Smith`.
    pub(crate) fn may_be_item(&self) -> bool {
        let opens =
            |first: &u8| first.is_ascii_uppercase() || matches!(first, b'"' | b'[' | 0x80..);
        let number = self.number().filter(|number| number[0] != b'0');
        number.is_some_and(|number| {
            let is_marked = number.len() < self.word.len();
            let next = self.next().first();
            number.len() <= MAX_ITEM_DIGITS && next.map_or(is_marked, opens)
        })
    }

    /// Whether the word is the number of an item, one more than that of an item in `before`, the text up to here.
    pub(super) fn is_next_item(&self, before: &[u8]) -> bool {
        let number = value(self.number().unwrap_or_default());
        self.may_be_item() && items(before).any(|item| item + 1 == number)
    }

    /// Whether `before`, the text up to here, has items, and the number of none of them is near this one.
    pub(super) fn is_not_item(&self, before: &[u8]) -> bool {
        const MAX_ITEM_DISTANCE: u32 = 100;
        let number = value(self.number().unwrap_or_default());
        let mut near = items(before).map(|item| item.abs_diff(number) < MAX_ITEM_DISTANCE);
        near.next() == Some(false) && !near.any(|is_near| is_near)
    }

    /// Whether the word ends in a full stop and a digit follows it.
    pub(crate) fn leads_to_digit(&self) -> bool {
        self.word.ends_with(b".") && self.next().first().is_some_and(u8::is_ascii_digit)
    }

    /// Whether the word is a short number alone before a word, as in a page with numbered lines.
    pub(crate) fn is_line_number(&self) -> bool {
        self.word.len() <= MAX_PAGE_DIGITS
            && self.word.iter().all(u8::is_ascii_digit)
            && self.next().first().is_some_and(u8::is_ascii_lowercase)
            && self.next().iter().any(|b| b.is_ascii_digit() || *b == b'.')
    }

    /// Whether the word is part of a date or a number of pages: `2019 Jan`, `3 pages`.
    pub(crate) fn is_date_or_pages(&self) -> bool {
        let starts = |word: &[u8], start: &[u8]| {
            let front = word.get(..start.len());
            front.is_some_and(|front| front.eq_ignore_ascii_case(start))
        };
        let next = self.next();
        let is_pages = || {
            let word = next.strip_suffix(b".").unwrap_or(next);
            matches!(word, b"p" | b"pp") || starts(word, b"page")
        };
        self.word.iter().all(u8::is_ascii_digit)
            && self.word.len() <= MAX_PAGE_DIGITS
            && (is_pages() || MONTHS.iter().any(|month| starts(next, month)))
    }

    /// Whether the word holds a digit, or only marks and letters are before the next digit: `pone. 0176020`, `clind ermat ol.
    /// 2019`.
    pub(super) fn leads_to_number(&self) -> bool {
        has_digit(self.word) || self.leads_by_marks()
    }

    /// Whether only letters, marks and blanks are before the next digit, each blank beside a mark or after five letters, and a
    /// mark is directly before the digit.
    fn leads_by_marks(&self) -> bool {
        self.leads(|_, after| after == LeadPart::Mark)
    }

    /// As [`leads_by_marks`](Self::leads_by_marks), but letters or a blank may be directly before the digit: `forma tics/
    /// btp352`. After a blank, the number must be too long for a page or year.
    pub(super) fn leads_by_parts(&self) -> bool {
        self.leads(|number, after| after != LeadPart::Blank || is_long_number(number))
    }

    /// Whether only letters, marks and blanks are before the next number, and `leads_to` accepts the number and the part before
    /// it.
    fn leads(&self, leads_to: impl Fn(&[u8], LeadPart) -> bool) -> bool {
        const MAX_LEAD_BYTES: usize = 48;
        let is_mark = |b: &u8| matches!(b, b'.' | b'-' | b'/' | b'_' | b':');
        let text = [
            self.word,
            &self.after[..self.after.len().min(MAX_LEAD_BYTES)],
        ]
        .concat();
        let mut rest = &text[..text.len().min(MAX_LEAD_BYTES)];
        let mut after = LeadPart::Blank;
        while let Some(first) = rest.first() {
            let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
            match first {
                b'0'..=b'9' => return leads_to(first_word(rest), after),
                _ if is_mark(first) => (after, rest) = (LeadPart::Mark, &rest[1..]),
                _ if letters > 0 => {
                    (after, rest) = (LeadPart::Letters, &rest[letters..]);
                    let is_parted = rest.first().is_some_and(u8::is_ascii_whitespace);
                    let before_mark = rest.trim_ascii_start().first().is_some_and(is_mark);
                    if is_parted && letters != PART_LETTERS && !before_mark {
                        return false;
                    }
                }
                _ if blanks > 0 => {
                    rest = &rest[blanks..];
                    if after == LeadPart::Letters {
                        after = LeadPart::Blank;
                    }
                }
                _ => return false,
            }
        }
        false
    }
}

/// The part of a text directly before a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadPart {
    /// A mark, perhaps with blanks after it.
    Mark,
    Letters,
    /// Blanks after letters.
    Blank,
}

fn value(digits: &[u8]) -> u32 {
    let digit = |sum: u32, byte: &u8| {
        sum.saturating_mul(10)
            .saturating_add(u32::from(byte - b'0'))
    };
    digits.iter().fold(0, digit)
}

/// Returns the numbers of items in the last bytes of `text`: `12. Smith`.
fn items(text: &[u8]) -> impl Iterator<Item = u32> {
    const MAX_LIST_BYTES: usize = 800;
    let near = &text[text.len().saturating_sub(MAX_LIST_BYTES)..];
    let mut last: &[u8] = b"";
    near.split(u8::is_ascii_whitespace).filter_map(move |word| {
        let before = std::mem::replace(&mut last, word);
        let number = before
            .strip_suffix(b".")
            .or_else(|| before.strip_suffix(b")"))?;
        let is_number =
            (1..=MAX_ITEM_DIGITS).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
        let starts_high = word.first().is_some_and(|b| !b.is_ascii_lowercase());
        (is_number && starts_high).then(|| value(number))
    })
}

/// Whether `suffix` is seldom a whole name: it has no digit, or only those of a year, or of a year and a month, at its end.
pub(crate) fn is_incomplete(suffix: &[u8]) -> bool {
    let parts = suffix.split(|b| !b.is_ascii_alphanumeric());
    let mut parts = parts.filter(|part| !part.is_empty()).rev();
    let is_year = |part: &[u8]| {
        matches!(part, [b'1', b'9', ..] | [b'2', b'0', ..])
            && part.len() == 4
            && part.iter().all(u8::is_ascii_digit)
    };
    let is_month = |part: &[u8]| {
        matches!(
            part,
            [b'1'..=b'9'] | [b'0', b'1'..=b'9'] | [b'1', b'0'..=b'2']
        )
    };
    let last = parts.next().unwrap_or_default();
    let ends_in_date = is_year(last) || is_month(last) && parts.next().is_some_and(is_year);
    (ends_in_date || !has_digit(last)) && !parts.any(has_digit)
}

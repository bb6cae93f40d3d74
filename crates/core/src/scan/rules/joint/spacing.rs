//! Recognises blanks that an extractor put at each place of a name where a line may break.
//!
//! Publishers allow breaks after the marks of a URL, and some after each fifth letter of a word in it. Extractors write blanks
//! there: `https:// doi. org/ 10. 1371/ journ al. pone. 01534 64`. The scheme, proxy and prefix show which kinds of blanks the
//! text has. Blanks of these kinds in the suffix are breaks; another blank ends the name.

use super::following::{NextWord, PART_LETTERS, is_incomplete};
use super::shape::{ends_in_manuscript, is_hexadecimal_pair, is_x, lacks_last_part};
use super::{WhiteSpace, has_digit, is_long_number, is_long_run, starts_another};

/// Max bytes of a suffix with such blanks.
const MAX_SUFFIX_BYTES: usize = 256;

/// The written part of a name up to a blank, with its scheme or proxy.
pub(super) struct SpacedName<'w> {
    /// The text before the scheme or proxy.
    pub(super) before: &'w [u8],
    /// Scheme or proxy, and prefix.
    pub(super) front: &'w [u8],
    pub(super) suffix: &'w [u8],
}

impl SpacedName<'_> {
    /// Whether a blank follows each full stop of the written part.
    pub(super) fn is_shown(&self) -> bool {
        self.is_spaced(b'.')
    }

    /// Whether the white space that `rest` starts with is of a kind that the written part shows.
    pub(super) fn has_break(&self, rest: &[u8], space: WhiteSpace) -> bool {
        let following = NextWord::read(&rest[space.len..]);
        let first = following.word.first().copied().unwrap_or_default();
        if space.line_feeds > 1
            || self.suffix.len() > MAX_SUFFIX_BYTES
            || starts_another(following.word)
        {
            return false;
        }
        match self.suffix.last() {
            _ if is_mark(first) => self.goes_on_with_mark(following),
            _ if !first.is_ascii_alphanumeric() && first != b'(' => false,
            None => self.is_spaced(b'/') && self.is_lower_case_or_leads_to_number(following),
            Some(b'.') => self.is_spaced(b'.') && self.goes_on_after_stop(following),
            Some(b')') => self.is_spaced(b')') && self.goes_on_after_bracket(following),
            Some(mark) if is_mark(*mark) => self.is_spaced(*mark),
            Some(_) if !has_digit(self.suffix) && is_long_run(following.word) => true,
            // At the start of a line, a number may be that of an item.
            Some(_) if space.line_feeds == 1 && following.may_be_item() => false,
            Some(_) => self.splits_words() && self.goes_on_in_word(following),
        }
    }

    /// Whether a blank follows each `mark` of the name, except for marks before a single letter or digit. If the name has no such
    /// mark, full stops with blanks show it.
    fn is_spaced(&self, mark: u8) -> bool {
        match self.blank_after(mark) {
            Some(is_spaced) => is_spaced,
            None => mark != b'.' && self.blank_after(b'.') == Some(true),
        }
    }

    /// Whether a blank follows each `mark`; `None` if no mark shows it.
    fn blank_after(&self, mark: u8) -> Option<bool> {
        let text = [self.front, self.suffix].concat();
        let marks = memchr::memchr_iter(mark, &text);
        let shown = marks.filter_map(|at| {
            let rest = &text[at + 1..];
            let run = rest
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric())
                .count();
            let is_blank = rest.first()?.is_ascii_whitespace();
            (is_blank || run > 1).then_some(is_blank)
        });
        shown.reduce(|all, one| all && one)
    }

    /// Whether blanks are before the full stops too: `doi . org / 10 . 1016 / j . cell`.
    fn is_spaced_before(&self) -> bool {
        self.front
            .windows(2)
            .any(|pair| pair[0].is_ascii_whitespace() && pair[1] == b'.')
    }

    /// Whether the first blank is after the fifth letter, as in `https ://`.
    pub(super) fn is_split(&self) -> bool {
        let scheme = self.front.get(..PART_LETTERS + 2);
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"https :"))
    }

    /// Whether words are split after each fifth letter, as far as the name shows.
    fn splits_words(&self) -> bool {
        /// A word is not split before its last letter.
        const MAX_PART_LETTERS: usize = PART_LETTERS + 1;
        let runs = self.suffix.split(|b| !b.is_ascii_alphanumeric());
        let mut lengths = runs.map(<[u8]>::len);
        (self.is_split() || self.is_spaced(b'.') && self.is_spaced(b'/'))
            && lengths.all(|len| len <= MAX_PART_LETTERS)
    }

    /// Whether a word that starts with a mark belongs to the name.
    fn goes_on_with_mark(&self, following: NextWord<'_>) -> bool {
        let word = following.word;
        let is_inside = word.get(1).is_none_or(u8::is_ascii_alphanumeric);
        let is_shown = match word {
            [b'(', ..] => false,
            [b')', ..] => self.suffix.contains(&b'(') && self.is_spaced_before(),
            [b'-'] => {
                self.is_spaced(b'-') && following.next().first().is_some_and(u8::is_ascii_digit)
            }
            [_] => self.is_spaced_before(),
            _ => {
                is_inside
                    && (self.is_spaced_before()
                        || self.is_split() && self.last_part_len() == PART_LETTERS)
            }
        };
        is_shown && self.suffix.last().is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Whether the word after a closing bracket and a blank belongs to the name: a number, or before the first digit a word that
    /// leads to it.
    fn goes_on_after_bracket(&self, following: NextWord<'_>) -> bool {
        let is_number = following.word[0].is_ascii_digit();
        let goes_on = match has_digit(self.suffix) {
            true => {
                let is_long = is_number && is_long_number(following.word);
                is_long || is_number && self.ends_in_number_in_brackets()
            }
            false => is_number || self.is_lower_case_or_leads_to_number(following),
        };
        goes_on && self.suffix.contains(&b'(') && !following.is_date_or_pages()
    }

    /// Whether the suffix ends in a number in brackets without a blank before them, `JHEP07(2018)`. More of the name follows,
    /// since only 4 of 385,484 registered names end so.
    fn ends_in_number_in_brackets(&self) -> bool {
        let Some(open) = memchr::memrchr(b'(', self.suffix) else {
            return false;
        };
        let inner = &self.suffix[open + 1..self.suffix.len() - 1];
        let before = self.suffix[..open].last();
        !inner.is_empty()
            && inner.iter().all(u8::is_ascii_digit)
            && before.is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Whether the word starts with a small letter, or leads to a digit.
    fn is_lower_case_or_leads_to_number(&self, following: NextWord<'_>) -> bool {
        following.word[0].is_ascii_lowercase() || following.leads_to_number()
    }

    /// Whether the word after a full stop and a blank belongs to the name instead of the text.
    fn goes_on_after_stop(&self, following: NextWord<'_>) -> bool {
        let NextWord { word, .. } = following;
        let is_incomplete = is_incomplete(self.suffix) || lacks_last_part(self.suffix);
        let has_no_lower_case = |b: &u8| !b.is_ascii_lowercase();
        match word[0] {
            b'0'..=b'9' => {
                let is_item = || following.may_be_item() && !following.is_not_item(self.before);
                !following.is_date_or_pages() && (is_incomplete || !is_item())
            }
            b'a'..=b'z' if is_x(word) => true,
            _ if ends_in_manuscript(self.suffix) => is_hexadecimal_pair(word),
            b'(' => false,
            _ if !has_digit(self.suffix) => self.is_lower_case_or_leads_to_number(following),
            first if has_digit(word) => {
                first.is_ascii_lowercase() || word.iter().all(has_no_lower_case)
            }
            _ => {
                let may_go_on = is_incomplete || self.has_few_digits() || word.ends_with(b"-");
                let leads_on = || following.leads_to_number() || self.leads_on_by_parts(following);
                may_go_on && leads_on()
            }
        }
    }

    /// Whether the suffix has fewer digits than most whole names.
    fn has_few_digits(&self) -> bool {
        const MIN_DIGITS_OF_WHOLE_NAME: usize = 4;
        let digits = self.suffix.iter().filter(|b| b.is_ascii_digit());
        digits.count() < MIN_DIGITS_OF_WHOLE_NAME
    }

    /// Whether words that are split after each fifth letter lead to a digit.
    fn leads_on_by_parts(&self, following: NextWord<'_>) -> bool {
        self.splits_words() && following.leads_by_parts()
    }

    /// Returns the length of the run of letters and digits at the end.
    fn last_part_len(&self) -> usize {
        let last = self.suffix.iter().rev();
        last.take_while(|b| b.is_ascii_alphanumeric()).count()
    }

    /// Whether the word after a blank continues the run of five letters and digits before it.
    fn goes_on_in_word(&self, following: NextWord<'_>) -> bool {
        let NextWord { word, .. } = following;
        let letters = word
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        let (head, first) = (&word[..letters], word[0]);
        let last = self.suffix.last().copied().unwrap_or_default();
        let is_same =
            first.is_ascii_digit() || first.is_ascii_lowercase() == last.is_ascii_lowercase();
        let goes_on = match last {
            b'0'..=b'9' if letters == PART_LETTERS && first.is_ascii_lowercase() => {
                following.leads_to_number()
            }
            b'0'..=b'9' => has_digit(head),
            _ => {
                let leads_on = || self.has_few_digits() && self.leads_on_by_parts(following);
                is_same && (following.leads_to_number() || leads_on())
            }
        };
        let is_other = following.is_date_or_pages() || following.is_next_item(self.before);
        self.last_part_len() == PART_LETTERS && letters <= PART_LETTERS + 1 && goes_on && !is_other
    }
}

/// Whether a line may break after `byte`.
fn is_mark(byte: u8) -> bool {
    matches!(byte, b'.' | b'-' | b'/' | b':' | b'_' | b'(' | b')')
}

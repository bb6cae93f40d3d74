//! Decides which characters beyond ASCII may be in a name that is written in Latin letters and digits.

use std::ops::RangeInclusive;

use unicode_general_category::{GeneralCategory as Gc, get_general_category};

/// Blocks with Latin letters, and letters and digits styled for mathematics.
const LATIN_BLOCKS: [RangeInclusive<char>; 10] = [
    '\u{AA}'..='\u{BA}',
    '\u{C0}'..='\u{2FF}',
    '\u{1D00}'..='\u{1DBF}',
    '\u{1E00}'..='\u{1EFF}',
    '\u{2070}'..='\u{209F}',
    '\u{2100}'..='\u{218F}',
    '\u{2C60}'..='\u{2C7F}',
    '\u{A720}'..='\u{AB6F}',
    '\u{FB00}'..='\u{FF5A}',
    '\u{1D400}'..='\u{1D7FF}',
];

/// Blocks of other scripts inside the blocks of [`LATIN_BLOCKS`].
const OTHER_BLOCKS: [RangeInclusive<char>; 2] = ['\u{A800}'..='\u{AB2F}', '\u{FB07}'..='\u{FF0F}'];

/// The alphabets whose letters look like Latin ones.
const LOOK_ALIKE_BLOCKS: RangeInclusive<char> = '\u{370}'..='\u{52F}';

/// Whether `c` is a dash that typesetters make of the hyphens of names.
pub(crate) fn is_typeset_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}')
}

/// Whether `c` may be in a name of Latin letters: one of these, a mark on one, a dash, or a sign within a word.
pub(super) fn is_latin(c: char) -> bool {
    let is_in = |blocks: &[RangeInclusive<char>]| blocks.iter().any(|block| block.contains(&c));
    match get_general_category(c) {
        Gc::NonspacingMark | Gc::SpacingMark | Gc::EnclosingMark => true,
        // The hyphens of other scripts separate a name from a word.
        Gc::DashPunctuation => {
            is_typeset_dash(c) || matches!(c, '\u{2E3A}' | '\u{2E3B}' | '\u{FE58}' | '\u{FF0D}')
        }
        Gc::UppercaseLetter
        | Gc::LowercaseLetter
        | Gc::TitlecaseLetter
        | Gc::ModifierLetter
        | Gc::OtherLetter
        | Gc::DecimalNumber => is_in(&LATIN_BLOCKS) && !is_in(&OTHER_BLOCKS),
        // The minus sign, marks that a lost font leaves instead of brackets and hyphens, and the sign for a lost character.
        _ => matches!(c, '\u{2212}' | '¡' | '·' | '¿' | '\u{FFFD}'),
    }
}

/// Whether `c`, between the ASCII bytes `before` and `after`, is one letter of another alphabet inside a word.
pub(super) fn is_inside_word(before: Option<&u8>, c: char, after: Option<&u8>) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    LOOK_ALIKE_BLOCKS.contains(&c) && is_part(before) && is_part(after)
}

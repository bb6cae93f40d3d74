//! Reads the bytes before an anchor: the form, what encloses the name, where in a URL it is, and how it is encoded.

use super::automaton;
use super::mention::Form;
use super::rules::{NameContext, TextScope};
use super::window::Opener;

/// Reads `before`, which ends where the name starts, and begins where its cell does if it is in one. Also returns whether white
/// space is in the scheme or proxy.
#[inline]
pub(super) fn read_context(before: &[u8], scope: TextScope) -> (NameContext, bool) {
    let opener = opener(before);
    let ends_in_scheme = |bytes: &[u8]| automaton::scheme(bytes).is_some();
    let context = NameContext::read(before, opener.form, opener.len, scope, ends_in_scheme);
    (context, opener.is_spaced)
}

/// Returns the form of a name after `before`, and the length of its scheme or proxy. A label has length 0: it is outside of the
/// enclosure.
pub(super) fn opener(before: &[u8]) -> Opener {
    let unschemed = || Opener {
        form: if automaton::is_labelled(before) {
            Form::Label
        } else {
            Form::Bare
        },
        len: 0,
        is_spaced: false,
    };
    automaton::scheme(before).unwrap_or_else(unschemed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::escape::percent_layers;

    #[test]
    fn percent_layers_shown() {
        let layers = |before: &str, prefix: &str| {
            let before = before.as_bytes();
            let opener = opener(before).len;
            percent_layers(before, opener, prefix.as_bytes())
        };
        assert_eq!(layers("https://doi.org/", "10.5555/"), 1);
        assert_eq!(layers("see ", "10.5555%2F"), 1);
        assert_eq!(layers("u=https%3A%2F%2Fdoi.org%2F", "10.5555%252F"), 2);
        assert_eq!(layers("u=https%3A%2F%2Fdoi.org%2F", "10.5555%2F"), 2);
        assert_eq!(
            layers("u=https%253A%252F%252Fdoi.org%252F", "10.5555%25252F"),
            3
        );
        assert_eq!(layers("r=%2Fdoi%2F", "10.5555%2F"), 2);
        assert_eq!(layers("r=%3Fdoi%3D", "10.5555%252F"), 2);
        assert_eq!(layers("100%", "10.5555/"), 1);
        assert_eq!(layers("100%25", "10.5555/"), 2);
    }
}

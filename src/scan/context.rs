//! What the bytes before an anchor say: the form, what encloses the name, where in a URL it is, and how it is encoded.

use super::Form;
use super::automaton::{self, Opener};
use super::escape;
use super::rules::{Around, Scope};

/// All that the bytes before a name say about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) around: Around,
    /// Bytes of scheme or proxy before the name.
    opener: usize,
}

impl Context {
    /// Reads `before`, which ends where the name starts, and starts where its cell does if it is in one.
    pub(super) fn read(before: &[u8], scope: Scope) -> Context {
        let opener = opener(before);
        let outside = &before[..before.len() - opener.len];
        let ends_in_scheme = |bytes: &[u8]| automaton::scheme(bytes).is_some();
        Context {
            around: Around::read(outside, opener.form, scope, ends_in_scheme),
            opener: opener.len,
        }
    }

    /// How many layers of percent encoding a name shows with `prefix` after `before`.
    pub(super) fn percent_layers(&self, before: &[u8], prefix: &[u8]) -> usize {
        escape::percent_layers(before, self.opener, prefix)
    }
}

/// The form of a name, and how much of `before` belongs to it; a label is no part of what is enclosed.
pub(super) fn opener(before: &[u8]) -> Opener {
    let unschemed = || Opener {
        form: if automaton::is_labelled(before) {
            Form::Label
        } else {
            Form::Bare
        },
        len: 0,
    };
    automaton::scheme(before).unwrap_or_else(unschemed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_layers_shown() {
        let layers = |before: &str, prefix: &str| {
            let before = before.as_bytes();
            Context::read(before, Scope::Any).percent_layers(before, prefix.as_bytes())
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

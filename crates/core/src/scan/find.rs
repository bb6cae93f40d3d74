//! The mentions of a text as an iterator.

use super::mention::Match;
use super::scanner::Scanner;
use crate::doi::Doi;

impl Scanner {
    /// Returns the mentions of `text`, in order, as values that own their names.
    ///
    /// ```
    /// let mut scanner = doisift_core::Scanner::new();
    /// let text = "See 10.5555/Abc. Or https://doi.org/10.5555/a%28b%29.";
    /// let found: Vec<_> = scanner.find_iter(text).map(|m| (m.doi.to_string(), &text[m.range()])).collect();
    /// assert_eq!(found[0], ("10.5555/Abc".to_owned(), "10.5555/Abc"));
    /// assert_eq!(found[1], ("10.5555/a(b)".to_owned(), "10.5555/a%28b%29"));
    /// ```
    pub fn find_iter<'t, T: AsRef<[u8]> + ?Sized>(
        &mut self,
        text: &'t T,
    ) -> impl Iterator<Item = Match<'t>> {
        let text = text.as_ref();
        let anchors = self.anchors_in(text, 0..text.len());
        anchors.filter_map(|anchor| {
            let (start, accepted) = self.decide(text, anchor)?.ok()?;
            Some(Match {
                doi: Doi::from_checked(&self.decider.buffers.name),
                form: accepted.form,
                start,
                text: &text[start..start + accepted.len],
                guessed: accepted.guessed,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "10.0.0.0/8, doi:10.5555/Abc. <a href=\"https://doi.org/10.5555/a%28b%29\">, 10.5555/x";

    #[test]
    fn the_iterator_finds_what_the_callback_finds() {
        let mut called = Vec::new();
        let mut scanner = Scanner::new().max_name(20);
        scanner.scan(TEXT, |mention| {
            called.push((
                Doi::from(mention).to_string(),
                mention.form,
                mention.offset,
                mention.guessed,
            ));
        });
        let mut other = scanner.clone();
        let found: Vec<_> = other.find_iter(TEXT).collect();
        let same = found
            .iter()
            .map(|m| (m.doi.to_string(), m.form, m.start as u64, m.guessed));
        assert_eq!(called.len(), 3);
        assert_eq!(same.collect::<Vec<_>>(), called);
        assert_eq!(&TEXT[found[1].range()], "10.5555/a%28b%29");
        assert_eq!(TEXT.as_bytes()[found[1].range().end], b'"');
        assert_eq!(found[1].as_str(), Some("10.5555/a%28b%29"));
        assert_eq!(found[1].doi.prefix(), "10.5555");
    }

    #[test]
    fn a_match_is_a_string_if_its_bytes_are() {
        let text = "\u{e9} 10.5555/\u{e9}, 10.5555/b";
        let mut scanner = Scanner::new();
        let found: Vec<_> = scanner.find_iter(text).collect();
        let strings: Vec<_> = found.iter().map(Match::as_str).collect();
        assert_eq!(strings, [Some("10.5555/\u{e9}"), Some("10.5555/b")]);
        let latin = Match {
            text: b"10.5555/\xe9",
            ..found[0].clone()
        };
        assert_eq!(latin.as_str(), None);
    }

    #[test]
    fn debug_shows_the_settings() {
        let shown = format!("{:?}", Scanner::new().max_name(9));
        assert_eq!(shown, "Scanner { max_name: 9, kind: Unknown, .. }");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_mention_is_serialized_as_a_row() {
        let mut rows = Vec::new();
        Scanner::new().scan(b"DOI: 10.5555/A\\_b", |mention| {
            rows.push(serde_json::to_string(&mention).unwrap());
        });
        let row = r#"{"doi":"10.5555/a_b","form":"label","offset":5,"length":12,"text":"10.5555/A\\_b","guessed":false,"check_digit":null}"#;
        assert_eq!(rows, [row]);
    }
}

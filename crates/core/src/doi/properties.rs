//! Properties that hold for every name and every text, checked on random ones.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use proptest::prelude::*;

use super::name::first_not_graphic;
use super::{Doi, UrlEncoding, percent};

/// Generates names from pieces that look like syntax of a presentation form.
fn any_doi() -> impl Strategy<Value = Doi> {
    let piece = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        4 => "[ -~]{1,4}",
        1 => "%[0-9a-fA-F]{0,2}",
        2 => proptest::sample::select(vec![
            "/", "//", "/./", "/../", ".", "..", "/..", ":", "?", "#", "%", "%2F", "%2f", "%252F",
            " ", "\u{a0}", "\u{3000}", "é", "É", "e\u{301}", "urn:doi:10.1:", "doi:", "\\..\\",
            "https://doi.org/", "api/handles/", "10.5555/", "&", "+", "<", ">", "\u{fffd}",
        ])
        .prop_map(String::from),
    ];
    let suffix = proptest::collection::vec(piece, 1..8)
        .prop_map(|pieces| pieces.concat().replace(|c: char| is_refused(c), "_"));
    ("[0-9]{1,12}(\\.[0-9]{1,5}){0,3}", suffix).prop_map(|(code, suffix)| {
        Doi::new(&format!("10.{code}/{suffix}")).unwrap_or_else(|e| panic!("{suffix:?}: {e}"))
    })
}

fn is_refused(c: char) -> bool {
    first_not_graphic(c.encode_utf8(&mut [0; 4])).is_some()
}

fn every_form(doi: &Doi) -> [String; 5] {
    [
        doi.to_doi_uri(),
        doi.to_urn(),
        doi.to_api_url(),
        doi.to_url(UrlEncoding::Mandatory),
        doi.to_url(UrlEncoding::Recommended),
    ]
}

/// Resolves `path` as a browser does: RFC 3986 5.2.4, with `%2e` as a dot too.
fn without_dot_segments(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
            ".." => drop(kept.pop()),
            "." => {}
            _ => {
                kept.push(segment);
                continue;
            }
        }
        if last {
            kept.push("");
        }
    }
    kept.join("/")
}

proptest! {
    #[test]
    fn each_form_is_read_back_as_the_same_bytes(doi in any_doi()) {
        for form in every_form(&doi) {
            let read = Doi::parse(&form);
            prop_assert_eq!(read.as_ref().map(Doi::as_str), Ok(doi.as_str()), "{}", form);
        }
    }

    #[test]
    fn forms_after_a_label_a_proxy_or_in_capitals_are_the_same_name(doi in any_doi()) {
        let (uri, urn) = (doi.to_doi_uri(), doi.to_urn());
        let encoded = uri.trim_start_matches("doi:");
        for text in [
            format!("  DOI: {encoded}\r\n"),
            format!("Doi {uri}"),
            format!("DOI:{encoded}"),
            format!("INFO:DOI/{encoded}"),
            format!("hdl:{encoded}"),
            format!("HTTP://DX.DOI.ORG:80/{encoded}?nols=y#top"),
            format!("https://www.doi.org/{urn}"),
            format!("//doi.org/doi:{encoded}"),
            format!("hdl.handle.net/api/handles/{encoded}?pretty"),
        ] {
            let read = Doi::parse(&text);
            prop_assert_eq!(read.as_ref().map(Doi::as_str), Ok(doi.as_str()), "{}", text);
        }
    }

    #[test]
    fn forms_hold_nothing_that_a_uri_must_not(doi in any_doi()) {
        for form in every_form(&doi) {
            prop_assert!(form.bytes().all(|b| b.is_ascii_graphic() && !b"\"#?".contains(&b)), "{}", form);
        }
        let url = doi.to_url(UrlEncoding::Recommended);
        prop_assert!(!url.contains(['<', '>', '{', '}', '^', '[', ']', '`', '|', '\\', '+']), "{}", url);
        let urn = doi.to_urn();
        prop_assert!(!urn.contains('/'), "{}", urn);
        prop_assert_eq!(doi.to_doi_uri().matches('/').count(), 1);
    }

    #[test]
    fn a_browser_leaves_the_recommended_url_whole(doi in any_doi()) {
        let url = doi.to_url(UrlEncoding::Recommended);
        prop_assert_eq!(without_dot_segments(&url), url);
    }

    #[test]
    fn equality_hash_and_order_are_those_of_keys(a in any_doi(), b in any_doi(), upper in any::<bool>()) {
        let b = if upper { Doi::new(&a.as_str().to_ascii_uppercase()).unwrap_or(b) } else { b };
        prop_assert_eq!(a == b, a.key() == b.key());
        prop_assert_eq!(a.cmp(&b), a.key().cmp(&b.key()));
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        if a == b {
            prop_assert_eq!(hasher.hash_one(&a), hasher.hash_one(&b));
        }
    }

    #[test]
    fn any_text_is_read_or_refused_inside_itself(
        start in proptest::sample::select(vec![
            "", "10.", "10.1/", "doi:", "doi: ", "urn:doi:10.1:", "https://doi.org/", "//", "%", "info:doi/10.1/",
        ]),
        text in prop_oneof![any::<String>(), "[ -~%]{0,12}"],
    ) {
        let text = format!("{start}{text}");
        match Doi::parse(&text) {
            Ok(doi) => prop_assert_eq!(Doi::new(doi.as_str()).map(|d| d.name), Ok(doi.name)),
            Err(error) => prop_assert!(text.is_char_boundary(error.offset()), "{:?}: {}", text, error),
        }
        if let Err(error) = Doi::new(&text) {
            prop_assert!(text.is_char_boundary(error.offset()), "{:?}: {}", text, error);
        }
    }

    #[test]
    fn ascii_shortcuts_agree_with_the_tables(text in any::<String>()) {
        use unicode_general_category::{GeneralCategory as G, get_general_category};
        let slow = text.char_indices().find(|&(_, c)| {
            matches!(
                get_general_category(c),
                G::Control | G::Format | G::Surrogate | G::PrivateUse | G::Unassigned
                    | G::LineSeparator | G::ParagraphSeparator
            )
        });
        prop_assert_eq!(first_not_graphic(&text), slow);
    }
}

#[test]
fn hexadecimal_digits_are_read_in_either_case() {
    for byte in 0..=255u8 {
        let mut escape = String::new();
        percent::push(byte, &mut escape);
        for text in [escape.to_ascii_lowercase(), escape] {
            assert_eq!(percent::first(text.as_bytes()), Some((byte, 3)), "{text}");
        }
    }
    for text in ["%", "%4", "%4g", "%g4", "%+1", "%%41"] {
        assert_eq!(percent::first(text.as_bytes()), Some((b'%', 1)), "{text}");
    }
}

#[test]
fn a_name_of_a_megabyte_is_a_name() {
    let name = format!("10.{}/{}", "5".repeat(500_000), "é".repeat(250_000));
    let doi = Doi::new(&name).expect("no length is too long");
    assert_eq!(
        Doi::parse(&doi.to_doi_uri())
            .expect("nor in a URI")
            .as_str(),
        name
    );
}

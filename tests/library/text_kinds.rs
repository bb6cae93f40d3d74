//! Detection of a document's kind by its head, and names in tables and web pages.

use doisift::{Scanner, TextKind};

const CSV: TextKind = TextKind::Csv;

fn of(text: &str) -> TextKind {
    TextKind::of(text.as_bytes(), true)
}

fn names(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut scanner = Scanner::new().kind(of(text));
    scanner.scan(text.as_bytes(), |mention| {
        found.push((mention.name.to_owned(), mention.guessed));
    });
    found
}

#[test]
fn tables_show_their_delimiter() {
    for (text, kind) in [
        ("id,doi\n1,10.5555/a\n", CSV),
        ("\u{feff}id,doi\r\n1,10.5555/a\r\n", CSV),
        ("2020,10.5555/abc,Title", CSV),
        (
            "id, doi\n1, 10.5555/a\n2, 10.5555/b\n3, 10.5555/c\n4, x\n",
            CSV,
        ),
        ("a,\"b, c\",d\n\"e\nf\",g,\"h \"\"i\"\"\"\n", CSV),
        ("id;doi;x\n1;10.5555/a;y\n", TextKind::Ssv),
        ("doi;pages\n10.5555/a;2-5\n10.5555/b;2-7\n", TextKind::Ssv),
        (
            "1;10.5555/1:1<1::AID-A>3.0.CO;2-O\n2;10.5555/1:1<2::AID-B>3.0.CO;2-P\n",
            TextKind::Ssv,
        ),
        ("id\tdoi\n1\t10.5555/a, b\n", TextKind::Tsv),
        ("id|doi\n1|10.5555/a\n", TextKind::Psv),
    ] {
        assert_eq!(of(text), kind, "{text:?}");
    }
}

#[test]
fn other_texts_are_no_tables() {
    for text in [
        "",
        "\n",
        "&nbsp;10.5555/a;b1&nbsp;x&nbsp;y",
        "10.5555/abc",
        "10.5555/1,2-diol,5",
        "See 10.5555/a, and\nalso 10.5555/b, or",
        "Smith, J. (2020), Title, 10.5555/a.\nDoe, R., Other, vol. 3, 10.5555/b.\n",
        "{\"a\":1,\"doi\":\"10.5555/a\"}\n{\"a\":2,\"doi\":\"10.5555/b\"}\n",
        "@article{a,\n  doi = {10.5555/a},\n  year = {2020},\n}\n",
        "  doi = {10.5555/a},\n  year = {2020},\n",
        "INSERT INTO x VALUES\n(1,'10.5555/a','b'),\n(2,'10.5555/b','c');\n",
        "{{cite journal\n| doi = 10.5555/a\n| year = 2020\n}}",
        "TY  - JOUR\nDO  - 10.5555/a\nER  - \n",
        "10.5555/1:1<1::AID-A>3.0.CO;2-O\nsee 10.5555/1:1<2::AID-B>3.0.CO;2-P here\n",
        "see 10.5555/1:1<1::AID-A>3.0.CO;2-O here\nsee 10.5555/a;10.5555/b here\n",
        "see 10.5555/a;10.5555/b and 10.5555/1:1<1::AID-A>3.0.CO;2-O here",
        "<a>1,2</a>\n<b>3,4</b>\n",
    ] {
        assert_eq!(of(text), TextKind::Unknown, "{text:?}");
    }
}

#[test]
fn a_page_shows_its_first_element() {
    for text in [
        "<!DOCTYPE html>\n<p>",
        "\n <HTML lang=en>",
        "<?xml version=\"1.0\"?>\n<!-- x -->\n<html xmlns=\"x\">",
    ] {
        assert_eq!(of(text), TextKind::Html, "{text:?}");
    }
    assert_eq!(of("<?xml version=\"1.0\"?><article>"), TextKind::Unknown);
}

#[test]
fn the_kind_does_not_depend_on_what_follows_the_head() {
    let row = "1,10.5555/abc,title\n";
    let text = row.repeat(2 * TextKind::HEAD_BYTES / row.len());
    let head = &text.as_bytes()[..TextKind::HEAD_BYTES];
    assert_eq!(TextKind::of(head, false), CSV);
    assert_eq!(TextKind::of(text.as_bytes(), true), CSV);
}

#[test]
fn a_cell_bounds_a_name_and_nothing_of_it_is_a_guess() {
    for cell in [
        "10.5555/ab_5",
        "doi:10.5555/ab_5",
        "DOI: 10.5555/ab_5",
        "see 10.5555/ab_5",
        " 10.5555/ab_5",
        "10.5555/ab_5 ",
        "\u{a0}10.5555/ab_5\u{a0}",
    ] {
        for next in ["1958", "https://a.example", "PMID:1", "word", ""] {
            for delimiter in [',', ';', '\t', '|'] {
                let row = format!("1{delimiter}{cell}{delimiter}{next}\n");
                let expected = vec![("10.5555/ab_5".to_owned(), false); 3];
                assert_eq!(names(&row.repeat(3)), expected, "{row:?}");
            }
        }
    }
}

#[test]
fn a_quoted_cell_ends_at_its_quote() {
    let text =
        "id,note\n1,\"see 10.5555/a, 10.5555/b\"\n2,\"[\"\"10.5555/c\"\", \"\"10.5555/d\"\"]\"\n";
    let found: Vec<_> = names(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, ["10.5555/a", "10.5555/b", "10.5555/c", "10.5555/d"]);
}

#[test]
fn the_semicolon_of_a_sici_parts_no_cells() {
    let text = "id;doi;year\n1;10.5555/1:9<1::A>3.0.CO;2-O;1996\n2;10.5555/b;1997\n";
    assert_eq!(of(text), TextKind::Ssv);
    let found: Vec<_> = names(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, ["10.5555/1:9<1::A>3.0.CO;2-O", "10.5555/b"]);
}

#[test]
fn the_machinery_of_a_page_is_no_name() {
    let page = |body: &str| format!("<!doctype html>\n{body}");
    for (body, expected) in [
        ("<img src=\"/i/10.5555/a.1.jpg\">", None),
        ("<span id=\"info:doi/10.5555/a.1.g001.PNG_L\">", None),
        (
            "<input name=\"info:doi/10.5555/a.1.g001.TIF\" value=1>",
            None,
        ),
        ("<a href=\"/media/10.5555/a.1.mp4\">", None),
        (
            "<meta name=\"twitter:image\" content=\"https://a.example/10.5555/a.1.strk\">",
            None,
        ),
        (
            "<a href=\"//a.example/article/10.5555/1745/6215/16/1/185@Top?x\">",
            None,
        ),
        (
            "<meta name=\"citation_doi\" content=\"10.5555/a.1\">",
            Some("10.5555/a.1"),
        ),
        (
            "<img src=\"https://doi.org/10.5555/a.1\">",
            Some("10.5555/a.1"),
        ),
        (
            "<a href=\"/article/info:doi/10.5555/a.1/powerpoint\">",
            Some("10.5555/a.1"),
        ),
        (
            "<input name=doi value=\"10.5555/a.1\">",
            Some("10.5555/a.1"),
        ),
    ] {
        let found: Vec<_> = names(&page(body))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{body}");
    }
}

#[test]
fn a_name_in_a_page_goes_on_over_inline_elements() {
    for (body, expected) in [
        (
            "10.5555/span<span>ned.4</span> x",
            &[("10.5555/spanned.4", true)][..],
        ),
        ("10.5555/<b>bold</b>.3 x", &[("10.5555/bold.3", true)]),
        (
            "doi:10.55<b class=\"a b\">55</b>/abc",
            &[("10.5555/abc", true)],
        ),
        ("1<u>0.5555/a</u>bc", &[("10.5555/abc", true)]),
        ("10<i>.5555/a</i><em>bc</em>", &[("10.5555/abc", true)]),
        ("<i>10.5555/a</i>. Next", &[("10.5555/a", false)]),
        (
            "<i>10.5555/a</i>;<i>10.5555/b</i>",
            &[("10.5555/a", false), ("10.5555/b", false)],
        ),
        ("10.5555/a<sup>2</sup>", &[("10.5555/a", false)]),
        ("10.5555/a<a href=\"x\">b</a>", &[("10.5555/a", false)]),
        ("10<td>.5555/a", &[]),
    ] {
        let found = names(&format!("<!doctype html>\n<p>{body}</p>"));
        let found: Vec<_> = found
            .iter()
            .map(|(name, guessed)| (&name[..], *guessed))
            .collect();
        assert_eq!(found, expected, "{body}");
    }
    let xml = names("<?xml version=\"1.0\"?><p>10.5555/a<b>b</b></p>");
    assert_eq!(xml, [("10.5555/a".to_owned(), false)]);
}

#[test]
fn a_sici_without_its_last_letter_is_guessed_only_where_its_semicolon_may_part_cells() {
    let name = "10.5555/1(2007)27[32:TLB]2.0.CO;2";
    for (cell, guessed) in [
        (format!("\"{name}\""), false),
        (name.to_owned(), true),
        (format!("{name}-1"), false),
    ] {
        let wanted = (cell.replace('"', ""), guessed);
        for text in [
            format!("id;doi;x\n1;{cell};y\n2;10.5555/b;y\n3;10.5555/c;y\n"),
            format!("id;x;doi\r\n1;y;{cell}\r\n2;y;10.5555/b\r\n3;y;10.5555/c\r\n"),
        ] {
            assert_eq!(names(&text)[0], wanted, "{text}");
        }
        let text = format!("id,doi\n1,{cell}\n2,10.5555/b\n");
        assert_eq!(names(&text)[0], (wanted.0, false), "{text}");
    }
}

#[test]
fn a_name_that_ends_before_the_semicolon_of_a_sici_is_not_guessed() {
    let sici = "10.5555/1(2007)27[32:TLB]2.0.CO;2";
    // The second is not a plain name, so all rules are applied.
    for first in ["10.5555/a", "10.5555/é"] {
        let text = format!("id;doi\n1;{first} see {sici}\n2;10.5555/b\n3;10.5555/c\n");
        let found = names(&text);
        assert_eq!(found[0], (first.to_owned(), false));
        assert_eq!(found[1], (sici.to_owned(), true));
    }
}

//! Mails: parts and attachments as documents, and mails that are made to cost much.

use crate::place::{Place, gzip};

/// Encodes bytes in Base64 with line ends.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for line in bytes.chunks(57) {
        for group in line.chunks(3) {
            let bits = group.iter().enumerate();
            let bits = bits.fold(0, |bits, (at, byte)| {
                bits | u32::from(*byte) << (16 - 8 * at)
            });
            for at in 0..4 {
                match at <= group.len() {
                    true => out.push(char::from(SIGNS[(bits >> (18 - 6 * at)) as usize & 63])),
                    false => out.push('='),
                }
            }
        }
        out.push('\n');
    }
    out
}

/// Returns a message with a text and attachments.
fn mail(number: usize, attached: &[(&str, Vec<u8>)]) -> String {
    let mut mail = format!(
        "From: a@b.org\nTo: c@d.org\nSubject: 10.5555/subject-{number}\nMIME-Version: 1.0\n\
        Content-Type: multipart/mixed; boundary=\"=_{number}\"\n\n--=_{number}\nContent-Type: text/plain\n\
        Content-Transfer-Encoding: quoted-printable\n\nsee 10.5555/text=\n-{number} and more\n"
    );
    for (name, bytes) in attached {
        let data = base64(bytes);
        mail += &format!(
            "--=_{number}\nContent-Type: application/octet-stream; name=\"{name}\"\nContent-Transfer-Encoding: base64\n\n{data}"
        );
    }
    mail + &format!("--=_{number}--\n\n")
}

pub fn mbox(count: usize) -> String {
    let attached = |number| ("a.gz", gzip(format!("10.5555/gz-{number}\n")));
    let one = |number| {
        let mail = mail(number, &[attached(number)]);
        format!("From a@b.org Mon Jan  1 00:00:00 2024\n{mail}")
    };
    (1..=count).map(one).collect()
}

#[test]
fn the_messages_of_an_mbox_are_documents_wherever_it_is() {
    let place = Place::new();
    let text = mbox(200);
    place.file("a.mbox", &text).file("b.gz", gzip(&text));
    let wanted = place
        .scan("a.mbox --mentions -f csv --fields document,offset,doi -j1")
        .quiet()
        .out;
    assert_eq!(wanted.lines().count(), 601);
    let first: Vec<_> = wanted.lines().take(4).collect();
    assert!(first[1].starts_with("#message=1,") && first[1].ends_with("10.5555/subject-1"));
    assert!(first[2].starts_with("#message=1/part=1,") && first[2].ends_with("10.5555/text-1"));
    assert_eq!(first[3], "#message=1/a.gz,0,10.5555/gz-1");
    for options in ["-j2", "-j2 --chunk 50", "-j1 --chunk 3", "-j3 --memory 1M"] {
        for source in ["a.mbox", "b.gz"] {
            let line = format!("{source} --mentions -f csv --fields document,offset,doi {options}");
            assert!(place.scan(&line).quiet().out == wanted, "{line}");
        }
        let line = format!("--mentions -f csv --fields document,offset,doi {options}");
        assert!(
            place.scan_stdin(&line, text.as_bytes()).quiet().out == wanted,
            "{line}"
        );
    }
}

#[test]
fn a_mail_in_a_maildir_needs_no_ending_and_its_attachments_are_opened() {
    let place = Place::new();
    let inner = mail(2, &[("b.gz", gzip("10.5555/inner\n"))]);
    let outer = mail(
        1,
        &[
            ("fwd.eml", inner.into_bytes()),
            ("x.png", b"\x89PNG\r\n\x1a\n".to_vec()),
        ],
    );
    place.file("cur/1700000000.M1P1.host:2,S", outer);
    let seen = place.scan("cur --mentions --report r.json").quiet();
    assert_eq!(
        seen.field("document"),
        [
            "null",
            "#part=1",
            "fwd.eml",
            "fwd.eml!/#part=1",
            "fwd.eml!/b.gz"
        ]
    );
    assert_eq!(
        place.json("r.json")["skipped"],
        serde_json::json!({"png": 1})
    );
}

#[test]
fn mails_within_mails_are_opened_up_to_the_limit() {
    let place = Place::new();
    let mut text = mail(0, &[]);
    for number in 1..6 {
        text = mail(number, &[("m", text.into_bytes())]);
    }
    place.file("a.eml", &text);
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("a.eml --count -f csv {threads}"));
        assert_eq!(seen.code, Some(1));
        assert!(
            seen.err
                .contains("a.eml: m!/m!/m!/m: at byte 0: mail is nested deeper"),
            "{}",
            seen.err
        );
        assert_eq!(seen.err.lines().count(), 1);
        let seen = place
            .scan(&format!("a.eml --max-depth 9 --count -f csv {threads}"))
            .quiet();
        assert!(seen.out.ends_with("\n12,12,17,1\n"), "{}", seen.out);
    }
}

#[test]
fn a_mail_that_breaks_off_is_an_error_and_what_came_before_is_kept() {
    let place = Place::new();
    let text = mbox(3);
    let cut = text.rfind("base64\n\n").unwrap() + 30;
    for (file, error) in [
        (&text[..cut], "a: #message=3/a.gz: at byte "),
        (
            &text[..text.rfind("--=_3--").unwrap()],
            "a: #message=3: at byte ",
        ),
    ] {
        let seen = place.file("a", file).scan("a --mentions -f names");
        assert_eq!(seen.code, Some(1));
        assert!(seen.err.contains(error), "{}", seen.err);
        assert!(seen.out.lines().count() >= 8, "{}", seen.out);
    }
}

#[test]
fn a_bomb_in_a_mail_is_stopped() {
    let place = Place::new();
    let bomb = gzip(vec![b' '; 100 << 20]);
    place.file(
        "a.eml",
        mail(1, &[("a.gz", gzip(bomb)), ("b.gz", gzip("10.5555/b"))]),
    );
    let seen = place.scan("a.eml");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err.contains("a.eml: a.gz: at byte ") && seen.err.contains("--max-expansion"),
        "{}",
        seen.err
    );
}

#[test]
fn pages_of_an_attached_pdf_are_documents_of_it() {
    let place = Place::new();
    let pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj \
        3 0 obj<</Type/Page/Parent 2 0 R/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>endobj \
        5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj \
        4 0 obj<</Length 42>>stream\nBT /F 9 Tf (see 10.5555/page today) Tj ET   \nendstream endobj\ntrailer<</Root 1 0 R>>\n";
    place.file("a.eml", mail(1, &[("p.pdf", pdf.to_vec())]));
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("a.eml --mentions {threads}")).quiet();
        assert_eq!(
            seen.field("document"),
            ["null", "#part=1", "p.pdf!/#page=1"]
        );
    }
}

const FIELDS: &str =
    "From: a@b.org\nTo: c@d.org\nSubject: s\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n";
const CODED: &str = "Content-Transfer-Encoding: base64\n\nMTAuNTU1NS9hYmMgYW5kIG1vcmUK\n";

/// Returns the names in a file with this name and content. Asserts that there is no warning.
fn names(file: &str, text: impl AsRef<[u8]>) -> Vec<String> {
    let place = Place::new();
    let seen = place
        .file(file, text.as_ref())
        .scan(&format!("{file} --mentions -f names"));
    let seen = seen.quiet();
    seen.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_mail_is_known_by_its_structure_whatever_its_first_field_is() {
    for first in [
        "Content-Length: 30",
        "Delivery-Date: Mon, 1 Jan 2024 00:00:00 +0000",
        "Resent-From: a@b.org",
        "Comments: none",
        "Authentication-Info: x",
        "Keywords: a, b",
        "Old-Return-Path: <a@b.org>",
        "Apparently-To: c@d.org",
        "Content-Description: x",
        "Mailing-List: x",
        "Auto-Submitted: no",
        "Priority: normal",
        "Sensitivity: private",
        "Approved: a@b.org",
        "Unknown-Field: x",
    ] {
        assert_eq!(
            names("a", format!("{first}\n{FIELDS}{CODED}")),
            ["10.5555/abc"],
            "{first}"
        );
    }
    let mime = format!("MIME-Version: 1.0\nContent-Type: text/plain\n{CODED}");
    assert_eq!(names("a", mime), ["10.5555/abc"]);
    let count = format!("{FIELDS}{CODED}").len();
    for start in [
        "\u{feff}",
        "\n",
        "\r\n\n",
        ">From a@b.org Mon Jan  1 00:00:00 2024\n",
        &format!("{count}   \n"),
    ] {
        assert_eq!(
            names("a", format!("{start}{FIELDS}{CODED}")),
            ["10.5555/abc"],
            "{start:?}"
        );
    }
    let classic = format!("{FIELDS}{CODED}").replace('\n', "\r");
    assert_eq!(names("a", classic), ["10.5555/abc"]);
}

#[test]
fn what_is_called_a_mail_is_read_as_one_or_a_warning_says_why_not() {
    for file in ["a.eml", "a.emlx", "a.mbox", "a.mbx", "a.mht", "A.MHTML"] {
        assert_eq!(
            names(file, format!("Field: x\n{CODED}")),
            ["10.5555/abc"],
            "{file}"
        );
        let place = Place::new();
        let seen = place
            .file(file, "no mail 10.5555/x\n")
            .scan(&format!("{file} -f names"));
        assert!(
            seen.err.contains("its name says mail"),
            "{file}: {}",
            seen.err
        );
        assert_eq!(seen.code, Some(0));
    }
    let place = Place::new();
    let seen = place
        .file("a.mbox", "")
        .file("b", "10.5555/b")
        .scan("a.mbox b -f names");
    assert!(!seen.err.contains("its name says"), "{}", seen.err);
}

#[test]
fn fields_are_read_in_all_their_forms() {
    for coding in [
        "(a (b) c) \"base64\"",
        "BASE64 (x)",
        "\"base64\"; x",
        "base64;",
    ] {
        let text = format!(
            "{FIELDS}Content-Transfer-Encoding: {coding}\n\nMTAuNTU1NS9hYmMgYW5kIG1vcmUK\n"
        );
        assert_eq!(names("a", text), ["10.5555/abc"], "{coding}");
    }
    for boundary in [
        "boundary*0=\"ab\";\n boundary*1=\"cd\"",
        "boundary*=us-ascii'en'ab%63d",
        "boundary*0*=''ab%63; boundary*1=d",
        "boundary=abcd (x)",
        "(a; b) ; boundary=abcd",
    ] {
        let text = format!(
            "{FIELDS}Content-Type: multipart/mixed; {boundary}\n\n--abcd\n{CODED}--abcd--\n"
        );
        assert_eq!(names("a", text), ["10.5555/abc"], "{boundary}");
    }
    let words =
        "From: a@b.org\nTo: c@d.org\nSubject: =?utf-8?B?MTAuNTU1?=\n =?utf-8?Q?5=2Fword?=\n\n";
    assert_eq!(names("a", words), ["10.5555/word"]);
}

#[test]
fn parts_without_a_boundary_are_one_text_with_an_error() {
    for boundary in ["x=y", "boundary=\"\""] {
        let text = format!(
            "{FIELDS}Content-Type: multipart/mixed; {boundary}\n\n--abcd\n\n10.5555/a\n--abcd--\n"
        );
        let place = Place::new();
        let seen = place.file("a", text).scan("a -f names");
        assert_eq!((seen.code, &seen.out[..]), (Some(1), "10.5555/a\n"));
        assert!(
            seen.err.contains("a header has no boundary"),
            "{}",
            seen.err
        );
    }
}

#[test]
fn a_message_that_does_not_fit_in_memory_is_a_text_with_an_error() {
    let place = Place::new();
    let line = "From a@b.org Mon Jan  1 00:00:00 2024\n";
    let long = format!("{line}{FIELDS}\n{}", "10.5555/long\n".repeat(100_000));
    place.file("a.mbox", format!("{long}{line}{FIELDS}{CODED}"));
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!(
            "a.mbox --memory 1M --pairs --fields document,doi,mentions -f csv {threads}"
        ));
        assert_eq!(seen.code, Some(1));
        assert_eq!(
            seen.out,
            "document,doi,mentions\n#message=1,10.5555/long,100000\n#message=2,10.5555/abc,1\n"
        );
        let error = "a.mbox: #message=1: at byte 0: the mail file needs more than 1048576 bytes";
        assert!(seen.err.contains(error), "{}", seen.err);
    }
}

#[test]
fn a_header_of_any_length_is_read() {
    let long = format!("X-Long: {}\n", "10.5555/x, ".repeat(6)).repeat(2500);
    let seen = names(
        "a",
        format!("{FIELDS}Content-Type: text/plain\n{long}{CODED}"),
    );
    assert_eq!(
        (seen.len(), seen.last().map(String::as_str)),
        (15001, Some("10.5555/abc"))
    );
    let folded = format!(
        "{FIELDS}Cc: {}x@y.org\n{CODED}",
        "a@b.org,\n ".repeat(40_000)
    );
    assert_eq!(names("a", folded), ["10.5555/abc"]);
}

#[test]
fn files_in_uuencode_are_named_and_the_text_around_them_is_read() {
    let file = "begin 644 a.txt\n,,3`N-34U-2]A8F,*\n`\nend\n";
    let text = format!("{FIELDS}\nsee 10.5555/text\n\n{file}10.5555/after\n");
    let coded = format!("{FIELDS}Content-Transfer-Encoding: x-uuencode\n\n{file}");
    for (text, names) in [(text, "10.5555/text\n10.5555/after\n"), (coded, "")] {
        let place = Place::new();
        let seen = place.file("a", text).scan("a --mentions -f names");
        assert_eq!((seen.code, &seen.out[..]), (Some(1), names));
        let error = "uuencode is recognised but cannot be opened; unpack it first: uudecode FILE";
        assert!(seen.err.contains(error), "{}", seen.err);
    }
    let prose = format!("{FIELDS}\nbegin 644 lines\nof prose 10.5555/prose\n");
    assert_eq!(names("a", prose), ["10.5555/prose"]);
}

#[test]
fn a_damaged_boundary_or_line_is_an_error() {
    let parts = format!(
        "{FIELDS}Content-Type: multipart/mixed; boundary=0123456789\n\n--0123456789\n{CODED}--0123456789\n{CODED}--0123456789--\n"
    );
    let line = format!("{}\n", "MTAuNTU1NS9hYmMg".repeat(4));
    let data = format!(
        "{FIELDS}Content-Transfer-Encoding: base64\n\n{}",
        line.repeat(4)
    );
    let at = data.rfind("MTAu").unwrap();
    for (text, count) in [
        (
            parts.replacen("\n--0123456789\nC", "\n--01234x6789\nC", 1),
            2,
        ),
        (parts.replacen("boundary=0123", "boundary=0113", 1), 2),
        (parts.replacen("\n--0123456789--", "\n-m0123456789--", 1), 2),
        (format!("{}:{}", &data[..at], &data[at + 1..]), 15),
        (format!("{}={}", &data[..at], &data[at + 1..]), 12),
    ] {
        let place = Place::new();
        let seen = place.file("a", &text).scan("a --mentions -f names");
        assert_eq!(seen.code, Some(1), "{text}");
        assert!(
            seen.err.contains("the mail data is damaged"),
            "{}",
            seen.err
        );
        assert!(
            seen.out.matches("10.5555/abc").count() >= count,
            "{text}{}",
            seen.out
        );
    }
}

#[test]
fn names_cut_at_the_lines_of_flowed_text_are_whole() {
    let flowed = |parameters: &str, coding: &str, body: &str| {
        let kind = format!("Content-Type: text/plain; format=flowed{parameters}\n");
        names("a", format!("{FIELDS}{kind}{coding}\n{body}"))
    };
    let body =
        "see 10.5555/lo \nng and more \n> quoted 10.5555/quo \n> ted end\n-- \n10.5555/sign\n";
    let whole = ["10.5555/long", "10.5555/quoted", "10.5555/sign"];
    assert_eq!(flowed("; DelSp=yes", "", body), whole);
    let cut = ["10.5555/lo", "10.5555/quo", "10.5555/sign"];
    assert_eq!(flowed("", "", body), cut);
    let quoted = "Content-Transfer-Encoding: quoted-printable\n";
    let body = body.replace(" \n", "=20\n");
    assert_eq!(flowed("; delsp=\"YES\"", quoted, &body), whole);
    let coded = format!(
        "Content-Transfer-Encoding: base64\n\n{}",
        base64(body.replace("=20", " ").as_bytes())
    );
    assert_eq!(flowed("; DelSp=yes", &coded, ""), whole);
}

#[test]
fn parts_of_a_digest_are_messages() {
    let message = format!("{FIELDS}{CODED}");
    let digest = |header: &str| {
        format!(
            "{FIELDS}Content-Type: multipart/digest; boundary=b\n\n--b\n{header}\n{message}--b\n\n\
            no message 10.5555/text\n--b--\n"
        )
    };
    for header in ["", "Content-Type: message/rfc822\n", "Content-ID: <a@b>\n"] {
        assert_eq!(
            names("a", digest(header)),
            ["10.5555/abc", "10.5555/text"],
            "{header}"
        );
    }
    let from = "From a@b.org Mon Jan  1 00:00:00 2024\n";
    for line in [from.to_owned(), format!(">{from}")] {
        assert_eq!(
            names(
                "a",
                digest(&format!("Content-Type: message/rfc822\n\n{line}"))
                    .replace("2024\n\n", "2024\n")
            ),
            ["10.5555/abc", "10.5555/text"],
            "{line}"
        );
    }
    assert_eq!(
        names("a", digest("Content-Type: text/plain\n")),
        ["10.5555/text"]
    );
}

#[test]
fn base64_needs_no_padding_where_its_bytes_are_whole() {
    let parts = |data: &str| {
        let part = format!("--b\nContent-Transfer-Encoding: base64\n\n{data}\n");
        format!("{FIELDS}Content-Type: multipart/mixed; boundary=b\n\n{part}{part}--b--\n")
    };
    for data in [
        "MTAuNTU1NS9hYmM",
        "MTAuNTU1NS9hYmMK",
        "MTAuNTU1\nNS9hYmMKCg",
    ] {
        assert_eq!(names("a", parts(data)), ["10.5555/abc"; 2], "{data}");
        let mail = format!("{FIELDS}Content-Transfer-Encoding: base64\n\n{data}");
        assert_eq!(names("a", mail), ["10.5555/abc"], "{data}");
    }
    for data in [
        "MTAuNTU1NS9hYmMgM",
        "MTAuNTU1NS9hYmN",
        "MTAuNTU1NS9hYmMK===",
    ] {
        let place = Place::new();
        let seen = place.file("a", parts(data)).scan("a -f names");
        assert_eq!(seen.code, Some(1), "{data}");
        assert!(
            seen.err.contains("the mail data is damaged"),
            "{}",
            seen.err
        );
    }
}

#[test]
fn a_charset_that_is_not_known_is_reported_where_it_matters() {
    let mail = |charset: &str, body: &[u8]| {
        let head = format!("{FIELDS}Content-Type: text/plain; charset={charset}\n\n");
        [head.as_bytes(), body].concat()
    };
    let shift = b"see 10.5555/a+AF8-b +MEI- 10.5555/c+ADs-d";
    assert_eq!(
        names("a", mail("UTF-7", shift)),
        ["10.5555/a_b", "10.5555/c;d"]
    );
    assert_eq!(names("a", mail("x-none", b"see 10.5555/a")), ["10.5555/a"]);
    let word = format!("Subject: =?x-none?q?caf=E9_10.5555=2Fa?=\n{FIELDS}\n").into_bytes();
    for (text, label) in [
        (mail("x-none", b"caf\xe9 10.5555/a"), "x-none"),
        (mail("iso-2022-kr", b"\x1b$)C 10.5555/a"), "iso-2022-kr"),
        (word, "x-none"),
    ] {
        let place = Place::new();
        let seen = place
            .file("a", text)
            .scan("a --mentions -f csv --fields doi,guessed");
        let error = format!("the charset {label} is not known; the bytes were read unchanged");
        assert!(seen.err.contains(&error), "{}", seen.err);
        assert!(seen.err.contains("a: at byte "), "{}", seen.err);
        assert_eq!(seen.code, Some(1));
        assert_eq!(seen.out, "doi,guessed\n10.5555/a,false\n");
    }
}

#[test]
fn parts_of_a_message_that_was_cut_are_reported() {
    let part = |number: u64, total: u64, inner: &str| {
        format!(
            "{FIELDS}Content-Type: message/partial; id=\"x@y\"; number={number}; total={total}\n\n{inner}"
        )
    };
    let message = format!("{FIELDS}{CODED}");
    assert_eq!(names("a", part(1, 1, &message)), ["10.5555/abc"]);
    for (number, inner, name) in [
        (1, &message[..], "10.5555/abc"),
        (2, "10.5555/text\n", "10.5555/text"),
    ] {
        let place = Place::new();
        let seen = place
            .file("a", part(number, 2, inner))
            .scan("a --mentions -f names");
        assert_eq!(seen.code, Some(1));
        let error = format!("this mail is part {number} of a message that was cut");
        assert!(seen.err.contains(&error), "{}", seen.err);
        assert_eq!(seen.out.trim_end(), name);
    }
    let body = format!(
        "{FIELDS}Content-Type: message/external-body; access-type=URL; URL=\"https://doi.org/10.5555/url\"\n\n\
        Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nsee 10.5555/phantom\n"
    );
    assert_eq!(names("a", body), ["10.5555/url", "10.5555/phantom"]);
}

#[test]
fn identifiers_of_messages_are_no_names() {
    let fields = "Message-ID: <10.1000.5555@b.org>\nReferences: <10.1000@b.org>\n <20240101.10.1000.a@b.org>\n\
        In-Reply-To: <10.1234$5678@b.org>\nList-ID: <10.1000.lists.b.org>\nList-Unsubscribe: <https://b.org/10.1000>\n";
    let text = format!(
        "{fields}{FIELDS}Subject: =?utf-8?Q?10.5555/sub?=\n =?utf-8?B?amVjdA==?=\nX-Name: 10.5555/\u{e9}t\u{e9}\n\n"
    );
    assert_eq!(
        names("a", text),
        ["10.5555/subject", "10.5555/\u{e9}t\u{e9}"]
    );
}

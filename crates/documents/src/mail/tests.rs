use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::container::StreamLevel;
use crate::documents::{DocumentHead, DocumentSink};
use crate::expansion::Expansion;
use crate::fault::InputError;
use crate::mail_start;
use crate::read::ReadBytes;
use crate::read_options::ReadOptions;
use crate::source_reader::SourceReader;

/// Documents by name, and errors.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    documents: Vec<(String, String)>,
    errors: Vec<String>,
}

impl DocumentSink for Seen {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let mut text = Vec::new();
        while let Err(error) = bytes.read_to_end(&mut text) {
            self.errors.push(error.to_string());
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        self.documents
            .push((head.name.as_deref().unwrap_or("-").to_owned(), text));
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, _: u64, error: InputError) {
        let name = name.as_deref().unwrap_or("-").to_owned();
        self.errors.push(format!("{name}: {error}"));
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        let name = name.as_deref().unwrap_or("-").to_owned();
        self.documents.push((name, kind.to_owned()));
    }

    fn is_halted(&self) -> bool {
        false
    }
}

fn seen(text: impl AsRef<[u8]>) -> Seen {
    let counter = AtomicU64::new(0);
    let options = ReadOptions::for_tests(&counter);
    let mut seen = Seen::default();
    let expansion = Expansion::new(1000, 0);
    let mut bytes = text.as_ref();
    SourceReader::new(&options, &expansion, &mut seen)
        .stream(&StreamLevel::source(None), &mut bytes);
    seen
}

const HEAD: &str = "From: a@b.org\nTo: c@d.org\nSubject: 10.5555/subject\n";

fn names(seen: &Seen) -> Vec<&str> {
    seen.documents.iter().map(|(name, _)| &name[..]).collect()
}

#[test]
fn a_message_without_coding_is_the_text_that_it_is() {
    for body in [
        "",
        "\n",
        "\nsee 10.5555/a\n--x\nFrom a@b.c 10:00\nX: y\n",
        "no header\n",
    ] {
        let text = format!("{HEAD}{body}");
        let wanted = vec![("-".to_owned(), text.clone())];
        assert_eq!(
            seen(&text),
            Seen {
                documents: wanted,
                errors: vec![]
            }
        );
    }
}

#[test]
fn codings_are_undone_and_the_text_is_utf8() {
    let quoted = format!(
        "{HEAD}Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: Quoted-Printable\n\n\
        caf=E9 10.5555/lo=\nng  \nx=3D1 doi=10.5555/raw =zz=\r\n.\n"
    );
    let text = &seen(&quoted).documents[0].1;
    let body = text.split("\n\n").nth(1).unwrap();
    assert_eq!(body, "café 10.5555/long\nx=1 doi=10.5555/raw =zz.\n");
    let base64 = format!(
        "{HEAD}Content-Transfer-Encoding: base64\n\nMTAuNTU1\nNS9hYmM=\n\n-- \nfooter 10.5555/b\n"
    );
    let seen = seen(&base64);
    assert_eq!(names(&seen), ["-", "#rest"]);
    assert!(seen.documents[0].1.ends_with("\n\n10.5555/abc"));
    assert_eq!(seen.documents[1].1, "-- \nfooter 10.5555/b\n");
    assert_eq!(seen.errors, [""; 0]);
}

/// Returns a message of a text, a web page, a message with two parts, and an attachment, with text before and after the
/// parts.
fn parts() -> String {
    let inner = "Content-Type: message/rfc822\n\nFrom: x@y\nContent-Type: multipart/mixed; boundary=b2\n\n\
        --b2\n\n10.5555/inner\n--b2\nContent-Type: application/x; name=\"a;b.bin\"\nContent-Transfer-Encoding: base64\n\n\
        MTAuNTU1NS9iaW4g\n--b2--\n";
    format!(
        "{HEAD}Content-Type: multipart/mixed;\n\tboundary=\"b 1\"\n\nbefore\n--b 1\nContent-Type: text/plain\n\n10.5555/a\n\
        --b 1\r\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+\n--b 1  \n{inner}--b 1\n\
        Content-Disposition: attachment; filename*=UTF-8''caf%C3%A9.txt\n\nplain 10.5555/file\n--b 1--\nafter 10.5555/c\n"
    )
}

#[test]
fn each_part_is_a_document() {
    let seen = seen(parts());
    let wanted = [
        "-",
        "#part=1",
        "#part=2",
        "#part=3",
        "#part=3.1",
        "#part=3.2/header",
        "a;b.bin",
        "#part=4/header",
        "café.txt",
        "#rest",
    ];
    assert_eq!((names(&seen), &seen.errors), (wanted.to_vec(), &vec![]));
    let text = |name: &str| {
        &seen
            .documents
            .iter()
            .find(|(own, _)| own == name)
            .unwrap()
            .1
    };
    assert!(text("-").ends_with("\n\nbefore") && text("#part=1").ends_with("\n\n10.5555/a"));
    assert!(text("#part=2").ends_with("\n\n<p>"));
    assert!(text("#part=3").contains("From: x@y"));
    assert_eq!(text("a;b.bin"), "10.5555/bin ");
    assert_eq!(text("café.txt"), "plain 10.5555/file");
    assert_eq!(text("#rest"), "after 10.5555/c\n");
}

#[test]
fn boundaries_of_parts_in_parts_may_differ_in_one_byte() {
    let part = |boundary: &str, inner: &str| {
        format!(
            "Content-Type: multipart/mixed; boundary={boundary}\n\n--{boundary}\n{inner}\n--{boundary}--\n"
        )
    };
    let inner = part("--_NmP-Part_2", "Content-Type: text/plain\n\n10.5555/a");
    let seen = seen(format!("{HEAD}{}", part("--_NmP-Part_1", &inner)));
    assert_eq!(names(&seen), ["-", "#part=1", "#part=1.1"]);
    assert_eq!(seen.errors, [""; 0]);
}

#[test]
fn an_mbox_is_cut_at_its_messages() {
    let line = "From a@b.org Mon Jan  1 00:00:00 2024\n";
    let one = format!("{line}{}\n", parts());
    // A message that breaks off in base64, and one without an empty line before the next.
    let cut = format!("{line}{HEAD}Content-Transfer-Encoding: base64\n\nMTAuNTU1NS9hYmMg\n");
    let plain = format!("{line}{HEAD}\nFrom here on 10:00\n>From a@b.org 10:00\n10.5555/z\n");
    let seen = seen([&one[..], &cut, &plain, &one].concat());
    assert_eq!(seen.errors, [""; 0]);
    assert_eq!(seen.documents.len(), 10 + 1 + 1 + 10);
    assert_eq!(
        names(&seen)[5..7],
        ["#message=1/part=3.2/header", "#message=1/a;b.bin"]
    );
    assert_eq!(seen.documents[10].0, "#message=2");
    assert!(seen.documents[10].1.ends_with("10.5555/abc "));
    assert_eq!(seen.documents[11], ("#message=3".to_owned(), plain));
    assert_eq!(seen.documents[20].0, "#message=4/café.txt");
}

/// Fields that say how a body is written.
const FIELDS: [&str; 10] = [
    "",
    "Content-Transfer-Encoding: base64\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "Content-Type: multipart/mixed; boundary=x\n",
    "Content-Type: multipart/mixed; boundary=\"\"\n",
    "Content-Type: message/rfc822\n",
    "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n",
    "Content-Type: text/html; charset=utf-16\nContent-Transfer-Encoding: 8bit\n",
    "Content-Type: text/plain; charset=hz-gb-2312\n",
    "Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: quoted-printable\n",
];

/// Lines that may be taken for parts of a mail.
const LINES: [&str; 15] = [
    "10.5555/a.1",
    "see 10.5555/b.2 and",
    "https://doi.org/10.5555/ccccccccccccccccccccccccccccccc.3",
    "--x",
    "",
    "--x--",
    "doi=10.5555/d.4",
    "Content-Type: multipart/x; boundary=y",
    "--y",
    "From: 10.5555/e.5",
    "\t10.5555/f.6",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa10.5555/g.7",
    "--xx 10.5555/h.8",
    "From a@b.org 10:00",
    "From: x 10.5555/i.9",
];

#[test]
fn what_only_looks_like_a_mail_loses_no_line() {
    for field in FIELDS {
        for first in 0..LINES.len() {
            let rotated = [&LINES[first..], &LINES[..first]].concat().join("\n");
            let text = format!("{HEAD}{field}\n{rotated}\n");
            let seen = seen(&text);
            for line in LINES.iter().filter(|line| line.contains("10.5555")) {
                let is_there = |(_, text): &(String, String)| text.contains(line.trim());
                assert!(
                    seen.documents.iter().any(is_there),
                    "{field}{line}: {seen:?}"
                );
            }
        }
    }
}

#[test]
fn a_mail_that_breaks_off_or_is_damaged_is_reported() {
    let whole = parts();
    for cut in (HEAD.len() + 60..whole.len()).step_by(7) {
        let seen = seen(&whole[..cut]);
        let has_end = whole[..cut].contains("--b 1--");
        assert_eq!(seen.errors.is_empty(), has_end, "{cut}: {:?}", seen.errors);
    }
    let line = "MTAuNTU1NS9hYmMgMTAuNTU1NS9hYmMgMTAuNTU1NS9hYmMg\n";
    let body = [
        &line.repeat(3)[..],
        &line.replacen('N', "#", 1),
        line,
        "MTAuN\n",
    ]
    .concat();
    let seen = seen(format!("{HEAD}Content-Transfer-Encoding: base64\n\n{body}"));
    assert_eq!(seen.errors.len(), 2, "{:?}", seen.errors);
    assert!(seen.errors[0].contains("the mail data is damaged: a line has wrong characters"));
    assert!(seen.errors[1].contains("the mail data is damaged: it ends too early"));
    assert!(seen.documents[0].1.matches("10.5555/abc").count() == 14);
}

#[test]
fn mails_within_mails_end() {
    let mut text = String::from("10.5555/deep\n");
    for number in 0..1000 {
        text = format!(
            "Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n{text}\n--b{number}--\n"
        );
    }
    let seen = seen(format!("{HEAD}{text}"));
    assert_eq!(seen.errors.len(), 1);
    assert!(
        seen.errors[0].contains("mail is nested deeper"),
        "{:?}",
        seen.errors
    );
    assert!(
        seen.documents
            .iter()
            .any(|(_, text)| text.contains("10.5555/deep"))
    );
    let text = format!(
        "{HEAD}{}10.5555/deep\n",
        "Content-Type: message/rfc822\n\n".repeat(10_000)
    );
    let seen = self::seen(text);
    assert_eq!(seen.errors.len(), 1);
    assert!(
        seen.documents
            .iter()
            .any(|(_, text)| text.contains("10.5555/deep"))
    );
}

#[test]
fn texts_with_other_starts_are_no_mails() {
    for text in [
        "From: a\nTo: b\n\nSubject: c\n",
        "Subject: 1\nResult: 2\nPage: 3\n",
        "# From: a\nFrom: a\nTo: b\nSubject: c\n",
        "From a@b 10:00\nand so on\n",
        "Title: x\nTo: b\nFrom: a\nSubject: c\n",
        "X-A: 1\nX-B: 2\nX-C: 3\n",
        "HTTP/1.1 200 OK\nDate: Mon, 1 Jan 2024 00:00:00 GMT\nMIME-Version: 1.0\n",
        "Date: Mon, 1 Jan 2024 00:00:00 GMT\nServer: x\nMIME-Version: 1.0\nContent-Type: text/plain\n",
        "Title: x\nDate: 2024-01-01\nSubject: y\nKeywords: z\n",
        "Package: x\nVersion: 1\nMaintainer: A <a@b.org>\nDate: Mon, 1 Jan 2024\n",
        "title: x\nfrom: here\nto: there\nsubject: y\n",
        "---\nsubject: y\nfrom: a@b.org\nto: c@d.org\n---\n",
        "TY  - JOUR\nDO  - 10.5555/a\n",
    ] {
        assert!(!mail_start::starts_mail(text.as_bytes()), "{text}");
    }
    let received = "Received: from x\n\tby y\n".repeat(300);
    assert!(mail_start::starts_mail(&received.as_bytes()[..4096]));
    assert!(mail_start::starts_mail(
        b"From - Mon Jan  1 00:00:00 2024\nX-Mozilla-Status: 0001\nFrom: a\n"
    ));
}

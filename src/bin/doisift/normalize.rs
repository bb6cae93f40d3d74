//! `doisift normalize`: reads texts and writes the DOI name of each in the chosen form.
//!
//! Uses the library's `Doi` and `Scanner`, and knows no sources and no records. `main` passes the streams in, because it
//! alone knows whether they are terminals.

use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, Read, Write};

use anyhow::Context;
use clap::{Args, ValueEnum};
use doisift::{Doi, DoiError, DoiErrorKind, Printable, Scanner, UrlEncoding};

/// The longest line of standard input that is read, in bytes. A longer line is refused without being held in memory,
/// since someone may pipe a dump in by mistake.
const MAX_LINE: usize = 16 << 20;

/// Write DOI names of any presentation form in one form
///
/// A text may be a bare name, doi: or info: URI, URN, the URL of a DOI proxy, or a URL of any host
/// that holds exactly one DOI name. Any other text gives an empty line, a reason on standard
/// error, and exit code 1.
#[derive(Args, Debug)]
pub(crate) struct NormalizeArgs {
    /// Texts to read; if there are none, each line of standard input is a text
    #[arg(value_name = "TEXT")]
    texts: Vec<OsString>,

    /// The form to write
    #[arg(long, value_enum, value_name = "FORM", default_value_t = To::Key)]
    to: To,

    /// Which characters `--to url` encodes: those that must be encoded, or also those for which it is recommended
    #[arg(long, value_enum, value_name = "RULES", default_value_t = Encode::Mandatory)]
    encode: Encode,

    /// Refuse names that ANSI/NISO Z39.84 reserves: a single character and "/" start the suffix
    #[arg(long)]
    strict: bool,

    /// Take texts as dirty data: cut parts that do not belong to the name, such as /full, (2006) or a second name
    #[arg(long)]
    clean: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    /// The decoded name, its case kept
    Name,
    /// The decoded name in ASCII lower case, the same for all equivalent names
    Key,
    /// The doi URI, as doi:10.1000/a%2Fb
    DoiUri,
    /// The URL of the proxy doi.org
    Url,
    /// The URN, as urn:doi:10.1000:a%2Fb
    Urn,
    /// The URL of the proxy's REST API
    Api,
}

// The DOI Handbook has a table of mandatory and one of recommended encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Encode {
    Mandatory,
    Recommended,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Number of texts that were no DOI name. The exit code is 1 if it is not 0.
    pub(crate) refused: u64,
}

/// Why a text is refused.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("not UTF-8, at byte {0}")]
    NotUtf8(usize),
    #[error("longer than {MAX_LINE} bytes")]
    TooLong,
    #[error(transparent)]
    NoName(#[from] DoiError),
    #[error("no DOI name in this URL")]
    NoneInUrl,
    #[error("more than one DOI name in this URL")]
    ManyInUrl,
    #[error("reserved: the suffix starts with a single character and \"/\"")]
    Reserved,
}

/// Normalizes the texts of `args`, or each line of `stdin` if there are none. Holds one line at a time.
///
/// Writes a line to `stdout` for each text as soon as it is read, and flushes at the end. The caller buffers `stdout`
/// unless it is a terminal. A closed pipe on `stdout` ends the run without an error. Errors of `stderr` are ignored.
///
/// # Errors
///
/// If `stdin` cannot be read or `stdout` cannot be written.
pub(crate) fn run(
    args: &NormalizeArgs,
    stdin: impl BufRead,
    stdout: impl Write,
    stderr: impl Write,
) -> anyhow::Result<Outcome> {
    let mut run = Normalizer {
        args,
        scanner: Scanner::new(),
        stdout,
        stderr,
        outcome: Outcome::default(),
    };
    let written = if args.texts.is_empty() {
        run.lines(stdin)?
    } else {
        run.texts()
    };
    match written.and_then(|()| run.stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(run.outcome),
    }
}

struct Normalizer<'a, O, E> {
    args: &'a NormalizeArgs,
    scanner: Scanner,
    stdout: O,
    stderr: E,
    outcome: Outcome,
}

impl<O: Write, E: Write> Normalizer<'_, O, E> {
    fn texts(&mut self) -> io::Result<()> {
        for (text, number) in self.args.texts.iter().zip(1..) {
            self.take("argument", number, Ok(text.as_encoded_bytes()))?;
        }
        Ok(())
    }

    /// The outer error is the input's, the inner one the output's.
    fn lines(&mut self, stdin: impl BufRead) -> anyhow::Result<io::Result<()>> {
        let mut lines = InputLines {
            input: stdin,
            line: Vec::new(),
            number: 0,
        };
        while let Some((number, line)) = lines.next().context("standard input")? {
            if let Err(error) = self.take("line", number, line) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn take(&mut self, what: &str, number: u64, text: Result<&[u8], Refusal>) -> io::Result<()> {
        match text.and_then(|text| self.name(text)) {
            Ok(doi) => self
                .args
                .to
                .write(&doi, self.args.encode, &mut self.stdout)?,
            Err(refusal) => {
                self.outcome.refused += 1;
                // If standard error is closed, there is nowhere to report it.
                let _ = writeln!(
                    self.stderr,
                    "doisift: {what} {number}: {}",
                    Printable(refusal)
                );
            }
        }
        self.stdout.write_all(b"\n")
    }

    fn name(&mut self, text: &[u8]) -> Result<Doi, Refusal> {
        let text = str::from_utf8(text).map_err(|e| Refusal::NotUtf8(e.valid_up_to()))?;
        let doi = if self.args.clean {
            doisift::clean(text)?.doi
        } else {
            self.name_as_written(text)?
        };
        if self.args.strict && doi.is_reserved() {
            Err(Refusal::Reserved)
        } else {
            Ok(doi)
        }
    }

    fn name_as_written(&mut self, text: &str) -> Result<Doi, Refusal> {
        Doi::parse(text).or_else(|error| match error.kind() {
            DoiErrorKind::ForeignHost | DoiErrorKind::NoDirectory if is_url(text) => {
                self.name_in_url(text)
            }
            _ => Err(error.into()),
        })
    }

    /// The name that `doisift scan` finds in a URL, if it finds exactly one.
    fn name_in_url(&mut self, url: &str) -> Result<Doi, Refusal> {
        let mut found: Option<Doi> = None;
        let mut many = false;
        self.scanner.scan(url.trim_ascii().as_bytes(), |mention| {
            if let Ok(doi) = Doi::new(mention.name) {
                many |= found.get_or_insert_with(|| doi.clone()) != &doi;
            }
        });
        if many {
            Err(Refusal::ManyInUrl)
        } else {
            found.ok_or(Refusal::NoneInUrl)
        }
    }
}

fn is_url(text: &str) -> bool {
    let text = text.trim_ascii();
    let starts = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    (starts("http://") || starts("https://")) && !text.contains(char::is_whitespace)
}

impl To {
    fn write(self, doi: &Doi, encode: Encode, out: &mut impl Write) -> io::Result<()> {
        let encoding = match encode {
            Encode::Mandatory => UrlEncoding::Mandatory,
            Encode::Recommended => UrlEncoding::Recommended,
        };
        let text = match self {
            To::Name => doi.as_str().into(),
            To::Key => doi.key(),
            To::DoiUri => doi.to_doi_uri().into(),
            To::Url => doi.to_url(encoding).into(),
            To::Urn => doi.to_urn().into(),
            To::Api => doi.to_api_url().into(),
        };
        out.write_all(text.as_bytes())
    }
}

/// The number of a line, and the line or why it is refused.
type InputLine<'a> = (u64, Result<&'a [u8], Refusal>);

/// The lines of an input of any size. Holds one line at a time.
struct InputLines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> InputLines<R> {
    fn next(&mut self) -> io::Result<Option<InputLine<'_>>> {
        self.line.clear();
        let limit = MAX_LINE as u64 + 1;
        if self
            .input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut self.line)?
            == 0
        {
            return Ok(None);
        }
        self.number += 1;
        let whole = self.line.pop_if(|last| *last == b'\n').is_some();
        if !whole && self.line.len() > MAX_LINE {
            self.input.skip_until(b'\n')?;
            return Ok(Some((self.number, Err(Refusal::TooLong))));
        }
        Ok(Some((self.number, Ok(self.text()))))
    }

    /// The line without the byte order mark that may start the stream.
    fn text(&self) -> &[u8] {
        let mark = if self.number == 1 {
            "\u{feff}".as_bytes()
        } else {
            &[]
        };
        self.line.strip_prefix(mark).unwrap_or(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct TestCommand {
        #[command(flatten)]
        args: NormalizeArgs,
    }

    /// Standard output, standard error, and how many texts were refused.
    fn normalize(options: &[&str], stdin: &[u8]) -> (String, String, u64) {
        let command =
            TestCommand::try_parse_from([&["normalize"], options].concat()).expect("options");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        // A buffer smaller than a line, so that each line is read in pieces.
        let stdin = BufReader::with_capacity(3, stdin);
        let outcome = run(&command.args, stdin, &mut out, &mut err).expect("no stream fails");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(out), text(err), outcome.refused)
    }

    #[test]
    fn lines_of_any_form_come_out_as_keys() {
        let stdin = b"10.1000/ABC\nhttps://doi.org/10.1000/456%23789?a=b\r\nurn:doi:10.123:456";
        let wanted = "10.1000/abc\n10.1000/456#789\n10.123/456\n";
        assert_eq!(normalize(&[], stdin), (wanted.into(), String::new(), 0));
    }

    #[test]
    fn texts_as_arguments_leave_standard_input_alone() {
        let (out, err, refused) = normalize(&["doi:10.1000/A", "x"], b"10.1000/unread\n");
        assert_eq!(out, "10.1000/a\n\n");
        assert_eq!(
            err,
            "doisift: argument 2: no directory indicator \"10.\", at byte 0\n"
        );
        assert_eq!(refused, 1);
    }

    #[test]
    fn each_form_is_written_on_request() {
        let name = "https://dx.doi.org/10.1000/A%3Cb/c";
        for (to, wanted) in [
            ("name", "10.1000/A<b/c"),
            ("key", "10.1000/a<b/c"),
            ("doi-uri", "doi:10.1000/A%3Cb%2Fc"),
            ("url", "https://doi.org/10.1000/A<b/c"),
            ("urn", "urn:doi:10.1000:A%3Cb%2Fc"),
            ("api", "https://doi.org/api/handles/10.1000/A%3Cb%2Fc"),
        ] {
            let (out, err, _) = normalize(&["--to", to, name], b"");
            assert_eq!(
                (out, err),
                (format!("{wanted}\n"), String::new()),
                "--to {to}"
            );
        }
    }

    #[test]
    fn recommended_encoding_is_an_option() {
        let (out, ..) = normalize(
            &["--to=url", "--encode=recommended", "10.1000/a<../../b+"],
            b"",
        );
        assert_eq!(out, "https://doi.org/10.1000/a%3C../..%2Fb%2B\n");
    }

    #[test]
    fn a_line_that_is_no_name_is_an_empty_line_and_a_numbered_reason() {
        let stdin = b"10.1000/1\n\n10.1000/a b\n10.1000/2\n10.1000/caf\xe9\ndoi:10.1000\n";
        let (out, err, refused) = normalize(&[], stdin);
        assert_eq!(out, "10.1000/1\n\n\n10.1000/2\n\n\n");
        let reasons: Vec<_> = err.lines().collect();
        assert_eq!(
            reasons,
            [
                "doisift: line 2: no directory indicator \"10.\", at byte 0",
                "doisift: line 3: raw white space, at byte 9",
                "doisift: line 5: not UTF-8, at byte 11",
                "doisift: line 6: no \"/\" after the prefix, at byte 11",
            ]
        );
        assert_eq!(refused, 4);
    }

    #[test]
    fn reserved_suffixes_are_refused_only_when_strict() {
        assert_eq!(normalize(&["10.5555/a/b"], b"").0, "10.5555/a/b\n");
        let (out, err, refused) = normalize(&["--strict", "10.5555/a/b", "10.5555/ab/c"], b"");
        assert_eq!(out, "\n10.5555/ab/c\n");
        assert!(err.starts_with("doisift: argument 1: reserved"), "{err}");
        assert_eq!(refused, 1);
    }

    #[test]
    fn a_url_of_another_host_is_read_as_scan_reads_it() {
        let url = "HTTPS://onlinelibrary.wiley.com/doi/10.1002/Abc";
        assert_eq!(
            normalize(&["--to=name", url], b""),
            ("10.1002/Abc\n".into(), String::new(), 0)
        );
    }

    #[test]
    fn a_url_of_another_host_holds_one_name_or_is_refused() {
        let twice = "https://example.org/10.1002/abc?doi=10.1002/ABC";
        assert_eq!(normalize(&[twice], b"").0, "10.1002/abc\n");
        for (url, reason) in [
            ("https://example.org/", "no DOI name in this URL"),
            (
                "https://example.org/10.1002/a?doi=10.1002/b",
                "more than one DOI name in this URL",
            ),
            (
                "https://example.org/10.1002/a b",
                "raw white space, at byte 29",
            ),
        ] {
            let wanted = format!("doisift: argument 1: {reason}\n");
            assert_eq!(normalize(&[url], b""), ("\n".into(), wanted, 1), "{url}");
        }
    }

    #[test]
    fn a_fault_in_a_proxys_url_is_not_cut_away() {
        let (out, err, _) = normalize(&["https://doi.org/10.5555/abc%0Adef"], b"");
        assert_eq!(out, "\n");
        assert_eq!(
            err,
            "doisift: argument 1: U+000A is not a graphic character, at byte 27\n"
        );
    }

    #[test]
    fn a_byte_order_mark_belongs_to_the_stream() {
        let (out, err, _) = normalize(&[], "\u{feff}10.1000/1\n\u{feff}10.1000/2\n".as_bytes());
        assert_eq!(out, "10.1000/1\n\n");
        assert_eq!(
            err,
            "doisift: line 2: no directory indicator \"10.\", at byte 0\n"
        );
    }

    #[test]
    fn a_line_far_past_the_longest_is_skipped() {
        let command = TestCommand::try_parse_from(["normalize"]).expect("no options");
        let stdin = io::repeat(b'1')
            .take(5 * MAX_LINE as u64)
            .chain(&b"\n10.1000/1\n"[..]);
        let stdin = BufReader::with_capacity(1 << 20, stdin);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        run(&command.args, stdin, &mut out, &mut err).expect("no stream fails");
        assert_eq!(out, b"\n10.1000/1\n");
        assert_eq!(err, b"doisift: line 1: longer than 16777216 bytes\n");
    }

    #[test]
    fn the_longest_line_is_held_and_the_next_byte_refused() {
        let longest = [b"10.1000/", "a".repeat(MAX_LINE - 8).as_bytes()].concat();
        let command = TestCommand::try_parse_from(["normalize"]).expect("no options");
        for (line, refused) in [(longest.clone(), 0), ([longest, b"a".to_vec()].concat(), 1)] {
            let stdin = [&line[..], b"\n10.1000/1"].concat();
            let outcome = run(&command.args, &stdin[..], io::sink(), io::sink());
            assert_eq!(outcome.expect("no stream fails"), Outcome { refused });
        }
    }

    /// A stream that fails with one kind of error.
    struct BrokenStream(ErrorKind);

    impl Write for BrokenStream {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    fn run_into(stdout: impl Write) -> anyhow::Result<Outcome> {
        let command = TestCommand::try_parse_from(["normalize"]).expect("no options");
        run(
            &command.args,
            &b"10.1000/1\n10.1000/2\n"[..],
            stdout,
            io::sink(),
        )
    }

    #[test]
    fn a_reader_that_goes_away_is_no_failure() {
        assert_eq!(
            run_into(BrokenStream(ErrorKind::BrokenPipe)).expect("quiet"),
            Outcome::default()
        );
        let buffered = io::BufWriter::new(BrokenStream(ErrorKind::BrokenPipe));
        assert_eq!(run_into(buffered).expect("quiet"), Outcome::default());
    }

    #[test]
    fn a_full_disk_is_a_failure_that_names_the_stream() {
        let error =
            run_into(BrokenStream(ErrorKind::StorageFull)).expect_err("nothing was written");
        assert_eq!(error.to_string(), "standard output");
        let buffered = io::BufWriter::new(BrokenStream(ErrorKind::StorageFull));
        assert!(run_into(buffered).is_err());
    }

    #[test]
    fn a_closed_standard_error_loses_reasons_only() {
        let command = TestCommand::try_parse_from(["normalize"]).expect("no options");
        let mut out = Vec::new();
        let closed = BrokenStream(ErrorKind::BrokenPipe);
        let outcome = run(&command.args, &b"x\n10.1000/1\n"[..], &mut out, closed);
        assert_eq!(outcome.expect("goes on"), Outcome { refused: 1 });
        assert_eq!(out, b"\n10.1000/1\n");
    }
}

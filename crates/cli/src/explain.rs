//! `doisift explain`: shows the decisions of `scan`, or `normalize --clean`, about texts, and their rules.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use doisift::internal::{Explanation, ExplanationStep, Printable, Rule, Verdict};
use doisift::{Change, CheckDigit, Doi, Index, Scanner, TextKind, clean};
use serde_json::{Value, json};

use crate::closed;
use crate::rulebook;

/// Max bytes of a text from standard input, since explanations are read by people.
const MAX_TEXT: u64 = 16 << 20;

/// Show step by step how scan decides about a text, and by which rule
///
/// Each position of "10." is shown with the name found there, or the reason why no name starts there. A rule is shown by its id
/// and its meaning.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Texts to explain; without any, standard input is one text
    #[arg(value_name = "TEXT")]
    texts: Vec<OsString>,

    /// Explain how normalize --clean reads a text
    #[arg(long, conflicts_with = "input_kind")]
    clean: bool,

    /// Treat the texts as this kind, as in scan
    ///
    /// By default the start of each text shows its kind
    #[arg(long, value_name = "KIND")]
    input_kind: Option<TextKind>,

    /// Ask this index of known names about the ends of names, as in scan
    #[arg(long, value_name = "FILE", conflicts_with = "clean")]
    known: Option<PathBuf>,

    /// Write all rules as a page of Markdown
    ///
    /// Each has its meaning, the place where it applies, and an example
    #[arg(long, conflicts_with_all = ["texts", "clean", "input_kind", "format"])]
    rules: bool,

    /// Format of the output
    ///
    /// Lines for people, or a JSON object for each position
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = As::Text)]
    format: As,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum As {
    Text,
    Jsonl,
}

pub(crate) fn run(args: &ExplainArgs, stdin: impl Read, mut out: impl Write) -> anyhow::Result<()> {
    let written = match args.rules {
        true => rulebook::write(&mut out),
        false => {
            let (texts, mut known) = (texts(args, stdin)?, KnownScanner::open(args)?);
            let written = write(args, &texts, &mut known.scanner, out);
            known.check()?;
            written
        }
    };
    closed::written(written)
}

/// A scanner that asks the index, if one is given.
#[derive(Default)]
struct KnownScanner {
    scanner: Scanner,
    known: Option<Arc<Index>>,
}

impl KnownScanner {
    fn open(args: &ExplainArgs) -> anyhow::Result<Self> {
        let Some(path) = &args.known else {
            return Ok(KnownScanner::default());
        };
        let known = Arc::new(Index::open(path)?);
        Ok(KnownScanner {
            scanner: Scanner::new().known(known.clone()),
            known: Some(known),
        })
    }

    /// # Errors
    /// If the index could not be read when it was asked.
    fn check(&self) -> anyhow::Result<()> {
        self.known.as_ref().map_or(Ok(()), |known| known.check())?;
        Ok(())
    }
}

fn texts(args: &ExplainArgs, stdin: impl Read) -> anyhow::Result<Vec<Vec<u8>>> {
    if args.texts.is_empty() {
        let mut text = Vec::new();
        stdin
            .take(MAX_TEXT + 1)
            .read_to_end(&mut text)
            .context("standard input")?;
        if text.len() as u64 > MAX_TEXT {
            bail!("standard input is longer than 16 MiB; give explain the part around the name");
        }
        return Ok(vec![text]);
    }
    let bytes = |text: &OsString| text.as_encoded_bytes().to_vec();
    Ok(args.texts.iter().map(bytes).collect())
}

fn write(
    args: &ExplainArgs,
    texts: &[Vec<u8>],
    scanner: &mut Scanner,
    mut out: impl Write,
) -> io::Result<()> {
    for text in texts {
        explain(args, text, scanner, &mut out)?;
    }
    out.flush()
}

fn explain(
    args: &ExplainArgs,
    text: &[u8],
    scanner: &mut Scanner,
    out: &mut impl Write,
) -> io::Result<()> {
    if args.clean {
        let text = String::from_utf8_lossy(text);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        return match args.format {
            As::Text => write_cleaning(text, out),
            As::Jsonl => writeln!(out, "{}", cleaning(text)),
        };
    }
    let kind = args.input_kind.unwrap_or_else(|| TextKind::of(text, true));
    scanner.set_kind(kind);
    let explained = scanner.explain(text);
    match args.format {
        As::Text => write_scan(text, kind, &explained, out),
        As::Jsonl => {
            let mut rows = explained.iter().map(|one| position(kind, one));
            rows.try_for_each(|row| writeln!(out, "{row}"))
        }
    }
}

fn write_scan(
    text: &[u8],
    kind: TextKind,
    explained: &[Explanation],
    out: &mut impl Write,
) -> io::Result<()> {
    let text = String::from_utf8_lossy(text);
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(70).collect();
    let ending = if chars.next().is_some() { "…" } else { "" };
    writeln!(out, "text        {head:?}{ending}, kind {}", kind.name())?;
    if explained.is_empty() {
        writeln!(out, "nothing     no \"10.\" is in it, plain or escaped")?;
    }
    for one in explained {
        let (word, meaning) = verdict(&one.verdict);
        writeln!(out, "byte {:<6} {word}: {}", one.start, Printable(meaning))?;
        for ExplanationStep {
            topic,
            finding,
            rule,
            ..
        } in &one.steps
        {
            writeln!(out, "  {topic:<10}{}{}", Printable(finding), by(*rule))?;
        }
    }
    Ok(())
}

/// Returns the word for a verdict, and its meaning.
fn verdict(verdict: &Verdict) -> (&'static str, String) {
    match verdict {
        Verdict::Found { doi, guessed } => {
            let guessed = if *guessed { ", its end a guess" } else { "" };
            let digit = check_digit(doi).map(|word| format!(", check digit {word}"));
            (
                "found",
                format!("{doi}{guessed}{}", digit.unwrap_or_default()),
            )
        }
        Verdict::Refused(reason) => (
            "refused",
            format!("{} ({})", reason.description(), reason.name()),
        ),
        Verdict::NonCandidate(pass) => ("no name", pass.description().to_owned()),
        _ => ("unknown", String::new()),
    }
}

/// Returns the state of a name's check digit, as a word of rows.
fn check_digit(doi: &Doi) -> Option<&'static str> {
    doi.check_digit().map(CheckDigit::name)
}

fn by(rule: Option<Rule>) -> String {
    rule.map_or(String::new(), |rule| {
        format!("  [{}: {}]", rule.id(), rule.catches())
    })
}

fn write_cleaning(text: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "text        {text:?}")?;
    match clean(text) {
        Ok(cleaned) => {
            let word = if cleaned.changed {
                "changed"
            } else {
                "unchanged"
            };
            writeln!(out, "{word:<11} {}", Printable(cleaned.doi.as_str()))?;
            if let Some(digit) = check_digit(&cleaned.doi) {
                writeln!(out, "check digit {digit}")?;
            }
            for Change { rule, text, .. } in cleaned.changes {
                let text = format!("{text:?}");
                writeln!(
                    out,
                    "  change    {}{}",
                    Printable(&text),
                    by(Rule::of_id(rule))
                )?;
            }
            Ok(())
        }
        Err(error) => writeln!(out, "refused     {error}"),
    }
}

fn position(kind: TextKind, one: &Explanation) -> Value {
    let steps: Vec<Value> = one
        .steps
        .iter()
        .map(|step| json!({"topic": step.topic, "finding": step.finding, "rule": step.rule.map(Rule::id)}))
        .collect();
    let (doi, guessed, reason) = match &one.verdict {
        Verdict::Found { doi, guessed } => (Some(doi), Some(*guessed), None),
        Verdict::Refused(reason) => (None, None, Some(reason.name())),
        Verdict::NonCandidate(pass) => (None, None, Some(pass.name())),
        _ => (None, None, None),
    };
    let (word, _) = verdict(&one.verdict);
    json!({
        "kind": kind.name(), "offset": one.start, "verdict": word.replace(' ', "_"), "doi": doi.map(Doi::as_str), "guessed": guessed,
        "check_digit": doi.and_then(check_digit), "reason": reason, "steps": steps,
    })
}

fn cleaning(text: &str) -> Value {
    match clean(text) {
        Ok(cleaned) => {
            let change = |change: &Change| json!({"rule": change.rule, "text": change.text});
            let changes: Vec<Value> = cleaned.changes.iter().map(change).collect();
            json!({"text": text, "doi": cleaned.doi.as_str(), "changed": cleaned.changed, "check_digit": check_digit(&cleaned.doi), "changes": changes, "reason": null})
        }
        Err(error) => json!({
            "text": text, "doi": null, "changed": null, "check_digit": null, "changes": [], "reason": error.to_string(),
        }),
    }
}

//! Runs `tests/cases/doi-*.toml` through the library. Each case cites the rule that it proves; every rule about names and their
//! forms must be cited. `tests/cases/README.md` explains the rules and the format.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use doisift::{Doi, DoiError, DoiErrorKind, UrlEncoding};
use serde::Deserialize;

const RULES: [&str; 19] = [
    "N1", "N2", "N3", "N4", "N5", "U1", "U2", "U3", "U4", "U5", "H1", "H2", "H3", "H4", "H5", "H6",
    "P1", "P2", "P3",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    raw: Vec<Raw>,
    #[serde(default)]
    parse: Vec<Parse>,
    #[serde(default)]
    encode: Vec<Encode>,
    #[serde(default)]
    equivalent: Vec<Equivalent>,
    #[serde(default)]
    reserved: Vec<Reserved>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    rule: String,
    why: Option<String>,
    name: String,
    prefix: Option<String>,
    suffix: Option<String>,
    registrant_code: Option<String>,
    error: Option<String>,
    offset: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parse {
    rule: String,
    why: Option<String>,
    input: String,
    doi: Option<String>,
    error: Option<String>,
    offset: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Encode {
    rule: String,
    why: Option<String>,
    doi: String,
    doi_uri: String,
    url_mandatory: String,
    url_recommended: String,
    urn: String,
    api: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Equivalent {
    rule: String,
    why: Option<String>,
    a: String,
    b: String,
    same: bool,
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reserved {
    rule: String,
    why: Option<String>,
    doi: String,
    reserved: bool,
}

/// Failures of a case. Empty if it passes.
type Faults = Vec<String>;

trait Case {
    fn rule(&self) -> &str;
    fn why(&self) -> Option<&str>;
    fn faults(&self) -> Faults;
}

macro_rules! case {
    ($type:ty, $faults:expr) => {
        impl Case for $type {
            fn rule(&self) -> &str {
                &self.rule
            }
            fn why(&self) -> Option<&str> {
                self.why.as_deref()
            }
            fn faults(&self) -> Faults {
                $faults(self)
            }
        }
    };
}

case!(Raw, |case: &Raw| {
    let found = Doi::new(&case.name);
    let parts = found
        .as_ref()
        .ok()
        .map(|d| (d.prefix(), d.suffix(), d.registrant_code()));
    let wanted = [&case.prefix, &case.suffix, &case.registrant_code].map(Option::as_deref);
    let mut faults = same("prefix", parts.map(|p| p.0), wanted[0]);
    faults.extend(same("suffix", parts.map(|p| p.1), wanted[1]));
    faults.extend(same("registrant code", parts.map(|p| p.2), wanted[2]));
    faults.extend(refusal(
        found.as_ref().err(),
        case.error.as_deref(),
        case.offset,
    ));
    faults
});

case!(Parse, |case: &Parse| {
    let found = Doi::parse(&case.input);
    let mut faults = same(
        "doi",
        found.as_ref().ok().map(Doi::as_str),
        case.doi.as_deref(),
    );
    faults.extend(refusal(
        found.as_ref().err(),
        case.error.as_deref(),
        case.offset,
    ));
    faults
});

case!(Encode, |case: &Encode| {
    let Ok(doi) = Doi::new(&case.doi) else {
        return vec![format!("{} is no name", case.doi)];
    };
    let forms = [
        (doi.to_doi_uri(), &case.doi_uri),
        (doi.to_url(UrlEncoding::Mandatory), &case.url_mandatory),
        (doi.to_url(UrlEncoding::Recommended), &case.url_recommended),
        (doi.to_urn(), &case.urn),
        (doi.to_api_url(), &case.api),
    ];
    let both_ways = |(found, wanted): &(String, &String)| {
        let mut faults = same("written", found, wanted);
        let read = Doi::parse(wanted);
        faults.extend(same(wanted, read.as_ref().map(Doi::as_str), Ok(&case.doi)));
        faults
    };
    forms.iter().flat_map(both_ways).collect()
});

case!(Equivalent, |case: &Equivalent| {
    let (Ok(a), Ok(b)) = (Doi::parse(&case.a), Doi::parse(&case.b)) else {
        return vec!["not two names".to_owned()];
    };
    let hasher = RandomState::new();
    let mut faults = same("==", a == b, case.same);
    faults.extend(same("cmp is Equal", a.cmp(&b).is_eq(), case.same));
    faults.extend(same("keys are equal", a.key() == b.key(), case.same));
    faults.extend(same(
        "hashes are equal",
        hasher.hash_one(&a) == hasher.hash_one(&b),
        case.same,
    ));
    faults.extend(same("key of a", &*a.key(), &*case.key));
    faults
});

case!(Reserved, |case: &Reserved| {
    let found = Doi::new(&case.doi).map(|doi| doi.is_reserved());
    same("reserved", found, Ok(case.reserved))
});

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Faults {
    if found == wanted {
        vec![]
    } else {
        vec![format!("{what}: {found:?}, not {wanted:?}")]
    }
}

fn refusal(found: Option<&DoiError>, kind: Option<&str>, offset: Option<usize>) -> Faults {
    let mut faults = same("error", found.map(|e| word(e.kind())), kind);
    faults.extend(same("offset", found.map(DoiError::offset), offset));
    faults
}

/// Returns the word of the case files for a reason.
fn word(kind: DoiErrorKind) -> &'static str {
    match kind {
        DoiErrorKind::NoDirectory => "no_directory",
        DoiErrorKind::ShortDoi => "short_doi",
        DoiErrorKind::RegistrantCode => "registrant_code",
        DoiErrorKind::NoSeparator => "no_separator",
        DoiErrorKind::EmptySuffix => "empty_suffix",
        DoiErrorKind::NotGraphic(_) => "not_graphic",
        DoiErrorKind::NotUtf8 => "not_utf8",
        DoiErrorKind::WhiteSpace => "white_space",
        DoiErrorKind::QueryOrFragment(_) => "query_or_fragment",
        DoiErrorKind::ForeignHost => "foreign_host",
        _ => "a reason that this runner does not know",
    }
}

fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("a case file").path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("doi-") && name.ends_with(".toml")
        })
        .collect();
    files.sort();
    files
}

fn cases(path: &Path) -> Vec<Box<dyn Case>> {
    let text = fs::read_to_string(path).expect("a readable case file");
    let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut cases: Vec<Box<dyn Case>> = Vec::new();
    cases.extend(file.raw.into_iter().map(|c| Box::new(c) as _));
    cases.extend(file.parse.into_iter().map(|c| Box::new(c) as _));
    cases.extend(file.encode.into_iter().map(|c| Box::new(c) as _));
    cases.extend(file.equivalent.into_iter().map(|c| Box::new(c) as _));
    cases.extend(file.reserved.into_iter().map(|c| Box::new(c) as _));
    cases
}

#[test]
fn every_case_holds() {
    let mut faults = Vec::new();
    for path in case_files() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for case in cases(&path) {
            let why = case.why().unwrap_or_default();
            faults.extend(
                case.faults()
                    .iter()
                    .map(|f| format!("{name} {} {why}: {f}", case.rule())),
            );
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn every_rule_is_cited_and_no_other() {
    let cited: BTreeSet<String> = case_files()
        .iter()
        .flat_map(|path| cases(path))
        .map(|case| case.rule().to_owned())
        .collect();
    assert_eq!(cited, RULES.map(String::from).into());
}

#[test]
fn the_readme_lists_every_rule() {
    let readme = include_str!("../cases/README.md");
    for rule in RULES {
        assert!(
            readme.contains(&format!("| {rule} |")),
            "{rule} is not in tests/cases/README.md"
        );
    }
}

#[test]
fn a_case_with_a_mistyped_field_is_no_case() {
    let typo = "[[parse]]\nrule = \"N1\"\ninput = \"10.1/a\"\ndio = \"10.1/a\"\n";
    assert!(toml::from_str::<File>(typo).is_err());
}

//! Reads the files of `tests/cases`, and compares mentions and rejections with the cases of `scan-*.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A file of cases in classes of the type `C`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile<C> {
    class: Vec<C>,
}

/// A class of texts to scan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScanClass {
    name: String,
    #[allow(dead_code)]
    why: String,
    #[serde(default)]
    #[allow(dead_code)]
    rule: String,
    cases: Vec<RawCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCase {
    #[serde(default)]
    text: String,
    /// Used instead of `text` for bytes that are not UTF-8.
    #[serde(default)]
    hex: String,
    names: Vec<String>,
    forms: Option<Vec<String>>,
    texts: Option<Vec<String>>,
    guessed: Option<Vec<bool>>,
    rejected: Option<BTreeMap<String, u64>>,
}

/// A text with the mentions that must be found in it.
pub struct Case {
    pub class: String,
    pub bytes: Vec<u8>,
    keys: Vec<String>,
    raw: RawCase,
}

/// The mentions found by the scanner, its twin or the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub key: String,
    pub form: String,
    pub text: Vec<u8>,
    pub offset: u64,
    pub guessed: bool,
}

impl Case {
    fn new(class: &str, raw: RawCase) -> Case {
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
        let bytes = match raw.hex.as_str() {
            "" => raw.text.clone().into_bytes(),
            hex => hex.as_bytes().chunks(2).map(byte).collect(),
        };
        let keys = raw
            .names
            .iter()
            .map(|name| name.to_ascii_lowercase())
            .collect();
        Case {
            class: class.to_owned(),
            bytes,
            keys,
            raw,
        }
    }

    /// Returns how the mentions differ from the case, or `None` if they do not.
    pub fn difference(&self, found: &[Found]) -> Option<String> {
        let keys: Vec<_> = found.iter().map(|f| f.key.clone()).collect();
        let forms: Vec<_> = found.iter().map(|f| f.form.clone()).collect();
        let texts: Vec<_> = found
            .iter()
            .map(|f| String::from_utf8_lossy(&f.text).into_owned())
            .collect();
        let guessed: Vec<_> = found.iter().map(|f| f.guessed).collect();
        for mention in found {
            let at = mention.offset as usize;
            if self.bytes.get(at..at + mention.text.len()) != Some(&mention.text) {
                return Some(format!(
                    "{:?} is not at {at}",
                    String::from_utf8_lossy(&mention.text)
                ));
            }
        }
        differs("names", &self.keys, &keys)
            .or_else(|| {
                self.raw
                    .forms
                    .as_ref()
                    .and_then(|wanted| differs("forms", wanted, &forms))
            })
            .or_else(|| {
                self.raw
                    .texts
                    .as_ref()
                    .and_then(|wanted| differs("texts", wanted, &texts))
            })
            .or_else(|| {
                self.raw
                    .guessed
                    .as_ref()
                    .and_then(|wanted| differs("guessed", wanted, &guessed))
            })
    }

    /// Returns how the counted rejections differ from the case, or `None` if they do not or the case lists none.
    #[allow(dead_code)]
    pub fn wrong_rejections(&self, counted: &[(&str, u64)]) -> Option<String> {
        let wanted = self.raw.rejected.as_ref()?;
        let counted: BTreeMap<String, u64> = counted
            .iter()
            .map(|(reason, n)| ((*reason).to_owned(), *n))
            .collect();
        (*wanted != counted).then(|| format!("rejected: expected {wanted:?}, got {counted:?}"))
    }
}

fn differs<T: PartialEq + std::fmt::Debug>(what: &str, wanted: &[T], got: &[T]) -> Option<String> {
    (wanted != got).then(|| format!("{what}: expected {wanted:?}, got {got:?}"))
}

/// Returns all cases, in the order of their files.
pub fn cases() -> Vec<Case> {
    let folder = root().join("tests/cases");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let is_scan = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("scan-")
    };
    let all: Vec<_> = files
        .iter()
        .filter(|path| is_scan(path))
        .flat_map(read)
        .collect();
    assert!(all.len() > 200, "cases are missing");
    all
}

/// Returns the cases that are known to fail.
#[allow(dead_code)]
pub fn known_failures() -> Vec<Case> {
    read("tests/known-failures.toml")
}

/// Returns the root of the repository. The packages whose tests use this module are at different depths below it.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_root = |folder: &&Path| folder.join("tests/cases").is_dir();
    package.ancestors().find(is_root).unwrap()
}

/// Returns the classes of a file below the root.
pub fn classes<C: DeserializeOwned>(path: impl AsRef<Path>) -> Vec<C> {
    let path = root().join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    let file: CaseFile<C> = toml::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    file.class
}

fn read(path: impl AsRef<Path>) -> Vec<Case> {
    let cases = |class: ScanClass| {
        class
            .cases
            .into_iter()
            .map(move |raw| Case::new(&class.name, raw))
    };
    classes(path).into_iter().flat_map(cases).collect()
}

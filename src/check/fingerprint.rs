//! Identifies a row over many runs, so that code hosts and baselines know it again.

use std::collections::HashMap;
use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

use super::row::CheckedReference;

/// Max different rows of a source that are counted, in 26 MB. A repetition of a later row has the fingerprint of the first.
const MAX_ROWS: usize = 7 << 17;

/// The XXH3-128 of the JSON array of source, key or else text, and verdict of a row. The seed is the number of rows before it with
/// the same values. Lines are no part of it, since they change with what is above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Fingerprint(u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = u128::from_str_radix(&text, 16).map_err(D::Error::custom)?;
        Ok(Fingerprint(number))
    }
}

/// Makes the fingerprints of rows in their order.
#[derive(Default)]
pub(super) struct Fingerprints {
    source: String,
    /// How often each fingerprint with the seed 0 was made for rows of `source`.
    rows: HashMap<u128, u64>,
}

impl Fingerprints {
    /// Returns the fingerprint of the next row.
    pub(super) fn next(&mut self, row: &CheckedReference) -> Fingerprint {
        if self.source != row.source {
            self.source.clone_from(&row.source);
            self.rows.clear();
        }
        let name = row.key.as_ref().or(row.text.as_ref());
        let parts = serde_json::json!([path_in_repository(&row.source), name, row.verdict]);
        let parts = parts.to_string();
        let first = xxh3_128(parts.as_bytes());
        let is_full = self.rows.len() >= MAX_ROWS;
        match self.rows.get_mut(&first) {
            Some(before) => {
                *before += 1;
                Fingerprint(xxh3_128_with_seed(parts.as_bytes(), *before))
            }
            None => {
                if !is_full {
                    self.rows.insert(first, 0);
                }
                Fingerprint(first)
            }
        }
    }
}

/// Returns the name of a source as code hosts write paths: with `/`, and without `./` at its start.
pub(super) fn path_in_repository(source: &str) -> String {
    let path = match std::path::MAIN_SEPARATOR {
        '/' => source.to_owned(),
        separator => source.replace(separator, "/"),
    };
    path.strip_prefix("./").map_or(path.clone(), str::to_owned)
}

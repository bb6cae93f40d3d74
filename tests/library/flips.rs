//! Flips each bit of a small output once, and cuts it to each length. `merge` must refuse the file, or give the same records.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;

use doisift::{Format, Merge, Scan};
use tempfile::TempDir;

/// Counts of merges of a file, one merge for each damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcome {
    refused: usize,
    same: usize,
    different: usize,
}

/// A scan of a few names, to `output`.
struct Scanned {
    folder: TempDir,
    output: PathBuf,
    bytes: Vec<u8>,
    /// The output of a merge of the undamaged file.
    records: Vec<u8>,
}

impl Scanned {
    fn to(output: &str) -> Scanned {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("in");
        fs::create_dir(&source).unwrap();
        fs::write(
            source.join("a.txt"),
            "10.5555/ABC, doi:10.5555/abc (10.5555/c(1)) and https://doi.org/10.1000/%C3%A9,9 ",
        )
        .unwrap();
        fs::write(source.join("b.txt"), "10.5555/abc urn:doi:10.5555:x ").unwrap();
        let output = folder.path().join(output);
        let scan = Scan::new().input(&source).output(&output);
        scan.run().unwrap();
        let bytes = fs::read(&output).unwrap();
        let records = merged(&output, folder.path()).unwrap();
        assert_eq!(records.iter().filter(|&&byte| byte == b'\n').count(), 5);
        Scanned {
            folder,
            output,
            bytes,
            records,
        }
    }

    /// Merges the file once for each of `count` damages, on two threads.
    fn damaged(&self, count: usize, damage: impl Fn(&[u8], usize) -> Vec<u8> + Sync) -> Outcome {
        thread::scope(|scope| {
            let part = |part: Range<usize>| {
                let damage = &damage;
                scope.spawn(move || self.damaged_part(part, damage))
            };
            let parts = [part(0..count / 2), part(count / 2..count)];
            parts.into_iter().map(|part| part.join().unwrap()).fold(
                Outcome::default(),
                |all, part| Outcome {
                    refused: all.refused + part.refused,
                    same: all.same + part.same,
                    different: all.different + part.different,
                },
            )
        })
    }

    fn damaged_part(
        &self,
        part: Range<usize>,
        damage: &impl Fn(&[u8], usize) -> Vec<u8>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let folder = self.folder.path().join(part.start.to_string());
        fs::create_dir_all(&folder).unwrap();
        let input = folder.join(self.output.file_name().unwrap());
        for number in part {
            fs::write(&input, damage(&self.bytes, number)).unwrap();
            match merged(&input, &folder) {
                None => outcome.refused += 1,
                Some(records) if records == self.records => outcome.same += 1,
                Some(_) => outcome.different += 1,
            }
        }
        outcome
    }

    fn flipped(&self) -> Outcome {
        self.damaged(8 * self.bytes.len(), |bytes, bit| {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        })
    }

    fn cut(&self) -> Outcome {
        let count = self.bytes.len();
        self.damaged(count, |bytes, length| bytes[..length].to_vec())
    }
}

/// Merges one file to CSV. Returns `None` if it was refused.
fn merged(input: &Path, folder: &Path) -> Option<Vec<u8>> {
    let output = folder.join("merged");
    let merge = Merge::new().input(input).output(&output);
    let merge = merge.format(Format::Csv).memory(1 << 20);
    merge.run().ok()?;
    Some(fs::read(output).unwrap())
}

/// Outputs with a checksum.
const SEALED: &[&str] = &[
    "a.csv.gz",
    "a.csv.zst",
    "a.jsonl.gz",
    "a.jsonl.zst",
    #[cfg(feature = "columnar")]
    "a.parquet",
];

#[test]
fn no_flipped_bit_of_a_packed_output_changes_records_in_silence() {
    for output in SEALED {
        let outcome = Scanned::to(output).flipped();
        assert_eq!(outcome.different, 0, "{output}: {outcome:?}");
    }
}

#[test]
fn a_packed_output_that_was_cut_short_is_refused() {
    for output in SEALED {
        let scanned = Scanned::to(output);
        let outcome = scanned.cut();
        assert_eq!(
            outcome.refused,
            scanned.bytes.len(),
            "{output}: {outcome:?}"
        );
    }
}

/// These formats have no checksum, and a file that was cut between two rows is valid. An object of JSON shows its end, but a row
/// of CSV does not.
#[test]
fn a_plain_output_that_was_cut_within_a_row_is_refused() {
    for output in ["a.csv", "a.jsonl"] {
        let scanned = Scanned::to(output);
        let bytes = &scanned.bytes;
        // A header alone may lack its line end, and the field that others follow from.
        let is_header = |length: usize| {
            let rest = bytes[length..]
                .strip_prefix(b",check_digit")
                .unwrap_or(&bytes[length..]);
            rest[0] == b'\n' && !bytes[..length].contains(&b'\n')
        };
        let rows = |&length: &usize| match (length, output) {
            (0, _) => output.ends_with("jsonl"),
            (_, "a.csv") if is_header(length) => true,
            (_, "a.jsonl") if bytes[length] == b'\n' => true,
            _ => bytes[length - 1] == b'\n',
        };
        let rows = (0..bytes.len()).filter(rows).count();
        let outcome = scanned.cut();
        assert_eq!(outcome.refused, bytes.len() - rows, "{output}: {outcome:?}");
    }
}

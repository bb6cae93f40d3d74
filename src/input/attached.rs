//! Zip archives that other content comes before: a script or a program that unpacks them, or any text.
//!
//! Their first bytes do not show them. A regular file is looked at near its end, where the directory is: the last KiB of any
//! that seems to be text, and as much as the longest comment takes of a script or a program. A stream has no end to look at: a
//! local header counts within the first 64 KiB of a script and the first MiB of a program. In both, one within the first 512
//! bytes counts too, whatever comes before it.

use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;

use super::fault::Packing;
use super::magic::{self, Content};
use super::open::Section;
use super::raw::Raw;
use super::zip;

/// Bytes at the end of a file that are looked at.
const TAIL: usize = 1 << 10;
/// Bytes of a stream that are looked at at once: as much as of a script in all.
pub(super) const HELD: usize = 64 << 10;
/// Bytes of a program in a stream that are looked at.
const PROGRAM: usize = 1 << 20;

/// What a regular file of `length` bytes holds, which starts with `start`: at least [`magic::LENGTH`] bytes of it, or all.
pub(super) fn recognise(file: &File, length: u64, start: &[u8]) -> Content {
    let head = &start[..start.len().min(magic::LENGTH)];
    let content = magic::recognise(head);
    let has_archive = match content {
        Content::Text if is_script(head) => {
            // A damaged archive may lack its end.
            let found = zip::find_archive(first(file, length, start, &mut [0; HELD]));
            found.is_some() || ends_archive(file, length, start, &mut [0; zip::LONGEST])
        }
        Content::Text if !head.starts_with(b"MZ") => {
            ends_archive(file, length, start, &mut [0; TAIL])
        }
        Content::Text => ends_archive(file, length, start, &mut [0; zip::LONGEST]),
        Content::Binary(kind) if is_program(kind) => {
            ends_archive(file, length, start, &mut [0; zip::LONGEST])
        }
        _ => false,
    };
    match has_archive {
        true => Content::Packed(Packing::Zip),
        false => content,
    }
}

/// Whether the last bytes of a file, as many as `buffer` takes, are those of an archive.
fn ends_archive(file: &File, length: u64, start: &[u8], buffer: &mut [u8]) -> bool {
    let is_held = start.len() as u64 >= length;
    zip::ends_archive(match is_held {
        true => &start[start.len().saturating_sub(buffer.len())..],
        false => last(file, length, buffer),
    })
}

/// The last bytes of a file, as many as `into` takes. None of one that cannot be read: whoever reads it all reports that.
fn last<'b>(file: &File, length: u64, into: &'b mut [u8]) -> &'b [u8] {
    let from = length.saturating_sub(into.len() as u64);
    read(file, from, length, into)
}

/// The first bytes of a file, as many as `buffer` takes.
fn first<'b>(file: &File, length: u64, start: &'b [u8], buffer: &'b mut [u8]) -> &'b [u8] {
    match start.len() as u64 >= length {
        true => start,
        false => read(file, 0, length.min(buffer.len() as u64), buffer),
    }
}

fn read<'b>(file: &File, from: u64, end: u64, into: &'b mut [u8]) -> &'b [u8] {
    let into = &mut into[..(end - from) as usize];
    match Section::new(file, from, end).read_exact(into) {
        Ok(()) => into,
        Err(_) => &[],
    }
}

/// What the stream holds that `raw` starts, if a script does.
pub(super) fn recognise_script<R: Read>(raw: Raw<R>) -> (Content, Raw<R>) {
    let mut raw = raw.grow(HELD);
    let content = match zip::find_archive(raw.peek(HELD)) {
        Some(_) => Content::Packed(Packing::Zip),
        None => Content::Text,
    };
    (content, raw)
}

/// Passes over a program in a stream. Whether a zip archive may come next.
pub(super) fn pass_program<R: Read>(raw: &mut Raw<R>) -> bool {
    let mut passed = 0;
    while passed < PROGRAM {
        let held = raw.peek(HELD);
        if let Some(at) = zip::find_archive(held) {
            raw.consume(at);
            return true;
        }
        if held.len() < HELD {
            return false;
        }
        // The last bytes may start a local header.
        let count = HELD - zip::HEADER_START;
        raw.consume(count);
        passed += count;
    }
    false
}

/// Whether a copy of a stream from a local header on ends as an archive does.
pub(super) fn is_archive(file: &File) -> bool {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    zip::ends_archive(last(file, length, &mut vec![0; zip::LONGEST]))
}

pub(super) fn is_script(head: &[u8]) -> bool {
    head.starts_with(b"#!")
}

/// Whether machines run what is called `kind`.
pub(super) fn is_program(kind: &str) -> bool {
    matches!(kind, "pe" | "elf" | "mach-o")
}

/// Whether a file's name is that of a part of a split zip: `x.z01`, or `x.zip.001`.
pub(super) fn is_part_name(path: &Path) -> bool {
    let is_number = |digits: &str| digits.len() > 1 && digits.bytes().all(|b| b.is_ascii_digit());
    let Some((stem, ending)) = path.to_str().and_then(|path| path.rsplit_once('.')) else {
        return false;
    };
    let is_old = |ending: &str| ending.strip_prefix(['z', 'Z']).is_some_and(is_number);
    is_old(ending) || is_number(ending) && stem.to_ascii_lowercase().ends_with(".zip")
}

//! Small files that unpack to many bytes. Each is stopped, is reported once, and takes little memory.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, RunArray, StringArray};
use arrow_ipc::writer::FileWriter;

use crate::place::{Place, fifo, gzip, zstd};
use crate::process::peak_so_far;

/// Max memory of a run, in MiB. 64 of these are for the sections of a file that two threads unpack.
const MAX: u64 = 160;

fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Returns a gzip file of many members with 1,100 MiB in all, which several threads unpack.
fn many_members() -> Vec<u8> {
    let filling = gzip(noise(100_000)).repeat(24);
    [filling, gzip(vec![b'a'; 1 << 20]).repeat(1100)].concat()
}

/// Returns a response whose body is packed twice.
fn response() -> Vec<u8> {
    let body = gzip(zstd(vec![b'a'; 300 << 20]));
    let message = [
        &b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd, gzip\r\n\r\n"[..],
        &body,
    ]
    .concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n",
        message.len()
    );
    [head.as_bytes(), &message, b"\r\n\r\n"].concat()
}

/// Returns an Arrow file of 100 columns, each of which states by one run that its 700,000 cells are null.
fn empty_cells() -> Vec<u8> {
    let (ends, value) = (Int32Array::from(vec![700_000]), StringArray::new_null(1));
    let run = RunArray::<Int32Type>::try_new(&ends, &value).unwrap();
    let run: ArrayRef = Arc::new(run);
    let columns = (0..100).map(|number| (format!("c{number}"), Arc::clone(&run)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

/// Runs the command on a bomb and then a FIFO, and measures its memory while it waits for the FIFO.
#[track_caller]
fn check(bomb: Vec<u8>, threads: &str) {
    let place = Place::new();
    place.file("bomb", bomb);
    fifo(&place.path("fifo"));
    let mut command = place.command(["scan", "bomb", "fifo", "--max-expansion", "10", threads]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = command.spawn().unwrap();
    let mut said = BufReader::new(run.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("more than 10 times its size"), "{line}");
    let mut end = File::options()
        .write(true)
        .open(place.path("fifo"))
        .unwrap();
    let peak = peak_so_far(run.id()).unwrap();
    end.write_all(b"10.5555/end\n").unwrap();
    drop(end);
    said.read_to_string(&mut line).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    let seen = run.wait_with_output().unwrap();
    assert_eq!(seen.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&seen.stdout).contains("10.5555/end"));
    assert!(peak < MAX, "{threads}: {peak} MiB");
}

#[test]
fn a_bomb_takes_little_memory_and_what_follows_it_is_read() {
    for threads in ["-j1", "-j2"] {
        check(many_members(), threads);
        check(response(), threads);
        check(empty_cells(), threads);
    }
}

/// Returns a packed tar of members with names of `length` bytes and the same `text`. Two names differ only in the last byte.
fn long_names(length: usize, text: &str) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for last in ["a", "b"] {
        let name = "n".repeat(length - 1) + last;
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_size(length as u64);
        header.set_cksum();
        archive.append(&header, name.as_bytes()).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_path("short").unwrap();
        header.set_size(text.len() as u64);
        header.set_cksum();
        archive.append(&header, text.as_bytes()).unwrap();
    }
    gzip(archive.into_inner().unwrap())
}

#[test]
fn long_names_of_documents_are_cut_and_stay_apart() {
    let place = Place::new();
    place.file("a.tgz", long_names(500_000, "10.5555/x 10.5555/y\n"));
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("a.tgz --mentions --report r.json {threads}"));
        assert_eq!(seen.code, Some(0));
        let documents = seen.field("document");
        assert!(
            documents
                .iter()
                .all(|name| name.len() == 4096 && name.starts_with("nnn"))
        );
        assert!(documents[0] == documents[1] && documents[1] != documents[2]);
        let warned: Vec<_> = seen.err.lines().collect();
        assert_eq!(warned.len(), 1, "{}", seen.err);
        assert!(
            warned[0].contains("a.tgz: names of members with more") && warned[0].ends_with(": 2"),
            "{}",
            warned[0]
        );
        assert_eq!(place.json("r.json")["cut_names"], 2);
    }
}

#[test]
fn long_names_of_zips_within_zips_are_cut_as_one() {
    let zip = |name: &str, bytes: &[u8]| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default();
        zip.start_file(name, stored).unwrap();
        zip.write_all(bytes).unwrap();
        zip.finish().unwrap().into_inner()
    };
    let name = "z".repeat(60_000);
    let inner = zip(&name, b"10.5555/x");
    let place = Place::new();
    place.file("a.zip", zip(&name, &zip(&name, &inner)));
    let seen = place.scan("a.zip --mentions");
    assert_eq!(seen.field("document")[0].len(), 4096);
    assert!(
        seen.err.contains("shortened in the middle: 3"),
        "{}",
        seen.err
    );
}

#[test]
fn what_long_names_may_take_in_the_output_is_held_against_the_sources_size() {
    let place = Place::new();
    let text: String = (0..40_000)
        .map(|number| format!("10.5555/{number:06}\n"))
        .collect();
    place.file("a.tgz", long_names(4000, &text));
    let line = "a.tgz -f csv --mentions --max-expansion 10";
    let wanted = place.scan(&format!("{line} -j1"));
    assert_eq!(wanted.code, Some(1));
    assert!(
        wanted.err.contains("--max-expansion allows more"),
        "{}",
        wanted.err
    );
    assert_eq!(wanted.err.lines().count(), 1);
    assert!(
        (1 << 20..100 << 20).contains(&wanted.out.len()),
        "{}",
        wanted.out.len()
    );
    for options in ["-j2", "-j2 --chunk 10000", "-j1 --chunk 777"] {
        assert!(
            place.scan(&format!("{line} {options}")).out == wanted.out,
            "{options}"
        );
    }
    let seen = place.scan("a.tgz -f names --mentions --max-expansion 10000");
    assert_eq!((seen.code, seen.out.lines().count()), (Some(0), 80_000));
}

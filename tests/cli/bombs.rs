//! Small files that unpack to much: each is stopped, told of once, and takes little memory.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::place::{Place, fifo, gzip, zstd};

/// MiB that a run may take, 64 of which are two threads' sections of a file.
const MOST: u64 = 160;

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

/// Members that threads share; some 1,100 MiB in all.
fn many_members() -> Vec<u8> {
    let filling = gzip(noise(100_000)).repeat(24);
    [filling, gzip(vec![b'a'; 1 << 20]).repeat(1100)].concat()
}

/// A response whose body is packed twice.
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

/// Runs the command on a bomb and then a FIFO, and looks at its memory while it waits there.
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
    let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
    end.write_all(b"10.5555/end\n").unwrap();
    drop(end);
    said.read_to_string(&mut line).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    let seen = run.wait_with_output().unwrap();
    assert_eq!(seen.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&seen.stdout).contains("10.5555/end"));
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MOST << 10, "{threads}: {peak} kB");
}

#[test]
fn a_bomb_takes_little_memory_and_what_follows_it_is_read() {
    for threads in ["-j1", "-j2"] {
        check(many_members(), threads);
        check(response(), threads);
    }
}

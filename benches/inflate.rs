//! Unpacks a gzip file into nothing, as a yardstick for `scan`: `cargo run --release --example inflate -- FILE`
//!
//! Prints how many bytes it holds. The decoder is the one that doisift reads streams with.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::{BufReader, Read};

fn main() -> std::io::Result<()> {
    let mut buffer = vec![0; 256 << 10];
    for path in std::env::args_os().skip(1) {
        let file = BufReader::with_capacity(buffer.len(), File::open(path)?);
        let mut unpacked = flate2::bufread::MultiGzDecoder::new(file);
        let mut bytes = 0;
        loop {
            match unpacked.read(&mut buffer)? {
                0 => break,
                read => bytes += read,
            }
        }
        println!("{bytes}");
    }
    Ok(())
}

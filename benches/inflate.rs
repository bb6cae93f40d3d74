//! Unpacks a gzip file and drops the output, for comparison with `scan`: `cargo run --release --example inflate -- FILE`
//!
//! Prints the number of unpacked bytes. The decoder is the same that doisift uses for streams.
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

//! Scans each of the given files in memory, as `scripts/bench wasm` measures beside the package, and prints how many names it has.
#![allow(clippy::print_stdout)]

use doisift_core::Scanner;

fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        let text = std::fs::read(path)?;
        println!("{}", Scanner::new().scan(&text, |_| {}).mentions);
    }
    Ok(())
}

//! Prints the rules for names as a table: `cargo run --example rules`.
use std::io::{self, Write};

use doisift::internal::Rule;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for rule in Rule::ALL {
        let end = if rule.is_guess() { "guess" } else { "certain" };
        let items = rule.items().join(" ").escape_debug().to_string();
        let (id, damages, catches) = (rule.id(), rule.damages(), rule.catches());
        writeln!(
            out,
            "{id}\t{:?}\t{end}\t{damages}\t{catches}\t{items}",
            rule.scope()
        )?;
    }
    Ok(())
}

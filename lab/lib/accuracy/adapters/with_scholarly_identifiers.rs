//! scholarly_identifiers judges single identifiers: each word between blanks is given to it.

use scholarly_identifiers::identifiers::Identifier;
use serde_json::{Value, json};

fn main() {
    for line in std::io::stdin().lines() {
        let text: Value = serde_json::from_str(&line.expect("UTF-8")).expect("JSON");
        let words = text["text"].as_str().unwrap_or_default().split_whitespace();
        let names: Vec<String> = words
            .filter_map(|word| match Identifier::parse(word) {
                Identifier::Doi { prefix, suffix } => Some(format!("{prefix}/{suffix}")),
                _ => None,
            })
            .collect();
        println!("{}", json!({"id": text["id"], "names": names}));
    }
}

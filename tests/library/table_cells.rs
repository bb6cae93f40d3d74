//! Prints the texts of the cells of tables as JSON Lines, for `scripts/check table-files`.

use std::env;
use std::fs;
use std::path::Path;

use doisift::fuzz_support::{ReadReport, ReadSetup, read};
use serde_json::{Value, json};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn in_json(reported: &ReadReport) -> Value {
    match reported {
        ReadReport::Document(name, text, _) => json!({ "row": name.as_deref(), "text": hex(text) }),
        ReadReport::Lost(_, offset, error) => json!({ "lost": error, "offset": offset }),
        ReadReport::Skipped(_, kind) => json!({ "skipped": kind }),
        ReadReport::Endless => json!({ "lost": "errors without end" }),
    }
}

/// Reads the files below the folder that `DOISIFT_TABLES` names.
#[test]
#[ignore = "prints the cells of files for scripts/check table-files"]
fn print_cells() {
    let folder = env::var("DOISIFT_TABLES").unwrap();
    let mut folders = vec![Path::new(&folder).to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let way = ReadSetup {
                read: usize::MAX,
                step: 64 << 10,
                threads: 1,
                fails: false,
            };
            let reported = read(&fs::read(&path).unwrap(), way).unwrap();
            let reported: Vec<_> = reported.iter().map(in_json).collect();
            println!("{}", json!({ "file": path, "reported": reported }));
        }
    }
}

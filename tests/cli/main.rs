//! Runs of the command. Each test is named after the behaviour that a user sees.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod archives;
mod arrow;
mod arxiv;
mod binary_workbooks;
mod bombs;
mod broken;
mod cases;
mod check;
mod check_baseline;
mod check_fix;
mod check_formats;
mod check_ignore;
mod check_online;
mod check_retractions;
mod check_structured;
mod checkpoint;
mod clash;
mod clean_cases;
mod columnar_records;
mod columns;
#[path = "../common/mod.rs"]
mod common;
mod containers;
mod damage;
mod diff;
mod diff_rows;
mod documents;
mod edges;
mod encodings;
mod escape;
mod every_table;
mod explain;
mod golden;
mod graphs;
mod index;
mod known;
mod leftovers;
mod links;
mod mail;
#[cfg(target_os = "linux")]
mod many_parts;
mod memory;
mod merge;
mod merge_rows;
mod mistakes;
mod normalize;
mod notices;
mod office;
mod output;
mod packings;
mod parquet;
mod parts;
mod pdf;
mod pdf_damage;
mod place;
mod pre;
mod prefixes;
mod process;
mod records;
#[path = "../../crates/resolve/tests/common/mod.rs"]
mod registry_server;
mod reports;
mod resolve;
mod resume;
mod rtf;
mod schemas;
mod selection;
mod seven_zip;
mod several;
mod signals;
#[path = "../../fuzz/small_table.rs"]
mod small_table;
mod sources;
mod starts;
mod summary;
#[path = "../../fuzz/table_writers.rs"]
#[allow(dead_code)]
mod table_writers;
mod tables;
mod terminal;
mod text_tables;
mod transitions;
mod typed_fields;
mod usage;
mod warc;
mod workbooks;

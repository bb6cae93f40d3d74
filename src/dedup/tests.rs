//! Compares the table with a slow twin that uses ordered maps, with one thread and with several.

mod spill;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use doisift_core::{Form, Mention};
use proptest::prelude::*;

use super::{
    Batch, CountedUnit, Document, DocumentId, NameTable, SpillError, StoredFields, TablePart,
};
use crate::records::Record;

/// A mention that owns its parts.
#[derive(Clone, Debug)]
struct Said {
    document: DocumentId,
    named: bool,
    key: String,
    text: Vec<u8>,
    form: Form,
    offset: u64,
    guessed: bool,
}

/// A record that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owned {
    doi: String,
    mentions: u64,
    documents: u64,
    sources: u64,
    forms: Vec<&'static str>,
    source: String,
    document: Option<String>,
    offset: u64,
    text: String,
    guessed: bool,
}

fn source_name(source: u32) -> String {
    format!("s{source}.txt")
}

fn document_name(said: &Said) -> Option<String> {
    said.named.then(|| format!("d{}", said.document.document))
}

/// Returns the document of which this is a part: the first two texts of source 3 are one document.
fn whole(said: &Said) -> Option<u64> {
    let DocumentId { source, document } = said.document;
    (source == 3 && document < 2).then_some(0)
}

/// Returns the number under which the document of a mention is counted.
fn counted(said: &Said) -> (u32, u64) {
    let DocumentId { source, document } = said.document;
    (source, whole(said).unwrap_or(document))
}

/// Counted units, each with the number of its mentions that follow.
#[derive(Default)]
struct Units(Mutex<BTreeMap<UnitKey, (usize, CountedUnit)>>);

/// A source, and the first text of a document in it.
type UnitKey = (u32, Option<u64>);

/// Units of which more mentions may always follow.
static ENDLESS: Units = Units(Mutex::new(BTreeMap::new()));

impl Units {
    /// Creates units that end with the last of these mentions.
    fn of(said: &[Said]) -> Units {
        let units = Units::default();
        for said in said {
            let source = said.document.source;
            let mut left = units.0.lock().unwrap();
            let mut follow =
                |whole, unit: CountedUnit| left.entry((source, whole)).or_insert((0, unit)).0 += 1;
            follow(None, CountedUnit::source(source));
            if let Some(first) = whole(said) {
                follow(Some(first), CountedUnit::whole(source, first));
            }
        }
        units
    }

    /// Returns the units of the next mention.
    fn of_next(&self, said: &Said) -> (CountedUnit, Option<CountedUnit>) {
        let source = said.document.source;
        let mut left = self.0.lock().unwrap();
        let mut take = |whole, unit: CountedUnit| {
            let (count, unit) = left.entry((source, whole)).or_insert((usize::MAX, unit));
            *count -= 1;
            let (is_last, unit) = (*count == 0, unit.clone());
            if is_last {
                left.remove(&(source, whole));
            }
            unit
        };
        let of_source = take(None, CountedUnit::source(source));
        let of_whole =
            whole(said).map(|first| take(Some(first), CountedUnit::whole(source, first)));
        (of_source, of_whole)
    }
}

fn document(said: &Said, units: &Units) -> Document {
    let (of_source, of_whole) = units.of_next(said);
    Document {
        id: said.document,
        source: Arc::from(source_name(said.document.source)),
        of_source,
        of_whole,
        name: document_name(said).map(Arc::from),
        capture: None,
        column: None,
    }
}

fn push(batch: &mut Batch, said: &Said) {
    push_next(batch, said, &ENDLESS);
}

/// Adds a mention, and ends the units that have no more.
fn push_next(batch: &mut Batch, said: &Said, units: &Units) {
    let (key, text) = (said.key.as_str(), said.text.as_slice());
    let mut mention = Mention::new(key, key, said.form, text);
    mention.offset = said.offset;
    mention.guessed = said.guessed;
    batch.push(&document(said, units), &mention);
}

fn owned(r: &Record<'_>) -> Owned {
    Owned {
        doi: r.doi.to_owned(),
        mentions: r.mentions,
        documents: r.documents,
        sources: r.sources,
        forms: r.forms.iter().map(Form::name).collect(),
        source: r.first_source.to_owned(),
        document: r.first_document.map(str::to_owned),
        offset: r.first_offset,
        text: r.first_text.clone().into_owned(),
        guessed: r.guessed,
    }
}

fn records(table: NameTable) -> Vec<Owned> {
    let mut records = Vec::new();
    let own = |part: &TablePart<'_>| {
        Ok::<_, SpillError>(
            part.records()
                .map(|record| owned(&record))
                .collect::<Vec<_>>(),
        )
    };
    let drained = table.into_rows(own, |run| {
        records.extend(run);
        Ok(())
    });
    let count = drained.unwrap().records;
    assert_eq!(
        count,
        records.len() as u64,
        "the count returned is that of the records given out"
    );
    records
}

fn twin(said: &[Said]) -> Vec<Owned> {
    let mut by_key: BTreeMap<&[u8], Vec<&Said>> = BTreeMap::new();
    for one in said {
        by_key.entry(one.key.as_bytes()).or_default().push(one);
    }
    by_key
        .into_values()
        .filter_map(|all| record(&all))
        .collect()
}

fn record(all: &[&Said]) -> Option<Owned> {
    let first = all.iter().min_by_key(|s| (s.document, s.offset))?;
    let forms: BTreeSet<&str> = all.iter().map(|s| s.form.name()).collect();
    Some(Owned {
        doi: first.key.clone(),
        mentions: all.len() as u64,
        documents: distinct(all.iter().map(|s| counted(s))),
        sources: distinct(all.iter().map(|s| (s.document.source, 0))),
        forms: forms.into_iter().collect(),
        source: source_name(first.document.source),
        document: document_name(first),
        offset: first.offset,
        text: String::from_utf8_lossy(&first.text).into_owned(),
        guessed: all.iter().all(|s| s.guessed),
    })
}

fn distinct(all: impl Iterator<Item = (u32, u64)>) -> u64 {
    all.collect::<BTreeSet<_>>().len() as u64
}

/// Mentions at distinct offsets, of few keys and in few documents, so that many repeat.
fn mentions() -> impl Strategy<Value = Vec<Said>> {
    let one = (0..4u32, 0..4u64, 0..40u32, 0..7usize, any::<bool>(), 0..4u8);
    proptest::collection::vec(one, 0..400).prop_map(|all| {
        let said = all.into_iter().enumerate().map(
            |(offset, (source, number, name, form, guessed, text))| {
                let key = key(name);
                let text = match text {
                    0 => key.to_uppercase().into_bytes(),
                    1 => [key.as_bytes(), b"\xff\xc3"].concat(),
                    _ => key.clone().into_bytes(),
                };
                let document = DocumentId {
                    source,
                    document: number,
                };
                let form = Form::ALL[form];
                Said {
                    document,
                    named: source % 2 == 0,
                    key,
                    text,
                    form,
                    offset: offset as u64,
                    guessed,
                }
            },
        );
        said.collect()
    })
}

/// Returns keys with common beginnings of every length, some of which continue others.
fn key(name: u32) -> String {
    match name % 4 {
        0 => format!("10.5555/{name}"),
        1 => format!("10.5555/{}{name}", "long".repeat(name as usize)),
        2 => format!("10.{}/x", 1000 + name),
        _ => format!("10.5555/{}", "a".repeat(name as usize)),
    }
}

/// Fills the table with one document after another. Each is closed through the batch.
fn fill_in_turn(table: NameTable, said: &[Said], handover: usize) -> NameTable {
    let mut batch = table.batch();
    let units = Units::of(said);
    let mut by_document: BTreeMap<DocumentId, Vec<&Said>> = BTreeMap::new();
    for one in said {
        by_document.entry(one.document).or_default().push(one);
    }
    let mut pushed = 0;
    for (id, all) in by_document {
        for one in all {
            push_next(&mut batch, one, &units);
            pushed += 1;
            if pushed % handover == 0 {
                table.absorb(&mut batch).unwrap();
            }
        }
        batch.close(&id);
    }
    table.absorb(&mut batch).unwrap();
    table
}

/// Fills the table on several threads. Each has mentions of every document in a different order, and the thread that
/// absorbs a document's last mention closes it.
fn fill_crosswise(table: NameTable, said: &[Said], threads: usize, handover: usize) -> NameTable {
    let mut left: BTreeMap<DocumentId, AtomicUsize> = BTreeMap::new();
    for one in said {
        *left.entry(one.document).or_default().get_mut() += 1;
    }
    let units = &Units::of(said);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (table, left) = (&table, &left);
            let mut mine: Vec<&Said> = said.iter().skip(thread).step_by(threads).collect();
            if thread % 2 == 1 {
                mine.reverse();
            }
            scope.spawn(move || {
                let mut batch = table.batch();
                for part in mine.chunks(handover) {
                    part.iter()
                        .for_each(|one| push_next(&mut batch, one, units));
                    table.absorb(&mut batch).unwrap();
                    let last =
                        |one: &&&Said| left[&one.document].fetch_sub(1, Ordering::AcqRel) == 1;
                    part.iter()
                        .filter(last)
                        .for_each(|one| table.close(&one.document));
                }
            });
        }
    });
    table
}

proptest! {
    #[test]
    fn one_thread_gives_what_the_twin_gives(said in mentions(), handover in 1..50usize) {
        prop_assert_eq!(records(fill_in_turn(NameTable::new(StoredFields::All), &said, handover)), twin(&said));
    }

    #[test]
    fn several_threads_give_what_the_twin_gives(said in mentions(), threads in 1..5usize, handover in 1..50usize) {
        prop_assert_eq!(records(fill_crosswise(NameTable::new(StoredFields::All), &said, threads, handover)), twin(&said));
    }
}

fn said(source: u32, document: u64, key: &str, offset: u64) -> Said {
    let document = DocumentId { source, document };
    let text = key.as_bytes().to_vec();
    Said {
        document,
        named: true,
        key: key.to_owned(),
        text,
        form: Form::Bare,
        offset,
        guessed: false,
    }
}

#[test]
fn a_document_closed_and_another_opened_count_two() {
    let table = NameTable::new(StoredFields::All);
    let mut batch = table.batch();
    let all = [
        said(0, 0, "10.5555/a", 1),
        said(0, 1, "10.5555/a", 1),
        said(0, 1, "10.5555/a", 9),
    ];
    for one in &all {
        push(&mut batch, one);
        table.absorb(&mut batch).unwrap();
        table.close(&DocumentId {
            source: 0,
            document: one.document.document.wrapping_sub(1),
        });
    }
    assert_eq!(records(table), twin(&all));
}

#[test]
fn a_document_shared_by_threads_is_counted_once_though_others_come_between() {
    let table = NameTable::new(StoredFields::All);
    let (mut one, mut other) = (table.batch(), table.batch());
    let all = [
        said(0, 0, "10.5555/a", 1),
        said(0, 1, "10.5555/a", 1),
        said(0, 2, "10.5555/a", 1),
        said(0, 0, "10.5555/a", 5),
    ];
    push(&mut one, &all[0]);
    table.absorb(&mut one).unwrap();
    push(&mut other, &all[1]);
    other.close(&all[1].document);
    push(&mut other, &all[2]);
    table.absorb(&mut other).unwrap();
    push(&mut one, &all[3]);
    table.absorb(&mut one).unwrap();
    table.close(&all[0].document);
    table.close(&all[2].document);
    assert_eq!(records(table)[0].documents, 3);
}

#[test]
fn the_first_mention_is_the_least_even_if_each_comes_before_the_last() {
    let table = NameTable::new(StoredFields::All);
    let mut batch = table.batch();
    // This many replaced names and texts make every used shard rewrite its arena many times.
    let name = "n".repeat(5000);
    for document in (0..2000u64).rev() {
        for key in ["10.5555/a", "10.5555/b"] {
            let mut one = said(7, document, key, 3);
            one.text = format!("{key}{name}{document}").into_bytes();
            push(&mut batch, &one);
        }
        table.absorb(&mut batch).unwrap();
        table.close(&DocumentId {
            source: 7,
            document,
        });
    }
    let records = records(table);
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record.text, format!("{}{name}0", record.doi));
        assert_eq!(
            (record.document.as_deref(), record.documents),
            (Some("d0"), 2000)
        );
    }
}

/// Why the output of records stopped.
#[derive(Debug)]
enum Stopped {
    Full,
    Spill,
}

impl From<SpillError> for Stopped {
    fn from(_: SpillError) -> Self {
        Stopped::Spill
    }
}

#[test]
fn a_sink_that_fails_stops_the_records() {
    let table = fill_in_turn(
        NameTable::new(StoredFields::All),
        &[said(0, 0, "10.5555/a", 1), said(0, 0, "10.5555/b", 2)],
        9,
    );
    let mut seen = 0;
    let stopped = table.into_rows(
        |part| Ok(part.records().count()),
        |_| {
            seen += 1;
            Err(Stopped::Full)
        },
    );
    assert!(matches!(stopped, Err(Stopped::Full)));
    assert_eq!(seen, 1);
}

/// Texts that differ from their key in case at several positions, and in more than case.
#[test]
fn the_first_text_comes_back_in_its_own_case() {
    let long = format!("10.5555/{}", "a".repeat(60));
    let texts = [
        "10.5555/ABC".to_owned(),
        "10.5555/aBc".to_owned(),
        "10.5555/abc%20".to_owned(),
        format!("{}A{}", &long[..42], &long[43..]),
        format!("{}A{}", &long[..43], &long[44..]),
        long.to_uppercase(),
        "10.5555/É-A".to_owned(),
    ];
    let keys = texts.iter().map(|text| text.to_ascii_lowercase());
    let all: Vec<Said> = keys
        .zip(&texts)
        .zip(0..)
        .map(|((key, text), offset)| {
            let mut said = said(0, 0, key.trim_end_matches("%20"), offset);
            said.text = text.clone().into_bytes();
            said
        })
        .collect();
    for said in &all {
        let records = records(fill_in_turn(
            NameTable::new(StoredFields::All),
            std::slice::from_ref(said),
            1,
        ));
        assert_eq!(records, twin(std::slice::from_ref(said)));
    }
    let backwards: Vec<Said> = all.iter().rev().cloned().collect();
    assert_eq!(
        records(fill_crosswise(
            NameTable::new(StoredFields::All),
            &backwards,
            1,
            1
        )),
        twin(&all)
    );
}

proptest! {
    #[test]
    fn a_table_of_keys_gives_the_keys_of_the_twin(said in mentions(), handover in 1..50usize) {
        let table = NameTable::new(StoredFields::Key);
        let mut batch = table.batch();
        for part in said.chunks(handover) {
            part.iter().for_each(|one| push(&mut batch, one));
            table.absorb(&mut batch).unwrap();
        }
        let keys: Vec<String> = records(table).into_iter().map(|record| record.doi).collect();
        let wanted: Vec<String> = twin(&said).into_iter().map(|record| record.doi).collect();
        prop_assert_eq!(keys, wanted);
    }
}

#[test]
fn an_empty_table_has_no_records() {
    assert_eq!(records(NameTable::new(StoredFields::All)), []);
}

#[test]
fn a_full_batch_says_so() {
    let table = NameTable::new(StoredFields::All);
    let mut batch = table.batch();
    let mut pushed = 0;
    while !batch.is_full() {
        push(
            &mut batch,
            &said(0, 0, &format!("10.5555/{pushed}"), pushed),
        );
        pushed += 1;
    }
    assert_eq!(pushed, 4096);
    table.absorb(&mut batch).unwrap();
    assert!(!batch.is_full());
    push(
        &mut batch,
        &said(0, 0, &format!("10.5555/{}", "x".repeat(2 << 20)), 0),
    );
    assert!(batch.is_full(), "a batch is bounded by bytes as well");
}

//! A table with a budget gives the same records as one without. A run file that was changed gives an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::*;
use crate::dedup::{Budget, Lasting, RunFile, Spilled};

/// A table that reports the paths of its runs.
struct Spilling {
    table: NameTable,
    folder: TempDir,
    runs: Arc<Mutex<Vec<PathBuf>>>,
}

/// Number of runs that are merged at once: few, so that there are several rounds.
const FAN: usize = 3;

impl Spilling {
    fn new(kept: StoredFields, bytes: usize, threads: usize) -> Spilling {
        let folder = TempDir::new().unwrap();
        let runs = Arc::<Mutex<Vec<PathBuf>>>::default();
        let noted = Arc::clone(&runs);
        let budget = Budget {
            note: Box::new(move |path| {
                // The folder of the runs is reported as well.
                if path.is_file() {
                    noted.lock().unwrap().push(path.to_owned());
                }
            }),
            fan: Some(FAN),
            ..Budget::new(bytes, folder.path(), threads)
        };
        Spilling {
            table: NameTable::within(kept, budget),
            folder,
            runs,
        }
    }

    fn fill(mut self, fill: impl FnOnce(NameTable) -> NameTable) -> Spilling {
        self.table = fill(self.table);
        self
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.runs.lock().unwrap().clone()
    }

    /// Returns the records, and the number of runs. Asserts that no run file is left.
    fn records(self) -> (Vec<Owned>, usize) {
        let records = records(self.table);
        assert_eq!(left(self.folder.path()), 0);
        (records, self.runs.lock().unwrap().len())
    }
}

fn left(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// The smallest budget, with which every batch becomes a run.
const TINY: usize = 1;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_batch_a_run_gives_what_the_twin_gives(said in mentions(), handover in 10..60usize) {
        let spilling = Spilling::new(StoredFields::All, TINY, 1);
        let (records, runs) = spilling.fill(|table| fill_in_turn(table, &said, handover)).records();
        prop_assert_eq!(records, twin(&said));
        prop_assert!(runs >= said.len() / handover);
    }

    #[test]
    fn threads_that_share_documents_over_many_runs_give_what_the_twin_gives(
        said in mentions(), threads in 1..5usize, handover in 5..60usize,
    ) {
        let spilling = Spilling::new(StoredFields::All, TINY, threads);
        let (records, _) = spilling.fill(|table| fill_crosswise(table, &said, threads, handover)).records();
        prop_assert_eq!(records, twin(&said));
    }
}

#[test]
fn any_keys_are_counted_and_sorted_over_many_runs() {
    let key = |number: u64| match number % 3 {
        // Keys of which one is the beginning of another, and short ones.
        0 => format!("s\0\u{1}{}", "d".repeat((number % 90) as usize)),
        1 => format!("{}", number % 11),
        _ => format!("10.5555/{}", number * 7919 % 401),
    };
    let mut wanted = std::collections::BTreeMap::<String, u64>::new();
    for number in 0..3000 {
        *wanted.entry(key(number)).or_default() += 1;
    }
    for (bytes, threads, handover) in [(1 << 30, 1, 3000), (TINY, 1, 100), (TINY, 3, 40)] {
        let spilling = Spilling::new(StoredFields::Count, bytes, threads).fill(|table| {
            let mut batch = table.batch();
            for number in 0..3000 {
                batch.count(key(number).as_bytes());
                if number % handover == handover - 1 {
                    table.absorb(&mut batch).unwrap();
                }
            }
            table.absorb(&mut batch).unwrap();
            table
        });
        assert_eq!(spilling.paths().is_empty(), bytes > TINY);
        let (records, _) = spilling.records();
        let records = records.into_iter();
        let seen: Vec<_> = records
            .map(|record| (record.doi, record.mentions))
            .collect();
        assert_eq!(seen, wanted.clone().into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_document_is_counted_once_however_many_runs_it_is_spread_over() {
    let id = |document| DocumentId {
        source: 0,
        document,
    };
    let Spilling { table, folder, .. } = Spilling::new(StoredFields::All, TINY, 1);
    let mut batch = table.batch();
    let mut all = Vec::new();
    let mut say = |batch: &mut Batch, document, offset| {
        all.push(said(0, document, "10.5555/a", offset));
        push(batch, &all[all.len() - 1]);
    };
    // Document 0 lasts throughout, 1 ends right before a run is written, 2 right after, 3 and 4 are within one run.
    for (document, offset) in [(0, 9), (1, 8), (2, 7)] {
        say(&mut batch, document, offset);
        table.absorb(&mut batch).unwrap();
    }
    for (round, offset) in [(3, 20), (4, 21)] {
        for document in [2, 1, 0, round] {
            if (document, round) != (1, 4) {
                say(&mut batch, document, offset);
            }
        }
        batch.close(&id(round));
        table.absorb(&mut batch).unwrap();
        table.close(&id(1));
    }
    table.close(&id(2));
    say(&mut batch, 0, 3);
    table.absorb(&mut batch).unwrap();
    table.close(&id(0));
    let records = records(table);
    assert_eq!(records, twin(&all));
    assert_eq!((records[0].documents, records[0].offset), (5, 3));
    assert_eq!(left(folder.path()), 0);
}

/// Returns repeated names in documents of some sources, with all kinds of texts and document names.
fn many() -> Vec<Said> {
    let one = |number: u64| {
        let scattered = number * 7_919 % 60_013;
        let mut said = said(
            (number / 9000) as u32,
            number / 500,
            &key((scattered % 20_011) as u32 % 997),
            number,
        );
        if number.is_multiple_of(3) {
            said = Said {
                key: format!("10.5555/j.x.{scattered}"),
                ..said
            };
        }
        said.text = said.key.clone().into_bytes();
        if number.is_multiple_of(5) {
            said.text.extend_from_slice(b"%20");
        }
        said.guessed = !number.is_multiple_of(7);
        said
    };
    (0..40_000).map(one).collect()
}

/// Absorbs batches on threads that wait for the table while it is written.
#[test]
fn a_table_is_spilled_from_several_threads() {
    let all = many();
    let spilling = Spilling::new(StoredFields::Key, 64 << 10, 2);
    std::thread::scope(|scope| {
        for part in all.chunks(all.len() / 2) {
            let table = &spilling.table;
            scope.spawn(move || {
                let mut batch = table.batch();
                for part in part.chunks(500) {
                    part.iter().for_each(|one| push(&mut batch, one));
                    table.absorb(&mut batch).unwrap();
                }
            });
        }
    });
    let (records, runs) = spilling.records();
    assert_eq!(records.len(), twin(&all).len());
    assert!(runs > 20);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a thread of a pool locks the table")]
fn no_thread_of_a_pool_locks_the_table() {
    let spilling = Spilling::new(StoredFields::Key, 64 << 10, 2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let absorb = || spilling.table.absorb(&mut spilling.table.batch());
    pool.unwrap().install(absorb).unwrap();
}

#[test]
fn memory_stays_within_the_budget() {
    let all = many();
    let bytes = 3 << 19;
    let spilling = Spilling::new(StoredFields::All, bytes, 1);
    let table = &spilling.table;
    let mut batch = table.batch();
    for (number, part) in all.chunks(100).enumerate() {
        part.iter().for_each(|one| push(&mut batch, one));
        table.absorb(&mut batch).unwrap();
        assert!(
            table.held_bytes() <= bytes + bytes / 10,
            "{number}: {}",
            table.held_bytes()
        );
    }
    assert!(spilling.paths().len() > 1);
}

/// Makes two runs with all kinds of fields, and the same keys in both.
fn small(kept: StoredFields) -> Spilling {
    Spilling::new(kept, TINY, 1).fill(|table| {
        let mut batch = table.batch();
        for round in 0..2 {
            for (number, key) in ["10.5555/a", "10.5555/ab", "10.1000/182"]
                .iter()
                .enumerate()
            {
                let mut said = said(round, number as u64, key, 5);
                said.text = [said.text, vec![b'x'; number]].concat();
                push(&mut batch, &said);
            }
            table.absorb(&mut batch).unwrap();
        }
        table
    })
}

/// Returns the number of records, or the error, after the first run file was changed.
fn records_of_changed(
    kept: StoredFields,
    change: impl Fn(&mut Vec<u8>),
) -> Result<u64, (SpillError, PathBuf)> {
    let spilling = small(kept);
    let path = spilling.paths()[0].clone();
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let drained = spilling
        .table
        .into_rows(|part| Ok(part.records().count()), |_| Ok(()));
    assert_eq!(left(spilling.folder.path()), 0);
    drained
        .map(|drained| drained.records)
        .map_err(|error| (error, path))
}

#[test]
fn a_flipped_byte_anywhere_is_refused_with_the_name_of_the_run() {
    for kept in [StoredFields::All, StoredFields::Key] {
        assert_eq!(records_of_changed(kept, |_| {}).unwrap(), 3);
        let length = fs::metadata(&small(kept).paths()[0]).unwrap().len() as usize;
        assert!(length > 100);
        for position in 0..length {
            let flip = if position % 2 == 0 { 0x01 } else { 0x80 };
            let changed = records_of_changed(kept, |bytes| bytes[position] ^= flip);
            let (error, path) = changed.expect_err("a byte was flipped");
            assert_eq!(error.path(), path);
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}

#[test]
fn a_run_that_is_cut_short_or_longer_is_refused_with_its_name() {
    let length = fs::metadata(&small(StoredFields::All).paths()[0])
        .unwrap()
        .len() as usize;
    for kept in 0..length {
        let changed = records_of_changed(StoredFields::All, |bytes| bytes.truncate(kept));
        let (error, path) = changed.expect_err("it was cut short");
        assert_eq!(error.path(), path);
    }
    assert!(records_of_changed(StoredFields::All, |bytes| bytes.push(0)).is_err());
}

#[test]
fn a_run_of_another_kind_is_refused() {
    let (keys, all) = (small(StoredFields::Key), small(StoredFields::All));
    fs::copy(&keys.paths()[0], &all.paths()[1]).unwrap();
    let drained = all
        .table
        .into_rows(|part| Ok(part.records().count()), |_| Ok(()));
    let refused: SpillError = drained.expect_err("it has keys alone");
    assert_eq!(refused.path(), all.runs.lock().unwrap()[1]);
}

#[test]
fn a_sink_that_fails_leaves_no_run() {
    for parallel in [false, true] {
        let all = many();
        let spilling = Spilling::new(StoredFields::All, 64 << 10, 2);
        let Spilling { table, folder, .. } = spilling.fill(|table| fill_in_turn(table, &all, 1000));
        assert!(left(folder.path()) > 0);
        let mut room = 100usize;
        let drain = || {
            table.into_rows(
                |part| Ok(part.records().count()),
                |count| {
                    room = room.checked_sub(count).ok_or(Stopped::Full)?;
                    Ok(())
                },
            )
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        let stopped = if parallel {
            pool.install(drain)
        } else {
            drain()
        };
        assert!(matches!(stopped, Err(Stopped::Full)));
        assert_eq!(left(folder.path()), 0);
    }
}

#[test]
fn a_folder_that_takes_no_run_is_named_and_the_table_takes_no_more() {
    let Spilling { table, folder, .. } = Spilling::new(StoredFields::All, TINY, 1);
    let path = folder.path().to_owned();
    drop(folder);
    let mut batch = table.batch();
    push(&mut batch, &said(0, 0, "10.5555/a", 1));
    let error = table.absorb(&mut batch).expect_err("there is no folder");
    assert_eq!(error.path(), path);
    push(&mut batch, &said(0, 0, "10.5555/b", 1));
    assert!(table.absorb(&mut batch).is_ok());
}

#[test]
fn a_table_that_is_dropped_leaves_no_run() {
    let spilling = small(StoredFields::All);
    assert!(spilling.paths().iter().all(|run| run.exists()) && spilling.paths().len() == 2);
    let Spilling { table, folder, .. } = spilling;
    drop(table);
    assert_eq!(left(folder.path()), 0);
}

/// Fills and drains a table whose `stop` returns true from the given call on. Returns the number of calls.
fn stopped(all: &[Said], at: usize) -> Result<usize, SpillError> {
    let folder = TempDir::new().unwrap();
    let asked = Arc::new(Mutex::new(0));
    let asking = Arc::clone(&asked);
    let stop = move || {
        let mut asked = asking.lock().unwrap();
        *asked += 1;
        *asked >= at
    };
    let budget = Budget {
        fan: Some(FAN),
        stop: Box::new(stop),
        ..Budget::new(64 << 10, folder.path(), 1)
    };
    let table = NameTable::within(StoredFields::All, budget);
    let mut batch = table.batch();
    let filled = all.chunks(1000).try_for_each(|part| {
        part.iter().for_each(|one| push(&mut batch, one));
        table.absorb(&mut batch)
    });
    let ended =
        filled.and_then(|()| table.into_rows(|part| Ok(part.records().count()), |_| Ok(())));
    assert_eq!(left(folder.path()), 0, "{at}");
    ended.map(|_| *asked.lock().unwrap())
}

#[test]
fn when_asked_to_stop_it_stops_wherever_it_is_and_leaves_no_run() {
    let all = many();
    let all = &all[..12_000];
    let often = stopped(all, usize::MAX).unwrap();
    // The stop comes while it is filled, in rounds of merges, and in the last merge.
    for at in [1, often / 10, often / 2, often] {
        let ended = stopped(all, at);
        assert!(ended.is_err_and(|error| error.is_stop()), "{at} of {often}");
    }
}

/// The runs that were last passed to `keep`.
type KeptRuns = Arc<Mutex<(Vec<RunFile>, Spilled)>>;

/// Makes a table whose runs outlast it. It starts with the runs in `named` and is filled with `said`.
fn lasting(folder: &Path, named: &KeptRuns, said: &[Said]) -> NameTable {
    let (runs, written) = named.lock().unwrap().clone();
    let keeping = Arc::clone(named);
    let lasting = Lasting {
        runs,
        written,
        keep: Box::new(move |runs, written| {
            assert!(
                runs.iter()
                    .all(|run| run.bytes == fs::metadata(&run.path).unwrap().len())
            );
            *keeping.lock().unwrap() = (runs.to_vec(), written);
            Ok(())
        }),
    };
    let budget = Budget {
        fan: Some(FAN),
        lasting: Some(lasting),
        ..Budget::new(64 << 10, folder, 1)
    };
    let table = NameTable::within(StoredFields::All, budget);
    fill_in_turn(table, said, 700)
}

#[test]
fn what_was_kept_lasts_and_what_came_after_it_does_not() {
    let all = many();
    let (first, second) = all.split_at(18_000);
    let folder = TempDir::new().unwrap();
    let named = KeptRuns::default();
    let table = lasting(folder.path(), &named, first);
    table.checkpoint().unwrap();
    let kept = left(folder.path());
    drop(table);
    assert!(kept > FAN && left(folder.path()) == kept);
    drop(lasting(folder.path(), &named, second));
    assert_eq!(left(folder.path()), kept);

    let table = lasting(folder.path(), &named, second);
    assert_eq!(records(table), twin(&all));
    // A round of merges passes the merged run to `keep`, and removes the runs it was merged from.
    assert!(left(folder.path()) <= FAN);
    assert_eq!(named.lock().unwrap().0.len(), left(folder.path()));
    // A later table can resume from them.
    assert_eq!(records(lasting(folder.path(), &named, &[])), twin(&all));
}

//! The work of runs with many parts is in proportion to their number. The kernel counts it: no time is measured.

use std::fs;
use std::mem::MaybeUninit;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::containers::tar;
use crate::place::{Place, names};
use crate::process::shown;

/// Work of a run.
#[derive(Debug)]
struct Work {
    /// Parts that got their names.
    parts: usize,
    /// Reads of the list of the folder of parts.
    listings: usize,
    /// Bytes written to all files.
    written: u64,
}

/// Runs `command`, which must succeed, and counts its work. It writes parts to the empty folder `out`.
fn work(place: &Place, command: &mut Command) -> Work {
    let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    let flags = WatchFlags::ACCESS | WatchFlags::MOVED_TO;
    inotify::add_watch(&watch, place.path("out"), flags).unwrap();
    let mut run = command.spawn().unwrap();
    // The counters of a process that ended are there until its exit code is taken.
    while shown(run.id(), "State").is_some_and(|state| !state.starts_with('Z')) {
        thread::sleep(Duration::from_millis(2));
    }
    let counters = fs::read_to_string(format!("/proc/{}/io", run.id())).unwrap();
    let written = counters
        .lines()
        .find_map(|line| line.strip_prefix("wchar: "));
    let mut work = Work {
        parts: 0,
        listings: 0,
        written: written.unwrap().parse().unwrap(),
    };
    assert!(run.wait().unwrap().success());
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = Reader::new(&watch, &mut buffer);
    loop {
        match events.next() {
            Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {
                panic!("too many events")
            }
            // Equal events in a row count once. Between those of two parts, one gets its name.
            Ok(event) if event.events().contains(ReadFlags::MOVED_TO) => work.parts += 1,
            Ok(event) => work.listings += usize::from(event.file_name().is_none()),
            Err(error) => {
                assert_eq!(error, Errno::WOULDBLOCK);
                return work;
            }
        }
    }
}

/// Returns the work of a run with `count` parts and a checkpoint after each.
fn work_of(count: usize) -> Work {
    let place = Place::new();
    let text = names(8);
    let members: Vec<_> = (0..count).map(|number| format!("{number:05}")).collect();
    let members = members.iter().map(|name| (&**name, text.as_bytes()));
    let members: Vec<_> = members.collect();
    place.file("in.tar", tar(&members));
    fs::create_dir(place.path("out")).unwrap();
    let line = "scan in.tar --mentions -f jsonl --part-size 1K -o out/ --checkpoint ck";
    let mut command = place.command(line.split(' ').chain(["--checkpoint-interval", "0"]));
    let work = work(&place, &mut command);
    assert!(work.parts >= count, "{work:?}");
    work
}

#[test]
fn work_is_in_proportion_to_the_number_of_parts() {
    let (few, many) = (work_of(50), work_of(200));
    assert_eq!(many.listings, few.listings, "{few:?} {many:?}");
    let times = many.written as f64 / few.written as f64;
    assert!(times < 4.5, "{few:?} {many:?}");
}

//! Stored answers: a file to which a line is appended for each answer.
//!
//! It is a file of lines with checksums, not a database: the program only appends and looks up, and each line is one write.
//! So a killed process leaves whole lines and at most one torn one. SQLite would need a C compiler. A torn or damaged line
//! is ignored, and its name is asked again.
//!
//! One process at a time can use the file. When it is opened and more than half of its lines are damaged or replaced by
//! newer answers, the other lines are copied to a file that replaces it.
//!
//! ```text
//! doisift-resolve 1 https://doi.org/                                                     the format and the endpoint
//! 0123456789abcdef {"question":"handle","key":"10.1000/1","asked":1772064000,"answer":{"known":{"urls":["https://…"]}}}
//! ```
//!
//! The 16 digits are the XXH3 of the bytes between the blank and the line end. A question is `handle` or `agency`, `asked` is in
//! seconds since 1970.
//!
//! Memory holds only the place of the last answer for each name, by a hash: 16 bytes and the overhead of the table. The
//! line at the place is compared with the name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::answer::{CachedAnswer, Freshness};
use crate::{CacheError, cache_file};

/// How long answers are fresh. The names of older ones are asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxAge {
    /// Answers for names that are registered; 30 days by default.
    pub known: Duration,
    /// Answers for names that are not registered, but may be at any time; 1 day by default.
    pub unknown: Duration,
}

impl Default for MaxAge {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        MaxAge {
            known: 30 * DAY,
            unknown: DAY,
        }
    }
}

/// The bytes of a cache.
trait CacheStorage: Read + Write + Seek + Send {
    /// Makes all written bytes survive a failure of the machine.
    fn sync(&mut self) -> io::Result<()>;
}

impl CacheStorage for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

impl CacheStorage for Cursor<Vec<u8>> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Answers of one endpoint, in a file or in memory.
///
/// A killed process loses no finished answer. If the machine fails, the answers of the last task may be lost. On Unix, one
/// process at a time can use a file.
pub struct Cache {
    storage: Box<dyn CacheStorage>,
    /// Its name in errors.
    path: PathBuf,
    max_age: MaxAge,
    /// The start of the last line for each name, by the hash of its question and key.
    places: HashMap<u64, u64>,
    /// Number of lines when it was opened, and how many of them were damaged.
    lines: u64,
    damaged: u64,
}

/// The content of a line after its checksum.
#[derive(Serialize, Deserialize)]
struct CacheLine<'a, A> {
    question: Cow<'a, str>,
    key: Cow<'a, str>,
    /// When the service was asked, in seconds since 1970.
    asked: u64,
    answer: A,
}

/// Number of hexadecimal digits of a checksum.
const CHECKSUM_DIGITS: usize = 16;

impl Cache {
    /// Opens or creates the file `path` for answers of `endpoint`, which is [`Client::endpoint`](crate::Client::endpoint).
    ///
    /// # Errors
    ///
    /// [`CacheError::Foreign`] if the file is not such a cache; it is not changed. [`CacheError::InUse`] if another process
    /// uses it. [`CacheError::Io`] if it cannot be read or written.
    pub fn open(path: &Path, endpoint: &str, max_age: MaxAge) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Io {
            path: path.to_owned(),
            source,
        };
        let file = cache_file::open(path).map_err(failed)?;
        let file = file.ok_or_else(|| CacheError::InUse(path.to_owned()))?;
        let mut cache = Cache::over(Box::new(file), path, endpoint, max_age)?;
        if !cache.is_wasteful() {
            return Ok(cache);
        }
        match cache_file::replace(path, |out| cache.copy(endpoint, out)) {
            Ok(file) => Cache::over(Box::new(file), path, endpoint, max_age),
            // A file that cannot be replaced is used unchanged.
            Err(_) => Ok(cache),
        }
    }

    /// Makes a cache that ends with the process.
    pub fn in_memory(max_age: MaxAge) -> Self {
        Cache {
            storage: Box::new(Cursor::new(Vec::new())),
            path: PathBuf::from("(memory)"),
            max_age,
            places: HashMap::new(),
            lines: 0,
            damaged: 0,
        }
    }

    /// Returns the number of names with an answer, fresh or not.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the cache has no answers.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of lines that were damaged when the cache was opened. Their names are asked again.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    fn over(
        storage: Box<dyn CacheStorage>,
        path: &Path,
        endpoint: &str,
        max_age: MaxAge,
    ) -> Result<Self, CacheError> {
        let mut cache = Cache {
            storage,
            path: path.to_owned(),
            ..Cache::in_memory(max_age)
        };
        let header = header(endpoint);
        let start = cache.start(header.len());
        let start = start.map_err(|source| cache.error(source))?;
        // A process may have been killed while it wrote the header.
        let Some(rest) = header.as_bytes().strip_prefix(&start[..]) else {
            return Err(CacheError::Foreign {
                path: cache.path,
                endpoint: endpoint.to_owned(),
            });
        };
        let read = cache.append(rest).and_then(|_| cache.load(header.len()));
        read.map_err(|source| cache.error(source))?;
        Ok(cache)
    }

    /// Returns the first bytes of the file, at most the length of its header.
    fn start(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        self.storage.rewind()?;
        let mut head = (&mut self.storage).take(length as u64);
        head.read_to_end(&mut start)?;
        Ok(start)
    }

    /// Reads the lines after byte `from`, and ends the last one if it is torn.
    fn load(&mut self, from: usize) -> io::Result<()> {
        let mut at = self.storage.seek(SeekFrom::Start(from as u64))?;
        let mut lines = BufReader::new(&mut self.storage);
        let mut line = Vec::new();
        let mut is_torn = false;
        while lines.read_until(b'\n', &mut line)? > 0 {
            match read_line::<IgnoredAny>(&line) {
                Some(read) => {
                    self.places.insert(hash(&read.question, &read.key), at);
                }
                None => self.damaged += 1,
            }
            self.lines += 1;
            is_torn = !line.ends_with(b"\n");
            at += line.len() as u64;
            line.clear();
        }
        if is_torn {
            self.append(b"\n")?;
        }
        Ok(())
    }

    /// Whether more than half of the lines are damaged or outdated, and the file has enough lines to matter.
    fn is_wasteful(&self) -> bool {
        const FEW: u64 = 1000;
        self.lines > FEW && self.lines / 2 > self.places.len() as u64
    }

    /// Writes the last line for each name.
    fn copy(&mut self, endpoint: &str, out: &mut dyn Write) -> io::Result<()> {
        let mut places: Vec<u64> = self.places.values().copied().collect();
        places.sort_unstable();
        out.write_all(header(endpoint).as_bytes())?;
        for place in places {
            out.write_all(&self.line_at(place)?)?;
        }
        Ok(())
    }

    /// Returns the answer to `question` about a name, and when it was given; `None` if no answer is fresh at `now`.
    pub(crate) fn find<A: CachedAnswer>(
        &mut self,
        question: &str,
        key: &str,
        now: SystemTime,
    ) -> Result<Option<(A, SystemTime)>, CacheError> {
        let Some(&place) = self.places.get(&hash(question, key)) else {
            return Ok(None);
        };
        let line = self.line_at(place);
        let line = line.map_err(|source| self.error(source))?;
        let line =
            read_line::<A>(&line).filter(|line| line.question == question && line.key == key);
        let fresh = line.filter(|line| self.is_fresh(line, now));
        Ok(fresh.map(|line| (line.answer, since_1970(line.asked))))
    }

    /// Stores an answer that was given at `asked`, unless it is a failure.
    pub(crate) fn put<A: CachedAnswer>(
        &mut self,
        question: &str,
        key: &str,
        answer: &A,
        asked: SystemTime,
    ) -> Result<(), CacheError> {
        if answer.freshness() == Freshness::Not {
            return Ok(());
        }
        let line = CacheLine {
            question: question.into(),
            key: key.into(),
            asked: seconds(asked),
            answer,
        };
        let place = written(&line).and_then(|line| self.append(&line));
        let place = place.map_err(|source| self.error(source))?;
        self.places.insert(hash(question, key), place);
        Ok(())
    }

    /// Makes all answers survive a failure of the machine.
    pub(crate) fn sync(&mut self) -> Result<(), CacheError> {
        let settled = self.storage.sync();
        settled.map_err(|source| self.error(source))
    }

    fn is_fresh<A: CachedAnswer>(&self, line: &CacheLine<A>, now: SystemTime) -> bool {
        let age = now.duration_since(since_1970(line.asked));
        let age = age.unwrap_or_default();
        match line.answer.freshness() {
            Freshness::Known => age < self.max_age.known,
            Freshness::Unknown => age < self.max_age.unknown,
            Freshness::Not => false,
        }
    }

    fn line_at(&mut self, place: u64) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.storage.seek(SeekFrom::Start(place))?;
        let mut lines = BufReader::with_capacity(512, &mut self.storage);
        lines.read_until(b'\n', &mut line)?;
        Ok(line)
    }

    /// Writes at the end, and returns the offset.
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let place = self.storage.seek(SeekFrom::End(0))?;
        self.storage.write_all(bytes)?;
        Ok(place)
    }

    fn error(&self, source: io::Error) -> CacheError {
        CacheError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

fn header(endpoint: &str) -> String {
    format!("doisift-resolve 1 {endpoint}\n")
}

/// Returns a time in whole seconds, as lines have it.
pub(crate) fn whole_seconds(time: SystemTime) -> SystemTime {
    since_1970(seconds(time))
}

fn seconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Returns a time of this many seconds since 1970; 1970 itself if the system cannot represent the time.
fn since_1970(seconds: u64) -> SystemTime {
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    time.unwrap_or(UNIX_EPOCH)
}

fn hash(question: &str, key: &str) -> u64 {
    xxh3_64(format!("{question}\0{key}").as_bytes())
}

/// Returns a line with its checksum and end.
fn written<A: Serialize>(line: &CacheLine<A>) -> io::Result<Vec<u8>> {
    let json = serde_json::to_string(line)?;
    let checksum = xxh3_64(json.as_bytes());
    Ok(format!("{checksum:016x} {json}\n").into_bytes())
}

/// Parses a line. Returns `None` if it is torn or damaged.
fn read_line<A: DeserializeOwned>(line: &[u8]) -> Option<CacheLine<'static, A>> {
    let (checksum, rest) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let json = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let checksum = std::str::from_utf8(checksum).ok()?;
    if u64::from_str_radix(checksum, 16).ok()? != xxh3_64(json) {
        return None;
    }
    serde_json::from_slice(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HandleAnswer;

    const ENDPOINT: &str = "https://doi.org/";

    fn day(number: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(number * 24 * 60 * 60)
    }

    fn opened(bytes: &[u8]) -> Result<Cache, CacheError> {
        let storage = Box::new(Cursor::new(bytes.to_vec()));
        Cache::over(storage, Path::new("c"), ENDPOINT, MaxAge::default())
    }

    fn bytes(cache: &mut Cache) -> Vec<u8> {
        cache.start(usize::MAX).unwrap()
    }

    fn put(cache: &mut Cache, key: &str, answer: &HandleAnswer) {
        cache.put("handle", key, answer, day(100)).unwrap();
    }

    fn found(cache: &mut Cache, key: &str, now: SystemTime) -> Option<HandleAnswer> {
        let found = cache.find("handle", key, now).unwrap();
        found.map(|(answer, _)| answer)
    }

    fn known() -> HandleAnswer {
        let urls = vec!["https://a.example/\n\u{e9}".to_owned()];
        HandleAnswer::Known { urls }
    }

    #[test]
    fn answers_are_found_again_until_they_are_stale() {
        let mut cache = opened(b"").unwrap();
        put(&mut cache, "10.5555/a", &known());
        put(&mut cache, "10.5555/b", &HandleAnswer::Unknown);
        let mut again = opened(&bytes(&mut cache)).unwrap();
        for cache in [&mut cache, &mut again] {
            assert_eq!((cache.len(), cache.damaged()), (2, 0));
            assert_eq!(found(cache, "10.5555/a", day(129)), Some(known()));
            assert_eq!(found(cache, "10.5555/a", day(130)), None);
            assert_eq!(
                found(cache, "10.5555/b", day(100)),
                Some(HandleAnswer::Unknown)
            );
            assert_eq!(found(cache, "10.5555/b", day(101)), None);
            assert_eq!(found(cache, "10.5555/c", day(100)), None);
            let other = cache.find::<HandleAnswer>("agency", "10.5555/a", day(100));
            assert_eq!(other.unwrap(), None);
        }
    }

    #[test]
    fn the_last_answer_counts() {
        let mut cache = opened(b"").unwrap();
        put(&mut cache, "10.5555/a", &HandleAnswer::Unknown);
        put(&mut cache, "10.5555/a", &known());
        let mut again = opened(&bytes(&mut cache)).unwrap();
        assert_eq!(found(&mut again, "10.5555/a", day(100)), Some(known()));
        assert_eq!(again.len(), 1);
    }

    #[test]
    fn failures_are_not_kept() {
        let mut cache = opened(b"").unwrap();
        let failure = HandleAnswer::CouldNotAsk(crate::ServiceFailure::Http(503));
        put(&mut cache, "10.5555/a", &failure);
        let target = "10.5555/b".to_owned();
        let answer = Some(Box::new(failure));
        put(
            &mut cache,
            "10.5555/a",
            &HandleAnswer::Alias { target, answer },
        );
        assert!(cache.is_empty());
    }

    /// Cuts a file with two answers at every byte: whole lines are found, and the next answer is written as a whole line.
    #[test]
    fn a_cut_file_keeps_its_whole_lines() {
        let mut cache = opened(b"").unwrap();
        put(&mut cache, "10.5555/a", &known());
        let first = bytes(&mut cache).len();
        put(&mut cache, "10.5555/b", &known());
        let whole = bytes(&mut cache);
        for end in 0..whole.len() {
            let mut cut = opened(&whole[..end]).unwrap();
            assert_eq!(
                found(&mut cut, "10.5555/a", day(100)).is_some(),
                end >= first
            );
            assert_eq!(found(&mut cut, "10.5555/b", day(100)), None);
            put(&mut cut, "10.5555/b", &known());
            let mut again = opened(&bytes(&mut cut)).unwrap();
            assert_eq!(
                found(&mut again, "10.5555/b", day(100)),
                Some(known()),
                "{end}"
            );
        }
    }

    #[test]
    fn a_flipped_bit_loses_its_line_alone_or_refuses_the_file() {
        let mut cache = opened(b"").unwrap();
        let header = bytes(&mut cache).len();
        put(&mut cache, "10.5555/a", &known());
        let first = bytes(&mut cache).len();
        put(&mut cache, "10.5555/b", &known());
        let mut whole = bytes(&mut cache);
        for at in 0..whole.len() {
            whole[at] ^= 1;
            match opened(&whole) {
                Err(CacheError::Foreign { .. }) => assert!(at < header),
                Err(error) => panic!("{error}"),
                Ok(mut flipped) => {
                    let a = found(&mut flipped, "10.5555/a", day(100));
                    let b = found(&mut flipped, "10.5555/b", day(100));
                    assert!(a.is_none() || a == Some(known()), "{at}");
                    assert!(b.is_none() || b == Some(known()), "{at}");
                    assert!(at >= first || b.is_some() || at == first - 1, "{at}");
                }
            }
            whole[at] ^= 1;
        }
    }

    #[test]
    fn a_file_of_many_old_answers_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers");
        let open = || Cache::open(&path, ENDPOINT, MaxAge::default());
        let mut cache = open().unwrap();
        for _ in 0..600 {
            put(&mut cache, "10.5555/a", &HandleAnswer::Unknown);
            put(&mut cache, "10.5555/b", &known());
        }
        put(&mut cache, "10.5555/a", &known());
        drop(cache);
        let before = std::fs::metadata(&path).unwrap().len();
        let mut cache = open().unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < before / 100);
        for key in ["10.5555/a", "10.5555/b"] {
            assert_eq!(found(&mut cache, key, day(100)), Some(known()));
        }
        put(&mut cache, "10.5555/c", &known());
        assert!(matches!(open(), Err(CacheError::InUse(_))));
        drop(cache);
        let cache = open().unwrap();
        assert_eq!((cache.len(), cache.damaged()), (3, 0));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_stays_when_its_file_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (link, path) = (folder.path().join("link"), folder.path().join("in/answers"));
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::os::unix::fs::symlink("in/answers", &link).unwrap();
        let open = |path| Cache::open(path, ENDPOINT, MaxAge::default()).unwrap();
        let mut cache = open(&link);
        (0..1200).for_each(|_| put(&mut cache, "10.5555/a", &known()));
        drop(cache);
        let before = std::fs::metadata(&path).unwrap().len();
        open(&link);
        assert!(link.is_symlink());
        assert!(std::fs::metadata(&path).unwrap().len() < before / 100);
        assert_eq!(
            found(&mut open(&path), "10.5555/a", day(100)),
            Some(known())
        );
    }

    #[test]
    fn a_file_of_few_old_answers_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers");
        let open = || Cache::open(&path, ENDPOINT, MaxAge::default()).unwrap();
        let mut cache = open();
        for _ in 0..10 {
            put(&mut cache, "10.5555/a", &known());
        }
        drop(cache);
        let before = std::fs::read(&path).unwrap();
        open();
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_foreign_file_is_refused_and_stays() {
        for foreign in [
            "10.5555/a\n",
            "doisift-resolve 1 https://other.example/\n",
            "doisift-resolve 2",
        ] {
            assert!(matches!(
                opened(foreign.as_bytes()),
                Err(CacheError::Foreign { .. })
            ));
        }
    }
}

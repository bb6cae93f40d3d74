//! A sorted run in the temporary file: each pair as the length that its key shares with the one before, and the rest.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::arena::PairArena;
use crate::bytes::{ByteReader, common_start, put_bytes, put_number};
use crate::file::read_exact_at;

/// Offsets of a run in the file, and its checksum.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) checksum: u64,
}

impl Run {
    /// Sorts the arena and appends its pairs to `file`, which ends at `start`. Of equal pairs only one, unless `keeps_equal`.
    pub(crate) fn write(
        arena: &mut PairArena,
        keeps_equal: bool,
        file: &File,
        start: u64,
    ) -> io::Result<Run> {
        arena.sort();
        let mut out = RunWriter::new(file, start);
        let mut last: Option<(&[u8], &[u8])> = None;
        for (key, payload) in arena.pairs() {
            if keeps_equal || last != Some((key, payload)) {
                out.push(last.map_or(&[], |(key, _)| key), key, payload)?;
                last = Some((key, payload));
            }
        }
        out.finish()
    }
}

/// Writes the pairs of a run, in order.
pub(super) struct RunWriter<'f> {
    out: BufWriter<WriterAt<'f>>,
    run: Run,
    sum: Xxh3,
    record: Vec<u8>,
}

impl<'f> RunWriter<'f> {
    /// Makes a writer of a run that starts at this offset of `file`.
    pub(super) fn new(file: &'f File, start: u64) -> Self {
        RunWriter {
            out: BufWriter::with_capacity(1 << 16, WriterAt { file, next: start }),
            run: Run {
                start,
                end: start,
                checksum: 0,
            },
            sum: Xxh3::new(),
            record: Vec::new(),
        }
    }

    /// Adds a pair after a pair with the key `last`, which is empty before the first pair.
    pub(super) fn push(&mut self, last: &[u8], key: &[u8], payload: &[u8]) -> io::Result<()> {
        put_record(&mut self.record, last, key, payload);
        self.sum.update(&self.record);
        self.run.end += self.record.len() as u64;
        self.out.write_all(&self.record)
    }

    pub(super) fn finish(mut self) -> io::Result<Run> {
        self.out.flush()?;
        Ok(Run {
            checksum: self.sum.digest(),
            ..self.run
        })
    }
}

/// Writes to a file from an offset on. Reads at other offsets, which may move the position of the file, do not disturb it.
struct WriterAt<'f> {
    file: &'f File,
    next: u64,
}

impl Write for WriterAt<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(self.next))?;
        let written = self.file.write(bytes)?;
        self.next += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes the record of a pair after a pair with the key `last`. Its length comes first.
fn put_record(record: &mut Vec<u8>, last: &[u8], key: &[u8], payload: &[u8]) {
    let shared = common_start(last, key);
    record.clear();
    put_number(record, shared as u64);
    put_bytes(record, payload);
    put_bytes(record, &key[shared..]);
}

/// Reads a run through a buffer, which grows only for a record that is larger.
pub(crate) struct RunReader {
    file: Arc<File>,
    /// Offsets in the file of the bytes that are not yet in the buffer.
    next: u64,
    end: u64,
    /// The checksum of the bytes read so far, and the expected one of the run.
    sum: Box<Xxh3>,
    checksum: u64,
    buffer: Vec<u8>,
    /// Start of the unread part of the buffer.
    at: usize,
    pub(crate) key: Vec<u8>,
    pub(crate) payload: Vec<u8>,
}

impl RunReader {
    pub(crate) fn new(file: Arc<File>, run: &Run, capacity: usize) -> Self {
        RunReader {
            file,
            next: run.start,
            end: run.end,
            sum: Box::new(Xxh3::new()),
            checksum: run.checksum,
            buffer: Vec::with_capacity(capacity),
            at: 0,
            key: Vec::new(),
            payload: Vec::new(),
        }
    }

    /// Reads the next pair into `key` and `payload`. Returns `false` at the end.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        loop {
            if self.read_record().is_some() {
                return Ok(true);
            }
            if self.next < self.end {
                self.fill()?;
            } else if self.at == self.buffer.len() {
                return Ok(false);
            } else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Reads a record. Returns `None` if the buffer does not hold all of it.
    fn read_record(&mut self) -> Option<()> {
        let mut fields = ByteReader::new(&self.buffer, self.at);
        let shared = fields.length()?;
        let payload = fields.bytes()?;
        let rest = fields.bytes()?;
        self.key.truncate(shared);
        self.key.extend_from_slice(rest);
        self.payload.clear();
        self.payload.extend_from_slice(payload);
        self.at = fields.offset();
        Some(())
    }

    /// Moves the unread part to the start of the buffer and fills the rest, which is at least half of it.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let kept = self.buffer.len();
        if kept > self.buffer.capacity() / 2 {
            self.buffer.reserve_exact(self.buffer.capacity());
        }
        let room = (self.buffer.capacity() - kept) as u64;
        let more = room.min(self.end - self.next);
        self.buffer.resize(kept + more as usize, 0);
        read_exact_at(&self.file, &mut self.buffer[kept..], self.next)?;
        self.next += more;
        self.sum.update(&self.buffer[kept..]);
        if self.next == self.end && self.sum.digest() != self.checksum {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a sorted run is damaged: its checksum is wrong",
            ));
        }
        Ok(())
    }
}

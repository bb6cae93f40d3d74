//! Finds the documents in the bytes of a source: undoes packings and opens containers, one within another.
//!
//! The first bytes of a stream determine its format, at every depth; a zip may also follow other content, and a file whose
//! first bytes are damaged is recognised by its last. Documents are passed on while they are read, except the pages of a
//! PDF file, which is held as a whole. For other formats only the buffers of codecs and containers are held.

mod pages;

use std::io::{Seek, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use self::pages::PdfQueue;
use super::codec;
#[cfg(feature = "columnar")]
use super::columnar::{ArrowFile, ParquetFile};
use super::container::{MemberSink, StreamLevel};
use super::content::StreamContent;
use super::documents::{DocumentHead, DocumentSink, SourceNote, TextOrigin};
use super::encoding::Transcoded;
use super::expansion::{self, Expansion, ExpansionReader};
use super::fault::{InputError, Packing};
use super::file::SourceFile;
use super::magic;
use super::mail;
use super::office::{self, OfficePackage, PackageFile};
use super::peek::{self, PeekReader};
use super::read::{ChainedReader, ReadBytes};
use super::read_options::ReadOptions;
use super::rtf::RtfText;
use super::seven_zip;
use super::zip::{self, BeforeArchive};
use super::{attached, tar, warc};

/// Size of a file up to which one call reads it: copying this much through a buffer takes no longer than a second call.
const MAX_ONE_READ_BYTES: u64 = 12 << 10;
/// Bytes of a copy step.
const COPY_BYTES: usize = 64 << 10;

/// Reads one source.
pub(super) struct SourceReader<'w> {
    pub(super) options: &'w ReadOptions<'w>,
    /// The count of unpacked bytes of the source.
    pub(super) expansion: Arc<Expansion>,
    /// Consumer of the documents. [Earlier pages](SourceReader::flush_pages) are passed on before it is called, so that
    /// documents come in order.
    pub(super) sink: &'w mut dyn DocumentSink,
    pdfs: PdfQueue<'w>,
    members: u64,
    /// Number of open documents in several parts. Nested ones count as the outermost.
    open_documents: usize,
    /// Number of members whose names were cut.
    cut_names: u64,
}

/// Makes a buffer for the stream at `level`. For a small file it has one byte more than the file, so that one read shows
/// its end.
fn buffered<'b>(
    level: &StreamLevel<'_>,
    bytes: &'b mut dyn ReadBytes,
) -> PeekReader<&'b mut dyn ReadBytes> {
    match level.length {
        length @ ..=MAX_ONE_READ_BYTES => {
            PeekReader::with_capacity(bytes, (length as usize + 1).max(peek::INITIAL_BYTES))
        }
        _ => PeekReader::new(bytes),
    }
}

/// Returns the content of the stream at `level`, by its first bytes.
fn recognise<'b>(
    level: &StreamLevel<'_>,
    mut raw: PeekReader<&'b mut dyn ReadBytes>,
) -> (StreamContent, PeekReader<&'b mut dyn ReadBytes>) {
    let head = raw.peek(magic::HEAD_BYTES);
    match level.file {
        Some(file) if level.length > 0 => {
            let start = raw.peek(raw.held());
            (
                attached::recognise(file, level.length, start, level.claims),
                raw,
            )
        }
        _ => match magic::recognise(head) {
            StreamContent::Text if attached::is_script(head) => attached::recognise_script(raw),
            StreamContent::Text => (
                magic::recognise_late(raw.peek(magic::START_BYTES), level.claims.is_mail()),
                raw,
            ),
            content => (content, raw),
        },
    }
}

impl<'w> SourceReader<'w> {
    pub(super) fn new(
        options: &'w ReadOptions<'w>,
        expansion: &Arc<Expansion>,
        sink: &'w mut dyn DocumentSink,
    ) -> Self {
        SourceReader {
            options,
            expansion: Arc::clone(expansion),
            sink,
            pdfs: PdfQueue::default(),
            members: 0,
            open_documents: 0,
            cut_names: 0,
        }
    }

    /// Reads a stream in the format that its first bytes show.
    pub(super) fn stream(&mut self, level: &StreamLevel<'_>, bytes: &mut dyn ReadBytes) {
        let (content, mut raw) = recognise(level, buffered(level, bytes));
        self.note_content(level, content, &mut raw);
        match content {
            StreamContent::Text => match level.part_of {
                Some(whole) if magic::is_noise(raw.peek(magic::HEAD_BYTES)) => {
                    self.report_loss(level, 0, InputError::Part(whole));
                }
                _ => match raw.take_cut(magic::HEAD_BYTES) {
                    None => self.text(level, raw),
                    Some((start, error)) => self.damaged_start(level, &start, error, raw),
                },
            },
            content => self.content(level, content, raw),
        }
    }

    /// Reports how a stream was recognised, and what is odd about its start.
    fn note_content(
        &mut self,
        level: &StreamLevel<'_>,
        content: StreamContent,
        raw: &mut PeekReader<&mut dyn ReadBytes>,
    ) {
        self.flush_pages();
        let is_source = level.name.is_none();
        if is_source && !level.unpacked {
            self.sink.note(None, SourceNote::Source(content.name()));
        }
        // A stream that cannot be read is not empty; its error is reported.
        let is_empty = raw.peek(1).is_empty();
        if is_empty && raw.has_failed() {
            return;
        }
        let head = raw.peek(magic::HEAD_BYTES);
        let unmarked = || magic::unmarked(head).filter(|_| content == StreamContent::Text);
        if let Some((claim, found)) = level.claims.denied_by(content, head) {
            let note = SourceNote::Misnamed(claim, found);
            self.sink.note(level.name.clone(), note);
        } else if let Some(encoding) = unmarked() {
            let note = SourceNote::Unmarked(encoding);
            self.sink.note(level.name.clone(), note);
        } else if is_empty && is_source {
            self.sink.note(None, SourceNote::Empty);
        }
    }

    /// Reads a stream of which damage left too few bytes at the start to recognise it. If records or members follow, it is
    /// a container of them.
    fn damaged_start(
        &mut self,
        level: &StreamLevel<'_>,
        start: &[u8],
        error: InputError,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        match magic::recognise(raw.peek(magic::HEAD_BYTES)) {
            content @ StreamContent::Packed(Packing::Tar | Packing::Warc) => {
                self.report_member_loss(level, 1, "", start.len() as u64, error);
                self.content(level, content, raw);
            }
            _ => {
                let mut bytes = ChainedReader::new(start, Some(error), raw);
                self.document(level, &mut bytes);
            }
        }
    }

    /// Passes on a text, and the members of a zip archive at the end of the file after it.
    fn text(&mut self, level: &StreamLevel<'_>, mut raw: PeekReader<&mut dyn ReadBytes>) {
        // The end of a file that is held whole was recognised with its start.
        let recognised = raw.held() as u64;
        let Some(file) = level.file.filter(|_| recognised < level.length) else {
            return self.document(level, &mut raw);
        };
        let mut watched = attached::TailReader::new(raw, level.length);
        self.document(level, &mut watched);
        if !self.is_over() && watched.ends_archive() {
            let options = self.options;
            zip::read_archive(self, options, level, file, BeforeArchive::Text);
        }
    }

    /// Whether the source should not be read further.
    pub(super) fn is_over(&self) -> bool {
        self.sink.is_halted() || self.expansion.is_over()
    }

    /// Ends the source: passes on documents that are still being read. Returns the number of members whose names were cut.
    pub(super) fn finish(mut self) -> u64 {
        self.flush_pages();
        self.cut_names
    }

    /// Passes on a document. A long name counts towards the limit on expansion.
    fn document(&mut self, level: &StreamLevel<'_>, bytes: &mut dyn ReadBytes) {
        self.flush_pages();
        self.document_now(level.head(), bytes);
    }

    /// Passes on a document before documents that are still being read.
    pub(super) fn document_now(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let name_length = head.name.as_ref().map_or(0, |name| name.len());
        match expansion::name_cost(name_length) {
            0 => self.sink.document(head, bytes),
            cost => {
                let mut bytes = ExpansionReader::of_long_name(bytes, cost, &self.expansion);
                self.sink.document(head, &mut bytes);
            }
        }
    }

    /// Counts a member of the container at `level`. Returns false, and reports it, if there are too many.
    fn takes_member(&mut self, level: &StreamLevel<'_>) -> bool {
        let has_room = self.has_room();
        if !has_room {
            let limit = self.options.limits.members;
            self.report_loss(level, 0, InputError::Members(limit));
        }
        has_room
    }

    /// Counts a member. Returns false if there are too many.
    pub(super) fn has_room(&mut self) -> bool {
        self.members += 1;
        self.members <= self.options.limits.members
    }

    /// Reads a stream whose content is known.
    fn content(
        &mut self,
        level: &StreamLevel<'_>,
        content: StreamContent,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        match content {
            StreamContent::Text => self.document(level, &mut raw),
            StreamContent::Unicode(encoding) => {
                let head = DocumentHead {
                    encoding: Some(encoding.with_order()),
                    ..level.head()
                };
                self.flush_pages();
                self.document_now(head, &mut Transcoded::new(encoding, raw));
            }
            StreamContent::Rtf => {
                self.flush_pages();
                self.document_now(level.head_of(TextOrigin::Office), &mut RtfText::new(raw));
            }
            StreamContent::Binary(kind) => self.skip(level, kind, raw),
            StreamContent::Packed(packing) => self.packed(level, packing, raw),
        }
    }

    /// Reads a packing, container or document format.
    fn packed(
        &mut self,
        level: &StreamLevel<'_>,
        packing: Packing,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        match packing {
            Packing::Mail => self.mail(level, raw),
            packing if level.depth > self.options.limits.depth => {
                self.report_loss(level, 0, InputError::Depth(packing));
            }
            Packing::Tar => {
                let options = self.options;
                tar::read_archive(self, options, level, &mut raw);
            }
            Packing::Warc => {
                let history = self.options.limits.window;
                let records = self.options.reports_records;
                warc::read_records(self, &level.with_uris(), history, records, &mut raw);
            }
            Packing::Zip | Packing::SevenZip | Packing::Ole2 | Packing::FlatOpenDocument => {
                self.archive_file(level, packing, raw)
            }
            Packing::Pdf => self.pdf(level, raw),
            #[cfg(feature = "columnar")]
            Packing::Parquet => self.table::<ParquetFile>(level, raw),
            #[cfg(feature = "columnar")]
            Packing::Arrow => self.table::<ArrowFile>(level, raw),
            #[cfg(not(feature = "columnar"))]
            Packing::Parquet | Packing::Arrow => {
                self.report_loss(level, 0, InputError::NoColumnar(packing));
            }
            packing => self.unpack(level, packing, raw),
        }
    }

    /// Reads a mail. It is read as a text if it is nested too deep, or if mails are not split.
    fn mail(&mut self, level: &StreamLevel<'_>, mut raw: PeekReader<&mut dyn ReadBytes>) {
        let is_deep = level.depth > self.options.limits.depth;
        if is_deep || !self.options.splits_mails {
            self.document(level, &mut raw);
            if is_deep {
                self.report_loss(level, 0, InputError::Depth(Packing::Mail));
            }
            return;
        }
        let options = self.options;
        mail::read_messages(self, options, level, &mut raw);
    }

    /// Skips a stream. Reports an error after its first bytes, since the stream is not read further.
    pub(super) fn skip(
        &mut self,
        level: &StreamLevel<'_>,
        kind: &'static str,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        self.flush_pages();
        self.sink.skip(level.name.clone(), kind);
        if let Some(Ok(length)) = level.file.map(SourceFile::length) {
            let rest = length.saturating_sub(raw.held() as u64);
            self.options
                .bytes_skipped
                .fetch_add(rest, Ordering::Relaxed);
        }
        if level.length == 0 && attached::is_program(kind) {
            raw = self.after_program(level, raw);
        }
        if let Err(error) = raw.take_error() {
            self.report_loss(level, 0, error);
        }
    }

    /// Passes on the members of a zip archive after a program, if there is one.
    fn after_program<'b>(
        &mut self,
        level: &StreamLevel<'_>,
        raw: PeekReader<&'b mut dyn ReadBytes>,
    ) -> PeekReader<&'b mut dyn ReadBytes> {
        let mut raw = raw.grow(attached::HELD_BYTES);
        if !attached::pass_program(&mut raw) {
            return raw;
        }
        match self.spool(level, &mut raw) {
            Ok((file, damaged)) if attached::is_archive(&file) => {
                self.archive(level, &file, damaged);
            }
            Ok(_) => {}
            Err(error) => self.report_loss(level, 0, error),
        }
        raw
    }

    fn unpack(
        &mut self,
        level: &StreamLevel<'_>,
        packing: Packing,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        if packing == Packing::Gzip
            && let Some(unpacked) = raw.unpacked_ahead()
        {
            let mut watched = ExpansionReader::of_unpacked(unpacked, &self.expansion);
            return self.stream(&level.unpacked(), &mut watched);
        }
        match codec::unpack(packing, raw, level.file, self.options) {
            Ok(unpacked) => {
                let mut watched = ExpansionReader::of_unpacked(unpacked, &self.expansion);
                self.stream(&level.unpacked(), &mut watched);
            }
            Err(error) => self.report_loss(level, 0, error),
        }
    }

    /// Reads an archive that is not read once from start to end. One that is not a file is copied to a file first.
    fn archive_file(
        &mut self,
        level: &StreamLevel<'_>,
        packing: Packing,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        if let Some(file) = level.file {
            return self.archive_in(level, packing, file, false);
        }
        match self.spool(level, &mut raw) {
            Ok((file, damaged)) => self.archive_in(level, packing, &file, damaged),
            Err(error) => self.report_loss(level, 0, error),
        }
    }

    /// Reads the archive in `file`. `damaged` says that a loss in it was already reported.
    fn archive_in(
        &mut self,
        level: &StreamLevel<'_>,
        packing: Packing,
        file: &SourceFile,
        damaged: bool,
    ) {
        match packing {
            Packing::SevenZip => {
                let options = self.options;
                seven_zip::read_archive(self, options, level, file, damaged);
            }
            Packing::Ole2 => self.ole2(level, file),
            Packing::FlatOpenDocument => {
                let options = self.options;
                OfficePackage::new(self, options, PackageFile::Flat(file)).read(level, damaged);
            }
            _ => self.archive(level, file, damaged),
        }
    }

    fn ole2(&mut self, level: &StreamLevel<'_>, file: &SourceFile) {
        let options = self.options;
        if let Some(kind) = office::read_ole2(self, options, level, file) {
            self.flush_pages();
            self.sink.skip(level.name.clone(), kind);
        }
    }

    fn archive(&mut self, level: &StreamLevel<'_>, file: &SourceFile, damaged: bool) {
        let options = self.options;
        OfficePackage::new(self, options, PackageFile::Zip(file)).read(level, damaged);
    }

    /// Passes on the members of an archive that is not an office document.
    /// Copies `bytes` to a temporary file. Returns the file, and whether a loss was reported.
    pub(super) fn spool(
        &mut self,
        level: &StreamLevel<'_>,
        bytes: &mut dyn ReadBytes,
    ) -> Result<(SourceFile, bool), InputError> {
        let mut file = tempfile::tempfile_in(self.options.temp_folder)?;
        let mut damaged = false;
        let mut buffer = vec![0; COPY_BYTES];
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => return Ok((file.into(), damaged)),
                Ok(read) => file.write_all(&buffer[..read])?,
                Err(error) => {
                    damaged = true;
                    self.report_loss(level, file.stream_position()?, error);
                }
            }
        }
    }
}

impl MemberSink for SourceReader<'_> {
    fn expansion(&self) -> &Arc<Expansion> {
        &self.expansion
    }

    fn member(
        &mut self,
        level: &StreamLevel<'_>,
        number: u64,
        name: &str,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        if !self.takes_member(level) {
            return false;
        }
        let member = level.member(number, name);
        self.cut_names += u64::from(member.is_cut);
        self.stream(&member, bytes);
        !self.is_over()
    }

    fn begin_parts(&mut self) {
        if self.open_documents == 0 {
            self.flush_pages();
            self.sink.begin_parts();
        }
        self.open_documents += 1;
    }

    fn end_parts(&mut self) {
        self.open_documents -= 1;
        if self.open_documents == 0 {
            self.flush_pages();
            self.sink.end_parts();
        }
    }

    fn text(
        &mut self,
        level: &StreamLevel<'_>,
        name: Option<&str>,
        origin: Option<TextOrigin>,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        if name.is_some() && !self.takes_member(level) {
            return false;
        }
        let member = name.map(|name| level.member(0, name));
        self.cut_names += u64::from(member.as_ref().is_some_and(|member| member.is_cut));
        let head = DocumentHead {
            origin,
            ..member.as_ref().unwrap_or(level).head()
        };
        self.flush_pages();
        self.document_now(head, bytes);
        !self.is_over()
    }

    fn before(&mut self, level: &StreamLevel<'_>, bytes: &mut dyn ReadBytes) -> bool {
        self.stream(&level.before(), bytes);
        !self.is_over()
    }

    fn report_loss(&mut self, level: &StreamLevel<'_>, offset: u64, error: InputError) {
        self.flush_pages();
        self.sink.report_loss(level.name.clone(), offset, error);
    }

    fn report_member_loss(
        &mut self,
        level: &StreamLevel<'_>,
        number: u64,
        name: &str,
        offset: u64,
        error: InputError,
    ) {
        let member = level.member(number, name);
        self.report_loss(&member, offset, error);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Names of the documents, offsets of the losses, and kinds that were skipped.
    #[derive(Default)]
    struct Seen {
        documents: Vec<Option<Arc<str>>>,
        lost: Vec<u64>,
        skipped: Vec<&'static str>,
    }

    impl DocumentSink for Seen {
        fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
            let (mut at, mut byte) = (0, [0]);
            self.documents.push(head.name);
            loop {
                match bytes.read(&mut byte) {
                    Ok(0) => return,
                    Ok(_) => at += 1,
                    Err(_) => self.lost.push(at),
                }
            }
        }

        fn report_loss(&mut self, _: Option<Arc<str>>, offset: u64, _: InputError) {
            self.lost.push(offset);
        }

        fn skip(&mut self, _: Option<Arc<str>>, kind: &'static str) {
            self.skipped.push(kind);
        }

        fn is_halted(&self) -> bool {
            false
        }
    }

    fn seen(start: &[u8], rest: &[u8]) -> Seen {
        let counter = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&counter);
        let mut seen = Seen::default();
        let mut bytes = ChainedReader::new(start, Some(InputError::Shrunk), rest);
        let expansion = Expansion::new(1000, 0);
        SourceReader::new(&options, &expansion, &mut seen)
            .stream(&StreamLevel::source(None), &mut bytes);
        seen
    }

    #[test]
    fn records_after_a_damaged_start_are_records() {
        let record = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: u\r\n\
            Content-Length: 4\r\n\r\ntext\r\n\r\n";
        for start in [&b""[..], b"WAR"] {
            let seen = seen(start, record);
            assert_eq!(seen.documents, [Some("u".into())]);
            assert_eq!(seen.lost, [start.len() as u64]);
        }
    }

    #[test]
    fn text_after_a_damaged_start_is_one_document_and_the_damage_told_once() {
        for start in [&b""[..], b"some "] {
            let seen = seen(start, b"text");
            assert_eq!(seen.documents, [None]);
            assert_eq!(seen.lost, [start.len() as u64]);
        }
    }
}

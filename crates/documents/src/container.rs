//! The interface of container readers: the level that a container is on, and the consumer of its members.
//!
//! [`SourceReader`](super::source_reader::SourceReader) implements [`MemberSink`] and calls the readers of containers; a member may be a container in turn.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::claim::{NameClaims, part_of};
use super::documents::{DocumentHead, TextOrigin, WarcRecord};
use super::expansion::Expansion;
use super::fault::{InputError, Packing};
use super::file::SourceFile;
use super::name::shortened_name;
use super::read::ReadBytes;

/// The place of a stream in a source.
pub(super) struct StreamLevel<'f> {
    /// Joined names of the members that enclose the stream; `None` for the source itself.
    pub(super) name: Option<Arc<str>>,
    /// Whether the name was too long and is cut.
    pub(super) is_cut: bool,
    /// Number of containers, and packings of packings, that enclose the stream.
    pub(super) depth: usize,
    /// Whether it was unpacked.
    pub(super) unpacked: bool,
    /// The claims of its name.
    pub(super) claims: NameClaims,
    /// Whether the names of its members are URIs, whose endings are not reliable.
    has_uris: bool,
    /// The file whose bytes are the stream, if it can be read at any offset.
    pub(super) file: Option<&'f SourceFile>,
    /// The length of the file in bytes; 0 if the end of the stream cannot be read ahead.
    pub(super) length: u64,
    /// The format of the split archive of which it is a part, as its name says.
    pub(super) part_of: Option<Packing>,
    /// The innermost WARC record that encloses the stream, if such records are reported.
    pub(super) record: Option<Arc<WarcRecord>>,
}

/// Consumes the members of a container. Container readers know only this interface of their caller.
pub(super) trait MemberSink {
    /// Returns the count of unpacked bytes of the source.
    fn expansion(&self) -> &Arc<Expansion>;

    /// Reads the bytes of a member of the container at `level`. A member without a name is named by its `number` in the
    /// container, from 1. Returns false if the source should not be read further.
    fn member(
        &mut self,
        level: &StreamLevel<'_>,
        number: u64,
        name: &str,
        bytes: &mut dyn ReadBytes,
    ) -> bool;

    /// Returns the consumer that gets everything that this one does not handle. If there is none, it is dropped.
    fn next_sink(&mut self) -> Option<&mut dyn MemberSink> {
        None
    }

    /// Begins a document in several parts: each of the next texts is a part of it.
    fn begin_parts(&mut self) {
        if let Some(next) = self.next_sink() {
            next.begin_parts();
        }
    }

    /// Ends a document in several parts.
    fn end_parts(&mut self) {
        if let Some(next) = self.next_sink() {
            next.end_parts();
        }
    }

    /// Passes on a text of the container at `level`, as the member `name`, or as the container itself. Its kind is not
    /// checked. `origin` is how it came about, if that matters. Returns false if the source should not be read further.
    fn text(
        &mut self,
        level: &StreamLevel<'_>,
        name: Option<&str>,
        origin: Option<TextOrigin>,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        let next = self.next_sink();
        next.is_none_or(|next| next.text(level, name, origin, bytes))
    }

    /// Reads the bytes before an archive in the stream at `level`. Returns false if the source should not be read further.
    fn before(&mut self, level: &StreamLevel<'_>, bytes: &mut dyn ReadBytes) -> bool {
        self.next_sink()
            .is_none_or(|next| next.before(level, bytes))
    }

    /// Reports a loss at `offset` of the container at `level`.
    fn report_loss(&mut self, level: &StreamLevel<'_>, offset: u64, error: InputError) {
        if let Some(next) = self.next_sink() {
            next.report_loss(level, offset, error);
        }
    }

    /// Reports a loss at `offset` of a member that was not passed on.
    fn report_member_loss(
        &mut self,
        level: &StreamLevel<'_>,
        number: u64,
        name: &str,
        offset: u64,
        error: InputError,
    ) {
        if let Some(next) = self.next_sink() {
            next.report_member_loss(level, number, name, offset, error);
        }
    }
}

impl<'f> StreamLevel<'f> {
    /// Returns the level of a whole source.
    pub(super) fn source(file: Option<&'f SourceFile>) -> Self {
        StreamLevel {
            name: None,
            is_cut: false,
            depth: 0,
            unpacked: false,
            claims: NameClaims::default(),
            has_uris: false,
            file,
            length: 0,
            part_of: None,
            record: None,
        }
    }

    /// Returns the level of a whole regular file of `length` bytes.
    pub(super) fn file(file: &'f SourceFile, length: u64, path: &Path) -> Self {
        StreamLevel {
            length,
            part_of: part_of(path),
            ..StreamLevel::source(Some(file))
        }
    }

    /// Returns the level of the content before an archive in the same stream.
    pub(super) fn before(&self) -> StreamLevel<'static> {
        StreamLevel {
            name: self.name.clone(),
            depth: self.depth + 1,
            // Counts as unpacked, since remarks on the source are for the archive.
            unpacked: true,
            record: self.record.clone(),
            ..StreamLevel::source(None)
        }
    }

    /// Returns the head of a document that is the whole stream.
    pub(super) fn head(&self) -> DocumentHead {
        DocumentHead {
            name: self.name.clone(),
            record: self.record.clone(),
            ..DocumentHead::default()
        }
    }

    /// Returns the head of a document whose text came about in this way.
    pub(super) fn head_of(&self, origin: TextOrigin) -> DocumentHead {
        DocumentHead {
            origin: Some(origin),
            ..self.head()
        }
    }

    /// Returns the level with the claims of its name.
    pub(super) fn named(self, claims: NameClaims) -> Self {
        StreamLevel { claims, ..self }
    }

    /// Returns the level without the file.
    pub(super) fn detached(&self) -> StreamLevel<'static> {
        StreamLevel {
            name: self.name.clone(),
            is_cut: self.is_cut,
            depth: self.depth,
            unpacked: self.unpacked,
            record: self.record.clone(),
            ..StreamLevel::source(None)
        }
    }

    pub(super) fn unpacked(&self) -> StreamLevel<'static> {
        StreamLevel {
            depth: self.depth + usize::from(self.unpacked),
            unpacked: true,
            claims: self.claims.unpacked(),
            ..self.detached()
        }
    }

    /// Returns the level of a container whose members are named by URIs.
    pub(super) fn with_uris(&self) -> StreamLevel<'f> {
        StreamLevel {
            name: self.name.clone(),
            has_uris: true,
            record: self.record.clone(),
            ..*self
        }
    }

    /// Returns the level of a container whose next member is this WARC record.
    pub(super) fn with_record(&self, record: WarcRecord) -> StreamLevel<'f> {
        StreamLevel {
            name: self.name.clone(),
            record: Some(Arc::new(record)),
            ..*self
        }
    }

    pub(super) fn member(&self, number: u64, name: &str) -> StreamLevel<'static> {
        let number = format!("#{number}");
        let claims = if self.has_uris {
            NameClaims::default()
        } else {
            NameClaims::of(Path::new(name))
        };
        let name = if name.is_empty() { &number } else { name };
        let name: Cow<'_, str> = match &self.name {
            Some(outer) => format!("{outer}!/{name}").into(),
            None => name.into(),
        };
        let cut = shortened_name(&name);
        StreamLevel {
            is_cut: cut.is_some(),
            name: Some(cut.as_deref().unwrap_or(&name).into()),
            depth: self.depth + 1,
            claims,
            record: self.record.clone(),
            ..StreamLevel::source(None)
        }
    }
}

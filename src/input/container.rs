//! What a container is read with: the level that it is on, and where its members go.
//!
//! `walk` implements [`Members`] and calls the readers of containers; a member may be a container in turn.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::attached;
use super::claim::Claims;
use super::expansion::Expansion;
use super::fault::InputError;
use super::name::cut;

/// The place of a stream in a source.
pub(super) struct Level<'f> {
    /// Names of the members that enclose it; none for the source itself.
    pub(super) name: Option<Arc<str>>,
    /// They were too long, and are cut.
    pub(super) is_cut: bool,
    /// Containers, and packings of packings, that enclose it.
    pub(super) depth: usize,
    /// It came out of a packing.
    pub(super) unpacked: bool,
    /// What its name says of it.
    pub(super) claims: Claims,
    /// The names of its members are URIs, whose endings say nothing.
    has_uris: bool,
    /// The file whose bytes it is, where that can be read at any offset.
    pub(super) file: Option<&'f File>,
    /// How long that is. 0 where the end of the stream cannot be looked at.
    pub(super) length: u64,
    /// Its name is that of a part of a split archive.
    pub(super) is_part: bool,
}

/// Takes what a container holds. The readers of containers know this of their caller, and nothing else.
pub(super) trait Members {
    /// The bytes that the source was unpacked to so far.
    fn expansion(&self) -> &Arc<Expansion>;

    /// Takes the bytes of a member of the container at `level`. A member without a name is named by its `number` in the
    /// container, from 1. False if the source should not be read further.
    fn member(&mut self, level: &Level<'_>, number: u64, name: &str, bytes: &mut dyn Read) -> bool;

    /// Takes the bytes before an archive in the stream at `level`. False if the source should not be read further.
    fn before(&mut self, level: &Level<'_>, bytes: &mut dyn Read) -> bool;

    /// Reports a loss at `offset` of the container at `level`.
    fn lose(&mut self, level: &Level<'_>, offset: u64, error: InputError);

    /// Reports a loss at `offset` of a member that was not handed out.
    fn lose_member(
        &mut self,
        level: &Level<'_>,
        number: u64,
        name: &str,
        offset: u64,
        error: InputError,
    );
}

impl<'f> Level<'f> {
    /// A whole source.
    pub(super) fn source(file: Option<&'f File>) -> Self {
        Level {
            name: None,
            is_cut: false,
            depth: 0,
            unpacked: false,
            claims: Claims::default(),
            has_uris: false,
            file,
            length: 0,
            is_part: false,
        }
    }

    /// A whole regular file of `length` bytes.
    pub(super) fn file(file: &'f File, length: u64, path: &Path) -> Self {
        Level {
            length,
            is_part: attached::is_part_name(path),
            ..Level::source(Some(file))
        }
    }

    /// What comes before an archive in the same stream.
    pub(super) fn before(&self) -> Level<'static> {
        Level {
            name: self.name.clone(),
            depth: self.depth + 1,
            // It is not the source, of which only one thing is said.
            unpacked: true,
            ..Level::source(None)
        }
    }

    /// The same with what its name claims.
    pub(super) fn named(self, claims: Claims) -> Self {
        Level { claims, ..self }
    }

    pub(super) fn unpacked(&self) -> Level<'static> {
        Level {
            name: self.name.clone(),
            is_cut: self.is_cut,
            depth: self.depth + usize::from(self.unpacked),
            unpacked: true,
            claims: self.claims.unpacked(),
            ..Level::source(None)
        }
    }

    /// The same stream, a container whose members are named by URIs.
    pub(super) fn with_uris(&self) -> Level<'f> {
        Level {
            name: self.name.clone(),
            has_uris: true,
            ..*self
        }
    }

    pub(super) fn member(&self, number: u64, name: &str) -> Level<'static> {
        let number = format!("#{number}");
        let claims = match self.has_uris {
            true => Claims::default(),
            false => Claims::of(Path::new(name)),
        };
        let name = if name.is_empty() { &number } else { name };
        let name: Cow<'_, str> = match &self.name {
            Some(outer) => format!("{outer}!/{name}").into(),
            None => name.into(),
        };
        let cut = cut(&name);
        Level {
            is_cut: cut.is_some(),
            name: Some(cut.as_deref().unwrap_or(&name).into()),
            depth: self.depth + 1,
            claims,
            ..Level::source(None)
        }
    }
}

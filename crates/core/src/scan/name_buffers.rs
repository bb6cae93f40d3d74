//! Holds the name of an accepted candidate, and its key.

use super::tally::Rejection;
use crate::doi::{first_not_graphic, key_into};

/// Max bytes of a short name.
pub(super) const MAX_SHORT_NAME_BYTES: usize = 64;

/// A name and its key, in buffers that are reused.
#[derive(Clone, Default)]
pub(super) struct NameBuffers {
    pub(super) name: String,
    pub(super) key: String,
}

/// Bytes at an aligned address, which are checked eight at a time. Otherwise the check of a text spends most of its time on the
/// bytes before an aligned one and on the last ones.
#[repr(align(16))]
struct AlignedBytes<const N: usize>([u8; N]);

impl NameBuffers {
    /// Sets the name to `written`, with a slash as its separator. The prefix was matched before, so only the suffix is checked,
    /// unless that is already checked (`is_checked`).
    pub(super) fn set(
        &mut self,
        written: &[u8],
        suffix: usize,
        is_checked: bool,
    ) -> Result<(), Rejection> {
        self.set_as_written(written).ok_or(Rejection::NotGraphic)?;
        if !self.name[..suffix].ends_with('/') {
            for text in [&mut self.name, &mut self.key] {
                text.replace_range(suffix - 1..suffix, "/");
            }
        }
        if !is_checked && first_not_graphic(&self.name[suffix..]).is_some() {
            return Err(Rejection::NotGraphic);
        }
        Ok(())
    }

    /// Sets the name to `written`, and the key; `None` if it is not UTF-8.
    pub(super) fn set_as_written(&mut self, written: &[u8]) -> Option<()> {
        match written.len() {
            0..=32 => self.set_padded::<32>(written),
            33..=MAX_SHORT_NAME_BYTES => self.set_padded::<MAX_SHORT_NAME_BYTES>(written),
            _ => self.set_long(written),
        }
    }

    fn set_long(&mut self, written: &[u8]) -> Option<()> {
        let written = std::str::from_utf8(written).ok()?;
        self.name.clear();
        self.name.push_str(written);
        self.key.clear();
        key_into(written, &mut self.key);
        Some(())
    }

    /// Sets the name by way of `N` bytes, which are changed to lower case together instead of one by one.
    fn set_padded<const N: usize>(&mut self, written: &[u8]) -> Option<()> {
        let mut padded = AlignedBytes([0; N]);
        padded.0.get_mut(..written.len())?.copy_from_slice(written);
        // Copying a constant number of bytes needs no call.
        let padded = std::str::from_utf8(&padded.0).ok()?.get(..N)?;
        for text in [&mut self.name, &mut self.key] {
            text.clear();
            text.push_str(padded);
        }
        self.key.get_mut(..N)?.make_ascii_lowercase();
        self.name.truncate(written.len());
        self.key.truncate(written.len());
        Some(())
    }
}

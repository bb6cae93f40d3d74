//! The name of an accepted candidate, and its key.

use super::Rejection;
use crate::doi::{first_not_graphic, key_into};

/// Bytes that a short name has at most.
pub(super) const SHORT: usize = 64;

/// A name and its key, in buffers that are reused.
#[derive(Clone, Default)]
pub(super) struct Spelling {
    pub(super) name: String,
    pub(super) key: String,
}

/// Bytes that are checked eight at a time: the check of a text spends most of its time on the bytes before an aligned one and on
/// the last ones.
#[repr(align(16))]
struct Aligned<const N: usize>([u8; N]);

impl Spelling {
    /// Sets the name to `written`, its separator as a slash. The prefix was matched, so that only the suffix is checked, unless
    /// it is all `swept`.
    pub(super) fn set(
        &mut self,
        written: &[u8],
        suffix: usize,
        swept: bool,
    ) -> Result<(), Rejection> {
        let name = &mut self.name;
        let written = str::from_utf8(written).map_err(|_| Rejection::NotGraphic)?;
        name.clear();
        name.push_str(written);
        if !name[..suffix].ends_with('/') {
            name.replace_range(suffix - 1..suffix, "/");
        }
        if !swept && first_not_graphic(&name[suffix..]).is_some() {
            return Err(Rejection::NotGraphic);
        }
        self.key.clear();
        key_into(name, &mut self.key);
        Ok(())
    }

    /// Sets the name to `ascii`, which has at most [`SHORT`] bytes.
    pub(super) fn set_short(&mut self, ascii: &[u8]) -> Option<()> {
        match ascii.len() {
            ..=32 => self.set_padded::<32>(ascii),
            _ => self.set_padded::<SHORT>(ascii),
        }
    }

    /// The same by way of `N` bytes, so that no byte is changed by itself to lower case.
    fn set_padded<const N: usize>(&mut self, ascii: &[u8]) -> Option<()> {
        let mut padded = Aligned([0; N]);
        padded.0.get_mut(..ascii.len())?.copy_from_slice(ascii);
        let padded = str::from_utf8(&padded.0).ok()?;
        self.name.clear();
        self.name.push_str(&padded[..ascii.len()]);
        self.key.clear();
        self.key.push_str(padded);
        self.key.make_ascii_lowercase();
        self.key.truncate(ascii.len());
        Some(())
    }
}

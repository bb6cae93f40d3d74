//! Reads the headers of a zip archive: APPNOTE 6.3.10, chapter 4.3.

use super::volume::CountedFile;
use crate::checked::MemberCheck;
use crate::fault::InputError;
use crate::name::escaped;
use crate::numbers::{LOCAL_HEADER_MAGIC, crc32, number};
use crate::read::ReadBytes;

pub(super) const DESCRIPTOR_MAGIC: [u8; 4] = *b"PK\x07\x08";
pub(super) const CENTRAL_MAGIC: [u8; 4] = *b"PK\x01\x02";
pub(super) const END_MAGIC: [u8; 4] = *b"PK\x05\x06";

/// A flag: checksum and sizes follow the data.
const SIZES_FOLLOW_FLAG: u16 = 8;
/// The value of a field that is in the zip64 extra field instead.
const ZIP64_FIELD: u64 = u32::MAX as u64;
const ZIP64_EXTRA: u64 = 1;
const UNICODE_PATH_EXTRA: u64 = 0x7075;

/// The fields of a member in the directory or in a local header.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZipEntry {
    /// Offset of its local header.
    pub(super) offset: u64,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) unpacked: u64,
    /// Whether the directory says that it is a symbolic link.
    pub(super) link: bool,
    /// Checksum and length of the stored name. The name itself is not kept, since there may be very many entries.
    name: (u32, u16),
}

impl ZipEntry {
    /// Whether a local header agrees with the directory in all fields that both have.
    pub(super) fn agrees(&self, local: &LocalHeader) -> bool {
        let sizes = |entry: &ZipEntry| (entry.crc, entry.packed, entry.unpacked);
        let own = &local.entry;
        self.name == own.name
            && !local.is_misnamed
            && self.method == own.method
            && (own.flags & SIZES_FOLLOW_FLAG != 0 || sizes(self) == sizes(own))
    }

    /// Returns the checksum and size that it states for its unpacked bytes.
    pub(super) fn check(&self) -> MemberCheck {
        MemberCheck {
            crc: self.crc,
            size: self.unpacked,
        }
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Whether sizes and checksum follow the data and are not in the local header.
    pub(super) fn is_open(&self) -> bool {
        self.flags & SIZES_FOLLOW_FLAG != 0 && self.packed == 0
    }
}

/// A local header.
pub(super) struct LocalHeader {
    pub(super) entry: ZipEntry,
    pub(super) name: String,
    /// Offset of the data.
    pub(super) data: u64,
    /// Whether its length of the name differs from the one that was used.
    is_misnamed: bool,
}

/// Reads the local header at `offset`; `None` if other bytes are there.
pub(super) fn local(
    volume: &CountedFile<'_>,
    offset: u64,
) -> Result<Option<LocalHeader>, InputError> {
    local_named(volume, offset, None)
}

/// Reads the local header of `entry`. If only the length of its name is damaged, the length in the entry is used.
pub(super) fn local_of(
    volume: &CountedFile<'_>,
    entry: &ZipEntry,
) -> Result<Option<LocalHeader>, InputError> {
    let local = local(volume, entry.offset)?;
    let (_, length) = entry.name;
    if local
        .as_ref()
        .is_some_and(|local| local.entry.name.1 == length)
    {
        return Ok(local);
    }
    let named = local_named(volume, entry.offset, Some(length))?;
    Ok(match named.filter(|named| named.entry.name == entry.name) {
        Some(named) => Some(LocalHeader {
            is_misnamed: true,
            ..named
        }),
        None => local,
    })
}

/// Reads the local header at `offset`. If `length` is given, it is used as the length of the name.
fn local_named(
    volume: &CountedFile<'_>,
    offset: u64,
    length: Option<u16>,
) -> Result<Option<LocalHeader>, InputError> {
    let Some(head) = volume.bytes::<30>(offset)? else {
        return Ok(None);
    };
    let name = length.map_or_else(|| number(&head, 26, 2), u64::from);
    let extra = number(&head, 28, 2);
    let data = offset + head.len() as u64 + name + extra;
    if !head.starts_with(&LOCAL_HEADER_MAGIC) || data > volume.length {
        return Ok(None);
    }
    let mut fields = Vec::new();
    let range = offset + head.len() as u64..data;
    volume.section(range).read_to_end(&mut fields)?;
    let (name, extra) = fields.split_at(name as usize);
    let mut entry = entry(&head[6..], name);
    widen(&mut entry, extra);
    entry.offset = offset;
    Ok(Some(LocalHeader {
        entry,
        name: stored_name(name, extra),
        data,
        is_misnamed: false,
    }))
}

/// Reads the fields that local headers and entries share, from the flags to the lengths, and the name.
pub(super) fn entry(fields: &[u8], name: &[u8]) -> ZipEntry {
    ZipEntry {
        offset: 0,
        flags: number(fields, 0, 2) as u16,
        method: number(fields, 2, 2) as u16,
        crc: number(fields, 8, 4) as u32,
        packed: number(fields, 12, 4),
        unpacked: number(fields, 16, 4),
        link: false,
        name: (crc32(name), name.len() as u16),
    }
}

/// Replaces fields by values of the zip64 extra field, which come in this order.
pub(super) fn widen(entry: &mut ZipEntry, extra: &[u8]) {
    let mut wide = extra_field(extra, ZIP64_EXTRA)
        .unwrap_or_default()
        .chunks_exact(8);
    for field in [&mut entry.unpacked, &mut entry.packed, &mut entry.offset] {
        if *field == ZIP64_FIELD
            && let Some(wide) = wide.next()
        {
            *field = number(wide, 0, 8);
        }
    }
}

/// Returns the stored name. If it is not UTF-8, an extra field may have the same name in UTF-8 (APPNOTE 4.6.9).
fn stored_name(name: &[u8], extra: &[u8]) -> String {
    let twin = match extra_field(extra, UNICODE_PATH_EXTRA) {
        Some([1, crc @ ..]) if crc.len() > 4 && std::str::from_utf8(name).is_err() => Some(crc),
        _ => None,
    };
    // The extra field must have the checksum of this name.
    let twin = twin.filter(|twin| number(twin, 0, 4) == u64::from(crc32(name)));
    escaped(twin.map_or(name, |twin| &twin[4..]))
}

fn extra_field(mut extra: &[u8], wanted: u64) -> Option<&[u8]> {
    loop {
        let (head, rest) = extra.split_at_checked(4)?;
        let (field, rest) = rest.split_at_checked(number(head, 2, 2) as usize)?;
        if number(head, 0, 2) == wanted {
            return Some(field);
        }
        extra = rest;
    }
}

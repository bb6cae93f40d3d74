//! Recognises a stream of Apache Arrow, which has no magic number: by its first message, in FlatBuffers.

/// Before the length of a message's metadata, since version 0.15 of Arrow.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Metadata has a length that is a multiple of this, and fits the memory of any machine. Old streams align it to 8 bytes with
/// the 4 bytes of its length.
const LENGTH_UNIT: u32 = 4;
const MAX_METADATA_BYTES: u32 = 1 << 28;
/// The newest version of the metadata.
const NEWEST_VERSION: u16 = 4;
/// The kind of a message with a schema.
const SCHEMA_MESSAGE: u8 = 1;

/// Whether `head` is the start of a stream: a message with a schema, of which the first bytes are checked, after a continuation
/// or, before version 0.15 of Arrow, only its length, which has a byte 0.
pub(super) fn starts_stream(head: &[u8]) -> bool {
    let rest = head.strip_prefix(&CONTINUATION);
    if rest.is_none() && head.get(3) != Some(&0) {
        return false;
    }
    let Some((length, message)) = rest.unwrap_or(head).split_first_chunk() else {
        return false;
    };
    let length = u32::from_le_bytes(*length);
    (1..=MAX_METADATA_BYTES).contains(&length)
        && length.is_multiple_of(LENGTH_UNIT)
        && is_schema(message) == Some(true)
}

/// Whether a message has a schema. `None` if it is damaged.
fn is_schema(message: &[u8]) -> Option<bool> {
    let short = |at: usize| {
        let bytes = message.get(at..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    };
    let word = |at: usize| {
        let bytes = message.get(at..)?.first_chunk()?;
        Some(i32::from_le_bytes(*bytes))
    };
    let table = usize::try_from(word(0)?).ok()?;
    let slots = i64::try_from(table).ok()? - i64::from(word(table)?);
    let slots = usize::try_from(slots).ok()?;
    let end = slots + usize::from(short(slots)?);
    // The lengths of the slots and of the table come first; a field that the table lacks has the place 0.
    let place = |number: usize| {
        let slot = slots + 4 + 2 * number;
        let place = if slot + 2 <= end { short(slot)? } else { 0 };
        (place > 0).then(|| table + usize::from(place))
    };
    let version = place(0).map_or(Some(0), short)?;
    let kind = place(1).and_then(|at| message.get(at).copied());
    Some(version <= NEWEST_VERSION && kind == Some(SCHEMA_MESSAGE) && place(2).is_some())
}

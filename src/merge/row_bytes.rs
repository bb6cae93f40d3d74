//! Rows as bytes for the sorter: a key that sorts as the rows do, and the other values.

use memchr::memchr;

use super::row::MergeRow;
use crate::records::{Forms, Slot, Value};
use doisift_known::bytes::{ByteReader, put_bytes, put_number};

/// Ends a text of a key. Within a text, a zero is followed by [`ZERO`].
const TEXT_END: [u8; 2] = [0, 0];
const ZERO: u8 = 1;

/// Replaces `out` by the key of a row: its texts, each with an end that sorts before all other bytes.
pub(super) fn put_key<R: MergeRow>(out: &mut Vec<u8>, row: &R) {
    out.clear();
    for field in R::KEY {
        if let Value::Text(text) | Value::Nullable(Some(text)) = row.value(*field) {
            let mut parts = text.as_bytes().split(|&byte| byte == 0);
            out.extend_from_slice(parts.next().unwrap_or_default());
            parts.for_each(|part| {
                out.extend_from_slice(&[0, ZERO]);
                out.extend_from_slice(part);
            });
        }
        out.extend_from_slice(&TEXT_END);
    }
}

/// Replaces `out` by the values of a row that are not in its key.
pub(super) fn put_rest<R: MergeRow>(out: &mut Vec<u8>, row: &R) {
    out.clear();
    for field in R::REST.iter().copied().flatten() {
        match row.value(*field) {
            Value::Text(text) => put_bytes(out, text.as_bytes()),
            Value::Nullable(text) => put_bytes(out, text.unwrap_or_default().as_bytes()),
            Value::Number(number) => put_number(out, number),
            // No number of a row is the maximum.
            Value::NullableNumber(number) => put_number(out, number.map_or(0, |number| number + 1)),
            Value::Forms(forms) => put_number(out, forms.bits().into()),
            Value::Flag(flag) => put_number(out, flag.into()),
            Value::NullableFlag(flag) => {
                put_number(out, flag.map_or(0, |flag| 1 + u64::from(flag)))
            }
            // No field has such values, only columns with fields of records have.
            Value::Int(_) | Value::Float(_) => {}
        }
    }
}

/// Reads a row back. `None` if the bytes are wrong.
pub(super) fn take_row<R: MergeRow>(mut key: &[u8], rest: &[u8], into: &mut R) -> Option<()> {
    into.reset();
    for field in R::KEY {
        match into.slot(*field)? {
            Slot::Text(text) | Slot::Nullable(text) => key = take_text(key, text)?,
            _ => return None,
        }
    }
    let mut rest = ByteReader::new(rest, 0);
    for field in R::REST.iter().copied().flatten() {
        match into.slot(*field)? {
            Slot::Text(text) | Slot::Nullable(text) => {
                text.clear();
                text.push_str(str::from_utf8(rest.bytes()?).ok()?);
            }
            Slot::Number(number) => *number = rest.number()?,
            Slot::NullableNumber(number) => *number = rest.number()?.checked_sub(1),
            Slot::Forms(forms) => *forms = Forms::from_bits(rest.number()?.try_into().ok()?),
            Slot::Flag(flag) => *flag = rest.number()? == 1,
            Slot::NullableFlag(flag) => *flag = rest.number()?.checked_sub(1).map(|flag| flag == 1),
            Slot::Derived => return None,
        }
    }
    Some(())
}

/// Replaces `into` by the first text of a key. Returns the rest of the key.
fn take_text<'k>(mut key: &'k [u8], into: &mut String) -> Option<&'k [u8]> {
    into.clear();
    loop {
        let zero = memchr(0, key)?;
        into.push_str(str::from_utf8(&key[..zero]).ok()?);
        let is_end = key.get(zero + 1)? != &ZERO;
        key = &key[zero + 2..];
        if is_end {
            return Some(key);
        }
        into.push('\0');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::records::OwnedPair;

    fn key(pair: &OwnedPair) -> Vec<u8> {
        let mut key = Vec::new();
        put_key(&mut key, pair);
        key
    }

    proptest! {
        #[test]
        fn keys_sort_as_rows_do_and_come_back(texts in prop::array::uniform6("[\0\u{1}ab]{0,3}"), mentions in any::<u64>()) {
            let [a, b, c, d, e, f] = texts;
            let one = OwnedPair { source: a, document: b, doi: c, mentions };
            let two = OwnedPair { source: d, document: e, doi: f, mentions };
            prop_assert_eq!(key(&one).cmp(&key(&two)), one.by_key(&two));
            let (mut rest, mut read) = (Vec::new(), OwnedPair::default());
            put_rest(&mut rest, &one);
            take_row(&key(&one), &rest, &mut read).unwrap();
            prop_assert_eq!(read, one);
        }
    }
}

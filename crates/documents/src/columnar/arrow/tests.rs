use std::fs::File;
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;

use super::buffer::{BatchBody, BufferStream};
use super::flatbuffer::FlatbufferTable;
use super::message::{ArrowMessage, BodyCompression, MessagePrefix, starts_stream};
use super::views::ViewBuffers;
use crate::columnar::part::ColumnFault;

/// Bytes of which no part repeats soon.
fn bytes(count: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(next).collect()
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let blocks = lz4_flex::frame::BlockSize::Max64KB;
    let info = lz4_flex::frame::FrameInfo::new().block_size(blocks);
    let mut out = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn packed(packing: BodyCompression, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as i64;
    let (length, packed) = match packing {
        BodyCompression::Plain => return bytes.to_vec(),
        BodyCompression::Lz4 => (length, lz4(bytes)),
        BodyCompression::Zstd => (length, zstd::bulk::compress(bytes, 3).unwrap()),
        BodyCompression::Unknown => (-1, bytes.to_vec()),
    };
    [&length.to_le_bytes()[..], &packed].concat()
}

fn file(bytes: &[u8]) -> Arc<File> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Arc::new(file)
}

fn body(file: &Arc<File>, length: usize, packing: BodyCompression, memory: usize) -> Rc<BatchBody> {
    BatchBody::new(file, 0..length as u64, packing, 1, memory, Vec::new())
}

const PACKINGS: [BodyCompression; 3] = [
    BodyCompression::Plain,
    BodyCompression::Lz4,
    BodyCompression::Zstd,
];

#[test]
fn a_buffer_is_read_at_any_place_in_a_window_of_it() {
    let bytes = bytes(3 << 20);
    for packing in PACKINGS {
        let packed = packed(packing, &bytes);
        let file = file(&packed);
        let body = body(&file, packed.len(), packing, 8 << 20);
        let mut buffer = BufferStream::new(&body, 0, packed.len() as u64).unwrap();
        let places = [
            (0, 10),
            (5, 300_000),
            (5, 0),
            (900_000, 4),
            (2 << 20, 1 << 20),
            (3 << 20, 0),
            (7, 9),
            (600_000, 600_000),
        ];
        for (start, count) in places {
            let found = buffer.at(start, count).unwrap();
            assert_eq!(
                found,
                &bytes[start as usize..][..count],
                "{packing:?} {start}"
            );
        }
        for (start, count) in [(3 << 20, 1), (u64::MAX, 1), (1, 3 << 20)] {
            assert!(buffer.at(start, count).is_err(), "{packing:?} {start}");
        }
        assert_eq!(buffer.at(1, 2).unwrap(), &bytes[1..3]);
    }
}

#[test]
fn a_buffer_that_says_so_is_not_packed() {
    let bytes = bytes(1000);
    let stored = packed(BodyCompression::Unknown, &bytes);
    let body = body(&file(&stored), stored.len(), BodyCompression::Lz4, 1 << 20);
    let mut buffer = BufferStream::new(&body, 0, stored.len() as u64).unwrap();
    assert_eq!(buffer.at(990, 10).unwrap(), &bytes[990..]);
}

#[test]
fn memory_bounds_what_is_held() {
    let bytes = bytes(2 << 20);
    for packing in PACKINGS {
        let packed = packed(packing, &bytes);
        let body = body(&file(&packed), packed.len(), packing, 1 << 20);
        let mut buffer = BufferStream::new(&body, 0, packed.len() as u64).unwrap();
        assert_eq!(
            buffer.at(1 << 20, 50).map(<[u8]>::len).ok(),
            Some(50),
            "{packing:?}"
        );
        let large = buffer.at(0, 3 << 19);
        assert!(matches!(large, Err(ColumnFault::Large)), "{packing:?}");
    }
}

#[test]
fn a_length_that_is_not_there_is_an_error_and_takes_no_memory() {
    for packing in [BodyCompression::Lz4, BodyCompression::Zstd] {
        let mut lying = packed(packing, &bytes(100));
        lying[..8].copy_from_slice(&(1_i64 << 60).to_le_bytes());
        let body = body(&file(&lying), lying.len(), packing, 4 << 20);
        let mut buffer = BufferStream::new(&body, 0, lying.len() as u64).unwrap();
        assert_eq!(buffer.at(0, 100).ok().map(<[u8]>::len), Some(100));
        for start in [50, 1 << 20, 1 << 59] {
            assert!(matches!(
                buffer.at(start, 100),
                Err(ColumnFault::Damaged(_))
            ));
        }
        assert!(BufferStream::new(&body, 1, lying.len() as u64).is_err());
        assert!(BufferStream::new(&body, u64::MAX, 2).is_err());
    }
}

#[test]
fn views_lead_to_any_buffer_with_memory_for_some() {
    let all: Vec<_> = (0..5).map(|_| bytes(300_000)).collect();
    for packing in PACKINGS {
        let (mut ranges, mut stored) = (Vec::new(), Vec::new());
        for bytes in &all {
            let packed = packed(packing, bytes);
            ranges.push((stored.len() as u64, packed.len() as u64));
            stored.extend(packed);
        }
        let body = body(&file(&stored), stored.len(), packing, 1 << 20);
        let mut texts = ViewBuffers::new(&body, ranges);
        for round in 0..40_usize {
            let (number, start) = (round * 3 % 5, round * 7001 % 299_000);
            let mut view = [0; 16];
            view[..4].copy_from_slice(&100_u32.to_le_bytes());
            view[8..12].copy_from_slice(&(number as u32).to_le_bytes());
            view[12..].copy_from_slice(&(start as u32).to_le_bytes());
            let found = texts.text(&view).unwrap();
            assert_eq!(
                found,
                &all[number][start..start + 100],
                "{packing:?} {round}"
            );
            view[8] = 5;
            assert!(texts.text(&view).is_err());
            view[..4].copy_from_slice(&3_u32.to_le_bytes());
            assert_eq!(texts.text(&view).unwrap(), &view[4..7]);
        }
    }
}

/// The schema of a stream of pyarrow without columns.
const SCHEMA: &[u8] =
    b"\xff\xff\xff\xff\x28\0\0\0\x10\0\0\0\0\0\x0a\0\x0c\0\x06\0\x05\0\x08\0\x0a\0\0\0\
\0\x01\x04\0\x08\0\0\0\x04\0\x04\0\0\0\x04\0\0\0\0\0\0\0";

#[test]
fn a_stream_is_recognised_by_a_message_with_a_schema() {
    assert!(starts_stream(SCHEMA));
    for length in 0..24 {
        assert!(!starts_stream(&SCHEMA[..length]), "{length}");
    }
    for head in [
        &[0xff; 512][..],
        b"\xff\xff\xff\xff\x28\0\0\0text that is no table of any kind, but words",
    ] {
        assert!(!starts_stream(head));
    }
    // Before version 0.15 the metadata was aligned with the length before it.
    let old = [&[0x2c, 0, 0, 0], &SCHEMA[8..], &[0; 4]].concat();
    assert!(starts_stream(&old));
    let mut batch = SCHEMA.to_vec();
    batch[29] = 3;
    assert!(!starts_stream(&batch));
}

#[test]
fn damaged_metadata_is_none() {
    assert_eq!(MessagePrefix::parse(SCHEMA), MessagePrefix::Message(8, 40));
    assert_eq!(
        MessagePrefix::parse(b"\xff\xff\xff\xff\0\0\0\0"),
        MessagePrefix::End(8)
    );
    assert_eq!(
        MessagePrefix::parse(b"\xff\xff\xff\xff\xff\xff\xff\xff"),
        MessagePrefix::Damaged
    );
    for at in 8..SCHEMA.len() {
        for bit in 0..8 {
            let mut bytes = SCHEMA[8..].to_vec();
            bytes[at - 8] ^= 1 << bit;
            // It may be another message, but reading it ends.
            let _ = ArrowMessage::parse(&bytes);
        }
    }
    // An offset of 0 leads to itself, and one that is too great out of the bytes.
    for root in [0_u32, 4, 9, u32::MAX] {
        let bytes = [&root.to_le_bytes()[..], &[0; 4]].concat();
        assert!(FlatbufferTable::root(&bytes).is_none(), "{root}");
    }
}

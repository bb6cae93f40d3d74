//! Small indexes for tests.
#![allow(dead_code)]

use doisift_known::{AssertedBy, BuildOptions, Index, IndexBuilder, Notice, NoticeKind};

/// Returns the bytes of an index that `fill` fills.
pub fn built(options: BuildOptions, fill: impl FnOnce(&mut IndexBuilder)) -> Vec<u8> {
    let mut builder = IndexBuilder::new(options).unwrap();
    fill(&mut builder);
    let mut bytes = Vec::new();
    builder.finish(&mut bytes).unwrap();
    bytes
}

pub fn index_of(bytes: Vec<u8>) -> Index {
    Index::from_bytes("known.doix", bytes).unwrap()
}

pub fn notice(kind: NoticeKind, doi: Option<&str>, date: Option<&str>) -> Notice {
    Notice {
        kind,
        asserted_by: AssertedBy::Publisher,
        doi: doi.map(|doi| doi.parse().unwrap()),
        date: date.map(|date| date.parse().unwrap()),
    }
}

/// Deterministic numbers that look random (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at as u64 + 1) as usize);
        }
    }
}

/// Returns names of several registrants. One of them has more than fit in a block.
pub fn many_names() -> Vec<String> {
    let large = (0..70_000).map(|at| {
        format!(
            "10.1016/j.abc.{}.{:02}.{:03}",
            2000 + at % 20,
            at % 12,
            at / 12
        )
    });
    let middle = (0..5_000).map(|at| format!("10.1007/s{:05}-020-{:04}-{}", at / 7, at, at % 10));
    let small = (0..300).map(|at| format!("10.{}/{at}", 5000 + at % 90));
    let starts = [
        "10.1016/j",
        "10.1016/j.abc",
        "10.1016/j.abc.2000.00.000",
        "10.1016/j.abc.2019.11.58",
    ];
    let starts = starts.into_iter().map(str::to_owned);
    large.chain(middle).chain(small).chain(starts).collect()
}

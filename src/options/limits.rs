//! Limits for one source.

use doisift_documents::Limits;

use super::spec::OptionKind;

options! {
    /// Limits for one source.
    limits: LimitOptions, limit_setters, "Limits";

    /// Stop reading a source that unpacks to more than RATIO times its size, and to more than 64M
    ///
    /// At this limit, reading of the source stops, and an error is counted.
    number max_expansion: u64 = (Limits::default().expansion) [Scan Normalize Index Check] default "1000" {
        value: "RATIO", min: 1, is_fixed: true,
    }

    /// Max memory for the window of zstd, xz, lzma and 7z data, on each thread that unpacks; for zstd rounded down to a power of
    /// two
    ///
    /// Data that needs a larger window is not unpacked, and counted as an error.
    number max_window: u64 = (Limits::default().window) [Scan Normalize Index Check] default "128M" {
        kind: OptionKind::Size, value: "SIZE", is_fixed: true,
    }

    /// Do not open a container that is inside more than N others
    ///
    /// A gzip in a tar in a zip needs 2. A deeper one is not opened, and counted as an error.
    number max_depth: usize = (Limits::default().depth) [Scan Normalize Index Check] default "3" {
        value: "N", is_fixed: true,
    }

    /// Stop reading a source whose containers together have more members than this
    ///
    /// At this limit, reading of the source stops, and an error is counted.
    number max_members: u64 = (Limits::default().members) [Scan Normalize Index Check] default "100 million" {
        value: "N", is_fixed: true,
    }
}

impl LimitOptions {
    /// Returns the limits in the type that readers of documents take.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            depth: self.max_depth,
            members: self.max_members,
            expansion: self.max_expansion,
            window: self.max_window,
        }
    }
}

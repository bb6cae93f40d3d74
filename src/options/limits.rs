//! Limits for one source.

use doisift_documents::Limits;

use super::spec::OptionKind;

options! {
    /// Limits for one source.
    limits: LimitOptions, limit_setters, "Limits";

    /// Stop a source that unpacks to more bytes than this for each of its own, and to more than 64M
    ///
    /// At this limit, reading of the source stops, and an error is counted.
    number max_expansion: u64 = (Limits::default().expansion) [Scan Normalize Index Check] default "1000" {
        value: "RATIO", min: 1, is_fixed: true,
    }

    /// Memory that zstd, xz, lzma and 7z data may ask for on each thread that unpacks; for zstd the next lower power of two
    ///
    /// Data that needs a larger window is not unpacked, and counted as an error.
    number max_window: u64 = (Limits::default().window) [Scan Normalize Index Check] default "128M" {
        kind: OptionKind::Size, value: "SIZE", is_fixed: true,
    }

    /// Open no container that is within more others than this
    ///
    /// A gzip in a tar in a zip needs 2. A deeper one is not opened, and counted as an error.
    number max_depth: usize = (Limits::default().depth) [Scan Normalize Index Check] default "3" {
        value: "N", is_fixed: true,
    }

    /// Stop a source whose containers have more members than this, all together
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

//! Limits for one source.

use doisift_documents::ReadLimits;

use super::spec::OptionKind;

options! {
    /// Limits for one source, against data that unpacks to far more than it seems to hold.
    ///
    /// ```
    /// use doisift::{Limits, Scan};
    ///
    /// let scan = Scan::new().input("dump.tar").limits(Limits { max_depth: 5, ..Limits::default() });
    /// ```
    value Limits, "Limits", [Scan CleanTable BuildIndex Check];

    /// Stop reading a source that unpacks to more than RATIO times its size, and to more than 64M
    ///
    /// At this limit, reading of the source stops, and an error is counted.
    max_expansion: u64 = ReadLimits::default().expansion, default "1000", {
        value: "RATIO", min: 1, is_fixed: true,
    }

    /// Max memory for the window of zstd, xz and 7z data, on each thread that unpacks; for zstd rounded down to a power of
    /// two
    ///
    /// Data that needs a larger window is not unpacked, and counted as an error.
    max_window: u64 = ReadLimits::default().window, default "128M", {
        kind: OptionKind::Size, value: "SIZE", is_fixed: true,
    }

    /// Do not open a container that is inside more than N others
    ///
    /// A gzip in a tar in a zip needs 2. A deeper one is not opened, and counted as an error.
    max_depth: usize = ReadLimits::default().depth, default "3", {
        value: "N", is_fixed: true,
    }

    /// Stop reading a source whose containers together have more members than this
    ///
    /// At this limit, reading of the source stops, and an error is counted.
    max_members: u64 = ReadLimits::default().members, default "100 million", {
        value: "N", is_fixed: true,
    }
}

impl Limits {
    /// Returns the limits in the type that readers of documents take.
    pub(crate) fn of_reading(&self) -> ReadLimits {
        ReadLimits {
            depth: self.max_depth,
            members: self.max_members,
            expansion: self.max_expansion,
            window: self.max_window,
        }
    }
}

//! The counts, losses, notices and warnings of a scan.
//!
//! Uses `plan` and `checkpoint`. All threads write to the ledger; it is locked for the time of one entry.

mod notice;
mod scan_ledger;
mod structure_faults;
mod unused_options;

pub(super) use notice::SourceTotals;
pub(crate) use notice::report_passed_over;
pub(super) use scan_ledger::ScanLedger;
pub(super) use structure_faults::StructureFaults;

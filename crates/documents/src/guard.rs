//! Calls readers of other crates, which may panic on damaged bytes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::fault::{InputError, Packing};

/// Returns what `read` does. It must not be used again if it fails.
///
/// # Errors
/// If it panics, so that the panic is damage of the document.
pub(super) fn guard<T>(packing: Packing, read: impl FnOnce() -> T) -> Result<T, InputError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        InputError::Reader {
            packing,
            fault: text.unwrap_or("it panicked").into(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_damage() {
        let damaged = guard::<()>(Packing::Pdf, || panic!("page {}", 7)).unwrap_err();
        let message = "the reader of PDF files failed on this document: page 7";
        assert_eq!(damaged.to_string(), message);
    }
}

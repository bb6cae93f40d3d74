//! Processes parts in parallel and delivers the results in order.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Calls `make` on each part, and `write` on each result in the order of the parts. Stops at the first error.
///
/// With `ahead`, `make` runs on this many parts at a time in the caller's rayon pool, while the results of earlier parts are
/// written. Without it, everything runs on this thread.
pub(super) fn in_order<P: Send, B: Send, E: Send>(
    mut parts: impl Iterator<Item = Result<P, E>> + Send,
    ahead: Option<usize>,
    make: impl Fn(P) -> Result<B, E> + Sync,
    mut write: impl FnMut(B) -> Result<(), E> + Send,
) -> Result<(), E> {
    let Some(ahead) = ahead else {
        return parts.try_for_each(|part| write(make(part?)?));
    };
    let mut ready: Vec<Result<B, E>> = Vec::new();
    loop {
        let (written, next) = rayon::join(
            || ready.into_iter().try_for_each(|made| write(made?)),
            || -> Vec<Result<B, E>> {
                let parts: Vec<_> = parts.by_ref().take(ahead).collect();
                parts.into_par_iter().map(|part| make(part?)).collect()
            },
        );
        written?;
        if next.is_empty() {
            return Ok(());
        }
        ready = next;
    }
}

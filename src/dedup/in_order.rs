//! Processes parts in parallel and delivers the results in order.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Calls `make` on each part, and `write` on each result in the order of the parts. An error of either stops it.
///
/// With `ahead`, so many parts at a time are made on all threads of the caller's rayon pool, while the results of the parts
/// before them are written. Without, all is done on this thread.
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

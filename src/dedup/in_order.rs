//! Work on parts in parallel, and its results in order.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Makes something of each part, and writes that in the order of the parts; either may stop it with an error.
///
/// With `ahead`, makes that many at a time on all threads of the rayon pool that the caller runs in, while those before them
/// are written; without, does all in turn.
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

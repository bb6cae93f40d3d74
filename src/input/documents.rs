//! What the input stage hands to its caller: documents, losses and remarks.

use std::io::Read;
use std::sync::Arc;

use super::claim::{Claim, Found};
use super::fault::InputError;

/// Takes what a source holds, in its order.
pub(crate) trait Documents {
    /// Reads a document to its end. A read that fails reports damage: the next one goes on after it, or gives the end.
    fn document(&mut self, name: Option<Arc<str>>, bytes: &mut dyn Read);

    /// Takes note that something was lost at `offset` of what is called `name`; the source itself has no name here.
    fn lose(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError);

    /// Takes note that so many documents have names that were cut, at the end of the source.
    fn cut(&mut self, _count: u64) {}

    /// Takes note of what is no text.
    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str);

    /// Takes note of what the first bytes of a stream say. By default it is ignored.
    fn remark(&mut self, _name: Option<Arc<str>>, _remark: Remark) {}

    /// Whether there is no use in going on.
    fn is_halted(&self) -> bool;
}

/// What the first bytes of a stream say, beside how it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Remark {
    /// What the source is recognised as.
    Source(&'static str),
    /// The stream is not what its name claims.
    Misnamed(&'static Claim, Found),
    /// The stream is text in this encoding, but lacks the byte order mark, and is read as single bytes.
    Unmarked(&'static str),
    /// The source has no bytes, or unpacks to none.
    Empty,
}

//! What the bytes before a name say about it.

use super::enclosure::Enclosure;
use super::place::UrlPlace;
use super::text::Scope;
use super::{Form, cell};

/// What the bytes before a name say about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) form: Form,
    pub(crate) place: UrlPlace,
    pub(crate) enclosure: Option<&'static Enclosure>,
    pub(crate) scope: Scope,
}

impl Around {
    /// Reads `outside`, the bytes before a name and its scheme or proxy; in a table, those of the name's cell.
    pub(crate) fn read(
        outside: &[u8],
        form: Form,
        scope: Scope,
        scheme: impl Fn(&[u8]) -> bool,
    ) -> Around {
        let enclosure = match scope {
            Scope::Cell => cell::enclosure(outside, form == Form::Label),
            Scope::Any | Scope::Page => Enclosure::opened_by(outside),
        };
        Around {
            form,
            place: UrlPlace::of(outside, form, scheme),
            enclosure,
            scope,
        }
    }
}

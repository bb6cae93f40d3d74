//! Reads the bytes before a name.

use super::enclosure::Enclosure;
use super::place::UrlPlace;
use super::text::TextScope;
use super::{Form, cell};

/// The form, enclosure and place of a name, read from the bytes before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameContext {
    pub(crate) form: Form,
    /// Bytes of the scheme or proxy directly before the name.
    pub(crate) opener: usize,
    pub(crate) place: UrlPlace,
    pub(crate) enclosure: Option<&'static Enclosure>,
    pub(crate) scope: TextScope,
}

impl NameContext {
    /// Reads the bytes `before` a name with a scheme or proxy of `opener` bytes. In a table, `before` starts with the name's
    /// cell. `scheme` says whether bytes end in a scheme or proxy.
    #[inline]
    pub(crate) fn read(
        before: &[u8],
        form: Form,
        opener: usize,
        scope: TextScope,
        scheme: impl Fn(&[u8]) -> bool,
    ) -> NameContext {
        let outside = &before[..before.len() - opener];
        let enclosure = match scope {
            TextScope::Cell | TextScope::DoubtfulCell => {
                cell::enclosure(outside, form == Form::Label)
            }
            TextScope::Any | TextScope::Page | TextScope::Printed => Enclosure::opened_by(outside),
        };
        NameContext {
            form,
            opener,
            place: UrlPlace::of(outside, form, scheme),
            enclosure,
            scope,
        }
    }
}

//! Sets of forms.

use std::ops::{BitOr, BitOrAssign};

use doisift_core::Form;

/// A set of forms in which a name was written: one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms(u8);

// A form more than these eight needs a wider set, and files of another version.
const _: () = assert!(Form::ALL.len() == u8::BITS as usize);

impl Forms {
    /// All forms, sorted by name, as they are in a record.
    const SORTED: [Form; 8] = [
        Form::Arxiv,
        Form::Bare,
        Form::Doi,
        Form::Hdl,
        Form::Info,
        Form::Label,
        Form::Url,
        Form::Urn,
    ];

    /// Returns the set as one byte, for files that only the same version of doisift reads.
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// Returns the set with these [`bits`](Self::bits).
    pub(crate) fn from_bits(bits: u8) -> Forms {
        Forms(bits)
    }

    /// Returns the number of forms.
    pub(super) fn count(self) -> u64 {
        self.0.count_ones().into()
    }

    /// Whether the set has `form`.
    pub fn contains(self, form: Form) -> bool {
        self.0 & Forms::from(form).0 != 0
    }

    /// Iterates over the forms, sorted by name.
    pub fn iter(self) -> impl Iterator<Item = Form> {
        Forms::SORTED
            .into_iter()
            .filter(move |&form| self.contains(form))
    }
}

impl From<Form> for Forms {
    fn from(form: Form) -> Forms {
        Forms(1 << form as u8)
    }
}

impl BitOr for Forms {
    type Output = Forms;

    fn bitor(self, other: Forms) -> Forms {
        Forms(self.0 | other.0)
    }
}

impl BitOrAssign for Forms {
    fn bitor_assign(&mut self, other: Forms) {
        *self = *self | other;
    }
}

impl FromIterator<Form> for Forms {
    fn from_iter<I: IntoIterator<Item = Form>>(forms: I) -> Forms {
        forms
            .into_iter()
            .fold(Forms::default(), |all, form| all | form.into())
    }
}

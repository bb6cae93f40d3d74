//! Sets of forms.

use std::ops::{BitOr, BitOrAssign};

use doisift_core::Form;

/// A set of forms in which a name was written: one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms(u16);

// The table of names has flags above these bits.
const _: () = assert!(Form::ALL.len() <= Forms::BITS as usize);

impl Forms {
    /// Number of bits of a set.
    pub(crate) const BITS: u32 = 13;

    /// All forms, sorted by name, as they are in a record.
    const SORTED: [Form; Form::ALL.len()] = [
        Form::Arxiv,
        Form::Bare,
        Form::Doi,
        Form::Hdl,
        Form::Info,
        Form::Label,
        Form::Url,
        Form::Urn,
    ];

    /// Returns the set as a number of [`BITS`](Self::BITS) bits, for files that only the same version of doisift reads.
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    /// Returns the set with these [`bits`](Self::bits). Ignores higher bits.
    pub(crate) fn from_bits(bits: u16) -> Forms {
        Forms(bits & ((1 << Forms::BITS) - 1))
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

//! The error for a text that is not a DOI name.

/// Error for a text that is not a DOI name: the fault and its offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, at byte {offset}")]
pub struct DoiError {
    kind: DoiErrorKind,
    offset: usize,
}

/// Kind of fault in a text that is not a DOI name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DoiErrorKind {
    /// It does not start with `10.` after the scheme, label or host (N1).
    #[error("no directory indicator \"10.\"")]
    NoDirectory,
    /// `10/abc`: an alias from the short DOI service, which only the service resolves to a name.
    #[error("a short DOI is an alias, not a name")]
    ShortDoi,
    /// The part between `10.` and the separator is not digits subdivided by full stops (N1).
    #[error("the registrant code is not numeric")]
    RegistrantCode,
    /// The text ends with the prefix (N1).
    #[error("no \"/\" after the prefix")]
    NoSeparator,
    /// The text ends with the separator (N3).
    #[error("empty suffix")]
    EmptySuffix,
    /// A control, format, private use or unassigned character, or a line or paragraph separator (N3).
    #[error("U+{:04X} is not a graphic character", u32::from(*.0))]
    NotGraphic(char),
    /// The percent escapes give bytes that are not UTF-8 (U1).
    #[error("the escapes are not UTF-8")]
    NotUtf8,
    /// Unescaped white space inside the text.
    #[error("raw white space")]
    WhiteSpace,
    /// A raw `?` or `#` in a URI that may have neither query nor fragment (U3).
    #[error("raw \"{0}\" in a URI that has neither query nor fragment")]
    QueryOrFragment(char),
    /// An ellipsis ends the name, so its rest is missing.
    #[error("cut short by an ellipsis")]
    CutShort,
    /// A run of one letter in place of a name, as in `10.5555/xxxxx`.
    #[error("a placeholder, not a name")]
    Placeholder,
    /// A URL whose host is not a proxy for DOI names (P1).
    #[error("a URL of no DOI proxy")]
    ForeignHost,
}

impl DoiError {
    pub(crate) fn new(kind: DoiErrorKind, offset: usize) -> Self {
        DoiError { kind, offset }
    }

    /// Returns the kind of fault.
    pub fn kind(&self) -> DoiErrorKind {
        self.kind
    }

    /// Returns the offset of the fault, in bytes from the start of the given text.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

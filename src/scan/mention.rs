//! What the scanner hands out.

/// How a name was written; the innermost wins, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Form {
    /// `urn:doi:`.
    Urn,
    /// `info:doi/`.
    Info,
    /// `hdl:`, or the URL of a handle proxy.
    Hdl,
    /// The scheme `doi:`.
    Doi,
    /// The URL of a DOI proxy (P1).
    Url,
    /// A field, element, parameter or word says "DOI".
    Label,
    /// All else, URLs of other hosts too.
    Bare,
}

impl Form {
    /// Every form, in the order of precedence.
    pub const ALL: [Form; 7] = [
        Form::Urn,
        Form::Info,
        Form::Hdl,
        Form::Doi,
        Form::Url,
        Form::Label,
        Form::Bare,
    ];

    /// The word for it in records and mentions.
    pub fn name(self) -> &'static str {
        match self {
            Form::Urn => "urn",
            Form::Info => "info",
            Form::Hdl => "hdl",
            Form::Doi => "doi",
            Form::Url => "url",
            Form::Label => "label",
            Form::Bare => "bare",
        }
    }

    /// What it means, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Form::Urn => "a URN, urn:doi:10.1000:182",
            Form::Info => "an info URI, info:doi/10.1000/182",
            Form::Hdl => "a handle, hdl:10.1000/182, or the URL of a handle proxy",
            Form::Doi => "the scheme doi, doi:10.1000/182",
            Form::Url => "the URL of a DOI proxy, https://doi.org/10.1000/182",
            Form::Label => "a field, element, parameter or the word DOI says that it is one",
            Form::Bare => "nothing says so, or it is in the URL of another host",
        }
    }
}

/// An accepted candidate: a DOI name, how it was written, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention<'a> {
    /// The DOI name, decoded, its case kept.
    pub name: &'a str,
    /// The name's representative under equivalence: ASCII letters in lower case (U5).
    pub key: &'a str,
    /// How it was written.
    pub form: Form,
    /// Where the name starts, in bytes from the start of the document.
    pub offset: u64,
    /// The name as found, from the first byte of `10.` to the last byte kept.
    pub text: &'a [u8],
    /// Whether its end was a guess that only a registry could settle.
    pub guessed: bool,
}

//! Writes a name in each presentation form. [`Doi::parse`] reads each form back as the same name.

use super::{Doi, percent};

const PROXY: &str = "https://doi.org/";

/// Characters that a URL presentation encodes (H1).
///
/// Both encode every byte of a character outside ASCII. Neither encodes the comma, which must be encoded only in a list of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrlEncoding {
    /// Only the characters that would cut or change the name on the way to the proxy: `%` `"` `#` `?` and blanks.
    #[default]
    Mandatory,
    /// Also the characters for which it is recommended: `<` `>` `{` `}` `^` `[` `]` `` ` `` `|` `\` `+`, and one `/`
    /// next to each path segment `.` or `..`, which a browser would resolve (H2).
    Recommended,
}

impl Doi {
    /// Returns the doi URI, such as `doi:10.1000/a%2Fb` (U1, U2).
    pub fn to_doi_uri(&self) -> String {
        self.uri("doi:", '/')
    }

    /// Returns the URN, such as `urn:doi:10.1000:a%2Fb` (H3).
    pub fn to_urn(&self) -> String {
        self.uri("urn:doi:", ':')
    }

    /// Returns the URL of the DOI record in the proxy's REST API (P4), encoded as the doi URI is. A client must not resolve dot
    /// segments in it.
    pub fn to_api_url(&self) -> String {
        self.uri("https://doi.org/api/handles/", '/')
    }

    /// Returns the URL of the preferred proxy, such as `https://doi.org/10.1000/456%23789` (H1, P1).
    pub fn to_url(&self, encoding: UrlEncoding) -> String {
        let mut url = String::with_capacity(PROXY.len() + self.name.len());
        url.push_str(PROXY);
        match encoding {
            UrlEncoding::Mandatory => self.name.bytes().for_each(|b| push_in_url(b, &mut url)),
            UrlEncoding::Recommended => push_recommended(&self.name, &mut url),
        }
        url
    }

    fn uri(&self, start: &str, separator: char) -> String {
        let mut uri = String::with_capacity(start.len() + self.name.len());
        uri.push_str(start);
        uri.push_str(self.prefix());
        uri.push(separator);
        for byte in self.suffix().bytes() {
            push(byte, stays_in_uri(byte), &mut uri);
        }
        uri
    }
}

/// Whether a byte is in RFC 3986's sets unreserved or sub-delims, or is `:` or `@` (U2).
fn stays_in_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte)
}

fn push_in_url(byte: u8, out: &mut String) {
    push(
        byte,
        byte.is_ascii_graphic() && !b"%\"#?".contains(&byte),
        out,
    );
}

/// Encodes a `/` after each dot segment. An encoded `/` does not end a segment, so one is enough for `/././`.
fn push_recommended(name: &str, out: &mut String) {
    let mut segment = out.len();
    for byte in name.bytes() {
        match byte {
            b'/' if is_dots(&out[segment..]) => percent::push(byte, out),
            b'/' => {
                out.push('/');
                segment = out.len();
            }
            b'<' | b'>' | b'{' | b'}' | b'^' | b'[' | b']' | b'`' | b'|' | b'\\' | b'+' => {
                percent::push(byte, out);
            }
            _ => push_in_url(byte, out),
        }
    }
    if is_dots(&out[segment..]) {
        // No slash follows, so the one before is encoded.
        out.replace_range(segment - 1..segment, "%2F");
    }
}

fn is_dots(segment: &str) -> bool {
    matches!(segment, "." | "..")
}

fn push(byte: u8, stays: bool, out: &mut String) {
    if stays {
        out.push(char::from(byte))
    } else {
        percent::push(byte, out)
    }
}

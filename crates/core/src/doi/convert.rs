//! Conversions between names and strings, and comparison with strings.

use super::{Doi, DoiError};

/// Parses as [`Doi::parse`] does.
impl TryFrom<&str> for Doi {
    type Error = DoiError;

    fn try_from(text: &str) -> Result<Self, DoiError> {
        Doi::parse(text)
    }
}

/// Returns the name of [`Doi::as_str`] without a copy.
impl From<Doi> for String {
    fn from(doi: Doi) -> String {
        doi.name.into_string()
    }
}

/// Compares with a bare name under ASCII case folding (U5). Decodes nothing.
impl PartialEq<str> for Doi {
    fn eq(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Compares as with a `str`.
impl PartialEq<&str> for Doi {
    fn eq(&self, name: &&str) -> bool {
        self == *name
    }
}

/// Compares as with the name on the left.
impl PartialEq<Doi> for str {
    fn eq(&self, doi: &Doi) -> bool {
        doi == self
    }
}

/// Compares as with the name on the left.
impl PartialEq<Doi> for &str {
    fn eq(&self, doi: &Doi) -> bool {
        doi == *self
    }
}

/// Serialises the name as a string: nothing encoded, its case kept.
#[cfg(feature = "serde")]
impl serde::Serialize for Doi {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

/// Reads a string in any presentation form. A string that starts with `10.` is read by [`Doi::new`], so that a serialized name is
/// read back unchanged; any other by [`Doi::parse`].
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Doi {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let doi = if name.starts_with("10.") {
            Doi::from_string(name)
        } else {
            Doi::parse(&name)
        };
        doi.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_equals_its_spellings_and_no_url_of_it() {
        let doi = Doi::try_from("https://doi.org/10.5555/Abc%25").unwrap();
        assert!(doi == "10.5555/aBC%" && "10.5555/abc%" == doi && *"10.5555/abc%" == doi);
        assert!(doi != "10.5555/abc%25" && doi != "https://doi.org/10.5555/abc%25");
        assert_eq!(String::from(doi), "10.5555/Abc%");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_name_with_an_escape_in_it_survives_serde() {
        let doi = Doi::new("10.5555/A%20\"b").unwrap();
        let json = serde_json::to_string(&doi).unwrap();
        assert_eq!(json, r#""10.5555/A%20\"b""#);
        let back: Doi = serde_json::from_str(&json).unwrap();
        assert_eq!(back.as_str(), doi.as_str());
        let error = serde_json::from_str::<Doi>(r#""10.5555""#).unwrap_err();
        assert!(
            error.to_string().starts_with("no \"/\" after the prefix"),
            "{error}"
        );
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serde_reads_every_presentation_form() {
        for form in [
            "10.5555/A(b)",
            "doi:10.5555/A(b)",
            "https://doi.org/10.5555/A%28b%29",
            "http://dx.doi.org/10.5555/A%28b%29",
            "urn:doi:10.5555:A%28b%29",
        ] {
            let doi: Doi = serde_json::from_value(form.into()).unwrap();
            assert_eq!(doi.as_str(), "10.5555/A(b)", "{form}");
        }
        for wrong in ["", "https://example.org/", "doi:11.5555/a"] {
            assert!(
                serde_json::from_value::<Doi>(wrong.into()).is_err(),
                "{wrong}"
            );
        }
    }
}

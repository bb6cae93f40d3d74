//! Addresses of objects: their parts, and their names without secrets.

use std::fmt;

use url::Url;

use crate::error::RemoteError;

/// The address of an object, or of what is below a prefix.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteAddress {
    /// The service, with the bucket or container.
    pub(crate) store: StoreAddress,
    /// The key in a store. Of a web server the path, which a name shows.
    pub(crate) key: String,
}

/// Where the objects of a store are.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum StoreAddress {
    /// A bucket of S3 or of a service with the same interface.
    S3(String),
    /// A bucket of Google Cloud Storage.
    Google(String),
    /// A container of Azure, and the account, if the address has one.
    Azure {
        scheme: String,
        container: String,
        account: Option<String>,
    },
    /// A file of a web server, with all that its address has.
    Web(Box<Url>),
}

/// The schemes of addresses.
const SCHEMES: [&str; 9] = [
    "s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "http", "https",
];

/// Parameters of queries that hold signatures or credentials, in lower case: of S3, CloudFront, Google, Azure and others.
const SECRET_PARAMETERS: [&str; 41] = [
    "access_token",
    "api-key",
    "api_key",
    "apikey",
    "auth",
    "authorization",
    "awsaccesskeyid",
    "client_secret",
    "expires",
    "googleaccessid",
    "hmac",
    "jwt",
    "key",
    "key-pair-id",
    "password",
    "policy",
    "private_token",
    "se",
    "secret",
    "sig",
    "signature",
    "sip",
    "ske",
    "skoid",
    "sks",
    "skt",
    "sktid",
    "skv",
    "sp",
    "spr",
    "sr",
    "srt",
    "ss",
    "st",
    "sv",
    "token",
    "x-amz-security-token",
    "x-amz-signature",
    "x-goog-signature",
    "private-token",
    "session",
];

impl RemoteAddress {
    /// Whether a text is an address with a scheme of this crate. Schemes ignore case.
    pub fn is_address(text: &str) -> bool {
        let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
        SCHEMES
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    }

    /// Parses an address. The key of a store is taken as it is written, without escapes.
    ///
    /// # Errors
    /// If the scheme is another one, or bucket or host are missing.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        let bad = |why: &str| RemoteError::BadAddress(without_secrets(text), why.to_owned());
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| bad("it has no scheme"))?;
        let scheme = scheme.to_ascii_lowercase();
        if !SCHEMES.contains(&scheme.as_str()) {
            return Err(bad("the scheme is not known"));
        }
        if scheme.starts_with("http") {
            let mut url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
            url.set_fragment(None);
            let key = url.path().to_owned();
            let store = StoreAddress::Web(Box::new(url));
            return Ok(RemoteAddress { store, key });
        }
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(bad("it has no bucket"));
        }
        // Stores make hosts of them.
        if !bucket.bytes().all(is_of_bucket) {
            return Err(bad(
                "the name of the bucket has other characters than letters, digits, and -_.$@",
            ));
        }
        let store = match scheme.as_str() {
            "s3" | "s3a" => StoreAddress::S3(bucket.to_owned()),
            "gs" => StoreAddress::Google(bucket.to_owned()),
            _ => azure(scheme, bucket),
        };
        let key = key.to_owned();
        Ok(RemoteAddress { store, key })
    }

    /// Whether the address ends as a folder does, or names a bucket alone. Then the objects below it are meant.
    pub fn is_prefix(&self) -> bool {
        !self.is_web() && (self.key.is_empty() || self.key.ends_with('/'))
    }

    /// Whether it is a file of a web server, below which nothing can be listed.
    pub fn is_web(&self) -> bool {
        matches!(self.store, StoreAddress::Web(_))
    }

    /// Returns the name of an address, or what can be shown of one that is not valid. `None` for another text.
    pub fn name_of(text: &str) -> Option<String> {
        let is_address = RemoteAddress::is_address(text);
        is_address.then(|| match RemoteAddress::parse(text) {
            Ok(address) => address.to_string(),
            Err(_) => without_secrets(text),
        })
    }

    /// Returns the address of another object of the same store.
    pub(crate) fn sibling(&self, key: &str) -> Self {
        let store = self.store.clone();
        let key = key.to_owned();
        RemoteAddress { store, key }
    }
}

fn is_of_bucket(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.$@".contains(&byte)
}

/// Takes `container@account.dfs.core.windows.net` apart.
fn azure(scheme: String, authority: &str) -> StoreAddress {
    let (container, host) = match authority.split_once('@') {
        Some((container, host)) => (container, Some(host)),
        None => (authority, None),
    };
    let account = host.map(|host| host.split('.').next().unwrap_or(host).to_owned());
    StoreAddress::Azure {
        scheme,
        container: container.to_owned(),
        account,
    }
}

/// The name: the address without credentials and signatures.
impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.store {
            StoreAddress::S3(bucket) => write!(f, "s3://{bucket}/{}", self.key),
            StoreAddress::Google(bucket) => write!(f, "gs://{bucket}/{}", self.key),
            StoreAddress::Azure {
                scheme,
                container,
                account,
            } => {
                write!(f, "{scheme}://{container}")?;
                if let Some(account) = account {
                    write!(f, "@{account}.dfs.core.windows.net")?;
                }
                write!(f, "/{}", self.key)
            }
            StoreAddress::Web(url) => f.write_str(&web_name(url)),
        }
    }
}

/// Shows the name, without secrets.
impl fmt::Debug for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the address of a web server without user, password and secret parameters.
fn web_name(url: &Url) -> String {
    let mut name = url.clone();
    let _ = name.set_username("");
    let _ = name.set_password(None);
    let kept: Vec<&str> = url
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !is_secret(pair))
        .collect();
    name.set_query(
        Some(kept.join("&"))
            .as_deref()
            .filter(|query| !query.is_empty()),
    );
    name.into()
}

fn is_secret(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    name.starts_with("x-amz-")
        || name.starts_with("x-goog-")
        || SECRET_PARAMETERS.contains(&name.as_str())
}

/// Returns what can be shown of a text that is no valid address: nothing before an `@` of the authority, no query.
pub(crate) fn without_secrets(text: &str) -> String {
    let shown = text.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = shown.split_once("://") else {
        return shown.to_owned();
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let user = authority.rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[user..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        RemoteAddress::parse(text).unwrap().to_string()
    }

    #[test]
    fn names_have_no_secrets() {
        for (address, wanted) in [
            ("s3://b/a%20b/c", "s3://b/a%20b/c"),
            ("S3://b", "s3://b/"),
            ("gs://b/x//y", "gs://b/x//y"),
            ("az://c/x", "az://c/x"),
            (
                "abfss://c@acc.dfs.core.windows.net/x",
                "abfss://c@acc.dfs.core.windows.net/x",
            ),
            (
                "https://u:p@h/a?download=1&X-Amz-Signature=s&sig=t#f",
                "https://h/a?download=1",
            ),
            ("https://h/a?Signature=s", "https://h/a"),
            ("http://h:8000/é", "http://h:8000/%C3%A9"),
        ] {
            assert_eq!(name(address), wanted);
            assert_eq!(
                format!("{:?}", RemoteAddress::parse(address).unwrap()),
                wanted
            );
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_secrets() {
        for (text, wanted) in [
            ("https://u:p@", "https://"),
            ("https://u:p@h:x/a?sig=1", "https://h:x/a"),
            ("s3:///key", "s3:///key"),
            ("s3://127.0.0.1:80#/key", "s3://127.0.0.1:80"),
            ("abfss://c@2130706433?x/key", "abfss://2130706433"),
            ("ftp://u:p@h/a", "ftp://h/a"),
        ] {
            let error = RemoteAddress::parse(text).unwrap_err().to_string();
            assert!(error.contains(wanted) && !error.contains("p@"), "{error}");
        }
    }

    #[test]
    fn an_address_starts_with_a_known_scheme() {
        assert!(RemoteAddress::is_address("HTTPS://h/a"));
        assert!(!RemoteAddress::is_address("C:/a") && !RemoteAddress::is_address("10.1000/s3://a"));
    }

    #[test]
    fn a_prefix_ends_as_a_folder() {
        let is_prefix = |text| RemoteAddress::parse(text).unwrap().is_prefix();
        assert!(is_prefix("s3://b") && is_prefix("s3://b/") && is_prefix("gs://b/a/"));
        assert!(!is_prefix("s3://b/a") && !is_prefix("https://h/") && !is_prefix("https://h/a/"));
    }
}

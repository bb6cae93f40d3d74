//! One request for a range of an object, and what the answer says of the object.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_MATCH, LAST_MODIFIED, LOCATION, RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use object_store::client::{HttpClient, HttpRequestBody, HttpResponse};
use object_store::path::Path;
use object_store::{GetOptions, GetRange};
use url::Url;

use crate::address::without_secrets;
use crate::error::RemoteError;
use crate::listing::Store;
use crate::traffic::Ask;

/// Where an object is read.
#[derive(Clone)]
pub(crate) enum Location {
    Store(Arc<dyn Store>, Path),
    Web(HttpClient, Arc<WebFile>),
}

/// A file of a web server.
pub(crate) struct WebFile {
    /// Without user and password.
    pub(crate) url: Url,
    /// User and password.
    pub(crate) authorization: Option<HeaderValue>,
}

/// What shows that an object is the same as before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Size in bytes, if the service states it.
    pub(crate) size: Option<u64>,
    /// The ETag, or else the time of the last change, if the service states one of them.
    pub(crate) tag: Option<String>,
}

/// An answer with bytes of an object.
pub(crate) struct Answer {
    /// Offset of the first byte.
    pub(crate) start: u64,
    pub(crate) identity: Identity,
    /// Whether the service gives ranges of the object.
    pub(crate) gives_ranges: bool,
    /// The request that it answers.
    pub(crate) ask: Ask,
    pub(crate) body: BoxStream<'static, Result<Bytes, RemoteError>>,
}

/// What object_store writes of a range beyond the end.
const NO_SUCH_RANGE: &str = "status code: 416";
/// What a redirect that is not followed is said to be.
const NOT_FOLLOWED: &str =
    "too many redirects, or a host within the own network that was not named";

impl Identity {
    /// Whether an object of this identity and one of `other` are the same, as far as is known.
    pub(crate) fn agrees(&self, other: &Identity) -> bool {
        fn agree<T: PartialEq>(a: &Option<T>, b: &Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        agree(&self.size, &other.size) && agree(&self.tag, &other.tag)
    }

    /// Returns the ETag, if it says that bytes are the same. A weak one does not.
    fn strong_tag(&self) -> Option<&str> {
        self.tag.as_deref().filter(|tag| tag.starts_with('"'))
    }
}

impl Answer {
    /// Makes the answer for an object that must be empty, since none of its bytes can be asked for.
    fn empty(identity: Identity, ask: &Ask) -> Result<Self, RemoteError> {
        match identity.size {
            None | Some(0) => Ok(Answer {
                start: 0,
                identity: Identity {
                    size: Some(0),
                    ..identity
                },
                gives_ranges: true,
                ask: ask.clone(),
                body: futures_util::stream::empty().boxed(),
            }),
            _ => Err(RemoteError::Changed),
        }
    }
}

impl Location {
    /// Asks for a range that is not empty. The answer may start earlier, if a service knows no ranges, and end earlier or later.
    pub(crate) async fn get(
        &self,
        range: Range<u64>,
        known: &Identity,
        ask: &Ask,
    ) -> Result<Answer, RemoteError> {
        match self {
            Location::Store(store, path) => {
                let options = GetOptions {
                    range: Some(GetRange::Bounded(range)),
                    if_match: known.strong_tag().map(str::to_owned),
                    extensions: ask.extensions(),
                    ..GetOptions::default()
                };
                match store.get_opts(path, options).await {
                    Ok(got) => Ok(Answer {
                        start: got.range.start,
                        identity: of_meta(&got.meta),
                        gives_ranges: true,
                        ask: ask.clone(),
                        body: got
                            .into_stream()
                            .map(|frame| frame.map_err(|error| RemoteError::of_store(&error)))
                            .boxed(),
                    }),
                    // No byte of an empty object can be asked for.
                    Err(error) if error.to_string().contains(NO_SUCH_RANGE) => {
                        Answer::empty(self.head(ask).await?, ask)
                    }
                    Err(error) => Err(RemoteError::of_store(&error)),
                }
            }
            Location::Web(client, file) => file.get(client, range, known, ask).await,
        }
    }

    /// Returns the identity of the object without its bytes.
    pub(crate) async fn head(&self, ask: &Ask) -> Result<Identity, RemoteError> {
        match self {
            Location::Store(store, path) => {
                let options = GetOptions {
                    head: true,
                    extensions: ask.extensions(),
                    ..GetOptions::default()
                };
                let got = store.get_opts(path, options).await;
                let got = got.map_err(|error| RemoteError::of_store(&error))?;
                Ok(of_meta(&got.meta))
            }
            Location::Web(client, file) => {
                let answer = file.send(client, "HEAD", &[], ask).await?;
                match answer.status().is_success() {
                    true => Ok(identity(answer.headers(), length(answer.headers()))),
                    false => Err(failure(&answer)),
                }
            }
        }
    }
}

/// Returns the identity of an object of a store.
pub(crate) fn of_meta(meta: &object_store::ObjectMeta) -> Identity {
    let time = || meta.last_modified.timestamp_millis().to_string();
    // Listings of some services have ETags without quotation marks.
    let quoted = |tag: &String| match tag.starts_with(['"', 'W']) {
        true => tag.clone(),
        false => format!("\"{tag}\""),
    };
    Identity {
        size: Some(meta.size),
        tag: Some(meta.e_tag.as_ref().map_or_else(time, quoted)),
    }
}

impl WebFile {
    async fn send(
        &self,
        client: &HttpClient,
        method: &str,
        headers: &[(HeaderName, String)],
        ask: &Ask,
    ) -> Result<HttpResponse, RemoteError> {
        let mut request = Request::builder().method(method).uri(self.url.as_str());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(HttpRequestBody::empty());
        let mut request = request.map_err(|error| {
            RemoteError::Setup(format!("the address cannot be asked for: {error}"))
        })?;
        *request.extensions_mut() = ask.extensions();
        let answer = client.execute(request).await;
        answer.map_err(|error| RemoteError::of_transport(&error))
    }

    async fn get(
        &self,
        client: &HttpClient,
        range: Range<u64>,
        known: &Identity,
        ask: &Ask,
    ) -> Result<Answer, RemoteError> {
        let mut headers = vec![(
            RANGE,
            format!("bytes={}-{}", range.start, range.end.saturating_sub(1)),
        )];
        if let Some(tag) = known.strong_tag() {
            headers.push((IF_MATCH, tag.to_owned()));
        }
        let answer = self.send(client, "GET", &headers, ask).await?;
        let stated = header(answer.headers(), CONTENT_RANGE).unwrap_or_default();
        let (start, size) = match answer.status().as_u16() {
            200 => (0, length(answer.headers())),
            206 => {
                let (start, size) = content_range(stated)
                    .ok_or_else(|| RemoteError::OtherBytes(format!("the range is {stated:?}")))?;
                if start != range.start {
                    return Err(RemoteError::OtherBytes(format!(
                        "they start at byte {start} instead of {}",
                        range.start
                    )));
                }
                (start, size)
            }
            416 if stated.trim() == "bytes */0" => {
                return Answer::empty(identity(answer.headers(), Some(0)), ask);
            }
            416 => return Err(RemoteError::Changed),
            _ => return Err(failure(&answer)),
        };
        let identity = identity(answer.headers(), size);
        let gives_ranges = answer.status() == StatusCode::PARTIAL_CONTENT;
        let body = answer.into_body().bytes_stream();
        let body = body.map(|frame| frame.map_err(|error| RemoteError::of_transport(&error)));
        Ok(Answer {
            start,
            identity,
            gives_ranges,
            ask: ask.clone(),
            body: body.boxed(),
        })
    }
}

/// Returns the error of an answer without bytes of the object.
fn failure(answer: &HttpResponse) -> RemoteError {
    match answer.status() {
        status if status.is_redirection() => {
            let to = header(answer.headers(), LOCATION).unwrap_or_default();
            RemoteError::Redirect(without_secrets(to), NOT_FOLLOWED)
        }
        status => RemoteError::of_status(status.as_u16()),
    }
}

fn identity(headers: &HeaderMap, size: Option<u64>) -> Identity {
    let tag = header(headers, ETAG).or_else(|| header(headers, LAST_MODIFIED));
    let tag = tag.map(str::to_owned);
    Identity { size, tag }
}

fn header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn length(headers: &HeaderMap) -> Option<u64> {
    header(headers, CONTENT_LENGTH)?.parse().ok()
}

/// Parses `bytes 0-9/100`, where the size may be `*`. Returns the first offset and the size of the whole.
fn content_range(value: &str) -> Option<(u64, Option<u64>)> {
    let (range, size) = value.trim().strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split_once('-')?.0.trim().parse().ok()?;
    Some((start, size.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_a_start_and_mostly_a_size() {
        assert_eq!(content_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(content_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(content_range("bytes */10"), None);
        assert_eq!(content_range(""), None);
    }

    #[test]
    fn identities_agree_unless_they_differ_in_what_both_state() {
        let of = |size, tag: Option<&str>| Identity {
            size,
            tag: tag.map(str::to_owned),
        };
        assert!(of(Some(1), Some("\"a\"")).agrees(&of(None, Some("\"a\""))));
        assert!(!of(Some(1), Some("\"a\"")).agrees(&of(Some(1), Some("\"b\""))));
        assert!(!of(Some(1), None).agrees(&of(Some(2), None)));
    }
}

//! The client of HTTP that all requests go through: it follows redirects within bounds, and waits as services ask.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use http::header::{ACCEPT_ENCODING, RETRY_AFTER};
use http::{HeaderMap, HeaderValue};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService,
};
use reqwest::redirect;

use crate::hosts::{NamedHosts, NamedResolver};
use crate::listing;
use crate::traffic::Ask;

/// Redirects that are followed one after another.
const MAX_REDIRECTS: usize = 10;
/// The longest time that a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// Makes clients, for stores and for web servers.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    pub(crate) hosts: Arc<NamedHosts>,
    /// The longest time without a byte.
    pub(crate) timeout: Duration,
}

/// Sends requests, and waits after an answer that asks for it.
#[derive(Debug)]
struct PatientClient {
    client: reqwest::Client,
    timeout: Duration,
    /// Whether its lists are read by object_store.
    is_of_store: bool,
}

impl Connector {
    /// Makes a client for web servers, which follows redirects.
    pub(crate) fn web_client(&self) -> Result<HttpClient, reqwest::Error> {
        let hosts = Arc::clone(&self.hosts);
        let follow = redirect::Policy::custom(move |attempt| {
            match attempt.previous().len() < MAX_REDIRECTS && hosts.admits(attempt.url()) {
                true => attempt.follow(),
                // The answer is the redirect itself.
                false => attempt.stop(),
            }
        });
        self.client(follow, false)
    }

    fn client(
        &self,
        policy: redirect::Policy,
        is_of_store: bool,
    ) -> Result<HttpClient, reqwest::Error> {
        // If the program has chosen another library for TLS, it stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        // A range of a packed answer would be a range of other bytes.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let client = reqwest::Client::builder()
            .default_headers(headers)
            .user_agent(concat!("doisift/", env!("CARGO_PKG_VERSION")))
            .redirect(policy)
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT.min(self.timeout))
            .read_timeout(self.timeout)
            .dns_resolver(NamedResolver(Arc::clone(&self.hosts)))
            .build()?;
        Ok(HttpClient::new(PatientClient {
            client,
            timeout: self.timeout,
            is_of_store,
        }))
    }
}

/// Stores answer at the address that they are asked at, so a redirect of theirs is an error: a wrong region, mostly.
impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = self.client(redirect::Policy::none(), true);
        client.map_err(|error| object_store::Error::Generic {
            store: "HTTP",
            source: error.into(),
        })
    }
}

#[async_trait]
impl HttpService for PatientClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_list = self.is_of_store && listing::is_list(request.uri());
        let ask = request.extensions().get::<Ask>().cloned();
        ask.iter().for_each(Ask::add_request);
        let answer = self.client.call(request).await;
        let is_late = |status: u16| status == 429 || status == 503;
        if let Ok(answer) = &answer
            && is_late(answer.status().as_u16())
        {
            let asked = asked_delay(answer.headers(), SystemTime::now());
            tokio::time::sleep(asked.min(self.timeout)).await;
        }
        match answer {
            Ok(answer) if is_list && answer.status().is_success() => {
                let (head, list) = answer.into_parts();
                let list = list.bytes().await?;
                ask.iter().for_each(|ask| ask.add_bytes(list.len()));
                Ok(HttpResponse::from_parts(
                    head,
                    listing::escape_keys(list).into(),
                ))
            }
            answer => answer,
        }
    }
}

/// Returns how long a service asks to wait, from `now` on: a number of seconds or a date.
fn asked_delay(headers: &HeaderMap, now: SystemTime) -> Duration {
    let asked = headers.get(RETRY_AFTER).and_then(|value| {
        let value = value.to_str().ok()?.trim();
        match value.parse() {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(_) => httpdate::parse_http_date(value)
                .ok()?
                .duration_since(now)
                .ok(),
        }
    });
    asked.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_asks_for_a_delay_in_seconds_or_until_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (value, seconds) in [
            ("7", 7),
            ("Sun, 06 Nov 1994 08:49:50 GMT", 13),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
            ("soon", 0),
            ("-1", 0),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(value))]);
            let delay = asked_delay(&headers, now);
            assert_eq!(delay, Duration::from_secs(seconds), "{value}");
        }
        assert_eq!(asked_delay(&HeaderMap::new(), now), Duration::ZERO);
    }
}

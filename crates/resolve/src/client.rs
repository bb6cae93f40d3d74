//! Asks questions about names until they are answered or no attempts are left.

use std::sync::Arc;
use std::time::Duration;

use doisift_core::Doi;

use crate::delay::MAX_WAIT;
use crate::fetch::{FetchOptions, Fetcher, ServiceReply};
use crate::pace::RequestLimiter;
use crate::refusals::Refusals;
use crate::{
    Agency, Backoff, CancelHandle, HandleAnswer, Rate, ServiceFailure, SetupError, agency, handle,
};

/// The services that a client asks, and its limits.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Address of the services; `https://doi.org/` by default.
    pub endpoint: String,
    /// Maximum rate of requests; 5 per second by default.
    pub rate: Rate,
    /// Maximum number of requests in progress at the same time, at least 1; 4 by default. The rate bounds them too.
    pub concurrency: usize,
    /// A mail address or web address to reach the person who runs the client. Part of the User-Agent.
    pub contact: Option<String>,
    /// Timeout for a connection; 10 seconds by default.
    pub connect_timeout: Duration,
    /// Timeout for a request, from the connection to the end of the answer; 30 seconds by default.
    pub timeout: Duration,
    /// Maximum number of attempts before a question counts as a failure, at least 1; 6 by default.
    pub attempts: u32,
    /// Delays between these attempts.
    pub backoff: Backoff,
}

impl Default for ClientOptions {
    fn default() -> Self {
        ClientOptions {
            endpoint: "https://doi.org/".to_owned(),
            rate: Rate::default(),
            concurrency: 4,
            contact: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            attempts: 6,
            backoff: Backoff::default(),
        }
    }
}

/// Asks the Handle API and the service "Which RA" of one endpoint. Its threads share one rate.
pub struct Client {
    endpoint: String,
    concurrency: usize,
    attempts: u32,
    backoff: Backoff,
    pace: Arc<RequestLimiter>,
    fetcher: Fetcher,
    refusals: Refusals,
}

impl Client {
    /// Makes a client with these options. Sends nothing yet.
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the option that cannot be used.
    pub fn new(options: &ClientOptions) -> Result<Self, SetupError> {
        let endpoint = endpoint(&options.endpoint)?;
        let concurrency = options.concurrency.max(1);
        let pace = RequestLimiter::new(options.rate);
        let fetch = FetchOptions {
            user_agent: user_agent(options.contact.as_deref())?,
            connect_timeout: options.connect_timeout.min(MAX_WAIT),
            timeout: options.timeout.min(MAX_WAIT),
            concurrency,
            uses_proxy: !is_on_this_machine(&endpoint),
        };
        Ok(Client {
            endpoint,
            concurrency,
            attempts: options.attempts.max(1),
            backoff: options.backoff,
            fetcher: Fetcher::new(fetch, Arc::clone(&pace)),
            refusals: Refusals::default(),
            pace,
        })
    }

    /// Returns the address of the services, with a final slash.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Returns the maximum number of requests in progress at the same time.
    pub(crate) fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// Returns a handle that ends this client's questions from another thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.pace.cancel_handle()
    }

    /// Asks the registry about one name, and follows one alias. Returns `None` if the client is cancelled.
    pub fn ask(&self, doi: &Doi) -> Option<HandleAnswer> {
        let answer = self.ask_once(doi)?;
        let HandleAnswer::Alias { target, .. } = answer else {
            return Some(answer);
        };
        let answer = match Doi::new(&target) {
            Ok(other) => Some(Box::new(self.ask_once(&other)?)),
            Err(_) => None,
        };
        Some(HandleAnswer::Alias { target, answer })
    }

    /// Asks the registry about one name, without following an alias.
    fn ask_once(&self, doi: &Doi) -> Option<HandleAnswer> {
        let answer = self.insist(&handle::path(doi), |reply| handle::parse_answer(doi, reply))?;
        Some(answer.unwrap_or_else(HandleAnswer::CouldNotAsk))
    }

    /// Asks for the agencies of the names of one batch. Returns `None` if the client is cancelled.
    pub(crate) fn ask_agencies(&self, names: &[Doi]) -> Option<Vec<Agency>> {
        let answers = self.insist(&agency::path(names), |reply| {
            agency::parse_agencies(names, reply)
        })?;
        let all_failed = |failure| vec![Agency::CouldNotAsk(failure); names.len()];
        Some(answers.unwrap_or_else(all_failed))
    }

    /// Fetches `path` until `read` accepts the reply, the failure is permanent, no attempts are left, or the client gave
    /// up.
    fn insist<T>(
        &self,
        path: &str,
        read: impl Fn(&ServiceReply) -> Result<T, ServiceFailure>,
    ) -> Option<Result<T, ServiceFailure>> {
        let url = format!("{}{path}", self.endpoint);
        let mut attempt = 0;
        loop {
            if let Some(failure) = self.refusals.given_up() {
                return Some(Err(failure));
            }
            let failure = match self.fetcher.get(&url)?.and_then(|reply| read(&reply)) {
                Ok(answer) => {
                    self.refusals.answered();
                    return Some(Ok(answer));
                }
                Err(failure) => failure,
            };
            if self.refusals.note(&failure) {
                return Some(Err(failure));
            }
            let delay = self.backoff.delay(attempt, fastrand::f64());
            if failure.is_overload() {
                self.pace.pause(delay);
            }
            attempt += 1;
            if attempt >= self.attempts || !failure.may_pass() {
                return Some(Err(failure));
            }
            self.pace.sleep(delay)?;
        }
    }
}

/// Returns the endpoint with a final slash.
fn endpoint(text: &str) -> Result<String, SetupError> {
    let rest = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    let has_host = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !b"?#\"<>".contains(&byte));
    if !has_host || !is_plain {
        return Err(SetupError::Endpoint(text.to_owned()));
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

/// Whether the service is on this machine. Such a service is reached without the proxy of the environment.
fn is_on_this_machine(endpoint: &str) -> bool {
    let host = endpoint
        .split("://")
        .nth(1)
        .unwrap_or_default()
        .split('/')
        .next()
        .unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "localhost" || name == "[::1]" || name.starts_with("127.")
}

fn user_agent(contact: Option<&str>) -> Result<String, SetupError> {
    let program = concat!("doisift-resolve/", env!("CARGO_PKG_VERSION"));
    let Some(contact) = contact else {
        return Ok(program.to_owned());
    };
    let can_be_sent =
        |byte: u8| (byte.is_ascii_graphic() || byte == b' ') && !b"()".contains(&byte);
    if contact.is_empty() || !contact.bytes().all(can_be_sent) {
        return Err(SetupError::Contact(contact.to_owned()));
    }
    Ok(format!("{program} ({contact})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_get_a_final_slash() {
        for text in ["https://doi.org", "https://doi.org/", "https://doi.org//"] {
            assert_eq!(endpoint(text).as_deref(), Ok("https://doi.org/"));
        }
        let below = endpoint("http://127.0.0.1:80/proxy");
        assert_eq!(below.as_deref(), Ok("http://127.0.0.1:80/proxy/"));
        for text in [
            "doi.org",
            "ftp://doi.org",
            "https://",
            "https:///a",
            "https://a/?b",
            "https://a b",
        ] {
            assert!(endpoint(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_this_machine_goes_without_a_proxy() {
        for endpoint in [
            "http://127.0.0.1:80/",
            "http://localhost/",
            "http://[::1]:80/",
        ] {
            assert!(is_on_this_machine(endpoint), "{endpoint}");
        }
        for endpoint in ["https://doi.org/", "https://localhost.example:1/"] {
            assert!(!is_on_this_machine(endpoint), "{endpoint}");
        }
    }

    #[test]
    fn the_contact_is_in_the_user_agent() {
        let agent = user_agent(Some("mailto:ann@example.org")).unwrap();
        assert!(agent.starts_with("doisift-resolve/"), "{agent}");
        assert!(agent.ends_with(" (mailto:ann@example.org)"), "{agent}");
        for contact in ["", "a\r\nHost: b", "é", "a)"] {
            assert!(user_agent(Some(contact)).is_err(), "{contact:?}");
        }
    }
}

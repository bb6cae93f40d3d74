//! Fetches one address by HTTP. Every request waits for its turn, even a redirected one. Knows nothing of names.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ureq::http::{Response, header};
use ureq::{Agent, Body};

use crate::ServiceFailure;
use crate::answer::time;
use crate::delay::{MAX_RETRY_AFTER, retry_after};
use crate::pace::RequestLimiter;
use crate::rate::Rate;

const MAX_REDIRECTS: usize = 5;

/// Minimum wait that is reported to the user.
const MIN_REPORTED_WAIT: Duration = Duration::from_secs(5);

/// Maximum size of a body. A record with a thousand values has some 100 KiB.
const MAX_BODY_BYTES: u64 = 8 << 20;

/// A service's reply with any status except a redirect.
pub(crate) struct ServiceReply {
    pub status: u16,
    pub body: Vec<u8>,
}

/// The result of one request.
enum FetchStep {
    Reply(ServiceReply),
    Redirect(String),
}

/// Options for requests to services.
pub(crate) struct FetchOptions {
    pub user_agent: String,
    pub connect_timeout: Duration,
    pub timeout: Duration,
    pub concurrency: usize,
    /// Whether the proxy of the environment is used.
    pub uses_proxy: bool,
}

pub(crate) struct Fetcher {
    agent: Agent,
    pace: Arc<RequestLimiter>,
}

impl Fetcher {
    pub fn new(options: FetchOptions, pace: Arc<RequestLimiter>) -> Self {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(options.user_agent)
            .accept("application/json")
            .accept_encoding("identity")
            .timeout_connect(Some(options.connect_timeout))
            .timeout_global(Some(options.timeout))
            .max_idle_connections(options.concurrency)
            .max_idle_connections_per_host(options.concurrency);
        if !options.uses_proxy {
            config = config.proxy(None);
        }
        Fetcher {
            agent: config.build().new_agent(),
            pace,
        }
    }

    /// Fetches `url` and follows redirects. Returns `None` if the client is cancelled.
    pub fn get(&self, url: &str) -> Option<Result<ServiceReply, ServiceFailure>> {
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            match self.step(&url)? {
                Ok(FetchStep::Redirect(location)) => match target(&url, &location) {
                    Some(next) => url = next,
                    None => return Some(Err(ServiceFailure::Redirect(location))),
                },
                Ok(FetchStep::Reply(reply)) => return Some(Ok(reply)),
                Err(failure) => return Some(Err(failure)),
            }
        }
        Some(Err(ServiceFailure::Redirect(url)))
    }

    /// Sends one request and reads its whole reply. Waits for its turn first.
    fn step(&self, url: &str) -> Option<Result<FetchStep, ServiceFailure>> {
        let permit = self.pace.enter()?;
        let answered = self.agent.get(url).call();
        let step = answered.map_err(network).and_then(|mut response| {
            self.obey(&response)?;
            read_reply(&mut response)
        });
        drop(permit);
        Some(step)
    }

    /// Applies the limits that the service states.
    ///
    /// # Errors
    /// If it wants no requests for longer than a client waits.
    fn obey(&self, response: &Response<Body>) -> Result<(), ServiceFailure> {
        let limit = text(response, "x-rate-limit-limit");
        let interval = text(response, "x-rate-limit-interval");
        if let (Some(limit), Some(interval)) = (limit, interval)
            && let Some(rate) = Rate::from_headers(limit, interval)
        {
            self.pace.obey(rate);
        }
        if matches!(response.status().as_u16(), 429 | 503)
            && let Some(header) = text(response, header::RETRY_AFTER.as_str())
            && let Some(wait) = retry_after(header, SystemTime::now())
        {
            if wait > MAX_RETRY_AFTER {
                return Err(ServiceFailure::Wait(wait));
            }
            if self.pace.pause(wait) >= MIN_REPORTED_WAIT {
                log::warn!(
                    "the service asks to send no request for {}; waiting",
                    time(wait)
                );
            }
        }
        Ok(())
    }
}

fn read_reply(response: &mut Response<Body>) -> Result<FetchStep, ServiceFailure> {
    let status = response.status().as_u16();
    if matches!(status, 301 | 302 | 303 | 307 | 308) {
        let location = text(response, header::LOCATION.as_str());
        return Ok(FetchStep::Redirect(location.unwrap_or_default().to_owned()));
    }
    let body = response.body_mut().with_config().limit(MAX_BODY_BYTES);
    let body = body.read_to_vec().map_err(network)?;
    Ok(FetchStep::Reply(ServiceReply { status, body }))
}

fn network(error: ureq::Error) -> ServiceFailure {
    match error {
        ureq::Error::HostNotFound | ureq::Error::Timeout(ureq::Timeout::Resolve) => {
            ServiceFailure::Lookup(error.to_string())
        }
        ureq::Error::Io(error) if is_lookup(&error) => ServiceFailure::Lookup(error.to_string()),
        error => ServiceFailure::Network(error.to_string()),
    }
}

/// Whether the error is a failed look-up of a host. The standard library has no kind for it.
fn is_lookup(error: &io::Error) -> bool {
    // The codes of Windows for the four failures of a look-up.
    let is_windows = error
        .raw_os_error()
        .is_some_and(|code| (11001..=11004).contains(&code));
    is_windows || error.to_string().contains("failed to lookup address")
}

fn text<'a>(response: &'a Response<Body>, header: &str) -> Option<&'a str> {
    response.headers().get(header)?.to_str().ok()
}

/// Returns the address that a redirect of `from` leads to; `None` if it has none, or one without TLS though `from` has TLS.
fn target(from: &str, location: &str) -> Option<String> {
    let (scheme, rest) = from.split_once("://")?;
    let host = rest.split('/').next()?;
    if location.starts_with("//") {
        return Some(format!("{scheme}:{location}"));
    }
    if location.starts_with('/') {
        return Some(format!("{scheme}://{host}{location}"));
    }
    let safe = location.starts_with("https://");
    let as_safe = scheme == "http" && location.starts_with("http://");
    (safe || as_safe).then(|| location.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_redirects() {
        let from = "https://doi.org/api/handles/10.1000/1";
        let cases = [
            ("/api/x", Some("https://doi.org/api/x")),
            ("//hdl.handle.net/a", Some("https://hdl.handle.net/a")),
            ("https://hdl.handle.net/a", Some("https://hdl.handle.net/a")),
            ("http://hdl.handle.net/a", None),
            ("file:///etc/passwd", None),
            ("", None),
        ];
        for (location, expected) in cases {
            assert_eq!(target(from, location).as_deref(), expected, "{location}");
        }
        let plain = target("http://127.0.0.1:80/a", "http://127.0.0.1:81/b");
        assert_eq!(plain.as_deref(), Some("http://127.0.0.1:81/b"));
    }
}

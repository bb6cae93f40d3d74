//! Hosts that requests may reach.
//!
//! Addresses that the user did not name, from redirects and from lists that came from a service, must not lead into the user's own
//! network: to loopback, private and link-local addresses, among them the services that give credentials to machines in a cloud.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, RwLock};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The hosts that the user named, in addresses, endpoints and proxies, in lower case.
#[derive(Debug, Default)]
pub(crate) struct NamedHosts(RwLock<BTreeSet<String>>);

/// A host has only addresses that are not public.
#[derive(Debug, thiserror::Error)]
#[error("the host has a private address, and was not named by the user")]
pub(crate) struct PrivateHost;

/// Variables with addresses of proxies and endpoints.
const VARIABLES: [&str; 4] = ["PROXY", "ENDPOINT", "EMULATOR", "_URL"];

impl NamedHosts {
    /// Takes the hosts of proxies and endpoints from the environment.
    pub(crate) fn of_environment() -> Self {
        let hosts = NamedHosts::default();
        for (name, value) in std::env::vars_os() {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            let name = name.to_ascii_uppercase();
            if VARIABLES.iter().any(|part| name.contains(part)) {
                hosts.add_address(value);
            }
        }
        hosts
    }

    /// Adds the host of an address, which may lack a scheme.
    pub(crate) fn add_address(&self, address: &str) {
        let url = Url::parse(address).ok().filter(Url::has_host);
        let url = url.or_else(|| Url::parse(&format!("http://{address}")).ok());
        if let Some(host) = url.as_ref().and_then(Url::host_str) {
            let mut hosts = self
                .0
                .write()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            hosts.insert(host.to_ascii_lowercase());
        }
    }

    fn has(&self, host: &str) -> bool {
        let hosts = self
            .0
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        hosts.contains(&host.to_ascii_lowercase())
    }

    /// Whether a request to `url` may be sent, as far as its text shows. Names of hosts are checked when they are [resolved](NamedResolver).
    pub(crate) fn admits(&self, url: &Url) -> bool {
        let named = url.host_str().is_some_and(|host| self.has(host));
        let is_public = match url.host() {
            Some(Host::Ipv4(ip)) => is_public(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => is_public(IpAddr::V6(ip)),
            Some(Host::Domain(_)) => true,
            None => false,
        };
        matches!(url.scheme(), "http" | "https") && (named || is_public)
    }
}

/// Resolves names of hosts by the system. A host that the user did not name has only its public addresses.
#[derive(Debug)]
pub(crate) struct NamedResolver(pub(crate) Arc<NamedHosts>);

impl Resolve for NamedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let hosts = Arc::clone(&self.0);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let asked = host.clone();
            let found = tokio::task::spawn_blocking(move || (asked.as_str(), 0).to_socket_addrs());
            let mut found: Vec<SocketAddr> = found.await??.collect();
            if !hosts.has(&host) {
                found.retain(|at| is_public(at.ip()));
            }
            match found.is_empty() {
                true => Err(PrivateHost.into()),
                false => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether an address is one of the public network.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    // 0.0.0.0/8, shared space of carriers (RFC 6598), benchmarks (RFC 2544) and the reserved upper end.
    let is_special =
        a == 0 || (a == 100 && b & 0xc0 == 64) || (a == 198 && b & 0xfe == 18) || a >= 240;
    let is_local = ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_multicast();
    !is_special && !is_local && !ip.is_documentation()
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    // Only 2000::/3 is assigned to the public network. Of it, 2002::/16 and 64:ff9b::/96 hold IPv4 addresses.
    let [first, second, third, ..] = ip.segments();
    let embedded = Ipv4Addr::from((u32::from(second) << 16) | u32::from(third));
    first & 0xe000 == 0x2000 && (first != 0x2002 || is_public_v4(embedded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_admitted_only_if_they_were_named() {
        let hosts = NamedHosts::default();
        hosts.add_address("http://127.0.0.1:9000/x");
        hosts.add_address("minio.local:9000");
        let admits = |url: &str| hosts.admits(&Url::parse(url).unwrap());
        for url in [
            "http://127.0.0.1/y",
            "https://8.8.8.8/",
            "https://doi.example/",
            "http://[2600::1]/",
        ] {
            assert!(admits(url), "{url}");
        }
        for url in [
            "http://169.254.169.254/latest",
            "http://127.0.0.2/",
            "http://10.0.0.1/",
            "http://192.168.1.1/",
            "http://0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
            "http://[2002:a00:1::]/",
            "http://100.64.0.1/",
            "http://2130706434/",
            "file:///etc/passwd",
            "ftp://8.8.8.8/",
        ] {
            assert!(!admits(url), "{url}");
        }
        assert!(hosts.has("MINIO.local"));
    }
}

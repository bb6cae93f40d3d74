//! Stores out of addresses, the environment, profiles and the caller's options.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use crate::address::StoreAddress;
use crate::client::Connector;
use crate::error::RemoteError;
use crate::listing::Store;
use crate::profile;

/// The first and the longest delay before an attempt is repeated.
pub(crate) const DELAYS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(20)];
/// Attempts after the first one without a byte in between.
pub(crate) const MAX_RETRIES: u32 = 6;

/// Makes the store of an address. `options` precede the environment, and the environment a profile.
pub(crate) fn open(
    address: &StoreAddress,
    options: &[(String, String)],
    connector: &Connector,
) -> Result<Arc<dyn Store>, RemoteError> {
    let retry = RetryConfig {
        backoff: BackoffConfig {
            init_backoff: DELAYS[0],
            max_backoff: DELAYS[1],
            base: 2.0,
        },
        max_retries: MAX_RETRIES as usize,
        retry_timeout: connector.timeout * 2,
    };
    let failed = |error: object_store::Error| RemoteError::Setup(error.to_string());
    // An endpoint is http only if the user wrote it so.
    let client = ClientOptions::new().with_allow_http(true);
    // The builders share no trait.
    macro_rules! built {
        ($builder:expr) => {{
            let builder = $builder.with_retry(retry).with_client_options(client);
            let store = builder.with_http_connector(connector.clone()).build();
            Ok(Arc::new(store.map_err(failed)?))
        }};
    }
    match address {
        StoreAddress::S3(bucket) => {
            built!(amazon(options)?.with_bucket_name(bucket))
        }
        StoreAddress::Google(bucket) => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
            for (name, value) in known(options) {
                builder = builder.with_config(name, value);
            }
            built!(builder)
        }
        StoreAddress::Azure {
            container, account, ..
        } => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(container);
            if let Some(account) = account {
                builder = builder.with_account(account);
            }
            for (name, value) in known(options) {
                builder = builder.with_config(name, value);
            }
            built!(builder)
        }
        StoreAddress::Web(_) => Err(RemoteError::Setup("a web server is no store".to_owned())),
    }
}

/// Returns the options that a service knows. A list of options may have some for several services.
fn known<K: std::str::FromStr>(options: &[(String, String)]) -> impl Iterator<Item = (K, String)> {
    options
        .iter()
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value.clone())))
}

/// Makes the settings of S3.
fn amazon(options: &[(String, String)]) -> Result<AmazonS3Builder, RemoteError> {
    let mut builder = AmazonS3Builder::new();
    let in_environment = std::env::var_os("AWS_ACCESS_KEY_ID").is_some();
    for (name, value) in profile::read().map_err(RemoteError::Setup)? {
        // Credentials of the environment and of a profile are not mixed.
        let is_credential = name.starts_with("aws_");
        if let Ok(key) = name.parse::<AmazonS3ConfigKey>()
            && !(is_credential && in_environment)
        {
            builder = builder.with_config(key, value);
        }
    }
    for (name, value) in std::env::vars() {
        if let Some(key) = name
            .starts_with("AWS_")
            .then(|| name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>().ok())
            .flatten()
        {
            builder = builder.with_config(key, value);
        }
    }
    for (name, value) in known::<AmazonS3ConfigKey>(options) {
        builder = builder.with_config(name, value);
    }
    Ok(builder)
}

/// Returns the first name of [settings](crate::RemoteOptions::settings) that no store has.
pub fn unknown_setting(settings: &[(String, String)]) -> Option<&str> {
    let is_known = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.parse::<AmazonS3ConfigKey>().is_ok()
            || name.parse::<GoogleConfigKey>().is_ok()
            || name.parse::<AzureConfigKey>().is_ok()
    };
    let mut names = settings.iter().map(|(name, _)| name.as_str());
    names.find(|name| !is_known(name))
}

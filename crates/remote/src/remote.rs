//! The services of a task: its runtime, stores, clients and limits.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use http::HeaderValue;
use object_store::client::HttpClient;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::address::{RemoteAddress, StoreAddress};
use crate::client::Connector;
use crate::error::RemoteError;
use crate::fetch::{Fetcher, Rate, is_over};
use crate::file::{FIRST_BYTES, RemoteFile};
use crate::hosts::NamedHosts;
use crate::listing::{self, Store};
use crate::location::{Identity, Location, WebFile, of_meta};
use crate::lock::lock;
use crate::store;
use crate::traffic::Traffic;
use crate::write::RemoteWriter;

/// Options for the services of a task.
#[derive(Clone)]
pub struct RemoteOptions {
    /// Ranges that are fetched at the same time. A reader without bytes does not wait for the others, so there may be one more for each thread.
    pub connections: usize,
    /// Bytes that may arrive in a second.
    pub rate: Option<u64>,
    /// The longest time in which an object may give less than 64 KiB.
    pub timeout: Duration,
    /// Bytes that are held ahead of their readers, in all. A reader has one range of at most 4 MiB beyond that.
    pub held_bytes: usize,
    /// Settings of stores, by the names that object_store gives them, such as `aws_region`. They precede the environment.
    pub settings: Vec<(String, String)>,
    /// Counts what is asked for.
    pub traffic: Traffic,
}

impl Default for RemoteOptions {
    /// 16 connections, 64 MiB, two minutes.
    fn default() -> Self {
        RemoteOptions {
            connections: 16,
            rate: None,
            timeout: Duration::from_secs(120),
            held_bytes: 64 << 20,
            settings: Vec::new(),
            traffic: Traffic::default(),
        }
    }
}

/// Shows the names of settings. Their values may be secret.
impl fmt::Debug for RemoteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings: Vec<&str> = self
            .settings
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        f.debug_struct("RemoteOptions")
            .field("connections", &self.connections)
            .field("rate", &self.rate)
            .field("timeout", &self.timeout)
            .field("held_bytes", &self.held_bytes)
            .field("settings", &settings)
            .finish()
    }
}

/// The services that a task reads objects from. Clones are the same services.
#[derive(Clone)]
pub struct Remote(Arc<Services>);

struct Services {
    connector: Connector,
    options: RemoteOptions,
    fetcher: Arc<Fetcher>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stores: HashMap<StoreAddress, Arc<dyn Store>>,
    web: Option<HttpClient>,
    /// Addresses with secrets, by their names.
    addresses: HashMap<String, RemoteAddress>,
    /// Sizes and stamps of objects that were listed or opened, by the hash of their names.
    known: HashMap<u64, KnownObject>,
    /// What names were found to be when they were checked.
    checked: HashMap<String, String>,
    /// Objects that are opened ahead, by name.
    opened: HashMap<String, oneshot::Receiver<Result<RemoteFile, RemoteError>>>,
}

/// What is known of an object that was not opened.
struct KnownObject {
    size: Option<u64>,
    stamp: u64,
}

/// The interval at which the end of a task is noticed.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

impl Remote {
    /// Makes the services of a task. Nothing is asked yet.
    ///
    /// # Errors
    /// If no service knows one of the settings, or the system has no thread for requests.
    pub fn new(options: RemoteOptions) -> Result<Self, RemoteError> {
        if let Some(name) = store::unknown_setting(&options.settings) {
            return Err(RemoteError::Setup(format!(
                "no store has a setting {name:?}"
            )));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("remote")
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| RemoteError::Setup(error.to_string()))?;
        let hosts = NamedHosts::of_environment();
        for (_, value) in &options.settings {
            hosts.add_address(value);
        }
        let fetcher = Fetcher {
            connections: Semaphore::new(options.connections.max(1)),
            timeout: options.timeout,
            over: watch::Sender::new(false),
            rate: options.rate.map(Rate::new),
            held: Arc::new(Semaphore::new(options.held_bytes >> 10)),
            runtime: Some(runtime),
        };
        let timeout = options.timeout;
        Ok(Remote(Arc::new(Services {
            connector: Connector {
                hosts: Arc::new(hosts),
                timeout,
            },
            options,
            fetcher: Arc::new(fetcher),
            state: Mutex::default(),
        })))
    }

    /// Takes an address that the user wrote. Its host may be a private one. Returns the name, which has no secrets, and by which the object is
    /// known from now on.
    ///
    /// # Errors
    /// If it is not an address.
    pub fn add(&self, address: &str) -> Result<String, RemoteError> {
        if let StoreAddress::Web(url) = RemoteAddress::parse(address)?.store {
            self.0.connector.hosts.add_address(url.as_str());
        }
        self.add_listed(address)
    }

    /// Takes an address from a list that came from a service. Its host must be a public one, unless the user named it. Returns the name.
    ///
    /// # Errors
    /// If it is not an address.
    pub fn add_listed(&self, address: &str) -> Result<String, RemoteError> {
        let address = RemoteAddress::parse(address)?;
        let name = address.to_string();
        if let StoreAddress::Web(url) = &address.store
            && url.as_str() != name
        {
            self.0.state().addresses.insert(name.clone(), address);
        }
        Ok(name)
    }

    /// Returns the address of a name.
    fn address(&self, name: &str) -> Result<RemoteAddress, RemoteError> {
        let known = self.0.state().addresses.get(name).cloned();
        known.map_or_else(|| RemoteAddress::parse(name), Ok)
    }

    /// Gives the names of the objects below a prefix to `each`, in no certain order, until it returns false. An empty object whose key ends with `/`
    /// stands for a folder, and is not one of them.
    ///
    /// # Errors
    /// If the service cannot be asked.
    pub fn list(&self, name: &str, each: &mut dyn FnMut(&str) -> bool) -> Result<(), RemoteError> {
        let address = self.address(name)?;
        let (to, mut pages) = mpsc::channel(1);
        self.send_pages(&address, to)?;
        while let Some(page) = pollster::block_on(pages.recv()) {
            for object in page? {
                let key = listing::key_of(&object.location);
                if key.ends_with('/') && object.size == 0 {
                    continue;
                }
                let name = address.sibling(&key).to_string();
                self.0.remember(&name, &of_meta(&object));
                if !each(&name) {
                    return Ok(());
                }
            }
        }
        match *self.0.fetcher.over.borrow() {
            true => Err(RemoteError::Cancelled),
            false => Ok(()),
        }
    }

    /// Starts to ask for the objects below a prefix. Ends early if nobody wants them.
    fn send_pages(
        &self,
        address: &RemoteAddress,
        to: mpsc::Sender<Result<Vec<ObjectMeta>, RemoteError>>,
    ) -> Result<(), RemoteError> {
        if address.is_web() {
            return Err(RemoteError::Setup(
                "a web server has no list of its files".to_owned(),
            ));
        }
        let store = self.store(&address.store)?;
        let slash = if address.is_prefix() { "" } else { "/" };
        let prefix = format!("{}{slash}", address.key);
        let fetcher = Arc::clone(&self.0.fetcher);
        let traffic = self.0.options.traffic.source(&address.to_string());
        let mut over = fetcher.over.subscribe();
        self.0.fetcher.spawn(async move {
            let work = async {
                let mut token = None;
                loop {
                    let page = fetcher
                        .page(&*store, &prefix, token.as_deref(), &traffic)
                        .await;
                    let next = page.as_ref().ok().and_then(|page| page.page_token.clone());
                    let objects = page.map(|page| page.result.objects);
                    if to.send(objects).await.is_err() || next.is_none() {
                        return;
                    }
                    token = next;
                }
            };
            tokio::select! {
                () = work => {}
                () = is_over(&mut over) => {}
            }
        });
        Ok(())
    }

    /// Opens an object, and waits for its first bytes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(&self, name: &str) -> Result<RemoteFile, RemoteError> {
        let ahead = self.0.state().opened.remove(name);
        let opened = match ahead {
            Some(opened) => opened,
            None => self.start_opening(name)?,
        };
        pollster::block_on(opened).unwrap_or(Err(RemoteError::Cancelled))
    }

    /// Checks that an object exists, or that there are objects below a prefix. Returns the name, with `/` after that of a prefix. The first bytes of
    /// an object are held for when it is opened. Asks for each name once.
    ///
    /// # Errors
    /// If there is no such object, or the service cannot be asked.
    pub fn check(&self, name: &str) -> Result<String, RemoteError> {
        let checked = self.0.state().checked.get(name).cloned();
        if let Some(checked) = checked {
            return Ok(checked);
        }
        let found = self.find(name)?;
        let mut state = self.0.state();
        state.checked.insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// Returns the name of an object, or of a prefix with objects.
    fn find(&self, name: &str) -> Result<String, RemoteError> {
        let address = self.address(name)?;
        if !address.is_prefix() {
            match self.open(name) {
                Err(RemoteError::NotFound) if !address.is_web() => {}
                opened => {
                    let (to, held) = oneshot::channel();
                    let _ = to.send(Ok(opened?));
                    self.0.state().opened.insert(name.to_owned(), held);
                    return Ok(name.to_owned());
                }
            }
        }
        let mut has_objects = false;
        self.list(name, &mut |_| {
            has_objects = true;
            false
        })?;
        let slash = if address.is_prefix() { "" } else { "/" };
        match has_objects || address.is_prefix() {
            true => Ok(format!("{name}{slash}")),
            false => Err(RemoteError::NotFound),
        }
    }

    /// Returns the size of an object in bytes, if it was listed or opened.
    pub fn listed_size(&self, name: &str) -> Option<u64> {
        self.0.state().known.get(&xxh3_64(name.as_bytes()))?.size
    }

    /// [Cancels](Self::cancel) when `is_over` returns true.
    pub fn cancel_when(&self, is_over: impl Fn() -> bool + Send + 'static) {
        let over = self.0.fetcher.over.clone();
        self.0.fetcher.spawn(async move {
            while !is_over() {
                tokio::time::sleep(CANCEL_CHECK_INTERVAL).await;
            }
            over.send_replace(true);
        });
    }

    /// Says that an object will be opened soon. Its first bytes are fetched if there is room for them.
    pub fn expect(&self, name: &str) {
        let is_known = self.0.state().opened.contains_key(name);
        let has_room = self.0.fetcher.held.available_permits() as u64 > FIRST_BYTES >> 10;
        if is_known || !has_room || self.0.fetcher.connections.available_permits() == 0 {
            return;
        }
        if let Ok(opened) = self.start_opening(name) {
            self.0.state().opened.insert(name.to_owned(), opened);
        }
    }

    /// Starts to open an object.
    fn start_opening(
        &self,
        name: &str,
    ) -> Result<oneshot::Receiver<Result<RemoteFile, RemoteError>>, RemoteError> {
        let location = self.location(&self.address(name)?)?;
        let traffic = self.0.options.traffic.source(name);
        let (to, opened) = oneshot::channel();
        let (remote, name) = (self.clone(), name.to_owned());
        self.0.fetcher.spawn(async move {
            let file = RemoteFile::open(&remote.0.fetcher, location, traffic).await;
            if let Ok(file) = &file {
                remote.0.remember(&name, file.identity());
            }
            let _ = to.send(file);
        });
        Ok(opened)
    }

    /// Returns a number that changes when the object does. Asks the service if the object was neither listed nor opened.
    ///
    /// # Errors
    /// If the service cannot be asked.
    pub fn stamp(&self, name: &str) -> Result<u64, RemoteError> {
        if let Some(known) = self.0.state().known.get(&xxh3_64(name.as_bytes())) {
            return Ok(known.stamp);
        }
        let location = self.location(&self.address(name)?)?;
        let ask = self.0.options.traffic.source(name).ask();
        let identity = self
            .0
            .fetcher
            .run(async move { location.head(&ask).await })?;
        self.0.remember(name, &identity);
        Ok(stamp(&identity))
    }

    /// Begins to write an object, which appears when it is committed.
    ///
    /// # Errors
    /// If it is a file of a web server, or the service cannot be asked.
    pub fn create(&self, name: &str) -> Result<RemoteWriter, RemoteError> {
        let (store, path) = self.written(name)?;
        self.forget(name);
        RemoteWriter::begin(&self.0.fetcher, name, store, path)
    }

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// If the service does not remove it.
    pub fn remove(&self, name: &str) -> Result<(), RemoteError> {
        let (store, path) = self.written(name)?;
        self.forget(name);
        let removed = self.0.fetcher.run_to_end(async move {
            let removed = store.delete(&path).await;
            removed.map_err(|error| RemoteError::of_store(&error))
        });
        match removed {
            Err(RemoteError::NotFound) => Ok(()),
            removed => removed,
        }
    }

    /// Returns the place of an object that can be written.
    fn written(&self, name: &str) -> Result<(Arc<dyn Store>, Path), RemoteError> {
        match self.location(&self.address(name)?)? {
            Location::Store(store, path) => Ok((store, path)),
            Location::Web(..) => Err(RemoteError::Setup(
                "a web server takes no files; write to a store or to this machine".to_owned(),
            )),
        }
    }

    /// Forgets what is known of an object, since it is written.
    fn forget(&self, name: &str) {
        let mut state = self.0.state();
        state.known.remove(&xxh3_64(name.as_bytes()));
        state.opened.remove(name);
    }

    /// Ends requests under way. All waiting readers get [`RemoteError::Cancelled`].
    pub fn cancel(&self) {
        self.0.fetcher.over.send_replace(true);
    }

    fn location(&self, address: &RemoteAddress) -> Result<Location, RemoteError> {
        match &address.store {
            StoreAddress::Web(url) if !self.0.connector.hosts.admits(url) => {
                Err(RemoteError::PrivateHost)
            }
            StoreAddress::Web(url) => {
                Ok(Location::Web(self.web_client()?, Arc::new(web_file(url)?)))
            }
            store => {
                let path = listing::path_of(store, &address.key)?;
                Ok(Location::Store(self.store(store)?, path))
            }
        }
    }

    fn web_client(&self) -> Result<HttpClient, RemoteError> {
        let mut state = self.0.state();
        if let Some(client) = &state.web {
            return Ok(client.clone());
        }
        let client = self.0.connector.web_client();
        let client = client.map_err(|error| RemoteError::Setup(error.without_url().to_string()))?;
        Ok(state.web.insert(client).clone())
    }

    fn store(&self, address: &StoreAddress) -> Result<Arc<dyn Store>, RemoteError> {
        let mut state = self.0.state();
        if let Some(store) = state.stores.get(address) {
            return Ok(Arc::clone(store));
        }
        let store = store::open(address, &self.0.options.settings, &self.0.connector)?;
        state.stores.insert(address.clone(), Arc::clone(&store));
        Ok(store)
    }
}

impl Services {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn remember(&self, name: &str, identity: &Identity) {
        let (size, stamp) = (identity.size, stamp(identity));
        let known = KnownObject { size, stamp };
        self.state().known.insert(xxh3_64(name.as_bytes()), known);
    }
}

/// Shows nothing that may be secret.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Remote").field(&self.0.options).finish()
    }
}

fn stamp(identity: &Identity) -> u64 {
    let tag = identity.tag.as_deref().unwrap_or_default();
    let tag = tag.trim_start_matches("W/").trim_matches('"');
    xxh3_64(format!("{} {tag}", identity.size.unwrap_or(u64::MAX)).as_bytes())
}

/// Takes user and password out of an address.
fn web_file(url: &Url) -> Result<WebFile, RemoteError> {
    let user = percent_encoding::percent_decode_str(url.username());
    let password = percent_encoding::percent_decode_str(url.password().unwrap_or_default());
    let (user, password): (Vec<u8>, Vec<u8>) = (user.collect(), password.collect());
    let has_user = !url.username().is_empty() || url.password().is_some();
    let authorization = has_user.then(|| {
        let encoded = data_encoding::BASE64.encode(&[&user[..], b":", &password].concat());
        let mut value = HeaderValue::from_str(&format!("Basic {encoded}"));
        if let Ok(value) = &mut value {
            value.set_sensitive(true);
        }
        value
    });
    let authorization = authorization
        .transpose()
        .map_err(|error| RemoteError::Setup(error.to_string()))?;
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Ok(WebFile { url, authorization })
}

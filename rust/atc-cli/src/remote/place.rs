//! A place is what a URL names: a folder of bundles (in an object store, on a web server or in a file system), or
//! one bundle. A bundle is a file of decisions.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{ClientConfigKey, HttpError, HttpErrorKind};
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientOptions, Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};
use tokio::runtime::Runtime;

use super::names;
use crate::failure::{Failure, Result};

/// The size of the largest bundle that libatc reads, in bytes.
const MOST_BYTES: u64 = 1 << 30;
const MOST_BYTES_OF_SIGNATURE: u64 = 4096;
/// The largest number of files that a place (a folder of bundles) may contain.
const MOST_FILES: usize = 200_000;
/// The number of bundles that are fetched at the same time.
const AT_ONCE: usize = 8;
/// Two time limits: an hour for a whole request (enough for 1 GiB on a slow network), and a minute for a pause in which
/// no data arrive.
const TIMES: [(ClientConfigKey, &str); 2] =
    [(ClientConfigKey::Timeout, "1h"), (ClientConfigKey::ReadTimeout, "1min")];

/// Whether the command reads bundles from a place (a folder of bundles) or writes bundles to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Pull,
    Push,
}

pub struct Place {
    /// The URL as the user wrote it. It contains no credentials, because [`Place::open`] refuses URLs with credentials.
    url: String,
    store: Arc<dyn ObjectStore>,
    /// The path of the folder in the object store. The names of bundles are relative to this path.
    prefix: Path,
    /// The folder that the URL names, if the URL has the scheme `file`.
    folder: Option<PathBuf>,
    /// If the URL names a single bundle: the name of this bundle.
    only: Option<String>,
    runtime: Runtime,
}

/// The names of the files in a place (a folder of bundles).
pub struct Listing {
    /// The names of all files that end in `.bundle`, sorted. Some of them may not have the form
    /// `ENVIRONMENT/SHA256.bundle`.
    pub bundles: Vec<String>,
    /// The names of all files with signatures. `None` if these names are not known.
    signatures: Option<BTreeSet<String>>,
    /// For each file whose name cannot be used: a sentence that says so.
    pub faults: Vec<String>,
}

/// A bundle that was fetched.
pub struct Fetched<'a> {
    pub name: &'a str,
    pub bundle: Got,
    /// The signature by the wanted key; `None` if no signature was wanted or there is none.
    pub signature: Option<Vec<u8>>,
}

pub enum Got {
    Bytes(Vec<u8>),
    Absent,
    TooLarge,
}

impl Place {
    pub fn open(url: &str, access: Access) -> Result<Self> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| unknown(url))?;
        let (host, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        if host.contains('@') || rest.contains(['?', '#']) {
            // The error does not repeat the URL, because a user name, a query or a fragment may be secret.
            return Err(Failure::Usage(
                "the URL has a user name, a query (?) or a fragment (#): leave them out, and give credentials by \
                 environment variables"
                    .to_owned(),
            ));
        }
        let path = Path::from_url_path(path)
            .map_err(|error| Failure::Usage(format!("{url}: this path cannot be used: {error}")))?;
        let plain = scheme == "http" && is_this_machine(host);
        let only = names::is_bundle(path.as_ref());
        if access == Access::Push && (only || plain || scheme == "https") {
            return Err(Failure::Usage(format!(
                "{url}: push writes to a folder, s3://BUCKET/FOLDER or file:///FOLDER"
            )));
        }
        match scheme {
            "s3" if !host.is_empty() => Self::at(url, s3(url, host)?, path, None),
            "https" if !host.is_empty() => Self::at(url, https(url, scheme, host)?, path, None),
            "http" if plain => Self::at(url, https(url, scheme, host)?, path, None),
            "http" => Err(Failure::Usage(format!(
                "{url}: anybody on the way could change what arrives: use https"
            ))),
            "file" if host.is_empty() || host == "localhost" => local(url, &path, access),
            _ => Err(unknown(url)),
        }
    }

    fn at(
        url: &str,
        store: Arc<dyn ObjectStore>,
        path: Path,
        folder: Option<PathBuf>,
    ) -> Result<Self> {
        let only = path.filename().filter(|name| names::is_bundle(name)).map(str::to_owned);
        let prefix = match only {
            Some(_) => Path::from_iter(parents_of(&path)),
            None => path,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(
            |error| Failure::new(format!("{url}: no connection can be opened: {error}")),
        )?;
        Ok(Self { url: url.trim_end_matches('/').to_owned(), store, prefix, folder, only, runtime })
    }

    /// Makes a place (a folder of bundles) in `store`, the object store of a test.
    #[cfg(test)]
    pub fn over(store: Arc<dyn ObjectStore>) -> Result<Self> {
        Self::at("memory://fleet", store, Path::default(), None)
    }

    /// Returns whether the URL names a single bundle. The name of a single bundle need not have the form that `push`
    /// writes.
    pub fn is_one_bundle(&self) -> bool {
        self.only.is_some()
    }

    /// Returns the name of a bundle for messages.
    pub fn named(&self, name: &str) -> String {
        match self.only {
            Some(_) => self.url.clone(),
            None => format!("{}/{name}", self.url),
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn list(&self) -> Result<Listing> {
        if let Some(name) = &self.only {
            return Ok(Listing {
                bundles: vec![name.clone()],
                signatures: None,
                faults: Vec::new(),
            });
        }
        let (mut bundles, mut signatures) = (Vec::new(), BTreeSet::new());
        let mut faults = Vec::new();
        let mut add = |found: &ObjectMeta| -> Result<()> {
            let Some(parts) = found.location.prefix_match(&self.prefix) else { return Ok(()) };
            let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
            let name = parts.join("/");
            if names::is_bundle(&name) {
                bundles.push(name);
            } else if name.ends_with(".minisig") {
                signatures.insert(name);
            }
            if bundles.len() + signatures.len() > MOST_FILES {
                return Err(Failure::new(format!(
                    "{}: has more than {MOST_FILES} bundles and signatures; nothing was taken",
                    self.url
                )));
            }
            Ok(())
        };
        // The list is made outside of the runtime. For a folder, object_store then goes on after a name that cannot be
        // used. Inside of the runtime the list would end there.
        let mut files = self.store.list(Some(&self.prefix));
        self.runtime.block_on(async {
            while let Some(found) = files.next().await {
                match found {
                    Ok(found) => add(&found)?,
                    // The other files of a folder are found nevertheless. But a server sends its list in pages, and a
                    // page with such a name is lost.
                    Err(Error::InvalidPath { source })
                        if self.folder.is_some() && faults.len() < MOST_FILES =>
                    {
                        let told = told(&source);
                        faults.push(format!(
                            "{}: has a file with a name that cannot be used ({told}); it was left out",
                            self.url
                        ));
                    }
                    Err(error) => return Err(self.failed_to_list(&error)),
                }
            }
            Ok::<_, Failure>(())
        })?;
        bundles.sort();
        faults.sort();
        Ok(Listing { bundles, signatures: Some(signatures), faults })
    }

    /// Fetches bundles, several at a time, and passes them to `take` in the order of `wanted`. If `key_id` is given,
    /// the signatures by this key are fetched, too.
    pub fn fetch<'a>(
        &self,
        wanted: impl IntoIterator<Item = &'a str>,
        listing: &Listing,
        key_id: Option<&str>,
        mut take: impl FnMut(Fetched<'a>) -> Result<()>,
    ) -> Result<()> {
        self.runtime.block_on(async {
            let fetches = wanted.into_iter().map(|name| self.fetch_one(name, listing, key_id));
            let mut fetched = stream::iter(fetches).buffered(AT_ONCE);
            while let Some(one) = fetched.next().await {
                take(one?)?;
            }
            Ok(())
        })
    }

    async fn fetch_one<'a>(
        &self,
        name: &'a str,
        listing: &Listing,
        key_id: Option<&str>,
    ) -> Result<Fetched<'a>> {
        let mut signature = None;
        if let Some(key_id) = key_id {
            for file in [names::signature(name, key_id), names::signature_of_minisign(name)] {
                let exists = listing.signatures.as_ref().is_none_or(|known| known.contains(&file));
                if signature.is_none() && exists {
                    signature = match self.get(&file, MOST_BYTES_OF_SIGNATURE).await? {
                        Got::Bytes(bytes) => Some(bytes),
                        // The file is too large to be a signature. An empty text is used in place of its contents.
                        // The check of the signature refuses the empty text.
                        Got::TooLarge => Some(Vec::new()),
                        Got::Absent => None,
                    };
                }
            }
        }
        Ok(Fetched { name, bundle: self.get(name, MOST_BYTES).await?, signature })
    }

    async fn get(&self, name: &str, most: u64) -> Result<Got> {
        if let Some(folder) = &self.folder {
            // Only regular files are read, because reading a pipe would block.
            let found = fs::metadata(folder.join(name));
            if found.is_ok_and(|found| !found.is_file()) {
                return Ok(Got::Absent);
            }
        }
        let failed = |error: &Error| {
            Failure::new(format!("{}: {}; nothing was taken", self.named(name), cause(error)))
        };
        let result = match self.store.get(&self.path(name)).await {
            Ok(result) => result,
            Err(Error::NotFound { .. }) => return Ok(Got::Absent),
            Err(error) => return Err(failed(&error)),
        };
        if result.meta.size > most {
            return Ok(Got::TooLarge);
        }
        let bytes = result.bytes().await.map_err(|error| failed(&error))?;
        Ok(Got::Bytes(bytes.into()))
    }

    /// Writes a file. Readers see either the whole file or no file.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let path = self.path(name);
        let put = self.store.put(&path, PutPayload::from(bytes));
        self.runtime.block_on(put).map(|_| ()).map_err(|error| {
            Failure::new(format!("{}: {}; it was not written", self.named(name), cause(&error)))
        })
    }

    fn path(&self, name: &str) -> Path {
        // `Path::parse` never fails here: `name` comes from a path of the object store, or was made of an
        // environment, a hash and a fixed ending.
        let name = Path::parse(name).unwrap_or_default();
        Path::from_iter(self.prefix.parts().chain(name.parts()))
    }

    fn failed_to_list(&self, error: &Error) -> Failure {
        let what = match error {
            Error::InvalidPath { source } => {
                let told = told(source);
                format!("has a file with a name that cannot be used ({told}): remove it there")
            }
            _ if self.url.starts_with("http") => format!(
                "lists no files ({}): the server must know WebDAV, or the URL must name one bundle (….bundle)",
                cause(error)
            ),
            _ => cause(error),
        };
        Failure::new(format!("{}: {what}; nothing was taken or written", self.url))
    }
}

/// Returns the text of an error about the name of a file, without control characters, which the name may contain.
fn told(error: &object_store::path::Error) -> String {
    let text = error.to_string().replace(char::is_control, "\u{fffd}");
    text.chars().take(200).collect()
}

fn parents_of(path: &Path) -> Vec<object_store::path::PathPart<'_>> {
    let mut parts: Vec<_> = path.parts().collect();
    parts.pop();
    parts
}

fn unknown(url: &str) -> Failure {
    // The URL is shown without the text before an @ and without a query, because both may contain a
    // password.
    let shown =
        url.rsplit('@').next().unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    Failure::Usage(format!(
        "{shown}: is no place of bundles: use s3://BUCKET/FOLDER, file:///FOLDER or (pull) https://HOST/FOLDER"
    ))
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

fn retries() -> RetryConfig {
    RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(60), ..Default::default() }
}

/// Makes rustls (the TLS library) use the crate ring for cryptography. A second call has no effect.
fn use_ring() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn s3(url: &str, bucket: &str) -> Result<Arc<dyn ObjectStore>> {
    use_ring();
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retries());
    for (key, time) in TIMES {
        let client = AmazonS3ConfigKey::Client(key);
        // Each time limit is set only if it still has its default value. So a limit that the user has set in the
        // environment remains.
        if builder.get_config_value(&client) == ClientOptions::new().get_config_value(&key) {
            builder = builder.with_config(client, time);
        }
    }
    let store = builder.build().map_err(|error| unusable(url, &error))?;
    Ok(Arc::new(store))
}

fn https(url: &str, scheme: &str, host: &str) -> Result<Arc<dyn ObjectStore>> {
    use_ring();
    let mut builder = HttpBuilder::new()
        .with_url(format!("{scheme}://{host}"))
        .with_config(ClientConfigKey::AllowHttp, (scheme == "http").to_string())
        .with_retry(retries());
    for (key, time) in TIMES {
        builder = builder.with_config(key, time);
    }
    let store = builder.build().map_err(|error| unusable(url, &error))?;
    Ok(Arc::new(store))
}

fn local(url: &str, path: &Path, access: Access) -> Result<Place> {
    let whole = PathBuf::from(format!("/{path}"));
    let only = names::is_bundle(path.as_ref());
    let folder = match whole.parent() {
        Some(parent) if only => parent.to_owned(),
        _ => whole.clone(),
    };
    let failed = |error: &io::Error| Failure::new(format!("{url}: {error}"));
    if access == Access::Push {
        fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    }
    let found = fs::metadata(&folder).map_err(|error| failed(&error))?;
    if !found.is_dir() {
        return Err(Failure::new(format!("{url}: is no folder")));
    }
    let store = LocalFileSystem::new_with_prefix(&folder).map_err(|error| unusable(url, &error))?;
    let name = whole.file_name().filter(|_| only);
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = Path::parse(name).unwrap_or_default();
    Place::at(url, Arc::new(store.with_fsync(true)), name, Some(folder))
}

fn unusable(url: &str, error: &Error) -> Failure {
    Failure::new(format!("{url}: cannot be used: {}", cause(error)))
}

const DENIED: &str = "access is denied (credentials are taken from variables such as AWS_ACCESS_KEY_ID, or from the \
                      machine's role)";

/// Returns the cause of an error in a few words. The texts of servers are left out, because they may repeat parts of
/// the request, including credentials.
fn cause(error: &Error) -> String {
    match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => return DENIED.to_owned(),
        Error::NotFound { .. } => return "is not there".to_owned(),
        Error::InvalidPath { .. } => return "a name cannot be used".to_owned(),
        Error::UnknownConfigurationKey { key, .. } => return format!("unknown setting {key}"),
        _ => {}
    }
    let mut found = None;
    let mut next = error.source();
    while let Some(one) = next {
        if let Some(io) = one.downcast_ref::<io::Error>() {
            // If the error has an error number of the operating system, the text of the error comes from the operating
            // system and contains no text of the server.
            if io.raw_os_error().is_some() {
                found = Some(io.to_string());
            }
        } else if let Some(http) = one.downcast_ref::<HttpError>() {
            found = Some(words_of(http.kind()).to_owned());
        }
        next = one.source();
    }
    found.or_else(|| status_in(&error.to_string())).unwrap_or_else(|| {
        "the transfer failed (is the address right, and are there credentials for it?)".to_owned()
    })
}

fn words_of(kind: HttpErrorKind) -> &'static str {
    match kind {
        HttpErrorKind::Connect => "no connection to the server",
        HttpErrorKind::Timeout => "the server takes too long",
        HttpErrorKind::Request | HttpErrorKind::Interrupted | HttpErrorKind::Decode => {
            "the transfer was interrupted"
        }
        _ => "the transfer failed",
    }
}

/// Returns a text with the HTTP status that the server sent. The server's own text, which follows the status, is left
/// out.
fn status_in(text: &str) -> Option<String> {
    let (_, after) = text.split_once("status code: ")?;
    let status = after.split(':').next().unwrap_or_default();
    let number =
        status.get(..3).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(match number {
        "401" | "403" => DENIED.to_owned(),
        _ => format!("the server answered with status {number}"),
    })
}

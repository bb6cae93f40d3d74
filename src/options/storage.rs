//! Settings of object stores, whose values may be secret.

use std::fmt;

/// Settings of object stores by their names, such as `aws_region`. `Debug` and reports show the names alone, since values may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StorageOptions(Vec<(String, String)>);

impl StorageOptions {
    /// Returns the names in the order in which they were given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the names with the values.
    #[cfg(feature = "remote")]
    pub(crate) fn settings(&self) -> &[(String, String)] {
        &self.0
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for StorageOptions {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(settings: I) -> Self {
        let texts = |(name, value): (N, V)| (name.into(), value.into());
        StorageOptions(settings.into_iter().map(texts).collect())
    }
}

impl fmt::Debug for StorageOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

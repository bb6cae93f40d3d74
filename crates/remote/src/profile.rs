//! Profiles of AWS: credentials, region and endpoint in the files of its tools, which object_store does not read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

/// Settings of a profile by their names in the files, in lower case.
pub(crate) type Profile = BTreeMap<String, String>;

/// Settings that name another way to credentials, which this crate does not go.
const OTHER_WAYS: [&str; 4] = [
    "credential_process",
    "sso_session",
    "sso_start_url",
    "role_arn",
];

/// Returns the profile that `AWS_PROFILE` names, or the one named `default`. Settings of the file of credentials precede those of the
/// file of the configuration. No file is an empty profile.
///
/// # Errors
/// If the named profile does not exist, or gives credentials in a way that is not supported.
pub(crate) fn read() -> Result<Profile, String> {
    let named = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
    let name = named.as_deref().unwrap_or("default");
    let credentials = file("AWS_SHARED_CREDENTIALS_FILE", "credentials").unwrap_or_default();
    let config = file("AWS_CONFIG_FILE", "config").unwrap_or_default();
    let mut profile = section(&config, &format!("profile {name}"));
    if name == "default" {
        profile.extend(section(&config, name));
    }
    profile.extend(section(&credentials, name));
    if profile.is_empty() && named.is_some() {
        return Err(format!("the profile {name} of AWS does not exist"));
    }
    match OTHER_WAYS.iter().find(|way| profile.contains_key(**way)) {
        Some(way) if !profile.contains_key("aws_access_key_id") => Err(format!(
            "the profile {name} of AWS has its credentials by {way}, which is not supported; export them, as by `aws configure \
             export-credentials --format env`"
        )),
        _ => Ok(profile),
    }
}

/// Reads the file that a variable names, or the one in `~/.aws`.
fn file(variable: &str, name: &str) -> Option<String> {
    let path = env::var_os(variable).map(PathBuf::from);
    let path = path.or_else(|| Some(env::home_dir()?.join(".aws").join(name)))?;
    fs::read_to_string(path).ok()
}

/// Returns the settings of a section.
fn section(text: &str, name: &str) -> Profile {
    let mut settings = Profile::new();
    let mut is_in = false;
    for line in text.lines() {
        let stripped = line.trim();
        if let Some(head) = stripped.strip_prefix('[') {
            let head = head.trim_end_matches(']').trim();
            is_in = head.split_whitespace().eq(name.split_whitespace());
        } else if is_in
            && !stripped.starts_with(['#', ';'])
            && !line.starts_with([' ', '\t'])
            && let Some((key, value)) = stripped.split_once('=')
        {
            settings.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_at_the_next() {
        let text = "[profile  a]\nregion = x\n# region = y\ns3 =\n  region = z\n[b]\nregion=w\n";
        let a = section(text, "profile a");
        assert_eq!(a.get("region").map(String::as_str), Some("x"));
        assert_eq!(
            section(text, "b").get("region").map(String::as_str),
            Some("w")
        );
        assert!(section(text, "c").is_empty());
    }
}

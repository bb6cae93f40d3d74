//! The extended attributes of files. Access control lists are among them on Linux.

use std::io;
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, getxattr_query, listxattr, listxattr_query, setxattr};
use rustix::io::Errno;

/// Prefixes of the attributes that the system sets on its own.
const SYSTEM_PREFIXES: [&[u8]; 2] = [b"security.", b"trusted."];

/// Copies the extended attributes of the file at `from`.
///
/// # Errors
/// If an attribute that a user may set cannot be set.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut names = vec![0; or_none(listxattr_query(from))?];
    let length = or_none(listxattr(from, &mut names[..]))?;
    for name in names[..length].split(|byte| *byte == 0) {
        if name.is_empty() {
            continue;
        }
        let mut value = vec![0; getxattr_query(from, name)?];
        let length = getxattr(from, name, &mut value[..])?;
        let set = setxattr(to, name, &value[..length], XattrFlags::empty());
        if !SYSTEM_PREFIXES.iter().any(|start| name.starts_with(start)) {
            set?;
        }
    }
    Ok(())
}

/// Returns a length; 0 on a file system without attributes.
fn or_none(length: rustix::io::Result<usize>) -> io::Result<usize> {
    match length {
        Err(Errno::NOTSUP) => Ok(0),
        length => Ok(length?),
    }
}

//! The file at a path or behind a handle: its kind, its size, and its identity.

/// Identity of a file: device and inode, or volume and file index.
pub type FileId = (u64, u64);

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A folder.
    Folder,
    /// A symbolic link that was not followed.
    Link,
    /// A pipe or socket, which another program reads or writes.
    Pipe,
    /// A device, such as a terminal.
    Device,
}

/// Status of a file, obtained without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStatus {
    pub(crate) kind: FileKind,
    pub(crate) length: u64,
    pub(crate) id: Option<FileId>,
    pub(crate) names: u64,
}

impl FileStatus {
    /// Returns the kind of the file.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::Regular
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.kind == FileKind::Folder
    }

    /// Whether it is a pipe or socket, which another program reads or writes.
    pub fn is_pipe(&self) -> bool {
        self.kind == FileKind::Pipe
    }

    /// Returns the size of a regular file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the identity of the file; `None` on Windows for pipes and devices.
    pub fn id(&self) -> Option<FileId> {
        self.id
    }

    /// Returns the number of names (hard links) of the file.
    pub fn names(&self) -> u64 {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_file_is_the_same_under_each_name() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&a, "abc").unwrap();
        fs::write(&c, "abc").unwrap();
        fs::hard_link(&a, &b).unwrap();
        let [x, y, z] = [&a, &b, &c].map(|path| FileStatus::at(path).unwrap());
        assert_eq!((x, x.is_file(), x.length(), x.names()), (y, true, 3, 2));
        assert!(x.id().is_some() && x.id() != z.id());
        assert_eq!(FileStatus::of(&File::open(&b).unwrap()).unwrap(), x);
        assert!(FileStatus::at(folder.path()).unwrap().is_folder());
        let missing = FileStatus::at(&folder.path().join("d")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_null_device_is_a_device() {
        let null = Path::new(crate::NULL_DEVICE);
        for status in [FileStatus::at(null), FileStatus::unfollowed(null)] {
            assert_eq!(status.unwrap().kind(), FileKind::Device);
        }
    }
}

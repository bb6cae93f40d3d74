//! A temporary folder, and runs of the command in it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::process::reset_ignored_signals;

/// A temporary folder for one test.
pub struct Place(TempDir);

/// The exit code and outputs of a run.
pub struct Seen {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.path().join(name.as_ref())
    }

    /// Writes a file, and the folders above it.
    pub fn file(&self, name: impl AsRef<OsStr>, bytes: impl AsRef<[u8]>) -> &Place {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Names of all files and folders directly in the folder.
    pub fn entries(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(binary());
        command
            .current_dir(self.0.path())
            .args(args)
            .stdin(Stdio::null());
        without_data(&mut command);
        command
    }

    /// Runs `doisift` with a line for the shell, and allows at most `max` open files.
    pub fn with_open_files(&self, max: usize, line: &str) -> Seen {
        self.with_limit(&format!("ulimit -n {max}"), line)
    }

    /// Runs `doisift` with `line`, as the shell reads it, after the shell has set a limit.
    pub fn with_limit(&self, limit: &str, line: &str) -> Seen {
        let script = format!("{limit}; exec \"$0\" {line}");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .arg(binary())
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        Seen::of(without_data(&mut shell))
    }

    /// Runs `doisift scan` with `line` split at blanks.
    pub fn scan(&self, line: &str) -> Seen {
        Seen::of(self.command(["scan"]).args(line.split_whitespace()))
    }

    /// Like [`scan`](Self::scan), with bytes on standard input.
    pub fn scan_stdin(&self, line: &str, stdin: &[u8]) -> Seen {
        self.run_stdin("scan", line, stdin)
    }

    /// Runs a command of `doisift` with `line` split at blanks, and bytes on standard input.
    pub fn run_stdin(&self, command: &str, line: &str, stdin: &[u8]) -> Seen {
        let mut command = self.command([command]);
        command
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_owned();
        // A run that ends early closes the pipe, and writing fails.
        let writer = std::thread::spawn(move || pipe.write_all(&stdin).is_ok());
        let seen = Seen::from(child.wait_with_output().unwrap());
        writer.join().unwrap();
        seen
    }

    /// Like [`scan`](Self::scan), as a user who is not root, since root may read and write all files.
    pub fn scan_without_rights(&self, line: &str) -> Seen {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = self.0.path();
        if fs::metadata(folder).unwrap().uid() != 0 {
            return self.scan(line);
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        let binary = self.path("doisift");
        fs::copy(self::binary(), &binary).unwrap();
        let mut command = Command::new(&binary);
        command
            .current_dir(folder)
            .arg("scan")
            .args(line.split_whitespace())
            .stdin(Stdio::null())
            .uid(65534);
        Seen::of(&mut command)
    }
}

/// Hides the index and the notices of this machine, which a check would ask.
pub fn without_data(command: &mut Command) -> &mut Command {
    command
        .env("DOISIFT_KNOWN", "")
        .env("XDG_DATA_HOME", "/dev/null")
}

/// Returns the command under test: the one just built, or another build that `DOISIFT_TEST_BIN` names, to see which tests it
/// fails.
pub fn binary() -> PathBuf {
    reset_ignored_signals();
    let built = || env!("CARGO_BIN_EXE_doisift").into();
    std::env::var_os("DOISIFT_TEST_BIN").map_or_else(built, PathBuf::from)
}

impl Seen {
    pub fn of(command: &mut Command) -> Seen {
        Seen::from(command.output().unwrap())
    }

    pub fn from(output: Output) -> Seen {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Seen {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Asserts exit code 0 and an empty standard error.
    #[track_caller]
    pub fn quiet(self) -> Seen {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""));
        self
    }

    pub fn rows(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Returns a field of every row, as text.
    pub fn field(&self, name: &str) -> Vec<String> {
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        self.rows().iter().map(|row| text(&row[name])).collect()
    }
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes.as_ref()).unwrap();
    out.finish().unwrap()
}

pub fn zstd(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    zstd::encode_all(bytes.as_ref(), 3).unwrap()
}

pub fn bzip2(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    out.write_all(bytes.as_ref()).unwrap();
    out.finish().unwrap()
}

pub fn xz(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = liblzma::write::XzEncoder::new(Vec::new(), 0);
    out.write_all(bytes.as_ref()).unwrap();
    out.finish().unwrap()
}

/// Packs with a checksum, as lz4(1) does.
pub fn lz4(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
    let mut out = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    out.write_all(bytes.as_ref()).unwrap();
    out.finish().unwrap()
}

pub fn zlib(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes.as_ref()).unwrap();
    out.finish().unwrap()
}

pub fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Sends a signal to a run.
pub fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );
}

/// Returns a text of `count` names, each in a line of about 40 bytes.
pub fn names(count: usize) -> String {
    (0..count)
        .map(|number| format!("See doi:10.5555/name-{number:07} for more.\n"))
        .collect()
}

/// Opens `/dev/full`, on which every write fails as on a full disk.
pub fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

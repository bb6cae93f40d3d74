//! Finds outputs that are also inputs, and two outputs of one name, before any of them is opened.
//!
//! Files are compared by the system's identity of files. So links, other spellings of a path, and standard streams are
//! recognised. Devices and pipes never clash with inputs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_documents::{SourceKind, Sources, display_name};
use doisift_system::FileStatus;

use super::files::{RowTarget, TaskFiles};
use super::monitor::Monitor;
use super::named::{check_named, is_stdin};
use crate::error::{Cause, ClashError, Error};
use crate::objects::Services;
use crate::records::{Destination, FileId, Output, PartKeep, may_be_of_folder};

/// The files that the outputs of a run lead to, and those that it creates for them.
pub(crate) struct Destinations {
    /// `None` if the rows go to the caller.
    rows: Option<Destination>,
    /// Destinations of the side outputs.
    side_outputs: Vec<Destination>,
    report: Option<Destination>,
    /// Mark in the temporary names of outputs; random letters if `None`.
    mark: Option<String>,
    /// For each folder, how its parts are kept if the run does not end. Parts of other folders are removed.
    keep: BTreeMap<PathBuf, PartKeep>,
    /// The temporary files.
    temporary: Vec<FileId>,
    /// Files that are not sources, wherever they are found.
    passed_over: Vec<FileId>,
    services: Services,
}

impl Destinations {
    /// Finds the destinations of a task's rows, unless the caller takes them, and of its report.
    ///
    /// # Errors
    /// If two outputs are the same file, or the metadata of one cannot be read.
    pub(super) fn new(files: &TaskFiles<'_>) -> Result<Self, Error> {
        let services = files.services;
        let of = |path: Option<&Path>| Destination::of(path, services).map_err(Error::output);
        let of_rows = |target: &RowTarget<'_>| match (target.path, target.parts) {
            (Some(path), Some(_)) => Destination::of_folder(path, services).map_err(Error::output),
            (path, _) => of(path),
        };
        let rows = (!files.has_caller).then(|| of_rows(&files.rows));
        let destinations = Destinations {
            rows: rows.transpose()?,
            side_outputs: files
                .side_outputs
                .iter()
                .map(of_rows)
                .collect::<Result<_, _>>()?,
            report: files.report.map(|path| of(Some(path))).transpose()?,
            mark: None,
            keep: BTreeMap::new(),
            temporary: Vec::new(),
            passed_over: Vec::new(),
            services: services.clone(),
        };
        match destinations.repeated() {
            Some(repeated) => Err(clash(ClashError::Outputs(name(repeated.path())))),
            None => Ok(destinations),
        }
    }

    /// Returns the first output that is the same file as another one.
    fn repeated(&self) -> Option<&Destination> {
        let mut all = self.each();
        all.find(|output| {
            let others = self.each().filter(|other| !std::ptr::eq(*other, *output));
            others.into_iter().any(|other| other.is_same(output))
        })
    }

    /// Sets how the parts in a folder are kept if the run does not end.
    pub(crate) fn set_keep(&mut self, folder: &Path, keep: PartKeep) {
        self.keep.insert(folder.to_owned(), keep);
    }

    /// Passes over a file that may be below a folder of sources, such as one about the sources. It may be an output.
    pub(crate) fn pass_over(&mut self, path: &Path) {
        let status = FileStatus::at(path).ok();
        self.passed_over.extend(status.and_then(|at| at.id()));
    }

    /// Returns the services of outputs that are objects.
    pub(crate) fn services(&self) -> &Services {
        &self.services
    }

    /// Sets the mark in the temporary names of outputs.
    pub(crate) fn set_mark(&mut self, mark: &str) {
        self.mark = Some(mark.to_owned());
    }

    /// Creates an output, standard output if no path is given, and reports its temporary name to `monitor`.
    pub(super) fn create(
        &mut self,
        path: Option<&Path>,
        monitor: &Monitor,
    ) -> Result<Output, Error> {
        let output = Output::create(path, self.mark.as_deref(), &self.services);
        let output = output.map_err(Error::output)?;
        monitor.note_temporary(output.temporary());
        self.temporary.extend(output.temporary_id());
        Ok(output)
    }

    /// Creates the output of rows, and reports its temporary files to `monitor`.
    pub(super) fn create_rows(
        &mut self,
        target: &RowTarget<'_>,
        monitor: &Monitor,
    ) -> Result<Output, Error> {
        let (Some(path), Some(plan)) = (target.path, target.parts) else {
            return self.create(target.path, monitor);
        };
        let noting = monitor.clone();
        let note = Box::new(move |path: &Path| noting.note_temporary(Some(path)));
        let keep = self.keep.get(path).cloned().unwrap_or_default();
        let (mark, services) = (self.mark.as_deref(), &self.services);
        let output = Output::create_folder(path, plan.clone(), mark, keep, note, services);
        let output = output.map_err(Error::output)?;
        monitor.note_temporary(output.temporary());
        Ok(output)
    }

    /// Refuses inputs that [cannot be opened](check_named), and those that [clash](Self::check_clashes).
    pub(crate) fn check_all(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        self.check_clashes(inputs)?;
        check_named(inputs)
    }

    /// Refuses standard input, `-`, if it is named more than once, and inputs that are also outputs.
    pub(crate) fn check_clashes(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        stdin_once(inputs)?;
        inputs.iter().try_for_each(|input| self.check(input))
    }

    /// Like [`check_all`](Self::check_all), for inputs that are read to their end before the first row is written. The rows may
    /// replace one of them.
    pub(crate) fn check_all_before_rows(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        stdin_once(inputs)?;
        let others = || self.each().filter(|output| !self.may_follow(output));
        let mut each = inputs.iter();
        each.try_for_each(|input| self.refuse(input, others()))?;
        check_named(inputs)
    }

    /// Refuses a named input, `-` for standard input, if it is also an output.
    pub(crate) fn check(&self, input: &Path) -> Result<(), Error> {
        self.refuse(input, self.each())
    }

    /// Refuses files below folders that are also outputs, unless they are empty: an empty file need not be read.
    pub(crate) fn check_found(&self, sources: &Sources) -> Result<(), Error> {
        let outputs: Vec<_> = self.each_filled().collect();
        for source in sources.iter() {
            let path = &source.path;
            let is_output = |output: &&&Destination| match source.kind {
                SourceKind::File | SourceKind::Stream => {
                    output.may_be(path) && FileStatus::at(path).is_ok_and(|at| output.is_file(&at))
                }
                SourceKind::Remote => output.is_object_named(path),
                _ => false,
            };
            if let Some(output) = outputs.iter().find(is_output) {
                let (input, output) = (name(path), name(output.path()));
                return Err(clash(ClashError::Found { input, output }));
            }
        }
        Ok(())
    }

    /// Returns the outputs that are not empty. They must not be read.
    pub(crate) fn filled(&self) -> Vec<FileId> {
        self.each_filled().filter_map(Destination::id).collect()
    }

    /// Returns the files that the run created or passes over, and the empty outputs. None of them need be read.
    pub(crate) fn own(&self) -> Vec<FileId> {
        let empty = self.each().filter(|output| output.is_empty());
        let created = self.temporary.iter().chain(&self.passed_over).copied();
        created.chain(empty.filter_map(Destination::id)).collect()
    }

    fn refuse<'d>(
        &self,
        input: &Path,
        mut outputs: impl Iterator<Item = &'d Destination>,
    ) -> Result<(), Error> {
        // No system call is needed if no output exists yet.
        let is_one_there = self.each().any(Destination::is_there);
        let status = is_one_there.then(|| status(input)).flatten();
        let is_file = |output: &Destination| status.as_ref().is_some_and(|at| output.is_file(at));
        match outputs.find(|output| output.is_object_named(input) || is_file(output)) {
            Some(output) => Err(clash(ClashError::Input {
                input: input_name(input),
                output: name(output.path()),
            })),
            None => Ok(()),
        }
    }

    /// Whether a file belongs to an output in parts that an earlier run began.
    pub(crate) fn holds_part(&self, path: &Path) -> bool {
        // The name is checked first, to avoid system calls for every source.
        path.file_name().is_some_and(may_be_of_folder)
            && self.each().any(|output| output.holds(path))
    }

    fn each(&self) -> impl Iterator<Item = &Destination> {
        self.rows
            .iter()
            .chain(&self.side_outputs)
            .chain(&self.report)
    }

    fn each_filled(&self) -> impl Iterator<Item = &Destination> {
        let is_passed_over = |id: FileId| self.passed_over.contains(&id);
        let filled = self.each().filter(|output| !output.is_empty());
        filled.filter(move |output| !output.id().is_some_and(is_passed_over))
    }

    fn may_follow(&self, output: &Destination) -> bool {
        let rows = self.rows.as_ref();
        rows.is_some_and(|rows| std::ptr::eq(output, rows)) && output.is_replaced()
    }
}

/// Returns the error that standard input, or a stream of the caller, has the name of another source.
pub(crate) fn same_name(stdin_name: &str) -> Error {
    clash(ClashError::SourceName(stdin_name.into()))
}

/// Returns the error that standard input was given a name but is not a source.
pub(crate) fn no_stdin(stdin_name: &str) -> Error {
    clash(ClashError::NoStdin(stdin_name.into()))
}

fn stdin_once(inputs: &[PathBuf]) -> Result<(), Error> {
    match inputs.iter().filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(stdin_twice()),
    }
}

/// Returns the error that standard input is named more than once.
pub(crate) fn stdin_twice() -> Error {
    clash(ClashError::Stdin)
}

/// Returns the error that an output at `path` has the name of a file of the checkpoint.
pub(crate) fn in_checkpoint(path: &Path) -> Error {
    clash(ClashError::Checkpoint(name(path)))
}

fn status(input: &Path) -> Option<FileStatus> {
    if is_stdin(input) {
        FileStatus::of_stdin().ok()
    } else {
        FileStatus::at(input).ok()
    }
}

fn input_name(input: &Path) -> Arc<str> {
    if is_stdin(input) {
        "standard input".into()
    } else {
        name(input)
    }
}

fn name(path: &Path) -> Arc<str> {
    display_name(path).into()
}

fn clash(error: ClashError) -> Error {
    Error::new(Cause::Clash(error))
}

//! Selects the sources.

use doisift_documents::SourceSearch;

use super::spec::{OptionHelp, OptionKind, Subject};
use crate::error::{Cause, Error};

options! {
    /// Lists of sources.
    lists: ListOptions, "Sources";

    /// Read the names of sources from a file, one per line, which may be packed by gzip or zstd; - is standard input
    ///
    /// The list is read when the run starts. A list at an address may only name addresses, and none in the own network unless its host
    /// is in an address that was given.
    path files_from [Scan] { value: "FILE" }

    /// Text before each name in --files-from: an address or a folder, with its / at the end
    text base [Scan] { value: "TEXT", requires: "files_from" }

    /// The names in --files-from are separated by NUL
    flag nul [Scan] { short: Some('0'), has_no_long: true, requires: "files_from" }
}

options! {
    /// Which files below folders are read.
    ///
    /// ```
    /// use doisift::{Folders, Scan};
    ///
    /// let folders = Folders { include: vec!["*.xml.gz".to_owned()], ..Folders::default() };
    /// let scan = Scan::new().input("dump/").folders(folders);
    /// ```
    value Folders, "Sources", [Scan BuildIndex Check];

    /// Read only these files below folders; a glob without / matches the name of a file (repeatable)
    ///
    /// Any other glob is matched with the path below the folder; `*` does not match `/`, `**` does. A file must match one of the
    /// globs.
    include: Vec<String>, default "all files", {
        kind: OptionKind::Texts, value: "GLOB", concerns: Subject::Folders, help: OptionHelp::Short,
    }

    /// Skip these files and folders below folders (repeatable)
    ///
    /// Such files are skipped even if they are [included](Self::include).
    exclude: Vec<String>, { kind: OptionKind::Texts, value: "GLOB", concerns: Subject::Folders }

    /// Follow symbolic links below folders; each file is read once, and loops end
    ///
    /// Each file and folder is read under its own path if that is below a named folder, otherwise under the first path of a link
    /// to it, in bytewise order. A broken link is counted as an error.
    follow: bool, { short: Some('L'), concerns: Subject::Folders }
}

options! {
    /// Selects and names the sources, and runs commands for them.
    sources: SourceOptions, "Sources";

    /// Read only part I of N of the sources, I from 0; doisift merge unites the outputs of a scan. The part of a source is a hash
    /// of its path below the folder, or of its name if it is an argument
    ///
    /// Other sources are not opened and not counted. The outputs of all shards, [merged](crate::Merge), are the output of one run
    /// over all sources.
    value shard: doisift_documents::Shard [Scan Check] { value: "I/N" }

    /// Name of standard input in the output and for --shard
    ///
    /// The name determines the order of sources too. An empty name means the default. The run fails if another source has this
    /// name, or if standard input is not a source.
    text source_name [Scan] default "-" { value: "NAME" }

    /// Run COMMAND for each file and read its output instead, for formats that doisift does not read; it gets the path as its
    /// only argument and the file on standard input. Standard input and members of archives are read as they are
    ///
    /// An empty command means no command. The path is preceded by `./` if it starts with `-`. A command without `/` is searched
    /// for in the folders of `PATH`.
    ///
    /// The output of the command is read like a file: it may be packed, or an archive, and offsets count its bytes. If the
    /// command ends with another exit status than 0, that is counted as an error of the source, with the start of its standard
    /// error, and names in its output are kept. A run whose command cannot be started fails. If the run ends early, running
    /// commands are killed, and so are the processes of their process group. At most as many commands run at once as there are
    /// [threads](Self::threads).
    ///
    /// Members of archives, standard input and [streams](Self::reader) are read as they are. The [shard](Self::shard) depends on
    /// the path alone, and a [checkpoint](Self::checkpoint) compares the file, not the output. With a [range](Self::range), the
    /// output of a command is not divided.
    path pre [Scan] {
        kind: OptionKind::Command, value: "COMMAND", is_fixed: true, concerns: Subject::Commands,
    }

    /// Run the command of --pre only for files that match; a glob after ! leaves files out, and the last glob that matches
    /// decides (repeatable)
    ///
    /// Other files are read as they are. Globs work as those of [`include`](crate::Folders::include), for named files too.
    texts pre_glob [Scan] default "all files" {
        kind: OptionKind::Texts, value: "GLOB", requires: "pre", is_fixed: true,
    }

    /// Scan only the names of each plain text file whose first byte is in this range, so that other processes can scan the others
    ///
    /// A run whose rows are not [mentions](Self::mentions) fails. The rows of consecutive ranges, from 0 to the size of the file or
    /// beyond, are those of the whole file, with the same offsets.
    ///
    /// Sources that cannot be divided belong to the range that starts at 0: packed files, archives, streams, and all sources if
    /// [lines](Self::lines) are documents or [columns](Self::columns) are set. The counts of a file and its document belong to
    /// this range too. A run over a later range reads only the first and last bytes of such files.
    value range: std::ops::Range<u64> [Scan] { help: OptionHelp::Library, python: &["iter_mentions"] }
}

impl Folders {
    /// Creates the search for sources, which skips temporary files of runs.
    ///
    /// # Errors
    /// If the syntax of a glob is wrong.
    pub(crate) fn search(&self) -> Result<SourceSearch, Error> {
        let search = SourceSearch::new(&self.include, &self.exclude);
        let search = search.map_err(|error| Error::new(Cause::Glob(error)))?;
        let search = search.skip_own_files(crate::temporary::is_own);
        Ok(search.follow_links(self.follow))
    }
}

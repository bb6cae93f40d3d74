//! Checks every field of both schemas in every format, and that outputs appear complete or not at all.

mod reading;

use std::fs;
use std::io::Write;
use std::path::Path;

use doisift_core::Form;

use super::{
    Destination, Format, Forms, Layout, MAX_NUMBER, MentionRow, Output, Record, RowKind, writer,
};

fn record() -> Record<'static> {
    Record {
        doi: "10.5555/a,\"b\"",
        mentions: MAX_NUMBER,
        documents: 30,
        sources: 9,
        forms: [Form::Url, Form::Bare, Form::Doi].into_iter().collect(),
        first_source: "dump/ä.txt",
        first_document: None,
        first_offset: 1_234_567,
        first_text: "10.5555/A,\"b\"\n".into(),
        guessed: false,
        ..Record::default()
    }
}

pub(super) fn mention() -> MentionRow<'static> {
    MentionRow {
        doi: "10.5555/a",
        form: Form::Label,
        source: "-",
        document: Some("https://example.org/?a,b"),
        offset: 7,
        length: 9,
        text: "10.5555/A",
        guessed: true,
        before: "",
        after: "",
        document_index: 0,
        part_index: 0,
        warc_record_id: None,
        date: None,
        column: None,
        known: None,
        agency: None,
        retracted: None,
        edge: Default::default(),
    }
}

/// Formats whose rows are lines.
const LINES: [Format; 4] = [Format::Csv, Format::Jsonl, Format::Names, Format::Tsv];

fn records(format: Format, count: usize) -> String {
    let mut rows =
        writer(&Layout::new(format, RowKind::Records), Vec::new()).expect("a vector takes all");
    (0..count).for_each(|_| rows.row(&record()).expect("a vector takes all"));
    String::from_utf8(rows.finish().expect("a vector takes all")).expect("rows are UTF-8")
}

fn mentions(format: Format, count: usize) -> String {
    let mut rows =
        writer(&Layout::new(format, RowKind::Mentions), Vec::new()).expect("a vector takes all");
    (0..count).for_each(|_| rows.row(&mention()).expect("a vector takes all"));
    String::from_utf8(rows.finish().expect("a vector takes all")).expect("rows are UTF-8")
}

#[test]
fn csv_quotes_what_needs_it_and_leaves_null_empty() {
    let header = "doi,mentions,documents,sources,forms,first_source,first_document,first_offset,first_text,guessed,check_digit\n";
    let row = "\"10.5555/a,\"\"b\"\"\",9223372036854775807,30,9,bare|doi|url,dump/ä.txt,,1234567,\"10.5555/A,\"\"b\"\"\n\",false,\n";
    assert_eq!(records(Format::Csv, 2), format!("{header}{row}{row}"));
    assert_eq!(
        records(Format::Csv, 0),
        header,
        "an output without records still has its header"
    );
    let header = "doi,form,source,document,offset,length,text,guessed,check_digit\n";
    let row = "10.5555/a,label,-,\"https://example.org/?a,b\",7,9,10.5555/A,true,\n";
    assert_eq!(mentions(Format::Csv, 1), format!("{header}{row}"));
    assert_eq!(mentions(Format::Csv, 0), header);
}

#[test]
fn json_lines_keep_types() {
    let row = "{\"doi\":\"10.5555/a,\\\"b\\\"\",\"mentions\":9223372036854775807,\"documents\":30,\"sources\":9,\"forms\":[\"bare\",\"doi\",\"url\"],\
               \"first_source\":\"dump/ä.txt\",\"first_document\":null,\"first_offset\":1234567,\
               \"first_text\":\"10.5555/A,\\\"b\\\"\\n\",\"guessed\":false,\"check_digit\":null}\n";
    assert_eq!(records(Format::Jsonl, 2), format!("{row}{row}"));
    let row = "{\"doi\":\"10.5555/a\",\"form\":\"label\",\"source\":\"-\",\"document\":\"https://example.org/?a,b\",\
               \"offset\":7,\"length\":9,\"text\":\"10.5555/A\",\"guessed\":true,\"check_digit\":null}\n";
    assert_eq!(mentions(Format::Jsonl, 1), row);
    assert_eq!(records(Format::Jsonl, 0), "");
}

#[test]
fn names_are_keys_and_nothing_else() {
    assert_eq!(
        records(Format::Names, 2),
        "10.5555/a,\"b\"\n10.5555/a,\"b\"\n"
    );
    assert_eq!(mentions(Format::Names, 1), "10.5555/a\n");
}

#[test]
fn tsv_is_csv_with_tabs() {
    let header = "doi\tform\tsource\tdocument\toffset\tlength\ttext\tguessed\tcheck_digit\n";
    let row = "10.5555/a\tlabel\t-\thttps://example.org/?a,b\t7\t9\t10.5555/A\ttrue\t\n";
    assert_eq!(mentions(Format::Tsv, 1), format!("{header}{row}"));
    let quoted = records(Format::Tsv, 1);
    assert!(quoted.contains("\n\"10.5555/a,\"\"b\"\"\"\t"), "{quoted}");
}

#[test]
fn chosen_fields_are_written_in_their_order() {
    let chosen = |format, rows, fields: &str| {
        let names: Vec<String> = fields.split(',').map(str::to_owned).collect();
        Layout::with_fields(format, rows, Some(&names))
    };
    let mentions = |format, fields| {
        let layout = chosen(format, RowKind::Mentions, fields).expect("these fields");
        let mut rows = writer(&layout, Vec::new()).expect("a vector takes all");
        rows.row(&mention()).expect("a vector takes all");
        String::from_utf8(rows.finish().expect("a vector takes all")).expect("rows are UTF-8")
    };
    let csv = mentions(Format::Csv, "text,offset,doi");
    assert_eq!(csv, "text,offset,doi\n10.5555/A,7,10.5555/a\n");
    let json = mentions(Format::Jsonl, "offset,guessed");
    assert_eq!(json, "{\"offset\":7,\"guessed\":true}\n");
    for (fields, why) in [
        (
            "doi,mentions",
            "there is no field \"mentions\"; the fields of mentions are doi, form, ",
        ),
        ("doi,", "there is no field \"\"; "),
        (
            "text,doi,text",
            "the field text is named twice; the fields of mentions are doi, ",
        ),
    ] {
        let error = chosen(Format::Csv, RowKind::Mentions, fields).expect_err(fields);
        assert!(error.to_string().starts_with(why), "{error}");
    }
    let names = chosen(Format::Names, RowKind::Records, "doi").expect_err("bare names");
    assert!(names.to_string().starts_with("bare names"), "{names}");
}

#[test]
fn blocks_give_what_one_writer_gives() {
    for format in LINES {
        let rows =
            writer(&Layout::new(format, RowKind::Records), Vec::new()).expect("a vector takes all");
        let mut rows = rows.into_blocks().expect("a vector takes all");
        for count in [3, 0, 3] {
            let mut records = std::iter::repeat_with(record).take(count);
            let block = super::RowBlock::new(&Layout::new(format, RowKind::Records), &mut records)
                .expect("a vector takes all");
            rows.block(block).expect("a vector takes all");
        }
        let all = rows.end().expect("a vector takes all");
        assert_eq!(String::from_utf8(all), Ok(records(format, 6)), "{format:?}");
    }
}

#[test]
fn more_rows_than_a_buffer_holds_all_arrive() {
    for format in LINES {
        let (one, header) = (records(format, 1), records(format, 0));
        let row = &one[header.len()..];
        assert_eq!(
            records(format, 5000),
            format!("{header}{}", row.repeat(5000)),
            "{format:?}"
        );
    }
}

#[test]
fn a_writer_that_fails_is_reported() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for format in LINES {
        let mut rows =
            writer(&Layout::new(format, RowKind::Records), Full).expect("no row was written");
        let failed = (0..5000).any(|_| rows.row(&record()).is_err());
        assert!(failed, "{format:?}: no error after megabytes");
        let mut rows =
            writer(&Layout::new(format, RowKind::Records), Full).expect("no row was written");
        rows.row(&record()).expect("one row is only gathered");
        assert!(
            rows.finish().is_err(),
            "{format:?}: the last rows are lost in silence"
        );
    }
}

#[test]
fn forms_hold_each_form_apart() {
    for &form in Form::ALL {
        let forms = Forms::from(form);
        assert_eq!(forms.iter().collect::<Vec<_>>(), [form]);
    }
    let all: Vec<&str> = Form::ALL
        .iter()
        .copied()
        .collect::<Forms>()
        .iter()
        .map(Form::name)
        .collect();
    assert!(all.len() == Form::ALL.len() && all.is_sorted(), "{all:?}");
}

fn entries(folder: &Path) -> Vec<String> {
    let entry = |e: std::io::Result<fs::DirEntry>| {
        e.expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    };
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder")
        .map(entry)
        .collect();
    names.sort();
    names
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut output = Output::create(Some(path), None, &None)?;
    output.write_all(bytes)?;
    output.finish()?.commit()
}

#[test]
fn an_output_dropped_leaves_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    fs::write(&path, "old").expect("a file");
    for ending in ["out.csv", "new.csv", "new.csv.gz", "new.csv.zst"] {
        let mut output =
            Output::create(Some(&folder.path().join(ending)), None, &None).expect("an output");
        output
            .write_all(&[b'x'; 200_000])
            .expect("room on the disk");
    }
    assert_eq!(fs::read(&path).expect("the file"), b"old");
    assert_eq!(entries(folder.path()), ["out.csv"]);
}

#[test]
fn errors_carry_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("no/such/out.csv");
    let error = write(&missing, b"").expect_err("no such folder");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    let plain = fs::metadata(&missing).expect_err("no such folder");
    let text = format!("{}: {plain}; ", missing.display());
    assert!(error.to_string().starts_with(&text), "{error}");
    let error = write(folder.path(), b"").expect_err("a folder");
    assert_eq!(error.kind(), std::io::ErrorKind::IsADirectory);
}

mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("data")).expect("a folder");
        fs::write(path("data/real.csv"), "old").expect("a file");
        symlink("data/real.csv", path("link.csv")).expect("a link");
        symlink("data/none.csv", path("dangling.csv")).expect("a link");
        write(&path("link.csv"), b"new").expect("an output");
        write(&path("dangling.csv"), b"new").expect("an output");
        assert_eq!(entries(folder.path()), ["dangling.csv", "data", "link.csv"]);
        assert_eq!(entries(&path("data")), ["none.csv", "real.csv"]);
        assert_eq!(fs::read(path("data/real.csv")).expect("the file"), b"new");
        assert!(
            fs::symlink_metadata(path("link.csv"))
                .expect("the link")
                .is_symlink()
        );
    }

    #[test]
    fn a_circle_of_links_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        symlink("b", folder.path().join("a")).expect("a link");
        symlink("a", folder.path().join("b")).expect("a link");
        assert!(write(&folder.path().join("a"), b"").is_err());
    }

    #[test]
    fn permissions_are_those_of_any_new_file_or_of_the_file_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |name: &str| {
            fs::metadata(folder.path().join(name))
                .expect("the file")
                .permissions()
                .mode()
                & 0o777
        };
        fs::write(folder.path().join("plain"), "").expect("a file");
        write(&folder.path().join("new.csv"), b"").expect("an output");
        assert_eq!(mode("new.csv"), mode("plain"));
        fs::set_permissions(
            folder.path().join("plain"),
            fs::Permissions::from_mode(0o640),
        )
        .expect("a mode");
        write(&folder.path().join("plain"), b"new").expect("an output");
        assert_eq!(mode("plain"), 0o640);
    }

    #[test]
    fn devices_are_written_straight() {
        write(Path::new("/dev/null"), b"gone").expect("the null device");
        assert!(!fs::metadata("/dev/null").expect("the device").is_file());
        if Path::new("/dev/full").exists() {
            let error = write(Path::new("/dev/full"), b"more").expect_err("no room");
            assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
            assert!(error.to_string().starts_with("/dev/full: "), "{error}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_open_descriptor_is_appended_to() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let mut file = fs::File::create(&path).expect("a file");
        file.write_all(b"before ").expect("room on the disk");
        write(
            Path::new(&format!("/dev/fd/{}", file.as_raw_fd())),
            b"after",
        )
        .expect("the descriptor");
        assert_eq!(fs::read(&path).expect("the file"), b"before after");
        assert_eq!(entries(folder.path()), ["log"]);
    }

    #[test]
    fn an_output_knows_its_temporary_file_and_its_destination_the_file_that_it_replaces() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("a file");
        let destination = Destination::of(Some(&path), &None).expect("a destination");
        assert_eq!(entries(folder.path()), ["out.csv"]);
        let output = Output::create(Some(&path), None, &None).expect("an output");
        let mut ids = vec![output.temporary_id(), destination.id()];
        let mut found: Vec<_> = fs::read_dir(folder.path())
            .expect("the folder")
            .map(|e| {
                e.and_then(|e| e.metadata())
                    .map(|m| Some((m.dev(), m.ino())))
                    .expect("an entry")
            })
            .collect();
        ids.sort_unstable();
        found.sort_unstable();
        assert_eq!(ids, found);
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn destinations_are_the_same_whatever_their_spelling() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("real")).expect("a folder");
        fs::write(path("old"), "old").expect("a file");
        fs::hard_link(path("old"), path("hard")).expect("a link");
        for (link, target) in [("link", "real"), ("dangling", "real/new"), ("soft", "old")] {
            symlink(path(target), path(link)).expect("a link");
        }
        let of = |name: &str| Destination::of(Some(&path(name)), &None).expect("a destination");
        for (a, b, same) in [
            ("real/new", "link/../link/new", true),
            ("real/new", "dangling", true),
            ("real/new", "real/newer", false),
            ("old", "soft", true),
            ("old", "hard", true),
            ("old", "real/old", false),
            ("/dev/null", "/dev/null", false),
        ] {
            assert_eq!(of(a).is_same(&of(b)), same, "{a} {b}");
        }
        let stdout = Destination::of(None, &None).expect("standard output");
        assert!(of("/dev/stdout").is_same(&stdout));
        let dash = Destination::of(Some(Path::new("-")), &None).expect("standard output");
        assert!(dash.is_same(&stdout));
    }
}

use std::fs;
use std::path::Path;

use super::folder::PartKeep;
use super::*;
use doisift_core::Form;

use crate::records::row::Row;
use crate::records::{
    Layout, MentionRow, Output, RowBlock, RowEdge, RowKind, RowWriter, output_writer,
};

fn rows(count: usize) -> impl Iterator<Item = (String, String)> {
    (0..count).map(|n| (format!("10.5555/{n}"), format!("s{}", n / 10)))
}

fn row<'a>((doi, source): &'a (String, String)) -> MentionRow<'a> {
    MentionRow {
        doi,
        source,
        text: doi,
        form: Form::Bare,
        document: None,
        offset: 0,
        length: 10,
        guessed: false,
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
        edge: RowEdge::default(),
    }
}

/// Writes a new folder. Returns its parts with their contents.
fn written(
    format: Format,
    size: PartSize,
    write: impl FnOnce(&Layout, Box<dyn RowWriter<Output>>) -> Output,
) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out/");
    let plan = PartPlan::new(&path, format, size);
    let output = Output::create_folder(
        &path,
        plan,
        None,
        PartKeep::Nothing,
        Box::new(|_| {}),
        &None,
    );
    let layout = Layout::new(format, RowKind::Mentions);
    let rows = output_writer(&layout, output.unwrap()).unwrap();
    write(&layout, rows).finish().unwrap().commit().unwrap();
    content(&path)
}

fn content(path: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
    let named = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut files: Vec<_> = named
        .map(|name| (fs::read(path.join(&name)).unwrap(), name))
        .collect();
    files.sort_by(|a, b| a.1.cmp(&b.1));
    files
        .into_iter()
        .map(|(bytes, name)| (name, bytes))
        .collect()
}

fn one_by_one(_: &Layout, mut out: Box<dyn RowWriter<Output>>) -> Output {
    for mention in rows(100) {
        out.row(&row(&mention) as &dyn Row).unwrap();
    }
    out.finish().unwrap()
}

#[test]
fn parts_do_not_depend_on_the_division_into_blocks() {
    for &format in Format::ALL {
        let parts = |blocks: usize| {
            written(format, PartSize::Bytes(1000), |layout, out| {
                let (all, mut out) = (rows(100).collect::<Vec<_>>(), out.into_blocks().unwrap());
                for some in all.chunks(blocks) {
                    let block = RowBlock::new(layout, &mut some.iter().map(row)).unwrap();
                    out.block(block).unwrap();
                }
                out.end().unwrap()
            })
        };
        let whole = parts(100);
        assert!(whole.len() > 3, "{format:?}");
        for blocks in [1, 3, 7, 50] {
            assert_eq!(parts(blocks), whole, "{format:?} {blocks}");
        }
    }
}

#[test]
fn each_source_can_have_a_part() {
    let parts = written(Format::Jsonl, PartSize::Source, one_by_one);
    let names: Vec<_> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names[0], names[1], names.len()), (SUCCESS, MANIFEST, 12));
    for (number, (name, bytes)) in parts[2..].iter().enumerate() {
        assert_eq!(*name, format!("part-{number:05}.jsonl"));
        assert_eq!(bytes.iter().filter(|&&byte| byte == b'\n').count(), 10);
        assert!(String::from_utf8_lossy(bytes).contains(&format!("\"s{number}\"")));
    }
}

#[test]
fn parts_that_follow_each_other_have_all_rows() {
    let whole = written(Format::Jsonl, PartSize::Bytes(u64::MAX), one_by_one);
    let parts = written(Format::Jsonl, PartSize::Bytes(500), one_by_one);
    assert!(parts.len() > 10);
    let joined: Vec<u8> = parts[2..]
        .iter()
        .flat_map(|(_, bytes)| bytes.clone())
        .collect();
    assert_eq!(joined, whole[2].1);
}

#[test]
fn a_folder_with_a_part_of_another_program_is_never_complete() {
    for logged in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out/");
        let plan = PartPlan::new(&path, Format::Jsonl, PartSize::Bytes(500));
        let log = folder.path().join("log");
        let keep = match logged {
            true => PartKeep::Logged { log, begun: false },
            false => PartKeep::Nothing,
        };
        let output = Output::create_folder(&path, plan, None, keep, Box::new(|_| {}), &None);
        let layout = Layout::new(Format::Jsonl, RowKind::Mentions);
        let rows = output_writer(&layout, output.unwrap()).unwrap();
        fs::write(path.join("part-x"), "").unwrap();
        let whole = one_by_one(&layout, rows).finish().unwrap();
        let error = whole.commit().unwrap_err().to_string();
        assert!(
            error.contains("part-x is not a part of this run"),
            "{error}"
        );
        assert!(path.join("part-x").exists() && !path.join(SUCCESS).exists());
        assert_eq!(path.join("part-00000.jsonl").exists(), logged);
    }
}

#[test]
fn patterns_of_other_programs_are_recognised() {
    for (path, folder) in [
        ("x/%s", "x/"),
        ("x/%05d.csv", "x/"),
        ("x/{}", "x/"),
        ("a*", "parts/"),
    ] {
        assert_eq!(
            folder_of_pattern(Path::new(path)),
            Some(folder.into()),
            "{path}"
        );
    }
    for path in ["x/a.csv", "100%.csv", "50%off", "x/", "-"] {
        assert_eq!(folder_of_pattern(Path::new(path)), None, "{path}");
    }
}

//! `--record-fields NAME:TYPE=PATH`: columns of numbers and flags from fields of records, and values of other types.

use serde_json::json;

use crate::place::{Place, Seen};

fn run(place: &Place, line: &str) -> Seen {
    Seen::of(&mut place.command(line.split_whitespace()))
}

const WORKS: &str = r#"{"DOI":"10.5555/a","issued":{"date-parts":[[2020]]},"score":1.50,"open":true}
{"DOI":"10.5555/b","issued":{"date-parts":[["1999"]]},"score":"1e-7","open":"False"}
{"DOI":"10.5555/c","issued":{"date-parts":[[null]]},"score":-7}
{"DOI":"10.5555/d"}
"#;
const TYPED: &str = "--record-fields year:int=/issued/date-parts/0/0,score:float=score,open:bool=/open,id:text=/DOI";

#[test]
fn columns_of_record_fields_have_their_types_in_every_format() {
    let place = Place::new();
    place.file("a.jsonl", WORKS);
    let line = format!("scan a.jsonl --edges --fields doi {TYPED} -o e.jsonl --nodes-to n.csv");
    run(&place, &line).quiet();
    let rows: Vec<serde_json::Value> = place
        .read("e.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let wanted = [
        json!({"doi": "10.5555/a", "year": 2020, "score": 1.5, "open": true, "id": "10.5555/a"}),
        json!({"doi": "10.5555/b", "year": 1999, "score": 1e-7, "open": false, "id": "10.5555/b"}),
        json!({"doi": "10.5555/c", "year": null, "score": -7.0, "open": null, "id": "10.5555/c"}),
        json!({"doi": "10.5555/d", "year": null, "score": null, "open": null, "id": "10.5555/d"}),
    ];
    assert_eq!(rows, wanted);
    let wanted = "record,value,reference_count,named,unnamed,year,score,open,id\n\
        10.5555/a,10.5555/a,0,0,0,2020,1.5,true,10.5555/a\n\
        10.5555/b,10.5555/b,0,0,0,1999,1e-7,false,10.5555/b\n\
        10.5555/c,10.5555/c,0,0,0,,-7.0,,10.5555/c\n\
        10.5555/d,10.5555/d,0,0,0,,,,10.5555/d\n";
    assert_eq!(place.read("n.csv"), wanted);
}

#[test]
fn columns_of_record_fields_have_their_types_in_parquet() {
    use ::parquet::basic::{LogicalType, Type};
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    let place = Place::new();
    place.file("a.jsonl", WORKS);
    let outputs = "-o e.parquet --nodes-to n.parquet";
    let line = format!("scan a.jsonl --edges --fields doi {TYPED} {outputs}");
    run(&place, &line).quiet();
    for name in ["e.parquet", "n.parquet"] {
        let file = std::fs::File::open(place.path(name)).unwrap();
        let file = SerializedFileReader::new(file).unwrap();
        let schema = file.metadata().file_metadata().schema_descr();
        let columns = schema.columns().iter().rev().take(4).rev();
        let types: Vec<_> = columns
            .map(|column| {
                (
                    column.name(),
                    column.physical_type(),
                    column.logical_type_ref(),
                )
            })
            .collect();
        let wanted = [
            ("year", Type::INT64, None),
            ("score", Type::DOUBLE, None),
            ("open", Type::BOOLEAN, None),
            ("id", Type::BYTE_ARRAY, Some(&LogicalType::String)),
        ];
        assert_eq!(types, wanted, "{name}");
        let rows = file.get_row_iter(None).unwrap();
        let last = |field: &str, row: &::parquet::record::Row| {
            let mut columns = row.get_column_iter();
            columns.find(|(name, _)| *name == field).unwrap().1.clone()
        };
        let rows: Vec<_> = rows
            .map(|row| {
                let row = row.unwrap();
                ["year", "score", "open"].map(|field| last(field, &row))
            })
            .collect();
        let wanted = [
            [Field::Long(2020), Field::Double(1.5), Field::Bool(true)],
            [Field::Long(1999), Field::Double(1e-7), Field::Bool(false)],
            [Field::Null, Field::Double(-7.0), Field::Null],
            [Field::Null, Field::Null, Field::Null],
        ];
        assert_eq!(rows, wanted, "{name}");
    }
}

#[test]
fn merged_columns_of_record_fields_keep_their_types() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        let works = WORKS.replace("10.5555/", &format!("10.5555/{name}"));
        place.file(format!("in/{name}.jsonl"), works);
    }
    for format in ["jsonl", "csv", "parquet"] {
        for (folder, shard) in [
            ("whole", ""),
            ("one", "--shard 0/2"),
            ("two", "--shard 1/2"),
        ] {
            let outputs =
                format!("-f {format} -o {folder}-{format}/ --nodes-to {folder}-n.{format}/");
            run(
                &place,
                &format!("scan in --edges {TYPED} {outputs} {shard}"),
            )
            .quiet();
        }
        for rows in [format!("-{format}"), format!("-n.{format}")] {
            let line = format!("merge one{rows} two{rows} -f {format} -o merged{rows}/");
            run(&place, &line).quiet();
            let part = |folder: &str| {
                std::fs::read(place.path(format!("{folder}{rows}/part-00000.{format}"))).unwrap()
            };
            assert!(part("merged") == part("whole"), "{rows}");
            let types = |folder: &str| {
                let manifest = place.json(&format!("{folder}{rows}/_manifest.json"));
                manifest["types"].clone()
            };
            assert_eq!(types("merged")["year"], "int");
            assert_eq!(types("merged"), types("whole"));
        }
    }
    // Files say their types too, but for CSV, whose texts stay as they are.
    place.file("in/0.jsonl", "{\"DOI\":\"10.5555/0\"}\n");
    let fields = "--fields source,record,doi,role";
    for format in ["jsonl", "csv", "parquet"] {
        run(
            &place,
            &format!("scan in --edges {fields} {TYPED} -o s.{format}"),
        )
        .quiet();
        run(&place, &format!("merge s.{format} -o t.{format}")).quiet();
        let bytes = |name: &str| std::fs::read(place.path(format!("{name}.{format}"))).unwrap();
        assert!(bytes("s") == bytes("t"), "{format}");
        if format != "csv" {
            run(&place, &format!("merge s.{format} -o u.jsonl")).quiet();
            assert_eq!(place.read("u.jsonl"), place.read("s.jsonl"), "{format}");
        }
    }
    let texts = TYPED.replace(":int", "");
    run(&place, &format!("scan in --edges {texts} -f csv -o texts/")).quiet();
    let seen = run(&place, "merge one-csv texts -o m.csv");
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    assert!(
        seen.err
            .contains("its column year has another type than that of one-csv"),
        "{}",
        seen.err
    );
}

#[test]
fn values_of_another_type_are_null_counted_and_reported() {
    let crossref = "{\"DOI\":\"10.5555/a\",\"year\":\"c. 2020\"}\n{\"year\":2021.5,\"DOI\":\"10.5555/b\"}\n\
        {\"year\":[2022],\"DOI\":\"10.5555/c\"}\n{\"year\":2023.0,\"DOI\":\"10.5555/d\"}\n";
    let xml = "<article><front><article-meta><article-id pub-id-type=\"doi\">10.5555/a</article-id>\
        <year>in press</year></article-meta></front></article>";
    let bibtex = "@article{k,\n doi = {10.5555/a},\n year = {in press}\n}\n";
    let ris = "TY  - JOUR\nDO  - 10.5555/x\nPY  - 2001//\nER  - \n";
    let cases = [
        (
            "a.jsonl",
            crossref,
            "year",
            "10.5555/a,,10.5555/b,,10.5555/c,,10.5555/d,2023",
            "\"c. 2020\"",
            3,
        ),
        (
            "a.xml",
            xml,
            "front/article-meta/year",
            "10.5555/a,",
            "in press",
            1,
        ),
        ("a.bib", bibtex, "year", "10.5555/a,", "in press", 1),
        ("a.ris", ris, "PY", "10.5555/x,", "2001//", 1),
    ];
    for (name, text, path, rows, first, count) in cases {
        let place = Place::new();
        place.file(name, text);
        let scan = |more: &str| {
            let fields = format!("--fields doi --record-fields year:int={path}");
            let line = format!("scan {name} --edges {fields} -o e.csv --report r.json {more}");
            let seen = run(&place, &line);
            (seen, place.read("e.csv"))
        };
        for more in ["-j1", "-j1 --chunk 64", "-j2 --chunk 7"] {
            let (seen, edges) = scan(more);
            assert_eq!(seen.code, Some(1), "{name} {more}: {}", seen.err);
            let found: Vec<_> = edges.lines().skip(1).collect();
            assert_eq!(found.join(","), rows, "{name} {more}");
            let report = place.json("r.json");
            assert_eq!(report["edges"]["mistyped"], count, "{name} {more}");
            let loss = &report["errors"]["list"][0];
            let at = loss["offset"].as_u64().unwrap() as usize;
            let near = text[at..].trim_start_matches(['"', '{', ' ']);
            assert!(near.starts_with(first.trim_matches('"')), "{name}: {loss}");
            let message = loss["message"].as_str().unwrap();
            assert!(
                message.contains(first) && message.contains("leave out :int"),
                "{message}"
            );
        }
        let (seen, _) = scan("--on-error fail");
        assert_eq!(seen.code, Some(2), "{name}: {}", seen.err);
    }
    let place = Place::new();
    place.file("a.json", "{\"DOI\":\"10.5555/a\",\"year\":[2022]}");
    let seen = run(&place, "scan a.json --edges --record-fields year:int=year");
    assert!(
        seen.err
            .contains("the first is an object or a list; the rows have null instead; end the path"),
        "{}",
        seen.err
    );
    assert_eq!(seen.code, Some(1));
    // As text, no value is lost.
    run(
        &place,
        "scan a.json --edges --record-fields year --fields doi",
    )
    .quiet();
}

#[test]
fn a_typed_column_is_the_column_of_texts_read_as_its_type() {
    let values = [
        "1",
        "\"1\"",
        "\" 1 \"",
        "-0",
        "1.0",
        "1.5",
        "\"x\"",
        "\"\"",
        "null",
        "true",
        "\"TRUE\"",
        "1e3",
        "9223372036854775808",
        "-9223372036854775808",
        "\"1e999\"",
        "\"NaN\"",
        "[1]",
        "{}",
        "0.1",
    ];
    let place = Place::new();
    let line = |value: &&str| format!("{{\"DOI\":\"10.5555/a\",\"v\":{value}}}\n");
    place.file("a.jsonl", values.iter().map(line).collect::<String>());
    let column = |kind: &str| {
        let line = format!("scan a.jsonl --edges --fields doi --record-fields v:{kind}=v -f csv");
        let rows: Vec<_> = run(&place, &line)
            .out
            .lines()
            .skip(1)
            .map(str::to_owned)
            .collect();
        assert_eq!(rows.len(), values.len());
        rows.into_iter()
            .map(|row| row["10.5555/a,".len()..].to_owned())
    };
    let texts: Vec<_> = column("text").collect();
    for (text, int) in texts.iter().zip(column("int")) {
        let whole = text.trim().strip_suffix(".0").unwrap_or(text.trim());
        let wanted = whole
            .parse::<i64>()
            .map_or(String::new(), |n| n.to_string());
        assert_eq!(int, wanted, "{text}");
    }
    for (text, float) in texts.iter().zip(column("float")) {
        let number = text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let wanted = number.map_or(String::new(), |n| format!("{n:?}"));
        assert_eq!(float, wanted, "{text}");
    }
    for (text, flag) in texts.iter().zip(column("bool")) {
        let text = text.to_ascii_lowercase();
        let wanted = text
            .parse::<bool>()
            .map_or(String::new(), |flag| flag.to_string());
        assert_eq!(flag, wanted, "{text}");
    }
}

#[test]
fn a_type_that_is_none_is_refused() {
    let place = Place::new();
    place.file("a.json", "{\"DOI\":\"10.5555/a\",\"dc:x=y\":\"z\"}");
    let seen = run(&place, "scan a.json --edges --record-fields year:number=/a");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("\"number\" in \"year:number=/a\" is not a type of a column; write one of text, int, float, bool"),
        "{}",
        seen.err
    );
    // A path with these marks has a slash before it.
    let line = "scan a.json --edges --record-fields /dc:x=y --fields doi -f csv";
    assert_eq!(run(&place, line).quiet().out, "doi,/dc:x=y\n10.5555/a,z\n");
}

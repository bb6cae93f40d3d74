//! The cells of a sheet of a binary workbook (MS-XLSB).

use super::address::CellAddress;
use super::cell::CellSink;
use super::number::{error, packed, truth};
use super::page_header;
use super::workbook::Workbook;
use super::xlsb::{XlsbRecord, XlsbRecords};
use crate::fault::InputError;
use crate::read::ReadBytes;

/// Passes on the texts of comments.
pub(super) fn read_comments(mut cells: CellSink<'_>, bytes: &mut dyn ReadBytes) -> bool {
    const COMMENT: u32 = 0x27d;
    let name = cells.member();
    each_of(&mut cells, bytes, |cells, record| {
        if record.kind == COMMENT {
            cells.text_outside_cells(name, record.text(1)?.0.as_bytes());
        }
        Ok(())
    })
}

/// Passes on the cells of a sheet. Returns false if the source should not be read further.
pub(super) fn read_cells(
    mut cells: CellSink<'_>,
    workbook: &Workbook,
    bytes: &mut dyn ReadBytes,
) -> bool {
    let mut row = 0;
    each_of(&mut cells, bytes, |cells, record| {
        match record.kind {
            0x00 => row = record.u32(0)?,
            0x02..=0x0b | 0x3e => cell(cells, workbook, row, record)?,
            0x1ee => link(cells, workbook, record)?,
            // A header or footer has texts for different pages.
            0x1df => {
                let name = format!("{}#text", cells.sheet);
                let mut at = 2;
                while at < record.data.len() {
                    let (text, end) = record.text(at)?;
                    cells.text_outside_cells(&name, &page_header::text(text.as_bytes()));
                    at = end;
                }
            }
            _ => {}
        }
        Ok(())
    })
}

/// Calls `take` with each record, and reports damage.
fn each_of<'a>(
    cells: &mut CellSink<'a>,
    bytes: &mut dyn ReadBytes,
    mut take: impl FnMut(&mut CellSink<'a>, &XlsbRecord) -> Result<(), InputError>,
) -> bool {
    let mut records = XlsbRecords::new(bytes);
    while cells.go_on {
        match records.next_record() {
            Ok(Some(record)) => {
                if let Err(error) = take(cells, &record) {
                    cells.report_loss(records.offset, error);
                }
            }
            Ok(None) => break,
            Err(error) => {
                cells.report_loss(records.offset, error);
                break;
            }
        }
    }
    cells.go_on
}

fn cell(
    cells: &mut CellSink<'_>,
    workbook: &Workbook,
    row: u32,
    record: &XlsbRecord,
) -> Result<(), InputError> {
    let column = record.u32(0)?;
    let at = CellAddress { row, column };
    let style = u64::from(record.u32(4)? & 0xff_ffff);
    let number = |cells: &mut CellSink<'_>, value| {
        if cells.is_table() {
            cells.value(at, workbook.shown(style, value).as_bytes());
        }
    };
    match record.kind {
        0x02 => number(cells, packed(record.u32(8)?)),
        0x05 | 0x09 => number(cells, f64::from_le_bytes(record.bytes(8)?)),
        0x03 | 0x0b => cells.value(at, error(record.bytes::<1>(8)?[0])),
        0x04 | 0x0a => cells.value(at, truth(record.bytes::<1>(8)?[0] != 0)),
        0x06 | 0x08 => cells.text(at, "", record.text(8)?.0.as_bytes()),
        // A text with formats of its parts.
        0x3e => cells.text(at, "", record.text(9)?.0.as_bytes()),
        _ if !workbook.holds_strings() => {}
        _ => {
            let text = workbook.string(record.u32(8)? as usize);
            let missing = InputError::Office("has a cell whose shared text is missing");
            cells.text(at, "", text.ok_or(missing)?);
        }
    }
    Ok(())
}

/// Reads the texts of a link on a cell. Its target is a relationship.
fn link(
    cells: &mut CellSink<'_>,
    workbook: &Workbook,
    record: &XlsbRecord,
) -> Result<(), InputError> {
    let at = CellAddress {
        row: record.u32(0)?,
        column: record.u32(8)?,
    };
    let (id, mut end) = record.text(16)?;
    let target = workbook.link(cells.member(), &id);
    let mut texts = target.map_or(String::new(), |target| format!("{target}\n\n"));
    for _ in ["place", "tooltip", "shown"] {
        let (text, next) = record.text(end)?;
        if !text.is_empty() {
            texts += &text;
            texts += "\n\n";
        }
        end = next;
    }
    cells.text(at, "#link", texts.as_bytes());
    Ok(())
}

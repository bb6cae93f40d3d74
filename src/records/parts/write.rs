//! Divides rows into parts.

use std::io;

use super::manifest;
use super::{PartEntry, PartFolder, PartSize, SourceRows};
use crate::records::field::Field;
use crate::records::layout::Layout;
use crate::records::output::Output;
use crate::records::row::{Row, Value};
use crate::records::rows::{BlockWriter, RowBlock, RowWriter};
use crate::records::writer;

/// Writes rows to one part after the other.
pub(crate) struct PartWriter {
    layout: Layout,
    /// The part that is written; none between parts.
    part: Option<Box<dyn RowWriter<Output>>>,
    rows: u64,
    /// The sources of the rows, if rows have sources.
    sources: Vec<SourceRows>,
    /// Rows that the parts of an earlier run have, and that come again.
    passed: u64,
    /// The output of the manifest. Dropped before the folder, which may be removed then.
    manifest: Output,
    folder: PartFolder,
}

/// Writes blocks of rows to one part after the other.
struct PartBlocks {
    layout: Layout,
    part: Option<Box<dyn BlockWriter<Output>>>,
    rows: u64,
    /// The size of the rows in the part.
    size: u64,
    manifest: Output,
    folder: PartFolder,
}

impl PartWriter {
    /// Writes to `folder`. The first rows, so many as `passed`, are in its parts already.
    pub(crate) fn new(layout: &Layout, folder: PartFolder, passed: u64, manifest: Output) -> Self {
        PartWriter {
            layout: layout.clone(),
            part: None,
            rows: 0,
            sources: Vec::new(),
            passed,
            folder,
            manifest,
        }
    }

    /// The part for a row of the source, if rows have one.
    fn part_of(&mut self, source: Option<&str>) -> io::Result<&mut Box<dyn RowWriter<Output>>> {
        let last = self.sources.last().map(|last| last.name.as_str());
        let is_other = source.is_some() && source != last;
        if is_other && last.is_some() && self.folder.plan.size == PartSize::Source {
            self.end_part()?;
        }
        match source {
            Some(name) if is_other => self.sources.push(SourceRows {
                name: name.to_owned(),
                rows: 1,
            }),
            _ => self
                .sources
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|last| last.rows += 1),
        }
        match self.part.take() {
            Some(part) => Ok(self.part.insert(part)),
            None => {
                let part = writer(&self.layout, self.folder.create_part()?)?;
                Ok(self.part.insert(part))
            }
        }
    }

    fn end_part(&mut self) -> io::Result<()> {
        let Some(part) = self.part.take() else {
            return Ok(());
        };
        let sources = std::mem::take(&mut self.sources);
        self.folder
            .add_part(part.finish()?, std::mem::take(&mut self.rows), sources)
    }
}

impl RowWriter<Output> for PartWriter {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        if self.passed > 0 {
            self.passed -= 1;
            return Ok(());
        }
        let source = match row.value(Field::Source) {
            Value::Text(source) => Some(source),
            _ => None,
        };
        let part = self.part_of(source)?;
        part.row(row)?;
        let size = part.size();
        self.rows += 1;
        match self.folder.plan.size {
            PartSize::Bytes(full) if size >= full => self.end_part(),
            _ => Ok(()),
        }
    }

    fn size(&self) -> u64 {
        self.part.as_ref().map_or(0, |part| part.size())
    }

    fn parts(&self) -> &[PartEntry] {
        &self.folder.parts
    }

    fn finish(mut self: Box<Self>) -> io::Result<Output> {
        self.end_part()?;
        end(&self.layout, self.folder, self.manifest)
    }

    fn into_blocks(self: Box<Self>) -> io::Result<Box<dyn BlockWriter<Output>>> {
        Ok(Box::new(PartBlocks {
            layout: self.layout,
            part: None,
            rows: 0,
            size: 0,
            folder: self.folder,
            manifest: self.manifest,
        }))
    }
}

impl PartBlocks {
    /// Writes a block that fits the part, and ends the part if it is full.
    fn fitting(&mut self, block: RowBlock, full: u64) -> io::Result<()> {
        let mut part = match self.part.take() {
            Some(part) => part,
            None => writer(&self.layout, self.folder.create_part()?)?.into_blocks()?,
        };
        self.rows += block.rows() as u64;
        self.size += block.size();
        part.block(block)?;
        self.part = Some(part);
        match self.size >= full {
            true => self.end_part(),
            false => Ok(()),
        }
    }

    fn end_part(&mut self) -> io::Result<()> {
        self.size = 0;
        match self.part.take() {
            Some(part) => {
                let rows = std::mem::take(&mut self.rows);
                self.folder.add_part(part.end()?, rows, Vec::new())
            }
            None => Ok(()),
        }
    }
}

impl BlockWriter<Output> for PartBlocks {
    fn block(&mut self, mut block: RowBlock) -> io::Result<()> {
        let full = match self.folder.plan.size {
            PartSize::Bytes(full) => full,
            PartSize::Source => u64::MAX,
        };
        while block.rows() > 0 {
            let rest = block.split_off(full - self.size);
            self.fitting(block, full)?;
            block = rest;
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> io::Result<Output> {
        self.end_part()?;
        end(&self.layout, self.folder, self.manifest)
    }
}

/// Writes an empty part if there are no rows, so that the folder can be read, and the manifest.
fn end(layout: &Layout, mut folder: PartFolder, mut manifest: Output) -> io::Result<Output> {
    if folder.parts.is_empty() {
        let part = writer(layout, folder.create_part()?)?;
        folder.add_part(part.finish()?, 0, Vec::new())?;
    }
    manifest::write(&mut manifest, layout, &folder.plan, &folder.parts)?;
    manifest.set_parts(folder);
    Ok(manifest)
}

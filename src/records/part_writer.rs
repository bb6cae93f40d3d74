//! Divides rows into the parts of an output.

use std::io;

use super::layout::Layout;
use super::output::Output;
use super::parts::{PartFolder, PartSize, PartsDone, SourceRows, write_manifest};
use super::row::Row;
use super::rows::{BlockBuilder, BlockWriter, Encoders, RowBlock, RowWriter};
use super::{file_blocks, writer};

/// Number of single rows in a block.
const BLOCK_ROWS: usize = 1024;

/// Writes rows to one part after the other.
pub(crate) struct PartWriter {
    /// Collected rows.
    block: BlockBuilder,
    rows: usize,
    blocks: PartBlocks,
}

/// Writes blocks of rows to one part after the other.
pub(crate) struct PartBlocks {
    layout: Layout,
    encoders: Option<Encoders>,
    /// The part that is being written. `None` between parts.
    part: Option<Box<dyn BlockWriter<Output>>>,
    rows: u64,
    /// Size of the rows in the part.
    size: u64,
    /// Sources of the rows in the part, if rows have sources.
    sources: Vec<SourceRows>,
    /// Number of rows to skip, since the parts of an earlier run have them.
    passed: u64,
    /// The output of the manifest. Dropped before the folder, so that the folder can be removed.
    manifest: Output,
    folder: PartFolder,
}

impl PartWriter {
    /// Creates a writer as [`PartBlocks::new`] does.
    pub(crate) fn new(
        layout: &Layout,
        folder: PartFolder,
        passed: u64,
        manifest: Output,
    ) -> io::Result<Self> {
        Ok(PartWriter {
            block: BlockBuilder::new(layout, BLOCK_ROWS)?,
            rows: 0,
            blocks: PartBlocks::new(layout, folder, passed, manifest)?,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        let next = BlockBuilder::new(&self.blocks.layout, BLOCK_ROWS)?;
        self.rows = 0;
        let block = std::mem::replace(&mut self.block, next);
        self.blocks.block(block.end()?)
    }
}

impl RowWriter<Output> for PartWriter {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        self.block.row(row)?;
        self.rows += 1;
        match self.rows {
            BLOCK_ROWS => self.flush(),
            _ => Ok(()),
        }
    }

    fn size(&self) -> u64 {
        self.blocks.size
    }

    fn finish(mut self: Box<Self>) -> io::Result<Output> {
        self.flush()?;
        Box::new(self.blocks).end()
    }

    fn into_blocks(mut self: Box<Self>) -> io::Result<Box<dyn BlockWriter<Output>>> {
        self.flush()?;
        Ok(Box::new(self.blocks))
    }
}

impl PartBlocks {
    /// Creates a writer to `folder`. It skips the first `passed` rows, which the parts already have.
    ///
    /// # Errors
    /// If a part of an earlier run that must be written again was changed.
    pub(crate) fn new(
        layout: &Layout,
        mut folder: PartFolder,
        passed: u64,
        manifest: Output,
    ) -> io::Result<Self> {
        folder.begin()?;
        Ok(PartBlocks {
            layout: layout.clone(),
            encoders: None,
            part: None,
            rows: 0,
            size: 0,
            sources: Vec::new(),
            passed,
            manifest,
            folder,
        })
    }

    /// Lets `encoders` encode the rows.
    pub(crate) fn encoded_by(self, encoders: Encoders) -> Self {
        PartBlocks {
            encoders: Some(encoders),
            ..self
        }
    }

    /// Returns the number of first rows of a block that belong to the part.
    fn fitting(&self, block: &RowBlock) -> usize {
        match self.folder.plan.size {
            PartSize::Bytes(full) => block.rows_with(full - self.size),
            // Rows without sources all count as one source.
            PartSize::Source => block
                .sources
                .first()
                .map_or(block.rows(), |source| source.rows as usize),
        }
    }

    /// Whether the rows of a block belong to the next part.
    fn is_of_next(&self, block: &RowBlock) -> bool {
        let [last, first] = [self.sources.last(), block.sources.first()];
        let names = last.zip(first);
        let is_other = names.is_some_and(|(last, first)| last.name != first.name);
        is_other && self.folder.plan.size == PartSize::Source
    }

    /// Writes a block that fits the part, and ends the part if it is full.
    fn write_block(&mut self, mut block: RowBlock) -> io::Result<()> {
        let mut part = match self.part.take() {
            Some(part) => part,
            None => {
                let out = self.folder.create_part()?;
                file_blocks(&self.layout, out, self.encoders.as_ref())?
            }
        };
        self.rows += block.rows() as u64;
        self.size += block.size();
        self.add_sources(std::mem::take(&mut block.sources));
        part.block(block)?;
        self.part = Some(part);
        match self.folder.plan.size {
            PartSize::Bytes(full) if self.size >= full => self.end_part(),
            _ => Ok(()),
        }
    }

    fn add_sources(&mut self, sources: Vec<SourceRows>) {
        for source in sources {
            match self.sources.last_mut() {
                Some(last) if last.name == source.name => last.rows += source.rows,
                _ => self.sources.push(source),
            }
        }
    }

    fn end_part(&mut self) -> io::Result<()> {
        let Some(part) = self.part.take() else {
            return Ok(());
        };
        (self.size, self.folder.done.text) = (0, None);
        let rows = std::mem::take(&mut self.rows);
        let sources = std::mem::take(&mut self.sources);
        self.folder.add_part(part.end()?, rows, sources)
    }
}

impl BlockWriter<Output> for PartBlocks {
    fn block(&mut self, mut block: RowBlock) -> io::Result<()> {
        if self.passed > 0 {
            let passed = self.passed.min(block.rows() as u64);
            self.passed -= passed;
            block = block.split_off(passed as usize);
        }
        while block.rows() > 0 {
            if self.is_of_next(&block) {
                self.end_part()?;
            }
            let rest = block.split_off(self.fitting(&block));
            self.write_block(block)?;
            block = rest;
        }
        Ok(())
    }

    fn report_place(&mut self, text: u64) -> io::Result<bool> {
        let Some(max) = self.folder.plan.size.text() else {
            return Ok(false);
        };
        // The earlier run already reached this place, before the end of its last part.
        if self.passed > 0 {
            return Ok(false);
        }
        let first = *self.folder.done.text.get_or_insert(text);
        // An earlier run may have set a place after this one, which comes again.
        let is_full = text.saturating_sub(first) >= max;
        if is_full {
            self.end_part()?;
            self.folder.done.text = Some(text);
        }
        Ok(is_full)
    }

    fn parts(&self) -> Option<&PartsDone> {
        Some(&self.folder.done)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.folder.sync()
    }

    /// Writes an empty part if there are no rows, so that the folder can be read, and the manifest.
    fn end(mut self: Box<Self>) -> io::Result<Output> {
        self.end_part()?;
        if self.passed > 0 {
            return Err(self.folder.fewer_rows());
        }
        let PartBlocks {
            layout,
            mut folder,
            mut manifest,
            ..
        } = *self;
        if folder.parts().is_empty() {
            let part = writer(&layout, folder.create_part()?)?;
            folder.add_part(part.finish()?, 0, Vec::new())?;
        }
        write_manifest(&mut manifest, &layout, &folder.plan, &folder.parts())?;
        manifest.set_parts(folder);
        Ok(manifest)
    }
}

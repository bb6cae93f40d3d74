//! Tables that are texts: which of their columns are read.

use std::collections::HashMap;
use std::sync::Arc;

use super::choice::NamedColumn;
use super::name::ColumnName;
use super::path::ColumnPath;
use crate::column_choice::ColumnSelection;
use crate::fault::InputError;

/// Columns of objects, and bytes of their places, at which a batch is full.
const FULL_BATCH_COLUMNS: usize = 4096;
const FULL_BATCH_PLACE_BYTES: usize = 256 << 10;
/// Max columns of the objects of one batch.
const MAX_COLUMNS: usize = 1 << 15;
/// The place of the items of a list in that of a column, where a name cannot hold it.
pub const ITEMS_PLACE: &str = "/~2";

/// A column of a header.
#[derive(Clone)]
struct HeaderColumn {
    name: ColumnName,
    number: usize,
}

impl NamedColumn for HeaderColumn {
    fn name(&self) -> &ColumnName {
        &self.name
    }

    fn is_text(&self) -> bool {
        true
    }

    fn is_id(&self) -> bool {
        true
    }
}

/// The columns of a delimited table that are read, by their numbers from 0.
#[derive(Default)]
pub struct HeaderColumns {
    /// In ascending order.
    pub texts: Vec<usize>,
    /// The names of all columns.
    pub paths: Arc<[ColumnPath]>,
    /// The column that names rows.
    pub id: Option<usize>,
}

impl ColumnSelection {
    /// The chosen ones of the columns with these names. Adds an error to `faults` for each name that selects none.
    ///
    /// # Errors
    /// If they are too many.
    pub fn of_header(
        &self,
        names: &[String],
        faults: &mut Vec<InputError>,
    ) -> Result<HeaderColumns, InputError> {
        let column = |(number, name): (usize, &String)| HeaderColumn {
            name: ColumnName::default().child(name, false),
            number,
        };
        let all: Vec<_> = names.iter().enumerate().map(column).collect();
        let too_many = |fault| InputError::Rows {
            fault,
            count: names.len() as u64,
        };
        let mut missing = Vec::new();
        let chosen = self.select(&all, too_many, &mut missing)?;
        faults.extend(missing.into_iter().map(|(_, error)| error));
        Ok(HeaderColumns {
            texts: chosen.texts.iter().map(|text| text.number).collect(),
            paths: chosen.paths,
            id: chosen.id.map(|id| id.number),
        })
    }
}

/// The columns of objects, which are known once they are met.
#[derive(Default)]
pub struct ObjectColumns {
    numbers: HashMap<Box<str>, u16>,
    paths: Vec<ColumnPath>,
    /// Bytes of their places.
    bytes: usize,
}

impl ObjectColumns {
    /// Returns the number of the column at `place`: a JSON pointer, with [`ITEMS_PLACE`] for an index. `None` if there are too many.
    pub fn number(&mut self, place: &str) -> Option<u16> {
        if let Some(number) = self.numbers.get(place) {
            return Some(*number);
        }
        let number = u16::try_from(self.paths.len()).ok();
        let number = number.filter(|number| usize::from(*number) < MAX_COLUMNS)?;
        self.numbers.insert(place.into(), number);
        self.paths.push(path(place));
        self.bytes += place.len();
        Some(number)
    }

    /// Whether there is no room for the places of another row.
    pub fn is_full(&self) -> bool {
        self.paths.len() >= FULL_BATCH_COLUMNS || self.bytes >= FULL_BATCH_PLACE_BYTES
    }

    /// Takes all columns.
    pub fn take_columns(&mut self) -> Arc<[ColumnPath]> {
        std::mem::take(self).paths.into()
    }
}

/// The path of the column at a place.
fn path(place: &str) -> ColumnPath {
    let parts = place.split('/').skip(1);
    parts.fold(ColumnPath::default(), |path, part| match part {
        "~2" => path.item(),
        name => path.child(&name.replace("~1", "/").replace("~0", "~")),
    })
}

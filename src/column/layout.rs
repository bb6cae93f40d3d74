//! The wanted and the new columns of a table.

use doisift_tables::{Dialect, named_column, numbered};

use crate::error::TableError;

/// Names of the new columns for one column: clean name, status, reason.
pub(super) type NewNames = [String; 3];

/// The columns of a delimited table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableLayout {
    pub(super) dialect: Dialect,
    /// Indices of the wanted columns, in the order of the options.
    pub(super) columns: Vec<usize>,
    /// Names of the wanted columns, for messages.
    pub(super) names: Vec<String>,
    /// Number of cells of the header, or of the first row if there is no header.
    pub(super) width: usize,
    /// Whether every cell of the first row is quoted.
    pub(super) quoted: bool,
}

impl TableLayout {
    /// Returns the layout of a table whose first row has these cells.
    ///
    /// # Errors
    /// If a column is missing, or several columns have its name.
    pub(super) fn new(
        dialect: Dialect,
        first: &[&[u8]],
        columns: &[String],
        header: bool,
    ) -> Result<Self, TableError> {
        let texts: Vec<_> = first.iter().map(|cell| dialect.text(cell)).collect();
        let find = |column: &String| {
            if header {
                Ok(named_column(&texts, column)?)
            } else {
                numbered(column, first.len()).ok_or_else(|| TableError::NoNumber {
                    column: column.clone(),
                    width: first.len(),
                })
            }
        };
        let columns: Vec<usize> = columns.iter().map(find).collect::<Result<_, _>>()?;
        let twice = |at: usize| columns[..at].contains(&columns[at]);
        if (0..columns.len()).any(twice) {
            return Err(TableError::Options("a column is named twice"));
        }
        let name = |index: &usize| {
            if header {
                String::from_utf8_lossy(texts[*index].trim_ascii()).into_owned()
            } else {
                (index + 1).to_string()
            }
        };
        Ok(TableLayout {
            dialect,
            names: columns.iter().map(name).collect(),
            columns,
            width: first.len(),
            quoted: first.iter().all(|cell| dialect.is_quoted(cell)),
        })
    }

    /// Returns the names of new columns for the columns `names`. They start with the given names, or with `doi` for one column,
    /// or with the column's own name.
    pub(super) fn new_names(given: &[String], names: &[String]) -> Vec<NewNames> {
        let stems = names.iter().enumerate().map(|(at, name)| {
            let default = if names.len() == 1 { "doi" } else { name };
            let clean = given
                .get(at)
                .map_or_else(|| format!("{default}_clean"), Clone::clone);
            let stem = given.get(at).map_or(default, String::as_str);
            [clean, format!("{stem}_status"), format!("{stem}_reason")]
        });
        stems.collect()
    }

    /// Appends the names of new columns to a header.
    pub(super) fn write_new(&self, new: &[NewNames], out: &mut Vec<u8>) {
        for name in new.iter().flatten() {
            out.push(self.dialect.delimiter);
            self.dialect.write(name.as_bytes(), self.quoted, out);
        }
    }

    /// # Errors
    /// If a cell of the header has the name of a new column, or two new columns have the same name.
    pub(super) fn check_new(&self, header: &[&[u8]], new: &[NewNames]) -> Result<(), TableError> {
        let texts = header.iter().map(|cell| self.dialect.text(cell));
        let mut taken: Vec<Vec<u8>> = texts.map(|text| text.trim_ascii().to_vec()).collect();
        for name in new.iter().flatten() {
            if taken.iter().any(|text| text == name.as_bytes()) {
                let name = name.clone();
                return Err(TableError::Taken { name, row: None });
            }
            taken.push(name.clone().into_bytes());
        }
        Ok(())
    }
}

//! Which columns of a table are read.

use std::sync::Arc;

use super::name::ColumnName;
use super::path::ColumnPath;
use crate::column_choice::ColumnSelection;
use crate::fault::{InputError, LocatedError};

/// Max columns that are read.
const MAX_COLUMNS: usize = 1 << 15;
/// Max names of columns in a message.
const MAX_LISTED_COLUMNS: usize = 20;

/// A column that may be chosen.
pub(super) trait NamedColumn: Clone {
    fn name(&self) -> &ColumnName;

    /// Whether its values are texts.
    fn is_text(&self) -> bool;

    /// Whether an object of a row has it: its values can be written as texts.
    fn is_member(&self) -> bool {
        self.is_text()
    }

    /// Whether it may name rows: it has texts or integers, one for each row.
    fn is_id(&self) -> bool;
}

/// The columns of a table that are read.
pub(super) struct SelectedColumns<C> {
    /// Those that are read besides `id`, in the order of the table.
    pub(super) texts: Vec<C>,
    pub(super) paths: Arc<[ColumnPath]>,
    /// The column that names rows.
    pub(super) id: Option<C>,
}

impl ColumnSelection {
    /// The chosen ones of the columns of a table. Adds an error for each name that selects none.
    ///
    /// # Errors
    /// If they are too many.
    pub(super) fn select<C: NamedColumn>(
        &self,
        all: &[C],
        too_many: impl Fn(&'static str) -> InputError,
        faults: &mut Vec<LocatedError>,
    ) -> Result<SelectedColumns<C>, InputError> {
        let texts = self.texts(all, faults);
        if texts.len() > MAX_COLUMNS {
            let fault = "has too many columns; --columns selects some";
            return Err(too_many(fault));
        }
        Ok(SelectedColumns {
            paths: texts.iter().map(|text| text.name().path.clone()).collect(),
            texts,
            id: self.id(all, faults),
        })
    }

    /// The columns with texts that are chosen, or all if rows are objects and a column has texts. Adds an error for each name that selects none.
    fn texts<C: NamedColumn>(&self, all: &[C], faults: &mut Vec<LocatedError>) -> Vec<C> {
        let texts = || all.iter().filter(|column| column.is_text());
        if self.objects && texts().next().is_some() {
            let members = all.iter().filter(|column| column.is_member());
            return members.cloned().collect();
        }
        let Some(wanted) = &self.columns else {
            return texts().cloned().collect();
        };
        let mut names = Vec::new();
        for column in wanted {
            match full_name(column, all) {
                Some(name) => names.push(name),
                None => faults.push((0, no_column(column, plain_names(texts())))),
            }
        }
        let is_wanted = |column: &&C| {
            let own = column.name().choice_names();
            names.iter().any(|name| is_in(name, &own))
        };
        texts().filter(is_wanted).cloned().collect()
    }

    /// The column that names rows, if one is wanted. Adds an error if there is none of this name.
    fn id<C: NamedColumn>(&self, all: &[C], faults: &mut Vec<LocatedError>) -> Option<C> {
        let wanted = self.id.as_ref()?;
        let ids = || all.iter().filter(|column| column.is_id());
        let found = ids().find(|column| column.name().choice_names().contains(wanted));
        if found.is_none() {
            faults.push((0, no_column(wanted, plain_names(ids()))));
        }
        found.cloned()
    }
}

/// Returns the name of a column with texts, or of one that has such columns in it, that `wanted` means: the name itself, or else
/// the only one that is equal but for case and white space around it, or else that of the outermost column with this number, from 1.
fn full_name<C: NamedColumn>(wanted: &str, all: &[C]) -> Option<String> {
    let texts = || all.iter().filter(|column| column.is_text());
    let has = |name: &str| texts().any(|column| is_in(name, &column.name().choice_names()));
    if has(wanted) {
        return Some(wanted.to_owned());
    }
    let mut alike = texts().map(|column| column.name().path.dotted());
    let mut alike = alike
        .by_ref()
        .filter(|name| name.trim().eq_ignore_ascii_case(wanted.trim()));
    if let Some(name) = alike.next() {
        return alike.next().is_none().then_some(name);
    }
    let mut outermost: Vec<&str> = all
        .iter()
        .map(|column| column.name().path.outermost_name())
        .collect();
    outermost.dedup();
    let number: usize = wanted.trim().parse().ok()?;
    let name = *outermost.get(number.checked_sub(1)?)?;
    has(name).then(|| name.to_owned())
}

/// Whether one of the names of a column is `wanted`, or is within the column that `wanted` names.
pub fn is_in(wanted: &str, names: &[impl AsRef<str>]) -> bool {
    names.iter().any(|name| {
        let rest = name.as_ref().strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn plain_names<'c, C: NamedColumn + 'c>(
    columns: impl Iterator<Item = &'c C>,
) -> impl Iterator<Item = String> {
    columns.map(|column| column.name().path.dotted())
}

/// The error for a name that selects no column, of those that are `known`.
pub fn no_column(column: &str, known: impl Iterator<Item = String>) -> InputError {
    let mut names: Vec<_> = known.take(MAX_LISTED_COLUMNS + 1).collect();
    if names.len() > MAX_LISTED_COLUMNS {
        names[MAX_LISTED_COLUMNS] = "...".into();
    }
    InputError::NoColumn {
        column: column.into(),
        known: if names.is_empty() {
            "none".into()
        } else {
            names.join(", ").into()
        },
    }
}

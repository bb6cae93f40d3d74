//! Which columns of a table are read.

use super::part::TableFaults;
use super::path::ColumnPath;
use crate::input::fault::InputError;

/// Most names of columns in a message.
const NAMED: usize = 20;

/// The columns that are wanted, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ColumnChoice {
    /// The columns whose texts are read; none if all are. Those within a column belong to it.
    pub(crate) columns: Option<Vec<String>>,
    /// The column that names rows.
    pub(crate) id: Option<String>,
}

/// A column that may be chosen.
pub(super) trait NamedColumn: Clone {
    fn path(&self) -> &ColumnPath;

    /// The names of all nodes of the schema that lead to it, with full stops between them.
    fn schema_path(&self) -> &str;

    /// Whether its values are texts.
    fn is_text(&self) -> bool;

    /// Whether it may name rows: it has texts or integers, one for each row.
    fn is_id(&self) -> bool;

    /// The names by which it can be chosen.
    fn names(&self) -> [String; 2] {
        [self.path().plain(), self.schema_path().to_owned()]
    }
}

impl ColumnChoice {
    /// The columns with texts that are chosen. Adds an error for each name that selects none.
    pub(super) fn texts<C: NamedColumn>(&self, all: &[C], faults: &mut TableFaults) -> Vec<C> {
        let texts = || all.iter().filter(|column| column.is_text());
        let Some(wanted) = &self.columns else {
            return texts().cloned().collect();
        };
        let is_wanted = |column: &&C| {
            let names = column.names();
            wanted.iter().any(|wanted| is_in(wanted, &names))
        };
        let chosen: Vec<C> = texts().filter(is_wanted).cloned().collect();
        for column in wanted {
            let found = chosen.iter().any(|chosen| is_in(column, &chosen.names()));
            if !found {
                faults.push((0, no_column(column, texts())));
            }
        }
        chosen
    }

    /// The column that names rows, if one is wanted. Adds an error if there is none of this name.
    pub(super) fn id<C: NamedColumn>(&self, all: &[C], faults: &mut TableFaults) -> Option<C> {
        let wanted = self.id.as_ref()?;
        let ids = || all.iter().filter(|column| column.is_id());
        let found = ids().find(|column| column.names().contains(wanted));
        if found.is_none() {
            faults.push((0, no_column(wanted, ids())));
        }
        found.cloned()
    }
}

/// Whether one of the names of a column is `wanted`, or is within the column that `wanted` names.
fn is_in(wanted: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        let rest = name.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn no_column<'c, C: NamedColumn + 'c>(
    column: &str,
    known: impl Iterator<Item = &'c C>,
) -> InputError {
    let mut names: Vec<_> = known
        .take(NAMED + 1)
        .map(|column| column.path().plain())
        .collect();
    if names.len() > NAMED {
        names[NAMED] = "...".into();
    }
    InputError::NoColumn {
        column: column.into(),
        known: match names.is_empty() {
            true => "none".into(),
            false => names.join(", ").into(),
        },
    }
}

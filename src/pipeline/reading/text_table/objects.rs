//! Reads the rows of JSON Lines. Each row is an object, and each string in it is a cell.

use std::fmt;

use doisift_documents::{
    ColumnSelection, ITEMS_PLACE, InputError, ObjectColumns, RowBatchBuilder, is_in, no_column,
};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{AddedRow, RowFault};

/// Max names of members that are kept for a message: one more than it shows.
const MAX_KEPT_NAMES: usize = 21;

/// Takes the chosen strings of objects.
pub(super) struct ObjectRows<'t> {
    choice: &'t ColumnSelection,
    pub(super) columns: ObjectColumns,
    /// Whether each wanted name was found, in the order of the choice.
    met: Vec<bool>,
    /// The members of the first object, for a message.
    first: Option<Vec<String>>,
}

/// Whether the first row of a document is valid JSON, as far as `head` has it. `whole` is set if the document ends with `head`.
pub(super) fn starts(head: &[u8], whole: bool) -> bool {
    let head = head.trim_ascii_start();
    match memchr::memchr(b'\n', head) {
        Some(end) => serde_json::from_slice::<IgnoredAny>(&head[..end]).is_ok(),
        None => !whole || serde_json::from_slice::<IgnoredAny>(head).is_ok(),
    }
}

impl<'t> ObjectRows<'t> {
    pub(super) fn new(choice: &'t ColumnSelection) -> Self {
        ObjectRows {
            choice,
            columns: ObjectColumns::default(),
            met: vec![false; choice.names().count()],
            first: None,
        }
    }

    /// Adds the cells of an object.
    pub(super) fn add(&mut self, line: &[u8], batch: &mut RowBatchBuilder) -> AddedRow {
        let line = line.trim_ascii();
        let text = String::from_utf8_lossy(line);
        let mut cells = ObjectCells {
            inside: self.choice.columns.is_none(),
            first: self.first.is_none().then(Vec::new),
            rows: self,
            batch,
            name: String::new(),
            place: String::new(),
            indices: Vec::new(),
            id: String::new(),
            fits: true,
        };
        let mut json = serde_json::Deserializer::from_str(&text);
        let read = match line.first() {
            Some(b'{') => cells
                .deserialize(&mut json)
                .and_then(|()| json.end())
                .is_ok(),
            _ => false,
        };
        let ObjectCells {
            id, fits, first, ..
        } = cells;
        self.first = self.first.take().or(first);
        let has_id = self.choice.id.is_some();
        batch.end_row(has_id.then_some(id.as_bytes()));
        match (read, fits) {
            (false, _) => AddedRow::Faulty(RowFault::NoObject),
            (_, false) => AddedRow::Faulty(RowFault::TooManyCells),
            _ => AddedRow::Whole,
        }
    }

    /// Returns an error for each wanted name that was not found, if there was any row.
    pub(super) fn missing(&self) -> Vec<InputError> {
        let known = self.first.as_deref().unwrap_or_default();
        let wanted = self.choice.names().zip(&self.met);
        let missing = wanted.filter(|(_, met)| !**met && self.first.is_some());
        missing
            .map(|(name, _)| no_column(name, known.iter().cloned()))
            .collect()
    }

    /// Records that a member was found. `name` has full stops between the names on its path. Returns whether it is chosen, and
    /// whether wanted members may be within it.
    fn meet(&mut self, name: &str) -> (bool, bool) {
        let (mut is_chosen, mut leads_on) = (false, false);
        let chosen = self.choice.columns.as_ref().map_or(0, Vec::len);
        for (number, wanted) in self.choice.names().enumerate() {
            if is_in(wanted, &[name]) {
                self.met[number] = true;
                is_chosen |= number < chosen;
                leads_on = true;
            }
            leads_on |= is_in(name, &[wanted]);
        }
        (is_chosen, leads_on)
    }
}

/// The cells of an object that is being read.
struct ObjectCells<'c, 't> {
    rows: &'c mut ObjectRows<'t>,
    batch: &'c mut RowBatchBuilder,
    /// The names of the members that enclose the value, with full stops between them.
    name: String,
    /// The path of the column: a JSON pointer with [`ITEMS_PLACE`] for lists.
    place: String,
    /// The indices in the lists that enclose the value.
    indices: Vec<u32>,
    /// Whether strings are cells, since an enclosing member is chosen.
    inside: bool,
    /// The name of the row.
    id: String,
    /// Whether there was room for all cells.
    fits: bool,
    /// The names of the members, if this is the first object.
    first: Option<Vec<String>>,
}

impl ObjectCells<'_, '_> {
    fn text(&mut self, text: &str) {
        self.note_id(text);
        if !self.inside || text.is_empty() {
            return;
        }
        let column = self.rows.columns.number(&self.place);
        self.fits &=
            column.is_some_and(|column| self.batch.cell(column, text.as_bytes(), &self.indices));
    }

    /// Takes a value as the name of the row, if it is the member for that.
    fn note_id(&mut self, value: &str) {
        if self.indices.is_empty() && self.rows.choice.id.as_ref() == Some(&self.name) {
            self.id.clear();
            self.id.push_str(value);
        }
    }

    fn integer(&mut self, number: impl itoa::Integer) {
        self.note_id(itoa::Buffer::new().format(number));
    }

    /// Reads the value of the member with this name.
    fn member<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        let was_inside = self.inside;
        let (is_chosen, leads_on) = self.rows.meet(&self.name);
        self.inside |= is_chosen;
        let read = if self.inside || leads_on {
            map.next_value_seed(&mut *self)
        } else {
            map.next_value::<IgnoredAny>().map(|_| ())
        };
        self.inside = was_inside;
        read
    }
}

impl<'de> DeserializeSeed<'de> for &mut ObjectCells<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut ObjectCells<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.text(text);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.integer(number);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.integer(number);
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let place = self.place.len();
        self.place.push_str(ITEMS_PLACE);
        self.indices.push(0);
        while list.next_element_seed(&mut *self)?.is_some() {
            if let Some(index) = self.indices.last_mut() {
                *index = index.saturating_add(1);
            }
        }
        self.indices.pop();
        self.place.truncate(place);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (name, place) = (self.name.len(), self.place.len());
        while map.next_key_seed(MemberName(self))?.is_some() {
            self.member(&mut map)?;
            self.name.truncate(name);
            self.place.truncate(place);
        }
        Ok(())
    }
}

/// Reads the name of a member, and adds it to the place.
struct MemberName<'m, 'c, 't>(&'m mut ObjectCells<'c, 't>);

impl<'de> DeserializeSeed<'de> for MemberName<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for MemberName<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        let ObjectCells {
            name: names,
            place,
            first,
            ..
        } = self.0;
        if let Some(first) = first
            .as_mut()
            .filter(|first| names.is_empty() && first.len() < MAX_KEPT_NAMES)
        {
            first.push(name.to_owned());
        }
        if !names.is_empty() {
            names.push('.');
        }
        names.push_str(name);
        place.push('/');
        for character in name.chars() {
            match character {
                '~' => place.push_str("~0"),
                '/' => place.push_str("~1"),
                other => place.push(other),
            }
        }
        Ok(())
    }
}

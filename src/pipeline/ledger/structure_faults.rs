//! Faults in the structure of a document.

use doisift_documents::printable::shortened_name;

/// Faults in the structure of a document, and limits that its rows exceeded. Those of its parts add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StructureFaults {
    /// The offset of the first fault.
    pub(crate) broken: Option<u64>,
    /// The number of faults.
    pub(crate) count: u64,
    /// The number of times that rows were decided before the identifier of their record was known, since too many were held.
    pub(crate) undecided: u64,
    /// The number of identifiers, paths of rows, and fields of records that were longer than 4,096 bytes and were cut.
    pub(crate) cut: u64,
    /// Values that are not of the types of their columns, with at most one entry for each field of records.
    pub(crate) mistyped: Vec<Mistyped>,
}

/// Values of a field of records that are not of the type of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistyped {
    /// The number of the field.
    pub(crate) field: usize,
    pub(crate) count: u64,
    /// The first such value, and its offset. The value is `None` for an object or a list of JSON.
    pub(crate) first: Option<Box<str>>,
    pub(crate) offset: u64,
}

impl StructureFaults {
    /// Counts a fault at an offset.
    pub(crate) fn add_broken(&mut self, offset: u64) {
        self.broken.get_or_insert(offset);
        self.count += 1;
    }

    /// Returns the text, cut and counted as a fault if it is longer than rows may repeat.
    pub(crate) fn bounded<T: for<'t> From<&'t str> + From<String>>(&mut self, text: &str) -> T {
        match shortened_name(text) {
            Some(cut) => {
                self.cut += 1;
                cut.into()
            }
            None => text.into(),
        }
    }

    /// Counts a value that is not of the type of the column of its field.
    pub(crate) fn add_mistyped(&mut self, field: usize, text: Option<&str>, offset: u64) {
        let first = || text.map(|text| shortened_name(text).map_or(text.into(), String::into));
        self.add_values(field, 1, offset, first);
    }

    fn add_values(
        &mut self,
        field: usize,
        count: u64,
        offset: u64,
        first: impl FnOnce() -> Option<Box<str>>,
    ) {
        let known = self.mistyped.iter_mut().find(|known| known.field == field);
        match known {
            Some(known) => {
                known.count += count;
                if offset < known.offset {
                    (known.first, known.offset) = (first(), offset);
                }
            }
            None => self.mistyped.push(Mistyped {
                field,
                count,
                first: first(),
                offset,
            }),
        }
    }

    /// Adds the faults of another part of the document.
    pub(crate) fn add(&mut self, other: StructureFaults) {
        self.broken = self.broken.into_iter().chain(other.broken).min();
        self.count += other.count;
        self.undecided += other.undecided;
        self.cut += other.cut;
        for values in other.mistyped {
            self.add_values(values.field, values.count, values.offset, || values.first);
        }
        // As they were found if one thread reads the document.
        self.mistyped
            .sort_by_key(|values| (values.offset, values.field));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_parts_does_not_matter() {
        let part = |offset: u64, field| {
            let mut faults = StructureFaults::default();
            faults.add_broken(offset);
            faults.add_mistyped(field, Some(&offset.to_string()), offset);
            faults
        };
        let all = |order: [usize; 3]| {
            let parts = [part(5, 1), part(9, 0), part(20, 1)];
            let mut all = StructureFaults::default();
            order.into_iter().for_each(|at| all.add(parts[at].clone()));
            all
        };
        let wanted = all([0, 1, 2]);
        assert_eq!((wanted.broken, wanted.count), (Some(5), 3));
        assert_eq!(wanted.mistyped[0].first.as_deref(), Some("5"));
        assert_eq!([all([2, 1, 0]), all([1, 2, 0])], [wanted.clone(), wanted]);
    }
}

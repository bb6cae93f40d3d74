//! A small table for the writers of Parquet and Arrow files, in tests and fuzzing.

/// A column: its name, and for each row a list of texts, or null.
pub struct TableColumn<'t> {
    pub name: &'t str,
    pub rows: Vec<Option<Vec<&'t str>>>,
    /// Whether it is a list. Otherwise the first text of a row is its value.
    pub is_list: bool,
}

/// Returns a small table: a text, lists, and nulls in both.
pub fn table() -> Vec<TableColumn<'static>> {
    let texts = |row: usize| match row % 4 {
        0 => Some(vec!["See doi:10.5555/one, and 10.5555/Two."]),
        1 => None,
        2 => Some(vec!["10.5555/cut"]),
        _ => Some(vec!["/off no name"]),
    };
    let lists = |row: usize| match row % 3 {
        0 => Some(vec!["10.5555/a", "", "https://doi.org/10.5555/b"]),
        1 => Some(vec![]),
        _ => None,
    };
    vec![
        TableColumn {
            name: "text",
            rows: (0..12).map(texts).collect(),
            is_list: false,
        },
        TableColumn {
            name: "refs",
            rows: (0..12).map(lists).collect(),
            is_list: true,
        },
    ]
}

//! The types of the arrays that are built.

/// A field: its name, its type, and whether values may be null.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
}

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Text(Width),
    List(Width, Box<[Field; 1]>),
    Struct(Vec<Field>),
    Int64,
    Bool,
}

/// Size of offsets, which limits the bytes or values of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 32 bits: at most 2 GiB.
    Small,
    /// 64 bits.
    Large,
}

impl Field {
    /// Creates a field whose values are never null.
    pub(crate) fn new(name: &'static str, kind: Kind) -> Field {
        Field {
            name,
            kind,
            nullable: false,
        }
    }

    /// Creates a field whose values may be null.
    pub(crate) fn nullable(name: &'static str, kind: Kind) -> Field {
        Field {
            name,
            kind,
            nullable: true,
        }
    }

    /// Returns the format string of the C data interface.
    pub(super) fn format(&self) -> &'static str {
        match &self.kind {
            Kind::Text(Width::Small) => "u",
            Kind::Text(Width::Large) => "U",
            Kind::List(Width::Small, _) => "+l",
            Kind::List(Width::Large, _) => "+L",
            Kind::Struct(_) => "+s",
            Kind::Int64 => "l",
            Kind::Bool => "b",
        }
    }

    pub(super) fn children(&self) -> &[Field] {
        match &self.kind {
            Kind::List(_, element) => &element[..],
            Kind::Struct(fields) => fields,
            Kind::Text(_) | Kind::Int64 | Kind::Bool => &[],
        }
    }
}

impl Kind {
    /// Returns the type of lists of values that are never null.
    pub(crate) fn list(width: Width, of: Kind) -> Kind {
        Kind::List(width, Box::new([Field::new("item", of)]))
    }
}

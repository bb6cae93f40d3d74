//! What a value of JSON means: its paths in the tables of records and of wanted fields.

use std::sync::Arc;

use crate::pointers::{PathNode, Pointers};
use crate::table::{Detail, Meaning};
use crate::wanted::{FieldNode, FieldTree, StructureRequest};

/// The tables in which the paths of values are looked up.
pub(super) struct JsonTables {
    paths: Arc<Pointers>,
    /// The fields of records, if any are wanted.
    fields: Option<Arc<FieldTree>>,
}

/// The places of a value in the tables, and what they say of it.
#[derive(Clone, Copy)]
pub(super) struct ValueMeaning {
    pub(super) node: PathNode,
    field: FieldNode,
    pub(super) meaning: Meaning,
    pub(super) detail: Option<Detail>,
    /// Whether it is a field of the record or gives a detail, so that its text is kept.
    pub(super) is_captured: bool,
}

/// How the members or items of an object or a list are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameMode {
    /// All are read, since it may hold records or identifiers. Each fault counts.
    Record,
    /// All are read, since data of it are wanted. Only few kinds of faults count, so that all runs report equal faults.
    Field,
    /// Only mentions are wanted. The same faults count as for fields.
    Skim,
}

impl ValueMeaning {
    /// A value that is in no table.
    pub(super) const NONE: ValueMeaning = ValueMeaning {
        node: PathNode::NONE,
        field: FieldNode::NONE,
        meaning: Meaning::Plain,
        detail: None,
        is_captured: false,
    };

    /// Whether no path through this value is in a table.
    fn is_unknown(&self) -> bool {
        self.node == PathNode::NONE && self.field == FieldNode::NONE
    }

    /// Whether a text at this path is an item by itself.
    pub(super) fn is_text_item(&self) -> bool {
        self.detail == Some(Detail::Item) && self.meaning.is_item()
    }

    /// Whether its text is kept: it is captured, an identifier or a relation.
    pub(super) fn is_kept(&self) -> bool {
        self.is_captured || matches!(self.meaning, Meaning::Id(_) | Meaning::Relation)
    }
}

impl JsonTables {
    pub(super) fn new(request: &StructureRequest) -> JsonTables {
        JsonTables {
            paths: request.json(),
            fields: request.field_tree(),
        }
    }

    /// Returns the meaning of an outermost value.
    pub(super) fn outermost(&self) -> ValueMeaning {
        self.at(PathNode::VALUE, FieldNode::NONE)
    }

    /// Returns the meaning of the member `name` of an object.
    #[inline]
    pub(super) fn member(&self, of: &ValueMeaning, name: &[u8]) -> ValueMeaning {
        if of.is_unknown() {
            return ValueMeaning::NONE;
        }
        let fields = self.fields.as_ref();
        let field = fields.map_or(FieldNode::NONE, |fields| fields.member(of.field, name));
        self.at(self.paths.member(of.node, name), field)
    }

    /// Returns the meaning of an item of a list.
    #[inline]
    pub(super) fn item(&self, of: &ValueMeaning, index: u64) -> ValueMeaning {
        let fields = self.fields.as_ref();
        let field = fields.map_or(FieldNode::NONE, |fields| fields.item(of.field, index));
        self.at(self.paths.item(of.node), field)
    }

    #[inline]
    fn at(&self, node: PathNode, field: FieldNode) -> ValueMeaning {
        let detail = self.paths.detail(node);
        ValueMeaning {
            node,
            field,
            meaning: self.paths.meaning(node),
            detail,
            is_captured: detail.is_some() || !self.numbers(field).is_empty(),
        }
    }

    /// Returns the meaning of an object as the record that it is, with the paths that start at it. `None` if it is no record.
    pub(super) fn record(&self, of: &ValueMeaning) -> Option<ValueMeaning> {
        let node = self.paths.record(of.node)?;
        let fields = self.fields.as_ref();
        let field = fields.map_or(FieldNode::NONE, |_| FieldNode::RECORD);
        Some(ValueMeaning { node, field, ..*of })
    }

    /// Returns the numbers of the fields that this value is.
    pub(super) fn fields_of(&self, value: &ValueMeaning) -> &[usize] {
        self.numbers(value.field)
    }

    fn numbers(&self, field: FieldNode) -> &[usize] {
        self.fields
            .as_ref()
            .map_or(&[], |fields| fields.numbers(field))
    }

    /// Returns how an object or a list is read. `gathers` is set in a reference whose text is wanted.
    #[inline]
    pub(super) fn mode(&self, value: &ValueMeaning, gathers: bool) -> FrameMode {
        if self.paths.is_strict(value.node) {
            FrameMode::Record
        } else if self.paths.is_eager(value.node) || value.field != FieldNode::NONE || gathers {
            FrameMode::Field
        } else {
            FrameMode::Skim
        }
    }
}

//! The data that a run wants of records and references besides the places of mentions, and their paths.
//!
//! If a run wants no such data, readers use tables without these paths, which cost no time.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::elements::Elements;
use super::place::Event;
use super::pointers::Pointers;
use super::record_field::{RecordField, RecordPath};
use super::table::{RecordId, XML_DETAILS, XML_NAMES, XML_VALUES, XML_WORKS};

/// Max bytes of a value or a text that are kept.
pub const MAX_CAPTURED_BYTES: usize = 64 << 10;

/// The data that a run wants of structured documents.
#[derive(Debug, Default)]
pub struct StructureRequest {
    /// The path of the identifier in records; by the table if `None`.
    pub id: Option<RecordId>,
    /// The fields of records.
    pub fields: Vec<RecordField>,
    /// Whether rows have their paths. Building and holding paths takes much of the time of a join.
    pub paths: bool,
    /// Whether rows have the details of their items, such as the key of the reference and the relation.
    pub items: bool,
    /// Whether references without a name have rows.
    pub texts: bool,
    /// Whether the texts of the fields for names of references are reported, and what references say of the works.
    pub names: bool,
    /// Whether records have rows.
    pub nodes: bool,
    /// Whether the entries of a bibliography are reported as items with all their values, instead of the items in them.
    pub entries: bool,
    /// The tables of readers, which are built when they are first needed.
    pub tables: RequestTables,
}

/// The tables of readers, which are built once.
#[derive(Default)]
pub struct RequestTables {
    json: OnceLock<Arc<Pointers>>,
    fields: OnceLock<Arc<FieldTree>>,
    xml: OnceLock<Arc<Elements>>,
}

impl StructureRequest {
    /// Whether readers report items.
    pub(super) fn has_items(&self) -> bool {
        self.items || self.texts || self.names || self.nodes
    }

    pub(super) fn json(&self) -> Arc<Pointers> {
        let table = self
            .tables
            .json
            .get_or_init(|| Pointers::new(self.id.as_ref(), self.has_items(), self.names));
        Arc::clone(table)
    }

    pub(super) fn xml(&self) -> Arc<Elements> {
        let details = [
            (self.has_items(), XML_DETAILS),
            (self.names, XML_NAMES),
            (self.names, XML_WORKS),
            (self.entries, XML_VALUES),
        ];
        let table = || Elements::new(self.id.as_ref(), &self.fields, &details);
        let table = self.tables.xml.get_or_init(table);
        Arc::clone(table)
    }

    /// Returns the paths of the fields in JSON. `None` if no fields are wanted.
    pub(super) fn field_tree(&self) -> Option<Arc<FieldTree>> {
        let tree = || Arc::new(FieldTree::new(self.fields.iter().map(|field| &field.path)));
        let has_fields = !self.fields.is_empty();
        has_fields.then(|| Arc::clone(self.tables.fields.get_or_init(tree)))
    }

    /// Returns the numbers of the fields whose path ends in this name, in upper or lower case.
    pub(super) fn fields_named(&self, name: &[u8]) -> impl Iterator<Item = usize> {
        let is_named = move |field: &RecordField| {
            let last = field.path.steps().next_back();
            last.is_some_and(|last| last.as_bytes().eq_ignore_ascii_case(name))
        };
        let fields = self.fields.iter().enumerate();
        fields.filter_map(move |(number, field)| is_named(field).then_some(number))
    }

    /// Reports the text of a value at an offset of the document to each of the fields with this name.
    pub(super) fn report_named(
        &self,
        name: &[u8],
        (value, offset): (&[u8], u64),
        report: &mut dyn FnMut(Event<'_>),
    ) {
        let text = String::from_utf8_lossy(value);
        let text = Some(text.trim());
        for number in self.fields_named(name) {
            report(Event::Field {
                number,
                text,
                offset,
            });
        }
    }
}

impl fmt::Debug for RequestTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestTables")
    }
}

/// The paths of fields in JSON, step by step.
pub(super) struct FieldTree {
    nodes: Vec<FieldBranch>,
}

/// A path in [`FieldTree`], or the start of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldNode(u32);

#[derive(Default)]
struct FieldBranch {
    /// The next steps. A number is also the index of an item, and `*` is any item.
    members: Vec<(Box<str>, FieldNode)>,
    /// The numbers of the fields that end here.
    numbers: Vec<usize>,
}

impl FieldNode {
    /// A place that is on no path.
    pub(super) const NONE: FieldNode = FieldNode(u32::MAX);
    /// The record.
    pub(super) const RECORD: FieldNode = FieldNode(0);
}

impl FieldTree {
    fn new<'p>(fields: impl Iterator<Item = &'p RecordPath>) -> FieldTree {
        let mut tree = FieldTree {
            nodes: vec![FieldBranch::default()],
        };
        for (number, field) in fields.enumerate() {
            let end = field
                .steps()
                .fold(FieldNode::RECORD, |node, step| tree.grow(node, step));
            tree.nodes[end.0 as usize].numbers.push(number);
        }
        tree
    }

    fn grow(&mut self, from: FieldNode, step: &str) -> FieldNode {
        let next = FieldNode(self.nodes.len() as u32);
        let members = &mut self.nodes[from.0 as usize].members;
        if let Some((_, known)) = members.iter().find(|(name, _)| **name == *step) {
            return *known;
        }
        members.push((step.into(), next));
        self.nodes.push(FieldBranch::default());
        next
    }

    pub(super) fn member(&self, node: FieldNode, name: &[u8]) -> FieldNode {
        self.find(node, |step| step.as_bytes() == name)
    }

    pub(super) fn item(&self, node: FieldNode, index: u64) -> FieldNode {
        self.find(node, |step| step == "*" || step.parse() == Ok(index))
    }

    fn find(&self, node: FieldNode, is_step: impl Fn(&str) -> bool) -> FieldNode {
        let branch = self.nodes.get(node.0 as usize);
        let mut members = branch.map_or(&[][..], |branch| &branch.members).iter();
        let found = members.find(|(step, _)| is_step(step));
        found.map_or(FieldNode::NONE, |(_, node)| *node)
    }

    /// Returns the numbers of the fields whose value is at a path.
    pub(super) fn numbers(&self, node: FieldNode) -> &[usize] {
        let branch = self.nodes.get(node.0 as usize);
        branch.map_or(&[], |branch| &branch.numbers)
    }
}

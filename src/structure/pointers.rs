//! Looks JSON paths up in the table, step by step.

use std::sync::{Arc, LazyLock};

use super::table::{JSON_FIELDS, JSON_RECORDS, Meaning, RecordId};

/// A path of the table, or the start of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u32);

/// A tree of the paths of the table.
pub(super) struct Pointers {
    nodes: Vec<Branch>,
}

#[derive(Default)]
struct Branch {
    meaning: Meaning,
    members: Vec<(Box<[u8]>, Node)>,
    /// The marks of the names of all members.
    marks: u64,
    /// Any member that is not listed.
    any: Option<Node>,
    /// Any item of a list.
    items: Option<Node>,
}

impl Branch {
    /// False only if no member has this name.
    fn may_have(&self, name: &[u8]) -> bool {
        self.marks & mark(name) != 0
    }
}

/// One bit for a name, by its length and ends.
fn mark(name: &[u8]) -> u64 {
    let ends = name.first().zip(name.last());
    let ends = ends.map_or(0, |(first, last)| {
        usize::from(*first) * 5 + usize::from(*last) * 11
    });
    1 << ((ends + name.len() * 7) % 64)
}

static TABLE: LazyLock<Arc<Pointers>> = LazyLock::new(|| Arc::new(Pointers::build(None)));

impl Node {
    /// No path of the table.
    pub(super) const NONE: Node = Node(0);
    /// The start of a value.
    pub(super) const VALUE: Node = Node(1);
    /// The start of a record.
    pub(super) const RECORD: Node = Node(2);
}

impl Pointers {
    pub(super) fn new(id: Option<&RecordId>) -> Arc<Pointers> {
        match id {
            None => Arc::clone(&TABLE),
            Some(_) => Arc::new(Pointers::build(id)),
        }
    }

    fn build(id: Option<&RecordId>) -> Pointers {
        let mut table = Pointers { nodes: Vec::new() };
        table.nodes.resize_with(3, Branch::default);
        for path in JSON_RECORDS {
            table.add(Node::VALUE, path.split('/').skip(1), Meaning::Record);
        }
        for (path, meaning) in JSON_FIELDS {
            let meaning = id.map_or(*meaning, |_| meaning.without_id());
            table.add(Node::RECORD, path.split('/').skip(1), meaning);
        }
        if let Some(id) = id {
            table.add(Node::RECORD, id.steps(), Meaning::Id(0));
        }
        table
    }

    fn add<'p>(&mut self, from: Node, steps: impl Iterator<Item = &'p str>, meaning: Meaning) {
        let end = steps.fold(from, |node, step| self.grow(node, step));
        self.nodes[end.0 as usize].meaning = meaning;
    }

    fn grow(&mut self, from: Node, step: &str) -> Node {
        let next = Node(self.nodes.len() as u32);
        let branch = &mut self.nodes[from.0 as usize];
        let known = match step {
            "*" => branch.items,
            "?" => branch.any,
            name => branch
                .members
                .iter()
                .find(|(known, _)| **known == *name.as_bytes())
                .map(|(_, node)| *node),
        };
        if let Some(known) = known {
            return known;
        }
        match step {
            "*" => branch.items = Some(next),
            "?" => branch.any = Some(next),
            name => {
                branch.marks |= mark(name.as_bytes());
                branch.members.push((name.as_bytes().into(), next));
            }
        }
        self.nodes.push(Branch::default());
        next
    }

    pub(super) fn meaning(&self, node: Node) -> Meaning {
        self.nodes[node.0 as usize].meaning
    }

    pub(super) fn member(&self, node: Node, name: &[u8]) -> Node {
        if node == Node::NONE {
            return Node::NONE;
        }
        let branch = &self.nodes[node.0 as usize];
        let listed = match branch.may_have(name) {
            true => branch.members.iter().find(|(known, _)| **known == *name),
            false => None,
        };
        listed.map_or(branch.any.unwrap_or(Node::NONE), |(_, node)| *node)
    }

    pub(super) fn item(&self, node: Node) -> Node {
        match node {
            Node::NONE => Node::NONE,
            _ => self.nodes[node.0 as usize].items.unwrap_or(Node::NONE),
        }
    }
}

//! Looks JSON paths up in the table, step by step.

use std::sync::{Arc, LazyLock};

use super::table::{Detail, ItemPart, JSON_DETAILS, JSON_FIELDS, JSON_RECORDS, Meaning, RecordId};
use super::wanted::Wanted;

/// A path of the table, or the start of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathNode(u32);

/// A tree of the paths of the table.
pub(super) struct Pointers {
    nodes: Vec<Branch>,
}

#[derive(Default)]
struct Branch {
    meaning: Meaning,
    /// Only if items are wanted.
    detail: Option<Detail>,
    /// By the buckets of their names; empty if there are none.
    members: Vec<Vec<(Box<[u8]>, PathNode)>>,
    /// Any member that is not listed.
    any: Option<PathNode>,
    /// Any item of a list.
    items: Option<PathNode>,
    /// Whether a record or an identifier may be here or below.
    is_strict: bool,
    /// Whether these, or what is wanted of items, may be.
    is_eager: bool,
}

impl Branch {
    fn members(&self, name: &[u8]) -> &[(Box<[u8]>, PathNode)] {
        self.members.get(bucket(name)).map_or(&[], Vec::as_slice)
    }

    fn find(&self, name: &[u8]) -> Option<PathNode> {
        let mut members = self.members(name).iter();
        let known = members.find(|(known, _)| **known == *name);
        known.map(|(_, node)| *node)
    }

    fn add(&mut self, name: &[u8], node: PathNode) {
        self.members.resize_with(BUCKETS, Vec::new);
        self.members[bucket(name)].push((name.into(), node));
    }
}

const BUCKETS: usize = 128;

/// The bucket of a name, by its length and ends.
fn bucket(name: &[u8]) -> usize {
    let ends = name.first().zip(name.last());
    let ends = ends.map_or(0, |(first, last)| {
        usize::from(*first) * 5 + usize::from(*last) * 11
    });
    (ends + name.len() * 7) % BUCKETS
}

static TABLE: LazyLock<Arc<Pointers>> = LazyLock::new(|| Arc::new(Pointers::build(None, false)));

impl PathNode {
    /// No path of the table.
    pub(super) const NONE: PathNode = PathNode(0);
    /// The start of a value.
    pub(super) const VALUE: PathNode = PathNode(1);
    /// The start of a record.
    pub(super) const RECORD: PathNode = PathNode(2);
}

impl Pointers {
    pub(super) fn new(wanted: &Wanted) -> Arc<Pointers> {
        match (wanted.id.as_ref(), wanted.has_items()) {
            (None, false) => Arc::clone(&TABLE),
            (id, has_items) => Arc::new(Pointers::build(id, has_items)),
        }
    }

    fn build(id: Option<&RecordId>, has_items: bool) -> Pointers {
        let mut table = Pointers { nodes: Vec::new() };
        table.nodes.resize_with(3, Branch::default);
        for path in JSON_RECORDS {
            table.add(PathNode::VALUE, path.split('/').skip(1), Meaning::Record);
        }
        for (path, meaning) in JSON_FIELDS {
            let meaning = id.map_or(*meaning, |_| meaning.without_id());
            table.add(PathNode::RECORD, path.split('/').skip(1), meaning);
        }
        if let Some(id) = id {
            table.add(PathNode::RECORD, id.steps(), Meaning::Id(0));
        }
        if has_items {
            table.add_details();
        }
        // Those below come after.
        for node in (0..table.nodes.len()).rev() {
            let branch = &table.nodes[node];
            let is_strict = matches!(branch.meaning, Meaning::Record | Meaning::Id(_))
                || table.below(branch).any(|node| table.is_strict(node));
            let is_eager = is_strict
                || branch.detail.is_some()
                || table.below(branch).any(|node| table.is_eager(node));
            (table.nodes[node].is_strict, table.nodes[node].is_eager) = (is_strict, is_eager);
        }
        table
    }

    /// Adds what paths say of items.
    fn add_details(&mut self) {
        for branch in &mut self.nodes {
            branch.detail = match branch.meaning {
                Meaning::Relation => Some(Detail::Part(ItemPart::Relation)),
                meaning => meaning.is_item().then_some(Detail::Item),
            };
        }
        for (path, detail) in JSON_DETAILS {
            let steps = path.split('/').skip(1);
            let end = steps.fold(PathNode::RECORD, |node, step| self.grow(node, step));
            self.nodes[end.0 as usize].detail = Some(*detail);
        }
    }

    /// The paths that are one step longer.
    fn below(&self, branch: &Branch) -> impl Iterator<Item = PathNode> {
        let members = branch.members.iter().flatten().map(|(_, node)| *node);
        members.chain(branch.any).chain(branch.items)
    }

    fn add<'p>(&mut self, from: PathNode, steps: impl Iterator<Item = &'p str>, meaning: Meaning) {
        let end = steps.fold(from, |node, step| self.grow(node, step));
        self.nodes[end.0 as usize].meaning = meaning;
    }

    fn grow(&mut self, from: PathNode, step: &str) -> PathNode {
        let next = PathNode(self.nodes.len() as u32);
        let branch = &mut self.nodes[from.0 as usize];
        let known = match step {
            "*" => branch.items,
            "?" => branch.any,
            name => branch.find(name.as_bytes()),
        };
        if let Some(known) = known {
            return known;
        }
        match step {
            "*" => branch.items = Some(next),
            "?" => branch.any = Some(next),
            name => branch.add(name.as_bytes(), next),
        }
        self.nodes.push(Branch::default());
        next
    }

    pub(super) fn meaning(&self, node: PathNode) -> Meaning {
        self.nodes[node.0 as usize].meaning
    }

    /// What a path says of items, if these are wanted.
    pub(super) fn detail(&self, node: PathNode) -> Option<Detail> {
        self.nodes[node.0 as usize].detail
    }

    /// Whether a record or an identifier may be below. It does not depend on what else is wanted.
    pub(super) fn is_strict(&self, node: PathNode) -> bool {
        self.nodes[node.0 as usize].is_strict
    }

    /// Whether all below must be read even if it holds no mention.
    pub(super) fn is_eager(&self, node: PathNode) -> bool {
        self.nodes[node.0 as usize].is_eager
    }

    pub(super) fn member(&self, node: PathNode, name: &[u8]) -> PathNode {
        if node == PathNode::NONE {
            return PathNode::NONE;
        }
        let branch = &self.nodes[node.0 as usize];
        let known = branch.find(name).or(branch.any);
        known.unwrap_or(PathNode::NONE)
    }

    pub(super) fn item(&self, node: PathNode) -> PathNode {
        match node {
            PathNode::NONE => PathNode::NONE,
            _ => self.nodes[node.0 as usize].items.unwrap_or(PathNode::NONE),
        }
    }
}

//! Looks JSON paths up in the table, step by step.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use super::table::{
    Detail, ItemPart, JSON_DETAILS, JSON_FIELDS, JSON_RECORDS, JSON_WORKS, Meaning, RecordId,
};

/// A path in the table, seen both from the start of the value and from the start of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathNode(u32);

/// The paths of the table.
pub(super) struct Pointers {
    nodes: Vec<PathBranch>,
}

/// The entry of a path in the table.
#[derive(Default)]
struct PathBranch {
    meaning: Meaning,
    detail: Option<Detail>,
    is_strict: bool,
    is_eager: bool,
    /// The node from which paths within the record continue, if an object at this path is a record.
    record: Option<PathNode>,
    /// Members by the bucket of their name; empty if the path has no members.
    members: Vec<Vec<(Box<[u8]>, PathNode)>>,
    /// Any member that is not listed.
    any: PathNode,
    items: PathNode,
}

const BUCKETS: usize = 128;

/// Returns the bucket of a name, by its length and its first and last byte.
fn bucket(name: &[u8]) -> usize {
    let ends = name.first().zip(name.last());
    let ends = ends.map_or(0, |(first, last)| {
        usize::from(*first) * 5 + usize::from(*last) * 11
    });
    (ends + name.len() * 7) % BUCKETS
}

static TABLE: LazyLock<Arc<Pointers>> =
    LazyLock::new(|| Arc::new(Pointers::build(None, false, false)));

impl Default for PathNode {
    fn default() -> Self {
        PathNode::NONE
    }
}

impl PathNode {
    /// A path that is not in the table.
    pub(super) const NONE: PathNode = PathNode(0);
    /// The start of a value.
    pub(super) const VALUE: PathNode = PathNode(1);
}

impl Pointers {
    /// Returns the table for records with the identifier at `id`. `has_items` and `has_names` add the details of items, and the
    /// texts of their fields for names.
    pub(super) fn new(id: Option<&RecordId>, has_items: bool, has_names: bool) -> Arc<Pointers> {
        match (id, has_items) {
            (None, false) => Arc::clone(&TABLE),
            _ => Arc::new(Pointers::build(id, has_items, has_names)),
        }
    }

    fn build(id: Option<&RecordId>, has_items: bool, has_names: bool) -> Pointers {
        let mut pairs = PairedTrees {
            tree: PathTree::new(id, has_items, has_names),
            by_steps: HashMap::from([((Step::NONE, Step::NONE), PathNode::NONE)]),
            nodes: vec![PathBranch::default()],
        };
        pairs.node(Step::VALUE, Step::NONE);
        Pointers { nodes: pairs.nodes }
    }

    #[inline]
    fn branch(&self, node: PathNode) -> &PathBranch {
        &self.nodes[node.0 as usize]
    }

    #[inline]
    pub(super) fn meaning(&self, node: PathNode) -> Meaning {
        self.branch(node).meaning
    }

    /// Returns the detail that a value at this path gives of items, if items are wanted.
    #[inline]
    pub(super) fn detail(&self, node: PathNode) -> Option<Detail> {
        self.branch(node).detail
    }

    /// Whether a record or an identifier may be at or below this path. It does not depend on other wanted data.
    #[inline]
    pub(super) fn is_strict(&self, node: PathNode) -> bool {
        self.branch(node).is_strict
    }

    /// Whether the value must be read even if it holds no mention.
    #[inline]
    pub(super) fn is_eager(&self, node: PathNode) -> bool {
        self.branch(node).is_eager
    }

    /// Returns the node from which paths within the record continue, if an object at this path is a record.
    #[inline]
    pub(super) fn record(&self, node: PathNode) -> Option<PathNode> {
        self.branch(node).record
    }

    #[inline]
    pub(super) fn member(&self, node: PathNode, name: &[u8]) -> PathNode {
        let branch = self.branch(node);
        let members = branch.members.get(bucket(name));
        let mut members = members.map_or(&[][..], Vec::as_slice).iter();
        let known = members.find(|(known, _)| **known == *name);
        known.map_or(branch.any, |(_, node)| *node)
    }

    #[inline]
    pub(super) fn item(&self, node: PathNode) -> PathNode {
        self.branch(node).items
    }
}

/// Returns the kind of a field for the identifier of a reference: one for DOI names is named so.
fn name_part(path: &str) -> ItemPart {
    let mut names = path.rsplit('/').filter(|name| *name != "*");
    let field = names.next().unwrap_or_default().to_ascii_lowercase();
    match field.contains("doi") {
        true => ItemPart::Name,
        false => ItemPart::Identifier,
    }
}

/// A path in one of the trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Step(u32);

/// The tree of the paths from the start of a value to records, and that of the paths within a record.
struct PathTree {
    branches: Vec<TreeBranch>,
}

#[derive(Default)]
struct TreeBranch {
    meaning: Meaning,
    /// Set only if items are wanted.
    detail: Option<Detail>,
    members: Vec<(Box<str>, Step)>,
    any: Option<Step>,
    items: Option<Step>,
    /// Whether a record or an identifier may be here or below.
    is_strict: bool,
    /// Whether a record, an identifier, a relation, or a wanted detail of items may be here or below.
    is_eager: bool,
}

impl TreeBranch {
    fn find(&self, name: &str) -> Option<Step> {
        let mut members = self.members.iter();
        let known = members.find(|(known, _)| **known == *name);
        known.map(|(_, step)| *step)
    }
}

impl Step {
    const NONE: Step = Step(0);
    const VALUE: Step = Step(1);
    const RECORD: Step = Step(2);
}

impl PathTree {
    fn new(id: Option<&RecordId>, has_items: bool, has_names: bool) -> PathTree {
        let mut tree = PathTree {
            branches: Vec::new(),
        };
        tree.branches.resize_with(3, TreeBranch::default);
        for path in JSON_RECORDS {
            tree.add(Step::VALUE, path.split('/').skip(1), Meaning::Record);
        }
        for (path, meaning) in JSON_FIELDS {
            let meaning = id.map_or(*meaning, |_| meaning.without_id());
            tree.add(Step::RECORD, path.split('/').skip(1), meaning);
        }
        if let Some(id) = id {
            tree.add(Step::RECORD, id.steps(), Meaning::Id(0));
        }
        if has_items {
            tree.add_details(has_names);
        }
        // Longer paths have greater numbers, so they are set first.
        for step in (0..tree.branches.len()).rev() {
            let branch = &tree.branches[step];
            let is_strict = matches!(branch.meaning, Meaning::Record | Meaning::Id(_))
                || tree.below(branch).any(|below| below.is_strict);
            let is_eager = is_strict
                || branch.meaning == Meaning::Relation
                || branch.detail.is_some()
                || tree.below(branch).any(|below| below.is_eager);
            (tree.branches[step].is_strict, tree.branches[step].is_eager) = (is_strict, is_eager);
        }
        tree
    }

    /// Adds the details that paths give of items.
    fn add_details(&mut self, has_names: bool) {
        for branch in &mut self.branches {
            branch.detail = match branch.meaning {
                Meaning::Relation => Some(Detail::Part(ItemPart::Relation)),
                meaning => meaning.is_item().then_some(Detail::Item),
            };
        }
        for (path, detail) in JSON_DETAILS {
            self.set_detail(path, *detail);
        }
        for (path, detail) in JSON_WORKS.iter().filter(|_| has_names) {
            self.set_detail(path, *detail);
        }
        for (path, _) in JSON_FIELDS
            .iter()
            .filter(|(_, meaning)| has_names && *meaning == Meaning::Cited)
        {
            self.set_detail(path, Detail::Part(name_part(path)));
        }
    }

    /// Sets the detail that a path within a record gives, unless it has one.
    fn set_detail(&mut self, path: &str, detail: Detail) {
        let steps = path.split('/').skip(1);
        let end = steps.fold(Step::RECORD, |step, name| self.grow(step, name));
        self.branches[end.0 as usize].detail.get_or_insert(detail);
    }

    /// Returns the paths that are one step longer.
    fn below(&self, branch: &TreeBranch) -> impl Iterator<Item = &TreeBranch> {
        let members = branch.members.iter().map(|(_, step)| *step);
        let steps = members.chain(branch.any).chain(branch.items);
        steps.map(|step| self.branch(step))
    }

    fn add<'p>(&mut self, from: Step, names: impl Iterator<Item = &'p str>, meaning: Meaning) {
        let end = names.fold(from, |step, name| self.grow(step, name));
        self.branches[end.0 as usize].meaning = meaning;
    }

    fn grow(&mut self, from: Step, name: &str) -> Step {
        let next = Step(self.branches.len() as u32);
        let branch = &mut self.branches[from.0 as usize];
        let known = match name {
            "*" => branch.items,
            "?" => branch.any,
            name => branch.find(name),
        };
        if let Some(known) = known {
            return known;
        }
        match name {
            "*" => branch.items = Some(next),
            "?" => branch.any = Some(next),
            name => branch.members.push((name.into(), next)),
        }
        self.branches.push(TreeBranch::default());
        next
    }

    fn branch(&self, step: Step) -> &TreeBranch {
        &self.branches[step.0 as usize]
    }

    fn member(&self, step: Step, name: &str) -> Step {
        let branch = self.branch(step);
        branch.find(name).or(branch.any).unwrap_or(Step::NONE)
    }
}

/// Walks through both trees at once, since a path may be in both.
struct PairedTrees {
    tree: PathTree,
    by_steps: HashMap<(Step, Step), PathNode>,
    nodes: Vec<PathBranch>,
}

impl PairedTrees {
    /// Returns the node of a path that is `outer` from the start of the value and `inner` from the start of the record.
    fn node(&mut self, outer: Step, inner: Step) -> PathNode {
        if let Some(known) = self.by_steps.get(&(outer, inner)) {
            return *known;
        }
        let node = PathNode(self.nodes.len() as u32);
        self.by_steps.insert((outer, inner), node);
        self.nodes.push(PathBranch::default());
        let branch = self.branch(outer, inner);
        self.nodes[node.0 as usize] = branch;
        node
    }

    fn branch(&mut self, outer: Step, inner: Step) -> PathBranch {
        let [from, within] = [outer, inner].map(|step| self.tree.branch(step));
        let both = |one: Option<Step>, two: Option<Step>| {
            (one.unwrap_or(Step::NONE), two.unwrap_or(Step::NONE))
        };
        let (any, items) = (both(from.any, within.any), both(from.items, within.items));
        let is_record = from.meaning == Meaning::Record;
        let (meaning, detail) = (within.meaning, within.detail);
        let is_eager = from.is_eager || within.is_eager;
        PathBranch {
            meaning,
            detail,
            is_strict: from.is_strict || within.is_strict,
            is_eager,
            record: is_record.then(|| self.node(outer, Step::RECORD)),
            members: self.members(outer, inner),
            any: self.node(any.0, any.1),
            items: self.node(items.0, items.1),
        }
    }

    fn members(&mut self, outer: Step, inner: Step) -> Vec<Vec<(Box<[u8]>, PathNode)>> {
        let steps = [outer, inner].map(|step| self.tree.branch(step).members.iter());
        let names = steps.into_iter().flatten().map(|(name, _)| name.clone());
        let names: BTreeSet<_> = names.collect();
        let mut members = Vec::new();
        for name in names {
            let [outer, inner] = [outer, inner].map(|step| self.tree.member(step, &name));
            let node = self.node(outer, inner);
            members.resize_with(BUCKETS, Vec::new);
            members[bucket(name.as_bytes())].push((name.into_boxed_bytes(), node));
        }
        members
    }
}

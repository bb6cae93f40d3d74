//! Lists of documents, one for each name that needs one: those that were counted and may be mentioned again.
//!
//! Nodes of all lists stand in one array, sixteen bytes each, and are used again. Knows nothing of names; who has a list keeps
//! its head.

use super::DocumentId;

/// First node of a list; 0 is the empty one.
pub(super) type Head = u32;

#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Node {
    document: u64,
    source: u32,
    next: Head,
}

/// All lists.
#[derive(Default)]
pub(super) struct Counted {
    nodes: Vec<Node>,
    /// Nodes that no list has.
    free: Head,
}

impl Counted {
    /// Bytes of memory it holds.
    pub(super) fn held(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    /// Forgets all lists.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.free = 0;
    }

    /// Gives its memory back, if no list was begun.
    pub(super) fn release(&mut self) {
        if self.nodes.is_empty() {
            self.nodes = Vec::new();
        }
    }

    /// The documents of a list.
    #[inline]
    pub(super) fn list(&self, head: Head) -> impl Iterator<Item = DocumentId> {
        let mut next = head;
        std::iter::from_fn(move || {
            let node = self.nodes.get((next as usize).checked_sub(1)?)?;
            next = node.next;
            Some(DocumentId {
                source: node.source,
                document: node.document,
            })
        })
    }

    /// The list with `document`, and without those that need not be kept.
    pub(super) fn add(
        &mut self,
        head: Head,
        document: DocumentId,
        keep: impl Fn(DocumentId) -> bool,
    ) -> Head {
        let kept = self.retain(head, keep);
        let node = Node {
            document: document.document,
            source: document.source,
            next: kept,
        };
        match (self.free as usize).checked_sub(1) {
            Some(at) => {
                let head = self.free;
                self.free = self.nodes[at].next;
                self.nodes[at] = node;
                head
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as Head
            }
        }
    }

    fn retain(&mut self, head: Head, keep: impl Fn(DocumentId) -> bool) -> Head {
        let (mut kept, mut next) = (0, head);
        while let Some(at) = (next as usize).checked_sub(1) {
            let node = &mut self.nodes[at];
            let here = std::mem::replace(&mut next, node.next);
            let document = DocumentId {
                source: node.source,
                document: node.document,
            };
            let list = if keep(document) {
                &mut kept
            } else {
                &mut self.free
            };
            node.next = std::mem::replace(list, here);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_what_they_must_and_nodes_are_used_again() {
        let id = |document| DocumentId {
            source: 1,
            document,
        };
        let mut counted = Counted::default();
        let (mut odd, mut all) = (0, 0);
        for number in 0..100 {
            all = counted.add(all, id(number), |_| true);
            odd = counted.add(odd, id(number), |kept| {
                kept.document % 2 == 1 && kept.document > 90
            });
        }
        let listed = |head| {
            let mut documents: Vec<u64> = counted.list(head).map(|id| id.document).collect();
            documents.sort_unstable();
            documents
        };
        assert_eq!(listed(all), (0..100).collect::<Vec<_>>());
        assert_eq!(listed(odd), [91, 93, 95, 97, 99]);
        assert!(listed(0).is_empty());
        assert!(counted.nodes.len() <= 107, "{}", counted.nodes.len());
    }
}

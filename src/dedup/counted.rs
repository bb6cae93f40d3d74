//! Lists of documents. The list of a name holds the documents that were counted for it and may mention it again.
//!
//! The nodes of all lists are in one array, sixteen bytes each, and are reused. The owner of a list keeps its head.

use super::DocumentId;

/// Number of the first node of a list, counted from 1; 0 is the empty list.
pub(super) type ListHead = u32;

#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct CountedNode {
    document: u64,
    source: u32,
    next: ListHead,
}

/// The nodes of all lists.
#[derive(Default)]
pub(super) struct DocumentLists {
    nodes: Vec<CountedNode>,
    /// The list of free nodes.
    free: ListHead,
}

impl DocumentLists {
    /// Returns the bytes of memory that the lists hold.
    pub(super) fn held_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<CountedNode>()
    }

    /// Removes all lists.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.free = 0;
    }

    /// Frees its memory if there are no lists.
    pub(super) fn release(&mut self) {
        if self.nodes.is_empty() {
            self.nodes = Vec::new();
        }
    }

    /// Returns the documents of a list.
    #[inline]
    pub(super) fn list(&self, head: ListHead) -> impl Iterator<Item = DocumentId> {
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

    /// Removes the documents for which `keep` is false, adds `document`, and returns the new head.
    pub(super) fn add(
        &mut self,
        head: ListHead,
        document: DocumentId,
        keep: impl Fn(DocumentId) -> bool,
    ) -> ListHead {
        let kept = self.retain(head, keep);
        let node = CountedNode {
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
                self.nodes.len() as ListHead
            }
        }
    }

    fn retain(&mut self, head: ListHead, keep: impl Fn(DocumentId) -> bool) -> ListHead {
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
        let mut counted = DocumentLists::default();
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

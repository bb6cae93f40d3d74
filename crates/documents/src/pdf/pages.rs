//! The pages of a file, in the order of its page tree (ISO 32000-2, 7.7.3).

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::file::PdfFile;
use super::object::{PdfDict, PdfObject};

/// Maximum depth of nodes within one another.
const MAX_DEPTH: usize = 64;

/// A page: its dictionary, and the resources that it has or inherits.
pub(super) struct Page {
    pub(super) dict: PdfDict,
    pub(super) resources: Rc<PdfDict>,
}

/// A node that is still to be visited, and the resources that it inherits.
struct PageTreeNode {
    object: PdfObject,
    resources: Rc<PdfDict>,
    depth: usize,
}

impl PageTreeNode {
    fn new(object: PdfObject, resources: &Rc<PdfDict>, depth: usize) -> PageTreeNode {
        PageTreeNode {
            object,
            resources: Rc::clone(resources),
            depth,
        }
    }
}

/// Calls `with` for each page until it breaks. If the tree leads to no page, takes all pages in the order of the file.
/// Returns whether the tree leads to all of its nodes.
pub(super) fn for_each_page(
    file: &PdfFile<'_>,
    with: &mut dyn FnMut(&Page) -> ControlFlow<()>,
) -> bool {
    let root = file.catalog().dict().get(b"Pages").clone();
    let mut seen = HashSet::new();
    let mut nodes = vec![PageTreeNode::new(root, &Rc::default(), 0)];
    let (mut has_pages, mut is_whole) = (false, true);
    while let Some(node) = nodes.pop() {
        // A page may occur twice, but a tree that contains itself would never end.
        let number = node.object.reference().map(|reference| reference.number);
        let object = file.resolve(&node.object);
        let dict = object.dict();
        let resources = match file.get(dict, b"Resources") {
            PdfObject::Dict(own) => Rc::new(own),
            _ => node.resources,
        };
        let kids = file.get(dict, b"Kids");
        if dict.get(b"Type").name() != b"Page" && !kids.array().is_empty() {
            if node.depth < MAX_DEPTH && number.is_none_or(|number| seen.insert(number)) {
                let below =
                    |kid: &PdfObject| PageTreeNode::new(kid.clone(), &resources, node.depth + 1);
                nodes.extend(kids.array().iter().rev().map(below));
            }
        } else if is_page(dict) {
            has_pages = true;
            let page = Page {
                dict: dict.clone(),
                resources,
            };
            if with(&page).is_break() {
                return is_whole;
            }
        } else if number.is_some() && object == PdfObject::Null {
            // A reference to a missing object is null (7.3.10), but no writer leaves one in the tree.
            is_whole = false;
        }
    }
    if !has_pages {
        each_in_file_order(file, with);
    }
    has_pages && is_whole
}

fn is_page(dict: &PdfDict) -> bool {
    dict.get(b"Type").name() == b"Page" || dict.has(b"Contents") || dict.has(b"MediaBox")
}

fn each_in_file_order(file: &PdfFile<'_>, with: &mut dyn FnMut(&Page) -> ControlFlow<()>) {
    for number in file.numbers() {
        let object = file.load(number);
        if object.dict().get(b"Type").name() != b"Page" {
            continue;
        }
        let page = Page {
            dict: object.dict().clone(),
            resources: Rc::new(file.get(object.dict(), b"Resources").dict().clone()),
        };
        if with(&page).is_break() {
            return;
        }
    }
}

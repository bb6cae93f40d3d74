//! Targets of the links on a page (ISO 32000-2, 12.5.6.5 and 12.6.4.8).

use super::encoding::text_string;
use super::file::{Page, PdfFile};

/// Annotations of a page; more are ignored.
const ANNOTATIONS: usize = 20_000;

/// The URIs that a page links to, each once, in the order of its annotations.
pub(super) fn of(file: &PdfFile<'_>, page: &Page) -> Vec<String> {
    let annotations = file.get(&page.dict, b"Annots");
    let mut targets = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for annotation in annotations.array().iter().take(ANNOTATIONS) {
        let annotation = file.resolve(annotation);
        let action = file.get(annotation.dict(), b"A");
        let uri = file.get(action.dict(), b"URI");
        let Some(uri) = uri.text() else { continue };
        // A target is one line.
        let target = text_string(uri).replace(|c: char| c.is_control(), "");
        if !target.is_empty() && seen.insert(target.clone()) {
            targets.push(target);
        }
    }
    targets
}

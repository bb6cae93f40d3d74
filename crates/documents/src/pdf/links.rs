//! Targets of the links on a page (ISO 32000-2, 12.5.6.5 and 12.6.4.8).

use std::collections::HashSet;

use super::encoding::text_string;
use super::file::PdfFile;
use super::filter::StreamFlaw;
use super::pages::Page;

/// Maximum number of annotations of a page that are read.
pub(super) const MAX_ANNOTATIONS: usize = 100_000;

/// Returns the URIs that a page links to, without repeats, in the order of its annotations; and why some are missing.
pub(super) fn of(file: &PdfFile<'_>, page: &Page) -> (Vec<String>, Option<StreamFlaw>) {
    let annotations = file.get(&page.dict, b"Annots");
    let annotations = annotations.array();
    let (mut targets, mut seen) = (Vec::new(), HashSet::new());
    let mut left = file.memory() / 16;
    for annotation in annotations.iter().take(MAX_ANNOTATIONS) {
        let annotation = file.resolve(annotation);
        let action = file.get(annotation.dict(), b"A");
        let uri = file.get(action.dict(), b"URI");
        let Some(uri) = uri.text() else { continue };
        // A target is one line.
        let target = text_string(uri).replace(|c: char| c.is_control(), "");
        if target.is_empty() || seen.contains(&target) {
            continue;
        }
        let Some(rest) = left.checked_sub(target.len()) else {
            file.shorten();
            return (targets, Some(StreamFlaw::Links));
        };
        left = rest;
        seen.insert(target.clone());
        targets.push(target);
    }
    let is_cut = annotations.len() > MAX_ANNOTATIONS;
    (targets, is_cut.then_some(StreamFlaw::Links))
}

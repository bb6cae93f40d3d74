//! The lists of words or marks that some rules have.

use super::dirt::{remark, tails};
use super::{Rule, enclosure, page, tail, word};

impl Rule {
    /// Returns the words or marks of the rule's list; empty for most rules.
    pub fn items(self) -> Vec<&'static str> {
        match self {
            Rule::MediaFile => page::MEDIA_FILES.to_vec(),
            Rule::Anchor => page::ANCHOR_ATTRIBUTES.to_vec(),
            Rule::Source => page::MEDIA_ATTRIBUTES.to_vec(),
            Rule::InlineElement => page::INLINE_ELEMENTS.to_vec(),
            Rule::MetaMedia => page::META_MEDIA.to_vec(),
            Rule::Enclosure => enclosure::openers().collect(),
            Rule::GluedWord => word::GLUED_WORDS.iter().map(|row| row.0).collect(),
            Rule::NoValue => word::MISSING_VALUES.to_vec(),
            Rule::FieldPage => tail::FIELD_PAGES.to_vec(),
            Rule::PageWord => tail::PAGES.to_vec(),
            Rule::File => tail::FILES.to_vec(),
            Rule::ArticleView => tail::ARTICLE_VIEWS.to_vec(),
            Rule::PathFile => tail::PATH_FILES.to_vec(),
            Rule::Remark => remark::remarks().collect(),
            Rule::TitlePage => tails::TITLE_PAGE_STEMS.to_vec(),
            _ => Vec::new(),
        }
    }
}

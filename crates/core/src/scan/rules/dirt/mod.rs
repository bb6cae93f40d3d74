//! Rules for dirty data only: columns of cited names, and reference lists whose blanks were lost.
//!
//! A row changes texts that no registered name contains. If some names do, the row says what must be beside the text. A row is a
//! rule and a function that finds the rule's changes in a suffix. The functions read [`FoundSuffix`]; [`Draft`] records the changes.
//!
//! | module | what it decides |
//! |---|---|
//! | [`start`] | where a name starts |
//! | [`breaks`] | which tags and white space end a name, and which only broke it |
//! | [`joints`] | which marks between the parts of a name were written wrongly |
//! | [`ends`] | which signs, brackets and repetitions end a name |
//! | [`remark`] | which words after a name are not part of it |
//! | [`tails`] | which pages, words and places in print are cut from its end |
//! | [`short`] | which texts do not hold the whole name |

mod breaks;
mod draft;
mod ends;
mod joints;
pub(super) mod remark;
mod row;
mod short;
pub(crate) mod start;
pub(super) mod tails;

use super::Rule;
use super::tail::SuffixCuts;
pub use draft::Change;
pub(crate) use draft::{Draft, Edit};
use row::{EndRule, FoundSuffix, RepairRule};
pub(crate) use short::{cut_short, is_line_end, is_placeholder, lost_joint, may_go_on};

/// Endings of a suffix whose escapes are not undone yet.
const RAW_END_RULES: [EndRule; 2] = [
    (Rule::DirtQuery, ends::query),
    (Rule::Emphasis, ends::emphasis),
];

/// Repairs inside a suffix, made before its end is looked for.
const REPAIR_RULES: [RepairRule; 4] = [
    (Rule::SiciEntity, joints::sici_entities),
    (Rule::Note, breaks::notes),
    (Rule::Tag, breaks::tags),
    (Rule::DirtBreak, breaks::blanks),
];

const END_RULES: [EndRule; 7] = [
    (Rule::DoubledEnd, ends::doubled_end),
    (Rule::ArticleId, ends::article_id),
    (Rule::Remark, remark::listed),
    (Rule::GluedText, remark::glued),
    (Rule::Host, remark::host),
    (Rule::UnclosedBracket, ends::unclosed_bracket),
    (Rule::AnotherName, start::another_name),
];

/// Joints that are written once, if no registered name doubles them.
const JOINT_REPAIRS: [RepairRule; 5] = [
    (Rule::DoubledJoint, joints::underscores),
    (Rule::DoubledJoint, joints::stops),
    (Rule::DoubledJoint, joints::hyphens),
    (Rule::DoubledJoint, joints::slashes),
    (Rule::ArxivName, joints::arxiv),
];

/// Max number of prefixes without a name after them that are skipped, so that the cost is linear in the length of the text.
const MAX_SKIPPED_PREFIXES: usize = 8;

/// Returns the first name in `draft` with a suffix that is not empty, or else the first prefix. `decode` undoes the escapes of a
/// suffix.
pub(crate) fn first_name(draft: &Draft, decode: impl Fn(&mut Draft)) -> Option<Draft> {
    let mut name = None;
    for start in start::find_iter(&draft.text).take(MAX_SKIPPED_PREFIXES) {
        let Some(draft) = start.suffix(&draft.changes) else {
            continue;
        };
        let (prefix, emphasis) = (&*start.prefix, start.emphasis);
        let mut found = FoundSuffix {
            prefix,
            front: start.front(),
            emphasis,
            draft,
        };
        found.end(&RAW_END_RULES, None);
        decode(&mut found.draft);
        let found = found.name();
        if found.text.len() > prefix.len() + 1 {
            return Some(found);
        }
        name.get_or_insert(found);
    }
    name
}

/// Returns the name of `prefix` and the part of the suffix in `draft` that belongs to it.
pub(crate) fn name(prefix: &str, draft: Draft) -> Draft {
    let emphasis = "";
    let found = FoundSuffix {
        prefix,
        front: Default::default(),
        emphasis,
        draft,
    };
    found.name()
}

/// Max rounds of looking for endings: a cut may expose text that another rule cuts.
const MAX_ROUNDS: usize = 16;

impl FoundSuffix<'_> {
    fn name(mut self) -> Draft {
        self.repair(&REPAIR_RULES);
        for _ in 0..MAX_ROUNDS {
            let before = self.draft.text.len();
            self.end(&END_RULES, ends::prose(&self.draft.text));
            self.repair(&JOINT_REPAIRS);
            self.trim();
            if self.draft.text.len() == before {
                break;
            }
        }
        self.draft.text = format!("{}/{}", self.prefix, self.draft.text);
        self.draft
    }

    fn repair(&mut self, rows: &[RepairRule]) {
        for (rule, find) in rows {
            self.draft.apply(*rule, find(self));
        }
    }

    /// Cuts the suffix at the first of the ends that `rows` find, or at `end` if that comes first.
    fn end(&mut self, rows: &[EndRule], end: Option<(Rule, usize)>) {
        let holding = rows.iter().filter(|(rule, _)| rule.holds());
        let ends = holding.filter_map(|(rule, find)| Some((*rule, find(self)?)));
        if let Some((rule, at)) = end.into_iter().chain(ends).min_by_key(|(_, at)| *at) {
            self.draft.cut(rule, at);
        }
    }

    /// Cuts pages, places in print and marks, in any order and number. Nine in ten full stops at the end are slips.
    fn trim(&mut self) {
        let suffix = self.draft.text.clone();
        let cuts = SuffixCuts::new(
            self.prefix.as_bytes(),
            suffix.as_bytes(),
            true,
            &tails::TAILS,
        );
        for (rule, at) in cuts {
            self.draft.cut(rule, at);
        }
    }
}

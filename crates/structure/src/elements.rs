//! Looks elements and attributes up in the table by their last names.

use std::sync::{Arc, LazyLock};

use super::record_field::RecordField;
use super::table::{Detail, Meaning, RecordId, XML};

/// A row of the table.
pub(super) struct ElementRule {
    /// The names from the element outwards.
    steps: Vec<Box<[u8]>>,
    /// Whether the last step is a child of the document.
    is_rooted: bool,
    /// Whether the last step is a child of the record.
    is_in_record: bool,
    attribute: Option<Box<[u8]>>,
    condition: Option<AttributeCondition>,
    pub(super) meaning: Meaning,
}

/// The table, by the names of elements.
pub(super) struct Elements {
    named: Vec<NamedRules>,
    /// Rules for elements of any name.
    any: Vec<ElementRule>,
    /// The attributes that rules ask for.
    wanted_names: Vec<Box<[u8]>>,
    /// The marks of the names in `wanted`.
    marks: u64,
    /// Elements and attributes whose text is taken, in addition to their meaning, sorted by the name of the element.
    text_rules: Vec<TextRule>,
    /// Whether each child of the outermost element is a record.
    pub(super) are_children_records: bool,
}

/// An element or attribute whose text is taken, and its use.
struct TextRule {
    rule: ElementRule,
    what: TextUse,
}

impl TextRule {
    /// Returns the name of the element that it is for, or whose attribute.
    fn name(&self) -> &[u8] {
        self.rule.steps.first().map_or(b"", |name| name)
    }
}

/// The use of a text that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextUse {
    /// A field of the record, by its number.
    Field(usize),
    Detail(Detail),
}

/// The attributes of a related item that may have its relation, which shows whether it is a reference: of DataCite and of MODS.
pub(super) const RELATION: [&[u8]; 2] = [b"relationType", b"type"];

/// An attribute and the value that it must have.
struct AttributeCondition {
    name: Box<[u8]>,
    value: Box<[u8]>,
}

/// The rules for elements of one name.
struct NamedRules {
    name: Box<[u8]>,
    rules: Vec<ElementRule>,
}

static TABLE: LazyLock<Arc<Elements>> = LazyLock::new(|| Arc::new(Elements::build(None)));

impl Elements {
    /// Returns the table for records with the identifier at `id`, these fields, and the details of those lists that are wanted.
    pub(super) fn new(
        id: Option<&RecordId>,
        fields: &[RecordField],
        details: &[(bool, &[(&str, Detail)])],
    ) -> Arc<Elements> {
        let details = details.iter().filter(|(is_wanted, _)| *is_wanted);
        let mut details = details.flat_map(|(_, list)| *list).peekable();
        if id.is_none() && fields.is_empty() && details.peek().is_none() {
            return Arc::clone(&TABLE);
        }
        let mut table = Elements::build(id);
        for (number, field) in fields.iter().enumerate() {
            let steps: Vec<_> = field.path.steps().collect();
            let mut rule = ElementRule::new(&steps, Meaning::Plain);
            rule.is_in_record = true;
            table.take(rule, TextUse::Field(number));
        }
        for (path, detail) in details {
            let steps: Vec<_> = path.split('/').collect();
            let rule = ElementRule::new(&steps, Meaning::Plain);
            table.take(rule, TextUse::Detail(*detail));
        }
        table.text_rules.sort_by(|a, b| a.name().cmp(b.name()));
        table.mark_wanted();
        Arc::new(table)
    }

    fn build(id: Option<&RecordId>) -> Elements {
        let mut table = Elements {
            named: Vec::new(),
            any: Vec::new(),
            wanted_names: RELATION.map(Box::from).into(),
            marks: 0,
            text_rules: Vec::new(),
            are_children_records: id.is_some(),
        };
        if let Some(id) = id {
            let steps: Vec<_> = id.steps().collect();
            let rule = ElementRule::new(&steps, Meaning::Id(0));
            table.add(ElementRule {
                is_in_record: true,
                ..rule
            });
        }
        for (path, meaning) in XML {
            let meaning = id.map_or(*meaning, |_| meaning.without_id());
            let steps: Vec<_> = path.split('/').collect();
            table.add(ElementRule::new(&steps, meaning));
        }
        table.mark_wanted();
        table
    }

    fn mark_wanted(&mut self) {
        self.wanted_names.sort_unstable();
        self.wanted_names.dedup();
        let names = self.wanted_names.iter();
        self.marks = names.fold(0, |marks, name| marks | mark(name));
    }

    fn want_attributes(&mut self, rule: &ElementRule) {
        let condition = rule.condition.as_ref().map(|it| &it.name);
        let names = [condition, rule.attribute.as_ref()].into_iter().flatten();
        self.wanted_names.extend(names.cloned());
    }

    fn take(&mut self, rule: ElementRule, what: TextUse) {
        self.want_attributes(&rule);
        self.text_rules.push(TextRule { rule, what });
    }

    /// Whether the text of any element or attribute is taken.
    pub(super) fn takes(&self) -> bool {
        !self.text_rules.is_empty()
    }

    /// Returns the uses of the texts of elements with this name, and of their attributes, whose rules satisfy `fits`.
    pub(super) fn text_uses(
        &self,
        name: &[u8],
        fits: impl Fn(&ElementRule) -> bool,
    ) -> impl Iterator<Item = (&ElementRule, TextUse)> {
        let of = |name: &[u8]| {
            let rest = self.text_rules.partition_point(|one| one.name() < name);
            let rest = &self.text_rules[rest..];
            &rest[..rest.partition_point(|one| one.name() == name)]
        };
        // A rule for an attribute alone names no element.
        let named = of(b"").iter().chain(of(name));
        let taken = named.filter(move |taken| fits(&taken.rule));
        taken.map(|taken| (&taken.rule, taken.what))
    }

    fn add(&mut self, rule: ElementRule) {
        self.want_attributes(&rule);
        let Some(name) = rule.steps.first().cloned() else {
            return self.any.push(rule);
        };
        match self.named(&name) {
            Some(known) => self.named[known].rules.push(rule),
            None => self.named.push(NamedRules {
                name,
                rules: vec![rule],
            }),
        }
    }

    /// Whether the value of the attribute `name` may matter.
    pub(super) fn is_wanted(&self, name: &[u8]) -> bool {
        self.marks & mark(name) != 0 && self.wanted_names.iter().any(|wanted| **wanted == *name)
    }

    /// Returns the number of the rules for elements of a name. `None` if there are none.
    pub(super) fn named(&self, name: &[u8]) -> Option<usize> {
        self.named.iter().position(|known| *known.name == *name)
    }

    /// Whether there are rules for all elements.
    pub(super) fn has_any(&self) -> bool {
        !self.any.is_empty()
    }

    /// Returns the rules for all elements, then those with the number `named`, in the order of the table.
    pub(super) fn rules(&self, named: Option<usize>) -> impl Iterator<Item = &ElementRule> {
        let named = named.map_or(&[][..], |number| &self.named[number].rules);
        self.any.iter().chain(named)
    }
}

impl ElementRule {
    fn new(steps: &[&str], meaning: Meaning) -> ElementRule {
        let mut rule = ElementRule {
            steps: Vec::new(),
            is_rooted: false,
            is_in_record: false,
            attribute: None,
            condition: None,
            meaning,
        };
        for step in steps.iter().rev() {
            rule.take(step);
        }
        rule
    }

    fn take(&mut self, step: &str) {
        if let Some(attribute) = step.strip_prefix('@') {
            self.attribute = Some(attribute.as_bytes().into());
        } else if step == "^" {
            self.is_rooted = true;
        } else if let Some((name, condition)) =
            step.strip_suffix(']').and_then(|step| step.split_once('['))
        {
            self.condition = condition
                .split_once('=')
                .map(|(name, value)| AttributeCondition {
                    name: name.as_bytes().into(),
                    value: value.as_bytes().into(),
                });
            self.steps.push(name.as_bytes().into());
        } else {
            self.steps.push(step.as_bytes().into());
        }
    }

    /// Whether the rule is for an element. `names` are the names of the element and those around it, from the inside. `in_record`
    /// is its depth below the record; a child of the record has 1.
    pub(super) fn fits<'n>(
        &self,
        mut names: impl Iterator<Item = &'n [u8]>,
        in_record: Option<usize>,
    ) -> bool {
        let fits = self.steps.iter().all(|step| names.next() == Some(step));
        fits && (!self.is_rooted || names.next().is_none())
            && (!self.is_in_record || in_record == Some(self.steps.len()))
    }

    /// Whether the rule is for the element itself, not for an attribute.
    pub(super) fn is_for_element(&self) -> bool {
        self.attribute.is_none()
    }

    /// Returns the attribute that the rule is for.
    pub(super) fn attribute(&self) -> Option<&[u8]> {
        self.attribute.as_deref()
    }

    /// Whether the rule is for the attribute `name`.
    pub(super) fn is_for(&self, name: &[u8]) -> bool {
        self.attribute.as_deref() == Some(name)
    }

    /// Returns the attribute that the rule requires, and its value.
    pub(super) fn condition(&self) -> Option<(&[u8], &[u8])> {
        let condition = self.condition.as_ref();
        condition.map(|it| (&*it.name, &*it.value))
    }
}

/// Returns one bit for a name, chosen by its length and first byte.
fn mark(name: &[u8]) -> u64 {
    let first = name.first().map_or(0, |first| usize::from(*first));
    1 << ((first + name.len() * 5) % 64)
}

/// Returns a name without its prefix.
pub(super) fn local(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|byte| *byte == b':') {
        Some(colon) => &name[colon + 1..],
        None => name,
    }
}

//! The references of a work.

use super::json::Json;
use super::random::Random;
use super::stated::{self, Stated};
use super::truth::Truth;
use super::{Generator, mined, names, words};

/// Members of a reference that are filled, besides key, name and text. A letter means a member.
#[derive(Clone, Copy)]
struct Members(&'static str);

/// Members of references with a stated name, with weights; `u` is the text.
const STATED: [(u64, Members); 11] = [
    (391, Members("")),
    (202, Members("favjyt")),
    (57, Members("favjyti")),
    (48, Members("favjy")),
    (21, Members("favjyu")),
    (19, Members("fijvy")),
    (13, Members("u")),
    (7, Members("favjyts")),
    (4, Members("fvjy")),
    (4, Members("favjyiu")),
    (3, Members("avjyt")),
];

/// Members of references without a name, with weights.
const UNNAMED: [(u64, Members); 11] = [
    (31, Members("u")),
    (23, Members("favjyt")),
    (19, Members("fijvy")),
    (16, Members("awy")),
    (15, Members("y")),
    (12, Members("favjyti")),
    (8, Members("favjy")),
    (7, Members("fawy")),
    (7, Members("fvjy")),
    (4, Members("awyu")),
    (4, Members("ajyt")),
];

/// Members of references with their name in their text alone, with weights.
const MINED: [(u64, Members); 3] = [
    (70, Members("u")),
    (20, Members("favjyu")),
    (10, Members("awyu")),
];

/// Share of references with text and a stated name that have the name in the text too: 1 % of all that state a name.
const REPEATED: f64 = 0.2;

/// A reference before it is written.
#[derive(Default)]
struct Reference {
    key: String,
    members: &'static str,
    stated: Option<Stated>,
    by: &'static str,
    text: Option<String>,
    /// The keys of names in the text, without repeats, between blanks.
    mined: String,
}

impl Generator<'_> {
    /// Appends the references of a work.
    pub fn references(&mut self, record: &str, count: u64) {
        let style = self.random.below(5);
        self.json.key("reference");
        self.json.open('[');
        for index in 0..count {
            let mut reference = self.reference();
            reference.key = key(style, record, index);
            self.count(&reference);
            write(&mut self.json, &mut self.random, &reference);
            note(&mut self.truth, record, index, &reference);
        }
        self.json.close(']');
    }

    fn reference(&mut self) -> Reference {
        let options = self.options;
        if self.random.chance(options.unnamed) {
            self.unnamed()
        } else if self.random.chance(options.mined / (1.0 - options.unnamed)) {
            self.mined()
        } else {
            self.stated()
        }
    }

    fn unnamed(&mut self) -> Reference {
        let Members(members) = self.random.weighted(&UNNAMED);
        let text = members
            .contains('u')
            .then(|| words::nameless(&mut self.random));
        Reference {
            members,
            text,
            ..Reference::default()
        }
    }

    fn mined(&mut self) -> Reference {
        let Members(members) = self.random.weighted(&MINED);
        let mut reference = Reference {
            members,
            ..Reference::default()
        };
        let name = self.name(false);
        self.text(&mut reference, &name);
        reference
    }

    fn stated(&mut self) -> Reference {
        let Members(members) = self.random.weighted(&STATED);
        let mut reference = Reference {
            members,
            ..Reference::default()
        };
        let dirty = self.random.chance(self.options.dirty);
        let repeated = members.contains('u') && self.random.chance(REPEATED);
        let name = self.name(!dirty && !repeated);
        let value = if dirty { stated::dirty } else { stated::clean };
        reference.stated = Some(value(&mut self.random, &name));
        reference.by = if self.random.chance(0.54) {
            "publisher"
        } else {
            "crossref"
        };
        if repeated {
            self.text(&mut reference, &name);
        } else if members.contains('u') {
            reference.text = Some(words::nameless(&mut self.random));
        }
        reference
    }

    /// Returns a cited name. Only a field can have an odd one.
    fn name(&mut self, odd: bool) -> String {
        let seed = self.options.seed;
        let mut number = self.cited();
        while !odd && names::is_odd(seed, number) {
            number = self.cited();
        }
        let mut name = String::new();
        names::write(&mut name, seed, number);
        name
    }

    /// Fills the text with a name in it; in one of a hundred cases twice.
    fn text(&mut self, reference: &mut Reference, name: &str) {
        let mut text = words::citation(&mut self.random);
        mined::mention(&mut text, &mut self.random, self.options.hard, name);
        if self.random.chance(0.01) {
            text.push_str(" https://doi.org/");
            text.push_str(name);
        }
        reference.text = Some(text);
        reference.mined = name.to_ascii_lowercase();
    }

    fn count(&mut self, reference: &Reference) {
        let totals = &mut self.totals;
        totals.references += 1;
        let named = reference
            .stated
            .as_ref()
            .is_some_and(|stated| !stated.doi.is_empty());
        totals.unnamed += u64::from(!named && reference.mined.is_empty());
        totals.mined += u64::from(!reference.mined.is_empty());
        if let Some(stated) = &reference.stated {
            totals.stated += 1;
            totals.dirty += u64::from(!stated.dirt.is_empty());
        }
    }
}

fn key(style: u64, record: &str, index: u64) -> String {
    match style {
        0 => format!("{record}_bib{}", index + 1),
        1 => format!("CR{}", index + 1),
        2 => format!("e_1_2_7_{}_1", index + 2),
        3 => format!("key-{record}-{}", index + 1),
        _ => format!("ref{:03}", index + 1),
    }
}

fn write(json: &mut Json, random: &mut Random, reference: &Reference) {
    json.open('{');
    json.member("key", &reference.key);
    if reference.stated.is_some() {
        json.member("doi-asserted-by", reference.by);
    }
    if let Some(text) = &reference.text {
        json.member("unstructured", text);
    }
    if let Some(stated) = &reference.stated {
        json.member("DOI", &stated.value);
    }
    for member in reference.members.chars() {
        self::member(json, random, member);
    }
    json.close('}');
}

fn member(json: &mut Json, random: &mut Random, member: char) {
    match member {
        'f' => json.member("first-page", &words::page(random).to_string()),
        'a' => json.member("author", words::family(random)),
        'v' => json.member("volume", &(1 + random.below(200)).to_string()),
        'j' => json.member("journal-title", words::journal(random)),
        'y' => json.member("year", &words::year(random).to_string()),
        't' => json.member("article-title", &words::title(random, 7)),
        'w' => json.member("volume-title", &words::title(random, 4)),
        'i' => json.member("issue", &(1 + random.below(12)).to_string()),
        's' => json.member("ISSN", "https://id.crossref.org/issn/0028-0836"),
        _ => {}
    }
}

fn note(truth: &mut Truth, record: &str, index: u64, reference: &Reference) {
    let index = index.to_string();
    let (value, doi, dirt) = match &reference.stated {
        Some(stated) => (stated.value.as_str(), stated.doi.as_str(), stated.dirt),
        None => ("", "", ""),
    };
    let text = reference.text.as_deref().unwrap_or_default();
    truth.row(
        |truth| &mut truth.references,
        &[
            record,
            &index,
            &reference.key,
            value,
            doi,
            dirt,
            reference.by,
            &reference.mined,
            text,
        ],
    );
}

//! A work, with its members in the order and with the frequency of the REST API.

use super::json::Json;
use super::random::Random;
use super::{Generator, names, stated, words};

const TYPES: [(u64, &str); 8] = [
    (720, "journal-article"),
    (130, "book-chapter"),
    (60, "proceedings-article"),
    (30, "posted-content"),
    (20, "dataset"),
    (20, "peer-review"),
    (10, "dissertation"),
    (10, "monograph"),
];

const UPDATES: [(u64, &str, &str); 4] = [
    (60, "erratum", "Erratum"),
    (25, "correction", "Correction"),
    (10, "retraction", "Retraction"),
    (5, "expression_of_concern", "Expression of concern"),
];

const RELATIONS: [&str; 4] = [
    "is-preprint-of",
    "has-preprint",
    "is-review-of",
    "is-supplemented-by",
];

/// Share of works with references.
const REFERENCES: f64 = 0.36;

/// Facts about a work that the truth lists.
struct Facts {
    value: String,
    record: String,
    kind: &'static str,
    year: u64,
    publisher: (&'static str, &'static str),
}

impl Generator<'_> {
    /// Appends a work with the name `number`, which ends its line.
    pub fn work(&mut self, number: u64) {
        let before = self.totals;
        let facts = self.facts(number);
        self.json.open('{');
        self.head(&facts);
        self.body(&facts);
        if self.random.chance(REFERENCES) {
            let count = self.reference_count();
            self.references(&facts.record, count);
        }
        self.tail(&facts);
        self.json.close('}');
        self.json.text.push('\n');
        self.note(&facts, before);
        self.totals.records += 1;
    }

    fn facts(&mut self, number: u64) -> Facts {
        let mut name = String::new();
        names::write(&mut name, self.options.seed, number);
        let own = stated::clean(&mut self.random, &name);
        Facts {
            value: own.value,
            record: own.doi,
            kind: self.random.weighted(&TYPES),
            year: words::year(&mut self.random),
            publisher: self.random.choose(&words::PUBLISHERS),
        }
    }

    /// Returns a number of references: 26 in the median, 31 on average.
    fn reference_count(&mut self) -> u64 {
        let more = match self.random.below(50) {
            0 => 400,
            1..=10 => 60,
            _ => 10,
        };
        1 + self.random.below(24) + self.random.below(24) + self.random.below(more)
    }

    fn head(&mut self, facts: &Facts) {
        let (json, random) = (&mut self.json, &mut self.random);
        json.object("indexed", |json| date_time(json, random));
        json.count("reference-count", 0);
        json.member("publisher", facts.publisher.0);
        if random.chance(0.57) {
            licenses(json, random);
        }
        if random.chance(0.24) {
            self.funder(&facts.record);
        }
        let (json, random) = (&mut self.json, &mut self.random);
        json.object("content-domain", |json| {
            json.key("domain");
            json.plain("[]");
            json.key("crossmark-restriction");
            json.plain("false");
        });
        json.only("short-container-title", words::journal(random));
        json.object("published-print", |json| {
            date_parts(json, random, facts.year)
        });
        json.member("DOI", &facts.value);
        json.member("type", facts.kind);
        json.object("created", |json| date_time(json, random));
        json.member("page", &format!("{0}-{0}7", words::page(random)));
        json.member("source", "Crossref");
        json.count("is-referenced-by-count", random.small(500));
    }

    fn body(&mut self, facts: &Facts) {
        let (json, random) = (&mut self.json, &mut self.random);
        json.only("title", &words::title(random, 7));
        if random.chance(0.3) {
            json.member("abstract", &abstract_of(random));
        }
        let prefix = facts.value.split('/').next().unwrap_or_default();
        json.member("prefix", prefix);
        json.member("volume", &(1 + random.below(200)).to_string());
        if random.chance(0.82) {
            authors(json, random);
        }
        json.member("member", facts.publisher.1);
        if random.chance(0.015) {
            self.update(&facts.record);
        }
    }

    fn tail(&mut self, facts: &Facts) {
        let (json, random) = (&mut self.json, &mut self.random);
        json.only("container-title", words::journal(random));
        json.key("original-title");
        json.plain("[]");
        json.member("language", "en");
        if random.chance(0.79) {
            links(json, random, &facts.record);
        }
        json.object("deposited", |json| date_time(json, random));
        json.count("score", 0);
        let page = format!(
            "https://www.example.org/content/{}/{}",
            facts.year,
            random.below(1_000_000)
        );
        json.object("resource", |json| {
            json.object("primary", |json| json.member("URL", &page));
        });
        json.object("issued", |json| date_parts(json, random, facts.year));
        json.count("references-count", 0);
        json.only(
            "alternative-id",
            &format!("S{:09}", random.below(1_000_000_000)),
        );
        json.member("URL", &format!("http://dx.doi.org/{}", facts.value));
        if random.chance(0.03) {
            self.relation(&facts.record);
        }
        let (json, random) = (&mut self.json, &mut self.random);
        serials(json, random);
        json.object("published", |json| date_parts(json, random, facts.year));
    }

    fn funder(&mut self, record: &str) {
        let value = format!("10.13039/{}", 100_000_000 + self.random.below(20_000));
        let json = &mut self.json;
        json.key("funder");
        json.open('[');
        json.open('{');
        json.member("DOI", &value);
        json.member("name", "National Science Foundation");
        json.member("doi-asserted-by", "publisher");
        json.only("award", &format!("DMR-{}", self.random.below(1_000_000)));
        json.close('}');
        json.close(']');
        self.link(record, ["funder", "", &value, "publisher"]);
    }

    fn update(&mut self, record: &str) {
        let choice = UPDATES.map(|(weight, kind, label)| (weight, (kind, label)));
        let (kind, label) = self.random.weighted(&choice);
        let value = self.linked();
        let (json, random) = (&mut self.json, &mut self.random);
        json.key("update-to");
        json.open('[');
        json.open('{');
        json.object("updated", |json| date_time(json, random));
        json.member("DOI", &value);
        json.member("type", kind);
        json.member("label", label);
        json.member("source", "publisher");
        json.close('}');
        json.close(']');
        self.link(record, ["update-to", kind, &value, ""]);
    }

    fn relation(&mut self, record: &str) {
        let kind = self.random.choose(&RELATIONS);
        let value = self.linked();
        self.json.object("relation", |json| {
            json.key(kind);
            json.open('[');
            json.open('{');
            json.member("id-type", "doi");
            json.member("id", &value);
            json.member("asserted-by", "subject");
            json.close('}');
            json.close(']');
        });
        self.link(record, ["relation", kind, &value, "subject"]);
    }

    /// Returns the name of another work.
    fn linked(&mut self) -> String {
        let mut name = String::new();
        let number = self.cited();
        names::write(&mut name, self.options.seed, number);
        name
    }

    fn link(&mut self, record: &str, [field, kind, value, by]: [&str; 4]) {
        self.totals.links += 1;
        let doi = value.to_ascii_lowercase();
        let cells = [record, field, kind, value, &doi, by];
        self.truth.row(|truth| &mut truth.links, &cells);
    }

    fn note(&mut self, facts: &Facts, before: super::Totals) {
        let now = self.totals;
        let counts = [
            now.references - before.references,
            now.stated - before.stated,
            now.mined - before.mined,
            now.unnamed - before.unnamed,
        ];
        let [references, stated, mined, unnamed] = counts.map(|count| count.to_string());
        let (line, year) = (now.records.to_string(), facts.year.to_string());
        let (publisher, member) = facts.publisher;
        let what = [
            &line,
            &facts.value,
            &facts.record,
            facts.kind,
            &year,
            member,
            publisher,
        ];
        let cells: Vec<&str> = what
            .into_iter()
            .chain([&*references, &stated, &mined, &unnamed])
            .collect();
        self.truth.row(|truth| &mut truth.records, &cells);
    }
}

fn date_parts(json: &mut Json, random: &mut Random, year: u64) {
    json.key("date-parts");
    let (month, day) = (1 + random.below(12), 1 + random.below(28));
    match random.below(3) {
        0 => json.plain(format_args!("[[{year}]]")),
        1 => json.plain(format_args!("[[{year},{month}]]")),
        _ => json.plain(format_args!("[[{year},{month},{day}]]")),
    }
}

fn date_time(json: &mut Json, random: &mut Random) {
    let (year, month, day) = (
        2012 + random.below(13),
        1 + random.below(12),
        1 + random.below(28),
    );
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
    json.key("date-parts");
    json.plain(format_args!("[[{year},{month},{day}]]"));
    json.member(
        "date-time",
        &format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
    );
    json.count(
        "timestamp",
        1_300_000_000_000 + random.below(400_000_000) * 1_000,
    );
}

fn licenses(json: &mut Json, random: &mut Random) {
    json.key("license");
    json.open('[');
    for version in &["tdm", "vor"][..1 + random.below(2) as usize] {
        json.open('{');
        json.object("start", |json| date_time(json, random));
        json.member("content-version", version);
        json.count("delay-in-days", random.small(1_000));
        json.member("URL", "https://creativecommons.org/licenses/by/4.0/");
        json.close('}');
    }
    json.close(']');
}

fn authors(json: &mut Json, random: &mut Random) {
    json.key("author");
    json.open('[');
    for number in 0..1 + random.small(16) {
        json.open('{');
        if random.chance(0.2) {
            json.member(
                "ORCID",
                &format!(
                    "http://orcid.org/0000-0002-{:04}-{:04}",
                    random.below(10_000),
                    random.below(10_000)
                ),
            );
        }
        json.member("given", words::given(random));
        json.member("family", words::family(random));
        json.member("sequence", if number == 0 { "first" } else { "additional" });
        affiliation(json, random);
        json.close('}');
    }
    json.close(']');
}

fn affiliation(json: &mut Json, random: &mut Random) {
    json.key("affiliation");
    json.open('[');
    if random.chance(0.4) {
        let place = format!(
            "Department of {}, University of {}",
            words::title(random, 2),
            words::family(random)
        );
        json.item(|json| json.member("name", &place));
    }
    json.close(']');
}

fn links(json: &mut Json, random: &mut Random, record: &str) {
    json.key("link");
    json.open('[');
    let item = random.below(100_000_000);
    for (kind, use_) in [
        ("text/html", "text-mining"),
        ("unspecified", "similarity-checking"),
    ] {
        json.open('{');
        let url = match item % 3 {
            0 => {
                format!("https://api.example.org/content/article/PII:S{item:08}?httpAccept={kind}")
            }
            1 => format!("https://www.example.org/article/{item:08}/pdf"),
            _ => format!("https://www.example.org/doi/pdf/{record}"),
        };
        json.member("URL", &url);
        json.member("content-type", kind);
        json.member("content-version", "vor");
        json.member("intended-application", use_);
        json.close('}');
    }
    json.close(']');
}

fn serials(json: &mut Json, random: &mut Random) {
    let serial = format!("{:04}-{:04}", random.below(3_000), random.below(10_000));
    json.only("ISSN", &serial);
    json.key("issn-type");
    json.open('[');
    json.open('{');
    json.member("type", "print");
    json.member("value", &serial);
    json.close('}');
    json.close(']');
    json.only("subject", "General Medicine");
}

fn abstract_of(random: &mut Random) -> String {
    let mut text = String::from("<jats:title>Abstract</jats:title><jats:p>");
    for _ in 0..6 + random.below(9) {
        text.push_str(&words::title(random, 12));
        text.push_str(". ");
    }
    text.push_str("</jats:p>");
    text
}

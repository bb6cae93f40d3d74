//! Titles, people, journals and publishers: text without names.

use std::fmt::Write;

use super::random::Random;

const WORDS: [&str; 96] = [
    "the",
    "of",
    "and",
    "in",
    "a",
    "to",
    "with",
    "for",
    "on",
    "by",
    "from",
    "at",
    "between",
    "using",
    "analysis",
    "temperature",
    "surface",
    "effects",
    "distribution",
    "method",
    "cells",
    "high",
    "low",
    "effect",
    "protein",
    "field",
    "energy",
    "structure",
    "differential",
    "function",
    "patients",
    "treatment",
    "species",
    "response",
    "concentration",
    "parameters",
    "evidence",
    "small",
    "large",
    "rate",
    "water",
    "model",
    "dynamics",
    "clinical",
    "trial",
    "randomized",
    "expression",
    "gene",
    "magnetic",
    "quantum",
    "social",
    "networks",
    "learning",
    "children",
    "health",
    "risk",
    "cancer",
    "mice",
    "human",
    "brain",
    "carbon",
    "oxide",
    "synthesis",
    "catalytic",
    "polymer",
    "membrane",
    "stress",
    "climate",
    "ocean",
    "soil",
    "plant",
    "growth",
    "disease",
    "infection",
    "virus",
    "immune",
    "theory",
    "estimation",
    "numerical",
    "simulation",
    "flow",
    "heat",
    "transfer",
    "optical",
    "properties",
    "thin",
    "films",
    "design",
    "policy",
    "education",
    "study",
    "review",
    "naïve",
    "β-catenin",
    "Schrödinger",
    "in situ",
];

const FAMILIES: [&str; 40] = [
    "Smith",
    "Wang",
    "Zhang",
    "Li",
    "Kim",
    "Müller",
    "García",
    "Rossi",
    "Silva",
    "Nguyen",
    "Johnson",
    "Chen",
    "Liu",
    "Yang",
    "Lee",
    "Park",
    "Tanaka",
    "Suzuki",
    "Schmidt",
    "Fernández",
    "Martin",
    "Dubois",
    "Østergård",
    "Łukasiewicz",
    "Ångström",
    "O’Shea",
    "van der Berg",
    "Novák",
    "Popović",
    "Ivanov",
    "Коновалов",
    "Παπαδόπουλος",
    "Yılmaz",
    "Santos",
    "Brown",
    "Williams",
    "Jones",
    "Miller",
    "王",
    "Díaz-Pérez",
];

const GIVEN: [&str; 20] = [
    "J.",
    "M.",
    "A. B.",
    "Wei",
    "Maria",
    "John",
    "Anna",
    "Peter",
    "S. K.",
    "Hiroshi",
    "José",
    "François",
    "Elena",
    "David",
    "L.",
    "R. M.",
    "Xiaoming",
    "Katarzyna",
    "Thomas",
    "E.",
];

const JOURNALS: [&str; 24] = [
    "Nature",
    "Science",
    "Physical Review B",
    "Journal of Biological Chemistry",
    "PLoS ONE",
    "The Lancet",
    "J. Am. Chem. Soc.",
    "Proc. Natl. Acad. Sci. USA",
    "Cell",
    "Tetrahedron Letters",
    "Astrophys. J.",
    "New Eng. J. Med.",
    "Int. J. Heat Mass Transfer",
    "Ecology & Society",
    "Z. Phys. Chem.",
    "Revista Brasileira de Educação",
    "Comput. Methods Appl. Mech. Eng.",
    "Journal of Climate",
    "Soil Biol. Biochem.",
    "NeuroImage",
    "Phys. Lett. B",
    "Water Res.",
    "Вестник РАН",
    "Blood",
];

pub const PUBLISHERS: [(&str, &str); 10] = [
    ("Elsevier BV", "78"),
    ("Springer Science and Business Media LLC", "297"),
    ("Wiley", "311"),
    ("Informa UK Limited", "301"),
    ("Oxford University Press (OUP)", "286"),
    (
        "Institute of Electrical and Electronics Engineers (IEEE)",
        "263",
    ),
    ("American Chemical Society (ACS)", "316"),
    ("SAGE Publications", "179"),
    ("MDPI AG", "1968"),
    ("Public Library of Science (PLoS)", "340"),
];

/// Returns a title, which starts with a capital. `least` is the minimum number of words; it has fewer than twice as many.
pub fn title(random: &mut Random, least: u64) -> String {
    let mut text = String::new();
    for number in 0..least + random.below(least) {
        if number > 0 {
            text.push(' ');
        }
        text.push_str(random.choose(&WORDS));
    }
    if text.is_char_boundary(1) {
        text[..1].make_ascii_uppercase();
    }
    text
}

pub fn family(random: &mut Random) -> &'static str {
    random.choose(&FAMILIES)
}

pub fn given(random: &mut Random) -> &'static str {
    random.choose(&GIVEN)
}

pub fn journal(random: &mut Random) -> &'static str {
    random.choose(&JOURNALS)
}

pub fn year(random: &mut Random) -> u64 {
    2024 - random.small(100)
}

pub fn page(random: &mut Random) -> u64 {
    1 + random.small(9_000)
}

/// Returns a printed reference, up to its name. It ends with a blank.
pub fn citation(random: &mut Random) -> String {
    let mut text = String::new();
    for number in 0..1 + random.below(5) {
        let comma = if number > 0 { ", " } else { "" };
        let _ = write!(text, "{comma}{} {}", family(random), given(random));
    }
    let (year, title, journal) = (year(random), title(random, 6), journal(random));
    let (volume, page) = (1 + random.below(200), page(random));
    let end = page + random.below(30);
    let _ = match random.below(5) {
        0..=1 => write!(text, " ({year}) {title}. {journal} {volume}:{page}–{end}. "),
        2 => write!(text, ", {journal} {volume}, {page}–{end} ({year}). "),
        3 => write!(
            text,
            ". {title}. {journal}. {year}; {volume}({}):{page}-{end}. ",
            1 + random.below(12)
        ),
        _ => write!(
            text,
            ". {year}. {title}. \"{journal}\" {volume} ({}), pp. {page}--{end}. ",
            1 + random.below(12)
        ),
    };
    text
}

/// Texts without names that look like names, and addresses.
const TRAPS: [&str; 8] = [
    "http://citeseerx.example.org/viewdoc/summary?doi=10.1.1.492.3416",
    "https://doi.org/10/gkj5fq",
    "http://www.example.org/2009/05/14/fashion/14SKIN.html?pagewanted=all&_r=0",
    "PMID: 12345678",
    "doi: in press",
    "https://www.example.org/stable/2346101 (accessed 25.10.2015)",
    "Report 25.10.2015/21",
    "arXiv:1512.03385",
];

/// Returns a printed reference without a name.
pub fn nameless(random: &mut Random) -> String {
    let mut text = citation(random);
    if random.chance(0.15) {
        text.push_str(random.choose(&TRAPS));
    } else {
        text.pop();
    }
    text
}

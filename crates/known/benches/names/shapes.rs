//! The shapes of names, with the share of each.

use std::fmt::Write;

use super::mix;

/// The form of the names of some journals.
pub struct Shape {
    /// Share of all names, relative to the sum of all weights.
    pub weight: u64,
    /// Number of names of a journal of usual size.
    pub usual: u64,
    /// Appends the name of a journal's number and a counter.
    pub write: fn(u64, u64, &mut String),
}

const fn shape(weight: u64, usual: u64, write: fn(u64, u64, &mut String)) -> Shape {
    Shape {
        weight,
        usual,
        write,
    }
}

/// Weights follow the sizes of the registrants at Crossref and DataCite.
pub const SHAPES: &[Shape] = &[
    shape(28, 8_000, monthly),
    shape(14, 5_000, item_identifier),
    shape(18, 4_000, springer),
    shape(12, 6_000, springer_long),
    shape(6, 40_000, backfile),
    shape(16, 3_000, chapter),
    shape(12, 4_000, wiley),
    shape(10, 4_000, blackwell),
    shape(8, 3_000, blackwell_old),
    shape(2, 2_000, sici),
    shape(12, 4_000, taylor),
    shape(6, 3_000, sage),
    shape(10, 3_000, conference),
    shape(5, 5_000, pages),
    shape(4, 5_000, letters),
    shape(5, 6_000, chemistry),
    shape(5, 6_000, volumes),
    shape(3, 8_000, frontiers),
    shape(2, 50_000, plos),
    shape(6, 4_000_000, stable),
    shape(10, 9_000_000, zenodo),
    shape(8, 9_000_000, figshare),
    shape(6, 4_000_000, arxiv),
    shape(4, 9_000_000, random_six),
    shape(3, 9_000_000, crystals),
    shape(3, 9_000_000, preprints),
    shape(3, 400_000, tables),
    shape(14, 700, small_journal),
    shape(4, 1_500, small_press),
];

/// Appends formatted text to a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => { let _ = write!($out, $($text)*); };
}

/// Returns a journal's short name: four letters, different for each.
fn code(journal: u64) -> String {
    // The factor has no divisor in common with 26.
    let mut rest = (journal * 100_003 + 54_321) % 26u64.pow(4);
    let letter = |_| {
        let letter = b'a' + (rest % 26) as u8;
        rest /= 26;
        char::from(letter)
    };
    (0..4).map(letter).collect()
}

/// Returns seven digits of a journal's ISSN, and the check digit.
fn issn(journal: u64) -> String {
    let digits = format!("{:07}", (journal * 7_919 + 140_673) % 10_000_000);
    let sum: u32 = digits
        .bytes()
        .zip((2..=8).rev())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    let check = (11 - sum % 11) % 11;
    format!(
        "{digits}{}",
        if check == 10 {
            "x".to_owned()
        } else {
            check.to_string()
        }
    )
}

/// Returns the digit that makes the digits of `text`, counted from the right and times 2, 3, and so on, a multiple of
/// `modulus`.
fn counted_check(text: &str, modulus: u32) -> char {
    let digits = text.bytes().rev().filter(u8::is_ascii_digit);
    let sum: u32 = digits
        .zip(1..)
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    let signs = if modulus == 13 {
        "0123456789xyz"
    } else {
        "0123456789wxyz"
    };
    signs.as_bytes()[((modulus - sum % modulus) % modulus) as usize] as char
}

/// Returns the check digit of a publisher item identifier, of 15 digits.
fn item_check(digits: &str) -> char {
    const WEIGHTS: [u32; 15] = [1, 7, 4, 3, 0, 6, 5, 0, 8, 6, 2, 7, 5, 3, 2];
    let values = digits.bytes().map(|byte| {
        if byte == b'x' {
            10
        } else {
            u32::from(byte - b'0')
        }
    });
    let sum: u32 = values
        .zip(WEIGHTS)
        .map(|(value, weight)| value * weight)
        .sum();
    b"0123456789x"[(sum % 11) as usize] as char
}

fn monthly(journal: u64, counter: u64, out: &mut String) {
    let issue = 15 + mix(journal) % 90;
    let months = counter / issue;
    put!(
        out,
        "10.1016/j.{}.{}.{:02}.{:03}",
        code(journal),
        2002 + months / 12,
        months % 12 + 1,
        counter % issue + 1
    );
}

fn item_identifier(journal: u64, counter: u64, out: &mut String) {
    let volume = 300 + mix(journal) % 500;
    let (year, number) = (
        60 + counter / volume,
        counter % volume + 90_000 * (mix(journal) % 2),
    );
    let issn = issn(journal);
    let check = item_check(&format!("{issn}{:02}{number:05}", year % 100));
    put!(
        out,
        "10.1016/s{}-{}({:02}){number:05}-{check}",
        &issn[..4],
        &issn[4..],
        year % 100
    );
}

fn springer(journal: u64, counter: u64, out: &mut String) {
    let year = 2005 + counter / (100 + mix(journal) % 300);
    let prefix = ["10.1007", "10.1007", "10.1186", "10.1038"][(journal % 4) as usize];
    let text = format!(
        "{:05}-{:03}-{:04}",
        journal % 100_000,
        year % 1000,
        counter % 10_000
    );
    put!(out, "{prefix}/s{text}-{}", counted_check(&text, 13));
}

fn springer_long(journal: u64, counter: u64, out: &mut String) {
    let year = 2019 + counter / (400 + mix(journal) % 3000);
    let prefix = ["10.1007", "10.1038", "10.1186"][(journal % 3) as usize];
    let text = format!(
        "{:05}-{:03}-{:05}",
        journal % 100_000,
        year % 1000,
        counter % 100_000
    );
    put!(out, "{prefix}/s{text}-{}", counted_check(&text, 14));
}

fn backfile(journal: u64, counter: u64, out: &mut String) {
    put!(out, "10.1007/bf{:08}", journal * 220_000 + counter);
}

fn chapter(journal: u64, counter: u64, out: &mut String) {
    let chapters = 8 + mix(journal) % 40;
    let book = journal * 2_000 + counter / chapters;
    let digits = format!("9783{:08}", book * 11 % 99_999_989);
    let sum: u32 = digits
        .bytes()
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    let (check, chapter) = ((10 - sum % 10) % 10, counter % chapters);
    put!(
        out,
        "10.1007/978-3-{}-{}-{check}_{chapter}",
        &digits[4..7],
        &digits[7..]
    );
}

fn wiley(journal: u64, counter: u64, out: &mut String) {
    put!(out, "10.1002/{}.{}", code(journal), 20_000 + counter);
}

fn blackwell(journal: u64, counter: u64, out: &mut String) {
    put!(out, "10.1111/{}.{}", code(journal), 12_000 + counter);
}

fn blackwell_old(journal: u64, counter: u64, out: &mut String) {
    let (issn, year) = (issn(journal), 1990 + counter / (80 + mix(journal) % 200));
    put!(
        out,
        "10.1111/j.{}-{}.{year}.{:05}.x",
        &issn[..4],
        &issn[4..],
        counter
    );
}

fn sici(journal: u64, counter: u64, out: &mut String) {
    let (issn, issue) = (issn(journal), counter / 12);
    let (year, page) = (1996 + issue / 12, counter % 12 * 9 + mix(counter) % 8 + 1);
    let month = issue % 12 + 1;
    put!(
        out,
        "10.1002/(sici){}-{}({year}{month:02}){}:{month}<{page}::aid-{}{counter}>3.0.co;2-{}",
        &issn[..4],
        &issn[4..],
        year - 1960,
        code(journal),
        (b'a' + (mix(counter) % 26) as u8) as char
    );
}

fn taylor(journal: u64, counter: u64, out: &mut String) {
    // One counter for all journals, so the numbers of a journal are far apart.
    let (year, number) = (
        2008 + counter / (60 + mix(journal) % 200),
        300_000 + counter * 37 + mix(counter) % 37,
    );
    put!(out, "10.1080/{}.{year}.{number}", issn(journal));
}

fn sage(journal: u64, counter: u64, out: &mut String) {
    let year = 14 + counter / (60 + mix(journal) % 200);
    put!(
        out,
        "10.1177/{}{year}{:06}",
        issn(journal),
        500_000 + counter * 41 + mix(counter) % 41
    );
}

fn conference(journal: u64, counter: u64, out: &mut String) {
    let papers = 40 + mix(journal) % 120;
    let (year, paper) = (2000 + counter / papers, counter % papers);
    let first = 4_000_000 + mix(journal * 100 + year) % 5_900_000;
    put!(out, "10.1109/{}.{year}.{}", code(journal), first + paper);
}

fn pages(journal: u64, counter: u64, out: &mut String) {
    let (volume, item) = (1 + counter / 120, counter % 120);
    let page = item * 11 + mix(counter ^ journal << 32) % 11 + 1;
    put!(
        out,
        "10.1093/{}/{volume}.{}.{page}",
        code(journal),
        item / 12 + 1
    );
}

fn letters(journal: u64, counter: u64, out: &mut String) {
    let (word, number) = (counter / 150, counter % 150);
    let letter = |place: u64| (b'a' + (word / place % 26) as u8) as char;
    put!(
        out,
        "10.1093/{}/{}{}{}{number:03}",
        code(journal),
        letter(676),
        letter(26),
        letter(1)
    );
}

fn chemistry(journal: u64, counter: u64, out: &mut String) {
    put!(
        out,
        "10.1021/acs.{}.{}c{:05}",
        code(journal),
        counter / 1_500,
        counter % 1_500 * 5 + mix(counter) % 5
    );
}

fn volumes(journal: u64, counter: u64, out: &mut String) {
    let issue = counter / (30 + mix(journal) % 300);
    put!(
        out,
        "10.3390/{}{}{:02}{:04}",
        code(journal),
        issue / 24 + 1,
        issue % 24 + 1,
        counter % 10_000
    );
}

fn frontiers(journal: u64, counter: u64, out: &mut String) {
    let year = 2010 + counter / 1_200;
    put!(
        out,
        "10.3389/f{}.{year}.{:05}",
        code(journal),
        counter % 1_200 * 3 + mix(counter) % 3
    );
}

fn plos(journal: u64, counter: u64, out: &mut String) {
    put!(out, "10.1371/journal.p{}.{counter:07}", code(journal));
}

fn stable(journal: u64, counter: u64, out: &mut String) {
    put!(out, "10.2307/{}", journal * 25_000_000 + 100_000 + counter);
}

fn zenodo(journal: u64, counter: u64, out: &mut String) {
    put!(
        out,
        "10.5281/zenodo.{}",
        journal * 50_000_000 + 10_000 + counter * 3 / 2
    );
}

fn figshare(journal: u64, counter: u64, out: &mut String) {
    let (item, version) = (journal * 50_000_000 + 100_000 + counter / 2, counter % 2);
    put!(out, "10.6084/m9.figshare.{item}");
    if version > 0 {
        put!(out, ".v{version}");
    }
}

fn arxiv(journal: u64, counter: u64, out: &mut String) {
    let month = journal * 2_000 + counter / 18_000;
    put!(
        out,
        "10.48550/arxiv.{:02}{:02}.{:05}",
        7 + month / 12,
        month % 12 + 1,
        counter % 18_000
    );
}

fn random_six(journal: u64, counter: u64, out: &mut String) {
    const NUMBER: u64 = 36u64.pow(6);
    // The factor is odd and not divisible by 3, so every number occurs once.
    let mut rest = (journal * 46_000_000 + counter) * 1_357_913_579 % NUMBER;
    out.push_str("10.15468/dl.");
    for _ in 0..6 {
        out.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize] as char);
        rest /= 36;
    }
}

fn crystals(journal: u64, counter: u64, out: &mut String) {
    let mut place = 32u64.pow(4);
    out.push_str("10.5517/ccdc.csd.cc");
    while place > 0 {
        let digit = (journal * 46_000_000 + 33_000_000 + counter) / place % 32;
        out.push(b"0123456789bcdfghjklmnpqrstvwxyza"[digit as usize] as char);
        place /= 32;
    }
    put!(out, "{}", journal % 10);
}

fn preprints(journal: u64, counter: u64, out: &mut String) {
    put!(
        out,
        "10.21203/rs.3.rs-{}/v{}",
        journal * 50_000_000 + counter / 2,
        counter % 2 + 1
    );
}

fn tables(journal: u64, counter: u64, out: &mut String) {
    put!(
        out,
        "10.17182/hepdata.{}.v1/t{}",
        journal * 100_000 + counter / 24,
        counter % 24 + 1
    );
}

/// Returns a registrant with one journal.
fn registrant(journal: u64) -> u64 {
    10_000 + journal * 7 % 50_000
}

fn small_journal(journal: u64, counter: u64, out: &mut String) {
    let number = counter * 3 + mix(counter ^ journal << 32) % 3;
    put!(
        out,
        "10.{}/{}.v{}i{}.{number}",
        registrant(journal),
        code(journal),
        counter / 40 + 1,
        counter / 10 % 4 + 1
    );
}

fn small_press(journal: u64, counter: u64, out: &mut String) {
    let book = mix(journal) % 90_000 * 10 + counter / 14 * 10;
    put!(
        out,
        "10.{}/9781{:09}-{:03}",
        1_200 + journal % 6_000,
        book * 97 + journal,
        counter % 14 + 1
    );
}

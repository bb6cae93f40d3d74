//! The generated names. Each is a function of seed and number, and no two have the same key.

/// Words in suffixes. None of them looks like the start of another word.
const JOURNALS: [&str; 16] = [
    "cell",
    "physletb",
    "jbiomech",
    "nuclphys",
    "tetlet",
    "ijpara",
    "Icarus",
    "Cortex",
    "ecolmod",
    "JASMS",
    "vaccine",
    "geomorph",
    "talanta",
    "appet",
    "jmaa",
    "NeuroImage",
];

/// Scrambles all bits. It is a bijection, so different numbers give different results.
pub fn mix(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Appends name `number`; with `sici`, one in sixteen is a SICI name.
pub fn write(out: &mut Vec<u8>, seed: u64, number: u64, sici: bool) {
    let bits = mix(number ^ seed.rotate_left(32));
    // Scrambled, so that new names are not in order. They stay distinct, since the multiplier is coprime to 10^10.
    let unique = number.wrapping_mul(7_236_843_821) % 10_000_000_000;
    registrant(out, bits);
    let journal = JOURNALS[(bits >> 16) as usize % JOURNALS.len()];
    match (bits >> 24) % 16 {
        0 if sici => self::sici(out, bits, journal, unique),
        0..=5 => journal_style(out, bits, journal, unique),
        6..=9 => article_style(out, unique),
        10..=11 => underscore_style(out, bits, journal, unique),
        12..=13 => path_style(out, bits, unique),
        _ => letters_style(out, journal, unique),
    }
}

fn registrant(out: &mut Vec<u8>, bits: u64) {
    out.extend_from_slice(b"10.");
    // A few registrants have most of the names. 1093 is left out, because the scanner has a rule for its digit segments.
    match bits % 8 {
        0..=2 => out.extend_from_slice(b"1016"),
        3 => out.extend_from_slice(b"1007"),
        4 => digits(out, 1100 + (bits >> 32) % 8000, 4),
        5 => digits(out, 10_000 + (bits >> 32) % 30_000, 5),
        6 => digits(out, 2100 + (bits >> 32) % 300, 4),
        _ => out.extend_from_slice(b"5555"),
    }
    out.push(b'/');
}

fn journal_style(out: &mut Vec<u8>, bits: u64, journal: &str, unique: u64) {
    out.extend_from_slice(b"j.");
    out.extend_from_slice(journal.as_bytes());
    out.push(b'.');
    digits(out, year(bits), 4);
    out.push(b'.');
    digits(out, unique, 10);
}

fn article_style(out: &mut Vec<u8>, unique: u64) {
    out.push(b's');
    digits(out, unique / 100_000, 5);
    out.extend_from_slice(b"-0");
    digits(out, unique % 100_000, 5);
    out.extend_from_slice(b"-x");
}

fn underscore_style(out: &mut Vec<u8>, bits: u64, journal: &str, unique: u64) {
    out.extend_from_slice(b"978-3-");
    digits(out, unique, 10);
    out.push(b'_');
    out.extend_from_slice(journal.as_bytes());
    digits(out, bits % 40, 2);
}

fn path_style(out: &mut Vec<u8>, bits: u64, unique: u64) {
    digits(out, year(bits), 4);
    out.push(b'/');
    digits(out, unique, 10);
}

fn letters_style(out: &mut Vec<u8>, journal: &str, unique: u64) {
    out.extend_from_slice(journal.as_bytes());
    digits(out, unique, 10);
    out.extend_from_slice(b"(a)b");
}

fn sici(out: &mut Vec<u8>, bits: u64, journal: &str, unique: u64) {
    out.extend_from_slice(b"(SICI)1097-");
    digits(out, unique / 1_000_000, 4);
    out.push(b'(');
    digits(out, year(bits), 4);
    out.extend_from_slice(b"05)49:8<");
    digits(out, unique % 1_000_000, 6);
    out.extend_from_slice(b"::AID-");
    out.extend_from_slice(journal.as_bytes());
    out.extend_from_slice(b"4>3.0.CO;2-O");
}

fn year(bits: u64) -> u64 {
    1990 + (bits >> 40) % 35
}

/// Appends the last `width` digits of `number`.
pub fn digits(out: &mut Vec<u8>, mut number: u64, width: usize) {
    let mut text = [b'0'; 20];
    for digit in text[..width].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&text[..width]);
}

//! Writes small 7z archives.

/// How the members of a folder are packed: identifiers of methods with their properties, in the order of packing.
pub enum Packed<'p> {
    Stored,
    Lzma2,
    /// Bytes that are already packed.
    As(&'p [(&'p [u8], &'p [u8])], Vec<u8>),
}

/// Members that are packed together: names and bytes.
pub struct SevenZipFolder<'p> {
    pub members: Vec<(&'p str, &'p [u8])>,
    pub packed: Packed<'p>,
}

/// Encodes a number in the format's variable length.
fn number(value: u64) -> Vec<u8> {
    let more = (0..8)
        .find(|more| value < 1 << (7 * (more + 1)))
        .unwrap_or(8);
    let high = match more {
        8 => 0xff,
        _ => !(0xff_u8 >> more) | (value >> (8 * more)) as u8,
    };
    [&[high], &value.to_le_bytes()[..more]].concat()
}

fn crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// Packs with LZMA2 and a dictionary of 64 KiB.
fn lzma2(bytes: &[u8]) -> Vec<u8> {
    use liblzma::stream::{Action, Filters, LzmaOptions, Status, Stream};
    let mut options = LzmaOptions::new_preset(1).unwrap();
    options.dict_size(64 << 10);
    let mut filters = Filters::new();
    filters.lzma2(&options);
    let mut stream = Stream::new_raw_encoder(&filters).unwrap();
    let mut out = Vec::with_capacity(2 * bytes.len() + 1000);
    while stream
        .process_vec(
            &bytes[stream.total_in() as usize..],
            &mut out,
            Action::Finish,
        )
        .unwrap()
        != Status::StreamEnd
    {}
    out
}

/// Makes an archive of folders and, after them, empty files.
pub fn seven_zip(folders: &[SevenZipFolder<'_>], empty: &[&str]) -> Vec<u8> {
    let contents = |folder: &SevenZipFolder<'_>| {
        let members = folder.members.iter().map(|(_, bytes)| *bytes);
        members.collect::<Vec<_>>().concat()
    };
    let packed: Vec<Vec<u8>> = folders
        .iter()
        .map(|folder| match &folder.packed {
            Packed::Stored => contents(folder),
            Packed::Lzma2 => lzma2(&contents(folder)),
            Packed::As(_, bytes) => bytes.clone(),
        })
        .collect();
    let mut header = vec![1];
    if !folders.is_empty() {
        header.push(4);
        header.extend([vec![6], number(0), number(packed.len() as u64), vec![9]].concat());
        packed
            .iter()
            .for_each(|packed| header.extend(number(packed.len() as u64)));
        header.push(0);
        header.extend([vec![7, 11], number(folders.len() as u64), vec![0]].concat());
        folders
            .iter()
            .for_each(|folder| header.extend(coders(&folder.packed)));
        header.push(12);
        for folder in folders {
            let size = number(contents(folder).len() as u64);
            let count = match &folder.packed {
                Packed::As(methods, _) => methods.len(),
                _ => 1,
            };
            header.extend(size.repeat(count));
        }
        header.push(0);
        header.extend(parts(folders));
        header.push(0);
    }
    header.extend(names(folders, empty));
    header.push(0);
    let packed = packed.concat();
    let start = [
        (packed.len() as u64).to_le_bytes().to_vec(),
        (header.len() as u64).to_le_bytes().to_vec(),
        crc(&header).to_vec(),
    ]
    .concat();
    [
        b"7z\xbc\xaf\x27\x1c\0\x04",
        &crc(&start)[..],
        &start,
        &packed,
        &header,
    ]
    .concat()
}

/// Returns the coders of a folder. Each reads the output of the next one.
fn coders(packed: &Packed<'_>) -> Vec<u8> {
    let methods: &[(&[u8], &[u8])] = match packed {
        Packed::Stored => &[(&[0], &[])],
        Packed::Lzma2 => &[(&[0x21], &[8])],
        Packed::As(methods, _) => methods,
    };
    let mut out = number(methods.len() as u64);
    for (method, properties) in methods {
        let has_properties = u8::from(!properties.is_empty());
        out.push(method.len() as u8 | has_properties << 5);
        out.extend_from_slice(method);
        if has_properties == 1 {
            out.extend(number(properties.len() as u64));
            out.extend_from_slice(properties);
        }
    }
    for at in 1..methods.len() as u64 {
        out.extend([number(at - 1), number(at)].concat());
    }
    out
}

/// Returns the sizes and checksums of the members.
fn parts(folders: &[SevenZipFolder<'_>]) -> Vec<u8> {
    let mut out = vec![8, 13];
    folders
        .iter()
        .for_each(|folder| out.extend(number(folder.members.len() as u64)));
    out.push(9);
    for folder in folders {
        let but_last = folder.members.iter().rev().skip(1).rev();
        but_last.for_each(|(_, bytes)| out.extend(number(bytes.len() as u64)));
    }
    out.extend([10, 1]);
    let members = folders.iter().flat_map(|folder| &folder.members);
    members.for_each(|(_, bytes)| out.extend(crc(bytes)));
    out.push(0);
    out
}

fn names(folders: &[SevenZipFolder<'_>], empty: &[&str]) -> Vec<u8> {
    let full = folders
        .iter()
        .flat_map(|folder| folder.members.iter().map(|(name, _)| *name));
    let full: Vec<_> = full.collect();
    let all = full.iter().chain(empty);
    let mut names = vec![0];
    for name in all {
        names.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    }
    let count = full.len() + empty.len();
    let mut out = [vec![5], number(count as u64)].concat();
    if !empty.is_empty() {
        let mut bits = vec![0_u8; count.div_ceil(8)];
        (full.len()..count).for_each(|at| bits[at / 8] |= 0x80 >> (at % 8));
        out.extend([vec![14], number(bits.len() as u64), bits].concat());
        let files = vec![0xff; empty.len().div_ceil(8)];
        out.extend([vec![15], number(files.len() as u64), files].concat());
    }
    out.extend([vec![17], number(names.len() as u64), names].concat());
    out.push(0);
    out
}

//! Writes small PDF files as various programs do: pages of lines with links.

use std::io::Write;

/// A page: lines of text from its top, in a column as wide as `width` characters, and the targets of its links.
#[derive(Clone, Default)]
pub struct PdfPage {
    pub lines: Vec<String>,
    pub links: Vec<String>,
}

impl PdfPage {
    pub fn new(lines: &[&str], links: &[&str]) -> PdfPage {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        PdfPage {
            lines: owned(lines),
            links: owned(links),
        }
    }

    /// Returns its content: a line each 12 points, in a font of size 10.
    fn content(&self) -> Vec<u8> {
        let line = |line: &String| format!("({line}) Tj T*\n");
        let lines: String = self.lines.iter().map(line).collect();
        format!("BT /F 10 Tf 12 TL 50 700 Td\n{lines}ET").into_bytes()
    }
}

/// Features of a file that differ between programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PdfStyle {
    /// Whether streams are packed.
    pub packed: bool,
    /// Whether objects except streams are in an object stream, and the table is a stream.
    pub streams: bool,
    /// Whether the file has no table.
    pub broken: bool,
}

/// The objects of a file. The first has the number 1.
#[derive(Default)]
pub struct PdfObjects(Vec<(String, Option<Vec<u8>>)>);

impl PdfObjects {
    /// Adds an object. Returns its number.
    pub fn add(&mut self, object: impl Into<String>) -> usize {
        self.0.push((object.into(), None));
        self.0.len()
    }

    /// Adds a stream. Its dictionary has these entries and the length. Returns its number.
    pub fn add_stream(&mut self, entries: &str, data: Vec<u8>) -> usize {
        self.0.push((entries.into(), Some(data)));
        self.0.len()
    }

    /// Adds a content stream. Returns its number.
    pub fn add_content(&mut self, content: &[u8], packed: bool) -> usize {
        match packed {
            true => self.add_stream("/Filter/FlateDecode", deflated(content)),
            false => self.add_stream("", content.to_vec()),
        }
    }

    /// Adds the catalog and pages with these dictionaries, and writes the file.
    pub fn write(mut self, pages: &[String], info: &str, style: PdfStyle) -> Vec<u8> {
        let first = self.0.len() + 1;
        let tree = first + pages.len();
        for page in pages {
            self.add(format!("<</Type/Page/Parent {tree} 0 R{page}>>"));
        }
        let kids: String = (first..tree).map(|kid| format!("{kid} 0 R ")).collect();
        self.add(format!(
            "<</Type/Pages/Count {}/Kids[{kids}]>>",
            pages.len()
        ));
        let root = self.add(format!("<</Type/Catalog/Pages {tree} 0 R>>"));
        let info = self.add(info);
        let trailer = format!("/Root {root} 0 R/Info {info} 0 R");
        match style.streams {
            true => self.with_streams(&trailer, style),
            false => self.with_table(&trailer, style),
        }
    }

    fn with_table(self, trailer: &str, style: PdfStyle) -> Vec<u8> {
        let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut offsets = Vec::new();
        for (number, (object, data)) in (1..).zip(&self.0) {
            offsets.push(file.len());
            write_object(&mut file, number, object, data.as_deref());
        }
        let start = file.len();
        let size = offsets.len() + 1;
        if !style.broken {
            let _ = write!(file, "xref\n0 {size}\n0000000000 65535 f \n");
            for offset in offsets {
                let _ = writeln!(file, "{offset:010} 00000 n ");
            }
        }
        let _ = write!(
            file,
            "trailer\n<</Size {size}{trailer}>>\nstartxref\n{start}\n%%EOF\n"
        );
        file
    }

    fn with_streams(self, trailer: &str, style: PdfStyle) -> Vec<u8> {
        let mut file = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let (container, table) = (self.0.len() + 1, self.0.len() + 2);
        // The kind of each entry, and its fields.
        let mut entries = vec![(0, 0, 0)];
        let (mut index, mut inner, mut count) = (String::new(), String::new(), 0);
        for (number, (object, data)) in (1..).zip(&self.0) {
            if data.is_some() {
                entries.push((1, file.len(), 0));
                write_object(&mut file, number, object, data.as_deref());
            } else {
                entries.push((2, container, count));
                index += &format!("{number} {} ", inner.len());
                inner += &format!("{object} ");
                count += 1;
            }
        }
        entries.push((1, file.len(), 0));
        let head = format!(
            "/Type/ObjStm/N {count}/First {}/Filter/FlateDecode",
            index.len()
        );
        let packed = deflated((index + &inner).as_bytes());
        write_object(&mut file, container, &head, Some(&packed));
        let start = file.len();
        entries.push((1, start, 0));
        let row = |(kind, a, b): &(u8, usize, usize)| {
            let a = (*a as u32).to_be_bytes();
            [&[*kind], &a[..], &(*b as u16).to_be_bytes()].concat()
        };
        let rows: Vec<u8> = entries.iter().flat_map(row).collect();
        let head = format!(
            "/Type/XRef/W[1 4 2]/Size {}{trailer}/Filter/FlateDecode",
            entries.len()
        );
        if !style.broken {
            write_object(&mut file, table, &head, Some(&deflated(&rows)));
            let _ = write!(file, "startxref\n{start}\n%%EOF\n");
        }
        file
    }
}

fn write_object(file: &mut Vec<u8>, number: usize, object: &str, data: Option<&[u8]>) {
    let _ = match data {
        None => write!(file, "{number} 0 obj\n{object}\nendobj\n"),
        Some(data) => {
            let _ = write!(
                file,
                "{number} 0 obj\n<<{object}/Length {}>>\nstream\n",
                data.len()
            );
            file.extend(data);
            write!(file, "\nendstream\nendobj\n")
        }
    };
}

/// Returns `bytes` as a zlib stream.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let _ = out.write_all(bytes);
    out.finish().unwrap_or_default()
}

/// Makes a file of these pages, with a title.
pub fn pdf(pages: &[PdfPage], style: PdfStyle) -> Vec<u8> {
    let mut objects = PdfObjects::default();
    let font = objects.add("<</Type/Font/Subtype/Type1/BaseFont/Courier>>");
    let mut dictionaries = Vec::new();
    for page in pages {
        let content = objects.add_content(&page.content(), style.packed);
        let link = |uri: &String| format!("<</Type/Annot/Subtype/Link/A<</S/URI/URI({uri})>>>>");
        let links: String = page.links.iter().map(link).collect();
        dictionaries.push(format!(
            "/Resources<</Font<</F {font} 0 R>>>>/Contents {content} 0 R/Annots[{links}]"
        ));
    }
    objects.write(&dictionaries, "<</Title(On 10.5555/title)>>", style)
}

/// Makes a file whose page has this content. Its resources are the font `F`, with the entries `font`, and `resources`.
pub fn pdf_of(mut objects: PdfObjects, content: &[u8], font: &str, resources: &str) -> Vec<u8> {
    let font = objects.add(format!("<</Type/Font{font}>>"));
    let content = objects.add_content(content, true);
    let page = format!("/Resources<</Font<</F {font} 0 R>>{resources}>>/Contents {content} 0 R");
    objects.write(&[page], "<<>>", PdfStyle::default())
}

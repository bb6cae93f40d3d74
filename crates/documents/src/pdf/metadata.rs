//! The metadata of a file (ISO 32000-2, 14.3): its information dictionary and its XMP packet, as text.

use super::encoding::text_string;
use super::file::PdfFile;
use super::object::PdfObject;

/// Returns the entries of the information dictionary, one a line, and the XMP packet. Empty if the file has neither.
pub(super) fn of(file: &PdfFile<'_>) -> String {
    let mut text = String::new();
    let information = file.get(file.trailer(), b"Info");
    for (key, value) in &information.dict().0 {
        let value = file.resolve(value);
        let Some(value) = value.text() else { continue };
        let value = text_string(value).replace(|c: char| c.is_control(), " ");
        text.push_str(&format!("{}: {value}\n\n", String::from_utf8_lossy(key)));
    }
    if let PdfObject::Stream(stream) = file.get(file.catalog().dict(), b"Metadata") {
        let packet = file.decode(&stream);
        file.note(packet.flaw, &stream);
        text.push_str(&text_string(&packet));
    }
    text
}

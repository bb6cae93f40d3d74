// The text of a file.

/** The files that the page reads: larger ones are for the command. */
export const LARGEST = 64 << 20;

/** A file cannot be read; the message says what to do. */
export class Unreadable extends Error {}

const FORMATS: [string, string][] = [
  ["%PDF", "a PDF"],
  ["PK\u0003\u0004", "a zip archive or an office document"],
  ["\u001f\u008b", "packed with gzip"],
  ["\u00d0\u00cf\u0011\u00e0", "an old office document"],
];

/** The text of `file` and the name of its encoding: Unicode by its byte order mark, else UTF-8, else Windows-1252. */
export async function decode(file: File): Promise<{ text: string; encoding: string }> {
  if (file.size > LARGEST) {
    throw new Unreadable(`${file.name} has more than ${LARGEST >> 20} MB, which is much for a page. The command doisift scan reads files of any size.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = encodingOf(file.name, bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function encodingOf(name: string, bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  const format = FORMATS.find(([magic]) => start.startsWith(magic));
  if (format) throw new Unreadable(`${name} is ${format[1]}. This page reads text; the command doisift scan reads that too.`);
  if (start.startsWith("\u00ff\u00fe")) return "utf-16le";
  if (start.startsWith("\u00fe\u00ff")) return "utf-16be";
  if (bytes.subarray(0, 4096).includes(0)) {
    throw new Unreadable(`${name} is not text. Drop a .txt, .bib, .csv or another text file.`);
  }
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

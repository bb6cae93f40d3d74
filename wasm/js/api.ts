/**
 * DOI names in texts: found, cleaned, explained and written in every form.
 *
 * All positions are those of JavaScript strings: they count units of UTF-16, so `text.slice(mention.start, mention.end)` is the name
 * as it was written.
 *
 * @packageDocumentation
 */
import * as native from "./doisift_wasm.js";

/** How a name was written; the innermost of these wins, in this order. `arxiv` only if it is asked for. */
export type Form = "urn" | "info" | "hdl" | "doi" | "url" | "label" | "bare" | "arxiv";

/**
 * What a text is, as far as that bears on where names end: a table by its delimiter (comma, semicolon, tab, pipe), a web page, or
 * printed lines. `unknown` leaves it to the characters around each name.
 */
export type TextKind = "unknown" | "csv" | "ssv" | "tsv" | "psv" | "html" | "printed";

/** Whether a check digit agrees with the other digits of its name. */
export type CheckDigit = "good" | "bad";

/** A name in a text. */
export interface Mention {
  /** The name in lower case (ASCII letters alone): the same for all equivalent names. */
  doi: string;
  /** The name, decoded, its case kept. */
  name: string;
  /** How it was written. */
  form: Form;
  /** Where the name starts in the text. */
  start: number;
  /** Where it ends. */
  end: number;
  /** The name as written, with its escapes: `text.slice(start, end)`. */
  text: string;
  /** Whether its end was a choice that only a registry could confirm. */
  guessed: boolean;
  /** What the check digit in the name says, if it has one whose rule is known. */
  checkDigit: CheckDigit | null;
}

/** How texts are read. */
export interface ExtractOptions {
  /** What the text is. The default is `auto`: its first 16 KiB show it. */
  kind?: TextKind | "auto";
  /** Reads each name that is found as dirty data, as {@link clean} does. The default is not to. */
  clean?: boolean;
  /** Finds identifiers of arXiv too, each a mention of its paper's name. The default is not to. */
  arxiv?: boolean;
}

/** One thing that {@link clean} changed. */
export interface Change {
  /** The id of the rule. */
  rule: string;
  /** What the rule catches. */
  because: string;
  /** What was cut or replaced. */
  text: string;
}

/** What a dirty text was meant to be. */
export interface Cleaned {
  /** The name in lower case. */
  doi: string;
  /** The name, its case kept. */
  name: string;
  /** Whether the text, read as it is, is another name or not a name. */
  changed: boolean;
  /** What was changed, in order. */
  changes: Change[];
  /** What the check digit in the name says, if it has one. */
  checkDigit: CheckDigit | null;
}

/** One step of a decision. */
export interface Step {
  /** What was looked at. */
  topic: "cell" | "prefix" | "form" | "place" | "enclosure" | "reach" | "decoded" | "end" | "cut";
  /** What was found, for people. Long texts are shortened. */
  finding: string;
  /** The id of the rule that decided it, if one did. */
  rule: string | null;
  /** What that rule catches. */
  because: string | null;
}

/** What was decided about one position of a text, and why. */
export interface Explanation {
  /** Where the text holds `10.`, plain or escaped. */
  start: number;
  /** A name is `found`; a candidate is `refused`; or there is `no_name`. */
  verdict: "found" | "refused" | "no_name";
  /** The name that was found. */
  name: string | null;
  /** As {@link Mention.guessed}, if a name was found. */
  guessed: boolean | null;
  /** As {@link Mention.checkDigit}. */
  checkDigit: CheckDigit | null;
  /** Why there is no name, in a word. */
  reason: string | null;
  /** The same in a few words. */
  because: string | null;
  /** How it was decided, in order. */
  steps: Step[];
}

/** What to explain. */
export interface ExplainOptions {
  /** As in {@link ExtractOptions.kind}. */
  kind?: TextKind | "auto";
  /** Explains the position where this mention starts, and no other: quick in a text of any length. */
  at?: number;
}

/** The form in which {@link normalize} writes names. */
export interface NormalizeOptions {
  /** How the text is read: in `any` presentation form (the default), or as the `name` itself, of which nothing is decoded. */
  from?: "any" | "name";
  /** The default is `key`: the name in lower case. `name` keeps its case. */
  to?: "key" | "name" | "doi-uri" | "url" | "urn" | "api";
  /** What is percent-encoded in a URL: what must be (the default), or also what should be. */
  encode?: "mandatory" | "recommended";
}

/** A text is not a DOI name. */
export class DoiError extends Error {
  override readonly name = "DoiError";
  /** Why it is not. */
  readonly reason: string;
  /** Where in the text. */
  readonly offset: number;

  /** @internal */
  constructor(text: string, reason: string, offset: number) {
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    super(`${JSON.stringify(shown)}: ${reason}, at position ${offset}`);
    this.reason = reason;
    this.offset = offset;
  }
}

/** How much of a text is given to the module at once, so that its memory stays small. */
const PIECE = 1 << 20;
/** The kind of a text shows in this much of its start. */
const HEAD = 16 << 10;
/** No name is decided by more than this before it, nor by more than that after its start. */
const BEFORE = 1 << 10;
const AFTER = (64 << 10) + 256;

const KINDS = ["auto", "unknown", "csv", "ssv", "tsv", "psv", "html", "printed"];
const FORMS = ["key", "name", "doi-uri", "url", "urn", "api"];
const ENCODINGS = ["mandatory", "recommended"];

/**
 * The mentions of DOI names in a text, in order. They never overlap.
 *
 * ```js
 * const [first] = extract("Siehe (doi:10.5555/Vögel.2024); mehr folgt.");
 * first.doi;   // "10.5555/vögel.2024"
 * first.start; // 11
 * ```
 *
 * Linear in the length of the text. In a browser, texts of many megabytes are best read in a worker.
 */
export function extract(text: string, options: ExtractOptions = {}): Mention[] {
  checkText(text);
  const extractor = new Extractor(options);
  try {
    const found = extractor.push(text);
    for (const mention of extractor.finish()) found.push(mention);
    return found;
  } finally {
    extractor.free();
  }
}

/**
 * Finds the names in a text that comes in pieces, in bounded memory and with the same answer as {@link extract} gives for the
 * whole.
 *
 * ```js
 * const extractor = new Extractor();
 * for await (const piece of createReadStream("dump.txt", "utf8")) {
 *   for (const mention of extractor.push(piece)) console.log(mention.doi);
 * }
 * for (const mention of extractor.finish()) console.log(mention.doi);
 * ```
 */
export class Extractor {
  #native: native.Extractor | undefined;
  /** The first half of a character, if the last piece ended with it. */
  #half = "";

  constructor({ kind = "auto", clean = false, arxiv = false }: ExtractOptions = {}) {
    this.#native = new native.Extractor(oneOf("kind", kind, KINDS), arxiv, clean);
  }

  /** Takes the next piece, and returns the mentions that can be decided by now. */
  push(piece: string): Mention[] {
    checkText(piece);
    const text = this.#half + piece;
    const end = wholeEnd(text, text.length);
    this.#half = text.slice(end);
    const found: Mention[] = [];
    for (let start = 0; start < end; ) {
      const next = Math.max(wholeEnd(text, Math.min(end, start + PIECE)), start + 1);
      appendRows(found, this.#running().push(bytesOf(text.slice(start, next))));
      start = next;
    }
    return found;
  }

  /** The text ends here: returns the other mentions. The extractor takes no more pieces. */
  finish(): Mention[] {
    if (this.#half) this.#running().push(bytesOf(this.#half));
    const found = appendRows([], this.#running().finish());
    this.free();
    return found;
  }

  /** Gives its memory back before it is finished. To call it again does nothing. */
  free(): void {
    this.#native?.free();
    this.#native = undefined;
  }

  #running(): native.Extractor {
    if (!this.#native) throw new TypeError("the extractor is finished; make a new one for another text");
    return this.#native;
  }
}

/**
 * What {@link extract} decides about each position of a text that may start a name, step by step, and by which rule.
 *
 * ```js
 * const [one] = explain("(see 10.5555/a1). Not 10.0.0.0/8");
 * one.steps.at(-1).rule; // "suffix.round-bracket"
 * ```
 */
export function explain(text: string, { kind = "auto", at }: ExplainOptions = {}): Explanation[] {
  checkText(text);
  oneOf("kind", kind, KINDS);
  const known = kind === "auto" ? textKind(text) : kind;
  if (at === undefined) return JSON.parse(native.explain(text, known, 0, text.length));
  const start = Math.max(0, at - BEFORE);
  const window = text.slice(start, at + AFTER);
  const explained: Explanation[] = JSON.parse(native.explain(window, known, at - start, at - start + 1));
  return explained.map((one) => ({ ...one, start: one.start + start }));
}

/**
 * The DOI name that a text is, in one form. Any presentation form is read, and a URL of any host that holds exactly one name.
 *
 * ```js
 * normalize("https://doi.org/10.1000/ABC%23");  // "10.1000/abc#"
 * normalize("doi:10.1000/ABC", { to: "url" });  // "https://doi.org/10.1000/ABC"
 * ```
 *
 * @throws {DoiError} if the text is not a DOI name.
 */
export function normalize(text: string, { from = "any", to = "key", encode = "mandatory" }: NormalizeOptions = {}): string {
  checkText(text);
  oneOf("from", from, ["any", "name"]);
  return answer(text, native.normalize(text, from === "name", oneOf("to", to, FORMS), oneOf("encode", encode, ENCODINGS)));
}

/**
 * The one name that a dirty text was meant to be: for cells and fields of reference data, where a name is followed by its own URL, a
 * year or a remark, and where its characters were escaped, broken at line ends or typeset. It guesses where only a registry
 * could tell.
 *
 * ```js
 * clean("10.1038/nature07634.pmid:19020500").doi; // "10.1038/nature07634"
 * ```
 *
 * @throws {DoiError} if no name is left.
 */
export function clean(text: string): Cleaned {
  checkText(text);
  return answer(text, native.clean(text));
}

/**
 * Whether the check digit in the name that a text is agrees with its other digits; `null` if the text is not a name, or has no
 * check digit whose rule is known. A quarter of all registered names have one.
 *
 * ```js
 * checkDigit("10.1038/s41586-020-2649-2"); // "good"
 * checkDigit("10.1038/s41586-020-2694-2"); // "bad"
 * ```
 */
export function checkDigit(text: string): CheckDigit | null {
  checkText(text);
  return (native.checkDigit(text) as CheckDigit | undefined) ?? null;
}

/** What kind of text this is, as its first 16 KiB show it: `unknown`, a table, or `html`. */
export function textKind(text: string): TextKind {
  checkText(text);
  return native.textKind(text.slice(0, HEAD), text.length <= HEAD) as TextKind;
}

function answer<T>(text: string, json: string): T {
  const read = JSON.parse(json);
  if (read?.error !== undefined) throw new DoiError(text, read.error, read.offset);
  return read;
}

function checkText(text: unknown): void {
  if (typeof text !== "string") throw new TypeError(`a text is a string, not ${text === null ? "null" : typeof text}`);
}

function oneOf(option: string, value: string, values: readonly string[]): string {
  if (values.includes(value)) return value;
  throw new TypeError(`${option}: ${JSON.stringify(value)} is not one of ${values.join(", ")}`);
}

/** `end`, or before it if it is inside a character of two units. */
function wholeEnd(text: string, end: number): number {
  const isHigh = end > 0 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHigh ? end - 1 : end;
}

const encoder = new TextEncoder();
/** A piece in UTF-8, which has three bytes for a unit at most. Kept, since a new one for each piece would cost more than to fill it. */
let encoded = new Uint8Array(0);

/** A text in UTF-8, until the next call. */
function bytesOf(text: string): Uint8Array {
  if (encoded.length < 3 * text.length) encoded = new Uint8Array(3 * text.length);
  return encoded.subarray(0, encoder.encodeInto(text, encoded).written);
}

/** A mention as the module writes it: what is the same as the text before it is `null`. */
type Row = [start: number, end: number, form: Form, guessed: 0 | 1, digit: CheckDigit | null, doi: string, name: string | null, text: string | null];

function appendRows(all: Mention[], json: string): Mention[] {
  for (const [start, end, form, guessed, checkDigit, doi, other, written] of JSON.parse(json) as Row[]) {
    const name = other ?? doi;
    all.push({ doi, name, form, start, end, text: written ?? name, guessed: guessed === 1, checkDigit });
  }
  return all;
}

// Reads texts beside the page, which stays free to answer. Holds the text of the last run, to explain its names.
import { Extractor, clean, explain, extract, load, normalize, textKind } from "doisift/load";
import type { Mention, TextKind } from "doisift/load";

import { Unreadable, decode } from "./decode.js";
import { Flag, NAME } from "./messages.js";
import type { Found, ListForm, Reply, Request } from "./messages.js";

/** How much is read between two looks at what the page asks. */
const STEP = 1 << 20;
/** Texts that are short enough to say what is not a name in them. */
const SHORT = 20_000;

const scope = self as unknown as { onmessage: unknown; postMessage(reply: Reply, transfer?: Transferable[]): void };

/** The names of a run: their keys, and what is counted of each. */
interface Name {
  number: number;
  mentions: number;
  first: number;
  flags: number;
}

let last = { text: "", kind: "unknown" as TextKind, names: new Map<string, Name>() };
let newest = 0;

scope.onmessage = ({ data }: MessageEvent<Request | ArrayBuffer>) => {
  if (data instanceof ArrayBuffer) {
    load(data);
    // The automata are built when they are first needed: now, while nobody waits.
    extract("doi:10.5555/a");
    scope.postMessage({ is: "ready" });
  } else {
    answer(data).catch((error: unknown) => {
      const isKnown = error instanceof Unreadable;
      scope.postMessage({ is: "failed", run: data.run, reason: isKnown ? error.message : `The text could not be read: ${error}` });
    });
  }
};

async function answer(request: Request): Promise<void> {
  switch (request.ask) {
    case "read":
      newest = request.run;
      return read(request.run, request.text, request.cleans);
    case "open": {
      newest = request.run;
      const { text, encoding } = await decode(request.file);
      return read(request.run, text, request.cleans, { text, encoding });
    }
    case "explain":
      return explained(request.run, request.mention, request.at);
    case "list":
      scope.postMessage({ is: "list", run: request.run, as: request.as, text: list(request.as) });
  }
}

/** Finds the names, unless another text comes meanwhile. */
async function read(run: number, text: string, cleans: boolean, more: { text?: string; encoding?: string } = {}): Promise<void> {
  const started = performance.now();
  const kind = textKind(text);
  const extractor = new Extractor({ kind, clean: cleans });
  const all = new Gathered();
  for (let at = 0; at < text.length; at += STEP) {
    all.add(extractor.push(text.slice(at, at + STEP)));
    if (text.length > STEP) {
      scope.postMessage({ is: "progress", run, part: Math.min(1, at / text.length) });
      await turn();
      if (run !== newest) return extractor.free();
    }
  }
  all.add(extractor.finish());
  last = { text, kind, names: all.names };
  const found = all.found(kind, performance.now() - started, all.names.size || text.length > SHORT ? [] : refused(text, kind));
  scope.postMessage({ is: "found", run, found, ...more }, [found.mentions.buffer, found.flags.buffer, found.counts.buffer]);
}

/** Lets messages that have come be answered. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Mentions and names, as they come. */
class Gathered {
  readonly names = new Map<string, Name>();
  readonly #mentions: number[] = [];
  readonly #flags: number[] = [];

  add(mentions: Mention[]): void {
    for (const mention of mentions) {
      const flags = flagsOf(mention);
      const name = this.#named(mention.doi, flags);
      this.#mentions.push(mention.start, mention.end, name.number);
      this.#flags.push(flags);
    }
  }

  #named(doi: string, flags: number): Name {
    const known = this.names.get(doi);
    if (known) {
      known.mentions += 1;
      // A name is a guess only if every mention of it is.
      if (!(flags & Flag.guessed)) known.flags &= ~Flag.guessed;
      return known;
    }
    const name = { number: this.names.size, mentions: 1, first: this.#flags.length, flags };
    this.names.set(doi, name);
    return name;
  }

  found(kind: string, milliseconds: number, refused: Found["refused"]): Found {
    const counts = new Uint32Array(this.names.size * NAME);
    for (const { number, mentions, first } of this.names.values()) counts.set([mentions, first], number * NAME);
    return {
      mentions: Uint32Array.from(this.#mentions),
      flags: Uint8Array.from(this.#flags),
      names: [...this.names.keys()].join("\n"),
      counts,
      refused,
      kind,
      milliseconds,
    };
  }
}

function flagsOf({ guessed, checkDigit }: Mention): number {
  const digit = checkDigit === null ? 0 : Flag[checkDigit];
  return (guessed ? Flag.guessed : 0) + digit;
}

function refused(text: string, kind: TextKind): Found["refused"] {
  const positions = explain(text, { kind }).filter((one) => one.because !== null);
  return positions.slice(0, 5).map((one) => ({ text: firstWord(text.slice(one.start, one.start + 60)), because: one.because ?? "" }));
}

function firstWord(text: string): string {
  return text.split(/\s/, 1)[0] ?? text;
}

function explained(run: number, mention: number, at: number): void {
  const [explanation = null] = explain(last.text, { kind: last.kind, at });
  const cleaned = explanation?.name ? changesOf(explanation.name) : null;
  scope.postMessage({ is: "explained", run, mention, explanation, cleaned });
}

function changesOf(name: string): { changes: ReturnType<typeof clean>["changes"] } | null {
  try {
    const { changed, changes } = clean(name);
    return changed ? { changes } : null;
  } catch {
    return null;
  }
}

/** The distinct names, a line each. */
function list(form: ListForm): string {
  const lines = form === "csv" ? ["doi,url,mentions,guessed,check_digit"] : [];
  for (const [doi, name] of last.names) {
    if (form === "names") lines.push(doi);
    else if (form === "urls") lines.push(url(doi));
    else lines.push(row(doi, name));
  }
  return lines.map((line) => `${line}\n`).join("");
}

function url(doi: string): string {
  return normalize(doi, { from: "name", to: "url", encode: "recommended" });
}

function row(doi: string, { mentions, flags }: Name): string {
  const digit = flags & Flag.good ? "good" : flags & Flag.bad ? "bad" : "";
  return [doi, url(doi), String(mentions), String((flags & Flag.guessed) > 0), digit].map(cell).join(",");
}

function cell(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

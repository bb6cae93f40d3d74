// What the page and its worker send to each other.
import type { Explanation } from "doisift/load";

/** What the page asks for. */
export type Request =
  | { ask: "read"; run: number; text: string; cleans: boolean }
  | { ask: "open"; run: number; file: File; cleans: boolean }
  | { ask: "explain"; run: number; mention: number; at: number }
  | { ask: "list"; run: number; as: ListForm };

export type ListForm = "names" | "urls" | "csv";

/** What the worker answers. `run` is that of the request. */
export type Reply =
  | { is: "ready" }
  | { is: "progress"; run: number; part: number }
  | { is: "found"; run: number; found: Found; text?: string; encoding?: string }
  | { is: "explained"; run: number; mention: number; explanation: Explanation | null; cleaned: CleanedEnd | null }
  | { is: "list"; run: number; as: ListForm; text: string }
  | { is: "failed"; run: number; reason: string };

/** What the rules for dirty data cut from a name. */
export interface CleanedEnd {
  changes: { rule: string; because: string; text: string }[];
}

/** Names and mentions, in arrays that are handed over and not copied. */
export interface Found {
  /** For each mention: where it starts, where it ends, and the number of its name. */
  mentions: Uint32Array;
  /** For each mention, the sum of its `Flag`s. */
  flags: Uint8Array;
  /** The distinct names, in the order of their first mentions, a line each. */
  names: string;
  /** For each name: how many mentions it has, and the number of the first. */
  counts: Uint32Array;
  /** For a text without names: what looks like one, and why it is not. */
  refused: { text: string; because: string }[];
  kind: string;
  milliseconds: number;
}

/** How many numbers a mention has in `Found.mentions`, and a name in `Found.counts`. */
export const MENTION = 3;
export const NAME = 2;

export const Flag = { guessed: 1, good: 2, bad: 4 } as const;

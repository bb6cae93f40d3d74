// The types say what the package does: `tsc` checks this file, and nothing runs it.
import { DoiError, Extractor, checkDigit, clean, explain, extract, normalize, textKind } from "doisift";
import type { CheckDigit, Cleaned, Explanation, Form, Mention, Step, TextKind } from "doisift";
import { load } from "doisift/load";

const mentions: Mention[] = extract("10.5555/a", { kind: "auto", clean: true, arxiv: false });
const form: Form | undefined = mentions[0]?.form;
const digit: CheckDigit | null = checkDigit("10.5555/a");
const cleaned: Cleaned = clean("10.5555/a");
const steps: Step[] = explain("10.5555/a", { at: 0 }).flatMap((one: Explanation) => one.steps);
const kind: TextKind = textKind("a,b");
const url: string = normalize("10.5555/a", { to: "url", encode: "recommended" });
new Extractor({ kind: "csv" }).push(url).concat(new Extractor().finish());
load(new Uint8Array());
export const reason = (error: unknown): [string, number] | null => (error instanceof DoiError ? [error.reason, error.offset] : null);
export { cleaned, digit, form, kind, steps };

// @ts-expect-error a number is not a text
extract(5);
// @ts-expect-error there is no such form
normalize("10.5555/a", { to: "link" });
// @ts-expect-error there is no such kind
extract("", { kind: "pdf" });
// @ts-expect-error errors are not made by users, so their properties do not change
new DoiError("", "", 0).offset = 1;

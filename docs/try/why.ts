// Says in words why a name starts and ends where it does.
import type { Explanation, Step } from "doisift/load";

import type { CleanedEnd } from "./messages.js";

/** A row of the answer: what it is about, what was found, and the rule that decided. */
interface Reason {
  about: string;
  finding: string;
  rule: string | null;
  because: string | null;
}

const ABOUT: Record<Step["topic"], string> = {
  cell: "Cell of the table",
  prefix: "Prefix",
  form: "Written as",
  place: "Place",
  enclosure: "Enclosed by",
  reach: "Can reach to",
  decoded: "Escapes undone",
  end: "Ends",
  cut: "Cut from its end",
};

/** What is shown without asking for all steps, the end first. */
const FIRST: readonly Step["topic"][] = ["end", "cut", "decoded", "form"];
/** The longest piece of the text that is shown without asking. */
const SHORT = 24;

/** Fills `root` with the explanation of a name, and with what was cleaned away from it. */
export function showWhy(root: HTMLElement, explanation: Explanation, cleaned: CleanedEnd | null): void {
  const steps = explanation.steps.map(reasonOf);
  const first = FIRST.flatMap((topic) => explanation.steps.filter((step) => step.topic === topic).map(reasonOf)).map(shortened);
  const changes = (cleaned?.changes ?? []).map((change) => ({ ...change, about: "Cleaned away", finding: JSON.stringify(change.text) }));
  const all = make("details", {}, make("summary", {}, "All steps"), listOf(steps));
  root.replaceChildren(...notes(explanation), listOf([...changes, ...first]), all);
}

function notes({ guessed, checkDigit }: Explanation): HTMLElement[] {
  const found: HTMLElement[] = [];
  if (checkDigit === "good") found.push(make("p", { className: "note good" }, "Its check digit agrees with its other digits."));
  if (checkDigit === "bad") found.push(make("p", { className: "note bad" }, "Its check digit is wrong: a digit was mistyped, or two changed places."));
  if (guessed) found.push(make("p", { className: "note guessed" }, "Its end is a guess: only a registry could confirm it."));
  return found;
}

function reasonOf({ topic, finding, rule, because }: Step): Reason {
  return { about: ABOUT[topic] ?? topic, finding, rule, because };
}

/** The same with a shorter piece of the text. */
function shortened(reason: Reason): Reason {
  const finding = reason.finding.replace(/"(.*)"…?/s, (quoted, text: string) => (text.length > SHORT ? `"${text.slice(0, SHORT)}…"` : quoted));
  return { ...reason, finding };
}

function listOf(reasons: Reason[]): HTMLElement {
  const list = make("dl", {});
  for (const { about, finding, rule, because } of reasons) {
    const meaning = make("dd", {}, make("span", { className: "finding" }, finding));
    if (because) meaning.append(make("span", { className: "because" }, ...inline(because)));
    if (rule) meaning.append(make("code", { className: "rule" }, rule));
    list.append(make("dt", {}, about), meaning);
  }
  return list;
}

/** Text with code between backquotes, as the rules have it. */
function inline(text: string): (string | HTMLElement)[] {
  const parts = text.charAt(0).toUpperCase() + text.slice(1);
  return `${parts}.`.split("`").map((part, nth) => (nth % 2 ? make("code", {}, part) : part));
}

/** An element with its children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// The text with its names marked. Only the parts near the window are in the page, so a text of any length scrolls at once.
import { Flag, MENTION } from "./messages.js";
import type { Found } from "./messages.js";

/** How many characters a part has, about. */
const PART = 3000;
/** Browsers lay out no more than some 33 million pixels: parts that are not shown share this height. */
const TALLEST = 20_000_000;
/** Pixels of a line, and characters in it, about. */
const LINE = 24;
const WIDE = 60;

interface Part {
  start: number;
  end: number;
  element: HTMLElement;
}

/** Shows a text in `root`, and calls `choose` with the number of a name's mention that is clicked. */
export class TextView {
  #text = "";
  #found: Found | undefined;
  #parts: Part[] = [];
  #chosen = -1;
  #observer: IntersectionObserver;

  constructor(
    private readonly root: HTMLElement,
    choose: (mention: number) => void,
  ) {
    this.#observer = new IntersectionObserver((entries) => this.#turn(entries), { root, rootMargin: "600px 0px" });
    root.addEventListener("click", (event) => {
      const mark = (event.target as HTMLElement).closest("mark");
      if (mark) choose(Number(mark.dataset["mention"]));
    });
  }

  show(text: string, found: Found): void {
    this.#observer.disconnect();
    this.#text = text;
    this.#found = found;
    this.#chosen = -1;
    this.#parts = this.#cut();
    const height = Math.min(...[LINE * Math.ceil(PART / WIDE), TALLEST / Math.max(1, this.#parts.length)]);
    for (const part of this.#parts) part.element.style.minHeight = `${this.#parts.length > 1 ? height : 0}px`;
    this.root.replaceChildren(...this.#parts.map((part) => part.element));
    this.root.scrollTop = 0;
    for (const part of this.#parts) this.#observer.observe(part.element);
    const [first] = this.#parts;
    if (first) this.#fill(first);
  }

  /** Marks a mention as the chosen one, and brings it into view. */
  choose(mention: number): void {
    this.#chosen = mention;
    const start = this.#found?.mentions[mention * MENTION] ?? 0;
    const part = this.#parts.find((one) => start < one.end);
    if (!part) return;
    this.#fill(part);
    for (const mark of this.root.querySelectorAll("mark[aria-current]")) mark.removeAttribute("aria-current");
    const mark = part.element.querySelector(`mark[data-mention="${mention}"]`);
    mark?.setAttribute("aria-current", "true");
    this.#bring(mark ?? part.element);
  }

  /** Scrolls the view alone, not the page around it. */
  #bring(element: Element): void {
    const [inner, outer] = [element.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const isSeen = inner.top >= outer.top && inner.bottom <= outer.bottom;
    if (!isSeen) this.root.scrollTop += inner.top - outer.top - outer.height / 3;
  }

  /** The text in parts: they end with a line where there is one, and never inside a name. */
  #cut(): Part[] {
    const parts: Part[] = [];
    let mention = 0;
    for (let start = 0; start < this.#text.length; ) {
      let end = Math.min(this.#text.length, start + PART);
      const line = this.#text.lastIndexOf("\n", end - 1) + 1;
      if (end < this.#text.length && line > start) end = line;
      while (this.#at(mention, 1) <= end) mention += 1;
      if (this.#at(mention, 0) < end) end = this.#at(mention, 1);
      const element = document.createElement("div");
      element.dataset["part"] = String(parts.length);
      parts.push({ start, end, element });
      start = end;
    }
    return parts;
  }

  /** A number of a mention; beyond the last one, infinity. */
  #at(mention: number, which: 0 | 1): number {
    return this.#found?.mentions[mention * MENTION + which] ?? Infinity;
  }

  #turn(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const part = this.#parts[Number((target as HTMLElement).dataset["part"])];
      if (part?.element !== target) continue;
      if (isIntersecting) this.#fill(part);
      else this.#empty(part);
    }
  }

  #empty({ element }: Part): void {
    if (!element.firstChild) return;
    // Its real height from now on, so that nothing moves when it comes back.
    if (this.#parts.length * element.offsetHeight < TALLEST) element.style.minHeight = `${element.offsetHeight}px`;
    element.replaceChildren();
  }

  #fill({ start, end, element }: Part): void {
    if (element.firstChild) return;
    const pieces: (Node | string)[] = [];
    let at = start;
    for (let mention = this.#firstFrom(start); this.#at(mention, 0) < end; mention += 1) {
      const [from, to] = [this.#at(mention, 0), this.#at(mention, 1)];
      pieces.push(this.#text.slice(at, from), this.#mark(mention, this.#text.slice(from, to)));
      at = to;
    }
    pieces.push(this.#text.slice(at, end));
    element.style.minHeight = "";
    element.append(...pieces);
  }

  #mark(mention: number, text: string): HTMLElement {
    const mark = document.createElement("mark");
    const flags = this.#found?.flags[mention] ?? 0;
    mark.dataset["mention"] = String(mention);
    mark.textContent = text;
    if (flags & Flag.bad) mark.className = "bad";
    else if (flags & Flag.guessed) mark.className = "guessed";
    if (mention === this.#chosen) mark.setAttribute("aria-current", "true");
    return mark;
  }

  /** The number of the first mention that starts at `at` or after it. */
  #firstFrom(at: number): number {
    let [low, high] = [0, (this.#found?.mentions.length ?? 0) / MENTION];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#at(middle, 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

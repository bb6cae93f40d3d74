// The distinct names as a list box. Only the rows in sight are in the page.
import { NAME } from "./messages.js";
import type { Found } from "./messages.js";

/** Pixels of a row, as the style sheet has them. */
const ROW = 36;
/** Rows beyond the window, above and below. */
const SPARE = 8;
/** Browsers lay out no more than some 33 million pixels. */
const TALLEST = 20_000_000;

/** Shows names in `root`, and calls `choose` with the number of the one that is clicked or moved to. */
export class NamesList {
  #names: string[] = [];
  #counts: Uint32Array = new Uint32Array();
  #active = -1;
  /** How many pixels of rows a pixel of the scroll bar is: 1, but for very many rows. */
  #scale = 1;
  readonly #space = document.createElement("div");
  readonly #rows = document.createElement("div");

  constructor(
    private readonly root: HTMLElement,
    private readonly chooseName: (name: number) => void,
  ) {
    for (const box of [this.#space, this.#rows]) box.setAttribute("role", "presentation");
    this.#rows.className = "rows";
    this.#space.append(this.#rows);
    root.append(this.#space);
    root.addEventListener("scroll", () => this.#draw(), { passive: true });
    root.addEventListener("keydown", (event) => this.#press(event));
    root.addEventListener("click", (event) => {
      const row = (event.target as HTMLElement).closest<HTMLElement>("[role=option]");
      if (row) this.#move(Number(row.dataset["name"]));
    });
    new ResizeObserver(() => this.#draw()).observe(root);
  }

  show(found: Found): void {
    this.#names = found.names ? found.names.split("\n") : [];
    this.#counts = found.counts;
    this.#active = -1;
    const height = Math.min(TALLEST, this.#names.length * ROW);
    this.#scale = Math.max(1, (this.#names.length * ROW) / Math.max(1, height));
    this.#space.style.height = `${height}px`;
    this.root.scrollTop = 0;
    this.#draw();
  }

  /** The number of the first mention of a name. */
  firstMention(name: number): number {
    return this.#counts[name * NAME + 1] ?? 0;
  }

  /** Makes a name the active one, without choosing it. */
  activate(name: number): void {
    this.#active = name;
    const top = name * ROW;
    const { clientHeight } = this.root;
    const seen = this.root.scrollTop * this.#scale;
    if (top < seen) this.root.scrollTop = top / this.#scale;
    else if (top + ROW > seen + clientHeight) this.root.scrollTop = (top + ROW - clientHeight) / this.#scale;
    this.#draw();
  }

  #move(name: number): void {
    const last = this.#names.length - 1;
    if (last < 0) return;
    this.activate(Math.max(0, Math.min(last, name)));
    this.chooseName(this.#active);
  }

  #press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.root.clientHeight / ROW) - 1);
    const steps: Record<string, number> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: this.#names.length - 1,
      Enter: this.#active,
      " ": this.#active,
    };
    const next = steps[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#move(next);
  }

  #draw(): void {
    const { scrollTop } = this.root;
    const seen = scrollTop * this.#scale;
    const first = Math.max(0, Math.floor(seen / ROW) - SPARE);
    const count = Math.ceil(this.root.clientHeight / ROW) + 2 * SPARE;
    const last = Math.min(this.#names.length, first + count);
    const rows: HTMLElement[] = [];
    for (let name = first; name < last; name += 1) rows.push(this.#row(name));
    this.#rows.style.transform = `translateY(${scrollTop - seen + first * ROW}px)`;
    this.#rows.replaceChildren(...rows);
    const isShown = this.#active >= first && this.#active < last;
    if (isShown) this.root.setAttribute("aria-activedescendant", `name-${this.#active}`);
    else this.root.removeAttribute("aria-activedescendant");
  }

  #row(name: number): HTMLElement {
    const row = document.createElement("div");
    row.id = `name-${name}`;
    row.dataset["name"] = String(name);
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(name === this.#active));
    row.setAttribute("aria-setsize", String(this.#names.length));
    row.setAttribute("aria-posinset", String(name + 1));
    const text = document.createElement("span");
    text.textContent = this.#names[name] ?? "";
    row.append(text);
    const mentions = this.#counts[name * NAME] ?? 1;
    if (mentions > 1) {
      const badge = document.createElement("small");
      badge.textContent = `×${mentions.toLocaleString("en")}`;
      badge.setAttribute("aria-label", `${mentions} mentions`);
      row.append(badge);
    }
    return row;
  }
}

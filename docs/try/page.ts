// The page: takes a text, asks the worker, and shows what it answers.
import { decode64 } from "./module.js";
import { Flag, MENTION, NAME } from "./messages.js";
import type { Found, ListForm, Reply, Request } from "./messages.js";
import { NamesList } from "./names_list.js";
import { TextView } from "./text_view.js";
import { make, showWhy } from "./why.js";

/** The longest text that the field for typing takes; longer ones are shown as files are. */
const TYPED = 200_000;
/** Milliseconds after a key before the text is read. */
const PAUSE = 60;
/** Milliseconds before progress is shown. */
const PATIENCE = 150;

const EXAMPLE = `Harris, C. R. et al. Array programming with NumPy. Nature 585, 357–362 (2020).
https://doi.org/10.1038/s41586-020-2649-2
Two digits changed places: doi:10.1038/s41586-020-2694-2.

Brackets (see 10.1016/S0140-6736(20)30183-5), SICIs such as
10.1002/(SICI)1097-0258(19980815)17:15/16<1661::AID-SIM968>3.0.CO;2-2, and
https://onlinelibrary.wiley.com/doi/10.1002/asi.24750/full?utm_source=mail
are read to their real ends.

@article{sloth2024,
  title = {Sloths, cited},
  doi   = {10.5555/sloth\\_2024},
}

The network 10.0.0.0/8 is not a name. Does 10.5555/birds/ end with its slash? That is a guess.
`;

const element = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

const input = element<HTMLTextAreaElement>("input");
const cleans = element<HTMLInputElement>("cleans");
const picker = element<HTMLInputElement>("picker");
const main = element("main");
const status = element("status");
const bar = element<HTMLProgressElement>("bar");
const loaded = element("loaded");
const results = element("results");
const nothing = element("nothing");
const why = element("why");

const worker = new Worker(URL.createObjectURL(new Blob([element("worker").textContent ?? ""], { type: "text/javascript" })));
const view = new TextView(element("text"), choose);
const names = new NamesList(element("names"), (name) => choose(names.firstMention(name), true));

/** What is shown: the text, its names, and the mention that is explained. */
const shown = { run: 0, text: "", found: undefined as Found | undefined, mention: -1 };
/** The file that was opened, if the text comes from one. */
let file: File | undefined;
/** A text that is too long for the field. */
let pasted: string | undefined;
let run = 0;
let timer = 0;

worker.onmessage = ({ data }: MessageEvent<Reply>) => {
  if (data.is === "ready" || data.run !== run) return;
  switch (data.is) {
    case "progress":
      bar.value = data.part;
      break;
    case "found":
      show(data.text ?? pasted ?? input.value, data.found, data.encoding);
      break;
    case "explained":
      if (data.mention === shown.mention && data.explanation) {
        showWhy(element("reasons"), data.explanation, cleans.checked ? data.cleaned : null);
      }
      break;
    case "list":
      give(data.as, data.text);
      break;
    case "failed":
      fail(data.reason);
  }
};
worker.onerror = (event) => fail(`This browser cannot run the page: ${event.message}`);
const module = decode64(element("module").textContent ?? "");
worker.postMessage(module, [module]);

function ask(request: Request): void {
  worker.postMessage(request);
}

/** Reads the text of the field, or the file, anew. */
function read(): void {
  run += 1;
  clearTimeout(timer);
  main.setAttribute("aria-busy", "true");
  const started = run;
  setTimeout(() => {
    if (run === started && shown.run !== run) bar.hidden = false;
  }, PATIENCE);
  bar.value = 0;
  if (file) ask({ ask: "open", run, file, cleans: cleans.checked });
  else ask({ ask: "read", run, text: pasted ?? input.value, cleans: cleans.checked });
}

function open(files: FileList | null | undefined): void {
  const [first] = files ?? [];
  if (!first) return;
  [file, pasted] = [first, undefined];
  input.value = "";
  showLoaded(`${first.name}, ${size(first.size)}`);
  read();
}

/** Takes a text: into the field if it is short, else beside it. */
function take(text: string): void {
  file = undefined;
  pasted = text.length > TYPED ? text : undefined;
  input.value = pasted === undefined ? text : "";
  showLoaded(pasted === undefined ? "" : `A pasted text of ${text.length.toLocaleString("en")} characters`);
  read();
}

function showLoaded(what: string): void {
  element("source").hidden = what === "";
  input.classList.toggle("is-aside", what !== "");
  loaded.textContent = what;
}

function show(text: string, found: Found, encoding?: string): void {
  Object.assign(shown, { run, text, found, mention: -1 });
  settle();
  const count = found.flags.length;
  results.hidden = count === 0;
  element("why").hidden = true;
  nothing.replaceChildren(...(count === 0 && text.trim() ? noneOf(found) : []));
  status.textContent = text ? summary(found, encoding) : "";
  if (count === 0) return;
  view.show(text, found);
  names.show(found);
  element("place").textContent = `${count.toLocaleString("en")} marked`;
}

/** Marks that what is shown is of the last text and choices. */
function settle(): void {
  bar.hidden = true;
  main.setAttribute("aria-busy", "false");
}

function summary(found: Found, encoding = "utf-8"): string {
  const [mentions, distinct] = [found.flags.length, found.counts.length / NAME];
  const guessed = found.flags.reduce((sum, flags) => sum + (flags & Flag.guessed ? 1 : 0), 0);
  const bad = found.flags.reduce((sum, flags) => sum + (flags & Flag.bad ? 1 : 0), 0);
  const parts = [distinct === mentions ? number(mentions, "name") : `${number(distinct, "name")} in ${number(mentions, "mention")}`];
  if (guessed) parts.push(number(guessed, "guessed end"));
  if (bad) parts.push(number(bad, "wrong check digit"));
  if (encoding !== "utf-8") parts.push(`read as ${encoding}`);
  return `${parts.join(", ")}. Found in ${duration(found.milliseconds)}.`;
}

function noneOf({ refused }: Found): HTMLElement[] {
  const rows = refused.map(({ text, because }) => make("li", {}, make("code", {}, text), `: ${because}`));
  const head = make("p", {}, "No DOI name is in this text.");
  return rows.length ? [head, make("p", {}, "What looks like one:"), make("ul", {}, ...rows)] : [head];
}

function fail(reason: string): void {
  settle();
  results.hidden = true;
  status.textContent = reason;
}

/** Explains a mention. `fromList` if its name was chosen there, where the list shows it already. */
function choose(mention: number, fromList = false): void {
  const { found } = shown;
  if (!found || mention < 0 || mention >= found.flags.length) return;
  shown.mention = mention;
  const name = found.mentions[mention * MENTION + 2] ?? 0;
  if (!fromList) names.activate(name);
  view.choose(mention);
  element("place").textContent = `${(mention + 1).toLocaleString("en")} of ${found.flags.length.toLocaleString("en")}`;
  why.hidden = false;
  why.scrollIntoView({ block: "nearest" });
  const doi = found.names.split("\n", name + 1)[name] ?? "";
  element("why-name").textContent = doi;
  element<HTMLAnchorElement>("resolve").href = `https://doi.org/${encodeURIComponent(doi).replaceAll("%2F", "/")}`;
  ask({ ask: "explain", run, mention, at: found.mentions[mention * MENTION] ?? 0 });
}

/** Hands out the list that was asked for. */
function give(as: ListForm, text: string): void {
  if (wanted === "copy") {
    void copy(text).then((isDone) => say(isDone ? `Copied ${number(shown.found?.counts.length ? shown.found.counts.length / NAME : 0, "name")}.` : "This browser did not let the page copy; save the list instead."));
    return;
  }
  const type = as === "csv" ? "text/csv" : "text/plain";
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` })), download: `dois.${as === "csv" ? "csv" : "txt"}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say(`Saved as ${link.download}.`);
}

let wanted: "copy" | "save" = "copy";

function askList(action: "copy" | "save", as: ListForm): void {
  wanted = action;
  ask({ ask: "list", run, as });
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make("textarea", { value: text, readOnly: true });
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}

function say(text: string): void {
  element("said").textContent = text;
}

/** How the list writes names. */
function listForm(): ListForm {
  return element<HTMLSelectElement>("form").value as ListForm;
}

function number(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

input.addEventListener("input", () => {
  [file, pasted] = [undefined, undefined];
  showLoaded("");
  clearTimeout(timer);
  main.setAttribute("aria-busy", "true");
  timer = window.setTimeout(read, PAUSE);
});
input.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.length <= TYPED) return;
  event.preventDefault();
  take(text);
});
cleans.addEventListener("change", read);
element("open").addEventListener("click", () => picker.click());
picker.addEventListener("change", () => {
  open(picker.files);
  picker.value = "";
});
element("example").addEventListener("click", () => take(EXAMPLE));
element("clear").addEventListener("click", () => {
  take("");
  input.focus();
});
element("previous").addEventListener("click", () => choose(Math.max(0, shown.mention - 1)));
element("next").addEventListener("click", () => choose(Math.min((shown.found?.flags.length ?? 0) - 1, shown.mention + 1)));
element("copy").addEventListener("click", () => askList("copy", listForm()));
element("save").addEventListener("click", () => askList("save", listForm()));
element("close").addEventListener("click", () => (why.hidden = true));
why.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    why.hidden = true;
    element("names").focus();
  }
});

let depth = 0;
const isOfFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
addEventListener("dragenter", (event) => {
  if (isOfFiles(event)) document.body.classList.toggle("dropping", (depth += 1) > 0);
});
addEventListener("dragleave", (event) => {
  if (isOfFiles(event)) document.body.classList.toggle("dropping", (depth -= 1) > 0);
});
addEventListener("dragover", (event) => {
  if (isOfFiles(event)) event.preventDefault();
});
addEventListener("drop", (event) => {
  if (!isOfFiles(event)) return;
  event.preventDefault();
  depth = 0;
  document.body.classList.remove("dropping");
  open(event.dataTransfer?.files);
});
if (input.value) read();

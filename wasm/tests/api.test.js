// What users of the package see.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { DoiError, Extractor, checkDigit, clean, explain, extract, normalize, textKind } from "doisift";

test("positions count units of UTF-16", () => {
  const text = "😀 é doi:10.5555/Ünïv-é😀. \ud800 (10.5555/b)";
  const found = extract(text);
  assert.deepEqual(found.map((one) => text.slice(one.start, one.end)), ["10.5555/Ünïv-é", "10.5555/b"]);
  assert.deepEqual(found.map((one) => one.text), ["10.5555/Ünïv-é", "10.5555/b"]);
});

test("a mention has the fields of a row", () => {
  const [found] = extract("See https://doi.org/10.1038/S41586-020-2649%2D2.");
  assert.deepEqual(found, {
    doi: "10.1038/s41586-020-2649-2",
    name: "10.1038/S41586-020-2649-2",
    form: "url",
    start: 20,
    end: 47,
    text: "10.1038/S41586-020-2649%2D2",
    guessed: false,
    checkDigit: "good",
  });
});

test("the kind of a text is read from its head, or given", () => {
  const table = "id,doi\n1,10.5555/a;b c\n2,10.5555/c\n";
  assert.equal(textKind(table), "csv");
  assert.equal(extract("see 10.5555/b1,2")[0].name, "10.5555/b1,2");
  assert.equal(extract("see 10.5555/b1,2", { kind: "csv" })[0].name, "10.5555/b1");
});

test("arXiv and dirty names are read if they are asked for", () => {
  const text = "arXiv:2101.00001v2, and 10.5555/a1.pmid:2)";
  assert.equal(extract(text).length, 1);
  const [paper] = extract(text, { arxiv: true });
  assert.deepEqual([paper.doi, paper.form], ["10.48550/arxiv.2101.00001", "arxiv"]);
  const dirty = '{"doi": "10.1016/j.x.2005.12.023.......85,1494(2006)"}';
  assert.equal(extract(dirty, { clean: true })[0].doi, "10.1016/j.x.2005.12.023");
});

test("a text in pieces has the names of the whole", () => {
  const line = "é😀 doi:10.5555/Vögel-😀.1, https://doi.org/10.5555/a%28b%29 and (10.5555/x)\n";
  const text = line.repeat(6000);
  const whole = extract(text);
  for (const size of [7, 4096, 131_071, text.length]) {
    const extractor = new Extractor();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...extractor.push(text.slice(at, at + size)));
    found.push(...extractor.finish());
    assert.deepEqual(found, whole, `pieces of ${size}`);
  }
  assert.equal(whole.length, 3 * 6000);
  assert.ok(whole.every((one) => text.slice(one.start, one.end) === one.text));
});

test("a half of a character at the end of a text is a character", () => {
  const extractor = new Extractor();
  assert.deepEqual(extractor.push("10.5555/a \ud83d"), []);
  assert.equal(extractor.finish()[0].end, 9);
  assert.throws(() => extractor.push("x"), /finished/);
});

test("an explanation names the rules, for one position or for all", () => {
  const text = `${"é ".repeat(5000)}(see 10.5555/a1). Not 10.0.0.0/8`;
  const [found, refused] = explain(text);
  assert.deepEqual([found.verdict, found.name, found.steps.at(-1).rule], ["found", "10.5555/a1", "suffix.round-bracket"]);
  assert.deepEqual([refused.verdict, refused.reason], ["refused", "registrant_code"]);
  assert.equal(text.slice(found.start).startsWith("10.5555/a1"), true);
  assert.deepEqual(explain(text, { at: found.start }), [found]);
  assert.deepEqual(explain(text, { at: 0 }), []);
});

test("a position in a long table is explained as it was scanned", () => {
  const text = `id,doi,title\n${'1,10.5555/a.1,"b, c"\n'.repeat(20_000)}`;
  for (const one of extract(text).filter((_, nth) => nth % 4999 === 0)) {
    const [explained] = explain(text, { at: one.start });
    assert.deepEqual([explained.name, explained.steps[0].topic], [one.name, "cell"]);
  }
});

test("normalize reads every form and writes every form", () => {
  const forms = ["key", "name", "doi-uri", "url", "urn", "api"].map((to) => normalize("https://doi.org/10.1000/A%23", { to }));
  assert.deepEqual(forms, [
    "10.1000/a#",
    "10.1000/A#",
    "doi:10.1000/A%23",
    "https://doi.org/10.1000/A%23",
    "urn:doi:10.1000:A%23",
    "https://doi.org/api/handles/10.1000/A%23",
  ]);
  assert.equal(normalize("https://dl.example.org/doi/10.1145/a1/full"), "10.1145/a1");
  assert.equal(normalize("10.1000/a%20b", { from: "name" }), "10.1000/a%20b");
  assert.equal(normalize("10.1000/a<b>", { to: "url", encode: "recommended" }), "https://doi.org/10.1000/a%3Cb%3E");
});

test("what is not a name says why, and where", () => {
  assert.throws(() => normalize("é none"), (error) => error instanceof DoiError && error.reason.includes("directory indicator"));
  assert.throws(() => normalize("é 10.1000/a b"), DoiError);
  assert.throws(() => clean("10.5555/xxxxx"), { name: "DoiError", reason: "a placeholder, not a name" });
  assert.throws(() => normalize("https://a.example/10.5555/a?doi=10.5555/b"), /more than one DOI name/);
  assert.equal(checkDigit("none"), null);
});

test("mistakes are type errors with the way out", () => {
  assert.throws(() => extract(null), { name: "TypeError", message: "a text is a string, not null" });
  assert.throws(() => normalize("10.5555/a", { to: "link" }), { message: 'to: "link" is not one of key, name, doi-uri, url, urn, api' });
  assert.throws(() => extract("", { kind: "pdf" }), TypeError);
});

test("a cleaned name lists its changes", () => {
  const { name, changed, changes } = clean("10.5555/Ab1 accessed 2012");
  assert.deepEqual([name, changed, changes.map((one) => one.rule)], ["10.5555/Ab1", true, ["suffix.mark"]]);
  assert.equal(clean("https://doi.org/10.5555/a").changed, false);
});

test("a common JS module can require the package", { skip: !process.features.require_module }, () => {
  const { extract } = createRequire(import.meta.url)("doisift");
  assert.equal(extract("10.5555/a").length, 1);
});

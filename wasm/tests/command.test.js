// The names of files are those that the command finds, where DOISIFT_MENTIONS is what it wrote of DOISIFT_FOLDER.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { extract } from "doisift";

const path = process.env.DOISIFT_MENTIONS;

test("the command finds the same", { skip: !path }, () => {
  const rows = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const files = Map.groupBy ? Map.groupBy(rows, (row) => row.source) : grouped(rows);
  assert.ok(files.size > 3);
  for (const [source, wanted] of files) {
    const text = readFileSync(join(dirname(process.env.DOISIFT_FOLDER), source), "utf8");
    const found = extract(text).map((one) => [one.doi, one.form, Buffer.byteLength(text.slice(0, one.start)), one.text, one.guessed, one.checkDigit]);
    const rowsOf = wanted.map((row) => [row.doi, row.form, row.offset, row.text, row.guessed, row.check_digit ?? null]);
    assert.deepEqual(found, rowsOf, source);
  }
});

function grouped(rows) {
  const files = new Map();
  for (const row of rows) files.set(row.source, [...(files.get(row.source) ?? []), row]);
  return files;
}

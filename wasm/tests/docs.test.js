// The JavaScript in the pages that DOISIFT_PAGES names runs. A line `expression; // => value` says what the expression is.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

let count = 0;

for (const page of (process.env.DOISIFT_PAGES ?? "").split(":").filter(Boolean)) {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```js\n(.*?)^```/gms)].map((found) => found[1]);
  test(`${page.split("/").at(-1)} has examples`, () => assert.ok(blocks.length > 0));
  for (const [nth, block] of blocks.entries()) {
    test(`${page.split("/").at(-1)}, example ${nth + 1}`, async () => {
      const checked = block.replace(/^(.+); \/\/ => (.+)$/gm, "assert.deepEqual($1, $2);");
      const path = new URL(`./example-${(count += 1)}.mjs`, import.meta.url);
      writeFileSync(path, `import assert from "node:assert/strict";\n${checked}`);
      await import(path);
    });
  }
}

// Uses the page as people do: in headless Chromium, from its file, without a server.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import axe from "axe-core";
import { chromium } from "playwright-core";

const { DOISIFT_PAGE, DOISIFT_BROWSER, DOISIFT_SCREENSHOTS } = process.env;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const TEXT = "Harris (https://doi.org/10.1038/s41586-020-2649-2), with a slip doi:10.1038/s41586-020-2694-2, twice 10.5555/b%2Fc\n";
const profile = mkdtempSync(join(tmpdir(), "doisift-page-"));
let context;

before(async () => {
  mkdirSync(DOISIFT_SCREENSHOTS, { recursive: true });
  context = await chromium.launchPersistentContext(profile, { executablePath: DOISIFT_BROWSER, args: FLAGS, acceptDownloads: true, viewport: { width: 1280, height: 900 } });
});

after(async () => {
  await context?.close();
  rmSync(profile, { recursive: true, force: true });
});

/** Opens the page, lets `use` have it, and checks that no script failed and nothing was asked of a network. */
async function opened(use, { width = 1280, height = 900, scheme = "light" } = {}) {
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => /^(https?|wss?):/.test(request.url()) && faults.push(request.url()));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await page.goto(pathToFileURL(DOISIFT_PAGE).href);
  await use(page);
  assert.deepEqual(faults, []);
  await page.close();
}

/** Waits for the status of the last text and choices; that of those before may be the same. */
const status = (page, pattern) => page.locator("main[aria-busy=false] #status", { hasText: pattern }).waitFor();
const shoot = (page, name) => page.screenshot({ path: join(DOISIFT_SCREENSHOTS, `${name}.png`) });
const marks = (page) => page.locator("#text mark").allTextContents();
const names = (page) => page.locator("#names [role=option] span").allTextContents();

/** What axe finds wrong: roles, names, contrast. */
async function faultsOf(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 100)} ${node.failureSummary}`));
}

/** Drops a file of this text on the page. */
async function drop(page, name, text, times = 1) {
  const files = await page.evaluateHandle(([name, text, times]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text.repeat(times)], name));
    return transfer;
  }, [name, text, times]);
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", event, { dataTransfer: files });
}

test("a pasted text is marked, and each name says why it ends", () =>
  opened(async (page) => {
    await page.locator("#input").fill(TEXT);
    await page.locator("#input").press("Control+a");
    await page.locator("#input").press("Control+x");
    await page.locator("#input").press("Control+v");
    await status(page, /^3 names, 1 wrong check digit\. Found in /);
    assert.deepEqual(await marks(page), ["10.1038/s41586-020-2649-2", "10.1038/s41586-020-2694-2", "10.5555/b%2Fc"]);
    assert.deepEqual(await names(page), ["10.1038/s41586-020-2649-2", "10.1038/s41586-020-2694-2", "10.5555/b/c"]);
    await page.locator("#text mark").nth(1).click();
    await page.locator("#reasons", { hasText: "check digit is wrong" }).waitFor();
    await page.locator("#text mark").first().click();
    await page.locator("#reasons", { hasText: "ends a name if the name holds no ( for it" }).waitFor();
    assert.equal(await page.locator("#resolve").getAttribute("href"), "https://doi.org/10.1038/s41586-020-2649-2");
    assert.deepEqual(await faultsOf(page), []);
  }));

for (const scheme of ["light", "dark"]) {
  for (const [name, width, height] of [["wide", 1280, 900], ["narrow", 360, 740]]) {
    test(`it is readable: ${scheme}, ${name}`, () =>
      opened(async (page) => {
        await shoot(page, `${scheme}-${name}-empty`);
        await page.getByRole("button", { name: "Try an example" }).click();
        await status(page, /names/);
        await shoot(page, `${scheme}-${name}-found`);
        await page.locator("#names [role=option]").nth(2).click();
        await page.locator("#reasons dl").first().waitFor();
        await shoot(page, `${scheme}-${name}-why`);
        assert.deepEqual(await faultsOf(page), []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      }, { width, height, scheme }));
  }
}

test("20 MB are dropped, read and scrolled", () =>
  opened(async (page) => {
    await page.evaluate(() => {
      window.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.longest = Math.max(window.longest, one.duration)))).observe({ type: "longtask" });
    });
    const line = `${"Some words of a paper, and what it cites. ".repeat(22)}doi:10.5555/big.1; é https://doi.org/10.5555/Big.2.\n`;
    const times = Math.ceil(20e6 / Buffer.byteLength(line));
    const started = performance.now();
    await drop(page, "big.txt", line, times);
    await status(page, /^2 names in .* mentions/);
    console.log(`20 MB: shown after ${Math.round(performance.now() - started)} ms; the page was busy for ${Math.round(await page.evaluate(() => window.longest))} ms at most`);
    assert.equal((await page.locator("#status").textContent()).startsWith(`2 names in ${(2 * times).toLocaleString("en")} mentions`), true);
    assert.ok((await page.locator("#text mark").count()) < 500, "few parts are in the page");
    await page.locator("#text").evaluate((view) => (view.scrollTop = view.scrollHeight));
    await page.locator(`#text mark[data-mention="${2 * times - 1}"]`).waitFor();
    await page.getByRole("button", { name: "Next name" }).click();
    await page.locator("#text mark[aria-current]", { hasText: "10.5555/big.1" }).waitFor();
    await shoot(page, "light-wide-20MB");
  }));

test("a table of many names scrolls by keys", () =>
  opened(async (page) => {
    await drop(page, "names.csv", `id,doi\n${Array.from({ length: 30_000 }, (_, nth) => `${nth},10.5555/name.${nth}`).join("\n")}\n`);
    await status(page, /^30,000 names\./);
    await page.locator("#names").focus();
    await page.keyboard.press("End");
    await page.locator("[role=option][aria-selected=true]", { hasText: "10.5555/name.29999" }).waitFor();
    assert.ok((await page.locator("[role=option]").count()) < 100);
    await page.locator("#reasons", { hasText: "10.5555/name.29999" }).waitFor({ state: "attached" });
  }));

test("it is used by the keyboard alone", () =>
  opened(async (page) => {
    const focused = () => page.evaluate(() => document.activeElement?.id);
    const tab = async (id) => {
      for (let presses = 0; presses < 20 && (await focused()) !== id; presses += 1) await page.keyboard.press("Tab");
      assert.equal(await focused(), id);
    };
    await tab("input");
    await page.keyboard.insertText(TEXT);
    await status(page, /^3 names/);
    await tab("cleans");
    await page.keyboard.press("Space");
    await status(page, /^3 names/);
    await tab("next");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#place").textContent(), "2 of 3");
    await tab("names");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator("#place").textContent(), "3 of 3");
    assert.equal(await page.locator("#names").getAttribute("aria-activedescendant"), "name-2");
    await tab("close");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#why").isHidden(), true);
  }));

test("the list is copied and saved in each form", () =>
  opened(async (page) => {
    await page.locator("#input").fill(TEXT);
    await status(page, /^3 names/);
    const saved = async (form) => {
      await page.locator("#form").selectOption(form);
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save" }).click()]);
      return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
    };
    assert.deepEqual(await saved("names"), ["dois.txt", "10.1038/s41586-020-2649-2\n10.1038/s41586-020-2694-2\n10.5555/b/c\n"]);
    assert.deepEqual((await saved("urls"))[1].split("\n")[2], "https://doi.org/10.5555/b/c");
    assert.deepEqual((await saved("csv"))[1].split("\n").slice(0, 2), [
      "doi,url,mentions,guessed,check_digit",
      "10.1038/s41586-020-2649-2,https://doi.org/10.1038/s41586-020-2649-2,1,false,good",
    ]);
    await page.locator("#form").selectOption("names");
    await page.getByRole("button", { name: "Copy" }).click();
    await page.locator("#said", { hasText: "Copied 3 names." }).waitFor();
    await page.locator("#input").fill("");
    await page.locator("#input").press("Control+v");
    await status(page, /^3 names/);
  }));

test("what is not read or not found says so", () =>
  opened(async (page) => {
    await drop(page, "paper.pdf", "%PDF-1.7 ...");
    await status(page, "paper.pdf is a PDF. This page reads text; the command doisift scan reads that too.");
    await page.locator("#input").fill("The network 10.0.0.0/8 is not one.");
    await page.locator("#nothing", { hasText: "No DOI name is in this text." }).waitFor();
    await page.locator("#nothing li", { hasText: "10.0.0.0/8" }).waitFor();
    await drop(page, "latin.txt", "");
    await page.locator("#input").fill("");
    await page.waitForFunction(() => document.querySelector("main[aria-busy=false] #status")?.textContent === "");
  }));

/** Colours in the dark are checked once for each look. Here is what must not be taken for the same look. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { noLooks, violationsOn } from "./accessibility.ts";
import { closePages, describeInBrowser } from "./chromium.ts";

const pageWith = (style: string, content: string) =>
  `<style>body { color: #000; background: #fff } ${style}</style><main>${content}</main>`;
const choice = (attribute: string) =>
  pageWith(
    "input:checked + span { color: #ccc }",
    `<input type="radio" aria-label="By day" ${attribute}><span>By day</span>`,
  );
const covered = (cover: string, texts = "<p>Open</p>") =>
  pageWith(
    `body, p { margin: 0; line-height: 20px } p { color: #ccc }
     i { position: absolute; top: 0; left: 0; width: 100%; height: 20px; ${cover} }`,
    `<div>${texts}</div><i></i>`,
  );
const cell = (text: string) => pageWith("td { color: #ccc }", `<table><tr><td>${text}</td></tr></table>`);
const label = (attribute: string) =>
  pageWith("label { color: #ccc }", `<label for="name">Name</label><input id="name" ${attribute}>`);

describeInBrowser("the colours of elements that look like others that were checked", (launch) => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launch();
    page = await browser.newPage();
  });
  afterAll(() => closePages(browser));

  /** What is found on the last of the pages, after the others. */
  async function foundOn(...pages: readonly string[]): Promise<string[]> {
    const known = noLooks();
    let found: string[] = [];
    for (const content of pages) {
      await page.setContent(content);
      found = await violationsOn(page, { rules: ["color-contrast"], known });
    }
    return found;
  }

  it.each([
    ["a cell that was empty", cell(""), cell("Paid")],
    ["a choice that was not made", choice(""), choice("checked")],
    ["a text that was covered", covered(""), covered("display: none")],
    ["a label of a field that was disabled", label("disabled"), label("")],
  ])("are checked in %s", async (_, before, after) => {
    expect(await foundOn(before)).toEqual([]);
    expect(await foundOn(before, after)).toHaveLength(1);
  });

  it("are checked if the first of them cannot be judged", async () => {
    expect(await foundOn(covered("", "<p>Open</p><p>Paid</p>"))).toHaveLength(1);
  });

  it("are checked once", async () => {
    expect(await foundOn(cell("Paid"))).toHaveLength(1);
    expect(await foundOn(cell("Paid"), cell("Sent"))).toEqual([]);
  });
});

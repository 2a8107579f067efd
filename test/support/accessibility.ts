/** Checks of accessibility with axe. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Half as long as the one that the builder takes, which each page loads anew. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A script that does nothing, for a page that has axe. To load it again takes as long as a check. */
const nothing = "void 0";

/** Looks of elements: their attributes that styles use, with those of what they are in. */
type Looks = Set<number>;

/**
 * Marks the parts of the page in which all elements look like others that were checked. A check takes time for each element, and the same
 * code made the rows of a table, and the parts that all pages and dialogs have.
 * @param known gets the looks of this page
 * @returns whether all do
 */
async function markKnown(page: Page, known: Looks, only = "body"): Promise<boolean> {
  const { isKnown, added } = await page.evaluate<{ isKnown: boolean; added: number[] }>(`(() => {
    const known = new Set(${JSON.stringify([...known])});
    const added = [];
    const isStyled = ({ name }) => /^(?:class|style|role|type|disabled|href|aria-(?:current|invalid|disabled|selected)|data-.*)$/.test(name);
    const hash = (start, text) => [...text].reduce((sum, sign) => (Math.imul(sum, 31) + sign.codePointAt(0)) | 0, start);
    const mark = (element, around) => {
      element.removeAttribute("data-known");
      if (!element.checkVisibility()) return true;
      const styles = [...element.attributes].filter(isStyled).map(({ name, value }) => name + (name === "href" ? "" : value));
      const isEven = element.matches("tr:nth-child(even)");
      const look = hash(around, [element.localName, isEven, ...styles].join(" "));
      let isKnown = known.has(look);
      if (!isKnown) added.push(look);
      known.add(look);
      const marked = [...element.children].filter((child) => mark(child, look) || (isKnown = false));
      if (!isKnown) for (const child of marked) child.setAttribute("data-known", "");
      return isKnown;
    };
    const isKnown = mark(document.querySelector(${JSON.stringify(only)}), 0);
    return { isKnown, added };
  })()`);
  for (const look of added) known.add(look);
  return isKnown;
}

interface Part {
  /** Names of rules; by default all. */
  readonly rules?: readonly string[] | undefined;
  /** A selector of what is checked; by default the page. */
  readonly only?: string;
  /** A selector of what was checked on another page. */
  readonly except?: string | undefined;
  /** Elements with these looks were checked on other pages. It gets those of this page. */
  readonly known?: Looks | undefined;
}

/** The dialog alone. The page behind it is checked by itself (test/console/pages.test.ts). */
export const openDialog: Part = { only: "[role=dialog]" };

/** @returns what violates the rules, with the elements */
export async function violationsOn(page: Page, { rules, only, except, known }: Part = {}): Promise<string[]> {
  const hasAxe = await page.evaluate("'axe' in window");
  // In this mode, axe checks no frames of other origins, which our pages may not have, and needs no other page for its results.
  const check = new AxeBuilder({ page, axeSource: hasAxe ? nothing : axe }).setLegacyMode();
  if (only !== undefined) check.include(only);
  if (except !== undefined) check.exclude(except);
  if (known !== undefined) {
    if (await markKnown(page, known, only)) return [];
    check.exclude("[data-known]");
  }
  const { violations } = await check
    .options({
      resultTypes: ["violations"],
      ...(rules !== undefined && { runOnly: { type: "rule", values: [...rules] } }),
    })
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

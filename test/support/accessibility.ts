/** Checks of accessibility with axe. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Half as long as the one that the builder takes, which each page loads anew. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A script that does nothing, for a page that has axe. To load it again takes as long as a check. */
const nothing = "void 0";

/** What decides the contrast of an element with its text, and of what it is in, as a number. */
interface Looks {
  /** Those that axe has judged. */
  readonly judged: Set<number>;
  /** Those that axe could not judge everywhere, for example because something was over one of them. */
  readonly unclear: Set<number>;
}

/** What a test knows before its first page. */
export const noLooks = (): Looks => ({ judged: new Set(), unclear: new Set() });

/**
 * Marks the parts of the page in which all elements look like others that were checked. A check takes time for each element, and the same
 * code made the rows of a table, and the parts that all pages and dialogs have. The colours are those that the browser has computed, so
 * every state that changes them counts. Axe judges no element that has no text, and none that is disabled.
 * @returns the looks that axe has to judge
 */
async function markKnown(page: Page, { judged, unclear }: Looks, only = "body"): Promise<number[]> {
  return page.evaluate<number[]>(`(() => {
    const known = new Set(${JSON.stringify([...judged])});
    const unclear = new Set(${JSON.stringify([...unclear])});
    const lookOf = (window.lookOf = new Map());
    const isStyled = ({ name }) => /^(?:class|style|role|type|href|aria-(?:current|invalid|disabled|selected)|data-.*)$/.test(name);
    const computed = ["color", "backgroundColor", "backgroundImage", "opacity", "visibility", "textShadow", "fontSize", "fontWeight"];
    const hasText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== "";
    const hash = (start, text) => [...text].reduce((sum, sign) => (Math.imul(sum, 31) + sign.codePointAt(0)) | 0, start);
    const mark = (element, around) => {
      element.removeAttribute("data-known");
      if (!element.checkVisibility()) return true;
      const attributes = [...element.attributes].filter(isStyled).map(({ name, value }) => name + (name === "href" ? "" : value));
      const style = getComputedStyle(element);
      const states = [[...element.childNodes].some(hasText), element.matches(":disabled"), element.control?.disabled];
      const look = hash(around, [element.localName, ...states, ...computed.map((name) => style[name]), ...attributes].join(" "));
      let isKnown = known.has(look);
      if (!isKnown) lookOf.set(element, look);
      if (!unclear.has(look)) known.add(look);
      const marked = [...element.children].filter((child) => mark(child, look) || (isKnown = false));
      if (!isKnown) for (const child of marked) child.setAttribute("data-known", "");
      return isKnown;
    };
    mark(document.querySelector(${JSON.stringify(only)}), 0);
    return [...new Set(lookOf.values())];
  })()`);
}

/** The looks of the elements that the selectors find. */
const looksOf = (page: Page, selectors: readonly string[]) =>
  page.evaluate<number[]>(
    `${JSON.stringify(selectors)}.map((selector) => window.lookOf.get(document.querySelector(selector)))`,
  );

interface Part {
  /** Names of rules; by default all. */
  readonly rules?: readonly string[] | undefined;
  /** A selector of what is checked; by default the page. */
  readonly only?: string;
  /** A selector of what was checked on another page. */
  readonly except?: string | undefined;
  /** What was judged on other pages, for the rules of contrast. It gets the looks of this page. */
  readonly known?: Looks | undefined;
}

/** The dialog alone. The page behind it is checked by itself (test/console/pages.test.ts). */
export const openDialog: Part = { only: "[role=dialog]" };

/** @returns what violates the rules, with the elements */
export async function violationsOn(page: Page, part: Part = {}): Promise<string[]> {
  const { rules, only, except, known } = part;
  const hasAxe = await page.evaluate("'axe' in window");
  // In this mode, axe checks no frames of other origins, which our pages may not have, and needs no other page for its results.
  const check = new AxeBuilder({ page, axeSource: hasAxe ? nothing : axe }).setLegacyMode();
  if (only !== undefined) check.include(only);
  if (except !== undefined) check.exclude(except);
  const looks = known === undefined ? [] : await markKnown(page, known, only);
  if (known !== undefined) {
    if (looks.length === 0) return [];
    check.exclude("[data-known]");
  }
  const { violations, incomplete } = await check
    .options({
      resultTypes: known === undefined ? ["violations"] : ["violations", "incomplete"],
      ...(rules !== undefined && { runOnly: { type: "rule", values: [...rules] } }),
    })
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  if (known === undefined) return found;
  const unjudged = incomplete.flatMap(({ nodes }) => nodes.map(({ target }) => target.join(" ")));
  const unclear = (await looksOf(page, unjudged)).filter((look) => looks.includes(look));
  const isNew = unclear.some((look) => !known.unclear.has(look));
  for (const look of unclear) known.unclear.add(look);
  for (const look of looks) if (!known.unclear.has(look)) known.judged.add(look);
  // Others that look like these were left out.
  return isNew ? [...found, ...(await violationsOn(page, part))] : found;
}

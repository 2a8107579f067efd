/** Checks of accessibility with axe. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** A script that does nothing, for a page that has axe. To load it again takes as long as a check. */
const nothing = "void 0";

interface Part {
  /** Names of rules; by default all. */
  readonly rules?: readonly string[] | undefined;
  /** A selector of what is checked; by default the page. */
  readonly only?: string;
  /** A selector of what was checked on another page. */
  readonly except?: string | undefined;
}

/** The dialog alone. The page behind it is checked by itself (test/console/pages.test.ts). */
export const openDialog: Part = { only: "[role=dialog]" };

/** @returns what violates the rules, with the elements */
export async function violationsOn(page: Page, { rules, only, except }: Part = {}): Promise<string[]> {
  const hasAxe = await page.evaluate("'axe' in window");
  // In this mode, axe checks no frames of other origins, which our pages may not have, and needs no other page for its results.
  const check = new AxeBuilder(hasAxe ? { page, axeSource: nothing } : { page }).setLegacyMode();
  if (only !== undefined) check.include(only);
  if (except !== undefined) check.exclude(except);
  const { violations } = await check
    .options({
      resultTypes: ["violations"],
      ...(rules !== undefined && { runOnly: { type: "rule", values: [...rules] } }),
    })
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

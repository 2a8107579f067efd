/** Tests of pages in a browser. */
import type { Browser } from "playwright-core";
import { describe, it } from "vitest";
import { executablePath, launchBrowser } from "./browser.ts";

/**
 * Declares tests that need a browser. Without one, they are skipped with a message. All files of a process share the browser, so they
 * close their pages with `closePages`.
 */
export function describeInBrowser(about: string, tests: (launch: () => Promise<Browser>) => void): void {
  if (executablePath !== undefined) describe(about, () => tests(sharedBrowser));
  else
    describe.skip(`${about}: no Chromium at CHROMIUM_PATH or in /usr/bin`, () => {
      it("is looked at", () => {});
    });
}

let browser: Promise<Browser> | undefined;

/** The end of the process ends it. */
async function sharedBrowser(): Promise<Browser> {
  if (!(await browser)?.isConnected()) browser = launchBrowser();
  return browser as Promise<Browser>;
}

/** Closes all pages, so that their service can end. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}

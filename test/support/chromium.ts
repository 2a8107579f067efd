/** A browser for tests of pages. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { describe, it } from "vitest";

/** Debian's Chromium without windows comes first: each page of the other takes two or three times as much processor time. */
export const executablePath = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
].find((path) => path !== undefined && existsSync(path));

const quiet = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update"],
];

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
  if (!(await browser)?.isConnected())
    browser = chromium.launch({ executablePath: executablePath as string, args: quiet, timeout: 0 });
  return browser as Promise<Browser>;
}

/** Closes all pages, so that their service can end. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}

/** The browser of tests of pages, and of the benchmark of the console. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

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

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath as string, args: quiet, timeout: 0 });

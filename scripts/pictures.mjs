#!/usr/bin/env node
/** Takes a picture of each page of the console that its menu has, and of one member. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const help = `Usage: npm run pictures -- LINK DIRECTORY [NAME ...]

Takes a picture of each page of the console. LINK is the link for the first sign-in, which npm start prints. It sets a password
that nobody knows, so use a service for trials. DIRECTORY gets the pictures. With names, such as today or member, only these pages are
taken. Chromium is at CHROMIUM_PATH or /usr/bin/chromium.
`;

/**
 * @param {import("playwright-core").Browser} browser
 * @param {string} link of an invitation
 * @param {string} directory
 * @param {string[]} wanted names of pages; without one, all
 * @returns {Promise<string[]>} the names of the pictures
 */
async function takePictures(browser, link, directory, wanted) {
  mkdirSync(directory, { recursive: true });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator("input[type=password]").fill(crypto.randomUUID());
  await page.locator("button[type=submit]").click();
  const menu = page.locator("nav a[href]");
  await menu.first().waitFor();
  const addresses = await menu.evaluateAll((links) =>
    links.map((one) => /** @type {HTMLAnchorElement} */ (one).href),
  );
  const nameOf = (/** @type {string} */ address) => address.split("/").at(-1) ?? "";
  const known = [...addresses.map(nameOf), "member"];
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no page ${unknown.join(", ")}. The pages are: ${known.join(", ")}`);
  const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.includes(name);
  /** @type {string[]} */
  const names = [];
  const take = async (/** @type {string} */ name) => {
    await page.locator("h1").waitFor();
    await page.waitForLoadState("networkidle");
    writeFileSync(join(directory, `${name}.png`), await page.screenshot({ animations: "disabled" }));
    names.push(name);
  };
  for (const address of addresses.filter((one) => isWanted(nameOf(one)))) {
    await page.goto(address);
    await take(nameOf(address));
  }
  if (isWanted("member")) {
    await page.goto(`${addresses.find((address) => address.endsWith("/members")) ?? link}?search=Priya`);
    await page.locator("tbody a").first().click();
    await page.getByRole("tablist").waitFor();
    await take("member");
  }
  await context.close();
  return names;
}

const [link, directory, ...wanted] = process.argv.slice(2);
if (link === undefined || directory === undefined) {
  process.stderr.write(help);
  process.exitCode = 2;
} else {
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
  const args = ["--headless", "--no-sandbox", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const names = await takePictures(browser, link, resolve(directory), wanted);
    process.stdout.write(`${names.length} pictures: ${names.join(", ")}\n`);
  } finally {
    await browser.close();
  }
}

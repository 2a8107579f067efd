/** Every page of the console and every dialog, in a browser: it fits, it can be used by everybody, and it keeps to its policy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page, Request } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { texts } from "../../packages/console/src/texts/en/texts.ts";
import { consoleDeclarations } from "../../tools/console/declarations.ts";
import { noLooks, openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { type OpenPage, useConsole } from "../support/console.ts";
import { type ConsoleRecords, makeConsoleRecords } from "../support/console-records.ts";

const source = readFileSync(join(import.meta.dirname, "../../packages/console/src/pages.tsx"), "utf8");
const [ofBusiness = "", ofService = ""] = source.split("export const servicePages");
/** The addresses that a part of the list of pages declares. */
const declaredIn = (text: string) => [
  ...[...text.matchAll(/ (?:page|recordPage)\("([^"]+)"/g)].map(([, path = ""]) => path),
  ...[...text.matchAll(/listPages\(("[^)]+)\)/g)].flatMap(([, names = ""]) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => `/${name}`),
  ),
];

/** The addresses of all pages below the business, with a parameter for the number of a record. */
const declared = [...declaredIn(ofBusiness), ...declaredIn(ofService).map((path) => `/..${path}`)];
const tabs = ["vouchers", "stamps", "cards", "sales", "timeline", "profile"];
/** Pages of a business that has nothing yet. */
const empty = [
  "today",
  "reports",
  "rules",
  "programs",
  "promotions",
  "stamp-cards",
  "occasions",
  "locations",
];
/** What pages show besides: other parts, what filters find, and other states. */
const others = [
  ...tabs.map((tab) => `/members/:contact_id?show=${tab}`),
  "/members?search=no-such-member",
  "/members?birthday_month=4&least_sales=10",
  "/members?has_email=true",
  "/reports?from=2020-01-01&by=month",
  "/members/:inactive",
  "/members/:contact_id?show=timeline&event_types=wallet_topup",
  "/integrations/:stopped",
  "/nothing",
  ...[...empty, "segments", "bulk-grants", "cards", "setup"].map((page) => `/../:new/${page}`),
  "/../:sandbox/sandbox",
  "/../99/today",
];
const pages = [...declared, ...others];
/** Only a sandbox has the page of one. */
const leadsNowhere = new Set(["/nothing", "/../99/today", "/sandbox"]);

const phone = { width: 360, height: 800 };
/** The last one of each is checked. The others have its elements, in the same colours, so it is only looked at whether all fits. */
const looks = [
  { scheme: "light", widths: [320, 480, 768, 820, 1024, 1180, 1920, 2560, 1280] },
  { scheme: "dark", widths: [phone.width] },
] as const;
/** Pages whose elements differ on a phone. On the others, only the colours in the dark are checked there. */
const narrow = new Set([
  ...["/members", "/members/:contact_id", "/today", "/reports", "/sales/:sale_id", "/rules", "/cards"],
  ...["/webhooks/:endpoint_id", "/imports/:import_id", "/../:new/today"],
]);
/** The colours in the dark, of elements with new looks. */
const coloursInDark = { rules: ["color-contrast"], known: noLooks() };
/** The elements of a dialog are the same in both, and only the colours differ. */
const dialogSchemes = ["light", "dark"] as const;

/** Writes without a form: the page runs them at a click, or has an own part for them, or only programs use them. */
const withoutForm = new Set([
  ...["/op/imports/upload", "/op/imports/members", "/op/imports/sales", "/op/imports/vouchers"],
]);

describeInBrowser("the pages of the console", (launch) => {
  const world = useConsole(launch);
  let records: ConsoleRecords;
  const addressOf = (path: string) =>
    world.at(
      path.replace(/:(\w+)/, (_, name) => String(records[name] ?? expect.fail(`no record for ${path}`))),
    );
  // One tab for all pages: opening one takes longer than a page.
  let tab: OpenPage;
  beforeAll(async () => {
    records = await makeConsoleRecords(world);
    tab = await world.open(world.at(""));
    tab.page.on("request", (request) => requests.add(request));
    tab.page.on("requestfinished", (request) => requests.delete(request));
    tab.page.on("requestfailed", (request) => requests.delete(request));
  });

  const requests = new Set<Request>();
  /** Waits until nothing is being loaded. Playwright would wait half a second longer. */
  async function loaded(page: Page): Promise<void> {
    await page.waitForTimeout(50);
    const pending = page.locator("[role=status] .mantine-Skeleton-root, [aria-busy=true]");
    await expect.poll(async () => requests.size + (await pending.count())).toBe(0);
  }

  /**
   * Goes to a page as its links do, because loading the program and axe anew takes longer than a page. It goes by an address that leads
   * nowhere, so that no part of the page before is left. What other pages have loaded is there, so each page is loaded alone, too (below).
   */
  async function follow(page: Page, address: string): Promise<void> {
    const nowhere = page.getByRole("heading", { name: texts.missing.title });
    // Where it was for the page before, it would be over something by chance.
    await page.mouse.move(0, 0);
    await page.evaluate(`history.pushState(null, "", ${JSON.stringify(world.at("/nowhere"))})`);
    await nowhere.waitFor();
    await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
    await nowhere.waitFor({ state: "detached" });
  }

  /** The page, if it is wider than the window, and the tables and dialogs that scroll in their places. */
  const tooWide = (page: Page) =>
    page.evaluate(`[document.documentElement, ...document.querySelectorAll(".records, [role=dialog]")]
      .filter((one) => one.checkVisibility())
      .filter((one) => one.scrollWidth > (one === document.documentElement ? innerWidth : one.clientWidth))
      .map(({ localName, className, scrollWidth }) => [localName, className, scrollWidth].join(" "))`);

  /** Gives the window each of the widths. The menu moves out of a narrow page. */
  async function fits(page: Page, widths: readonly number[]): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ ...phone, width });
      // The policy of the page lets no test evaluate a text in it again and again.
      await expect.poll(() => tooWide(page), { message: `${width}` }).toEqual([]);
    }
  }

  it("are all in this list", () => {
    const ofMenu = Object.keys(texts.menu.pages).filter(
      (name) => !declared.some((path) => path.endsWith(`/${name}`)),
    );
    expect(ofMenu).toEqual([]);
  });

  it.each(pages)("%s fits every screen, and axe finds nothing in it and in its dialogs", async (path) => {
    const { page, faults } = tab;
    if (leadsNowhere.has(path)) await page.goto(addressOf(path));
    else await follow(page, addressOf(path));
    await page.locator("h1").waitFor();
    await loaded(page);
    const found: string[] = [];
    for (const { scheme, widths } of looks) {
      await page.emulateMedia({ colorScheme: scheme });
      await fits(page, widths);
      // All pages have the same menu, but another page is the current one.
      const except = path === pages[0] ? undefined : "nav a:not([aria-current])";
      const part = scheme === "light" || narrow.has(path) ? {} : coloursInDark;
      const violations = await violationsOn(page, { except, ...part });
      found.push(...violations.map((violation) => `${scheme}: ${violation}`));
    }
    // What has space in a dialog of a phone has space in others.
    expect([...found, ...(await violationsInDialogs(page, path))]).toEqual([]);
    expect(faults.splice(0)).toEqual([]);
  });

  // The pages above have the code and the data that the pages before them loaded. A link from outside and a reload find neither.
  const entered = [...declared.filter((path) => !leadsNowhere.has(path)), "/../:sandbox/sandbox"];
  it.each(entered)("%s opens by its address", async (path) => {
    const { page, faults } = tab;
    await page.goto(addressOf(path), { waitUntil: "commit" });
    const heading = page.locator("h1");
    await heading.waitFor();
    await loaded(page);
    expect(await heading.innerText()).not.toBe(texts.missing.title);
    expect(faults.splice(0)).toEqual([]);
  });

  /** The forms that were opened, by the summaries of their operations. */
  const opened = new Set<string>();
  /** What dialogs have, so that each is checked once. */
  const seen = new Set<string>();

  /** Checks the dialog that is open, in each of the choices above its fields. @returns what violates the rules */
  async function violationsInDialog(page: Page): Promise<string[]> {
    const found: string[] = [];
    const dialog = page.getByRole("dialog");
    await dialog.locator("button").first().waitFor();
    await loaded(page);
    const choices = dialog.locator("[role=radiogroup]:not(form *) label");
    for (let at = 0; at < Math.max(1, await choices.count()); at++) {
      if (at > 0) await choices.nth(at).click();
      const forms = dialog.locator("form");
      const summary = (await forms.count()) > 0 ? await forms.first().getAttribute("aria-label") : null;
      opened.add(summary ?? "");
      const fields = await dialog.locator("label, legend, button, th").allInnerTexts();
      const content = JSON.stringify([summary, ...new Set(fields)]);
      if (seen.has(content)) continue;
      seen.add(content);
      const name = await dialog.getByRole("heading").first().innerText();
      await expect.poll(() => tooWide(page), { message: name }).toEqual([]);
      for (const scheme of dialogSchemes) {
        await page.emulateMedia({ colorScheme: scheme });
        const part = scheme === "light" ? {} : coloursInDark;
        const violations = await violationsOn(page, { ...openDialog, ...part });
        found.push(...violations.map((violation) => `${name} ${scheme}: ${violation}`));
      }
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    return found;
  }

  /** The buttons that were opened, by their page. Its parts have the same ones at the top. */
  const openedOn = new Map<string, Set<string>>();

  /** Opens the dialogs of the page, one by one. Rows have the same buttons. @returns what violates the rules in them */
  async function violationsInDialogs(page: Page, path: string): Promise<string[]> {
    const found: string[] = [];
    const [name = ""] = path.split("?");
    const known = openedOn.get(name) ?? new Set();
    openedOn.set(name, known);
    const isNew = (button: string) => !known.has(button) && known.add(button);
    const open = async (button: Locator) => {
      await button.click();
      found.push(...(await violationsInDialog(page)));
    };
    const buttons = page.locator("#content button[aria-haspopup=dialog]:enabled");
    const outside = buttons.and(page.locator(":not(tr *)"));
    for (const [at, text] of (await outside.allInnerTexts()).entries())
      if (isNew(`${at} ${text}`)) await open(outside.nth(at));
    const inRows = buttons.and(page.locator("tr *"));
    for (const text of new Set(await inRows.allInnerTexts()))
      if (isNew(`row of ${path} ${text}`)) await open(inRows.getByText(text, { exact: true }).first());
    // The columns of a table are chosen in its menu, without a dialog.
    const menus = page.locator("#content button[aria-haspopup=menu]").filter({ hasNotText: "Columns" });
    const items = page.locator("#content [role=menuitem][aria-haspopup=dialog]");
    for (const menu of await menus.all()) {
      if (!isNew(`menu ${await menu.innerText()}`)) continue;
      for (let at = 0, count = 1; at < count; at++) {
        await menu.click();
        await items.first().waitFor();
        count = await items.count();
        await open(items.nth(at));
      }
    }
    return found;
  }

  it("have the form of every operation that changes something", () => {
    const writes = Object.entries(consoleDeclarations()).filter(([, { kind }]) =>
      /^(?:write|posting)$/.test(kind),
    );
    const missing = writes.filter(([path, { summary }]) => !opened.has(summary) && !withoutForm.has(path));
    expect(missing.map(([path]) => path)).toEqual([]);
    expect(writes.filter(([path, { summary }]) => opened.has(summary) && withoutForm.has(path))).toEqual([]);
  });

  it("have a menu that can be read where the pointer is", async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(addressOf("/members"));
    await page.locator("nav a[aria-current]").hover();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOn(page, { only: "nav", rules: ["color-contrast"] })).toEqual([]);
    }
  });

  it("saves rules only after it has shown what they would change", async () => {
    const { page, faults } = tab;
    const { business_id } = world.demo;
    const rulesNow = () =>
      world.call<{ value_amount: number }>("/op/reward-settings/rules/get", { business_id });
    const { value_amount } = await rulesNow();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(addressOf("/rules"));
    await page.getByRole("button", { name: "Change the rules" }).click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Save" });
    await dialog.locator("input[name=value_amount]").fill(String((value_amount + 100) / 100));
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Show what would change" }).click();
    await dialog.getByRole("row", { name: "Their worth" }).waitFor();
    const { points } = await world.call<{ points: number }>("/op/reports/liabilities", { business_id });
    const worth = (amount: number) => `${((points * amount) / 100).toLocaleString("en")}`;
    const owed = dialog.getByRole("row", { name: /^Worth of what members have now/ });
    await owed.getByText(worth(value_amount)).waitFor();
    await owed.getByText(worth(value_amount + 100)).waitFor();
    expect(await save.isEnabled()).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    // Another change needs another preview.
    await dialog.locator("input[name=value_amount]").fill(String((value_amount + 200) / 100));
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Show what would change" }).click();
    await dialog.getByRole("row", { name: "Their worth" }).waitFor();
    await save.click();
    await dialog.waitFor({ state: "hidden" });
    expect((await rulesNow()).value_amount).toBe(value_amount + 200);
    expect(faults.splice(0)).toEqual([]);
  });
});

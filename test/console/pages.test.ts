/** Every page of the console in a browser: it fits, it can be used by everybody, and it keeps to its policy. */
import type { Page } from "playwright-core";
import { beforeAll, expect, it, vi } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { type OpenPage, useConsole } from "../support/console.ts";

/** The addresses of all pages, below the business. `%member` is a member with a history. */
const pages = [
  ...["/members", "/members?search=no-such-member", "/members/%member", "/members/%member?show=vouchers"],
  ...["/members/%member?show=sales", "/members/%member?show=timeline", "/members/%member?show=profile"],
  ...[
    "/today",
    "/reports",
    "/reports?from=2020-01-01&by=month",
    "/sales",
    "/sales/%sale",
    "/transactions",
    "/nothing",
  ],
  ...[
    "/tiers",
    "/programs",
    "/promotions",
    "/vouchers",
    "/topups",
    "/rules",
    "/passes",
    "/imports",
    "/imports/%import",
  ],
  ...["/sandbox", "/promotions/%promotion", "/stamp-cards", "/members/%member?show=stamps"],
  ...["/members?birthday_month=4&least_sales=10", "/segments", "/bulk-grants"],
  ...["/../%new/segments", "/../%new/bulk-grants"],
  ...["/cards", "/members/%member?show=cards", "/../%new/cards"],
  ...["/stamp-cards/%card", "/occasions", "/../%new/occasions"],
  ...[
    "/integrations",
    "/integrations/%integration",
    "/requests",
    "/audit",
    "/../system",
    "/../accounts",
    "/../99/today",
    "/../businesses",
  ],
  // A business that has nothing yet.
  ...[
    "/setup",
    "/../%new/today",
    "/../%new/reports",
    "/../%new/rules",
    "/../%new/programs",
    "/../%new/promotions",
    "/../%new/stamp-cards",
    "/../%new/locations",
    "/../%sandbox/sandbox",
    "/locations",
  ],
  ...["/webhooks", "/webhooks/%endpoint", "/events"],
];

const pagesWithDialogs = [
  ...["/members", "/members/%member", "/members/%member?show=vouchers", "/members/%member?show=timeline"],
  ...["/members/%member?show=stamps", "/members/%member?show=cards"],
  ...["/members?has_email=true", "/segments", "/bulk-grants"],
  ...[
    "/members/%member?show=profile",
    "/sales/%sale",
    "/tiers",
    "/programs",
    "/promotions",
    "/cards",
    "/stamp-cards",
    "/occasions",
    "/vouchers",
    "/topups",
    "/rules",
    "/passes",
  ],
  ...["/locations", "/imports/%import", "/integrations", "/integrations/%integration", "/webhooks"],
  ...["/webhooks/%endpoint", "/events", "/../%new/setup", "/../%sandbox/sandbox"],
  ...["/../businesses", "/../accounts"],
];
/** The elements are the same in both, and only the colours differ. */
const dialogLooks = [
  ["light", undefined],
  ["dark", ["color-contrast"]],
] as const;
/** Rows have the same buttons. */
const opened = new Set<string>();
/** The tabs of a page have the same menu above them. */
const openedInMenu = new Set<string>();

const widths = [320, 360, 480, 768, 820, 1024, 1180, 1280, 1920, 2560];
/** The other widths have the elements of these, in the same colours, so it is only looked at whether all fits. */
const checked: Readonly<Record<number, "light" | "dark">> = { 360: "dark", 1280: "light" };
/** Pages whose elements differ on a phone. On the others, only the colours in the dark are checked there. */
const narrow = new Set([
  ...["/members", "/members/%member", "/today", "/reports", "/sales/%sale", "/rules", "/imports/%import"],
  ...["/webhooks/%endpoint", "/cards", "/../%new/today"],
]);
const looks = widths.map((width) => ({ width, scheme: checked[width] ?? "light" }));

describeInBrowser("the pages of the console", (launch) => {
  const world = useConsole(launch);
  let newBusinessId: number;
  let sandboxId: number;
  let saleId: number;
  let endpointId: number;
  let promotionId: number;
  let stampCardId: number;
  let importId: number;
  const addressOf = (path: string) =>
    world.at(
      path
        .replace("%new", String(newBusinessId))
        .replace("%sandbox", String(sandboxId))
        .replace("%member", String(world.priya))
        .replace("%sale", String(saleId))
        .replace("%integration", String(world.demo.integration_id))
        .replace("%endpoint", String(endpointId))
        .replace("%promotion", String(promotionId))
        .replace("%card", String(stampCardId))
        .replace("%import", String(importId)),
    );
  // One tab for all pages: opening one takes longer than a page.
  let tab: OpenPage;
  beforeAll(async () => {
    const { business_id } = world.demo;
    const [sale] = await world.call<{ sale_id: number }[]>("/op/sales/list", { business_id });
    saleId = (sale as { sale_id: number }).sale_id;
    const [promotion] = await world.call<{ promotion_id: number }[]>("/op/promotions/list", { business_id });
    promotionId = (promotion as { promotion_id: number }).promotion_id;
    const [card] = await world.call<{ stamp_card_id: number }[]>("/op/stamp-cards/list", { business_id });
    stampCardId = (card as { stamp_card_id: number }).stamp_card_id;
    const named = { idempotency_key: "new", name: `Café ${"of a long name ".repeat(15)}`, currency: "EUR" };
    newBusinessId = (await world.call<{ business_id: number }>("/op/businesses/create", named)).business_id;
    const trial = { ...named, idempotency_key: "sandbox", name: "Trial", sandbox: true };
    sandboxId = (await world.call<{ business_id: number }>("/op/businesses/create", trial)).business_id;
    endpointId = await failingEndpoint();
    await segmentAndGrant();
    importId = await checkedImport();
    tab = await world.open(world.at(""));
  });

  /** Makes an endpoint with a long address, and an event that it has not got. */
  async function failingEndpoint(): Promise<number> {
    // The service would send the event, and change what the pages show.
    await holdBackgroundWrites(world.sql);
    const { business_id, contact_ids } = world.demo;
    const url = `https://example.com/${"long-path/".repeat(190)}`;
    const endpoint = { idempotency_key: "endpoint", business_id, url, types: ["*"] };
    const { endpoint_id } = await world.call<{ endpoint_id: number }>(
      "/op/webhook-endpoints/create",
      endpoint,
    );
    const correction = { contact_id: contact_ids[0], points: 5, adjustment_type: "credit", reason: "Sorry" };
    await world.call("/op/members/adjust-points", { idempotency_key: "event", business_id, ...correction });
    await world.sql`
      INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded,
        response_status, error, response_body)
      VALUES (${business_id}, ${endpoint_id}, 2, 1, 'delivery', now(), 84, false, 500, 'HTTP 500', ${"x".repeat(1000)})`;
    await world.sql`
      UPDATE webhook_endpoint SET status = 'failing', failing_since = now() WHERE endpoint_id = ${endpoint_id}`;
    return endpoint_id;
  }

  /** Saves filters, and gives the members something, which stops at once. */
  async function segmentAndGrant(): Promise<void> {
    const { business_id } = world.demo;
    const filters = { least_visits: 1, least_sales: 100, joined_from: "2020-01-01", has_email: true };
    const name = "Friends ".repeat(7);
    const key = (of: string) => ({ business_id, idempotency_key: of });
    await world.call("/op/segments/create", { ...key("segment"), name, ...filters });
    const gift = { ...key("grant"), name, points: 5, joined_from: "2020-01-01" };
    const { occasion_id } = await world.call<{ occasion_id: number }>("/op/bulk-grants/start", gift);
    await world.call("/op/bulk-grants/cancel", { ...key("cancel"), occasion_id });
  }

  /** Uploads a file with a long name, of which some lines would be rejected. */
  async function checkedImport(): Promise<number> {
    const { business_id } = world.demo;
    const lines = [
      "first_name,last_name,phone_number,tier",
      "Ana,López,+34600111999,",
      `Ben,Smith,${"x".repeat(200)},Gold`,
    ];
    const { import_id } = await world.call<{ import_id: number }>("/op/imports/upload", {
      idempotency_key: "upload",
      business_id,
      file_name: `${"a-long-name-of-a-file-".repeat(11)}.csv`,
      part: 0,
      content: Buffer.from(lines.join("\n")).toString("base64"),
      last: true,
    });
    const key = { business_id, import_id };
    await world.call("/op/imports/preview", { idempotency_key: "preview", ...key, kind: "members" });
    const isChecked = async () =>
      (await world.call<{ state: string }>("/op/imports/get", key)).state === "checked";
    await vi.waitUntil(isChecked, { timeout: 60_000, interval: 100 });
    return import_id;
  }

  /** The page, if it is wider than the window, and the tables that scroll in their places. */
  const tooWide = (page: Page) =>
    page.evaluate(`[document.documentElement, ...document.querySelectorAll(".records")]
      .filter((one) => one.checkVisibility())
      .filter((one) => one.scrollWidth > (one === document.documentElement ? innerWidth : one.clientWidth))
      .map(({ localName, className, scrollWidth }) => [localName, className, scrollWidth].join(" "))`);

  it.each(pages)("%s fits every screen, and axe finds nothing", async (path) => {
    const { page, faults } = tab;
    await page.goto(addressOf(path));
    await page.locator("h1").waitFor();
    await page.waitForLoadState("networkidle");
    const found: string[] = [];
    let schemeNow: string | undefined;
    for (const { width, scheme } of looks) {
      const look = `${width} ${scheme}`;
      await page.setViewportSize({ width, height: 800 });
      if (scheme !== schemeNow) await page.emulateMedia({ colorScheme: scheme });
      schemeNow = scheme;
      // The menu moves out of a narrow page. The policy of the page lets no test evaluate a text in it again and again.
      await expect.poll(() => tooWide(page), { message: look }).toEqual([]);
      if (checked[width] === undefined) continue;
      // All pages have the same menu, but another page is the current one.
      const except = path === pages[0] ? undefined : "nav a:not([aria-current])";
      const rules = scheme === "light" || narrow.has(path) ? undefined : ["color-contrast"];
      const violations = await violationsOn(page, { except, rules });
      found.push(...violations.map((violation) => `${look}: ${violation}`));
    }
    expect(found).toEqual([]);
    expect(faults.splice(0)).toEqual([]);
  });

  /** Opens the dialogs of the page, one by one. @returns what violates the rules in them */
  async function violationsInDialogs(page: Page): Promise<string[]> {
    const found: string[] = [];
    const dialog = page.getByRole("dialog");
    const check = async (name: string) => {
      await dialog.locator("button").first().waitFor();
      await page.waitForLoadState("networkidle");
      for (const [colorScheme, rules] of dialogLooks) {
        await page.emulateMedia({ colorScheme });
        const violations = await violationsOn(page, { ...openDialog, rules });
        found.push(...violations.map((violation) => `${name} ${colorScheme}: ${violation}`));
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    const buttons = page.locator("#content button[aria-haspopup=dialog]:enabled");
    for (const name of new Set(await buttons.allInnerTexts())) {
      if (opened.has(name)) continue;
      opened.add(name);
      await buttons.getByText(name, { exact: true }).first().click();
      await check(name);
    }
    const menus = page.locator("#content button[aria-haspopup=menu]");
    // The columns of a table are chosen in its menu, without a dialog.
    const menu = menus.filter({ hasNotText: "Columns" }).first();
    if ((await menu.count()) === 0) return found;
    const items = page.locator("#content [role=menuitem][aria-haspopup=dialog]");
    const openMenu = async () => {
      if (!(await items.first().isVisible())) await menu.click();
      await items.first().waitFor();
    };
    await openMenu();
    for (const [at, name] of (await items.allInnerTexts()).entries()) {
      if (openedInMenu.has(name)) continue;
      openedInMenu.add(name);
      await openMenu();
      await items.nth(at).click();
      await check(name);
    }
    return found;
  }

  it.each(pagesWithDialogs)("%s has dialogs in which axe finds nothing", async (path) => {
    const { page, faults } = tab;
    await page.setViewportSize({ width: 1280, height: 800 });
    const address = addressOf(path);
    if (new URL(address).pathname !== new URL(page.url()).pathname) openedInMenu.clear();
    opened.clear();
    await page.goto(address);
    await page.locator("h1").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await violationsInDialogs(page)).toEqual([]);
    expect(faults.splice(0)).toEqual([]);
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

/** The documentation in a browser: it shows, it fits, it keeps to its host, and its console calls the service. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { samples } from "../../docs/pages/code.js";
import { isWrite, type Operation } from "../../src/contract/operation.ts";
import type { DemoFile } from "../../src/data-directory.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { operationExample } from "../../tools/docs/examples.ts";
import { inOrder } from "../../tools/docs/names.ts";
import { noLooks, violationsOn } from "../support/accessibility.ts";
import { closePages, describeInBrowser } from "../support/chromium.ts";
import { demoIn, useDemoDatabase } from "../support/demo.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

describeInBrowser("the documentation in a browser", lookAt);

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const guides = ["/", "/client", "/idempotency", "/errors", "/scopes", "/members"].map(
  (name) => `/docs/guides${name}`,
);
const operations = ["/sp/sales/record", "/sp/auth/token", "/op/webhook-deliveries/list"].map(
  (path) => `/docs${path}`,
);

/** What people search for, and a page that is then found. */
const findable: readonly (readonly [string, string])[] = [
  ["valid_through", "/[so]p/[a-z/-]+"],
  ["refund_exceeds_sale", "/guides/errors"],
  ["sale.recorded", "/guides/event-types"],
  ["idempotncy", "/guides/idempotency"],
  ["vouchr", "/guides/vouchers"],
  ["LOYALTY_BASE_PATH", "/operators/configuration"],
  ["timezone", "/guides/sales"],
  ["Idempotency-Key", "/guides/idempotency"],
  ["versioning", "/guides/changes"],
  ["cursor", "/guides/pagination"],
  ["void", "/guides/sales"],
  ["birthday", "/guides/occasions"],
  ["date of birth", "/guides/members"],
  ["gdpr", "/guides/members"],
  ["test mode", "/guides/sandbox"],
  ["refnud", "/guides/sales"],
  ["chargeback", "/guides/sales"],
  ["changelog", "/guides/changes"],
];

interface Look {
  readonly width: number;
  readonly height: number;
  readonly scale: 1 | 2;
  readonly scheme: "light" | "dark";
}

const desktop: Look = { ...sizes.desktop, scale: 1, scheme: "light" };
const phone: Look = { ...sizes.phone, scale: 1, scheme: "dark" };
/** A page is opened with the first look, and then gets the second. */
const looks: readonly [Look, Look][] = [
  [desktop, phone],
  [
    { ...sizes.phone, scale: 2, scheme: "light" },
    { ...sizes.desktop, scale: 2, scheme: "dark" },
  ],
];

function lookAt(launch: () => Promise<Browser>): void {
  const world = useWorld();
  const demoDatabase = useDemoDatabase();
  let browser: Browser;
  let demoService: StartedService;
  let demoFile: string;
  beforeAll(async () => {
    browser = await launch();
    const dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-browser-"));
    demoFile = join(dataDirectory, "demo.json");
    demoService = await startService(world, demoDatabase);
    await demoIn(demoDatabase.sql, dataDirectory, demoService.baseUrl);
  });
  afterAll(async () => {
    await closePages(browser);
    await demoService.close();
    await rm(join(demoFile, ".."), { recursive: true });
  });

  /** Opens a page and notes all that should not happen on it. */
  async function open(url: string, { width, height, scale, scheme }: Look, baseUrl = world.baseUrl) {
    const page = await browser.newPage({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: scheme,
    });
    page.setDefaultTimeout(120_000);
    const faults: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL(baseUrl).origin)) faults.push(`asked for ${request.url()}`);
    });
    await visit(page, baseUrl + url);
    return { page, faults };
  }

  /** Goes to a page, and waits for its program: what is typed or clicked before that is lost. */
  async function visit(page: Page, url: string): Promise<void> {
    await page.goto(url);
    const runs = () =>
      page
        .evaluate<boolean>("document.querySelector('#app')?.__vue_app__ !== undefined")
        // Some pages lead on to others.
        .catch(() => false);
    await vi.waitUntil(runs, { timeout: 60_000, interval: 20 });
  }

  const excess = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

  /** Whatever is wider than the window, or cut off by what is around it. */
  const misfits = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("code, h1, h2, h3, dt, dd, p, li, label, button")]
      .filter((element) => element.offsetParent !== null && !element.closest("pre, nav, .VPNav, .visually-hidden"))
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline"
        || element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 100))`);

  /** What scrolls within the page. */
  const scrolling = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("body *")]
      .filter((element) => !element.matches("input, button, .VPSidebar"))
      .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflow))
      .filter((element) => element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 100))`);

  describe.each(looks)(
    "at $width pixels, ratio $scale, $scheme, and then at other widths",
    (first, second) => {
      // One tab for all pages: opening one takes longer than a page.
      let tab: Awaited<ReturnType<typeof open>>;
      beforeAll(async () => {
        tab = await open("/docs/", first);
      });
      afterAll(() => tab.page.close());

      it.each([
        ...guides,
        ...operations,
        "/docs/",
        "/docs/reference/",
        "/docs/op/",
        "/docs/operators/operating",
      ])("%s fits, and only the page scrolls on a phone", async (url) => {
        const { page, faults } = tab;
        await page.setViewportSize(first);
        await page.emulateMedia({ colorScheme: first.scheme });
        await page.goto(world.baseUrl + url);
        for (const look of [first, second]) {
          await page.setViewportSize(look);
          await page.emulateMedia({ colorScheme: look.scheme });
          expect(await page.locator("h1").isVisible()).toBe(true);
          // Programs of the page can follow the width a little later.
          await expect
            .poll(() => excess(page), { message: `at ${look.width} pixels` })
            .toBeLessThanOrEqual(0);
          await expect.poll(() => misfits(page), { message: `at ${look.width} pixels` }).toEqual([]);
          if (look.width !== sizes.phone.width) continue;
          await expect.poll(() => scrolling(page)).toEqual([]);
        }
        expect(faults).toEqual([]);
      });
    },
  );

  it("scrolls no page sideways at any width", async () => {
    const { page, faults } = await open("/docs/", phone);
    for (const url of [...guides, ...operations, "/docs/reference/", "/docs/operators/configuration"]) {
      await page.goto(world.baseUrl + url);
      for (const width of [320, 768, 1024]) {
        await page.setViewportSize({ ...sizes.phone, width });
        await expect.poll(() => excess(page), { message: `${url} at ${width} pixels` }).toBe(0);
      }
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it.each(["desktop", "phone"] as const)("has no fault of accessibility, %s", async (name) => {
    const { page } = await open("/docs/", { ...sizes[name], scale: 1, scheme: "light" });
    const kinds = ["/docs/", "/docs/sp/sales/record"];
    const known = noLooks();
    // On a phone, pages differ by their menu and by the form of operations.
    const urls = name === "phone" ? kinds : [...kinds, "/docs/guides/till", "/docs/guides/errors"];
    for (const url of urls) {
      await page.emulateMedia({ colorScheme: "light" });
      await visit(page, world.baseUrl + url);
      if (url.includes("/sp/")) await page.locator(".credentials summary").click();
      // All pages have the same long menu.
      const except = url === "/docs/" ? undefined : ".VPSidebar";
      expect([url, await violationsOn(page, { except })]).toEqual([url, []]);
      // The elements are the same in the dark, and only the colours differ.
      await page.emulateMedia({ colorScheme: "dark" });
      const isDark = () =>
        page.evaluate("document.documentElement.matches('.dark') && document.getAnimations().length === 0");
      await expect.poll(isDark).toBe(true);
      expect([url, await violationsOn(page, { rules: ["color-contrast"], except, known })], "dark").toEqual([
        url,
        [],
      ]);
    }
    await page.close();
  });

  it("shows its content without any script", async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${world.baseUrl}/docs/sp/sales/quote`);
    expect(await page.locator("h1").textContent()).toContain("Quote a sale");
    expect(await page.locator(".fields dt").count()).toBeGreaterThan(10);
    expect(await page.locator(".try .response code").textContent()).toContain('"points_earned"');
    await page.goto(`${world.baseUrl}/docs/reference/`);
    const links = page.locator("main li a[href*='/docs/sp/']");
    expect(await links.count()).toBe(partnerOperations.length);
    await page.close();
  });

  it("goes from the first page to a guide, to the next one, and to the reference", async () => {
    const { page, faults } = await open("/docs/", desktop);
    await page.locator(".VPSidebar").getByRole("link", { name: "Get an access token" }).click();
    await page.getByRole("heading", { name: "Get an access token", level: 1 }).waitFor();
    await page.getByRole("link", { name: /^Next page/ }).click();
    await page.getByRole("heading", { name: "The client, examples and other tools", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Reference", exact: true }).click();
    await page.getByRole("heading", { name: "Loyalty Partner API", level: 1 }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it.each([
    ["/docs#salesQuote", "/docs/sp/sales/quote", "Quote a sale"],
    ["/docs#errors", "/docs/guides/errors", "Errors"],
    ["/op/docs#businessesCreate", "/docs/op/businesses/create", "Create a business"],
    ["/docs/guides/errors#insufficient_balance", "/docs/guides/errors#insufficient_balance", "Errors"],
  ])("leads from the address %s, where something was, to %s", async (from, to, heading) => {
    const { page, faults } = await open(from, desktop);
    await page.waitForURL(world.baseUrl + to);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  describe.each(["/docs/", "/docs/guides/till", "/docs/op/members/merge", "/docs/nothing"])(
    "the search of %s",
    (url) => {
      // One tab, in which each test continues where the one before it ended.
      let tab: Awaited<ReturnType<typeof open>>;
      beforeAll(async () => {
        tab = await open(url, desktop);
        // Nothing listens for keys before the scripts run.
        while (!(await tab.page.locator("#localsearch-input").isVisible())) {
          await tab.page.keyboard.press("/");
          await tab.page.waitForTimeout(200);
        }
      });
      afterAll(() => tab.page.close());
      const box = () => tab.page.locator("#localsearch-input");
      const results = () => tab.page.locator(".VPLocalSearchBox .result");
      const found = () =>
        results().evaluateAll((links) =>
          links.map((link) => new URL((link as unknown as { href: string }).href).pathname),
        );

      // All pages have the same words.
      it.each(url === "/docs/" ? findable : findable.slice(0, 3))("finds %s on %s", async (words, path) => {
        await box().fill(words);
        const page = new RegExp(`^${world.config.basePath}/docs${path}$`);
        await expect.poll(async () => (await found()).some((one) => page.test(one))).toBe(true);
      });

      it("says that nothing was found", async () => {
        await box().fill("xqzwxqzw");
        await tab.page.getByText(/^No results for/).waitFor();
        expect(await results().count()).toBe(0);
      });

      it("opens the first result with Enter", async () => {
        await box().fill("refund_exceeds_sale");
        await expect.poll(async () => (await found())[0]).toMatch(/guides\/errors$/);
        await tab.page.keyboard.press("Enter");
        await tab.page.waitForURL(/guides\/errors#refund_exceeds_sale$/);
        await tab.page.locator("#refund_exceeds_sale").waitFor();
        expect(tab.faults.filter((fault) => !fault.includes("404"))).toEqual([]);
      });
    },
  );

  /** Copies the first piece of code. The button says so for two seconds. */
  const copy = (among: Locator) =>
    Promise.all([
      among.locator("button.copied").first().waitFor(),
      among.locator("button.copy").first().click(),
    ]);

  const viewOf = (page: Page, name: string) => page.locator(".views label").getByText(name, { exact: true });
  const chooseDemo = async (page: Page) => {
    await page.locator(".credentials summary").click();
    await page.getByLabel("Use demo credentials").setInputFiles(demoFile);
    await page.getByText("There is a token.").waitFor();
  };
  const useToken = async (page: Page, token: string) => {
    await page.locator(".credentials summary").click();
    await page.getByLabel("Access token").fill(token);
  };
  const send = (page: Page) => page.getByRole("button", { name: "Send" }).click();

  it("shows the code of a request, and copies it", async () => {
    const { page, faults } = await open("/docs/sp/wallet/adjust", desktop);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const request = JSON.parse(await page.locator("textarea").inputValue());
    expect({ ...request, idempotency_key: "" }).toEqual({
      ...operationExample(adjustWallet).request,
      idempotency_key: "",
    });
    for (const { name, code } of samples) {
      await viewOf(page, name).click();
      const shown = page.locator(".view.shown");
      expect(await shown.locator("code").textContent()).toBe(code("/sp/wallet/adjust", request));
      await copy(shown);
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        await shown.locator("code").textContent(),
      );
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("keeps the language that was chosen, and writes the code of the request in the form", async () => {
    const { page } = await open("/docs/sp/sales/quote", desktop);
    await page.locator("textarea").fill('{"contact_id": 7, "note": "it\'s"}');
    await viewOf(page, "curl").click();
    expect(await page.locator(".view.shown code").textContent()).toContain(`"note": "it'\\''s"`);
    await visit(page, `${world.baseUrl}/docs/sp/members/get`);
    await expect.poll(() => page.locator(".view.shown code").textContent()).toMatch(/^curl /);
    await page.close();
  });

  it("never shows the secret of the token request, and sends it", async () => {
    const { page, faults } = await open("/docs/sp/auth/token", desktop, demoService.baseUrl);
    await chooseDemo(page);
    const demo = JSON.parse(await readFile(demoFile, "utf8")) as DemoFile;
    const request = await page.locator("textarea").inputValue();
    expect(JSON.parse(request)).toEqual({ client_id: demo.client_id, client_secret: "••••••••" });
    await send(page);
    await page.getByText("Your response, 200").waitFor();
    const text = await page.evaluate(
      "document.body.innerText + [...document.querySelectorAll('textarea')].map((field) => field.value) + " +
        "JSON.stringify([sessionStorage, localStorage])",
    );
    expect(text).not.toContain(demo.client_secret);
    expect(faults).toEqual([]);
    await page.close();
  });

  describe("on a phone", () => {
    it("shows the menu on request, and leads to an operation", async () => {
      const { page, faults } = await open("/docs/reference/", phone);
      const link = page.locator(".VPSidebar").getByRole("link", { name: "Refund a sale" });
      expect(await link.isVisible()).toBe(false);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.locator(".VPSidebar").getByRole("button", { name: "Sales" }).click();
      await link.click();
      await page.waitForURL(/docs\/sp\/sales\/refund$/);
      await expect.poll(() => page.locator(".VPSidebar.open").count()).toBe(0);
      expect(faults).toEqual([]);
      await page.close();
    });

    it("names the column of each cell of a table", async () => {
      const { page } = await open("/docs/guides/scopes", phone);
      const names = await page.evaluate(`[...document.querySelectorAll("tbody tr:first-child td")]
        .map((cell) => getComputedStyle(cell, "::before").content)`);
      expect(names).toEqual(['"Scope"', '"Allows"', '"Operations"']);
      await page.close();
    });

    it.each(["/docs/reference/", "/docs/op/"])("%s leads to its OpenAPI document", async (url) => {
      const { page } = await open(url, { ...phone, width: 360 });
      const link = page.getByRole("link", { name: "OpenAPI" });
      expect(await link.isVisible()).toBe(true);
      const target = await fetch(new URL((await link.getAttribute("href")) as string, world.baseUrl));
      const title = url === "/docs/op/" ? "Loyalty Operator API" : "Loyalty Partner API";
      expect(await target.json()).toMatchObject({ openapi: "3.1.0", info: { title } });
      await page.close();
    });
  });

  it("breaks no name of a setting into two lines", async () => {
    const { page } = await open("/docs/operators/configuration", desktop);
    const broken = await page.evaluate(`[...document.querySelectorAll("td:first-child code")]
      .filter((code) => code.getClientRects().length > 1).map((code) => code.textContent)`);
    expect(broken).toEqual([]);
    await page.close();
  });

  it("prints an operation without its form", async () => {
    const { page } = await open("/docs/sp/sales/record", desktop);
    await page.emulateMedia({ media: "print" });
    for (const part of [".VPNav", ".credentials", ".try button"])
      expect(await page.locator(part).first().isVisible()).toBe(false);
    expect(await page.locator(".fields dt").first().isVisible()).toBe(true);
    await page.close();
  });

  it("copies the code of a guide", async () => {
    const { page } = await open("/docs/guides/sales", desktop);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const code = await page.locator("main pre code").first().textContent();
    await copy(page.locator("main"));
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(code);
    await page.close();
  });

  it("responds to every example in the order of the reference, with the demo's credentials", async () => {
    const { page, faults } = await open("/docs/sp/auth/token", desktop, demoService.baseUrl);
    await chooseDemo(page);
    const { sandbox } = JSON.parse(await readFile(demoFile, "utf8")) as DemoFile;
    for (const { path, summary } of inOrder(partnerOperations)) {
      // As a click does also where the menu is folded. To load each page anew takes longer.
      await page.locator(`.VPSidebar a[href$="/docs${path}"]`).dispatchEvent("click");
      const title = page.locator("h1").getByLabel(`Permalink to "${summary}"`, { exact: true });
      await title.waitFor({ state: "attached" });
      if (path === "/sp/auth/token") await chooseDemo(page);
      if (path === "/sp/sandbox/clock/get") {
        await page.locator(".credentials summary").click();
        await page.getByLabel("client_id").fill(sandbox.client_id);
        await page.getByLabel("client_secret").fill(sandbox.client_secret);
        const token = page.getByLabel("Access token");
        const before = await token.inputValue();
        await page.getByRole("button", { name: "Get a token" }).click();
        await expect.poll(() => token.inputValue()).not.toBe(before);
      }
      await send(page);
      await expect.poll(() => page.locator("form.request").getAttribute("data-status")).not.toBeNull();
      const response = JSON.parse((await page.locator(".response code").textContent()) as string);
      expect(response, path + JSON.stringify(response)).toMatchObject({ success: true });
      if (Array.isArray(response.data)) expect(response.data, path).not.toEqual([]);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("sends a write once, however often somebody sends it, until they take a new key", async () => {
    const { page, faults } = await open("/docs/sp/wallet/adjust", desktop);
    const token = await world.token();
    const contact_id = await world.member();
    const location_id = world.home.locationIds[0];
    const body = { idempotency_key: "one", contact_id, location_id, amount: 5, adjustment_type: "credit" };
    await useToken(page, token);
    await page.locator("textarea").fill(JSON.stringify(body));
    const sent = async () => {
      const responded = page.waitForResponse((response) => response.url().endsWith("/sp/wallet/adjust"));
      await send(page);
      const response = await responded;
      expect(await response.request().headerValue("authorization")).toBe(`Bearer ${token}`);
      return response;
    };
    const first = await sent();
    await page.getByText(/^\d+ ms$/).waitFor();
    const again = await sent();
    await page.getByText(/^\d+ ms\. Replayed: nothing was done again\.$/).waitFor();
    expect(await again.text()).toBe(await first.text());
    await page.getByRole("button", { name: "New key" }).click();
    await sent();
    await page.getByText(/^\d+ ms$/).waitFor();
    await page.getByText('"balance_after": 10').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it.each(["/sp/sales/record", "/sp/sales/quote"])("offers a new key to writes only: %s", async (path) => {
    const operation = partnerOperations.find((one) => one.path === path) as Operation;
    const { page } = await open(`/docs${path}`, desktop);
    expect(await page.locator(".new-key").count()).toBe(isWrite(operation) ? 1 : 0);
    await page.close();
  });

  it("colours the JSON of a response as it does the example", async () => {
    const { page } = await open("/docs/sp/members/get", desktop);
    await useToken(page, await world.token());
    const parts = () =>
      page
        .locator(".response pre span")
        .evaluateAll((spans) =>
          spans.map((span) => [span.className, span.className === "name" ? span.textContent : ""]),
        );
    const [example, contact_id] = [await parts(), await world.member()];
    await page.locator("textarea").fill(JSON.stringify({ contact_id }));
    await send(page);
    await page.locator(".response").getByText(`"contact_id": ${contact_id}`).waitFor();
    const names = (of: typeof example) => of.filter(([kind]) => kind === "name");
    // The example has a tier, and the member has none.
    expect(names(example)).toEqual(expect.arrayContaining(names(await parts())));
    expect(new Set((await parts()).map(([kind]) => kind))).toEqual(
      new Set(["name", "text", "number", "word"]),
    );
    await page.close();
  });

  it("says what is wrong with a file that is not the demo's, and shows an error as it is", async () => {
    const { page } = await open("/docs/sp/members/get", desktop);
    await page.locator(".credentials summary").click();
    await page.getByLabel("Use demo credentials").setInputFiles({
      name: "demo.json",
      mimeType: "application/json",
      buffer: Buffer.from("no"),
    });
    await page.getByText("That is not the file demo.json.").waitFor();
    await send(page);
    await page.getByText("Get a token here, and then send the request.").waitFor();
    await page.getByLabel("Access token").fill("none");
    await send(page);
    await page.getByText('"unauthorized"').waitFor();
    await page.getByText("Your response, 401").waitFor();
    await page.close();
  });
}

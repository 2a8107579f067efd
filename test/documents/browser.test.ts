/** The documentation in a browser: it shows, it fits, it keeps to its host, and its console calls the service. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samples } from "../../docs/pages/code.js";
import { isWrite } from "../../src/contract/operation.ts";
import type { DemoFile } from "../../src/data-directory.ts";
import { provideDemo } from "../../src/demo/demo.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import { operationExample } from "../../tools/docs/examples.ts";
import { inOrder } from "../../tools/docs/names.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useDatabase } from "../support/database.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

describeInBrowser("the documentation in a browser", lookAt);

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const guides = ["", "/client", "/idempotency", "/errors", "/scopes", "/members"].map(
  (name) => `/docs/guides${name}`,
);

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
  const demoDatabase = useDatabase();
  let browser: Browser;
  let demoService: StartedService;
  let demoFile: string;
  beforeAll(async () => {
    browser = await launch();
    const dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-browser-"));
    demoFile = join(dataDirectory, "demo.json");
    demoService = await startService(world, demoDatabase);
    await provideDemo(demoDatabase.sql, { dataDirectory, baseUrl: demoService.baseUrl });
  });
  afterAll(async () => {
    await browser.close();
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
    await page.goto(baseUrl + url);
    return { page, faults };
  }

  /** Whatever is wider than the window, or cut off by what is around it. */
  const misfits = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("code, h1, h2, h3, dt, dd, p, li, label, button")]
      .filter((element) => element.offsetParent !== null && !element.closest("pre, nav, .table"))
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline"
        || element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 100))`);

  /** What scrolls within the page. */
  const scrolling = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("body *")]
      .filter((element) => !element.matches("input, button, .results"))
      .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflow))
      .filter((element) => element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 100))`);

  describe.each(looks)(
    "at $width pixels, ratio $scale, $scheme, and then at other widths",
    (first, second) => {
      // One tab for all pages: opening one takes longer than a page.
      let tab: Awaited<ReturnType<typeof open>>;
      beforeAll(async () => {
        tab = await open("/docs", first);
      });
      afterAll(() => tab.page.close());

      it.each([...guides, "/docs", "/op/docs"])(
        "%s fits, and only the page scrolls on a phone",
        async (url) => {
          const { page, faults } = tab;
          await page.setViewportSize(first);
          await page.emulateMedia({ colorScheme: first.scheme });
          await page.goto(world.baseUrl + url);
          for (const look of [first, second]) {
            await page.setViewportSize(look);
            await page.emulateMedia({ colorScheme: look.scheme });
            expect(await page.locator("h1").isVisible()).toBe(true);
            const excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
            expect(excess, `at ${look.width} pixels`).toBeLessThanOrEqual(0);
            expect(await misfits(page), `at ${look.width} pixels`).toEqual([]);
            if (look.width !== sizes.phone.width) continue;
            const menu = page.locator("label[for=menu]");
            if (await menu.isVisible()) await menu.click();
            expect(await scrolling(page)).toEqual([]);
          }
          expect(faults).toEqual([]);
        },
      );
    },
  );

  it("shows its content without any script", async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${world.baseUrl}/docs`);
    expect(await page.locator("section.operation h2").count()).toBe(partnerOperations.length + 1);
    await page.close();
  });

  it("goes from the reference to a guide and back", async () => {
    const { page, faults } = await open("/docs", phone);
    await page.getByRole("link", { name: "Guides", exact: true }).click();
    await page.getByRole("link", { name: "Idempotency and safe retries" }).click();
    expect(await page.locator("h1").textContent()).toBe("Idempotency and safe retries");
    await page.getByRole("link", { name: "Previous: Locations" }).waitFor();
    await page.getByRole("link", { name: "Reference" }).click();
    await page.getByRole("heading", { name: "Loyalty Partner API" }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  describe.each(["/docs", "/docs/guides", "/docs/guides/till", "/op/docs", "/docs/nothing"])(
    "the search of %s",
    (url) => {
      // One tab, in which each test continues where the one before it ended.
      let tab: Awaited<ReturnType<typeof open>>;
      beforeAll(async () => {
        tab = await open(url, desktop);
      });
      afterAll(() => tab.page.close());
      const found = () => tab.page.locator(".results a").allTextContents();

      it("is reached with /, and finds operations by their fields, and sections of guides by their text", async () => {
        const { page, faults } = tab;
        await page.keyboard.press("/");
        await page.keyboard.type("valid_through");
        await page.getByText(/^\d+ results$/).waitFor();
        const results = await found();
        expect(results.some((text) => /^[A-Z].*\/(?:sp|op)\/[a-z-]+\/.*valid_through/s.test(text))).toBe(
          true,
        );
        expect(results).toContainEqual(expect.stringContaining("Show points and when they expire"));
        expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
      });

      it("says that nothing was found", async () => {
        const { page } = tab;
        await page.setViewportSize(phone);
        await page.getByRole("searchbox").fill("no such thing");
        await page.getByText("No results", { exact: true }).waitFor();
        expect(await found()).toEqual([]);
      });

      it("opens the first result with Enter", async () => {
        const { page } = tab;
        await page.getByRole("searchbox").fill("refund_exceeds_sale");
        await page.getByText(/^\d+ results?$/).waitFor();
        await page.keyboard.press("Enter");
        await page.waitForURL(/guides\/errors#refund_exceeds_sale$/);
        expect(await page.locator("#refund_exceeds_sale").isVisible()).toBe(true);
      });
    },
  );

  it("lets somebody choose a result with the arrow keys, and leave the search with Escape", async () => {
    const { page } = await open("/docs", desktop);
    const search = page.getByRole("searchbox");
    await search.fill("sale");
    await page.getByText(/^\d+ results$/).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const second = page.locator(".results a").nth(1);
    expect(await second.evaluate((link) => link.matches(":focus"))).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator(".results").isVisible()).toBe(false);
    await search.fill("Quote a sale");
    await page.getByText(/^\d+ results?$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/docs#salesQuote$/);
    expect(await page.locator(".results").isVisible()).toBe(false);
    await page.close();
  });

  it("leaves a slash in a field alone", async () => {
    const { page } = await open("/docs", desktop);
    await page.getByLabel("client_id").fill("");
    await page.getByLabel("client_id").pressSequentially("a/b");
    expect(await page.getByLabel("client_id").inputValue()).toBe("a/b");
    await page.close();
  });

  /** Copies the first piece of code. The button says so for two seconds. */
  const copy = (among: Locator) =>
    Promise.all([
      among.getByRole("button", { name: "Copied" }).first().waitFor(),
      among.getByRole("button", { name: /^Cop/ }).first().click(),
    ]);

  const viewOf = (form: Locator, name: string) =>
    form.locator(".views label").getByText(name, { exact: true });

  it("shows the code of a request, and copies it", async () => {
    const { page, faults } = await open("/docs#walletAdjust", desktop);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const form = page.locator("#walletAdjust form");
    for (const { name, code } of samples) {
      await viewOf(form, name).click();
      const shown = form.locator("pre:visible code").first();
      expect(await shown.textContent()).toBe(
        code("/sp/wallet/adjust", operationExample(adjustWallet).request),
      );
      await copy(form);
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await shown.textContent());
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("keeps the language that was chosen, and writes the code of the request in the form", async () => {
    const { page } = await open("/docs", desktop);
    await viewOf(page.locator("#salesQuote form"), "Request").click();
    await page.locator("#salesQuote textarea").fill('{"contact_id": 7, "note": "it\'s"}');
    await viewOf(page.locator("#salesRecord form"), "curl").click();
    expect(await page.locator("#salesQuote pre:visible").first().textContent()).toContain(
      `"note": "it'\\''s"`,
    );
    await page.reload();
    expect(await page.locator("#membersGet pre:visible").first().textContent()).toMatch(/^curl /);
    await page.close();
  });

  it.each(["/docs", "/docs/guides/errors"])("follows the reader of %s in its list of links", async (url) => {
    const { page } = await open(url, desktop);
    const part = page.locator(url === "/docs" ? "section.operation" : "h3").nth(15);
    const id = (await part.getAttribute("id")) as string;
    await part.evaluate((element) => element.scrollIntoView());
    const link = page.locator(`nav a[href="#${id}"][aria-current]`);
    await link.waitFor();
    const isInView = () =>
      link.evaluate((entry) => {
        const [{ y }, nav] = [entry.getBoundingClientRect(), entry.closest("nav")?.getBoundingClientRect()];
        return nav !== undefined && y >= nav.y && y < nav.y + nav.height;
      });
    await expect.poll(isInView).toBe(true);
    // The tab in the bar is the other.
    expect(await page.locator("nav a[aria-current='true']").count()).toBe(2);
    await page.close();
  });

  it("never shows the secret of the token request, and sends it", async () => {
    const { page, faults } = await open("/docs#authToken", desktop, demoService.baseUrl);
    await page.getByLabel("Use demo credentials").setInputFiles(demoFile);
    await page.getByText("There is a token.").waitFor();
    const demo = JSON.parse(await readFile(demoFile, "utf8")) as DemoFile;
    const form = page.locator("#authToken form");
    const request = await form.locator("textarea").inputValue();
    expect(JSON.parse(request)).toEqual({ client_id: demo.client_id, client_secret: "••••••••" });
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("Response, 200").waitFor();
    const text = await page.evaluate(
      "document.body.innerText + [...document.querySelectorAll('textarea')].map((field) => field.value)",
    );
    expect(text).not.toContain(demo.client_secret);
    expect(faults).toEqual([]);
    await page.close();
  });

  describe("on a phone", () => {
    it("shows the list of operations on request, and leads to one", async () => {
      const { page } = await open("/docs", phone);
      const link = page.getByRole("link", { name: "Refund a sale /sp/sales/refund" });
      expect(await link.isVisible()).toBe(false);
      await page.locator("label[for=menu]").click();
      await link.click();
      await page.waitForURL(/#salesRefund$/);
      expect(await link.isVisible()).toBe(false);
      await page.close();
    });

    it("names the column of each cell of a table", async () => {
      const { page } = await open("/docs/guides/scopes", phone);
      const names = await page.evaluate(`[...document.querySelectorAll("tbody tr:first-child td")]
        .map((cell) => getComputedStyle(cell, "::before").content)`);
      expect(names).toEqual(['"Scope"', '"Allows"', '"Operations"']);
      await page.close();
    });

    it.each(["/docs", "/op/docs"])("%s leads to its OpenAPI document", async (url) => {
      const { page } = await open(url, { ...phone, width: 360 });
      const link = page.getByRole("link", { name: "OpenAPI" });
      expect(await link.isVisible()).toBe(true);
      const target = await fetch(new URL((await link.getAttribute("href")) as string, world.baseUrl));
      const title = url === "/docs" ? "Loyalty Partner API" : "Loyalty Operator API";
      expect(await target.json()).toMatchObject({ openapi: "3.1.0", info: { title } });
      await page.close();
    });
  });

  it("copies the code of a guide", async () => {
    const { page } = await open("/docs/guides/sales", desktop);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const code = await page.locator("article pre code").first().textContent();
    await copy(page.locator("article"));
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(code);
    await page.close();
  });

  it("responds to every example from top to bottom, with the demo's credentials", async () => {
    const { page, faults } = await open("/docs", desktop, demoService.baseUrl);
    await page.getByLabel("Use demo credentials").setInputFiles(demoFile);
    await page.getByText("There is a token.").waitFor();
    const { sandbox } = JSON.parse(await readFile(demoFile, "utf8")) as DemoFile;
    for (const form of await page.locator("form.try").all()) {
      const address = await form.evaluate(
        (shown) => shown.closest("section")?.querySelector(".path code")?.textContent,
      );
      if (address === "/sp/sandbox/clock/get") {
        await page.getByLabel("client_id").fill(sandbox.client_id);
        await page.getByLabel("client_secret").fill(sandbox.client_secret);
        const token = page.getByLabel("Access token");
        const before = await token.inputValue();
        await page.getByRole("button", { name: "Get a token" }).click();
        await expect.poll(() => token.inputValue()).not.toBe(before);
      }
      await form.getByRole("button", { name: "Send" }).click();
      await expect.poll(() => form.getAttribute("data-status")).not.toBeNull();
      const response = JSON.parse((await form.locator(".response code").textContent()) as string);
      expect(response, address + JSON.stringify(response)).toMatchObject({ success: true });
      if (Array.isArray(response.data)) expect(response.data, address).not.toEqual([]);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("sends a write once, however often somebody sends it, until they take a new key", async () => {
    const { page, faults } = await open("/docs#walletAdjust", desktop);
    const token = await world.token();
    const contact_id = await world.member();
    const location_id = world.home.locationIds[0];
    const body = { idempotency_key: "one", contact_id, location_id, amount: 5, adjustment_type: "credit" };
    await page.getByLabel("Access token").fill(token);
    const form = page.locator("#walletAdjust form");
    await form.locator("textarea").fill(JSON.stringify(body));
    const send = async () => {
      const responded = page.waitForResponse((response) => response.url().endsWith("/sp/wallet/adjust"));
      await form.getByRole("button", { name: "Send" }).click();
      const response = await responded;
      expect(await response.request().headerValue("authorization")).toBe(`Bearer ${token}`);
      return response;
    };
    const first = await send();
    await form.getByText(/^\d+ ms$/).waitFor();
    const again = await send();
    await form.getByText(/^\d+ ms\. Replayed: nothing was done again\.$/).waitFor();
    expect(await again.text()).toBe(await first.text());
    await form.getByRole("button", { name: "New key" }).click();
    await send();
    await form.getByText(/^\d+ ms$/).waitFor();
    await form.getByText('"balance_after": 10').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("offers a new key to writes only", async () => {
    const { page } = await open("/docs", desktop);
    const offers = await page
      .locator("form.try")
      .evaluateAll((forms) =>
        forms.map((form) => [
          form.closest("section")?.querySelector(".path code")?.textContent,
          form.querySelector(".new-key") !== null,
        ]),
      );
    expect(offers).toEqual(
      inOrder(partnerOperations).map((operation) => [operation.path, isWrite(operation)]),
    );
    await page.close();
  });

  it("colours the JSON of a response as it does the example", async () => {
    const { page } = await open("/docs#membersGet", desktop);
    await page.getByLabel("Access token").fill(await world.token());
    const form = page.locator("#membersGet form");
    const parts = () =>
      form
        .locator("pre span")
        .evaluateAll((spans) =>
          spans.map((span) => [span.className, span.className === "name" ? span.textContent : ""]),
        );
    const [example, contact_id] = [await parts(), await world.member()];
    await form.locator("textarea").fill(JSON.stringify({ contact_id }));
    await form.getByRole("button", { name: "Send" }).click();
    await form.locator(".response").getByText(`"contact_id": ${contact_id}`).waitFor();
    const names = (of: typeof example) => of.filter(([kind]) => kind === "name");
    // The example has a tier, and the member has none.
    expect(names(example)).toEqual(expect.arrayContaining(names(await parts())));
    expect(new Set((await parts()).map(([kind]) => kind))).toEqual(
      new Set(["name", "text", "number", "word"]),
    );
    await page.close();
  });

  it("says what is wrong with a file that is not the demo's, and shows an error as it is", async () => {
    const { page } = await open("/docs#membersGet", desktop);
    await page.getByLabel("Use demo credentials").setInputFiles({
      name: "demo.json",
      mimeType: "application/json",
      buffer: Buffer.from("no"),
    });
    await page.getByText("That is not the file demo.json.").waitFor();
    const form = page.locator("#membersGet form");
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText('"unauthorized"').waitFor();
    await form.getByText("Response, 401").waitFor();
    await page.close();
  });
}

/** The documentation in a browser: it shows, it fits, it keeps to its host, and its console calls the service. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWrite } from "../../src/contract/operation.ts";
import type { DemoFile } from "../../src/data-directory.ts";
import { provideDemo } from "../../src/demo/demo.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import { useDatabase } from "../support/database.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

const executablePath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);
const about = "the documentation in a browser";

if (executablePath === undefined) {
  describe.skip(`${about}: no Chromium at CHROMIUM_PATH or /usr/bin/chromium`, () => {
    it("is looked at", () => {});
  });
} else {
  describe(about, () => lookAt(executablePath));
}

const quiet = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update"],
];
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const guides = ["", "/client", "/idempotency", "/errors", "/scopes", "/members"].map(
  (name) => `/docs/guides${name}`,
);

const looks = [
  { ...sizes.desktop, scale: 1, scheme: "light" },
  { ...sizes.desktop, scale: 2, scheme: "dark" },
  { ...sizes.phone, scale: 1, scheme: "dark" },
  { ...sizes.phone, scale: 2, scheme: "light" },
] as const;
type Look = (typeof looks)[number];
const [desktop, , phone] = looks;

function lookAt(path: string): void {
  const world = useWorld();
  const demoDatabase = useDatabase();
  let browser: Browser;
  let demoService: StartedService;
  let demoFile: string;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: path, args: quiet, timeout: 0 });
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

  describe.each(looks)("at $width pixels, ratio $scale, $scheme", (look) => {
    // One tab for all pages: opening one takes longer than a page.
    let tab: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      tab = await open("/docs", look);
    });
    afterAll(() => tab.page.close());

    it.each([...guides, "/docs", "/op/docs"])("%s fits", async (url) => {
      const { page, faults } = tab;
      await page.goto(world.baseUrl + url);
      expect(await page.locator("h1").isVisible()).toBe(true);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      expect(await misfits(page)).toEqual([]);
      expect(faults).toEqual([]);
    });
  });

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

  it("finds operations, guides and errors, and leads to each", async () => {
    const { page, faults } = await open("/docs", desktop);
    const found = () => page.locator("nav.list li:visible").allTextContents();
    await page.getByRole("searchbox").fill("refund");
    expect(await found()).toEqual(
      expect.arrayContaining([
        "Refund a sale/sp/sales/refund",
        "refund_exceeds_sale",
        "Record and refund a sale",
      ]),
    );
    await page.getByRole("searchbox").fill("no such thing");
    expect(await found()).toEqual([]);
    await page.getByRole("searchbox").fill("exceeds_sale");
    await page.locator("nav.list li:visible a").click();
    await page.waitForURL(/guides\/errors#refund_exceeds_sale$/);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("copies the code of a guide", async () => {
    const { page } = await open("/docs/guides/sales", desktop);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const code = await page.locator("article pre code").first().textContent();
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(code);
    await page.close();
  });

  it("answers every example from top to bottom, with the demo's credentials", async () => {
    const { page, faults } = await open("/docs", desktop, demoService.baseUrl);
    await page.getByLabel("Use demo credentials").setInputFiles(demoFile);
    await page.getByText("There is a token.").waitFor();
    const { sandbox } = JSON.parse(await readFile(demoFile, "utf8")) as DemoFile;
    for (const form of await page.locator("form.try").all()) {
      const address = (await form.getAttribute("data-path")) as string;
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
      const answer = JSON.parse((await form.locator("pre code").textContent()) as string);
      expect(answer, address).toMatchObject({ success: true });
      if (Array.isArray(answer.data)) expect(answer.data, address).not.toEqual([]);
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
      const answered = page.waitForResponse((response) => response.url().endsWith("/sp/wallet/adjust"));
      await form.getByRole("button", { name: "Send" }).click();
      const response = await answered;
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
        forms.map((form) => [form.getAttribute("data-path"), form.querySelector(".new-key") !== null]),
      );
    expect(offers).toEqual(partnerOperations.map((operation) => [operation.path, isWrite(operation)]));
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
    await form.getByText(`"contact_id": ${contact_id}`).waitFor();
    const names = (of: typeof example) => of.filter(([kind]) => kind === "name");
    expect(new Set(names(await parts()).map(String))).toEqual(new Set(names(example).map(String)));
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
